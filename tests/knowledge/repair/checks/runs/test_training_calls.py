"""knowledge/repair/checks/runs/training_calls.py: backward, step and zero_grad are still called."""

from __future__ import annotations

from typing import Any

import pytest

from executor.protocol import Influence, JobResult
from knowledge.repair.checks.runs.training_calls import check
from tests.built import failed, ran
from tests.knowledge.repair.checks.runs.looked import BEFORE, tried

ASKS = failed("LBFGS.step() missing 1 required positional argument: 'closure'", "TypeError")
BACKWARD, STEP, ZERO = "loss.backward()", "opt.step()", "opt.zero_grad()"


def at(code: str) -> JobResult:
    """A run that failed in this call."""
    run = failed("it failed", line=2)
    assert run.error is not None
    return run.model_copy(update={"error": run.error.model_copy(update={"code": code})})


@pytest.mark.parametrize(
    ("was", "now", "before", "passes"),
    [
        ({}, {}, BEFORE, True),
        ({"backwards": 2}, {"backwards": 2}, BEFORE, True),
        ({"backwards": 2}, {"backwards": 3}, BEFORE, True),
        ({"backwards": 2}, {"backwards": 1}, BEFORE, False),
        ({"steps": 2}, {"steps": 1}, BEFORE, False),
        ({"zero_grads": 2}, {"zero_grads": 1}, ran(), False),
        # The round that broke off had its zero_grad: a fix may do without the round.
        ({"zero_grads": 3, "steps": 2}, {"zero_grads": 2, "steps": 2}, BEFORE, True),
        ({"zero_grads": 3, "steps": 2}, {"zero_grads": 1, "steps": 2}, BEFORE, False),
        ({"zero_grads": 2, "steps": 3}, {"zero_grads": 1, "steps": 3}, BEFORE, False),
        # The one that failed is to be made too.
        ({"backwards": 2}, {"backwards": 2}, at(BACKWARD), False),
        ({"backwards": 2}, {"backwards": 3}, at(BACKWARD), True),
        ({}, {}, at("torch.autograd.grad(loss, w)"), False),
        ({"steps": 1}, {"steps": 1}, at(STEP), False),
        ({"zero_grads": 1}, {"zero_grads": 1}, at(ZERO), False),
        ({"backwards": 2}, {"backwards": 2}, at("f()"), True),
        # A step that evaluates the loss itself goes back each time.
        ({"backwards": 1}, {"backwards": 40, "steps": 2}, ASKS, True),
        ({"backwards": 1}, {"backwards": 2, "steps": 2}, ASKS, False),
        ({"backwards": 1}, {"backwards": 2, "steps": 2}, at("f()"), True),
    ],
)
def test_calls_are_made_as_often_as_before(
    was: dict[str, Any], now: dict[str, Any], before: JobResult, passes: bool
):
    """The original's run counts them up to its error."""
    assert check(tried(Influence(**now), Influence(**was), before=before)).passed is passes


@pytest.mark.parametrize(
    ("instead", "made", "passes"),
    [
        ("(a + b).backward()", {"backwards": 1}, True),
        ("sum(losses).backward()", {"backwards": 1}, True),
        ("(a + b).backward()", {}, False),
        ("a.backward()", {"backwards": 1}, False),
        ("(a + b).backward()", {"backwards": 1, "steps": 1}, False),
    ],
)
def test_one_backward_of_a_sum_is_that_of_each_loss(instead, made, passes):
    """Of a sum, there are fewer."""
    codes = {"original": "f()\na.backward()\n", "fixed": f"f()\n{instead}\n"}
    was = Influence(backwards=2, steps=2 if "steps" in made else 0)

    assert check(tried(Influence(**made), was, **codes)).passed is passes


@pytest.mark.parametrize(
    ("line", "instead", "now", "passes"),
    [
        (BACKWARD, "loss.item()", {}, False),  # not reached before: no count tells it
        (BACKWARD, "loss.mean().backward()", {}, True),  # in a function that nobody calls
        (BACKWARD, "loss.item()", {"backwards": 1}, True),  # it is called elsewhere
        (STEP, "pass", {}, False),
        ("optimizer.step()", "pass", {}, False),
        ("scheduler.step()", "pass", {}, True),
        (ZERO, "pass", {}, False),
        ("def backward(ctx):", "def backward(ctx, g):", {}, True),
        ("def backward(ctx):", "def forward(ctx, g):", {}, True),
        ("f()", "g()", {}, True),
    ],
)
def test_a_call_that_was_not_reached_is_still_there(line, instead, now, passes):
    """A call may not go before the run has come to it."""
    codes = {"original": f"f()\n{line}\n", "fixed": f"f()\n{instead}\n"}

    assert check(tried(Influence(**now), Influence(), **codes)).passed is passes


@pytest.mark.parametrize(
    ("now", "was", "passes"),
    [
        ((), (), True),
        ((3,), (), False),
        ((2,), (2,), False),
        ((3,), (3,), True),
        ((3,), (1,), False),
    ],
)
def test_no_gradient_is_added_twice(now, was, passes):
    """In training, a second backward of one loss doubles them, unless it did so before."""
    assert check(tried(Influence(doubled=now, steps=1), Influence(doubled=was))).passed is passes


def test_gradients_may_be_added_up_where_nothing_trains():
    """There, that is what the code shows."""
    assert check(tried(Influence(doubled=(3,)), Influence())).passed


def test_what_could_not_be_counted_is_not_refused():
    """And the check says so."""
    unseen = check(tried(None, Influence(backwards=3)))

    assert unseen.passed and "could not" in unseen.detail
