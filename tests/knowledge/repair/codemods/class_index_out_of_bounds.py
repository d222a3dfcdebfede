"""class-index-out-of-bounds: labels from 0, or a score for each class that there is."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

FROM_ONE = """\
import torch
from torch import nn

table = torch.randn(6, 4)
labels = torch.tensor([1, 2, 3, 1, 2, 3])  # as in the file
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    nn.CrossEntropyLoss()(model(table), labels).backward()
    optimizer.step()
"""

TOO_FEW = """\
import torch
import torch.nn.functional as F
from torch import nn

n_classes = 4


class Net(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.body = nn.Linear(5, 8)
        self.head = nn.Linear(8, n_classes)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


net = Net(n_classes)
x, y = torch.randn(32, 5), torch.randint(0, 6, (32,))
labels = torch.randint(0, 6, (32,))
scores = net(x)
loss = F.cross_entropy(scores, labels)
loss.backward()
"""

NUMBERED = """\
import torch
from torch import nn

heads = nn.Sequential(nn.Linear(3, 7), nn.ReLU(), nn.Linear(7, 2))
digits = torch.tensor([0, 1, 2, 1])
scores = heads(torch.randn(4, 3)).log_softmax(1)
loss = nn.NLLLoss()(scores, digits)
loss.backward()
"""

RANDOM_SCORES = """\
import torch
import torch.nn.functional as F

scores = torch.randn(4, 3)
labels = torch.tensor([0, 1, 3, 2])
print(F.cross_entropy(scores, labels))
"""

UNSEEN = """\
import torch
import torch.nn.functional as F
from torch import nn

labels = torch.tensor([len(w) for w in "a few words of several lengths here now".split()])
print(F.cross_entropy(nn.Linear(2, 4)(torch.randn(len(labels), 2)), labels))
"""

CASES = Cases(
    mended={
        "labels start at 1": (FROM_ONE, "(model(table), labels - 1)"),
        "too few classes": (TOO_FEW, "n_classes = 6"),
        "two outputs for three classes": (NUMBERED, "nn.Linear(7, 3)"),
    },
    refused={"no model": RANDOM_SCORES, "labels not to be seen": UNSEEN},
    wrong={
        "clamp": (
            "labels start at 1",
            swap("(model(table), labels)", "(model(table), labels.clamp(max=2))"),
        ),
        "wrap around": (
            "labels start at 1",
            swap("(model(table), labels)", "(model(table), labels % 3)"),
        ),
        "ignore a class": (
            "labels start at 1",
            swap("CrossEntropyLoss()", "CrossEntropyLoss(ignore_index=3)"),
        ),
        "detach": (
            "labels start at 1",
            swap("(model(table), labels)", "(model(table).detach().requires_grad_(), labels - 1)"),
        ),
        "all the same": (
            "too few classes",
            swap("(scores, labels)", "(scores, torch.zeros_like(labels))"),
        ),
        "swallow it": (
            "two outputs for three classes",
            swallow("loss = nn.NLLLoss()(scores, digits)"),
        ),
    },
)
