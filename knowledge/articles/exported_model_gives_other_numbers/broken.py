import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
x = torch.randn(4, 8)
reference = model(x)  # in training mode
exported = torch.export.export(model.eval(), (x,)).module()
assert torch.allclose(exported(x), reference, atol=1e-5), "the same weights, and other numbers"
