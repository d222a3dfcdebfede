"""at-indices: what topk found is written and read along its dimension."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

MARKED = """\
import torch

torch.manual_seed(0)
scores = torch.rand(3, 8)
best = scores.topk(2, dim=1).indices
chosen = torch.zeros(3, 8)
chosen[best] = 1.0
print(chosen.sum())
"""

READ = """\
import torch


def tokens_of(probabilities, vocabulary):
    order = probabilities.argsort(dim=-1, descending=True)
    return vocabulary[order]


torch.manual_seed(0)
table = torch.arange(10, 22).reshape(2, 6)
print(tokens_of(torch.rand(2, 6), table))
"""

MEMORY = """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, experts, kept):
        super().__init__()
        self.kept = kept
        self.score = nn.Linear(4, experts)

    def forward(self, x):
        scores = self.score(x)
        values, experts = torch.topk(scores, self.kept, dim=-1)
        weights = torch.zeros(x.shape[0], scores.shape[1])
        weights[experts] = values.softmax(-1)
        return weights


print(Gate(6, 2)(torch.rand(3, 4)).sum(1))
"""

ROW = """\
import torch

table = torch.zeros(3, 4)
table[torch.tensor([5])] = 1.0
"""

BEYOND = """\
import torch

table = torch.zeros(2, 3)
table[torch.tensor([[4], [9]])] = 1.0
"""

CASES = Cases(
    mended={},
    paired={
        "the best of each row marked": (MARKED, ("chosen.scatter_(1, best, 1.0)",)),
        "what stands there in order": (READ, ("vocabulary.gather(1, order)",)),
        "a gate's weights": (MEMORY, ("weights.scatter_(1, experts, values.softmax(-1))",)),
    },
    refused={"a row that is not there": ROW, "places beyond the end": BEYOND},
    wrong={
        "swallowed": ("the best of each row marked", swallow("chosen[best] = 1.0")),
        "deleted": ("the best of each row marked", delete("chosen[best] = 1.0")),
        "thrown away": (
            "the best of each row marked",
            swap("chosen[best] = 1.0", "chosen.scatter(1, best, 1.0)"),
        ),
        "wrapped around": ("the best of each row marked", swap("[best]", "[best % 3]")),
    },
)
