"""Layers that are to compute the same and have weights of their own."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LINEAR = """\
import torch
from torch import nn
x = torch.randn(5, 4)
fast = nn.Linear(4, 3)
slow = nn.Linear(4, 3)   # the same?
torch.testing.assert_close(fast(x), slow(x))
"""

CONVOLUTIONS = """\
import torch
import torch.nn as nn
sound = torch.randn(2, 3, 9)
channels, width = 3, 5
flat = nn.Conv1d(channels, 4, width, padding=2)
flat_out = flat(sound)
deep = nn.Conv2d(channels, 4, kernel_size=(1, width), padding=(0, 2))   # one row
deep_out = deep(sound.unsqueeze(2))
squeezed = deep_out.squeeze(2)
print(flat_out.shape == squeezed.shape)
torch.testing.assert_close(flat_out, squeezed, atol=1e-5, rtol=1e-5)
"""

NO_BIAS = """\
import torch
from torch import nn
ids = torch.tensor([0, 2])
words = nn.Embedding(4, 2)
again = nn.Embedding(4, 2)
torch.testing.assert_close(words(ids), again(ids))
print("equal")   # at last
"""

OTHER_SIZES = """\
import torch
from torch import nn
x = torch.randn(5, 4)
a = nn.Linear(4, 3)
b = nn.Linear(4, 6)
torch.testing.assert_close(a(x), b(x)[:, :3])
"""

NO_LAYERS = """\
import torch
a = torch.randn(3)
b = torch.randn(3)
torch.testing.assert_close(a, b)
"""

CASES = Cases(
    mended={
        "two linear ones": (LINEAR, "    slow.weight.copy_(fast.weight)\n"),
        "two convolutions": (CONVOLUTIONS,
                             "    deep.weight.copy_(flat.weight.view_as(deep.weight))\n"),
        "two tables": (NO_BIAS, "    again.weight.copy_(words.weight)\n"),
    },
    refused={"other sizes": OTHER_SIZES, "no layers": NO_LAYERS},
    wrong={
        "any difference": ("two convolutions", swap("atol=1e-5", "atol=1e5")),
        "one with itself": ("two linear ones", swap("slow(x))", "fast(x))")),
        "all zero": ("two linear ones", swap("slow = nn.Linear(4, 3)   # the same?",
            "slow = nn.Linear(4, 3)\nfor layer in (fast, slow):\n"
            "    nn.init.zeros_(layer.weight); nn.init.zeros_(layer.bias)   # the same?")),
        "swallow": ("two linear ones", swallow("torch.testing.assert_close(fast(x), slow(x))")),
        "leave it out": ("two tables", delete(
            "torch.testing.assert_close(words(ids), again(ids))")),
    },
)  # fmt: skip
