"""make-folder: the folder that is written into is made."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

EPOCHS = """\
import torch
from torch import nn

net = nn.Linear(2, 2)
for epoch in range(2):
    torch.save(net.state_dict(), f"checkpoints/net_{epoch}.pt")
print("saved")
"""

NAMED = """\
import os

import torch

OUT = "results/run1"
torch.save(torch.rand(3), os.path.join(OUT, "values.pt"))
print(os.listdir(OUT))
"""

IN_A_FUNCTION = """\
import torch


def keep(values, name):
    torch.save(values, "kept/" + name)


keep(torch.ones(2), "ones.pt")
print("kept")
"""

WRITTEN_OUT = """\
import torch

torch.save(torch.rand(2), "out/day1/values.pt")
print(torch.load("out/day1/values.pt").shape)
"""

ANOTHER_IS_MADE = """\
import os

import torch

os.makedirs("checkpoint")
torch.save(torch.rand(2), "checkpoints/a.pt")
"""

MADE_BY_A_PATH = """\
from pathlib import Path

import torch

Path("output").mkdir(exist_ok=True)
torch.save(torch.rand(2), "outputs/a.pt")
"""

CASES = Cases(
    mended={},
    paired={
        "a file an epoch": (EPOCHS, ('os.makedirs("checkpoints", exist_ok=True)\nfor',)),
        "a folder with a name": (NAMED, ("os.makedirs(OUT, exist_ok=True)",)),
        "written out": (WRITTEN_OUT, ('os.makedirs("out/day1", exist_ok=True)',)),
        "in a function": (IN_A_FUNCTION, ('    os.makedirs("kept", exist_ok=True)',)),
    },
    refused={"another folder is made": ANOTHER_IS_MADE, "made by a path": MADE_BY_A_PATH},
    wrong={
        "swallowed": ("a folder with a name", swallow("print(os.listdir(OUT))")),
        "deleted": (
            "in a function",
            swap('    torch.save(values, "kept/" + name)', "    pass"),
        ),
        "another place": (
            "a folder with a name",
            swap('os.path.join(OUT, "values.pt")', '"values.pt"'),
        ),
        "not saved": (
            "a file an epoch",
            swap('torch.save(net.state_dict(), f"checkpoints/net_{epoch}.pt")', "pass"),
        ),
    },
)
