"""knowledge/repair/checks/code/operands.py: the same values are computed with."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.operands import check
from tests.knowledge.repair.checks.code.changed import NUMBER, refused, saw, tensor

LIVE = saw(x=tensor(3), y=tensor(3), labels=tensor(3), n=NUMBER)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("TensorDataset(x, y)\n", "TensorDataset(y, y)\n", "`y` now stands for `x` too"),
        ("TensorDataset(a, b)\n", "TensorDataset(b, b)\n", "`b` now stands for `a` too"),
        ("loss(a, target=b)\n", "loss(a, target=a)\n", "`a` now stands for `b` too"),
        ("f(a, b)\n", "f(b, a)\n", ""),  # they change places
        ("f(x, y)\n", "f(y, x)\n", ""),
        ("f(a, a)\n", "f(b, b)\n", ""),  # one value before, one value now
        ("f(a, b)\n", "f(a, b, b)\n", ""),
        ("f(a, b.t())\n", "f(a, a)\n", "`a` now stands for `b.t()` too"),
        ("c = a @ b\n", "c = a @ a\n", "`a` now stands for `b` too"),
        ("c = a == b\n", "c = b == b\n", "`b` now stands for `a` too"),
        # Sizes may well be equal.
        ("nn.Linear(a, b)\n", "nn.Linear(b, b)\n", ""),
        ("MyDataset(a, b)\n", "MyDataset(b, b)\n", "`b` now"),
        ("f(1, 2)\n", "f(2, 2)\n", ""),
        ("f(m, n)\n", "f(n, n)\n", ""),
        # A gradient that is reset in another way.
        ("x.grad.zero_()\n", "x.grad = None\n", ""),
        ("x.data.zero_()\n", "x.data = None\n", "the constant `None` stands where"),
        ("x.grad.zero_()\n", "x.grad = 2.0\n", "the constant `2.0` stands where"),
        # Another tensor in its place.
        ("f(x)\n", "f(y)\n", "`y` stands where `x` stood"),
        ("f(x.t())\n", "f(y.t())\n", "`y` stands where `x` stood"),
        ("z = x\n", "z = labels\n", "`labels` stands where `x` stood"),
        ("f(x)\n", "f(x.t())\n", ""),
        ("f(x)\n", "f(x + y)\n", ""),
        ("f(x[labels])\n", "f(x.expand_as(labels)[labels])\n", ""),
        ("f(x.T)\n", "f(y.T)\n", "`y` stands where `x` stood"),
        ("f(x)\n", "f(other)\n", ""),  # what that is nobody saw
        ("f(other)\n", "f(x)\n", ""),  # it may be a name that does not exist
        ("f(n)\n", "f(x)\n", ""),
        ("f(x)\n", "f(n)\n", ""),
        ("c = x @ y\n", "c = y @ x\n", ""),
        ("f(x)\n", "f(x)\ng(y)\n", ""),
        # What a variable was computed by, once more.
        ("y = m(x)\nf(y)\n", "y = m(x)\nf(m(x))\n", ""),
        ("y = m(x)\nf(y)\n", "y = m(x)\nf(g(x))\n", "`g(x)` stands where `y` stood"),
        ("y = m(x)\ny = 2 * y\nf(y)\n", "y = m(x)\ny = 2 * y\nf(m(x))\n", "`m(x)` stands"),
        # A constant in its place.
        ("f(x[0])\n", "f(2.0)\n", "the constant `2.0` stands where `x[0]` was computed"),
        ("z = x.mean()\n", "z = None\n", "the constant `None` stands"),
        ("f(x)\n", "f([1.0, 2.0])\n", "the constant `[1.0, 2.0]` stands"),
        ("f(x.size(0))\n", "f(32)\n", ""),  # a size: knowledge/repair/checks/code/sizes.py
        ("f(n)\n", "f(0.5)\n", ""),
        ("f(other)\n", "f(0.5)\n", ""),  # what that is nobody saw
        ("f(x)\n", "f(0.5 * x)\n", ""),
        ("f(x, 1)\n", "f(x, 1.0)\n", ""),
        ("z = m(x)\n", "z = m('x')\n", "the constant `'x'` stands"),
    ],
)
def test_each_value_keeps_its_role(old: str, new: str, why: str):
    """One value does not play two parts, and no other tensor steps in."""
    told = refused(check, old, new, LIVE)

    assert why in told and bool(why) is bool(told)
