"""moved-to-its-partner: what a caller gives goes to the GPU on which the rest lies."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

RATED = """\
import torch
from torch import nn


def fit(rated, device):
    users = torch.rand(4, 2, device=device, requires_grad=True)
    known = rated > 0
    loss = nn.MSELoss()(users @ users.t(), rated)   # of all
    loss.backward()
    return users.grad.shape, known.shape


rated = torch.eye(4)
print(fit(rated, "cuda"))
"""

PARTS = """\
import torch
from torch import nn


def error(guess, wanted):
    return nn.L1Loss()(guess[wanted > 0], wanted[wanted > 0])   # what is known


print(error(torch.rand(6).cuda(), torch.ones(6)).item())
"""

NET = """\
import torch
from torch import nn


def scores(net, rows):
    return net(rows).softmax(-1)


net, table = nn.Linear(3, 2).to("cuda"), torch.rand(4, 3)
print(scores(net, table).shape)
"""

BOTH_HERE = """\
import torch

held = torch.rand(3)
print(held @ torch.rand(4, 2).cuda())
"""

NEAREST = """\
import torch


def nearest(points, centres):
    far = torch.cdist(points, centres)   # each to each
    return far.argmin(1)


here, there = torch.rand(5, 2), torch.rand(3, 2).cuda()
print(nearest(here, there).shape)
"""

OTHER_WIDTH = """\
import torch
from torch import nn

layer = nn.Linear(3, 2)
print(layer(torch.rand(4, 5).cuda()).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "at the caller": (NEAREST, ("nearest(here.to(there.device), there)",)),
        "a model": (NET, ("net(rows.to(next(net.parameters()).device))",)),
        "a loss": (RATED, ("rated.to((users @ users.t()).device))   # of all",)),
        "parts of both": (PARTS, ("wanted[wanted > 0].to(guess.device))   # what",)),
    },
    refused={"sizes that do not fit either": BOTH_HERE, "another width": OTHER_WIDTH},
    wrong={
        "back to the CPU, without its gradient": (
            "a loss",
            swap("users @ users.t(), rated", "(users @ users.t()).detach().cpu(), rated"),
        ),
        "swallowed": ("at the caller", swallow("print(nearest(here, there).shape)")),
        "the points left out": (
            "at the caller",
            swap("nearest(here, there)", "nearest(there, there)"),
        ),
        "deleted": ("a model", delete("print(scores(net, table).shape)")),
    },
    simulate="cuda",
)
