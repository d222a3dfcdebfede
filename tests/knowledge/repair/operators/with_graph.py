"""with-graph: what keeps a loss from having a graph is put right where it stands."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

DECORATED = """\
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


@torch.inference_mode()
def learn(x, y):
    optimizer.zero_grad()
    loss = (net(x) - y).abs().mean()
    loss.backward()
    optimizer.step()


learn(torch.rand(4, 3), torch.rand(4, 1))
print("learned")
"""

SUMMED = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
optimizer = torch.optim.Adam(net.parameters())
whole = 0.0
for part in torch.rand(3, 4, 2):
    whole += net(part).pow(2).mean().item()
optimizer.zero_grad()
whole.backward()
optimizer.step()
print("done")
"""

FROZEN = """\
import torch
from torch import nn

body, head = nn.Linear(4, 4), nn.Linear(4, 2)
body.requires_grad_(False)
head.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
scores = head(body(torch.rand(3, 4)))
nn.functional.cross_entropy(scores, torch.tensor([0, 1, 1])).backward()
optimizer.step()
"""

HEAD = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 9))
net[2] = nn.Linear(6, 2)  # our two classes
for weight in net.parameters():
    weight.requires_grad = False
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(net(torch.rand(3, 4)), torch.tensor([0, 1, 1]))
loss.backward()
optimizer.step()
"""

MADE_UP = """\
import torch
from torch import nn

net = nn.Linear(6, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
for _ in range(2):
    optimizer.zero_grad()
    loss = torch.rand(())
    loss.backward()
    optimizer.step()
    schedule.step()
print(schedule.get_last_lr())
"""

IN_NUMPY = """\
import numpy as np
import torch
from torch import nn

net = nn.Linear(3, 1)
x, y = torch.rand(5, 3), torch.rand(5, 1)
given = net(x)
loss = torch.tensor(np.mean(np.abs(given.detach().numpy() - y.numpy())))
loss.backward()
print(net.weight.grad.shape)
"""

IN_A_BLOCK = """\
import torch
from torch import nn


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        with torch.no_grad():
            return torch.tanh(self.layer(x))


features = Features()
optimizer = torch.optim.SGD(features.parameters(), lr=0.1)
features(torch.rand(3, 4)).pow(2).mean().backward()
optimizer.step()
"""

LISTED = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
parts = []
for part in torch.rand(3, 4, 2):
    parts.append(net(part).mean().item())
loss = torch.tensor(parts).max()
loss.backward()
optimizer.step()
"""

COPIED = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
chosen = []
for part in torch.rand(3, 4, 2):
    chosen.append(net(part).mean())
loss = -(torch.tensor(chosen) * torch.rand(3)).sum()
loss.backward()
optimizer.step()
"""

A_NUMBER = """\
import torch

price = torch.tensor(3.0)
price.backward()
"""

TARGETS = """\
import torch

target = torch.rand(4)
labels = torch.rand(4)
((target - labels) ** 2).mean().backward()
"""

SQUARES = """\
import numpy as np
import torch

x = torch.randn(10)
y = np.square(x.numpy())
z = torch.from_numpy(y)
z.sum().backward()
"""

CASES = Cases(
    mended={},
    paired={
        "a function that records nothing": (DECORATED, ("\ndef learn(x, y):",)),
        "a sum of numbers": (SUMMED, ("whole += net(part).pow(2).mean()\n",)),
        "all is frozen": (
            FROZEN,
            ("body.requires_grad_(True)\nhead.requires_grad_(False)", "head.requires_grad_(True)"),
        ),
        "a head that is frozen with the rest": (
            HEAD,
            ("requires_grad = False\nnet[2] = nn.Linear(6, 2)  # our two classes\noptimizer",),
        ),
        "a loss that is drawn": (MADE_UP, ("loss = net(torch.randn(1, 6)).mean()",)),
        "a block in a function": (IN_A_BLOCK, ("        return torch.tanh(self.layer(x))",)),
        "a list of numbers": (
            LISTED,
            ("parts.append(net(part).mean())\nloss = torch.stack(parts).max()",),
        ),
        "a list of tensors": (COPIED, ("loss = -(torch.stack(chosen) * torch.rand(3)).sum()",)),
        "computed in NumPy": (IN_NUMPY, ("loss = torch.mean(torch.abs(given - y))",)),
    },
    refused={
        "a number that stands alone": A_NUMBER,
        "nothing but targets": TARGETS,
        "made of the numbers of another": SQUARES,
    },
    wrong={
        "a leaf of its own": (
            "a loss that is drawn",
            swap("torch.rand(())", "torch.rand((), requires_grad=True)"),
        ),
        "asked of the copy": (
            "a list of tensors",
            swap("torch.tensor(chosen)", "torch.tensor(chosen, requires_grad=True)"),
        ),
        "asked on the way": (
            "a function that records nothing",
            swap("    loss.backward()", "    loss.requires_grad_().backward()"),
        ),
        "swallowed": ("a sum of numbers", swallow("whole.backward()")),
        "deleted": ("a sum of numbers", delete("whole.backward()")),
    },
)
