"""All or any, two tensors compared, two models compared, and masks joined by a word."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WHILE = """\
import torch
errors = torch.tensor([4.0, 1.0])
while errors > 0.5:   # too large
    errors = errors / 2
print(errors)
"""

NOT = """\
import torch
weights = torch.tensor([0.2, 0.3])
def warn(values):
    if not values < 0.25:
        return "large"
    return "small"
print(warn(weights))
"""

EQUAL = """\
import torch
expected = torch.arange(3)
found = torch.tensor([0, 1, 2])
assert found == expected   # the same
print("fine")
"""

STATES = """\
import torch
from torch import nn
net, twin = nn.Linear(2, 2), nn.Linear(2, 2)
twin.load_state_dict(net.state_dict())
print("copied:", net.state_dict() == twin.state_dict())   # all of it
"""

MASKS = """\
import torch
x = torch.linspace(0, 1, 5)
inner = (x > 0.2) and (x < 0.8)
print(x[inner])
"""

MEMBER = """\
import torch
seen = [torch.ones(2), torch.zeros(2)]
print(torch.zeros(2) in seen)
"""

LARGER = """\
import torch
print(max(torch.tensor([1, 5]), torch.tensor([4, 2])))
"""

AND_OR = """\
import torch
from torch import nn


def shrink(x, first):
    return first and x or x[:, ::2]   # as it comes


print(shrink(torch.rand(2, 4), True).shape)
"""

OR_MADE = """\
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(5, 2)

    def forward(self, x, state=None):
        state = state or torch.zeros(len(x), 2)
        return torch.tanh(self.step(torch.cat([x, state], 1)))


cell, x = Cell(), torch.rand(4, 3)
print(cell(x, cell(x)).shape)
"""

OPTION = """\
import torch
from torch import nn


def weighed(values, weights=None):
    weights = weights or torch.ones(3)   # all alike
    return (values * weights).sum()


print(weighed(torch.rand(3), torch.rand(3)))
"""

TWO_TESTS = """\
import torch
from torch import nn

x, y = torch.rand(3), torch.rand(3)
print((x > 0.5 or y > 0.5) and "some")
"""

CASES = Cases(
    mended={
        "one of two": (AND_OR, "return x if first else x[:, ::2]   # as"),
        "a state that may be missing": (
            OR_MADE,
            "state = torch.zeros(len(x), 2) if state is None else state",
        ),
        "weights that may be missing": (
            OPTION,
            "weights = torch.ones(3) if weights is None else weights   # all",
        ),
        "equal": (EQUAL, "assert torch.equal(found, expected)   # the same"),
        "two models": (
            STATES,
            "all(torch.equal(a, b) for a, b in zip(net.state_dict().values(), "
            "twin.state_dict().values()))",
        ),
        "masks": (MASKS, "inner = (x > 0.2) & (x < 0.8)"),
    },
    paired={
        "a loop": (WHILE, ("while (errors > 0.5).all():   # too", "while (errors > 0.5).any():")),
        "not": (NOT, ("if not (values < 0.25).all():", "if not (values < 0.25).any():")),
    },
    refused={"two questions": TWO_TESTS, "in a list": MEMBER, "Python's max": LARGER},
    wrong={
        "only the first": ("equal", swap("found == expected", "bool((found == expected)[0])")),
        "leave it out": ("equal", delete("assert found == expected   # the same")),
        "swallow": ("equal", swallow("assert found == expected   # the same")),
        "only the first element": ("a loop", swap("errors > 0.5:", "errors[0] > 0.5:")),
        "is there anything": (
            "two models",
            swap("net.state_dict() == twin.state_dict()", "bool(net.state_dict())"),
        ),
    },
)
