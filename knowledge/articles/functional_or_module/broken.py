import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5)


torch.manual_seed(0)
net = Net().eval()
assert torch.equal(net(torch.ones(100)), torch.ones(100))
