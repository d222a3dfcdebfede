"""expand-sizes: the dimension of size 1 elsewhere, one less, or two ways to copy."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

COLUMN = """\
import torch

offsets = torch.rand(3, requires_grad=True)
table = offsets.expand(3, 5)  # one for each row
table.sum().backward()
"""

MASK = """\
import torch

volume = torch.rand(2, 4, 5)
late = torch.arange(4) > 1
chosen = late.unsqueeze(0).unsqueeze(0).expand(2, 4, 5)
print(volume[chosen].shape)
"""

TOO_MANY = """\
import torch

flat = torch.rand(3, 4)
print(flat.unsqueeze(0).unsqueeze(0).expand(2, 3, 4).shape)
"""

TWICE = """\
import torch

pattern = torch.tensor([[0.0, 1.0]])
print(pattern.expand(1, 6))
"""

NO_MULTIPLE = """\
import torch

print(torch.rand(2, 3).expand(2, 5))
"""

TWO_DIMENSIONS = """\
import torch

print(torch.rand(2, 3).expand(4, 6))
"""

CASES = Cases(
    mended={
        "a column": (COLUMN, "offsets.unsqueeze(1).expand(3, 5)  # one for each row"),
        "the 1 elsewhere": (MASK, "late.unsqueeze(0).unsqueeze(2).expand(2, 4, 5)"),
        "one dimension too many": (TOO_MANY, "flat.unsqueeze(0).expand(2, 3, 4)"),
    },
    paired={"several copies": (TWICE, ("repeat(1, 3)", "repeat_interleave(3, dim=1)"))},
    refused={"no multiple": NO_MULTIPLE, "two dimensions": TWO_DIMENSIONS},
    wrong={
        "one for all": ("a column", swap("offsets.expand(3, 5)", "offsets[:1].expand(3, 5)")),
        "detach": (
            "a column",
            swap("offsets.expand(3, 5)", "offsets.detach().unsqueeze(1).expand(3, 5)"),
        ),
        "reshape": (
            "one dimension too many",
            swap("flat.unsqueeze(0).unsqueeze(0)", "flat.reshape(1, 3, 4)"),
        ),
        "numbers from nowhere": (
            "several copies",
            swap("pattern.expand(1, 6)", "torch.zeros(1, 6)"),
        ),
        "swallow it": ("a column", swallow("table.sum().backward()")),
        "delete it": ("a column", delete("table.sum().backward()")),
    },
)
