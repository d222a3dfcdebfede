"""knowledge/repair/verify.py: one row for each way to pass a check and for each way to fail it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.protocol import (
    Caught,
    Cut,
    Environment,
    ErrorSeen,
    Frame,
    JobResult,
    Layer,
    ModuleCall,
    Outcome,
    Variable,
)
from knowledge.repair import verify
from knowledge.repair.codemod import Check, Codemod, Proposal
from knowledge.repair.mistake import Mistake, mistake
from tests.built import caught, error, failed, found, noted, ran, warned

# -- what a run shows to be wrong ------------------------------------------------------------

SIZES = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"
OTHER_SIZES = SIZES.replace("(3)", "(512)").replace("(4)", "(10)")
NO_GRAD = "element 0 of tensors does not require grad and does not have a grad_fn"

PYTORCHS = caught(SIZES, line=2)
SECOND = caught(NO_GRAD, line=3)
PYTHONS = caught("No module named 'apex'", "ModuleNotFoundError", origin="python")
SNIPPETS = caught("use 32", "ValueError", origin="raise")


@pytest.mark.parametrize(
    ("run", "wrong"),
    [
        (ran(), None),
        (ran(caught=(PYTORCHS,)), PYTORCHS),
        (ran(caught=(PYTHONS,)), None),  # `try: import apex` is how programs are written
        (ran(caught=(SNIPPETS,)), None),
        (ran(caught=(PYTHONS, PYTORCHS, SECOND)), PYTORCHS),  # the first one
        (failed(SIZES), error(SIZES)),
        (failed(NO_GRAD, caught=(PYTORCHS,)), error(NO_GRAD)),  # the one that ended it comes first
        # Raised while handling another one: that one is the mistake.
        (failed("it failed", origin="raise", masks=NO_GRAD, caught=(PYTORCHS, SECOND)), SECOND),
        # PyTorch itself raised the second one: it counts.
        (
            failed("oh", origin="torch", masks=SIZES, caught=(PYTORCHS,)),
            error("oh", origin="torch", masks=SIZES),
        ),
        # What was masked is none of PyTorch's.
        (
            failed("it failed", origin="raise", masks="use 32", caught=(SNIPPETS,)),
            error("it failed", origin="raise", masks="use 32"),
        ),
        # It masks nothing.
        (
            failed("it failed", origin="raise", caught=(caught(""),)),
            error("it failed", origin="raise"),
        ),
    ],
)
def test_which_error_is_the_mistake(run: JobResult, wrong: ErrorSeen | Caught | None):
    """The one that ended the run, or that its handler masked; else the first that was caught."""
    assert mistake(run).error == wrong
    assert mistake(run).is_there is (wrong is not None)


@pytest.mark.parametrize(
    ("run", "provoked"),
    [
        (failed(NO_GRAD, caught=(PYTORCHS, PYTHONS)), (PYTORCHS, PYTHONS)),
        (ran(caught=(PYTORCHS,)), ()),  # caught is the mistake itself
        (failed("oh", masks=SIZES, caught=(PYTORCHS,)), ()),  # so is what the handler stumbled over
    ],
)
def test_what_was_caught_before_the_mistake(run: JobResult, provoked: tuple[Caught, ...]):
    """Only an error of its own at the end makes what was caught before it intended."""
    assert mistake(run).provoked == provoked


def test_a_finding_that_is_a_mistake():
    """It makes a run wrong that ended well; a note beside it does not."""
    wrong = mistake(ran(findings=(found("never_moved"), noted("curious"))))

    assert wrong.findings == {("never_moved", "w")}
    assert wrong.error is None and wrong.is_there


def test_a_finding_that_is_a_note():
    """Facts worth knowing do not make a run wrong: the finding says so, not its kind."""
    assert not mistake(ran(findings=(noted("never_moved"),))).is_there


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (error(SIZES), error(OTHER_SIZES), True),
        (error(SIZES), caught(SIZES, line=9), True),
        (error(SIZES), error(SIZES, "ValueError"), False),
        (error(SIZES), error(NO_GRAD), False),
        (error(SIZES), None, False),
        (None, error(SIZES), False),
        (None, None, True),
        (error("x" * 120 + "a"), error("x" * 120 + "b"), True),  # the rest is detail
        (error("x" * 119 + "a"), error("x" * 119 + "b"), False),
        (error("1" + "x" * 118 + "a"), error("1" + "x" * 118 + "b"), False),
    ],
)
def test_the_same_error(a: ErrorSeen | Caught | None, b: ErrorSeen | Caught | None, same: bool):
    """The type and the message's beginning count; numbers do not."""
    assert verify.same_error(a, b) is same


DETACHED = found("never_moved", "w")
KIND = ("never_moved", "w")


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        (failed(SIZES), ran(), Mistake(error(SIZES), frozenset())),
        (failed(SIZES), failed(NO_GRAD), Mistake(error(SIZES), frozenset())),
        (failed(SIZES), failed(OTHER_SIZES), Mistake(None, frozenset())),  # it is there still
        (failed(SIZES), ran(caught=(PYTORCHS,)), Mistake(None, frozenset())),
        (ran(), failed(SIZES), Mistake(None, frozenset())),  # it was not there
        (
            ran(findings=(DETACHED, found("one_class"))),
            ran(findings=(found("one_class"),)),
            Mistake(None, frozenset({KIND})),
        ),
        (
            failed(SIZES, caught=(SECOND,), findings=(DETACHED,)),
            ran(),
            Mistake(error(SIZES), frozenset({KIND}), (SECOND,)),
        ),
    ],
)
def test_what_a_rewrite_removes(before: JobResult, after: JobResult, wrong: Mistake):
    """The part of the mistake that its run does not show; what was provoked stays intended."""
    assert verify.removed(before, after) == wrong


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (failed(SIZES), ran(), False),
        (failed(SIZES), failed(SIZES), True),
        (failed(SIZES), failed("quite another error"), True),  # nothing that one would offer
        (failed(SIZES), ran(outcome=Outcome.TIMEOUT), True),
        (failed(SIZES), ran(caught=(caught(OTHER_SIZES),)), True),  # swallowed, not removed
        (failed(SIZES), ran(caught=(caught(NO_GRAD),)), False),  # another matter
        (failed(SIZES), ran(findings=(DETACHED,)), False),
        (ran(findings=(DETACHED,)), ran(findings=(DETACHED,)), True),
        (ran(findings=(DETACHED,)), ran(findings=(found("never_moved", "other"),)), False),
        (ran(findings=(DETACHED,)), ran(findings=(found("zero_gradient", "w"),)), False),
        (ran(findings=(DETACHED,)), ran(caught=(PYTORCHS,)), False),
        # Provoked and caught before the mistake: it may stay, but not come once more …
        (failed(OTHER_SIZES, caught=(PYTORCHS,)), ran(caught=(PYTORCHS,)), False),
        (failed(OTHER_SIZES, caught=(PYTORCHS,)), ran(caught=(PYTORCHS, PYTORCHS)), True),
        # … nor at another expression.
        (failed(OTHER_SIZES, caught=(PYTORCHS,)), ran(caught=(caught(SIZES, code="c + d"),)), True),
    ],
)
def test_whether_a_run_shows_a_mistake(before: JobResult, after: JobResult, shown: bool):
    """It ends badly, catches the mistake's error, or has one of its findings."""
    assert verify.shows(after, mistake(before)) is shown


# -- whether a rewrite has got past the mistake ----------------------------------------------

SAME_DTYPE = "mat1 and mat2 must have the same dtype, but got Double and Float"
SCALAR_TYPE = "expected scalar type Float but found Double"
NOT_IMPLEMENTED = "\"addmm_impl_cpu_\" not implemented for 'Half'"
CANNOT_MULTIPLY = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
RNN_INPUT = "input.size(-1) must be equal to input_size. Expected 4, got 2"
RNN_STATE = "Expected hidden size (1, 2, 3), got [1, 2, 4]"
CONV_DIM = "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [8, 8]"
CONV_CHANNELS = (
    "Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 2, 8, 8] to have 3 channels, "
    "but got 2 channels instead"
)
NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
LAYER = Layer(name="", type="Linear", repr="", line=1, input=None, dtype=None)


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        (failed(SIZES), failed(SIZES), False),
        (failed(SIZES), failed(OTHER_SIZES), False),  # a wrong rewrite fails with other numbers
        (failed(SIZES), failed(SIZES, code="net(x)"), True),  # at another expression
        (failed(SIZES), failed(SIZES, "ValueError"), True),
        (failed(SIZES), failed(SIZES, layer=LAYER.model_copy(update={"name": "self.fc"})), True),
        (failed(SIZES), failed(SIZES, layer=LAYER), False),  # which one cannot be said
        (failed(SIZES), ran(), False),  # nothing is left: that is a fix, no next mistake
        (failed(SIZES), ran(findings=(DETACHED,)), True),  # now what it learns can be seen
        (failed(SIZES), ran(findings=(noted("curious"),)), False),
        (failed(SIZES), ran(outcome=Outcome.TIMEOUT, findings=(DETACHED,)), False),
        (ran(findings=(DETACHED,)), failed(SIZES), False),  # from bad to worse
        (ran(findings=(DETACHED,)), ran(findings=(found("zero_gradient"),)), False),
        # What had been printed must be printed still.
        (failed(SIZES, stdout="1\n"), failed(SIZES, code="b", stdout="1\n2\n"), True),
        (failed(SIZES, stdout="1\n"), failed(SIZES, code="b", stdout="2\n"), False),
        # The same expression looks at the dtype before the sizes.
        (failed(SAME_DTYPE), failed(CANNOT_MULTIPLY), True),
        (failed(SCALAR_TYPE), failed(CANNOT_MULTIPLY), True),
        (failed(NOT_IMPLEMENTED), failed(CANNOT_MULTIPLY), True),
        (failed(CANNOT_MULTIPLY), failed(SAME_DTYPE), False),
        (failed(SAME_DTYPE), failed(SAME_DTYPE), False),
        (failed(SAME_DTYPE), failed(NOT_IMPLEMENTED), False),
        # A recurrent layer looks at its input before its state.
        (failed(RNN_INPUT), failed(RNN_STATE), True),
        (failed(RNN_STATE), failed(RNN_INPUT), False),
        (failed(RNN_INPUT), failed(RNN_INPUT), False),
        (failed(RNN_INPUT), failed(NO_GRAD), False),
        (failed(NO_GRAD), failed(RNN_STATE), False),
        # A convolution looks at its dimensions, then at its channels, then at its dtype.
        (failed(CONV_DIM), failed(CONV_CHANNELS), True),
        (failed(CONV_DIM), failed(SCALAR_TYPE), True),
        (failed(CONV_CHANNELS), failed(SCALAR_TYPE), True),
        (failed(CONV_CHANNELS), failed(CONV_DIM), False),
        (failed(CONV_DIM), failed(RNN_STATE), False),
        # backward() looks for a graph, then for a single number.
        (failed(NO_GRAD, code="loss.backward()"), failed(NOT_SCALAR, code="loss.backward()"), True),
        (
            failed(NO_GRAD, code="torch.autograd.grad(loss, w)"),
            failed(NOT_SCALAR, code="torch.autograd.grad(loss, w)"),
            True,
        ),
        (failed(NO_GRAD, code="loss.backward()"), failed(NO_GRAD, code="loss.backward()"), False),
        (failed(NO_GRAD, code="loss.item()"), failed(NOT_SCALAR, code="loss.item()"), False),
        (failed(NO_GRAD, code="grad + 1"), failed(NOT_SCALAR, code="grad + 1"), False),
    ],
)
def test_whether_a_rewrite_shows_the_next_mistake(before: JobResult, after: JobResult, moved: bool):
    """The failing expression tells; where it is the same, what PyTorch looks at first."""
    assert verify.moved_on(before, after, "", "") is moved


def at(line: int | None, outer: int | None = None) -> JobResult:
    """The same error on some line, called from another one."""
    frames = () if outer is None else (Frame(function="<module>", line=outer),)
    return failed(SIZES, line=line, code="f(x)", frames=frames)


BRANCHES = "def g(a, b):\n    if a:\n        f(a)\n    else:\n        f(b)\nh(1)\n"
LOOPS = "def g(a, b):\n    f(a)\n    for b in a:\n\n        f(b)\nh(1)\n"
TWICE = "f(x)\na = 1\nf(x)\n"


@pytest.mark.parametrize(
    ("before", "after", "old", "new", "moved"),
    [
        # The line was rewritten, and the same expression further down fails.
        (at(1), at(3), TWICE, "f(x.T)\na = 1\nf(x)\n", True),
        (at(1), at(1), TWICE, "f(x.T)\na = 1\nf(x)\n", False),
        (at(3), at(1), TWICE, "f(x)\na = 1\nf(x.T)\n", False),
        # It was rewritten as two lines: failing at the second of them is no step further.
        (at(1), at(2), TWICE, "x = x.t()\nf(x.T)\na = 1\nf(x)\n", False),
        (at(1), at(4), TWICE, "x = x.t()\nf(x.T)\na = 1\nf(x)\n", True),
        # Another line was rewritten; the failing one moved down with it.
        (at(3), at(4), TWICE, "b = 2\nf(x)\na = 1\nf(x)\n", False),
        (at(1), at(2), TWICE, "b = 2\nf(x)\na = 1\nf(x)\n", False),
        (at(1), at(4), TWICE, "b = 2\nf(x)\na = 1\nf(x)\n", True),
        (at(2), at(3), "a = 1\nf(x)\nf(x)\n", "a = 2\nf(x)\nf(x)\n", True),
        # Where it failed is not known.
        (at(None), at(3), TWICE, "f(x.T)\na = 1\nf(x)\n", False),
        (at(None), at(3), TWICE, "f(x)\na = 2\nf(x)\n", False),
        (at(1), at(None), TWICE, "f(x.T)\na = 1\nf(x)\n", False),
        (at(1, 2), at(None, 3), "f(x)\ng(1)\ng(2)\n", "f(x)\ng(9)\ng(2)\n", False),
        # The same line of a function, which a later line of the snippet calls now.
        (at(1, 2), at(1, 3), "f(x)\ng(1)\ng(2)\n", "f(x)\ng(9)\ng(2)\n", True),
        (at(1, 3), at(1, 2), "f(x)\ng(1)\ng(2)\n", "f(x)\ng(1)\ng(9)\n", False),
        (at(1, 2), at(1, 2), "f(x)\ng(1)\ng(2)\n", "f(x)\ng(1)\ng(9)\n", False),
        # A line was put in before it: the call is the same one.
        (at(1, 2), at(1, 3), "f(x)\ng(1)\n", "f(x)\nb = 2\ng(1)\n", False),
        (at(1, 2), at(2, 4), "f(x)\ng(1)\ng(2)\n", "b = 2\nf(x)\ng(1)\ng(2)\n", True),
        # The line that calls now is new: where it stood is not known.
        (at(1, 2), at(1, 3), "f(x)\ng(1)\n", "f(x)\ng(1)\ng(2)\n", False),
        # The outermost frame of several is the snippet's own line.
        (
            at(1).model_copy(
                update={"frames": (Frame(function="<module>", line=2), Frame(function="g", line=1))}
            ),
            at(1).model_copy(
                update={"frames": (Frame(function="<module>", line=3), Frame(function="g", line=1))}
            ),
            "f(x)\ng(1)\ng(2)\n",
            "f(x)\ng(9)\ng(2)\n",
            True,
        ),
        # A later line of the snippet leads to a line that was rewritten.
        (at(3, 2), at(1, 4), "f(x)\ng(1)\ng(2)\ng(3)\n", "f(y)\ng(1)\ng(2)\ng(3)\n", True),
        (at(3, 3), at(1, 2), "f(x)\ng(1)\ng(2)\ng(3)\n", "f(y)\ng(1)\ng(2)\ng(3)\n", False),
        # In another call of the function its other branch fails.
        (at(5, 6), at(3, 6), BRANCHES, BRANCHES.replace("f(b)", "f(b.T)"), True),
        (at(5, 6), at(3, 6), BRANCHES, BRANCHES.replace("if a", "if c"), False),
        (at(5, 6), at(3, 6), BRANCHES, BRANCHES.replace("f(b)", "f(b.T)\n"), False),
        (at(5, 5), at(3, 3), BRANCHES, BRANCHES.replace("f(b)", "f(b.T)"), False),
        (at(5, 6), at(None, 6), BRANCHES, BRANCHES.replace("f(b)", "f(b.T)"), False),
        (at(5, 6), at(1, 6), LOOPS, LOOPS.replace("f(b)", "f(b.T)"), False),
        # Without the code nothing can be said.
        (at(1), at(3), "", "", False),
        (at(1, 2), at(1, 3), "", "", False),
    ],
)
def test_whether_the_same_expression_failed_further_down(
    before: JobResult, after: JobResult, old: str, new: str, moved: bool
):
    """A program that makes a mistake twice is mended twice; a wrong rewrite stays where it is."""
    assert verify.moved_on(before, after, old, new) is moved
    assert verify.is_past(before, after, old, new) is moved


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (failed(SAME_DTYPE, line=2), failed(CANNOT_MULTIPLY, line=2)),  # its next complaint
        (failed(SIZES, line=2), failed(SIZES, line=2, code="net(x)")),
        # Without an error on both sides no line is later than another.
        (ran(findings=(DETACHED,)), failed(SIZES, line=3)),
        (failed(SIZES, line=1), ran(findings=(DETACHED,))),
        (ran(), ran()),
    ],
)
def test_what_the_same_line_says_next_is_not_past_it(before: JobResult, after: JobResult):
    """A search that goes on from there would build on a line that may have been mended wrongly."""
    assert not verify.is_past(before, after, TWICE, "f(x)\na = 2\nf(x)\n")


# -- what a candidate's run must show --------------------------------------------------------


def the(name: str, checks: list[Check]) -> Check:
    """The check of this name: it is made once."""
    (check,) = [c for c in checks if c.name == name]
    return check


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (failed(SIZES), ran(), ["no error", "nothing new", "output", "silent mistakes", "batch"]),
        (
            ran(caught=(PYTORCHS,)),
            ran(),
            ["no error", "nothing new", "output", "silent mistakes", "batch"],
        ),
        # A run that went to its end with a wrong result may well print another one now.
        (ran(findings=(DETACHED,)), ran(), ["no error", "nothing new", "silent mistakes", "batch"]),
    ],
)
def test_which_checks_are_made(before: JobResult, after: JobResult, names: list[str]):
    """All of them hold for a run in which nothing is wrong any more."""
    checks = verify.checks(before, after)

    assert [c.name for c in checks] == names
    assert all(c.passed for c in checks)


def test_a_run_whose_probes_said_nothing_verifies_nothing():
    """Without a report every comparison would hold for want of anything to compare."""
    silent = ran(env=Environment())
    checks = verify.checks(failed(SIZES), silent)

    assert the("seen", checks) == Check(
        name="seen", passed=False, detail="what the probes saw of it could not be read"
    )
    assert [c.name for c in checks if not c.passed] == ["seen"]


def shown_at(line: int, **facts: str) -> Caught:
    """An error that the code raises and prints, in a call at this line of the module."""
    trace = f'Traceback\n  File "snippet.py", line {line}, in <module>\n    f(x)\n'
    told = {"origin": "raise", "demonstrated": "printed", "traceback": trace} | facts
    return caught("too many", "ValueError", **told)


RUNS_TO_THE_END = "it runs to the end"


@pytest.mark.parametrize(
    ("before", "after", "passed", "detail"),
    [
        (failed(SIZES), ran(), True, RUNS_TO_THE_END),
        (failed(SIZES), failed(SIZES, line=3), False, "it ends with RuntimeError at line 3"),
        (failed(SIZES), failed("x", "ValueError", line=None), False, "it ends with ValueError"),
        (failed(SIZES), ran(outcome=Outcome.TIMEOUT), False, "it ends with timeout"),
        (
            failed(SIZES),
            ran(cut=Cut(steps=3, seconds=8)),
            False,
            "its training was stopped after 3 steps, when its time was up",
        ),
        (
            ran(findings=(DETACHED,), cut=Cut(steps=3, seconds=8)),
            ran(cut=Cut(steps=4, seconds=8)),
            True,
            "it runs to step 4, where its time was up",
        ),
        (
            failed(SIZES),
            ran(caught=(caught(OTHER_SIZES),)),
            False,
            "the error is still raised, and caught",
        ),
        (
            ran(caught=(PYTORCHS,)),
            ran(caught=(PYTORCHS,)),
            False,
            "the error is still raised, and caught",
        ),
        (failed(OTHER_SIZES, caught=(PYTORCHS,)), ran(caught=(PYTORCHS,)), True, RUNS_TO_THE_END),
        (ran(findings=(DETACHED,)), ran(), True, RUNS_TO_THE_END),
        (
            ran(findings=(DETACHED,)),
            ran(findings=(DETACHED,)),
            False,
            "the probes still find the same mistake",
        ),
        (
            ran(findings=(DETACHED,)),
            ran(findings=(DETACHED, found("one_class"))),
            False,
            "the probes still find the same mistake",
        ),
        # One of two is gone: `silent mistakes` says what that is worth.
        (
            ran(findings=(DETACHED, found("one_class"))),
            ran(findings=(DETACHED,)),
            True,
            RUNS_TO_THE_END,
        ),
        (
            ran(findings=(DETACHED,)),
            ran(findings=(found("never_moved", "v"),)),
            True,
            RUNS_TO_THE_END,
        ),
        # Beside an error, findings are looked at by `silent mistakes` alone.
        (failed(SIZES, findings=(DETACHED,)), ran(findings=(DETACHED,)), True, RUNS_TO_THE_END),
    ],
)
def test_the_error_is_gone(before: JobResult, after: JobResult, passed: bool, detail: str):
    """Neither raised, nor raised and caught, nor, where it was silent, still found."""
    check = the("no error", verify.checks(before, after))

    assert check == Check(name="no error", passed=passed, detail=detail)


@pytest.mark.parametrize(
    ("after", "passed", "detail"),
    [
        (failed("no such file", "OSError"), True, "the error is gone; it stops at line 7"),
        (ran(outcome=Outcome.TIMEOUT), True, "the error is gone; it stops at line 7"),
        (ran(cut=Cut(steps=3, seconds=8)), True, "the error is gone; it stops at line 7"),
        # It was not gone by then: the rewrite swallows it.
        (
            failed("no such file", "OSError", line=7, caught=(caught(OTHER_SIZES),)),
            False,
            "it ends with OSError at line 7",
        ),
    ],
)
def test_a_stop_past_the_mistake_is_no_error_of_the_code(
    after: JobResult, passed: bool, detail: str
):
    """Where it is known why the run stopped, only the mistake itself counts."""
    check = the("no error", verify.checks(failed(SIZES), after, stops="at line 7"))

    assert check == Check(name="no error", passed=passed, detail=detail)


NOTHING_NEW = "no new exception or warning"
MODULE_AT_5 = Frame(function="<module>", line=5)
LONG = "x" * 100


@pytest.mark.parametrize(
    ("before", "after", "passed", "detail"),
    [
        (failed(SIZES), ran(), True, NOTHING_NEW),
        # Exceptions that it catches.
        (
            failed(SIZES),
            ran(caught=(caught(LONG, "ValueError"),)),
            False,
            f"a new ValueError is raised and caught: {'x' * 80}",
        ),
        (
            failed(SIZES, caught=(caught("3 left"),)),
            ran(caught=(caught("4 left"),)),
            True,
            NOTHING_NEW,
        ),
        (
            failed(SIZES, caught=(caught("3 left"),)),
            ran(caught=(caught("3 left", "ValueError"),)),
            False,
            "a new ValueError is raised and caught: 3 left",
        ),
        (failed(SIZES, caught=(PYTORCHS,)), ran(caught=(PYTORCHS,)), True, NOTHING_NEW),
        (
            failed(SIZES, caught=(PYTORCHS,)),
            ran(caught=(PYTORCHS, caught(SIZES, code="c + d"))),
            False,
            f"a new RuntimeError is raised and caught: {SIZES[:80]}",
        ),
        (
            failed(SIZES, caught=(PYTORCHS,)),
            ran(caught=(PYTORCHS, PYTORCHS, caught("3 left", "ValueError"))),
            False,
            "a new ValueError is raised and caught: 3 left",
        ),
        (ran(caught=(PYTORCHS,)), ran(caught=(PYTORCHS, PYTORCHS)), True, NOTHING_NEW),
        # Exception handlers.
        (failed(SIZES), ran(handlers=1), False, "it adds an exception handler"),
        (failed(SIZES, handlers=1), ran(handlers=1), True, NOTHING_NEW),
        (failed(SIZES, handlers=2), ran(handlers=1), True, NOTHING_NEW),
        # Warnings: after an error the run goes further, and may warn where it had not been.
        (failed(SIZES), ran(warnings=(warned("careful"),)), True, NOTHING_NEW),
        (
            ran(findings=(DETACHED,)),
            ran(warnings=(warned(LONG),)),
            False,
            f"a new UserWarning: {'x' * 80}",
        ),
        (
            ran(findings=(DETACHED,), warnings=(warned("3 left"),)),
            ran(warnings=(warned("4 left"),)),
            True,
            NOTHING_NEW,
        ),
        (
            ran(findings=(DETACHED,), warnings=(warned("3 left"),)),
            ran(warnings=(warned("3 left", "FutureWarning"),)),
            False,
            "a new FutureWarning: 3 left",
        ),
        (ran(findings=(DETACHED,), warnings=(warned("3 left"),)), ran(), True, NOTHING_NEW),
        # What the code itself raises, and tells of, in a call below the one that had failed.
        (failed(SIZES, line=3), ran(caught=(shown_at(9),)), True, NOTHING_NEW),
        (
            failed(SIZES, line=3),
            ran(caught=(shown_at(3),)),
            False,
            "a new ValueError is raised and caught: too many",
        ),
        (
            failed(SIZES, line=3),
            ran(caught=(shown_at(9, origin="torch"),)),
            False,
            "a new ValueError is raised and caught: too many",
        ),
        (  # what it calls wrong is wrong still
            failed(SIZES, line=3),
            ran(caught=(shown_at(9, origin="torch", demonstrated="labelled"),)),
            True,
            NOTHING_NEW,
        ),
        (
            failed(SIZES, line=3),
            ran(caught=(shown_at(9, origin="torch", demonstrated="comment"),)),
            True,
            NOTHING_NEW,
        ),
        (  # what had failed is the call, which stands below; its error is a function's, further up
            failed(SIZES, line=1, frames=(MODULE_AT_5, Frame(function="f", line=1))),
            ran(caught=(shown_at(3),)),
            False,
            "a new ValueError is raised and caught: too many",
        ),
        (
            failed(SIZES, line=3),
            ran(caught=(shown_at(9, demonstrated=""),)),
            False,
            "a new ValueError is raised and caught: too many",
        ),
    ],
)
def test_nothing_new_came(before: JobResult, after: JobResult, passed: bool, detail: str):
    """No other exception in the old one's place, no handler, no warning; numbers aside."""
    check = the("nothing new", verify.checks(before, after))

    assert check == Check(name="nothing new", passed=passed, detail=detail)


SHOWN_AFTER_1 = caught(SIZES, stdout_bytes=2)  # "1\n" had been printed when it was raised
IN_UMLAUT = caught(SIZES, stdout_bytes=5)  # cuts the last of three umlauts in two
KIB = 1024


@pytest.mark.parametrize(
    ("before", "after", "passed"),
    [
        (failed(SIZES), ran(), True),
        (failed(SIZES), ran(stdout="2\n"), True),
        (failed(SIZES, stdout="1\n"), ran(stdout="1\n"), True),
        (failed(SIZES, stdout="1\n"), ran(stdout="1\n2\n"), True),  # it goes on from there
        (failed(SIZES, stdout="1\n"), ran(stdout="2\n"), False),  # another value
        (failed(SIZES, stdout="1\n"), ran(), False),  # less
        (failed(SIZES, stdout="1\n"), ran(stdout="0\n1\n"), False),  # something before it
        # An error that was caught: what was printed after it told of the error.
        (ran(caught=(SHOWN_AFTER_1,), stdout="1\nfailed\n"), ran(stdout="1\n2\n"), True),
        (ran(caught=(SHOWN_AFTER_1,), stdout="1\nfailed\n"), ran(stdout="3\n2\n"), False),
        (ran(caught=(IN_UMLAUT,), stdout="äöü"), ran(stdout="äö!"), True),
        (ran(caught=(IN_UMLAUT,), stdout="äöü"), ran(stdout="ä"), False),
        # Where output was dropped, what is left of it is compared no further than its beginning.
        (
            failed(SIZES, stdout="x" * 8 * KIB + "1", dropped_bytes=1),
            ran(stdout="x" * 8 * KIB + "2"),
            True,
        ),
        (
            failed(SIZES, stdout="x" * 8 * KIB + "1"),
            ran(stdout="x" * 8 * KIB + "2", dropped_bytes=1),
            True,
        ),
        (failed(SIZES, stdout="x" * 8 * KIB + "1"), ran(stdout="x" * 8 * KIB + "2"), False),
        (
            failed(SIZES, stdout="x" * (8 * KIB - 1) + "1", dropped_bytes=1),
            ran(stdout="x" * (8 * KIB - 1) + "2"),
            False,
        ),
    ],
)
def test_output_before_the_error_is_kept(before: JobResult, after: JobResult, passed: bool):
    """What was printed before the error must be printed by the fix, unchanged."""
    check = the("output", verify.checks(before, after))

    kept = "what was printed before the error is unchanged"
    detail = kept if passed else "it prints other values"
    assert check == Check(name="output", passed=passed, detail=detail)


ACCUMULATE = found("gradients_accumulate", "optimizer", program_wide=True)


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        (failed(SIZES), ran(), None),
        (failed(SIZES), ran(findings=(noted("curious"),)), None),  # a note
        (failed(SIZES), ran(findings=(noted("curious"), DETACHED)), DETACHED),
        # What the probes found before an error ended the run excuses nothing …
        (failed(SIZES, findings=(DETACHED,)), ran(findings=(DETACHED,)), DETACHED),
        # … but mistakes of the whole program come from no rewrite of the failing line.
        (failed(SIZES), ran(findings=(ACCUMULATE,)), None),
        (ran(findings=(DETACHED,)), ran(findings=(ACCUMULATE,)), ACCUMULATE),
        (ran(caught=(PYTORCHS,)), ran(findings=(ACCUMULATE,)), ACCUMULATE),
        # Where it ran, only what is new counts: `no error` sees to the rest.
        (ran(findings=(DETACHED,)), ran(findings=(DETACHED,)), None),
        (
            ran(findings=(DETACHED,)),
            ran(findings=(DETACHED, found("one_class"))),
            found("one_class"),
        ),
        (
            ran(findings=(DETACHED,)),
            ran(findings=(found("never_moved", "v"),)),
            found("never_moved", "v"),
        ),
    ],
)
def test_no_silent_mistake_came(before: JobResult, after: JobResult, left: Any):
    """The fixed run has no finding that the original did not have."""
    check = the("silent mistakes", verify.checks(before, after))

    detail = "the probes find none" if left is None else left.message
    assert check == Check(name="silent mistakes", passed=left is None, detail=detail)


@pytest.mark.parametrize(
    ("type", "name", "passed"),
    [
        ("Linear", "net.rnn.weight_hh_l0_reverse", True),
        ("Linear", "net.rnn.weight_hh_l0", False),
        ("LSTM", "net.rnn.weight_hh_l0_reverse", False),
    ],
)
def test_what_a_layer_behind_is_given_is_not_the_fixs(type: str, name: str, passed: bool):
    """Who reads the last position of both directions did so above the layer that failed."""
    after = ran(findings=(found("zero_gradient", name),))

    check = the("silent mistakes", verify.checks(in_linear(4, type=type), after))

    assert check.passed is passed


@pytest.mark.parametrize("program_wide", [True, False])
def test_a_mistake_of_the_whole_program_is_not_the_fixs(program_wide: bool):
    """After an error it is the program's own; any other one is not."""
    left = found("curious", program_wide=program_wide)

    check = the("silent mistakes", verify.checks(failed(SIZES), ran(findings=(left,))))

    assert check.passed is program_wide


def call(module: str, inputs: tuple[int, ...], outputs: tuple[int, ...], line: int = 7) -> Any:
    """A module's call as its shapes."""
    return ModuleCall(module=module, line=line, inputs=inputs, outputs=outputs)


def in_linear(*shape: int, type: str = "Linear", **facts: Any) -> JobResult:
    """A run that failed in a layer that was given this."""
    layer = Layer(name="fc", type=type, repr="", line=1, input=shape, dtype=None)
    return failed(SIZES, layer=layer.model_copy(update=facts))


def in_step(*shape: int) -> JobResult:
    """A run that failed where a variable had this shape."""
    step = Variable(type="Tensor", shape=shape)
    return failed(SIZES, frames=(Frame(function="forward", line=1, locals={"step": step}),))


TIME_FIRST = call("Net", (8, 5), (5, 2)).model_copy(update={"time_first": True})
TAKES_4 = "Linear(in_features=4, out_features=2, bias=True)"
MIXED = call("Net", (8, 4), (32, 1))  # eight samples in, thirty-two out


@pytest.mark.parametrize(
    ("before", "after", "reference", "passed"),
    [
        (failed(SIZES), call("Net", (8, 4), (8, 2)), None, True),
        (failed(SIZES), MIXED, None, False),
        # It was so before, or in the run that is the reference, whatever the later sizes.
        (failed(SIZES, calls=(MIXED,)), MIXED, None, True),
        (failed(SIZES, calls=(call("Net", (8, 9), (32, 9)),)), MIXED, None, True),
        (failed(SIZES), MIXED, ran(calls=(MIXED,)), True),
        (failed(SIZES), MIXED, ran(), False),
        (failed(SIZES, calls=(call("Other", (8, 4), (32, 1)),)), MIXED, None, False),
        (failed(SIZES, calls=(call("Net", (9, 4), (32, 1)),)), MIXED, None, False),
        (failed(SIZES, calls=(call("Net", (8, 4), (8, 1)),)), MIXED, None, False),
        # Its layers take the batch second, or it failed in one of the steps that it goes through.
        (failed(SIZES), TIME_FIRST, None, True),
        (failed(SIZES), TIME_FIRST.model_copy(update={"outputs": (4, 5)}), None, False),
        (in_step(5, 3), call("Net", (8, 5, 3), (5, 2)), None, True),
        (in_step(5, 3), call("Net", (8, 5, 3), (3, 2)), None, False),
        (in_step(5, 4), call("Net", (8, 5, 3), (5, 2)), None, False),
        (in_step(5), call("Net", (8, 5), (5, 2)), None, False),
        # The line that failed puts rows together by an index.
        (failed(SIZES, code="out.scatter_add_(0, i, x)"), MIXED, None, True),
        (failed(SIZES, code="out.index_add(0, i, x)"), MIXED, None, True),
        (failed(SIZES, code="out.scatter_(0, i, x)"), MIXED, None, False),
        # A loss makes one number of all; what has no dimensions has no batch.
        (failed(SIZES), call("CrossEntropyLoss", (8, 4), ()), None, True),
        (failed(SIZES), call("Scale", (), (8,)), None, True),
        # A layer that was given one sample: its first dimension is no batch.
        (failed(SIZES), call("Linear", (4,), (2,)), None, True),
        (failed(SIZES), call("Linear", (4, 4), (2, 4)), None, False),
        (failed(SIZES), call("Conv1d", (3, 8), (16, 6)), None, True),
        (failed(SIZES), call("Conv2d", (3, 8, 8), (16, 6, 6)), None, True),
        (failed(SIZES), call("Conv3d", (3, 8, 8, 8), (16, 6, 6, 6)), None, True),
        (failed(SIZES), call("ConvTranspose2d", (3, 8, 8), (16, 10, 10)), None, True),
        (failed(SIZES), call("Conv2d", (3, 3, 8, 8), (16, 3, 6, 6)), None, False),
        (failed(SIZES), call("Conv2d", (3, 8), (16, 6)), None, False),
        (failed(SIZES), call("MyConv2d", (3, 8, 8), (16, 6, 6)), None, False),
        # A whole model that was given one row, which its Linear then refused.
        (failed(SIZES), call("Net", (4,), (2,)), None, False),
        (in_linear(4), call("Net", (4,), (2,)), None, True),
        (in_linear(4), call("Net", (4, 1), (2, 1)), None, False),
        (in_linear(4, 1), call("Net", (4,), (2,)), None, False),
        (in_linear(4, type="Bilinear"), call("Net", (4,), (2,)), None, False),
        (in_linear(4, input=None), call("Net", (4,), (2,)), None, False),
        # It was given something else, and takes such rows, or others, as it is.
        (in_linear(input=None, repr=TAKES_4), call("Net", (4,), (2,)), None, True),
        (in_linear(input=None, repr=TAKES_4), call("Net", (5,), (2,)), None, False),
    ],
)
def test_the_batch_is_kept(
    before: JobResult, after: ModuleCall, reference: JobResult | None, passed: bool
):
    """As many samples come out of a module as went in, unless it never was so."""
    fixed = ran(calls=(call("Net", (5, 5), (5, 5)), after))
    check = the("batch", verify.checks(before, fixed, reference))

    into = f"turns {list(after.inputs)} into {list(after.outputs)}"
    detail = f"{after.module} at line 7 {into}" if not passed else "the batch dimension is kept"
    assert check == Check(name="batch", passed=passed, detail=detail)


class Comparing:
    """A codemod that says what it was given to compare."""

    def applies(self, result: JobResult) -> bool:
        return True

    def rewrite(self, program: object, result: JobResult) -> list[Any]:
        return []

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        return [Check(name=f"{before.stdout}{after.stdout}{proposal.title}", passed=True)]


@pytest.mark.parametrize(
    ("reference", "name"), [(None, "before after p"), (ran(stdout="meant "), "meant after p")]
)
def test_a_codemods_own_checks_compare_with_the_reference(reference: JobResult | None, name: str):
    """With the original run where there is no other."""
    proposal = Proposal(codemod="c", title="p", code="")
    codemod = Codemod("c", Comparing())
    before, after = ran(stdout="before "), ran(stdout="after ")

    checks = verify.checks_of(codemod, proposal, before, after, reference)
    assert [c.name for c in checks] == [name]


class Broken(Comparing):
    """A codemod whose own checks raise."""

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        raise ValueError("no such line")


def test_a_codemod_whose_own_checks_raise_verifies_nothing():
    """Which one, and how, is said; no fix of it is one."""
    proposal = Proposal(codemod="c", title="p", code="")
    checks = verify.checks_of(Codemod("c", Broken()), proposal, ran(), ran(), None)

    problem = "the codemod c raised in checks(): ValueError: no such line"
    assert checks == [Check(name="its own checks", passed=False, detail=problem)]


# -- what was changed ------------------------------------------------------------------------

lines = st.lists(st.sampled_from(["a = 1", "b = 2", "c = 3", "", "d = a"]), max_size=12)


def program(rows: list[str]) -> str:
    """Lines as a file."""
    return "".join(row + "\n" for row in rows)


@given(lines, lines)
def test_each_variant_undoes_one_place(old_rows: list[str], new_rows: list[str]):
    """With n places there are n variants, none of them the rewrite itself."""
    old, new = program(old_rows), program(new_rows)
    variants = verify.with_each_place_undone(old, new)

    assert len(variants) in (0, verify.places(old, new))
    for variant in variants:
        assert variant != new


@given(lines)
def test_no_change_has_no_place(rows: list[str]):
    """The same code differs nowhere, and its diff is empty."""
    code = program(rows)

    assert verify.places(code, code) == 0
    assert verify.diff(code, code) == ""
    assert verify.with_each_place_undone(code, code) == []


def test_the_diff_is_short_and_has_no_file_header():
    """Two lines around the change, and nothing else."""
    code = program(["a", "b", "c", "d", "e", "f", "g"])

    assert verify.diff(code, code.replace("d", "D")) == ("@@ -2,5 +2,5 @@\n b\n c\n-d\n+D\n e\n f")


@pytest.mark.parametrize(
    ("old", "new", "n"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", 0),
        ("a\nb\nc\n", "a\nB\nc\n", 1),
        ("a\nb\nc\n", "A\nb\nC\n", 2),
        ("a\nb\nc\n", "A\nB\nc\n", 1),  # side by side
        ("a", "a\n", 1),
        ("a\n" * 300, "b\n" + "a\n" * 300 + "c\n", 2),  # a long program of equal lines
    ],
)
def test_how_many_places_were_changed(old: str, new: str, n: int):
    """A place is a run of lines."""
    assert verify.places(old, new) == n


@pytest.mark.parametrize(
    ("old", "new", "names", "variants"),
    [
        ("a\nb\nc\n", "A\nb\nc\n", (), []),  # without its only place it is the original
        ("a\nb\nc\n", "A\nb\nC\n", (), ["a\nb\nC\n", "A\nb\nc\n"]),
        ("a\nb\nc\n", "a\nnew\nb\n", (), ["a\nb\n", "a\nnew\nb\nc\n"]),  # put in, left out
        # All the places of a new name are one place …
        ("x *= 2\nb\ny = x\n", "z = x * 2\nb\ny = z\n", ["z"], []),
        (
            "x *= 2\nb\ny = x\nc\nd\n",
            "z = x * 2\nmore\nb\ny = z\nc\nD\n",
            ["z"],
            ["x *= 2\nb\ny = x\nc\nD\n", "z = x * 2\nmore\nb\ny = z\nc\nd\n"],
        ),
        # … and of each of several.
        (
            "a\n-\nb\n-\nc\n-\nd\n",
            "z1\n-\nz2\n-\nz1\n-\nz2\n",
            ["z1", "z2"],
            ["a\n-\nz2\n-\nc\n-\nz2\n", "z1\n-\nb\n-\nz1\n-\nd\n"],
        ),
        # A longer name that holds it is another one.
        ("a\nb\nc\n", "z\nb\nzz\n", ["z"], ["a\nb\nzz\n", "z\nb\nc\n"]),
        ("a\nb\nc\n", "z\nb\nyz\n", ["z"], ["a\nb\nyz\n", "z\nb\nc\n"]),
        ("a\nb\nc\n", "q\nz = 1\nb\nz\n", ["z"], []),
        ("q\nz = 1\na\nb\n", "a\nz = 2\nb\n", ["z"], []),
        # Where lines only went, they tell: a line with the name moved.
        ("z = 1\na\nb\n", "a\nz = 2\nb\n", ["z"], []),
        ("z = 1\na\nb\n", "a\ny = 2\nb\n", ["z"], ["z = 1\na\ny = 2\nb\n", "a\nb\n"]),
    ],
)
def test_each_place_is_undone_alone(old: str, new: str, names: list[str], variants: list[str]):
    """The rewrite with one of its places put back, for each."""
    assert verify.with_each_place_undone(old, new, names) == variants


IDLE = "change {} is not needed"


@pytest.mark.parametrize(
    ("runs", "passed", "detail"),
    [
        ([], True, "without the change the mistake is back"),
        ([failed(SIZES)], True, "without the change the mistake is back"),
        ([failed(SIZES), failed(SIZES)], True, "without each of the 2 changes the mistake is back"),
        ([ran()], False, IDLE.format(1)),
        ([failed(SIZES), ran(), ran()], False, IDLE.format(2)),
        (
            [failed(SIZES), ran(caught=(caught(SIZES),))],
            True,
            "without each of the 2 changes the mistake is back",
        ),
        ([failed(SIZES), ran(caught=(caught(NO_GRAD),))], False, IDLE.format(2)),
    ],
)
def test_every_place_of_a_change_is_needed(runs: list[JobResult], passed: bool, detail: str):
    """With any one undone the mistake is back; the first that is not is named."""
    check = verify.undone(runs, mistake(failed(SIZES)))

    assert check == Check(name="minimal", passed=passed, detail=detail)


@pytest.mark.parametrize(
    ("undone", "needed"),
    [
        (failed("[Errno 2] a.csv", "OSError"), False),  # it comes as far without the change
        (failed("[Errno 2] b.csv", "OSError"), True),  # it ends in another way: nothing to offer
        (failed(SIZES), True),
        (ran(), False),
    ],
)
def test_a_place_is_idle_where_both_runs_stop_alike(undone: JobResult, needed: bool):
    """Where the fix stops by no fault of the code, stopping there too shows no mistake."""
    stopped = failed("[Errno 2] a.csv", "OSError")

    assert verify.undone([undone], mistake(failed(SIZES)), stopped=stopped).passed is needed


def test_undoing_a_later_step_may_bring_its_own_mistake_back():
    """In a chain every place is needed for one of the mistakes, not all for the first."""
    first, second = mistake(failed(SIZES)), mistake(failed(NO_GRAD))
    without_the_second = ran(caught=(caught(NO_GRAD),))

    assert verify.undone([without_the_second], first, second).passed
    assert not verify.undone([without_the_second], first).passed


@pytest.mark.parametrize(
    ("before", "after", "equal"),
    [
        (
            "Net() 3\n",
            "Net(\n  (a): Linear(2, 2)\n  (b): Sequential(\n    (0): ReLU()\n  )\n) 3\n4",
            True,
        ),
        ("Net(\n  (a): ReLU()\n) 3\n", "Net(\n  (a): ReLU()\n  (b): ReLU()\n) 3\n", True),
        ("Net() 3\n", "Net(\n  (a): Linear(2, 2)\n) 4\n", False),
        ("f() is 3\n", "g() is 3\n", False),
        ("(1) 3\n", "(2) 3\n", False),
    ],
)
def test_the_layers_that_a_model_lists_are_no_other_output(
    before: str, after: str, equal: bool
) -> None:
    """What an edit registers is listed where the model is printed; all else has to be the same."""
    mine = failed(SIZES, stdout=before)
    assert mine.error is not None
    check = verify._same_output(mine, ran(stdout=after), mine.error)

    assert check.passed is equal
