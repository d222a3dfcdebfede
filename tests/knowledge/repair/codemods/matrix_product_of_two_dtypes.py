"""Double data, integer data, two plain tensors; and double on purpose."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

FROM_NUMPY = """\
import numpy as np
import torch
from torch import nn
x = torch.from_numpy(np.linspace(0, 1, 12).reshape(4, 3))   # measured
y = torch.ones(4, 1)
net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = (net(x) - y).square().mean()
    loss.backward()
    optimizer.step()
"""

INTEGERS = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)
    def forward(self, x):
        return self.fc(x)
points = torch.tensor([[0, 1], [1, 1]])
print(Net()(points).shape)
"""

LOADER = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.eye(4).double(), torch.ones(4, 1))
conv = nn.Linear(4, 1)
for x, y in DataLoader(data, batch_size=2):
    print((conv(x) - y).shape)
"""

TARGETS = """\
import torch
from torch import nn
net = nn.Linear(3, 1)
answers = torch.tensor([[1], [0]])
loss = nn.BCEWithLogitsLoss()(net(torch.ones(2, 3)), answers)
loss.backward()
print(net.weight.grad is not None)
"""

TWO = """\
import torch
a = torch.eye(2, dtype=torch.float64)
b = torch.ones(2, 2)
print((a @ b).sum().item())
"""

HALF = """\
import torch
net = torch.nn.Linear(3, 1).half()
x = torch.ones(2, 3)
print(net(x).shape)
"""

MIXED = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1).double())
print(net(torch.ones(2, 3)).shape)
"""

ONE_HOT = """\
import torch
from torch import nn
import torch.nn.functional as F
net = nn.Linear(3, 4)
classes = torch.tensor([0, 3])
loss = F.binary_cross_entropy_with_logits(net(torch.ones(2, 3)), F.one_hot(classes, 4))
loss.backward()
"""

PACKED = """\
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
counts = pad_sequence([torch.tensor([3, 1, 2]), torch.tensor([5, 4])], batch_first=True)
packed = pack_padded_sequence(counts, torch.tensor([3, 2]), batch_first=True)   # longest first
out, state = nn.GRU(1, 4, batch_first=True)(packed)
print(state.shape)
"""

COMPARED = """\
import torch
exact = torch.tensor([1, 4, 9])
rough = torch.tensor([1.0, 2.0, 3.0]) ** 2
print(exact, torch.allclose(exact, rough))
"""

ROWS = """\
import torch
from torch import nn
import numpy as np
images = torch.from_numpy(np.zeros((4, 2, 3)))
layer = nn.Linear(6, 2)
print(layer(images).shape)
"""

HALVES = """\
import torch
a = torch.eye(2, dtype=torch.float16)
b = torch.ones(2, 2)
print((a @ b).dtype)
"""

EXACT = """\
import torch
from torch import nn
x = torch.linspace(0, 1, 12, dtype=torch.float64).reshape(4, 3)
net = nn.Linear(3, 1)
print(net(x).shape)
"""

ABOUT_PRECISION = """\
import numpy as np
import torch
from torch import nn
x = torch.from_numpy(np.linspace(0, 1, 12).reshape(4, 3))
net = nn.Linear(3, 1)
print("in double precision:", net(x).shape)
"""

BOTH_NAMED = """\
import torch
a = torch.eye(2, dtype=torch.float64)
b = torch.ones(2, 2).float()
print(a.dtype, b.dtype, (a @ b).dtype)
"""

COMPLEX = """\
import torch
points = torch.ones(3, 2)
values, vectors = torch.linalg.eig(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
print((points @ vectors).shape)
"""

TWICE = """\
import torch


class Line(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 1)

    def forward(self, x):
        return self.linear(x)


points = torch.ones(3, 2)
single = Line()
print(single(points.float()).dtype)

# the same in float64
exact = Line()
print(exact(points.double()).dtype)
"""

IN_BOUNDS = """\
import torch


def cells(grid, scale):
    kept = []
    for row in grid:
        kept.append(row.clamp_(0, scale[1] - 1))
    return kept


torch.manual_seed(0)
print(cells(torch.rand(2, 9).argsort(1), torch.ones(3) * 5))
"""

MADE_IN_BOUNDS = """\
import torch
rows, most = torch.tensor([3, 9]), torch.ones(2) * 5
print(rows.clamp_(torch.zeros(2), most))
"""

BEST_MOVED = """\
import torch
torch.manual_seed(0)
best = torch.rand(4, 6).argmax(1)
begin = torch.arange(4) * 6.0
best.add_(begin)
print(torch.rand(24)[best])
"""

CASES = Cases(
    mended={
        "from NumPy": (FROM_NUMPY, ".reshape(4, 3)).float()   # measured"),
        "integers": (INTEGERS, "torch.tensor([[0, 1], [1, 1]], dtype=torch.float32)"),
        "from a loader": (LOADER, "conv(x.float())"),
        "targets": (TARGETS, "answers = torch.tensor([[1], [0]], dtype=torch.float32)"),
        "one-hot targets": (ONE_HOT, "F.one_hot(classes, 4).float())"),
        "packed numbers": (PACKED, "pack_padded_sequence(counts.float().unsqueeze(-1), "),
        "compared": (COMPARED, "print(exact, torch.allclose(exact.float(), rough))"),
        "then its rows": (ROWS, ".float()\nlayer = nn.Linear(6, 2)\nprint(layer(images.flatten(1)"),
    },
    paired={
        "two tensors": (
            TWO,
            ("torch.eye(2, dtype=torch.float32)", "torch.ones(2, 2, dtype=torch.float64)"),
        ),
        "a named dtype": (EXACT, ("net(x.float())", "net = nn.Linear(3, 1).double()")),
        "the second of two models": (TWICE, ("exact = Line().double()",)),
        "about precision": (ABOUT_PRECISION, ("net(x.float())", "nn.Linear(3, 1).double()")),
        "both named": (BOTH_NAMED, ("(a.float() @ b)", "(a @ b.double())")),
        "half and float": (HALVES, ("(a.float() @ b)", "(a @ b.half())")),
        "complex": (COMPLEX, ("points @ vectors.real", "points.to(torch.complex64) @")),
    },
    refused={
        "half": HALF,
        "mixed layers": MIXED,
        "a copy kept in bounds": IN_BOUNDS,
        "rows kept in bounds": MADE_IN_BOUNDS,
        "an index moved": BEST_MOVED,
    },
    wrong={
        "other numbers": ("integers", swap("[1, 1]]", "[1, 1]]).float().mul(0.5")),
        "no data": (
            "from NumPy",
            swap("torch.from_numpy(np.linspace(0, 1, 12).reshape(4, 3))", "torch.zeros(4, 3)"),
        ),
        "leave the training out": ("targets", delete("loss.backward()")),
        "swallow": ("integers", swallow("print(Net()(points).shape)")),
        "past autograd": (
            "targets",
            swap("net(torch.ones(2, 3))", "net(torch.ones(2, 3)).detach().requires_grad_()"),
        ),
    },
)
