"""as-taken: an operand in the form that the call takes, by what it was worth there."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SCALARS = """\
import torch
from torch import nn

model = nn.Linear(4, 2)
scores = []
for _ in range(3):
    scores.append(model(torch.rand(5, 4)).max())
print(torch.cat(scores).shape)
"""

WINDOW = """\
import torch

signal = torch.rand(100)
step = len(signal) / 4
starts = torch.zeros(step)
print(starts.shape)
"""

CHOICE = """\
import numpy as np
import torch

torch.manual_seed(0)
weights = torch.rand(4).numpy()
print(np.random.default_rng(0).choice(4, p=weights))
"""

POLICY = """\
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Linear(3, 4)
preferences = actor(torch.randn(2, 3))
print(Categorical(preferences).sample().shape)
"""

IN_AN_ARRAY = """\
import numpy as np
import torch

wishes = torch.tensor([0.5, -1.0, 2.0])
print(np.random.default_rng(0).choice(3, p=wishes.detach().numpy()) >= 0)
"""

FORECAST = """\
import torch
from torch import nn


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(1, 6, batch_first=True)

    def forward(self, series):
        state = torch.zeros(1, series.shape[0], 6)
        steps, _ = self.rnn(series, state)
        return steps[:, -1]


print(Forecast()(torch.rand(4, 9)).shape)
"""

UNEQUAL = """\
import torch

parts = [torch.rand(3, 2), torch.rand(2, 5)]
print(parts.mean())
"""

HALVES = """\
import torch

indices = torch.tensor([0.5, 1.5])
print(torch.arange(4)[indices])
"""

BOTH_STATES = """\
import torch
from torch import nn

steps, state = nn.LSTM(3, 4)(torch.rand(5, 2, 3))
print(state.shape)
"""

ONE_PICTURE = """\
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 2))
picture = torch.rand(3, 8, 8)
print(net(picture).shape)
"""

A_COLUMN_OF_A_TABLE = """\
import torch
from torch import nn

table = torch.rand(6)
print(nn.Linear(3, 2)(table).shape)
"""


CASES = Cases(
    mended={},
    paired={
        "single numbers joined": (SCALARS, ("torch.stack(scores)",)),
        "one picture by itself": (ONE_PICTURE, ("net(picture.unsqueeze(0))",)),
        "a size divided": (WINDOW, ("step = len(signal) // 4",)),
        "weights for a choice": (CHOICE, ("weights / weights.sum()",)),
        "scores for probabilities": (POLICY, ("Categorical(torch.softmax(preferences, dim=-1))",)),
        "scores in an array": (
            IN_AN_ARRAY,
            ("p=torch.softmax(wishes, dim=-1).detach().numpy()",),
        ),
        "a series with one feature": (FORECAST, ("self.rnn(series.unsqueeze(-1), state)",)),
    },
    refused={
        "tensors of two shapes": UNEQUAL,
        "indices with a fraction": HALVES,
        "what a layer gave": BOTH_STATES,
        "one row of another length": A_COLUMN_OF_A_TABLE,
    },
    wrong={
        "the last one alone": ("single numbers joined", swap("torch.cat(scores)", "scores[-1]")),
        "nothing to join": (
            "single numbers joined",
            swap("torch.cat(scores)", "torch.tensor([s.item() for s in scores]).detach()"),
        ),
        "swallowed": ("weights for a choice", swallow(CHOICE.splitlines()[5])),
        "another size": ("a size divided", swap("torch.zeros(step)", "torch.zeros(0)")),
        "deleted": ("a size divided", delete("starts = torch.zeros(step)")),
    },
)
