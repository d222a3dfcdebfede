"""executor/inside/remarks/: held-out data that training has seen, and names of derivatives."""

from __future__ import annotations

import pytest

from executor.inside.probes.kinds import KINDS
from executor.inside.remarks import ASIDES, BORNE_OUT
from tests.executor.inside.test_remarks import kinds

OPT = "import torch\nopt = torch.optim.SGD(net.parameters())\n"
ROUND = (
    OPT + "def go({given}):\n    for x, y in data:\n        loss = f(net(x), y)\n{step}"
    "    return loss\nfor e in range(9):\n    a = go({first})\n    b = go({second})\n"
)
STEP = "        opt.zero_grad()\n        loss.backward()\n        opt.step()\n"
CUT = (
    "import torch\nW, H = {w}, {h}\nxs = []\nfor r in recordings:\n"
    "    for s in range(0, len(r) - W, H):\n        xs.append(r[s:s + W])\nX = torch.stack(xs)\n"
)
DEALT = "order = torch.randperm(len(X))\ntrain, test = order[:80], order[80:]\n"
SCALED = (
    "import torch\nlo, hi = level.min(), level.max()\nx = (level - lo) / (hi - lo)\n"
    "{train} = x[:k]\n{test} = x[{since}:]\n"
)
DERIVED = (
    "import torch\ndef residual(net, x, t):\n    u = net(x, t)\n    u_x = grad(u, x)\n"
    "    u_t = grad(u, t)\n    {second}\n    return u_t - u_xx\n"
)
CUT_IN_TWO = "import torch\nXtr, ytr, Xv, yv = X[:9], y[:9], X[9:], y[9:]\n"
WHOLE = CUT_IN_TWO + (
    "opt = torch.optim.SGD(net.parameters())\nfor e in range(9):\n"
    "    loss = f(net(Xtr), ytr)\n    loss.backward()\n    opt.step()\n    {then}\n{last}"
)
LOADED = (
    "import torch\nopt = torch.optim.SGD(net.parameters())\na, b = random_split(D(X), [9, 3])\n"
    "train_dl, val_dl = DataLoader({of}, 3), DataLoader(b, 3)\nfor e in range(9):\n"
    "    for xb, yb in train_dl:\n        loss = f(net(xb), yb)\n        loss.backward()\n"
    "        opt.step()\n    n = 0\n    for xb, yb in {over}:\n        {each}\n    {last}\n"
)
STEPS = "loss = f(net(xb), yb); loss.backward(); opt.step(); n += loss.item()"
PHASES = (
    "import torch\nopt = torch.optim.SGD(net.parameters())\nfor phase in {phases}:\n"
    "    for xb, yb in loaders[phase]:\n        loss = f(net(xb), yb)\n{step}"
)
SCALES = (
    "import torch\nX = load()\nopt = torch.optim.SGD(net.parameters())\n{cut}\nfor e in range(9):\n"
    "    loss = f(net({learns}), ytr)\n    loss.backward()\n    opt.step()\n"
    "out = net({asks})\n"
)
CUTS = "Xtr, Xte = X[:9], X[9:]\nm, s = Xtr.mean(0), Xtr.std(0)"
LOADS = (
    "import torch\nX = load()\nopt = torch.optim.SGD(net.parameters())\n"
    "train_dl = DataLoader(TensorDataset({one}, y[:9]), 3)\n"
    "val_dl = DataLoader(TensorDataset({other}, y[9:]), 3)\nfor xb, yb in train_dl:\n"
    "    loss = f(net(xb), yb)\n    loss.backward()\n    opt.step()\n"
    "for xb, yb in val_dl:\n    print(f(net(xb), yb))\n"
)

SHOWN = {
    "trained_on_held_out": [
        ROUND.format(given="data", step=STEP, first="train", second="dev"),
        ROUND.format(given="data", step=STEP, first="train_loader", second="val_loader"),
        ROUND.format(given="m, data", step=STEP, first="net, train", second="net, test"),
        WHOLE.format(then="val_loss = f(net(Xv), yv); val_loss.backward(); opt.step()", last=""),
        LOADED.format(of="a", over="val_dl", each=STEPS, last="print('val', n / 3)"),
        LOADED.format(of="a", over="val_dl", each=STEPS, last="val_loss = n / len(val_dl)"),
        PHASES.format(phases=("train", "val"), step=STEP),
        PHASES.format(phases=["train", "test"], step=STEP),
    ],
    "figure_of_training": [
        WHOLE.format(then="val_loss = f(net(Xtr), ytr)", last=""),
        WHOLE.format(then="print(f'val {f(net(Xtr), ytr):.3f}')", last=""),
        WHOLE.format(then="", last="acc = score(net(Xtr), ytr)\nprint('Test accuracy:', acc)"),
        WHOLE.format(then="v_loss, v_acc = go(Xtr, ytr); print(f'{e} val {v_loss:.3f}')", last=""),
        WHOLE.format(then="", last="test_acc, n = score(net(Xtr), ytr), 9").replace(
            "Xtr, ytr, Xv, yv = X[:9], y[:9], X[9:], y[9:]",
            "from sklearn.model_selection import train_test_split\n"
            "Xtr, Xv, ytr, yv = train_test_split(X, y)\nXv = torch.tensor(Xv)",
        ),
        LOADED.format(
            of="a", over="train_dl", each="val_loss += f(net(xb), yb)",
            last="print('val loss', val_loss / len(val_dl))",
        ).replace("a, b", "train, val").replace("DataLoader(a", "DataLoader(train")
        .replace("DataLoader(b", "DataLoader(val"),
    ],
    "test_not_normalised": [
        SCALES.format(cut=CUTS, learns="Xtr", asks="(Xte - m) / s"),
        SCALES.format(cut=CUTS, learns="(Xtr - m) / s", asks="Xte"),
        SCALES.format(cut="Xtr, Xte = X[:9] / 255.0, X[9:]", learns="Xtr", asks="Xte.float()"),
        SCALES.format(
            cut=CUTS + "\nXtr = scaler.fit_transform(Xtr)", learns="torch.tensor(Xtr)",
            asks="torch.tensor(Xte)",
        ),
        LOADS.format(one="(X[:9] - m) / s", other="X[9:]"),
        SCALES.format(cut=CUTS + "\nXtr = Xtr - m\nXtr /= s", learns="Xtr", asks="Xte"),
    ],
    "trained_on_all": [
        LOADED.format(of="D(X)", over="val_dl", each="n += f(net(xb), yb)", last="print(n)")
        .replace("a, b =", "data = D(X)\ntr, val =").replace("DataLoader(D(X)", "DataLoader(data")
        .replace("(b", "(val").replace("split(D(X)", "split(data"),
        WHOLE.format(then="", last="print(f(net(Xv), yv))").replace("net(Xtr), ytr", "net(X), y"),
        WHOLE.format(then="", last="print(f(net(Xv), yv), len(Xtr))").replace(
            "net(Xtr), ytr", "net(X), y"
        ),
    ],
    "windows_dealt_out": [
        CUT.format(w=50, h=5) + DEALT,
        CUT.format(w=50, h=5) + "a, b = random_split(TensorDataset(X), [80, 20])\n",
        "import torch\nX = torch.stack([v[i:i + n] for i in range(len(v) - n)])\n"
        "a, b, c, d = train_test_split(X, y, test_size=0.2)\n",
    ],
    "scaled_by_all": [
        SCALED.format(train="train", test="test", since="k"),
        SCALED.format(train="train", test="test", since="k")
        .replace("lo, hi = level.min(), level.max()\n", "")
        .replace("lo", "level.mean()").replace("hi - ", "1 + "),
    ],
    "other_variable": [
        DERIVED.format(second="u_xx = grad(u_x, t)"),
        DERIVED.format(second="u_xx = torch.autograd.grad(u_x, t, ones, create_graph=True)[0]"),
    ],
}  # fmt: skip
SOUND = {
    "a switch": ROUND.format(given="data, train", step=STEP, first="train, 1", second="dev, 0"),
    "an optimizer that may be None": ROUND.format(
        given="data, opt=None", step=STEP, first="train, opt", second="dev"
    ),
    "a step under a condition": ROUND.format(
        given="data",
        step="        if net.training:\n            loss.backward()\n            opt.step()\n",
        first="train", second="dev",
    ),
    "no step": ROUND.format(given="data", step="", first="train", second="dev"),
    "another model": ROUND.format(
        given="m, data", step=STEP, first="net, train", second="judge, test"
    ),
    "both parts in one call": ROUND.format(
        given="data, other", step=STEP, first="train, val", second="train, test"
    ),
    "other data for training": ROUND.format(given="data", step=STEP, first="train", second="more"),
    "a loss of held-out data that is looked at": WHOLE.format(
        then="val_loss = f(net(Xv), yv); print(val_loss)", last=""
    ),
    "a second optimizer, for what is searched": WHOLE.format(
        then="val_loss = f(net(Xv), yv); val_loss.backward(); other.step()", last=""
    ).replace("opt =", "other = torch.optim.SGD(m.parameters())\nopt =", 1),
    "steps that learn to learn": WHOLE.format(
        then="val_loss = f(net(Xv), yv); val_loss.backward(); meta.step()", last=""
    ),
    "a held-out part that is judged": LOADED.format(
        of="a", over="val_dl", each="n += f(net(xb), yb)", last="print('val', n / 3)"
    ),
    "more training at the end": LOADED.format(
        of="a", over="val_dl", each=STEPS, last="print('more', n / 3)"
    ),
    "a phase that decides": PHASES.format(
        phases=("train", "val"),
        step="        if phase == 'train':\n            loss.backward()\n            opt.step()\n",
    ),
    "phases of training": PHASES.format(phases=("train", "warmup"), step=STEP),
    "a phase that is left": PHASES.format(
        phases=("train", "val"), step="        if phase == 'val':\n            continue\n" + STEP
    ),
    "a figure of held-out data": WHOLE.format(then="val_loss = f(net(Xv), yv)", last=""),
    "a figure of both parts": WHOLE.format(
        then="val_loss = f(net(Xtr), ytr) - f(net(Xv), yv)", last=""
    ),
    "a figure of the training": WHOLE.format(then="print('train', f(net(Xtr), ytr))", last=""),
    "a figure by its function": WHOLE.format(
        then="val_loss = go(); print(val_loss)", last="def go():\n    return f(net(Xv), yv)"
    ),
    # Where the names do not say which part is which.
    "a part that is used": WHOLE.format(
        then="val_loss = f(net(Xtr), ytr)", last="show(net(Xv), yv)"
    ).replace("tr", "a"),
    "a text of the training's": WHOLE.format(then="print('no test, train:', f(net(Xtr)))", last=""),
    "trained on its part": WHOLE.format(then="", last="print(f(net(Xv), yv))"),
    "all are trained on, none is judged": WHOLE.format(then="", last="").replace(
        "net(Xtr), ytr", "net(X), y"
    ),
    "all are looked at": WHOLE.format(then="", last="print(f(net(Xv), yv))\nplot(net(X))"),
    "both are scaled": SCALES.format(cut=CUTS, learns="(Xtr - m) / s", asks="(Xte - m) / s"),
    "neither is scaled": SCALES.format(cut=CUTS, learns="Xtr", asks="Xte"),
    "scaled before it is cut": SCALES.format(
        cut="X = scaled(X)\n" + CUTS, learns="Xtr", asks="Xte"
    ),
    "scaled by both loaders": LOADS.format(one="(X[:9] - m) / s", other="(X[9:] - m) / s"),
    "prepared by what is not known": SCALES.format(
        cut=CUTS + "\nXte = prepare(Xte)", learns="(Xtr - m) / s", asks="Xte"
    ),
    "of other data": SCALES.format(
        cut="Xtr, Xte = (A - m) / s, B[9:]", learns="Xtr", asks="Xte"
    ),
    "scaled targets": SCALES.format(
        cut=CUTS + "\nytr = (ytr - 3) / 2", learns="Xtr", asks="Xte"
    ),
    "scaled in place": SCALES.format(
        cut=CUTS + "\nXtr -= m\nXtr /= s\nXte -= m\nXte /= s", learns="Xtr", asks="Xte"
    ),
    "windows side by side": CUT.format(w=50, h=50) + DEALT,
    "windows of a size that the text does not say": CUT.format(w="int(n)", h=5) + DEALT,
    "recordings that are dealt out": CUT.format(w=50, h=5)
    + "order = torch.randperm(len(recordings))\ntrain, test = order[:8], order[8:]\n",
    "an order for the training alone": CUT.format(w=50, h=5)
    + "order = torch.randperm(len(X))\nfor i in range(9):\n    batch = order[i:]\n",
    "a split in time": CUT.format(w=50, h=5)
    + "train, test = train_test_split(X, shuffle=False)\n",
    "the training part's own": SCALED.format(train="train", test="test", since="k").replace(
        "level", "train_level"
    ),
    "parts that are none for a test": SCALED.format(train="early", test="late", since="k"),
    "cut at two places": SCALED.format(train="train", test="test", since="n"),
    "the same variable": DERIVED.format(second="u_xx = grad(u_x, x)"),
    "a name of another kind": DERIVED.format(second="u_xq = grad(u_x, t); u_xx = 0"),
    "of another first derivative": DERIVED.format(second="u_xx = grad(u_t, t)"),
}  # fmt: skip


@pytest.mark.parametrize("kind, code", [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_what_training_has_seen_is_found(kind: str, code: str):
    """The code does this whatever the data are."""
    assert kind in kinds(code)


@pytest.mark.parametrize("name", SOUND)
def test_what_only_resembles_it_is_left_alone(name: str):
    """The same with what makes it right, or where it is another thing."""
    assert kinds(SOUND[name]) & SHOWN.keys() == set()


def test_each_is_told_in_its_place():
    """What a probe tells of a run that trained is a mistake; a leak of two numbers is an aside."""
    told = SHOWN.keys() - ASIDES

    assert ASIDES & SHOWN.keys() == {"scaled_by_all"}
    assert all(kind in BORNE_OUT for kind in told if kind in KINDS)
