"""A matrix and a vector, two vectors, one matrix for a stack; and shapes without a product."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LINE = """\
import torch
weights = torch.randn(4, 3, requires_grad=True)
sample = torch.ones(3)
score = torch.mm(weights, sample)   # one sample
score.sum().backward()
print(weights.grad.shape)
"""

NEURON = """\
import torch
def neuron(x, w, b):
    return torch.mm(x, w) + b
print(neuron(torch.ones(5), torch.ones(5), torch.zeros(1)))
"""

STACK = """\
import torch
frames = torch.ones(6, 2, 3)
turn = torch.eye(3)
print(frames.mm(turn).shape)   # the same for each
"""

APART = """\
import torch
print(torch.mm(torch.ones(2, 3).squeeze(), torch.ones(4)))
a, b = torch.ones(2, 3), torch.ones(4)
"""

UNFIT = """\
import torch
a, b = torch.ones(2, 3), torch.ones(4)
print(torch.mm(a, b))
"""

MANY = """\
import torch
a, b = torch.ones(2, 3), torch.ones(2, 3)
print(torch.dot(a, b))
"""

CASES = Cases(
    mended={
        "a line": (LINE, "score = torch.matmul(weights, sample)   # one sample"),
        "a neuron": (NEURON, "return torch.matmul(x, w) + b"),
        "a stack": (STACK, "frames.matmul(turn).shape)   # the same"),
    },
    refused={"sizes that do not fit": UNFIT, "two matrices for dot": MANY, "apart": APART},
    wrong={
        "element by element": ("a line", swap("torch.mm(weights, sample)", "(weights * 2).sum(1)")),
        "detached": ("a line", swap("torch.mm(weights,", "torch.matmul(weights.detach(),")),
        "leave it out": ("a stack", delete("print(frames.mm(turn).shape)   # the same for each")),
        "swallow": ("a stack", swallow("print(frames.mm(turn).shape)   # the same for each")),
        "another vector": (
            "a line",
            swap("torch.mm(weights, sample)", "torch.matmul(weights, torch.zeros_like(sample))"),
        ),
    },
)
