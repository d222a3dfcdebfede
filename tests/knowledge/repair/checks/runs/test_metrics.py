"""knowledge/repair/checks/runs/metrics.py: which printed numbers no metric can be."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.runs.metrics import check
from tests.built import failed, ran
from tests.knowledge.repair.checks.runs.looked import tried


@pytest.mark.parametrize(
    ("printed", "passes"),
    [
        ("accuracy: 640.0%", False),
        ("Accuracy = 1e3", False),
        ("acc 101", False),
        ("epoch 1, acc: -0.5", False),
        ("F1 score: 120", False),
        ("precision is 300", False),
        ("recall: 250", False),
        ("mean IoU: 400", False),
        ("dice=512", False),
        ("AUC: 140.5", False),
        ("top-5 accuracy: 400", False),
        ("accuracy: 100", True),
        ("accuracy: 0", True),
        ("accuracy: 99.5%", True),
        ("loss: 640", True),
        ("accuracy after 640 steps: 0.5", True),
        ("vacc: 640", True),
    ],
)
def test_a_metric_stays_in_its_range(printed, passes):
    """Between 0 and 1, or 0 and 100 %."""
    assert check(tried(ran_after=ran(stdout=printed + "\n"))).passed is passes


@pytest.mark.parametrize(("before", "passes"), [("acc: 640\n", True), ("acc: 64\n", False)])
def test_what_was_printed_before_the_mistake_is_theirs(before, passes):
    """The run printed that number before the fix, too."""
    made = tried(before=failed("it failed", line=2, stdout=before),
                 ran_after=ran(stdout="acc: 640\n"))  # fmt: skip

    assert check(made).passed is passes
