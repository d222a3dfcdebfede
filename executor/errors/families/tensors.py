"""Making tensors from data, and turning them into numbers, truth values and NumPy arrays."""

from executor.errors.family import ErrorFamily

FAMILIES = (
    ErrorFamily(
        id="ragged_rows",
        says="A tensor is made of rows with different lengths.",
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
        types=("ValueError",),
        today=(r"inhomogeneous shape|setting an array element with a sequence",),
        sample="np.array([[1, 2], [3]])",
    ),
    ErrorFamily(
        id="tensor_of_text",
        says="A tensor is made of text.",
        types=("ValueError", "TypeError"),
        today=(r"too many dimensions 'str'|invalid data type 'str'",),
        sample='torch.tensor(["a", "b"])',
    ),
    ErrorFamily(
        id="tensor_of_objects",
        says="A tensor is made of an array that holds text or Python objects.",
        types=("TypeError",),
        today=(r"can't convert np\.ndarray of type numpy\.(?P<kind>str_|object_)",),
        values={"kind": "str_ for text, object_ for anything else"},
        sample='torch.from_numpy(np.array(["a", "b"]))',
    ),
    ErrorFamily(
        id="tensor_of_unknown",
        says="A tensor is made of something that has no dtype.",
        types=("RuntimeError", "TypeError"),
        today=(r"[Cc]ould not infer dtype of (?P<given>[\w.]+)",),
        values={"given": "type of the data"},
        sample='torch.tensor({"a": 1})',
    ),
    ErrorFamily(
        id="shape_of_unknown",
        says="A tensor is made of a sequence whose length cannot be read.",
        types=("ValueError", "RuntimeError", "TypeError"),
        today=(r"could not determine the shape of object type '?(?P<given>[\w.]+)'?",),
        values={"given": "type of the data"},
        needs="a sequence of a library's whose length fails without an exception",
        examples=("ValueError: could not determine the shape of object type 'Series'",),
    ),
    ErrorFamily(
        id="number_needed",
        says="A number is needed, and something else is given.",
        types=("TypeError",),
        today=(r"must be real number, not (?P<given>\w+)",),
        values={"given": "type of what is given"},
        sample="import math\nmath.sqrt([1])",
    ),
    ErrorFamily(
        id="sequence_needed",
        says="A tensor is made of something that is no sequence of numbers.",
        types=("TypeError",),
        today=(r"a bytes-like object|new\(\): data must be a sequence",),
        sample='torch.Tensor({"a": 1}.keys())',
    ),
    ErrorFamily(
        id="several_elements",
        says="One number is asked of a tensor that has several.",
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
        types=("TypeError",),
        today=(r"only (?:length-1|0-dimensional) arrays",),
        sample="float(np.ones(2))",
    ),
    ErrorFamily(
        id="index_of_one_element",
        says="A tensor stands where Python needs one whole number.",
        types=("TypeError",),
        today=(r"only integer tensors of a single element",),
        sample="range(torch.ones(2))",
    ),
    ErrorFamily(
        id="tensor_truth",
        says="One yes or no is asked of a tensor that has several values, or none.",
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
        types=("ValueError",),
        today=(r"truth value of an array with more than one",),
        sample="if np.ones(2) > 0:\n    pass",
        written=True,
    ),
    ErrorFamily(
        id="negative_strides",
        says="A tensor is made of an array that runs backwards in memory.",
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
        types=("TypeError", "ValueError", "RuntimeError", "AttributeError"),
        today=(r"ndarray|as a data type",),
        values={"dtype": "as the wording for an unknown dtype ends"},
        details=(r"(?P<dtype>as a data type)",),
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
        types=("TypeError",),
        today=(r"unsupported format string passed to (?P<type>[\w.]+)\.__format__",),
        values={"type": "of what is formatted"},
        subject=("type",),
        sample='f"{torch.ones(2):.2f}"',
    ),
    ErrorFamily(
        id="numpy_broadcast",
        says="Two NumPy arrays are combined whose sizes do not broadcast.",
        types=("ValueError",),
        today=(
            r"operands could not be broadcast together with shapes (?P<one>\([\d,]*\)) "
            r"(?P<other>\([\d,]*\))",
        ),
        values={"one": "shape of the first", "other": "shape of the second"},
        sample="np.ones(3) + np.ones(4)",
    ),
    ErrorFamily(
        id="storage_not_resizable",
        says="Memory that belongs to NumPy or another process is resized, often by a DataLoader.",
        types=("RuntimeError",),
        today=(r"Trying to resize storage that is not resizable",),
        sample="torch.from_numpy(np.ones(2)).resize_(5)",
    ),
    ErrorFamily(
        id="numpy_missing",
        says="NumPy is not installed, or in a version that this torch was not built for.",
        types=("RuntimeError",),
        today=(r"^Numpy is not available",),
        needs="an environment without NumPy, or with NumPy 2 and an older torch",
        examples=("RuntimeError: Numpy is not available",),
    ),
    ErrorFamily(
        id="integer_division",
        says="Tensors of whole numbers are divided by `/`, as torch 1.5 and 1.6 refused it.",
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
        types=("UserWarning",),
        today=(r"[Tt]he given NumPy array is not write?able",),
        sample=(
            "import warnings\n"
            "array = np.ones(2)\n"
            "array.flags.writeable = False\n"
            "with warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    torch.from_numpy(array)"
        ),
        examples=(
            "UserWarning: The given NumPy array is not writeable, and PyTorch does not support "
            "non-writeable tensors.",
        ),
    ),
)
