import torch
from torch import nn

device = torch.device("cuda")
model = nn.Linear(3, 2).to(device)
for images, labels in [(torch.ones(4, 3), torch.ones(4, 2))]:
    images, labels = images.to(device), labels.to(device)
    scores = model(images)
    loss = nn.functional.mse_loss(scores, labels)
