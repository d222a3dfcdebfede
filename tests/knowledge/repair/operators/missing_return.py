"""Functions whose result nobody returns."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

FORWARD = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        x = torch.relu(self.fc(x))   # no negative scores

out = Net()(torch.randn(3, 4))
print(out.shape)
"""

LOAD = """\
import torch

def load(n):
    data = torch.rand(n, 2)
    data = data / data.norm()   # one long

points = load(3)
print(points.mean(0).shape)
"""

DROPPED = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        self.fc(x)   # logits

loss = nn.MSELoss()(Net()(torch.randn(3, 4)), torch.zeros(3, 2))
loss.backward()
"""

LOOP = """\
import torch

def last(rows):
    for row in rows:
        found = row.sum()

print(last(torch.rand(3, 2)).shape)
"""

NOTHING = """\
import torch

def show(x):
    print(x.shape)

print(show(torch.ones(2)).shape)
"""

TWO_HALVES = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        z = self.fc(x)   # scores

class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, a, b):
        one, other = self.net(a), self.net(b)
        return one - other

print(Pair()(torch.ones(2, 4), torch.zeros(2, 4)).shape)
"""

WITH_OTHERS = """\
import torch
from torch import nn

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.spread = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x):
        mean, spread = self.mean(x), self.spread(x).exp()
        return mean + spread * torch.randn_like(mean)   # drawn

drawn, mean, spread = Encoder()(torch.ones(4, 3))
print(drawn.shape, mean.shape, spread.min() > 0)
"""

TWO_CALLS = """\
import torch
import torch.nn.functional as F
from torch import nn


class Twins(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def code(self, x):
        F.normalize(self.layer(x), dim=1)

    def forward(self, a, b):
        return self.code(a), self.code(b)


class Apart(nn.Module):
    def forward(self, one, other):
        return F.pairwise_distance(one, other).mean()


torch.manual_seed(0)
one, other = Twins()(torch.rand(5, 4), torch.rand(5, 4))
print(Apart()(one, other) > 0)
"""

TWO_DROP = """\
import torch


def low(x):
    torch.relu(x)


def high(x):
    torch.tanh(x)


def parts(x):
    return low(x), high(x)


first, second = parts(torch.ones(3))
print(torch.add(first, second))
"""

CLOSURE = """\
import torch

p = torch.tensor([2.0, 3.0], requires_grad=True)
opt = torch.optim.LBFGS([p], lr=0.5)


def closure():
    opt.zero_grad()
    cost = (p ** 2).sum()
    cost.backward()   # downhill


for _ in range(3):
    opt.step(closure)
print(float((p ** 2).sum()) < 1)
"""

OF_TWO = CLOSURE.replace(
    "    cost.backward()   # downhill\n",
    "    cost.backward()\n    other = p.abs().sum()\n    other.backward()\n",
)


CASES = Cases(
    mended={},
    paired={
        "a closure": (CLOSURE, ("    cost.backward()   # downhill\n    return cost\n",)),
        "two calls away": (TWO_CALLS, ("return F.normalize(self.layer(x), dim=1)",)),
        "both sides": (TWO_HALVES, ("# scores\n        return z\n",)),
        "with others": (
            WITH_OTHERS,
            ("return mean + spread * torch.randn_like(mean), mean, spread   # drawn",),
        ),
        "a forward": (FORWARD, ("# no negative scores\n        return x\n",)),
        "a function": (LOAD, ("# one long\n    return data\n",)),
        "a value that is dropped": (DROPPED, ("        return self.fc(x)   # logits",)),
    },
    refused={
        "a closure of two losses": OF_TWO,
        "two functions drop it": TWO_DROP,
        "a loop at its end": LOOP,
        "nothing to return": NOTHING,
    },
    wrong={
        "a closure that returns nothing of it": (
            "a closure",
            swap("cost.backward()   # downhill", "return 0.0"),
        ),
        "no closure": ("a closure", swap("opt.step(closure)", "pass")),
        "another value": (
            "a forward",
            swap(
                "   # no negative scores\n",
                "   # no negative scores\n        return torch.zeros(3, 2)\n",
            ),
        ),
        "swallow": ("a forward", swallow("print(out.shape)")),
        "leave it out": ("a function", delete("print(points.mean(0).shape)")),
        "around the model": (
            "a value that is dropped",
            swap("Net()(torch.randn(3, 4))", "torch.zeros(3, 2, requires_grad=True)"),
        ),
    },
)
