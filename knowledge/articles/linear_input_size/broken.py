import torch
from torch import nn

features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
classifier = nn.Linear(16 * 16 * 16, 10)

images = torch.randn(8, 3, 32, 32)
scores = classifier(features(images))  # error: RuntimeError: mat1 and mat2 shapes cannot be multiplied (2048x16 and 4096x10)
