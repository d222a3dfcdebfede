"""embedding-index-out-of-range: as many rows as the indices that can be seen ask for."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

SENTENCE = """\
import torch
from torch import nn

words = torch.tensor([[1, 4, 9], [2, 2, 12]])
embed = nn.Embedding(12, 4)  # vocabulary
print(embed(words).shape)
"""

MODEL = """\
import torch
from torch import nn

vocabulary = 50


class Tagger(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, ids):
        return self.out(self.embed(ids))


model = Tagger(vocabulary)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randint(0, 60, (16, 20))).square().mean().backward()
    optimizer.step()
"""

LAST = """\
import torch
from torch import nn

positions = torch.arange(32)
table = nn.Embedding(num_embeddings=31, embedding_dim=6)
print(table(positions).mean())
"""

NEGATIVE = """\
import torch
from torch import nn

ids = torch.tensor([3, -1, 2])
print(nn.Embedding(5, 2)(ids))
"""

UNSEEN = """\
import torch
from torch import nn

text = "to be or not to be" * 5
ids = torch.tensor([ord(c) for c in text])
embed = nn.Embedding(100, 2)
print(embed(ids).shape)
"""

LOADED = """\
import torch
from torch import nn

embed = nn.Embedding(4, 2)
embed.load_state_dict({"weight": torch.ones(4, 2)})
print(embed(torch.tensor([1, 4])))
"""

UNKNOWN = """\
import torch
from torch import nn

embed = nn.Embedding(100, 2)
print(embed(torch.tensor([5, 99, 7001])).shape)
"""

CASES = Cases(
    mended={
        "a sentence": (SENTENCE, "nn.Embedding(13, 4)  # vocabulary"),
        "a model": (MODEL, "vocabulary = 60"),
        "one too few": (LAST, "num_embeddings=32"),
    },
    refused={
        "a negative index": NEGATIVE,
        "not to be seen": UNSEEN,
        "a checkpoint": LOADED,
        "an odd one": UNKNOWN,
    },
    wrong={
        "clamp": ("a sentence", swap("embed(words)", "embed(words.clamp(max=11))")),
        "wrap around": ("a sentence", swap("embed(words)", "embed(words % 12)")),
        "leave it out": (
            "a model",
            swap("self.embed(ids)", "ids.float().unsqueeze(-1).repeat(1, 1, 8)"),
        ),
        "detach": (
            "a model",
            lambda code: swap("self.embed(ids)", "self.embed(ids).detach()")(
                swap("vocabulary = 50", "vocabulary = 60")(code)
            ),
        ),
        "only the known ones": ("one too few", swap("table(positions)", "table(positions[:31])")),
        "swallow it": ("a sentence", swallow("print(embed(words).shape)")),
    },
)
