"""Sparse tensors: their indices, their sizes, and whether they are coalesced."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

_ROWS = (
    "The indices are a table with a row for each dimension and a column for each entry: print its "
    "shape. If they are pairs below one another, [entries, 2], turn them: `indices.t()`"
)

FAMILIES = (
    ErrorFamily(
        id="sparse_uncoalesced",
        says="Indices or values are asked of a sparse tensor that is not coalesced.",
        decides=True,
        means=("{what} are asked of a sparse tensor that is not coalesced",),
        remedy=("`x = x.coalesce()` first",),
        types=("RuntimeError",),
        today=(
            r"Cannot get (?P<what>indices|values) on an uncoalesced tensor(?P<advice>, please call "
            r"\.coalesce\(\) first)?",
        ),
        values={"what": "indices or values", "advice": "as today's wording ends"},
        sample=("torch.sparse_coo_tensor(torch.tensor([[0, 0]]), torch.ones(2), (2,)).values()"),
    ),
    ErrorFamily(
        id="sparse_size",
        says="A sparse tensor's size has another number of dimensions than its indices have rows.",
        means=("The indices have {sparse} rows for a size of {size} dimensions",),
        remedy=(_ROWS,),
        types=("RuntimeError",),
        today=(
            r"'len\(size\) == sparse_dim \+ dense_dim'[\s\S]{0,60}?len\(size\) = (?P<size>\d+), "
            r"sparse_dim = (?P<sparse>\d+)(?:, dense_dim = (?P<dense>\d+))?",
        ),
        older=(
            r"number of dimensions must be sparse_dim \((?P<sparse>\d+)\) \+ dense_dim "
            r"\((?P<dense>\d+)\), but got (?P<size>\d+)",
        ),
        values={
            "size": "dimensions of the size",
            "sparse": "rows of the indices",
            "dense": "further dimensions of the values",
        },
        sample="torch.sparse_coo_tensor(torch.zeros(3, 2), torch.ones(2), (4, 4))",
        examples=(
            "RuntimeError: number of dimensions must be sparse_dim (3) + dense_dim (0), but got 2",
        ),
    ),
    ErrorFamily(
        id="sparse_indices_shape",
        says="The indices of a sparse tensor are no table of rows and columns.",
        remedy=(_ROWS,),
        types=("RuntimeError",),
        today=(r"indices must be sparse_dim x nnz, but got: (?P<indices>\[[\d, ]*\])",),
        values={"indices": "shape of the indices"},
        sample="torch.sparse_coo_tensor(torch.zeros(2), torch.ones(2), (4, 4))",
    ),
    ErrorFamily(
        id="sparse_entries",
        says="A sparse tensor gets another number of values than of indices.",
        means=("There are {indices} indices and {values} values",),
        remedy=(f"{_ROWS}. If some were filtered, filter the others likewise",),
        types=("RuntimeError",),
        today=(
            r"same nnz, but got nnz from indices: (?P<indices>\d+), nnz from values: "
            r"(?P<values>\d+)",
        ),
        values={"indices": "number of indices", "values": "number of values"},
        sample="torch.sparse_coo_tensor(torch.zeros(2, 3), torch.ones(2), (4, 4))",
    ),
    ErrorFamily(
        id="sparse_bounds",
        says="An index of a sparse tensor lies outside of its size.",
        means=("An index of a sparse tensor lies outside of its size",),
        remedy=(
            (
                "Print `indices.min(dim=1)` and `indices.max(dim=1)` of each row. If ids count "
                "from 1, or are no numbers in a row, map them to 0, 1, 2, … first; if they do "
                "not, the size has to be larger than the largest in each dimension"
            ),
        ),
        suspects=(Suspect(r"sparse_coo_tensor|FloatTensor"),),
        types=("RuntimeError",),
        today=(r"found negative index|size is inconsistent with indices",),
        sample=(
            "torch.sparse_coo_tensor(torch.tensor([[5]]), torch.ones(1), (2,), "
            "check_invariants=True)"
        ),
    ),
    ErrorFamily(
        id="edges_of_another_kind",
        says="PyTorch Geometric is given something else where the edges belong.",
        decides=True,
        means=(
            "propagate() gets something else than edges: it takes whole numbers of the shape "
            "[2, number of edges], or an adjacency matrix of torch_sparse",
        ),
        remedy=(
            "`edge_index` is its first argument: `self.propagate(edge_index, x=x)`; older versions "
            "took the name of the aggregation there. Of the dtype int64: `edge_index.long()`",
        ),
        suspects=(Suspect(r"propagate"),),
        types=("ValueError",),
        today=(r"`MessagePassing\.propagate` only supports",),
        needs="torch_geometric",
        examples=(
            "ValueError: `MessagePassing.propagate` only supports integer tensors of shape `[2, "
            "num_messages]`, `torch_sparse.SparseTensor` or `torch.sparse.Tensor` for argument "
            "`edge_index`.",
        ),
    ),
    ErrorFamily(
        id="sparse",
        says="An operation does not take sparse tensors, or not this kind.",
        means=(
            Sentence(
                "A dense gradient is to be added to a parameter that is sparse: what a product "
                "with a sparse tensor gives back to it is dense",
                {"added": r".+", "line": r"\bopt\w*\.step\("},
            ),
            Sentence("A dense tensor is added to a sparse one", {"added": r".+"}),
        ),
        remedy=(
            Sentence(
                "Make it dense before the optimizer gets it: `x = "
                "x.detach().to_dense().requires_grad_()`. Its zeros are trained too, so it does "
                "not stay sparse",
                {"added": r".+", "line": r"\bopt\w*\.step\("},
            ),
            Sentence(
                "Write the dense one first, `dense + sparse`, or `sparse.to_dense()`",
                {"added": r".+"},
            ),
        ),
        types=("RuntimeError", "NotImplementedError", "TypeError"),
        today=(r"[Ss]parse",),
        details=(r"(?P<added>add\(sparse, dense\))",),
        values={"added": "what is refused, where it is a sum"},
        sample="torch.eye(2).to_sparse() + torch.ones(2, 2)",
        breadth=19,
    ),
)
