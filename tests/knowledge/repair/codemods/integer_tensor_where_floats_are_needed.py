"""Means, softmaxes and norms of integers."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

MEAN = """\
import torch
ages = torch.tensor([31, 40, 52])
print(ages.mean())   # years
"""

SOFTMAX = """\
import torch
import torch.nn.functional as F
votes = torch.tensor([[1, 2, 3]])
print(F.softmax(votes, dim=1).sum().item())
"""

NORM = """\
import torch
def length(v):
    return torch.linalg.norm(v, dim=-1)
print(length(torch.tensor([[3, 4], [6, 8]])))
"""

MASK = """\
import torch
x = torch.tensor([0.1, 0.7, 0.9])
above = x > 0.5
print(torch.argmax(above))
"""

NOISE = """\
import torch
steps = torch.arange(4)
steps.normal_()
print(steps.shape)
"""

BIT = """\
import torch
x = torch.tensor([1.0, 2.0])
print(x.__and__(torch.tensor([1, 2])))
"""

LIKE_TOKENS = """\
import torch
tokens = torch.tensor([[1, 2, 0], [3, 0, 0]])
scores = torch.rand_like(tokens)   # pretend
print(scores[tokens > 0].shape)
"""

SCORES = """\
import torch
from torch import nn
votes = torch.tensor([[3, 1], [0, 2]])
labels = torch.tensor([0, 1])
print(nn.CrossEntropyLoss()(votes, labels) > 0)
"""

PICKED = """\
import torch
from torch import nn
scores = nn.Linear(4, 2)(torch.ones(8, 4))
picked = scores.argmax(1)
print(nn.BCEWithLogitsLoss()(picked, torch.ones(8)))
"""

HANDED_ON = """\
import torch
from torch import nn
def loss(p, y):
    return nn.BCEWithLogitsLoss()(p, y)
print(loss(nn.Linear(4, 2)(torch.ones(8, 4)).argmax(1), torch.ones(8)))
"""

HOLE = """\
import torch
costs = torch.tensor([[4, 2], [7, 1]])
costs[0, 1] = float("inf")   # no way
print(costs.min(dim=1).values)
"""

KERNEL = """\
import torch
from torch import nn
blur = nn.Conv1d(1, 1, 3, bias=False)
blur.weight.data = torch.tensor([[[1, 2, 1]]])
print(blur(torch.ones(1, 1, 5)).sum() == 12)
"""

BACK = """\
import torch
table = torch.tensor([[1, 2], [4, 6], [0, 1]])
rows = table[torch.tensor([True, False, True])]
middle = torch.mean(rows, dim=1, keepdim=True)
table[torch.tensor([True, False, True])] = rows - middle
print(table)
"""

CASES = Cases(
    mended={
        "a mean": (MEAN, "print(ages.float().mean())   # years"),
        "a softmax": (SOFTMAX, "F.softmax(votes.float(), dim=1)"),
        "a norm": (NORM, "torch.linalg.norm(v.float(), dim=-1)"),
        "a mask": (MASK, "torch.argmax(above.int())"),
        "random numbers": (LIKE_TOKENS, "torch.rand_like(tokens, dtype=torch.float32)   # pretend"),
        "scores of a loss": (SCORES, "votes = torch.tensor([[3, 1], [0, 2]], dtype=torch.float32)"),
        "infinity": (HOLE, "costs = torch.tensor([[4, 2], [7, 1]], dtype=torch.float32)"),
        "a kernel": (KERNEL, "torch.tensor([[[1, 2, 1]]], dtype=torch.float32)"),
        "back into its table": (BACK, "[4, 6], [0, 1]], dtype=torch.float32)"),
    },
    refused={"noise": NOISE, "bits": BIT, "classes": PICKED, "handed on": HANDED_ON},
    wrong={
        "in place": ("a mean", swap("torch.tensor([31, 40, 52])", "torch.zeros(3)")),
        "leave it out": ("a mask", delete("print(torch.argmax(above))")),
        "swallow": ("a softmax", swallow("print(F.softmax(votes, dim=1).sum().item())")),
        "other values": ("a mask", swap("x > 0.5", "x.clamp(max=0.5)")),
    },
)
