"""knowledge/repair/toolkit/imports.py: imports that come, move and go."""

from __future__ import annotations

import pytest

from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.imports import without_import


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("from a import x, y\ny()\n", "from a import y\ny()\n"),
        ("from a import y, x\ny()\n", "from a import y\ny()\n"),
        ("from a import x\nprint(1)\n", "print(1)\n"),
        ("from a import x as z, y\ny(x=1, x2=2)\n", "from a import y\ny(x=1, x2=2)\n"),
        ("from a import x, y\nx(y)\n", None),  # it is used
        ("from a import x as z, y\nz(y)\n", None),
        ("from a import x, y\n__all__ = ['x']\n", None),  # it is handed on
        ("from b import x, y\ny()\n", None),  # of another module
        ("from a import *\n", None),
    ],
)
def test_a_name_that_nothing_uses_goes_from_its_import(code: str, left: str | None):
    """One row for each condition."""
    module = without_import(Program(code), "a", "x")

    assert (module.code if module is not None else None) == left
