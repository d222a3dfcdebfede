"""Writes into a copy that an index made, the views beside them, and what one writes instead."""

from __future__ import annotations

import pytest

from executor.protocol import JobResult
from knowledge.repair import by_finding
from knowledge.repair.by_finding import FindingEdits
from knowledge.repair.toolkit.edits import Program
from tests.executor.conftest import House

HEAD = """\
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(6, 3)
rows, mask = torch.tensor([1, 4]), x > 0.5
net = nn.Linear(3, 4)
"""

LOST = {  # the statement → what becomes of it; empty where nothing is offered
    "x[mask].fill_(0)": "x[mask] = 0",
    "x[x > 0.5].zero_()": "x[x > 0.5] = 0",
    "x[[0, 2]].copy_(torch.ones(2, 3))": "x[[0, 2]] = torch.ones(2, 3)",
    "x[rows, 1].add_(2.0)": "x[rows, 1] += 2.0",
    "x[rows].abs_()": "x[rows] = x[rows].abs()",
    "x[rows].clamp_(min=0.2)": "",
    "x[rows].uniform_()": "",
    "x[rows][:, 0] = 1": "",
    "x[~mask][0] += 1": "",
    "x[np.array([0, 2])].mul_(3)": "",  # its index is called for, and not computed once more
    "x[rows.numpy()].mul_(3)": "",
    "net.weight.data[[0]].zero_()": "net.weight.data[[0]] = 0",
    "nn.init.zeros_(net.weight.data[rows - 1])": "",
}
UNHEARD = {"x[np.array([0, 2])].mul_(3)", "x[rows.numpy()].mul_(3)"}
KEPT = (
    "x[mask] = 0",
    "x[0].fill_(0)",
    "x[1:3].zero_()",
    "x[:, 1].add_(2.0)",
    "x[torch.tensor(1)].zero_()",
    "x[0][x[0] > 0.5] = 0",
    "x[0][rows - 1] = 0",
    "y = x[mask].fill_(0)",
    "[x, x][0].zero_()",
    "{'a': x}['a'].zero_()",
    "x.numpy()[[0, 1]].fill(0)",
    "x[x > 9].fill_(0)",  # of no element
    "x[rows].requires_grad_()",
    "# indexing by a tensor makes a copy\nx[rows].fill_(0)",
    "x[rows].fill_(0)  # has no effect",
)


def ran(house: House, statement: str) -> JobResult:
    return house.run(f"{HEAD}{statement}\nprint(x.shape)\n")


@pytest.mark.parametrize("statement", LOST)
def test_what_is_written_into_a_copy_is_lost(house: House, statement: str):
    """Whoever makes the index; what is called to make it is not called again."""
    found = ran(house, statement).findings

    kinds = [(f.kind, f.mistake) for f in found]
    assert kinds == ([] if statement in UNHEARD else [("copy_written", True)])


@pytest.mark.parametrize("statement", KEPT)
def test_a_view_is_written_into(house: House, statement: str):
    """By numbers and slices; what is held, empty or told there is no mistake either."""
    assert ran(house, statement).findings == ()


@pytest.mark.parametrize("statement", LOST)
def test_it_is_written_in_one_step(house: House, statement: str):
    """Where there is a statement that says the same of the tensor itself."""
    (as_told,) = (c.module for c in by_finding.load() if c.slug == "as-told")
    assert isinstance(as_told, FindingEdits)
    code = f"{HEAD}{statement}\nprint(x.shape)\n"

    new = [r.module.code for r in as_told.rewrite(Program(code), ran(house, statement))]

    wanted = LOST[statement]
    assert new == ([code.replace(statement, wanted)] if wanted else [])
