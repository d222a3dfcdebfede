"""Slices that go backwards."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

DAYS = """\
import torch
days = torch.arange(5)
print(days[::-1])   # the last first
"""

PART = """\
import torch
scores = torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
top = scores[4:1:-1]
assert top.tolist() == [5.0, 1.0, 4.0]
"""

PICTURE = """\
import torch
picture = torch.rand(2, 3, 4, 4, requires_grad=True)
mirrored = picture[0, :, :, ::-1]   # left and right
mirrored.sum().backward()
print(torch.equal(mirrored[..., 0], picture[0, ..., 3]))
"""

SECOND = """\
import torch
print(torch.arange(7)[::-2])
"""

NAMED = """\
import torch
x = torch.arange(7)
n = 4
print(x[n:0:-1])
"""

CASES = Cases(
    mended={
        "all": (DAYS, "print(days.flip(0))   # the last first"),
        "a part": (PART, "top = scores[2:5].flip(0)"),
        "a picture": (PICTURE, "mirrored = picture[0, :, :, :].flip(2)   # left"),
    },
    refused={"every second": SECOND, "a length that is computed": NAMED},
    wrong={
        "forwards": ("all", swap("[::-1]", "[::1]")),
        "another part": ("a part", swap("scores[4:1:-1]", "scores[1:4].flip(0)")),
        "detach": (
            "a picture",
            swap("picture[0, :, :, ::-1]", "picture.detach()[0, :, :, :].flip(2)"),
        ),
        "swallow": ("all", swallow("print(days[::-1])   # the last first")),
        "leave it out": ("all", delete("print(days[::-1])   # the last first")),
    },
)
