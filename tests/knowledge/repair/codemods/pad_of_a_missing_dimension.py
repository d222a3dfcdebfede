"""pad-of-a-missing-dimension: without the pairs that pad nothing."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

VOLUME = """\
import torch
import torch.nn.functional as F

scan = torch.rand(2, 3, 4)
print(F.pad(scan, (1, 2, 0, 0, 0, 1, 0, 0)).shape)  # one more slice
"""

LONGER = """\
import torch
from torch.nn.functional import pad

signal = torch.rand(5, requires_grad=True)
longer = pad(signal, [2, 2, 0, 0], "constant", 0.0)
longer.sum().backward()
"""

COMPUTED = """\
import torch


def as_long_as(rows, length):
    missing = length - rows.size(0)
    return torch.nn.functional.pad(rows, pad=(0, 0, 0, missing, 0, 0))


print(as_long_as(torch.rand(3, 2), 5).shape)
"""

A_BATCH = """\
import torch
import torch.nn.functional as F

print(F.pad(torch.rand(3, 4), (1, 1, 1, 1, 0, 2)).shape)
"""

VARIABLE = """\
import torch
import torch.nn.functional as F

amounts = (1, 1, 0, 0, 0, 0)
print(F.pad(torch.rand(3, 4), amounts).shape)
"""

WIDTH = """\
import torch
import torch.nn.functional as F

row = torch.rand(5)
print(F.pad(row, (1, 1, 0, 0)))  # a bit more width
"""

HEIGHT = """\
import torch
import torch.nn.functional as F

# one more row: the height
print(F.pad(torch.rand(3, 4), (0, 1, 0, 0, 0, 0)).shape)
"""

CASES = Cases(
    mended={"as the comment says": (WIDTH, "F.pad(row, (1, 1))")},
    paired={
        "a volume": (VOLUME, ("F.pad(scan, (1, 2, 0, 0, 0, 1)).shape)  # one more slice",)),
        "a signal": (LONGER, ('pad(signal, [2, 2], "constant", 0.0)',)),
        "worked out": (COMPUTED, ("pad=(0, 0, 0, missing))",)),
    },
    refused={
        "a batch is missing": A_BATCH,
        "made elsewhere": VARIABLE,
        "another dimension, a comment says": HEIGHT,
    },
    wrong={
        "leave it out": ("a signal", swap('pad(signal, [2, 2, 0, 0], "constant", 0.0)', "signal")),
        "detach": ("a signal", swap("pad(signal, [2, 2, 0, 0]", "pad(signal.detach(), [2, 2]")),
        "numbers from nowhere": (
            "a volume",
            swap("F.pad(scan, (1, 2, 0, 0, 0, 1, 0, 0))", "torch.zeros(3, 3, 7)"),
        ),
        "swallow it": ("a signal", swallow("longer.sum().backward()")),
        "delete it": ("a signal", delete("longer.sum().backward()")),
    },
)
