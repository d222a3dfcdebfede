"""loss-broadcasts-in-silence: prediction and target get one shape."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

REGRESSION = """\
import torch
from torch import nn

x = torch.randn(32, 3)
y = x.sum(1)
model = nn.Linear(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(5):
    optimizer.zero_grad()
    loss = criterion(model(x), y)  # squared error
    loss.backward()
    optimizer.step()
"""

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

OWN = """\
import torch
from torch import nn

x = torch.randn(32, 3)
y = x.sum(1)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(3):
    optimizer.zero_grad()
    difference = model(x) - y
    loss = (difference**2).mean()
    loss.backward()
    optimizer.step()
"""

ROW = """\
import torch
from torch import nn

x = torch.randn(32, 3)
y = x.sum(1).unsqueeze(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
"""

CASES = Cases(
    mended={
        "a regression": (REGRESSION, "criterion(model(x).squeeze(1), y)  # squared error"),
        "a column of prices": (PRICES, "F.l1_loss(net(rooms), prices.squeeze(1))"),
        "maps": (MAPS, "nn.SmoothL1Loss()(blur(pictures).squeeze(1), target)"),
    },
    refused={"a formula of one's own": OWN, "a row and a column": ROW},
    wrong={
        "silence the warning": (
            "a regression",
            swap("import torch\n", "import torch, warnings\nwarnings.simplefilter('ignore')\n"),
        ),
        "compare by hand": (
            "a regression",
            swap("criterion(model(x), y)", "((model(x) - y) ** 2).mean()"),
        ),
        "detach": (
            "a regression",
            swap("(model(x), y)", "(model(x).detach().requires_grad_(), y.unsqueeze(1))"),
        ),
        "do not train": ("a regression", delete("optimizer.step()")),
        "swallow it": ("a regression", swallow("loss.backward()")),
        "compare it with itself": (
            "a column of prices",
            swap("(net(rooms), prices)", "(net(rooms), net(rooms))"),
        ),
    },
)
