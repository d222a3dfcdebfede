"""remembered: what a module keeps from batch to batch is a value."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

CENTRE = """\
import torch
from torch import nn

torch.manual_seed(0)


class Centred(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.register_buffer("centre", torch.zeros(3))

    def forward(self, x):
        z = self.layer(x)
        self.centre = 0.9 * self.centre + 0.1 * z.mean(0)
        return (z - self.centre).pow(2).mean()


net = Centred()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = net(torch.rand(8, 4))
    loss.backward()
    optimizer.step()
print("trained")
"""

STATE = """\
import torch
from torch import nn

torch.manual_seed(0)


class Walker(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(2, 5)
        self.state = torch.zeros(1, 5)

    def forward(self, x):
        new = self.cell(x, self.state)
        self.state = new
        return new.sum()


walker = Walker()
optimizer = torch.optim.Adam(walker.parameters(), lr=0.01)
for step in range(3):
    optimizer.zero_grad()
    out = walker(torch.rand(1, 2))
    out.backward()
    optimizer.step()
print("walked")
"""

PAIR = """\
import torch
from torch import nn

torch.manual_seed(0)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, batch_first=True)
        self.out = nn.Linear(4, 1)
        self.state = torch.zeros(1, 2, 4), torch.zeros(1, 2, 4)

    def forward(self, x):
        y, self.state = self.lstm(x, self.state)
        return self.out(y[:, -1])


reader = Reader()
optimizer = torch.optim.SGD(reader.parameters(), lr=0.1)
for step in range(3):
    loss = reader(torch.rand(2, 5, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("read")
"""

INSIDE = """\
import torch
from torch import nn

torch.manual_seed(0)


class Share(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.load = None

    def forward(self, x):
        share = (x * self.weight).softmax(-1).mean(0)
        if self.load is None:
            self.load = share
        else:
            self.load = 0.5 * self.load + 0.5 * share
        return (share - 0.5 * self.load).pow(2).sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.share = Share()

    def forward(self, x):
        return self.share(x)


net = Net()
for step in range(2):
    net(torch.rand(6, 3)).backward()
print("done")
"""

ALL_OF_IT = """\
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.mean = torch.zeros(1)

    def forward(self, x):
        self.mean = 0.5 * self.mean + self.layer(x).pow(2).mean()
        return self.mean.sum()


net = Net()
for step in range(2):
    net(torch.rand(4, 3)).backward()
"""

TWO_KEPT = """\
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.a = self.b = torch.zeros(3)

    def forward(self, x):
        self.a = self.a + self.layer(x).mean(0)
        self.b = self.b * self.layer(x).std(0)
        return (self.a * self.b + self.a).sum()


net = Net()
for step in range(2):
    net(torch.rand(4, 3)).backward()
"""

STEPS = """\
import torch
from torch import nn


class Leaky(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, size)
        self.charge = torch.zeros(2, size)

    def forward(self, x):
        self.charge = 0.8 * self.charge + self.fc(x)
        return self.charge.tanh()


net = nn.Sequential(Leaky(3), Leaky(3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
torch.manual_seed(0)
for batch in range(3):
    out = sum(net(torch.rand(2, 3)) for _ in range(4))
    opt.zero_grad()
    out.pow(2).mean().backward()
    opt.step()
    print(batch)
"""

COPIED = """\
import copy

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.end = nn.Linear(4, 3), nn.Linear(3, 2)

    def forward(self, x):
        self.hidden = self.body(x).relu()   # to look at
        return self.end(self.hidden)


net = Encoder()
net(torch.rand(5, 4))
twin = copy.deepcopy(net)
net(torch.rand(5, 4)).sum().backward()
print(net.body.weight.grad.shape, twin.end.out_features)
"""

ONLY_KEPT = COPIED.replace("self.end(self.hidden)", "self.end(self.body(x).relu())")
LEARNED_FROM = COPIED.replace(
    "net(torch.rand(5, 4)).sum().backward()",
    "(net(torch.rand(5, 4)).sum() + net.hidden.mean()).backward()",
)


SUMMED_STEPS = """\
import torch
from torch import nn

torch.manual_seed(0)


class Walk(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(2, 3)
        self.at = torch.zeros(1, 3)

    def forward(self, x):
        self.at = self.cell(x, self.at)
        return self.at.sum()


walk = Walk()
for batch in range(2):
    far = sum(walk(torch.rand(1, 2)) for _ in range(3))
    far.backward()   # through three steps
print(walk.cell.weight_hh.grad.shape)
"""

WEIGHED = """\
import copy

import torch
from torch import nn


class Weighed(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(3, 1)

    def forward(self, rows):
        self.shares = self.score(rows).softmax(0)
        return (self.shares * rows).sum(0) + self.shares.mean()


net = Weighed()
net(torch.rand(4, 3))
slow = copy.deepcopy(net)   # an average of its weights
net(torch.rand(4, 3)).sum().backward()
print(slow.score.weight.shape)
"""

READ_BY_ANOTHER = COPIED.replace(
    "net(torch.rand(5, 4)).sum().backward()",
    "(twin(torch.rand(5, 4)) + net.hidden.sum()).sum().backward()",
)


CASES = Cases(
    mended={},
    paired={
        "through several steps": (
            SUMMED_STEPS,
            ("backward()   # through three steps\n    walk.at = walk.at.detach()",),
        ),
        "kept, and read twice": (
            WEIGHED,
            (
                "shares = self.score(rows).softmax(0)\n        self.shares = shares.detach()\n"
                "        return (shares * rows).sum(0) + shares.mean()",
            ),
        ),
        "all that is learned": (ALL_OF_IT, ("backward()\n    net.mean = net.mean.detach()",)),
        "from step to step": (
            STEPS,
            (
                "    for layer in net.modules():\n        if isinstance(layer, Leaky):\n"
                "            layer.charge = layer.charge.detach()\n",
            ),
        ),
        "kept, and copied": (
            COPIED,
            ("hidden = self.body(x).relu()\n        self.hidden = hidden.detach()   # to look",),
        ),
        "only kept": (ONLY_KEPT, ("self.hidden = self.body(x).relu().detach()   # to",)),
        "an average": (
            CENTRE,
            ("self.centre = (0.9 * self.centre + 0.1 * z.mean(0)).detach()",),
        ),
        "a state": (STATE, ("self.state = new.detach()",)),
        "the two states of an LSTM": (
            PAIR,
            ("self.state = tuple(part.detach() for part in self.state)",),
        ),
        "in a part, set in two places": (
            INSIDE,
            (
                "self.load = share.detach()\n        else:\n"
                "            self.load = (0.5 * self.load + 0.5 * share).detach()",
            ),
        ),
    },
    refused={
        "read by another loss": READ_BY_ANOTHER,
        "learned from": LEARNED_FROM,
        "either of two": TWO_KEPT,
    },
    wrong={
        "cut before": (
            "all that is learned",
            swap(
                "self.mean = 0.5 * self.mean + self.layer(x).pow(2).mean()",
                "self.mean = (0.5 * self.mean + self.layer(x).pow(2).mean()).detach()",
            ),
        ),
        "the graph kept": (
            "through several steps",
            swap("far.backward()", "far.backward(retain_graph=True)"),
        ),
        "nothing copied": ("kept, and copied", swap("copy.deepcopy(net)", "net")),
        "the loss cut off": (
            "an average",
            swap("loss.backward()", "loss.detach().requires_grad_().backward()"),
        ),
        "nothing learned": (
            "an average",
            swap("z = self.layer(x)", "z = self.layer(x).detach().requires_grad_()"),
        ),
        "swallowed": ("an average", swallow("loss.backward()")),
        "deleted": ("an average", delete("loss.backward()")),
    },
)
