"""undo-step: a step that went wrong is left out, where it stands."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SPIKES = """\
import torch
from torch import nn


class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 5)

    def forward(self, spikes):
        # one train of spikes for each neuron
        spikes = spikes.unsqueeze(1)
        return torch.sigmoid(self.conv(spikes))


print(Filter()(torch.rand(8, 1, 40)).shape)
"""

KERNEL = """\
import torch
import torch.nn.functional as F
image = torch.rand(2, 3, 16, 16)
blur = torch.ones(3, 1, 3, 3) / 9
smooth = F.conv2d(image, blur.squeeze(1), padding=1, groups=3)
print(smooth.shape)
"""

TURNED = """\
import torch
points, others = torch.rand(5, 2), torch.rand(4, 2)
far = torch.cdist(points, others.t())
print(far.shape)
"""

NO_STEP = """\
import torch
a, b = torch.rand(2, 3), torch.rand(4, 5)
print(torch.einsum("ij,jk->ik", a, b))
"""

MODEL = """\
import torch
from torch import nn
model = nn.Bilinear(3, 4, 2).double()
print(model(torch.rand(5, 3), torch.rand(5, 7)))
"""

BATCHES = """\
import torch
from torch import nn
reader = nn.LSTM(3, 4, batch_first=True)
first, second = torch.rand(1, 6, 3), torch.rand(1, 6, 3)
both = torch.stack((first, second))
print(reader(both)[0].shape)
"""

LAST_BATCH = """\
import torch
from torch import nn

size = 4
conv, head = nn.Conv2d(1, 2, 3), nn.Linear(2 * 4 * 4, 3)

def forward(x):
    x = torch.relu(conv(x))
    x = x.view(size, -1)   # one row each
    return head(x)

for rows in torch.randn(10, 1, 6, 6).split(size):
    print(forward(rows).shape[1])
"""

ROWS_OF_NONE = """\
import torch

def kept(scores, mask):
    rows = scores.size(0)
    return scores[mask].reshape(rows, -1)

print(kept(torch.rand(4, 5), torch.arange(20).view(4, 5) % 7 != 3))
"""

ONE_HOT = """\
import torch
colours = torch.tensor([[0, 1], [2, 0]])
table = torch.zeros(2, 3)
print(table.scatter_(-1, colours.unsqueeze(-1), 1.0))
"""

LAST_ROW = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Linear(3, 1)
seen = []
for (x,) in DataLoader(TensorDataset(torch.randn(9, 3)), batch_size=4):
    scores = net(x).squeeze()   # one a row
    seen.append(scores)
print(torch.cat(seen).shape)
"""

ONE_PICTURE = """\
import torch
from torch import nn

pool, head = nn.AdaptiveAvgPool2d(1), nn.Linear(6, 2)
for size in (3, 1):
    seen = torch.squeeze(pool(torch.rand(size, 6, 4, 4)))   # no places
    print(head(torch.cat([seen, seen.flip(1)], 0)).shape)
"""

ROWS_OF_ONE = """\
import torch

rows = torch.rand(4, 1)
print(torch.einsum("bc,c->b", rows.squeeze(), torch.ones(1)))
"""

LAST_STATE = """\
import torch
from torch import nn

reader = nn.GRU(3, 4, batch_first=True)
for rows in torch.rand(5, 7, 3).split(2):
    _, state = reader(rows)
    gate = torch.sigmoid(state.squeeze())   # of the only layer
    print(torch.einsum("bc,bc->b", gate, gate).shape)
"""

CASES = Cases(
    mended={},
    paired={
        "the last batch": (LAST_BATCH, ("x.view(x.size(0), -1)   # one row each",)),
        "a channel that is there already": (
            SPIKES,
            ("        return torch.sigmoid(self.conv(spikes))",),
        ),
        "a kernel without its channel": (KERNEL, ("F.conv2d(image, blur, padding=1, groups=3)",)),
        "batches of one": (BATCHES, ("torch.cat((first, second))", "reader(both.squeeze(1))")),
        "rows of one": (ROWS_OF_ONE, ('torch.einsum("bc,c->b", rows, torch.ones(1))',)),
        "the last row": (LAST_ROW, ("scores = net(x).squeeze(1)   # one a row",)),
        "the last state": (LAST_STATE, ("torch.sigmoid(state.squeeze(0))",)),
        "one picture": (
            ONE_PICTURE,
            ("torch.squeeze(pool(torch.rand(size, 6, 4, 4)), (2, 3))   # no places",),
        ),
        "points turned": (TURNED, ("far = torch.cdist(points, others)\n",)),
    },
    refused={
        "no step to leave out": NO_STEP,
        "a model and no tensor": MODEL,
        "numbers without rows": ROWS_OF_NONE,
        "an index that writes by its place": ONE_HOT,
    },
    wrong={
        "the layer left out": (
            "a channel that is there already",
            swap("torch.sigmoid(self.conv(spikes))", "torch.sigmoid(spikes)"),
        ),
        "swallowed": ("a kernel without its channel", swallow(KERNEL.splitlines()[4])),
        "deleted": ("points turned", delete(TURNED.splitlines()[3])),
        "the channels run together": (
            "a channel that is there already",
            swap("self.conv(spikes))", "self.conv(spikes.reshape(1, 1, -1)))"),
        ),
    },
)
