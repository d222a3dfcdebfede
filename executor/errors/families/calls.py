"""Calls that do not fit: arguments, types, things that are no function, unpacking, operators."""

from executor.errors.family import ErrorFamily

FAMILIES = (
    ErrorFamily(
        id="unexpected_keyword",
        says="A function is given a keyword that it does not take.",
        types=("TypeError",),
        today=(
            r"(?<![\w.])(?P<function>[\w.]+)\(\) got an unexpected keyword argument "
            r"'(?P<keyword>\w+)'",
        ),
        older=(r"got an unexpected keyword argument '(?P<keyword>\w+)'",),
        values={"function": "that is called", "keyword": "that it does not take"},
        sample="nn.Linear(2, 2, width=3)",
    ),
    ErrorFamily(
        id="missing_arguments",
        says="A function is called without arguments that it needs.",
        types=("TypeError",),
        today=(
            r"(?<![\w.])(?P<function>[\w.]+)\(\) missing (?P<count>\d+) required "
            r"(?P<kind>positional|keyword-only) arguments?: (?P<names>[^\n]*)",
        ),
        values={
            "function": "that is called",
            "count": "of arguments that are missing",
            "kind": "positional or keyword-only",
            "names": "of the arguments, in quotation marks",
            "method": "last part of the function's name",
        },
        details=(r"(?P<method>\w+)\(\) missing",),
        subject=("method",),
        sample="nn.Linear(2)",
    ),
    ErrorFamily(
        id="too_many_arguments",
        says="A function is called with more arguments than it takes.",
        types=("TypeError",),
        today=(
            r"(?<![\w.])(?P<function>[\w.]+)\(\) takes (?:from )?(?P<least>\d+)"
            r"(?: to (?P<most>\d+))? positional arguments? but (?P<given>\d+) (?:was|were) given",
        ),
        values={
            "function": "that is called",
            "least": "arguments it needs",
            "most": "arguments it takes at most, where that differs",
            "given": "arguments it is given; of a method, `self` counts",
        },
        sample="nn.Sequential(nn.ReLU())(torch.ones(2), torch.ones(2))",
    ),
    ErrorFamily(
        id="takes_no_arguments",
        says="A class without an __init__ is given arguments.",
        types=("TypeError",),
        today=(r"(?<![\w.])(?P<function>[\w.]+)\(\) takes no arguments(?! \(\d)",),
        values={"function": "that is called"},
        sample=(
            "class Data(torch.utils.data.Dataset):\n"
            "    def __int__(self, x):\n"
            "        self.x = x\n\n"
            "Data(3)"
        ),
    ),
    ErrorFamily(
        id="takes_exactly",
        says="A function is called with another number of arguments than the one it takes.",
        types=("TypeError",),
        today=(r"\w\(\) takes (?:exactly|no arguments \(\d)",),
        sample="len([1], [2])",
    ),
    ErrorFamily(
        id="argument_given_twice",
        says="A function is given an argument by position and by keyword.",
        types=("TypeError",),
        today=(r"got multiple values for argument '(?P<name>\w+)'",),
        values={"name": "of the argument"},
        sample="nn.Linear(2, 2, in_features=3)",
    ),
    ErrorFamily(
        id="argument_type",
        says="A function of torch is given an argument of another type than it takes.",
        types=("TypeError",),
        today=(
            r"(?:\b(?P<function>\w+)\(\): )?argument '(?P<name>\w+)' (?:\(position "
            r"(?P<position>\d+)\) )?must be (?P<expected>[\w ,]+), not (?P<given>[\w.]+)",
        ),
        older=(r"must be (?P<expected>Tensor), not (?P<given>[\w.]+)",),
        values={
            "function": "that is called",
            "name": "PyTorch's name of the argument",
            "position": "its number, from 1",
            "expected": "type it takes",
            "given": "type it got",
        },
        sample="F.relu_([1.0])",
        breadth=1,
    ),
    ErrorFamily(
        id="argument_unpack",
        says="A list that a function of torch is given holds something that does not belong there.",
        types=("TypeError",),
        today=(
            r"\b(?P<function>\w+)\(\): argument '(?P<name>\w+)' failed to unpack",
            r"only tensors? can be",
        ),
        older=(
            r"(?:\b(?P<function>\w+)\(\): )?argument '(?P<name>\w+)' (?:\(position \d+\) )?must be "
            r"tuple of \w+, but found element of type",
        ),
        values={"function": "that is called", "name": "PyTorch's name of the argument"},
        sample='torch.zeros((2, "a"))',
        examples=(
            "TypeError: rand(): argument 'size' must be tuple of ints, but found element of type "
            "float at pos 2",
        ),
    ),
    ErrorFamily(
        id="overload",
        says="No form of a function of torch takes arguments of these types.",
        types=("TypeError",),
        today=(
            r"\b(?P<function>\w+)\(\) received an invalid combination of arguments - got "
            r"\((?P<given>[^\n]{0,600}?)\), but expected",
            r"\b(?P<function>\w+)\(\): [^\n]{0,200}?overload",
        ),
        older=(
            r"\b(?P<function>\w+) received an invalid combination of arguments - got "
            r"\((?P<given>(?!int, torch\.cuda)[^\n()]{0,600}?)\)$",
            r"\b(?P<function>\w+) received an invalid combination of arguments - got "
            r"\((?P<given>[^\n]{0,600}?)\), but expected",
        ),
        values={"function": "that is called", "given": "types of the arguments"},
        sample='torch.randint(2, "a", (3,))',
        examples=(
            "TypeError: torch.addmm received an invalid combination of arguments - got (int, "
            "torch.FloatTensor, int, torch.LongTensor)",
            "TypeError: FloatClassNLLCriterion_updateOutput received an invalid combination of "
            "arguments - got (int, torch.FloatTensor, torch.DoubleTensor), but expected (int "
            "state, torch.FloatTensor input, torch.LongTensor target)",
        ),
    ),
    ErrorFamily(
        id="not_callable",
        says="Something is called, indexed or gone through that cannot be.",
        types=("TypeError",),
        today=(
            r"'(?P<type>[\w.]+)' object is not (?P<use>callable|subscriptable|iterable"
            r"|an iterator)",
        ),
        values={"type": "of what it is", "use": "what it is not"},
        subject=("type", "use"),
        sample="torch.ones(2)(0)",
    ),
    ErrorFamily(
        id="length_of_a_number",
        says="A length is asked of a tensor without dimensions.",
        types=("TypeError",),
        today=(r"len\(\) of a 0-d tensor",),
        sample="len(torch.tensor(3))",
    ),
    ErrorFamily(
        id="iteration_over_a_number",
        says="A tensor without dimensions is gone through.",
        types=("TypeError",),
        today=(r"iteration over a (?P<kind>0-d) tensor",),
        values={"kind": "0-d"},
        sample="for x in torch.tensor(1.0):\n    pass",
    ),
    ErrorFamily(
        id="not_supported",
        says="Something is changed by item, used as a key, or used with `with`, that cannot be.",
        types=("TypeError", "AttributeError"),
        today=(
            r"object does not support item (?:assignment|deletion)|unhashable type: '\w+'"
            r"|'[\w.]+' object does not support",
        ),
        older=(r"^__(?:enter|exit)__$",),
        sample="(1, 2)[0] = 3",
        examples=("AttributeError: __enter__",),
    ),
    ErrorFamily(
        id="unpack_count",
        says="More or fewer values come than there are names.",
        types=("ValueError",),
        today=(
            r"(?P<how_many>too many|not enough) values to unpack "
            r"\(expected (?:at least )?(?P<names>\d+)",
            r"(?P<how_many>too many) values to unpack",
        ),
        values={"how_many": "too many or not enough", "names": "number of names"},
        sample="a, b = torch.ones(3)",
    ),
    ErrorFamily(
        id="unpack_one",
        says="A single thing is unpacked into several names.",
        types=("TypeError",),
        today=(r"cannot unpack non-iterable (?P<type>\w+) object",),
        values={"type": "of what comes"},
        sample="a, b = None",
    ),
    ErrorFamily(
        id="operand_types",
        says="An operator is used between types that do not have it.",
        types=("TypeError",),
        today=(
            r"unsupported operand type\(s\) for (?P<operator>\S+): '(?P<left>\w[\w.]*)' and "
            r"'(?P<right>\w[\w.]*)'",
        ),
        values={
            "operator": "such as +",
            "left": "type on its left",
            "right": "type on its right",
        },
        sample="torch.ones(2) + [1, 2]\nNone + 1",
    ),
    ErrorFamily(
        id="power_operand_types",
        says="A power is taken of types that have none.",
        types=("TypeError",),
        today=(
            r"unsupported operand type\(s\) for [^\n:]{1,40} [^\n:]{1,40}: '(?P<left>\w[\w.]*)' "
            r"and '(?P<right>\w[\w.]*)'",
        ),
        values={"left": "type of the base", "right": "type of the exponent"},
        sample="None ** 2",
    ),
    ErrorFamily(
        id="operands",
        says="An operator is used between things that it cannot join or compare.",
        types=("TypeError",),
        today=(
            r"can only concatenate \w+ \(not \"[\w.]+\"\) to \w+|bad operand type for"
            r"|not supported between instances of '[\w.]+' and '[\w.]+'|can't multiply sequence",
        ),
        sample="[1] + (2,)",
    ),
    ErrorFamily(
        id="division_by_zero",
        says="A number is divided by zero.",
        types=("ZeroDivisionError",),
        today=(r"",),
        sample="1 / 0",
        typed=True,
    ),
    ErrorFamily(
        id="math_domain",
        says="A function of Python's math gets a number that it has no value for.",
        types=("ValueError",),
        today=(r"math domain error",),
        sample="import math\nmath.log(0)",
    ),
    ErrorFamily(
        id="none",
        says="None stands where something else is needed.",
        types=("TypeError", "AttributeError", "ValueError", "RuntimeError"),
        today=(r"NoneType",),
        sample="float(None)",
        breadth=21,
    ),
    ErrorFamily(
        id="body_missing",
        says="A function, a class or a loop has no body.",
        types=("IndentationError", "SyntaxError"),
        today=(r"^expected an indented block",),
        sample='compile("def f():\\n", "snippet.py", "exec")',
    ),
    ErrorFamily(
        id="code_left_out",
        says="`...` stands where code was left out.",
        types=("TypeError", "AttributeError"),
        today=(r"'(?P<quoted>ellipsis)'", r"(?<!no )(?<!an )(?<!any )(?<!the )\bellipsis\b"),
        values={"quoted": "ellipsis, where the message names the type in quotation marks"},
        sample="(...) + 1",
        breadth=-1,
    ),
    ErrorFamily(
        id="recursion",
        says="A function calls itself without an end, often forward or __getattr__.",
        types=("RecursionError",),
        today=(r"maximum recursion depth exceeded",),
        sample="def f():\n    f()\n\nf()",
    ),
)
