"""Calls that do not fit: names, numbers and types of arguments, overloads."""

import re
from collections.abc import Mapping

from executor.errors.around import REPLICA, Around
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.layer_arguments import layers_that_take
from executor.errors.moved import AS_TODAY, moved_keyword
from executor.errors.one_hot import ROWS_OF_CLASSES, TO_CLASSES, rows_of_classes
from executor.errors.overloads import marked_argument, odd_argument
from executor.errors.several_outputs import (
    A_TUPLE_OF_ONE,
    ENDS_IN_A_COMMA,
    GIVES_TWO,
    SEVERAL,
    TWO_OUTPUTS,
)


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
    """The only argument whose type a form does not take; else the one that the message marks."""
    if (odd := odd_argument(message)) is not None:
        return {"wanted": odd.wanted, "argument": odd.name, "odd": odd.given}
    return {"marked": marked_argument(message)}


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


# What Lightning calls at the end of an epoch.
_EPOCH_HOOK = r"on_(?:train|validation|test|predict)_epoch_end"
# What runs a model by itself, on the inputs that it is given for an example.
_EXPORTS = r"\b(?:onnx\.export|jit\.trace|torch\.export\.export|add_graph)\("
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
            Sentence(
                "No argument can be called `{keyword}`: such names are the keys of a dict, or the "
                "columns of a DataFrame, that was handed on as `**data`. Give an array or a tensor "
                "in its place (`df.to_numpy()`), in the dtype that the layers have",
                {"keyword": r"\d.*"},
            ),
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
            Sentence(
                "Lightning 2 calls `{method}` with nothing but the module, and the one here asks "
                "for {names} too",
                {"method": _EPOCH_HOOK, "names": r"'outputs'"},
            ),
            Sentence(
                "step() of ReduceLROnPlateau wants {names}, the number that it goes by, and each "
                "call counts as an epoch",
                {"method": r"step", "names": r"'metrics'.*"},
            ),
            "{function}() is called without {names}",
        ),
        remedy=(
            Sentence(
                "Take the parameter away: `def {method}(self):`. A mean over the epoch is what "
                "`self.log(name, value, on_epoch=True)` in the step gives, and then the hook can "
                "go. If it needs all of them, the step appends to a list of the module, and the "
                "hook reads that and clears it (`self.kept.clear()`); what it returns is not used",
                {"method": _EPOCH_HOOK, "names": r"'outputs'"},
            ),
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
            *(
                Sentence(
                    "Lightning makes the object anew, and what the file does not hold of its "
                    "arguments is given by name: `Net.load_from_checkpoint(path, "
                    "encoder=encoder)`; the weights are in the file all the same. Settings are "
                    "written into it by `save_hyperparameters()`",
                    {"method": r"__init__", where: r"load_from_checkpoint"},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "ReduceLROnPlateau goes by a number: `scheduler.step(val_loss)`, once for each "
                "epoch, after the evaluation. Among the batches it lowers the rate after "
                "`patience` batches without a new best",
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
            *(
                Sentence(
                    "The exporter calls forward with what it is given after the model: a tuple of "
                    "all, in forward's order, `(x, …)`, and {names} is not in it. Each is an "
                    "example of what really comes, in shape and dtype: token ids are int64",
                    {"method": r"forward", where: _EXPORTS},
                )
                for where in ("line", "words")
            ),
            Sentence(
                "If the export raises it: that calls forward with what it is given after the "
                "model, a tuple of all in its order, `(x, …)`, and {names} is not in it. Each "
                "is an example of what really comes, in shape and dtype: token ids are int64. If "
                "another line raises it, give it there",
                {"method": r"forward", "code": _EXPORTS},
            ),
            "Give what is missing. If the call seems to give it, perhaps the class itself was "
            "called instead of an object of it (`Net.forward(x)` for `net(x)`), a batch or tuple "
            "was passed whole and not unpacked, or your version's function takes more than the "
            "one that the code was written for. If a library calls it, and it is written here, the "
            "library gives less than it asks for: take that out of its head",
        ),
        suspects=(
            Suspect(
                r"LogSoftmax|Softmax|ReLU|LeakyReLU|ELU|GELU|Sigmoid|Tanh|Flatten|\w*Loss",
                "only makes the layer; it is called with its input afterwards, as in "
                "`nn.ReLU()(x)`",
                value=r"^(?!True|False|None)[A-Za-z_][\w.]*(?:\(.*\))?$",
            ),
            Suspect(r"(?!__init__$){function_name}"),
        ),
        derive=_layers,
        types=("TypeError",),
        today=(
            r"(?<![\w.<>])(?P<function>[\w.<>]+)\(\) missing (?P<count>\d+) required "
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
            r"(?<![\w.<>])(?P<function>[\w.<>]+)\(\) takes (?:from )?(?P<least>\d+)"
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
                "An LSTM has two states where a GRU has one: give both and take both, `h, c = "
                "cell(x, (h, c))`, with zeros for each at the start, and go on with `h`",
                {"function": r"lstm\w*", "name": r"hx"},
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
            *(
                Sentence(TWO_OUTPUTS, {"expected": r".*Tensor.*", "given": given, where: pattern})
                for given, where, pattern in (
                    (r"InceptionOutputs|GoogLeNetOutputs", "expected", r".*Tensor.*"),
                    (r"tuple", "words", GIVES_TWO),
                    (r"tuple", "line", GIVES_TWO),
                )
            ),
            Sentence(
                "The model's output holds several results: take the one that is meant by its name "
                "(`out.logits`, `out.loss`); `print(out)` lists them",
                {"expected": r".*Tensor.*", "given": r"\w*Outputs?(?:With\w+)?"},
            ),
            Sentence(A_TUPLE_OF_ONE, {"given": r"tuple", "line": ENDS_IN_A_COMMA}),
            Sentence(SEVERAL, {"expected": r".*Tensor.*", "given": r"tuple"}),
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
            r"tuple of \w+, but found element of type(?: (?P<element>\w+))?",
        ),
        values={
            "function": "that is called",
            "name": "PyTorch's name of the argument",
            "element": "the type of what stands in the list",
        },
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
            "{function} does not take the {marked} that it is given at one place",
            Sentence(
                "{function} has no form that takes ({given})",
                {"given": r"(?!.*\b(?:tuple|list)\b).*"},
            ),
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
            Sentence(
                "An argument is in another's place: `nn.Conv2d(3, 8, 3, True)` gives a stride of "
                "True, which older versions took for 1. `print(layer)` of the layer that fails "
                "shows it (`stride=(True, True)`); look at the call that makes it, and write each "
                "argument with its name, `bias=True`. The weights stay as they are",
                {"marked": r"tuple of \(bool.*"},
            ),
            Sentence(
                "Go to the call that the traceback names, or to where the layer is made, and see "
                "what gives it the {marked}",
                {"marked": r".+"},
            ),
            Sentence(
                "Give all tensors as one list: `{function}([a, b], dim=1)`. Their sizes may differ "
                "in the dimension that is joined",
                {"function": r"cat|concat|concatenate", "given": r"Tensor, .*"},
            ),
            Sentence(
                "Give all tensors as one list: `{function}([a, b])`",
                {"function": r"stack|[hvd]stack|block_diag", "given": r"Tensor, .*"},
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
)
