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

CASES = Cases(
    mended={},
    paired={
        "blocks": (BLOCKS, ("        for block in self.blocks:\n            x = block(x)\n",)),
        "returned": (
            RETURNED,
            ("for layer in self.layers:\n            x = layer(x)\n        return x   # scores\n",),
        ),
        "a plain list": (SCALED, ("for part in parts:\n    x = part(x, 0.5)\ny = x   # both\n",)),
    },
    refused={"layers that do not follow": SIZES, "numbers": NUMBERS},
    wrong={
        "only the first": ("blocks", swap("self.blocks(x)", "self.blocks[0](x)")),
        "none": ("blocks", swap("x = self.blocks(x)\n", "x = x\n")),
        "the last": ("returned", swap("self.layers(x)", "self.layers[-1](x.repeat(1, 3)[:, :8])")),
        "swallow": ("returned", swallow("print(Stack()(torch.ones(2, 3)).shape)")),
    },
)
