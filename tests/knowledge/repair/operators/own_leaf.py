"""own_leaf: what is trained is a leaf of its own."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SCALED = """\
import torch

torch.manual_seed(0)
x, y = torch.rand(8, 3), torch.tensor([0, 1, 1, 0, 1, 0, 0, 1])
weight = torch.randn(3, 2, requires_grad=True) * 0.1
bias = torch.zeros(2, requires_grad=True)
for _ in range(3):
    loss = torch.nn.functional.cross_entropy(x @ weight + bias, y)
    loss.backward()
    with torch.no_grad():
        for p in (weight, bias):
            p -= 0.5 * p.grad
            p.grad.zero_()
print("trained")
"""

TYPED = (
    SCALED.replace("requires_grad=True) * 0.1", "requires_grad=True).double()")
    .replace("torch.rand(8, 3)", "torch.rand(8, 3).double()")
    .replace("torch.zeros(2,", "torch.zeros(2, dtype=torch.float64,")
)

TWO = """\
import torch

torch.manual_seed(0)
a = torch.rand(3, requires_grad=True) - 0.5
b = 2 * torch.rand(3, requires_grad=True)
(a * b).sum().backward()
step = 0.1 * a.grad
other = 0.1 * b.grad
print(step.shape, other.shape)
"""

NO_BACKWARD = """\
import torch

weight = torch.rand(3, requires_grad=True)
print(0.1 * weight.grad)
"""

OF_ANOTHER = """\
import torch

weight = torch.rand(3, requires_grad=True)
twice = weight * 2
twice.sum().backward()
print(0.1 * twice.grad)
"""

CASES = Cases(
    mended={},
    paired={
        "scaled": (SCALED, ("weight = (torch.randn(3, 2) * 0.1).requires_grad_()\n",)),
        "of another dtype": (
            TYPED,
            ("weight = torch.randn(3, 2).double().requires_grad_()\n",),
        ),
        "two": (
            TWO,
            ("(torch.rand(3) - 0.5).requires_grad_()\nb = (2 * torch.rand(3)).requires_grad_()",),
        ),
    },
    refused={"no backward": NO_BACKWARD, "a result of another": OF_ANOTHER},
    wrong={
        "swallowed": ("scaled", swallow("p -= 0.5 * p.grad")),
        "no step": ("scaled", delete("p -= 0.5 * p.grad")),
        "cut off": ("of another dtype", swap("x @ weight", "x @ weight.detach()")),
        "the bias alone": ("scaled", swap("(weight, bias)", "(bias,)")),
    },
)
