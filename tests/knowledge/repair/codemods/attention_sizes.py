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

CASES = Cases(
    mended={
        "another length": (CROSS, "nn.MultiheadAttention(8, 2, batch_first=True)  # look up"),
        "a mask over the words": (CAUSAL, "dim_feedforward=16, batch_first=True)"),
        "wider tokens": (WIDTH, "width = 12\n"),
    },
    refused={"heads that do not fit": HEADS, "a mask of another length": ANOTHER_MASK},
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
