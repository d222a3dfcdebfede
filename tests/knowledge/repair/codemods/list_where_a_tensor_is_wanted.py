"""Lists and arrays that are taken for tensors."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

BATCH = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.arange(6.0).reshape(3, 2)), batch_size=2)
total = 0.0
for rows in loader:   # two of them
    total += rows.sum().item()
print(total)
"""

NUMBERS = """\
import torch

def distance(a, b):
    return (a - b).abs().sum() / a.size(0)

start = [[0.0, 1.0], [2.0, 3.0]]   # two points
end = torch.ones(2, 2)
print(distance(start, end))
"""

ARRAY = """\
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset
pictures = np.ones((4, 3, 2))
labels = torch.tensor([0, 1, 0, 1])
data = TensorDataset(pictures, labels)   # pairs
print([x.shape for x, _ in DataLoader(data, batch_size=2)])
"""

MIXED = """\
import torch
from torch.utils.data import TensorDataset
rows = [[1, 2], torch.tensor([3, 4])]
data = TensorDataset(rows, torch.tensor([0, 1]))   # of both kinds
print(len(data), data[1])
"""

PAIRS = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.randn(4, 3), torch.arange(4)), batch_size=2)
for batch in loader:
    print(batch.shape)
"""

RAGGED = """\
rows = [[1.0, 2.0], [3.0]]
print(rows.shape)
"""

INTO_A_LAYER = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Sequential(nn.Linear(6, 2), nn.Linear(2, 6))
for step, rows in enumerate(DataLoader(TensorDataset(torch.rand(9, 6)), batch_size=3)):
    loss = (net(rows) - rows).square().mean()
    print(step, loss.item() > 0)
"""

CASES = Cases(
    mended={
        "into a layer": (INTO_A_LAYER, "for step, (rows,) in enumerate("),
        "a batch": (BATCH, "for (rows,) in loader:   # two of them"),
        "numbers": (NUMBERS, "start = torch.tensor([[0.0, 1.0], [2.0, 3.0]])   # two points"),
        "an array": (ARRAY, "TensorDataset(torch.from_numpy(pictures), labels)   # pairs"),
        "rows of both kinds": (MIXED, "torch.stack([torch.as_tensor(row) for row in rows])"),
    },
    refused={"two tensors": PAIRS, "rows of other lengths": RAGGED},
    wrong={
        "nothing of it": ("a batch", swap("rows.sum().item()", "len(rows)")),
        "other data": (
            "an array",
            swap("TensorDataset(pictures,", "TensorDataset(torch.zeros(4, 3, 2),"),
        ),
        "half of it": (
            "an array",
            swap(
                "TensorDataset(pictures, labels)",
                "TensorDataset(torch.from_numpy(pictures)[:2], labels[:2])",
            ),
        ),
        "other numbers": (
            "numbers",
            swap(
                "return (a - b).abs().sum() / a.size(0)", "return (b - b).abs().sum() / b.size(0)"
            ),
        ),
        "every other row": ("into a layer", swap("net(rows)", "net(rows[0][::2])")),
        "swallow": ("a batch", swallow("total += rows.sum().item()")),
        "leave it out": ("a batch", delete("total += rows.sum().item()")),
    },
)
