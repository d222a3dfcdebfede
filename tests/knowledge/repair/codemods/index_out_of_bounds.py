"""Indices that are one too far, and single values that are indexed."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NUMBER = """\
import torch
picture = torch.ones(6, 5, 3)
for y in range(6):
    for c in range(4):   # colours
        picture[y, 0, c] *= 2
print(picture.sum())
"""

TURNED = """\
import torch
points = torch.tensor([[0, 1, 2], [5, 6, 7]])   # rows, columns
names = torch.tensor([10, 11, 12])
found = {}
for i in range(len(names)):
    found[names[i].item()] = points[i]
print(found)
"""

NEXT = """\
import torch
heights = torch.tensor([1.0, 3.0, 2.0])
steps = torch.zeros(2)
for i in range(len(heights)):   # each to the next
    step = heights[i + 1] - heights[i]
    steps[i] = step
print(steps)
"""

LOSS = """\
import torch
net = torch.nn.Linear(2, 1)
loss = net(torch.randn(4, 2)).square().mean()
loss.backward()
print("loss", loss.data[0])   # a number
"""

FIXED = """\
import torch
rows = torch.randn(2, 3)
print(rows[:, 5])
"""

OTHER = """\
import torch
rewards = torch.tensor([10.0])
action = torch.tensor([0.1, 0.9]).argmax()
print(rewards[action])
"""

CASES = Cases(
    mended={
        "a number": (NUMBER, "for c in range(picture.shape[2]):   # colours"),
        "the other dimension": (TURNED, "= points[:, i]\n"),
        "the next one": (NEXT, "for i in range(len(heights) - 1):   # each to the next"),
        "a loss": (LOSS, 'print("loss", loss.item())   # a number'),
    },
    refused={"a number of theirs": FIXED, "an action without reward": OTHER},
    wrong={
        "once more from the start": ("a number", swap("[y, 0, c]", "[y, 0, c % 3]")),
        "the last again": ("the next one", swap("heights[i + 1]", "heights[min(i + 1, 2)]")),
        "never": ("a number", swap("range(4):   # colours", "range(0):   # colours")),
        "only some": ("the other dimension", swap("points[i]", "points[i % 2]")),
        "swallow": ("a number", swallow("picture[y, 0, c] *= 2")),
        "leave it out": ("a loss", delete('print("loss", loss.data[0])   # a number')),
    },
)
