"""The edits that a probe's finding brings along, by the text alone: before, and after."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from executor.inside import remarks
from executor.inside.probes.kinds import finding
from executor.inside.probes.training.follower_edits import brought_up_to_date
from executor.inside.probes.training.kept_edits import (
    cut_each_round,
    cut_in_loop,
    without_graphs,
)
from executor.inside.probes.training.loss_edits import of_the_loss
from executor.inside.probes.training.mask_edits import causal
from executor.inside.probes.training.schedule_edits import of_what_steps, once_an_epoch
from executor.inside.probes.training.told_edits import full_hooks, retained, with_its_graph
from executor.inside.remarks.asked import generator_copied
from executor.inside.remarks.edits import Told
from executor.inside.remarks.seeded import drawn_each_epoch
from knowledge.repair.by_finding import ANY
from knowledge.repair.findings import as_told
from knowledge.repair.toolkit.edits import Program

FIT = "loss = f(x)\n    loss.backward()\n    "


def applied(code: str, ways: list[dict[str, Any]]) -> list[str]:
    """What the code becomes, in each way, as it goes out of the jail and into another one."""
    told = finding("graph_kept", 1, "", "", ways=json.loads(json.dumps(ways)))
    return [r.module.code for r in as_told.EDITS[ANY](Program(code), told)]


def becomes(code: str, ways: list[dict[str, Any]], wanted: str | None) -> None:
    """One edit, after which this stands there; or none at all."""
    made = applied(code, ways)
    assert [wanted in m for m in made] == [True] if wanted is not None else made == []


def loop(then: str, after: str = "") -> str:
    """A training whose every step does something, and what follows it."""
    return f"for x in data:\n    {FIT}{then}\n{after}"


# What is kept, whether it holds losses, the program, and what stands there after the edit.
KEPT = [
    ("total", True, loop("total += loss"), "total += loss.item()\n"),
    ("total", True, loop("total = total + loss"), "total = total + loss.item()\n"),
    ("total", True, loop("total += loss * len(x)"), "total += loss.item() * len(x)\n"),
    ("total", True, loop("total += len(x) * loss"), "total += len(x) * loss.item()\n"),
    ("total", True, loop("total += ce + kl"), "total += (ce + kl).item()\n"),
    ("total", True, loop("total += loss", "print(total / 9, f'{total:.3f}')\n"), "loss.item()"),
    ("total", True, loop("total += loss", "print(total.item())\n"), "loss.detach()"),
    ("total", True, loop("total += loss", "mean = total / 9\nmean.cpu()\n"), "loss.detach()"),
    ("total", True, "def fit():\n    " + loop("total += loss", "    return total\n").replace(
        "\n", "\n    ").rstrip() + "\n\nt = fit()\nprint(t.item())\n", "loss.detach()"),
    ("seen", True, loop("seen.append(loss)"), "seen.append(loss.item())\n"),
    ("seen", True, loop("seen.append(loss)", "m = torch.stack(seen)\n"), "loss.detach()"),
    ("seen", True, loop("seen.append(loss)", "for s in seen:\n    print(s.item())\n"),
     "loss.detach()"),
    ("seen", True, loop("seen += [loss]"), "seen += [loss.item()]"),
    ("self.log['a']", True, loop("self.log['a'].append(loss)"), "loss.item()"),
    ("t.total", True, loop("self.total += loss"), "loss.item()"),
    ("outs", False, loop("outs.append(net(x))"), "outs.append(net(x).detach())"),
    ("seen", True, loop("seen.append(loss)\n    seen.append(loss.item())"),
     "seen.append(loss.item())\n    seen.append(loss.item())"),
    # What something goes back through keeps its graph.
    ("total", True, loop("total += loss", "(total / 9).backward()\n"), None),
    ("outs", False, loop("outs.append(h)", "y = torch.cat(outs)\ne = g(y)\ne.backward()\n"), None),
    ("seen", True, loop("seen.append(loss)", "for s in seen:\n    s.backward()\n"), None),
    ("seen", True, loop("seen.append(loss)", "torch.autograd.grad(sum(seen), w)\n"), None),
    # It may grow elsewhere too.
    ("seen", True, loop("seen.append(loss)\n    seen.extend(more)"), None),
    ("seen", True, loop("keep(loss)"), None),
    ("t.total", True, loop("total += loss"), None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "of_losses", "code", "wanted"), KEPT)
def test_what_is_kept_loses_its_graph(name: str, of_losses: bool, code: str, wanted: str | None):
    becomes(code, without_graphs(ast.parse(code), [(name, of_losses)]), wanted)


def test_of_two_that_are_kept_both_are_edited_or_none():
    code = loop("total += loss\n    seen.append(loss)")
    both = [("total", True), ("seen", True)]
    (made,) = applied(code, without_graphs(ast.parse(code), both))
    assert made.count("loss.item()") == 2
    code += "sum(seen).backward()\n"
    assert without_graphs(ast.parse(code), both) == []


HOOKS = [
    ("net.register_backward_hook(f)\n", "net.register_full_backward_hook(f)\n"),
    ("h = [m.register_backward_hook(f) for m in n]\n", "m.register_full_backward_hook(f) for"),
    ("nets[0].register_backward_hook(hook=f)\n", "nets[0].register_full_backward_hook(hook=f)\n"),
    ("class N:\n    def register_backward_hook(self, f): ...\nn.register_backward_hook(f)\n", None),
    ("x.register_hook(f)\n", None),
]


@pytest.mark.parametrize(("code", "wanted"), HOOKS)
def test_a_hook_of_the_whole_layer(code: str, wanted: str | None):
    becomes(code, full_hooks(ast.parse(code)), wanted)


MADE = "h = net(x)\nloss = f(h)\nloss.backward()\n"
METHOD = "def look(net, x):\n    y = net(x)\n    y.backward()\n    return x.grad\n"
# The program, and what stands there after the edit; its last line reads the gradient.
GRADS = [
    (MADE + "print(h.grad)", "h = net(x)\nh.retain_grad()\n"),
    (MADE.replace("h", "self.h") + "print(self.h.grad)", "self.h.retain_grad()\n"),
    (MADE.replace("f(h)", "f(g)").replace("loss =", "g = k(h)\nloss =") + "h.grad", "h.retain_g"),
    ("look(net, x)\n" + METHOD, "x):\n    x.retain_grad()\n    y = net(x)\n"),
    (METHOD, None),  # nobody knows what it is given
    ("look(net, x)\nlook(net, z)\n" + METHOD, None),
    (MADE.replace("f(h)", "f(h.detach())") + "print(h.grad)", None),
    (MADE.replace("f(h)", "f(h.item())") + "print(h.grad)", None),
    (MADE.replace("f(h)", "f(x)") + "print(h.grad)", None),  # of no part of the loss
    (MADE.replace("loss.backward()\n", "") + "print(h.grad)", None),
    (MADE.replace("h = net(x)\n", "h = net(x)\nh = g(h)\n") + "print(h.grad)", None),
    (MADE + "print(h.grad, x.grad)", None),
    (
        "from torch.utils import data\nd = torch.utils.data\n" + MADE + "print(h.grad)",
        "h.retain_grad()",
    ),
    (MADE.replace("loss.b", "print(h.grad)\nloss.b"), None),  # too early
    ("def f(h):\n    print(h.grad)\n\n" + MADE + "f(h)\n", None),
    (MADE + "def f(h):\n    return h.grad\n\nf(h)\n", None),
]


@pytest.mark.parametrize(("code", "wanted"), GRADS)
def test_a_gradient_that_is_read_is_kept(code: str, wanted: str | None):
    line = code.count("\n", 0, code.rindex(".grad")) + 1
    becomes(code, retained(ast.parse(code), line), wanted)


COPIES = [
    ("y = w * torch.tensor(b)\n", "y = w * b\n"),
    ("y = w * torch.tensor(a + b, requires_grad=True)\n", "y = w * (a + b)\n"),
    ("y = torch.tensor(net(x))\n", "y = net(x)\n"),
    ("y = torch.tensor(b, dtype=torch.long)\n", None),
    ("y = torch.tensor([a, b])\n", None),
    ("y = torch.tensor(a) + torch.tensor(b)\n", None),  # which of them
    ("y = torch.zeros(b)\n", None),
]


@pytest.mark.parametrize(("code", "wanted"), COPIES)
def test_a_copy_gives_way_to_what_has_the_graph(code: str, wanted: str | None):
    becomes(code, with_its_graph(ast.parse(code), 1), wanted)


EPOCHS = "for e in r:\n    for x in d:\n        opt.step()\n        {}    p(e)\n"
ONE = "def one(d):\n    for x in d:\n        opt.step()\n        plan.step()\n    return 1\n"
STEPPED = [
    (EPOCHS.format("plan.step()\n"), "opt.step()\n    plan.step()\n    p(e)\n"),
    (EPOCHS.format("self.plan.step()\n"), "opt.step()\n    self.plan.step()\n    p(e)\n"),
    (EPOCHS.format("lr_sched.step()\n"), "opt.step()\n    lr_sched.step()\n    p(e)\n"),
    (ONE + "for e in r:\n    one(d)\n", "opt.step()\n    plan.step()\n    return 1\n"),
    (ONE, None),  # nothing calls it
    (ONE + "one(d)\n", None),  # in no epoch
    (EPOCHS.format("if x:\n            plan.step()\n"), None),
    (EPOCHS.format("if x:\n            log()\n            plan.step()\n"), None),
    (EPOCHS.format("plan.step(e)\n"), None),
    (EPOCHS.format("plan.step(epoch=e)\n"), None),
    (EPOCHS.format("plan.step()\n        if x:\n            return\n"), None),
    (EPOCHS.format("plan.step()\n    else:\n        log()\n"), None),
    (
        "for k in folds:\n    " + EPOCHS.format("plan.step()\n").replace("\n", "\n    ").rstrip(),
        None,
    ),
    (EPOCHS.format("plan.step()\n") + "plan.step()\n", "    plan.step()\n    p(e)\n"),
    (EPOCHS.format("plan.step()\n        sched.step()\n"), None),  # two of them
    ("for x in d:\n    opt.step()\n    plan.step()\n", None),  # no epochs
]


@pytest.mark.parametrize(("code", "wanted"), STEPPED)
def test_a_schedule_of_epochs_moves_once_in_each(code: str, wanted: str | None):
    becomes(code, once_an_epoch(ast.parse(code), {"plan"}), wanted)


TWO = "a = SGD(ps)\n{}b = Adam(ps)\n{}"
SAME = "a = SGD(ps)\ns = StepLR(a, 3)\n{}a = Adam(ps)\n"
OF = [
    (TWO.format("", "s = StepLR(a, 3)\n"), "b", "s = StepLR(b, 3)\n"),
    (TWO.format("", "s = StepLR(optimizer=a)\n"), "b", "s = StepLR(optimizer=b)\n"),
    (SAME.format(""), "a", "a = Adam(ps)\ns = StepLR(a, 3)\n"),
    (SAME.format("n = 3\n"), "a", "n = 3\na = Adam(ps)\ns = StepLR(a, 3)\n"),
    (SAME.format("").replace("a ", "self.a ").replace("(a", "(self.a"), "Adam",
     "self.a = Adam(ps)\ns = StepLR(self.a, 3)\n"),
    (TWO.format("s = StepLR(a, 3)\n", ""), "b", None),  # it is made later
    (SAME.format("s.step()\n"), "a", None),  # it was used
    ("a = SGD(ps)\ns = StepLR(a, 3)\ndef f():\n    a = Adam(ps)\n", "a", None),
    (TWO.format("", "s = StepLR(a, 3)\nt = StepLR(a, 5)\n"), "b", None),  # which of them
    (TWO.format("", "s = StepLR(a, 3)\n"), "c", None),
]  # fmt: skip


@pytest.mark.parametrize(("code", "name", "wanted"), OF)
def test_a_schedule_of_the_optimizer_that_steps(code: str, name: str, wanted: str | None):
    becomes(code, of_what_steps(ast.parse(code), "StepLR", name), wanted)


BCE = "y_hat = net(x)\nloss = F.binary_cross_entropy(y_hat, y)\n"
LOGITS = "crit = nn.BCEWithLogitsLoss()\nloss = crit(net(x), y)\n"
SOFTMAX = [
    ("net = nn.Sequential(a, nn.Softmax(dim=1))\n" + BCE, "nn.Sequential(a, nn.Sigmoid())"),
    ("self.out = nn.Softmax(1)\nh = self.out(h)\n" + BCE, "self.out = nn.Sigmoid()\n"),
    ("p = F.softmax(a + b, dim=1)\n" + BCE, "p = (a + b).sigmoid()\n"),
    ("p = torch.softmax(h, 1)\n" + BCE, "p = h.sigmoid()\n"),
    ("p = net(x).softmax(-1)\n" + BCE, "p = net(x).sigmoid()\n"),
    ("net = nn.Sequential(a, nn.Softmax(dim=1))\n" + LOGITS, "net = nn.Sequential(a)\n"),
    ("self.out = nn.Softmax(1)\n" + LOGITS, "self.out = nn.Identity()\n"),
    ("p = h.softmax(1)\n" + LOGITS, "p = h\n"),
    ("p = F.softmax(h, dim=1)\nloss = F.mse_loss(p, y)\n", None),
    ("w = F.softmax(a, dim=1)\np = F.softmax(h, dim=1)\n" + BCE, None),
    ("p = F.softmax(h, dim=1)\nc = p.argmax(1)\n" + BCE, None),
    ("p = F.softmax(h, dim=1)\nc = p > 0.5\n" + LOGITS, None),  # it would read scores
    ("p = F.log_softmax(h, dim=1)\n" + BCE, None),
    ("p = F.softmax(h, dim=1)\nc = p > 0.5\n" + BCE, "p = h.sigmoid()\n"),
    ("p = F.softmax(h, dim=1)\n" + BCE + LOGITS, None),  # one of each
    ("net = nn.Sequential(a, Softmax(dim=1))\n" + BCE, None),
    ("self.softmax = nn.Softmax(1)\nh = self.softmax(h)\n" + BCE, "self.softmax = nn.Sigmoid()\n"),
    ("net = wrap(a, nn.Softmax(1))\n" + LOGITS, "wrap(a, nn.Identity())"),
]


@pytest.mark.parametrize(("code", "wanted"), SOFTMAX)
def test_a_softmax_of_one_value_becomes_a_sigmoid(code: str, wanted: str | None):
    becomes(code, of_the_loss(ast.parse(code), "softmax_one_column", {})["ways"], wanted)


PAIR, PIXELS = (-1, 1, True), (0, 255, False)
TARGETS = [
    (BCE, PAIR, "(y_hat, (y + 1) / 2)"),
    (BCE, (1, 2, True), "(y_hat, y - 1)"),
    (BCE, PIXELS, "(y_hat, y / 255)"),
    (LOGITS, PAIR, "crit(net(x), (y + 1) / 2)"),
    ("loss = nn.BCELoss()(net(x), target=a - b)\n", PAIR, "target=((a - b) + 1) / 2)"),
    ("def f(c):\n    return c(net(x), y)\nf(nn.BCELoss())\n", PAIR, "c(net(x), (y + 1) / 2)"),
    (LOGITS + "test = crit(net(z), y)\n", PAIR, "crit(net(z), (y + 1) / 2)"),
    (LOGITS + "right = torch.sign(net(x)) == y\n", PAIR, "(y + 1) / 2"),
    (LOGITS + "right = (net(x) > 0).float() == y\n", PAIR, None),  # of 0 and 1
    (LOGITS + "fake = crit(net(z), zeros)\n", PAIR, None),
    (BCE, (-1, 1, False), None),  # -1 may stand for what is not known
    (BCE, (0, 5, False), None),
    (BCE, (1, 2, False), None),
    (BCE, (0, 2, True), None),
    (BCE, (0, 255, True), None),  # labels
    (BCE, (-3, 255, False), None),
    ("loss = F.mse_loss(net(x), y)\n", PAIR, None),
]


@pytest.mark.parametrize(("code", "seen", "wanted"), TARGETS)
def test_targets_come_between_0_and_1(
    code: str, seen: tuple[float, float, bool], wanted: str | None
):
    facts = dict(zip(("smallest", "largest", "two"), seen, strict=True))
    becomes(code, of_the_loss(ast.parse(code), "bce_targets", facts)["ways"], wanted)


ROUND = "for x in data:\n    {}\n    loss = f(o)\n    loss.backward({})\n"
ONE_STATE = ROUND.format("o, h = net(x, h)", "retain_graph=True")
CARRIED = [
    (ONE_STATE, ["loss.backward()\n    h = h.detach()\n",
                 "loss.backward()\n    h = tuple(s.detach() for s in h)\n"]),
    (ROUND.format("h = net(x, h)", ""), ["loss.backward()\n    h = h.detach()\n", "tuple("]),
    (ROUND.format("o, h = net(x, state=h)", ""), ["    h = h.detach()\n", "tuple("]),
    (ROUND.format("o, (h, c) = net(x, (h, c))", ""), ["h, c = h.detach(), c.detach()\n"]),
    (ROUND.format("h, c = net(x, (h, c))", "g, retain_graph=True"),
     ["backward(g, retain_graph=True)\n    h, c = h.detach(), c.detach()\n"]),
    (ROUND.format("o, self.h = net(x, self.h)", ""), []),
    (ROUND.format("o, h = net(x, k)", ""), []),
    (ROUND.format("o, h = net(x, h)\n    p, k = net(x, k)", ""), []),  # two of them
    (ONE_STATE + "    other.backward()\n", []),
    ("o, h = net(x, h)\nf(o)\n\no.backward()\n", []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "wanted"), CARRIED)
def test_what_is_carried_on_is_cut_off(code: str, wanted: list[str]):
    made = applied(code, cut_each_round(ast.parse(code), 4))
    assert [w in m for w, m in zip(wanted, made, strict=True)] == [True] * len(wanted)


def test_a_state_that_nothing_goes_back_through_is_cut_off_at_the_end_of_a_round():
    code = "for x in data:\n    o, h = net(x, h)\n    print(o)\nprint(h)\n"
    (loop, _) = ast.parse(code).body
    assert isinstance(loop, ast.For)
    one, pair = applied(code, cut_in_loop("h", loop))
    assert one == code.replace("(o)\n", "(o)\n    h = h.detach()\n")
    assert "(o)\n    h = tuple(s.detach() for s in h)\nprint(h)" in pair


ENCODER = "e = nn.TransformerEncoderLayer(8, 2{})\nself.enc = nn.TransformerEncoder(e, 2)\n"
FIRST = ENCODER.format(", batch_first=True")
MASK = "nn.Transformer.generate_square_subsequent_mask({}, device=x.device)"
NN = "from torch import nn\n"
MASKED = [
    (NN + FIRST + "y = self.enc(x)\n",
     f"y = self.enc(x, mask={MASK.format('x.size(1)')}, is_causal=True)\n"),
    (NN + ENCODER.format("") + "y = self.enc(x)\n", "mask=" + MASK.format("x.size(0)")),
    ("import torch\n" + FIRST + "y = self.enc(x)\n", "mask=torch." + MASK.format("x.size(1)")),
    (NN + "a = nn.MultiheadAttention(8, 2, batch_first=True)\ny, _ = a(x, x, x, dropout=0)\n",
     f"a(x, x, x, dropout=0, attn_mask={MASK.format('x.size(1)')})\n"),
    (NN + "b = [nn.TransformerEncoderLayer(8, 2) for _ in r]\nfor l in b:\n    x = l(x)\n",
     f"    x = l(x, src_mask={MASK.format('x.size(0)')}, is_causal=True)\n"),
    (NN + FIRST + "y = self.enc(x, mask=m)\n", None),
    (NN + ENCODER.format(", batch_first=False") + "y = self.enc(x)\n", MASK.format("x.size(0)")),
    (NN + FIRST + "y = self.enc(x, is_causal=True)\n", None),
    (NN + FIRST + "y = self.enc(x, x)\n", None),
    (NN + FIRST + "y = self.enc(x, **given)\n", None),
    (NN + FIRST + "y = self.enc(emb(x))\n", None),  # it has no name
    (NN + FIRST + "y = self.enc(x).softmax(1)\n", None),  # it may attend by itself
    (NN + FIRST + "g = nn.GRU(8, 8, bidirectional=True)\ny = self.enc(x)\n", None),
    (NN + "a = nn.MultiheadAttention(8, 2)\ny, _ = a(x, z, z)\n", None),  # to another sequence
    (NN + FIRST + "a = nn.MultiheadAttention(8, 2)\ny = self.enc(x)\n", None),  # of two forms
    (NN + FIRST + "y = self.other(x)\n", None),
]  # fmt: skip


@pytest.mark.parametrize(("code", "wanted"), MASKED)
def test_a_causal_mask(code: str, wanted: str | None):
    becomes(code, causal(ast.parse(code)), wanted)


COUNT = "import torch\nright += (a == b).sum()\n"
FLOORED = [
    (COUNT + "acc = right // n\n", "acc = right / n\n"),
    (COUNT + "print(right // (n + m))\n", "print(right / (n + m))\n"),
    (COUNT + "acc = right // n\nval_acc = hits // len(y)\n",
     "acc = right / n\nval_acc = hits / len(y)\n"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "wanted"), FLOORED)
def test_a_share_is_not_rounded(code: str, wanted: str):
    tree = ast.parse(code)
    told = remarks.mended(tree, code, remarks.found(tree, code))
    ((_, ways),) = [one for one in told if one[0].kind == "floored"]
    becomes(code, [*ways], wanted)


@pytest.mark.parametrize("division", ["acc = 100 * right // n", "batches = n // 32", "n //= 2"])
def test_what_is_whole_on_purpose_stays_so(division: str):
    code = COUNT + division + "\n"
    assert not any(r.kind == "floored" for r in remarks.found(ast.parse(code), code))


MAKES = "def loader({}):\n    {}\n    return DataLoader(d, shuffle=True, generator=g)\n\n"
EACH = "for epoch in range(9):\n    for x in {}:\n        f(x).backward()\n"
SEED = "g = torch.Generator().manual_seed(3)"
SEEDED = [
    (MAKES.format("", SEED) + EACH.format("loader()"), f"{SEED}\ndef loader():\n    return"),
    (f"for epoch in range(9):\n    {SEED}\n    for i in torch.randperm(9, generator=g):\n"
     "        f(x[i]).backward()\n", f"{SEED}\nfor epoch in range(9):\n    for i in"),
    (f"for epoch in range(9):\n    {SEED}\n    l = DataLoader(d, shuffle=True, generator=g)\n"
     "    for x in l:\n        f(x).backward()\n", f"{SEED}\nfor epoch in range(9):\n    l ="),
    (MAKES.format("", SEED) + "g = 9.81\n" + EACH.format("loader()"), None),  # another one's name
    (MAKES.format("seed=3", SEED.replace("(3)", "(seed)")) + EACH.format("loader()"), None),
    ("class D:\n    def loader(self):\n        " + SEED + "\n        return DataLoader(d, "
     "shuffle=True, generator=g)\n" + EACH.format("self.loader()"), None),
]  # fmt: skip


@pytest.mark.parametrize(("code", "wanted"), SEEDED)
def test_a_generator_is_made_once(code: str, wanted: str | None):
    (told,) = drawn_each_epoch(ast.parse(code))
    assert isinstance(told, Told)
    becomes(code, [*told.ways], wanted)


DRAWS = """\
import numpy as np
import torch
class D:
    def __init__(self):
        self.rng = {}
        self.x = {}
    def __getitem__(self, i):
        return self.rng.normal() + self.x
"""
OWN = "[3, torch.initial_seed() % 2**32])\n        return"
DRAWN = [
    ("np.random.default_rng(3)", "0", "self.rng = self.rng or np.random.default_rng(" + OWN),
    ("np.random.RandomState(3)", "0", "self.rng = None\n        self.x = 0\n"),
    ("np.random.default_rng()", "0", None),  # of whatever seed
    ("np.random.default_rng(3)", "self.rng.normal()", None),  # it is drawn from before
    ("torch.Generator(3)", "0", None),
]


@pytest.mark.parametrize(("made", "x", "wanted"), DRAWN)
def test_each_worker_makes_its_own_generator(made: str, x: str, wanted: str | None):
    code = DRAWS.format(made, x)
    (told,) = generator_copied(ast.parse(code))
    assert isinstance(told, Told)
    becomes(code, [*told.ways], wanted)


SOFT = "    for p, q in zip({}.parameters(), {}.parameters()):\n        {}\n"
LERP = "p.data.lerp_(q.data, 0.1)"
EMA = (
    "opt = SGD(net.parameters())\nema = copy.deepcopy(net)\ndef update({}):\n{}"
    "for x in d:\n    loss.backward()\n    opt.step()\n{}"
)
METHOD_OF = (
    "class A:\n    def __init__(self):\n        self.t = copy.deepcopy(self.q)\n"
    "        self.opt = SGD(self.q.parameters())\n    def soft_update(self{}):\n"
    "        for p, q in zip(self.t.parameters(), self.q.parameters()):\n"
    "            p.lerp_(q, 0.1)\n"
    "    def learn(self):\n        self.opt.step(){}\n"
)
FOLLOWS = [
    (EMA.format("a, b", SOFT.format("a", "b", LERP), ""), "ema", "step()\n    update(ema, net)\n"),
    (EMA.format("a, b, f=1", SOFT.format("b", "a", LERP), ""), "ema", "    update(net, ema)\n"),
    (EMA.format("a, b", SOFT.format("a", "b", "p.data = 0.9 * p + 0.1 * q"), ""), "ema",
     "    update(ema, net)\n"),
    (METHOD_OF.format("", ""), "self.t", "self.opt.step()\n        self.soft_update()\n"),
    (METHOD_OF.format(", tau=0.1", ""), "self.t", "        self.soft_update()\n"),
    (METHOD_OF.format(", tau", ""), "self.t", None),
    (METHOD_OF.format("", "; self.other.opt.step()"), "self.t", None),  # behind which
    (METHOD_OF.format("", "; self.soft_update()"), "self.t", None),  # it is called
    (METHOD_OF.format("", "").replace("self.opt.step()", "pass") + "a.opt.step()\n", "self.t",
     None),
    (EMA.format("a, b", SOFT.format("a", "b", LERP), "").replace("copy.deepcopy", "Net"), "ema",
     None),
    (EMA.format("a, b", SOFT.format("a", "b", LERP), "").replace("update", "compare"), "ema", None),
    (EMA.format("a, b", SOFT.format("a", "b", "p.data.copy_(q.data)"), ""), "ema", None),
    (EMA.format("a, b", "    a.load_state_dict(b.state_dict())\n", ""), "ema", None),
    (EMA.format("a, b", SOFT.format("a", "b", "p = 0.9 * p + 0.1 * q"), ""), "ema", None),
    (EMA.format("a", SOFT.format("a", "net", LERP), ""), "ema", None),
    (EMA.format("a, b", SOFT.format("a", "b", LERP), "    update(ema, net)\n"), "ema", None),
]  # fmt: skip


@pytest.mark.parametrize(("code", "path", "wanted"), FOLLOWS)
def test_what_was_written_for_a_copy_is_called(code: str, path: str, wanted: str | None):
    becomes(code, brought_up_to_date(ast.parse(code), path), wanted)
