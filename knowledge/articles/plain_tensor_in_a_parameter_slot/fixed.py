import torch

layer = torch.nn.Linear(2, 1)
with torch.no_grad():
    layer.weight.copy_(torch.zeros(1, 2))
