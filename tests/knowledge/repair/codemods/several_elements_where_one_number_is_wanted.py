"""A log of losses, a score a class, two results in a row; and where another number is wanted."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LOG = """\
import torch
losses = torch.tensor([0.5, 0.25])   # one a sample
print(f"loss {losses.item()}")
"""

SLOPES = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 3), nn.PReLU(3))
print([slope.item() for slope in net[1].parameters()])
"""

PATCHES = """\
import torch
from torch import nn
judge = nn.Conv2d(1, 1, 3)
real, fake = judge(torch.ones(1, 1, 5, 5)), judge(torch.zeros(1, 1, 5, 5))
print("real", real.item())   # near one
print("fake", fake.item())
"""

SUMMED = """\
import torch
from torch import nn
net, loss = nn.Linear(2, 1), nn.MSELoss(reduction="none")
total = 0.0
for _ in range(2):
    total += float(loss(net(torch.rand(5, 2)), torch.rand(5, 1)))   # of all batches
print(total > 0)
"""

FLOAT = """\
import torch
scores = torch.tensor([0.1, 0.9])
print(float(scores))
"""

COUNTED = """\
import torch
counts = torch.tensor([1, 2])
print(list(range(int(counts))))
"""

CASES = Cases(
    mended={},
    paired={
        "a log": (LOG, ("losses.mean().item()}", "losses.tolist()}")),
        "slopes": (SLOPES, ("[slope.mean().item() for", "[slope.tolist() for")),
        "a loss for each sample": (SUMMED, ("1)).mean())   # of", "1)).sum())   # of")),
        "patches": (
            PATCHES,
            (
                'print("real", real.mean().item())   # near one\nprint("fake", fake.mean().item())',
                "fake.tolist()",
            ),
        ),
    },
    refused={"float()": FLOAT, "int()": COUNTED},
    wrong={
        "only the first": ("a log", swap("losses.item()", "losses[0].item()")),
        "leave it out": ("a log", delete('print(f"loss {losses.item()}")')),
        "swallow": ("patches", swallow('print("real", real.item())   # near one')),
        "only one of two": ("patches", swap("real.item()", "real.mean().item()")),
    },
)
