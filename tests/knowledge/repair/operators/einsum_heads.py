"""einsum-heads: a letter for the heads, of each of which the product is its own."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SCORES = """\
import torch

torch.manual_seed(0)
q, k = torch.randn(2, 6, 12).view(2, 6, 3, 4), torch.randn(2, 6, 12).view(2, 6, 3, 4)
q, k = q.transpose(1, 2), k.transpose(1, 2)
scores = torch.einsum("bqd,bkd->bqk", q, k)
print(scores.shape)
"""

LOOK = """\
import torch
from torch import nn


class Look(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.both = heads, nn.Linear(width, 2 * width)

    def forward(self, x):
        n, t, w = x.shape
        k, v = self.both(x).view(n, t, self.heads, -1).permute(0, 2, 1, 3).chunk(2, -1)
        seen = torch.einsum("nic,njc->nij", k, k).softmax(-1)
        seen = torch.einsum("nij,njc->nic", seen, v)
        return seen.permute(0, 2, 1, 3).reshape(n, t, w)


print(Look(8, 2)(torch.randn(3, 5, 8)).shape)
"""

BACK = """\
import torch

torch.manual_seed(0)
seen, values = torch.rand(2, 3, 5, 5), torch.randn(2, 3, 5, 4)
mixed = torch.einsum('bhk,bkd->bhd', seen, values)
print(mixed.transpose(1, 2).reshape(2, 5, 12).shape)
"""

OPEN = """\
import torch

q, k = torch.randn(2, 6, 3, 4), torch.randn(2, 6, 3, 4)
print(torch.einsum("bqd,bkd->bqk", q, k).shape)
"""

ONE_OF_THEM = """\
import torch

q, k = torch.randn(2, 3, 6, 4), torch.randn(2, 6, 4)
scores = torch.einsum("bqd,bkd->bqk", q, k)
print(scores.transpose(1, 2).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "scores": (SCORES, ('torch.einsum("bhqd,bhkd->bhqk", q, k)',)),
        "one after the other": (LOOK, ('torch.einsum("nhij,nhjc->nhic", seen, v)',)),
        "the letter is taken": (BACK, ("torch.einsum('bahk,bakd->bahd', seen, values)",)),
    },
    refused={"where the heads are is open": OPEN, "one has no heads": ONE_OF_THEM},
    wrong={
        "the first head": ("scores", swap('bqk", q, k)', 'bqk", q[:, 0], k[:, 0])')),
        "the heads are added up": ("scores", swap("bqd,bkd->bqk", "bhqd,bhkd->bqk")),
        "all heads with all": ("scores", swap("bqd,bkd->bqk", "bhqd,bikd->bqk")),
        "swallowed": ("scores", swallow('scores = torch.einsum("bqd,bkd->bqk", q, k)')),
        "deleted": ("scores", delete('scores = torch.einsum("bqd,bkd->bqk", q, k)')),
    },
)
