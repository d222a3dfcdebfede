"""once-a-step: gradients of several batches are unscaled and clipped where the step is made."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

CLIPPED = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for n, rows in enumerate(torch.randn(8, 4, 6)):
    loss = net(rows).square().mean() / 4
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    size = nn.utils.clip_grad_norm_(net.parameters(), 1.0)   # as usual
    if (n + 1) % 4 == 0:
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        print(n, size.isfinite().item())
"""

IN_A_CLASS = """\
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.net = nn.Linear(3, 1)
        self.opt = torch.optim.Adam(self.net.parameters())
        self.scaler = torch.amp.GradScaler("cpu")

    def batch(self, x, is_last):
        self.scaler.scale(self.net(x).sum()).backward()
        self.scaler.unscale_(self.opt)
        if is_last:
            self.scaler.step(self.opt)
            self.scaler.update()
            self.opt.zero_grad()


trainer = Trainer()
for n in range(6):
    trainer.batch(torch.rand(2, 3), n % 3 == 2)
print("two steps")
"""

BY_VALUE = """\
import torch
from torch import nn
from torch.nn.utils import clip_grad_value_

net = nn.Linear(2, 2)
adam = torch.optim.Adam(net.parameters())
scaler, every = torch.amp.GradScaler("cpu"), 2
for n in range(4):
    scaler.scale(net(torch.rand(3, 2)).mean()).backward()
    scaler.unscale_(adam)
    clip_grad_value_(net.parameters(), 0.5)
    if n % every == every - 1:
        scaler.step(adam)
        scaler.update()
        adam.zero_grad()
    else:
        print("added up")
"""

READ_BELOW = """\
import torch
from torch import nn

net = nn.Linear(2, 2)
adam = torch.optim.Adam(net.parameters())
scaler = torch.amp.GradScaler("cpu")
for n in range(4):
    scaler.scale(net(torch.rand(3, 2)).mean()).backward()
    scaler.unscale_(adam)
    size = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    if n % 2:
        scaler.step(adam)
        scaler.update()
        adam.zero_grad()
    print(size.item())
"""

NO_STEP = """\
import torch
from torch import nn

net = nn.Linear(2, 2)
adam = torch.optim.Adam(net.parameters())
scaler = torch.amp.GradScaler("cpu")
for n in range(4):
    scaler.scale(net(torch.rand(3, 2)).mean()).backward()
    scaler.unscale_(adam)
    adam.step()
"""

CASES = Cases(
    mended={},
    paired={
        "with a norm": (
            CLIPPED,
            (
                "        scaler.unscale_(optimizer)\n"
                "        size = nn.utils.clip_grad_norm_(net.parameters(), 1.0)   # as usual\n"
                "        scaler.step(optimizer)",
            ),
        ),
        "in a class": (
            IN_A_CLASS,
            ("            self.scaler.unscale_(self.opt)\n            self.scaler.step(self.opt)",),
        ),
        "by a value": (
            BY_VALUE,
            ("        clip_grad_value_(net.parameters(), 0.5)\n        scaler.step(adam)",),
        ),
    },
    refused={"the norm is read below": READ_BELOW, "no step of the scaler": NO_STEP},
    wrong={
        "of scaled gradients": ("with a norm", delete("scaler.unscale_(optimizer)")),
        "updated each time": (
            "in a class",
            swap("unscale_(self.opt)\n", "unscale_(self.opt)\n        self.scaler.update()\n"),
        ),
        "swallowed": ("by a value", swallow("scaler.unscale_(adam)")),
        "stepped each time": ("in a class", swap("        if is_last:\n", "        if True:\n")),
    },
)
