"""moved-to-its-partner: what a caller gives goes to the GPU on which the rest lies."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swap

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


net = nn.Linear(3, 2).to("cuda")
print(scores(net, torch.rand(4, 3)).shape)
"""

BOTH_HERE = """\
import torch

held = torch.rand(3)
print(held @ torch.rand(4, 2).cuda())
"""

CASES = Cases(
    mended={},
    paired={
        "a loss": (RATED, ("rated.to((users @ users.t()).device))   # of all",)),
        "parts of both": (PARTS, ("wanted[wanted > 0].to(guess.device))   # what",)),
    },
    refused={"sizes that do not fit either": BOTH_HERE},
    wrong={
        "back to the CPU, without its gradient": (
            "a loss",
            swap("users @ users.t(), rated", "(users @ users.t()).detach().cpu(), rated"),
        ),
    },
    simulate="cuda",
)
