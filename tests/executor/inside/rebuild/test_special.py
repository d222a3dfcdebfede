"""executor/inside/rebuild/special.py: the files that a snippet reads."""

from __future__ import annotations

import pytest

from executor.inside.rebuild.special import written
from executor.inside.rebuild.trial import Outcome
from tests.executor.inside.rebuild.test_judge import posted

STACK = "stack expects each tensor to be equal size, but got [3, 5, 7] at entry 0 and [1, 5, 6] " \
    "at entry 1"  # fmt: skip
FOUR = "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"


@pytest.mark.parametrize(
    ("path", "message", "before", "made"),
    [
        ("a.png", "m", 0, "new('RGB', (32, 32)).save('a.png')"),
        ("a.png", STACK, 0, "new('RGB', (7, 5)).save('a.png')"),
        ("a.png", STACK, 1, "new('L', (6, 5)).save('a.png')"),  # they take turns
        ("a.png", FOUR, 0, "new('RGBA', (32, 32)).save('a.png')"),
        ("./in/a.png", "m", 0, "makedirs('in', exist_ok=True) or __import__('PIL.Image')"),
        ("../a.png", "m", 0, ""),  # outside of the run's folder
        ("/data/a.png", "m", 0, ""),
        ("a.xyz", "m", 0, ""),
    ],
)
def test_a_file_is_written_as_its_suffix_and_the_message_say(
    path: str, message: str, before: int, made: str
):
    """Nothing for a path or a kind that is not known."""
    statement = written(path, Outcome(), posted(message), before)
    assert made in statement
    assert bool(statement) is bool(made)
