"""bmm-needs-three-dimensions: matmul where it can multiply what bmm cannot."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

ATTENTION = """\
import torch

query, key = torch.rand(6, 8), torch.rand(9, 8)
scores = torch.bmm(query, key.T)  # one sentence
print(scores.shape)
"""

DISTANCE = """\
import torch

precision = torch.eye(4, requires_grad=True)
difference = torch.rand(7, 4)
turned = torch.bmm(precision, difference.unsqueeze(2))
turned.sum().backward()
"""

METHOD = """\
import torch

pages = torch.rand(3, 1, 5)
weights = torch.rand(5, 2)
print(pages.bmm(weights).shape)
"""

NOTHING_FITS = """\
import torch

print(torch.bmm(torch.rand(3, 4), torch.rand(2, 5, 6)))
"""

VECTOR = """\
import torch

matrices, vectors = torch.rand(4, 3, 3), torch.rand(4, 3)
print(torch.bmm(matrices, vectors))
"""

CASES = Cases(
    mended={
        "no batch": (ATTENTION, "torch.matmul(query, key.T)  # one sentence"),
        "one matrix for all": (DISTANCE, "torch.matmul(precision, difference.unsqueeze(2))"),
        "as a method": (METHOD, "pages.matmul(weights)"),
    },
    refused={"nothing fits": NOTHING_FITS, "a vector for each matrix": VECTOR},
    wrong={
        "detach": (
            "one matrix for all",
            swap("bmm(precision,", "matmul(precision.detach(),"),
        ),
        "leave one out": ("no batch", swap("torch.bmm(query, key.T)", "query")),
        "numbers from nowhere": ("as a method", swap("pages.bmm(weights)", "torch.zeros(3, 1, 2)")),
        "swallow it": ("no batch", swallow("print(scores.shape)")),
        "delete it": ("one matrix for all", delete("turned.sum().backward()")),
    },
)
