import torch
from torch import nn

model = nn.Linear(2, 2)
nn.init.ones_(model.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.5)
model(torch.ones(1, 2)).sum().backward()  # a gradient of 1 for each bias
optimizer.step()
assert torch.allclose(model.bias, torch.full((2,), 0.9)), f"the bias shrank to {model.bias.tolist()}"
