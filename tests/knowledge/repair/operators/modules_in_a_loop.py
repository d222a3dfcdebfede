"""modules-in-a-loop: lists of modules that TorchScript goes through and does not index."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

DEEP = """\
import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])

    def forward(self, x):
        for i in range(len(self.layers)):
            x = torch.relu(self.layers[i](x))
        return x


print(torch.jit.script(Deep())(torch.ones(2, 3)).shape)
"""

NUMBERED = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.depth = depth
        self.steps = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))

    def forward(self, x):
        for n in range(self.depth):
            x = x + self.steps[n](x) * (n + 1)
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(3)

    def forward(self, x):
        return self.block(x)


net = Net()
scripted = torch.jit.script(net)
print(scripted(torch.ones(1, 4)).shape)
"""

TWO_LISTS = """\
import torch
from torch import nn


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(2, 2, 1), nn.Conv1d(2, 2, 1)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(2), nn.BatchNorm1d(2)])

    def forward(self, x):
        for i in range(2):
            x = self.norms[i](self.convs[i](x))
        return x


print(torch.jit.script(Pairs().eval())(torch.ones(1, 2, 5)).shape)
"""

FEWER = DEEP.replace("range(len(self.layers))", "range(1, len(self.layers))")

CHOSEN = """\
import torch
from torch import nn


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

    def forward(self, x, which: int):
        return self.experts[which](x)


print(torch.jit.script(Chosen())(torch.ones(2, 3), 1).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "one after another": (
            DEEP,
            ("for layer in self.layers:\n            x = torch.relu(layer(x))",),
        ),
        "with its number": (
            NUMBERED,
            ("for n, step in enumerate(self.steps):\n            x = x + step(x) * (n + 1)",),
        ),
    },
    refused={"not the first": FEWER, "one of them": CHOSEN, "two lists": TWO_LISTS},
    wrong={
        "the first alone": ("one after another", swap("self.layers[i]", "self.layers[0]")),
        "not scripted": ("one after another", swap("torch.jit.script(Deep())", "Deep()")),
        "swallowed": ("with its number", swallow("scripted = torch.jit.script(net)")),
        "deleted": ("with its number", delete("print(scripted(torch.ones(1, 4)).shape)")),
    },
)
