"""conv-input-channels: move or add a dimension of the input, else change in_channels."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

LAST = """\
import torch
from torch import nn


class Eyes(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, kernel_size=3)
        self.head = nn.Linear(4, 2)

    def forward(self, images):
        x = torch.relu(self.conv(images))  # images as NumPy has them
        return self.head(x.mean(dim=(2, 3)))


model = Eyes()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(torch.rand(5, 9, 9, 3)), torch.randint(0, 2, (5,)))
    loss.backward()
    optimizer.step()
"""

SERIES = """\
import torch
from torch import nn

encoder = nn.Sequential(nn.Conv1d(6, 8, 3), nn.ReLU())
series = torch.randn(4, 50, 6)  # batch, time, sensors
print(encoder(series).shape)
"""

GREY = """\
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, channels=3):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 8, 3)
        self.conv2 = nn.Conv2d(8, 8, 3)

    def forward(self, x):
        return self.conv2(F.relu(self.conv1(x)))


grey = torch.rand(2, 1, 12, 12)
print(Net()(grey).shape)
"""

READ = GREY.replace("torch.rand(2, 1, 12, 12)", "torch.rand(2, 12, 12).unsqueeze(1)")

NO_CHANNELS = """\
import torch
from torch import nn

digits = torch.rand(16, 28, 28)
conv = nn.Conv2d(1, 4, 5)
print(conv(digits).shape)
"""

CHAIN = """\
import torch
from torch import nn

net = nn.Sequential(
    nn.Conv2d(3, 16, 3),
    nn.ReLU(),
    nn.Conv2d(8, 4, 3),  # eight?
)
print(net(torch.rand(2, 3, 10, 10)).shape)
"""

THREE = """\
import torch
from torch import nn

conv = nn.Conv2d(1, 4, 3)
x = torch.rand(3, 20, 20)
y = conv(x)
"""

GROUPS = """\
import torch
from torch import nn

conv = nn.Conv2d(4, 8, 3, groups=2)
print(conv(torch.rand(2, 6, 9, 9)).shape)
"""

UNCLEAR = """\
import torch
from torch import nn

conv = nn.Conv2d(1, 8, 3)
print(conv(torch.rand(2, 64, 48, 3)).shape)
"""

BINS = """\
import torch
from torch import nn


class Sound(nn.Module):
    def __init__(self, window=64):
        super().__init__()
        self.window = window
        self.conv = nn.Conv1d(window // 2, 8, 3)  # each frequency

    def forward(self, wave):
        shape = torch.hann_window(self.window)
        parts = torch.stft(wave, self.window, window=shape, return_complex=True)
        return self.conv(parts.abs())


model = Sound()
model(torch.randn(4, 1000)).square().mean().backward()
"""

CASES = Cases(
    mended={
        "channels last": (LAST, "self.conv(images.permute(0, 3, 1, 2))"),
        "sensors last": (SERIES, "encoder(series.transpose(1, 2))"),
        "grey instead of colour": (READ, "channels=1"),
        "no channels at all": (NO_CHANNELS, "conv(digits.unsqueeze(1))"),
        "one more than half a window": (
            BINS,
            "nn.Conv1d(window // 2 + 1, 8, 3)  # each frequency",
        ),
        "two convolutions that do not meet": (CHAIN, "nn.Conv2d(16, 4, 3),  # eight?"),
    },
    paired={
        "grey in the example alone": (GREY, ("channels=1",)),
        "three pictures or three colours": (THREE, ("x.unsqueeze(1)", "nn.Conv2d(3, 4, 3)")),
    },
    refused={"groups": GROUPS, "channels last, and another number of them": UNCLEAR},
    wrong={
        "reshape scrambles": (
            "channels last",
            swap("self.conv(images)", "self.conv(images.reshape(-1, 3, 9, 9))"),
        ),
        "view scrambles the series": ("sensors last", swap("(series)", "(series.view(4, 6, 50))")),
        "cut the gradient": (
            "channels last",
            swap("self.conv(images)", "self.conv(images.permute(0, 3, 1, 2)).detach()"),
        ),
        "leave the convolution out": (
            "channels last",
            swap("torch.relu(self.conv(images))", "images.permute(0, 3, 1, 2).repeat(1, 2, 1, 1)"),
        ),
        "swallow it": ("no channels at all", swallow("print(conv(digits).shape)")),
        "invent the input": (
            "no channels at all",
            swap("conv(digits)", "conv(torch.zeros_like(digits).unsqueeze(1))"),
        ),
        "drop the second convolution": (
            "two convolutions that do not meet",
            swap("    nn.Conv2d(8, 4, 3),  # eight?\n", ""),
        ),
    },
)
