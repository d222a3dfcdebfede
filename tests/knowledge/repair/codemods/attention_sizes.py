"""attention-sizes: batch_first where batch and length are exchanged, or the tokens' own width."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

CROSS = """\
import torch
from torch import nn

question, page = torch.rand(4, 2, 8), torch.rand(4, 7, 8)
attention = nn.MultiheadAttention(8, 2)  # look up
found, _ = attention(question, page, page)
found.sum().backward()
"""

CAUSAL = """\
import torch
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
words = torch.rand(3, 5, 8)
mask = nn.Transformer.generate_square_subsequent_mask(5)
print(layer(words, src_mask=mask).shape)
"""

WIDTH = """\
import torch
from torch import nn

width = 16
layer = nn.TransformerEncoderLayer(d_model=width, nhead=2, batch_first=True)
print(layer(torch.rand(3, 5, 12)).shape)
"""

HEADS = """\
import torch
from torch import nn

layer = nn.MultiheadAttention(16, 4, batch_first=True)
x = torch.rand(3, 5, 10)
print(layer(x, x, x)[0].shape)
"""

ANOTHER_MASK = """\
import torch
from torch import nn

layer = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.rand(3, 5, 8)
print(layer(x, x, x, attn_mask=torch.zeros(6, 6))[0].shape)
"""

IN_A_MODEL = """\
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.ask = nn.Parameter(torch.randn(1, 2, 6))
        self.pool = nn.MultiheadAttention(6, 1, dropout=0.0)   # two questions
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        seen, _ = self.pool(self.ask.expand(len(x), -1, -1), x, x)
        return self.out(seen.mean(1))


Model()(torch.rand(8, 5, 6)).sum().backward()
"""

NORMED = """\
import torch
from torch import nn


class Cross(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.look, self.norm = nn.MultiheadAttention(dim, 2), nn.LayerNorm(dim)

    def forward(self, asked, text):
        return self.look(self.norm(asked), text, text)[0]


print(Cross(8)(torch.randn(5, 3, 8), torch.randn(5, 11, 8)).shape)
"""

DOUBLED = """\
import torch
from torch import nn

attention = nn.MultiheadAttention(embed_dim=12, num_heads=3)
asked, places = torch.randn(4, 2, 12), torch.randn(4, 9, 12)
found, shares = attention(2 * asked, places, places)
print(found.shape, shares.shape)   # one row a query
"""

TIME_FIRST = """\
import torch
from torch import nn

look = nn.MultiheadAttention(8, 2)
words = torch.randn(7, 5, 8)
print(look(torch.randn(3, 4, 8) + 1, words, words)[0].shape)
"""

CASES = Cases(
    mended={
        "queries of its own": (IN_A_MODEL, "dropout=0.0, batch_first=True)   # two"),
        "queries that are normed": (NORMED, "nn.MultiheadAttention(dim, 2, batch_first=True)"),
        "queries that are computed": (DOUBLED, "num_heads=3, batch_first=True)"),
        "another length": (CROSS, "nn.MultiheadAttention(8, 2, batch_first=True)  # look up"),
        "a mask over the words": (CAUSAL, "dim_feedforward=16, batch_first=True)"),
        "wider tokens": (WIDTH, "width = 12\n"),
    },
    refused={
        "heads that do not fit": HEADS,
        "a mask of another length": ANOTHER_MASK,
        "another batch": TIME_FIRST,
    },
    wrong={
        "no mask": ("a mask over the words", swap("layer(words, src_mask=mask)", "layer(words)")),
        "cut": ("wider tokens", swap("torch.rand(3, 5, 12))", "torch.rand(3, 5, 12)[..., :8])")),
        "reshape": (
            "another length",
            swap("(question, page, page)", "(question, page.reshape(4, 2, -1)[..., :8], page)"),
        ),
        "detach": (
            "another length",
            swap("attention(question, page, page)", "attention(page.detach(), page, page)"),
        ),
        "swallow it": ("another length", swallow("found.sum().backward()")),
        "delete it": ("another length", delete("found.sum().backward()")),
    },
)
