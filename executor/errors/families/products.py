"""Products of matrices and vectors: inner sizes, batches, dimensions, einsum."""

from executor.errors.family import ErrorFamily

FAMILIES = (
    ErrorFamily(
        id="matmul_shapes",
        says="Two matrices are multiplied whose inner sizes differ.",
        types=("RuntimeError",),
        today=(
            r"mat1 and mat2 shapes cannot be multiplied "
            r"\((?P<rows>\d+)x(?P<inner_left>\d+) and (?P<inner_right>\d+)x(?P<columns>\d+)\)",
        ),
        older=(
            r"size mismatch, m1: \[(?P<rows>\d+) x (?P<inner_left>\d+)\], "
            r"m2: \[(?P<inner_right>\d+) x (?P<columns>\d+)\]",
        ),
        values={
            "rows": "rows of the left matrix: of a layer, its input's",
            "inner_left": "columns of the left matrix: what the layer is given",
            "inner_right": "rows of the right matrix: a Linear's in_features",
            "columns": "columns of the right matrix: a Linear's out_features",
        },
        sample="torch.ones(2, 3) @ torch.ones(4, 5)",
        examples=(
            "RuntimeError: size mismatch, m1: [64 x 400], m2: [800 x 10] at "
            "/pytorch/aten/src/TH/generic/THTensorMath.cpp:197",
        ),
    ),
    ErrorFamily(
        id="matvec_sizes",
        says="A matrix is multiplied by a vector of another length than its rows.",
        types=("RuntimeError",),
        today=(
            r"size mismatch, got input \((?P<rows>\d+)\), mat \((?P<matrix>[^()]{1,40})\), "
            r"vec \((?P<vector>\d+)\)",
        ),
        values={
            "rows": "rows of the matrix",
            "matrix": "the matrix's shape, such as 2x3",
            "vector": "entries of the vector",
        },
        sample="torch.ones(2, 3) @ torch.ones(4)",
    ),
    ErrorFamily(
        id="dot_sizes",
        says="Two vectors of different lengths are multiplied.",
        types=("RuntimeError",),
        today=(
            r"inconsistent tensor size, expected tensor \[(?P<left>\d+)\] and "
            r"src \[(?P<right>\d+)\]",
        ),
        values={"left": "entries of the first vector", "right": "entries of the second"},
        sample="torch.ones(3) @ torch.ones(4)",
    ),
    ErrorFamily(
        id="bmm_sizes",
        says="Two batches of matrices differ in number, or in their inner sizes.",
        types=("RuntimeError",),
        today=(
            r"Expected size for first two dimensions of batch2 tensor to be: "
            r"\[(?P<batch>\d+), (?P<inner>\d+)\] but got: "
            r"\[(?P<batch_right>\d+), (?P<inner_right>\d+)\]",
        ),
        values={
            "batch": "matrices in the left batch",
            "inner": "columns of each left matrix",
            "batch_right": "matrices in the right batch",
            "inner_right": "rows of each right matrix",
        },
        sample="torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 5, 6))",
    ),
    ErrorFamily(
        id="bmm_dimensions",
        says="bmm or baddbmm is given a tensor that has not three dimensions.",
        types=("RuntimeError",),
        today=(r"batch(?P<which>[12]) must be a 3D tensor",),
        older=(
            r"[Ee]xpected 3-dimensional tensor, but got (?P<dimensions>\d+)-dimensional tensor "
            r"for argument #\d+ 'batch(?P<which>[12])'",
        ),
        values={"which": "1 for the left batch, 2 for the right", "dimensions": "that it has"},
        sample="torch.bmm(torch.ones(3, 4), torch.ones(2, 4, 5))",
        examples=(
            "RuntimeError: Expected 3-dimensional tensor, but got 2-dimensional tensor for "
            "argument #1 'batch1' (while checking arguments for bmm)",
        ),
    ),
    ErrorFamily(
        id="not_a_matrix",
        says="mm or mv is given something that has not two dimensions.",
        types=("RuntimeError",),
        today=(r"\b(?P<which>mat\d?|self) must be a matrix",),
        older=(
            r"matrices expected, got (?P<left>\d+)D, (?P<right>\d+)D tensors",
            r"matrix and matrix expected|vector \+ matrix @ vector expected",
        ),
        values={
            "which": "PyTorch's name of the argument: self, mat2",
            "left": "dimensions of the first tensor",
            "right": "dimensions of the second",
        },
        sample="torch.mm(torch.ones(2, 3), torch.ones(3))",
        examples=(
            "RuntimeError: matrices expected, got 1D, 2D tensors at "
            "/pytorch/aten/src/TH/generic/THTensorMath.cpp:192",
        ),
    ),
    ErrorFamily(
        id="dot_dimensions",
        says="dot is given something that has not one dimension.",
        types=("RuntimeError",),
        today=(r"1D tensors expected, but got (?P<left>\d+)D and (?P<right>\d+)D tensors",),
        older=(r"1D tensors expected|vector and vector expected",),
        values={"left": "dimensions of the first tensor", "right": "dimensions of the second"},
        sample="torch.dot(torch.ones(2, 2), torch.ones(2))",
        examples=(
            "RuntimeError: 1D tensors expected, got 2D, 1D tensors at "
            "/pytorch/aten/src/TH/generic/THTensorMath.cpp:20",
        ),
    ),
    ErrorFamily(
        id="product_of_a_number",
        says="A matrix product is asked of a tensor without dimensions.",
        types=("RuntimeError",),
        today=(
            r"both arguments to (?P<operation>\w+) need to be at least 1D, but they are "
            r"(?P<left>\d+)D and (?P<right>\d+)D",
        ),
        values={
            "operation": "PyTorch's name of the product",
            "left": "dimensions of the first tensor",
            "right": "dimensions of the second",
        },
        sample="torch.ones(2) @ torch.tensor(1.0)",
    ),
    ErrorFamily(
        id="einsum_sizes",
        says="A letter of an einsum stands for two different sizes.",
        types=("RuntimeError",),
        today=(
            r"einsum\(\): subscript (?P<letter>\w) has size (?P<size>\d+) for operand "
            r"(?P<operand>\d+) which does not broadcast with previously seen size (?P<before>\d+)",
        ),
        values={
            "letter": "the subscript",
            "size": "its size in this operand",
            "operand": "number of the operand, from 0",
            "before": "its size in the operands before",
        },
        sample='torch.einsum("ij,jk->ik", torch.ones(2, 4), torch.ones(5, 3))',
    ),
    ErrorFamily(
        id="einsum",
        says="The text or the operands of an einsum do not fit.",
        types=("RuntimeError", "ValueError"),
        today=(r"einsum\(\): (?P<complaint>[^\n]*)",),
        values={"complaint": "what it says"},
        sample='torch.einsum("ijk,jk->ik", torch.ones(2, 4), torch.ones(4, 3))',
        breadth=2,
    ),
)
