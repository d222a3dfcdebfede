"""hidden-name: an attribute that is named like a method gets another name."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LAYERS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.modules = nn.ModuleDict({"first": nn.Linear(3, 2)})

    def forward(self, x):
        return self.modules["first"](x)


net = Net()
print(net(torch.rand(4, 3)).shape)
"""

CALLED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.children = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 2)])

    def forward(self, x):
        return self.children()[1](self.children()[0](x))


net = Net()
print(net(torch.rand(4, 3)).shape, len(list(net.parameters())))
"""

PLAIN = """\
import torch


class Batches:
    def __init__(self, rows):
        self.size = len(rows)
        self.rows = rows

    def size(self):
        return self.rows.shape

    def half(self):
        return self.rows[: self.size // 2]


batches = Batches(torch.rand(4, 3))
print(batches.half().shape)
print(batches.size())
"""

EITHER = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.half = nn.Linear(2, 2)

    def forward(self, x):
        return self.half(self.fc(x))[0] + self.half["x"]


print(Net()(torch.rand(4, 3)))
"""

NO_ATTRIBUTE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.modules["fc"](x)


print(Net()(torch.rand(4, 3)))
"""

LOSS = """\
import torch
from torch import nn

torch.manual_seed(0)
net, x, y = nn.Linear(3, 2), torch.rand(8, 3), torch.tensor([0, 1] * 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = nn.CrossEntropyLoss()
for step in range(2):
    optimizer.zero_grad()
    loss = loss(net(x), y)
    loss.backward()
    optimizer.step()
print(f"{loss:.3f}")
"""

FUNCTIONAL = """\
import torch
from torch import nn
import torch.nn.functional as F


class Mix(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, 3)

    def forward(self, x):
        B, T, F = x.shape
        return F.gelu(self.layer(x.reshape(B * T, F))).view(B, T, 3)


print(Mix(6)(torch.rand(2, 5, 6)).shape)
"""

BUILTIN = """\
import torch

scores = torch.tensor([[1.0, 4.0], [3.0, 2.0]])
max, where = scores.max(dim=1)
print(where, max.mean())
print(max(0, len(scores) - 3))
"""

OWN_FUNCTION = """\
import torch


def accuracy(scores, labels):
    return (scores.argmax(1) == labels).float().mean()


def evaluate(batches):
    for scores, labels in batches:
        accuracy = accuracy(scores, labels)
        print(accuracy)


evaluate([(torch.eye(3), torch.arange(3))])
"""

READ_ELSEWHERE = """\
import torch
from torch import nn

loss = nn.L1Loss()
first, second = torch.rand(2, 4)


def shown():
    return loss


for _ in range(2):
    loss = loss(first, second)
print(shown())
"""

FLAG = """\
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self, train=True):
        super().__init__()
        self.train = train
        self.out = nn.Linear(3, 3)

    def forward(self, x):
        if self.train:   # noise only then
            x = x + torch.randn_like(x)
        return self.out(x)


net = Noisy()
print(net(torch.zeros(2, 3)).shape)
net.eval()
print(torch.equal(net(torch.zeros(2, 3)), net(torch.zeros(2, 3))))
"""


CASES = Cases(
    mended={},
    paired={
        "a flag that every module has": (FLAG, ("        if self.training:   # noise only then",)),
        "layers": (LAYERS, ('return self.layers["first"](x)',)),
        "called": (CALLED, ("return self.layers[1](self.layers[0](x))",)),
        "plain": (PLAIN, ("print(batches.size)", "self.rows[: self.size_ // 2]")),
        "a loss": (LOSS, ("loss_value = loss(net(x), y)\n    loss_value.backward()",)),
        "a module": (
            FUNCTIONAL,
            ("B, T, F_size = x.shape\n        return F.gelu(self.layer(x.reshape(B * T, F_size",),
        ),
        "one of Python's own": (
            BUILTIN,
            ("max_value, where = scores.max(dim=1)\nprint(where, max_value.mean())",),
        ),
        "a function of one's own": (OWN_FUNCTION, ("accuracy_value = accuracy(scores, labels)",)),
    },
    refused={
        "another function reads it": READ_ELSEWHERE,
        "a call of it may mean either": EITHER,
        "no such attribute": NO_ATTRIBUTE,
    },
    wrong={
        "never looked at": ("a flag that every module has", swap("net.eval()\n", "")),
        "stored alone": ("layers", swap("self.modules = ", "self.layers = ")),
        "swallowed": ("layers", swallow("print(net(torch.rand(4, 3)).shape)")),
        "another layer": (
            "layers",
            swap('self.modules["first"](x)', "nn.Linear(3, 2)(x)"),
        ),
        "the same loss for all": ("a loss", swap("range(2)", "range(1)")),
        "no gradient": (
            "a loss",
            swap(
                "loss = loss(net(x), y)\n    loss.backward()",
                "value = loss(net(x), y).detach()\n    loss = loss",
            ),
        ),
        "left out": ("plain", delete("print(batches.size())")),
    },
)
