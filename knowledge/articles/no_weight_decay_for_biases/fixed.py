import torch
from torch import nn

model = nn.Linear(2, 2)
nn.init.ones_(model.bias)
decayed = [p for p in model.parameters() if p.ndim >= 2]
others = [p for p in model.parameters() if p.ndim < 2]
optimizer = torch.optim.SGD(
    [{"params": decayed, "weight_decay": 0.5}, {"params": others, "weight_decay": 0.0}], lr=0.1
)
model(torch.ones(1, 2)).sum().backward()  # a gradient of 1 for each bias
optimizer.step()
assert torch.allclose(model.bias, torch.full((2,), 0.9)), f"the bias shrank to {model.bias.tolist()}"
