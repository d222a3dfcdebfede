"""For each check of what runs show: a tempting wrong fix that only it refuses, and a right one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from knowledge.repair.codemod import Check, Codemod, Proposal
from knowledge.repair.engine import judge
from knowledge.repair.fix import Fix
from knowledge.repair.rerun import rerun_with_probes

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


class Anything:
    """A codemod with no check of its own."""

    def applies(self, result: JobResult) -> bool:
        return True

    def rewrite(self, program: object, result: JobResult) -> list[object]:
        raise AssertionError("a rewrite is asked of the executor")

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        return []


@dataclass(frozen=True)
class Case:
    """A program with a mistake, and two edits that make it run."""

    check: str
    code: str
    old: str
    wrong: str
    old_right: str
    right: str


def net(init: str, forward: str, rest: str) -> str:
    """A module and what is done with it."""
    return f"""class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, x, mask=None):
        {forward}

{rest}
"""


TRAIN = """x, y = torch.randn(4, 3), torch.randn(4, 1)
model = nn.Linear(3, 1)
"""
CASES = {
    "heads cut out of positions": Case(
        "neighbours",
        net("self.q = nn.Linear(12, 12)",
            "return self.q(x).view(len(x), 3, 4, 5).sum(3)",
            "print(Net()(torch.randn(2, 4, 12)).shape)"),
        "view(len(x), 3, 4, 5)", "view(len(x), 3, 4, 4)",
        "view(len(x), 3, 4, 5)", "view(len(x), 4, 3, 4).transpose(1, 2)",
    ),
    "a softmax over the batch": Case(
        "samples",
        net("self.out = nn.Linear(3, 5)", "return torch.softmax(self.out(x), dim=2)",
            "print(Net()(torch.randn(4, 3)).shape)"),
        "dim=2", "dim=0",
        "dim=2", "dim=1",
    ),
    "a batch taken for one sequence": Case(
        "samples",
        net("self.lstm = nn.LSTM(3, 8, batch_first=True); self.out = nn.Linear(8, 1)",
            "return self.out(self.lstm(x.unsqueeze(2))[0].reshape(len(x), -1))",
            "F.mse_loss(Net()(torch.randn(4, 3)), torch.randn(4, 1)).backward()"),
        "x.unsqueeze(2)", "x",
        "x.unsqueeze(2)", "x.unsqueeze(1)",
    ),
    "a padding mask turned": Case(
        "masks",
        "layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=False)\n"
        "mask = torch.zeros(5, 7).bool()\n"
        "print(layer(torch.randn(5, 7, 8), src_key_padding_mask=mask).shape)\n",
        "padding_mask=mask", "padding_mask=mask.t()",
        "batch_first=False", "batch_first=True",
    ),
    "a mask of as many rows as columns turned": Case(
        "samples",
        net("self.a = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)",
            "return self.a(x, src_key_padding_mask=mask.view(5, 5))",
            "mask = torch.zeros(4, 4).bool()\n"
            "mask[0, 2:] = mask[1, 3:] = mask[2, 1:] = True\n"
            "print(Net()(torch.randn(4, 4, 8), mask).shape)"),
        "mask.view(5, 5)", "mask.t()",
        "mask.view(5, 5)", "mask",
    ),
    "columns left out of a model": Case(
        "inputs used",
        net("self.w = nn.Parameter(torch.ones(1))", "return x * self.w",
            "x = torch.randn(4, 6)\ny = torch.randn(4, 5)\n"
            "((Net()(x) - y) ** 2).mean().backward()"),
        "return x * self.w", "return x[:, :5] * self.w",
        "torch.randn(4, 5)", "torch.randn(4, 6)",
    ),
    "a softmax over one class": Case(
        "inputs used",
        net("self.out = nn.Linear(3, 1)", "return torch.softmax(self.out(x), dim=2)",
            "print(Net()(torch.randn(4, 3)).shape)"),
        "dim=2", "dim=1",
        "torch.softmax(self.out(x), dim=2)", "torch.sigmoid(self.out(x))",
    ),
    "a result that lies the other way": Case(
        "stated shapes",
        "a, b = torch.ones(4, 3), torch.ones(2, 3)\n"
        "y = a @ b  # shape: [4, 2]\nprint(y.sum())\n",
        "a @ b", "b @ a.T",
        "a @ b", "a @ b.T",
    ),
    "the first instead of the last": Case(
        "stated values",
        "found = torch.tensor([[1, 0], [1, 1]]) == 1\n"
        "print(found.argmax(1))  # tensor([0, 1])\n",
        "found.argmax", "found.int().argmax",
        "found.argmax", "(found * torch.tensor([1, 2])).argmax",
    ),
    "every class with every weight": Case(
        "broadcasts",
        "per_class = torch.rand(3)\nweights = torch.rand(4)\n"
        "print((per_class * weights).sum() > 0)\n",
        "per_class * weights", "per_class * weights.unsqueeze(-1)",
        "torch.rand(4)", "torch.rand(3)",
    ),
    "a prediction repeated for each target": Case(
        "broadcasts",
        "model = nn.Linear(2, 1)\nx = torch.randn(4, 2)\ny = torch.rand(4, 3)\n"
        "F.binary_cross_entropy_with_logits(model(x), y).backward()\n",
        "(model(x), y)", "(model(x).expand_as(y), y)",
        "nn.Linear(2, 1)", "nn.Linear(2, 3)",
    ),
    "measurements made classes": Case(
        "casts",
        "y = torch.tensor([0.2, 1.7, 2.0, 1.1])\n"
        "F.cross_entropy(nn.Linear(2, 3)(torch.randn(4, 2)), y).backward()\n",
        "2)), y)", "2)), y.long())",
        "[0.2, 1.7, 2.0, 1.1]", "[0, 1, 2, 1]",
    ),
    "scores compared with labels": Case(
        "compared values",
        "out, y = torch.randn(4, 3), torch.tensor([0, 1, 2, 1])\n"
        "print((out == y).float().mean() >= 0)\n",
        "out == y)", "out == y.unsqueeze(1))",
        "out == y)", "out.argmax(1) == y)",
    ),
    "a percentage of the wrong whole": Case(
        "metrics",
        "y = torch.ones(40)\ncorrect = (y == 1).sum().item()\ntotal = y.shape[1]\n"
        "print(f'accuracy: {100 * correct / total:.1f}%')\n",
        "y.shape[1]", "y.dim()",
        "y.shape[1]", "y.shape[0]",
    ),
    "a gradient for the loss alone": Case(
        "leaves",
        TRAIN + "loss = ((model(x).detach() - y) ** 2).mean()\nloss.backward()\n",
        "loss.backward()", "loss.requires_grad_().backward()",
        "model(x).detach()", "model(x)",
    ),
    "a gradient for the target": Case(
        "leaves",
        TRAIN + "loss = F.mse_loss(model(x).detach(), y)\nloss.backward()\n",
        "(), y)", "(), y.requires_grad_())",
        "model(x).detach()", "model(x)",
    ),
    "a gradient for the result": Case(
        "leaves",
        TRAIN + "out = model(x).detach()\nloss = F.mse_loss(out, y)\nloss.backward()\n",
        "F.mse_loss(out, y)", "F.mse_loss(out.mul(torch.ones(1)).requires_grad_(), y)",
        "model(x).detach()", "model(x)",
    ),
    "a backward that is called no more": Case(
        "training calls",
        TRAIN + "loss = (model(x) - y) ** 2\nloss.backward()\n",
        "loss.backward()", "loss.mean().item()",
        "loss.backward()", "loss.mean().backward()",
    ),
    "gradients added twice": Case(
        "training calls",
        TRAIN + "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "loss = F.mse_loss(model(x), y)\nloss.backward()\nprint(1)\nloss.backward()\n"
        "optimizer.step()\n",
        "loss.backward()\nprint", "loss.backward(retain_graph=True)\nprint",
        "print(1)\n", "print(1)\nloss = F.mse_loss(model(x), y)\n",
    ),
    "eval mode in training": Case(
        "eval mode",
        "model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "x, y = torch.randn(1, 3), torch.randn(1, 1)\n"
        "loss = F.mse_loss(model(x), y)\nloss.backward()\noptimizer.step()\n",
        "loss = F", "model.eval()\nloss = F",
        "torch.randn(1, 3), torch.randn(1, 1)", "torch.randn(4, 3), torch.randn(4, 1)",
    ),
    "a target of another size": Case(
        "fresh warnings",
        TRAIN + "print(F.mse_loss(model(x), y.squeeze(2)) > 0)\n",
        "y.squeeze(2)", "y.squeeze(1)",
        "y.squeeze(2)", "y",
    ),
    "a leaf that is none any more": Case(
        "printed gradients",
        "x = torch.ones(3, requires_grad=True)\nx.add_(1)\nx.sum().backward()\nprint(x.grad)\n",
        "x.add_(1)", "x = x.add(1)",
        "x.add_(1)", "with torch.no_grad():\n    x.add_(1)",
    ),
}  # fmt: skip

_before: dict[str, tuple[JobResult, JobResult]] = {}


async def judged(executor: ExecutorClient, case: Case, old: str, new: str) -> Fix:
    """The verdict on an edit."""
    code = HEAD + case.code
    assert code.count(old) == 1, f"{old!r} is to be in the program once"
    job = Job(code=code)
    if code not in _before:
        _before[code] = await rerun_with_probes(executor, job, await executor.run(job))
    before, reference = _before[code]
    assert before.outcome is Outcome.ERROR
    proposal = Proposal(codemod="own", title="edit", code=code.replace(old, new))
    return await judge(executor, Codemod("own", Anything()), proposal, job, before, reference)


@pytest.mark.parametrize("name", CASES)
async def test_tempting_but_wrong_is_refused_by_its_check(
    executor: ExecutorClient, name: str
) -> None:
    """It runs to the end and passes every check that is made before."""
    case = CASES[name]
    fix = await judged(executor, case, case.old, case.wrong)

    assert not fix.verified, fix.diff
    assert case.check in [c.name for c in fix.checks if not c.passed], fix.checks


@pytest.mark.parametrize("name", CASES)
async def test_the_right_fix_beside_it_passes(executor: ExecutorClient, name: str) -> None:
    """The same program, mended as it was meant."""
    case = CASES[name]
    fix = await judged(executor, case, case.old_right, case.right)

    assert fix.verified, (fix.diff, [c for c in fix.checks if not c.passed])
