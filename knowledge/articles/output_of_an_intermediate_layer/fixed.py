import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.head(F.relu(self.body(x)))


torch.manual_seed(0)
net, x = Net(), torch.randn(3, 4)
kept = {}
handle = net.head.register_forward_hook(lambda layer, inputs, output: kept.update(head=inputs[0]))
net(x)
handle.remove()
features = kept["head"]
assert torch.equal(net.head(features), net(x)), "these are not the features that the head gets"
