"""Names that are spelled otherwise, live elsewhere, or belong to the tensor."""

from tests.knowledge.codemods.cases import Cases, delete, swallow, swap

LOSS = """\
import torch
from torch import nn
net = nn.Linear(4, 1)
criterion = nn.BCELossWithLogits()   # two classes
criterion(net(torch.randn(3, 4)), torch.ones(3, 1)).backward()
"""

KERAS = """\
import torch.nn as nn
import torch
net = nn.Sequential(nn.Conv2D(1, 4, 3), nn.ReLU(), nn.MaxPool2D(2))
print(net(torch.randn(2, 1, 8, 8)).shape)
"""

FUNCTION = """\
import torch
counts = torch.zeros(3)
labels = torch.tensor([0, 2, 2])
torch.scatter_add_(counts, 0, labels, torch.ones(3))   # how many of each
print(counts)
"""

TWICE = """\
import torch
sums, counts = torch.zeros(2), torch.zeros(2)
group = torch.tensor([0, 1, 1])
torch.index_add_(sums, 0, group, torch.tensor([1.0, 2.0, 3.0]))
torch.index_add_(counts, 0, group, torch.ones(3))
print(sums / counts)
"""

NUMPY = """\
import numpy as np
import torch
x = torch.tensor([1.6, 2.2])
print(x.astype(np.int64))
"""

IN_PLACE = """\
import torch
x = torch.arange(6)
x.reshape_(2, 3)
print(x.shape)
"""

SPECTRUM = """\
import torch
signal = torch.sin(torch.linspace(0, 20, 64))
parts = torch.rfft(signal, 1)
print(parts.shape, parts.pow(2).sum(-1).argmax())
"""

IMPORT = """\
import torch
from torch.nn.functional import pad_sequence, relu   # lengths differ
print(relu(pad_sequence([torch.ones(2), torch.ones(3)], batch_first=True)))
"""

MADE_UP = """\
import torch
x = torch.tensor([1.0, float("nan")])
print(torch.nanmax(x))
"""

NO_LAYER = """\
import torch
from torch import nn
layer = nn.ConvLSTM2d(1, 2, 3)
print(layer(torch.randn(1, 1, 4, 4)))
"""

NO_FUNCTION = """\
import torch
print(torch.version.cpu)
"""

CASES = Cases(
    mended={
        "a loss": (LOSS, "criterion = nn.BCEWithLogitsLoss()   # two classes"),
        "from Keras": (KERAS, "nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2)"),
        "a method": (FUNCTION, "counts.scatter_add_(0, labels, torch.ones(3))   # how many"),
        "two of them": (TWICE, "counts.index_add_(0, group, torch.ones(3))"),
        "from NumPy": (NUMPY, "print(x.to(torch.int64))"),
        "no in-place form": (IN_PLACE, "x = x.reshape(2, 3)"),
        "a spectrum": (SPECTRUM, "parts = torch.view_as_real(torch.fft.rfft(signal))"),
        "an import": (IMPORT, "from torch.nn.utils.rnn import pad_sequence\n"),
    },
    refused={"no function": NO_FUNCTION, "made up": MADE_UP, "no such layer": NO_LAYER},
    wrong={
        "thrown away": ("a method", swap("torch.scatter_add_(", "torch.scatter_add(")),
        "thrown away too": ("no in-place form", swap("x.reshape_", "x.reshape")),
        "leave it out": ("a method", swap(
            "torch.scatter_add_(counts, 0, labels, torch.ones(3))   # how many of each\n", "")),
        "swallow": ("from NumPy", swallow("print(x.astype(np.int64))")),
        "leave the loss out": ("a loss", lambda code: delete(
            "criterion = nn.BCELossWithLogits()   # two classes")(
            swap("criterion(net", "(net")(code))),
    },
)  # fmt: skip
