"""skip-connection-changes-shape: a convolution of one pixel for the skipped input."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

GENERATOR = """\
import torch
import torch.nn as nn


class Up(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(2, 6, 3, padding=1)
        self.second = nn.Conv2d(6, 6, 3, padding=1)  # the last layer

    def forward(self, x):
        residual = x
        x = torch.relu(self.first(x))
        x = self.second(x)
        x = x + residual
        return x


Up()(torch.rand(1, 2, 7, 7)).sum().backward()
"""

TRAINED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 1)

    def forward(self, image):
        maps = torch.tanh(self.conv(image))
        return image + maps


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = (net(torch.rand(3, 2, 5, 5)) - 1).square().mean()
    loss.backward()
    optimizer.step()
print(torch.isfinite(loss))
"""

KEPT = """\
import torch
from torch.nn import Conv2d, Module


class Half(Module):
    def __init__(self, width):
        super().__init__()
        self.squeeze = Conv2d(width, width // 2, 3, padding=1)

    def forward(self, x):
        y = self.squeeze(x)
        return y + x


half = Half(8)
print(half(torch.rand(1, 8, 6, 6)).shape)
"""

SHRINKS = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        y = self.conv(x)
        return x + y


Block()(torch.rand(1, 3, 9, 9))
"""

BATCHES = """\
import torch

a, b = torch.rand(1, 3, 4, 4), torch.rand(1, 5, 4, 4)
print(a + b)
"""

NAMED_SIZES = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, since, to):
        super().__init__()
        self.first = nn.Conv2d(since, to, 3, padding=1)
        self.second = nn.Conv2d(to, to, 3, padding=1)

    def forward(self, x):
        out = self.second(torch.relu(self.first(x)))
        return torch.relu(out + x)


net = nn.Sequential(Block(2, 4), Block(4, 6))
print(net(torch.rand(3, 2, 8, 8)).shape)
"""

CASES = Cases(
    mended={
        "a class for several blocks": (NAMED_SIZES, "nn.Conv2d(since, to, kernel_size=1)"),
        "two convolutions": (GENERATOR, "x + self.project(residual)"),
        "in training": (TRAINED, "self.project = nn.Conv2d(2, 4, kernel_size=1)"),
        "fewer channels": (KEPT, "self.project = Conv2d(8, 4, kernel_size=1)"),
    },
    refused={"it shrinks as well": SHRINKS, "no module": BATCHES},
    wrong={
        "leave the skip out": ("two convolutions", swap("x + residual", "x")),
        "one channel for all": ("two convolutions", swap("+ residual", "+ residual[:, :1]")),
        "another layer": ("fewer channels", swap("width // 2", "width")),
        "repeat": ("two convolutions", swap("+ residual", "+ residual.repeat(1, 3, 1, 1)")),
        "detach": ("in training", swap("image + maps", "image[:, :1] + maps.detach()")),
        "swallow it": ("two convolutions", swallow("x = x + residual")),
        "delete it": ("two convolutions", delete("x = x + residual")),
    },
)
