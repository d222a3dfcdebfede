"""Rows of a table of tests: `make test` takes some of a long one, `make test-all` every one."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from _pytest.mark.structures import ParameterSet


def some(rows: Iterable[object], one_in: int) -> list[ParameterSet]:
    """The rows as parameters; the first of every `one_in` is a quick one, the others `daily`.

    Args:
        rows: a tuple is several parameters, anything else is one.
        one_in: 1 keeps them all.
    """
    found = []
    for n, row in enumerate(rows):
        if isinstance(row, ParameterSet):
            one = row
        else:
            one = pytest.param(*row) if isinstance(row, tuple) else pytest.param(row)
        marks = one.marks if n % one_in == 0 else (*one.marks, pytest.mark.daily)
        found.append(pytest.param(*one.values, marks=marks, id=one.id))
    return found
