"""knowledge/repair/checks/code/undoing.py: a wrong step is left out, not undone."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.undoing import check
from tests.knowledge.repair.checks.code.changed import refused

ADDED = "x = x.unsqueeze(1)\n"


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        ("f(x.unsqueeze(0))\n", "f(x.unsqueeze(0).squeeze(1))\n", False),
        ("f(x.squeeze(0))\n", "f(x.squeeze(0).unsqueeze(1))\n", False),
        ("f(x.t())\n", "f(x.t().T)\n", False),
        ("f(x.permute(0, 2, 1))\n", "f(x.permute(0, 2, 1).transpose(1, 2))\n", False),
        (ADDED + "f(x)\n", ADDED + "f(x.squeeze(1))\n", False),
        # It is left out, or another step comes.
        ("f(x.unsqueeze(0))\n", "f(x)\n", True),
        (ADDED + "f(x)\n", ADDED + "f(x.flatten(1))\n", True),
        (ADDED + "f(x)\n", ADDED + "f(x.unsqueeze(2))\n", True),
        # Another value, or not right above.
        (ADDED + "f(y)\n", ADDED + "f(y.squeeze(1))\n", True),
        (ADDED + "g(x)\nf(x)\n", ADDED + "g(x)\nf(x.squeeze(1))\n", True),
        ("f(x)\n" + ADDED, "f(x.squeeze(1))\n" + ADDED, True),
        ("y, x = x.unsqueeze(1), 1\nf(x)\n", "y, x = x.unsqueeze(1), 1\nf(x.squeeze(1))\n", True),
        # The step is no part of what comes.
        ("f(x.unsqueeze(0))\n", "f(y.squeeze(1))\n", True),
        ("f(x)\n", "f(x, y.squeeze(1))\n", True),
    ],
)
def test_no_step_is_undone_right_behind_it(old: str, new: str, passes: bool):
    """Whoever mends it by hand takes the wrong step away."""
    assert (refused(check, old, new) == "") is passes
