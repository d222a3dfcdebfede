"""knowledge/repair/checks/runs/eval_mode.py: what trains is in training mode."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.runs.eval_mode import check
from tests.built import found, noted, ran
from tests.knowledge.repair.checks.runs.looked import tried

EVAL = noted("eval_mode_training", "model")


@pytest.mark.parametrize(
    ("added", "now", "was", "passes"),
    [
        ("model.eval()", [EVAL], [], False),
        ("model.train(False)", [EVAL], [], False),
        ("model.train(mode=False)", [EVAL], [], False),
        ("model.training = False", [EVAL], [], False),
        ("model.eval()", [], [], True),  # it only predicts
        ("model.eval()", [found("no_gradient", "model")], [], True),
        ("model.eval()", [EVAL], [EVAL], True),
        ("model.eval()", [EVAL], [noted("eval_mode_training", "other")], False),
        ("model.eval()", [EVAL], [found("no_gradient", "model")], False),
        ("model.train()", [EVAL], [], True),  # theirs, which the run reached only now
        ("model.retrieval()", [EVAL], [], True),
    ],
)
def test_no_model_is_put_into_eval_mode_to_train(added, now, was, passes):
    """It would silence dropout and freeze batch norm, for ever."""
    codes = {"original": "model.eval()\nf()\n", "fixed": f"model.eval()\n{added}\nf()\n"}
    made = tried(before=ran(findings=tuple(was)), ran_after=ran(findings=tuple(now)), **codes)

    assert check(made).passed is passes
