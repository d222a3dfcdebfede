"""Dtypes that do not go together, and operations that a dtype does not have."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.one_hot import TO_NUMBERS

_SHORT = "in PyTorch's short form, such as Float"
_CPP = "as C++ calls it, such as float, long int or c10::Half"


def _pair(seen: SeenError, message: str) -> Mapping[str, str]:
    """Both dtypes in one value, whichever comes first."""
    return {"pair": f"{seen['left']} {seen['right']}".lower()}


_HALF = r"(?:c10::)?(?:[Hh]alf|BFloat16)"
_WHOLE = r"(?i:byte|char|short|int|long|(?:un)?signed char|long int|long long|u?int\d+(?:_t)?)"
_REAL = r"(?i:(?:c10::)?(?:half|bfloat16)|float|double|float\d+)"
_PACKED = r"Byte|Char|unsigned char|signed char|(?:c10::)?Float8\w+"
# A line that hands a tensor to a layer or a model of one's own.
_LAYER = (
    r"\bself\.(?!(?:\w*(?:loss|criterion|mask|emb)\w*|forward)\()\w+\(|\b(?:model|net|\w+_net|encoder|"
    r"decoder|backbone)\("
)
_UNDER_AUTOCAST = r"\bautocast\b|\bamp\b|mixed.precision"
# What is written into, on the left of the operator or before the method.
_INDICES = (
    r"\b(?:edge|edges|idx|ids?|index|indices|inds|labels?|tokens?|rows?|cols?|ptr|offsets?"
    r"|\w{1,30}_(?:idx|ids?|index|indices|labels?))(?:\[[^\]\n]{0,60}\])?"
    r"\s*(?:[-+*/]=|\.(?:add|sub|mul|div)_\()"
)
_CLASS_LOSS = r"\b(?:cross_entropy|nll_loss)(?:_nd)?\b"  # named in a traceback

# Kernels of losses of real values; exp is what BCEWithLogitsLoss begins with in old versions.
_OF_LOSSES = r"(?i).*(?:log_sigmoid|binary_cross|bce|mse|smooth_l1|_th_exp).*"

# Nothing of a loss stands in the post, and its code computes something.
_WITHOUT_A_LOSS = (
    r"(?i)\A(?![\s\S]*(?:loss|criterion|crit\(|bce|mse|cross_entropy|backward|target|label))"
)
_NO_LOSS = {
    "given": r"Long|Int|Byte|Short",
    "expected": r"Float",
    "code": _WITHOUT_A_LOSS + r"[\s\S]*\(",
    "words": _WITHOUT_A_LOSS,
}

FAMILIES = (
    ErrorFamily(
        id="numpy_lacks_dtype",
        says="A tensor of a dtype that NumPy does not have is to become an array.",
        decides=True,
        means=(
            "NumPy has no counterpart of {dtype}, so a tensor of that dtype cannot become an array",
        ),
        remedy=(
            Sentence(
                "Convert it first: `x.to(torch.complex64).cpu().numpy()`", {"dtype": r"Complex\w+"}
            ),
            "Convert it on the way: `x.float().cpu().numpy()`; the model can stay as it is. Or "
            "stay in torch: `argsort`, `topk` and most of NumPy's functions are there too. No "
            "driver or build of PyTorch changes that",
        ),
        suspects=(Suspect(r"numpy|asarray|array"),),
        types=("TypeError",),
        today=(r"Got unsupported ScalarType (?P<dtype>\w+)",),
        values={"dtype": _SHORT},
        sample="torch.ones(2, dtype=torch.bfloat16).numpy()",
    ),
    ErrorFamily(
        id="matmul_dtypes",
        says="Tensors of different dtypes are multiplied, or meet in another operation.",
        derive=_pair,
        means=(
            ("A matrix product of two dtypes, {left} and {right}; one has to be converted"),
            "Tensors of different dtypes meet in one operation",
        ),
        remedy=(
            Sentence(
                "If the second is a layer's weight, {right} is how a quantized model packs them, "
                "and only its own layer unpacks them: call the layer in place of taking "
                "`layer.weight`; if it is a library's line, bring its version (peft, transformers, "
                "bitsandbytes) up to date. If it is data, `.float()`",
                {"right": _PACKED, "product": r".+"},
            ),
            *(
                Sentence(
                    "Whole numbers meet floating point, and it is they that are converted, before "
                    "the operation: `x = x.to(other.dtype)`, mostly `x.float()`; ids of tokens or "
                    "classes are meant for an Embedding",
                    {one: rf"{_WHOLE}|[Bb]ool", other: _REAL},
                )
                for one, other in (("left", "right"), ("right", "left"))
            ),
            Sentence(
                "Print both dtypes. In a layer the second is the weight, so the model is double "
                "(`.double()`, `torch.set_default_dtype`, or weights from NumPy): `model.float()`. "
                "If both are data, those from NumPy are float64: `.float()`",
                {"left": r"[Ff]loat", "right": r"[Dd]ouble"},
            ),
            Sentence(
                "Print both dtypes. Data from NumPy are float64 (double) where layers are "
                "float32: `x = x.float()` before the model",
                {"pair": r".*double.*"},
            ),
            Sentence(
                "Two kinds of half precision meet. Choose one in all places that name one: "
                "`torch_dtype=` where the model is loaded, `bnb_4bit_compute_dtype=`, the dtype of "
                "`torch.autocast`, and fp16 or bf16 of a trainer",
                {"pair": r"(?:c10::)?half (?:c10::)?bfloat16|(?:c10::)?bfloat16 (?:c10::)?half"},
            ),
            Sentence(
                "Half precision and float32 meet. In a layer the second is the weight: a float32 "
                "layer gets half precision, as one that was added to a model in half precision "
                "does. Run the forward pass inside `torch.autocast(…)`, or bring the layer to the "
                "dtype of the others, `layer.to(x.dtype)`",
                {"left": _HALF, "right": r"[Ff]loat"},
            ),
            Sentence(
                "Half precision and float32 meet: run the forward pass inside "
                "`torch.autocast(…)`, or bring the input to the model's dtype: "
                "`x.to(next(model.parameters()).dtype)`. `model.half()` converts parameters and "
                "buffers only: a tensor that forward makes, or that is kept as a plain attribute, "
                "stays as it is until it is brought to the dtype of what it meets, `.to(x.dtype)`",
                {"pair": r".*(?:half|bfloat16).*"},
            ),
            "Convert one of them before the operation: `x = x.to(other.dtype)`",
        ),
        suspects=(
            Suspect(r"from_numpy|double|DoubleTensor|half"),
            Suspect(r"tensor"),
        ),
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
        means=("A product of two dtypes, {left} and {right}; one has to be converted",),
        remedy=("Convert one side to the other's dtype, mostly `x = x.float()`",),
        suspects=(Suspect(r"from_numpy|double|DoubleTensor"),),
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
        means=("A product of two dtypes, {left} and {right}; one has to be converted",),
        remedy=("Convert one side to the other's dtype, mostly `x = x.float()`",),
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
        means=("The layer's {which} is {weight} and its input is {input}",),
        remedy=(
            Sentence(
                "Half precision meets a float32 layer: run the forward pass inside "
                "`torch.autocast(…)`, or give the layer float32: `x = x.float()`",
                {"input": _HALF, "weight": r"[Ff]loat"},
            ),
            Sentence(
                "Pictures as bytes are brought to floating point and to the range of the training: "
                "`x.float() / 255`, or `ToTensor()`, and the same normalisation",
                {"input": r"Byte|unsigned char", "weight": r"[Ff]loat"},
            ),
            Sentence(
                "Convert the input before the layer: `x = x.float()`",
                {"weight": r"[Ff]loat"},
            ),
            Sentence(
                "It is not the input that is to be converted: weights of whole numbers are those "
                "of a quantized model, which only its own layers unpack, or the model was "
                "converted by mistake (`model.float()` brings it back)",
                {"weight": rf"{_WHOLE}|[Bb]ool"},
            ),
            Sentence(
                "The layer is in half precision and its input is not: `x = x.half()`, or leave "
                "the model in float32 and use `torch.autocast`",
                {"weight": r"[Hh]alf|c10::Half"},
            ),
            Sentence(
                "The layer is double: `model.float()`, or `x = x.double()`",
                {"weight": r"[Dd]ouble"},
            ),
            "Convert the input to the dtype of the weights: `x = x.to(layer.weight.dtype)`",
        ),
        suspects=(Suspect(r"from_numpy|double|DoubleTensor|ByteTensor|half"),),
        types=("RuntimeError",),
        today=(
            r"Input type \((?!CPU|CUDA)(?P<input>[\w :<>]+)\) and (?P<which>weight|bias) type "
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
        decides=True,
        means=("The recurrent layer's weights are {weight} and its input is {input}",),
        remedy=(
            "Bring the input and the first state to the dtype of the weights: `x = "
            "x.to(torch.{weight})`",
            "Bring the input and the first state to the dtype of the layer's weights",
        ),
        suspects=(Suspect(r"from_numpy|double"),),
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
        means=(
            Sentence(
                "An operation wants dtype {expected} (int64) and one of its tensors is {given}",
                {"expected": r"Long"},
            ),
            "An operation wants dtype {expected} and one of its tensors is {given}",
        ),
        remedy=(
            Sentence(
                "The layer takes the dtype of its input for the one it wants: the input is Long, "
                "so `x = x.float()` before it; ids of tokens are meant for an Embedding",
                {"expected": r"Long", "file": r"linear\.py|conv\.py|rnn\.py"},
            ),
            *(
                Sentence(
                    "The targets of a cross entropy are class numbers in int64, and these are "
                    "{given}: `target.long()`. Whole numbers of NumPy are int32 on Windows "
                    "(before NumPy 2), and `torch.from_numpy` keeps that, so the same script runs "
                    "elsewhere",
                    {"expected": r"Long", "given": r"Int", where: _CLASS_LOSS},
                )
                for where in ("frames", "line", "words")
            ),
            *(
                Sentence(TO_NUMBERS, {"expected": r"Long", where: _CLASS_LOSS})
                for where in ("frames", "line")
            ),
            Sentence(
                "Class numbers for a loss and indices have to be int64: `.long()`. In a layer or "
                "a matrix product it is the other way round: there the input is Long, and `x = "
                "x.float()` helps",
                {"expected": r"Long"},
            ),
            Sentence(
                "Double and float32 meet: data from NumPy are float64, so `x = x.float()` before "
                "the model; or the model was made double",
                {"expected": r"Float", "given": r"Double"},
            ),
            Sentence(
                "Convert the whole numbers before the operation: `x = x.float()`; a loss such as "
                "MSELoss or BCE needs float targets too: `target.float()`",
                {"expected": r"Float", "given": r"Long|Int|Byte|Short"},
            ),
            *(
                Sentence(
                    "Under autocast its own operations choose their dtype; one that it does not "
                    "know (an extension, a custom Function, buffers that were made outside) gets "
                    "both. Give that one float32: `with torch.autocast(x.device.type, "
                    "enabled=False): y = op(x.float())`; a Function takes "
                    "`custom_fwd(cast_inputs=torch.float32)`",
                    {"given": given, "expected": expected, where: _UNDER_AUTOCAST},
                )
                for given, expected in ((_HALF, r"Float"), (r"Float", _HALF))
                for where in ("words", "code", "frames")
            ),
            *(
                Sentence(
                    "Half precision and float32 meet: run the forward pass inside "
                    "`torch.autocast(…)`, or bring both model and input to one of the two; "
                    "`.half()` on only one of them gives this",
                    {"given": given, "expected": expected},
                )
                for given, expected in ((_HALF, r"Float"), (r"Float", _HALF))
            ),
            *(
                Sentence(
                    "The layer takes the dtype of its input for the one it wants, and its weights "
                    "are {given}: convert the input, `x = x.float()` before it. Pictures as bytes "
                    "also need the range and the normalisation of the training, mostly `x.float() "
                    "/ 255`",
                    {"expected": _WHOLE, "given": _REAL, where: told},
                )
                for where, told in (("file", r"linear\.py|conv\.py|rnn\.py"), ("line", _LAYER))
            ),
            Sentence(
                "Whole numbers ({expected}) and floating point ({given}) meet. In a layer, or "
                "where anything is computed, the whole numbers are converted: `x = x.float()` "
                "(pictures as bytes also need the range of the training, mostly `/ 255`). Only "
                "masks, indices and class numbers are meant as they are, and are made so: by a "
                "comparison, by `argmax`",
                {"expected": _WHOLE, "given": _REAL},
            ),
            Sentence(
                "Truth values are wanted of a mask or a condition: make it by a comparison (`x > "
                "0.5`), or, of zeros and ones, by `mask.bool()`. If it is no mask, the truth "
                "values are converted: `.float()`",
                {"expected": r"Bool"},
            ),
            *(
                Sentence(
                    "Complex and real numbers meet. To compute in complex numbers, make the real "
                    "ones complex: `x.to(torch.complex64)`. If the real part or the size of the "
                    "complex ones is meant, `y.real` or `y.abs()` says which: a conversion drops "
                    "the imaginary part",
                    {which: r"Complex\w+"},
                )
                for which in ("expected", "given")
            ),
            Sentence(
                "Something is double: data from NumPy, or a model after `.double()`. Use "
                "`.float()` everywhere, or `.double()` on both sides",
                {"expected": r"Double"},
            ),
            "Print both dtypes, and convert what loses nothing by it: whole numbers to floating "
            "point, or to {expected_dtype} where that is what the operation takes",
        ),
        suspects=(
            Suspect(r"from_numpy|double|DoubleTensor|half|HalfTensor"),
            Suspect(r"tensor"),
        ),
        types=("RuntimeError",),
        today=(r"[Ee]xpected scalar type (?P<expected>\w+) but found (?P<given>\w+)",),
        older=(r"^expected (?P<expected>\w+) tensor \(got (?P<given>\w+) tensor\)",),
        examples=("RuntimeError: expected Float tensor (got Double tensor)",),
        values={"expected": f"the dtype it needs, {_SHORT}", "given": "the dtype it got"},
        sample="torch.bmm(torch.ones(1, 2, 3), torch.ones(1, 3, 2, dtype=torch.double))",
    ),
    ErrorFamily(
        id="argument_scalar_type",
        says="An argument of an operation has another dtype than the others.",
        means=(
            Sentence(
                "The index (argument '{name}') has to be int64, and is {given}",
                {"name": r"index|indices", "expected": r"Long"},
            ),
            Sentence(
                "The input of a matrix product (a Linear layer is one) is {expected} and the "
                "weight is {given}; both have to be of one dtype",
                {"name": r"mat2|weight|tensor2"},
            ),
            Sentence(
                "The input of a matrix product (a Linear layer is one) is {given} and the layer is "
                "{expected}; both have to be of one dtype",
                {"name": r"mat1|tensor1"},
            ),
            (
                "Argument {argument} ('{name}') of the operation is {given} where the other "
                "tensor is {expected}; both have to be of one dtype"
            ),
            (
                "The operation needs dtype {expected} and got {given}; all its tensors have "
                "to be of one dtype"
            ),
        ),
        remedy=(
            Sentence(
                "Convert the index: `index.long()`; and check that it counts along the right `dim` "
                "(one-hot rows over the classes of a batch are written along dim 1)",
                {"name": r"index|indices"},
            ),
            Sentence(
                "Whole and real numbers are compared or added: make both real, which loses "
                "nothing: `a.float()`. If both count classes, the real ones are perhaps scores, of "
                "which `argmax(dim=1)` gives the class",
                {"name": "other", "given": r"Float|Double", "expected": r"Long|Int"},
            ),
            Sentence(
                "Convert the input before the layer: `x = x.float()`",
                {"name": r"mat2|weight|tensor2", "given": r"Float"},
            ),
            Sentence(
                "Convert the input before the layer: `x = x.float()`",
                {"name": r"mat1|tensor1", "expected": r"Float"},
            ),
            Sentence(
                "Make the mask by a comparison (`x > 0.5`), or, of zeros and ones, by "
                "`mask.bool()` (before torch 1.2 `mask.byte()`)",
                {"name": r"mask|condition"},
            ),
            Sentence(
                "Comparisons give bool since torch 1.2, and masks of older code are uint8: bring "
                "both to bool, `mask.bool()`",
                {"expected": r"Byte|Bool", "given": r"Byte|Bool"},
            ),
            Sentence(
                "Convert the input before the layer: `x = x.float()`",
                {"name": r"mat1|mat2|weight|tensor[12]", "expected": _WHOLE, "given": _REAL},
            ),
            Sentence(
                "Class numbers and indices have to be int64: `.long()`. Where the loss compares "
                "real values (MSELoss, BCELoss), convert the target instead: `target.float()`",
                {"expected": r"Long"},
            ),
            Sentence(
                "Convert the one that is {given}: `x.float()` (often data from NumPy, "
                "which are float64, or integer labels for a loss that compares real values)",
                {"expected": r"Float"},
            ),
            (
                "Convert one side so that both have one dtype, often `.float()` for data "
                "and `.long()` for class numbers"
            ),
        ),
        suspects=(
            Suspect(r"from_numpy|double|DoubleTensor|long|LongTensor|scatter_|gather|scatter"),
        ),
        now=Sentence(
            "mat1 and mat2 must have the same dtype, but got {expected} and {given}",
            {"name": r"mat2"},
        ),
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
        means=(
            Sentence(
                "Something {given} meets {expected} weights, and there is no loss in what was "
                "posted | the input of a layer is made of whole numbers",
                _NO_LOSS,
            ),
            "A loss or gradient is {given} where {expected} is needed | the target of the "
            "loss is {given}, or predictions and target have different dtypes",
        ),
        remedy=(
            Sentence(
                "Print the dtype of what goes into the first layer. Whole numbers that stand for "
                "categories (kinds, ids) belong into `nn.Embedding`, one for each column, whose "
                "vectors are summed or joined; those that are quantities become `x.float()`. "
                "Indices, such as `edge_index`, stay int64",
                _NO_LOSS,
            ),
            Sentence(
                "Make the target floating point before the loss: `target = target.float()` "
                "(BCELoss, BCEWithLogitsLoss and MSELoss compare real values). Where it is made by "
                "`torch.full(size, 1)`: since torch 1.7 that gives int64, so say "
                "`dtype=torch.float`",
                {"expected": r"Float", "given": r"Long|Int|Byte|Bool|Short"},
            ),
            (
                "Give predictions and target one dtype before the loss: `target = "
                "target.to(output.dtype)`"
            ),
        ),
        suspects=(
            Suspect(r"MSELoss|BCELoss|BCEWithLogitsLoss|mse_loss|binary_cross_entropy|L1Loss"),
            Suspect(
                r"full|full_like|LongTensor|long|double|from_numpy",
                "makes a tensor whose dtype may be the one",
            ),
        ),
        types=("RuntimeError",),
        today=(r"Found dtype (?P<given>\w+) but expected (?P<expected>\w+)",),
        values={"given": f"the dtype that is there, {_SHORT}", "expected": "the dtype it needs"},
        sample=(
            "x = torch.ones(3, requires_grad=True)\nF.binary_cross_entropy(x, torch.ones(3, "
            "dtype=torch.double)).backward()"
        ),
    ),
    ErrorFamily(
        id="inplace_dtype",
        says="A result is written into a tensor whose dtype cannot hold it.",
        means=(
            (
                "A {result} result is written in place into a tensor of {target}, which "
                "cannot hold it"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "If the line is a loss of real values (BCE, MSE), its target is {target}: "
                    "`target.float()`. Else write it out of place (`x = x / 2` instead of `x /= "
                    "2`), or make the tensor floating point first",
                    {where: r"loss|criterion|binary_cross_entropy"},
                )
                for where in ("line", "raising")
            ),
            Sentence(
                "What is written into are whole numbers, and its bounds are {result}: if it is an "
                "index, make the bounds whole (`x.clamp_(0, bound.long() - 1)`), and leave it as "
                "it is. Older versions of PyTorch let this pass, so code of that time may have the "
                "same elsewhere",
                {"line": r"\.clamp_(?:min_|max_)?\(", "target": r"(?i)long|int"},
            ),
            Sentence(
                "Whole numbers as the targets of a loss of real values (BCE, MSE) give this too, "
                "and `{quoted}` makes some: if they go into such a loss, `target.float()`, in the "
                "shape of the output. Else write it out of place (`x = x / 2` instead of `x /= 2`)",
                {
                    "target": r"Long|Int",
                    "code": (
                        r"astype\((?:np\.)?['\"]?int|\.long\(\)|LongTensor"
                        r"|torch\.(?:long|int64)"
                    ),
                },
            ),
            Sentence(
                "If the complex result is meant, make what is written into complex too. If only "
                "its size or its real part is wanted, `y.abs()` or `y.real` says which",
                {"result": r"Complex\w+"},
            ),
            *(
                Sentence(
                    "If what is written into are indices, ids or labels, they have to stay whole: "
                    "make what comes to them whole where it is made (`np.zeros` and `torch.zeros` "
                    "give floats unless `dtype=` says int64), or convert it, `int(…)` of one "
                    "number and `.long()` of a tensor. Out of place the result would be floats, "
                    "which no index may be",
                    {where: _INDICES, "target": r"(?i)long|int", "result": _REAL},
                )
                for where in ("line", "raising", "code")
            ),
            (
                "Write it out of place (`x = x / 2` instead of `x /= 2`), or make the "
                "tensor floating point first: `x = x.float()`. Of the entries of a state dict only "
                "the counters of batch norm, `num_batches_tracked`, are integers: leave out what "
                "is not `is_floating_point()`, for an update out of place reaches no model"
            ),
        ),
        suspects=(Suspect(r".*", kinds=("update",)),),
        types=("RuntimeError",),
        today=(
            r"result type (?P<result>\w+?) ?can't be cast to the desired output type "
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
        decides=True,
        means=("Two tensors of {left} and {right} are compared; they need one dtype",),
        remedy=(
            "Convert the one that loses nothing: whole numbers with `.float()`, float32 with "
            "`.double()`; the other way fractions are cut off, and what differs may count as equal",
        ),
        types=("RuntimeError",),
        today=(r"^(?P<left>\w+) did not match (?P<right>\w+)$",),
        values={"left": f"the first dtype, {_SHORT}", "right": "the second"},
        sample="torch.allclose(torch.ones(2, dtype=torch.long), torch.ones(2))",
    ),
    ErrorFamily(
        id="dtypes",
        says="Dtypes do not go together.",
        means=("Tensors of different dtypes meet in one operation",),
        remedy=(
            "Print the dtypes before the line, and convert one of them with `.to(other.dtype)`: of "
            "whole numbers and floating point the whole numbers",
        ),
        types=("RuntimeError", "ValueError", "TypeError"),
        today=(
            r"must have the same dtype|to have the same dtype, but got|does not match weight dtype"
            r"|same dtype|dtype [^\n]{0,300}? does not match|types? did not match",
        ),
        sample=(
            "x = torch.ones(1, 2, 4)\nF.scaled_dot_product_attention(x, x.double(), x.double())"
        ),
        breadth=9,
    ),
    ErrorFamily(
        id="not_implemented_for_dtype",
        says="An operation does not exist for this dtype.",
        means=(
            Sentence(
                'The operation behind "{kernel}" does not exist for half precision (`{dtype}`) on '
                "the GPU, in the version that ran it",
                {"dtype": r"Half|c10::Half|BFloat16", "kernel": r".*cuda.*"},
            ),
            Sentence(
                'The operation behind "{kernel}" does not exist for sparse tensors',
                {"dtype": r"(?i).*sparse.*"},
            ),
            'The operation behind "{kernel}" does not exist for dtype {dtype}',
        ),
        remedy=(
            Sentence(
                "Use what there is for sparse ones (`torch.sparse.mm`), or `x.to_dense()` first",
                {"dtype": r"(?i).*sparse.*"},
            ),
            Sentence(
                "Compute this one operation in float32 (`x.float()`), or take a newer torch",
                {"dtype": r"Half|c10::Half|BFloat16", "kernel": r".*cuda.*"},
            ),
            Sentence(
                "If they are class numbers, they have to be int64: `labels.long()`. If they are "
                "real values, another loss is meant (MSELoss, BCEWithLogitsLoss)",
                {
                    "kernel": r"(?i).*nll_?loss.*|.*cross_entropy.*",
                    "dtype": r"Float|Double",
                },
            ),
            Sentence(
                "Class numbers have to be int64: `labels.long()`",
                {
                    "kernel": r"(?i).*nll_?loss.*|.*cross_entropy.*",
                    "dtype": r"Int|Short|Byte|Char|Bool",
                },
            ),
            Sentence(
                "Whole numbers stand where the predictions belong: perhaps the two arguments of "
                "the loss are swapped (`criterion(output, target)`), or what is given was taken "
                "through argmax; else `x.float()`",
                {"kernel": r"(?i).*softmax.*", "dtype": r"Long|Int"},
            ),
            Sentence(
                "If what goes into the loss was taken through `{quoted}`, leave that out: places "
                "of the largest scores are whole numbers without a gradient, and `.float()` would "
                "only bring `does not require grad` in its place. The loss takes the scores "
                "themselves, `F.cross_entropy(scores, class_numbers)` with the class numbers as "
                "they are (for several of them the sum of their losses); argmax is for the "
                "accuracy. If it was not: `x.float()`",
                {"kernel": _OF_LOSSES, "dtype": r"Long|Int", "code": r"\bargmax\("},
            ),
            Sentence(
                "Bits are combined of whole numbers and masks only: make masks with comparisons, "
                "or convert with `.bool()`",
                {"kernel": r".*bitwise.*|.*(?:and|or|xor)__.*", "dtype": r"Float|Double|Half"},
            ),
            Sentence(
                "Convert to floating point first: `x.float()`. If it is a mask of class numbers, "
                "resize it with mode='nearest', so that no class is mixed, and go back with "
                "`.long()`",
                {"kernel": r"upsample\w*|.*interpol\w*", "dtype": r"Long|Int|Byte|Short|Bool|Char"},
            ),
            Sentence(
                "Convert before torch, `array.astype(np.int32)` (or float32): few operations know "
                "unsigned integers of more than 8 bits",
                {"dtype": r"UInt(?:16|32|64)"},
            ),
            Sentence(
                "Do it for the real and the imaginary part (`torch.view_as_real(x)`), or for "
                "`x.abs()`, as it is meant",
                {"dtype": r"Complex\w+"},
            ),
            Sentence(
                "Convert to floating point first: `x.float()`",
                {"dtype": r"Long|Int|Byte|Short|Bool|Char"},
            ),
            Sentence(
                "Places and counts have to be whole numbers: `index.long()`, or made so, "
                "`torch.tensor(pairs, dtype=torch.long)`; `torch.Tensor(…)` makes float32 of all "
                "that it is given. Of a graph (PyTorch Geometric) that is `edge_index`, and the "
                "features stay floating point",
                {
                    "kernel": r"(?i).*(?:convert_indices|bincount|one_?hot|csr|coo).*",
                    "dtype": r"Float|Double",
                },
            ),
            Sentence(
                "Print the dtypes of what goes in: where places, class numbers, counts or bits "
                "are meant they have to be whole numbers, `x.long()`",
                {"dtype": r"Float|Double"},
            ),
            (
                "Convert to a dtype that the operation has, such as float32 (`x.float()`) or int64 "
                "(`x.long()`)"
            ),
        ),
        types=("NotImplementedError", "RuntimeError"),
        today=(r'"(?P<kernel>[\w.]+)" not implemented for \'(?P<dtype>[\w:<>]+)\'',),
        older=(
            r"\b(?P<kernel>\w+) not implemented for '(?P<dtype>\w+)'",
            r"\b(?P<kernel>\w+) is not implemented for type (?P<dtype>[\w.]+)",
            r"\b(?P<kernel>_\w{1,60}) (?:is )?not supported on C(?:PU|UDA)Type for "
            r"(?P<dtype>[A-Z][a-z]{2,10}?)(?:Tensor)?\b",
        ),
        values={
            "kernel": "PyTorch's name of the operation",
            "dtype": "it has no version for, in PyTorch's short form, such as Long or Half",
        },
        sample="torch.rand(3, dtype=torch.long)",
        examples=(
            "RuntimeError: _thnn_log_softmax_forward is not implemented for type torch.LongTensor",
            "RuntimeError: exp_cpu not implemented for 'Long'",
            "RuntimeError: _th_exp_out not supported on CUDAType for Long",
        ),
    ),
    ErrorFamily(
        id="output_dtype",
        says="A mean or another average is asked of whole numbers.",
        decides=True,
        means=(
            "{operation} is asked of whole numbers ({dtype}); it needs floating point",
            ("A mean or another average is asked of whole numbers; it needs floating point"),
        ),
        remedy=("Convert first: `x.float().mean()`",),
        suspects=(Suspect(r"mean|std|var|softmax"),),
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
        decides=True,
        means=(
            "{operation} needs floating point numbers and gets others",
            "An operation needs floating point numbers and gets others",
        ),
        remedy=("Convert first: `x.float()`",),
        suspects=(Suspect(r"{operation}"),),
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
        decides=True,
        means=("Truth values are subtracted or negated, which `-` does not do",),
        remedy=(
            (
                "`1 - mask` becomes `~mask`; a difference of two masks `a ^ b`; or convert "
                "with `.int()`"
            ),
        ),
        types=("RuntimeError",),
        today=(r"(?:Subtraction|Negation), the",),
        sample="torch.ones(2, dtype=torch.bool) - torch.ones(2, dtype=torch.bool)",
    ),
    ErrorFamily(
        id="value_overflow",
        says="A number does not fit into a tensor's dtype.",
        means=("A number does not fit into the tensor's dtype",),
        remedy=(
            Sentence(
                "Fill with what half precision holds: `torch.finfo(x.dtype).min` (or -1e4) instead "
                "of -1e9",
                {"type": r".*Half"},
            ),
            Sentence(
                "The tensor holds whole numbers, and neither infinity nor a number outside of its "
                "range. If real values are meant, make it floating point (`x.float()`); if not, "
                "`torch.iinfo(x.dtype)` says what fits",
                {"type": r"u?int.*|long.*|short|signed char|unsigned char"},
            ),
            "Use a larger dtype, or a fill value that fits: `torch.finfo(x.dtype)` says which do",
        ),
        suspects=(Suspect(r"masked_fill|masked_fill_|full|fill_"),),
        types=("RuntimeError",),
        today=(r"value cannot be converted to type (?P<type>[\w:]+)",),
        values={"type": "of the tensor, as C++ calls it, such as int64_t"},
        sample='torch.full((2,), float("inf"), dtype=torch.long)',
    ),
    ErrorFamily(
        id="mask_dtype",
        says="A mask is made of numbers where it has to be of True and False.",
        decides=True,
        means=(
            "{operation} takes a mask of True and False alone, and this one is {given} (older "
            "versions took numbers too)",
            "{operation} takes a mask of True and False alone",
        ),
        remedy=(
            "`mask.bool()`, which is True for every number but 0, or compare: `mask == 0`. True is "
            "where the value goes. Do it where the mask is made, for each that the model makes: "
            "`torch.triu(torch.ones(n, n, dtype=torch.bool), 1)`",
        ),
        suspects=(Suspect(r"masked_\w+", "takes it"),),
        types=("RuntimeError",),
        today=(
            r"(?P<operation>masked_(?:fill|scatter)_?) only supports boolean masks, but got mask "
            r"with dtype (?P<given>[\w ]{1,30})",
            r"(?P<operation>masked_select): expected BoolTensor for mask",
        ),
        values={"operation": "that takes the mask", "given": "dtype of the mask"},
        sample="torch.ones(3).masked_fill(torch.ones(3), 0.0)",
        examples=("RuntimeError: masked_select: expected BoolTensor for mask",),
    ),
)
