"""Each check refuses a tempting rewrite on its way through the real executor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.diagnosis.pipeline import Pipeline
from bot.messages.question import read_message
from knowledge.repair.codemod import load_codemods
from tests.conftest import last_of

TEMPTED = """\
import libcst as cst
from knowledge.repair.codemod import Rewrite


def applies(result):
    return True


def rewrite(program, result):
    code = program.module.code
    assert {old!r} in code
    yield Rewrite(cst.parse_module(code.replace({old!r}, {new!r})), "it is made to fit")


def checks(before, after, proposal):
    return []
"""

NO_GRAPH = """\
w = torch.ones(3)
loss = (w * 2).sum()
loss.backward()
"""
ONE_ROW = """\
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.ones(1, 3)).square().sum().backward()
    optimizer.step()
"""
LEAF = """\
x = torch.ones(3, requires_grad=True)
x.mul_(2)
x.sum().backward()
print(x.grad)
"""
UNEQUAL = """\
rows = [torch.ones(2), torch.ones(3), torch.ones(4)]
for batch in torch.utils.data.DataLoader(rows, batch_size=3):
    print(batch.shape)
"""
TWO_PARTS = """\
images, target = torch.ones(5, 2), torch.ones(4)
data = torch.utils.data.TensorDataset(images, target)
print(len(data))
"""
NO_ATTRIBUTE = """\
layer = nn.Linear(2, 3)
print(layer.weights.shape)
"""
NO_NANMAX = """\
x = torch.tensor([1.0, float("nan"), 3.0])
print(torch.nanmax(x))
"""
ACCURACY = """\
scores = torch.randn(8, 3, requires_grad=True) * 2
labels = torch.randint(0, 3, (8,))
print((scores == labels).float().mean())
"""
LENGTHS = """\
a, b = torch.randn(4), torch.randn(3)
print((a * b).shape)
"""
SHARED = """\
class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.rnn = nn.LSTM(3, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0])

print(Net(8)(torch.randn(2, 5, 3)).shape)
"""
CLASSES = """\
head = nn.Linear(6, 10)
print(head(torch.randn(2, 12)).shape)
"""
STATED = """\
a, b = torch.randn(4, 3), torch.randn(5, 3)
y = a @ b
print(y.shape)  # [4, 5]
"""

ANNOUNCED = """\
x = torch.ones(3, requires_grad=True)
y = (x * 2).detach()  # detached from here on
y.sum().backward()
"""
TARGETS = """\
scores = torch.randn(4, 3, requires_grad=True)
labels = torch.randint(0, 3, (4, 3))
nn.CrossEntropyLoss()(scores, labels).backward()
"""
DOUBLE = """\
layer = nn.Linear(3, 1)
x = torch.ones(2, 3, dtype=torch.float64)
print(layer(x).shape)
"""
ONE_MORE = """\
conv = nn.Conv1d(1, 2, 3)
x = torch.ones(4, 1, 9)
x = x.unsqueeze(1)
print(conv(x).shape)
"""

ROWS = {
    "announced": (ANNOUNCED, ".detach()", ""),
    "classes": (TARGETS, "(scores, labels)", "(scores, labels.float())"),
    "precision": (DOUBLE, "float64", "float32"),
    "undoing": (ONE_MORE, "conv(x)", "conv(x.squeeze(1))"),
    "training steps": (NO_GRAPH, "loss.backward()", "loss.requires_grad_().backward()"),
    "training mode": (ONE_ROW, "for _", "net.eval()\nfor _"),
    "nothing thrown away": (LEAF, "x.mul_(2)", "x.clone().mul_(2)"),
    "no way around": (LEAF, "x.mul_(2)", "x.data.mul_(2)"),
    "settings": (UNEQUAL, "batch_size=3", "batch_size=1"),
    "operands": (TWO_PARTS, "(images, target)\np", "(target, target)\np"),
    "private names": (NO_ATTRIBUTE, "layer.weights", "layer._parameters['weight']"),
    "same function": (NO_NANMAX, "nanmax", "amax"),
    "labels": (ACCURACY, "== labels", "== labels.unsqueeze(1)"),
    "data": (LENGTHS, "a * b", "a[:3] * b"),
    "sizes": (SHARED, "nn.Linear(hidden, 1)", "nn.Linear(16, 1)"),
    "stated shapes": (STATED, "a @ b", "b @ a.T"),
}


@pytest.mark.parametrize("name", ROWS)
async def test_a_tempting_rewrite_is_refused(medic: Pipeline, tmp_path: Path, name: str):
    """It runs to the end, and the check of this name speaks against it."""
    code, old, new = ROWS[name]
    refused = await refused_by(
        medic, tmp_path, f"import torch\nfrom torch import nn\n{code}", old, new
    )

    assert name in refused
    assert "no error" not in refused


async def test_what_the_person_says_of_sizes_is_kept(medic: Pipeline, tmp_path: Path):
    """Their words go into the jail with the code."""
    code = f"import torch\nfrom torch import nn\n{CLASSES}"
    change = ("nn.Linear(6, 10)", "nn.Linear(12, 3)")

    assert await refused_by(medic, tmp_path / "a", code, *change) == []
    said = "My model has 10 classes."
    assert await refused_by(medic, tmp_path / "b", code, *change, said) == ["sizes"]


async def refused_by(
    medic: Pipeline, folder: Path, code: str, old: str, new: str, said: str = "why?"
) -> list[str]:
    """The names of the checks that refuse the one rewrite; none if it is offered."""
    (folder / "tempted").mkdir(parents=True)
    (folder / "tempted" / "codemod.py").write_text(TEMPTED.format(old=old, new=new))
    # Without operators: what they propose for the same mistake is not asked about here.
    tempted = replace(medic, codemods=load_codemods(folder), operators=())

    answer = await last_of(tempted.answer(read_message(f"{said}\n```python\n{code}```")))

    assert answer.problems == ()
    if answer.fix is not None:
        assert new in answer.fix.code
        return []
    (fix,) = answer.refused
    assert new in fix.code
    return [c.name for c in fix.checks if not c.passed]
