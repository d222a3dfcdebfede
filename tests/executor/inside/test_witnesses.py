"""executor/inside/probes/training/witnesses.py: what a run shows of what findings by text say."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import run

NET = """\
import torch
import torch.nn.functional as F
from torch import nn
{before}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.d, self.b = nn.Linear(4, 8), {drop}, nn.Linear(8, 1)
    def forward(self, x):
        return self.b({hidden})
torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), 0.1)
"""
LOOP = """\
for epoch in range(3):
    for i in range(3):
        opt.zero_grad()
        net(torch.randn(6, 4)).pow(2).mean().backward()
        {within}
    {behind}
"""
OWN = """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        return {returned}
"""
CLIP = "torch.nn.utils.clip_grad_norm_(net.parameters(), 0.01)"
JUDGE = "with torch.no_grad():\n    net(torch.randn(6, 4))\n"
FUNCTIONAL = "F.dropout(self.a(x), 0.5{told})"


def program(
    within: str = "opt.step()",
    behind: str = "pass",
    *,
    drop: str = "nn.Identity()",
    hidden: str = "self.d(self.a(x))",
    before: str = "",
    after: str = "",
) -> str:
    """A program that trains."""
    net = NET.format(drop=drop, hidden=hidden, before=before)
    return net + LOOP.format(within=within, behind=behind) + after


EPOCH = "for epoch in range(3):\n"
MEAN = "net(torch.randn(6, 4)).pow(2).mean()"
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
NODES = (
    "x, y = torch.randn(9, 4), torch.randint(2, (9,))\n"
    "train_mask = torch.arange(9) < {n}\n"
    "net = nn.Sequential(nn.Linear(4, 2))\nopt = torch.optim.Adam(net.parameters())\n"
    "for _ in range(3):\n    loss = F.cross_entropy(net(x){at}, y{at})\n"
    "    opt.zero_grad(); loss.backward(); opt.step()\n"
)
AVERAGE = (
    "with torch.no_grad():\n            for a, b in zip(avg.parameters(), net.parameters()):\n"
    "                a.lerp_(b, {share})\n"
)


def averaged(share: float) -> str:
    """A program that keeps an average of its weights."""
    code = program("opt.step()\n        " + AVERAGE.format(share=share))
    return code.replace("for epoch", "import copy\navg = copy.deepcopy(net)\nfor epoch", 1)


SQUARE = "Square.apply(self.a(x))"
RUNS = {
    "all in order": (program(), ()),
    "a step outside of the loop": (program("pass", "opt.step()"), ("step_outside",)),
    "accumulated": (program("pass", "opt.step()").replace("        opt.zero_grad()\n", ""), ()),
    "clipped behind the step": (program(f"opt.step(); {CLIP}"), ("clipped_late",)),
    "clipped before the step": (program(f"{CLIP}; opt.step()"), ()),
    "judged in training mode": (
        program(drop="nn.Dropout()", after=JUDGE), ("validated_in_training",)),
    "with batch statistics": (
        program(drop="nn.BatchNorm1d(8)", after=JUDGE), ("validated_in_training",)),
    "judged in eval mode": (program(drop="nn.Dropout()", after="net.eval()\n" + JUDGE), ()),
    "nothing that drops": (program(drop="nn.Dropout(0.0)", after=JUDGE), ()),
    "a mode without effect": (program(after=JUDGE), ()),
    "a dropout that never stops": (
        program(hidden=FUNCTIONAL.format(told="")), ("always_drops",)),
    "a new module each time": (
        program(hidden="nn.Dropout()(self.a(x))"), ("always_drops",)),
    "a dropout that is told": (
        program(hidden=FUNCTIONAL.format(told=", training=self.training")), ()),
    "a misspelled attribute": (
        program(after="net.a.weight.require_grad = False\n"), ("misspelled",)),
    "an attribute of another name": (program(after="net.a.weight.tag = 1\n"), ()),
    "a gradient that is ignored": (
        program(hidden=SQUARE, before=OWN.format(returned="2 * ctx.saved_tensors[0]")),
        ("gradient_ignored", "step_uphill")),
    "a derivative": (
        program(hidden=SQUARE, before=OWN.format(returned="2 * ctx.saved_tensors[0] * g")), ()),
    "the same numbers in each epoch": (
        program().replace(EPOCH, EPOCH + "    torch.manual_seed(0)\n"), ("seeded_each_epoch",)),
    "the same numbers at every step": (
        program().replace("torch.randn(6, 4)", "torch.ones(6, 4)"), ("seeded_each_epoch",)),
    "a model in each epoch": (
        program().replace(EPOCH, EPOCH + "    net = Net()\n    opt.param_groups[0]['params'] = "
                          "list(net.parameters())\n"), ("made_each_epoch",)),
    "an optimizer in each epoch": (
        program().replace(EPOCH, EPOCH + "    opt = torch.optim.SGD(net.parameters(), 0.1)\n"),
        ("optimizer_each_epoch",)),
    "a loss that rises": (program().replace(", 0.1)", ", 0.1, maximize=True)"), ("step_uphill",)),
    "a loss below zero": (program().replace(MEAN, f"({MEAN} - 5)"), ("sign_of_kl",)),
    "nodes of the test": (HEAD + NODES.format(n=5, at=""), ("mask_left_out",)),
    "nodes of the training": (HEAD + NODES.format(n=5, at="[train_mask]"), ()),
    "a mask of all nodes": (HEAD + NODES.format(n=9, at=""), ()),
    "nearly the newest weights": (averaged(0.999), ("average_inverted",)),
    "an average": (averaged(0.001), ()),
    "one that is reversed on purpose": (
        program(hidden=SQUARE, before=OWN.format(returned="-g")), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_what_the_run_shows(house: House, name: str):
    """Each thing is seen where it is, and nothing where it is not."""
    code, witnessed = RUNS[name]

    result = run(house, code)

    assert result.error is None, result.error
    assert set(result.witnessed) == set(witnessed)
