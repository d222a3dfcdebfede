import torch
from torch import nn

device = torch.device("cuda")
model = nn.Conv2d(3, 8, kernel_size=3).to(device)
images = torch.ones(1, 3, 16, 16).to(device)
features = model(images)
