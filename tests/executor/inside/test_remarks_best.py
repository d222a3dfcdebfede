"""executor/inside/remarks/: which score is better, and how the best one is kept."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks.scores import score
from tests.executor.inside.test_remarks import kinds

HEAD = (
    "import torch, copy\nimport numpy as np\nfrom torch import nn, optim\n"
    "import torch.nn.functional as F\n"
    "from torch.optim.lr_scheduler import ReduceLROnPlateau\n"
    "x, y = torch.randn(64, 4), torch.randint(0, 2, (64,))\n"
    "model = nn.Linear(4, 2)\nopt = optim.Adam(model.parameters())\n"
    "def judged():\n    with torch.no_grad():\n        return F.cross_entropy(model(x), y).item()\n"
    "def right():\n    with torch.no_grad():\n"
    "        return (model(x).argmax(1) == y).float().mean().item()\n"
)
ROUND = (
    "    opt.zero_grad()\n    l = F.cross_entropy(model(x), y)\n    l.backward()\n    opt.step()\n"
)
LOOP = HEAD + "{before}for e in range(30):\n" + ROUND + "{after}{behind}"
PLATEAU = "sched = ReduceLROnPlateau(opt{})\n"
KEEPS = "    v = {v}\n    if {test}:\n        best = v\n        torch.save(model, 'm.pt')\n"
WAITS = (
    "    v = judged()\n    if {test}:\n        {one}\n    else:\n        {other}\n"
    "    if n >= 5:\n        break\n"
)
STOPPER = (
    "class Stop:\n    def __init__(self):\n"
    "        self.low, self.n, self.kept = {begins}, 0, None\n"
    "    def __call__(self, value, model):\n        if value < self.low{margin}:\n"
    "            self.low = value\n            self.kept = {kept}\n{zero}"
    "        else:\n            self.n += 1\n        return self.n >= 4\n"
    "stop = Stop()\n"
)
STOPS = "    if stop(judged(), model):\n        break\n"
LOAD = "model.load_state_dict(stop.kept)\n"
ZERO = "            self.n = 0\n"
COPY = "copy.deepcopy(model.state_dict())"


def loop(before: str = "", after: str = "", behind: str = "") -> str:
    return LOOP.format(before=before, after=after, behind=behind)


def keeps(begins: str, v: str, test: str, more: str = "") -> str:
    return loop(f"best = {begins}\n{more}", KEEPS.format(v=v, test=test))


def waits(test: str, one: str, other: str, more: str = "") -> str:
    return loop(f"best, n = 1e9, 0\n{more}", WAITS.format(test=test, one=one, other=other))


def stopper(begins: str = "1e9", margin: str = "", kept: str = COPY, zero: str = ZERO,
            behind: str = LOAD) -> str:  # fmt: skip
    text = STOPPER.format(begins=begins, margin=margin, kept=kept, zero=zero)
    return loop(text, STOPS, behind)


TOLD = {
    "plateau_mode": [
        loop(PLATEAU.format(", 'max'"), "    sched.step(l.item())\n"),
        loop(PLATEAU.format(", mode='max'"), "    total = 0.0\n    for i in range(4):\n"
             "        total += judged()\n    sched.step(total / 4)\n"),
        loop(PLATEAU.format(""), "    sched.step(right())\n"),
        loop(PLATEAU.format(", 'min'"), "    n = (model(x).argmax(1) == y).sum().item()\n"
             "    sched.step(n / len(y))\n"),
        loop("MODE = 'max'\n" + PLATEAU.format(", mode=MODE"), "    sched.step(l)\n"),
    ],
    "best_is_worst": [
        keeps("1e9", "judged()", "v > best"),
        keeps("0.0", "right()", "best > v"),
        loop("seen = []\n", "    seen.append(l.item())\n", "best = int(np.argmax(seen))\n"),
        loop("seen = []\n", "    seen.append(judged())\n", "best = seen.index(max(seen))\n"),
        loop("seen = {}\n", "    seen[e] = judged()\n", "best = max(seen, key=seen.get)\n"),
        waits("v < best", "n += 1", "best = v", "v = 0\n"),
    ],
    "best_unreachable": [
        keeps("0.0", "judged()", "v < best"),
        keeps("-np.inf", "judged()", "v < best"),
        keeps("1.0", "right()", "v > best"),
        keeps("float('inf')", "right()", "v > best"),
        stopper("0"),
        stopper("0", " - 1e-4"),
    ],
    "patience_adds_up": [
        waits("v < best", "best = v", "n += 1"),
        waits("v >= best", "n = n + 1", "best = v"),
        loop("best, n = None, 0\n", "    v = judged()\n    if best is None or v < best:\n"
             "        best = v\n        continue\n    n += 1\n    if n > 3:\n        break\n"),
        stopper(zero=""),
        stopper(margin=" - 0.01", zero=""),
    ],
    "best_never_set": [
        loop("", "    best = 1e9\n    v = judged()\n    if v < best:\n        best = v\n"
             "        torch.save(model, 'm.pt')\n"),
        loop("def keep(v):\n    low = float('inf')\n    if v < low:\n        low = v\n"
             "        torch.save(model, 'm.pt')\n", "    keep(judged())\n"),
        loop("low = 0\n", "    with torch.no_grad():\n        v = right()\n    high = 0.0\n"
             "    if e > 3:\n        if v > high:\n            high = v\n"
             "            torch.save(model, 'm.pt')\n"),
    ],
    "best_unread": [
        stopper(behind=""),
        stopper(kept="{k: w.clone() for k, w in model.state_dict().items()}", behind=""),
        stopper(kept="copy.deepcopy(model).state_dict()", behind="print(model(x))\n"),
    ],
    "state_not_copied": [
        stopper(kept="model.state_dict()"),
        stopper(kept="{k: w for k, w in model.state_dict().items()}"),
        loop("best = {'v': 1e9}\n", "    v = judged()\n    if v < best['v']:\n"
             "        best['v'] = v\n        best['w'] = model.state_dict()\n",
             "model.load_state_dict(best['w'])\n"),
        loop("def kept(m):\n    return [p.data for p in m.parameters()]\nlow = 1e9\n",
             "    v = judged()\n    if v < low:\n        low = v\n        w = kept(model)\n",
             "for p, q in zip(model.parameters(), w):\n    p.data.copy_(q)\n"),
    ],
}  # fmt: skip

SILENT = {
    "plateau_mode": [
        loop(PLATEAU.format(""), "    sched.step(judged())\n"),
        loop(PLATEAU.format(", 'max'"), "    sched.step(-judged())\n"),
        loop(PLATEAU.format(""), "    sched.step(1 - right())\n"),
        loop(PLATEAU.format(", 'max'"), "    gain = judged() - 2 * l.item()\n"
             "    sched.step(gain)\n"),
        loop("mode = 'max' if right() else 'min'\n" + PLATEAU.format(", mode=mode"),
             "    sched.step(judged())\n"),
        loop(PLATEAU.format(", 'max'"), "    sched.step(torch.randn(1).item())\n"),
        loop(PLATEAU.format(", 'max'"), "    accumulated = model(x).norm()\n"
             "    sched.step(accumulated)\n"),
    ],
    "best_is_worst": [
        keeps("1e9", "judged()", "v < best"),
        keeps("-1e9", "-judged()", "v > best"),
        keeps("1e9", "1 - right()", "v < best"),
        loop("seen = []\n", "    seen.append(-l.item())\n", "best = int(np.argmax(seen))\n"),
        loop("seen = []\n", "    seen.append(judged())\n", "worst = int(np.argmax(seen))\n"),
        waits("v >= best", "n += 1", "best, n = v, 0"),
    ],
    "best_unreachable": [
        keeps("1e9", "judged()", "v < best"),
        keeps("0.0", "right()", "v > best"),
        keeps("0.0", "-judged()", "v < best"),
        keeps("1.0", "100 * right()", "v > best"),
        keeps("0.0", "F.nll_loss(model(x), y).item()", "v < best"),
        keeps("0.0", "judged()", "v < best", "best = judged()\n"),
        loop("best = 0.0\n", KEEPS.format(v="judged()", test="e == 0 or v < best")),
    ],
    "patience_adds_up": [
        waits("v < best", "best, n = v, 0", "n += 1"),
        waits("v >= best", "n = n + 1", "best, n = v, 0"),
        waits("v < best", "best = v", "print(n)"),
        waits("e > 3", "n = 0", "n += 1"),
        stopper(),
        loop("best, n = 1e9, 0\n", "    v = judged()\n    if v < best:\n        best = v\n"
             "    else:\n        n += 1\n", "print(n)\n"),
    ],
    "best_never_set": [
        keeps("1e9", "judged()", "v < best"),
        loop("", "    best = 1e9\n    for i in range(3):\n        v = judged()\n"
             "        if v < best:\n            best = v\n"),
        loop("def least(vs):\n    low = 1e9\n    for v in vs:\n        if v < low:\n"
             "            low = v\n    return low\n", "    print(least([judged()]))\n"),
        loop("", "    best = judged()\n    v = judged()\n    if v < best:\n        best = v\n"),
    ],
    "best_unread": [
        stopper(),
        stopper(behind="print(stop.kept)\n"),
        stopper(behind="model.load_state_dict(vars(stop)['kept'])\nprint(stop.kept)\n"),
        stopper(kept="value", behind=""),
    ],
    "state_not_copied": [
        stopper(),
        stopper(kept="opt.state_dict()"),
        stopper(kept="{k: w.clone() for k, w in model.state_dict().items()}"),
        loop("def kept(m):\n    return [p.data.clone() for p in m.parameters()]\nlow = 1e9\n",
             "    v = judged()\n    if v < low:\n        low = v\n        w = kept(model)\n",
             "for p, q in zip(model.parameters(), w):\n    p.data.copy_(q)\n"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind, code", [(k, c) for k, found in TOLD.items() for c in found])
def test_it_is_told(kind: str, code: str) -> None:
    assert kind in kinds(code)


@pytest.mark.parametrize("kind, code", [(k, c) for k, found in SILENT.items() for c in found])
def test_its_neighbour_is_not(kind: str, code: str) -> None:
    assert kind not in kinds(code)


@pytest.mark.parametrize(
    "value, is_better",
    [
        ("judged()", "smaller"),
        ("-judged()", "larger"),
        ("right()", "larger"),
        ("((a - b) ** 2).mean()", "smaller"),
        ("(a - b).abs().mean().item()", "smaller"),
        ("roc_auc_score(y, s)", "larger"),
        ("logs['val_loss']", "smaller"),
        ("losses[-1]", "smaller"),
        ("judged() + 0.1 * judged()", "smaller"),
        ("judged() - judged()", ""),
        ("right() * judged()", ""),
        ("accumulated", ""),
        ("something(x)", ""),
    ],
)
def test_what_is_better(value: str, is_better: str) -> None:
    tree = ast.parse(HEAD + f"v = {value}\n")

    assert score(ast.parse("v", mode="eval").body, tree).better == is_better
