"""Calls that do not fit: arguments, types, things that are no function, unpacking, operators."""

import re
from collections import Counter
from collections.abc import Mapping

from executor.errors.around import REPLICA, Around
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.layer_arguments import layers_that_take
from executor.errors.moved import AS_TODAY, moved_keyword
from executor.errors.one_hot import ROWS_OF_CLASSES, TO_CLASSES, rows_of_classes
from executor.errors.overloads import odd_argument


def _function_name(seen: SeenError, message: str) -> Mapping[str, str]:
    """The last part of the function's name: `forward` of `Net.forward`."""
    return {"function_name": seen["function"].rpartition(".")[2]}


_CALL = re.compile(r"(?:^|= *|return +)[\w.]+\(([\w., \[\]]{1,200})\)\s*$")


def _too_many(seen: SeenError, around: Around) -> Mapping[str, str]:
    """Of a forward that takes a fixed number, what the failing line gives it beyond that."""
    found = _CALL.search(around.line)
    if found is None or seen["most"] or seen["function"].rpartition(".")[2] != "forward":
        return {}
    handed = [name.strip() for name in re.sub(r"\[[^\]]*\]", "", found[1]).split(",")]
    taken = seen.number("least") - 1
    if len(handed) != seen.number("given") - 1 or taken < 1:
        return {}
    surplus = ", ".join(handed[taken:])
    return {"taken": str(taken), "handed": str(len(handed)), "surplus": surplus}


def _layers(seen: SeenError, message: str) -> Mapping[str, str]:
    """The function's name, and torch's own layers that take what is missing, if it may be one."""
    of_class = seen["function"].rpartition(".")[0]
    layers = layers_that_take(re.findall(r"'(\w+)'", seen["names"]))
    may_be = layers and (not of_class or of_class in layers)
    told = {"layers": " or ".join(f"`nn.{name}`" for name in layers)} if may_be else {}
    return {**_function_name(seen, message), **told}


def _odd_argument(seen: SeenError, message: str) -> Mapping[str, str]:
    """The only argument whose type a form does not take."""
    odd = odd_argument(message)
    return {} if odd is None else {"wanted": odd.wanted, "argument": odd.name, "odd": odd.given}


def _keyword_today(seen: SeenError, around: Around) -> Mapping[str, str]:
    """What took the place of an argument that a class of a library had once."""
    keyword = seen["keyword"]
    found = re.search(rf"(\w+)\(.*?\b{keyword}\s*=\s*([^,()\n]+)", around.line)
    of_class = seen["function"].removesuffix(".__init__").rpartition(".")[2]
    if of_class in {"", "__init__"}:
        of_class = found[1] if found is not None else ""
    given = found[2].strip() if found is not None and found[1] == of_class else None
    moved = moved_keyword(of_class, keyword, given)
    return {"today": moved.told} if moved is not None else {}


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
# What is a value of a tensor or an array, called; and the types of such values.
_ATTRIBUTE_CALLED = r"\.(?:shape|size|ndim|dtype|device|values|columns)\("
_OF_AN_ATTRIBUTE = r"int|tuple|(?:torch\.)?(?:Size|device|dtype)|(?:numpy\.)?ndarray|Index"
# What a line unpacks: a shape, or what a loop goes through.
_SHAPE_UNPACKED = r"=\s*[\w.\[\]]+\.(?:shape|size\(\))(?!\s*\[)"
_LOOP_UNPACKED = r"\bfor [\w\s(]*,[\w\s,()]*\bin\b"
# What cross entropy and NLLLoss call, by the names of all versions.
_CLASS_LOSS = r"\w*ClassNLL\w*|nll_loss|cross_entropy(?:_loss)?"

FAMILIES = (
    ErrorFamily(
        id="unexpected_keyword",
        says="A function is given a keyword that it does not take.",
        look_around=_keyword_today,
        means=(
            "{function}() has no argument `{keyword}` in the version in use; {today}",
            "{function}() has no argument `{keyword}`, at least in the version in use",
            (
                "The function that is called has no argument `{keyword}`, at least in the "
                "version in use"
            ),
        ),
        remedy=(
            Sentence(AS_TODAY, {"today": r".+"}),
            "Compare the call with the function's signature in your version: the argument may "
            "have another name there (often a plural, `labels`), have come later or been removed. "
            "For your own class add it to `__init__` or `forward`; where a library passes it on "
            "(a Trainer hands the columns of a dataset to forward), name the column as forward "
            "names its argument",
        ),
        suspects=(Suspect(r".*", "passes it", {"{keyword}": ""}),),
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
        means=(
            Sentence(
                "A method is called on its class and not on an object: {names} is missing",
                {"names": r"'self'.*"},
            ),
            Sentence(
                "In a copy of the model that DataParallel runs, forward is called without {names} "
                "| a batch with fewer samples than there are GPUs, often the last one, leaves "
                "nothing for some of them; an input that is no tensor is not divided",
                {"method": r"forward", "frames": REPLICA},
            ),
            Sentence(
                "An object is called like a function (a transform, a layer, a loss), and its class "
                "wants {names} too",
                {"method": r"__call__"},
            ),
            Sentence(
                "{function}() is called without {names} | the layer is {layers} of torch, whose "
                "forward takes that, where another one is meant; or a class of one's own",
                {"method": r"forward", "layers": r".+"},
            ),
            "{function}() is called without {names}",
        ),
        remedy=(
            Sentence(
                "Make an object first, `net = Net()`, and call it: `net(x)`",
                {"names": r"'self'.*"},
            ),
            Sentence(
                "Print the batch size: `DataLoader(…, drop_last=True)` leaves out a last batch "
                "that is too small. If it comes with every batch, give forward its inputs as "
                "tensors, by position",
                {"method": r"forward", "frames": REPLICA},
            ),
            Sentence(
                "ReduceLROnPlateau goes by a number: `scheduler.step(val_loss)`, once for each "
                "epoch, after the evaluation",
                {"method": r"step", "names": r"'metrics'.*"},
            ),
            Sentence(
                "LBFGS computes the loss several times in a step: put zero_grad, forward pass and "
                "backward() into a function that returns the loss, and call "
                "`optimizer.step(closure)`",
                {"method": r"step", "names": r"'closure'.*"},
            ),
            Sentence(
                "Unpooling needs the indices that a pooling gave: `y, indices = nn.MaxPool2d(2, "
                "return_indices=True)(x)`, then `unpool(y, indices)`. If pooling itself is meant, "
                "it is `nn.MaxPool2d`",
                {"method": r"forward", "names": r"'indices'"},
            ),
            Sentence(
                "Print `type(x)` and `type(x).__module__` of what is called: perhaps it is of "
                "another class than is meant, such as a `Compose` out of a `transforms.py` beside "
                "the script (that of torchvision's detection references takes an image and a "
                "target) in place of `torchvision.transforms`. If it is the right one, give it "
                "what is missing",
                {"method": r"__call__"},
            ),
            Sentence(
                "If it is a loss, it compares two things: `criterion(output, target)`; if the "
                "class was called in its place (`nn.CrossEntropyLoss(output, target)`), make it "
                "first. If it is a model that takes its targets too, give them",
                {"method": r"forward", "names": r"'target'"},
            ),
            "Give what is missing. If the call seems to give it, perhaps the class itself was "
            "called instead of an object of it (`Net.forward(x)` for `net(x)`), a batch or tuple "
            "was passed whole and not unpacked, or your version's function takes more than the "
            "one that the code was written for",
        ),
        suspects=(
            Suspect(
                r"LogSoftmax|Softmax|ReLU|LeakyReLU|ELU|GELU|Sigmoid|Tanh|Flatten|\w*Loss",
                "only makes the layer; it is called with its input afterwards, as in "
                "`nn.ReLU()(x)`",
                value=r"^(?!True|False|None)[A-Za-z_][\w.]*(?:\(.*\))?$",
            ),
            Suspect(r"{function_name}"),
        ),
        derive=_layers,
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
        look_around=_too_many,
        means=(
            Sentence(
                "Counted without `self`, {function}() takes {taken} and this line gives it "
                "{handed}: `{surplus}` is too many",
                {"surplus": r".+"},
            ),
            "{function}() takes {least} to {most} arguments and is given {given}",
            "{function}() takes {least} arguments and is given {given}",
        ),
        remedy=(
            Sentence(
                "An nn.Sequential takes one input and hands what a layer gives to the next: call "
                "the layer itself, or write a module whose forward takes them all",
                {"function": r"(?:.*\.)?Sequential\.forward"},
            ),
            Sentence(
                "{function} takes nothing but `self`, or has no `self` in its definition: write "
                "`def {function_name}(self, x):`; what is called on an object gets it first",
                {"least": r"1", "most": r"", "function": r"(?:.*\.)?forward"},
            ),
            Sentence(
                "Leave `{surplus}` out there, or give {function} an argument for it (where its "
                "definition has no `self`, that is what is missing). If the model "
                "comes from a library, or from another version of the repository, the line was "
                "written for another model: look also at what it does with the result, which may "
                "have been several values",
                {"surplus": r".+"},
            ),
            "Count the arguments with `self`: perhaps a method has no `self` in its definition, an "
            "`_init_` single underscores, or the forward that is called takes fewer inputs (an "
            "nn.Sequential takes one)",
        ),
        suspects=(Suspect(r"{function_name}"),),
        derive=_function_name,
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
        means=("{function} takes no arguments: its class has no __init__ that takes them",),
        remedy=(
            (
                "Check the spelling of `__init__` (two underscores on each side) and its "
                "indentation inside the class"
            ),
        ),
        suspects=(Suspect(r"{function}"),),
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
        means=("A function is called with another number of arguments than it takes",),
        remedy=("Count the arguments with `self`",),
        types=("TypeError",),
        today=(r"\w\(\) takes (?:exactly|no arguments \(\d)",),
        sample="len([1], [2])",
    ),
    ErrorFamily(
        id="argument_given_twice",
        says="A function is given an argument by position and by keyword.",
        decides=True,
        means=("The argument `{name}` is given by position and by keyword",),
        remedy=(
            (
                "Remove one of the two; a missing `self` in the definition of a method "
                "gives this too"
            ),
        ),
        types=("TypeError",),
        today=(r"got multiple values for argument '(?P<name>\w+)'",),
        values={"name": "of the argument"},
        sample="nn.Linear(2, 2, in_features=3)",
    ),
    ErrorFamily(
        id="argument_type",
        says="A function of torch is given an argument of another type than it takes.",
        means=(
            "{function} takes {expected} for its argument '{name}' and is given {given}",
            "The argument '{name}' has to be {expected}, and {given} is given",
        ),
        remedy=(
            Sentence(
                "None arrives: a function or forward before it has no `return`, or an optional "
                "part was never given",
                {"given": r"NoneType"},
            ),
            Sentence(
                "Put the tensors into a list: `{function}([a, b])`",
                {"expected": r"tuple of Tensors", "given": r"Tensor|Parameter"},
            ),
            Sentence(
                "A tensor arrives where a plain number is taken: `x.item()` of one value, where no "
                "gradient is to go through it",
                {"expected": r"(?!.*Tensor).*\b(?:int|float|bool|Number)", "given": r"Tensor"},
            ),
            Sentence(
                "A list arrives: a batch of a loader comes as a list of its parts, so unpack it, "
                "`x, y = batch`. If it is a list of tensors of one shape, `torch.stack(x)` makes "
                "one of them",
                {"expected": r".*Tensor.*", "given": r"list"},
            ),
            Sentence(
                "A plain number arrives: Python's `math` has the same for numbers (`math.sqrt`, "
                "`math.exp`), and `torch.tensor(x)` makes a tensor of it; if it was a tensor "
                "before, see where `.item()` or a division took it out",
                {"expected": r".*Tensor.*", "given": r"float|int"},
            ),
            Sentence(
                "A dictionary arrives: hand over the entry that is meant, `batch['input_ids']`, or "
                "all by their names, `model(**batch)`",
                {"expected": r".*Tensor.*", "given": r"dict|BatchEncoding|BatchFeature"},
            ),
            Sentence(
                "A picture of Pillow arrives: `transforms.ToTensor()` in the data set makes a "
                "tensor of it",
                {"expected": r".*Tensor.*", "given": r"(?:\w+\.)*\w*Image(?:File)?"},
            ),
            Sentence(
                "A function arrives: if its result is meant, its parentheses are missing",
                {"given": r"(?:builtin_function_or_)?method|function"},
            ),
            Sentence(
                "A number with a fraction arrives, as a division with `/` gives one: `//`, or "
                "`int(…)` where it is used",
                {"expected": r".*\bints?\b.*", "given": r"float"},
            ),
            Sentence(
                "A tuple arrives: what made it gives several results (an LSTM or GRU, a model "
                "with two outputs, a batch that was not unpacked). Take the part that is meant: "
                "`out, state = layer(x)`",
                {"expected": r".*Tensor.*", "given": r"tuple"},
            ),
            Sentence(
                "A text arrives: perhaps a dictionary was unpacked like a tuple, which gives its "
                "keys (the outputs of transformers 4 and later: take "
                "`outputs.logits`), or labels were never turned into numbers",
                {"expected": r".*Tensor.*", "given": r"str"},
            ),
            Sentence(
                "Look at what makes it. If its numbers are meant: `torch.from_numpy(x)` for an "
                "array, `torch.tensor(x)` for numbers, `torch.stack(x)` for a list of tensors. If "
                "a {given} is a layer or a model, its call is missing: `layer(x)`",
                {"expected": r".*Tensor.*"},
            ),
            "Convert it where it is given",
        ),
        suspects=(Suspect(r"{function}"),),
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
        means=("{function} is given a list that holds something it cannot take",),
        remedy=("Give it whole numbers: `int(n)`, and one level of brackets or parentheses",),
        suspects=(Suspect(r"{function}"),),
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
        look_around=rows_of_classes,
        means=(
            Sentence(ROWS_OF_CLASSES, {"function": _CLASS_LOSS, "rows_of": r".+"}),
            "{function} has no argument named {unknown}",
            "{function} takes {wanted} for `{argument}`, and is given {odd}",
            "{function} has no form that takes ({given})",
            "{function} is called with arguments that none of its forms takes",
        ),
        remedy=(
            Sentence(TO_CLASSES, {"function": _CLASS_LOSS, "rows_of": r".+"}),
            Sentence(
                "Look how the argument is spelled, and whether your version has it; the forms "
                "stand in the message",
                {"unknown": r".+"},
            ),
            Sentence(
                "Two tensors of one operation have different types: convert one of them. Class "
                "numbers and indices are `.long()`; what a model computes with, and the targets "
                "of BCE and MSE, `.float()`; where only one name says cuda, move the other tensor "
                "to the GPU",
                {"wanted": r"torch\.\w*\.?\w*Tensor", "odd": r"torch\..*"},
            ),
            Sentence(
                "Look at what is passed for `{argument}`. If it is a whole batch of a loader, "
                "unpack it first (`images, labels = batch`); a list of tensors of one shape "
                "becomes a tensor with `torch.stack(x)`; where a layer gives several values, take "
                "the one that is meant (`out, _ = lstm(x)`)",
                {"wanted": r"Tensor", "odd": r"list|tuple.*"},
            ),
            Sentence(
                "Go to the call that the traceback names, or to where the layer is made, and see "
                "what is passed for `{argument}`: an argument may be in another's place "
                "(`nn.Conv2d(3, 8, 3, True)` gives a stride of True). Written with its name, each "
                "argument is in its own place",
                {"argument": r".+"},
            ),
            "Compare the arguments with the forms in the message: perhaps a number where a tensor "
            "is needed, None, a float size (write `//` or `int(…)`), or a keyword that this "
            "version does not have",
        ),
        suspects=(Suspect(r"{function}"),),
        derive=_odd_argument,
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
        values={
            "function": "that is called",
            "given": "types of the arguments",
            "unknown": "keywords that no form has",
        },
        details=(r"some of the keywords were incorrect: (?P<unknown>[\w, ]{1,200})",),
        sample='torch.randint(2, "a", (3,))',
        examples=(
            "TypeError: conv2d() received an invalid combination of arguments - got (Tensor, "
            "tuple), but expected one of:\n * (Tensor input, tuple of ints stride = 1)\n      "
            "didn't match because some of the arguments have invalid types: (Tensor, !tuple of "
            "(bool, bool)!)\n",
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
                "`[…]` is asked of an object of the class {type}, which takes no index | a "
                "`Dataset` without `__getitem__`, a network of one's own that is indexed as if it "
                "were an nn.Sequential, or an object whose attributes are meant",
                {"type": r"(?:\w+\.)*[A-Z]\w*", "use": _INDEXED},
            ),
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
            Sentence(
                "Ask for what is meant by its name: `x.name`",
                {"type": r"(?!DataLoader)(?:\w+\.)*[A-Z]\w*", "use": _INDEXED},
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
                "If parameters are meant, as for an optimizer: `model.parameters()`; if the layers "
                "are: `model.children()`. If it is a data set, it has no `__getitem__` or "
                "`__iter__`",
                {"type": r"(?!NoneType$)(?:\w+\.)*[A-Z]\w*", "use": r"iterable"},
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
                "Print the shape before the line. If the batch or the channels are missing: "
                "`x.unsqueeze(0)` where the tensor is made; if there is a dimension more, see "
                "which one it is",
                {"line": _SHAPE_UNPACKED},
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
            r"\(expected (?:at least )?(?P<names>\d+)",
            r"(?P<how_many>too many) values to unpack",
        ),
        values={"how_many": "too many or not enough", "names": "number of names"},
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
)
