"""Predictions and targets that meet as a table of all pairs: in a loss by hand, in a count."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import REGRESSION, changed

BY_HAND = changed(REGRESSION, ("pred = net(xb).squeeze(1)", "pred = net(xb)"))
UNSQUEEZED = changed(
    REGRESSION, ("((pred - yb) ** 2).mean()", "((pred - yb.unsqueeze(1)) ** 2).mean()")
)
ABSOLUTE = changed(BY_HAND, ("((pred - yb) ** 2).mean()", "torch.abs(yb - pred).mean()"))
COUNTED = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(40, 6)
y = (x[:, 0] > 0).float()
for _ in range(12):
    loss = F.binary_cross_entropy_with_logits(net(x).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
pred = (net(x) > 0).float()
print((pred == y).float().mean().item())
"""
ON_A_LINE_OF_ITS_OWN = changed(
    BY_HAND, ("        loss = ((pred - yb) ** 2).mean()\n",
              "        difference = torch.subtract(input=pred, other=yb)\n"
              "        loss = (difference ** 2).mean()\n"),
)  # fmt: skip
IN_A_FUNCTION = changed(
    BY_HAND,
    ("        loss = ((pred - yb) ** 2).mean()\n", "        loss = error(pred, yb, 2)\n"),
    ("for epoch in", "def error(p, t, n):\n    return ((p - t) ** n).mean()\nfor epoch in"),
)

PRICES = """\
import torch
import torch.nn.functional as F
from torch import nn


class Price(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.tanh(self.body(x))).squeeze(1)


net = Price()
optimizer = torch.optim.Adam(net.parameters())
rooms, prices = torch.rand(10, 4), torch.rand(10, 1)
for _ in range(3):
    optimizer.zero_grad()
    F.l1_loss(net(rooms), prices).backward()
    optimizer.step()
"""

MAPS = """\
import torch
from torch import nn

blur = nn.Conv2d(1, 1, 3, padding=1)
optimizer = torch.optim.SGD(blur.parameters(), lr=0.1)
pictures = torch.rand(4, 1, 6, 6)
target = pictures.squeeze(1).roll(1, 0)
for _ in range(2):
    optimizer.zero_grad()
    nn.SmoothL1Loss()(blur(pictures), target).backward()
    optimizer.step()
"""


CASES = Cases(
    mended={
        "a column of prices": (PRICES, "F.l1_loss(net(rooms), prices.squeeze(1))"),
        "maps": (MAPS, "nn.SmoothL1Loss()(blur(pictures).squeeze(1), target)"),
        "a loss by hand": (BY_HAND, "loss = ((pred.squeeze(1) - yb) ** 2).mean()"),
        "a count": (COUNTED, "(pred.squeeze(1) == y)"),
        "unsqueezed": (UNSQUEEZED, "((pred - yb) ** 2).mean()"),
        "absolute": (ABSOLUTE, "torch.abs(yb - pred.squeeze(1)).mean()"),
    },
    refused={"two lines": ON_A_LINE_OF_ITS_OWN, "in a function": IN_A_FUNCTION},
    wrong={
        "the mean of it": ("a loss by hand", swap("(pred - yb)", "(pred.mean() - yb)")),
        "a cut": ("a loss by hand", swap("(pred - yb)", "(pred.detach() - yb)")),
        "expanded": ("a loss by hand", swap("(pred - yb)", "(pred.expand(-1, len(yb)) - yb)")),
        "no backward": ("a loss by hand", delete("loss.backward()")),
        "swallowed": ("a loss by hand", swallow("loss.backward()")),
    },
)  # fmt: skip
