"""Lists, tuples and texts that are joined with something of another kind."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SIZES = """\
import torch
x = torch.ones(2, 3)
sizes = list(x.shape)
print(x.reshape(sizes + (1,)).shape)   # one more
print((x + 1).reshape(sizes + (1,)).shape)
"""

SHAPE = """\
import torch
x = torch.ones(2, 3)
more = [4]
print(torch.zeros(x.shape + more).shape)   # of four channels
"""

LOSS = """\
import torch
loss = torch.tensor(0.5)
print("loss: " + loss.item())   # for the log
"""

OTHER_WAY = """\
import torch
count = 3
label = "4"
print(torch.ones(count + label))
"""

NOTHING = """\
import torch
sizes = [1, 2]
print(torch.ones(sizes + None))
"""

GENERATORS = """\
import torch
from torch import nn

coder, head = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD(coder.parameters() + head.parameters(), lr=0.1)
print(len(optimizer.param_groups[0]["params"]))
"""

IN_A_LIST = """\
import torch
from torch import nn

coder, head = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD([coder.parameters(), head.parameters()], lr=0.1)
print(len(optimizer.param_groups[0]["params"]))
"""

A_NUMBER = """\
numbers = (n for n in range(3))
print(numbers + 1)
"""

CASES = Cases(
    mended={},
    paired={
        "generators": (GENERATORS, ("SGD([*coder.parameters(), *head.parameters()], lr",)),
        "generators in a list": (IN_A_LIST, ("([*coder.parameters(), *head.parameters()], lr",)),
        "sizes, twice": (SIZES, ("print((x + 1).reshape(sizes + [1]).shape)",)),
        "a shape": (SHAPE, ("torch.zeros(x.shape + tuple(more)).shape)   # of",)),
        "a text": (LOSS, ('print("loss: " + str(loss.item()))   # for the log',)),
    },
    refused={
        "a generator and a number": A_NUMBER,
        "a number and a text": OTHER_WAY,
        "nothing": NOTHING,
    },
    wrong={
        "only one of two": (
            "generators",
            swap("coder.parameters() + head.parameters()", "head.parameters()"),
        ),
        "without the last one": ("a shape", swap("x.shape + more", "x.shape")),
        "only the last one": ("a shape", swap("x.shape + more", "more")),
        "swallow": ("a text", swallow('print("loss: " + loss.item())   # for the log')),
        "leave it out": ("a text", delete('print("loss: " + loss.item())   # for the log')),
    },
)
