"""if-it-is-there: a layer that was made without a bias is left without one."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 5, bias=False)
        self.last = nn.Linear(5, 2)
        self.reset()

    def reset(self):
        # small weights
        nn.init.normal_(self.first.weight, std=0.1)
        self.first.bias.data.zero_()
        self.last.bias.data.zero_()

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


torch.manual_seed(0)
print(Net()(torch.randn(4, 6)).shape)
"""

ALL = """\
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), nn.Conv2d(4, 2, 1))
for layer in model.modules():
    if isinstance(layer, nn.Conv2d):
        nn.init.kaiming_normal_(layer.weight)
        layer.bias.data.fill_(0)
print(model(torch.randn(2, 3, 8, 8)).shape)
"""

INIT = """\
import torch
from torch import nn


def reset(m):
    if isinstance(m, nn.Linear):
        nn.init.ones_(m.weight)
        nn.init.zeros_(m.bias)


net = nn.Sequential(nn.Linear(4, 4, bias=False), nn.Linear(4, 1))
net.apply(reset)
print(net(torch.ones(1, 4)))
"""

NOT_A_LAYER = """\
import torch


class Kept:
    bias = None


kept = Kept()
kept.bias.data.zero_()
print(kept)
"""

VALUE = """\
import torch
from torch import nn

net = nn.Linear(3, 1, bias=False)
shown = net.bias.data.mean()
print(shown)
"""

FANS = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
for p in net.parameters():
    nn.init.xavier_uniform_(p)   # as in the paper
print(net(torch.randn(3, 4)).shape)
"""

NORMS = """\
import torch
from torch import nn


def reset(m):
    if hasattr(m, "weight"):
        nn.init.kaiming_normal_(m.weight.data)


net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
net.apply(reset)
print(net(torch.randn(3, 3, 5, 5)).shape)
"""

ONE_BIAS = """\
import torch
from torch import nn

net = nn.Linear(4, 2)
nn.init.xavier_uniform_(net.bias)
print(net(torch.randn(3, 4)).shape)
"""


AVERAGES = """\
import copy
import torch
from torch import nn

nets = [nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)) for _ in range(3)]
total = copy.deepcopy(nets[0].state_dict())
for key in total:
    for net in nets[1:]:
        total[key] += net.state_dict()[key]
    total[key] /= len(nets)   # the mean
nets[0].load_state_dict(total)
print(len(total))
"""

MOVING = """\
import copy
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))
slow = copy.deepcopy(net)
for old, new in zip(slow.state_dict().values(), net.state_dict().values()):
    old.mul_(0.9).add_(new * 0.1)
print(slow(torch.ones(1, 1, 5, 5)).shape)
"""

COUNTS = """\
import torch

seen = {"a": torch.tensor(3), "b": torch.tensor(4)}
for name in seen:
    seen[name] /= 2
print(seen)
"""

SPARE = """\
import torch
from torch import nn

net = nn.ModuleDict({"body": nn.Linear(4, 6), "head": nn.Linear(6, 2), "spare": nn.Linear(6, 3)})
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    out = net["head"](torch.tanh(net["body"](torch.ones(5, 4))))
    optimizer.zero_grad()
    out.pow(2).mean().backward()
    for p in net.parameters():
        p.grad.data.clamp_(-0.1, 0.1)   # no jumps
    optimizer.step()
print(net["head"].bias.shape)
"""

LENGTHS = """\
import torch
from torch import nn

first, second = nn.Linear(3, 2), nn.Linear(3, 2)
both = nn.ModuleList([first, second])
first(torch.ones(1, 3)).sum().backward()
total = 0.0
for name, weight in both.named_parameters():
    length = weight.grad.norm()
    total += length.item() ** 2   # of all
print(total > 0)
"""

NO_BACKWARD = LENGTHS.replace(".sum().backward()", ".sum()")

NOT_OF_A_LOOP = LENGTHS.replace("total = 0.0\n", "total = 0.0\nprint(second.bias.grad.norm())\n")

CASES = Cases(
    mended={},
    paired={
        "an average of models": (AVERAGES, ("    if total[key].is_floating_point():\n"
                                            "        total[key] /= len(nets)   # the mean\n",)),
        "a moving average": (MOVING, ("    if old.is_floating_point():\n"
                                      "        old.mul_(0.9).add_(new * 0.1)\n",)),
        "sizes of a matrix": (FANS, ("    if p.dim() > 1:\n"
                                     "        nn.init.xavier_uniform_(p)   # as in the paper",)),
        "norms among convolutions": (NORMS, ("        if m.weight.dim() > 1:\n",)),
        "a spare layer": (SPARE, ("        if p.grad is not None:\n"
                                  "            p.grad.data.clamp_(-0.1, 0.1)   # no jumps\n",)),
        "lengths of some": (LENGTHS, ("    if weight.grad is not None:\n"
                                      "        length = weight.grad.norm()\n        total +=",)),
        "by name": (NET, ("        if self.first.bias is not None:\n"
                          "            self.first.bias.data.zero_()\n",)),
        "in a loop": (ALL, ("        if layer.bias is not None:\n"
                            "            layer.bias.data.fill_(0)\n",)),
        "by a function": (INIT, ("        if m.bias is not None:\n"
                                 "            nn.init.zeros_(m.bias)\n",)),
    },
    refused={
        "a bias by its name": ONE_BIAS,
        "counts of one's own": COUNTS,
        "no backward": NO_BACKWARD, "no loop": NOT_OF_A_LOOP,
        "no layer": NOT_A_LAYER, "a value that is read": VALUE},
    wrong={
        "nothing is held back": ("a spare layer", swap("p.grad.data.clamp_(-0.1, 0.1)", "pass")),
        "never": ("sizes of a matrix", swap("    nn.init", "    if False:\n        nn.init")),
        "no average": ("a moving average", swap("old.mul_(0.9).add_(new * 0.1)", "pass")),
        "set nowhere": ("in a loop", swap("layer.bias.data.fill_(0)", "pass")),
        "swallowed": ("by name", swallow("self.first.bias.data.zero_()")),
        "all of it left out": ("by name", swap("        self.reset()\n", "")),
        "deleted": ("by a function", delete("nn.init.zeros_(m.bias)")),
    },
)  # fmt: skip
