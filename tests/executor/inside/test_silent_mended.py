"""The edits that findings of frozen parts, of copies and of an order bring along."""

from __future__ import annotations

import pytest

from knowledge.repair import by_finding
from knowledge.repair.by_finding import FindingEdits
from knowledge.repair.toolkit.edits import Program
from tests.executor.conftest import House
from tests.executor.inside import test_silent_followers as followers
from tests.executor.inside import test_silent_frozen as frozen
from tests.executor.inside import test_silent_sorted as slices
from tests.executor.inside.test_silent import HEAD, run

_FROZEN, _FOLLOWERS, _SORTED = frozen.NAMED, followers.NAMED, slices.NAMED


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        (
            _FROZEN["thawed before the freezing"][2],
            frozen.FIRST,
            frozen.FIRST + "net[4].requires_grad_(True)\n",
        ),
        (
            _FROZEN["of a model within a class"][2],
            "self.body.stem.bias.requires_grad = True\n",
            "self.body.stem.bias.requires_grad = True\n        self.body.fc.requires_grad_(True)\n",
        ),
        (_FROZEN["a bias that stays 0"][2], "requires_grad=False", "requires_grad=True"),
        (
            _FOLLOWERS["values of a state"][1],
            followers.STATE,
            followers.STATE.replace("v for", "v.detach().clone() for"),
        ),
        (
            _FOLLOWERS["data in a list"][1],
            "[p.data for p",
            "[p.data.clone() for p",
        ),
        (
            _FOLLOWERS["a name for a new tensor"][1],
            "a = 0.9 * a + 0.1 * b",
            "a.copy_(0.9 * a + 0.1 * b)",
        ),
        (
            _SORTED["in a function"],
            "    for i in range(0, len(x), size):\n"
            "        loss = F.cross_entropy(net(x[i:i + size]), y[i:i + size])\n",
            "    order = torch.randperm(len(x))\n    for i in range(0, len(x), size):\n"
            "        loss = F.cross_entropy(net(x[order[i:i + size]]), y[order[i:i + size]])\n",
        ),
    ],
)
def test_it_is_mended(house: House, code: str, old: str, new: str):
    """As the finding tells, and then nothing is found any more."""
    (as_told,) = (c.module for c in by_finding.load() if c.slug == "as-told")
    assert isinstance(as_told, FindingEdits)
    (first,) = [r.module.code for r in as_told.rewrite(Program(HEAD + code), run(house, code))]

    assert first == HEAD + code.replace(old, new)
    assert [f.kind for f in run(house, first.removeprefix(HEAD)).findings if f.mistake] == []
