"""linear-input-size: flatten what is a picture, turn what is turned, else make the layer fit."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

CNN = """\
import torch
from torch import nn


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4 * 5 * 5, 3)  # worked out by hand

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = x.view(x.size(0), -1)
        return self.fc(x)


model = Digits()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    scores = model(torch.randn(6, 1, 8, 8))
    loss = nn.functional.cross_entropy(scores, torch.randint(0, 3, (6,)))
    loss.backward()
    optimizer.step()
"""

FLATTEN = """\
import torch
from torch import nn


class Gradient(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.out = nn.Linear(64, 2)

    def forward(self, x):
        x = self.conv(x).relu()
        return self.out(x)


net = Gradient()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(2):
    optimizer.zero_grad()
    net(torch.randn(5, 3, 4, 4)).square().mean().backward()
    optimizer.step()
"""

SEQUENTIAL = """\
import torch
from torch import nn

model = nn.Sequential(
    nn.Conv2d(1, 2, 3),
    nn.ReLU(),
    nn.Linear(100, 10),  # classifier
)
print(model(torch.randn(4, 1, 8, 8)).shape)
"""

HEAD = """\
import torch
from torch import nn

pool, linear = nn.AdaptiveAvgPool2d(1), nn.Linear(8, 3)
maps = nn.Conv2d(3, 8, 3)
head = nn.Sequential(pool, linear)  # three kinds
print(head(maps(torch.randn(2, 3, 9, 9))).shape)
"""

IN_A_CLASS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8, 5)
        self.net = nn.Sequential(self.body, self.pool, self.fc)

    def forward(self, x):
        return self.net(x)


print(Net()(torch.rand(4, 3, 12, 12)).shape)
"""

BY_A_FUNCTION = """\
import torch
from torch import nn


def head(channels, classes):
    pool, act = nn.AdaptiveAvgPool2d(1), nn.ReLU()
    fc = nn.Linear(channels, classes)
    return nn.Sequential(pool, act, fc)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.head = head(8, 4)

    def forward(self, x):
        return self.head(self.conv(x))


print(Net()(torch.rand(4, 3, 12, 12)).shape)
"""

CHILDREN = """\
import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(6, 2)

    def forward(self, x):
        return self.fc(self.pool(self.conv(x)).flatten(1))


base = Small()
net = nn.Sequential(*list(base.children()))  # the same
other = nn.Sequential(*list(base.children())[:-1], nn.Flatten(), nn.Linear(6, 5))
x = torch.rand(4, 3, 8, 8)
print(other(x).shape, net(x).shape)
"""

OWN_LAST = CHILDREN.replace("nn.Flatten(), nn.Linear(6, 5)", "nn.Linear(6, 5)").replace(
    "*list(base.children()))", "base)"
)

OF_A_GIVEN_ONE = CHILDREN.replace(
    "net = nn.Sequential(*list(base.children()))  # the same",
    "def all_of(model):\n    return nn.Sequential(*model.children())  # the same\n\n\n"
    "net = all_of(base)",
)

ORDERED = """\
import torch
from collections import OrderedDict
from torch import nn

fc = nn.Linear(32, 10)
layers = OrderedDict([("conv", nn.Conv2d(3, 8, 3)), ("pool", nn.AdaptiveAvgPool2d(2)), ("fc", fc)])
print(nn.Sequential(layers)(torch.rand(2, 3, 8, 8)).shape)
"""

APPENDED = """\
import torch
from torch import nn

layers = [nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1)]
fc = nn.Linear(8, 5)
layers.append(fc)
print(nn.Sequential(*layers)(torch.rand(4, 3, 12, 12)).shape)
"""

IN_TWO = HEAD.replace("head = ", "again = nn.Sequential(nn.Flatten(), linear)\nhead = ")

NAMED = """\
import torch
import torch.nn as nn

n_inputs = 12
hidden = 8


class Regressor(nn.Module):
    def __init__(self, n_inputs, hidden):
        super().__init__()
        self.first = nn.Linear(n_inputs, hidden)
        self.second = nn.Linear(hidden * 2, 1)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


model = Regressor(n_inputs, hidden)
table = torch.randn(20, 7)
print(model(table).shape)
"""

TURNED = """\
import torch
from torch import nn

project = nn.Linear(6, 2)
signal = torch.randn(3, 6, 5)  # batch, channels, time
print(project(signal).shape)
"""

POOLED = """\
import torch
from torch import nn


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(6, 9)
        self.pool = nn.AdaptiveAvgPool1d(1)

    def forward(self, x):
        return self.pool(self.mix(x)).flatten(1)


print(Pooled()(torch.randn(3, 6, 5)).shape)  # batch, channels, time
"""

LOADED = """\
import torch
from torch import nn

layer = nn.Linear(4, 2)
layer.load_state_dict({"weight": torch.ones(2, 4), "bias": torch.zeros(2)})
print(layer(torch.randn(3, 5)))
"""

MANY = """\
import torch
from torch import nn

layers = nn.ModuleList([nn.Linear(8, 4) for _ in range(3)])
x = torch.randn(2, 8)
for layer in layers:
    x = layer(x)
"""

OWN_FILE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 2)  # six readings

    def forward(self, x):
        return self.fc(x)


net = Net()
torch.manual_seed(0)
net(torch.randn(3, 4)).sum().backward()
torch.save(net.state_dict(), "net.pt")
copy = Net()
copy.load_state_dict(torch.load("net.pt"))
print(copy(torch.ones(1, 4)).shape)
"""

TWO_MODELS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.fc = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.fc(x)


small, large = Net(3, 2), Net(9, 2)
print(small(torch.rand(1, 3)).shape)
other = Net(4, 2)  # for the second sensor
print(other(torch.rand(1, 5)).shape)
"""

WRONG_NAME = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = nn.Linear(inputs, hidden)
        self.second = nn.Linear(inputs, outputs)  # behind it

    def forward(self, x):
        return self.second(self.first(x))


one, two = Net(3, 8, 2), Net(3, 8, 2)
print(one(torch.rand(1, 3)).shape, two(torch.rand(2, 3)).shape)
"""

SET_LATER = """\
import torch
from torch import nn

layer = nn.Linear(1, 3)
rows = torch.rand(4, 7)
layer.in_features = rows.size(1)
print(layer(rows).shape)
"""

BY_HAND = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, channels, kernel, classes):
        super().__init__()
        self.conv = nn.Conv1d(channels, 6, kernel)
        self.fc = nn.Linear(6 * (channels - kernel + 1), classes)  # by hand

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))

net = Net(channels=3, kernel=2, classes=4)
print(net(torch.randn(5, 3, 10)).shape)
"""

PRODUCT = """\
import torch
from torch import nn

class Gate(nn.Module):
    def __init__(self, hidden, steps, outputs):
        super().__init__()
        self.rnn = nn.GRU(3, hidden, batch_first=True)
        self.out = nn.Linear(hidden * steps, outputs)

    def forward(self, x):
        _, last = self.rnn(x)
        return self.out(last[-1])

print(Gate(hidden=6, steps=5, outputs=2)(torch.randn(4, 5, 3)).shape)
"""

REGROUPED = """\
import torch
from torch import nn

measure = nn.Linear(10, 2)
signals = torch.randn(6, 10, 2)
pieces = signals.view(-1, 4)
print(measure(pieces).shape)
"""

WORKED_OUT = """\
import torch
from torch import nn


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.fc = nn.Linear(4 * 7 * 7, 3)  # two poolings leave 7x7

    def forward(self, x):
        x = nn.functional.max_pool2d(self.conv(x), 2)
        return self.fc(x.flatten(1))


print(Digits()(torch.randn(6, 1, 28, 28)).shape)
"""

KEPT_ROWS = REGROUPED.replace("10, 2)\npieces", "10, 4)\npieces")

STATED = BY_HAND.replace(".shape)\n", ".shape)  # torch.Size([5, 4])\n")

BOTH_WAYS = """\
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, hidden, layers, tags):
        super().__init__()
        self.read = nn.GRU(3, hidden, layers, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(hidden, tags)   # of each step

    def forward(self, x):
        return self.tag(self.read(x)[0])


print(Tagger(8, 2, 4)(torch.rand(2, 6, 3)).shape)
"""

OF_THE_LAST = """\
import torch
from torch import nn


class Mood(nn.Module):
    def __init__(self, width, depth=2, both=True):
        super().__init__()
        self.read = nn.LSTM(5, width, depth, bidirectional=both)
        self.out = nn.Linear(width, 2)   # glad or not

    def forward(self, x):
        return self.out(self.read(x)[0].mean(0))


Mood(7)(torch.rand(9, 4, 5)).sum().backward()
"""

AT_THE_TOP = """\
import torch
from torch import nn

size, classes = 6, 3
reader = nn.RNN(4, size, bidirectional=True)
out = nn.Linear(size, classes)
same = nn.Linear(size, size)
print(out(reader(torch.rand(5, 2, 4))[0]).shape, same(torch.rand(6)).shape)
"""

DROPPED = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.last = nn.Linear(64, 2)

    def forward(self, seen):
        seen = torch.relu(self.conv(seen))
        seen.view({})  # in rows
        return self.last(seen)


print(Reader()(torch.rand(3, 1, 6, 6)).shape)
"""

CASES = Cases(
    mended={
        "rows that were not kept": (
            DROPPED.format("-1, 64"),
            "seen = seen.view(-1, 64)  # in rows",
        ),
        "rows of a wrong size": (DROPPED.format("-1, 96"), "self.last(seen.flatten(1))"),
        "both directions": (BOTH_WAYS, "nn.Linear(hidden * 2, tags)   # of each"),
        "both directions, averaged": (OF_THE_LAST, "nn.Linear(width * 2, 2)   # glad"),
        "both directions at the top": (AT_THE_TOP, "out = nn.Linear(size * 2, classes)"),
        "a number worked out by hand": (CNN, "nn.Linear(4 * 6 * 6, 3)  # worked out by hand"),
        "no flatten": (FLATTEN, "self.out(x.flatten(1))"),
        "no flatten in a Sequential": (SEQUENTIAL, "nn.Flatten(),\n    nn.Linear(72, 10),"),
        "no flatten before a name": (HEAD, "nn.Sequential(pool, nn.Flatten(), linear)  # three"),
        "no flatten in a class": (IN_A_CLASS, "self.pool, nn.Flatten(), self.fc)"),
        "no flatten in what a function makes": (BY_A_FUNCTION, "(pool, act, nn.Flatten(), fc)"),
        "all children": (CHILDREN, "[:-1], nn.Flatten(), base.fc)  # the same"),
        "children of what is given": (OF_A_GIVEN_ONE, "nn.Flatten(), list(model.children())[-1])"),
        "children and a layer": (OWN_LAST, "[:-1], nn.Flatten(), nn.Linear(6, 5))"),
        "a file of its own": (OWN_FILE, "nn.Linear(4, 2)  # six readings"),
        "one of two models": (TWO_MODELS, "other = Net(5, 2)  # for the second sensor"),
        "the wrong name": (WRONG_NAME, "nn.Linear(hidden, outputs)  # behind it"),
        "rows that stay whole": (KEPT_ROWS, "measure = nn.Linear(4, 2)"),
        "set later": (SET_LATER, "nn.Linear(7, 3)"),
        "computed from other things": (STATED, "nn.LazyLinear(classes)  # by hand"),
        "sizes with names": (NAMED, "n_inputs = 7\n"),
    },
    paired={
        "computed from other things, and nothing stated": (
            BY_HAND,
            ("nn.LazyLinear(classes)  # by hand",),
        ),
        "channels second before and after": (
            POOLED,
            ("self.mix(x.transpose(1, 2)).transpose(1, 2)", "nn.Linear(5, 9)"),
        ),
        "made for all steps, and given the last one": (PRODUCT, ("nn.Linear(hidden, outputs)",)),
        "rows that were cut anew": (REGROUPED, ("measure = nn.Linear(4, 2)",)),
        "a comment miscounts": (WORKED_OUT, ("nn.Linear(4 * 14 * 14, 3)  # two poolings",)),
        "features not last": (TURNED, ("signal.transpose(1, 2)", "nn.Linear(5, 2)")),
    },
    refused={
        "a list of layers": APPENDED,
        "a dictionary of layers": ORDERED,
        "a layer in two places": IN_TWO,
        "weights from a checkpoint": LOADED,
        "one constructor for several layers": MANY,
    },
    wrong={
        "leave the layer out": ("a number worked out by hand", swap("self.fc(x)", "x")),
        "swallow it": (
            "no flatten",
            swallow("net(torch.randn(5, 3, 4, 4)).square().mean().backward()"),
        ),
        "cut the gradient": ("no flatten", swap("self.out(x)", "self.out(x.detach().flatten(1))")),
        "cut it through .data": ("no flatten", swap("self.out(x)", "self.out(x.data.flatten(1))")),
        "the pool left out": (
            "no flatten before a name",
            swap("nn.Sequential(pool, linear)", "nn.Sequential(nn.Flatten(2), linear)[1:]"),
        ),
        "mix the samples": ("no flatten", swap("self.out(x)", "self.out(x.view(-1, 64)[:2])")),
        "only some of the numbers": (
            "a number worked out by hand",
            swap("self.fc(x)", "self.fc(x[:, :100]).detach()"),
        ),
        "delete the training": ("a number worked out by hand", delete("loss.backward()")),
        "drop the convolution": (
            "no flatten in a Sequential",
            lambda code: swap("    nn.ReLU(),\n    nn.Linear(100, 10),", "")(code),
        ),
    },
)
