"""Means, softmaxes and norms of integers."""

from tests.knowledge.codemods.cases import Cases, delete, swallow, swap

MEAN = """\
import torch
ages = torch.tensor([31, 40, 52])
print(ages.mean())   # years
"""

SOFTMAX = """\
import torch
import torch.nn.functional as F
votes = torch.tensor([[1, 2, 3]])
print(F.softmax(votes, dim=1).sum().item())
"""

NORM = """\
import torch
def length(v):
    return torch.linalg.norm(v, dim=-1)
print(length(torch.tensor([[3, 4], [6, 8]])))
"""

MASK = """\
import torch
x = torch.tensor([0.1, 0.7, 0.9])
above = x > 0.5
print(torch.argmax(above))
"""

NOISE = """\
import torch
steps = torch.arange(4)
steps.normal_()
print(steps.shape)
"""

BIT = """\
import torch
x = torch.tensor([1.0, 2.0])
print(x.__and__(torch.tensor([1, 2])))
"""

CASES = Cases(
    mended={
        "a mean": (MEAN, "print(ages.float().mean())   # years"),
        "a softmax": (SOFTMAX, "F.softmax(votes.float(), dim=1)"),
        "a norm": (NORM, "torch.linalg.norm(v.float(), dim=-1)"),
        "a mask": (MASK, "torch.argmax(above.int())"),
    },
    refused={"noise": NOISE, "bits": BIT},
    wrong={
        "in place": ("a mean", swap("torch.tensor([31, 40, 52])", "torch.zeros(3)")),
        "leave it out": ("a mask", delete("print(torch.argmax(above))")),
        "swallow": ("a softmax", swallow("print(F.softmax(votes, dim=1).sum().item())")),
        "other values": ("a mask", swap("x > 0.5", "x.clamp(max=0.5)")),
    },
)
