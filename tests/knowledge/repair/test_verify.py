"""knowledge/repair/verify.py: what was changed, and what a run has to show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.protocol import Caught, Environment, ErrorSeen, Finding, Frame, JobResult, Outcome
from knowledge.repair import verify

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
    code = "\n".join(f"x{i} = {i}" for i in range(20))
    diff = verify.diff(code, code.replace("x9 = 9", "x9 = 90")).splitlines()

    assert diff[0].startswith("@@") and len(diff) == 7
    assert "-x9 = 9" in diff and "+x9 = 90" in diff


def error(message: str, kind: str = "RuntimeError") -> ErrorSeen:
    """An error that ended a run."""
    return ErrorSeen(type=kind, message=message, line=1)


def test_numbers_do_not_make_another_error():
    """The same failure with other sizes is the same failure."""
    small, large = error("size 3 and 4"), error("size 512 and 10")

    assert verify.same_error(small, large)
    assert not verify.same_error(small, error("size 3 and 4", "ValueError"))
    assert not verify.same_error(small, None)


def test_only_torchs_own_caught_errors_are_mistakes():
    """`try: import apex` is how programs are written; a swallowed backward error is not."""

    def run(origin: str) -> JobResult:
        caught = Caught(type="RuntimeError", message="m", line=2, origin=origin)
        return JobResult(outcome=Outcome.OK, caught=(caught,))

    assert verify.mistake(run("torch")).is_there
    assert not verify.mistake(run("python")).is_there
    assert not verify.mistake(run("raise")).is_there


def test_a_finding_is_a_mistake_only_if_its_kind_is():
    """Facts worth knowing do not make a run wrong."""

    def run(kind: str) -> JobResult:
        finding = Finding(kind=kind, line=1, name="g", message="m")
        return JobResult(outcome=Outcome.OK, findings=(finding,))

    assert verify.mistake(run("unregistered_parameter")).is_there
    for note in ("input_requires_grad", "step_without_training", "curious"):
        assert not verify.mistake(run(note)).is_there


def test_a_value_computed_and_dropped_is_seen():
    """`x.add_(1)` became `x.add(1)`: it runs, and does nothing."""
    dropped = verify.nothing_thrown_away("x.add_(1)\n", "x.add(1)\n")
    kept = verify.nothing_thrown_away("x.add_(1)\n", "x = x.add(1)\n")

    assert not dropped.passed and kept.passed


def test_a_run_whose_probes_said_nothing_verifies_nothing():
    """Without a report every comparison would hold for want of anything to compare."""
    before = JobResult(outcome=Outcome.ERROR, error=ErrorSeen(type="ValueError", message="x"))
    silent = JobResult(outcome=Outcome.OK)

    assert not all(c.passed for c in verify.checks(before, silent))


def test_a_silent_mistake_that_is_still_there_is_not_fixed():
    found = Finding(kind="zero_gradient", line=1, name="w", message="…")
    env = Environment(torch="2.13.0")
    before = JobResult(outcome=Outcome.OK, findings=(found,), env=env)
    after = JobResult(outcome=Outcome.OK, findings=(found,), env=env)

    assert not all(c.passed for c in verify.checks(before, after))
    assert all(c.passed for c in verify.checks(before, JobResult(outcome=Outcome.OK, env=env)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("w -= g\n", "w.data -= g\n"),
        ("w[0] = 1\n", "w.detach()[0] = 1\n"),
        ("m.load_state_dict(s)\n", "m.load_state_dict(s, strict=False)\n"),
        ("a = 1\nloss.backward()\nb = 2\n", "a = 1\nb = 2\n"),
    ],
)
def test_a_way_around_is_no_repair(old: str, new: str) -> None:
    """Writing past autograd, switching a check off, leaving a step out."""
    assert not verify.no_way_around(old, new).passed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("w -= g\n", "with torch.no_grad():\n    w -= g\n"),
        ("a = 1\nb = 2\nsuper().__init__()\n", "super().__init__()\na = 1\nb = 2\n"),
        ("one.backward()\n# and\ntwo.backward()\n", "# and\n(one + two).backward()\n"),
        ("f(\n    a=1,\n    b=2,\n)\n", "f(\n    a=1,\n)\n"),
    ],
)
def test_a_step_may_move(old: str, new: str) -> None:
    """What was moved, added up, or given to a call that no longer takes it, is no way around."""
    assert verify.no_way_around(old, new).passed


def test_a_new_variable_is_one_change() -> None:
    """Wherever its name stands: undoing one place alone would only be another mistake."""
    old, new = "x *= 2\na = 1\ny = x + 1\n", "z = x * 2\na = 1\ny = z + 1\n"

    assert len(verify.with_each_place_undone(old, new)) == 2
    assert verify.with_each_place_undone(old, new, ["z"]) == []


def test_an_error_that_the_snippet_shows_on_purpose_may_stay() -> None:
    """What it caught before the error ended the run is its own; once more would be a cover-up."""
    shown = Caught(type="RuntimeError", message="size 3 and 4", line=2, origin="torch")
    before = JobResult(outcome=Outcome.ERROR, error=error("size 5 and 6"), caught=(shown,))
    env = Environment(torch="2.13.0")
    mended = JobResult(outcome=Outcome.OK, caught=(shown,), env=env)
    covered = JobResult(outcome=Outcome.OK, caught=(shown, shown), env=env)

    assert all(check.passed for check in verify.checks(before, mended))
    assert not all(check.passed for check in verify.checks(before, covered))
    assert not verify.shows(mended, verify.mistake(before))
    assert verify.shows(covered, verify.mistake(before))


def failed(line: int, message: str, code: str = "y.backward()") -> JobResult:
    """A run that ended at one expression."""
    seen = ErrorSeen(type="RuntimeError", message=message, line=line, code=code)
    return JobResult(outcome=Outcome.ERROR, error=seen)


def test_the_same_expression_further_down_is_the_next_mistake() -> None:
    """A program that makes a mistake twice is mended twice; a wrong rewrite stays where it is."""
    old = "y.backward()\nx = 1\ny.backward()\n"
    new = "y.sum().backward()\nx = 1\ny.backward()\n"
    message = "grad can be implicitly created"

    assert verify.moved_on(failed(1, message), failed(3, message), old, new)
    assert not verify.moved_on(failed(1, message), failed(1, message), old, new)


def test_with_the_right_dtype_the_same_expression_goes_on_to_its_sizes() -> None:
    dtypes = failed(1, "mat1 and mat2 must have the same dtype, but got Double and Float", "x @ w")
    shapes = failed(1, "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", "x @ w")

    assert verify.moved_on(dtypes, shapes)
    assert not verify.moved_on(shapes, dtypes)
    assert not verify.moved_on(dtypes, dtypes)


def test_undoing_a_later_step_may_bring_its_own_mistake_back() -> None:
    """In a chain every place is needed for one of the mistakes, not all for the first."""
    first, second = failed(1, "one thing"), failed(2, "another thing")
    caught = Caught(type="RuntimeError", message="another thing", line=2, origin="torch")
    without_the_second = JobResult(outcome=Outcome.OK, caught=(caught,))
    mistakes = [verify.mistake(first), verify.mistake(second)]

    assert verify.undone([without_the_second], *mistakes).passed
    assert not verify.undone([without_the_second], mistakes[0]).passed


def test_an_error_provoked_and_caught_before_the_mistake_is_none_of_the_fixs():
    """`try: wrong() except: print(e)` at the top of a demonstration stays as it is."""
    shown = Caught(
        type="RuntimeError", message="size 3 and 4", code="a + b", line=2, origin="torch"
    )
    hidden = shown.model_copy(update={"code": "c + d", "line": 9})
    env = Environment(torch="2.13.0")
    before = JobResult(
        outcome=Outcome.ERROR, error=error("size 5 and 6"), caught=(shown,), handlers=1, env=env
    )
    fixed = JobResult(outcome=Outcome.OK, caught=(shown,), handlers=1, env=env)
    swallowed = JobResult(outcome=Outcome.OK, caught=(shown, hidden), handlers=1, env=env)

    assert all(c.passed for c in verify.checks(before, fixed))
    assert not all(c.passed for c in verify.checks(before, swallowed))


def test_the_same_words_on_a_later_line_are_the_next_mistake():
    """A second class with the same wrong size: the first one is mended."""
    code = "x\ny\nz = f(x)\nw\nz = f(x)\n"
    first = JobResult(
        outcome=Outcome.ERROR,
        error=ErrorSeen(type="RuntimeError", message="1", line=3, code="f(x)"),
        frames=(Frame(function="<module>", line=3),),
    )
    later = JobResult(
        outcome=Outcome.ERROR,
        error=ErrorSeen(type="RuntimeError", message="1", line=5, code="f(x)"),
        frames=(Frame(function="<module>", line=5),),
    )

    assert verify.moved_on(first, later, code, code.replace("x\n", "x1\n", 1))
    assert not verify.moved_on(later, first, code, code)
    assert not verify.moved_on(first, first, code, code)


def test_a_layers_next_question_is_a_step_forward():
    """A recurrent layer looks at its input first, and at its state only then."""
    asks_input = JobResult(
        outcome=Outcome.ERROR,
        error=error("input.size(-1) must be equal to input_size. Expected 4, got 2"),
    )
    asks_state = JobResult(
        outcome=Outcome.ERROR, error=error("Expected hidden size (1, 2, 3), got [1, 2, 4]")
    )

    assert verify.moved_on(asks_input, asks_state)
    assert not verify.moved_on(asks_state, asks_input)
