import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(2, 4), nn.Linear(4, 1)
backbone.requires_grad_(False)
both = nn.Sequential(backbone, nn.Tanh(), head)
groups = [{"params": backbone.parameters(), "lr": 1e-5}, {"params": head.parameters()}]
optimizer = torch.optim.Adam(groups, lr=1e-3)

before = backbone.weight.clone()
for epoch in range(4):
    if epoch == 2:
        backbone.requires_grad_(True)
    optimizer.zero_grad()
    both(torch.ones(3, 2)).square().mean().backward()
    optimizer.step()
assert not torch.equal(before, backbone.weight), "the backbone should learn once it is unfrozen"
