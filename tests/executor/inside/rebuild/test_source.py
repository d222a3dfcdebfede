"""executor/inside/rebuild/source.py: the class of methods that stand outside of any."""

from __future__ import annotations

import ast

import pytest

from executor.inside.rebuild.source import header_of

LOOSE = "def forward(self, x):\n    return x\n"
OTHERS = "def forward(self, x):\n    return self.encoder(x)\n"
CLASS = "class Net({bases}):\n    def {method}(self):\n        pass\n"


@pytest.mark.parametrize(
    ("code", "begins"),
    [
        ("x = 1", ""),
        (LOOSE, "Posted("),
        (LOOSE + CLASS.format(bases="nn.Module", method="__init__"), "Net"),
        (LOOSE + CLASS.format(bases="nn.Module", method="forward"), "Net"),  # posted once more
        (OTHERS + CLASS.format(bases="nn.Module", method="forward"), "Posted("),  # of another one
        (LOOSE + CLASS.format(bases="", method="__init__"), "Posted("),  # of another kind
        (LOOSE + 2 * CLASS.format(bases="nn.Module", method="__init__"), "Posted("),  # of which?
    ],
)
def test_loose_methods_are_the_one_posted_classs(code: str, begins: str) -> None:
    """Unless that is no class they could be of: then one is made."""
    header = header_of(ast.parse(code))

    assert header.startswith(begins)
    assert ("(" in header) is begins.endswith("(")
