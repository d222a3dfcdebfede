"""stack-unequal-sizes: padded or joined, whichever is meant."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

SENTENCES = """\
import torch

sentences = [torch.tensor([4, 2, 7]), torch.tensor([5, 1])]
batch = torch.stack(sentences)  # one a row
print(batch.shape)
"""

VECTORS = """\
import torch

a = torch.rand(4, 3, requires_grad=True)
b = torch.rand(2, 3, requires_grad=True)
both = torch.stack([a, b], dim=0)
both.sum().backward()
"""

LOOP = """\
import torch
from torch.nn.utils.rnn import pad_sequence

walks = [torch.arange(n) for n in (3, 5, 2)]
print(torch.stack(walks).float().mean())
"""

PICTURES = """\
import torch

pictures = [torch.rand(3, 8, 8), torch.rand(3, 9, 8)]
print(torch.stack(pictures).shape)
"""

ELSEWHERE = """\
import torch

rows = [torch.ones(3), torch.ones(4)]
print(torch.stack(rows, dim=1))
"""

PADDED = "pad_sequence(sentences, batch_first=True)  # one a row"

CUT_OFF = """\
import torch

series = torch.arange(7)
width = 3
parts = [series[i * 1 : i * 1 + width] for i in range(len(series))]
print(torch.stack(parts).shape)
"""

NUMBER = """\
import torch

table, bias = torch.rand(4, 3), torch.tensor([0.5])
wide = torch.stack((table, bias), dim=-1)
print(wide.sum() > 0)
"""

ONE_EACH = """\
import torch

marks, points = torch.rand(5), torch.rand(5, 2)
print(torch.stack([marks, points], dim=1).shape[0])
"""

FOOTER = """\
import torch

points, total = torch.rand(5, 2), torch.rand(1, 2)
print(torch.stack([points, total]).shape[1])
"""

BOTH_WAYS = """\
import torch

points, one = torch.rand(5, 2), torch.tensor(1.0)
print(torch.stack([points, one]).sum() > 0)
"""

THREE = """\
import torch

points, one = torch.rand(5, 2), torch.ones(5)
print(torch.stack([points, one, one], dim=1).shape)
"""

DEEP = """\
import torch

maps, one = torch.rand(5, 2, 2), torch.ones(1)
print(torch.stack([maps, one], dim=1).shape)
"""

SHORT = """\
import torch

points, few = torch.rand(5, 2), torch.ones(3)
print(torch.stack([points, few], dim=1).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "one number for a column": (
            NUMBER,
            ("torch.cat((table, bias.expand(table.size(0), 1)), dim=1)",),
        ),
        "a column in front": (ONE_EACH, ("torch.cat([marks.unsqueeze(1), points], dim=1)",)),
        "one more row, or padded": (
            FOOTER,
            ("torch.cat([points, total])", "pad_sequence([points, total]"),
        ),
        "one number for either": (
            BOTH_WAYS,
            ("one.expand(points.size(0), 1)", "one.expand(1, points.size(1))"),
        ),
        "sentences": (SENTENCES, (PADDED, "torch.cat(sentences)  # one a row")),
        "vectors": (VECTORS, ("rnn.pad_sequence([a, b], batch_first=True)", "torch.cat([a, b])")),
        "walks": (LOOP, ("pad_sequence(walks, batch_first=True)", "torch.cat(walks)")),
    },
    refused={
        "three": THREE,
        "maps": DEEP,
        "too few for a column": SHORT,
        "the end of a series": CUT_OFF,
        "pictures": PICTURES,
        "another dimension": ELSEWHERE,
    },
    wrong={
        "the first alone": ("sentences", swap("(sentences)", "(sentences[:1])")),
        "cut to the shortest": ("sentences", swap("(sentences)", "([s[:2] for s in sentences])")),
        "detach": ("vectors", swap("torch.stack([a, b], dim=0)", "torch.cat([a.detach(), b])")),
        "swallow it": ("walks", swallow("print(torch.stack(walks).float().mean())")),
        "not at all": ("sentences", swap("torch.stack(sentences)", "sentences[0]")),
    },
)
