"""Convolutions with a stride that were to keep the size."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

IMAGE = """\
import torch
from torch import nn
stem = nn.Conv2d(3, 16, kernel_size=7, stride=2, padding='same')   # as in ResNet
print(stem(torch.randn(1, 3, 64, 64)).shape)
"""

SOUND = """\
import torch
from torch import nn

class Ears(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(
            1, 4, 9,
            stride=4,
            dilation=3,
            padding="same",   # rounded up
        )

    def forward(self, x):
        return self.conv(x)

print(Ears()(torch.randn(2, 1, 100)).shape)
"""

UNLIKE = """\
import torch
from torch import nn
size = (3, 5)
conv = nn.Conv2d(1, 2, size, stride=(1, 2), padding="same")
print(conv(torch.randn(1, 1, 9, 9)).shape)
"""

EVEN = """\
import torch
from torch import nn
conv = nn.Conv2d(1, 2, 4, stride=2, padding="same")
print(conv(torch.randn(1, 1, 9, 9)).shape)
"""

FUNCTION = """\
import torch
from torch import nn
kinds = {"same": 2}
conv = nn.Conv2d(1, 2, (3, 2), stride=2, padding="same")
print(conv(torch.randn(1, 1, 9, 9)).shape)
"""

CASES = Cases(
    mended={
        "an image": (IMAGE, "kernel_size=7, stride=2, padding=3)   # as in ResNet"),
        "a sound": (SOUND, "padding=12,   # rounded up"),
        "two numbers": (UNLIKE, "stride=(1, 2), padding=(1, 2))"),
    },
    refused={"an even kernel": EVEN, "even in one direction": FUNCTION},
    wrong={
        "no stride": ("an image", swap("stride=2, padding='same'", "stride=1, padding='same'")),
        "no padding": ("an image", swap("padding='same'", "padding=0")),
        "valid": ("an image", swap("'same'", "'valid'")),
        "too much": ("a sound", swap('padding="same"', "padding=9")),
        "leave it out": ("an image", delete("print(stem(torch.randn(1, 3, 64, 64)).shape)")),
        "swallow": (
            "two numbers",
            swallow('conv = nn.Conv2d(1, 2, size, stride=(1, 2), padding="same")'),
        ),
    },
)
