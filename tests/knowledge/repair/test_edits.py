"""knowledge/repair/edits.py: which of the edits that pass every check is believed."""

from __future__ import annotations

import pytest

from executor.protocol import Backward, Fingerprint, JobResult, Values
from knowledge.repair import edits
from knowledge.repair.codemod import Proposal
from knowledge.repair.edits import Tried, chosen, do_the_same
from knowledge.repair.fix import Fix
from knowledge.repair.judge import Step
from knowledge.repair.operator import Operator
from tests.built import failed, ran


def mark(norm: float, dtype: str = "float32") -> Fingerprint:
    return Fingerprint(shape=(2,), dtype=dtype, norm=norm, projections=(norm,))


def run(stdout: str = "", **tensors: Fingerprint) -> JobResult:
    return ran(stdout=stdout, values=Values(tensors=tensors))


def tried(cost: float, result: JobResult, intent: str = "", slug: str = "trusted") -> Tried:
    code = f"x = {cost}{intent}\n"
    proposal = Proposal(codemod=slug, title=code, intent=intent, cost=cost, code=code)
    operator = Operator(slug, None)  # type: ignore[arg-type]
    fix = Fix(
        codemod=slug, intent=intent, diff="", code=code, verified=True, checks=(), result=None
    )
    return Tried(Step(operator, proposal, failed("it fails"), None), fix, result)


@pytest.fixture(autouse=True)
def records(monkeypatch: pytest.MonkeyPatch) -> None:
    """One operator that has a good record, and others that nobody has read."""
    grades = {"trusted": "verified"}
    monkeypatch.setattr(edits, "grade_of", lambda slug: grades.get(slug, "alternative"))


A, B = run("1\n", x=mark(1.0)), run("2\n", x=mark(2.0))


@pytest.mark.parametrize(
    ("passed", "offered"),
    [
        ([], []),
        ([tried(1.0, A, "a")], [("x = 1.0a\n", "")]),  # nothing else passed: nothing to suppose
        ([tried(1.2, A), tried(1.0, A)], [("x = 1.0\n", "")]),  # the same: the cheaper one
        ([tried(1.0, A), tried(1.5, B)], [("x = 1.0\n", "")]),  # the other costs clearly more
        ([tried(1.0, A), tried(1.2, B)], []),  # which is meant nobody says
        ([tried(1.0, A, "a"), tried(1.2, B)], []),
        (
            [tried(1.0, A, "a"), tried(1.2, B, "b")],
            [("x = 1.0a\n", "a"), ("x = 1.2b\n", "b")],
        ),
        # Another meaning is another edit, even where this program cannot tell them apart.
        (
            [tried(1.0, A, "a"), tried(1.2, A, "b")],
            [("x = 1.0a\n", "a"), ("x = 1.2b\n", "b")],
        ),
        ([tried(1.0 + n / 100, run(str(n)), str(n)) for n in range(4)], []),  # too many
        ([tried(1.0, A, "a", "unread")], [("x = 1.0a\n", "a")]),
    ],
)
def test_edits_that_tie_are_alternatives_or_nothing(passed, offered):
    """One row for each way to end."""
    assert [(t.fix.code, t.fix.intent) for t in chosen(passed)] == offered


def test_what_an_earlier_step_supposed_is_still_said() -> None:
    """The only edit of a later step supposes nothing more."""
    one = tried(1.0, A, "b")
    later = Tried(one.step, one.fix.model_copy(update={"intent": "a; b"}), one.run)

    assert [t.fix.intent for t in chosen([later])] == ["a"]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (run("1\n", x=mark(1.0)), True),
        (run("2\n", x=mark(1.0)), False),  # it prints another value
        (run("1\n", x=mark(2.0)), False),  # it leaves another tensor
        (run("1\n", x=mark(1.0, "float64")), False),  # in another precision
        (run("1\n", y=mark(1.0)), False),
        (ran(stdout="1\n"), False),  # its values are not known
    ],
)
def test_the_same_is_what_is_printed_and_what_is_left(other: JobResult, same: bool):
    """Two edits of the same behaviour are one."""
    assert do_the_same(A, other) is same


def test_other_gradients_are_another_behaviour():
    """Two losses may print the same and train another way."""

    def trained(norm: float) -> JobResult:
        backward = Backward(line=1, loss=None, grads=(mark(norm),))
        return ran(values=Values(backwards=(backward,)))

    assert do_the_same(trained(1.0), trained(1.0))
    assert not do_the_same(trained(1.0), trained(2.0))
