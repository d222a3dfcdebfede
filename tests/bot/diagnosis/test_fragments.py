"""Fragments in the real executor: no placeholder makes code run, none lends it an error."""

from __future__ import annotations

import pytest

from tests.conftest import Ask
from tests.rows import some

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def posted(code: str) -> str:
    """A message with one block."""
    return f"What is wrong here?\n```python\n{HEAD}{code}\n```"


FAILS = {
    "a loss that is a number": (
        "for x, y in train_loader:\n    loss = F.cross_entropy(model(x), y).item()\n"
        "    loss.backward()", "AttributeError", "'float' object has no attribute 'backward'"),
    "an inner size": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = nn.Linear(784, 256)\n        self.b = nn.Linear(128, 10)\n"
        "    def forward(self, x):\n        h = self.a(x)\n        return self.b(h)\n"
        "net = Net()\nnet(x)", "RuntimeError", "mat1 and mat2"),
    "an unknown argument": (
        "torch.optim.Adam(model.parameters(), learning_rate=1e-3)", "TypeError",
        "learning_rate"),
    "no gradient wanted": (
        "with torch.no_grad():\n    loss = F.cross_entropy(model(images), labels)\n"
        "loss.backward()", "RuntimeError", "does not require grad"),
    "backward twice": (
        "for x, y in train_loader:\n    loss = F.cross_entropy(model(x), y)\n"
        "    loss.backward()\n    loss.backward()", "RuntimeError", "a second time"),
    "no placeholder in sight": (
        "a = torch.ones(3, 4).to(device)\na @ torch.ones(5, 6).to(device)", "RuntimeError",
        "mat1 and mat2"),
    "a function that torch never had": (
        "for x, y in loader:\n    l = F.cross_entropy(model(x), y)\n    torch.backward(l)",
        "AttributeError",
        "has no attribute 'backward'"),
    "numpy of a tensor that learns": (
        "probabilities = model(x).softmax(1)\nvalues = probabilities.exp()\nvalues.numpy()",
        "RuntimeError", "Can't call numpy()"),
    "a channel count": (
        "net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.Conv2d(32, 8, 3))\n"
        "def run(pictures):\n    first = pictures\n    return net(first)\nrun(images)",
        "RuntimeError", "channels"),
    "a value that backward needs, changed": (
        "for x, y in loader:\n    h = model(x).sigmoid()\n    h += 1\n"
        "    F.cross_entropy(h, y).backward()", "RuntimeError", "modified by an inplace operation"),
    "in a function": (
        "def train(model, loader):\n    for x, y in loader:\n"
        "        loss = F.cross_entropy(model(x), y)\n        total = loss.item()\n"
        "        total.backward()\ntrain(model, train_loader)", "AttributeError",
        "'float' object has no attribute 'backward'"),
    "a tuple where a tensor belongs": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.r = nn.LSTM(6, 5)\n        self.l = nn.Linear(5, 3)\n"
        "    def forward(self, x):\n        out, state = self.r(x)\n        return self.l(state)\n"
        "net = Net()\nnet(x)", "TypeError", "must be Tensor, not tuple"),
    "a path for the weights": (
        "model = build(64)\nmodel.load_state_dict('best.pth')\nmodel.eval()", "TypeError",
        "Expected state_dict to be dict-like"),
    "a fraction for a size": (
        "class Net(nn.Module):\n    def __init__(self, wide):\n        super().__init__()\n"
        "        half = wide / 2\n        self.a = nn.Linear(wide, half)\nnet = Net(cfg['wide'])",
        "TypeError", "element of type float"),
    "a configuration's rate": (
        "net = nn.Linear(args.n_in, args.n_out)\n"
        "torch.optim.Adam(net.parameters(), learning_rate=args.lr)", "TypeError",
        "learning_rate"),
    "batches of any name": (
        "net = nn.Linear(5, 2)\nfor a, b in corpus:\n"
        "    loss = F.cross_entropy(net(a), b).item()\n    loss.backward()", "AttributeError",
        "'float' object has no attribute 'backward'"),
    "before any placeholder": (
        "torch.cat([torch.ones(2, 3), torch.ones(2, 4)])\nmodel(x)", "RuntimeError", "Sizes of"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "kind", "message"), some(FAILS.values(), 3), ids=FAILS)
async def test_a_failing_fragment_stays_failing(
    code: str, kind: str, message: str, ask: Ask
) -> None:
    """The error is the code's own, whatever stands for the missing names."""
    answer = await ask(posted(code))

    assert answer.status in {"reproduced", "fixed"}, answer.headline
    assert answer.error is not None
    assert answer.error.type == kind and message in answer.error.message


ENDS = {
    "training": (
        "for epoch in range(num_epochs):\n    for x, y in train_loader:\n"
        "        optimizer.zero_grad()\n        loss = criterion(model(x), y)\n"
        "        loss.backward()\n        optimizer.step()"),
    "a known model": "net = nn.Linear(3, 2)\nprint(net(x).shape)",
    "an exit": "print(nn.Linear(3, 2)(x).shape)\nraise SystemExit(0)",
    "a silent mistake of the placeholders": (
        "for x, y in train_loader:\n    loss = criterion(model(x), y)\n    optimizer.step()"),
    "an error of its own, swallowed": (
        "net = nn.Linear(3, 2)\ntry:\n    net(x) @ torch.ones(9, 9)\n"
        "except RuntimeError as e:\n    print(e)"),
}  # fmt: skip


@pytest.mark.parametrize("code", some(ENDS.values(), 3), ids=ENDS)
async def test_reaching_the_end_with_stand_ins_is_not_running(code: str, ask: Ask) -> None:
    """It says how far it got, and whose part is missing."""
    answer = await ask(posted(code))

    assert answer.status == "not_run", answer.headline
    assert "with placeholders for" in answer.headline and "post" in answer.headline
    assert any("stands for" in said for said in answer.assumptions)
    assert answer.error is None and answer.findings == ()


CAUSED = {
    "sizes of a configuration": (
        "class Net(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        self.a = nn.Linear(c.wide, c.mid)\n        self.b = nn.Linear(c.inner, 2)\n"
        "    def forward(self, x):\n        return self.b(self.a(x))\n"
        "Net(cfg)(torch.ones(2, cfg.wide))"),
    "a default of a configuration": (
        "class Net(nn.Module):\n    def __init__(self, kernel=5):\n        super().__init__()\n"
        "        self.c = nn.Conv1d(1, 2, kernel)\n        self.l = nn.Linear(2 * 8, 3)\n"
        "    def forward(self, x):\n        return self.l(self.c(x).flatten(1))\n"
        "net = Net(kernel=cfg['kernel'])\nnet(torch.ones(4, 1, 10))"),
    "what was to be the weights": "model.load_state_dict(images)\nmodel.eval()\nmodel(images)",
    "an entry that nobody knows": "path = cfg.path\nprint(cfg.lr, torch.load(path))",
    "a size of our choice": "w = torch.ones(3, 3)\nout = model(x)\nw @ out",
    "a size of our choice, further on": (
        "out = model(x)\nh = out.exp()\nw = torch.ones(3, 3)\nw @ h"),
    "a batch of our choice": (
        "net = nn.Linear(3, 2)\nout = net(x)\nF.mse_loss(out, torch.ones(5, 2)).item()\n"
        "(out + torch.ones(5, 2)).sum()"),
    "labels of our choice": (
        "net = nn.Linear(3, 2)\nfor a, b in loader:\n    c = b * 5\n"
        "    F.cross_entropy(net(a), b)\n    F.nll_loss(net(a), c)"),
    "pictures of our choice": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.c = nn.Conv2d(3, 4, 5)\n        self.l = nn.Linear(4 * 220 * 220, 2)\n"
        "    def forward(self, x):\n        return self.l(self.c(x).flatten(1))\n"
        "net = Net()\nnet(images)"),
    "an attribute of theirs": "out = model(x)\nout.prediction",
    "a loss of our choice": "loss = criterion(model(x), labels, 3)\nloss.backward()",
    "a gradient of our choice": (
        "output2 = F.cross_entropy(output, target)\noutput2.backward()"),
    "through a lambda": (
        "w = torch.ones(3, 3)\ng = lambda a: a @ w\nh = g(model(x).exp())"),
    "through a function that is handed on": (
        "w = torch.ones(3, 3)\ndef g(a):\n    return a @ w\n"
        "h = list(map(g, [model(x).exp()]))"),
    "through a hook": (
        "w = torch.ones(3, 3)\ndef g(module, given, got):\n    (got.exp() * 2) @ w\n"
        "model.register_forward_hook(g)\nmodel(x)"),
    "through a record": (
        "from dataclasses import dataclass\n@dataclass\nclass Config:\n    wide: int\n"
        "c = Config(hidden_size)\nprint(torch.ones(7).view(c.wide, -1))"),
    "through an operator": (
        "class Box:\n    def __init__(self, w):\n        self.w = w\n"
        "    def __matmul__(self, other):\n        doubled = other * 2\n"
        "        return self.w @ doubled\nBox(torch.ones(3, 3)) @ model(x).exp()"),
    "no gradient in our data": (
        "l = nn.Linear(4, 4)\nfor a, b in loader:\n    l(a)\n    s = (a * 2).sum()\n"
        "    s.backward()"),
    "a gradient that our data has not": (
        "l = nn.Linear(4, 4)\nfor a, b in loader:\n    l(a)\n    c = a * 1\n"
        "    a.grad.zero_()"),
    "a data set's own": (
        "l = nn.Linear(4, 4)\nfor a, b in loader:\n    l(a)\nloader.dataset.targets"),
    "a size": "nn.MultiheadAttention(embedding_dim, 7)",
    "a raise over our sizes": "if batch_size != 32:\n    raise ValueError('use 32')",
}  # fmt: skip


@pytest.mark.parametrize("code", some(CAUSED.values(), 3), ids=CAUSED)
async def test_an_error_that_a_stand_in_caused_is_not_the_askers(code: str, ask: Ask) -> None:
    """Back to the name that is missing: nothing is said of an error."""
    answer = await ask(posted(code))

    assert answer.status == "not_run", (answer.headline, answer.error)
    assert answer.error is None
    assert "post" in answer.headline


async def test_a_fix_is_tried_on_what_was_run(ask: Ask) -> None:
    """The mistake is the code's own: its fix holds with the placeholders too, and they are told."""
    answer = await ask(
        posted(
            "w = torch.ones(3, requires_grad=True)\nfor epoch in range(num_epochs):\n"
            "    a = torch.sigmoid(w)\n    a += 1\n    a.sum().backward()"
        )
    )

    assert answer.error is not None and "modified by an inplace operation" in answer.error.message
    assert answer.status in {"fixed", "reproduced"} and (answer.fix or answer.alternatives)
    assert any("`num_epochs`: stands for 2" in said for said in answer.assumptions)


async def test_only_numbers_are_not_asked_for(ask: Ask) -> None:
    """Whose model it is matters; a batch size hardly does."""
    answer = await ask(posted("for e in range(num_epochs):\n    print(model(x).shape)"))

    assert "needs your `model` and `x`" in answer.headline


async def test_an_empty_body_is_asked_for(ask: Ask) -> None:
    """A None out of a `...` is no mistake of the code that was posted."""
    answer = await ask(
        posted(
            "class Net(nn.Module):\n    def forward(self, x):\n        ...\n"
            "Net()(torch.ones(1)).backward()"
        )
    )

    assert answer.status == "not_run"
    assert "the body of `Net.forward` (line 5) was left out" in answer.headline


async def test_an_empty_body_is_asked_for_with_what_the_values_say(ask: Ask) -> None:
    """Which value is None, and which line got it, helps whoever wrote the body and forgot it."""
    answer = await ask(
        posted(
            "def up(x):\n    pass\ndef down(x):\n    ...\ndef both(x):\n"
            "    return up(x) or down(x)\ny = both(torch.ones(2))\ny.sum()"
        )
    )

    assert answer.status == "not_run"
    assert "the bodies of `up` (line 4) and `down` (line 6) were left out" in answer.headline
    assert "`y` is None" in answer.headline and "returned at line 10" in answer.headline


async def test_what_has_no_stand_in_is_asked_for(ask: Ask) -> None:
    """Not the loop's length, which anybody can make up, but the part that nobody can."""
    answer = await ask(posted("for e in range(num_epochs):\n    train_one(model, e)"))

    assert answer.status == "not_run"
    assert "`train_one` (line 5) is used but never defined" in answer.headline


async def test_a_fragment_for_a_gpu_runs_where_there_is_one_or_seems_to_be(ask: Ask) -> None:
    """Stand-ins on a GPU, real or simulated, still say nothing about what the person has."""
    answer = await ask(posted("for x, y in loader:\n    print(model(x.cuda()))"))

    assert answer.evidence is not None and "cuda" in answer.evidence.device
    assert answer.status == "not_run", answer.headline
