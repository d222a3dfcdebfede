"""batch-folded-by-view: flatten(1) for view(-1, n), and the layer behind it."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

REGRESSION = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.fc = nn.Linear(2 * 4 * 4, 1)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = x.view(-1, 2 * 4 * 4)  # rows
        return self.fc(x)


net = Net()
loss = nn.MSELoss()(net(torch.rand(5, 1, 8, 8)), torch.rand(5, 1))
loss.backward()
"""

CLASSES = """\
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 3)

    def forward(self, rows):
        rows = rows.reshape(-1, 6)
        return self.out(rows)


scores = Classifier()(torch.rand(4, 2, 6))
print(nn.CrossEntropyLoss()(scores, torch.tensor([0, 1, 2, 1])) > 0)
"""

PART = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(12, 4)
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        x = x.view(-1, 3)  # twelve numbers
        return self.last(torch.tanh(self.first(x)))


print(Net()(torch.rand(2, 12)).shape)
"""

WHOLE = """\
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.maps = nn.Conv1d(2, 3, 3, padding=1)
        self.out = nn.Linear(3 * 5, 2)

    def forward(self, x):
        x = self.maps(x).relu()
        x = torch.flatten(x)  # to rows
        return self.out(x)


beats = torch.rand(6, 2, 5)
print(nn.functional.cross_entropy(Reader()(beats), torch.tensor([0, 1, 1, 0, 1, 0])) > 0)
"""

NO_WHOLE_ROWS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.maps = nn.Conv2d(1, 4, 3)
        self.head = nn.Linear(30, 3)

    def forward(self, x):
        x = self.maps(x)
        x = x.view(-1, 30)
        return self.head(x)


net, batch = Net(), torch.rand(5, 1, 8, 8)
print(nn.functional.cross_entropy(net(batch), torch.tensor([0, 2, 1, 0, 1])) > 0)
"""

ONE_SAMPLE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 3)

    def forward(self, x):
        x = x.flatten()
        return self.out(x)


print(Net()(torch.rand(1, 4, 6)).shape)
"""

TWO_VIEWS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        x = x.view(-1, 6)
        x = x.view(-1, 3)
        return self.out(x)


print(Net()(torch.rand(4, 6)) - torch.rand(4, 1))
"""

NO_VIEW = """\
import torch
from torch import nn


class Twice(nn.Module):
    def forward(self, x):
        return torch.cat([x, x])


print(Twice()(torch.rand(4, 6)) - torch.rand(4, 6))
"""

CASES = Cases(
    mended={
        "a picture too large": (REGRESSION, "x = x.flatten(1)  # rows"),
        "rows of a sample": (CLASSES, "nn.Linear(12, 3)"),
        "a part of a sample": (PART, "x = x.flatten(1)  # twelve numbers"),
        "the whole batch": (WHOLE, "x = x.flatten(1)  # to rows"),
        "rows of no whole samples": (NO_WHOLE_ROWS, "nn.Linear(144, 3)"),
    },
    refused={
        "one sample": ONE_SAMPLE,
        "two views": TWO_VIEWS,
        "no view": NO_VIEW,
    },
    wrong={
        "only the first rows": (
            "a picture too large",
            swap("return self.fc(x)", "return self.fc(x)[:5]"),
        ),
        "more labels": ("a picture too large", swap("torch.rand(5, 1))", "torch.rand(20, 1))")),
        "another size": ("a part of a sample", swap("nn.Linear(12, 4)", "nn.Linear(3, 4)")),
        "detach": (
            "a picture too large",
            swap("(net(torch.rand(5, 1, 8, 8)),", "(net(torch.rand(5, 1, 8, 8)).detach()[:5],"),
        ),
        "swallow it": ("a picture too large", swallow("loss.backward()")),
        "delete it": ("a picture too large", delete("loss.backward()")),
    },
)
