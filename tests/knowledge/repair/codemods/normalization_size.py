"""normalization-size: the layer is made for the features that arrive."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

BLOCK = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 12, 3)
        self.bn = nn.BatchNorm2d(8)  # channels
        self.head = nn.Linear(12, 2)

    def forward(self, x):
        x = torch.relu(self.bn(self.conv(x)))
        return self.head(x.mean((2, 3)))


net = Block()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.rand(4, 3, 6, 6)).square().mean().backward()
    optimizer.step()
"""

TOKENS = """\
import torch
from torch import nn

width = 32
norm = nn.LayerNorm(width)
tokens = torch.randn(2, 5, 24)
print(norm(tokens).shape)
"""

MLP = """\
import torch
from torch import nn

mlp = nn.Sequential(
    nn.Linear(6, 10),
    nn.BatchNorm1d(6),
    nn.ReLU(),
    nn.Linear(10, 1),
)
print(mlp(torch.randn(8, 6)).shape)
"""

FEATURES_LAST = """\
import torch
from torch import nn

norm = nn.BatchNorm1d(16)
print(norm(torch.randn(4, 9, 16)).shape)
"""

SECOND_LAST = """\
import torch
from torch import nn

norm = nn.LayerNorm(16)
print(norm(torch.randn(4, 16, 9)).shape)
"""

CASES = Cases(
    mended={
        "after a convolution": (BLOCK, "nn.BatchNorm2d(12)  # channels"),
        "a width with a name": (TOKENS, "width = 24"),
        "in a Sequential": (MLP, "nn.BatchNorm1d(10)"),
    },
    refused={"features last": FEATURES_LAST, "features not last": SECOND_LAST},
    wrong={
        "leave it out": ("after a convolution", swap("self.bn(self.conv(x))", "self.conv(x)")),
        "out of the Sequential": ("in a Sequential", delete("nn.BatchNorm1d(6),")),
        "detach": (
            "after a convolution",
            lambda code: swap("self.bn(self.conv(x))", "self.bn(self.conv(x).detach())")(
                swap("BatchNorm2d(8)", "BatchNorm2d(12)")(code)
            ),
        ),
        "swallow it": ("a width with a name", swallow("print(norm(tokens).shape)")),
        "only some of the features": (
            "after a convolution",
            lambda code: swap("self.bn(self.conv(x))", "self.bn(self.conv(x)[:, :8])")(
                swap("nn.Linear(12, 2)", "nn.Linear(8, 2)")(code)
            ),
        ),
    },
)
