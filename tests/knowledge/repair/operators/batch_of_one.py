"""batch-of-one: one thing for every sample, in calls that do not broadcast."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WARP = """\
import torch
import torch.nn.functional as F

shift = torch.tensor([[[1.0, 0.0, 0.2], [0.0, 1.0, 0.0]]])
frames = torch.rand(5, 3, 16, 16)
field = F.affine_grid(shift, [1, 3, 16, 16], align_corners=False)
moved = F.grid_sample(frames, field, align_corners=False)
print(moved.shape)
"""

SIDES = """\
import torch
from torch import nn


class Fit(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.topics = nn.Embedding(3, width)
        self.both = nn.Bilinear(width, width, 2)

    def forward(self, x):
        topic = self.topics(torch.tensor([2]))
        return self.both(topic, x)


loss = Fit(6)(torch.randn(4, 6)).square().mean()
loss.backward()
"""

PRODUCT = """\
import torch

turn = torch.eye(3).unsqueeze(0)
points = torch.rand(10, 3, 7)
print(torch.bmm(turn, points).shape)
"""

QUERY = """\
import torch
from torch import nn

torch.manual_seed(0)
look = nn.MultiheadAttention(8, 2, batch_first=True)
ask, seen = torch.zeros(1, 4, 8), torch.randn(6, 11, 8)
out, _ = look(ask, seen, seen)
print(out.shape)
"""

LOSS = """\
import torch
import torch.nn.functional as F

scores, labels = torch.randn(1, 5, requires_grad=True), torch.rand(8, 5).softmax(1)
print(F.cross_entropy(scores, labels))
"""

TWO = """\
import torch

a, b = torch.rand(2, 3, 4), torch.rand(8, 4, 5)
print(torch.bmm(a, b).shape)
"""

INNER = """\
import torch

a, b = torch.rand(1, 3, 4), torch.rand(8, 5, 4)
print(torch.bmm(a, b).shape)
"""

MASKS = """\
import torch

kinds, each = torch.zeros(1, 3, dtype=torch.long), torch.ones(4, 2, dtype=torch.long)
print(torch.cat([kinds, each], dim=1))
"""

CHANNELS = """\
import torch
import torch.nn.functional as F

grey, kernel = torch.rand(1, 5, 9), torch.rand(4, 3, 3)
print(F.conv1d(grey, kernel).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "one grid": (WARP, ("F.grid_sample(frames, field.expand(frames.size(0), -1, -1, -1), ",)),
        "one topic": (SIDES, ("self.both(topic.expand(x.size(0), -1), x)",)),
        "one matrix": (PRODUCT, ("torch.bmm(turn.expand(points.size(0), -1, -1), points)",)),
        "one query": (QUERY, ("look(ask.expand(seen.size(0), -1, -1), seen, seen)",)),
    },
    refused={
        "one prediction": LOSS,
        "two of eight": TWO,
        "other sizes too": INNER,
        "whole numbers": MASKS,
        "channels of a kernel": CHANNELS,
    },
    wrong={
        "the first sample alone": ("one grid", swap("(frames, field", "(frames[:1], field")),
        "no samples": ("one matrix", swap("turn, points)", "turn, points[:1])")),
        "swallowed": ("one matrix", swallow("print(torch.bmm(turn, points).shape)")),
        "deleted": ("one query", delete("out, _ = look(ask, seen, seen)")),
    },
)
