"""cross-entropy-target-shape: one index a prediction, the classes in second place."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

COLUMN = """\
import torch
from torch import nn

table = torch.rand(12, 5)
labels = torch.randint(0, 3, (12, 1))  # last column of the file
model = nn.Linear(5, 3)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = criterion(model(table), labels)
    loss.backward()
    optimizer.step()
print(loss.item())
"""

TOKENS = """\
import torch
import torch.nn.functional as F

logits = torch.randn(2, 7, 11, requires_grad=True)
tokens = torch.randint(0, 11, (2, 7))
loss = F.cross_entropy(logits, tokens)
loss.backward()
"""

FLAT = """\
import torch
from torch import nn

embed, head = nn.Embedding(11, 6), nn.Linear(6, 11)
tokens = torch.randint(0, 11, (3, 4))
scores = head(embed(tokens))
loss = nn.NLLLoss()(scores.log_softmax(-1).flatten(0, 1), tokens)
loss.backward()
print(scores.shape)
"""

MASK = """\
import torch
import torch.nn.functional as F

scores = torch.randn(2, 4, 6, 6)
mask = torch.randint(0, 4, (2, 1, 6, 6))
print(F.cross_entropy(scores, mask) > 0)
"""

ONE_CLASS = """\
import torch
import torch.nn.functional as F

scores = torch.randn(8, 1)
labels = torch.zeros(8, 1).long()
print(F.cross_entropy(scores, labels))
"""

ANOTHER_NUMBER = """\
import torch
import torch.nn.functional as F

scores = torch.randn(8, 3)
labels = torch.randint(0, 3, (6,))
print(F.cross_entropy(scores, labels))
"""

CASES = Cases(
    mended={
        "a column": (COLUMN, "criterion(model(table), labels.squeeze(1))"),
        "classes last": (TOKENS, "F.cross_entropy(logits.transpose(1, 2), tokens)"),
        "only one side is flat": (FLAT, "tokens.flatten())"),
        "a mask with a channel": (MASK, "mask.squeeze(1)"),
    },
    refused={"a single class": ONE_CLASS, "more predictions than labels": ANOTHER_NUMBER},
    wrong={
        "the wrong labels": (
            "a column",
            swap("labels)\n    loss.b", "labels[:, 0] * 0)\n    loss.b"),
        ),
        "detach": (
            "a column",
            swap("model(table), labels)", "model(table).detach(), labels.squeeze(1))"),
        ),
        "no loss at all": (
            "a column",
            swap("criterion(model(table), labels)", "model(table).sum() * 0"),
        ),
        "reshape instead of transposing": (
            "classes last",
            swap("(logits, tokens)", "(logits.reshape(2, 11, 7), tokens)"),
        ),
        "cut to fit": (
            "only one side is flat",
            swap("flatten(0, 1), tokens)", "flatten(0, 1)[:3], tokens[:, 0])"),
        ),
        "swallow it": ("a column", swallow("loss.backward()")),
    },
)
