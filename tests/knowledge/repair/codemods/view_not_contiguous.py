"""view-not-contiguous: reshape, unless somebody writes into the view."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

HEADS = """\
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(8, 8)

    def forward(self, x):
        b, n, _ = x.shape
        heads = self.proj(x).view(b, n, 2, 4).transpose(1, 2)
        return heads.transpose(1, 2).flip(1).transpose(2, 3).view(b, n, 8)


model = Mixer()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(3, 5, 8)).square().mean().backward()
optimizer.step()
"""

ROWS = """\
import torch

table = torch.arange(6.0).reshape(2, 3).t()
flat = table.view(-1)  # column by column
print(flat)
"""

PICTURE = """\
import torch

photo = torch.rand(4, 4, 3)
channels_first = photo.permute(2, 0, 1)
vectors = channels_first.view(12, 4)
print(vectors.mean(1))
"""

WRITTEN = """\
import torch

x = torch.zeros(2, 3)
v = x.t().view(6)
v[0] = 1
print(x)
"""

ADDED = """\
import torch

x = torch.zeros(2, 3)
v = x.t().view(6)
v += 1
print(x)
"""

CASES = Cases(
    mended={
        "heads": (HEADS, "transpose(2, 3).reshape(b, n, 8)"),
        "rows": (ROWS, "table.reshape(-1)  # column by column"),
        "a picture": (PICTURE, "channels_first.reshape(12, 4)"),
    },
    refused={"the view is written into": WRITTEN, "the view is added to": ADDED},
    wrong={
        "forget the transposition": ("heads", swap(".transpose(2, 3).view(", ".view(")),
        "cut the gradient": ("heads", swap(".view(b, n, 8)", ".detach().reshape(b, n, 8)")),
        "swallow it": ("rows", swallow("flat = table.view(-1)  # column by column")),
        "view another tensor": ("a picture", swap("channels_first.view", "photo.view")),
        "only a part": ("rows", swap("table.view(-1)", "table[:2].reshape(-1)")),
    },
)
