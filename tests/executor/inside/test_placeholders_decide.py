"""executor/inside/placeholders/: which undefined names get a placeholder, and which one."""

from __future__ import annotations

import ast
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor.inside.placeholders.decide import PlaceholderPlans
from executor.inside.placeholders.names import undefined_names
from executor.inside.placeholders.plans import Plan
from executor.inside.placeholders.shapes import OTHER, Choices
from executor.protocol import Outcome
from tests.executor.conftest import House

LOOP = """
import torch
import torch.nn as nn
import torch.nn.functional as F
"""
NET = """
class Net(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.first = nn.Linear(wide * 2, 30)
        self.last = nn.Linear(30, 4)
    def forward(self, t):
        return self.last(F.relu(self.first(t)))
"""


def decided(code: str, choices: Choices | None = None) -> PlaceholderPlans:
    """The plans for a snippet."""
    code = LOOP + code
    return PlaceholderPlans(ast.parse(code), undefined_names(code, "s"), choices or Choices())


CONFIGURED = """
class Wide(nn.Module):
    def __init__(self, size=100, rate=0.5, factor=4.0, deep=True):
        super().__init__()
        self.a = nn.Linear(size, size)
        self.drop = nn.Dropout(rate)
class Held(nn.Module):
    def __init__(self, given):
        super().__init__()
        self.given = given
        self.a = nn.Linear(given.wide, self.given.broad)
"""


DECIDED = {
    "a configuration's names": (
        "net = nn.Linear(4, 2)\ntorch.optim.SGD(net.parameters(), lr=cfg['lr'])\n"
        "for e in range(cfg['epochs']): print(cfg['batch_size'])", "cfg",
        "a configuration with lr 0.01, epochs 2, batch_size 8, chosen to fit"),
    "a configuration's sizes": (
        "nn.Conv1d(args.bands, args.maps, 3)", "args", "with bands 40, maps 48, chosen"),
    "a configuration's parameters": (
        CONFIGURED + "Wide(config['a'], rate=config['b'])", "config", "with a 100, b 0.5, chosen"),
    "a configuration that is handed on": (
        CONFIGURED + "Held(hparams)", "hparams", "with wide 40, broad 48, chosen"),
    "a configuration that is counted with": (
        "half = opt.n / 2\nnn.Linear(int(opt.n), 3)\nnn.Linear(opt.n, half)", "opt",
        "with n 40, chosen"),
    "a configuration's halves": (
        "half = hp.n // 2\nnn.Linear(3, half)", "hp", "with n 40, chosen"),
    "a configuration's counts": (
        "for i in range(FLAGS.rounds): print(i)", "FLAGS", "with rounds 2, chosen"),
    "an entry with a default": ("print(params.get('k', 7))", "params", "with k 7, chosen"),
    "another name of a configuration": (
        "c = conf\nnn.Embedding(c.words, 6)", "conf", "with words 40, chosen"),
    "a configuration's input": (
        "net = nn.Linear(cfg['n_in'], 3)\nnet(x)", "x", "[8, 40] float32"),
    "batches of any name": (
        "net = nn.Linear(6, 3)\nfor a, b in corpus:\n    F.cross_entropy(net(a), b)", "corpus",
        "3 batches of (a [8, 6] float32, b [8] int64)"),
    "a count": ("for epoch in range(num_epochs): print(epoch)", "num_epochs", "2"),
    "a rate": ("torch.optim.SGD([torch.ones(1)], lr=learning_rate)", "learning_rate", "0.01"),
    "the device": ("torch.ones(2).to(device)", "device", 'torch.device("cpu")'),
    "an image": (
        "t = T.Compose([T.Resize(64), T.ToTensor()])\nt(image)", "image",
        "an RGB image of 320x256 pixels"),
    "an image of Pillow's": ("img.convert('RGB')", "img", "an RGB image of 320x256 pixels"),
    "a published model's input": (
        "m = models.resnet18(weights=None)\nm(input_tensor)", "input_tensor",
        "[4, 3, 224, 224] float32"),
    "a linear layer's input": ("nn.Linear(6, 2)(x)", "x", "[8, 6] float32"),
    "a convolution's input": ("c = nn.Conv2d(3, 5, 3)\nc(images)", "images", "[8, 3, 32, 32]"),
    "an embedding's input": ("e = nn.Embedding(50, 4)\ne(inputs)", "inputs", "int64 below 50"),
    "a batch-first LSTM's input": (
        "r = nn.LSTM(9, 4, batch_first=True)\nr(data)", "data", "[8, 12, 9] float32"),
    "an LSTM's input": ("r = nn.LSTM(9, 4)\nr(data)", "data", "[12, 8, 9] float32"),
    "a sequence's input": ("m = nn.Sequential(nn.Flatten(), nn.Linear(7, 2))\nm(x)", "x", "[8, 7]"),
    "a model's input": (NET + "net = Net(5)\nnet(x)", "x", "[8, 10] float32"),
    "a model of placeholder size": (NET + "net = Net(input_size)\nnet(x)", "x", "[8, 40] float32"),
    "a reshaped picture": (
        "l = nn.Linear(784, 10)\nv = images.view(-1, 784)\nl(v)", "images", "[8, 1, 28, 28]"),
    "labels of classes": (
        "l = nn.Linear(5, 3)\nF.cross_entropy(l(torch.ones(8, 5)), labels)", "labels",
        "[8] int64 below 3"),
    "targets of a regression": (
        "l = nn.Linear(5, 1)\nF.mse_loss(l(torch.ones(8, 5)).squeeze(), targets)", "targets",
        "[8] float32"),
    "a classifier": ("F.cross_entropy(model(x), labels)", "model", "[batch, 10]"),
    "a regression model": ("nn.MSELoss()(model(x), y)", "model", "[batch, 1]"),
    "a model whose output is squeezed": (
        "out = model(x).squeeze()\nloss = nn.BCEWithLogitsLoss()(out, y.float())", "model",
        "[batch, 1]"),
    "a model's class": ("net = MyModel(3)\nout = net(x)", "MyModel", "a class of small modules"),
    "a loss over classes": (
        "out = model(x)\nloss = criterion(out, labels)\nacc = out.argmax(1)", "criterion",
        "nn.CrossEntropyLoss()"),
    "a loss over values": ("loss = loss_fn(model(x), y.float())", "loss_fn", "nn.MSELoss()"),
    "an autoencoder's loss": ("loss = criterion(model(x), x)", "criterion", "nn.MSELoss()"),
    "an optimizer": ("model(x).sum().backward()\noptimizer.step()", "optimizer", "of `model`"),
    "an optimizer of a known model": (
        "net = nn.Linear(2, 2)\nnet(x)\noptimizer.step()", "optimizer", "of `net`"),
    "batches of pairs": (
        "l = nn.Linear(6, 2)\nfor a, b in train_loader:\n    F.cross_entropy(l(a), b)",
        "train_loader", "3 batches of (a [8, 6] float32, b [8] int64)"),
    "batches by number": (
        "l = nn.Linear(6, 2)\nfor batch in loader:\n    F.cross_entropy(l(batch[0]), batch[1])",
        "loader", "(0 [8, 6] float32, 1 [8] int64)"),
    "batches by key": (
        "l = nn.Linear(6, 2)\nfor batch in loader:\n    l(batch['x'])", "loader", "(x [8, 6]"),
    "batches of one tensor": (
        "l = nn.Linear(6, 2)\nfor i, batch in enumerate(val_loader):\n    l(batch)", "val_loader",
        "3 batches of batch [8, 6] float32"),
    "a drawn batch": (
        "l = nn.Linear(6, 2)\na, b = next(iter(loader))\nl(a)", "loader", "(a [8, 6] float32"),
    "a batch drawn from an iterator with a name": (
        "l = nn.Linear(6, 2)\nit = iter(loader)\na, b = next(it)\nl(a)", "loader",
        "(a [8, 6] float32"),
    "a batch drawn as Python 2 had it": (
        "l = nn.Linear(6, 2)\nit = iter(loader)\na, b = it.next()\nl(a)", "loader",
        "(a [8, 6] float32"),
    "batches of three parts": (
        "l = nn.Linear(6, 2)\nfor a, b, c in loader:\n    l(a)", "loader",
        "(a [8, 6] float32, b [8] int64, c [8] int64"),
    "a dataset": (
        "from torch.utils.data import DataLoader\nl = nn.Linear(6, 2)\n"
        "d = DataLoader(dataset)\nfor a, b in d:\n    l(a)", "dataset", "24 samples of (a [6]"),
    "through a function": (
        "l = nn.Linear(6, 2)\ndef train(m, batches):\n    for a, b in batches:\n        m(a)\n"
        "train(l, train_loader)", "train_loader", "3 batches"),
    "a function that gives loaders": (
        "l = nn.Linear(6, 2)\ntrain_loader, _ = get_loaders(64)\nfor a, b in train_loader:\n"
        "    F.cross_entropy(l(a), b)", "get_loaders",
        "a function that gives 3 batches of (a [8, 6] float32, b [8] int64) as `train_loader`"),
    "a function that gives one loader": (
        "l = nn.Linear(6, 2)\ntrain_loader = get('a')\ntest_loader = get('b')\n"
        "for a, b in train_loader:\n    l(a)\nfor a, b in test_loader:\n    l(a)", "get",
        "a function that gives 3 batches of (a [8, 6]"),
    "in a function of the snippet's": (
        "def main():\n    l = nn.Linear(6, 2)\n    X, y = load()\n    F.cross_entropy(l(X), y)",
        "load", "a function that gives a random tensor [8, 6] float32 as `X`"),
    "a function that sets a seed": ("set_seed(42)", "set_seed", "a function that does nothing"),
    "a function that shows": ("for x in y:\n    plotCurves(x)", "plotCurves", "does nothing"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "name", "words"), DECIDED.values(), ids=DECIDED)
def test_a_placeholder_follows_from_the_use(code: str, name: str, words: str) -> None:
    """Its size comes from the layer, loss or loop that uses it."""
    found = decided(code)

    assert words in found.plans[name].words


def test_a_chain_of_calls_is_no_chain_of_plans() -> None:
    """Each is planned once, however many follow from one another."""
    chain = "\n".join(f"f{n + 1} = f{n}()" for n in range(3000))

    assert decided(f"{chain}\nfor x, y in f3000:\n    nn.Linear(2, 2)(x)").plans == {}


def test_every_kind_has_a_case() -> None:
    """The table above knows each kind of placeholder, under its name in the protocol."""
    kinds = {p.kind for code, *_ in DECIDED.values() for p in decided(code).plans.values()}

    assert kinds == {plan.kind for plan in get_args(Plan)}
    assert kinds == {
        "number", "config", "device", "tensor", "image", "model", "batches", "loss", "optimizer",
        "function", "nothing",
    }  # fmt: skip


def test_the_other_numbers_of_a_configuration_are_others() -> None:
    """An error that comes with both does not rest on a default or a size."""
    code = CONFIGURED + "Wide(cfg['a'], deep=cfg['b'])\nnn.Linear(cfg['c'], 2)"

    one, other = (decided(code, choices).plans["cfg"] for choices in (Choices(), OTHER))

    assert "a 100, b True, c 56" in one.words and "a 200, b False, c 84" in other.words


REFUSED = {
    "a configuration that is called": ("args.parse()\nprint(args.lr)", "args"),
    "a configuration that is unpacked": ("nn.Linear(**cfg)\nprint(cfg.lr)", "cfg"),
    "a configuration of which nothing is known": ("torch.load(cfg.path)", "cfg"),
    "a configuration that is written": ("cfg['lr'] = 1\nprint(cfg['lr'])", "cfg"),
    "a default that may be whole": (CONFIGURED + "Wide(factor=cfg.f)", "cfg"),
    "no name of a configuration": ("nn.Linear(tok.vocab_size, 3)", "tok"),
    "batches of which a part is open": (
        "net = nn.Linear(6, 3)\nfor a, b in corpus:\n    print(net(a), len(b))",
        "corpus",
    ),
    "batches of something else": ("for word in book:\n    print(len(word))", "book"),
    "a model with a part of its own": ("model.fc = nn.Linear(2, 2)\nmodel(x)", "model"),
    "a model with two inputs": ("model(ids, mask)", "model"),
    "a model called by keyword": ("model(input_ids=x)", "model"),
    "a model that gives a tuple": ("out, hidden = model(x)", "model"),
    "a model that gives an object": ("out = model(x)\nout.logits.argmax()", "model"),
    "a model that gives a dict": ("out = model(x)\nprint(out['loss'])", "model"),
    "a model that gives its own loss": ("loss = model(x)\nloss.backward()", "model"),
    "a model that gives two, of which one is used": (
        "for x in xs:\n    out, h = model(x)\n    F.mse_loss(out, torch.ones(8, 3))",
        "model",
    ),
    "a function of which nobody says what it gives": ("a, b = get()\nprint(a)", "get"),
    "a function one of whose results is open": (
        "l = nn.Linear(6, 2)\na, b = get()\nfor x, y in a:\n    l(x)\nmystery(b)",
        "get",
    ),
    "a function that gives now two and now three": (
        "l = nn.Linear(6, 2)\na, b = get()\na, b, c = get()\nl(a)",
        "get",
    ),
    "a loss of somebody's own": (
        "criterion = DiceLoss()\nloss = criterion(model(x), y.float())",
        "DiceLoss",
    ),
    "a function that may train": ("fit(nn.Linear(2, 2))", "fit"),
    "a seed that is read": ("s = set_seed(1)\nprint(s)", "set_seed"),
    "a loader of three": ("for a, b, c in loader:\n    print(a)", "loader"),
    "a loader of unknown keys": ("for b in loader:\n    nn.Linear(2, 2)(b['gaze'])", "loader"),
    "a loader nobody sizes": ("for a, b in loader:\n    mystery(a, b)", "loader"),
    "a loss of three": ("criterion(a, b, c)", "criterion"),
    "a tensor nobody sizes": ("print(x + 1)", "x"),
    "a name that means nothing": ("print(foo(3))", "foo"),
    "an optimizer of two models": ("net(x)\nmodel(x)\noptimizer.step()", "optimizer"),
    "a size that is called": ("print(batch_size())", "batch_size"),
    "a device with a method": ("device.start()", "device"),
}


@pytest.mark.parametrize(("code", "name"), REFUSED.values(), ids=REFUSED)
def test_an_open_use_gets_no_placeholder(code: str, name: str) -> None:
    """Where the use does not settle it, nothing is guessed."""
    assert name not in decided(code).plans


def test_the_two_sets_of_choices_share_no_size() -> None:
    """So an error that is the same with both hangs on none of them."""
    for name in ("batch", "features", "classes", "hidden", "length", "gray", "colour"):
        assert getattr(Choices(), name) != getattr(OTHER, name)


def test_placeholders_are_listed_in_plain_words(any_house: House) -> None:
    """The asker sees what was made up, and from which line."""
    result = any_house.run(
        "import torch\nlayer = torch.nn.Linear(784, 10)\nprint(layer(x).shape)", stand_ins=True
    )

    assert (result.outcome, result.stdout) == (Outcome.OK, "torch.Size([8, 10])\n")
    said = "`x`: stands for a random tensor [8, 784] float32, from its use at line 3"
    assert result.assumptions == (said,)
    assert [s.name for s in result.stand_ins] == ["x"]


def test_no_placeholder_unasked(any_house: House) -> None:
    """An ordinary run is as it was."""
    result = any_house.run("import torch\ntorch.nn.Linear(784, 10)(x)")

    assert result.error is not None and result.error.type == "NameError"
    assert result.stand_ins == () and result.undefined == ("x",)


def test_the_random_numbers_stay_the_snippets_own(any_house: House) -> None:
    """What it draws itself is the same with and without placeholders."""
    code = "import torch\nprint(torch.rand(3))\nmodel"
    plain = any_house.run(code)
    completed = any_house.run(code, stand_ins=True)

    assert completed.stand_ins and plain.stdout == completed.stdout


AT_FAULT = {
    "a missing attribute": "out = model(torch.ones(2, 3))\nout.prediction",
    "a made-up size": "import torch\nw = torch.ones(3, 3)\nw @ model(torch.ones(2, 3))",
    "a tensor that is no scalar": "import torch\nfloat(model(torch.ones(2, 3)))",
    "a made-up label": (
        "import torch\nl = torch.nn.Linear(3, 2)\no = l(torch.ones(5, 3))\n"
        "torch.nn.functional.cross_entropy(o, labels)"
    ),
    "a batch": (
        "import torch\nfor x, y in loader:\n    o = torch.nn.Linear(3, 2)(x)\n"
        "    y.view(5)\n    torch.nn.functional.cross_entropy(o, y)"
    ),
    "an indivisible size": "import torch\ntorch.ones(7).view(batch_size, -1)",
}


@pytest.mark.parametrize("code", AT_FAULT.values(), ids=AT_FAULT)
def test_an_error_at_a_placeholder_is_the_placeholders(code: str, any_house: House) -> None:
    """Its object is an operand of the failing expression."""
    result = any_house.run(code, stand_ins=True)

    assert result.outcome is Outcome.ERROR
    assert result.stand_in_at_fault


@pytest.mark.parametrize(
    ("code", "name", "line"),
    [
        (
            "from torch import nn, ones\nclass Net(nn.Module):\n    def forward(self, x):\n"
            "        ...\nNet()(ones(1)).sum()",
            "Net.forward",
            3,
        ),
        ("import torch\ndef loss(a):\n    pass\nloss(torch.ones(1)).backward()", "loss", 2),
        (
            "import torch\nclass Net(torch.nn.Module):\n    pass\n"
            "torch.optim.SGD(Net().parameters(), lr=1)",
            "Net",
            2,
        ),
        (
            "from torch.utils.data import *\nclass Rows(Dataset):\n"
            "    def __len__(self):\n        return 4\n    def __getitem__(self, i):\n"
            "        pass\nfor row in DataLoader(Rows()):\n    print(row)",
            "Rows.__getitem__",
            5,
        ),
    ],
)
def test_an_empty_body_is_named(code: str, name: str, line: int, any_house: House) -> None:
    """An error that comes of a body left out says which, not that a None is wrong."""
    result = any_house.run(code)

    assert result.left_out is not None, result.error
    assert (result.left_out.name, result.left_out.line) == (name, line)


CHAINED = {
    "the one that was called for it": (
        "import torch\ndef patches(x):\n    pass\ndef mix(x, parts):\n    pass\n"
        "y = mix(torch.ones(2), patches(torch.ones(2)))\nprint(y.shape)",
        [("mix", 4)],
    ),
    "a class before the guilty one": (
        "import torch\nfrom torch.utils.data import Dataset\nclass Rows(Dataset):\n    pass\n"
        "class Net(torch.nn.Module):\n    pass\ndef start(rows, net):\n    return rows, net\n"
        "rows = Rows()\nnet = Net()\nstart(rows, net)\n"
        "best = torch.optim.SGD(net.parameters(), lr=1)",
        [("Net", 5)],
    ),
    "open": (
        "import torch\ndef up(x):\n    pass\ndef down(x):\n    pass\n"
        "def both(x):\n    return up(x) or down(x)\ny = both(torch.ones(2))\nprint(y.shape)",
        [("up", 2), ("down", 4)],
    ),
}


@pytest.mark.parametrize(("code", "bodies"), CHAINED.values(), ids=CHAINED)
def test_of_several_empty_bodies_the_guilty_one_is_named(
    code: str, bodies: list[tuple[str, int]], any_house: House
) -> None:
    """The one called for the failing value; where that is open, every one that it may be."""
    left = any_house.run(code).left_out

    assert left is not None
    assert [(b.name, b.line) for b in (left, *left.also)] == bodies


def test_a_pass_that_is_meant_is_no_excuse(any_house: House) -> None:
    """An error that has nothing to do with the empty body stays the snippet's."""
    result = any_house.run(
        "import torch\ndef log(x):\n    pass\nlog(1)\nw = torch.ones(2).grad\nw.zero_()"
    )

    assert result.error is not None and "NoneType" in result.error.message
    assert result.left_out is None


PIECES = """
model train_loader x y ( ) , . = for in : range criterion [ ] 0 1 'x' def class nn.Linear(2,3)
self.fc return torch.ones .to(device) .view(-1,4) optimizer.step() lambda import with as
next(iter( enumerate( ** * ... pass async await global x
"""
WORDS = st.sampled_from([*PIECES.split(), "\n", "\n    "])


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("y = 2 * w\nw -= y", {"w"}),  # read before, and never made
        ("w = 1\ny = 2 * w\nw -= y", set()),
        ("for _ in range(2):\n    y = f(w)\n    w = w.detach()", {"w", "f"}),
        ("def f():\n    global w\n    w = 1\nf()\nw += 1", set()),
    ],
)
def test_a_name_that_only_changes_was_made_before(code, names):
    """Whether it was read above the line or not."""
    assert undefined_names(code, "s") == names


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=25).map(" ".join)))
def test_completing_survives_any_text(text: str) -> None:
    """Whatever parses is decided on without an error of ours."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    names = undefined_names(text, "snippet.py")

    assert PlaceholderPlans(tree, names, Choices()).plans.keys() <= names
