"""Second inputs that a Sequential cannot hand on."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

MASK = """\
import torch
from torch import nn

class Masked(nn.Module):
    def forward(self, x, mask):
        return x * mask

net = nn.Sequential(nn.Linear(3, 4), Masked(), nn.Linear(4, 1))   # three layers
x, mask = torch.randn(2, 3), torch.tensor([1.0, 0.0, 1.0, 1.0])
print(net(x, mask).shape)
"""

FIRST = """\
import torch
from torch import nn

class Both(nn.Module):
    def forward(self, a, b):
        return torch.cat([a, b], 1)

join = nn.Sequential(Both(), nn.Linear(5, 2))
a, b = torch.ones(1, 2), torch.ones(1, 3)
scores = join(a, b)   # pictures and words
print(scores.shape)
"""

LAST = """\
import torch
from torch import nn

class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))

    def forward(self, x, by):
        return x * self.w * by

model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), Scale())
model(torch.randn(4, 3), torch.tensor(2.0)).sum().backward()   # once
print(model[2].w.grad is not None)
"""

NOBODY = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
print(net(torch.randn(2, 3), torch.ones(4)).shape)
"""

TWO = """\
import torch
from torch import nn

class Masked(nn.Module):
    def forward(self, x, mask):
        return x * mask

net = nn.Sequential(Masked(), nn.Linear(3, 3), Masked())
print(net(torch.randn(2, 3), torch.ones(3)).shape)
"""

CASES = Cases(
    mended={
        "in the middle": (MASK, "print(net[2](net[1](net[0](x), mask)).shape)"),
        "the first": (FIRST, "scores = join[1](join[0](a, b))   # pictures and words"),
        "the last": (LAST, "model[2](model[:2](torch.randn(4, 3)), torch.tensor(2.0)).sum()"),
    },
    refused={"nobody takes it": NOBODY, "two take it": TWO},
    wrong={
        "without the mask": ("in the middle", swap("net(x, mask)", "net[2](net[0](x))")),
        "without the first layer": (
            "the last",
            swap(
                "model(torch.randn(4, 3), torch.tensor(2.0))",
                "model[2](torch.randn(4, 2), torch.tensor(2.0))",
            ),
        ),
        "detach": ("the first", swap("join(a, b)", "join[1](join[0](a, b).detach())")),
        "swallow": ("in the middle", swallow("print(net(x, mask).shape)")),
        "leave it out": ("in the middle", delete("print(net(x, mask).shape)")),
    },
)
