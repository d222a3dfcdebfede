"""cat-sizes: the one dimension along which the tensors fit."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

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

RUNNING = """\
import torch

steps = torch.zeros(1)
for _ in range(3):
    steps = torch.cat([steps, steps[-1] + 0.5])  # half a second each
print(steps)
"""

CONSTANT = """\
import torch

maps = torch.rand(2, 3, 4, 5)
level = torch.tensor([0.1, 0.7]).view(2, 1, 1, 1)
print(torch.cat((maps, level), dim=1).shape)
"""

CHANNELS_LAST = """\
import torch


def with_extra(maps, extra):
    extra = extra.view(2, 1, 1, 3).expand(2, 4, 5, 3)
    return torch.cat((maps, extra), dim=1)


print(with_extra(torch.rand(2, 8, 4, 5), torch.rand(2, 3)).shape)
"""

INSERTED = """\
import torch

row = torch.arange(5)
new = torch.tensor([9])
print(torch.cat((row[:2], new.unsqueeze(0), row[2:])))
"""

TURNED = """\
import torch

table = torch.rand(2, 3)
column = torch.tensor([[7.0], [8.0]]).T
print(torch.cat((table, column), dim=1))
"""

DEPTH = """\
import torch

frames = torch.rand(2, 1, 3, 4, 4)
depth = torch.rand(2, 1, 1, 4, 4)
print(torch.cat((frames, depth), dim=1).shape)  # one more frame, or one more channel
"""

CASES = Cases(
    mended={
        "more rows": (ROWS, "torch.cat([old, new], dim=0)  # more rows"),
        "more columns": (COLUMNS, "torch.cat((left, right), dim=1)"),
        "one more token": (TOKEN, "torch.cat([token.unsqueeze(0), sequence], dim=0)"),
        "one more column": (COLUMN, "torch.cat([features, age.unsqueeze(1)], dim=1)"),
        "one number more": (RUNNING, "(steps[-1] + 0.5).unsqueeze(0)])  # half a second each"),
        "one value for each picture": (
            CONSTANT,
            "level.expand(-1, -1, maps.size(2), maps.size(3))",
        ),
        "channels last": (CHANNELS_LAST, "extra.permute(0, 3, 1, 2)), dim=1)"),
        "one dimension too many": (INSERTED, "(row[:2], new, row[2:])"),
        "a column made a row": (TURNED, "torch.tensor([[7.0], [8.0]])\n"),
    },
    paired={
        "repeated, or joined elsewhere": (
            DEPTH,
            ("depth.expand(-1, -1, frames.size(2), -1, -1)), dim=1)", "(frames, depth), dim=2)"),
        )
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
