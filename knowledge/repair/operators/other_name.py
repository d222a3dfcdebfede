"""Ask for what is there under the name that it has: spelled right, renamed, or somewhere else.

What there is is read from the live module, class or object. The error's own words come first
(`use np.inf instead`), then the very name in another place of the library, then a slip of the pen.
All names of modules that the program asks for in vain are put right together.
"""

import importlib
import inspect
import pkgutil
import re
import sys
import types
from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a, moved_attribute, moved_name, read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.computed import reaches_leaves
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.imports import import_instead, with_import, without_import
from knowledge.repair.toolkit.lazily import np, torch
from knowledge.repair.toolkit.lookups import Lookup, lookup, sister_of
from knowledge.repair.toolkit.sites import scope_of
from knowledge.repair.toolkit.spelling import misspelt, plain, slips
from knowledge.repair.toolkit.statements import line_of

# What was renamed without another meaning, in words that no rule of spelling finds.
_RENAMED = {
    "BCELossWithLogits": "torch.nn.BCEWithLogitsLoss",
    "CrossEntropy": "torch.nn.CrossEntropyLoss",
    "MSE": "torch.nn.MSELoss",
    "Swish": "torch.nn.SiLU",
    "swish": "torch.nn.functional.silu",
    "set_deterministic": "torch.use_deterministic_algorithms",
    "is_deterministic": "torch.are_deterministic_algorithms_enabled",
    "__version__": "torch.__version__",
    "power": "torch.pow",
    "inv": "torch.linalg.inv",
    "pinv": "torch.linalg.pinv",
    "take_along_axis": "torch.take_along_dim",
    "iteritems": "items",
    "itervalues": "values",
    "iterkeys": "keys",
    "mask_fill": "masked_fill",
    "mask_fill_": "masked_fill_",
    "ndims": "ndim",
    "copy": "clone",
    "to_numpy": "numpy",
    "to_list": "tolist",
    "cuda_time": "device_time",
    "cuda_time_total": "device_time_total",
    "self_cuda_time_total": "self_device_time_total",
    "get_lr": "get_last_lr",
    "evaluate": "eval",
    "events": "function_events",
    "in1d": "isin",
    "product": "prod",
    "cumproduct": "cumprod",
    "trapz": "trapezoid",
    "dims": "dim",
    "array": "torch.tensor",
    "ndarray": "torch.Tensor",
    "expand_dims": "torch.unsqueeze",
    "mod": "torch.remainder",
    "resize": "torch.nn.functional.interpolate",
    "Dense": "torch.nn.Linear",
    "MaxPooling1D": "torch.nn.MaxPool1d",
    "MaxPooling2D": "torch.nn.MaxPool2d",
    "AveragePooling2D": "torch.nn.AvgPool2d",
    "mean_squared_error": "torch.nn.functional.mse_loss",
    "binary_crossentropy": "torch.nn.functional.binary_cross_entropy",
}

# What one model or another calls its last layer.
_HEADS = frozenset({"fc", "classifier", "head", "heads", "last_linear", "_fc"})

_MOST_LONGER = 3  # names that begin alike and are shown as alternatives

# A tensor was handed to a function of NumPy or math, which takes numbers and plain arrays.
_OF_TENSORS = ("numpy_of_graph", "one_element_tensors", "index_of_one_element", "array_to_number",
               "number_needed")  # fmt: skip

REPEATS = True  # one slip seldom comes alone
ERRORS = _OF_TENSORS
TYPES = frozenset((
    "AttributeError", "ImportError", "ModuleNotFoundError", "NotImplementedError", "NameError",
))  # fmt: skip


def edits(failure: Failure) -> Rewrites:
    """The name that is meant, at the failing place, then wherever a name is asked for in vain."""
    if is_a(failure.error, *_OF_TENSORS):
        yield from _of_torch(failure)
        return
    if failure.error.type == "NameError":
        yield from _of_a_variable(failure)
        return
    if read(failure.error, "module_not_installed") is not None:
        yield from _of_a_lost_module(failure)
        return
    look = lookup(failure) or _not_implemented(failure)
    if look is None or look.owner is None:
        return
    if isinstance(failure.live.error, ImportError):
        yield from _imported(failure, look)
        return
    node = _attribute(failure, look.name)
    if node is None:
        return
    yield from _head(failure, look, node)
    yield from _of_this_branch(failure, node)
    here = list(_of_what_it_was_made_of(failure, node)) or list(_meant(failure, node, look))
    for new, told, cost in here:
        yield failure.edit(new, told, "", at=node, cost=cost)
    yield from _longer(failure, look, node)
    if here:
        yield from _everywhere(failure, look, node)
    elif look.is_submodule():
        name = f"{look.module}.{look.name}"
        yield Rewrite(
            with_import(failure, f"import {name}"),
            f"`{name}` is a module of its own, which has to be imported",
            cost=COST.SURE,
        )
    else:
        yield from _of_vision(failure, look, node)


def _of_this_branch(failure: Failure, node: cst.Attribute) -> Rewrites:
    """`self.lstm_size` for `self.gru_size` that only another branch sets: copied, not renamed."""
    asked, owner = failure.text(node), failure.text(node.value)
    around = failure.up(node, cst.FunctionDef) or failure.module
    sets = {
        block: {failure.text(t.target) for t in failure.inside(block, cst.AssignTarget)}
        for block in failure.inside(around, cst.IndentedBlock)
        if isinstance(failure.parent(block), (cst.If, cst.Else))
    }
    theirs = set[str]().union(*(names for names in sets.values() if asked in names))
    mine = [names for block, names in sets.items() if node in failure.inside(block, cst.Attribute)]
    words, alike = asked.split("_"), list[str]()
    for name in set[str](*mine[:1]) - theirs if theirs else ():
        parts = name.split("_")
        differ = sum(a != b for a, b in zip(parts, words, strict=False))
        if name.startswith(f"{owner}.") and len(parts) == len(words) and differ == 1:
            alike.append(name)
    if len(alike) == 1:
        new = alike[0]
        changes: Edits = {
            read: cst.parse_expression(new)
            for block, names in sets.items() if new in names and asked not in names
            for read in failure.inside(block, cst.Attribute) if failure.text(read) == asked
        }  # fmt: skip
        told = f"`{new}` is the one of this branch; `{node.attr.value}` is another one's"
        yield failure.edit(changes, told, at=node, as_one=True)


def _head(failure: Failure, look: Lookup, node: cst.Attribute) -> Rewrites:
    """`model.classifier[6]` for `model.fc`: another library's model, and its last layer."""
    own = {c.name.value for c in failure.all(cst.ClassDef)}
    is_one = isinstance(look.owner, torch.nn.Module) and type(look.owner).__name__ not in own
    if not is_one or look.name not in _HEADS:
        return
    leaves = [(n, m) for n, m in look.owner.named_modules() if not list(m.children())]
    path, last = leaves[-1] if leaves else ("", None)
    if not isinstance(last, torch.nn.Linear):
        return
    asked = failure.text(node)
    called = re.sub(r"\.(\d+)", r"[\1]", f"{failure.text(node.value)}.{path}")
    new = cst.parse_expression(called)
    changes: Edits = {n: new for n in failure.all(cst.Attribute) if failure.text(n) == asked}
    told = f"the last layer of this model is `{called}`"
    yield failure.edit(changes, told, at=node, cost=COST.SURE, as_one=True)


def _of_torch(failure: Failure) -> Rewrites:
    """`torch.log1p(x)` for `np.log1p(x)`, where `x` is a tensor with a graph."""
    node = failure.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    module, name = failure.value(node.func.value), node.func.attr.value
    if getattr(module, "__name__", "") not in ("numpy", "math") or not callable(
        getattr(torch, name, None)
    ):
        return
    given = failure.value(node.args[0].value) if node.args else None
    if isinstance(given, torch.Tensor):
        new = failure.name_of("torch", name)
        told = f"`{new}` is the function for tensors"
        meaning = f"gradients are to go through `{name}`"
        yield failure.edit({node.func: cst.parse_expression(new)}, told, meaning)


def _of_a_variable(failure: Failure) -> Rewrites:
    """`self.pool` for `pool`, `output` for `ouput`: a name that nothing binds, and one is near."""
    seen = read(failure.error, "name_undefined")
    name, alive = seen["name"] if seen is not None else "", failure.live.names[-1]
    if not name or name in alive:
        return
    new: cst.BaseExpression | None = None
    if "self" in alive and hasattr(alive["self"], name):
        new = cst.parse_expression(f"self.{name}")
    else:
        near = [n for n in alive if misspelt(name, n) and not n.startswith("__")]
        least = min((slips(name, n) for n in near), default=0)
        near = [n for n in near if slips(name, n) == least]
        new = cst.Name(near[0]) if len(near) == 1 else None
    if new is None:
        return
    function = scope_of(failure, failure.node or failure.module)
    uses: Edits = {
        n: new.deep_clone()
        for n in failure.inside(function, cst.Name)
        if n.value == name and not failure.is_label(n)
    }
    if uses:
        text = failure.module.code_for_node(new)
        title = f"line {failure.error.line}: `{name}` is `{text}`"
        meaning = f"`{text}` is meant"
        yield Rewrite(failure.replace(uses), title, meaning, cost=COST.SURE, as_one=True)


def _of_vision(failure: Failure, look: Lookup, node: cst.Attribute) -> Rewrites:
    """`torchvision.models.resnet18` for `nn.ResNet18`, `torchvision.ops.nms` for `F.nms`."""
    if look.module.partition(".")[0] != "torch":
        return
    try:
        from torchvision import models, ops, transforms
    except Exception:  # whatever it raises where it does not fit to this torch
        return
    same = [f"models.{n}" for n in vars(models) if n.islower() and plain(n) == plain(look.name)]
    for place in (ops, transforms):
        if callable(getattr(place, look.name, None)):
            same.append(f"{place.__name__.rpartition('.')[2]}.{look.name}")
    if len(same) != 1:
        return
    where, _, name = f"torchvision.{same[0]}".rpartition(".")
    new = failure.name_of(where, name)
    module = failure.replace({node: cst.parse_expression(new)})
    if "torchvision" not in failure.module.code:
        new = f"{where}.{name}"
        module = failure.replace({node: cst.parse_expression(new)})
        module = with_import(Program(module.code), "import torchvision")
    title = f"line {failure.line(node)}: `{look.name}` is `{new}`"
    yield Rewrite(module, title, f"`{new}` is meant", as_one=True, cost=COST.SURE)


def _longer(failure: Failure, look: Lookup, node: cst.Attribute) -> Rewrites:
    """Names that begin with the one that is asked for; several are alternatives."""
    parent = failure.parent(node)
    is_called = isinstance(parent, cst.Call) and parent.func is node
    longer = look.longer(is_called=is_called)
    for name in longer if len(longer) <= _MOST_LONGER else ():
        told = f"the whole name is `{name}`"
        yield failure.edit({node: _named(node, name)}, told, f"`{name}` is meant", cost=COST.LIKELY)


def _not_implemented(failure: Failure) -> Lookup | None:
    """A method that only says that there is none, where the object has it under another name."""
    node = failure.node
    if not isinstance(failure.live.error, NotImplementedError) or not isinstance(node, cst.Call):
        return None
    if not isinstance(node.func, cst.Attribute) or node.func.attr.value not in _RENAMED:
        return None
    return Lookup(failure.value(node.func.value), node.func.attr.value, "")


def _attribute(failure: Failure, name: str) -> cst.Attribute | None:
    node = failure.node
    node = node.func if isinstance(node, cst.Call) else node
    return node if isinstance(node, cst.Attribute) and node.attr.value == name else None


Meant = tuple[Edits, str, float]


def _meant(program: Program, node: cst.Attribute, look: Lookup) -> Iterator[Meant]:
    """What an attribute may mean instead: the nodes to replace, in words, and how likely."""
    parent = program.parent(node)
    call = parent if isinstance(parent, cst.Call) and parent.func is node else None
    name = look.name
    if said := look.said():
        instead = _as_said(program, node, look, said)
        gone = program.text(node) if look.module else name
        yield {node: instead}, f"`{gone}` is `{program.text(instead)}` now", COST.SAID
        return
    if today := _moved(look):
        owner = program.text(node.value)
        asked = program.name_of(*_split(today)) if look.module else f"{owner}.{today}"
        yield {node: cst.parse_expression(asked)}, f"`{name}` is `{today}` now", COST.SURE
        return
    if inspect.isclass(look.owner) and look.owner.__name__ == name:
        yield {node: node.value}, f"`{program.text(node.value)}` is the class itself", COST.SURE
        return
    known = _RENAMED.get(name, "")
    if known and "." not in known and known in look.names:
        plain = call is not None and not call.args and not callable(look.value(known))
        old = call if plain and call is not None else node
        yield {old: _named(node, known)}, f"`{name}` is called `{known}`", COST.SURE
    elif known and look.module.startswith("torch"):
        new = program.name_of(*_split(known))
        yield {node: cst.parse_expression(new)}, f"it is called `{new}`", COST.SURE
    elif call is not None and (cls := _class_of(look, call)):
        yield {node: _named(node, cls)}, f"the layer is called `{cls}`", COST.SURE
    elif home := _home(look):
        new = program.name_of(*_split(home))
        yield {node: cst.parse_expression(new)}, f"`{name}` is `{new}`", COST.SURE
    elif len(near := look.alike(is_called=call is not None)) == 1:
        yield {node: _named(node, near[0])}, f"it is spelled `{near[0]}`", COST.SURE
    elif isinstance(look.owner, dict) and name in look.owner and call is None:
        key = cst.parse_expression(f"{program.text(node.value)}[{name!r}]")
        yield {node: key}, f"`{name}` is a key of the dictionary", COST.SURE
    elif len(inside := look.inside()) == 1:
        holder = cst.Attribute(node.value, cst.Name(inside[0]))
        text = program.text(node.value)
        new_node = node.with_changes(value=holder)
        yield {node: new_node}, f"`{name}` belongs to `{text}.{inside[0]}`", COST.LIKELY
    elif call is None and (chosen := _of_the_chosen(look, program.text(node.value))):
        told = f"`{name}` has an entry for every sample of `{program.text(node.value)}.dataset`"
        yield {node: cst.parse_expression(chosen)}, told, COST.SURE
    elif call is not None and name == "next" and not call.args and hasattr(look.owner, "__next__"):
        new_call = cst.Call(cst.Name("next"), [cst.Arg(node.value)])
        yield {call: new_call}, "an iterator is asked by the function next()", COST.SURE


def _of_the_chosen(look: Lookup, owner: str) -> str:
    """`[part.dataset.targets[i] for i in part.indices]` for `part.targets`, of a `Subset`."""
    parts = vars(look.owner) if hasattr(look.owner, "__dict__") else {}
    there = getattr(parts.get("dataset"), "__dict__", {}).get(look.name)
    if "indices" not in parts or not isinstance(there, (list, tuple, torch.Tensor, np.ndarray)):
        return ""
    if len(there) != len(parts["dataset"]):
        return ""
    whole = f"{owner}.dataset.{look.name}"
    if isinstance(there, (list, tuple)):
        return f"[{whole}[i] for i in {owner}.indices]"
    return f"{whole}[{owner}.indices]"


def _class_of(look: Lookup, call: cst.Call) -> str:
    """`ReLU` for `relu` of torch.nn, where it is called with options alone."""
    if look.module != "torch.nn" or any(a.keyword is None for a in call.args):
        return ""
    same = [n for n in look.names if plain(n) == plain(look.name) and n[:1].isupper()]
    return same[0] if len(same) == 1 else ""


def _as_said(program: Program, node: cst.Attribute, look: Lookup, said: str) -> cst.BaseExpression:
    """`use np.inf instead`, `use float by itself`, `use trapezoid instead`."""
    first, _, rest = said.partition(".")
    if rest and first in program.imported():
        return cst.parse_expression(said)
    if rest:
        return cst.parse_expression(program.name_of(*_split(said)))
    return _named(node, said) if said in look.names else cst.Name(said)


def _of_what_it_was_made_of(failure: Failure, node: cst.Attribute) -> Iterator[Meant]:
    """`loss.item().backward()`: what `item` was asked of has the name itself."""
    call = node.value
    if not isinstance(call, cst.Call) or call.args or not isinstance(call.func, cst.Attribute):
        return
    whole = call.func.value
    value = failure.value(whole) if isinstance(whole, (cst.Name, cst.Attribute)) else None
    if value is None or value is failure.missing or not hasattr(type(value), node.attr.value):
        return
    text = failure.text
    told = f"`{text(whole)}` has `{node.attr.value}`, and what `{text(call)}` gives has not"
    yield {node: node.with_changes(value=whole)}, told, COST.SURE


def _moved(look: Lookup) -> str:
    """What a library renamed, where no rule of spelling finds it; empty if that is not known."""
    if look.module:
        moved = moved_name(look.module.partition(".")[0], look.name)
    else:
        cls = look.owner if inspect.isclass(look.owner) else type(look.owner)
        moved = moved_attribute(cls, look.name)
    return moved.today if moved is not None else ""


def _named(node: cst.Attribute, name: str) -> cst.Attribute:
    return node.with_changes(attr=cst.Name(name))


def _split(name: str) -> tuple[str, str]:
    module, _, last = name.rpartition(".")
    return module, last


# -- somewhere else --------------------------------------------------------------------------

_OF_TORCH = (
    "torch", "torch.nn", "torch.nn.functional", "torch.linalg", "torch.special", "torch.optim",
    "torch.optim.lr_scheduler", "torch.nn.utils", "torch.nn.utils.rnn", "torch.nn.init",
    "torch.utils.data", "torch.distributed", "torch.distributions",
)  # fmt: skip


def _home(look: Lookup) -> str:
    """The one other place that the name has; of functions of torch the one in `functional`."""
    homes = look.homes()
    if look.module.partition(".")[0] == "torch":
        homes = [h for h in homes if _split(h)[0] in _OF_TORCH]
        functional = [h for h in homes if ".functional." in h]
        if functional and look.module.startswith("torch.nn"):
            return functional[0]
    public = [h for h in homes if h.count(".") == min(h.count(".") for h in homes)]
    return public[0] if len(public) == 1 else ""


def _imported(failure: Failure, look: Lookup) -> Rewrites:
    """Every name of the import that is not there: from where it is, or without it."""
    program: Program = failure
    told = []
    for name in (look.name, *_missing_beside(failure, look)):
        found = _import_mended(program, Lookup(look.owner, name, look.message))
        if found is None:
            return
        program = Program(found[0].code)
        told.append(found[1])
    title = f"line {failure.error.line}: {', and '.join(told)}"
    yield Rewrite(program.module, title, as_one=True, cost=COST.SURE)


def _missing_beside(failure: Failure, look: Lookup) -> Iterator[str]:
    """The other names of the same import that are not there either."""
    for node in failure.all(cst.ImportFrom):
        if node.module is None or isinstance(node.names, cst.ImportStar):
            continue
        names = [failure.text(alias.name) for alias in node.names]
        if failure.text(node.module) == look.module and look.name in names:
            for name in names:
                there = hasattr(look.owner, name) or Lookup(look.owner, name, "").is_submodule()
                if name != look.name and not there:
                    yield name


def _import_mended(program: Program, look: Lookup) -> tuple[cst.Module, str] | None:
    """One name from where it is, or under the name that it has; left out if nothing uses it."""
    home = _moved(look) or _home(look)
    if not home and look.module.partition(".")[0] != "torch":
        of_torch = Lookup(importlib.import_module("torch"), look.name, "")
        home = _home(of_torch)  # what a library took from torch, and gave back
    near = look.alike(is_called=True) or look.with_another_end() or _glued(program, look)
    near = near or _automatic(program, look)
    sister = "" if home or near else sister_of(look.module, look.name)
    if sister:
        module = import_instead(program, look.module, look.name, sister, look.name)
        title = f"`{look.name}` is in `{sister}`"
    elif home:
        module = import_instead(program, look.module, look.name, *_split(home))
        title = f"`{look.name}` is in `{_split(home)[0]}`"
    elif len(near) == 1:
        module = import_instead(program, look.module, look.name, look.module, near[0])
        title = f"it is spelled `{near[0]}`"
    else:
        if set(_lacking(program)) & set(look.names):
            return None  # another name of it is meant, which the program has
        module = without_import(program, look.module, look.name)
        title = f"`{look.module}` has no `{look.name}`, and nothing here uses it"
    return (module, title) if module is not None else None


def _lacking(program: Program) -> set[str]:
    """The names that a program calls and gives no value anywhere."""
    called = {c.func.value for c in program.all(cst.Call) if isinstance(c.func, cst.Name)}
    made = {n.value for t in program.all(cst.AssignTarget) for n in program.inside(t, cst.Name)}
    made |= {d.name.value for d in program.all(cst.FunctionDef)}
    made |= {d.name.value for d in program.all(cst.ClassDef)}
    return called - made - program.imported()


def _glued(program: Program, look: Lookup) -> list[str]:
    """`save_image` of `save_imagefrom`: a name that it begins with, and that the program calls."""
    return [n for n in look.names if look.name.startswith(n) and n in _lacking(program)]


def _automatic(program: Program, look: Lookup) -> list[str]:
    """`AutoTokenizer` for a class that is gone, of which only `from_pretrained` is asked."""
    kind = re.search(r"(?:Tokenizer|(?:Image)?Processor|FeatureExtractor)(?=(?:Fast)?$)", look.name)
    uses = [n for n in program.all(cst.Name) if n.value == look.name]
    asked = [a for a in program.all(cst.Attribute) if a.value in uses]
    loads = all(a.attr.value == "from_pretrained" for a in asked) and len(asked) == len(uses) - 1
    name = f"Auto{kind[0]}" if kind is not None else ""
    return [name] if asked and loads and name in look.names else []


def _of_a_lost_module(failure: Failure) -> Rewrites:
    """`from a.gone import name` from where the name is today, if every name of it is somewhere."""
    seen = read(failure.error, "module_not_installed")
    path = seen["module"] if seen is not None else ""
    package = sys.modules.get(path.partition(".")[0])
    yield from _of_a_lost_alias(failure, path)
    yield from _spelled_right(failure, path)
    found = (n for n in failure.all(cst.ImportFrom) if n.module and failure.text(n.module) == path)
    statement = next(found, None)
    if package is None or statement is None or isinstance(statement.names, cst.ImportStar):
        return
    program: Program = failure
    told = []
    for alias in statement.names:
        name = failure.text(alias.name)
        look = Lookup(package, name, "")
        home = _moved(look) or _home(look)
        if not home and name in look.names:
            home = f"{package.__name__}.{name}"
        sister = "" if home else sister_of(path, name)
        home = f"{sister}.{name}" if sister else home
        module = import_instead(program, path, name, *_split(home)) if home else None
        if module is None:
            return
        program = Program(module.code)
        told.append(f"`{name}` is in `{_split(home)[0]}`")
    title = f"line {failure.error.line}: {', and '.join(told)}"
    yield Rewrite(program.module, title, cost=COST.SURE)


def _spelled_right(failure: Failure, path: str) -> Rewrites:
    """`torch.nn.functional` for `torch.nn.functionals`: a module beside it, by one slip."""
    where, name = _split(path)
    try:
        found = [m.name for m in pkgutil.iter_modules(importlib.import_module(where).__path__)]
    except Exception:  # there is no such package, or it cannot be imported
        return
    near = [n for n in found if misspelt(name, n)]
    if len(near) != 1:
        return
    new: Edits = {
        n: _named(n, near[0]) for n in failure.all(cst.Attribute) if failure.text(n) == path
    }
    title = f"line {failure.error.line}: it is spelled `{where}.{near[0]}`"
    yield Rewrite(failure.replace(new), title, cost=COST.SURE)


def _of_a_lost_alias(failure: Failure, path: str) -> Rewrites:
    """`from torch import tensor` for `import torch.tensor as tensor`: it is a function."""
    where, name = _split(path)
    for node in failure.all(cst.Import):
        alias = node.names[0]
        if len(node.names) > 1 or alias.asname is None or failure.text(alias.name) != path:
            continue
        if where and hasattr(sys.modules.get(where), name):
            word = failure.text(alias.asname.name)
            line = f"from {where} import {name}" + ("" if word == name else f" as {word}")
            new = line_of(line).body[0]
            title = f"line {failure.error.line}: `{path}` is a function, and no module"
            yield Rewrite(failure.replace({node: new}), title, cost=COST.SURE)


# -- every place -----------------------------------------------------------------------------


def _everywhere(failure: Failure, look: Lookup, node: cst.Attribute) -> Rewrites:
    """The same name of the same thing wherever it stands; of modules every name that is missing."""
    text = failure.text(node)
    places = {n: look for n in failure.all(cst.Attribute) if failure.text(n) == text}
    if look.module:
        places |= dict(_missing_of_modules(failure))
    elif isinstance(look.owner, dict):
        owner = failure.text(node.value)
        places |= {
            n: Lookup(look.owner, n.attr.value, "")
            for n in failure.all(cst.Attribute)
            if failure.text(n.value) == owner and not hasattr(look.owner, n.attr.value)
        }
    new: Edits = {}
    titles: dict[str, None] = {}
    for place, asked in sorted(places.items(), key=lambda item: failure.line(item[0])):
        found = next(_meant(failure, place, asked), None)
        if found is not None:
            new |= found[0]
            titles[found[1]] = None
    if len(new) > 1:
        yield failure.edit(new, f"{', and '.join(titles)} (everywhere)", "", at=node)


def _missing_of_modules(failure: Failure) -> Iterator[tuple[cst.Attribute, Lookup]]:
    """The attributes of modules that the program names and that are not there."""
    for node in failure.all(cst.Attribute):
        owner = _module(failure, node.value)
        if owner is None:
            continue
        try:
            getattr(owner, node.attr.value)
        except AttributeError as e:
            yield node, Lookup(owner, node.attr.value, str(e))


def _module(failure: Failure, node: cst.BaseExpression) -> types.ModuleType | None:
    """The module that a dotted name stands for; None for anything else."""
    root = node
    while isinstance(root, cst.Attribute):
        root = root.value
    if not isinstance(root, cst.Name) or root.value not in failure.imported():
        return None
    value = failure.value(node)
    return value if isinstance(value, types.ModuleType) else None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same object is asked for something, and not only whether it has it."""
    error, line = before.error, before.error.line if before.error is not None else None
    if error is not None and (is_a(error, *_OF_TENSORS)):
        return [reaches_leaves(after, wanted=False)]
    if error is None or line is None or error.type.endswith(("ImportError", "NotFoundError")):
        return []
    owner = "".join(error.code.removesuffix("()").rpartition(".")[0].split())
    lines = proposal.code.splitlines()[max(0, line - 2) : line + 2]
    new = "".join("".join(lines).split())
    if "attr(" not in error.code and ("getattr(" in new or "hasattr(" in new):
        return [Check(name="asked", passed=False, detail="it only asks for the name")]
    is_module = read(error, "module_attribute") is not None
    kept = is_module or not owner or re.search(rf"{re.escape(owner)}[.\[)]", new) is not None
    if owner.endswith("()"):  # what its last call was asked of has the name too
        whole = owner.removesuffix("()").rpartition(".")[0]
        name = error.code.removesuffix("()").rpartition(".")[2]
        kept = kept or (bool(whole) and f"{whole}.{name}(" in new)
    return [Check.of("asked", kept, "it is still asked", "it is no longer asked")]
