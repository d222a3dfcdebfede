"""plain-key: names of modules and buffers without dots."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

COLUMNS = """\
import torch
from torch import nn

SIZES = {"street.kind": 3, "age": 5}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleDict({name: nn.Embedding(n, 2) for name, n in SIZES.items()})

    def forward(self, ids):
        return torch.cat([self.tables[name](ids[name]) for name in SIZES], dim=1)   # side by side


print(Net()({name: torch.tensor([0, 1]) for name in SIZES}).shape)
"""

ADDED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.names = names
        for name in names:
            self.add_module(name, nn.Linear(3, 1))   # a head

    def forward(self, x):
        return [getattr(self, name)(x) for name in self.names]


print(len(Net(["a.x", "b"])(torch.rand(2, 3))))
"""

BUFFERS = """\
import torch
from torch import nn


class Means(nn.Module):
    def __init__(self, of):
        super().__init__()
        for key, value in of.items():
            self.register_buffer(key, value)

    def forward(self, key):
        return getattr(self, key)


means = Means({"layer.1": torch.zeros(2), "layer.2": torch.ones(2)})
print(len(list(means.buffers())))
"""

WRITTEN = """\
from torch import nn

net = nn.Module()
net.add_module("head.first", nn.Linear(3, 1))
print(net)
"""

CLASHING = COLUMNS.replace('"age"', '"street_kind"')

CASES = Cases(
    mended={},
    paired={
        "a dictionary": (COLUMNS, ('self.tables[name.replace(".", "_")](ids[name])',)),
        "added": (ADDED, ('getattr(self, name.replace(".", "_"))(x)',)),
        "buffers": (BUFFERS, ('self.register_buffer(key.replace(".", "_"), value)',)),
    },
    refused={"written out": WRITTEN, "two would be one": CLASHING},
    wrong={
        "left out": ("added", delete("self.add_module(name, nn.Linear(3, 1))   # a head")),
        "swallowed": ("added", swallow("self.add_module(name, nn.Linear(3, 1))   # a head")),
        "the head of the name": (
            "a dictionary",
            swap("{name: nn.Embedding", "{name[:6]: nn.Embedding"),
        ),
        "no modules": ("a dictionary", swap("nn.ModuleDict({name", "dict({name")),
        "no buffers": ("buffers", delete("self.register_buffer(key, value)")),
    },
)
