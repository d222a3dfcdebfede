"""on-device: what the code makes itself is made on the device of what it meets."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

STATE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 5, batch_first=True)

    def forward(self, x):
        h = torch.zeros(1, x.size(0), 5)
        c = torch.zeros(1, x.size(0), 5)
        out, _ = self.lstm(x, (h, c))
        return out[:, -1]


net = Net().cuda()
print(net(torch.rand(2, 4, 3).cuda()).shape)
"""

KNOWN = """\
import torch

device = torch.device("cuda")
scores = torch.rand(4, 3, device=device)
noise = torch.full((4, 1), 0.5)
print(torch.cat((scores, noise), dim=1).shape)
"""

FILLED = """\
import torch


def rows(ids):
    out = torch.zeros(ids.shape[0], ids.shape[1], 7)
    for n in range(ids.shape[1]):
        out[:, n] = one_hot(ids[:, n])
    return out


def one_hot(ids):
    return torch.zeros(ids.shape[0], 7).scatter_(1, ids.view(-1, 1), 1)


print(rows(torch.randint(0, 7, (4, 3)).cuda()).shape)
"""

GIVEN = """\
import torch


def joined(a, b):
    return a + b


print(joined(torch.rand(3).cuda(), torch.rand(3)).shape)
"""

LOADED = """\
import torch
from torch import nn

net = nn.Linear(3, 2).cuda()
batch = torch.load("batch.pt") if False else [torch.rand(4, 3) for _ in range(2)][0]
print(net(batch).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "the first state": (
            STATE,
            ("h = torch.zeros(1, x.size(0), 5, device=x.device)",),
        ),
        "a known device": (KNOWN, ("torch.full((4, 1), 0.5, device=device)",)),
        "filled by the caller": (
            FILLED,
            ("torch.zeros(ids.shape[0], ids.shape[1], 7, device=ids.device)",),
        ),
    },
    refused={"of the caller": GIVEN, "nothing says the device": LOADED},
    wrong={
        "the values thrown away": (
            "a known device",
            swap("torch.cat((scores, noise), dim=1)", "torch.cat((scores, scores), dim=1)"),
        ),
        "another size": ("a known device", swap("torch.full((4, 1), 0.5)", "scores[:, :1]")),
        "swallowed": ("a known device", swallow("print(torch.cat((scores, noise), dim=1).shape)")),
        "cut off": ("the first state", swap("self.lstm(x, (h, c))", "self.lstm(x.data.cpu())")),
    },
    simulate="cuda",
)
