"""A shape that a comment says is printed is printed: `print(y.shape)  # torch.Size([4, 5])`."""

from __future__ import annotations

from knowledge.repair.check import Check
from knowledge.repair.checks.runs import Tried
from knowledge.repair.stated import is_printed, stated_shapes


def check(tried: Tried) -> Check:
    """Every such shape that the snippet's comments state is among what the fix prints."""
    for shape in stated_shapes(tried.original):
        if not is_printed(shape, tried.after.stdout):
            detail = f"a comment says that {shape} is printed, and it is not"
            return Check(name="stated shapes", passed=False, detail=detail)
    return Check(name="stated shapes", passed=True, detail="shapes are as the comments say")
