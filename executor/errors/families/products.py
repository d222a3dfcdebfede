"""Products of matrices and vectors: inner sizes, batches, dimensions, einsum."""

from collections.abc import Mapping
from math import isqrt

from executor.errors.around import Around
from executor.errors.family import ANY, ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.lists import shapes_named

_LINEAR = (
    "A Linear layer with in_features={inner_right} and out_features={columns} is given "
    "{inner_left} features ({rows} rows of {inner_left})"
)

_AGAIN = (
    f"{_LINEAR}: as many as it gives itself | a layer of these sizes that comes twice, or a last "
    "layer behind a model that has one"
)
_PACKED = 100_000  # values, at least, of a matrix that four bits each were packed into a row
# Features of a token for which the parts of Stable Diffusion are made.
_TEXTS = frozenset({768, 1024, 1280, 2048, 4096})
_DIFFUSION = r"\bcomfy|\bdiffusers\b|stable.?diffusion|\bsdxl\b|\bksampler\b|controlnet"
_IN_A_LAYER = (("file", r"linear\.py"), ("made", r"Linear"))


def _unflattened(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether the layer gets what it gives; or how many samples of its size the rows hold."""
    if not seen["rows"]:  # a wording without sizes
        return {}
    rows, inner, wanted = seen.numbers("rows", "inner_left", "inner_right")
    columns = seen.number("columns")
    if inner == columns:
        return {"again": "yes"}
    if wanted == 1 < inner and columns >= _PACKED and columns * 2 % inner == 0:
        return {"kind": "packed"}
    if rows and rows % 77 == 0 and {inner, wanted} <= _TEXTS:
        return {"kind": "texts"}
    if rows == wanted:
        return {"kind": "turned"}
    if inner > wanted > 1 and inner % wanted == 0:
        times = inner // wanted
        if times > 3 and isqrt(times) ** 2 == times:
            return {"times": str(times), "side": str(isqrt(times))}
        return {"times": str(times)}
    if inner == wanted + 1 or inner == wanted - 1:
        return {"kind": "off by one"}
    if not inner or wanted <= inner or wanted % inner or rows % (wanted // inner):
        return {}
    return {"samples": str(rows * inner // wanted)}


def _printed(seen: SeenError, around: Around) -> Mapping[str, str]:
    """Whether the post prints the left matrix's shape, which then has two dimensions."""
    shape = seen.numbers("rows", "inner_left")
    return {"printed": "yes"} if shape in shapes_named(around.words) else {}


def _same_batch(seen: SeenError, message: str) -> Mapping[str, str]:
    same = seen["batch"] == seen["batch_right"]
    return {"same": "yes"} if same else {"batches_differ": "yes"}


def _as_often(seen: SeenError, message: str) -> Mapping[str, str]:
    """How many times one size of a letter goes into the other, if it does, and is not 1."""
    small, large = sorted(seen.numbers("size", "before"))
    whole = small > 1 and large % small == 0
    return {"times": str(large // small)} if whole else {}


FAMILIES = (
    ErrorFamily(
        id="matmul_shapes",
        says="Two matrices are multiplied whose inner sizes differ.",
        look_around=_printed,
        means=(
            *(Sentence(_AGAIN, {"again": r"yes", where: p}) for where, p in _IN_A_LAYER),
            Sentence(_LINEAR, {"file": r"linear\.py"}),
            Sentence(_LINEAR, {"made": r"Linear"}),
            (
                "A matrix product of [{rows}, {inner_left}] and [{inner_right}, {columns}]: the "
                "inner sizes, {inner_left} and {inner_right}, must be equal. Where the second is a "
                "Linear layer's weight, the layer takes {inner_right} features and {inner_left} "
                "arrive"
            ),
            (
                "The inner sizes of a matrix product differ: where the second matrix is a Linear "
                "layer's weight, another number of features arrives than the layer was made for"
            ),
        ),
        remedy=(
            Sentence(
                "Your x is [{rows}, {inner_left}], so flattening changes nothing. If {inner_left} "
                "is what each sample has, make the layer `nn.Linear({inner_left}, {columns})`; if "
                "each sample should have {inner_right}, several rows are one sample: "
                "`x.reshape({samples}, {inner_right})`",
                {"printed": r"yes", "samples": r".+"},
            ),
            Sentence(
                "Your x is [{rows}, {inner_left}]. If {inner_left} is what each sample has, make "
                "the layer `nn.Linear({inner_left}, {columns})`; if it should be {inner_right}, "
                "look for what gave x this shape",
                {"printed": r"yes"},
            ),
            *(
                Sentence(
                    "If what it is given went through such a layer before, as the output of a "
                    "whole model does whose last layer gives {columns}, leave one of the two out: "
                    "let forward return the {inner_right} features that its own last layer takes, "
                    "or use its output as it is. A layer turns its own weight, so nothing is to be "
                    "transposed",
                    {"again": r"yes", where: p},
                )
                for where, p in _IN_A_LAYER
            ),
            Sentence(
                "If the second matrix is a weight stored [outputs, inputs], as a Linear's, turn "
                "it: `x @ w.T`. If it belongs to a layer, either what went through such a layer "
                "comes to it again, or the layer was made for {inner_right} features where "
                "{inner_left} come",
                {"again": r"yes"},
            ),
            Sentence(
                "A single row of {columns} is how bitsandbytes packs a weight of four bits, which "
                "only its own layer unpacks. If the code takes `layer.weight` itself (F.linear, "
                "`@`, merging a LoRA), call the layer, or `dequantize_4bit` the weight; if it is a "
                "library's line, bring its version (peft, transformers, bitsandbytes) up to date",
                {"kind": "packed"},
            ),
            Sentence(
                "If this is Stable Diffusion: texts come with {inner_left} features for each token "
                "and the model takes {inner_right}. Versions 1 have 768, versions 2 1024 and XL "
                "2048, so one part (a LoRA, a ControlNet, an embedding, a text encoder) is made "
                "for another version: take one for the model's",
                {"kind": "texts"},
            ),
            *(
                Sentence(
                    "Two parts do not belong to one model: what gives {inner_left} features and "
                    "what takes {inner_right}. Compare for which base model each was made (the "
                    "model, its text encoders, a LoRA, a ControlNet, an adapter), and load all for "
                    "one",
                    {"inner_left": r".+", where: _DIFFUSION},
                )
                for where in ("words", "frames")
            ),
            Sentence(
                "The left one has {rows} rows, as many as are wanted of columns. If features stand "
                "first in it, turn it: `x.T`. If not, and each of the {rows} rows is a sample of "
                "{inner_left} features, make the layer for {inner_left}",
                {"kind": "turned"},
            ),
            Sentence(
                "{inner_left} is {times} times {inner_right}. If one row is all there is (`view(1, "
                "-1)`, or `flatten()` without a 1), {times} samples were made one: "
                "`x.flatten(1)` keeps the batch. If it is a single sample, its maps are larger "
                "than the layer was made for: where {inner_right} is the number of channels, pool "
                "them to one place (`nn.AdaptiveAvgPool2d(1)` for a fixed `AvgPool2d`, as old "
                "torchvision models have it), or give the model pictures of the size that it was "
                "made for",
                {"times": r".+", "rows": "1"},
            ),
            Sentence(
                "{inner_left} is 3 times {inner_right}. If these are pictures, they are in colour "
                "where the layer is made for grey: `transforms.Grayscale()`, or "
                "`nn.Linear({inner_left}, {columns})`. Else three things are joined where one is "
                "expected: print `x.shape` before the line",
                {"times": "3"},
            ),
            Sentence(
                "{inner_left} is 2 times {inner_right}. A bidirectional recurrent layer gives both "
                "directions, and a `torch.cat` both parts: if that is meant, make the layer "
                "`nn.Linear({inner_left}, {columns})`; if not, print `x.shape` before the line",
                {"times": "2"},
            ),
            Sentence(
                "{inner_left} is {times} times {inner_right}, and {times} is {side} times {side}. "
                "If {inner_right} is the number of channels, the maps were not pooled: "
                "`nn.AdaptiveAvgPool2d(1)` before flattening; or make the layer "
                "`nn.Linear({inner_left}, {columns})`, for pictures of this one size",
                {"side": r".+"},
            ),
            Sentence(
                "{inner_left} is {times} times {inner_right}. If {inner_right} is the number of "
                "channels, {times} places of each map are left, as of pictures that are larger "
                "than the model was made for: pool them to one (`nn.AdaptiveAvgPool2d(1)` before "
                "flattening), or resize the pictures. `nn.Linear({inner_left}, {columns})` fits "
                "pictures of this one size",
                {"times": r".+"},
            ),
            Sentence(
                "They differ by 1. If these are columns of a table, see whether the target (or an "
                "index) is still among them, or one was dropped: print the columns. If "
                "{inner_left} is right, make the layer `nn.Linear({inner_left}, {columns})`; of a "
                "product written by hand print both shapes",
                {"kind": "off by one"},
            ),
            Sentence(
                "{rows} rows of {inner_left} hold exactly {inner_right} values, one sample: if it "
                "was not flattened, put `x = x.flatten(1)` before the layer where it has a batch "
                "dimension, and `x = x.flatten().unsqueeze(0)` where it has none",
                {"samples": "1"},
            ),
            Sentence(
                "{rows} rows of {inner_left} hold exactly {samples} times {inner_right} values. "
                "Print `x.shape` before the layer: if it has more than two dimensions, the input "
                "was not flattened, `x = x.flatten(1)`; if it is [{rows}, {inner_left}], make the "
                "layer `nn.Linear({inner_left}, {columns})`, or see what should have given "
                "{inner_right}",
                {"samples": r".+"},
            ),
            (
                "Print `x.shape` right before it. If {inner_left} is what each sample really has, "
                "make the layer `nn.Linear({inner_left}, {columns})`; if it should be "
                "{inner_right}, the input has another size than the model was made for, or was "
                "flattened or transposed differently"
            ),
            (
                "The columns of the first have to be as many as the rows of the second: print "
                "both shapes right before the line"
            ),
        ),
        now=(
            "mat1 and mat2 shapes cannot be multiplied ({rows}x{inner_left} and "
            "{inner_right}x{columns})"
        ),
        suspects=(
            Suspect(
                r"Linear|LazyLinear",
                "made for {inner_right} features",
                {0: "{inner_right}", "in_features": "{inner_right}"},
            ),
            Suspect(
                r"view|reshape|flatten|Flatten",
                "reshapes to rows of {inner_left}",
                {ANY: "{inner_left}"},
            ),
            Suspect(r"view|reshape", "reshapes with {inner_right}", {ANY: "{inner_right}"}),
        ),
        derive=_unflattened,
        types=("RuntimeError",),
        today=(
            r"(?:mat1 and mat2|input and weight\.T) shapes cannot be multiplied "
            r"\((?P<rows>\d+)x(?P<inner_left>\d+) and (?P<inner_right>\d+)x(?P<columns>\d+)\)",
        ),
        older=(
            r"size mismatch, m1: \[(?P<rows>\d+) x (?P<inner_left>\d+)\], "
            r"m2: \[(?P<inner_right>\d+) x (?P<columns>\d+)\]",
            r"^mat1 dim 1 must match mat2 dim 0",
            r"^size mismatch at \S{1,200}:\d+",
        ),
        values={
            "rows": "rows of the left matrix: of a layer, its input's",
            "inner_left": "columns of the left matrix: what the layer is given",
            "inner_right": "rows of the right matrix: a Linear's in_features",
            "columns": "columns of the right matrix: a Linear's out_features",
        },
        sample="torch.ones(2, 3) @ torch.ones(4, 5)",
        examples=(
            "RuntimeError: mat1 dim 1 must match mat2 dim 0",
            "RuntimeError: size mismatch at /pytorch/aten/src/THC/generic/THCTensorMathBlas.cu:243",
            "RuntimeError: size mismatch, m1: [64 x 400], m2: [800 x 10] at "
            "/pytorch/aten/src/TH/generic/THTensorMath.cpp:197",
        ),
    ),
    ErrorFamily(
        id="matvec_sizes",
        says="A matrix is multiplied by a vector of another length than its rows.",
        means=(
            (
                "A matrix of {matrix} is multiplied by a vector of {vector} entries; a "
                "vector needs as many entries as the matrix has columns"
            ),
        ),
        remedy=(
            "Print both shapes before the line. If the vector is one sample, the layer has to be "
            "made for {vector} features, or the sample brought to what the layer takes; if the "
            "vector belongs to the matrix's rows, multiply by its transpose, `m.T @ v`",
        ),
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
        means=("Two vectors of different lengths, {left} and {right}, are multiplied",),
        remedy=("dot needs vectors of one length: print both shapes before the line",),
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
        means=(
            (
                "A batch of {batch} matrices with {inner} columns is multiplied by "
                "{batch_right} matrices with {inner_right} rows; the number of matrices "
                "and these inner sizes must be equal"
            ),
        ),
        remedy=(
            Sentence(
                "The batches have the same number, so perhaps one side is not transposed: "
                "`b.transpose(1, 2)`; print both shapes before the line",
                {"same": r"yes"},
            ),
            "Print both shapes before the line, and permute or repeat one so that they are [B, n, "
            "m] and [B, m, p]",
        ),
        derive=_same_batch,
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
        means=(
            (
                "bmm needs two batches of matrices, [B, n, m] and [B, m, p], and argument "
                "{which} has {dimensions} dimensions"
            ),
            (
                "bmm needs two batches of matrices, [B, n, m] and [B, m, p], and argument "
                "{which} has not three dimensions"
            ),
        ),
        remedy=(
            "Print both shapes. If the batch dimension is missing, `unsqueeze(0)` adds it; "
            "`torch.matmul` takes any number of dimensions",
        ),
        now=("batch{which} must be a 3D tensor"),
        suspects=(Suspect(r"bmm|baddbmm"),),
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
        means=(
            (
                "mm takes two matrices, and here a tensor of {left} and one of {right} "
                "dimensions meet"
            ),
            ("mm or mv takes a matrix with two dimensions, and one argument has another number"),
        ),
        remedy=(
            *(
                Sentence(
                    "In torch 0.1 to 0.3 this is what nn.Linear says of an input that is not "
                    "[batch, features]. If the maps of a convolution come to it, [batch, channels, "
                    "height, width], flatten them before the layer: `x = x.view(x.size(0), -1)` "
                    "(today `x.flatten(1)`); the layer takes channels * height * width features",
                    {where: r"\bLinear\(|\bfc\w*\(|F\.linear|\bconv|\bfeatures\("},
                )
                for where in ("line", "code", "words")
            ),
            (
                "Use `torch.matmul` (`@`), which takes vectors and batches too, or give "
                "the tensor two dimensions with `unsqueeze`"
            ),
        ),
        suspects=(Suspect(r"mm|mv|addmm"),),
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
        means=(
            ("dot takes two vectors, and here tensors of {left} and {right} dimensions meet"),
            "dot takes two vectors with one dimension each",
        ),
        remedy=("For matrices use `a @ b`; for the dot products of rows `(a * b).sum(-1)`",),
        suspects=(Suspect(r"dot"),),
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
        means=(
            (
                "A matrix product is asked of a tensor without dimensions ({left} and "
                "{right} dimensions)"
            ),
        ),
        remedy=("For a single number use `*` instead of `@`",),
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
        means=(
            (
                "In the einsum the letter `{letter}` stands for size {before} first and "
                "for {size} in operand {operand}"
            ),
        ),
        derive=_as_often,
        remedy=(
            Sentence(
                "If `{letter}` counts the samples, one operand was made for {times} times fewer of "
                "them: repeat it before. `x.repeat_interleave({times}, dim=0)` repeats each of its "
                "samples in place, `torch.cat([x] * {times})` all of them in turn: take the order "
                "of the other operand, since both run",
                {"letter": r"[bB]", "times": r".+"},
            ),
            (
                "Give the two dimensions different letters, or bring them to one size: "
                "print the shapes of the operands"
            ),
        ),
        suspects=(Suspect(r"einsum"),),
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
        means=("The letters of the einsum do not fit its operands: {complaint}",),
        remedy=(
            (
                "Each operand needs one letter for each of its dimensions: compare the "
                "text with the shapes"
            ),
        ),
        suspects=(Suspect(r"einsum"),),
        types=("RuntimeError", "ValueError"),
        today=(r"einsum\(\): (?P<complaint>[^\n]*)",),
        values={"complaint": "what it says"},
        sample='torch.einsum("ijk,jk->ik", torch.ones(2, 4), torch.ones(4, 3))',
        breadth=2,
    ),
)
