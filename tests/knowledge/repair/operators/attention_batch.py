"""attention-batch: a mask for each head of each sample."""

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

STEPS_FIRST = """\
import torch
from torch import nn

torch.manual_seed(0)
attend = nn.MultiheadAttention(8, 2)
x = torch.randn(5, 3, 8)
later = torch.rand(3, 5, 5) > 0.95
print(attend(x, x, x, None, False, later)[0].shape)
"""

LAYER = """\
import torch
from torch import nn


class Look(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attend = nn.MultiheadAttention(width, 4, batch_first=True)

    def forward(self, x, mask):
        return self.attend(x, x, x, attn_mask=mask, need_weights=False)[0]


torch.manual_seed(0)
mask = torch.zeros(6, 9, 9).masked_fill(torch.rand(6, 9, 9) > 0.8, -9.0)
print(Look(16)(torch.randn(6, 9, 16), mask).shape)
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
x, mask = torch.randn(3, 5, 8), torch.zeros(4, 5, 5).bool()
print(attend(x, x, x, attn_mask=mask)[0].shape)
"""

CASES = Cases(
    mended={},
    paired={
        "masks": (MASKS, ("attn_mask=hidden.repeat_interleave(2, dim=0)",)),
        "steps first": (STEPS_FIRST, ("later.repeat_interleave(2, dim=0))[0]",)),
        "in a layer": (LAYER, ("attn_mask=mask.repeat_interleave(4, dim=0)",)),
    },
    refused={"other steps": ALL, "masks of other samples": TWO},
    wrong={
        "heads of other samples": ("masks", swap("=hidden", "=hidden.repeat(2, 1, 1)")),
        "no mask": ("masks", swap(", attn_mask=hidden", "")),
        "the first sample's for all": ("masks", swap("=hidden", "=hidden[0]")),
        "swallowed": ("masks", swallow("out, _ = attend(x, x, x, attn_mask=hidden)")),
        "deleted": ("masks", delete("out, _ = attend(x, x, x, attn_mask=hidden)")),
    },
)
