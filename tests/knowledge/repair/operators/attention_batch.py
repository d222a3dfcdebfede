"""attention-batch: a mask for each head of each sample, a query for each sample."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

MASKS = """\
import torch
from torch import nn

torch.manual_seed(0)
attend = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(3, 5, 8)
hidden = torch.rand(3, 5, 5) > 0.9
hidden[:, torch.arange(5), torch.arange(5)] = False
out, _ = attend(x, x, x, attn_mask=hidden)
print(out.shape)
"""

QUERY = """\
import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ask = nn.Parameter(torch.randn(1, 2, width))
        self.attend = nn.MultiheadAttention(width, 4, batch_first=True)

    def forward(self, x):
        return self.attend(self.ask, x, x)[0]


torch.manual_seed(0)
print(Pool(16)(torch.randn(6, 9, 16)).shape)
"""

STEPS_FIRST = """\
import torch
from torch import nn

torch.manual_seed(0)
attend = nn.MultiheadAttention(8, 2)
start = nn.Parameter(torch.randn(3, 1, 8))
keys = torch.randn(7, 4, 8)
print(attend(start, keys, keys, need_weights=False)[0].shape)
"""

ALL = """\
import torch
from torch import nn

attend = nn.MultiheadAttention(8, 2, batch_first=True)
x, mask = torch.randn(3, 5, 8), torch.zeros(4, 4).bool()
print(attend(x, x, x, attn_mask=mask)[0].shape)
"""

TWO = """\
import torch
from torch import nn

attend = nn.MultiheadAttention(8, 2, batch_first=True)
query, keys = torch.randn(2, 5, 8), torch.randn(3, 5, 8)
print(attend(query, keys, keys)[0].shape)
"""

CASES = Cases(
    mended={},
    paired={
        "masks": (MASKS, ("attn_mask=hidden.repeat_interleave(2, dim=0)",)),
        "a learned query": (QUERY, ("self.ask.expand(x.shape[0], -1, -1), x, x",)),
        "steps first": (STEPS_FIRST, ("attend(start.expand(-1, keys.shape[1], -1), keys",)),
    },
    refused={"other steps": ALL, "two batches": TWO},
    wrong={
        "heads of other samples": ("masks", swap("=hidden", "=hidden.repeat(2, 1, 1)")),
        "no mask": ("masks", swap(", attn_mask=hidden", "")),
        "one sample": ("a learned query", swap("(self.ask, x, x)", "(self.ask, x[:1], x[:1])")),
        "swallowed": ("masks", swallow("out, _ = attend(x, x, x, attn_mask=hidden)")),
        "deleted": ("masks", delete("out, _ = attend(x, x, x, attn_mask=hidden)")),
    },
)
