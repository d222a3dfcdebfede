"""Attributes that a class reads and never sets."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

STATE = """\
import torch
from torch import nn

class Speech(nn.Module):
    def __init__(self, bands, units, layers=2):
        super().__init__()   # first of all
        self.lstm = nn.LSTM(bands, units, layers)
        self.head = nn.Linear(units, 5)

    def forward(self, x):
        h = torch.zeros(self.layers, x.shape[1], self.units)
        out, _ = self.lstm(x, (h, h))
        return self.head(out)

print(Speech(8, 16)(torch.randn(10, 3, 8)).shape)
"""

DATASET = """\
import torch
from torch.utils.data import DataLoader, Dataset

class Squares(Dataset):
    def __init__(self, n, power):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.tensor(float(i)) ** self.power   # or cubes

print([b.tolist() for b in DataLoader(Squares(4, 2), batch_size=4)])
"""

SPELLING = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc_1 = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc1(x)   # scores

print(Net()(torch.randn(2, 3)).shape)
"""

OTHER_LAYER = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 3)
        self.fc2 = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc3(self.fc2(self.fc1(x)))

print(Net()(torch.randn(2, 3)).shape)
"""

NOT_GIVEN = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(3, width)

    def forward(self, x):
        return self.fc(x) * self.scale

print(Net(2)(torch.randn(2, 3)).shape)
"""

CASES = Cases(
    mended={
        "sizes of a state": (STATE, "self.units = units\n        self.layers = layers"),
        "of a Dataset": (DATASET, "self.power = power\n"),
        "two spellings": (SPELLING, "return self.fc_1(x)   # scores"),
    },
    refused={"a layer that is missing": OTHER_LAYER, "no argument of that name": NOT_GIVEN},
    wrong={
        "a number of one's own": ("of a Dataset", swap("self.n = n\n",
                                                       "self.n = n\n        self.power = 3\n")),
        "without it": ("of a Dataset", swap(" ** self.power", "")),
        "leave the layer out": ("two spellings", swap("self.fc1(x)", "x[:, :2]")),
        "a second layer": ("two spellings", swap("self.fc_1 = nn.Linear(3, 2)",
            "self.fc_1 = nn.Linear(3, 2)\n        self.fc1 = nn.Linear(3, 2)")),
        "swallow": ("two spellings", swallow("print(Net()(torch.randn(2, 3)).shape)")),
        "leave it out": ("sizes of a state", delete(
            "print(Speech(8, 16)(torch.randn(10, 3, 8)).shape)")),
    },
)  # fmt: skip
