"""knowledge/repair/checks/code/labels_compared.py: like is compared with like."""

from __future__ import annotations

import pytest

from executor.protocol import Variable
from knowledge.repair.checks.code.labels_compared import check
from tests.knowledge.repair.checks.code.changed import refused, saw, tensor

LIVE = saw(
    scores=tensor(8, 3, grad_fn="AddmmBackward0"),
    found=tensor(8, 3),
    column=tensor(8, 1),
    one=tensor(8, grad_fn="SqueezeBackward1"),
    labels=tensor(8, dtype="int64"),
    picked=tensor(8, dtype="int64"),
    mask=tensor(8, dtype="bool"),
    name=Variable(type="str"),
)


@pytest.mark.parametrize(
    ("old", "new", "refuses"),
    [
        ("f(scores == labels)\n", "f(scores == labels.unsqueeze(1))\n", True),
        ("f(scores == labels)\n", "f(labels.unsqueeze(1) == scores)\n", True),
        ("f(scores == labels)\n", "f(scores.t() != labels)\n", True),
        ("f(scores == labels)\n", "f(scores.eq(labels.view(-1, 1)))\n", True),
        ("f(scores == labels)\n", "f(torch.eq(scores, labels.view(-1, 1)))\n", True),
        ("f(scores == labels)\n", "f(found == labels.unsqueeze(1))\n", True),
        ("f(scores == labels)\n", "f(one.squeeze() == labels)\n", True),
        ("f(scores == labels)\n", "f(scores == mask)\n", True),
        ("f(scores == labels)\n", "f(column == labels)\n", False),  # it may be what was picked
        ("f(scores == labels)\n", "f(scores == labels)\ng()\n", False),  # the person's own
        ("f(scores == labels)\n", "f(scores.argmax(1) == labels)\n", False),
        ("f(scores == labels)\n", "f(scores.max(1).indices == labels)\n", False),
        ("f(scores == labels)\n", "f(torch.round(scores) == labels.float())\n", False),
        ("f(scores == labels)\n", "f(scores.round() == labels)\n", False),
        ("f(scores == labels)\n", "f((scores > 0) == labels)\n", False),
        ("f(scores == labels)\n", "f(picked == labels)\n", False),
        ("f(scores == labels)\n", "f(scores == found)\n", False),
        ("f(scores == labels)\n", "f(scores < labels.view(-1, 1))\n", False),
        ("f(scores == labels)\n", "f(name == labels)\n", False),
        ("f(scores == labels)\n", "f(other == labels)\n", False),
        ("f(scores == labels)\n", "f(scores == other)\n", False),
        ("f(scores == labels)\n", "f(scores.equal())\n", False),
    ],
)
def test_scores_are_not_compared_with_labels(old: str, new: str, refuses: bool):
    """A rewrite that makes the shapes fit makes no accuracy of it."""
    assert bool(refused(check, old, new, LIVE)) is refuses
