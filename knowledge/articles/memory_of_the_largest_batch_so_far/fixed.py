import torch
from torch import nn

net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
most = []
for boxes in (600, 900, 4500, 700):
    held = []
    chosen = torch.randperm(boxes)[:1000]
    with torch.autograd.graph.saved_tensors_hooks(lambda t: held.append(t.numel()) or t, lambda t: t):
        loss = net(torch.randn(boxes, 64)[chosen]).sum()
    loss.backward()
    most.append(sum(held))
assert max(most) < 2 * most[1], "no step needs twice of what the first ones needed"
