"""knowledge/repair/checks/runs/stated_values.py: printed numbers are those of the comments."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.runs.stated_values import check
from tests.built import failed, ran
from tests.knowledge.repair.checks.runs.looked import tried


@pytest.mark.parametrize(
    ("code", "before", "after", "passes"),
    [
        ("print(y)  # tensor([2, 2])", "", "tensor([2, 2])\n", True),
        ("print(y)  # tensor([2, 2])", "", "tensor([0, 2])\n", False),
        ("print(y)  # Output: [[1, 2], [3, 4]].", "", "[[1, 2], [3, 5]]\n", False),
        ("print(y)  # Output: [[1, 2], [3, 4]]", "", "tensor([[1, 2],\n        [3, 4]])\n", True),
        ("print(y)  # [tensor([1, 2]), tensor([3])]", "", "[[1, 2], [3]]\n", True),
        ("print(y)  # [tensor([1, 2]), tensor([3])]", "", "[[1, 2, 3]]\n", False),
        ("print(y)  # [1, 2]", "", "tensor([1, 2], dtype=torch.int32)\n", True),
        # It was printed before the error.
        ("print(y)  # [1, 2]", "[1, 2]\n", "", True),
        # Fractions are rounded, numbers drawn are others, sentences are no values.
        ("print(y)  # tensor([2., 2.])", "", "tensor([1., 2.])\n", True),
        ("y = torch.randn(2)\nprint(y)  # tensor([2, 2])", "", "tensor([0, 2])\n", True),
        ("y = nn.Linear(1, 2)(x)\nprint(y)  # tensor([2, 2])", "", "tensor([0, 2])\n", True),
        ("print(y)  # [2, 2], for example", "", "[0, 2]\n", True),
        ("print(y)  # the rows [2, 2]", "", "[0, 2]\n", True),
        ("print(y)  # [2, 2", "", "[0, 2]\n", True),
        ("y = x  # [2, 2]", "", "[0, 2]\n", True),
    ],
)
def test_whole_numbers_that_a_comment_states_are_printed(
    code: str, before: str, after: str, passes: bool
):
    """The comment is all that the person says of the result."""
    asked = tried(original=code, before=failed("no", stdout=before), ran_after=ran(stdout=after))
    assert check(asked).passed is passes
