"""executor/inside/remarks/: what is told of one program, and not of one that only looks like it.

Seen in training scripts that people published: a rule that read too little told something false.
"""

from __future__ import annotations

import ast

import pytest
import torch  # noqa: F401  (as in a run: one rule asks what a tensor has)

from executor.inside.remarks import remarks
from tests.executor.inside.test_remarks import kinds

FIT = "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
SUM = "for x, y in data:\n    loss = {of}\n    total += loss\n"
ROUNDS = (
    "for x in data:\n    opt.zero_grad()\n    m(x).sum().backward()\n    opt.step()\n    m.eval()\n"
)
ARM = "opt = SGD(m.parameters(), 1)\n" + ROUNDS
SCHEDULE = (
    "class C:\n    def __init__(self, m):\n        self.opt = SGD(m.parameters(), 1)\n"
    "        self.sched = StepLR(self.opt, 3)\nclass T:\n    def fit(self):\n"
    "        self.c.opt.step()\n{more}"
)
UNZEROED = "for x in data:\n    loss = f(x)\n    loss.backward()\n    opt.step()\n"
LAYERS = "nn.Sequential(nn.Conv2d(1, 6, 5), nn.Linear(400, 9)){asked}\n"
BATCH = "for batch in loader:\n    batch.to(device)\n    loss = f(net(batch), {target})\n" + FIT

# what stands next to it: (kind, a program of which it is told, one of which it is not)
PAIRS = {
    "the loss of a criterion, and of a step that may give back a number": (
        "graph_kept", SUM.format(of="criterion(net(x), y)"), SUM.format(of="self.process(x, y)"),
    ),
    "the same among several results": (
        "graph_kept", "for x in data:\n    out, loss = criterion(x)\n    total += loss\n",
        "for x in data:\n    out, loss = self.process(x)\n    total += loss\n",
    ),
    "the same of a function that trains by its name": (
        "graph_kept", SUM.format(of="loss_of(x, y)"), SUM.format(of="train_loss(x, y)"),
    ),
    "losses that a loop goes through": (
        "graph_kept", SUM.format(of="criterion(net(x), y)"), "for loss in losses:\n    t += loss\n",
    ),
    "a schedule that another object steps": (
        "scheduler_idle", SCHEDULE.format(more=""),
        SCHEDULE.format(more="        self.c.sched.step()\n"),
    ),
    "layers that are run, and layers that are counted": (
        "unflattened", "net = " + LAYERS.format(asked=""),
        "n = sum(p.numel() for p in " + LAYERS.format(asked=".parameters()").strip() + ")\n",
    ),
    "layers that are moved": (
        "unflattened", "net = " + LAYERS.format(asked=".to(device)"),
        "ps = " + LAYERS.format(asked=".state_dict()"),
    ),
    "one model for all rounds, and one for each": (
        "stays_in_eval", "m = Net()\n" + ARM,
        "for arm in arms:\n    m = Net()\n    opt = SGD(m.parameters(), 1)\n"
        "    for x in data:\n        m(x).sum().backward()\n    m.eval()\n",
    ),
    "a tensor, and a batch of a class of its own": (
        "result_unused", BATCH.format(target="batch[0]"), BATCH.format(target="batch.targets"),
    ),
    "a result that is left, and one that is computed once more": (
        "never_used", "for x, y in data:\n    xs = fit(x)\n    loss = ce(net(x), y)\n" + FIT,
        "for x, y in data:\n    xs = fit(x)\n    kept.extend(fit(x))\n    loss = ce(net(x), y)\n"
        + FIT,
    ),
    "a term beside the loss, and backward() that reads no loss": (
        "never_used", "for x in data:\n    loss = rec(x)\n    kl_loss = crit(x)\n" + FIT,
        "for x in data:\n    out = model(x)\n    kl_loss = crit.forward(out)\n"
        "    model.backward(crit.backward())\n    opt.step()\n",
    ),
    "a term beside a loss that is handed over": (
        "never_used", "for x in data:\n    loss = rec(x)\n    kl_loss = crit(x)\n"
        "    accelerator.backward(loss)\n    opt.step()\n",
        "for x in data:\n    grad = rec(x)\n    kl_loss = crit(x)\n"
        "    engine.backward(grad)\n    opt.step()\n",
    ),
    "a sum beside the loss, and a part of it": (
        "graph_kept", "for x in data:\n    part_loss = crit(x)\n    total += part_loss\n"
        "    loss = other(x)\n    loss.backward()\n",
        "for x in data:\n    for y in x:\n        part_loss = crit(y)\n        total += part_loss\n"
        "    loss = other(x) + total\n    loss.backward()\n",
    ),
    "a parameter that moves, and one whose numbers are there": (
        "parameter_lost", "x = torch.ones(2)\nx = nn.Parameter(x).to(device)\n",
        "x = torch.ones(2).to(device)\nx = nn.Parameter(x).to(device)\n",
    ),
    "PyTorch, and a library with its names": (
        "never_zeroed", "from torch.nn import Linear\nfrom torch.optim import SGD\n" + UNZEROED,
        "from tinygrad_like.nn import Linear\nfrom tinygrad_like.optim import SGD\n" + UNZEROED,
    ),
    "the same by an attribute": (
        "never_zeroed", "import mylib as ml\nimport torch\nnet = ml.Linear(2, 2)\n" + UNZEROED,
        "import mylib as ml\nnet = ml.Linear(2, 2)\n" + UNZEROED,
    ),
    "a program, and a test": (
        "never_zeroed", "import torch\n" + UNZEROED, "import pytest\nimport torch\n" + UNZEROED,
    ),
    "a loss that is to ask for a gradient, and one that is not": (
        "new_leaf", "loss.requires_grad_(True)\n", "loss.requires_grad_(False)\n",
    ),
    "an excerpt without its imports": (
        "never_zeroed", "from mylib import Linear\nopt = torch.optim.SGD(p, 1)\n" + UNZEROED,
        "from mylib import Linear\nimport mylib.optim as optim\nopt = optim.SGD(p, 1)\n" + UNZEROED,
    ),
}  # fmt: skip


def test_what_is_added_up_is_named_and_how() -> None:
    """A place in a list has no name, and of a number nothing can be read off."""
    code = "for x in data:\n    loss = crit(x)\n    totals[0] += loss\n    loss.backward()\n"
    read = "for x in data:\n    loss = crit(x)\n    t += loss\n    loss.backward()\nt.item()\n"
    told = [
        next(r for r in remarks(ast.parse(c), c) if r.kind == "graph_kept") for c in (code, read)
    ]

    assert told[0].message.startswith("`totals[0]` keeps") and "`loss.item()`" in told[0].message
    assert "`loss.detach()`" in told[1].message


@pytest.mark.parametrize("name", PAIRS)
def test_of_one_and_not_of_the_other(name: str) -> None:
    """A rule tells what it is for, and nothing of what only looks like it."""
    kind, shown, sound = PAIRS[name]

    assert kind in kinds(shown)
    assert kind not in kinds(sound)
