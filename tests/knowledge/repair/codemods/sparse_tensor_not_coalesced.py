"""Entries of sparse tensors, read before equal positions are added up."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

GRAPH = """\
import torch
edges = torch.tensor([[0, 1, 1], [1, 2, 2]])   # one of them twice
graph = torch.sparse_coo_tensor(edges, torch.tensor([1.0, 2.0, 3.0]), (3, 3))
for weight in graph.values():
    print(weight)
print(graph.indices().shape)
"""

FUNCTION = """\
import torch

def largest(matrix):
    return matrix.indices()[:, matrix.values().argmax()]

votes = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 2]], [1.0, 1.0, 1.5], (2, 3))
print(largest(votes))   # 0, 1
"""

LAYER = """\
import torch
from torch import nn

class Sparse(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.pattern = torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2))

    def forward(self, x):
        i, v = self.pattern.indices(), self.pattern.values()
        return torch.sparse.mm(torch.sparse_coo_tensor(i, self.scale * v, (2, 2)), x)

layer = Sparse()
layer(torch.randn(2, 3)).square().sum().backward()
print(layer.scale.grad is not None)
"""

WRITTEN = """\
import torch

class Counts:
    def __init__(self):
        self.table = torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2))

    def add(self):
        self.table.values()[0] += 1.0

Counts().add()
"""

LISTED = """\
import torch
tables = [torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2))]
tables[0].values().mul_(2.0)
print(tables[0].to_dense())
"""

SHOWN = """\
import torch

links = torch.sparse_coo_tensor([[0, 1, 0], [1, 2, 1]], [1.0, 2.0, 3.0], (3, 3))
print(links)
print(links.values().sum())   # of all
"""


CASES = Cases(
    mended={
        "printed before": (SHOWN, "print(links.coalesce().values().sum())   # of all"),
        "a graph": (GRAPH, "torch.tensor([1.0, 2.0, 3.0]), (3, 3)).coalesce()"),
        "given to a function": (FUNCTION, "[1.0, 1.0, 1.5], (2, 3)).coalesce()"),
        "kept in a layer": (LAYER, "self.pattern.coalesce().indices(), self.pattern.coalesce()."),
    },
    refused={"an attribute written into": WRITTEN, "an entry written into": LISTED},
    wrong={
        "with repetitions": (
            "a graph",
            lambda code: swap(".values()", "._values()")(swap(".indices()", "._indices()")(code)),
        ),
        "all of them, dense": (
            "given to a function",
            swap("matrix.indices()[:, matrix.values()", "matrix.to_dense()[:, matrix"),
        ),
        "detach": (
            "kept in a layer",
            lambda code: swap("(i, self.scale * v", "(i, 2 * v")(
                swap(
                    "self.pattern.indices(), self.pattern.values()",
                    "self.pattern.coalesce().indices(), self.pattern.coalesce().values()",
                )(code)
            ),
        ),
        "swallow": ("given to a function", swallow("print(largest(votes))   # 0, 1")),
        "leave it out": ("given to a function", delete("print(largest(votes))   # 0, 1")),
    },
)
