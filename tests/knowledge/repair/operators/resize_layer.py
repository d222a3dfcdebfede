"""resize-layer: a layer made for the size that it meets."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

BILINEAR = """\
import torch
from torch import nn
mix = nn.Bilinear(6, 5, 2)
print(mix(torch.rand(4, 6), torch.rand(4, 8)).shape)
"""

GATE = """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(12, 8)
        self.gate = nn.Linear(12, 6)

    def forward(self, x):
        return self.value(x) * torch.sigmoid(self.gate(x))


print(Gate()(torch.rand(5, 12)).shape)
"""

NAMED = """\
import torch
from torch import nn
width = 7
mix = nn.Bilinear(5, width, 3)
print(mix(torch.rand(4, 5), torch.rand(4, 9)).shape)
"""

LOADED = """\
import torch
from torch import nn
mix = nn.Bilinear(6, 5, 2)
mix.load_state_dict(torch.load("mix.pt")) if False else None
print(mix(torch.rand(4, 6), torch.rand(4, 8)).shape)
"""

FORECAST = """\
import torch
from torch import nn
output_size = 1
head = nn.Linear(16, output_size)
steps = [head(torch.rand(4, 16))]
for _ in range(2):
    steps.append(head(steps[-1]))
print(len(steps))
"""

NO_LAYER = """\
import torch
print(torch.rand(2, 3) @ torch.rand(4, 5))
"""

RAW = """\
import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self, since, to):
        super().__init__()
        self.matrix = nn.Parameter(torch.rand(since, to))
        self.shift = nn.Parameter(torch.zeros(since))

    def forward(self, x):
        return x @ self.matrix + self.shift


print(Affine(6, 4)(torch.rand(3, 6)).shape)
"""

MASK = """\
import torch
from torch import nn

layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)
later = nn.Transformer.generate_square_subsequent_mask(9)
print(layer(torch.rand(3, 7, 8), src_mask=later).shape)
"""

DATA = """\
import torch
from torch import nn

layer = nn.Linear(6, 4)
weight_matrix = layer(torch.rand(1, 6))
print(torch.rand(3, 8) @ weight_matrix)
"""

EXCHANGED = """\
import torch
from torch import nn

class Tagger(nn.Module):
    def __init__(self, words, size, hidden):
        super().__init__()
        self.table = nn.Embedding(words, size)
        self.lstm = nn.LSTM(hidden, size, batch_first=True)   # over the words
        self.out = nn.Linear(hidden, 2)

    def forward(self, ids):
        return self.out(self.lstm(self.table(ids))[0])

print(Tagger(9, 4, 6)(torch.tensor([[1, 2, 3]])).shape)
"""

OTHER_OUTPUT = """\
import torch
from torch import nn

class Sampler(nn.Module):
    def __init__(self, hidden, latent):
        super().__init__()
        self.mean = nn.Linear(hidden, hidden)   # of the code
        self.spread = nn.Linear(hidden, latent)
        self.back = nn.Linear(latent, hidden)

    def forward(self, h):
        return self.back(self.mean(h) + self.spread(h).exp())

print(Sampler(8, 3)(torch.ones(2, 8)).shape)
"""

OBJECTS = """\
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, came, goes):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(came, goes, 3, padding=1), nn.ReLU())

    def forward(self, x):
        return self.conv(x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Block(1, 8), Block(8, 8)
        self.last = Block(8, 4)   # of both

    def forward(self, x):
        x = self.one(x)
        both = torch.cat([x, self.two(x)], dim=1)
        return self.last(both)

print(Net()(torch.rand(2, 1, 6, 6)).shape)
"""

GROUPS = """\
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 20, 3), nn.GroupNorm(8, 20))
print(net(torch.rand(1, 3, 8, 8)).shape)
"""

NORMED = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 12, 3)
        self.bn = nn.BatchNorm2d(8)  # channels
        self.head = nn.Linear(12, 2)

    def forward(self, x):
        x = torch.relu(self.bn(self.conv(x)))
        return self.head(x.mean((2, 3)))


net = Block()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.rand(4, 3, 6, 6)).square().mean().backward()
    optimizer.step()
"""

TOKENS = """\
import torch
from torch import nn

width = 32
norm = nn.LayerNorm(width)
tokens = torch.randn(2, 5, 24)
print(norm(tokens).shape)
"""

NORM_IN_A_SEQUENTIAL = """\
import torch
from torch import nn

mlp = nn.Sequential(
    nn.Linear(6, 10),
    nn.BatchNorm1d(6),
    nn.ReLU(),
    nn.Linear(10, 1),
)
print(mlp(torch.randn(8, 6)).shape)
"""

FEATURES_LAST = """\
import torch
from torch import nn

norm = nn.BatchNorm1d(16)
print(norm(torch.randn(4, 9, 16)).shape)
"""

SECOND_LAST = """\
import torch
from torch import nn

norm = nn.LayerNorm(16)
print(norm(torch.randn(4, 16, 9)).shape)
"""

ONE_SCORE = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2), nn.Sigmoid())  # yes or no
scores = model(torch.rand(8, 4))
loss = nn.BCELoss()(scores, torch.randint(0, 2, (8, 1)).float())
loss.backward()
"""


HEADS = """\
import torch
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=60, nhead=8, batch_first=True)   # one of six
print(layer(torch.rand(2, 5, 60)).shape)
"""

HEADS_BY_NAME = """\
import torch
from torch import nn


class Words(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.look = nn.MultiheadAttention(width, heads, batch_first=True)

    def forward(self, x):
        return self.look(x, x, x)[0]


heads = 7
print(Words(48, heads)(torch.rand(1, 4, 48)).shape)
"""

PRIME = HEADS.replace("60", "13")

SAID_HEADS = HEADS.replace("# one of six", "# 8 heads")

CASES = Cases(
    mended={},
    paired={
        "one score": (ONE_SCORE, ("nn.Linear(6, 1), nn.Sigmoid())  # yes or no",)),
        "one object of a class": (OBJECTS, ("self.last = Block(16, 4)   # of both",)),
        "sizes in each other's place": (
            EXCHANGED,
            ("nn.LSTM(size, hidden, batch_first=True)   # over the words",),
        ),
        "an output by its name": (OTHER_OUTPUT, ("nn.Linear(hidden, latent)   # of the code",)),
        "fewer heads": (HEADS, ("d_model=60, nhead=6, batch_first=True)   # one of six",)),
        "heads by their name": (HEADS_BY_NAME, ("heads = 6\n",)),
        "the second input": (BILINEAR, ("nn.Bilinear(6, 8, 2)",)),
        "a gate of its value": (
            GATE,
            ("self.gate = nn.Linear(12, 8)", "self.value = nn.Linear(12, 6)"),
        ),
        "where its name is given": (NAMED, ("width = 9\n",)),
        "a bias of the wrong side": (RAW, ("nn.Parameter(torch.zeros(to))",)),
        "a norm after a convolution": (NORMED, ("nn.BatchNorm2d(12)  # channels",)),
        "a norm's width with a name": (TOKENS, ("width = 24",)),
        "a norm in a Sequential": (NORM_IN_A_SEQUENTIAL, ("nn.BatchNorm1d(10)",)),
        "a mask of another length": (MASK, ("generate_square_subsequent_mask(7)",)),
    },
    refused={
        "groups that do not divide": GROUPS,
        "a width that nothing divides": PRIME,
        "so many heads are meant": SAID_HEADS,
        "features last": FEATURES_LAST,
        "features not last": SECOND_LAST,
        "an output size that has a name": FORECAST,
        "weights from a file": LOADED,
        "no layer": NO_LAYER,
        "data by the name of a weight": DATA,
    },
    wrong={
        "features cut off": (
            "the second input",
            swap("torch.rand(4, 8)", "torch.rand(4, 8)[:, :5]"),
        ),
        "one head": ("fewer heads", swap("d_model=60, nhead=8", "d_model=56, nhead=8")),
        "swallowed": ("where its name is given", swallow(NAMED.splitlines()[4])),
        "deleted": ("the second input", delete(BILINEAR.splitlines()[3])),
        "the norm left out": (
            "a norm after a convolution",
            swap("self.bn(self.conv(x))", "self.conv(x)"),
        ),
        "the layer left out": (
            "a gate of its value",
            swap("self.value(x) * torch.sigmoid(self.gate(x))", "self.value(x)"),
        ),
    },
)
