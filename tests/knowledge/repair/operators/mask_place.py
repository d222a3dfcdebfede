"""mask-place: a mask goes where its shape belongs."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ENCODED = """\
import torch
from torch import nn

torch.manual_seed(0)
words = torch.randn(4, 7, 8)
empty = torch.zeros(4, 7, dtype=torch.bool)
empty[1, 5:] = True
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
reader = nn.TransformerEncoder(layer, 1)
seen = reader(words, empty)
print(seen.shape)
"""

REAL = """\
import torch
from torch import nn

torch.manual_seed(0)
lengths = torch.tensor([6, 3, 5])
words = torch.randn(3, 6, 8)
real = torch.arange(6)[None] < lengths[:, None]
look = nn.MultiheadAttention(8, 2, batch_first=True)
seen, _ = look(words, words, words, attn_mask=real)
print(seen.shape)
"""

NUMBERS = """\
import torch
from torch import nn

torch.manual_seed(0)
words = torch.randn(3, 5, 8)
mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]])


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x, mask):
        return self.layer(x, src_mask=mask).mean(1)


print(Reader()(words, mask).shape)
"""

EITHER = """\
import torch
from torch import nn

words = torch.randn(2, 5, 8)
mask = torch.tensor([[True, True, False, False, False], [False, False, True, True, True]])
look = nn.MultiheadAttention(8, 2, batch_first=True)
print(look(words, words, words, attn_mask=mask)[0].shape)
"""

OF_STEPS = """\
import torch
from torch import nn

words = torch.randn(2, 5, 8)
later = torch.ones(6, 6, dtype=torch.bool).triu(1)
look = nn.MultiheadAttention(8, 2, batch_first=True)
print(look(words, words, words, attn_mask=later)[0].shape)
"""

CASES = Cases(
    mended={},
    paired={
        "by its place": (ENCODED, ("reader(words, src_key_padding_mask=empty)",)),
        "marks the tokens": (REAL, ("words, key_padding_mask=~real)",)),
        "ones for tokens": (NUMBERS, ("self.layer(x, src_key_padding_mask=mask == 0).mean(1)",)),
    },
    refused={"which is marked is open": EITHER, "of the steps": OF_STEPS},
    wrong={
        "no mask": ("by its place", swap("reader(words, empty)", "reader(words)")),
        "the tokens are left out": (
            "marks the tokens",
            swap("attn_mask=real", "key_padding_mask=real[:0]"),
        ),
        "one for all": (
            "by its place",
            swap("reader(words, empty)", "reader(words, torch.zeros(7, 7))"),
        ),
        "swallowed": ("by its place", swallow("seen = reader(words, empty)")),
        "deleted": ("by its place", delete("seen = reader(words, empty)")),
    },
)
