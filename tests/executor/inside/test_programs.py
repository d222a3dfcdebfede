"""Whole programs as people write them: none that is right is called wrong, and mistakes are named.

They lie in programs/: a line `### name` before each, with the kind that names its mistake. Every
third of them is for `make test`, the others are for each day.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from executor.protocol import JobResult, Outcome
from tests.executor.conftest import House
from tests.rows import some

_PROGRAMS = Path(__file__).parent / "programs"


def programs(pattern: str) -> list[object]:
    """Title and code of each program in these files, as parameters of a test."""
    found = [
        part.partition("\n")[::2]
        for file in sorted(_PROGRAMS.glob(pattern))
        for part in re.split(r"^### ", file.read_text(), flags=re.MULTILINE)[1:]
    ]
    return [*some([pytest.param(title, code, id=title) for title, code in found], 4)]


@pytest.mark.parametrize(("title", "code"), programs("healthy_*.txt"))
def test_a_program_that_is_right_is_not_called_wrong(any_house: House, title: str, code: str):
    """Neither by what its run showed, nor by its text."""
    result = looked_at(any_house, code)

    assert [f.message for f in result.findings if f.mistake] == []
    assert [r.message for r in result.remarks if not r.aside] == []


@pytest.mark.parametrize(("title", "code"), programs("mistakes*.txt"))
def test_a_planted_mistake_is_named(any_house: House, title: str, code: str):
    """First of all that is said, by the kind that stands beside it; or not at all."""
    result = looked_at(any_house, code)
    found = sorted(result.findings, key=lambda f: not f.mistake)
    told = [r for r in result.remarks if not r.aside]
    first = [f.kind for f in found if f.mistake] + [r.kind for r in told] + [f.kind for f in found]

    assert next(iter(first), "nothing") == title.rpartition(": ")[2]


def looked_at(house: House, code: str) -> JobResult:
    """Run a program to its end."""
    result = house.run(code, wall_s=60, remarks=True)
    assert result.outcome is Outcome.OK, result.stderr
    return result
