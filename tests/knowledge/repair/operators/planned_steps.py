"""planned-steps: a schedule of a fixed length is made for as many steps as the loops make."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

EACH = """\
import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rows = TensorDataset(torch.randn(50, 3), torch.randn(50, 1))
loader = DataLoader(rows, batch_size=8)
net, epochs = nn.Linear(3, 1), 2
steps = len(rows) // 8
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
planned = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=steps)
for epoch in range(epochs):
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        planned.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
"""

IN_FUNCTIONS = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def one_round(net, batches, optimizer, schedule):
    for i, (x, y) in enumerate(batches):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
        schedule.step()


data = DataLoader(TensorDataset(torch.randn(24, 2), torch.randn(24, 1)), batch_size=4)
net = nn.Linear(2, 1)
optimizer = torch.optim.Adam(net.parameters())
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=12)
for epoch in range(1, 3 + 1):
    one_round(net, data, optimizer, schedule)
print("trained")
"""

BY_PLACE = """\
import torch
from torch import nn
from torch.optim import lr_scheduler

batches = [(torch.randn(4, 2), torch.randn(4, 1)) for _ in range(5)]
net = nn.Linear(2, 1)
opt = torch.optim.AdamW(net.parameters())
one_cycle = lr_scheduler.OneCycleLR(opt, 0.01, len(batches))
for _ in range(4):
    for x, y in batches:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
        one_cycle.step()
"""

EVERY_OTHER = BY_PLACE.replace(
    "        one_cycle.step()\n", "        if torch.rand(1) < 2:\n            one_cycle.step()\n"
)

WITHOUT_END = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
opt = torch.optim.AdamW(net.parameters())
course = torch.optim.lr_scheduler.OneCycleLR(opt, 0.01, total_steps=3)
while True:
    opt.zero_grad()
    net(torch.rand(3, 2)).sum().backward()
    opt.step()
    course.step()
"""

ELSEWHERE = """\
import torch
from torch import nn


def build(net, steps):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    return opt, torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=steps)


def fit(net, opt, sched, batches, n):
    for _ in range(n):
        for x in batches:
            net(x).sum().backward()
            opt.step()
            sched.step()


net = nn.Linear(2, 1)
opt, sched = build(net, 4)
fit(net, opt, sched, [torch.rand(3, 2)] * 3, 2)
"""

CASES = Cases(
    mended={},
    paired={
        "rounded down": (EACH, ("steps = len(loader)\n",)),
        "in functions": (IN_FUNCTIONS, ("total_steps=3 * len(data))",)),
        "by its place": (BY_PLACE, ("OneCycleLR(opt, 0.01, 4 * len(batches))",)),
    },
    refused={
        "not in every round": EVERY_OTHER,
        "a loop without an end": WITHOUT_END,
        "made where the loader is not known": ELSEWHERE,
    },
    wrong={
        "swallowed": ("rounded down", swallow("planned.step()")),
        "deleted": ("rounded down", delete("planned.step()")),
        "no more steps": ("in functions", swap("        optimizer.step()\n", "")),
        "fewer rounds": ("by its place", swap("for x, y in batches:", "for x, y in batches[:0]:")),
    },
)
