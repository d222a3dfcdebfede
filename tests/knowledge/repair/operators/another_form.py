"""another_form: an operand after one more step, of the kind that the error speaks of."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WINDOWS = """\
import torch
from torch import nn
walks = [torch.randn(1, 9, 3) for _ in range(4)]
together = torch.stack(walks)
reader = nn.GRU(3, 8, batch_first=True)
steps, last = reader(together)
print(steps.shape)
"""

TURNED = """\
import torch
from torch import nn
heard = torch.randn(7, 5, 4)
first = torch.zeros(1, 5, 6)
reader = nn.GRU(4, 6, batch_first=True)
steps, last = reader(heard, first)
print(steps.shape)  # torch.Size([5, 7, 6])
"""

PICKED = """\
import torch
table = torch.randn(2, 6, 3)
rows = torch.tensor([[0, 4], [5, 1]])
picked = torch.gather(table, 1, rows)
print(picked.shape)
"""

TOO_MANY = """\
import torch
a = torch.randn(2, 2, 2, 2, 2, 2)
print(torch.nn.functional.conv2d(a, torch.randn(1, 2, 1, 1)).shape)
"""

PLACES = """\
import torch
table = torch.randn(4, 3)
where = (table > -9).nonzero()[:, 0]
print(table.gather(1, where))
"""

OUTER = """\
import torch

def rows(x):
    if x.dim() != 2:
        return None
    return x.gather(0, torch.tensor([1.5]))

print(rows(torch.randn(3, 3)))
"""

WRITTEN = """\
import torch
from torch import nn
net = nn.Linear(3, 2)
for weights in net.parameters():
    nn.init.xavier_uniform_(weights)
print("drawn")
"""

PICTURES = """\
import torch
from torch import nn
pictures = torch.randn(3, 1, 16, 16)
edges = nn.Conv2d(3, 8, 3)
print(edges(pictures).shape)
"""

PREDICTED = """\
import torch
from torch import nn
scores = nn.Linear(4, 2)(torch.ones(8, 4))
best = scores.argmax(1)
print(nn.BCEWithLogitsLoss()(best, torch.ones(8)))
"""

CASES = Cases(
    mended={},
    paired={
        "a stack of batches of one": (
            WINDOWS,
            ("torch.cat(walks)", "reader(together.squeeze(1))"),
        ),
        "two dimensions in the other order": (TURNED, ("reader(heard.transpose(0, 1), first)",)),
        "rows by their index": (
            PICKED,
            (
                "torch.gather(table, 1, rows.unsqueeze(-1))",
                "torch.gather(table, 1, rows.unsqueeze(-1).expand(-1, -1, table.size(-1)))",
            ),
        ),
    },
    refused={
        "no single step is enough": TOO_MANY,
        "places of every dimension": PLACES,
        "a function of the program's own": OUTER,
        "what is written in place": WRITTEN,
        "whole numbers as the predictions of a loss": PREDICTED,
        "a batch whose number is that of the channels": PICTURES,
    },
    wrong={
        "one walk for all": (
            "a stack of batches of one",
            swap("reader(together)", "reader(walks[0])"),
        ),
        "turned twice": (
            "two dimensions in the other order",
            swap("reader(heard, first)", "reader(heard.permute(1, 2, 0).reshape(5, 7, 4), first)"),
        ),
        "laid out anew": (
            "two dimensions in the other order",
            swap("reader(heard, first)", "reader(heard.reshape(5, 7, 4), first)"),
        ),
        "swallowed": (
            "two dimensions in the other order",
            swallow("steps, last = reader(heard, first)"),
        ),
        "deleted": ("rows by their index", delete("picked = torch.gather(table, 1, rows)")),
    },
)
