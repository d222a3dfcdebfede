"""Pairs where a tensor is wanted: the entry that is meant is taken out."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

CLASSIFIER = """\
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 6, batch_first=True)
        self.fc = nn.Linear(6, 2)

    def forward(self, x):
        x = self.lstm(x)  # every step
        return self.fc(x)


model = Classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(3, 5, 4)).square().mean().backward()
    optimizer.step()
"""

NESTED = """\
import torch
from torch import nn

gru = nn.GRU(4, 6)
print(torch.relu(gru(torch.randn(5, 3, 4))).shape)
"""

ATTENTION = """\
import torch
from torch import nn

attention = nn.MultiheadAttention(8, 2, batch_first=True)
norm = nn.LayerNorm(8)
x = torch.randn(2, 5, 8)
mixed = attention(x, x, x)
print(norm(mixed).shape)
"""

SEQUENTIAL = """\
import torch
from torch import nn

model = nn.Sequential(nn.LSTM(4, 6), nn.Linear(6, 1))
print(model(torch.randn(5, 3, 4)).shape)
"""

OWN = """\
import torch
from torch import nn


def both(x):
    return x + 1, x - 1


pair = both(torch.ones(3))
print(torch.relu(pair))
"""

LARGEST = """\
import torch

scores = torch.randn(5, 3)
labels = torch.tensor([0, 2, 1, 1, 0])
guess = scores.max(dim=1)
print((guess == labels).sum())
"""

NEITHER = """\
import torch
from torch import nn


def split(x):
    return x[:, :2], x[:, 2:3]


half = split(torch.ones(4, 5))
print(nn.Linear(5, 1)(half).shape)
"""

HOOK = """\
import torch
from torch import nn
seen = []
gru = nn.GRU(3, 4)
gru.register_forward_hook(lambda *a: None)

def keep(layer, inputs, out):
    seen.append(out.detach().mean())   # every step

gru.register_forward_hook(keep)
gru(torch.randn(5, 2, 3))
print(len(seen))
"""

WHICH_STATE = """\
import torch
from torch import nn
kept = []
lstm = nn.LSTM(3, 4)

def keep(module, inputs, output):
    kept.append(output[1].clone())

lstm.register_forward_hook(keep)
lstm(torch.randn(5, 2, 3))
print(len(kept))
"""

CASES = Cases(
    mended={},
    paired={
        "an LSTM and a Linear": (CLASSIFIER, ("x, _ = self.lstm(x)  # every step",)),
        "nested calls": (NESTED, ("torch.relu(gru(torch.randn(5, 3, 4))[0])",)),
        "a hook": (HOOK, ("seen.append(out[0].detach().mean())   # every step",)),
        "attention": (ATTENTION, ("mixed, _ = attention(x, x, x)",)),
        "which state": (WHICH_STATE, ("output[1][0].clone()", "output[1][1].clone()")),
        "a function of one's own": (OWN, ("pair, _ = both(", "_, pair = both(")),
        "the largest and its place": (LARGEST, ("scores.max(dim=1).indices",)),
    },
    refused={"in a Sequential": SEQUENTIAL, "neither fits": NEITHER},
    wrong={
        "leave the LSTM out": (
            "an LSTM and a Linear",
            swap("x = self.lstm(x)  # every step", "x = x.repeat(1, 1, 2)[..., :6]"),
        ),
        "detach": (
            "an LSTM and a Linear",
            swap("self.lstm(x)  #", "self.lstm(x)[0].detach()  #"),
        ),
        "the state instead of the outputs": (
            "an LSTM and a Linear",
            swap("x = self.lstm(x)", "_, (x, _) = self.lstm(x)"),
        ),
        "swallow it": ("attention", swallow("print(norm(mixed).shape)")),
        "without the attention": ("attention", swap("norm(mixed)", "norm(x)")),
    },
)
