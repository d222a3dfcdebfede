"""Making tensors from data, and turning them into numbers, truth values and NumPy arrays."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

# A dictionary's view, or an iterator, given to NumPy.
_VIEW = r"array\((?:[\w.]+\.(?:values|keys|items)\(\)|(?:map|zip|filter)\()"


def _not_of_colours(seen: SeenError, message: str) -> Mapping[str, str]:
    """What two shapes lack: an axis, or channels of a picture where three numbers meet them."""
    one, other = seen.sizes("one"), seen.sizes("other")
    if len(one) == len(other) + 1 and one[:-1] == other:
        return {"without": "b[..., None]"}
    if len(one) == 3 and other == one[:1] == (3,):
        return {"first": "yes"}
    if len(one) == 3 and other == (3,) and one[-1] == 4:
        return {"alpha": "yes"}
    if len(one) != 3 or other != (3,) or one[-1] in (1, 2, 3, 4):
        return {}
    return {"channels": str(one[-1])}


_NO_DTYPE = (
    "A function of NumPy's is given something as dtype that is none | a shape without its brackets"
)
_SHAPE_IN_BRACKETS = (
    "If a shape is meant, it takes brackets of its own: `np.zeros((2, 3))`, for the second "
    "argument is the dtype. If a dtype is, name one that this version knows: `np.float32`"
)
# A class that is called like a model, and given what is called like its input.
_MADE_OF_A_TENSOR = (
    r"(?m)^[ \t]*(?:\w+ *= *)?(?:\w+\.)?[A-Z]\w*(?:[Nn]et|Model|GAN|Encoder|Decoder|Classifier)"
    r"\w*\((?:imgs?|images?|x|inputs?|data|batch|tensor)\)"
)
_ARRAYS_INSIDE = r"\barray\(\s*\[\s*array\(\s*\["  # as NumPy prints an array of arrays

_OF_ROWS = r"(?i)\b(?:as)?array\(\s*\w*(?:rows|vec|vectors|embed\w*|lines|table|weights)\w*\s*\)"
_RESET = r"\benv\w*\.reset\("

# What torch.tensor says of a text, raised before in the same chain.
_OF_TEXTS = r"too many dimensions 'str'"

# A bound of a slice, or an index, that is divided: `x[a / 2 : b / 2]`.
_DIVIDED_BOUND = r"\w\[(?:[^\[\]\n]{0,80}[,:])? *[\w.]{1,40} */ *[\w.]{1,40} *[,:\]]"

FAMILIES = (
    ErrorFamily(
        id="ragged_rows",
        says="A tensor is made of rows with different lengths.",
        means=(
            (
                "A tensor is made of rows with different lengths: {expected} and {given} "
                "in dimension {dimension}"
            ),
        ),
        remedy=(
            "If they differ by nature, pad them: `torch.nn.utils.rnn.pad_sequence`, or of a "
            "tokenizer `padding=True, truncation=True`, and a collator that pads the labels too. "
            "If all should have {expected}, find the row that has {given}",
        ),
        suspects=(Suspect(r"tensor|Tensor|LongTensor|FloatTensor|as_tensor"),),
        types=("ValueError",),
        today=(
            r"expected sequence of length (?P<expected>\d+) at dim (?P<dimension>\d+) "
            r"\(got (?P<given>\d+)\)",
        ),
        values={
            "expected": "length of the first row",
            "dimension": "of the tensor",
            "given": "length of the row that differs",
        },
        sample="torch.tensor([[1, 2], [3]])",
    ),
    ErrorFamily(
        id="ragged_array",
        says="A NumPy array is made of rows with different lengths.",
        means=(
            Sentence(
                "`env.reset()` gives `(obs, info)` since gym 0.26, of which no array can be made",
                {"words": r"\benv\w*\.reset\("},
            ),
            Sentence("An array is made of rows with different lengths", {"ragged": r".+"}),
            "A sequence stands where an array takes one number | rows of different lengths, or a "
            "list that is written into one element (`a[i] = [1, 2]`)",
        ),
        remedy=(
            Sentence(
                "`obs, info = env.reset()`, and `obs, reward, terminated, truncated, info = "
                "env.step(action)`",
                {"words": r"\benv\w*\.reset\("},
            ),
            "Print `[len(row) for row in rows]`. If lengths differ by nature, pad the rows, or "
            "keep a list (an array of objects, `dtype=object`, becomes no tensor). If the parts "
            "are things of several kinds, such as (image, label), make an array of each. If one "
            "element is written, it takes one number",
        ),
        values={"ragged": "as the wording of today says it"},
        details=(r"(?P<ragged>inhomogeneous)",),
        types=("ValueError",),
        today=(r"inhomogeneous shape|setting an array element with a sequence",),
        sample="np.array([[1, 2], [3]])",
    ),
    ErrorFamily(
        id="tensor_of_text",
        says="A tensor is made of text.",
        decides=True,
        means=("A tensor is made of text",),
        remedy=(
            (
                "Turn texts into numbers first: class names by a dictionary, numbers by "
                "`float(…)`, sentences by a tokenizer"
            ),
        ),
        suspects=(Suspect(r"tensor|Tensor|as_tensor"),),
        types=("ValueError", "TypeError"),
        today=(r"too many dimensions 'str'|invalid data type 'str'",),
        sample='torch.tensor(["a", "b"])',
    ),
    ErrorFamily(
        id="tensor_of_objects",
        says="A tensor is made of an array that holds text or Python objects.",
        means=(
            Sentence(
                "A tensor is made of an array that holds one object and no numbers: NumPy does not "
                "read what `.values()`, `.keys()`, `map` or `zip` give as a list",
                {"code": _VIEW},
            ),
            *(
                Sentence(
                    "A tensor is made of an array whose entries are arrays themselves: for NumPy "
                    "they are objects and no numbers",
                    {where: _ARRAYS_INSIDE},
                )
                for where in ("words", "code")
            ),
            "A tensor is made of an array of {kind} | its entries are text, None, of several "
            "types (columns of bool and of float, for one), or rows of different lengths",
        ),
        remedy=(
            Sentence("Make a list of it first: `np.array(list(…))`", {"code": _VIEW}),
            *(
                Sentence(
                    "Join them first: where all have one shape, `torch.from_numpy(np.stack(list("
                    "array)).astype(np.float32))`; `astype` alone does not open them. Where the "
                    "lengths differ: `torch.nn.utils.rnn.pad_sequence([torch.as_tensor(row, "
                    "dtype=torch.float32) for row in array], batch_first=True)`",
                    {where: _ARRAYS_INSIDE},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "Look at how long the rows are, `{{len(row) for row in rows}}`. If the lengths "
                "differ, `astype` does not help: of rows that were read from a file some were cut "
                "in the wrong place, or are none: a first line with the number of vectors and "
                "their length (word2vec and fastText write one, GloVe does not), a word with a "
                "space in it. Print the odd ones and skip or mend them",
                {"kind": r"object_", "line": _OF_ROWS},
            ),
            "Print `array.dtype` and `array[0]`. If all entries are numbers: "
            "`array.astype(np.float32)`; text columns need numbers for their categories first; "
            "where rows have different lengths it does not help: see whether that is meant, and "
            "pad them if so",
        ),
        suspects=(Suspect(r"tensor|from_numpy|Tensor|FloatTensor|as_tensor"),),
        types=("TypeError",),
        today=(r"can't convert np\.ndarray of type numpy\.(?P<kind>str_|object_)",),
        values={"kind": "str_ for text, object_ for anything else"},
        sample='torch.from_numpy(np.array(["a", "b"]))',
    ),
    ErrorFamily(
        id="tensor_of_unknown",
        says="A tensor is made of something that has no dtype.",
        means=(
            Sentence(
                "torch does not know numpy's own numbers ({given}): it does not go together with "
                "the numpy that is installed",
                {"given": r"numpy\.\w+"},
            ),
            "A tensor is made of a {given}, which has no dtype",
        ),
        remedy=(
            Sentence(
                "Install a numpy that this torch was built with (`numpy<2` for torch before 2.3), "
                "or a newer torch, and pin both; the code itself is not at fault. A warning about "
                "NumPy 1.x and 2.x at the import is of the same cause",
                {"given": r"numpy\.\w+"},
            ),
            Sentence(
                "None stands in the data: a function returned nothing, or a value is missing",
                {"given": r"NoneType"},
            ),
            (
                "Convert it to numbers or an array first (`np.array(x)`, for images "
                "`transforms.ToTensor()`)"
            ),
        ),
        suspects=(Suspect(r"tensor|as_tensor|array"),),
        types=("RuntimeError", "TypeError"),
        today=(r"[Cc]ould not infer dtype of (?P<given>[\w.]+)",),
        values={"given": "type of the data"},
        sample='torch.tensor({"a": 1})',
    ),
    ErrorFamily(
        id="shape_of_unknown",
        says="A tensor is made of a sequence whose length cannot be read.",
        means=("A tensor is made of a {given}, whose length cannot be read",),
        remedy=("Make a list or array of it first",),
        suspects=(Suspect(r"tensor|Tensor"),),
        types=("ValueError", "RuntimeError", "TypeError"),
        today=(r"could not determine the shape of object type '?(?P<given>[\w.]+)'?",),
        values={"given": "type of the data"},
        needs="a sequence of a library's whose length fails without an exception",
        examples=("ValueError: could not determine the shape of object type 'Series'",),
    ),
    ErrorFamily(
        id="number_needed",
        says="A number is needed, and something else is given.",
        means=(
            Sentence(
                "A text (str) stands among the values where a number is needed",
                {"given": r"str"},
            ),
            Sentence("None stands where a number is needed", {"given": r"NoneType"}),
            "A number is needed, and a {given} is given",
        ),
        remedy=(
            Sentence(
                "See where it comes from: a function without `return`, a setting that was not "
                "given, a value that is missing",
                {"given": r"NoneType"},
            ),
            Sentence(
                "Find it: `[(i, v) for i, v in enumerate(values) if isinstance(v, str)]`; values "
                "read from a file (CSV, YAML, JSON) are often text: convert them with `float(v)`",
                {"given": r"str"},
            ),
            "Take one number out of it; if it holds several and all are meant, use a function that "
            "takes them (`torch.sqrt` or `np.sqrt` in place of `math.sqrt`)",
        ),
        types=("TypeError",),
        today=(r"must be real number, not (?P<given>\w+)",),
        values={"given": "type of what is given"},
        sample="import math\nmath.sqrt([1])",
    ),
    ErrorFamily(
        id="sequence_needed",
        says="A tensor is made of something that is no sequence of numbers.",
        means=(
            Sentence(
                "Bytes are needed, and a {got} is given | a file that is opened as text, or a text "
                "that was not encoded",
                {"got": r".+"},
            ),
            "A tensor is made of something that is no sequence of numbers",
        ),
        remedy=(
            Sentence(
                "If it is a file, open it as bytes (`'rb'`, `'wb'`), or hand over its path alone; "
                "if it is a text, `text.encode()` makes bytes of it",
                {"got": r"str"},
            ),
            Sentence(
                "Print its type where it is made: what reads bytes takes them from a file that is "
                "open as `'rb'`, or from `io.BytesIO(data)`",
                {"got": r".+"},
            ),
            "Print its type; an image goes through `transforms.ToTensor()` or `np.array(image)`",
        ),
        values={"got": "type of what stands where bytes are needed"},
        suspects=(Suspect(r"Tensor|FloatTensor|LongTensor|tensor"),),
        types=("TypeError",),
        today=(
            r"a bytes-like object(?: is required, not '(?P<got>\w+)')?",
            r"new\(\): data must be a sequence",
        ),
        sample='torch.Tensor({"a": 1}.keys())',
    ),
    ErrorFamily(
        id="several_elements",
        says="One number is asked of a tensor that has several.",
        means=("One number is asked of a tensor that has {elements}",),
        remedy=(
            "If one number is meant, reduce it first (`.mean()`, `.sum()`, an index); if all are, "
            "use `.tolist()`. A loss gives one number with its default reduction; if the model "
            "computes it behind DataParallel, it comes once for each GPU: `loss.mean()`",
        ),
        suspects=(Suspect(r"item|float|int"),),
        types=("RuntimeError", "ValueError"),
        today=(
            r"(?:(?P<article>a) )?Tensor with (?P<elements>\d+) elements cannot be converted to "
            r"Scalar",
        ),
        values={"article": "`a` in today's wording", "elements": "that the tensor has"},
        sample="torch.ones(2).item()",
    ),
    ErrorFamily(
        id="one_element_tensors",
        says="A tensor of several elements stands where one number is needed.",
        means=(
            (
                "A list of tensors with several values each is made into a tensor (or a "
                "tensor of several values into one number)"
            ),
        ),
        remedy=(
            "If tensors are to be joined: `torch.stack(list)` (or `torch.cat`), and not "
            "`torch.tensor`, which is for numbers. If one number is meant, reduce it first "
            "(`.mean()`, an index)",
        ),
        suspects=(Suspect(r"tensor|Tensor|FloatTensor|LongTensor|array|float|int|as_tensor"),),
        types=("ValueError", "TypeError"),
        today=(
            r"(?P<wording>only one element tensors can be converted to Python scalars)",
            r"only one element tensors can be converted",
        ),
        values={"wording": "of today"},
        sample="torch.tensor([torch.ones(2), torch.ones(2)])",
    ),
    ErrorFamily(
        id="array_to_number",
        says="One number is asked of a NumPy array that has several.",
        means=("One number is asked of an array that has several",),
        remedy=(
            "If all are meant, use a function that takes arrays (`np.sqrt` in place of "
            "`math.sqrt`, `a.astype(int)` in place of `int(a)`). If one number is, take an element "
            "or reduce it",
        ),
        types=("TypeError",),
        today=(r"only (?:length-1|size-1|0-dimensional) arrays",),
        sample="float(np.ones(2))",
    ),
    ErrorFamily(
        id="index_of_one_element",
        says="A tensor stands where Python needs one whole number.",
        means=(
            *(
                Sentence(
                    "A tensor of floating point stands where Python needs a whole number: `/` "
                    "gives one, of whole numbers too, and `{quoted}` takes it as an index or as "
                    "the bound of a slice",
                    {where: _DIVIDED_BOUND},
                )
                for where in ("line", "code")
            ),
            "A tensor stands where Python needs one whole number",
        ),
        remedy=(
            *(
                Sentence(
                    "Write `//` in place of `/` in all of these brackets (or `int(x / 4)`). Where "
                    "two bounds have to fit each other, see that both are rounded alike",
                    {where: _DIVIDED_BOUND},
                )
                for where in ("line", "code")
            ),
            "If it holds one number, `int(x)`. If it holds several, they are no position for a "
            "list: `[items[i] for i in x.tolist()]`, or make a tensor of the list",
        ),
        types=("TypeError",),
        today=(r"only integer tensors of a single element",),
        sample="range(torch.ones(2))",
    ),
    ErrorFamily(
        id="tensor_truth",
        says="One yes or no is asked of a tensor that has several values, or none.",
        means=(
            (
                "An `if` (or `and`, `not`, `in`, `==` of lists) asks one yes or no of a "
                "tensor that has {how_many} value"
            ),
            "One yes or no is asked of a tensor that has several values",
        ),
        remedy=(
            Sentence(
                "The tensor is empty: ask `x.numel() > 0` if that is the question, and see why it "
                "is if it is not",
                {"how_many": "no"},
            ),
            Sentence(
                "Print the two shapes, and say what is meant: `torch.equal(a, b)` or "
                "`(a == b).all()` is true where all agree, `.any()` where one does, and "
                "`(a == b).sum()` counts those that do",
                {"how_many": "more than one", "line": r"[\w)\]] ?(?:==|!=) ?[\w(]"},
            ),
            Sentence(
                "If a loss class is called with the tensors at once, make it first and call it "
                "then: `nn.CrossEntropyLoss()(output, target)`, as for `{quoted}`. In an `if` say "
                "what is meant: `.any()` or `.all()`",
                {"code": r"Loss\((?!\s*\)|\w+=|reduction|weight)"},
            ),
            Sentence(
                "If `{quoted}` makes the model, a tensor stands where a setting belongs: make it "
                "first and call it then, `model = Net(…)`, `model(x)`. In an `if` say what is "
                "meant: `.any()` or `.all()`",
                {"code": _MADE_OF_A_TENSOR},
            ),
            (
                "Say what is meant: `.any()` or `.all()`; for an optional tensor `if x "
                "is not None`; a loss class is made first and called then: "
                "`nn.CrossEntropyLoss()(output, target)`"
            ),
        ),
        suspects=(Suspect(r"\w*Loss", "is made here: the tensors belong into its call"),),
        types=("RuntimeError",),
        today=(r"[Bb]ool(?:ean)? value of Tensor with (?P<how_many>more than one|no) value",),
        older=(r"bool value of (?:Variable|Tensor) (?:objects containing|with)",),
        values={"how_many": "`more than one` or `no`"},
        sample="if torch.ones(2) > 0:\n    pass",
        examples=(
            "RuntimeError: bool value of Tensor with more than one value is ambiguous",
            "RuntimeError: bool value of Variable objects containing non-empty torch.ByteTensor is "
            "ambiguous",
        ),
        written=True,
    ),
    ErrorFamily(
        id="array_truth",
        says="One yes or no is asked of a NumPy array that has several values.",
        means=("An `if` (or `and`, `not`, `in`) asks one yes or no of several values",),
        remedy=(
            "Say what is meant: `.any()` or `.all()`. If conditions are joined for each element, "
            "`(a > 0) & (b > 0)` with brackets, in place of `and`; if it is asked whether there is "
            "one at all, `if a is not None`",
        ),
        types=("ValueError",),
        today=(
            r"truth value of an array with more than one",
            r"truth value of a (?:Series|DataFr)",
        ),
        sample="if np.ones(2) > 0:\n    pass",
        written=True,
    ),
    ErrorFamily(
        id="negative_strides",
        says="A tensor is made of an array that runs backwards in memory.",
        decides=True,
        means=(
            (
                "A tensor is made of an array that runs backwards in memory (after "
                "`[::-1]` or a flip)"
            ),
        ),
        remedy=("Copy it first: `torch.from_numpy(a.copy())`",),
        suspects=(Suspect(r"from_numpy|ToTensor|flip|fliplr|tensor"),),
        types=("ValueError",),
        today=(
            r"(?P<wording>At least one stride in the given numpy array is negative)",
            r"negative strides|stride in the given numpy",
        ),
        older=(r"some of the strides of a given numpy array are negative",),
        values={"wording": "of today"},
        sample="torch.from_numpy(np.arange(3)[::-1])",
        examples=(
            "ValueError: some of the strides of a given numpy array are negative. This is "
            "currently not supported",
        ),
    ),
    ErrorFamily(
        id="torch_dtype_in_numpy",
        says="A function of NumPy's is given a dtype of PyTorch's.",
        means=(
            "A function of NumPy's is given {dtype}, a dtype of PyTorch's",
            _NO_DTYPE,
        ),
        remedy=(
            Sentence(
                "If an array is meant, say `np.{dtype}`; if a tensor, convert that: "
                "`x.to(torch.{dtype})`",
                {"dtype": r".+"},
            ),
            _SHAPE_IN_BRACKETS,
        ),
        types=("TypeError",),
        today=(r"Cannot interpret 'torch\.(?P<dtype>\w+)' as a data type",),
        older=(r"data type (?:'?torch\.(?P<dtype>\w+)'?|not understood)",),
        values={"dtype": "PyTorch's name of it"},
        sample="np.zeros(3, dtype=torch.float32)",
        examples=("TypeError: data type not understood",),
    ),
    ErrorFamily(
        id="numpy",
        says="A NumPy array or dtype stands where PyTorch's is needed, or the other way round.",
        means=(
            *(
                Sentence(
                    "`torch.from_numpy` gets a tuple: `env.reset()` gives `(obs, info)` since gym "
                    "0.26",
                    {"got": r"tuple", where: _RESET},
                )
                for where in ("words", "code")
            ),
            Sentence("`torch.from_numpy` takes a NumPy array and gets a {got}", {"got": r".+"}),
            Sentence(
                "Of a NumPy array of {array} this torch makes no tensor: it knows the types that "
                "the message lists",
                {"array": r"numpy\..+"},
            ),
            Sentence(_NO_DTYPE, {"dtype": r".+"}),
        ),
        remedy=(
            *(
                Sentence(
                    "`obs, info = env.reset()`, and a step gives five values since then: `obs, "
                    "reward, terminated, truncated, info = env.step(action)`, with `done = "
                    "terminated or truncated`",
                    {"got": r"tuple", where: _RESET},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "Truth values are known since torch 1.2: with an older one convert the array, "
                "`torch.as_tensor(mask.astype(np.uint8))`",
                {"array": r"numpy\.bool_?"},
            ),
            Sentence(
                "Convert the array to a type that the message lists, and that holds its values: "
                "`x.astype(np.int64)` for whole numbers, `x.astype(np.float32)` for others",
                {"array": r"numpy\.(?:u?int|u?long|float|half|complex)\w*"},
            ),
            Sentence("It is a tensor already: leave the call out", {"got": r"(?:torch\.)?Tensor"}),
            Sentence(
                "Make an array of it first, `torch.from_numpy(np.asarray(x))`, or take "
                "`torch.tensor(x)`; of a tuple take the part that is meant",
                {"got": r".+"},
            ),
            Sentence(_SHAPE_IN_BRACKETS, {"dtype": r".+"}),
        ),
        types=("TypeError", "ValueError", "RuntimeError", "AttributeError"),
        today=(r"ndarray|as a data type",),
        values={
            "dtype": "as the wording for an unknown dtype ends",
            "got": "type of what from_numpy gets",
            "array": "type of the array's values",
        },
        details=(
            r"convert np\.ndarray of type (?P<array>numpy\.\w{1,30})",
            r"(?P<dtype>as a data type)",
            r"expected np\.ndarray \(got (?P<got>[\w.]{1,60})\)",
        ),
        sample="torch.from_numpy([1.0])",
        breadth=13,
    ),
    ErrorFamily(
        id="not_close",
        says="assert_close compares tensors that differ.",
        types=("AssertionError",),
        today=(r"Tensor-likes are not (?:close|equal)!",),
        sample="torch.testing.assert_close(torch.ones(2), torch.zeros(2))",
    ),
    ErrorFamily(
        id="formatted_tensor",
        says="A tensor with several elements is formatted as if it were one number.",
        means=("A {type} is formatted as if it were one number",),
        remedy=(
            Sentence(
                "See where None comes from: a metric that was not computed, a function without "
                "`return`",
                {"type": "NoneType"},
            ),
            Sentence(
                "If it holds one number, `x.item()`; if several, `x.mean()` or the one that is "
                "meant, or print it without a format",
                {"type": r".*(?:Tensor|ndarray)"},
            ),
            "Take the number out of it, or leave out the format behind the colon",
        ),
        types=("TypeError",),
        today=(r"unsupported format string passed to (?P<type>[\w.]+)\.__format__",),
        values={"type": "of what is formatted"},
        subject=("type",),
        sample='f"{torch.ones(2):.2f}"',
    ),
    ErrorFamily(
        id="numpy_broadcast",
        says="Two NumPy arrays are combined whose sizes do not broadcast.",
        means=(("Two NumPy arrays of {one} and {other} are combined, which do not go together"),),
        derive=_not_of_colours,
        remedy=(
            Sentence(
                "Three numbers, such as the means and deviations of red, green and blue, meet "
                "{channels} channels: that is no picture of colours, but perhaps the output of a "
                "layer (show one channel of it, `x[:, :, 0]`), or its channels come first "
                "(`x.transpose(1, 2, 0)`)",
                {"channels": r".+"},
            ),
            Sentence(
                "The second has all axes of the first but the last: give it one, `{without}`, or "
                "reduce with `keepdims=True` where it is made",
                {"without": r".+"},
            ),
            Sentence(
                "Write the three numbers as `b[:, None, None]`: the channels come first in the "
                "other",
                {"first": r"yes"},
            ),
            Sentence(
                "If this is a picture with transparency and three numbers are for red, green and "
                "blue: `Image.open(path).convert('RGB')`",
                {"alpha": r"yes"},
            ),
            "Print both shapes before the line; they are compared from the last axis on. If one "
            "lacks an axis, `a[:, None]` adds it; if the axes stand in another order, transpose it",
        ),
        types=("ValueError",),
        today=(
            r"operands could not be broadcast together with shapes (?P<one>\([\d,]*\)) "
            r"(?P<other>\([\d,]*\))",
        ),
        values={"one": "shape of the first", "other": "shape of the second"},
        sample="np.ones(3) + np.ones(4)",
    ),
    ErrorFamily(
        id="array_reshape",
        says="A NumPy array is to take a shape that needs another number of values.",
        means=("The array has {size} values, and the shape {shape} takes another number",),
        remedy=(
            "Print `a.shape` before the line. If a picture is coloured, its channels belong into "
            "the shape, `(height, width, 3)`; if samples are flattened, `a.reshape(len(a), -1)` "
            "lets the rest follow",
        ),
        suspects=(Suspect(r"reshape"),),
        types=("ValueError",),
        today=(r"cannot reshape array of size (?P<size>\d+) into shape (?P<shape>\([\d, -]*\))",),
        values={"size": "values of the array", "shape": "that is asked for"},
        sample="np.ones(784).reshape(32, 32)",
    ),
    ErrorFamily(
        id="array_assigned",
        says="A NumPy array of one shape is written into a place of another.",
        means=("An array of {value} is written into a place of {place}",),
        remedy=(
            "Print both shapes. If pictures are collected, grey and coloured ones or several sizes "
            "are mixed: load all alike (`.convert('RGB')`, `resize`). If an array is made of a "
            "list (`np.array(list)`), its entries have different shapes: `[x.shape for x in list]` "
            "shows which",
        ),
        types=("ValueError",),
        today=(
            r"could not broadcast input array from shape (?P<value>\([\d, ]*\)) into shape "
            r"(?P<place>\([\d, ]*\))",
        ),
        values={"value": "shape of the values", "place": "shape of the place"},
        sample="np.ones((2, 2))[:] = np.ones(3)",
    ),
    ErrorFamily(
        id="array_join",
        says="NumPy arrays are joined along one axis and differ in another.",
        means=("Arrays are joined along one axis, so all others must agree, and one does not",),
        remedy=(
            "Print the shapes of all before the line. If another axis may differ, give that as "
            "`axis`; if each was padded by itself, bring them to one length first",
        ),
        suspects=(Suspect(r"concatenate|vstack|hstack|append|stack"),),
        types=("ValueError",),
        today=(r"all the input array dimensions except for the concatenation axis must match",),
        sample="np.concatenate([np.ones((2, 3)), np.ones((2, 4))])",
    ),
    ErrorFamily(
        id="storage_not_resizable",
        says="Memory that belongs to NumPy or another process is resized, often by a DataLoader.",
        means=(
            "Memory that belongs to NumPy or another process is resized | in a DataLoader, "
            "samples of different sizes, or arrays that are views",
        ),
        remedy=(
            (
                "If it comes from a DataLoader, num_workers=0 shows the real error: samples of "
                "different sizes are made one size in the transform. If it says nothing then, the "
                "samples share memory: return copies, `torch.from_numpy(a.copy())`, `.clone()`"
            ),
        ),
        suspects=(Suspect(r"DataLoader|from_numpy"),),
        types=("RuntimeError",),
        today=(r"Trying to resize storage that is not resizable",),
        sample="torch.from_numpy(np.ones(2)).resize_(5)",
    ),
    ErrorFamily(
        id="numpy_missing",
        says="NumPy is not installed, or in a version that this torch was not built for.",
        means=("NumPy is not installed, or in a version that this torch was not built for",),
        remedy=(
            'Install one that goes with it: `python -m pip install "numpy<2"` for torch before '
            "2.3, a newer torch for NumPy 2, or NumPy itself where `import numpy` fails",
        ),
        types=("RuntimeError",),
        today=(r"^Numpy is not available",),
        needs="an environment without NumPy, or with NumPy 2 and an older torch",
        examples=("RuntimeError: Numpy is not available",),
    ),
    ErrorFamily(
        id="integer_division",
        says="Tensors of whole numbers are divided by `/`, as torch 1.5 and 1.6 refused it.",
        means=(("Tensors of whole numbers are divided by `/`, as torch 1.5 and 1.6 refused it"),),
        remedy=(
            (
                "Write `torch.div(a, b, rounding_mode='floor')` (or `//`) for whole "
                "numbers, `a / b.float()` for a fraction"
            ),
        ),
        types=("RuntimeError",),
        older=(r"Integer division of tensors using div or / is no longer supported",),
        needs="torch 1.5 or 1.6: today the result is a float",
        examples=(
            "RuntimeError: Integer division of tensors using div or / is no longer supported, and "
            "in a future release div will perform true division as in Python 3.",
        ),
    ),
    ErrorFamily(
        id="unpadded_batch",
        says="A tokenizer makes one tensor of texts of different lengths.",
        decides=True,
        means=(
            Sentence(
                "No tensor can be made of `{field}`: it holds texts, as the first of the errors "
                "says (`too many dimensions 'str'`), and padding changes nothing of that",
                {"field": r".+", "above": _OF_TEXTS},
            ),
            "No tensor can be made of `{field}`: its lists have different lengths, or hold "
            "something else than numbers",
            "A tokenizer makes one tensor of texts of different lengths",
        ),
        remedy=(
            Sentence(
                "Make numbers of them in the data set, before training: `ds = ds.map(lambda row: "
                "{{'{field}': label2id[row['{field}']]}})`, or "
                "`ds.class_encode_column('{field}')`. `label2id` and `id2label` in a model's "
                "configuration only name its outputs, and convert nothing",
                {"field": r"labels?(?:_\w+)?", "above": _OF_TEXTS},
            ),
            Sentence(
                "A tokenizer pads its own fields alone. Labels of tokens are padded by "
                "`DataCollatorForTokenClassification(tokenizer)`, those of a translation by "
                "`DataCollatorForSeq2Seq(tokenizer)`, with -100; a label of a whole text is one "
                "number and no list",
                {"field": r"labels?(?:_\w+)?"},
            ),
            Sentence(
                "If it is a column of texts or of anything the model does not take, leave it out: "
                "`dataset.remove_columns(['{field}'])`. If it has to come along, pad it in a "
                "`collate_fn`",
                {"field": r"(?!input_ids|attention_mask|token_type_ids).+"},
            ),
            "`tokenizer(texts, padding=True, truncation=True, return_tensors='pt')`",
        ),
        values={"field": "of what no tensor can be made"},
        details=(r"features \(`(?P<field>\w{1,40})` in this case\)",),
        types=("ValueError",),
        today=(r"Unable to create tensor, you should probably activate (?:truncation|padding)",),
        needs="transformers and a tokenizer's files",
        examples=(
            "ValueError: Unable to create tensor, you should probably activate truncation and/or "
            "padding with 'padding=True' 'truncation=True' to have batched tensors with the same "
            "length.",
        ),
    ),
    ErrorFamily(
        id="array_not_writable",
        says="A tensor shares the memory of an array that must not be written (a warning).",
        remedy=(
            "If the tensor is only read, it is no error. If it is written, copy the array first: "
            "`torch.from_numpy(a.copy())`",
        ),
        types=("UserWarning",),
        today=(r"[Tt]he given NumPy array is not write?able",),
        sample=(
            "import warnings\narray = np.ones(2)\narray.flags.writeable = False\nwith "
            "warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    torch.from_numpy(array)"
        ),
        examples=(
            "UserWarning: The given NumPy array is not writeable, and PyTorch does not support "
            "non-writeable tensors.",
        ),
    ),
)
