"""A batch, rows of a table, two tensors without a list; and another dimension."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

BATCH = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
for images, labels in DataLoader(TensorDataset(torch.ones(4, 3, 2), torch.arange(4)), 2):
    whole = torch.cat(images, dim=0)   # one
    print(whole.sum())
"""

HEADS = """\
import torch
def merge(heads):
    return torch.cat(heads)
print(merge(torch.zeros(5, 2, 4)).numel())
"""

TWO = """\
import torch
a, b = torch.ones(2, 3), torch.zeros(1, 3)
both = torch.cat(a, b)   # b below
print(both.shape)
"""

ACROSS = """\
import torch
parts = torch.ones(2, 3, 4)
print(torch.cat(parts, dim=1).shape)
"""

VECTOR = """\
import torch
values = torch.arange(3)
print(torch.cat(values))
"""

CASES = Cases(
    mended={"two tensors": (TWO, "both = torch.cat([a, b])   # b below")},
    paired={
        "a batch": (BATCH, ("torch.cat(tuple(images), dim=0)   # one", "whole = images   # one")),
        "heads": (HEADS, ("return torch.cat(tuple(heads))", "return heads")),
    },
    refused={"another dimension": ACROSS, "a vector": VECTOR},
    wrong={
        "only one": ("two tensors", swap("torch.cat(a, b)", "torch.cat([a])")),
        "another": ("a batch", swap("torch.cat(images, dim=0)", "torch.zeros(6, 2)")),
        "leave it out": ("two tensors", delete("both = torch.cat(a, b)   # b below")),
        "swallow": ("a batch", swallow("whole = torch.cat(images, dim=0)   # one")),
    },
)
