"""Values used as what they are not: no function, no sequence, no operand; what has no body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from executor.errors.around import Around
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect


def _repeated(seen: SeenError, around: Around) -> Mapping[str, str]:
    """The function that the traceback names again and again, if that is one of the person's."""
    counted = Counter(line for line in around.frames.split("\n") if " " in line)
    for line, times in counted.most_common(3):
        file, _, function = line.rpartition(" ")
        if times > 2 and file not in {"module.py", "container.py"}:  # every layer is called there
            return {"repeats": function, "in_file": file}
    return {}


_ENV_STEP = r"\benv\w*\.step\("

# An attribute of a tensor that is a tensor itself, called.
_VALUE_CALLED = r"[\w)\]]\.(?:data|grad|T|mT|H|mH|real|imag)\("

_INDEXED = r"subscriptable"
# Functions that take a function, given a value: its name tells, or the line that failed.
_OF_FUNCTIONS = r"(?:hessian|jacobian|vhp|hvp|jvp|vjp|vmap|jacrev|jacfwd)\("
_DERIVED_OF_A_VALUE = (
    ("line", rf"\b{_OF_FUNCTIONS}(?!lambda\b)"),
    ("code", rf"\b{_OF_FUNCTIONS}\s*\w*(?:loss|output|out|pred|preds|logits|energy)\s*,"),
)
# What is a value of a tensor or an array, called; and the types of such values.
_ATTRIBUTE_CALLED = r"\.(?:shape|size|ndim|dtype|device|values|columns)\("
_OF_AN_ATTRIBUTE = r"int|tuple|(?:torch\.)?(?:Size|device|dtype)|(?:numpy\.)?ndarray|Index"
# What a line unpacks: a shape, or what a loop goes through.
_SHAPE_UNPACKED = r"=\s*[\w.\[\]]+\.(?:shape|size\(\))(?!\s*\[)"
# Height, width and channels of a picture as an array; a batch first.
_PICTURE_UNPACKED = (
    r"\b(?:h|height|rows?|img_h|im_h)\s*,\s*(?:w|width|cols?|columns|img_w|im_w)\s*,\s*"
    r"(?:c|ch|chans?|channels?|nc|d|depth|_)\s*=\s*[\w.\[\]]+\.shape(?!\s*\[)"
)
_BATCH_UNPACKED = r"(?i)^\W*(?:b|bs|bsz|n|batch\w*|b_?size)\s*,[^=]*=\s*[\w.]+\.(?:shape|size\(\))"
_LOOP_UNPACKED = r"\bfor [\w\s(]*,[\w\s,()]*\bin\b"
_EDGES = r"\w+, *\w+ *= *(?:\w+\.)*edge_index\b(?!\[)"
# Lines that ask a file of weights for one of its entries.
_LOADED_INDEXED = r"\btorch\.load\([^\n]*\)\s*\[['\"]"
_OF_A_CHECKPOINT = r"\b\w*(?:checkpoint|ckpt|pretrained|state_?dict)\w*\s*\[['\"]"

FAMILIES = (
    ErrorFamily(
        id="not_callable",
        says="Something is called, indexed or gone through that cannot be.",
        means=(
            Sentence(
                "A list is called like a function: parentheses where square brackets are needed, "
                "or a plain list of layers",
                {"type": r"list", "use": r"callable"},
            ),
            *(
                Sentence(
                    "A tensor is called like a function: `data`, `grad`, `T` and the like are "
                    "values of a tensor, which take no parentheses",
                    {"type": r"Tensor|Parameter", "use": r"callable", where: _VALUE_CALLED},
                )
                for where in ("line", "code", "words")
            ),
            *(
                Sentence(
                    "`hessian`, `jacobian`, `vmap` and the like take a function as their first "
                    "argument, and call it: here that is a tensor, the result of a computation",
                    {"type": r"Tensor|Parameter", "use": r"callable", where: pattern},
                )
                for where, pattern in _DERIVED_OF_A_VALUE
            ),
            Sentence(
                "A value is called like a function: `shape`, `dtype`, `device` and, of NumPy's "
                "arrays, `size` take no parentheses",
                {"use": r"callable", "line": _ATTRIBUTE_CALLED, "type": _OF_AN_ATTRIBUTE},
            ),
            Sentence(
                "A tensor is called like a function: perhaps parentheses where square brackets "
                "are needed, or a name (such as `loss` or `input`) that holds a tensor now and "
                "was a function before",
                {"type": r"Tensor", "use": r"callable"},
            ),
            Sentence(
                "A module of Python's is called like a function: perhaps the class or function "
                "inside it is meant (`from tqdm import tqdm`)",
                {"type": r"module", "use": r"callable"},
            ),
            Sentence(
                "{type} is called like a function: the name holds a value now where a function or "
                "a layer is needed",
                {"use": r"callable", "type": r"NoneType|str|int|float|tuple|dict"},
            ),
            Sentence(
                "An object of the class {type} is called like a function, and its class has no "
                "`__call__` | a network whose class is not derived from `nn.Module`, an object "
                "whose method is meant, or a name that holds something else now",
                {"use": r"callable", "type": r"(?!Tensor$|Parameter$|NoneType$)(?:\w+\.)*[A-Z]\w*"},
            ),
            Sentence(
                "`[…]` is asked of a generator, which can only be gone through",
                {"type": r"generator", "use": r"subscriptable"},
            ),
            Sentence(
                "`[…]` is asked of a function or method itself: perhaps the parentheses of its "
                "call are missing, or they are needed in place of the brackets",
                {"type": r".*(?:function|method).*", "use": r"subscriptable"},
            ),
            Sentence(
                "None is indexed: what gave it returned nothing, or it was never set",
                {"type": r"NoneType", "use": r"subscriptable"},
            ),
            Sentence(
                "None is gone through or unpacked: the function before it returned nothing, or "
                "something that should have been set was not",
                {"type": r"NoneType", "use": r"iterable"},
            ),
            Sentence(
                "A DataLoader cannot be indexed; it is gone through",
                {"type": r"DataLoader", "use": r"subscriptable"},
            ),
            Sentence(
                "A single number stands where several are gone through: in a loop, in unpacking, "
                "or where a function takes a list or a size",
                {"type": r"int|float", "use": r"iterable"},
            ),
            Sentence(
                "`[…]` is asked of a {type}, which can only be gone through",
                {"type": r".*(?:dict_\w+|map|zip|filter|enumerate|iterator|set)", "use": _INDEXED},
            ),
            Sentence(
                "`[…]` is asked of a class | `list[int]` and `tuple[…]` as annotations, which "
                "Python has from 3.9 on, or a class where an object of it is meant",
                {"type": r"type|ABCMeta", "use": _INDEXED},
            ),
            Sentence(
                "`[…]` is asked of a module of Python's (a file), not of what is in it",
                {"type": r"module", "use": _INDEXED},
            ),
            Sentence(
                "`torch.load` gave an object of the class {type} here, and no dictionary: what was "
                "saved in that file is the object itself, mostly a whole model",
                {"type": r"(?:\w+\.)*[A-Z]\w*", "use": r"subscriptable", "line": _LOADED_INDEXED},
            ),
            Sentence(
                "`[…]` is asked of an object of the class {type}, which takes no index | the file "
                "was saved with the model itself, and not with a dictionary of its weights",
                {"type": r"(?:\w+\.)*[A-Z]\w*", "use": r"subscriptable", "line": _OF_A_CHECKPOINT},
            ),
            Sentence(
                "`[…]` is asked of an object of the class {type}, which takes no index | a "
                "`Dataset` without `__getitem__`, a network of one's own that is indexed as if it "
                "were an nn.Sequential, or an object whose attributes are meant",
                {"type": r"(?:\w+\.)*[A-Z]\w*", "use": _INDEXED},
            ),
            Sentence("An {type} is used as if it were {use}", {"type": r"[AEIOUaeio].*"}),
            "A {type} is used as if it were {use}",
        ),
        remedy=(
            *(
                Sentence(
                    "Leave out the parentheses behind it: `x.data`, or `x.detach()`, which is a "
                    "method and does what `data` is mostly used for",
                    {"type": r"Tensor|Parameter", "use": r"callable", where: _VALUE_CALLED},
                )
                for where in ("line", "code", "words")
            ),
            *(
                Sentence(
                    "Write what computes it as a function of what is to be derived by, and hand "
                    "that over: `def f(w): return loss_fn(torch.nn.functional.linear(x, w), y)`, "
                    "`hessian(f, w)`; of a whole model with `torch.func.functional_call`",
                    {"type": r"Tensor|Parameter", "use": r"callable", where: pattern},
                )
                for where, pattern in _DERIVED_OF_A_VALUE
            ),
            Sentence(
                "Leave out the parentheses behind it",
                {"use": r"callable", "line": _ATTRIBUTE_CALLED, "type": _OF_AN_ATTRIBUTE},
            ),
            Sentence(
                "Print what the name holds before the line", {"use": r"callable", "type": r"module"}
            ),
            Sentence(
                "Look at `{type}.__mro__`: a network has to be `class {type}(nn.Module)`. Of "
                "another object call the method that is meant (`optimizer.step()`, `for batch in "
                "loader`)",
                {"use": r"callable", "type": r"(?!Tensor$|Parameter$|NoneType$)[A-Z]\w*"},
            ),
            Sentence(
                "If an index is meant, write `x[…]`; if a function is, look where its name was "
                "given to a value, and rename that",
                {"use": r"callable"},
            ),
            Sentence(
                "Make a list of it first: `list(x)[i]`; of a module's children or parameters too",
                {"type": r"generator|.*(?:dict_\w+|map|zip|filter|enumerate|iterator|set)"},
            ),
            Sentence(
                "In an annotation: a newer Python, or `from __future__ import annotations` at the "
                "top. Elsewhere make an object of it first, with parentheses",
                {"type": r"type|ABCMeta", "use": _INDEXED},
            ),
            Sentence(
                "Take what is meant from it: `module.name[…]`, or `from module import name`",
                {"type": r"module", "use": _INDEXED},
            ),
            *(
                Sentence(
                    "If it is a model, its weights are `state_dict()` of it: "
                    "`torch.load(path).state_dict()` (since torch 2.6 with `weights_only=False`, "
                    "for a file that you trust). The key is of another kind of file, in which a "
                    "dictionary was saved: see whether that one was meant",
                    {"type": r"(?:\w+\.)*[A-Z]\w*", "use": r"subscriptable", "line": pattern},
                )
                for pattern in (_LOADED_INDEXED, _OF_A_CHECKPOINT)
            ),
            Sentence(
                "Ask for what is meant by its name: `x.name`",
                {"type": r"(?!DataLoader|NoneType$)(?:\w+\.)*[A-Z]\w*", "use": _INDEXED},
            ),
            Sentence(
                "`it = iter(loader)` once, before the loop, and `next(it)` in it: "
                "`next(iter(loader))` gives the first batch of a new round each time",
                {"type": r"DataLoader", "use": r"an iterator"},
            ),
            Sentence(
                "`next(iter(loader))` gives the first batch; `loader.dataset[i]` one sample",
                {"type": r"DataLoader"},
            ),
            Sentence(
                "If one is given where several may be: put it in a list, `[x]`. If parameters are "
                "meant, as for an optimizer: `model.parameters()`; if the layers are: "
                "`model.children()`. If it is a data set, it has no `__getitem__` or `__iter__`",
                {"type": r"(?!NoneType$)(?:\w+\.)*[A-Z]\w*", "use": r"iterable"},
            ),
            Sentence(
                "A sample of the data set is None (a `return` without a value does not leave it "
                "out): take such samples out of the list before, or of each batch with "
                "`collate_fn`, which calls `default_collate([s for s in batch if s is not None])`",
                {"type": r"NoneType", "use": _INDEXED, "frames": r"\bcollate\b"},
            ),
            Sentence(
                "Look at what gave the value: perhaps a `return` is missing at a function's end "
                "(a forward or __getitem__ without return), a file could not be read, or an "
                "optional part (a validation loader, a scheduler) was never given",
                {"type": r"NoneType"},
            ),
            Sentence(
                "If a loop is meant: `for i in range(n)`; if a size or several values are: `(n, "
                "n)`, `[n]`",
                {"type": r"int", "use": r"iterable"},
            ),
            "Print `type(x)` before the line",
        ),
        suspects=(
            Suspect(
                r"modules|children|parameters|buffers|named_\w+",
                "has the name of a method of nn.Module: give it another name",
                kinds=("attribute",),
            ),
        ),
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
        means=("A tensor without dimensions, a single number, is gone through or unpacked",),
        remedy=(
            (
                "Keep a dimension (`x.unsqueeze(0)`, `x.view(-1)`), or use the number as "
                "it is: `.item()`"
            ),
        ),
        types=("TypeError",),
        today=(r"iteration over a (?P<kind>0-d) tensor",),
        values={"kind": "0-d"},
        sample="for x in torch.tensor(1.0):\n    pass",
    ),
    ErrorFamily(
        id="not_supported",
        says="Something is changed by item, used as a key, or used with `with`, that cannot be.",
        means=(
            Sentence(
                "A list of tensors is perhaps given to a constructor such as "
                "`torch.FloatTensor(list)`, which takes numbers and not tensors",
                {"type": r"torch\..*Tensor", "what": r"indexing"},
            ),
            Sentence(
                "Something is written into a {type} by `x[i] = …`, which cannot be changed",
                {"type": r"tuple|str|bytes|range", "what": r"item assignment"},
            ),
            Sentence("`x[i] = …` stands where {type} has no places", {"what": r"item assignment"}),
            Sentence(
                "A dictionary (or a table of pandas) is cut by `[a:b]` or `[:, i]`, as only lists, "
                "arrays and tensors can be",
                {"key": r"slice"},
            ),
            "A {key} is used as a key of a dictionary, or put into a set, and it is of a kind that "
            "can change",
            Sentence(
                "What stands behind `with` is no context manager | its parentheses are missing "
                "(`torch.no_grad()`), or this version gives something else there",
                {"managed": r".+"},
            ),
            "Something is changed or read by `[…]`, used as a key, or used in `with`, that does "
            "not support it",
        ),
        remedy=(
            Sentence(
                "If tensors are to be joined: `torch.stack(list)` (or `torch.cat`), which keeps "
                "their gradients; and many functions take the whole batch without a loop",
                {"type": r"torch\..*Tensor"},
            ),
            Sentence("Make a list of it first: `x = list(x)`", {"type": r"tuple|str|range"}),
            Sentence(
                "Of a table by position: `df.iloc[:, i]`, or its array, `df.to_numpy()[:, i]`. Of "
                "a dictionary: `list(d.values())[a:b]`, or the entry that is meant first",
                {"key": r"slice"},
            ),
            Sentence("If it is a list: `tuple(x)` is a key", {"key": r"list"}),
            Sentence(
                "Use what it stands for as the key: its number (`x.item()`), its name, or "
                "`tuple(x.tolist())`",
                {"key": r"numpy\.ndarray|dict|set|Series"},
            ),
            Sentence(
                "Write the parentheses; if they are there, print `type(…)` of what stands behind "
                "`with`",
                {"managed": r".+"},
            ),
            Sentence(
                "If `{key}` is a class of your own: one that has `__eq__` and no `__hash__`, as "
                "every `@dataclass` does, cannot be a key; modules have to be: "
                "`@dataclass(eq=False)`",
                {"key": r"(?!(?:slice|list|dict|set|Series|numpy\.ndarray|bytearray)$)[\w.]+"},
            ),
            "Print `type(x)` before the line",
        ),
        types=("TypeError", "AttributeError"),
        today=(
            r"'(?P<type>[\w.]+)' object does not support (?P<what>item assignment|indexing)",
            r"unhashable type: '(?P<key>[\w.]+)'",
            r"object does not support the (?P<managed>(?:asynchronous )?context manager) protocol",
            r"'[\w.]+' object does not support",
        ),
        older=(r"^(?P<managed>__(?:enter|exit)__)$",),
        values={
            "type": "of what is changed or read",
            "what": "item assignment or indexing",
            "key": "type of what is used as a key",
            "managed": "says that it is about `with`",
        },
        sample="(1, 2)[0] = 3",
        examples=("AttributeError: __enter__",),
    ),
    ErrorFamily(
        id="unpack_count",
        says="More or fewer values come than there are names.",
        means=(
            *(
                Sentence(
                    "`env.step` gives five values since gym 0.26 and in gymnasium, and there are "
                    "4 names on the left",
                    {"how_many": r"too many", "names": r"4", where: _ENV_STEP},
                )
                for where in ("line", "words", "code")
            ),
            Sentence(
                "The shape that is unpacked has fewer dimensions than the {names} names: this "
                "picture has no dimension for channels, so it is a grey one",
                {"how_many": r"not enough", "come": "2", "line": _PICTURE_UNPACKED},
            ),
            *(
                Sentence(
                    f"The shape that is unpacked has {than} dimensions than the {{names}} names",
                    {"how_many": how_many, "names": r"\d+", "line": _SHAPE_UNPACKED},
                )
                for how_many, than in (("too many", "more"), ("not enough", "fewer"))
            ),
            *(
                Sentence(
                    f"What the loop goes through gives {than} values in each round than the "
                    "{names} names",
                    {"how_many": how_many, "names": r"\d+", "line": _LOOP_UNPACKED},
                )
                for how_many, than in (("too many", "more"), ("not enough", "fewer"))
            ),
            Sentence(
                "More values come than the {names} names on the left",
                {"how_many": r"too many", "names": r"\d+"},
            ),
            *(
                Sentence(
                    "`edge_index` is unpacked into its two rows, the sources and the targets of "
                    "the edges, and has not two: it has to be [2, edges]",
                    {"names": r"2", where: _EDGES},
                )
                for where in ("line", "code", "words")
            ),
            Sentence(
                "Fewer values come, {come}, than there are names on the left, {names}",
                {"how_many": r"not enough"},
            ),
            Sentence(
                "Fewer values come than the {names} names on the left",
                {"how_many": r"not enough", "names": r"\d+"},
            ),
            "Another number of values comes than there are names on the left",
        ),
        remedy=(
            *(
                Sentence(
                    "`obs, reward, terminated, truncated, info = env.step(action)` and `done = "
                    "terminated or truncated`; for the target of a value only `terminated` ends "
                    "the future. `env.reset()` gives `obs, info`",
                    {"how_many": r"too many", "names": r"4", where: _ENV_STEP},
                )
                for where in ("line", "words", "code")
            ),
            Sentence(
                "Load all pictures with as many channels: `Image.open(path).convert('RGB')`, which "
                "also turns palettes, CMYK and transparency into three; of an array that is there, "
                "`np.stack([a] * 3, axis=-1)` where `a.ndim == 2`. Slicing `shape[:2]` would only "
                "move the error on",
                {"how_many": r"not enough", "come": "2", "line": _PICTURE_UNPACKED},
            ),
            Sentence(
                "Print the shape before the line. If it is one sample without a batch, "
                "`x.unsqueeze(0)` where it is made",
                {"how_many": r"not enough", "line": _BATCH_UNPACKED},
            ),
            Sentence(
                "Print the shape before the line, and see which of its dimensions the names leave "
                "out, or which they expect and is not there",
                {"line": _SHAPE_UNPACKED},
            ),
            *(
                Sentence(
                    "`print(edge_index.shape)`: it has to be [2, edges]. If the edges stand in "
                    "rows, [edges, 2]: `edge_index.t().contiguous()`",
                    {"names": r"2", where: _EDGES},
                )
                for where in ("line", "code", "words")
            ),
            Sentence(
                "Print one: `x = next(iter(…))`, then `type(x)` and `len(x)`. A loader gives what "
                "`__getitem__` returns, part by part; a dictionary gives its keys (`.items()` "
                "gives pairs); `enumerate(…)` puts a number before: `for i, (x, y) in "
                "enumerate(loader)`",
                {"line": _LOOP_UNPACKED},
            ),
            (
                "Print what comes (`type(x)`, `len(x)`, `x.shape`): a batch of more or "
                "fewer parts, a layer that returns a tuple (`out, (h, c) = lstm(x)`), a "
                "shape with another number of dimensions"
            ),
        ),
        types=("ValueError",),
        today=(
            r"(?P<how_many>too many|not enough) values to unpack "
            r"\(expected (?:at least )?(?P<names>\d+)(?:, got (?P<come>\d+))?",
            r"(?P<how_many>too many) values to unpack",
        ),
        values={
            "how_many": "too many or not enough",
            "names": "number of names",
            "come": "number of values, where the message has it",
        },
        sample="a, b = torch.ones(3)",
    ),
    ErrorFamily(
        id="unpack_one",
        says="A single thing is unpacked into several names.",
        means=(
            Sentence(
                "None is unpacked into several names: what stands on the right returned nothing",
                {"type": r"NoneType"},
            ),
            "A single {type} is unpacked into several names",
        ),
        remedy=(
            Sentence(
                "See that the function ends with `return` on every way through it (a "
                "`__getitem__` or forward too), and that it found what it reads",
                {"type": r"NoneType"},
            ),
            (
                "Print what the right side really is; a dataset's __getitem__ has to "
                "return as many values as are unpacked"
            ),
        ),
        types=("TypeError",),
        today=(r"cannot unpack non-iterable (?P<type>\w+) object",),
        values={"type": "of what comes"},
        sample="a, b = None",
    ),
    ErrorFamily(
        id="operand_types",
        says="An operator is used between types that do not have it.",
        means=(
            Sentence(
                "`{operator}` is used with None: a function returned nothing, or something "
                "was never set",
                {"left": r"NoneType"},
            ),
            Sentence(
                "`{operator}` is used with None: a function returned nothing, or something "
                "was never set",
                {"right": r"NoneType"},
            ),
            "`{operator}` stands between {left} and {right}, which do not go together",
        ),
        remedy=(
            Sentence(
                "Look where the value comes from: a missing `return`, or a `.grad` that is "
                "None before backward()",
                {"left": r"NoneType"},
            ),
            Sentence(
                "Look where the value comes from: a missing `return`, or a `.grad` that is "
                "None before backward()",
                {"right": r"NoneType"},
            ),
            *(
                Sentence(
                    "If its result is meant, the parentheses of a call are missing",
                    {side: r"(?:builtin_function_or_)?method|function"},
                )
                for side in ("left", "right")
            ),
            *(
                Sentence(
                    "What is typed, read from a file or given on the command line is text: "
                    "`int(x)`, `float(x)` (argparse: `type=int`). If text is meant to be joined: "
                    "`str(x)`",
                    {side: r"str", other: r"int|float|Tensor|numpy.*"},
                )
                for side, other in (("left", "right"), ("right", "left"))
            ),
            *(
                Sentence(
                    "Take the entry that is meant (`out['out']`); of a detector's losses the sum, "
                    "`sum(losses.values())`",
                    {side: r"dict|OrderedDict"},
                )
                for side in ("left", "right")
            ),
            (
                "Convert one of the two, or take the part that is meant: a layer that "
                "returns a tuple needs `out, state = layer(x)`"
            ),
        ),
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
            r"can only concatenate \w+ \(not \"?[\w.]+\"?\) to [\w.]+|bad operand type for"
            r"|not supported between instances of '[\w.]+' and '[\w.]+'|can't multiply sequence",
        ),
        sample="[1] + (2,)",
    ),
    ErrorFamily(
        id="division_by_zero",
        says="A number is divided by zero.",
        means=(("A number is divided by zero | the length of an empty list, dataset or loader"),),
        remedy=(
            "Print the divisor, and find where it becomes 0: perhaps an empty loader (a wrong "
            "folder; a batch larger than the data where the last one is dropped) or a count that "
            "nothing was added to",
        ),
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
        means=("None stands where something else is needed",),
        remedy=(
            (
                "Print where it comes from: a function without `return`, or an optional "
                "part that was never given"
            ),
        ),
        types=("TypeError", "AttributeError", "ValueError", "RuntimeError"),
        today=(r"NoneType",),
        sample="float(None)",
        breadth=21,
    ),
    ErrorFamily(
        id="body_missing",
        says="A function, a class or a loop has no body.",
        types=("IndentationError", "SyntaxError"),
        today=(r"^expected an indented block(?: after .{1,60} on line (?P<head>\d{1,6}))?",),
        values={"head": "line of the head that has none"},
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
        means=(
            Sentence(
                "`{repeats}` of {in_file} calls itself again and again, by way of what it calls",
                {"repeats": r".+"},
            ),
            "A function calls itself without an end | forward calls the module itself, "
            "`__getattr__` reads an attribute that is not set yet, or a `__getitem__` asks for "
            "another sample of the set in its place",
        ),
        remedy=(
            Sentence(
                "If it asks for another sample where one cannot be read: look why none can be (a "
                "wrong folder), and try a fixed number of others in a loop",
                {"repeats": r"__getitem__"},
            ),
            Sentence(
                "It reads an attribute that the object does not have, which calls it again: read "
                "`self.__dict__` in it, and raise AttributeError where nothing is found. A copied "
                "or unpickled object has no attributes yet",
                {"repeats": r"__getattr__"},
            ),
            "In forward call the layers (`self.layer(x)`), not `self(x)`; in `__getattr__` read "
            "`self.__dict__`. If the function is meant to call itself, see which case ends it; "
            "copying or saving what is linked very deeply does this too",
        ),
        look_around=_repeated,
        types=("RecursionError",),
        today=(r"maximum recursion depth exceeded",),
        sample="def f():\n    f()\n\nf()",
    ),
    ErrorFamily(
        id="no_iterator",
        says="`__iter__` gives something that is no iterator.",
        means=("`__iter__` gives a {type}, which is no iterator",),
        remedy=(
            Sentence(
                "Return an iterator over it, `return iter(values)`, or write the method with "
                "`yield from values`",
                {"type": r"list|tuple|range|dict|set|Tensor|ndarray|str"},
            ),
            "Return `iter(values)`, or an object that has `__next__`",
        ),
        types=("TypeError",),
        today=(r"iter\(\) returned non-iterator of type '(?P<type>[\w.]+)'",),
        values={"type": "of what it gave"},
        sample="class A:\n    def __iter__(self):\n        return [1]\n\nlist(A())",
    ),
)
