import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(4, 2)).mean().backward()
norms = {n: p.grad.norm().item() for n, p in model.named_parameters() if p.grad is not None}
optimizer.step()
optimizer.zero_grad()
assert set(norms) == {"weight", "bias"}, "the gradients are gone after zero_grad"
