"""knowledge/repair/checks/code/training_mode.py: what is trained stays in training mode."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.training_mode import check
from tests.knowledge.repair.checks.code.changed import refused

LOOP = "for x in data:\n    f(x).backward()\n    optimizer.step()\n"
FUNCTION = "def train():\n    f().backward()\n\ntrain()\n"
CALLED = "def train():\n    f().backward()\n\ndef run():\n    train()\n\nrun()\n"
LAYER = "class Net(nn.Module):\n    def forward(self, x):\n        return self.bn(x)\n\n"


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        (LOOP, "net.eval()\n" + LOOP, False),
        (LOOP, "net.train(False)\n" + LOOP, False),
        (LOOP, "net.requires_grad_(False)\n" + LOOP, False),
        (LOOP, "net = make().eval()\n" + LOOP, False),
        (LOOP, "net.train()\n" + LOOP, True),
        (LOOP, "net.requires_grad_(True)\n" + LOOP, True),
        (LOOP, "df.eval('a + b')\n" + LOOP, True),  # another library's
        (LOOP, "eval('a + b')\n" + LOOP, True),
        (LOOP, LOOP + "net.eval()\n", True),  # then it is over
        (LOOP, LOOP + "    net.eval()\n", False),  # the next round trains in it
        ("net.eval()\n" + LOOP, "net.eval()\nx = 1\n" + LOOP, True),  # the person's own
        ("net.eval()\n" + LOOP, "net.eval()\nnet.eval()\n" + LOOP, False),
        ("f(x)\n", "net.eval()\nf(x)\n", True),  # nothing is trained
        (FUNCTION, FUNCTION.replace("    f()", "    net.eval()\n    f()"), False),
        (FUNCTION, "def show():\n    net.eval()\n\n" + FUNCTION, True),
        (CALLED, CALLED.replace("\nrun()", "\nnet.eval()\nrun()"), False),
        (CALLED, CALLED + "net.eval()\n", True),
        (CALLED, CALLED.replace("run()\n", "for _ in x:\n    net.eval()\n    run()\n"), False),
        (LAYER + LOOP, LAYER.replace("return", "self.bn.eval()\n        return") + LOOP, False),
        (LAYER, LAYER.replace("return", "self.bn.eval()\n        return"), True),
        ("optimizer.step()\n", "net.eval()\noptimizer.step()\n", False),
        (LOOP, LOOP + "    net.eval()\n    show(net(x))\n    net.train()\n", True),  # set back
        (LOOP, LOOP + "    net.eval()\n    show(net(x))\n    other.train()\n", False),
        (LOOP, LOOP + "    net.eval()\n    optimizer.step()\n    net.train()\n", False),
        (LOOP, LOOP + "    net.eval()\n    if x:\n        net.train()\n", False),
        (LOOP, LOOP + "    net.train()\n    net.eval()\n", False),
    ],
)
def test_nothing_is_put_into_evaluation_mode_and_then_trained(old: str, new: str, passes: bool):
    """Batch norm of a single row fails in training only: switching training off is no repair."""
    assert (refused(check, old, new) == "") is passes
