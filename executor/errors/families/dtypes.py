"""Dtypes that do not go together, and operations that a dtype does not have."""

from executor.errors.family import ErrorFamily

_SHORT = "in PyTorch's short form, such as Float"
_CPP = "as C++ calls it, such as float, long int or c10::Half"

FAMILIES = (
    ErrorFamily(
        id="matmul_dtypes",
        says="Tensors of different dtypes are multiplied, or meet in another operation.",
        types=("RuntimeError",),
        today=(
            r"(?P<product>(?:expected m1 and m2 to|mat1 and mat2 must) have the )?same dtype, "
            r"but got:? (?P<left>[\w: <>]+?)(?: and | != )"
            r"(?P<right>[\w:<>]+(?: [\w:<>]+)*)",
        ),
        values={
            "product": "as the wording of a matrix product begins",
            "left": f"the first dtype, {_SHORT}, or {_CPP}",
            "right": "the second, likewise",
        },
        sample="torch.ones(2, 3, dtype=torch.double) @ torch.ones(3, 2)",
        examples=(
            "RuntimeError: expected m1 and m2 to have the same dtype, but got: double != float",
            "RuntimeError: expected m1 and m2 to have the same dtype, but got: long int != float",
        ),
    ),
    ErrorFamily(
        id="matvec_dtypes",
        says="A matrix is multiplied by a vector of another dtype.",
        types=("RuntimeError",),
        today=(
            r"addmv input tensors must have the same dtype, but got (?P<bias>\w+), "
            r"(?P<left>\w+), and (?P<right>\w+)",
        ),
        values={
            "bias": f"dtype of what is added, {_SHORT}",
            "left": "dtype of the matrix",
            "right": "dtype of the vector",
        },
        sample="torch.mv(torch.ones(2, 3, dtype=torch.double), torch.ones(3))",
    ),
    ErrorFamily(
        id="dot_dtypes",
        says="Two vectors of different dtypes are multiplied.",
        types=("RuntimeError",),
        today=(
            r"same dtype, but found (?P<left>\w+) and "
            r"(?P<right>\w+)",
        ),
        values={"left": f"the first dtype, {_SHORT}", "right": "the second"},
        sample="torch.ones(3, dtype=torch.double) @ torch.ones(3)",
    ),
    ErrorFamily(
        id="layer_dtypes",
        says="A layer's input and its weights have different dtypes.",
        types=("RuntimeError",),
        today=(
            r"Input type \((?!CPU|CUDA)(?P<input>[\w :]+)\) and (?P<which>weight|bias) type "
            r"\((?P<weight>[\w :]+)\)",
        ),
        older=(
            r"Input type \(torch\.(?P<input>\w+)Tensor\) and (?P<which>weight|bias) type "
            r"\(torch\.(?P<weight>\w+)Tensor\)",
            r"Input type \(torch\.cuda\.(?P<input>\w+)Tensor\) and (?P<which>weight|bias) type "
            r"\(torch\.cuda\.(?P<weight>\w+)Tensor\)",
            r"Input type \(CPU(?P<input>\w+?)Type\) and (?P<which>weight|bias) type "
            r"\(CPU(?P<weight>\w+?)Type\)",
            r"Input type \(CUDA(?P<input>\w+?)Type\) and (?P<which>weight|bias) type "
            r"\(CUDA(?P<weight>\w+?)Type\)",
        ),
        values={
            "input": f"dtype of the input, {_CPP}",
            "which": "weight or bias",
            "weight": f"dtype of the weight or the bias, {_CPP}",
        },
        sample="nn.Conv2d(3, 8, 3)(torch.ones(1, 3, 8, 8, dtype=torch.double))",
        examples=(
            "RuntimeError: Input type (torch.cuda.HalfTensor) and weight type "
            "(torch.cuda.FloatTensor) should be the same",
            "RuntimeError: Input type (CUDAHalfType) and weight type (CUDAFloatType) should be the "
            "same",
        ),
    ),
    ErrorFamily(
        id="rnn_dtypes",
        says="A recurrent layer's input and its weights have different dtypes.",
        types=("ValueError", "RuntimeError"),
        today=(
            r"input dtype \(torch\.(?P<input>\w+)\) does not match weight dtype "
            r"\(torch\.(?P<weight>\w+)\)",
        ),
        values={"input": "dtype of the input, such as float64", "weight": "dtype of the weights"},
        sample="nn.LSTM(4, 6)(torch.ones(5, 3, 4, dtype=torch.double))",
    ),
    ErrorFamily(
        id="scalar_type",
        says="An operation needs one dtype and gets another.",
        types=("RuntimeError",),
        today=(r"[Ee]xpected scalar type (?P<expected>\w+) but found (?P<given>\w+)",),
        values={"expected": f"the dtype it needs, {_SHORT}", "given": "the dtype it got"},
        sample="torch.bmm(torch.ones(1, 2, 3), torch.ones(1, 3, 2, dtype=torch.double))",
    ),
    ErrorFamily(
        id="argument_scalar_type",
        says="An argument of an operation has another dtype than the others.",
        types=("RuntimeError",),
        older=(
            r"Expected object of scalar type (?P<expected>\w+) but got scalar type "
            r"(?P<given>\w+)\b(?! for argument)",
            r"Expected object of type Variable\[torch\.(?P<cuda>cuda\.)?(?P<expected>\w+)Tensor\] "
            r"but found type Variable\[torch\.(?(cuda)cuda\.)(?P<given>\w+)Tensor\]",
            r"^expected torch\.(?P<cuda>cuda\.)?(?P<expected>\w+)Tensor \(got "
            r"torch\.(?(cuda)cuda\.)(?P<given>\w+)Tensor\)",
            r"^expected (?P<expected>Float|Double|Long|Int|Half|Byte|Bool) \(got (?P<given>\w+)\)",
            r"Expected object of (?:data|scalar) ?type (?P<expected>\w+) but got (?:data|scalar) "
            r"?type (?P<given>\w+) for argument #(?P<argument>\d+) '(?P<name>(?!target')\w+)'",
            r"Expected object of type torch\.(?P<cuda>cuda\.)?(?P<expected>\w+)Tensor but found "
            r"type "
            r"torch\.(?(cuda)cuda\.)(?P<given>\w+)Tensor for argument #(?P<argument>\d+) "
            r"'(?P<name>(?!target')\w+)'",
            r"expected (?:type|dtype) (?:torch\.(?P<cuda>cuda\.)?)?(?P<expected>\w+?)(?:Tensor)? "
            r"but "
            r"got (?:type |dtype )?(?:torch\.)?(?(cuda)cuda\.)(?P<given>\w+?)(?:Tensor)?\b(?!\.)",
        ),
        values={
            "cuda": "`cuda.` where they are on a GPU",
            "expected": f"the dtype of the others, {_SHORT}",
            "given": "the dtype of this one",
            "argument": "its number, from 1",
            "name": "PyTorch's name of it",
        },
        needs="a wording of torch 0.4 to 1.4; today each operation has a wording of its own",
        examples=(
            "RuntimeError: Expected object of scalar type Long but got scalar type Float",
            "RuntimeError: Expected object of type Variable[torch.LongTensor] but found type "
            "Variable[torch.IntTensor] for argument #1 'other'",
            "TypeError: expected torch.LongTensor (got torch.FloatTensor)",
            "TypeError: expected Float (got Double)",
            "RuntimeError: Expected object of scalar type Long but got scalar type Int for "
            "argument #2 'other'",
            "RuntimeError: Expected object of scalar type Float but got scalar type Double for "
            "argument #4 'mat1'",
            "RuntimeError: Expected object of type torch.FloatTensor but found type "
            "torch.LongTensor for argument #2 'mat2'",
            "RuntimeError: expected type torch.FloatTensor but got torch.LongTensor",
        ),
    ),
    ErrorFamily(
        id="backward_dtype",
        says="A loss or a gradient has another dtype than what it belongs to.",
        types=("RuntimeError",),
        today=(r"Found dtype (?P<given>\w+) but expected (?P<expected>\w+)",),
        values={"given": f"the dtype that is there, {_SHORT}", "expected": "the dtype it needs"},
        sample=(
            "x = torch.ones(3, requires_grad=True)\n"
            "F.binary_cross_entropy(x, torch.ones(3, dtype=torch.double)).backward()"
        ),
    ),
    ErrorFamily(
        id="inplace_dtype",
        says="A result is written into a tensor whose dtype cannot hold it.",
        types=("RuntimeError",),
        today=(
            r"result type (?P<result>\w+) can't be cast to the desired output type "
            r"(?P<target>\w+)",
        ),
        values={
            "result": f"dtype of the result, {_SHORT}",
            "target": "dtype of what is written into",
        },
        sample="torch.ones(3, dtype=torch.long).add_(0.5)",
    ),
    ErrorFamily(
        id="compared_dtypes",
        says="Two tensors of different dtypes are compared.",
        types=("RuntimeError",),
        today=(r"^(?P<left>\w+) did not match (?P<right>\w+)$",),
        values={"left": f"the first dtype, {_SHORT}", "right": "the second"},
        sample="torch.allclose(torch.ones(2, dtype=torch.long), torch.ones(2))",
    ),
    ErrorFamily(
        id="dtypes",
        says="Dtypes do not go together.",
        types=("RuntimeError", "ValueError", "TypeError"),
        today=(
            r"must have the same dtype|to have the same dtype, but got|does not match weight dtype"
            r"|same dtype|dtype [^\n]{0,300}? does not match|did not match",
        ),
        sample=(
            "x = torch.ones(1, 2, 4)\nF.scaled_dot_product_attention(x, x.double(), x.double())"
        ),
        breadth=9,
    ),
    ErrorFamily(
        id="not_implemented_for_dtype",
        says="An operation does not exist for this dtype.",
        types=("NotImplementedError", "RuntimeError"),
        today=(r'"(?P<kernel>[\w.]+)" not implemented for \'(?P<dtype>[\w:<>]+)\'',),
        older=(
            r"\b(?P<kernel>\w+) not implemented for '(?P<dtype>\w+)'",
            r"\b(?P<kernel>\w+) is not implemented for type (?P<dtype>[\w.]+)",
        ),
        values={
            "kernel": "PyTorch's name of the operation",
            "dtype": "it has no version for, in PyTorch's short form, such as Long or Half",
        },
        sample="torch.rand(3, dtype=torch.long)",
        examples=(
            "RuntimeError: _thnn_log_softmax_forward is not implemented for type torch.LongTensor",
            "RuntimeError: exp_cpu not implemented for 'Long'",
        ),
    ),
    ErrorFamily(
        id="output_dtype",
        says="A mean or another average is asked of whole numbers.",
        types=("RuntimeError",),
        today=(
            r"(?<![\w.])(?P<operation>[\w.]+)\(\): could not infer output dtype\. Input dtype "
            r"must be either a floating point or complex dtype\. Got: (?P<dtype>\w+)",
            r"could not infer output dtype",
        ),
        older=(
            r"Can only calculate the (?P<operation>\w+) of floating types\. Got (?P<dtype>\w+)",
            r"(?P<operation>mean)\(\): input dtype should be either floating point or complex "
            r"dtypes\. Got (?P<dtype>\w+)",
        ),
        values={"operation": "that was asked for", "dtype": f"of its input, {_SHORT}"},
        sample="torch.ones(3, dtype=torch.long).mean()",
        examples=(
            "RuntimeError: Can only calculate the mean of floating types. Got Long instead.",
            "RuntimeError: mean(): input dtype should be either floating point or complex dtypes. "
            "Got Long instead.",
        ),
    ),
    ErrorFamily(
        id="needs_floating_point",
        says="An operation needs floating point numbers and gets others.",
        types=("RuntimeError", "TypeError", "ValueError", "NotImplementedError"),
        today=(
            r"(?P<common>expected common dtype to be floating point)",
            r"(?P<tensor>Expected a floating point or complex tensor)",
            r"(?P<deviation>std and var only support floating)",
            r"(?P<either>input tensor must be either float or double dtype)",
            r"(?P<only>only supports floating-point dtypes)",
            r"\b(?P<operation>\w+)\(\): does not support (?P<kind>bool|integer)(?P<input> input)?",
            r"[Ee]xpected a floating point or complex|expected common dtype to be floating"
            r"|does not support (?:bool|integer)|must be (?:a )?float|requires a floating"
            r"|only supported for floating|floating point or complex (?:tensor|dtype)"
            r"|normal expects|expected a floating",
        ),
        details=(r"^(?P<operation>\w+)\(\)",),
        values={
            "common": "the wording of operations with several operands",
            "tensor": "the wording of norms",
            "deviation": "the wording of std and var",
            "either": "the wording of cdist and of windows",
            "only": "the wording of cosine_similarity",
            "operation": "that does not take the kind",
            "kind": "bool or integer",
            "input": "` input` in today's wording",
        },
        sample="torch.linalg.norm(torch.ones(3, dtype=torch.long))",
        breadth=8,
    ),
    ErrorFamily(
        id="bool_subtraction",
        says="Truth values are subtracted or negated.",
        types=("RuntimeError",),
        today=(r"(?:Subtraction|Negation), the",),
        sample="torch.ones(2, dtype=torch.bool) - torch.ones(2, dtype=torch.bool)",
    ),
    ErrorFamily(
        id="value_overflow",
        says="A number does not fit into a tensor's dtype.",
        types=("RuntimeError",),
        today=(r"value cannot be converted to type (?P<type>[\w:]+)",),
        values={"type": "of the tensor, as C++ calls it, such as int64_t"},
        sample='torch.full((2,), float("inf"), dtype=torch.long)',
    ),
)
