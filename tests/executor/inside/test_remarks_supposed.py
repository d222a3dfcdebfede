"""executor/inside/remarks/supposed.py, whole.py: what a rule supposes, and of which programs."""

from __future__ import annotations

import ast

import pytest

from executor.inside.probes.training.by_text import report_by_text
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.remarks import ASIDES, found, remarks
from executor.inside.remarks.supposed import SUPPOSES, is_told
from executor.inside.remarks.syntax import bound
from executor.inside.remarks.whole import pieces, stands_alone

HEAD = "import torch\nfrom torch import nn\nnet = nn.Linear(2, 2)\n"
TRAINS = "net(torch.ones(2)).sum().backward()\n"
PADS = "pad_mask = torch.ones(2)\nloss = (net(torch.ones(2)) * pad_mask).mean()\n"
SUPPOSED = "a mistake if the mask marks padding: mean() divides by all elements"


def told(code: str) -> list[str]:
    """What is told of a code."""
    return [r.message for r in remarks(ast.parse(code), code)]


@pytest.mark.parametrize(
    "rest",
    [
        TRAINS,
        "def fit():\n    " + TRAINS + "fit()\n",
        "def fit():\n    " + TRAINS + "if __name__ == '__main__':\n    fit()\n",
        "def fit():\n    " + TRAINS + "def main():\n    fit()\nmain()\n",
        "class T:\n    def __init__(self):\n        self.fit()\n    def fit(self):\n        "
        + TRAINS
        + "T()\n",
        "class T:\n    def fit(self):\n        " + TRAINS + "T().fit()\n",
        "class T(nn.Module):\n    def training_step(self):\n        " + TRAINS + "T()\n",
        "print(net(torch.ones(2)))\n",  # it trains nowhere, and runs
        "import numpy\nimport os\n" + TRAINS,
    ],
)  # fmt: skip
def test_a_program_that_calls_its_own_training_stands_alone(rest: str) -> None:
    assert stands_alone(ast.parse(HEAD + rest))


@pytest.mark.parametrize(
    "rest",
    [
        "def fit():\n    " + TRAINS,
        "async def fit():\n    " + TRAINS,
        "def fit():\n    " + TRAINS + "print(net)\n",
        "def fit():\n    " + TRAINS + "def main():\n    fit()\n",
        "class T:\n    def fit(self):\n        " + TRAINS,
        "class T:\n    def fit(self):\n        " + TRAINS + "T()\n",
        "class T:\n    def __init__(self):\n        self.fit()\n    def fit(self):\n        "
        + TRAINS,
        "loss.backward()\n",  # where it is from stands nowhere
        "from mine import prepare\n" + TRAINS,
        "import mine.data\n" + TRAINS,
        "from . import data\n" + TRAINS,
    ],
)
def test_what_others_call_or_know_is_a_part(rest: str) -> None:
    assert not stands_alone(ast.parse(HEAD + rest))


def test_a_module_that_runs_nothing_is_a_part() -> None:
    assert not stands_alone(ast.parse("import torch\nclass A:\n    pass\n"))


def test_what_a_rule_supposes_is_told_first_and_of_a_whole_program_alone() -> None:
    whole = HEAD + PADS + "loss.backward()\n"
    part = HEAD + "def fit():\n    " + PADS.replace("\n", "\n    ") + "loss.backward()\n"

    assert [t.partition(",")[0] for t in told(whole)] == [SUPPOSED]
    assert [r.kind for r in found(ast.parse(part), part)] == ["masked_mean"]
    assert told(part) == []
    assert told(whole + "# ... the rest\n") == []


def test_what_one_line_decides_is_told_of_any_text_as_it_is() -> None:
    line = "loss = torch.nn.functional.cross_entropy(torch.softmax(s, 1), y)\n"

    assert [t[:13] for t in told(line)] == [t[:13] for t in told(HEAD + line)] == ["cross entropy"]


def test_what_people_found_right_in_parts_is_told_there_behind_what_it_supposes() -> None:
    part = "model.load_state_dict(weights)\nout = model(x)\n"

    assert told(part)[0].startswith("a mistake if the model has dropout or batch norm: `model.ev")


def test_of_a_run_it_is_told_so_too() -> None:
    code = (
        "import torch\nopt = torch.optim.SGD(m.parameters(), 1)\nfor x in d:\n"
        "    torch.manual_seed(0)\n    for y in x:\n        opt.zero_grad()\n"
        "        m(y).backward()\n        opt.step()\n"
    )
    collector = FindingCollector()

    report_by_text(collector, ast.parse(code), code, [])

    (finding,) = collector.findings
    assert finding.kind == "seeded_each_epoch"
    assert "a mistake if the rounds are to differ: the random numbers start" in finding.message


PIECES = """\
import torch
width = 3
class A:
    pass
class B(A):
    size = width
def f():
    return B()
class C:
    pass
print(f)
"""


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("top", {"A", "B", "C", "f", "width"} - {"C"}),
        ("A", {"A"}),
        ("B", {"A", "B", "width"}),
        ("f", {"A", "B", "f", "width"}),
        ("C", {"C"}),
    ],
)
def test_a_piece_is_what_something_names_and_all_that_this_names(name: str, held: set[str]) -> None:
    found_in = dict(zip(["top", "A", "B", "f", "C"], pieces(ast.parse(PIECES)), strict=True))

    assert {n for n in bound(found_in[name]) if n not in ("torch", "size")} == held
    assert isinstance(found_in[name].body[0], ast.Import)


APART = """\
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
def fit(net, x, y):
    loss = nn.CrossEntropyLoss()(net(x), y)
    loss.backward()
"""


def test_two_places_are_joined_where_one_names_the_other() -> None:
    """Which model the function is given stands nowhere, until something gives it this one."""
    assert told(APART) == []
    assert len(told(APART + "def main(x, y):\n    fit(Net(), x, y)\n")) == 1


def test_a_text_that_reads_what_is_not_there_is_one_piece() -> None:
    (whole,) = pieces(ast.parse(PIECES + "print(other)\n"))

    assert {"A", "B", "C", "f"} <= bound(whole)


def test_an_aside_supposes_nothing_and_is_told_of_any_text() -> None:
    assert not ASIDES & SUPPOSES.keys()
    assert is_told("softmax_twice", alone=False) and is_told("picks_samples", alone=False)
    assert is_told("masked_mean", alone=True) and not is_told("masked_mean", alone=False)


def test_an_argument_that_has_no_name_outside_may_have_a_default() -> None:
    assert told("import torch\ndef f(a, b=1, /, c=2):\n    return a\n") == []
