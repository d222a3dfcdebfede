"""knowledge/repair/checks/code/nothing_thrown_away.py: no value is computed and dropped."""

from __future__ import annotations

import pytest

from executor.protocol import Variable
from knowledge.repair.checks.code.nothing_thrown_away import check
from tests.knowledge.repair.checks.code.changed import refused, saw, tensor

SEEN = saw(x=tensor(3), net=Variable(type="Linear"), names=Variable(type="set"))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        # `x.add_(1)` became `x.add(1)`.
        ("x.add_(1)\n", "x.add(1)\n", 1),
        ("a = 1\nx.add_(1)\n", "a = 1\nx.add(1)  # so\n", 2),
        ("h.mul_(1)\n", "h.mul(1)\n", 1),  # no other class has this method
        ("h.add_(1)\n", "h.add(1)\n", None),  # it may be a set
        ("x.add_(1)\n", "x = x.add(1)\n", None),
        ("x.add_(1)\n", "x.add(1).sum().backward()\n", None),
        ("x.add_(1)\n", "torch.add(x, 1, out=x)\n", None),
        ("x.add_(1)\n", "torch.add(x, 1)\n", 1),
        ("x.relu_()\n", "F.relu(x)\n", 1),
        ("x.relu_()\n", "F.relu_(x)\n", None),
        ("x.add_(1)\n", "torch.einsum('i->i', x)\n", 1),
        ("x.add_(1)\n", "torch.cat([x])\n", 1),
        ("x.add_(1)\n", "torch.manual_seed(0)\n", None),
        ("x.add_(1)\n", "torch.set_num_threads(1)\n", None),
        ("x.add_(1)\n", "other.add(x)\n", None),  # any library's function
        ("x.add_(1)\n", "add(x)\n", None),
        # What was dropped before may be dropped; what a copy is called makes no difference.
        ("copy.deepcopy(x)\n", "x.detach().clone()\n", None),
        ("deepcopy(x)\n", "x.clone()\n", None),
        ("x.add_(1)\n", "copy.copy(x)\n", 1),
        # A copy is changed, and nobody has it.
        ("x.mul_(2)\n", "x.clone().mul_(2)\n", 1),
        ("x.mul_(2)\n", "(x + 1).mul_(2)\n", 1),
        ("x.mul_(2)\n", "x.add(1)[0].mul_(2)\n", 1),
        ("x.mul_(2)\n", "x.add(1).t().mul_(2)\n", 1),
        ("x.mul_(2)\n", "torch.add(x, 1).mul_(2)\n", 1),
        ("x.mul_(2)\n", "h.exp().mul_(2)\n", 1),
        ("x.mul_(2)\n", "h.copy().mul_(2)\n", None),
        ("x.mul_(2)\n", "torch.from_numpy(x).mul_(2)\n", None),
        ("x.mul_(2)\n", "x.view(-1).mul_(2)\n", None),
        ("x.mul_(2)\n", "x.detach()[0].mul_(2)\n", None),
        ("x.mul_(2)\n", "make(x).mul_(2)\n", None),
        ("x.mul_(2)\n", "nn.init.xavier_uniform_(x)\n", None),
        # `x += 1` became `x + 1`.
        ("x += 1\n", "x + 1\n", 1),
        ("x += 1\n", "x + f(y=1)\n", 1),
        ("x += 1\n", "x[0]\n", 1),
        ("x += 1\n", "x == 1\n", 1),
        ("x += 1\n", "3\n", 1),
        ("x += 1\n", "'a note'\n", None),
        ("x += 1\n", "...\n", None),
        ("x += 1\n", "x = x + 1\n", None),
        # What is written for what it does.
        ("f(x)\n", "x.backward()\n", None),
        ("f(x)\n", "x.retain_grad()\n", None),
        ("f(x)\n", "x.register_hook(f)\n", None),
        ("f(x)\n", "net.float()\n", None),  # a module is changed in place
        ("f(x)\n", "x.float()\n", 1),
        ("f(x)\n", "names.add(x)\n", None),
        ("f(x)\n", "net.add_module('a', x)\n", None),
        ("f(x)\n", "f(x) if x else g(x)\n", None),
        ("f(x)\n", "x.mul(1) if x else x\n", 1),
        ("f(x)\n", "[f(y) for y in x]\n", None),
        ("f(x)\n", "[y + 1 for y in x]\n", 1),
        ("async def a():\n    await f(x)\n", "async def a():\n    await g(x)\n", None),
        # It was dropped before: a value shown, an error provoked.
        ("x + y\n", "x + y.T\n", None),
        ("x @ y\n", "x.matmul(y)\n", None),
        ("x.mul(1)\n", "x.mul(2)\n", None),
        ("x + y\nx.add_(1)\n", "x + y\nx.add(1)\n", 2),
        ("x + y\nx.add_(1)\n", "x + y.T\nx.add(1)\n", 2),
        # A statement that came anew, and one that was there.
        ("f(x)\n", "f(x)\nx.mul(2)\n", 2),
        ("x.mul(2)\nf(x)\n", "f(x)\nx.mul(2)\n", None),
    ],
)
def test_a_value_computed_and_dropped_is_seen(old: str, new: str, line: int | None):
    """What was written in place must not become a value that nobody takes: it would run."""
    told = refused(check, old, new, SEEN)

    assert told.startswith(f"line {line} computes a value and drops it") if line else told == ""


@pytest.mark.parametrize(
    ("body", "instead", "passes"),
    [
        ("x.add_(1)\n    return y", "x = x.add(1)\n    return y", False),
        ("x += 1\n    return y", "x = x + 1\n    return y", False),
        ("x.add_(1)\n    return x", "x = x.add(1)\n    return x", True),
        ("x.add_(1)\n    f(x)", "x = x.add(1)\n    f(x)", True),
        ("f(x)\n    x.add_(1)", "f(x)\n    x = x.add(1)", False),
        ("y = x + 1\n    return z", "y = x + 2\n    return z", True),  # it was so before
        ("for i in y:\n        f(x)\n        x.add_(1)",
         "for i in y:\n        f(x)\n        x = x.add(1)", True),
        ("global x\n    x.add_(1)", "global x\n    x = x.add(1)", True),
        ("x.add_(1)\n    return y", "self.x = x.add(1)\n    return y", True),
        ("x.add(1)\n    return y", "x = x.add(1)\n    return y", True),
    ],
)  # fmt: skip
def test_a_change_in_place_becomes_no_variable_that_nobody_reads(
    body: str, instead: str, passes: bool
):
    """What others hold would then stay as it is."""
    function = "def g(x, y, z):\n    "
    assert (refused(check, function + body + "\n", function + instead + "\n") == "") is passes


def test_a_variable_at_module_level_may_be_read_later():
    """The snippet may be the first part of something."""
    assert refused(check, "x.add_(1)\n", "x = x.add(1)\n") == ""
