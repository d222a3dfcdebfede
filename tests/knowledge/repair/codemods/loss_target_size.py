"""loss-target-size: the target gets the prediction's shape, where only a 1 is between them."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

LOGITS = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
x, y = torch.randn(16, 4), (torch.rand(16) > 0.5).float()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    loss = criterion(model(x), y)  # yes or no
    loss.backward()
    optimizer.step()
"""

PROBABILITIES = """\
import torch
import torch.nn.functional as F

scores = torch.rand(6, requires_grad=True)
truth = torch.ones(6, 1)
loss = F.binary_cross_entropy(scores, truth)
loss.backward()
print(loss.item() >= 0)
"""

MAPS = """\
import torch
from torch import nn

segment = nn.Conv2d(3, 1, 1)
images, masks = torch.rand(2, 3, 5, 5), torch.ones(2, 5, 5)
loss = nn.BCEWithLogitsLoss()(segment(images), masks)
loss.backward()
"""

TWO_CLASSES = """\
import torch
from torch import nn

scores = torch.randn(8, 2)
labels = torch.ones(8)
print(nn.BCEWithLogitsLoss()(scores, labels))
"""

LYING = """\
import torch
from torch import nn

scores = torch.rand(4, 1)
labels = torch.ones(1, 4)
print(nn.BCELoss()(scores, labels))
"""

ONE_SCORE = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2), nn.Sigmoid())  # yes or no
scores = model(torch.rand(8, 4))
loss = nn.BCELoss()(scores, torch.randint(0, 2, (8, 1)).float())
loss.backward()
"""

CASES = Cases(
    mended={
        "a column of scores": (LOGITS, "criterion(model(x), y.unsqueeze(1))  # yes or no"),
        "one score": (ONE_SCORE, "nn.Linear(6, 1), nn.Sigmoid())  # yes or no"),
        "a column of labels": (PROBABILITIES, "binary_cross_entropy(scores, truth.squeeze(1))"),
        "a mask without a channel": (MAPS, "masks.unsqueeze(1)"),
    },
    refused={"two classes": TWO_CLASSES, "a row and a column": LYING},
    wrong={
        "detach": ("a column of scores", swap("model(x), y)", "model(x).detach().squeeze(1), y)")),
        "compare everything with everything": (
            "a column of scores",
            swap("criterion(model(x), y)", "(model(x) - y).square().mean()"),
        ),
        "repeat the target": (
            "a column of scores",
            swap("x), y)", "x).expand(16, 16), y.expand(16, 16))"),
        ),
        "made-up targets": (
            "a column of labels",
            swap("scores, truth)", "scores, torch.zeros_like(scores))"),
        ),
        "swallow it": ("a column of scores", swallow("loss.backward()")),
        "only one of them": ("a column of labels", swap("scores, truth)", "scores[:1], truth[0])")),
    },
)
