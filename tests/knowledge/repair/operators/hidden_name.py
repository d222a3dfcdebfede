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

CASES = Cases(
    mended={},
    paired={
        "layers": (LAYERS, ('return self.layers["first"](x)',)),
        "called": (CALLED, ("return self.layers[1](self.layers[0](x))",)),
        "plain": (PLAIN, ("print(batches.size)", "self.rows[: self.size_ // 2]")),
    },
    refused={"a call of it may mean either": EITHER, "no such attribute": NO_ATTRIBUTE},
    wrong={
        "stored alone": ("layers", swap("self.modules = ", "self.layers = ")),
        "swallowed": ("layers", swallow("print(net(torch.rand(4, 3)).shape)")),
        "another layer": (
            "layers",
            swap('self.modules["first"](x)', "nn.Linear(3, 2)(x)"),
        ),
        "left out": ("plain", delete("print(batches.size())")),
    },
)
