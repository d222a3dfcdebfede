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

CASES = Cases(
    mended={
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
    refused={"in a list": MEMBER, "Python's max": LARGER},
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
