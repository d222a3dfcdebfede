"""knowledge/repair/checks/code/noted_numbers.py: a number that a comment repeats stays."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.noted_numbers import check
from tests.knowledge.repair.checks.code.changed import refused


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        ("h = f(1, 32)  # 32 is right\n", "h = f(1, x.size(0))  # 32 is right\n", False),
        ("# two poolings: 7x7\ny = f(7 * 7)\n", "# two poolings: 7x7\ny = f(5 * 5)\n", False),
        ("y = f(7)  # (7, 8)\n", "y = f(6)  # (7, 8)\n", False),
        # What an error said is not what is meant.
        ("h = f(1, 32)  # RuntimeError: got 32\n", "h = f(1, 16)  # RuntimeError: got 32\n", True),
        ("h = f(1, 32)  # 32 (incorrect)\n", "h = f(1, 16)  # 32 (incorrect)\n", True),
        ("h = f(1, 32)  # an incompatible 32\n", "h = f(1, 16)  # an incompatible 32\n", True),
        # Who assumes it leaves it open.
        ("y = f(5 * 5)  # assuming 5x5 maps\n", "y = f(4 * 4)  # assuming 5x5 maps\n", True),
        ("y = f(5 * 5)  # 5x5 maps\n", "y = f(4 * 4)  # 5x5 maps\n", False),
        ("y = f(32)  # depends on the input: 32\n", "y = f(8)  # depends on the input: 32\n", True),
        # Who works out the size of a layer may miscount.
        ("y = Linear(7 * 7)  # pooled: 7x7\n", "y = Linear(9 * 9)  # pooled: 7x7\n", True),
        ("y = Linear(7 * 7)  # 9x9 -> 7x7\n", "y = Linear(9 * 9)  # 9x9 -> 7x7\n", True),
        ("y = nn.Linear(7)  # 7 inputs\n", "y = nn.Linear(9)  # 7 inputs\n", False),
        ("y = f(7 * 7)  # pooled: 7x7\n", "y = f(9 * 9)  # pooled: 7x7\n", False),
        # Nobody names it, or another line's comment does.
        ("h = f(1, 32)  # the state\n", "h = f(1, 16)  # the state\n", True),
        ("# 32\n\nh = f(1, 32)\n", "# 32\n\nh = f(1, 16)\n", True),
        ("z = 1  # 32\nh = f(1, 32)\n", "z = 1  # 32\nh = f(1, 16)\n", True),
        ("h = f(1, 32)  # 320 x32 32.5 0.32\n", "h = f(1, 16)  # 320 x32 32.5 0.32\n", True),
        # It is still there, once at least.
        ("h = f(32, 4)  # 32\n", "h = f(4, 32)  # 32\n", True),
        ("h = f(32, 32)  # 32\n", "h = f(32, 16)  # 32\n", True),
        # Everybody writes 0 and 1; a float or a truth value is no size.
        ("h = f(1, 0)  # 0 or 1\n", "h = f(x)  # 0 or 1\n", True),
        ("h = f(2, True)  # 2\n", "h = f(2, 7)  # 2\n", True),
        ("h = f(2.0)  # 2\n", "h = f(3.0)  # 2\n", True),
        ("h = f(2)  # 2\n", "h = f(3)  # 2\n", False),
    ],
)
def test_number_that_a_comment_names_stays(old: str, new: str, passes: bool) -> None:
    """Beside the line, or right above it."""
    assert (refused(check, old, new) == "") is passes
