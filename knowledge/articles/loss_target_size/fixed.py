import torch
from torch import nn

model = nn.Linear(3, 1)
inputs, labels = torch.randn(8, 3), torch.ones(8)
loss = nn.BCEWithLogitsLoss()(model(inputs), labels.unsqueeze(1))
assert loss.isfinite()
