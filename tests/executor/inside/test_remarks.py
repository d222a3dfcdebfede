"""executor/inside/remarks/: what a snippet's text shows by itself, and what it does not."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Collection, Mapping

import pytest

from executor.inside.remarks import found


def kinds(code: str) -> set[str]:
    """The kinds that the rules find in a code, as far as it is one for PyTorch and whole."""
    code = textwrap.dedent(code)
    return {r.kind for r in found(ast.parse(code), code)}


def module(init: str = "pass", forward: str = "return x", more: str = "") -> str:
    """A module with these bodies."""
    bodies = [textwrap.indent(textwrap.dedent(b).strip(), " " * 8) for b in (init, forward)]
    return (
        f"class Net(nn.Module):\n    def __init__(self):\n{bodies[0]}\n"
        f"    def forward(self, x):\n{bodies[1]}\n{textwrap.indent(textwrap.dedent(more), '    ')}"
    )


def with_(template: str, known: dict[str, str], **other: str) -> str:
    """A program of a template, as it is known but for some places."""
    made = template
    for name, value in (known | other).items():
        made = made.replace("{" + name + "}", value)
    return made


def said_and_left_alone(
    shown: Mapping[str, Collection[str]], sound: Mapping[str, str], head: str = ""
) -> tuple[Callable[[str, str], None], Callable[[str], None]]:
    """The two tests of a table: each way to write a mistake is told, what comes close is not.

    Args:
        shown: texts that show a mistake, by its kind.
        sound: texts that show none of these kinds, by what they are.
        head: stands before each text.
    """

    @pytest.mark.parametrize(
        ("kind", "code"), [(k, c) for k, codes in shown.items() for c in codes]
    )
    def is_said(kind: str, code: str) -> None:
        assert kind in kinds(head + code)

    @pytest.mark.parametrize("name", sound)
    def is_left_alone(name: str) -> None:
        assert not kinds(head + sound[name]) & shown.keys()

    return is_said, is_left_alone


LOOPS = "for e in a:\n    opt.zero_grad()\n    for x in b:\n"
STEPS = "        loss.backward()\n        opt.step()"

SHOWN = {
    "uncalled": ["model.eval", "optimizer.zero_grad\n"],
    "unregistered": [
        module("self.layers = [nn.Linear(2, 2) for _ in range(3)]"),
        module("self.layers = [nn.Linear(2, 2), nn.ReLU()]"),
        module("self.layers = []\nfor i in y:\n    self.layers.append(nn.Conv2d(1, 2, 3))"),
        module("self.heads = {'a': nn.Linear(2, 2)}"),
        module("self.blocks = [ResidualBlock(n) for n in sizes]"),
        "self.w = {}\nfor k in y:\n    self.w[k] = {'a': nn.Parameter(torch.ones(1))}",
    ],
    "unflattened": [
        module(
            "self.conv = nn.Conv2d(3, 8, 3)\nself.fc = nn.Linear(8 * 6 * 6, 10)",
            "x = F.relu(F.max_pool2d(self.conv(x), 2))\nreturn self.fc(x)",
        ),
        module(
            "self.features = base.features\nself.drop = nn.Dropout(0.5)\nself.fc = nn.Linear(9, 2)",
            "a = self.features(x)\na = self.drop(a)\nreturn self.fc(a)",
        ),
        "net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Linear(2, 3))",
    ],
    "sizes_clash": [
        module(
            "self.a = nn.Conv2d(3, 8, 3)\nself.b = nn.Conv2d(9, 8, 3)", "return self.b(self.a(x))"
        ),
        module(
            "self.a = nn.Conv2d(3, 8, 3)\nself.n = nn.BatchNorm2d(9)", "return self.n(self.a(x))"
        ),
        module("self.fc = nn.Linear(9, 2)", "x = x.view(-1, 4 * 2)\nreturn self.fc(x)"),
        "net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(5, 2))",
    ],
    "not_an_attribute": [module("self_fc = nn.Linear(2, 2)")],
    "gradient_not_asked_for": [
        "x = torch.randn(3)\nf(x).backward()\nprint(x.grad)",
        "x = torch.tensor([1.0])\nx = torch.ones(2)\nf(x).backward()\ng = x.grad",
    ],
    "new_leaf": [
        "loss = Variable(loss, requires_grad=True)",
        "loss = torch.autograd.Variable(loss, requires_grad=True)",
        "total_loss.requires_grad_(True)",
        "loss.requires_grad = True",
    ],
    "made_in_forward": [module(forward="return nn.Linear(4, 2)(x)")],
    "not_a_buffer": [module("self.noise = torch.randn(3)"), module("self.a = torch.arange(3)")],
    "returns_nothing": [
        module(more="def eval(self):\n    super().eval()\n"),
        module(forward="x = self.fc(x)") + "net = Net()",
        module(forward="h = f(x)\ny = h + x", more="def g(self):\n    return 1\n"),
    ],
    "one_network": [
        "self.t.load_state_dict(self.q.state_dict())\nself.t = self.q",
        "t = q\nfor x in a:\n    opt.step()\n    t.load_state_dict(q.state_dict())",
    ],
    "lost_by_loading": ["model = model.load_state_dict(torch.load(p))"],
    "layer_not_called": [module("self.fc = nn.Linear(2, 2)", "x = self.fc\nreturn x")],
    "only_made": [
        module(forward="return nn.LogSoftmax(x)"),
        "loss = nn.CrossEntropyLoss(output, target)",
    ],
    "always_drops": [
        module(forward="return F.dropout(x)"),
        module(forward="return F.dropout(x, 0.2)"),
    ],
    "zeroed_outside": [f"{LOOPS}{STEPS}"],
    "all_but_one": ["for i in a:\n    if i % n:\n        opt.step()"],
    "method_hidden": [module("self.modules = nn.ModuleDict(m)")],
    "late_binding": ["fs = [lambda x: x + i for i in range(3)]"],
    "graph_kept": ["for x in a:\n    loss = f(x)\n    loss.backward()\n    total += loss"],
    "one_linear": ["nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))"],
    "scores_cut": [module("self.fc = nn.Linear(9, 3)", "x = F.relu(self.fc(x))\nreturn x")],
    "softmax_twice": [
        module(forward="return F.softmax(x, 1)") + "\nloss = nn.CrossEntropyLoss()",
        "m = nn.Sequential(a, nn.Softmax(1))\nloss = nn.CrossEntropyLoss()",
    ],
}

SOUND = {
    "what a session shows of a module": "import torch\ntorch.version.cuda\ntorch.cuda",
    "a target that is made from another network": (
        "t = make()\nt.load_state_dict(q.state_dict())\nbest = q"
    ),
    "a name for what another network was copied to": "t.load_state_dict(q.state_dict())\nq = t",
    "a logarithm with a floor": "p = f(x).clamp(1e-6, 1 - 1e-6)\nl = p.log() + (1 - p).log()",
    "with a small number inside": "l = torch.log(p + 1e-8) + torch.log(1 - p + 1e-8)",
    "of one side alone": "l = -(y * torch.log(p)).mean()",
    "of two probabilities": "l = torch.log(d) + torch.log(1 - g)",
    "of more than the rest": "l = torch.log(p) + torch.log(2 - p)",
    "a gradient that is asked for": "x = torch.ones(3, requires_grad=True)\nx.backward()\nx.grad",
    "a bottleneck": "nn.Sequential(nn.Linear(9, 2), nn.Linear(2, 9))",
    "a bottleneck by its name": "nn.Sequential(nn.Linear(n, code), nn.Linear(code, n))",
    "asked for by a function": "def f(t):\n    t.requires_grad_()\n    return t.sum()\n"
    "x = torch.ones(3)\nf(x).backward()\nprint(x.grad)",
    "asked for later": "x = torch.ones(3)\nx.requires_grad_()\nf(x).backward()\nprint(x.grad)",
    "asked for by an assignment": "x = torch.ones(3)\nx.requires_grad = a\nx.backward()\nx.grad",
    "a gradient without a backward": "x = torch.ones(3)\nprint(x.grad)",
    "a gradient of what is computed": "x = f(torch.ones(3))\ng(x).backward()\nprint(x.grad)",
    "made in one of two ways": "x = torch.ones(3)\nx = f(x)\ng(x).backward()\nprint(x.grad)",
    "a parameter of that name": "x = torch.ones(3)\ndef s(x):\n    x.backward()\n    return x.grad",
    "a loop's": "x = torch.ones(3)\nfor x in y:\n    f(x).backward()\n    print(x.grad)",
    "made with settings": "x = torch.ones(3, **kw)\nf(x).backward()\nprint(x.grad)",
    "a gradient that is set": "x = torch.ones(3)\nf(x).backward()\nx.grad = None",
    "flattened": module(
        "self.conv = nn.Conv2d(3, 8, 3)\nself.fc = nn.Linear(8 * 6 * 6, 10)",
        "x = self.conv(x).flatten(1)\nreturn self.fc(x)",
    ),
    "flattened by a function": module(
        "self.conv = nn.Conv2d(3, 8, 3)\nself.fc = nn.Linear(72, 10)",
        "x = self.conv(x)\nx = torch.flatten(x, 1)\nreturn self.fc(x)",
    ),
    "a branch in between": module(
        "self.conv = nn.Conv2d(3, 8, 3)\nself.fc = nn.Linear(72, 10)",
        "x = self.conv(x)\nif self.flat:\n    x = x.mean((2, 3))\nreturn self.fc(x)",
    ),
    "made twice": module(
        "self.fc = nn.Linear(9, 2)\nself.fc = nn.Linear(8, 2)", "return self.fc(x.view(-1, 8))"
    ),
    "sizes that fit": "net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(2, 3))",
    "sizes by name": module(
        "self.a = nn.Conv2d(3, n, 3)\nself.b = nn.Conv2d(9, 8, 3)", "return self.b(self.a(x))"
    ),
    "a call": "model.eval()\noptimizer.zero_grad()",
    "an attribute that is used": "mode = model.train\nprint(model.eval)",
    "a registered list": module("self.layers = nn.ModuleList([nn.Linear(2, 2)])"),
    "a list unpacked": module("layers = [nn.Linear(2, 2)]\nself.net = nn.Sequential(*layers)"),
    "a list of numbers": module("self.sizes = [2, 3]\nself.sizes.append(4)"),
    "a list in no module": "class T:\n    def __init__(self):\n        self.n = [nn.Linear(2, 2)]",
    "a module list that grows": module("self.l = nn.ModuleList()\nself.l.append(nn.Linear(2, 2))"),
    "a leaf that is data": "x = Variable(images, requires_grad=True)\nimage.requires_grad_(True)",
    "a loss that asks for none": "loss = Variable(loss)\nloss.requires_grad = False",
    "a stateless layer in forward": module(forward="return nn.ReLU()(x)"),
    "a buffer": module(
        "self.register_buffer('n', torch.ones(2))\nself.p = nn.Parameter(torch.ones(2))"
    ),
    "a tensor moved by hand": module("n = torch.ones(2)"),
    "an eval that returns": module(more="def eval(self):\n    return super().eval()\n"),
    "a report of loading": "report = model.load_state_dict(s)\nmodel.load_state_dict(s)",
    "a layer that is called": module("self.fc = nn.Linear(2, 2)", "x = self.fc(x)\nreturn x"),
    "a setting": module(forward="return nn.Softmax(1)(x)"),
    "a loss with weights": "loss = nn.CrossEntropyLoss(weights)",
    "dropout that is told": module(forward="return F.dropout(x, training=self.training)"),
    "zeroed inside": f"for e in a:\n    for x in b:\n        opt.zero_grad()\n{STEPS}",
    "accumulation": (
        "opt.zero_grad()\nfor e in a:\n    for x in b:\n        loss.backward()\n        if n:\n"
        "            opt.step()\n            opt.zero_grad()"
    ),
    "one loop": "for x in b:\n    opt.zero_grad()\n    loss.backward()\n    opt.step()",
    "a scheduler": LOOPS + STEPS.replace("opt", "scheduler"),
    "every n-th": "for i in a:\n    if i % n == 0:\n        opt.step()",
    "odd rounds print": "for i in a:\n    if i % 2:\n        print(i)",
    "another name": module("self.layers = nn.ModuleDict(m)"),
    "a bound lambda": "fs = [lambda x, i=i: x + i for i in range(3)]",
    "a lambda of its own": "fs = [lambda i: i for i in range(3)]",
    "a number added": "for x in a:\n    total += loss.item()",
    "a sum that goes back": "for x in a:\n    total += loss\ntotal.backward()",
    "an activation between": "nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))",
    "hidden units": module("self.fc = nn.Linear(9, 128)", "x = F.relu(self.fc(x))\nreturn x"),
    "scores as they are": module("self.fc = nn.Linear(9, 3)", "x = self.fc(x)\nreturn x"),
    "a log_softmax": module(forward="return F.log_softmax(x, 1)") + "\nloss = nn.NLLLoss()",
    "a softmax on the way": module(forward="a = F.softmax(x, 1)\nreturn a @ x")
    + "\nF.cross_entropy(a, b)",
}


@pytest.mark.parametrize(("kind", "code"), [(k, c) for k, codes in SHOWN.items() for c in codes])
def test_what_does_not_do_what_it_looks_like_is_said(kind: str, code: str):
    """Each kind, in each way that it is written."""
    assert kind in kinds(code)


@pytest.mark.parametrize("name", SOUND)
def test_sound_code_is_left_alone(name: str):
    """The same with what makes it right, or where it is another thing."""
    assert kinds(SOUND[name]) == set()


def test_a_remark_has_its_line_as_it_was_posted():
    """And each line is said once for each kind."""
    code = "import torch\n\nmodel.eval   # now\nmodel.eval\n"
    first, second = found(ast.parse(code), code)

    assert (first.line, first.code, second.line) == (3, "model.eval   # now", 4)
