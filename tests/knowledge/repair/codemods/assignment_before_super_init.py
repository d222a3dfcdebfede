"""Modules that were never set up, or too late."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NEVER = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, width):
        self.fc = nn.Linear(width, 1)   # one output
    def forward(self, x):
        return self.fc(x)
print(Net(3)(torch.ones(2, 3)).shape)
"""

LATE = """\
import torch
from torch import nn
class Shift(nn.Module):
    def __init__(self):
        self.by = nn.Parameter(torch.zeros(3))
        super().__init__()
    def forward(self, x):
        return x + self.by
print(Shift()(torch.ones(2, 3)).shape)
"""

NO_LAYER = """\
import torch
from torch import nn
class Double(nn.Module):
    def __init__(self, factor):
        \'\'\'Twice, or more.\'\'\'
        self.factor = factor
    def forward(self, x):
        return x * self.factor
print(Double(2)(torch.ones(2)))
"""

OUTSIDE = """\
import torch
from torch import nn
net = nn.Module.__new__(nn.Linear)
net.fc = nn.Linear(2, 1)
"""

HELPER = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        self.build()
        super().__init__()
    def build(self):
        self.fc = nn.Linear(2, 1)
print(Net())
"""

CASES = Cases(
    mended={
        "never": (NEVER, "        super().__init__()\n        self.fc = nn.Linear(width, 1)   #"),
        "late": (LATE, "        super().__init__()\n        self.by ="),
        "no layer": (NO_LAYER, "\'\'\'\n        super().__init__()\n        self.factor"),
    },
    refused={"no __init__": OUTSIDE, "in a helper": HELPER},
    wrong={
        "no module": ("never", lambda code: swap("(nn.Module)", "")(
            swap("Net(3)(torch.ones(2, 3))", "Net(3).forward(torch.ones(2, 3))")(code))),
        "leave the layer out": ("late", delete("self.by = nn.Parameter(torch.zeros(3))")),
        "swallow": ("no layer", swallow("print(Double(2)(torch.ones(2)))")),
        "leave it out": ("never", delete("self.fc = nn.Linear(width, 1)   # one output")),
    },
)  # fmt: skip
