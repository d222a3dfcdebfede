"""Brackets of the wrong kind, too many, or missing."""

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

ELEMENT = """\
import torch
board = torch.arange(9).reshape(3, 3)
middle = board(1, 1)   # one field
print(middle)
"""

PARAMETERS = """\
import torch
from torch import nn
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters, lr=0.1)   # all of them
net(torch.ones(2)).sum().backward()
optimizer.step()
"""

SHAPE = """\
import torch
from torch import nn

class Flat(nn.Module):
    def forward(self, x):
        return x.view(x.shape(0), -1)   # one row a sample

print(Flat()(torch.randn(2, 3, 4)).shape)
"""

SIZE = """\
import torch
words = torch.randn(5, 2)
for i in range(words.size[0]):   # five
    print(words[i].sum(), words.size[1])
"""

TURNED = """\
import torch
a = torch.arange(6.0).reshape(2, 3)
print(a @ a.T())   # 2 x 2
"""

LAYERS = """\
import torch
from torch import nn
layers = [nn.Linear(2, 2), nn.ReLU()]
x = torch.ones(1, 2)
for i in range(2):
    x = layers(i)(x)   # one after another
print(x.shape)
"""

MODULE = """\
import torch
import tqdm
for i in tqdm(range(2)):
    print(torch.ones(i))
"""

FIELD = """\
from collections import namedtuple
import torch
Step = namedtuple("Step", "state action")
step = Step(torch.zeros(2), 1)
print(step["state"].shape)
"""

NAMED_ALIKE = """\
import torch
from torch import nn
loss = nn.MSELoss()
for _ in range(2):
    loss = loss(torch.ones(3), torch.zeros(3))
print(loss)
"""

BATCH = """\
import torch
from torch.utils.data import DataLoader
pairs = [(torch.randn(3), torch.tensor(i)) for i in range(4)]
for batch in DataLoader(pairs, batch_size=2):
    inputs = batch[:, 0]   # all inputs
    labels = batch[:, 1]
    print(inputs.shape, labels.shape)
"""

ROWS = """\
import torch
rows = [[1.0, 2.0], [3.0, 4.0]]
print(torch.tensor(rows[:, 1]))   # the second column
"""

ALIKE = """\
import torch
points = [torch.ones(2), torch.zeros(2)]
print(points[:, 0])
"""

OUTSIDE = """\
import torch
x = torch.ones(2, 2)
print(x(4, 1))
"""

COUNTED = """\
import torch
from torch import nn

net = nn.Linear(3, 2)
print(sum(p.numel for p in net.parameters()), "weights")
"""

MEASURED = """\
import torch

errors = torch.rand(4, requires_grad=True) ** 2
loss = errors.mean   # of all
loss.backward()
print(loss.item() > 0)
"""

ENTERED = """\
import torch
from torch import nn

net = nn.Linear(4, 2)
with torch.no_grad:   # only looking
    print(net(torch.ones(3, 4)).shape)
"""

ENTERED_BOTH = """\
import torch

with torch.enable_grad(), torch.inference_mode:
    print((torch.ones(2) * 2).requires_grad)
"""

KEPT = """\
import copy

import torch
from torch import nn

net, best = nn.Linear(4, 2), None
for epoch in range(3):
    if epoch == 1:
        best = copy.deepcopy(net.state_dict)   # the best so far
net.load_state_dict(best)
print(net(torch.ones(1, 4)).shape)
"""

CAST = """\
import torch

with torch.autocast:   # of which device?
    print(torch.ones(2) @ torch.ones(2))
"""

NO_CONTEXT = """\
import torch
from torch import nn

net = nn.Linear(4, 2)
with net:
    print(net(torch.ones(3, 4)).shape)
"""

MADE_LATER = """\
import torch
from torch import nn

layers = {"last": lambda net: net[1], "first": lambda net: net[0]}


def watch(layer, seen):
    layer.register_forward_hook(lambda module, given, out: seen.append(out.shape))


net, seen = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)), []
watch(layers["first"], seen)   # its output
net(torch.ones(4, 2))
print(seen)
"""

BUILT = """\
import torch
from torch import nn


def build():
    return nn.Linear(2, 2)


net = build   # small
print(sum(p.numel() for p in net.parameters()))
"""

OF_WHAT_IS_NOT_THERE = MADE_LATER.replace("lambda net: net[0]", "lambda model: model[0]")
HAS_IT_NOT = MADE_LATER.replace("lambda net: net[0]", "lambda net: 3")


FROZEN = """\
from contextlib import contextmanager

import torch
from torch import nn

net = nn.Linear(4, 2)


@contextmanager
def frozen():
    net.requires_grad_(False)
    yield
    net.requires_grad_(True)


with frozen:   # of its own
    print(net(torch.ones(3, 4)).requires_grad)
"""

FOR_THE_MODEL = """\
import torch
from torch import nn


def optimizer(net):
    return torch.optim.SGD(net.parameters(), lr=0.1)


net = nn.Linear(3, 1)
opt = optimizer   # plain steps
for _ in range(2):
    opt.zero_grad()
    net(torch.ones(2, 3)).pow(2).mean().backward()
    opt.step()
print("trained")
"""


CASES = Cases(
    mended={},
    paired={
        "a context of its own": (FROZEN, ("with frozen():   # of its own",)),
        "a function of what is there": (FOR_THE_MODEL, ("opt = optimizer(net)   # plain",)),
        "a function of the model": (MADE_LATER, ('watch(layers["first"](net), seen)   # its',)),
        "a function that makes it": (BUILT, ("net = build()   # small",)),
        "a context": (ENTERED, ("with torch.no_grad():   # only looking",)),
        "one of two contexts": (ENTERED_BOTH, ("torch.enable_grad(), torch.inference_mode():",)),
        "a copy of what a method gives": (
            KEPT,
            ("copy.deepcopy(net.state_dict())   # the best so far",),
        ),
        "a method further up": (MEASURED, ("loss = errors.mean()   # of all",)),
        "in a sum": (COUNTED, ("p.numel() for p",)),
        "an element": (ELEMENT, ("middle = board[1, 1]   # one field",)),
        "a method as it is": (PARAMETERS, ("SGD(net.parameters(), lr=0.1)   # all of them",)),
        "a shape": (SHAPE, ("x.view(x.shape[0], -1)   # one row",)),
        "a size, twice": (SIZE, ("print(words[i].sum(), words.size(1))",)),
        "a property": (TURNED, ("print(a @ a.T)   # 2 x 2",)),
        "a list of layers": (LAYERS, ("x = layers[i](x)   # one after another",)),
        "a module": (MODULE, ("for i in tqdm.tqdm(range(2)):",)),
        "fields of a batch": (BATCH, ("= batch[0]   # all inputs\n    labels = batch[1]\n",)),
        "a column of rows": (ROWS, ("torch.tensor([row[1] for row in rows]))   # the second",)),
        "a field": (FIELD, ("print(step.state.shape)",)),
    },
    refused={
        "a function of what is not there": OF_WHAT_IS_NOT_THERE,
        "a function that gives something else": HAS_IT_NOT,
        "a context that needs an argument": CAST,
        "no context": NO_CONTEXT,
        "one name for two": NAMED_ALIKE,
        "no such element": OUTSIDE,
        "rows or fields": ALIKE,
    },
    wrong={
        "not frozen": ("a context of its own", swap("with frozen:   # of its own", "if True:")),
        "no optimizer": (
            "a function of what is there",
            swap("    opt.zero_grad()\n", "    net.zero_grad()\n"),
        ),
        "not entered": ("a context", swap("with torch.no_grad:   # only looking", "if True:")),
        "another element": ("an element", swap("board(1, 1)", "board[0, 0]")),
        "the whole": ("an element", swap("board(1, 1)", "board")),
        "a number": ("a shape", swap("x.shape(0)", "2")),
        "not turned": ("a property", swap("a @ a.T()", "a @ a.reshape(3, 2)")),
        "swallow": ("a property", swallow("print(a @ a.T())   # 2 x 2")),
        "one of five": ("a size, twice", swap("words.size[0]", "1")),
        "another field": ("fields of a batch", swap("batch[:, 0]", "batch[1]")),
        "nothing to train": (
            "a method as it is",
            swap("net.parameters, lr", "[torch.ones(1)], lr"),
        ),
    },
)
