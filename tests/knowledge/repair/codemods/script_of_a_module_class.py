"""A module that is run, one that is saved, one with a comment; and a class nobody uses."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

RUN = """\
import torch
from torch import nn

@torch.jit.script
class Twice(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

twice = Twice()
print(twice(torch.ones(2)))
"""

SAVED = """\
import torch
from torch import nn, jit

# to be shipped
@jit.script
class Net(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.fc = nn.Linear(2, width)
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x)

jit.save(Net(3), "net.pt")   # for the server
"""

TWO = """\
import torch

@torch.jit.script
class Shift(torch.nn.Module):
    def __init__(self, by: float):
        super().__init__()
        self.by = by
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.by

up, down = Shift(1.0), Shift(-1.0)
print(down(up(torch.zeros(1))))
"""

UNUSED = """\
import torch

@torch.jit.script
class Idle(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x
"""

DIRECT = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

compiled = torch.jit.script(Net)
print(compiled)
"""

CASES = Cases(
    mended={
        "run": (RUN, "twice = torch.jit.script(Twice())"),
        "saved": (SAVED, 'jit.save(jit.script(Net(3)), "net.pt")   # for the server'),
        "two": (TWO, "up, down = torch.jit.script(Shift(1.0)), torch.jit.script(Shift(-1.0))"),
    },
    refused={"nobody makes one": UNUSED, "no decorator": DIRECT},
    wrong={
        "not compiled": ("run", delete("@torch.jit.script")),
        "leave it out": ("run", swap("print(twice(torch.ones(2)))\n", "")),
        "no module": ("two", swap("class Shift(torch.nn.Module)", "class Shift(object)")),
        "swallow": ("saved", swallow('jit.save(Net(3), "net.pt")   # for the server')),
    },
)
