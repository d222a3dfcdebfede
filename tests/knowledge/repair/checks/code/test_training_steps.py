"""knowledge/repair/checks/code/training_steps.py: every backward and step is still called."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.training_steps import check
from tests.knowledge.repair.checks.code.changed import refused

TRAINED = "optimizer = f()\nloss = g()\noptimizer.zero_grad()\nloss.backward()\noptimizer.step()\n"
TWO = "a, b = f()\na.backward()\nb.backward()\n"
LEAF = "is asked for a gradient of its own"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        # A call that is no backward.
        ("loss.backward()\n", "loss.item()\n", "a `backward()` is left out"),
        ("loss.backward()\n", "loss.mean().backward()\n", ""),
        ("loss.backward()\n", "torch.autograd.backward(loss)\n", ""),
        ("torch.autograd.backward([a, b])\n", "torch.autograd.backward([a])\n", "left out"),
        ("torch.autograd.backward([a, b])\n", "torch.autograd.backward((a, b))\n", ""),
        ("backward(loss)\n", "f(loss)\n", "left out"),
        ("loss.backward()\n", "loss.backward(torch.ones(3))\n", ""),
        # The sum of both for both; not one of them twice.
        (TWO, "a, b = f()\n(a + b).backward()\n", ""),
        (TWO, "a, b = f()\n(a - b).backward()\n", "left out"),
        (TWO, "a, b = f()\n(a + a).backward()\n", "`b` is no longer"),
        (TWO, "a, b = f()\na.backward()\n", "left out"),
        # Another value is differentiated; a new name may stand for the same.
        ("loss = f()\nother = g()\nloss.backward()\n",
         "loss = f()\nother = g()\nother.backward()\n",
         "`loss` is no longer"),
        ("x = f()\nx *= 2\nx.backward()\n", "x = f()\ny = x * 2\ny.backward()\n", ""),
        # A number that was taken out of the loss has no graph: the loss was meant, not another.
        ("loss = f()\nloss.item().backward()\n", "loss = f()\nloss.backward()\n", ""),
        ("loss = f()\nloss.mean().item().backward()\n",
         "loss = f()\nloss.mean().backward()\n", ""),
        ("loss = f()\nother = g()\nloss.item().backward()\n",
         "loss = f()\nother = g()\nother.backward()\n",
         "is no longer"),
        # Steps.
        (TRAINED,
         TRAINED.replace("optimizer.step()", "optimizer.state_dict()"), "`optimizer.step()`"),
        (TRAINED, TRAINED.replace("optimizer.zero_grad()", "pass"), "`optimizer.zero_grad()`"),
        (TRAINED, TRAINED.replace("optimizer.step", "scheduler.step"), "`optimizer.step()`"),
        (TRAINED, TRAINED + "optimizer.step()\n", ""),
        (TRAINED, TRAINED.replace("optimizer.step()", "scaler.step(optimizer)"), ""),
        (TRAINED, TRAINED.replace("optimizer.step()", "scaler.step(loss)"), "`optimizer.step()`"),
        (TRAINED, TRAINED.replace("optimizer.step()", "scaler.update(optimizer)"),
         "`optimizer.step()`"),
        (TRAINED, TRAINED.replace("optimizer.zero_grad()", "s.step(optimizer)"),
         "`optimizer.zero_grad()`"),
        # A name that has no value is a slip of the pen.
        ("opt = f()\noptt.step()\n", "opt = f()\nopt.step()\n", ""),
        ("def train(opt):\n    opt.step()\n    o.step()\n",
         "def train(opt):\n    o.step()\n    o.step()\n",
         "`opt.step()`"),
        ("def train(opt):\n    optt.step()\n",
         "def train(opt):\n    opt.state()\n", "`optt.step()`"),
        # A loss that is made a leaf: backward goes nowhere.
        ("loss.backward()\n", "loss.requires_grad_().backward()\n", LEAF),
        ("loss.backward()\n", "loss.detach().requires_grad_(True).backward()\n", LEAF),
        ("loss = f()\nloss.backward()\n", "loss = f().requires_grad_()\nloss.backward()\n", LEAF),
        ("loss = f()\nloss.backward()\n",
         "loss = f()\nloss.requires_grad = True\nloss.backward()\n",
         LEAF),
        ("loss = f()\nloss.backward()\n",
         "loss = f()\nloss.requires_grad_()\nloss.backward()\n", LEAF),
        ("loss = f()\nloss.backward()\n",
         "loss = torch.tensor(f(), requires_grad=True)\nloss.backward()\n", LEAF),
        ("loss = f()\nloss.backward()\n",
         "loss = torch.tensor(f(), requires_grad=False)\nloss.backward()\n", ""),
        ("x = f()\nloss = g(x)\nloss.backward()\n",
         "x = f().requires_grad_()\nloss = g(x)\nloss.backward()\n", ""),  # an input may be asked
        ("w = torch.ones(1, requires_grad=True)\nw.backward()\n",
         "w = torch.ones(2, requires_grad=True)\nw.backward()\n", ""),  # it was one before
        ("x = 1\n", "x = 2\n", ""),
    ],
)  # fmt: skip
def test_every_backward_and_step_is_still_called(old: str, new: str, why: str):
    """As often, of the same losses and optimizers, and starting from no leaf made for it."""
    told = refused(check, old, new)

    assert why in told and bool(why) is bool(told)
