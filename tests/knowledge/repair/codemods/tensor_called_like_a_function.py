"""Brackets of the wrong kind."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ELEMENT = """\
import torch
board = torch.arange(9).reshape(3, 3)
middle = board(1, 1)   # one field
print(middle)
"""

SHAPE = """\
import torch
from torch import nn

class Flat(nn.Module):
    def forward(self, x):
        return x.view(x.shape(0), -1)   # one row a sample

print(Flat()(torch.randn(2, 3, 4)).shape)
"""

SIZE = """\
import torch
words = torch.randn(5, 2)
for i in range(words.size[0]):   # five
    print(words[i].sum())
"""

TURNED = """\
import torch
a = torch.arange(6.0).reshape(2, 3)
print(a @ a.T())   # 2 x 2
"""

NAMED_ALIKE = """\
import torch
from torch import nn
loss = nn.MSELoss()
for _ in range(2):
    loss = loss(torch.ones(3), torch.zeros(3))
print(loss)
"""

OUTSIDE = """\
import torch
x = torch.ones(2, 2)
print(x(4, 1))
"""

CASES = Cases(
    mended={
        "an element": (ELEMENT, "middle = board[1, 1]   # one field"),
        "a shape": (SHAPE, "x.view(x.shape[0], -1)   # one row"),
        "a size": (SIZE, "range(words.size(0)):   # five"),
        "a property": (TURNED, "print(a @ a.T)   # 2 x 2"),
    },
    refused={"one name for two": NAMED_ALIKE, "no such element": OUTSIDE},
    wrong={
        "another element": ("an element", swap("board(1, 1)", "board[0, 0]")),
        "the whole": ("an element", swap("board(1, 1)", "board")),
        "a number": ("a shape", swap("x.shape(0)", "2")),
        "not turned": ("a property", swap("a @ a.T()", "a @ a.reshape(3, 2)")),
        "swallow": ("a property", swallow("print(a @ a.T())   # 2 x 2")),
        "leave it out": ("a size", delete("print(words[i].sum())")),
    },
)
