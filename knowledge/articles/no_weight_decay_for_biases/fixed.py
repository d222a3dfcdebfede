import torch
from torch import nn

model = nn.Linear(2, 2)
nn.init.ones_(model.bias)
decayed = [p for p in model.parameters() if p.ndim >= 2]
others = [p for p in model.parameters() if p.ndim < 2]
optimizer = torch.optim.SGD(
    [{"params": decayed, "weight_decay": 0.5}, {"params": others, "weight_decay": 0.0}], lr=0.1
)
(0.0 * sum(p.sum() for p in model.parameters())).backward()  # a gradient of 0
optimizer.step()
assert torch.equal(model.bias, torch.ones(2)), f"the bias shrank to {model.bias.tolist()}"
