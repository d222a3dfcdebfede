"""called-back: a hook takes what torch calls it with."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

FORWARD = """\
import torch
from torch import nn

shapes = []


def note(layer, out):
    shapes.append(tuple(out.shape))


net = nn.Sequential(nn.Linear(4, 6), nn.Tanh())
net[0].register_forward_hook(note)
net(torch.rand(3, 4))
print(shapes)
"""

MADE_BY_A_FUNCTION = """\
import torch
from torch import nn

kept = {}


def keep(name):
    def hook(output):
        kept[name] = output.detach()

    return hook


net = nn.Linear(4, 6)
net.register_forward_hook(keep("first"))
net(torch.rand(3, 4))
print(kept["first"].shape)
"""

BACKWARD = """\
import torch
from torch import nn

norms = []


class Watch:
    def __init__(self, layer):
        layer.register_full_backward_hook(self.look)

    def look(self, grad):
        norms.append(float(grad.norm()))


net = nn.Linear(4, 1)
watch = Watch(net)
net(torch.rand(3, 4, requires_grad=True)).sum().backward()
print(len(norms))
"""

OF_A_TENSOR = """\
import torch

seen = []


def look(module, grad):
    seen.append(grad.shape)


x = torch.rand(3, requires_grad=True)
y = x * 2
y.register_hook(look)
y.sum().backward()
print(seen)
"""

A_RANDOM_SAMPLE = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self):
        return torch.randn(2)


for batch in DataLoader(Noise(), batch_size=3):
    print(batch.shape)
"""

A_LAMBDA = """\
import torch
from torch import nn

kept = []
net = nn.Linear(3, 2)
net.register_forward_hook(lambda m, out: kept.append(out.shape))
net(torch.rand(4, 3))
print(kept)
"""

OPEN_WHICH = """\
import torch
from torch import nn


def look(first, second):
    print(first, second)


net = nn.Linear(2, 2)
net.register_forward_hook(look)
net(torch.rand(1, 2))
"""

NO_HOOK = """\
import torch


def scaled(x):
    return x * 2


print(scaled(torch.rand(2), 3))
"""

TWO_KINDS = """\
import torch
from torch import nn


def look(out):
    print(out)


net = nn.Linear(2, 2)
net.register_forward_hook(look)
net.register_forward_pre_hook(look)
net(torch.rand(1, 2))
"""

REMOVED = """\
import torch
from torch import nn

seen = []


def note(module, inputs, output):
    seen.append(output.shape)


net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1))
net[0].register_forward_hook(note)   # the first
net[2].register_forward_hook(note)
net(torch.rand(2, 4))
net[0].remove_forward_hook(note)
net[2].remove_forward_hook(note)
print(seen)
"""

REMOVED_ALL = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
for layer in net:
    layer.register_forward_hook(lambda m, i, o: None)
net(torch.rand(2, 4))
for layer in net:
    layer.remove_forward_hook(0)
"""


CASES = Cases(
    mended={},
    paired={
        "a hook that goes again": (
            REMOVED,
            ("handle = net[0].register_forward_hook(note)   # the first",),
        ),
        "a forward hook": (FORWARD, ("def note(layer, inputs, out):",)),
        "one that a function makes": (
            MADE_BY_A_FUNCTION,
            ("def hook(module, inputs, output):",),
        ),
        "a method for gradients": (BACKWARD, ("def look(self, module, grad_input, grad):",)),
        "a tensor's hook": (OF_A_TENSOR, ("def look(grad):",)),
        "a lambda": (A_LAMBDA, ("lambda m, inputs, out: kept",)),
        "a sample whatever its index": (A_RANDOM_SAMPLE, ("def __getitem__(self, index):",)),
    },
    refused={
        "hooks in a loop": REMOVED_ALL,
        "names that say nothing": OPEN_WHICH,
        "a function of their own": NO_HOOK,
        "hooks of two kinds": TWO_KINDS,
    },
    wrong={
        "it stays": (
            "a hook that goes again",
            lambda code: delete("net[0].remove_forward_hook(note)")(
                delete("net[2].remove_forward_hook(note)")(code)
            ),
        ),
        "not registered": ("a forward hook", delete("net[0].register_forward_hook(note)")),
        "swallowed": ("a forward hook", swallow("net(torch.rand(3, 4))")),
        "given to nobody": (
            "a lambda",
            swap("net.register_forward_hook(lambda m, out:", "kept.append(lambda m, out:"),
        ),
        "no hook left": (
            "a tensor's hook",
            swap("y.register_hook(look)", "look(None, y)"),
        ),
    },
)
