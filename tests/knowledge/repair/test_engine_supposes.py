"""knowledge/repair/engine.py: a fix that takes something for granted is not called the fix."""

from __future__ import annotations

from typing import Any

import pytest

from executor.protocol import Finding, JobResult
from knowledge.repair.fix import Fix
from knowledge.repair.judge import Step, is_decided, supposes
from tests.built import failed, found, noted, ran
from tests.knowledge.repair.test_engine import (
    BEFORE,
    FIXED,
    NEXT,
    VALUES,
    A,
    codemod,
    proposal,
    repaired,
)

NAN = ran(stdout="1\ntensor([nan, 2.])\n", values=VALUES)


@pytest.mark.parametrize(
    ("code", "more", "after", "is_the_fix"),
    [
        ("x", {}, FIXED, True),
        ("x", {"supposes": True}, FIXED, False),
        ("x\nprint(x)  # 2", {"supposes": True}, FIXED, True),  # what the code states comes out
        ("x\nprint(x)  # 3", {"supposes": True}, FIXED, False),
        ("x", {}, NAN, False),  # it runs, and what comes out is no number
        ("float('nan'); x", {}, NAN, True),  # which the code is about
        ("x", {}, ran(stdout="1\nbanana nan.\n", values=VALUES), False),
        ("x", {}, ran(stdout="1\nnanny a.nan\n", values=VALUES), True),
    ],
)
async def test_what_is_taken_for_granted_is_an_alternative(
    code: str, more: dict[str, Any], after: Any, is_the_fix: bool
) -> None:
    """Unless the code states what then comes out."""
    result, _ = await repaired({code: after}, {"a": [proposal(code, **more)]})

    offered = (result.fix,) if result.fix is not None else result.alternatives
    assert [fix.code for fix in offered] == [code]
    assert (result.fix is not None) is is_the_fix


async def test_it_stays_taken_for_granted_in_a_later_step() -> None:
    """A second step that supposes nothing does not settle the first one."""
    code, half, whole = "a\n-\nb\n", "A\n-\nb\n", "A\n-\nB\n"
    runs: dict[object, Any] = {half: NEXT, whole: FIXED, "a\n-\nB\n": BEFORE}
    steps = {code: [proposal(half, supposes=True)], half: [proposal(whole, "b")]}

    result, _ = await repaired(runs, steps, code=code)

    assert result.fix is None and [fix.code for fix in result.alternatives] == [whole]


@pytest.mark.parametrize(
    ("half", "whole", "kind", "it_does"),
    [
        ("A\n-\n", "B\n-\n", "AttributeError", True),
        ("A\n-\n", "B\n-\n", "RuntimeError", False),
        ("a\n=\n", "B\n=\n", "AttributeError", False),  # the name was put right elsewhere
        ("A\n-\n", "A\n=\n", "AttributeError", False),  # so was what it takes
    ],
)
def test_a_line_that_called_what_is_not_there_and_gave_it_what_it_does_not_take(
    half: str, whole: str, kind: str, it_does: bool
) -> None:
    """It may make no sense at all."""
    runs = [failed(A, line=1, type=kind), failed("another error", line=1)]
    way = [
        Step(codemod("a"), proposal(code), run, None)
        for code, run in zip((half, whole), runs, strict=True)
    ]
    fix = Fix(codemod="a", title="", diff="", code=whole, verified=True, checks=(), result=FIXED)

    assert supposes(way, fix, "a\n-\n") is it_does


def by_text(kind: str) -> Finding:
    """A mistake that only the text shows."""
    return found(kind, program_wide=True).model_copy(update={"by_text": True})


@pytest.mark.parametrize(
    ("before", "after", "intent"),
    [
        ((by_text(A),), (), "this is a slip"),  # no probe has seen anything
        ((by_text(A), found("no_gradient")), (), ""),  # a probe saw it, and sees it no more
        ((by_text(A), found("b")), (found("b"),), "this is a slip"),  # and still there
        ((by_text(A), noted("graph_kept")), (), "this is a slip"),  # a note is no mistake
        ((by_text(A), by_text("b")), (), "this is a slip"),
        ((by_text(A), noted("unused_parameters")), (), ""),  # what stood still gets a gradient
    ],
)
async def test_what_only_the_text_shows_is_decided_by_what_a_probe_saw(
    before: tuple[Finding, ...], after: tuple[Finding, ...], intent: str
) -> None:
    """Then it is the fix, and supposes nothing; else it is an alternative."""
    one = proposal("x", by_text=True, intent="this is a slip")
    run = ran(findings=before, trained=True, moved=("w",), values=VALUES)
    mended = ran(findings=after, trained=True, moved=("w",), values=VALUES)

    result, _ = await repaired({"x": mended, "a": run}, {"a": [one]}, before=run)

    offered = (result.fix,) if result.fix is not None else result.alternatives
    assert [f.intent for f in offered] == [intent]
    assert (result.fix is not None) is (intent == "")


@pytest.mark.parametrize(
    ("before", "after", "decided"),
    [
        (ran(findings=(by_text(A),), witnessed=(A,)), ran(), True),
        (ran(findings=(by_text(A),), witnessed=(A,)), ran(witnessed=(A,)), False),  # still there
        (ran(findings=(by_text(A),), witnessed=("b",)), ran(), False),  # of another thing
        (ran(findings=(by_text(A),), witnessed=(A,)), ran(findings=(by_text(A),)), False),
        (ran(findings=(by_text(A),)), ran(), False),
    ],
)
def test_what_a_run_witnessed_decides_what_the_text_says(
    before: JobResult, after: JobResult, decided: bool
) -> None:
    """The very thing was there, and is gone in both."""
    assert is_decided(before, after) is decided


SHOWS = "class NetWithSoftmax: a"
LEFT = ran(stdout="1\n2\n", findings=(found("softmax_before_cross_entropy"),), values=VALUES)


@pytest.mark.parametrize(
    ("code", "is_left"), [(SHOWS, True), (SHOWS.replace("Softmax", "Scores"), False)]
)
async def test_what_the_code_shows_is_left_where_an_error_is_mended(
    code: str, is_left: bool
) -> None:
    """And is said to be left; what it does not show is mended along with the error."""
    steps = {code: [proposal("x")], "x": [proposal("y", "c")]}
    runs: dict[object, Any] = {"x": LEFT, "y": FIXED}
    codemods = (codemod("a"), codemod("c", "softmax_before_cross_entropy"))

    result, _ = await repaired(runs, steps, codemods=codemods, before=BEFORE, code=code)

    assert result.fix is not None
    assert result.fix.code == ("x" if is_left else "y")


@pytest.mark.parametrize(("witnessed", "code"), [((), "x"), (("b",), "y")])
async def test_what_is_left_is_mended_along_with_a_fix_only_where_a_run_decides(
    witnessed: tuple[str, ...], code: str
) -> None:
    """A second mistake that only the text shows is said to be left."""
    first = failed(A, values=VALUES, stdout="1\n")
    left = ran(
        stdout="1\n2\n", findings=(by_text("b"),), values=VALUES, trained=True, moved=("w",),
        witnessed=witnessed,
    )  # fmt: skip
    whole = ran(stdout="1\n2\n", values=VALUES, trained=True, moved=("w",))
    steps = {"a": [proposal("x")], "x": [proposal("y", "c", by_text=True, intent="a slip")]}
    runs: dict[object, Any] = {"x": left, "y": whole}

    result, _ = await repaired(
        runs, steps, codemods=(codemod("a"), codemod("c", "b")), before=first
    )

    assert result.fix is not None and result.fix.code == code
