"""knowledge/repair/mistake.py and verify.removed: which of several mistakes a change removes."""

from __future__ import annotations

import pytest

from executor.protocol import JobResult
from knowledge.repair.mistake import (
    NO_MISTAKE,
    Mistake,
    findings_left,
    leaves_less,
    only,
    without_what_is_shown,
)
from knowledge.repair.verify import removed
from tests.built import caught, error, failed, found, noted, ran

A, B = found("one_class"), found("loss_broadcasts")
SIZES = "sizes 3 and 4 do not match"


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        (ran(findings=(A, B)), ran(findings=(B,)), {A.kind}),
        (ran(findings=(A, B)), ran(), {A.kind, B.kind}),
        (ran(findings=(A,)), ran(findings=(A,)), set()),
        (ran(findings=(A,)), ran(findings=(found(A.kind, "v"),)), {A.kind}),
        (ran(findings=(A, noted("curious"))), ran(), {A.kind}),  # a fact is no mistake
        (failed(SIZES), ran(), {"error"}),
        (failed(SIZES), failed(SIZES.replace("3", "5")), set()),  # the same, numbers aside
        (failed(SIZES), failed("another"), {"error"}),
        (failed(SIZES, findings=(A,)), ran(findings=(A,)), {"error"}),
        (ran(caught=(caught(SIZES),)), ran(), {"error"}),
    ],
)
def test_what_a_change_removes(before: JobResult, after: JobResult, gone: set[str]):
    """What the run showed before and does not show afterwards."""
    told = removed(before, after)

    names = {kind for kind, _ in told.findings} | ({"error"} if told.error is not None else set())
    assert names == gone


@pytest.mark.parametrize(
    ("run", "kinds"),
    [
        (ran(), []),
        (ran(findings=(noted("curious"),)), []),
        (ran(findings=(B, A)), [B.kind, A.kind]),
        (ran(findings=(A, found(A.kind, "v"), B)), [A.kind, B.kind]),  # one mistake, two names
    ],
)
def test_what_is_left_is_told_once_a_kind(run: JobResult, kinds: list[str]):
    """In the order of the run."""
    assert [f.kind for f in findings_left(run)] == kinds


@pytest.mark.parametrize(
    ("after", "than", "less"),
    [
        (ran(), ran(findings=(A,)), True),
        (ran(findings=(B,)), ran(findings=(A, B)), True),
        (ran(findings=(A, B)), ran(findings=(A, B)), False),
        (ran(findings=(B,)), ran(findings=(A,)), False),  # another one
        (failed(SIZES), ran(findings=(A,)), False),
        (ran(caught=(caught(SIZES),)), ran(findings=(A,)), False),
    ],
)
def test_less_is_left(after: JobResult, than: JobResult, less: bool):
    """A part of the findings, and no error."""
    assert leaves_less(after, than) is less


def test_a_run_with_one_of_its_mistakes():
    """Whoever is asked about it sees no finding of another one."""
    run = ran(findings=(A, B, noted("curious")))

    one = only(run, Mistake(None, frozenset({(B.kind, B.name)})))
    assert one.findings == (B,) and one.outcome is run.outcome
    assert only(run, NO_MISTAKE).findings == ()
    assert only(failed(SIZES, findings=(A,)), Mistake(error(SIZES), frozenset())).findings == ()


@pytest.mark.parametrize(
    ("code", "kind", "is_left"),
    [
        ("class NetWithSoftmax:\n", "softmax_before_cross_entropy", False),
        ("def with_softmax(x):\n", "softmax_before_cross_entropy", False),
        ('print("loss with softmax", loss)\n', "softmax_before_cross_entropy", False),
        ('print("loss with softmax", loss)\n', "sigmoid_before_bce_with_logits", True),
        ("x = softmax(x)  # softmax\n", "softmax_before_cross_entropy", True),
        ('f("softmax")\n', "softmax_before_cross_entropy", True),
        ("print(x)  # 'softmax'\n", "softmax_before_cross_entropy", True),
        ("class NetWithSoftmax:\n", "never_moved", True),
    ],
)
def test_what_the_code_says_that_it_shows_is_not_found_later(
    code: str, kind: str, is_left: bool
) -> None:
    """Its name or its label says so; what the first run found is another matter."""
    after = ran(findings=(found(kind),))

    assert bool(without_what_is_shown(after, failed("no"), code).findings) is is_left
    assert without_what_is_shown(after, after, code).findings
