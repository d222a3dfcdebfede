"""Padding masks given to transformers that read the batch from dimension 1."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LAYER = """\
import torch
from torch import nn
notes = torch.randn(4, 6, 16)   # 4 songs
silent = torch.zeros(4, 6, dtype=torch.bool)
silent[0, 4:] = True
layer = nn.TransformerEncoderLayer(16, 2)   # small
print(layer(notes, src_key_padding_mask=silent).shape)
"""

ENCODER = """\
import torch
from torch import nn

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d_model=8, nhead=2), num_layers=2
        )
        self.tags = nn.Linear(8, 5)

    def forward(self, ids):
        padding = ids == 0
        return self.tags(self.encoder(self.words(ids), src_key_padding_mask=padding))

print(Tagger()(torch.randint(1, 50, (3, 7))).shape)
"""

ATTENTION = """\
import torch
from torch import nn
attention = nn.MultiheadAttention(4, 1)
x = torch.randn(2, 3, 4)
padding = torch.tensor([[False, False, True], [False, False, False]])
mixed, _ = attention(x, x, x, key_padding_mask=padding)
print(mixed.shape)
"""

STEPS_FIRST = """\
import torch
from torch import nn
attention = nn.MultiheadAttention(4, 1)
steps = torch.randn(5, 2, 4)
padding = torch.zeros(3, 5, dtype=torch.bool)
print(attention(steps, steps, steps, key_padding_mask=padding)[0].shape)
"""

TURNED = """\
import torch
from torch import nn
attention = nn.MultiheadAttention(4, 1, batch_first=True)
x = torch.randn(2, 3, 4)
padding = torch.zeros(3, 2, dtype=torch.bool)
print(attention(x, x, x, key_padding_mask=padding)[0].shape)
"""

CASES = Cases(
    mended={
        "one layer": (LAYER, "nn.TransformerEncoderLayer(16, 2, batch_first=True)   # small"),
        "an encoder": (ENCODER, "nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)"),
        "attention": (ATTENTION, "nn.MultiheadAttention(4, 1, batch_first=True)"),
    },
    refused={"a mask of other samples": STEPS_FIRST, "a turned mask": TURNED},
    wrong={
        "no mask": ("one layer", swap(", src_key_padding_mask=silent", "")),
        "a turned mask": (
            "attention",
            swap("key_padding_mask=padding", "key_padding_mask=padding.T"),
        ),
        "detach": (
            "one layer",
            lambda code: swap("layer(notes,", "layer(notes.detach(),")(
                swap("(16, 2)", "(16, 2, batch_first=True)")(code)
            ),
        ),
        "swallow": ("one layer", swallow("print(layer(notes, src_key_padding_mask=silent).shape)")),
        "leave it out": (
            "attention",
            delete("mixed, _ = attention(x, x, x, key_padding_mask=padding)"),
        ),
    },
)
