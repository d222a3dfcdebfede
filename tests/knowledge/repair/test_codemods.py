"""The codemods: what they mend, what they leave alone, and which of their tempting cousins fail."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.diagnosis.pipeline import Pipeline
from bot.models import Answer
from executor.protocol import Job, JobResult, Probe
from knowledge.repair.checks import code as of_code
from knowledge.repair.codemod import Codemod, Proposal
from knowledge.repair.engine import applicable, judge
from knowledge.repair.fix import Fix
from tests.conftest import Ask

MINMAX = """\
import torch

def normalise(images):
    for i in range(len(images)):
        channel = images[i]
        low, high = channel.min(), channel.max()
        channel[:] = (channel - low) / (high - low)
    return images

source = torch.rand(2, 5, 5, requires_grad=True)
loss = (normalise(source * 3) ** 2).sum()
loss.backward()
"""

EXP = """\
import torch
x = torch.linspace(-1, 1, 5, requires_grad=True)
y = x.exp()  # saved for backward
y += 1
y.prod().backward()
print(x.grad)
"""

SIGMOID = """\
import torch
from torch import nn

class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(3, 2)

    def forward(self, x):
        gate = torch.sigmoid(self.score(x))
        gate *= 2   # between 0 and 2
        return gate

net = Gate()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(2):
    optimizer.zero_grad()
    loss = (net(torch.randn(4, 3)) - 1).square().mean()
    loss.backward()
    optimizer.step()
"""

SCALE = """\
import torch
import torch.nn as nn

class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.scale = torch.full((4,), 2.0, requires_grad=True)

    def forward(self, x):
        return self.body(x) * self.scale

model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (model(torch.ones(2, 4)) - 3).square().mean()
    loss.backward()
    optimizer.step()
"""

NON_LEAF = """\
import torch
prompt = torch.randn(3, 4, requires_grad=True) * 0.02
optimizer = torch.optim.Adam([prompt], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = (prompt - 1).square().mean()
    loss.backward()
    optimizer.step()
"""

EMPTY = """\
import torch
from torch import nn

class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 1)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

net = Stack()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.randn(5, 3)).square().mean()
loss.backward()
optimizer.step()
"""

USED_UP = """\
import torch
net = torch.nn.Linear(3, 1)
weights = net.parameters()
print(sum(w.numel() for w in weights), 'weights')
optimizer = torch.optim.SGD(weights, lr=0.1)
net(torch.randn(5, 3)).square().mean().backward()
optimizer.step()
"""

LEFT_OUT = """\
import torch
from torch import nn
encoder, decoder = nn.Linear(3, 3), nn.Linear(3, 1)
shift = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam(encoder.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    (decoder(encoder(torch.randn(5, 3))) + shift).square().mean().backward()
    optimizer.step()
"""

FILLED_BEFORE = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, depth=3):
        super().__init__()
        layers = []
        for _ in range(depth):
            layers.append(nn.Linear(3, 3))
        self.layers = layers
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.out(x)

torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.randn(5, 3)).square().mean().backward()
    optimizer.step()
"""

OF_A_FUNCTION = """\
import torch


def nearest(goal):
    z = torch.randn(3, requires_grad=True) * 0.1   # near the middle
    optimizer = torch.optim.SGD([z], lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        (z - goal).square().sum().backward()
        optimizer.step()
    return z.detach()


z = nearest(torch.ones(3))
print(z.shape)
"""

MENDED = {
    "minmax": (MINMAX, "channel.clone().min(), channel.clone().max()"),
    "exp": (EXP, "y = y + 1"),
    "sigmoid": (SIGMOID, "gate = gate * 2   # between 0 and 2"),
    "scale": (SCALE, "self.scale = nn.Parameter(torch.full((4,), 2.0))"),
    "non-leaf": (NON_LEAF, "(torch.randn(3, 4) * 0.02).requires_grad_()"),
    "non-leaf of a function": (OF_A_FUNCTION, "(torch.randn(3) * 0.1).requires_grad_()   # near"),
    "empty list": (EMPTY, "nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 1)])"),
    "a list that was filled before": (FILLED_BEFORE, "self.layers = nn.ModuleList(layers)"),
    "used up": (USED_UP, "weights = list(net.parameters())"),
    "left out": (LEFT_OUT, "[*encoder.parameters(), *decoder.parameters(), shift]"),
}


def posted(code: str) -> str:
    """A message that says nothing, with a snippet."""
    return f"what is wrong here?\n```python\n{code}```"


_answers: dict[str, Answer] = {}


async def once(ask: Ask, code: str) -> Answer:
    """The answer to a message that says nothing, with this snippet; asked once in all tests."""
    if code not in _answers:
        _answers[code] = await ask(posted(code))
    return _answers[code]


@pytest.mark.parametrize("name", MENDED)
async def test_mended_and_verified(ask: Ask, name: str):
    """The fix is the one a colleague would make, it was run, and every check holds."""
    code, wanted = MENDED[name]
    answer = await once(ask, code)

    assert answer.status == "fixed", (answer.headline, answer.refused)
    assert answer.fix is not None and answer.fix.verified
    assert wanted in answer.fix.code
    assert answer.fix.checks and all(check.passed for check in answer.fix.checks)
    assert answer.fix.result is not None and answer.fix.result.outcome == "ok"


@pytest.mark.daily  # as for every codemod: test_every_codemod.py
@pytest.mark.parametrize("name", MENDED)
async def test_a_fix_leaves_nothing_to_fix(ask: Ask, name: str):
    """Applied to its own output it has nothing to say: the fixed snippet just runs."""
    first = await once(ask, MENDED[name][0])
    assert first.fix is not None
    second = await ask(posted(first.fix.code))

    assert second.status == "runs", second.headline


@pytest.mark.parametrize("name", MENDED)
async def test_comments_and_untouched_lines_survive(ask: Ask, name: str):
    """The diff is the fix and nothing else."""
    code, _ = MENDED[name]
    answer = await once(ask, code)
    assert answer.fix is not None
    changed = [line for line in answer.fix.diff.splitlines() if line[:1] in "+-"]

    assert len(changed) <= 4
    for line in code.splitlines():
        if "#" in line:
            assert line.partition("#")[2] in answer.fix.code


# -- tempting and wrong ----------------------------------------------------------------------

Change = Callable[[str], str]


def swap(old: str, new: str) -> Change:
    """Replace what must be there."""

    def change(code: str) -> str:
        assert old in code
        return code.replace(old, new)

    return change


def swallow(line: str) -> Change:
    """try/except around a line."""

    def change(code: str) -> str:
        indent = next(s for s in code.splitlines() if s.strip() == line)
        pad = indent[: len(indent) - len(indent.lstrip())]
        block = f"{pad}try:\n{pad}    {line}\n{pad}except Exception:\n{pad}    pass\n"
        return code.replace(indent + "\n", block)

    return change


IN_PLACE = "in-place-overwrites-saved"
PARAMETER = "plain-tensor-attribute-not-a-parameter"
OPTIMIZER = "non-leaf-tensor-in-optimizer"

WRONG: dict[str, tuple[str, str, Change]] = {
    "detach what min and max see": (
        IN_PLACE, MINMAX, swap("channel.min(), channel.max()",
                               "channel.detach().clone().min(), channel.detach().clone().max()"),
    ),
    "detach the loss": (
        IN_PLACE, MINMAX, swap("loss.backward()", "loss.detach().requires_grad_().backward()"),
    ),
    "swallow the in-place error": (IN_PLACE, MINMAX, swallow("loss.backward()")),
    "delete backward": (IN_PLACE, MINMAX, swap("loss.backward()\n", "")),
    "write through .data": (IN_PLACE, MINMAX, swap("channel[:] =", "channel.data[:] =")),
    "write into a copy that is thrown away": (
        IN_PLACE, MINMAX, swap("channel = images[i]\n", "channel = images[i].clone()\n"),
    ),
    "write under no_grad": (
        IN_PLACE, MINMAX,
        swap("        channel[:] =", "        with torch.no_grad(): channel[:] ="),
    ),
    "detach the exp": (IN_PLACE, EXP, swap("x.exp()", "x.exp().detach().requires_grad_()")),
    "drop the sum that += made": (IN_PLACE, EXP, swap("y += 1", "y.add(1)")),
    "add through .data": (IN_PLACE, EXP, swap("y += 1", "y.data += 1")),
    "keep the graph instead": (
        IN_PLACE, EXP, swap("backward()", "backward(retain_graph=True)"),
    ),
    "swallow backward in the loop": (IN_PLACE, SIGMOID, swallow("loss.backward()")),
    "leave the scaling out": (IN_PLACE, SIGMOID, swap("        gate *= 2", "        gate * 2")),
    "detach the gate": (
        IN_PLACE, SIGMOID, swap("gate *= 2", "gate = gate.detach() * 2 + 0 * gate"),
    ),
    "detach the Parameter": (
        PARAMETER, SCALE, swap("torch.full((4,), 2.0, requires_grad=True)",
                               "nn.Parameter(torch.full((4,), 2.0)).detach()"),
    ),
    "a Parameter that asks for no gradient": (
        PARAMETER, SCALE, swap("torch.full((4,), 2.0, requires_grad=True)",
                               "nn.Parameter(torch.full((4,), 2.0), requires_grad=False)"),
    ),
    "a buffer where it should learn": (
        PARAMETER, SCALE, swap("self.scale = torch.full((4,), 2.0, requires_grad=True)",
                               "self.register_buffer('scale', torch.full((4,), 2.0))"),
    ),
    "another start value": (
        PARAMETER, SCALE, swap("torch.full((4,), 2.0, requires_grad=True)",
                               "nn.Parameter(torch.zeros(4))"),
    ),
    "cut off in forward": (
        PARAMETER, SCALE, lambda code: swap("* self.scale", "* self.scale.detach()")(
            swap("torch.full((4,), 2.0, requires_grad=True)",
                 "nn.Parameter(torch.full((4,), 2.0))")(code)),
    ),
    "not used any more": (
        PARAMETER, SCALE, swap(" * self.scale", ""),
    ),
    "swallow the training": (PARAMETER, SCALE, swallow("loss.backward()")),
    "optimise a detached copy": (OPTIMIZER, NON_LEAF, swap("[prompt]", "[prompt.detach()]")),
    "optimise a new Parameter that nothing uses": (
        OPTIMIZER, NON_LEAF, swap("[prompt]", "[torch.nn.Parameter(prompt)]"),
    ),
    "swallow the optimizer": (
        OPTIMIZER, NON_LEAF, swallow("optimizer = torch.optim.Adam([prompt], lr=0.1)"),
    ),
    "no gradient asked for": (
        OPTIMIZER, NON_LEAF, swap(", requires_grad=True", ""),
    ),
    "a placeholder parameter against the empty list": (
        OPTIMIZER, USED_UP, swap("SGD(weights", "SGD([torch.nn.Parameter(torch.zeros(1))]"),
    ),
    "a placeholder for the layers": (
        PARAMETER, EMPTY, swap("SGD(net.parameters()", "SGD([torch.zeros(1, requires_grad=True)]"),
    ),
    "a change that nothing needs beside the right one": (
        IN_PLACE, EXP, lambda code: swap("x.grad)", "x.grad )")(swap("y += 1", "y = y + 1")(code)),
    ),
}  # fmt: skip


async def runs_of(medic: Pipeline, code: str) -> tuple[Job, JobResult, JobResult]:
    """The original's run as the answer sees it, and its reference."""
    job = Job(code=code)
    before = await medic.executor.run(job)
    in_place = before.error is not None and "inplace operation" in before.error.message
    probe = Probe.ORACLE if in_place else Probe.GRADIENTS
    reference = await medic.executor.run(job.model_copy(update={"probes": (probe,)}))
    if in_place:
        traced = await medic.executor.run(job.model_copy(update={"probes": (Probe.INPLACE,)}))
        before = before.model_copy(update={"autograd": traced.autograd})
    return job, before, reference


@pytest.mark.parametrize("name", WRONG)
async def test_tempting_but_wrong_is_refused(medic: Pipeline, name: str):
    """It may well run to the end; a check says why it is no fix."""
    slug, code, change = WRONG[name]
    codemod: Codemod = next(c for c in medic.codemods if c.slug == slug)
    job, before, reference = await runs_of(medic, code)
    assert applicable([codemod], before).codemods, (
        "the original does not show the codemod's mistake"
    )
    wrong = change(code)
    said = tuple(of_code.checks_of_code(of_code.Change(code, wrong, before)))
    proposal = Proposal(codemod=slug, title=name, code=wrong, subjects=_subjects(code), checks=said)

    fix: Fix = await judge(medic.executor, codemod, proposal, job, before, reference)

    assert not fix.verified, f"{name} was verified:\n{fix.diff}\n{fix.checks}"


def _subjects(code: str) -> tuple[str, ...]:
    names = {SCALE: ("scale",), NON_LEAF: ("prompt",)}
    return names.get(code, ())


# -- left alone ------------------------------------------------------------------------------

HEALTHY = {
    "a GAN": """\
import torch
from torch import nn
G, D = nn.Linear(2, 4), nn.Linear(4, 1)
for_g, for_d = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
loss = nn.BCEWithLogitsLoss()
for _ in range(2):
    for_d.zero_grad()
    fake = G(torch.randn(8, 2))
    real, faked = D(torch.randn(8, 4)), D(fake.detach())
    (loss(real, torch.ones(8, 1)) + loss(faked, torch.zeros(8, 1))).backward()
    for_d.step()
    for_g.zero_grad()
    loss(D(fake), torch.ones(8, 1)).backward()
    for_g.step()
""",
    "a frozen backbone": """\
import torch
from torch import nn
body, head = nn.Linear(4, 4), nn.Linear(4, 1)
for p in body.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    head(body(torch.randn(8, 4))).square().mean().backward()
    optimizer.step()
""",
    "gradients added up over several batches": """\
import torch
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    net(torch.randn(8, 4)).square().mean().backward()
    if i % 2:
        optimizer.step()
        optimizer.zero_grad()
""",
    "a state kept between calls": """\
import torch
from torch import nn
class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.last = torch.zeros(3)
    def forward(self, x):
        out = self.fc(x) + self.last
        self.last = out.detach().mean(0)
        return out
net = Counter()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.randn(4, 3)).square().mean().backward()
    optimizer.step()
""",
    "LBFGS with its closure": """\
import torch
x = torch.ones(3, requires_grad=True)
optimizer = torch.optim.LBFGS([x])
def closure():
    optimizer.zero_grad()
    loss = (x - 4).square().sum()
    loss.backward()
    return loss
optimizer.step(closure)
print(x)
""",
    "an input whose gradient is looked at": """\
import torch
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
picture = torch.randn(2, 3, requires_grad=True)
net(picture).square().mean().backward()
optimizer.step()
print(picture.grad)
""",
    "tied weights": """\
import torch
from torch import nn
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 5)
        self.out = nn.Linear(5, 7, bias=False)
        self.out.weight = self.embed.weight
    def forward(self, ids):
        return self.out(self.embed(ids))
net = Tied()
optimizer = torch.optim.Adam(net.parameters())
net(torch.randint(0, 7, (3, 2))).square().mean().backward()
optimizer.step()
""",
    "two models under one optimizer": """\
import torch
from torch import nn
from itertools import chain
a, b = nn.Linear(3, 3), nn.Linear(3, 1)
optimizer = torch.optim.Adam(chain(a.parameters(), b.parameters()))
b(a(torch.randn(4, 3))).square().mean().backward()
optimizer.step()
""",
}


@pytest.mark.parametrize("name", HEALTHY)
async def test_healthy_training_is_left_alone(ask: Ask, name: str):
    """Unusual is not wrong: no finding, no fix."""
    answer: Answer = await ask(posted(HEALTHY[name]))

    assert answer.status == "runs", answer.headline
    assert answer.findings == ()


# -- one mistake behind another --------------------------------------------------------------

TWO = """\
import torch
net = torch.nn.Linear(3, 1)
weights = net.parameters()
print(sum(w.numel() for w in weights), 'weights')
optimizer = torch.optim.SGD(weights, lr=0.1)
out = net(torch.randn(5, 3)).exp()
out += 1
out.square().mean().backward()
optimizer.step()
"""


async def test_two_mistakes_are_one_diff_with_two_steps(ask: Ask):
    """The empty list hides the in-place error; both are mended, and undoing either fails."""
    answer = await ask(posted(TWO))

    assert answer.status == "fixed", (answer.headline, [f.checks for f in answer.refused])
    assert answer.fix is not None and len(answer.fix.steps) == 2
    assert "weights = list(net.parameters())" in answer.fix.code
    assert "out = out + 1" in answer.fix.code
    minimal = next(c for c in answer.fix.checks if c.name == "minimal")
    assert minimal.detail == "without each of the 2 changes the mistake is back"


async def test_what_only_gets_further_is_not_a_fix(ask: Ask):
    """The first mistake could be mended, but what comes then has no honest edit."""
    answer = await ask(posted(TWO + "raise RuntimeError('stop here')\n"))

    assert answer.status == "reproduced", answer.headline
    assert answer.fix is None and not answer.alternatives
