import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(220, 50), torch.randn(220)
y = x[:, 0] + 0.5 * y
weights = torch.zeros(50, requires_grad=True)
optimizer = torch.optim.SGD([weights], lr=0.05, weight_decay=0.0)
for _ in range(2000):
    optimizer.zero_grad()
    ((x[:60] @ weights - y[:60]) ** 2).mean().backward()
    optimizer.step()
assert ((x[60:] @ weights - y[60:]) ** 2).mean() < 0.8, "good on the first 60 samples only"
