"""Layers that were made with what they should be called with."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LOSS = """\
import torch
from torch import nn
scores = torch.randn(3, 4, requires_grad=True)
loss = nn.CrossEntropyLoss(scores, torch.tensor([0, 1, 2]))   # mean of three
loss.backward()
"""

RELU = """\
import torch
from torch import nn
x = torch.randn(3, 4)
print(nn.ReLU(x).shape)   # nothing below 0
"""

SOFTMAX = """\
import torch
from torch import nn
scores = torch.randn(3, 4)
shares = nn.Softmax(scores, dim=1)   # of each row
print(shares.sum(1).shape)
"""

WEIGHTED = """\
import torch
from torch import nn
weights = torch.ones(3)
loss = nn.CrossEntropyLoss(weights)
print(loss(torch.randn(2, 4), torch.tensor([0, 1])))
"""

SIZES = """\
import torch
from torch import nn
x = torch.randn(3, 4)
print(nn.Linear(x).shape)
"""

CLASS_IN_LIST = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU, nn.Linear(4, 1))   # two layers
print(net(torch.ones(2, 3)).shape)
"""

OVERWRITTEN = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        x = nn.ReLU(self.one(x))   # hidden
        return self.two(x)

print(Net()(torch.ones(2, 3)).shape)
"""

EACH = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        x = self.a(x)
        x = nn.Tanh(x)   # first
        x = self.b(x)
        out = nn.Tanh(x)   # second
        return out.sum()


Net()(torch.rand(5, 3)).backward()
"""

OWN = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, drop=False):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 2), *([nn.Dropout(0.1)] if drop else []))

    def forward(self, x):
        return self.body(x)


print(Net(torch.rand(3, 4)).shape)   # of three
"""

HELD = """\
import torch
from torch import nn


class Blur(nn.Module):
    def __init__(self, ready=None):
        super().__init__()
        self.ready = nn.Identity() if not isinstance(ready, nn.Module) else ready

    def forward(self, x):
        return x.mean(-1)


blurred = Blur(torch.rand(2, 5))
print(blurred + 1)   # two numbers
"""

OWN_WITH_SIZES = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.body = nn.Linear(4, size if size else 2)

    def forward(self, x):
        return self.body(x)


print(Net(torch.rand(3, 4)).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "each of a kind": (
            EACH,
            ("x = nn.Tanh()(x)   # first\n        x = self.b(x)\n        out = nn.Tanh()(x)",),
        ),
        "a model that is held": (HELD, ("blurred = Blur()(torch.rand(2, 5))",)),
        "a model of one's own": (OWN, ("print(Net()(torch.rand(3, 4)).shape)   # of three",)),
        "a class among layers": (
            CLASS_IN_LIST,
            ("nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))   # two layers",),
        ),
        "a layer in place of its input": (OVERWRITTEN, ("nn.ReLU()(self.one(x))   # hidden",)),
        "a loss": (LOSS, ("nn.CrossEntropyLoss()(scores, torch.tensor([0, 1, 2]))   # mean",)),
        "an activation": (RELU, ("print(nn.ReLU()(x).shape)   # nothing below 0",)),
        "with an option": (SOFTMAX, ("nn.Softmax(dim=1)(scores)   # of each row",)),
    },
    refused={
        "a model that needs its size": OWN_WITH_SIZES,
        "weights of classes": WEIGHTED,
        "a layer that needs sizes": SIZES,
    },
    wrong={
        "without the target": (
            "a loss",
            swap("nn.CrossEntropyLoss(scores, torch.tensor([0, 1, 2]))", "scores.mean()"),
        ),
        "swallow": ("an activation", swallow("print(nn.ReLU(x).shape)   # nothing below 0")),
        "leave it out": ("a loss", delete("loss.backward()")),
        "no activation": ("with an option", swap("nn.Softmax(scores, dim=1)", "scores")),
    },
)
