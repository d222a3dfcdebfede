"""knowledge/repair/printed.py: the shape that an error names may be printed otherwise."""

from __future__ import annotations

import pytest

from knowledge.repair.printed import kept
from tests.built import error

WRONG = error("expected input[3, 1, 8, 8] to have 3 channels, but got 1 channels instead")
SHAPE, MENDED = "torch.Size([3, 1, 8, 8])\n", "torch.Size([1, 3, 8, 8])\n"


@pytest.mark.parametrize(
    ("before", "after", "seen", "is_kept"),
    [
        (SHAPE, SHAPE + "1\n", WRONG, True),
        (SHAPE, MENDED + "1\n", WRONG, True),
        (f"x {SHAPE}2\n", f"x {MENDED}2\n1\n", WRONG, True),
        (f"x {SHAPE}2\n", f"x {MENDED}3\n", WRONG, False),  # what else was printed stays
        (f"x {SHAPE}2\n", MENDED, WRONG, False),
        (SHAPE, "8\n", WRONG, False),  # it is no shape any more
        (SHAPE, MENDED, error("the loss is nan"), False),  # the error named none
        ("torch.Size([4])\n", "torch.Size([5])\n", WRONG, False),  # it named another one
        (SHAPE, MENDED, None, False),
    ],
)
def test_a_wrong_shape_that_was_printed_may_change(before, after, seen, is_kept):
    """A fix has to change it; every other shape and all other output stays."""
    assert bool(kept(before, after, seen)) is is_kept
