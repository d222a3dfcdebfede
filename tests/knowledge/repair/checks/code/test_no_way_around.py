"""knowledge/repair/checks/code/no_way_around.py: no step is left out, skipped or hidden."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code import Change
from knowledge.repair.checks.code.no_way_around import check
from tests.built import failed
from tests.knowledge.repair.checks.code.changed import refused

PAST_DATA = "it writes past autograd, through `.data`"
PAST_DETACH = "it writes past autograd, through detach()"
OFF = "it switches a check off, with `{}`"
HIDDEN = "it hides what is said or computed, with `{}()`"
OUT = "it leaves line {} out: `{}`"
SKIPPED = "line {} may be skipped now: it is in {}"
ASSERTED = "asserts something else"
NET = "fc = nn.Linear(3, 4)\ny = fc(x)\n"
PATCH = "import torch\nimport torch.nn.functional as F\nfrom torch import t\nf()\n"
OLD_FUNCTION = """\
class Scaled(Function):
    def __init__(self, by):
        super().__init__()
        self.by = by
    def forward(self, x):
        return x * 2
"""
NEW_FUNCTION = """\
class Scaled(Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        return x * 2
"""
LOSSES = "for loss in losses:\n    loss.backward()\n"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("w -= g\n", "w.data -= g\n", PAST_DATA),
        ("a = 1\nw -= g\n", "a = 1\nw.data -= g\n", PAST_DATA),
        ("w.data -= g\n", "w.data -= 2 * g\n", ""),  # it was there
        ("w.data -= v.data\n", "w.data -= g\n", ""),
        ("w.data -= g\n", "w.data -= v.data\n", PAST_DATA),
        ("v = w.data\nw -= g\n", "v = w\nw.data -= g\n", PAST_DATA),  # another line's is no excuse
        ("f()\n", "f()\nw.data.zero_()\n", PAST_DATA),
        ("load(s)\n", "load(torch.utils.data.Dataset(s))\n", ""),  # a module's name
        ("load(s)\n", "load(s.database)\n", ""),
        ("w[0] = 1\n", "w.detach()[0] = 1\n", PAST_DETACH),
        ("w[0] += 1\n", "w.detach()[0] += 1\n", PAST_DETACH),
        ("w += 1\n", "w.detach().add_(1)\n", PAST_DETACH),
        ("w += 1\n", "w.detach()[0].add_(1)\n", PAST_DETACH),
        ("w += 1\n", "w = w.detach().clone().add_(1)\n", ""),
        ("w += 1\n", "w = w.detach().requires_grad_()\n", ""),
        ("w += 1\n", "w = w.detach().__iadd__(1)\n", ""),
        ("w += 1\n", "v = w.detach() + 1\n", ""),
        ("m.register_backward_hook(f)\n", "m.register_full_backward_hook(f)\n", ""),
        ("m.register_backward_hook(f)\n", "m.register_forward_hook(f)\n",
         OUT.format(1, "m.register_backward_hook(f)")),
        ("m.load(s)\n", "m.load(s, strict=False)\n", OFF.format("strict=False")),
        ("m.load(s, strict=True)\n", "m.load(t, strict=True)\n", ""),
        ("m.load(s, strict=True)\n", "m.load(s, strict=False)\n", OFF.format("strict=False")),
        ("m.load(s, strict=False)\n", "m.load(t, strict=False)\n", ""),
        ("grad(y, x)\n", "grad(y, x, allow_unused = True)\n", OFF.format("allow_unused=True")),
        ("grad(y, x)\n", "grad(y, x, allow_unused=False)\n", ""),
        ("grad(y, x)\n",
         "grad(y, x, is_grads_batched=True)\n", OFF.format("is_grads_batched=True")),
        ("trace(f)\n", "trace(f, check_trace=False)\n", OFF.format("check_trace=False")),
        ("f()\n", "warnings.simplefilter('ignore')\nf()\n", HIDDEN.format("simplefilter")),
        ("f()\n", "with suppress(RuntimeError): f()\n", HIDDEN.format("suppress")),
        ("f()\n", "torch.set_grad_enabled(False)\nf()\n", HIDDEN.format("set_grad_enabled")),
        # Lines that went.
        (OLD_FUNCTION, NEW_FUNCTION, ""),
        (OLD_FUNCTION, NEW_FUNCTION.replace("ctx.by = by", "ctx.to = by"),
         OUT.format(2, "def __init__(self, by):")),
        (OLD_FUNCTION, NEW_FUNCTION.replace("forward", "other"),
         OUT.format(3, "super().__init__()")),
        ("a = 1\nloss.backward()\nb = 2\n", "a = 1\nb = 2\n", OUT.format(2, "loss.backward()")),
        ("a = 1\n\n# why\nb = 2\n", "a = 1\nb = 2\n", ""),
        ("import os\na = 1\nfrom os import path\nb = 2\n", "a = 1\nb = 2\n", ""),
        ("'a note'\na = 1\n", "a = 1\n", ""),
        ("if a:\n    pass\n    f()\n", "if a:\n    f()\n", ""),
        ("with g():\n    f()\n", "f()\n", ""),  # what stood in it is there
        ("with g():\n    f()\n    h()\n", "f()\n", OUT.format(3, "h()")),
        ("f(\n    a=1,\n    b=2,\n)\n", "f(\n    a=1,\n)\n", ""),
        ("a = 1\nb = 2\nf()\n", "f()\na = 1\nb = 2\n", ""),  # it came again elsewhere
        ("a = 1\nb = 2\nf()\n", "g()\na = 1\nb = 2\n", OUT.format(3, "f()")),
        ("f()\na = 1\nf()\nb = 2\n", "f()\na = 1\nb = 2\n", OUT.format(3, "f()")),
        ("a = 1\nf(x)\n", "a = 1\ny = g(x)\n", OUT.format(2, "f(x)")),
        ("x = f(y)\n", "x = f(y.t())\n", ""),
        # A step that went because the sum is now taken.
        ("a.backward()\n# and\nb.backward()\n", "# and\n(a + b).backward()\n", ""),
        ("a.backward()\n# and\nb.backward()\n", "# and\n(c + b).backward()\n",
         OUT.format(1, "a.backward()")),
        ("a.forward()\n# and\nb.backward()\n", "# and\n(a + b).backward()\n",
         OUT.format(1, "a.forward()")),
        ("a.backward()\nb.backward()\n", "f(a + b)\nb.backward()\n", OUT.format(1, "a.backward()")),
        ("a.backward()\nb.backward()\n", "b.backward()\n", OUT.format(1, "a.backward()")),
        (LOSSES, "sum(losses).backward()\n", ""),
        (LOSSES, "sum(others).backward()\n", OUT.format(1, "for loss in losses:")),
        (LOSSES, "f(sum(losses))\nloss.backward()\n", OUT.format(1, "for loss in losses:")),
        (LOSSES + "    f()\n",
         "f()\nsum(losses).backward()\n", OUT.format(1, "for loss in losses:")),
        # A decorator that went because it is called.
        ("@fast  # so\ndef f(): ...\nb = 2\nf()\n", "def f(): ...\nb = 2\nfast(f)()\n", ""),
        ("@fast\ndef f(): ...\nb = 2\nf()\n",
         "def f(): ...\nb = 2\ng(f)()\n", OUT.format(1, "@fast")),
        ("@fast\n@slow\ndef f(): ...\n", "@slow\ndef f(): ...\n", OUT.format(1, "@fast")),
        # A new way out.
        ("for x in y:\n    f(x)\n", "for x in y:\n    break\n    f(x)\n", "line 2 skips"),
        ("for x in y:\n    f(x)\n", "for x in y:\n    continue\n    f(x)\n", "line 2 skips"),
        ("f()\n", "raise ValueError\nf()\n", "line 1 skips"),
        ("def f():\n    g()\n", "def f():\n    return\n    g()\n", "line 2 skips"),
        ("def f():\n    x = g()\n", "def f():\n    x = g()\n    return x\n", ""),
        ("f()\n", "exit()\nf()\n", "line 1 ends the program"),
        ("f()\n", "sys.exit(0)\nf()\n", "line 1 ends the program"),
        ("x = f(0)\n", "x = f(os._exit(0))\n", "line 1 ends the program"),
        # Under a condition, or in a handler.
        ("f()\n", "if ready:\n    f()\n", SKIPPED.format(2, "an `if`")),
        ("f(x)\n", "if ready:\n    f(x.t())\n", SKIPPED.format(2, "an `if`")),
        ("for i in range(3):\n    f(xs[i])\n", "for x in xs:\n    f(x)\n", ""),
        ("for i in range(3):\n    f(xs[i], i)\n",
         "for i, x in enumerate(xs):\n    f(x, i)\n", ""),
        ("for i in range(3):\n    f(xs[i])\n", "for x in ys:\n    f(x)\n",
         OUT.format(1, "for i in range(3):")),
        ("a.bias.zero_()\n", "if a.bias is not None:\n    a.bias.zero_()\n", ""),
        ("init.ones_(a.weight)\n", "if a.weight is not None:\n    init.ones_(a.weight)\n", ""),
        ("a.bias.zero_()\n", "if b.bias is not None:\n    a.bias.zero_()\n",
         SKIPPED.format(2, "an `if`")),  # of another layer
        ("a.bias.zero_()\n", "if a.bias is None:\n    a.bias.zero_()\n",
         SKIPPED.format(2, "an `if`")),
        ("a.grad.zero_()\n", "if a.grad is not None:\n    a.grad.zero_()\n", ""),
        ("f(b)\n", "if a.grad is not None:\n    f(b)\n", SKIPPED.format(2, "an `if`")),
        ("f(a.bias)\n", "if a.bias is not None:\n    f(a.bias)\n",
         SKIPPED.format(2, "an `if`")),
        ("a.loss.add_(1)\n", "if a.loss is not None:\n    a.loss.add_(1)\n",
         SKIPPED.format(2, "an `if`")),
        ("f()\n", "while ready:\n    f()\n", SKIPPED.format(2, "a condition")),
        ("f()\n", "try:\n    f()\nexcept Exception:\n    pass\n", SKIPPED.format(2, "a `try`")),
        ("try:\n    f()\nexcept Exception:\n    g()\n",
         "f()\ntry:\n    g()\nexcept Exception:\n    f()\n",
         SKIPPED.format(5, "a handler")),
        ("if ready:\n    f()\n", "if ready:\n    f(x)\n", ""),
        ("f()\n", "if __name__ == '__main__':\n    f()\n", ""),
        ("import g\n", "try:\n    import g\nexcept ImportError:\n    pass\n", ""),
        ("f()\n", "with g():\n    f()\n", ""),
        ("f()\n", "match x:\n    case 1:\n        f()\n", SKIPPED.format(3, "a handler")),
        # Without a graph.
        ("y = f(x)\n", "with torch.no_grad():\n    y = f(x)\n", "line 2 leaves no graph now"),
        ("y = f(x)\n", "with torch.inference_mode():\n    y = f(x)\n", "line 2 leaves no graph"),
        ("f(x)\n", "with torch.no_grad():\n    f(x)\n", "line 2 leaves no graph now"),
        ("x += 1\n", "with torch.no_grad():\n    x += 1\n", ""),
        ("x[0] = 1\n", "with torch.no_grad():\n    x[0] = 1\n", ""),
        ("x.w = f(y)\n", "with torch.no_grad():\n    x.w = f(y)\n", ""),
        ("x.add_(1)\n", "with torch.no_grad():\n    x.add_(1)\n", ""),
        ("for w in ws:\n    w -= g\n",
         "with torch.no_grad():\n    for w in ws:\n        w -= g\n", ""),
        ("with torch.no_grad():\n    y = f(x)\n", "with torch.no_grad():\n    y = f(x.t())\n", ""),
        ("with torch.no_grad():\n    y = f(x)\n", "y = f(x)\n", ""),
        ("@torch.no_grad()\ndef f(x):\n    return g(x)\n", "def f(x):\n    return g(x)\n", ""),
        ("@inference_mode\ndef f(x):\n    return g(x)\n", "def f(x):\n    return g(x)\n", ""),
        ("@no_graded\ndef f(x):\n    return g(x)\n", "def f(x):\n    return g(x)\n", "out"),
        ("nn.init.ones_(w)\n", "nn.init.normal_(w)\n", ""),
        ("init.ones_(w)\n", "torch.nn.init.normal_(w)\n", ""),
        ("nn.init.ones_(w)\n", "reset(w)\n", "leaves line 1 out"),
        ("reset(w)\n", "nn.init.ones_(w)\n", "leaves line 1 out"),
        # A layer that is not called any more.
        (NET, NET.replace("fc(x)", "x"), "`fc` is called less often"),
        (NET, NET.replace("fc(x)", "fc(fc(x))"), ""),
        (NET, NET.replace("fc(x)", "fc[0](x)"), ""),
        (NET + "fc[0].on()\n", NET + "fc.on()\n", ""),
        (NET, NET.replace("fc(x)", "x").replace("nn.Linear", "make"), ""),  # no layer now
        (NET.replace("Linear", "Softmax"), NET.replace("Linear", "Softmax").replace("fc(x)", "x"),
         ""),  # it may be one too many
        (NET.replace("nn.Linear", "make"), NET.replace("nn.Linear", "make").replace("fc(x)", "x"),
         ""),
        # A library's or Python's own name.
        (PATCH, PATCH + "torch.cat = f\n", "gives `torch.cat` another value"),
        (PATCH, PATCH + "F.relu = f\n", "gives `F.relu` another value"),
        (PATCH, PATCH + "t.x.y = f\n", "gives `t.x.y` another value"),
        (PATCH, PATCH + "torch = f\n", "gives `torch` another value"),
        (PATCH, PATCH + "len = f\n", "gives `len` another value"),
        (PATCH, PATCH + "del F.relu\n", "gives `F.relu` another value"),
        (PATCH, PATCH + "x.cat = f\n", ""),
        (PATCH, PATCH + "len.x = f\n", ""),
        (PATCH, PATCH + "x = torch.cat\n", ""),
        ("len = 1\n" + PATCH, "len = 1\n" + PATCH + "len = 2\n", ""),
        # What the code expects.
        ("assert x.shape == (4, 5)\n", "assert x.shape == (5, 4)\n", ASSERTED),
        ("assert x.shape == (4, 5)\n", "assert x.t().shape == (4, 5)\n", ASSERTED),
        ("assert torch.equal(a, b)\n", "assert torch.equal(a.float(), b)\n", ""),
        ("assert torch.equal(a, b)\n", "assert torch.equal(a.detach().cpu(), b)\n", ""),
        ("assert torch.equal(a, b)\n", "assert torch.equal(c.float(), b)\n", ASSERTED),
        ("assert torch.equal(a, b)\n", "assert torch.equal(float(a), b)\n", ASSERTED),
        ("assert a == b\n", "assert torch.equal(a, b)\n", ""),
        ("assert a == b\n", "assert (a == b).all()\n", ""),
        ("assert a == b\n", "assert (a == b).any()\n", ASSERTED),
        ("assert a == b\n", "assert torch.equal(a, a)\n", ASSERTED),
        ("assert a == b\n", "assert torch.equal(b, b)\n", ASSERTED),
        ("assert a == b\n", "assert torch.is_same_size(a, b)\n", ASSERTED),
        ("assert x\n", "f()\n", OUT.format(1, "assert x")),
        ("f()\n", "f()\nassert x\n", ""),
        ("x[i].fill_(v)\n", "x[i] = v\n", ""),
        ("x[i].zero_()\n", "x[i] = 0\n", ""),
        ("x[i].add_(v)\n", "x[i] += v\n", ""),
        ("x[i].abs_()\n", "x[i] = x[i].abs()\n", ""),
        ("x[i].fill_(v)\n", "x[j] = v\n", OUT.format(1, "x[i].fill_(v)")),
        ("x[i].fill_(v)\n", "x[i] = w\n", OUT.format(1, "x[i].fill_(v)")),
        ("x.fill_(v)\n", "x = v\n", OUT.format(1, "x.fill_(v)")),
    ],
)  # fmt: skip
def test_a_way_around_is_no_repair(old: str, new: str, why: str):
    """Writing past autograd, switching a check off, hiding, leaving out, skipping, ending."""
    told = refused(check, old, new, failed("it failed", line=99))

    assert why in told and bool(why) is bool(told)


@pytest.mark.parametrize(("line", "passes"), [(1, False), (2, True), (3, True), (4, False)])
def test_the_line_that_failed_may_call_something_else(line: int, passes: bool):
    """What it called may not exist; any other line is called for what it does."""
    old, new = "a = 1\nf(\n    x)\nb = 2\n", "a = 1\ng(\n    x)\nb = 2\n"

    told = refused(check, old, new, failed("no f", line=line))

    assert (told == "") is passes


def test_zeros_for_what_takes_no_part_are_said():
    old, new = "g = grad(y, x)\n", "g = grad(y, x, materialize_grads=True)\n"
    said = "line 1: `b` takes no part, and gets a gradient of zeros"

    assert refused(check, old, new) != ""
    assert check(Change(old, new, failed("unused"), title=said)).passed


def test_a_branch_may_become_a_choice_of_values():
    old = "if c > 1:\n    x = f(x)\n"

    assert refused(check, old, "x = torch.where(c > 1, f(x), x)\n") == ""
    assert refused(check, old, "x = torch.where(c > 2, f(x), x)\n") != ""


TWICE = "h(f)\nnet.remove_hook()\ng()\nnet.remove_hook()\n"


@pytest.mark.parametrize(
    ("old", "new", "line", "passes"),
    [
        (TWICE, "handle = h(f)\nhandle.off()\ng()\nhandle.off()\n", 2, True),
        (TWICE, "handle = h(f)\nhandle.off()\ng()\nhandle.off()\n", 3, False),
        (TWICE, "h(f)\ng()\n", 2, False),  # nothing came
        (TWICE.replace("g", "k"), "handle = h(f)\nhandle.off()\nhandle.off()\n", 2, False),
    ],
)
def test_what_makes_the_same_mistake_may_go_too(old: str, new: str, line: int, passes: bool):
    """A method that does not exist is called twice, and both calls become others."""
    assert (refused(check, old, new, failed("no remove_hook", line=line)) == "") is passes


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        ("nn.clip_gradient_(a, 1)", "nn.clip_grad_(a, 1)", True),
        ("nn.clip_grda_(a, 1)", "nn.clip_grad_(a, 1)", True),
        ("nn.clip_grda_(a, 1)", "nn.clip_grad_(b, 1)", False),  # of something else
        ("nn.clip_grda_(a, n=1)", "nn.clip_grad_(a, n=2)", False),
        ("nn.clip_grda_(a, 1)", "other.clip_grad_(a, 1)", False),  # of another module
        ("nn.clip_grda_(a, 1)", "nn.scale_(a, 1)", False),  # no slip
        ("nn.clip_grda_(a, 1)", "x = nn.clip_grad_(a, 1)", False),
    ],
)
def test_a_call_further_down_may_be_spelt_right(old: str, new: str, passes: bool):
    """Its line has not run yet, where another slip came first."""
    was, now = f"f(a)\n{old}\n", f"g(a)\n{new}\n"

    assert (refused(check, was, now, failed("no f", line=1)) == "") is passes


RENAMED = "old_name(a)\nf()\nold_name(b)\n"


@pytest.mark.parametrize(
    ("new", "line", "passes"),
    [
        ("new_name(a)\nf()\nnew_name(b)\n", 1, True),
        ("new_name(a)\nf()\nother(b)\n", 1, False),  # not alike
        ("new_name(a)\nf()\nnew_name(b)\n", 2, False),  # neither is the line that failed
        ("new_name(other(a))\nf()\nnew_name(b)\n", 1, False),  # one call became two
    ],
)
def test_a_call_that_is_made_twice_may_be_renamed_twice(new: str, line: int, passes: bool):
    """The second never ran: the first failed before it."""
    assert (refused(check, RENAMED, new, failed("no old_name", line=line)) == "") is passes


@pytest.mark.parametrize(
    ("gone", "line", "said", "refuses"),
    [
        ("opt = SGD(x)", 2, "nothing uses `opt`", False),
        ("opt = SGD(x)", 2, "without `opt`", True),  # nobody is told of it
        ("opt = SGD(x)", 1, "nothing uses `opt`", True),  # it did not fail
        ("x = SGD(x)", 2, "nothing uses `x`", True),  # the rest has the name
        ("loss = measure(x)", 2, "nothing uses `loss`", True),  # it computes something
        ("SGD(x)", 2, "nothing uses it", True),
    ],
)
def test_an_object_that_cannot_be_made_may_go_if_nothing_uses_it(
    gone: str, line: int, said: str, refuses: bool
):
    """One row for each condition."""
    old, new = f"x = f()\n{gone}\nprint(x)\n", "x = f()\nprint(x)\n"

    assert bool(refused(check, old, new, failed("no", line=line), title=said)) is refuses


@pytest.mark.parametrize(
    ("gone", "said", "refuses"),
    [
        ("x = x.unsqueeze(1)", "`x` stays as it is, without `unsqueeze(1)`", False),
        ("x = x.transpose(0, 1)", "`x` stays as it is, without `transpose(0, 1)`", False),
        ("x = x.unsqueeze(1)", "`x` is cast", True),  # nobody is told of it
        ("y = x.unsqueeze(1)", "without `unsqueeze(1)`", True),  # another name
        ("x = x.relu()", "without `relu()`", True),  # other values
        ("x = x.detach()", "without `detach()`", True),
        ("x = unsqueeze(x)", "without `unsqueeze`", True),  # whatever that is
    ],
)
def test_a_step_that_only_turns_its_own_tensor_may_go_if_that_is_said(
    gone: str, said: str, refuses: bool
):
    """One row for each condition."""
    old, new = f"x = f()\n{gone}\nprint(x, y)\n", "x = f()\nprint(x, y)\n"

    assert bool(refused(check, old, new, title=said)) is refuses
