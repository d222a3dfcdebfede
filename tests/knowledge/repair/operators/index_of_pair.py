"""index-of-pair: the values of what `max` gives are indexed, not the pair."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

TARGETS = """\
import torch

torch.manual_seed(0)
q = torch.rand(5, 3)
rewards = torch.rand(5)
best = torch.max(q, dim=1)
target = torch.zeros(5)
for j in range(5):
    target[j] = rewards[j] + 0.9 * best[j]
print(target)
"""

SORTED = """\
import torch

scores = torch.tensor([[3.0, 1.0], [2.0, 5.0], [4.0, 0.0]])
ranked = scores.sort(dim=1)
largest = torch.zeros(3, 2)
for row in range(3):
    largest[row] = ranked[row]
print(largest)
"""

IN_A_FUNCTION = """\
import torch


def filled(scores):
    top = scores.topk(1, dim=1)
    out = torch.zeros(len(scores), 1)
    for n in range(len(scores)):
        out[n] = top[n]
    return out


print(filled(torch.rand(4, 3)))
"""

EITHER = """\
import torch

q = torch.rand(5, 3)
best = torch.max(q, dim=1)
values, places = best
target = torch.zeros(5)
for j in range(5):
    target[j] = best[j]
print(target, values, places)
"""

A_NUMBER = """\
import torch

q = torch.rand(5, 3)
best = torch.max(q, dim=1)
target = torch.zeros(5)
target[0] = best[0]
print(target)
"""

CASES = Cases(
    mended={},
    paired={
        "targets": (TARGETS, ("best = torch.max(q, dim=1).values",)),
        "sorted": (SORTED, ("ranked = scores.sort(dim=1).values",)),
        "in a function": (IN_A_FUNCTION, ("top = scores.topk(1, dim=1).values",)),
    },
    refused={"the pair is used too": EITHER, "one of the two": A_NUMBER},
    wrong={
        "places": ("targets", swap("torch.max(q, dim=1)", "torch.max(q, dim=1).indices")),
        "without it": ("targets", swap(" + 0.9 * best[j]", "")),
        "swallowed": ("sorted", swallow("largest[row] = ranked[row]")),
        "left out": ("in a function", delete("out[n] = top[n]")),
    },
)
