"""Integers that should be trained, and labels that cannot be."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WEIGHTS = """\
import torch
weights = torch.tensor([1, 2, 3], requires_grad=True)   # start
weights.pow(2).sum().backward()
print(weights.grad)
"""

RANGE = """\
import torch
t = torch.arange(4)
t.requires_grad_()
torch.sin(t).sum().backward()
print(t.grad)
"""

PARAMETER = """\
import torch
from torch import nn
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([2, 2]))
    def forward(self, x):
        return x * self.scale
net = Scale()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(3, 2)).sum().backward()
optimizer.step()
"""

LABELS = """\
import torch
labels = torch.tensor([0, 2, 1], requires_grad=True)
print(torch.eye(3)[labels])
"""

TOKENS = """\
import torch
token_ids = torch.randint(0, 9, (4,))
token_ids.requires_grad_()
print(torch.nn.Embedding(9, 2)(token_ids).shape)
"""

LOOKED_UP = """\
import torch
table = torch.nn.Embedding(5, 2)
token_ids = torch.tensor([1, 4, 1], requires_grad=True)   # one sentence
table(token_ids).square().sum().backward()
print(table.weight.grad.shape)
"""

CASES = Cases(
    mended={
        "weights": (WEIGHTS, "torch.tensor([1, 2, 3], requires_grad=True, dtype=torch.float32)"),
        "a range": (RANGE, "t = torch.arange(4, dtype=torch.float32)"),
        "looked up": (LOOKED_UP, "token_ids = torch.tensor([1, 4, 1])   # one sentence"),
        "a Parameter": (PARAMETER, "nn.Parameter(torch.tensor([2, 2], dtype=torch.float32))"),
    },
    refused={"labels": LABELS, "tokens": TOKENS},
    wrong={
        "no gradient": ("weights", swap(", requires_grad=True", "")),
        "other numbers": ("a range", swap("torch.arange(4)", "torch.zeros(4)")),
        "leave it out": ("a range", delete("t.requires_grad_()")),
        "swallow": ("a range", swallow("t.requires_grad_()")),
        "a constant": (
            "a Parameter",
            swap("torch.tensor([2, 2])", "torch.tensor([2, 2]), requires_grad=False"),
        ),
    },
)
