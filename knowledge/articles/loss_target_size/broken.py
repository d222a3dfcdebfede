import torch
from torch import nn

model = nn.Linear(3, 1)
inputs, labels = torch.randn(8, 3), torch.ones(8)
loss = nn.BCEWithLogitsLoss()(model(inputs), labels)  # error: ValueError: Target size (torch.Size([8])) must be the same as input size (torch.Size([8, 1]))
