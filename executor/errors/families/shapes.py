"""Shapes and dimensions: broadcasting, expand, view, a dimension that is not there."""

from executor.errors.family import ErrorFamily

FAMILIES = (
    ErrorFamily(
        id="broadcast_sizes",
        says="Two tensors are combined element by element whose sizes do not broadcast.",
        types=("RuntimeError",),
        today=(
            r"[Tt]he size of tensor a \((?P<a>\d+)\) must match the size of tensor b "
            r"\((?P<b>\d+)\)(?: at (?:(?P<kind>non-singleton) )?dimension (?P<dimension>\d+))?",
        ),
        older=(
            r"^sizes do not match at",
            r"^inconsistent tensor sizes? at",
            r"inconsistent tensor sizes?, expected r_ \[(?P<a>[\dx ]+)\](?:, t "
            r"\[[\dx ]+\])? and (?:src )?\[(?P<b>[\dx ]+)\] to have the same number of elements, "
            r"but got",
        ),
        values={
            "a": "size of the first tensor in that dimension",
            "b": "size of the second",
            "kind": "`non-singleton`, as PyTorch calls a dimension that has more than one entry",
            "dimension": "of the result, from 0",
        },
        sample="torch.ones(5) + torch.ones(8)",
        examples=(
            "RuntimeError: sizes do not match at "
            "/pytorch/aten/src/THC/generic/THCTensorMathPointwise.cu:216",
            "RuntimeError: inconsistent tensor size, expected r_ [32 x 10], t [32 x 10] and src "
            "[32 x 1] to have the same number of elements, but got 320, 320 and 32 elements",
        ),
    ),
    ErrorFamily(
        id="inplace_result_grows",
        says="The result of an in-place operation is larger than the tensor it is written into.",
        types=("RuntimeError",),
        today=(
            r"output with shape (?P<target>\[[\d, ]*\]) doesn't match the broadcast shape "
            r"(?P<result>\[[\d, ]*\])",
        ),
        values={"target": "shape of what is written into", "result": "shape of the result"},
        sample="torch.ones(3).add_(torch.ones(2, 3))",
    ),
    ErrorFamily(
        id="expand_sizes",
        says="A tensor is to be repeated into a shape that it cannot fill.",
        types=("RuntimeError",),
        today=(
            r"The expanded size of the tensor \((?P<wanted>-?\d+)\) must match the existing size "
            r"\((?P<existing>\d+)\) at (?:non-singleton )?dimension (?P<dimension>\d+)"
            r"(?:\.\s+Target sizes: (?P<target_shape>\[[-\d, ]*\])\."
            r"\s+Tensor sizes: (?P<tensor_shape>\[[\d, ]*\]))?",
        ),
        values={
            "wanted": "size that is asked for",
            "existing": "size that the tensor has",
            "dimension": "of the result, from 0",
            "target_shape": "shape that is asked for",
            "tensor_shape": "shape that the tensor has",
        },
        sample="torch.ones(3).expand(2, 5)",
        examples=(
            "RuntimeError: The expanded size of the tensor (5) must match the existing size (3) at "
            "non-singleton dimension 1",
        ),
    ),
    ErrorFamily(
        id="expand_fewer_dimensions",
        says="A tensor is to be expanded into fewer dimensions than it has.",
        types=("RuntimeError",),
        today=(
            r"expand\([\w.]{1,60}\{(?P<tensor_shape>\[[\d, ]*\])\}, "
            r"size=(?P<target_shape>\[[-\d, ]*\])\): the number of sizes provided "
            r"\((?P<given>\d+)\) must be greater or equal to the number of dimensions in the "
            r"tensor \((?P<dimensions>\d+)\)",
        ),
        values={
            "tensor_shape": "shape that the tensor has",
            "target_shape": "shape that is asked for",
            "given": "number of sizes that are asked for",
            "dimensions": "number of dimensions that the tensor has",
        },
        sample="torch.ones(2, 3, 4).expand(3, 4)",
    ),
    ErrorFamily(
        id="view_size",
        says="view or reshape asks for another number of elements than the tensor has.",
        types=("RuntimeError",),
        today=(r"shape '\[(?P<shape>[^\]']{0,200})\]' is invalid for input of size (?P<size>\d+)",),
        older=(
            r"size '\[(?P<shape>[^\]']{0,200})\]' is invalid for input (?:of )?with "
            r"(?P<size>\d+) elements",
        ),
        values={"shape": "the sizes that are asked for", "size": "elements of the tensor"},
        sample="torch.ones(2048).view(-1, 800)",
        examples=(
            "RuntimeError: invalid argument 2: size '[-1 x 400]' is invalid for input with 179776 "
            "elements at /pytorch/aten/src/TH/THStorage.cpp:84",
        ),
    ),
    ErrorFamily(
        id="view_not_contiguous",
        says="view joins dimensions that do not lie behind one another in memory.",
        types=("RuntimeError",),
        today=(r"view size is not compatible with input tensor's size and stride",),
        older=(r"input is not contiguous(?: at |$)",),
        sample="torch.ones(2, 3).t().view(6)",
        examples=(
            "RuntimeError: invalid argument 2: view size is not compatible with input tensor's "
            "size and stride (at least one dimension spans across two contiguous subspaces). Call "
            ".contiguous() before .view().",
            "RuntimeError: input is not contiguous at /py/conda-bld/pytorch/THTensor.c:231",
        ),
    ),
    ErrorFamily(
        id="dimension_out_of_range",
        says="An operation is asked for a dimension that its tensor has not.",
        types=("IndexError", "RuntimeError"),
        today=(
            r"[Dd]imension out of range \(expected to be in range of \[(?P<low>-?\d+), "
            r"(?P<high>-?\d+)\], but got (?P<dimension>-?\d+)\)",
        ),
        older=(
            r"^[Dd]imension out of range$",
            r"dimension (?P<dimension>-?\d+) out of range of (?P<dimensions>\d+)D tensor",
        ),
        values={
            "low": "the lowest number of a dimension",
            "high": "the highest",
            "dimension": "that is asked for",
            "dimensions": "number of dimensions that the tensor has",
        },
        sample="torch.ones(3).sum(1)",
        examples=(
            "IndexError: Dimension out of range",
            "RuntimeError: dimension out of range (expected to be in range of [-1, 0], but got 1)",
            "RuntimeError: dimension 2 out of range of 1D tensor at /pytorch/torch/lib/TH/THT.c:24",
        ),
    ),
    ErrorFamily(
        id="permute_dimensions",
        says="permute is given another number of dimensions than the tensor has.",
        types=("RuntimeError",),
        today=(
            r"permute\([\w ]{0,40}\): number of dimensions in the tensor input does not match the "
            r"length of the desired ordering of dimensions(?: i\.e\. input\.dim\(\) = "
            r"(?P<dimensions>\d+) is not equal to len\(dims\) = (?P<listed>\d+))?",
        ),
        older=(r"number of dims don't match in permute",),
        values={"dimensions": "that the tensor has", "listed": "numbers given to permute"},
        sample="torch.ones(2, 3).permute(0, 1, 2)",
        examples=("RuntimeError: number of dims don't match in permute",),
    ),
    ErrorFamily(
        id="diag_dimensions",
        says="diag is given a tensor that has neither one nor two dimensions.",
        types=("RuntimeError",),
        today=(r"diag\(\): Supports 1D or 2D tensors\. Got (?P<dimensions>\d+)D",),
        older=(r"matrix or a vector expected",),
        values={"dimensions": "that the tensor has"},
        sample="torch.diag(torch.ones(2, 3, 3))",
        examples=(
            "RuntimeError: invalid argument 1: matrix or a vector expected at "
            "/pytorch/aten/src/TH/generic/THTensorMoreMath.cpp:1196",
        ),
    ),
    ErrorFamily(
        id="dimensions",
        says="An operation needs another number of dimensions than its tensor has.",
        types=("RuntimeError", "ValueError", "IndexError", "TypeError"),
        today=(
            r"[Ss]upports \d|expects? (?:a )?(?:tensor with <= )?\d\s?-?D"
            r"|must be (?:a )?\d-?D|[Ii]nput dimension should be at least|t\(\) expects"
            r"|expected to have \d dim|expected[^\n]{0,300}? \d-?D|number of dimensions"
            r"|Dimension specified as|fewer than \d dimensions|object too deep"
            r"|must have at least \d dim|only supports? \d|dims? must|must have same number of dim",
        ),
        sample="torch.ones(2, 3, 4).t()",
        breadth=11,
    ),
)
