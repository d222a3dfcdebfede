"""scripted-list: TorchScript goes through a list of modules, and indexes none."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(n)])

    def forward(self, x):
        for i in range(len(self.layers)):
            x = torch.relu(self.layers[i](x))
        return x


torch.manual_seed(0)
print(torch.jit.script(Net(3))(torch.ones(2, 4)).shape)
"""

NUMBERED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 2
        self.heads = nn.ModuleList([nn.Linear(4, 1), nn.Linear(4, 1)])

    def forward(self, x):
        total = torch.zeros(1)
        for k in range(self.n):
            total = total + self.heads[k](x) * (k + 1)
        return total


torch.manual_seed(0)
net = torch.jit.script(Net())
print(net(torch.ones(4)))
"""

WRITTEN = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.Conv1d(2, 2, 1), nn.Conv1d(2, 2, 1)])

    def forward(self, x):
        out = x
        for i in range(2):
            out = out + self.parts[i](x)
        return out


model = Net()
scripted = torch.jit.script(model)
print(scripted(torch.ones(1, 2, 3)).shape)
"""

FIRST = NET.replace("range(len(self.layers))", "range(2)")
CHOSEN = NET.replace("        for i in range(len(self.layers)):\n            x",
                     "        for i in [2, 0]:\n            x")  # fmt: skip

CASES = Cases(
    mended={},
    paired={
        "by its length": (NET, ("        for layer in self.layers:\n"
                                "            x = torch.relu(layer(x))\n",)),
        "with the number": (NUMBERED, ("        for k, layer in enumerate(self.heads):\n"
                                       "            total = total + layer(x) * (k + 1)\n",)),
        "a number that is written": (WRITTEN, ("        for layer in self.parts:\n"
                                               "            out = out + layer(x)\n",)),
    },
    refused={"a part of the list": FIRST, "chosen ones": CHOSEN},
    wrong={
        "one layer": ("by its length", swap("self.layers[i](x)", "self.layers[0](x)")),
        "not compiled": ("by its length", swap("torch.jit.script(Net(3))", "Net(3)")),
        "swallowed": ("a number that is written", swallow("scripted = torch.jit.script(model)")),
        "deleted": ("with the number", delete("total = total + self.heads[k](x) * (k + 1)")),
    },
)  # fmt: skip
