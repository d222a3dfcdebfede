"""executor/inside/remarks/lost.py: what is made or given, and has no part in what follows."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import lost

FIT = "loss = F.cross_entropy(net(x), y)\nloss.backward()\nopt.step()"
DATA = "x = torch.randn(64, 8)\ny = torch.randint(0, 3, (64,))\n"
NET = (
    "class Net(nn.Module):\n    def __init__(self, p=0.5):\n        super().__init__()\n"
    "        self.a = nn.Linear(8, 8)\n        self.drop = nn.Dropout({0})\n"
    "    def forward(self, x, mask=None):\n        {1}\n        {2}\n        return self.a(x)\n"
)
PLAIN = NET.format("0.5", "x = x * 2", "x = x + 1")
LOADED = "for {0} in {1}:\n    loss = F.mse_loss(net({2}), {3})\n    loss.backward()"
HEADS = (
    "{0} = net(x)\nloss_kind = F.cross_entropy(kind, y)\nloss_size = F.mse_loss({1}, z)\n"
    "(loss_kind + loss_size).backward()\n{2}"
)

ADAPTS = (
    "def adapt(x, y):\n    p = dict(net.named_parameters())\n    loss = F.mse_loss(net(x), y)\n"
    "    g = torch.autograd.grad(loss, list(p.values()), create_graph=True)\n"
    "    return {0}\n"
    "for x, y in tasks:\n    fast = {1}\n    {2}\n    loss.backward()\n    opt.step()\n"
)
STEPPED = "{n: w - 0.1 * d for (n, w), d in zip(p.items(), g)}"
ASKED = "loss = F.mse_loss(net(q), y)"
ON_THE_SPOT = (
    "for x, y in tasks:\n    g = torch.autograd.grad(F.mse_loss(net(x), y), ws)\n"
    "    fast = [w - 0.1 * d for w, d in zip(ws, g)]\n    loss = F.mse_loss(net(q), y)\n"
    "    loss.backward()\n"
)

SHOWN = {
    "value_unread": [
        ADAPTS.format(STEPPED, "adapt(x, y)", ASKED),
        ADAPTS.format(
            "OrderedDict((n, w - 0.1 * d) for (n, w), d in zip(p.items(), g))", "adapt(x, y)", ASKED
        ),
        ADAPTS.format("p", "adapt(x, y)", ASKED).replace(
            "    return p", f"    p = {STEPPED}\n    return p"
        ),
        ON_THE_SPOT,
        DATA + "x_n = (x - x.mean(0)) / x.std(0)\n" + FIT,
        DATA + "weights = y.bincount() / 64\n" + FIT,
        NET.format("p", "h = F.relu(x)", "x = x * 2") + DATA + "net = Net()\n" + FIT,
        DATA
        + "def noisy(v):\n    shifted = v + torch.randn(8)\n    return v\nx = noisy(x)\n"
        + FIT,
        PLAIN
        + DATA
        + "net = Net()\nfor i in range(3):\n    turned = x.flip(1)\n    "
        + FIT.replace("\n", "\n    "),
        DATA + "def scale(v):\n    return v / 2\nxs = scale(x) * 1.0\n" + FIT,
        DATA
        + "h = torch.zeros(3)\nfor i in range(3):\n    h = h.detach()\n    "
        + FIT.replace("\n", "\n    "),
        PLAIN + DATA + "net = Net()\n" + FIT + "\nz = x / 2\nprint(net(x))",
        DATA
        + "for x, y in pairs:\n    x, b = x / 2, y\n    y = y * 2\n    "
        + FIT.replace("x), y", "b), b").replace("\n", "\n    "),
    ],
    "value_left": [
        DATA + "z = x / 2\n" + FIT,
        DATA + "x_test = x[:9]\n" + FIT,
        PLAIN + DATA + "net = Net()\nv = net(x)[:, 1:].detach()\n" + FIT,
        DATA + "a, b = x[:, :4], x[:, 4:]\nb = a * 2\nprint(b)\n" + FIT,
        DATA + "net.eval()\nz = x / x.norm()\n" + FIT,
        "for x, y in train_loader:\n    z = x[:, 1:]\n    " + FIT.replace("\n", "\n    "),
    ],
    "argument_unread": [
        NET.format("0.1", "x = x", "x = x") + "net = Net(p=0.2)",
        NET.format("0.1", "x = x", "x = x") + "net = Net(0.2)",
        PLAIN + "net = Net()\nnet(x, mask)",
        "def total(a, b, weight):\n    return a + b\ntotal(x, y, 0.5)",
        "def total(a, *, alpha):\n    return a\ntotal(x, alpha=3)",
    ],
    "batch_unread": [
        LOADED.format("a, b", "train_loader", "x[:4]", "b"),
        LOADED.format("i, (a, b)", "enumerate(loader)", "x[:4]", "b"),
    ],
    "head_unread": [
        HEADS.format("kind, size", "kind", ""),
        HEADS.format("kind, size", "kind", "opt.step()"),
        "def fit(x, y, z):\n    " + HEADS.format("kind, size", "kind", "").replace("\n", "\n    "),
    ],
    "layer_unused": [
        NET.format("0.5", "self.drop(x)", "x = x + 1"),
        NET.format("0.5", "self.a(self.a(x))", "x = x + 1"),
    ],
}

SOUND = {
    "adapted weights that are used": ADAPTS.format(
        STEPPED, "adapt(x, y)", "loss = F.mse_loss(functional_call(net, fast, q), y)"
    ),
    "adapted weights that are kept": ADAPTS.format(
        STEPPED, "adapt(x, y)", "kept.append(fast); " + ASKED
    ),
    "gradients that are looked at": ADAPTS.format("[d.norm() for d in g]", "adapt(x, y)", ASKED),
    "weights that are no step further": ADAPTS.format(
        "{n: w - 0.1 for n, w in p.items()}", "adapt(x, y)", ASKED
    ),
    "a step that tells of itself": ADAPTS.format(STEPPED, "adapt(x, y)", ASKED).replace(
        "    return", "    print(loss)\n    return"
    ),
    "what is read": DATA + "x = (x - x.mean(0)) / x.std(0)\n" + FIT,
    "what trains nothing": DATA + "x_n = x / 2\n",
    "what is looked at": DATA + "best = (x * 2).argmax(1)\nmean = x.mean(0)\n" + FIT,
    "counts": DATA + "n = torch.bincount(y).float()\n" + FIT,
    "a comparison": DATA + "right = x == y\n" + FIT,
    "another name": DATA + "z = x\n" + FIT,
    "a number": DATA + "n = len(x) // 2\nk = x.size(0) * 3\n" + FIT,
    "what is made up": DATA + "start = torch.zeros(8)\n" + FIT,
    "what a private name keeps": DATA + "_z = x * 2\n" + FIT,
    "a trial of the model": PLAIN + DATA + "net = Net()\nout = net(x)\n" + FIT,
    "what is done on the way": DATA + "z = buffer.append(x * 2)\nw = x.mul_(2)\n" + FIT,
    "what a function does on the way": (
        DATA + "def show(v):\n    print(v)\n    return v * 2\nz = show(x) + 1\n" + FIT
    ),
    "what is computed without gradients": (
        DATA + "with torch.no_grad():\n    z = net(x) * 2\n" + FIT
    ),
    "a function without gradients": (
        DATA + "@torch.no_grad()\ndef f(x):\n    z = x * 2\n    return x\n" + FIT
    ),
    "what a program ends with": DATA + FIT + "; adv = x + x.grad.sign()",
    "a loss for the eyes": DATA + "old = F.cross_entropy(x, y)\n" + FIT,
    "an argument that is read": NET.format("p", "x = x", "x = x") + "net = Net(p=0.2)",
    "an argument that is not given": PLAIN + "net = Net()\nnet(x)",
    "an argument that is switched off": PLAIN + "net = Net()\nnet(x, None)",
    "a size that is left over": "def fit(a, hidden_dim):\n    return a\nfit(x, 3)",
    "an argument that says nothing": "def fit(a, epoch):\n    return a\nfit(x, 3)",
    "a stub": "def total(a, weight):\n    raise NotImplementedError\ntotal(x, 0.5)",
    "one for all arguments": "def total(a, weight, **more):\n    return a\ntotal(x, 0.5)",
    "a method of another class": (
        "class A:\n    def total(self, a, weight):\n        return a\nb.total(x, 0.5)"
    ),
    "arguments by a star": "def total(a, weight):\n    return a\ntotal(*both)",
    "a class that another one makes": (
        PLAIN.replace("self.drop = nn.Dropout(0.5)", "self.drop = p")
        + "class Own(Net):\n    def __init__(self, p):\n        super().__init__()\nOwn(0.1)"
    ),
    "a batch that is read": LOADED.format("a, b", "loader", "a", "b"),
    "a batch without labels": LOADED.format("a, b", "loader", "a", "a"),
    "a batch that is not meant": LOADED.format("_, b", "loader", "b", "b"),
    "a loop over a list": LOADED.format("a, b", "pairs", "x", "b"),
    "a batch of which nothing is read": LOADED.format("a, b", "loader", "x", "x"),
    "answers that are compared": HEADS.format("kind, size", "size", ""),
    "an answer that is not needed": HEADS.format("kind, _", "kind", ""),
    "an answer that is kept": HEADS.format("kind, size", "kind", "kept.append(size)"),
    "one target": HEADS.format("kind, size", "kind", "").replace("z)", "y)"),
    "a layer whose result goes on": NET.format("0.5", "x = self.drop(x)", "x = x + 1"),
    "a method": NET.format("0.5", "self.check(x)", "x = x + 1"),
    "a module of their own": NET.format("0.5", "self.own(x)", "x = x + 1").replace(
        "self.drop = nn.Dropout(0.5)", "self.own = Own()"
    ),
}
SAYS = {
    DATA + "x_n = x / 2\n" + FIT: "that goes on with `x`, as in line 4",
    PLAIN + DATA + "net = Net()\nx_n = x / 2\nprint(x)\n" + FIT: "as in line 15",
    HEADS.format("kind, size", "kind", ""): "`kind` is compared with 2 targets",
    DATA + "z = x / 2\nshare = z * 3\n" + FIT: "`share` is computed here and nothing reads it, so "
    "that it changes nothing of what follows: it is left over",
}
EDITS = {
    DATA + "x_n = x / 2\n" + FIT: [[3, 0, 3, 3], ["x"]],
    PLAIN + DATA + "net = Net()\nx_n = x / 2\nprint(x)\n" + FIT: [[15, 27, 15, 28], ["x_n"]],
    HEADS.format("kind, size", "kind", ""): [[3, 23, 3, 27], ["size"]],
}


def told(code: str) -> list[tuple[str, str, list[object]]]:
    """Kind, words and the places of the first edit, of all that the rules tell."""
    found = [one for rule in lost.RULES for one in rule(ast.parse(code))]
    return [
        (kind, message, [p for way in ways[:1] for of in way for p in of["places"]])
        for kind, _, message, *ways in found
    ]


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_it_is_said(kind: str, code: str) -> None:
    assert {k for k, _, _ in told(code)} == {kind}


@pytest.mark.parametrize("name", SOUND)
def test_what_comes_close_is_left_alone(name: str) -> None:
    assert not told(SOUND[name])


@pytest.mark.parametrize("code", SAYS)
def test_it_says_what_goes_on_instead(code: str) -> None:
    assert [SAYS[code] in words for _, words, _ in told(code)] == [True]


@pytest.mark.parametrize("code", EDITS)
def test_the_edit_stands_where_a_person_would_make_it(code: str) -> None:
    assert [places for _, _, places in told(code)] == [[EDITS[code]]]
