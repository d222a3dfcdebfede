"""knowledge/repair/operator.py: operators are found in their folder, and edits are ranked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
import pytest

from executor.protocol import JobResult
from knowledge.articles.slugs import ARTICLES, slug_of
from knowledge.repair.codemod import Rewrite
from knowledge.repair.operator import (
    MISSING,
    Failure,
    Operator,
    choose,
    load_operators,
)
from knowledge.repair.proposing import edits_of
from tests.built import failed, ran

CODE = "x = make()\ny = x.add_(1) + x\n"


@dataclass
class Dead:
    """A dead frame in which `x` is 3."""

    error: BaseException = field(default_factory=ValueError)
    names: list[dict[str, Any]] = field(default_factory=lambda: [{"x": 3, "torch": None}])
    spans: list[Any] = field(default_factory=lambda: [(2, 4, 2, 17)])

    def value(self, expression: str, frame: int = -1) -> Any:
        return eval(expression, self.names[frame])


class Rules:
    """An operator that gives certain codes."""

    def __init__(self, *codes: tuple[str, float]) -> None:
        self._codes = codes

    def applies(self, result: JobResult) -> bool:
        return "no" not in self._codes

    def edits(self, failure: Failure) -> Iterable[Rewrite]:
        for code, cost in self._codes:
            if code == "raise":
                raise KeyError(code)
            yield Rewrite(cst.parse_module(code), code, cost=cost)


def failure(code: str = CODE) -> Failure:
    return Failure(code, failed("it fails", line=2), Dead())


def test_no_operator_is_called_like_an_article():
    """A fix says whose it is by one name."""
    slugs = {slug_of(path.parent.name) for path in ARTICLES.glob("*/codemod.py")}

    assert load_operators()
    assert not slugs & {operator.slug for operator in load_operators()}


def test_only_an_error_is_for_operators():
    """A run without one has no failing line to look at."""
    operator = Operator("a", Rules())

    assert choose([operator], failed("it fails"))[0] == (operator,)
    assert choose([operator], ran())[0] == ()


def test_the_cheapest_edit_comes_first_and_the_same_code_comes_once():
    """Two operators may find the same edit: the one that is surer of it counts."""
    a = Operator("a", Rules(("x = 2\n", 2.0)))
    b = Operator("b", Rules(("x = 1\n", 1.5), ("x = 2\n", 1.0)))
    proposed = edits_of([a, b], failure())

    assert [(p.code, p.codemod) for p in proposed.proposals] == [("x = 2\n", "b"), ("x = 1\n", "b")]


def test_an_operator_that_raises_silences_no_other():
    """It is named, with what it raised."""
    operators = [Operator("bad", Rules(("raise", 1.0))), Operator("good", Rules(("x = 1\n", 1.0)))]
    proposed = edits_of(operators, failure())

    assert [p.codemod for p in proposed.proposals] == ["good"]
    assert "the operator bad raised in edits(): KeyError" in proposed.problems[0]


def test_the_unchanged_program_is_no_edit():
    assert edits_of([Operator("a", Rules((CODE, 0.1)))], failure()).proposals == ()


@pytest.mark.parametrize(
    ("text", "worth"),
    [("x", 3), ("x * 2", 6), ("y", MISSING), ("x.add_(1)", MISSING), ("(z := x)", MISSING)],
)
def test_a_value_is_read_where_reading_changes_nothing(text: str, worth: object):
    """What writes in place, or binds a name, is not evaluated a second time."""
    asked = failure(f"y = {text}\n")
    node = next(iter(asked.all(cst.Assign))).value

    assert asked.value(node) == worth


def test_the_failing_expression_is_found_by_its_place():
    """The dead frame says which expression raised, on a line with several."""
    asked = failure()

    assert asked.node is not None
    assert asked.text(asked.node) == "x.add_(1) + x"
