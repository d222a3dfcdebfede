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

REACHES = (
    "class Trainer:\n    def fit(self):\n        self.opt = SGD(self.net.parameters(), 1)\n"
    "        for x in self.data:\n            self.opt.zero_grad()\n"
    "            self.net(x).sum().backward()\n            self.opt.step()\n"
    "            {asked}\n    def judge(self):\n        self.net.eval()\n"
)

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
    "a derivative in the loss of the same function, and one that is given back": (
        "graph_left_out", "def fit(x):\n    g = torch.autograd.grad(f(x), x)[0]\n"
        "    loss = f(x) + g.norm()\n    loss.backward()\n",
        "def fit(x):\n    loss = f(x)\n    g = loss.mean()\n    g.backward()\n"
        "def slope(x):\n    g = torch.autograd.grad(f(x), x)[0]\n    return g\n",
    ),
    "the same in a function that is called": (
        "graph_left_out", "def slope(x):\n    g = torch.autograd.grad(f(x), x)[0]\n"
        "    return g.norm()\ndef fit(x):\n    loss = f(x) + slope(x)\n    loss.backward()\n",
        "def slope(x):\n    g = torch.autograd.grad(f(x), x)[0]\n"
        "    return g.norm()\ndef fit(x):\n    loss = f(x)\n    loss.backward()\n",
    ),
    "a derivative as a term, and as a weight of what it is by": (
        "graph_left_out", "g = torch.autograd.grad(f(a), a)[0]\nloss = b * g\nloss.backward()\n",
        "g = torch.autograd.grad(f(a), a)[0]\nloss = a * (g + w)\nloss.backward()\n",
    ),
    "a state that is kept, and one that is filled to be loaded": (
        "state_not_copied", "for x in data:\n    opt.step()\n    if good:\n"
        "        s = m.state_dict()\nm.load_state_dict(s)\n",
        "for x in data:\n    opt.step()\n    if path:\n        s = m.state_dict()\n"
        "        s['a'] = old['a']\n        m.load_state_dict(s)\n",
    ),
    "the same by an update": (
        "state_not_copied", "for x in data:\n    opt.step()\n    if good:\n"
        "        s = m.state_dict()\nm.load_state_dict(s)\n",
        "for x in data:\n    opt.step()\n    if path:\n        s = m.state_dict()\n"
        "        s.update(old)\n        m.load_state_dict(s)\n",
    ),
    "a share of one epoch, and of all so far": (
        "never_reset", "n = 0\nfor epoch in range(3):\n    for x in data:\n"
        "        loss.backward()\n        n += right(x)\n    print(n / len(data))\n",
        "n = 0\nfor epoch in range(3):\n    for x in data:\n"
        "        loss.backward()\n        n += right(x)\n    print(n / (epoch + 1))\n",
    ),
    "a scaler that steps nothing, and one under another name": (
        "scaler", "opt = SGD(m.parameters(), 1)\nself.scaler.scale(loss).backward()\nopt.step()\n",
        "opt = SGD(m.parameters(), 1)\nself.scaler.scale(loss).backward()\n"
        "scaler = self.scaler\nif scaler is None:\n    opt.step()\nelse:\n"
        "    scaler.step(opt)\nscaler.update()\n",
    ),
    "an excerpt of PyTorch, and of a library that nobody imports there": (
        "never_zeroed", "net = nn.Linear(2, 2)\noptim = SGD(net.parameters(), 1)\n"
        + UNZEROED.replace("opt.", "optim."),
        "net = dn.Linear(2, 2)\noptim = dn.optim.SGD(net.parameters(), 1)\n"
        + UNZEROED.replace("opt.", "optim."),
    ),
    "a mask of padding, and one of sure predictions": (
        "masked_mean", "mask = y != pad\nloss = (e * mask).mean()\n",
        "mask = p.max(1)[0] > 0.9\nloss = (e * mask).mean()\n",
    ),
    "a mask by its name": (
        "masked_mean", "loss = (e * pad_mask).mean()\n", "loss = (e * sure_mask).mean()\n",
    ),
    "a cross-entropy that is written out, and an entropy": (
        "log_without_a_floor", "p = torch.sigmoid(s)\n"
        "loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()\n",
        "p = torch.sigmoid(s)\nloss = -(p * torch.log(p) + (1 - p) * torch.log(1 - p)).mean()\n",
    ),
    "the same, and a loss that asks for even odds": (
        "log_without_a_floor", "p = torch.sigmoid(s)\n"
        "loss = -(torch.log(p) * y + torch.log(1 - p) * (1 - y)).mean()\n",
        "p = torch.sigmoid(s)\nloss = ((torch.log(p) - torch.log(1 - p)) ** 2).mean()\n",
    ),
    "a mode that is written down, and one of an option": (
        "plateau_mode", "s = ReduceLROnPlateau(opt, mode='min')\ns.step(accuracy)\n",
        "s = ReduceLROnPlateau(opt, mode=args.mode)\ns.step(accuracy)\n",
    ),
    "a term that nothing adds, and a loss of another data set": (
        "never_used", "for e in range(3):\n    for x in data:\n        aux_loss = crit(net(x))\n"
        "        loss = crit(x)\n        loss.backward()\n        opt.step()\n",
        "for e in range(3):\n    for x in data:\n        loss = crit(x)\n"
        "        loss.backward()\n        opt.step()\n    with torch.no_grad():\n"
        "        for x in held_out:\n            aux_loss = crit(net(x))\n",
    ),
    "gradients that stay off, and that a block switches on again": (
        "grad_off", "torch.set_grad_enabled(False)\nloss.backward()\n",
        "with torch.no_grad():\n    torch.set_grad_enabled(False)\nloss.backward()\n",
    ),
    "a method of the class, and one of what it has": (
        "stays_in_eval", REACHES.format(asked="self.judge()"),
        REACHES.format(asked="self.noise.judge()"),
    ),
    "the same of what a call gives": (
        "stays_in_eval", REACHES.format(asked="self.judge()"),
        REACHES.format(asked="prior(x).judge()"),
    ),
    "a model with dropout, and one where the mode decides nothing": (
        "stays_in_eval", "class Net(nn.Module):\n    def __init__(self):\n"
        "        self.a = nn.Dropout(0.5)\nm = Net()\n" + ARM,
        "class Net(nn.Module):\n    def __init__(self):\n"
        "        self.a = nn.Linear(2, 2)\nm = Net()\n" + ARM,
    ),
}  # fmt: skip


def test_a_schedule_that_waits_is_told_what_for() -> None:
    code = "opt = SGD(p, 1)\ns = {made}(opt)\nfor x in data:\n    opt.step()\n"
    told = [
        next(r.message for r in remarks(ast.parse(c), c) if r.kind == "scheduler_idle")
        for c in (code.format(made="ReduceLROnPlateau"), code.format(made="ExponentialLR"))
    ]

    assert "`s.step(loss)`" in told[0] and "`s.step()`" in told[1]


def test_layers_that_are_not_seen_are_not_claimed() -> None:
    """What a model from elsewhere has is not known."""
    told = [
        next(r.message for r in remarks(ast.parse(c), c) if r.kind == "stays_in_eval")
        for c in (ARM, "m = nn.Sequential(nn.Linear(2, 2), nn.Dropout())\n" + ARM)
    ]

    assert "where it has them, its Dropout" in told[0]
    assert "eval mode; its Dropout" in told[1]


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
