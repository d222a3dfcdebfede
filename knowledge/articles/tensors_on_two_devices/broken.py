import torch
from torch import nn

device = torch.device("cuda")
model = nn.Linear(3, 2).to(device)
for images, labels in [(torch.ones(4, 3), torch.ones(4, 2))]:
    scores = model(images.to(device))
    loss = nn.functional.mse_loss(scores, labels)  # error: RuntimeError: Expected all tensors to be on the same device, but found at least two devices
