"""knowledge/repair/checks/runs/printed_gradients.py: a gradient that is shown is there."""

from __future__ import annotations

import pytest

from executor.protocol import Influence
from knowledge.repair.checks.runs.printed_gradients import check
from tests.knowledge.repair.checks.runs.looked import op, tried


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("print(w.grad)", False),
        ("print('gradient:', model.fc.weight.grad)", False),
        ("assert w.grad", False),
        ("logging.info(w.grad)", False),
        ("print(w.grad is None)", True),  # it is asked for
        ("assert w.grad is None", True),
        ("print(w.grad_fn)", True),
        ("if w.grad:", True),  # it is not shown
        ("print(gradient)", True),
        ("print(w.grad)  # None", True),  # it says so
        ("print(w.grad)  # Output: None, as it is cut off", True),
        ("print(w.grad)  # not None", False),
        ("print(w.grad)  # Nonetheless", False),
        ("print(w.grad)  # may be anything", False),
        ("print(w.grad)  # may be None", True),
        ("w.fc(x)  # print(w.grad)", True),
    ],
)
def test_a_gradient_that_is_shown_is_not_none(line, passes):
    """The line that shows it may stand wherever it is."""
    none = Influence(operations=(op("no_grad", "grad", 2),))
    made = tried(none, original=f"f()\n{line}\n", fixed=f"f(1)\n{line}\n")

    assert check(made).passed is passes
    assert check(tried(Influence(), original=made.original, fixed=made.fixed)).passed
    other = Influence(operations=(op("outer", "grad", 2),))
    assert check(tried(other, original=made.original, fixed=made.fixed)).passed


@pytest.mark.parametrize(("line", "passes"), [(2, True), (1, False)])
def test_what_was_none_before_may_be_none(line, passes):
    """On the same line of the original, wherever that is now."""
    original, fixed = "f()\nprint(w.grad)\n", "f()\nmore()\nprint(w.grad)\n"
    was = Influence(operations=(op("no_grad", "grad", line),))
    now = Influence(operations=(op("no_grad", "grad", 3),))

    assert check(tried(now, was, original=original, fixed=fixed)).passed is passes


def test_a_line_that_is_not_there_shows_nothing():
    """Code that the snippet made itself has lines of its own."""
    assert check(tried(Influence(operations=(op("no_grad", "grad", 9),)))).passed


@pytest.mark.parametrize(
    ("line", "reference", "passes"),
    [
        ("print(w.grad)  # None", Influence(), False),
        ("print(w.grad)", Influence(), True),
        ("print(w.grad)  # the gradient", Influence(), True),
        ("f(w.grad)  # None", Influence(), True),
        ("print(w.grad)  # Might be None", Influence(), True),
        ("print(w.grad)  # None or zeros", Influence(), True),
        ("print(w.grad)  # likely None", Influence(), True),
        ("print(w.grad)  # None, and never mind", Influence(), False),
        ("print(w.grad)  # None", Influence(operations=(op("grad", "grad", 2),)), True),
        ("print(w.grad)  # None", Influence(operations=(op("no_grad", "grad", 2),)), False),
    ],
)
def test_a_none_that_is_announced_is_meant(line, reference, passes):
    """A gradient there is not what the code shows."""
    there = Influence(operations=(op("grad", "grad", 2),))
    codes = {"original": f"f()\n{line}\n", "fixed": f"f(1)\n{line}\n"}

    assert check(tried(there, reference, **codes)).passed is passes
