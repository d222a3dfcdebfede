"""Names that are not there: in modules, in objects, in the program, among what is installed."""

from collections.abc import Mapping

from executor.errors.around import OF_A_TENSOR
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.moved import moved_name

_PLAIN = (
    r"tuple|list|dict|generator|str|int|float|bool|set|function|builtin_function_or_method|method"
    r"|numpy\.\w+|map|filter|zip|range"
)


def _today(seen: SeenError, message: str) -> Mapping[str, str]:
    """What became of a name of a package."""
    moved = moved_name(seen["package"], seen["name"])
    return {"today": moved.told} if moved is not None else {}


def _part(seen: SeenError, message: str) -> Mapping[str, str]:
    """The package that a missing module is a part of, and what became of that part.

    Where the package itself is missing, Python's message names that alone.
    """
    package, _, part = seen["module"].partition(".")
    if not part or package == "torch":
        return {}
    moved = moved_name(package, part.partition(".")[0])
    return {"package": package} | ({"today": moved.told} if moved is not None else {})


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

FAMILIES = (
    ErrorFamily(
        id="module_attribute",
        says="A module has no such name: it was renamed or removed, or never was there.",
        details=(r"(?P<circular>circular import)",),
        means=(
            Sentence("The script that was started has no `{name}`", {"module": r"__main__"}),
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
                "The file that is imported is still being imported itself: two files import each "
                "other, or a file of yours named `{package}` hides the library "
                "(`print({package}.__file__)`)",
                {"circular": r".+"},
            ),
            Sentence(
                "Every {package} has that: perhaps a file or folder of yours named `{package}` "
                "hides the library, or what is left of an install stands in its place. "
                "`print({package}.__file__)` shows which one is imported",
                {"name": r"nn|Tensor|tensor|optim|utils|__version__|zeros|ones|cuda"},
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
        derive=_today,
        subject=("package",),
        sample="torch.gesv",
        examples=("AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'",),
    ),
    ErrorFamily(
        id="import_name",
        says="A module has no such name to import.",
        means=(
            "`{name}` cannot be imported from `{module}`; {today}",
            (
                "`{name}` cannot be imported from `{module}` | renamed, removed, or of another "
                "version"
            ),
            "`{name}` cannot be imported | renamed, removed, or of another version",
        ),
        remedy=(
            (
                "Compare the installed version with the one that the code was written for; "
                "a file of yours named like the library hides it"
            ),
        ),
        types=("ImportError",),
        today=(r"cannot import name '(?P<name>\w+)' from '(?P<module>(?P<package>\w+)[\w.]*)'",),
        older=(r"cannot import name '?(?P<name>\w+)'?$",),
        values={
            "name": "that is imported",
            "module": "it is imported from",
            "package": "the first part of its name",
        },
        derive=_today,
        subject=("package",),
        sample="from torch.optim import NoSuchOptimizer",
        examples=(
            "ImportError: cannot import name 'zero_gradients'",
            "ImportError: cannot import name 'Field' from 'torchtext.data'",
        ),
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
                "In torch before 0.4 a tensor had no gradient by itself: use today's "
                "torch, where Variable and Tensor are one; a custom loss is best an "
                "nn.Module (or a function) of torch operations",
                {"name": r"requires_grad|grad|backward|item|detach"},
            ),
            (
                "`{name}` may be NumPy's name, or of another version: look the method up "
                "in your version's documentation (`x.cpu().numpy()` gives the array)"
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
            "A {type} is used as if it were something else: it has no `{name}`",
        ),
        remedy=(
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
                "If it holds tensors, it becomes one by `torch.stack(list)` (or `torch.cat`); "
                "each element can be moved or asked by itself: `[t.to(device) for t in x]`",
                {
                    "type": r"list|tuple",
                    "name": r"to|cuda|cpu|size|shape|view|float|backward|dim|detach|unsqueeze",
                },
            ),
            Sentence(
                "What made it gives several values (a recurrent layer, a model with two outputs): "
                "take the part that is meant, `out, state = layer(x)`",
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
        remedy=("Ask the model inside the wrapper: `model.module.{name}`",),
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
            Sentence(
                "A `{type}` object has no `{name}`, a name that only its own library uses | the "
                "object was made by another version of that library: pickled, or copied from a "
                "file whole",
                {"name": r"_(?!_).*", "type": r"(?!Meta|Fake).*"},
            ),
            Sentence(
                "The class `{type}` has no `{name}` | a newer or an older version of its library "
                "has it, or in a class of one's own it is spelt or indented otherwise",
                {"of_class": r".+"},
            ),
            Sentence(
                "The installed `{type}` has no `{name}` | another version of it, a mixed "
                "installation, or a file of one's own that has its name",
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
            Sentence(
                "Ask the model itself: leave out `.module`, here and wherever else it is written; "
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
                "`print(module.__file__, module.__version__)` shows which one is imported; remove "
                "all of its versions and install one",
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
    ErrorFamily(
        id="name_undefined",
        says="A name is used that nothing defines.",
        decides=True,
        means=("`{name}` is used and nothing defines it",),
        remedy=(
            Sentence(
                "It needs its import: `from torch.autograd import Variable` (today a "
                "tensor by itself does what Variable did)",
                {"name": r"Variable"},
            ),
            Sentence("It needs its import: `import torch.nn.functional as F`", {"name": r"F"}),
            Sentence("It needs its import: `import torch.nn as nn`", {"name": r"nn"}),
            Sentence("It needs its import: `import numpy as np`", {"name": r"np"}),
            Sentence("It needs its import: `import torch`", {"name": r"torch"}),
            (
                "Define or import it above the line; in a notebook run the cell that does; "
                "inside a class it is `self.{name}`"
            ),
        ),
        suspects=(Suspect(r"{name}", "", kinds=("call",)),),
        types=("NameError",),
        today=(r"name '(?P<name>\w+)' is not defined",),
        values={"name": "that is used"},
        sample="model",
    ),
    ErrorFamily(
        id="unbound_local",
        says="A variable of a function is read before it has a value.",
        means=(
            (
                "The variable `{name}` is read in a function before it has a value there | it is "
                "assigned further down, or only in a branch or loop that did not run"
            ),
        ),
        remedy=(
            (
                "Give it a value before the branch or loop; a variable of outside that the "
                "function changes needs `global {name}` (or another name)"
            ),
        ),
        types=("UnboundLocalError", "NameError"),
        today=(r"cannot access (?P<kind>local|free) variable '(?P<name>\w+)'",),
        older=(r"(?P<kind>local|free) variable '(?P<name>\w+)' referenced before assignment",),
        values={"kind": "local, or free for a function within a function", "name": "of it"},
        sample="def f():\n    x += 1\n\nf()",
        examples=("UnboundLocalError: local variable 'x' referenced before assignment",),
    ),
    ErrorFamily(
        id="module_not_installed",
        says="A module is not installed.",
        means=(
            Sentence(
                "The installed PyTorch has no `{module}` | it is older than that module, or newer "
                "than the code that asks for it, or another Python is running than the one it was "
                "installed into",
                {"module": r"torch\.[\w.]+"},
            ),
            "Python finds `{package}`, and in it no `{module}`; {today}",
            (
                "Python finds `{package}`, and in it no `{module}` | another version of it is "
                "installed than the code was written for, or a file or folder of that name comes "
                "first"
            ),
            "The Python that runs finds no module `{module}` | it is not installed there, or, if "
            "it is a part of a repository, not where modules are looked for",
        ),
        remedy=(
            Sentence(
                "Print `torch.__version__` and `sys.executable` in that very notebook or "
                "script (torch.utils.tensorboard came with 1.1); then upgrade with that "
                "interpreter: `python -m pip install -U torch` (`%pip` in a notebook), and "
                "restart it",
                {"module": r"torch\.[\w.]+"},
            ),
            Sentence(
                "Installing `{package}` again brings the same version: "
                "`print({package}.__version__, {package}.__file__)` in that very notebook or "
                "script says which one it is; write the code for that version, or install the one "
                "it was written for into an environment of its own. Where the path is a file or "
                "folder of yours, its name hides the library",
                {"package": r"\w+"},
            ),
            Sentence("`pip install opencv-python`", {"module": r"cv2(?:\.[\w.]+)?"}),
            Sentence("`pip install scikit-learn`", {"module": r"sklearn(?:\.[\w.]+)?"}),
            Sentence("`pip install pillow`", {"module": r"PIL(?:\.[\w.]+)?"}),
            Sentence("`pip install pyyaml`", {"module": r"yaml"}),
            (
                "Install it into the interpreter that runs: `python -m pip install …` "
                "(`%pip install` in a notebook); a part of a repository is found when the "
                "program starts in its folder, or its folder is in PYTHONPATH"
            ),
        ),
        types=("ModuleNotFoundError", "ImportError"),
        today=(r"No module named '?(?P<module>[\w.]+)'?",),
        values={"module": "that is imported"},
        derive=_part,
        sample="import no_such_module",
        examples=("ModuleNotFoundError: No module named 'torchtext.legacy'",),
    ),
    ErrorFamily(
        id="module_required",
        says="A library needs another one that is not installed.",
        decides=True,
        means=("A library needs `{module}`, which is not installed",),
        remedy=("Install it: `python -m pip install {module}`",),
        types=("ImportError",),
        today=(r"requires `?(?P<module>[\w.]+)[\s\S]{0,400}?pip install",),
        values={"module": "that it needs"},
        needs="a library that asks for another one",
        examples=(
            "ImportError: This modeling file requires `einops` that was not found. Run `pip "
            "install einops`",
        ),
        typed=True,
    ),
)
