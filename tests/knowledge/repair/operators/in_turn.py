"""Lists of layers that are called as if they were one."""

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

BLOCKS = """\
import torch
from torch import nn

class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        # up the tower
        x = self.blocks(x)
        return self.head(x)

loss = Tower()(torch.randn(5, 4)).square().mean()
loss.backward()
"""

RETURNED = """\
import torch
from torch import nn

class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)])

    def forward(self, x):
        return self.layers(x)   # scores

print(Stack()(torch.ones(2, 3)).shape)
"""

SCALED = """\
import torch
from torch import nn

class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x, by):
        return self.fc(x) * by

parts = [Scaled(), Scaled()]
x = torch.ones(4, 2)
y = parts(x, 0.5)   # both
print(y.shape)
"""

SIZES = """\
import torch
from torch import nn

class Ill(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 8), nn.Linear(3, 8)])

    def forward(self, x):
        return self.layers(x)

print(Ill()(torch.ones(2, 3)).shape)
"""

NUMBERS = """\
import torch

steps = [1, 2, 3]
print(torch.ones(2) * steps(0))
"""

SIDES = """\
import torch
from torch import nn


class Tasks(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(5, 1) for _ in range(n)])

    def forward(self, x):
        return self.heads(x)   # one column a task


out = Tasks(3)(torch.rand(8, 5))
nn.functional.mse_loss(out, torch.rand(8, 3)).backward()
"""

EXPERTS = """\
import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
                                     for _ in range(2))
        self.gate = nn.Linear(4, 2)

    def forward(self, x):
        each = self.experts(x)
        return (each * self.gate(x).softmax(1)).sum(1)


print(Experts()(torch.rand(3, 4)).shape)
"""

PLAIN_LIST = """\
import torch
from torch import nn

judges = [nn.Linear(7, 1), nn.Linear(7, 1), nn.Linear(7, 1)]
rows = torch.rand(2, 7)
verdict = judges(rows)
print(verdict.shape)   # three a row
"""

WIDE = """\
import torch
from torch import nn

heads = nn.ModuleList([nn.Linear(5, 2), nn.Linear(5, 3)])
print(heads(torch.rand(8, 5)).shape)
"""

WITH_EDGES = """\
import torch
from torch import nn


class Hop(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.fc = nn.Linear(n_in, n_out)

    def forward(self, x, edges):
        return torch.relu(edges @ self.fc(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hops = nn.Sequential(Hop(3, 8), Hop(8, 2))

    def forward(self, x, edges):
        return self.hops(x, edges)   # two hops


print(Net()(torch.ones(5, 3), torch.eye(5)).shape)
"""

SECOND = """\
import torch
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, t, z):
        return self.fc(torch.cat([z, t.expand(len(z), 1)], 1))


fields = nn.Sequential(*(Field() for _ in range(3)))
print([fields(t, torch.ones(6, 3)).shape for t in torch.linspace(0, 1, 2)])
"""

OF_ONE_EACH = """\
import torch
from torch import nn

pair = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 2))
print(pair(torch.ones(2, 3), torch.ones(2, 8)).shape)
"""

GIVES_A_PAIR = """\
import torch
from torch import nn

rnns = nn.Sequential(nn.GRU(3, 3), nn.GRU(3, 3))
print(rnns(torch.ones(4, 2, 3), torch.zeros(1, 2, 3)))
"""

AFTER_THEM = """\
import torch
from torch import nn

class Track(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(6, 6, 3, padding=1) for _ in range(3)])
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        y = torch.relu(self.convs(x)) + x   # around them all
        return self.out(y.mean(-1))

loss = Track()(torch.randn(5, 6, 9)).square().mean()
loss.backward()
"""

OF_A_LAYER = """\
import torch
from torch import nn

class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 8)
        self.rest = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])

    def forward(self, x):
        x = self.rest(self.first(x))   # then the rest
        return x.sum(1)

print(Deep()(torch.ones(2, 3)).shape)
"""

RETURNED_FLAT = """\
import torch
from torch import nn

class Flat(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([nn.Conv2d(1, 4, 3), nn.ReLU()])

    def forward(self, picture):
        return self.steps(picture).flatten(1)   # flat

print(Flat()(torch.ones(2, 1, 5, 5)).shape)
"""

PERHAPS = AFTER_THEM.replace(
    "torch.relu(self.convs(x)) + x", "torch.relu(self.convs(x)) if x.dim() == 3 else x"
)
LATER = AFTER_THEM.replace(
    "torch.relu(self.convs(x)) + x", "torch.stack([self.convs(part) for part in x])"
)

CASES = Cases(
    mended={},
    paired={
        "one column each": (SIDES, ("torch.cat([head(x) for head in self.heads], dim=1)   # one",)),
        "experts": (EXPERTS, ("each = torch.cat([expert(x) for expert in self.experts], dim=1)",)),
        "judges in a list": (
            PLAIN_LIST,
            ("verdict = torch.cat([judge(rows) for judge in judges], dim=1)",),
        ),
        "blocks": (BLOCKS, ("        for block in self.blocks:\n            x = block(x)\n",)),
        "returned": (
            RETURNED,
            ("for layer in self.layers:\n            x = layer(x)\n        return x   # scores\n",),
        ),
        "a sequence with edges": (
            WITH_EDGES,
            ("for hop in self.hops:\n            x = hop(x, edges)\n        return x   # two",),
        ),
        "in an expression": (
            SECOND,
            (
                "class InTurn(nn.Sequential):\n    def forward(self, t, x1):\n"
                "        for layer in self:\n            x1 = layer(t, x1)\n        return x1\n",
            ),
        ),
        "with something behind them": (
            AFTER_THEM,
            (
                "h = x\n        for conv in self.convs:\n            h = conv(h)\n"
                "        y = torch.relu(h) + x   # around them all\n",
            ),
        ),
        "of a layer's result": (
            OF_A_LAYER,
            (
                "h = self.first(x)\n        for rest_2 in self.rest:\n            h = rest_2(h)\n"
                "        x = h   # then the rest\n",
            ),
        ),
        "flattened": (
            RETURNED_FLAT,
            ("            h = step(h)\n        return h.flatten(1)   # flat",),
        ),
        "a plain list": (SCALED, ("for part in parts:\n    x = part(x, 0.5)\ny = x   # both\n",)),
    },
    refused={
        "heads of several classes": WIDE,
        "layers that do not follow": SIZES,
        "perhaps": PERHAPS,
        "more than once": LATER,
        "numbers": NUMBERS,
        "layers of one argument": OF_ONE_EACH,
        "layers that give a pair": GIVES_A_PAIR,
    },
    wrong={
        "only the first": ("blocks", swap("self.blocks(x)", "self.blocks[0](x)")),
        "none": ("blocks", swap("x = self.blocks(x)\n", "x = x\n")),
        "the last": ("returned", swap("self.layers(x)", "self.layers[-1](x.repeat(1, 3)[:, :8])")),
        "one argument alone": ("in an expression", swap("fields(t, ", "fields[0](t, ")),
        "the first behind them": (
            "with something behind them",
            swap("self.convs(x)", "self.convs[0](x)"),
        ),
        "nothing behind them": ("with something behind them", swap("self.convs(x)", "x")),
        "the last of a result": (
            "of a layer's result",
            swap("self.rest(self.first(x))", "self.rest[-1](self.first(x))"),
        ),
        "the first alone": ("flattened", swap("self.steps(picture).", "self.steps[0](picture).")),
        "swallow": ("returned", swallow("print(Stack()(torch.ones(2, 3)).shape)")),
    },
)
