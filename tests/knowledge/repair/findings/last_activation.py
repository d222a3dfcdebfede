"""Losses that get what they are not made for: a ReLU's output, labels, swapped arguments."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import CLASSIFIER, REGRESSION, changed

RELU = changed(CLASSIFIER, ("nn.Linear(16, 3))", "nn.Linear(16, 3), nn.ReLU())"))
CLAMPED = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    loss = F.binary_cross_entropy(net(x).clamp(0, 1), (x[:, :1] > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
REACH = changed(
    REGRESSION,
    ("nn.Linear(16, 1))", "nn.Linear(16, 1), nn.ReLU())"),
    ("((pred - yb) ** 2).mean()", "nn.functional.mse_loss(pred, yb)"),
)
LABELS = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(8, 5)
criterion = nn.CrossEntropyLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    x = torch.randn(32, 8)
    loss = criterion(net(x), (x[:, :5] > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
SWAPPED = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
bce = nn.BCELoss()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    x = torch.randn(32, 8)
    y = (x[:, :1] > 0).float() * 0.9 + 0.05
    loss = bce(y, net(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
READ = changed(CLAMPED, ("    opt.step()\n", "    opt.step()\n    hits = (net(x) > 0.5).sum()\n"))
WITH_A_REDUCTION = changed(
    LABELS, ("nn.CrossEntropyLoss()", 'nn.CrossEntropyLoss(reduction="mean")')
)

CASES = Cases(
    mended={
        "a layer": (RELU, "nn.ReLU(), nn.Linear(16, 3))"),
        "a clamp": (CLAMPED, "F.binary_cross_entropy_with_logits(net(x), "),
        "out of reach": (REACH, "nn.Tanh(), nn.Linear(16, 1))"),
        "several labels": (LABELS, "criterion = nn.BCEWithLogitsLoss()"),
        "swapped": (SWAPPED, "loss = bce(net(x), y)"),
    },
    refused={"read as a probability": READ, "with a reduction": WITH_A_REDUCTION},
    wrong={
        "another activation": ("a layer", swap("nn.Linear(16, 3), nn.ReLU())",
                                               "nn.Linear(16, 3), nn.Sigmoid())")),
        "detached": ("a layer", swap("(model(x), y)", "(model(x).detach().requires_grad_(), y)")),
        "no backward": ("a layer", delete("loss.backward()")),
        "swallowed": ("several labels", swallow("loss.backward()")),
    },
)  # fmt: skip
