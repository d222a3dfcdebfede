"""Names that are not there in modules, tensors and other objects."""

from executor.errors.around import OF_A_TENSOR
from executor.errors.family import ErrorFamily, Sentence, Suspect
from executor.errors.moved import AS_TODAY, name_today
from executor.errors.several_outputs import GIVES_TWO, TWO_OUTPUTS

_PLAIN = (
    r"tuple|list|dict|generator|str|int|float|bool|set|function|builtin_function_or_method|method"
    r"|numpy\.\w+|map|filter|zip|range"
)


_NOT_OF_A_PICTURE = r"to|cuda|cpu|dim|shape|unsqueeze|squeeze|float|permute|view|detach|ndim|dtype"
_PICTURE = r"(?:PIL\.)?(?:Image|\w{2,5}ImageFile)"  # classes of Pillow
# Transforms that make a picture, and no tensor of it again.
_ENDS_IN_A_PICTURE = r"^(?![\s\S]*(?:ToTensor|ToImage|ToDtype)\b)[\s\S]*\bToPILImage\("
# A recurrent layer's state, by the name that it has in the failing line.
_OF_A_PAIR = {
    "type": r"tuple",
    "name": r"cuda|cpu|detach|detach_|to|float|half",
    "line": r"\b(?:hidden|state|hx|h_n|h_?0)\w*\.",
}
_LSTM = r"\blstm"
# What only a network is asked for.
_OF_A_NETWORK = r"to|parameters|eval|state_dict|load_state_dict|named_parameters|zero_grad"
# What programs call their own files.
_COMMON = r"utils?|models?|data|datasets?|config|train|test|common|helpers?|tools|layers|networks?"
_OF_AN_ARRAY = r"sum|mean|all|any|item|float|long|int|type|nonzero|cpu|astype|shape|numpy"
# What people ask of a model's output, such as one of transformers.
_OF_AN_OUTPUT = (
    r"logits|loss|last_hidden_state|pooler_output|hidden_states|attentions|sample|aux_logits"
)
# Layers of torch.nn, which nobody's `__init__` has to fill.
_LAYER = (
    r"Conv(?:Transpose)?[123]d|(?:Batch|Instance)Norm[123]d|(?:Layer|Group)Norm"
    r"|(?:Adaptive)?(?:Max|Avg)Pool[123]d|Linear|Bilinear|Embedding|LSTM|GRU|RNN|MultiheadAttention"
    r"|(?:Leaky|P)?ReLU6?|G?ELU|SiLU|Hardswish|Sigmoid|Tanh|Softmax|Dropout|Upsample|Flatten"
)
# Of objects of a kind: class, what is asked, what it means, what to do.
_OF_A_KIND = (
    *(
        (
            r"Subset",
            name,
            "A `Subset`, as random_split gives it, holds indices and the data set that they are "
            "of, and has no `{name}` itself",
            f"Ask the data set in it: `subset.dataset.{{name}}`, which is of the whole set{part}",
        )
        for name, part in (
            (
                r"targets|labels|samples|imgs|data|y",
                "; of its part `[subset.dataset.{name}[i] for i in subset.indices]`",
            ),
            (r"(?!indices|dataset|transform).*", ""),
            (r"transform", ", so that setting it there changes it for all parts"),
        )
    ),
    (
        r"\w*Loss",
        r"backward|item|detach|requires_grad|cpu",
        "`.{name}` is asked of the loss function itself (a `{type}` object), and not of what it "
        "gives",
        "Make it once, `criterion = {type}()`, and call it: `loss = criterion(output, target)`. "
        "`{type}(output, target)` only makes another one",
    ),
    (
        r"Namespace",
        r".*",
        "The arguments of the program have no `{name}`",
        "Add it to the parser, `parser.add_argument('--{name}', …)` (a `-` in the name is `_` "
        "here), or see which script this part of the program was written for",
    ),
    (
        r"InceptionOutputs|GoogLeNetOutputs",
        r".*",
        "A network in training mode gave several outputs (`{type}`), and `.{name}` is asked of all "
        "of them together",
        TWO_OUTPUTS,
    ),
    (
        r"\w*(?:Output|OutputWith\w+)",
        _OF_AN_OUTPUT,
        "The model's output, a `{type}`, has no `{name}`",
        "See which model it is: one without a head (`AutoModel`) gives `last_hidden_state` and no "
        "`logits`, and a `loss` comes only where `labels` are given; `print(out.keys())`",
    ),
    (
        r"Sequential|ModuleList|ModuleDict",
        r"(?!_).*",
        "A `{type}` has no layer and no method named `{name}`",
        "`print(model)` shows what it holds and how that is named: a layer of an nn.Sequential is "
        "asked by its number, `model[0]`",
    ),
    (
        _LAYER,
        r"(?!module$).*",
        "A `{type}`, a layer of PyTorch's own, has no `{name}` | it was loaded whole from a file "
        "that another version of torch wrote, or `{name}` is of another kind of layer",
        "If the model was loaded whole (a file with the model itself, and no state_dict): make it "
        "anew from its class, and load `old.state_dict()` into it; or use the torch that it was "
        "saved with. If not, `print(vars(layer))` shows what the layer has",
    ),
)

FAMILIES = (
    ErrorFamily(
        id="module_attribute",
        says="A module has no such name: it was renamed or removed, or never was there.",
        details=(r"(?P<circular>circular import)",),
        means=(
            Sentence("The script that was started has no `{name}`", {"module": r"__main__"}),
            Sentence(
                "`{module}` is a module of Python's, and `.{name}` is asked of it as of a network "
                "| the variable of the network has another name, or an import of the same name "
                "took its place",
                {"name": _OF_A_NETWORK},
            ),
            Sentence(
                "`{module}` is still being imported where `{name}` is asked of it",
                {"circular": r".+"},
            ),
            "`{module}` has no `{name}`; {today}",
            (
                "`{module}` has no `{name}` | renamed, removed, from another version, never "
                "imported, or a short name (`F`, `T`) stands for another module than is meant"
            ),
        ),
        remedy=(
            Sentence(
                "The script that runs defines no `{name}` at its top level: see its spelling and "
                "indentation, and which file is run",
                {"module": r"__main__"},
            ),
            Sentence(
                "If two files import each other, put what both need into a third. If a library is "
                "meant, a file of yours named `{package}` hides it (`print({package}.__file__)`): "
                "give that another name",
                {"circular": r".+"},
            ),
            Sentence(AS_TODAY, {"today": r".+"}),
            Sentence(
                "See what the name stands for on that line: an import that is called like the "
                "network's variable (`models`, `model`) takes its place, so give one of them "
                "another name; and a file holds the class, of which an object has to be made first",
                {"name": _OF_A_NETWORK},
            ),
            Sentence(
                "Every {package} has that: perhaps a file or folder of yours named `{package}` "
                "hides the library, or what is left of an install stands in its place. "
                "`print({package}.__file__)` shows which one is imported",
                {
                    "name": r"nn|Tensor|tensor|optim|utils|__version__|zeros|ones|cuda",
                    "module": r"torch",
                },
            ),
            Sentence(
                "`print({package}.__file__)` shows which `{package}` is imported: many programs "
                "and packages have a part of that name, and the one that is found first counts. If "
                "it is the right file, see whether it defines `{name}`",
                {"package": _COMMON},
            ),
            (
                "Compare the version (`print({package}.__version__)`) with the one the code was "
                "written for: a name that came later needs a newer install, one that was removed "
                "its successor. A submodule has to be imported by itself; and a file of yours "
                "named like the library hides it"
            ),
        ),
        suspects=(Suspect(r"{name}", "", kinds=("call", "read")),),
        types=("AttributeError",),
        today=(r"module '(?P<module>(?P<package>\w+)[\w.]*)' has no attribute '(?P<name>\w+)'",),
        values={
            "module": "that is asked",
            "package": "the first part of its name",
            "name": "that it has not",
            "circular": "that two files import each other, where the message says so",
        },
        derive=name_today,
        subject=("package",),
        sample="torch.gesv",
        examples=("AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'",),
    ),
    ErrorFamily(
        id="name_removed",
        says="A library took a name away, and says so.",
        means=("The library took `{name}` away",),
        remedy=("The message says what takes its place, or why it went",),
        types=("ImportError", "AttributeError", "NotImplementedError", "RuntimeError"),
        today=(r"`(?P<name>[\w.]{1,80})` (?:has been|was) removed (?:from|in|since) ",),
        values={"name": "that is gone"},
        sample="np.Inf",
        breadth=23,
    ),
    ErrorFamily(
        id="none_attribute",
        says="Something is asked of None.",
        subject=("name",),
        means=("`.{name}` is asked of something that is None there",),
        remedy=(
            *(
                Sentence(
                    "`cv2.imread` gives None for a file that it cannot read, and says nothing: "
                    "print the path and `os.path.exists(path)`. If the picture is another one, "
                    "print where it comes from",
                    {
                        "name": r"shape|size|copy|astype|dtype|ndim|reshape|transpose|resize",
                        where: r"\bimread\(",
                    },
                )
                for where in ("line", "code", "words")
            ),
            Sentence(
                "Look at what gives the loss: a function or forward that ends without `return`, or "
                "a model of transformers that gets no `labels`, gives None",
                {"name": r"backward"},
            ),
            Sentence(
                "A path or a file is None there: print the setting that it comes from (a "
                "checkpoint to go on from that was never given)",
                {"name": r"seek|tell|read|readinto|readline"},
            ),
            Sentence(
                "A pattern was not found in the text: `re.match` and `re.search` give None then, "
                "so print the text before it",
                {"name": r"groups?|span|start|end|groupdict"},
            ),
            Sentence(
                "The line is {raised_in}'s own: it was given nothing where it needs something, or "
                "is of another version than what it calls. Print what you hand to it, and "
                "`{raised_in}.__version__`",
                {"raised_in": r".+", "name": r"(?!zero_|data|norm|detach_|clamp_|mul_|div_).*"},
            ),
            Sentence(
                "`.grad` is None before backward(), for a tensor that takes no part in the loss, "
                "and for a result that is no leaf",
                {"line": r"\.grad\."},
            ),
            Sentence(
                "If it is a `.grad`: that is None before backward(), for a tensor that takes no "
                "part in the loss, and for a result that is no leaf. Else print where the value "
                "comes from",
                {"name": r"zero_|data|norm|detach_|clamp_|mul_|div_"},
            ),
            (
                "Print where it comes from: perhaps a function without `return`, a file or a "
                "match that was not found, or an optional part that was never set"
            ),
        ),
        suspects=(Suspect(r"{name}"),),
        types=("AttributeError",),
        today=(r"'NoneType' object has no attribute '(?P<name>\w+)'",),
        values={"name": "that is asked for"},
        sample="torch.ones(2).grad.zero_()",
    ),
    ErrorFamily(
        id="tensor_attribute",
        says="A tensor has no such attribute.",
        means=("A {type} has no `{name}`, at least in the version in use",),
        remedy=(
            Sentence(
                "`.to(torch.float32)`, `.float()` or `.long()` do what NumPy's `astype` does",
                {"name": r"astype"},
            ),
            Sentence("`.clone()` does what NumPy's `copy()` does", {"name": r"copy"}),
            Sentence(
                "Perhaps it is that part already, where an output of several named parts is "
                "expected: leave `.{name}` out, or see which model gave it (a plain nn.Module "
                "gives a tensor)",
                {"name": _OF_AN_OUTPUT},
            ),
            Sentence(
                "A dictionary, a list or a text is expected there: look at what gave the tensor, "
                "and whether it was one batch, or one entry of it, that is meant",
                {"name": r"items|keys|values|get|append|extend|lower|split|strip|encode"},
            ),
            Sentence(
                "The line is {raised_in}'s own: if it wants an array or a list there, hand it "
                "`x.detach().cpu().numpy()`; if it wants a tensor, it was written for another "
                "version of torch (`torch.__version__`) than this one",
                {"raised_in": r".+"},
            ),
            Sentence(
                "In torch before 0.4 a tensor had no gradient by itself: use today's "
                "torch, where Variable and Tensor are one; a custom loss is best an "
                "nn.Module (or a function) of torch operations",
                {"name": r"requires_grad|grad|backward|item|detach"},
            ),
            Sentence(
                "A graph is expected there, and a tensor came: a torch_geometric model takes the "
                "`Data` objects that `torch_geometric.loader.DataLoader` gives; "
                "torch.utils.data's gives tensors. Print `type(data)` before the call",
                {"name": r"edge_(?:index|attr|weight|label)\w*|num_(?:nodes|graphs)|[ne]data"},
            ),
            (
                "If `{name}` is a method, it may be NumPy's or of another version: look it up in "
                "your version's documentation (`x.cpu().numpy()` gives the array). If it is a part "
                "of an object of another class, a tensor came where that was meant: look at what "
                "gave it"
            ),
        ),
        suspects=(Suspect(r"{name}", "", kinds=("call", "read")),),
        types=("AttributeError",),
        today=(r"'(?P<type>Tensor|Parameter)' object has no attribute '(?P<name>\w+)'",),
        older=(
            r"'(?P<type>Variable|torch\.(?:cuda\.)?\w+Tensor)' object has no attribute "
            r"'(?P<name>\w+)'",
        ),
        values={"type": "Tensor or Parameter", "name": "that is asked for"},
        sample="torch.ones(2).reshape_(1, 2)",
        examples=("AttributeError: 'Variable' object has no attribute 'item'",),
    ),
    ErrorFamily(
        id="plain_attribute",
        says="A list, an array or another plain value is used as if it were something else.",
        means=(
            Sentence(
                "A piece of text is used as a tensor: it has no `{name}` | a dictionary, or a "
                "model's output that is one, was unpacked or gone through, which gives its keys",
                {"type": r"str", "name": OF_A_TENSOR},
            ),
            Sentence(
                "`.next()` is of Python 2: a {type} has none",
                {"type": r".*(?:generator|iterator|map|zip|enumerate)", "name": r"next"},
            ),
            *(
                Sentence(
                    "The state of an LSTM is two tensors, (h, c), where that of a GRU or an RNN is "
                    "one: the pair has no `{name}`",
                    {**_OF_A_PAIR, where: _LSTM},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "A single True or False is used as if it were an array: it has no `{name}` | `==` "
                "(or `<`) between two things that cannot be compared element by element gives one",
                {"type": r"bool", "name": _OF_AN_ARRAY},
            ),
            Sentence(
                "`.{name}` is asked of a function itself, and not of what it returns",
                {"type": r"function|method|builtin_function_or_method"},
            ),
            "A {type} is used as if it were something else: it has no `{name}`",
        ),
        remedy=(
            *(
                Sentence(TWO_OUTPUTS, {"type": r"tuple", "name": OF_A_TENSOR, where: GIVES_TWO})
                for where in ("words", "line")
            ),
            Sentence(
                "Print both sides of the comparison: two tensors (or two arrays) of one shape give "
                "an array; a tensor against a list, a text or an array of another length does not",
                {"type": r"bool", "name": _OF_AN_ARRAY},
            ),
            Sentence(
                "Call it: its parentheses are missing. If a value was meant, its name was given to "
                "a function",
                {"type": r"function|method|builtin_function_or_method"},
            ),
            Sentence(
                "Leave `.{name}()` out: it is a plain number already",
                {"type": r"float|int|bool", "name": r"item|cpu|detach|numpy|tolist"},
            ),
            Sentence(
                "Make a list of it first, `list(x)`: it can only be gone through, and only once",
                {"type": r"generator|map|filter|zip", "name": r"(?!next).*"},
            ),
            Sentence(
                "Add up its entries first: `sum(losses.values()).backward()`, as the detectors of "
                "torchvision give a loss for each part",
                {"type": r"dict", "name": r"backward"},
            ),
            Sentence(
                "`.items()` for iteritems, `key in d` for has_key", {"name": r"iter\w+|has_key"}
            ),
            Sentence(
                "Each entry is asked by itself: `batch = {{k: v.to(device) for k, v in "
                "batch.items()}}`, or the one that is meant, `out['logits']`",
                {"type": r"dict", "name": OF_A_TENSOR},
            ),
            Sentence(
                "Make the model first, then load: `model = Net(); model.load_state_dict(d)`; "
                "where the file holds more than weights, the entry that has them",
                {
                    "type": r"dict",
                    "name": r"eval|train|parameters|state_dict|load_state_dict|modules|named_\w+",
                },
            ),
            Sentence(
                "A tuple cannot be changed: begin with a list, `x = []`, or make one of it, `x = "
                "list(x)`",
                {"type": r"tuple", "name": r"append|extend|insert|remove|pop|sort"},
            ),
            Sentence(
                "A model of transformers before version 4, or with `return_dict=False`, gives a "
                "plain tuple: `return_dict=True`, or take the part by its number",
                {"type": r"tuple", "name": _OF_AN_OUTPUT},
            ),
            *(
                Sentence(
                    "Do it to each of the two, which stay a pair: `hidden = tuple(h.{name}(…) for "
                    "h in hidden)`. One of them alone, or both stacked, is no state that an LSTM "
                    "takes",
                    {**_OF_A_PAIR, where: _LSTM},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "Take the value by its name (`out.logits`, `out['logits']`), or go through "
                "`d.values()`; `model(…, return_dict=False)` of transformers gives a tuple",
                {"type": r"str", "name": OF_A_TENSOR},
            ),
            Sentence("Write `next(it)`", {"name": r"next"}),
            Sentence(
                "The loss is a number of Python's here: `.item()`, `float()` or numpy took its "
                "graph away. Keep the tensor for backward(), and take the number only to print or "
                "add up",
                {"type": r"float|int|numpy.*|ndarray", "name": r"backward|requires_grad|grad_fn"},
            ),
            Sentence(
                "If a tensor is meant, make one: `torch.from_numpy(x)` (array) or "
                "`torch.tensor(x)` (numbers)",
                {"type": r"numpy.*|ndarray|float|int|bool"},
            ),
            Sentence(
                "If it holds tensors, it becomes one by `torch.stack(list)` (or `torch.cat`), of "
                "numbers by `torch.tensor(list)`; each element can be moved or asked by itself: "
                "`[t.to(device) for t in x]`",
                {
                    "type": r"list|tuple",
                    "name": r"to|cuda|cpu|size|shape|view|float|backward|dim|detach|unsqueeze",
                },
            ),
            Sentence(
                "See what made it: a recurrent layer, or a model with two outputs, gives several "
                "values, and so does a batch of a loader. Take the part that is meant, `out, state "
                "= layer(x)`",
                {"type": r"tuple"},
            ),
            Sentence(
                "load_state_dict is meant: what is called here reads the weights of a model, and "
                "takes none of a file. Write `model.load_state_dict(d)`; if the file is a "
                "checkpoint with more than the weights, give it that entry, `d['state_dict']`",
                {"type": r"dict", "line": r"\.state_dict\(\s*[A-Za-z_]"},
            ),
            Sentence(
                "A dictionary is asked by its key: `d['{name}']`; if it holds weights, make the "
                "model first and `model.load_state_dict(d)`",
                {"type": r"dict"},
            ),
            "See what gave the value: which of its results, or which entry of them, is meant",
        ),
        suspects=(Suspect(r"{name}", "", kinds=("call", "read")),),
        types=("AttributeError",),
        today=(rf"'(?P<type>{_PLAIN})' object has no attribute '(?P<name>\w+)'",),
        values={"type": "of the value", "name": "that is asked for"},
        subject=("type", "name"),
        sample="[1, 2].shape",
        typed=True,
    ),
    ErrorFamily(
        id="wrapper_attribute",
        says="A layer or method of a model is asked of the wrapper around it.",
        decides=True,
        means=("The model is inside a {of_class}, and the wrapper has no `{name}` of its own",),
        remedy=(
            "Ask the model inside the wrapper: `model.module.{name}`. What is called so goes "
            "around the wrapper: it runs on one GPU, and of DistributedDataParallel no gradients "
            "are exchanged for it, so what is trained has to go through `model(…)`",
        ),
        types=("AttributeError", "ModuleAttributeError"),
        today=(
            r"'(?P<of_class>DataParallel|DistributedDataParallel|FullyShardedDataParallel)' object "
            r"has no attribute '(?P<name>\w+)'",
        ),
        values={"of_class": "class of the wrapper", "name": "what is asked of it"},
        sample="nn.DataParallel(nn.Linear(2, 2)).in_features",
        breadth=-6,  # otherwise `object_attribute`
    ),
    ErrorFamily(
        id="object_attribute",
        says="An object has no such attribute.",
        means=(
            Sentence(
                "`.module` is what a wrapper such as DataParallel has, and this `{type}` is in "
                "none",
                {"name": r"module", "type": r"(?!module$).*"},
            ),
            *(Sentence(text, {"type": type_, "name": name}) for type_, name, text, _ in _OF_A_KIND),
            Sentence(
                "A `{type}` object has no `{name}` | of a library's class: the object was made by "
                "another version of that library (pickled, or copied from a file whole); of one's "
                "own: `__init__` does not set it",
                {"name": r"_(?!_).*", "type": r"(?!Meta|Fake).*"},
            ),
            Sentence(
                "The class `{type}` has no `{name}` | a newer or an older version of its library "
                "has it, or in a class of one's own it is spelt or indented otherwise",
                {"of_class": r".+"},
            ),
            Sentence(
                "A module has no `{name}` (Python 2 does not say which one) | another version of "
                "it, a mixed installation, or a file of one's own that has its name",
                {"type": r"module"},
            ),
            Sentence(
                "`{type}` is what Pillow calls a picture, and `.{name}` is a tensor's: a picture "
                "stands where a tensor is needed",
                {"type": _PICTURE, "name": _NOT_OF_A_PICTURE},
            ),
            "A `{type}` object has no `{name}`",
        ),
        remedy=(
            *(Sentence(text, {"type": type_, "name": name}) for type_, name, _, text in _OF_A_KIND),
            Sentence(
                "Only a wrapper (`nn.DataParallel`, `DistributedDataParallel`) has `.module`, and "
                "on one GPU there is often none. Ask the model itself: leave out `.module`, here "
                "and wherever else it is written; "
                "`getattr(model, 'module', model)` is the model with and without a wrapper",
                {"name": r"module", "type": r"(?!module$).*"},
            ),
            Sentence(
                "`ToPILImage` makes a picture, and no transform in what you posted makes a tensor "
                "of it again: put `ToTensor` last. Where boxes or masks belong to the "
                "picture, a transform that moves its points has to move them too "
                "(`torchvision.transforms.v2`)",
                {"type": _PICTURE, "name": _NOT_OF_A_PICTURE, "code": _ENDS_IN_A_PICTURE},
            ),
            Sentence(
                "Make a tensor of it where the sample is made: `ToTensor` as the last of the "
                "transforms, or `torchvision.transforms.functional.to_tensor(image)`",
                {"type": _PICTURE, "name": _NOT_OF_A_PICTURE},
            ),
            Sentence(
                "Look at what it has, `print(dir({type}))`, and in the library's notes on changes "
                "for what took its place",
                {"of_class": r".+"},
            ),
            Sentence(
                "See which module the line asks, and which file it is (`print(np.__file__)`). A "
                "file of yours that is called like a module of Python's or of a library "
                "(`select.py`, `random.py`, `torch.py`) is imported in its place, by libraries "
                "too: rename it, and remove its `.pyc`. If it is the library, install one version "
                "of it",
                {"type": r"module"},
            ),
            Sentence(
                "A DataLoader is gone through by an iterator: `it = iter(loader)` once, and then "
                "`next(it)`; `.next()` is of Python 2",
                {"name": r"next|__next__", "type": r"DataLoader"},
            ),
            Sentence(
                "`.next()` is of Python 2, and an iterator of a DataLoader has none any more: "
                "write `next(it)`",
                {"name": r"next"},
            ),
            Sentence(
                "Python names the nearest one that it has, `.{meant}`: see whether that is meant",
                {"meant": r".+"},
            ),
            Sentence(
                "The class is {raised_in}'s and not yours: `print([n for n in dir(x) if not "
                "n.startswith('_')])` lists what it has, and `print({raised_in}.__version__)` says "
                "whether the code was written for another version",
                {"raised_in": r".+"},
            ),
            Sentence(
                "Inside DataParallel or DistributedDataParallel the model is `.module`: "
                "`model.module.{name}`",
                {"type": r"DataParallel|DistributedDataParallel"},
            ),
            (
                "Check the spelling, that `__init__` really sets `self.{name}` before it "
                "is read (and is not cut short by a missing `super().__init__()` or a "
                "wrong indentation), and the version of the class. If `{name}` is a property of an "
                "`nn.Module`, an AttributeError inside it comes out as this one"
            ),
        ),
        suspects=(Suspect(r"{name}", "", kinds=("call", "read", "attribute")),),
        details=(r"Did you mean: '(?P<meant>\w+)'",),
        types=("AttributeError",),
        today=(
            r"(?P<of_class>type object )?(?<!module )'(?P<type>\w[\w.]*)'(?: object)? has no "
            r"attribute '(?P<name>\w*)'",
            r"^(?P<type>[A-Z]\w*) has no attribute (?P<name>\w+)$",  # transformers' tokenizers
        ),
        values={
            "meant": "the name that Python takes for the one that is meant",
            "of_class": "`type object ` where it is a class that is asked",
            "type": "of the object, or the class",
            "name": "that is asked for",
        },
        subject=("of_class", "name"),
        sample="nn.Linear(2, 2).width",
        breadth=10,
    ),
)
