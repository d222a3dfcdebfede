"""own-group: no parameter is in two groups of an optimizer."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

HEAD = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
groups = [{"params": net.parameters()}, {"params": net[2].parameters(), "lr": 1e-2}]
optimizer = torch.optim.SGD(groups, lr=1e-3)
net(torch.rand(5, 3)).sum().backward()
optimizer.step()
print(len(optimizer.param_groups))
"""

NAMED = """\
import torch
from torch import nn

net = nn.ModuleDict({"table": nn.Embedding(4, 3), "out": nn.Linear(3, 2)})
table = [w for name, w in net.named_parameters() if "table" in name]
shifts = [w for name, w in net.named_parameters() if "bias" in name]
rest = [w for name, w in net.named_parameters() if "bias" not in name]
optimizer = torch.optim.AdamW(
    [{"params": table, "lr": 1e-2}, {"params": shifts, "weight_decay": 0.0}, {"params": rest}]
)
print([len(group["params"]) for group in optimizer.param_groups])
"""

OF_TWO = """\
import torch
from torch import nn

body, first, second = nn.Linear(3, 4), nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([
    {"params": [w for w in nn.ModuleList([body, first, second]).parameters()]},
    {"params": first.parameters()},
    {"params": second.parameters(), "lr": 0.1},
])
print([len(group["params"]) for group in optimizer.param_groups])
"""

TWICE = """\
import torch
from torch import nn

net = nn.Linear(3, 4)
torch.optim.SGD([{"params": net.parameters()}, {"params": net.parameters()}], lr=0.1)
"""

NESTED = """\
import torch
from torch import nn

parts = [nn.Linear(3, 4), nn.Linear(4, 2)]
torch.optim.SGD([
    {"params": [w for part in parts for w in part.parameters()]},
    {"params": parts[1].parameters()},
], lr=0.1)
"""

CASES = Cases(
    mended={},
    paired={
        "the head apart": (
            HEAD,
            ("[p for p in net.parameters() if all(p is not q for q in net[2].parameters())]",),
        ),
        "by their names": (
            NAMED,
            ('if "bias" not in name and all(w is not q for q in table)]',),
        ),
        "of two others": (
            OF_TWO,
            ("if all(w is not q for q in [*first.parameters(), *second.parameters()])]",),
        ),
    },
    refused={"the same twice": TWICE, "of two loops": NESTED},
    wrong={
        "a group left out": (
            "by their names",
            swap(', {"params": rest}]', "]"),
        ),
        "the head left out": (
            "the head apart",
            swap(', {"params": net[2].parameters(), "lr": 1e-2}]', "]"),
        ),
        "swallowed": ("the head apart", swallow(HEAD.splitlines()[5])),
        "deleted": ("by their names", delete(NAMED.splitlines()[10])),
    },
)
