"""class-target-dtype: one-hot rows as probabilities, indices as whole numbers."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

ROWS = """\
import torch
import torch.nn.functional as F
from torch import nn

model = nn.Linear(5, 3)
labels = F.one_hot(torch.arange(9) % 3, 3)  # one column a class
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = criterion(model(torch.randn(9, 5)), labels)
    loss.backward()
    optimizer.step()
"""

SHORT = """\
import torch
import torch.nn.functional as F

scores = torch.randn(3, 4, requires_grad=True)
labels = torch.tensor([0.0, 3.0, 1.0])
loss = F.cross_entropy(scores, labels)
loss.backward()
"""

INT32 = """\
import torch
import torch.nn.functional as F

scores = torch.randn(50, 4).log_softmax(1)
labels = (torch.rand(50) * 4).int()
print(F.nll_loss(scores, labels) > 0)
"""

SEVERAL = """\
import torch
import torch.nn.functional as F

scores = torch.randn(2, 3)
labels = torch.tensor([[1, 0, 1], [0, 1, 0]])
print(F.cross_entropy(scores, labels))
"""

MEASURED = """\
import torch
import torch.nn.functional as F

scores = torch.randn(3, 4)
heights = torch.tensor([1.2, 0.4, 2.9])
print(F.cross_entropy(scores, heights))
"""

TWO_CLASSES = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
criterion = nn.CrossEntropyLoss()   # spam or not
labels = torch.tensor([0, 1, 1, 0])
loss = criterion(net(torch.randn(4, 3)).squeeze(1), labels)
loss.backward()
"""

DRAWN = TWO_CLASSES.replace("torch.tensor([0, 1, 1, 0])", "torch.randint(0, 2, (300,))").replace(
    "torch.randn(4, 3)", "torch.randn(300, 3)"
)
THREE_CLASSES = DRAWN.replace("randint(0, 2,", "randint(0, 3,")

GIVEN = """\
import torch
import torch.nn.functional as F

def loss_of(scores, labels):
    return F.cross_entropy(scores, labels)

labels = F.one_hot(torch.arange(9) % 3, 3)
print(loss_of(torch.randn(9, 3), labels))
"""

LOSSES = """\
import torch
import torch.nn.functional as F
from torch import nn

scores = torch.randn(2, 3)
labels = F.one_hot(torch.tensor([0, 2]), 3)
losses = [nn.CrossEntropyLoss(), nn.MultiLabelMarginLoss()]
for loss_fn in losses:
    print(loss_fn(scores, labels))
"""

CASES = Cases(
    mended={
        "one-hot rows": (ROWS, "labels.float())"),
        "whole numbers as floats": (SHORT, "F.cross_entropy(scores, labels.long())"),
        "two classes": (TWO_CLASSES, "criterion = nn.BCEWithLogitsLoss()   # spam or not"),
        "two classes, drawn": (DRAWN, "criterion = nn.BCEWithLogitsLoss()   # spam or not"),
        "int32": (INT32, "F.nll_loss(scores, labels.long())"),
    },
    refused={
        "several labels a row": SEVERAL,
        "measured values": MEASURED,
        "one score for three classes": THREE_CLASSES,
        "a function's own argument": GIVEN,
        "a loop over losses": LOSSES,
    },
    wrong={
        "detach": ("one-hot rows", swap("5)), labels)", "5)).detach(), labels.float())")),
        "a table of nothing": (
            "one-hot rows",
            swap("5)), labels)", "5)), torch.zeros_like(labels).float())"),
        ),
        "only the first class": (
            "one-hot rows",
            swap("5)), labels)", "5)), labels[:, 0])"),
        ),
        "swallow it": (
            "whole numbers as floats",
            swallow("loss = F.cross_entropy(scores, labels)"),
        ),
        "invented labels": (
            "int32",
            swap("(scores, labels)", "(scores, torch.randint(0, 4, labels.shape))"),
        ),
        "another loss": (
            "whole numbers as floats",
            swap("F.cross_entropy(scores, labels)", "F.mse_loss(scores[:, 0], labels)"),
        ),
    },
)
