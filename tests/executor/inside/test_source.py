"""Facts about executor/inside/probes/source.py: which line of a snippet makes what."""

from __future__ import annotations

import ast

import pytest

from executor.inside.probes.source import attribute_lines


@pytest.mark.parametrize(
    ("line", "assigned", "made"),
    [
        ("self.net = nn.Linear(2, 1)", 3, 3),
        ("self.net: nn.Module = nn.Linear(2, 1)", 3, 3),
        ("self.net = net", 3, None),  # it was made where it came from
        ("self.net = nets[0]", 3, None),
        ("self.net = other.net", 3, None),
        ("pass", None, None),
    ],
)
def test_what_only_gets_a_name_is_not_made_there(
    line: str, assigned: int | None, made: int | None
) -> None:
    tree = ast.parse(f"class Net:\n    def __init__(self, net, nets, other):\n        {line}\n")

    assert attribute_lines(tree).get(("Net", "net")) == assigned
    assert attribute_lines(tree, made=True).get(("Net", "net")) == made


def test_what_is_assigned_from_outside_too_has_no_line() -> None:
    tree = ast.parse("class Net:\n    def __init__(self):\n        self.fc = f()\nn.fc = g()\n")

    assert attribute_lines(tree) == {}
