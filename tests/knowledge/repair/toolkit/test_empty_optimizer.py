"""knowledge/repair/toolkit/empty_optimizer.py: what an optimizer without parameters is to train."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.empty_optimizer import filled

NET = "class Net(nn.Module): pass\nnet = Net()\n"


@pytest.mark.parametrize(
    ("code", "now"),
    [
        # Gone through before: a list keeps them.
        (f"{NET}ps = net.parameters()\nSGD(ps)\n", "ps = list(net.parameters())\nSGD(ps)\n"),
        (f"{NET}ps = filter(f, all_of)\nSGD(ps)\n", "ps = list(filter(f, all_of))\nSGD(ps)\n"),
        (f"{NET}ps = (p for p in all_of)\nSGD(ps)\n", "ps = list((p for p in all_of))\nSGD(ps)\n"),
        # Nothing is in the list, and there is one model.
        (f"{NET}ps = []\nSGD(ps)\n", "ps = []\nSGD(net.parameters())\n"),
        (f"{NET}SGD([])\n", "SGD(net.parameters())\n"),
        ("net = nn.Linear(2, 1)\nSGD([])\n", "SGD(net.parameters())\n"),
        (f"{NET}other = Net()\nSGD([])\n", None),  # which of them?
        ("SGD([])\nnet = nn.Linear(2, 1)\n", None),  # it is not there yet
        ("net = load()\nSGD([])\n", None),
        (f"{NET}net.part = nn.Linear(2, 1)\nSGD([])\n", "SGD(net.parameters())\n"),
        (f"{NET}ps = collect(net)\nSGD(ps)\n", None),
        (f"{NET}SGD([p])\n", None),
    ],
)
def test_what_is_to_be_trained(code: str, now: str | None) -> None:
    program = Program(code)
    (optimizer,) = [c for c in program.all(cst.Call) if program.text(c.func) == "SGD"]
    found = [rewrite.module.code for rewrite in filled(program, optimizer)]

    assert len(found) == (now is not None)
    assert all(text.endswith(now or "") for text in found)
