"""Positions of sparse tensors that are written as pairs."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

EDGES = """\
import torch
edges = torch.tensor([[0, 1], [1, 2], [2, 0], [2, 1]])   # from, to
weights = torch.tensor([1.0, 2.0, 3.0, 4.0])
graph = torch.sparse_coo_tensor(edges, weights, size=(3, 3))
print(graph.to_dense())
"""

VECTOR = """\
import torch
where = torch.tensor([[1], [4]])
what = torch.tensor([0.5, -1.0])
print(torch.sparse_coo_tensor(where, what, (6,)).to_dense())   # a vector
"""

TURNED = """\
import torch
rows = torch.tensor([[0, 1, 1], [2, 0, 1]])
v = torch.ones(3)
print(torch.sparse_coo_tensor(rows.T, v, (2, 3)).to_dense())
"""

WORDS = """\
import torch
places = torch.tensor([[0, 1], [1, 0], [1, 1]])
vectors = torch.randn(3, 4)
print(torch.sparse_coo_tensor(places, vectors, (2, 2, 4)).to_dense().shape)
"""

FLAT = """\
import torch
i = torch.tensor([0, 1, 2])
v = torch.ones(3)
print(torch.sparse_coo_tensor(i, v, (3, 3)).to_dense())
"""

OTHER_NUMBER = """\
import torch
i = torch.tensor([[0, 1], [1, 2], [2, 0]])
v = torch.ones(4)
print(torch.sparse_coo_tensor(i, v, (3, 3)).to_dense())
"""

CASES = Cases(
    mended={
        "edges": (EDGES, "torch.sparse_coo_tensor(edges.t(), weights, size=(3, 3))"),
        "a vector": (VECTOR, "torch.sparse_coo_tensor(where.t(), what, (6,))"),
        "turned too often": (TURNED, "torch.sparse_coo_tensor(rows, v, (2, 3))"),
        "vectors as values": (WORDS, "torch.sparse_coo_tensor(places.t(), vectors"),
    },
    refused={"no pairs": FLAT, "more values than pairs": OTHER_NUMBER},
    wrong={
        "reshape": ("edges", swap("(edges, weights", "(edges.reshape(2, 4), weights")),
        "cut": ("edges", swap("(edges, weights", "(edges[:2, :].repeat(1, 2), weights")),
        "other positions": ("a vector", swap("(where, what", "(torch.zeros(1, 2).long(), what")),
        "swallow": (
            "edges",
            swallow("graph = torch.sparse_coo_tensor(edges, weights, size=(3, 3))"),
        ),
        "leave it out": (
            "a vector",
            delete("print(torch.sparse_coo_tensor(where, what, (6,)).to_dense())   # a vector"),
        ),
    },
)
