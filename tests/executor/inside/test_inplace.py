"""executor/inside/probes/inplace: both ends of every in-place change, noticed by PyTorch or not."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from executor.protocol import Culprit, JobResult, Outcome, Probe
from tests.executor.conftest import House

HEAD = "import torch\nfrom torch import nn\nx = torch.ones(4, requires_grad=True)\n"


class Case(NamedTuple):
    """A program after HEAD, and what has to be said of it."""

    code: str
    saved: tuple[int, str]
    modified: tuple[int, str]
    needed: int


REPORTED = {
    "augmented assignment": Case(
        "y = x.exp()\ny += 1\ny.sum().backward()", (4, "x.exp()"), (5, "y += 1"), 6
    ),
    "index assignment in a loop in a function": Case(
        "def fill(t):\n    for i in range(2):\n        t[i] = 0\n"
        "y = x.sigmoid()\nfill(y)\ny.sum().backward()",
        (7, "x.sigmoid()"), (6, "t[i] = 0"), 9,
    ),
    "view": Case(
        "y = x.exp()\nv = y.view(2, 2)\nv.mul_(3)\ny.sum().backward()",
        (4, "x.exp()"), (6, "v.mul_(3)"), 7,
    ),
    "method chain": Case(
        "y = x.exp().mul_(2)\ny.sum().backward()", (4, "x.exp()"), (4, "x.exp().mul_(2)"), 5
    ),
    "module in a sequence": Case(
        "model = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.ReLU(inplace=True))\n"
        "out = model(x)\nout.sum().backward()",
        (5, "model(x)"), (5, "model(x)"), 6,
    ),
    "module in a forward": Case(
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.act = nn.ReLU(inplace=True)\n"
        "    def forward(self, x):\n        h = torch.tanh(x)\n        return self.act(h)\n"
        "net = Net()\nnet(x).sum().backward()",
        (9, "torch.tanh(x)"), (10, "self.act(h)"), 12,
    ),
    "SGD step": Case(
        "m = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))\n"
        "opt = torch.optim.SGD(m.parameters(), lr=0.1)\nout = m(torch.ones(2, 4))\n"
        "out.sum().backward(retain_graph=True)\nopt.step()\nout.sum().backward()",
        (6, "m(torch.ones(2, 4))"), (8, "opt.step()"), 9,
    ),
    "Adam step": Case(
        "m = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))\n"
        "opt = torch.optim.Adam(m.parameters(), lr=0.1)\nout = m(torch.ones(2, 4))\n"
        "out.sum().backward(retain_graph=True)\nopt.step()\nout.sum().backward()",
        (6, "m(torch.ones(2, 4))"), (8, "opt.step()"), 9,
    ),
    "masked_fill_": Case(
        "y = x.sqrt()\ny.masked_fill_(y > 2, 0.0)\ny.sum().backward()",
        (4, "x.sqrt()"), (5, "y.masked_fill_(y > 2, 0.0)"), 6,
    ),
    "buffer of a recurrent loop": Case(
        "cell = nn.Linear(4, 4)\nstates = torch.zeros(3, 4)\nstates[0] = x\n"
        "for t in range(1, 3):\n    states[t] = torch.tanh(cell(states[t - 1]))\n"
        "states.sum().backward()",
        (8, "cell(states[t - 1])"), (8, "states[t] = torch.tanh(cell(states[t - 1]))"), 9,
    ),
    "copy_": Case(
        "y = x.exp()\nz = (y * y).sum()\ny.copy_(torch.zeros(4))\nz.backward()",
        (5, "y * y"), (6, "y.copy_(torch.zeros(4))"), 7,
    ),
    "relu_ after sigmoid": Case(
        "y = torch.sigmoid(x)\nz = torch.relu_(y)\nz.sum().backward()",
        (4, "torch.sigmoid(x)"), (5, "torch.relu_(y)"), 6,
    ),
    "row of an expanded tensor": Case(
        "y = x.exp()\nz = y.expand(3, 4)\nz[0] = 1\nz.sum().backward()",
        (4, "x.exp()"), (6, "z[0] = 1"), 7,
    ),
    "inside a reentrant checkpoint": Case(
        "from torch.utils.checkpoint import checkpoint\n"
        "def block(t):\n    y = t.exp()\n    y.add_(1)\n    return y\n"
        "checkpoint(block, x, use_reentrant=True).sum().backward()",
        (6, "t.exp()"), (7, "y.add_(1)"), 9,
    ),
    "input of a checkpoint": Case(
        "from torch.utils.checkpoint import checkpoint\nh = x * 2\n"
        "out = checkpoint(torch.exp, h, use_reentrant=False)\nh.add_(1)\nout.sum().backward()",
        (6, "checkpoint(torch.exp, h, use_reentrant=False)"), (7, "h.add_(1)"), 8,
    ),
    "custom Function": Case(
        "class Square(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, t):\n"
        "        ctx.save_for_backward(t)\n        return t * t\n"
        "    @staticmethod\n    def backward(ctx, grad):\n"
        "        (t,) = ctx.saved_tensors\n        return 2 * t * grad\n"
        "h = x * 2\ny = Square.apply(h)\nh.add_(1)\ny.sum().backward()",
        (7, "ctx.save_for_backward(t)"), (15, "h.add_(1)"), 11,
    ),
    "the first of several writes": Case(
        "y = x.exp()\ny[1] = 5\ny.mul_(2)\ny.sum().backward()",
        (4, "x.exp()"), (5, "y[1] = 5"), 7,
    ),
}  # fmt: skip


def ends(c: Culprit | None) -> tuple[object, ...]:
    """Both ends and the line that needed it."""
    assert c is not None
    return (c.saved_line, c.saved_code), (c.modified_line, c.modified_code), c.needed_line


def traced(house: House, code: str) -> JobResult:
    """The second run, the one with the probe."""
    return house.run(HEAD + code, probes=(Probe.INPLACE,), wall_s=60)


@pytest.mark.parametrize("name", list(REPORTED))
def test_both_lines_and_both_expressions(any_house: House, name: str) -> None:
    case = REPORTED[name]
    plain = any_house.run(HEAD + case.code, wall_s=60)
    seen = traced(any_house, case.code)

    assert plain.error is not None
    assert "modified by an inplace operation" in plain.error.message
    assert seen.outcome is Outcome.ERROR
    assert ends(seen.autograd) == (case.saved, case.modified, case.needed)
    assert seen.autograd is not None and seen.autograd.note == ""


def test_layers_and_calling_lines_are_named(any_house: House) -> None:
    """Where both ends lie in one call of a model, the layers tell them apart."""
    sequence = traced(any_house, REPORTED["module in a sequence"].code).autograd
    forward = traced(any_house, REPORTED["module in a forward"].code).autograd
    step = traced(any_house, REPORTED["SGD step"].code).autograd

    assert sequence is not None and forward is not None and step is not None
    assert sequence.saved_layer == "model.1 (Sigmoid)"
    assert sequence.modified_layer == "model.2 (ReLU)"
    assert forward.modified_layer == "net.act (ReLU)"
    assert (forward.saved_call_line, forward.modified_call_line) == (12, 12)
    assert step.tensor is not None and step.tensor.name == "m.1.weight"


def test_swallowed_error_has_its_culprit_too(any_house: House) -> None:
    seen = traced(
        any_house,
        "y = x.exp()\ny.add_(1)\ntry:\n    y.sum().backward()\nexcept RuntimeError:\n    pass",
    )

    assert seen.outcome is Outcome.OK
    assert ends(seen.autograd) == ((4, "x.exp()"), (5, "y.add_(1)"), 7)


def test_all_of_an_expanded_tensor_is_refused_at_once(any_house: House) -> None:
    """PyTorch raises at the write itself, so there is no saved tensor to name."""
    seen = traced(any_house, "y = x.exp()\nz = y.expand(3, 4)\nz.add_(1)\nz.sum().backward()")

    assert seen.error is not None and seen.autograd is None
    assert seen.error.line == 6 and "single memory location" in seen.error.message


def test_what_cannot_be_known_is_said(any_house: House) -> None:
    """torch.func lets no hook look at what it saves; torch.compile is off under the listener."""
    func = traced(
        any_house,
        "def f(t):\n    y = t.exp()\n    y.add_(1)\n    return y.sum()\n"
        "torch.func.grad(f)(x.detach())",
    )
    compiled = traced(
        any_house,
        "f = torch.compile(lambda t: t * 2, backend='eager')\n"
        "y = f(x).exp()\ny += 1\ny.sum().backward()",
    )

    assert func.autograd is not None
    assert (func.autograd.saved_line, func.autograd.modified_line) == (None, None)
    assert "neither end can be known" in func.autograd.note
    assert ends(compiled.autograd)[1] == (6, "y += 1")
    assert compiled.autograd is not None and "torch.compile was off" in compiled.autograd.note


LOSS = "w = torch.ones(4, requires_grad=True)\nloss = (w * x).sum()\n"
UNREPORTED = {
    "through .data": Case(
        LOSS + "w.data.mul_(2)\nloss.backward()", (5, "w * x"), (6, "w.data.mul_(2)"), 7
    ),
    "an element of .data": Case(
        LOSS + "w.data[0] = 7\nloss.backward()", (5, "w * x"), (6, "w.data[0] = 7"), 7
    ),
    "another .data": Case(
        LOSS + "w.data = torch.zeros(4)\nloss.backward()",
        (5, "w * x"), (6, "w.data = torch.zeros(4)"), 7,
    ),
    "NumPy array of a tensor": Case(
        LOSS + "a = w.detach().numpy()\na[:] = 0\nloss.backward()",
        (5, "w * x"), (7, "a[:] = 0"), 8,
    ),
    "tensor of a NumPy array": Case(
        "import numpy as np\na = np.ones(4, dtype='float32')\nt = torch.from_numpy(a)\n"
        "loss = (t * x).sum()\na += 3\nloss.backward()",
        (7, "t * x"), (8, "a += 3"), 9,
    ),
    "attribute of a custom Function's ctx": Case(
        "class Square(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, t):\n"
        "        ctx.t = t\n        return t * t\n"
        "    @staticmethod\n    def backward(ctx, grad):\n"
        "        return 2 * ctx.t * grad\n"
        "h = x * 2\ny = Square.apply(h)\nh.add_(1)\ny.sum().backward()",
        (7, "ctx.t = t"), (14, "h.add_(1)"), 11,
    ),
    "inside a checkpoint that is not reentrant": Case(
        "from torch.utils.checkpoint import checkpoint\n"
        "def block(t):\n    y = t.exp()\n    y.add_(1)\n    return y.sin()\n"
        "checkpoint(block, x, use_reentrant=False).sum().backward()",
        (6, "t.exp()"), (7, "y.add_(1)"), 9,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(UNREPORTED))
def test_changes_that_pytorch_does_not_report(any_house: House, name: str) -> None:
    """The run ends well with wrong gradients; its text alone is reason to look again."""
    case = UNREPORTED[name]
    plain = any_house.run(HEAD + case.code, wall_s=60)
    seen = traced(any_house, case.code)

    assert plain.outcome is Outcome.OK and plain.suspects
    assert seen.outcome is Outcome.OK
    (finding,) = seen.findings
    assert (finding.kind, finding.line) == ("silent_inplace_write", case.modified[0])
    assert finding.mistake and not finding.program_wide
    assert f"after line {case.saved[0]} saved it" in finding.message
    assert ends(seen.autograd) == (case.saved, case.modified, case.needed)
    assert seen.autograd is not None and "does not notice" in seen.autograd.note


HARMLESS = {
    "initialising weights": "m = nn.Linear(4, 1)\nm.weight.data.fill_(0.5)\nm(x).sum().backward()",
    "updating by hand": "w = torch.ones(4, requires_grad=True)\nfor _ in range(3):\n"
    "    loss = (w * x).pow(2).sum()\n    loss.backward()\n    w.data -= 0.1 * w.grad\n"
    "    w.grad = None",
    "clipping weights with batch norm": "m = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))\n"
    "opt = torch.optim.SGD(m.parameters(), lr=0.1)\nfor _ in range(3):\n"
    "    out = m(torch.randn(8, 4)) + m(torch.randn(8, 4))\n    opt.zero_grad()\n"
    "    out.pow(2).sum().backward()\n    opt.step()\n"
    "    for p in m.parameters():\n        p.data.clamp_(-0.1, 0.1)",
    "copy of an array": "a = x.detach().numpy().copy()\nloss = (x * x).sum()\na[0] = 9\n"
    "loss.backward()",
    "array changed after backward": "a = x.detach().numpy()\nloss = (x * x).sum()\n"
    "loss.backward()\na[0] = 9",
    "sum of what was written": "y = x * 1\ny.data[0] = 3\ny.sum().backward()",
    "checkpoint": "from torch.utils.checkpoint import checkpoint\nfc = nn.Linear(4, 4)\n"
    "def block(t):\n    h = fc(t)\n    h += 1\n    return torch.sin(h)\n"
    "checkpoint(block, x, use_reentrant=False).sum().backward()",
}  # fmt: skip


@pytest.mark.parametrize("name", list(HARMLESS))
def test_harmless_writes_give_no_finding(any_house: House, name: str) -> None:
    seen = traced(any_house, HARMLESS[name])

    assert seen.outcome is Outcome.OK, seen.stderr
    assert seen.findings == () and seen.autograd is None


def test_ordinary_training_is_not_run_again(any_house: House) -> None:
    """The hint is for hidden writes only; `+=` on numbers and in-place layers are none."""
    run = any_house.run(
        HEAD + "m = nn.Sequential(nn.Linear(4, 1), nn.ReLU(inplace=True))\ntotal = 0.0\n"
        "opt = torch.optim.SGD(m.parameters(), lr=0.1)\nfor _ in range(2):\n"
        "    loss = m(x).sum()\n    loss.backward()\n    opt.step()\n    total += loss.item()\n"
        "print(x.detach().numpy().sum())"
    )

    assert run.suspects == ()


PER_SAMPLE = """
def loss(w, x, y):
    return ((x @ w - y) ** 2).mean()
w = torch.ones(3, requires_grad=True)
x, y = torch.ones(5, 4, 3), torch.zeros(5, 4)
rows = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(w, x, y)
(rows.sum() * w.sum()).backward()
print(rows.shape[0], w.grad.tolist())
"""


@pytest.mark.parametrize("probe", [Probe.INPLACE, Probe.GRADIENTS, Probe.ORACLE])
def test_a_probe_leaves_torch_func_alone(house: House, probe: Probe) -> None:
    """It takes no hooks on saved tensors, and its gradients are no plain tensors."""
    plain = house.run(HEAD + PER_SAMPLE)
    seen = house.run(HEAD + PER_SAMPLE, probes=(probe,), wall_s=60)

    assert (seen.outcome, seen.error) == (Outcome.OK, None), seen.error
    assert seen.stdout == plain.stdout


def test_hooks_of_the_snippets_own_are_refused_as_ever(house: House) -> None:
    """What torch.func says of them is the snippet's error."""
    code = (
        "same = lambda t: t\nwith torch.autograd.graph.saved_tensors_hooks(same, same):\n"
        "    torch.func.grad(torch.sum)(torch.ones(2))\n"
    )
    result = house.run(HEAD + code, probes=(Probe.INPLACE,), wall_s=60)

    assert result.error is not None and "saved tensor hooks" in result.error.message
