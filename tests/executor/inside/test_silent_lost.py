"""Rows, class numbers, schedules and modes that a run has shown to be lost, and neighbours."""

from __future__ import annotations

import pytest

from executor.protocol import JobResult
from knowledge.repair import by_finding
from knowledge.repair.by_finding import FindingEdits
from knowledge.repair.toolkit.edits import Program
from tests.executor.conftest import House

NET = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
FIT = "opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
ROWS = (
    "import random\nimport numpy as np\n" + NET + "net = nn.Linear(3, 1)\n"
    "opt = torch.optim.SGD(net.parameters(), 0.01)\nrandom.seed(1)\nrows = {0}\n"
    "for _ in range(3):\n    {1}\n    loss = net(torch.ones(2, 3)).pow(2).mean()\n    " + FIT
)
TABLE = "np.random.rand(50, 4)"
MASKS = (
    NET + "net = nn.Linear(3, 4)\nopt = torch.optim.SGD(net.parameters(), 0.01)\n"
    "for i in range({0}):\n    ids = torch.randint(0, 4, (6,)).float()\n"
    "    y = ({1}).long()\n    loss = F.cross_entropy(net(torch.randn(6, 3)), y)\n    " + FIT
)
SCHEDULED = (
    NET + "net = nn.Linear(3, 1)\nopt = torch.optim.SGD(net.parameters(), 0.01)\n"
    "sched = torch.optim.lr_scheduler.{0}\nfor epoch in range(4):\n    for i in range(10):\n"
    "        loss = net(torch.randn(6, 3)).pow(2).mean()\n        opt.zero_grad()\n"
    "        loss.backward()\n        opt.step()\n{1}"
)
EACH_EPOCH, EACH_STEP = "    sched.step()\n", "        sched.step()\n"
PARTS = (
    NET + "from torch.utils.data import ConcatDataset, DataLoader, TensorDataset\n"
    "def part(k):\n    return TensorDataset(torch.randn(20, 3), torch.full((20,), k))\n"
    "data = {0}\nloader = DataLoader(data, batch_size=5{1})\n"
    "test_loader = DataLoader(part(0), batch_size=5)\nnet = nn.Linear(3, 3)\n"
    "opt = torch.optim.SGD(net.parameters(), 0.01)\nfor x, y in loader:\n"
    "    loss = F.cross_entropy(net(x), y)\n    " + FIT
)
IN_MAIN = (
    "def main():\n"
    + "".join(
        f"    {line}\n"
        for line in SCHEDULED.format(
            "OneCycleLR(opt, 0.1, total_steps=40)", EACH_EPOCH
        ).splitlines()
    )
    + "main()\n"
)
JOINED = "ConcatDataset([part(k) for k in range(3)])"
COPIED = (
    "import copy\n" + NET + "def make():\n"
    "    return nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))\n"
    "def fit(net):\n    opt = torch.optim.SGD(net.parameters(), 0.01)\n    net.train()\n"
    "    for _ in range(4):\n        loss = net(torch.randn(5, 3)).pow(2).mean()\n"
    "        opt.zero_grad()\n        loss.backward()\n        opt.step()\n    net.eval()\n"
    "base = make()\nfit(base)\nwith torch.no_grad():\n    base(torch.ones(2, 3))\n"
    "net = copy.deepcopy(base)\nbase(torch.ones(2, 3))\nfit(net)\n"
)

MISTAKES = {
    "rows_doubled": [
        ROWS.format(TABLE, "random.shuffle(rows)"),
        ROWS.format("torch.rand(50)", "random.shuffle(rows)"),
        ROWS.format(TABLE, "shuffle(rows)").replace("import random\n", "import random\n"
                                                    "from random import shuffle\n"),
    ],
    "all_cut_to_zero": [MASKS.format(4, "ids / 255"), MASKS.format(4, "torch.rand(6)")],
    "schedule_barely_begun": [
        SCHEDULED.format("OneCycleLR(opt, 0.1, total_steps=40)", EACH_EPOCH),
        SCHEDULED.format("CosineAnnealingLR(opt, 41)", EACH_EPOCH),
        IN_MAIN,
    ],
    "sorted_samples": [PARTS.format(JOINED, "")],
}  # fmt: skip
SOUND = {
    "a list of rows": ROWS.format("[[i, i] for i in range(50)]", "random.shuffle(rows)"),
    "one row of numbers": ROWS.format("np.arange(50)", "random.shuffle(rows)"),
    "numpy's own": ROWS.format(TABLE, "np.random.shuffle(rows)"),
    "class numbers": MASKS.format(4, "ids"),
    "a batch that is cut by chance": MASKS.format(4, "ids / 255 if i else ids"),
    "the first rounds": MASKS.format(2, "ids / 255"),
    "what is compared first": MASKS.format(4, "ids / 255 > 0.01"),
    "only one class": MASKS.format(4, "ids * 0"),
    "signed values": MASKS.format(4, "ids / 255 - ids / 255 * 2"),
    "a step for each step": SCHEDULED.format("OneCycleLR(opt, 0.1, total_steps=40)", EACH_STEP),
    "a schedule of epochs": SCHEDULED.format("CosineAnnealingLR(opt, 4)", EACH_EPOCH),
    "a schedule for more": SCHEDULED.format("OneCycleLR(opt, 0.1, total_steps=90)", EACH_EPOCH),
    "parts that are shuffled": PARTS.format(JOINED, ", shuffle=True"),
    "one class": PARTS.format("part(1)", ""),
    "classes in turns": PARTS.format("TensorDataset(torch.randn(60, 3), torch.arange(60) % 3)", ""),
    "a copy beside what it was made of": COPIED,
}


def ran(house: House, code: str) -> JobResult:
    result = house.run(code)
    assert result.error is None
    return result


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, cs in MISTAKES.items() for c in cs])
def test_it_is_seen(house: House, kind: str, code: str):
    """The run shows it."""
    assert (kind, True) in [(f.kind, f.mistake) for f in ran(house, code).findings]


@pytest.mark.parametrize("name", SOUND)
def test_what_comes_close_is_left_alone(house: House, name: str):
    """Nothing is said of it, and no mode either."""
    kinds = {f.kind for f in ran(house, SOUND[name]).findings}

    assert not kinds & {*MISTAKES, "stays_in_eval", "eval_mode_training"}


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        (MISTAKES["rows_doubled"][0], "random.shuffle(rows)", "np.random.shuffle(rows)"),
        (
            MISTAKES["rows_doubled"][1],
            "random.shuffle(rows)",
            "rows.copy_(rows[torch.randperm(len(rows))])",
        ),
        (MISTAKES["schedule_barely_begun"][0], "opt.step()\n" + EACH_EPOCH, "opt.step()\n"
         + EACH_STEP),
    ],
)  # fmt: skip
def test_it_is_mended(house: House, code: str, old: str, new: str):
    """By the edit that the finding tells."""
    (as_told,) = (c.module for c in by_finding.load() if c.slug == "as-told")
    assert isinstance(as_told, FindingEdits)

    made = [r.module.code for r in as_told.rewrite(Program(code), ran(house, code))]

    assert made == [code.replace(old, new)]
