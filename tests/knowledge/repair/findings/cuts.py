"""Parts that are cut off from the loss: detach, no_grad, a tensor made anew, a plain sample."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import CLASS, changed

DETACHED = changed(CLASS, ("        return self.head(h)", "        return self.head(h.detach())"))
DATA = changed(CLASS, ("        return self.head(h)", "        return self.head(h.data)"))
BLOCK = changed(
    CLASS,
    ("        h = torch.relu(self.body(x))\n",
     "        with torch.no_grad():\n            h = torch.relu(self.body(x))\n"),
)  # fmt: skip
DECORATED = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
enc, head = nn.Linear(8, 16), nn.Linear(16, 3)
opt = torch.optim.Adam([*enc.parameters(), *head.parameters()], lr=1e-2)
@torch.no_grad()
def features(x):
    return torch.relu(enc(x))
for _ in range(12):
    loss = F.cross_entropy(head(features(torch.randn(16, 8))), torch.randint(3, (16,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
MADE_ANEW = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
a, b = nn.Linear(6, 8), nn.Linear(8, 3)
opt = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=1e-2)
for _ in range(12):
    rows = [a(torch.randn(6)) for _ in range(8)]
    h = torch.tensor([row.tolist() for row in rows])
    loss = F.cross_entropy(b(h), torch.randint(3, (8,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
SAMPLED = """\
import torch
from torch import nn
torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Linear(5, 1).requires_grad_(False)
opt = torch.optim.Adam(actor.parameters(), lr=1e-2)
for _ in range(12):
    s = torch.randn(16, 4)
    mu, log_std = actor(s).chunk(2, 1)
    a = torch.distributions.Normal(mu, log_std.exp()).sample()
    loss = -critic(torch.cat([s, a], 1)).mean() + 0.0 * mu.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
NUMBERS = changed(
    MADE_ANEW,
    ("    h = torch.tensor([row.tolist() for row in rows])",
     "    h = torch.tensor([[max(v, 0.0) for v in row.tolist()] for row in rows])"),
)  # fmt: skip
ROUNDED = changed(
    CLASS, ("        return self.head(h)", "        return self.head(torch.from_numpy("
            "h.detach().numpy().round(1)))"),
)  # fmt: skip

CASES = Cases(
    mended={
        "detach": (DETACHED, "        return self.head(h)"),
        "a block": (BLOCK, "        h = torch.relu(self.body(x))\n        return"),
        "a decorator": (DECORATED, "opt = torch.optim.Adam([*enc.parameters(), *head.parameters()],"
                        " lr=1e-2)\ndef features(x)"),
        "data": (DATA, "        return self.head(h)"),
        "made anew": (MADE_ANEW, "h = torch.stack(rows)"),
        "a draw": (SAMPLED, "log_std.exp()).rsample()"),
    },
    refused={"numbers of Python's": NUMBERS, "rounded by NumPy": ROUNDED},
    wrong={
        "another leaf": ("detach", swap("h.detach()", "h.detach().requires_grad_()")),
        "fewer parameters": ("detach", swap("self.net.parameters()", "self.net.head.parameters()")),
        "no layer": ("detach", swap("torch.relu(self.body(x))", "x.repeat(1, 3)[:, :16]")),
        "no backward": ("a decorator", delete("loss.backward()")),
        "swallowed": ("a decorator", swallow("loss.backward()")),
    },
)  # fmt: skip
