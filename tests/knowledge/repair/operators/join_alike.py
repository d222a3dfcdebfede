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

CASES = Cases(
    mended={},
    paired={
        "sizes, twice": (SIZES, ("print((x + 1).reshape(sizes + [1]).shape)",)),
        "a shape": (SHAPE, ("torch.zeros(x.shape + tuple(more)).shape)   # of",)),
        "a text": (LOSS, ('print("loss: " + str(loss.item()))   # for the log',)),
    },
    refused={"a number and a text": OTHER_WAY, "nothing": NOTHING},
    wrong={
        "without the last one": ("a shape", swap("x.shape + more", "x.shape")),
        "only the last one": ("a shape", swap("x.shape + more", "more")),
        "swallow": ("a text", swallow('print("loss: " + loss.item())   # for the log')),
        "leave it out": ("a text", delete('print("loss: " + loss.item())   # for the log')),
    },
)
