import torch
from torch import nn

model = nn.Linear(2, 2)
nn.init.ones_(model.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.5)
(0.0 * sum(p.sum() for p in model.parameters())).backward()  # a gradient of 0
optimizer.step()
assert torch.equal(model.bias, torch.ones(2)), f"the bias shrank to {model.bias.tolist()}"
