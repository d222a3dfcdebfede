import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(4, 2)).mean().backward()
optimizer.step()
optimizer.zero_grad()
norms = {n: p.grad.norm().item() for n, p in model.named_parameters() if p.grad is not None}
assert set(norms) == {"weight", "bias"}, "the gradients are gone after zero_grad"
