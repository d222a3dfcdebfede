"""checkpoint: an optimizer gets its own entry of what was saved."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WHOLE = """\
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters())
torch.save({"epoch": 4, "net": net.state_dict(), "optim": optimizer.state_dict()}, "last.pt")
saved = torch.load("last.pt")
net.load_state_dict(saved["net"])
optimizer.load_state_dict(saved)   # as it was
net(torch.rand(5, 3)).square().mean().backward()
optimizer.step()
"""

TWO = """\
import torch
from torch import nn

maker, judge = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))
first = torch.optim.SGD(maker.parameters(), lr=0.1, momentum=0.9)
second = torch.optim.SGD(judge.parameters(), lr=0.1, momentum=0.9)
state = {"first": first.state_dict(), "second": second.state_dict()}
second.load_state_dict(state)   # four tensors
loss = judge(maker(torch.rand(6, 3))).square().mean()
loss.backward()
first.step()
second.step()
"""

RESUMED = """\
import torch
from torch import nn


def train(first, last, saved=None):
    net = nn.Linear(3, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    if saved is not None:
        net.load_state_dict(saved["net"])   # weights
    plan = torch.optim.lr_scheduler.StepLR(opt, 2, last_epoch=first - 1)
    for epoch in range(first, last):
        opt.zero_grad()
        net(torch.ones(4, 3)).square().mean().backward()
        opt.step()
        plan.step()
    return {"net": net.state_dict(), "opt": opt.state_dict()}


half = train(0, 3)
train(3, 6, half)
"""

TWINS = """\
import torch
from torch import nn

a, b = nn.Linear(3, 2), nn.Linear(3, 2)
first, second = (torch.optim.Adam(m.parameters()) for m in (a, b))
state = {"first": first.state_dict(), "second": second.state_dict()}
second.load_state_dict(state)
"""

NOT_SAVED = RESUMED.replace(', "opt": opt.state_dict()', "")

ANOTHER_KEY = """\
settings = {"lr": 0.1}
print(settings["param_groups"])
"""

CASES = Cases(
    mended={},
    paired={
        "the whole": (WHOLE, ('optimizer.load_state_dict(saved["optim"])   # as it was',)),
        "the one that fits": (TWO, ('second.load_state_dict(state["second"])   # four tensors',)),
        "never loaded": (RESUMED, ('opt.load_state_dict(saved["opt"])',)),
    },
    refused={
        "either of two": TWINS,
        "never saved": NOT_SAVED,
        "a dictionary of their own": ANOTHER_KEY,
    },
    wrong={
        "afresh": ("the whole", delete("optimizer.load_state_dict(saved)   # as it was")),
        "swallowed": ("the whole", swallow("optimizer.load_state_dict(saved)   # as it was")),
        "the model's": (
            "the whole",
            swap("load_state_dict(saved)", 'load_state_dict(saved["net"])'),
        ),
        "from the start": ("never loaded", swap(", last_epoch=first - 1", "")),
    },
)
