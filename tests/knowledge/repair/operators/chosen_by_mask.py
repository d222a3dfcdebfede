"""chosen-by-mask: the condition chooses, not the places that nonzero gives."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

STEPS = """\
import torch

torch.manual_seed(0)
marks = torch.tensor([[3, 1, 0], [0, 7, 1], [1, 2, 2]])
states = torch.rand(3, 3, 5)
places = torch.nonzero(marks == 1)
print(places.shape)
print(states.gather(1, places).shape)
"""

ROWS = """\
import torch

torch.manual_seed(1)


def of_the_old(people, age):
    old = age > 60
    rows = old.nonzero()
    return torch.index_select(people, 0, rows)


print(of_the_old(torch.randn(6, 4), torch.tensor([20, 70, 64, 12, 90, 33])).shape)
"""

INLINE = """\
import torch

torch.manual_seed(2)
scores = torch.rand(4, 3, 2)
valid = scores.sum(-1) > 1
best = torch.take_along_dim(scores, torch.argwhere(valid), dim=1)
print(best.mean())
"""

OTHER_SIZE = """\
import torch

marks = torch.tensor([[3, 1], [0, 7], [1, 2]])
states = torch.rand(5, 2, 5)
places = torch.nonzero(marks == 1)
print(states.gather(1, places).shape)
"""

NUMBERS = """\
import torch

weights = torch.tensor([[0.0, 1.5], [2.5, 0.0]])
states = torch.rand(2, 2, 5)
places = torch.nonzero(weights)
print(states.gather(1, places).shape)
"""

NO_PLACES = """\
import torch

states = torch.rand(3, 3, 5)
order = torch.rand(3, 3).argsort(1)
print(states.gather(1, order).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "of a table": (STEPS, ("print(states[marks == 1].shape)",)),
        "of rows": (ROWS, ("return people[old]",)),
        "in the call": (INLINE, ("best = scores[valid]",)),
    },
    refused={"another size": OTHER_SIZE, "of numbers": NUMBERS},
    wrong={
        "the rows alone": (
            "of a table",
            swap("gather(1, places)", "gather(1, places[:0, :, None])"),
        ),
        "swallowed": ("of rows", swallow("return torch.index_select(people, 0, rows)")),
        "left out": ("in the call", delete("print(best.mean())")),
        "something else": ("of rows", swap("torch.index_select(people, 0, rows)", "people * 0")),
        "all": (
            "in the call",
            swap("torch.take_along_dim(scores, torch.argwhere(valid), dim=1)", "scores"),
        ),
    },
)
