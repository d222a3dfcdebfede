"""cat-sizes: the one dimension along which the tensors fit."""

from __future__ import annotations

from tests.knowledge.codemods.cases import Cases, swallow, swap

ROWS = """\
import torch

old = torch.randn(10, 4)
new = torch.randn(3, 4)
table = torch.cat([old, new], dim=1)  # more rows
print(table.shape)
"""

COLUMNS = """\
import torch

left, right = torch.ones(5, 2), torch.zeros(5, 3)
both = torch.cat((left, right))
print(both.sum())
"""

TOKEN = """\
import torch

sequence = torch.randn(7, 16)
token = torch.randn(16)
print(torch.cat([token, sequence], dim=0).shape)
"""

COLUMN = """\
import torch

features = torch.randn(5, 3, requires_grad=True)
age = torch.rand(5)
rows = torch.cat([features, age], dim=1)
rows.sum().backward()
"""

SKIP = """\
import torch


def join(up, skip):
    return torch.cat([up, skip], dim=1)


up, skip = torch.rand(2, 8, 14, 14), torch.rand(2, 8, 15, 14)
print(join(up, skip).shape)
"""

BOTH_DIFFER = """\
import torch

a, b = torch.ones(2, 3), torch.ones(4, 5)
print(torch.cat([a, b]))
"""

CASES = Cases(
    mended={
        "more rows": (ROWS, "torch.cat([old, new], dim=0)  # more rows"),
        "more columns": (COLUMNS, "torch.cat((left, right), dim=1)"),
        "one more token": (TOKEN, "torch.cat([token.unsqueeze(0), sequence], dim=0)"),
        "one more column": (COLUMN, "torch.cat([features, age.unsqueeze(1)], dim=1)"),
    },
    refused={"maps of a model": SKIP, "nothing fits": BOTH_DIFFER},
    wrong={
        "cut it off": ("more rows", swap("[old, new]", "[old[:3], new]")),
        "reshape": ("one more token", swap("token, seq", "token.reshape(-1, 16), seq")),
        "leave one out": ("more columns", swap("(left, right)", "(left, left)")),
        "detach": (
            "one more column",
            swap("[features, age]", "[features.detach(), age.unsqueeze(1)]"),
        ),
        "swallow it": ("more rows", swallow("table = torch.cat([old, new], dim=1)  # more rows")),
        "repeat": ("more columns", swap("(left, right)", "(left.repeat(1, 3)[:, :3], right)")),
    },
)
