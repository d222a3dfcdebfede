"""in-closure: what a closure's loss is computed from is computed each time."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

FIT = """\
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(16, 3), torch.randn(16, 1)
model = nn.Linear(3, 1)
opt = torch.optim.LBFGS(model.parameters(), lr=0.1)
for _ in range(3):
    pred = model(x)

    def closure():
        opt.zero_grad()
        loss = (pred - y).pow(2).mean()
        loss.backward()
        return loss

    opt.step(closure)
print(model(x).shape)
"""

FUNCTION = """\
import torch
from torch import nn


def train(net, x, y, opt, loss_fn):
    out = net(x)

    def again():
        opt.zero_grad()
        loss = loss_fn(out, y)
        loss.backward()
        return loss

    return opt.step(again)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.LBFGS(net.parameters())
train(net, torch.randn(8, 2), torch.randn(8, 1), opt, nn.MSELoss())
print(net(torch.ones(1, 2)).shape)
"""

PARAMETER = """\
import torch

torch.manual_seed(0)
w = torch.randn(4, requires_grad=True)
data = torch.randn(20, 4)
opt = torch.optim.LBFGS([w], max_iter=5)
scores = data.matmul(w)


def closure():
    opt.zero_grad()
    loss = (scores - 1).abs().mean()
    loss.backward()
    return loss


opt.step(closure)
print(w.shape)
"""

GIVEN = """\
import torch
from torch import nn


def step(loss):
    loss.backward()
    return loss


net = nn.Linear(2, 1)
loss = net(torch.ones(3, 2)).pow(2).mean()
step(loss)
step(loss)
"""

STORED = FIT.replace("    pred = model(x)\n", "    kept = [model(x)]\n").replace("pred", "kept[0]")

CASES = Cases(
    mended={},
    paired={
        "in a loop": (FIT, ("        pred = model(x)\n        opt.zero_grad()\n",)),
        "in a function": (FUNCTION, ("        out = net(x)\n        opt.zero_grad()\n",)),
        "a product": (PARAMETER, ("    scores = data.matmul(w)\n    opt.zero_grad()\n",)),
    },
    refused={"no closure": GIVEN, "a tensor that is stored": STORED},
    wrong={
        "the graph is kept": ("in a loop", swap("backward()", "backward(retain_graph=True)")),
        "cut": ("a product", swap("data.matmul(w)", "data.matmul(w.detach())")),
        "swallowed": ("a product", swallow("opt.step(closure)")),
        "deleted": ("in a loop", delete("loss.backward()")),
    },
)
