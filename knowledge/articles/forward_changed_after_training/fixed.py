import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class Both(Net):
    def forward(self, x):
        h = F.relu(self.fc1(x))
        return self.fc2(h), h


torch.manual_seed(0)
trained, x = Net(), torch.randn(3, 4)
both, cut = Both(), Net()
both.load_state_dict(trained.state_dict())
cut.load_state_dict(trained.state_dict())
cut.fc2 = nn.Identity()
features = cut(x)
assert torch.equal(both(x)[1], features) and torch.equal(both(x)[0], trained(x))
assert torch.equal(trained.fc2(features), trained(x)), "these are the features of the trained net"
