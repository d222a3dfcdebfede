import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


torch.manual_seed(0)
trained, x = Net(), torch.randn(3, 4)
cut = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
cut.load_state_dict(trained.state_dict(), strict=False)
features = cut(x)
assert torch.equal(trained.fc2(features), trained(x)), "these are the features of the trained net"
