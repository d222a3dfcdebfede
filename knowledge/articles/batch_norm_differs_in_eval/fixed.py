import torch
from torch import nn

torch.manual_seed(0)
x = 50 + 10 * torch.randn(64, 3)
model = nn.BatchNorm1d(3)
with torch.no_grad():
    for _ in range(100):
        y = model(x)
model.eval()
assert torch.allclose(model(x), y, atol=0.1)
