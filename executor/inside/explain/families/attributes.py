"""Names that are not there: in torch, in a module, on a tensor, on None, in an import."""

from __future__ import annotations

import ast
import difflib
import importlib.metadata
import importlib.util
import re
import sys
import types
from typing import Any

import torch
from torch import nn

from executor.errors import SeenError, moved_attribute, moved_name
from executor.inside import torch_private as private
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_a, is_tensor, own_dict
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import a_type, dims, listed

# What was once in torch, and what does it today; each line was run on torch 2.13.
_GONE = {
    "torch.rfft": "torch.fft.rfft",
    "torch.irfft": "torch.fft.irfft",
    "torch.ifft": "torch.fft.ifft",
    "torch.gesv": "torch.linalg.solve",
    "torch.potrf": "torch.linalg.cholesky",
    "torch.trtrs": "torch.linalg.solve_triangular",
    "torch.btrifact": "torch.linalg.lu_factor",
    "torch.set_deterministic": "torch.use_deterministic_algorithms",
    "torch.is_deterministic": "torch.are_deterministic_algorithms_enabled",
}

_CLOSE = 0.75  # of two names' likeness, 0 to 1

# What people take for a name of torch's, and what it is called.
_NEVER = {
    "torch.scatter_": "Tensor.scatter_", "torch.scatter_add_": "Tensor.scatter_add_",
    "torch.nn.BCELossWithLogits": "torch.nn.BCEWithLogitsLoss",
    "torch.nn.Conv2D": "torch.nn.Conv2d", "torch.nn.Dense": "torch.nn.Linear",
    "torch.concatenation": "torch.cat", "torch.astype": "Tensor.to",
    "torch.optim.Nadam": "torch.optim.NAdam", "torch.nn.functional.cross_entropy_loss":
    "torch.nn.functional.cross_entropy", "torch.inverse_fft": "torch.fft.ifft",
    "torch.nn.SoftMax": "torch.nn.Softmax", "torch.nn.Relu": "torch.nn.ReLU",
}  # fmt: skip


def _nearest(name: str, names: list[str]) -> str:
    """The closest name, the same letters in other case first; empty if none is close."""
    same = [n for n in names if n.lower() == name.lower()]
    same.sort(key=lambda n: n[:1] != name[:1])  # `Dataloader` means the class, not the module
    if same:
        return same[0]
    bare = [n for n in names if n.lower().replace("_", "") == name.lower().replace("_", "")]
    near = [n for n in difflib.get_close_matches(name, names, 5, _CLOSE) if _same_stem(name, n)]
    return (bare or near or [""])[0]


def _same_stem(a: str, b: str) -> bool:
    """Whether they are alike in more than `Model` or `Tokenizer`, a word that both end in."""
    tail = re.search(r"[A-Z][a-z]+$", a)
    if tail is None or not b.endswith(tail[0]):
        return True
    stem, other = a.removesuffix(tail[0]), b.removesuffix(tail[0])
    return difflib.SequenceMatcher(None, stem, other).ratio() >= _CLOSE


def _public(thing: Any) -> list[str]:
    return [n for n in dir(thing) if not n.startswith("_")]


@explains("api", "module_attribute")
def module_attribute(scene: Scene, m: SeenError) -> Told:
    """What replaces it where that is known; else the closest name; where else the name lives."""
    where, name = m["module"], m["name"]
    module = sys.modules.get(where)
    if module is None or not is_a(module, types.ModuleType):
        return None
    version = getattr(sys.modules.get(where.split(".")[0]), "__version__", "")
    version = f" {version.partition('+')[0]}" if isinstance(version, str) and version else ""
    top = where.split(".")[0]
    if getattr(module, "__file__", None) and scene.source.filename == module.__file__:
        return None
    text = f"`{where}` has no `{name}` in {top}{version}"
    known = _GONE.get(f"{where}.{name}")
    if known is not None and known.startswith("torch.fft."):
        took = f"{text}; the functions of `torch.fft`, such as `{known}`, took its place"
        return f"{took}, and have other arguments.", {"today": known}
    if known is not None:
        return f"{text}; today that is `{known}`.", {"today": known}
    meant = _NEVER.get(f"{where}.{name}")
    if meant is not None:
        return f"{text}: it never had this name; it is `{meant}`.", {"today": meant}
    if where.split(".")[0] == "torch":
        if where == "torch.nn.functional" and name in vars(torch):
            return f"{text}; there is `torch.{name}`.", {"elsewhere": f"torch.{name}"}
        if where in ("torch", "torch.nn.functional") and name in _methods():
            if callable(getattr(torch.Tensor, name)):
                return f"{text}: it is a method, `tensor.{name}(…)`.", {"method": name}
            return f"{text}: each tensor has its own, `tensor.{name}`.", {"method": name}
        places = [(p, mod) for p in ("torch", "torch.nn", "torch.nn.functional", "torch.linalg",
                                     "torch.optim", "torch.optim.lr_scheduler", "torch.fft",
                                     "torch.distributed", "torch.utils.data", "torch.nn.utils",
                                     "torch.autograd.functional", "torch.special", "torch.amp",
                                     "torch.nn.init", "torch.distributions",
                                     "torch.ao.quantization",
                                     "torch.func") if (mod := sys.modules.get(p))
                  and p != where]  # fmt: skip
        spelt = next((n for n in _public(module) if n.lower() == name.lower()), "")
        for path, other in places:
            if name in vars(other) and type(vars(other)[name]) is not types.ModuleType:
                if spelt:  # `nn.linear(3, 2)` means the class, `nn.relu(x)` the function
                    return (
                        f"{text}: with other capitals there is `{spelt}`, and the function is "
                        f"`{path}.{name}`.",
                        {"elsewhere": f"{path}.{name}", "closest": spelt},
                    )
                return f"{text}; there is `{path}.{name}`.", {"elsewhere": f"{path}.{name}"}
    if moved := moved_name(top, name):
        return f"{text}; {moved.told}.", {"today": moved.today}
    if home := _home(name, module):
        return f"{text}; there is `{home}.{name}`.", {"elsewhere": f"{home}.{name}"}
    near = _renamed(name, _public(module)) or _nearest(name, _public(module))
    if near:
        return f"{text}; the closest name in it is `{near}`.", {"closest": near}
    if name in sys.modules.get(where, types.ModuleType("x")).__dict__:
        return None
    spec = _submodule(where, name)
    if spec:
        return f"{text}: `{where}.{name}` is a module that nothing here has imported."
    return f"{text}."


# What the last words of many classes' names became.
_ENDS = (("FeatureExtractor", "ImageProcessor"), ("TokenizerFast", "Tokenizer"))


def _renamed(name: str, names: list[str]) -> str:
    """`ViTImageProcessor` for `ViTFeatureExtractor`; empty if there is no such name."""
    for old, new in _ENDS:
        if name.endswith(old) and (today := name.removesuffix(old) + new) in names:
            return today
    return ""


def _home(name: str, module: types.ModuleType) -> str:
    """The public module of the same package that has the name, and made it; empty if none does.

    Of several the one that is least deep: `torchvision.transforms` before a part of it.
    """
    top = module.__name__.split(".")[0]
    if name.startswith("_") or top not in sys.modules:
        return ""
    found = []
    for path, other in list(sys.modules.items()):
        if path.split(".")[0] != top or other is module or type(other) is not types.ModuleType:
            continue
        value = vars(other).get(name)
        made_by = getattr(value, "__module__", None)
        public = not any(part.startswith("_") for part in path.split("."))
        if public and type(made_by) is str and made_by.split(".")[0] == top:
            found.append(path)
    return min(found, key=lambda path: (path.count("."), path), default="")


@explains("api", "module_not_installed")
def module_gone(scene: Scene, m: SeenError) -> Told:
    """A part of an installed package that is not there: where the names are that it was to give."""
    path = m["module"]
    top = path.split(".")[0]
    package = sys.modules.get(top)
    if package is None or path == top or not getattr(package, "__file__", ""):
        return None  # a namespace: `google.colab` may well be installed at home
    version = getattr(package, "__version__", "")
    version = f" {version.partition('+')[0]}" if isinstance(version, str) and version else ""
    text = f"{top}{version} is installed and has no module `{path}`"
    names = (
        [alias.name for alias in scene.statement.names]
        if isinstance(scene.statement, ast.ImportFrom)
        else []
    )
    homes = {
        name: _home(name, package)
        or (top if name in dir(package) else "")
        or _among_dependencies(name, top)
        for name in names
    }
    told = [f"`{name}` is in `{home}`" for name, home in homes.items() if home]
    lost = {name: moved_name(top, name) for name, home in homes.items() if not home}
    told += [f"for `{name}`, {moved.told}" for name, moved in lost.items() if moved]
    if moved := moved_name(top, path.partition(".")[2]):
        told.append(moved.told)
    if told:
        first = next((name for name, home in homes.items() if home), "")
        where = {"elsewhere": f"{homes[first]}.{first}"} if first else {}
        return f"{text}; {', '.join(told)}.", where
    return f"{text}."


def _among_dependencies(name: str, top: str) -> str:
    """The dependency of a package that has the name: a part of it may have become one.

    Only those count that are imported already, at their top level.
    """
    try:
        required = importlib.metadata.requires(top.replace("_", "-")) or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    for line in required:
        found = re.match(r"[\w.-]+", line)
        package = found[0].replace("-", "_") if found and "extra ==" not in line else ""
        module = sys.modules.get(package)
        if module is not None and package != "torch" and name in getattr(module, "__all__", ()):
            return package
    return ""


def _submodule(where: str, name: str) -> bool:
    try:
        return importlib.util.find_spec(f"{where}.{name}") is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _methods() -> set[str]:
    return set(dir(torch.Tensor))


@explains("import", "import_name")
def import_name(scene: Scene, m: SeenError) -> Told:
    """The closest name there, and where else the name is."""
    name, where = m["name"], m["module"]
    module = sys.modules.get(where)
    if module is None:
        return None
    top = where.split(".")[0]
    version = getattr(sys.modules.get(top), "__version__", "")
    version = version.partition("+")[0] if isinstance(version, str) else ""
    text = f"`{where}` has no `{name}`" + (f" in {top} {version}" if version else "")
    if moved := moved_name(top, name):
        return f"{text}; {moved.told}.", {"today": moved.today}
    for path in (top, f"{top}.nn", f"{top}.optim", f"{top}.utils", f"{top}.ao.quantization",
                 f"{top}.nn.utils.rnn", f"{top}.optim.lr_scheduler", f"{top}.nn.functional",
                 f"{top}.utils.data"):  # fmt: skip
        other = sys.modules.get(path)
        if other is not None and other is not module and name in vars(other):
            return f"{text}; there is `{path}.{name}`."
    if home := _home(name, module):
        return f"{text}; there is `{home}.{name}`.", {"elsewhere": f"{home}.{name}"}
    own = [n for n in vars(module) if not n.startswith("_")]
    near = _renamed(name, _public(module)) or _nearest(name, own)
    if not near:
        listed_names = getattr(module, "__all__", None)
        near = _nearest(name, list(listed_names)) if type(listed_names) is list else ""
    if not near and (structure := private.module_of_class(module)):
        near = _nearest(name, [str(n) for n in structure])
    return f"{text}; the closest name in it is `{near}`." if near else f"{text}."


@explains(
    "none",
    "none_attribute",
    "not_callable",
    "operand_types",
    "power_operand_types",
    "argument_type",
    "unpack_one",
)
def none(scene: Scene, m: SeenError) -> Told:
    """What is None, and for a gradient, why."""
    if not _says_none(m):
        return None
    node = _none_node(scene)
    if node is None:
        return None
    name = ast.unparse(node)[:60]
    if isinstance(node, ast.Attribute) and node.attr == "grad":
        return _grad_none(scene, node, name)
    if isinstance(node, ast.Attribute) and (left_out := _made_without(scene, node)):
        return f"`{name}` is None: {left_out}."
    value = scene.value_node(node)
    if isinstance(node, ast.Call):
        value = node
        name = f"{name}"
    if isinstance(value, ast.Call):
        func = value.func
        called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        own = scene.places.function_named(called)
        if own is not None:
            if not any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(own)):
                return (
                    f"`{name}` is None: `{called}` (line {own.lineno}) has no return with a value."
                )
            return (
                f"`{name}` is None: that is what `{called}` (line {own.lineno}) returned at "
                f"line {value.lineno}."
            )
        made = f" at line {value.lineno}" if value.lineno != scene.line else ""
        return f"`{name}` is None: that is what `{ast.unparse(func)[:50]}(…)`{made} gave."
    if isinstance(value, ast.Constant) and value.value is None:
        return f"`{name}` is None: line {value.lineno} set it, and no other line has."
    line = scene.made(node)
    return f"`{name}` is None{f', from line {line}' if line else ' here'}."


def _says_none(m: SeenError) -> bool:
    """Whether it is None that an operator, a call, an unpacking or an argument cannot use."""
    if m.id == "argument_type":
        return m["given"] == "NoneType" and m["expected"].endswith("Tensor")
    if m.id == "not_callable" and m["use"] == "an iterator":
        return False
    return m.id == "none_attribute" or "NoneType" in (m["type"], m["left"], m["right"])


def _none_node(scene: Scene) -> ast.AST | None:
    """The part of the failing expression that is None."""
    node = scene.node
    if isinstance(node, (ast.Tuple, ast.List)) and isinstance(scene.statement, ast.Assign):
        return scene.statement.value  # of `a, b = f()`, the left side is what fails
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        candidates: list[ast.AST] = [node.func.value, *node.args, node.func]
    elif isinstance(node, ast.Call):
        candidates = [node.func, *node.args]
    elif isinstance(node, (ast.Attribute, ast.Subscript)):
        candidates = [node.value]
    elif isinstance(node, ast.BinOp):
        candidates = [node.left, node.right]
    elif isinstance(node, ast.AugAssign):
        candidates = [node.target, node.value]
    else:
        candidates = [
            n
            for n in (getattr(node, "value", None), getattr(node, "iter", None), node)
            if n is not None
        ]
    for c in candidates:
        if isinstance(c, ast.Call) and c is candidates[0] and not isinstance(node, ast.BinOp):
            return c
        t = next(scene.known([c]), None)
        if t is not None and t.value is None:
            return c
        if t is None and isinstance(c, ast.Attribute) and c.attr == "grad":
            return c
    return None


def _made_without(scene: Scene, node: ast.Attribute) -> str:
    """Of a bias or a weight that is None, that its layer was made so; empty if it is another."""
    owner = next(scene.known([node.value]), None)
    if owner is None or not is_a(owner.value, nn.Module) or node.attr not in ("bias", "weight"):
        return ""
    slots = private.parameters_of(owner.value)
    if node.attr not in slots or slots[node.attr] is not None:
        return ""
    what = "bias" if node.attr == "bias" else "weights"
    return f"{owner.ticked}{owner.place} is a {type(owner.value).__name__} without {what}"


def _grad_none(scene: Scene, node: ast.Attribute, name: str) -> Told:
    owner = next(scene.known([node.value]), None)
    if owner is None or not owner.is_tensor:
        return f"`{name}` is None here: no backward() has left a gradient in it."
    t = owner.value
    if not t.requires_grad:
        return f"`{name}` is None: {owner} does not require grad."
    if not t.is_leaf:
        return (
            f"`{name}` is None: {owner} is the result of {t.grad_fn.name()}, not a leaf, and "
            "backward() keeps gradients in leaves only."
        )
    calls = [
        n
        for n in scene.places.nodes
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "backward"
    ]
    before = [n for n in calls if n.lineno < scene.line]
    if not calls:
        return (
            f"`{name}` is None: {owner} is a leaf that requires grad, and nothing in this "
            f"program calls backward()."
        )
    if not before and scene.scope is scene.places.tree:
        return (
            f"`{name}` is None: backward() is first called at line {calls[0].lineno}, after "
            f"this line."
        )
    return (
        f"`{name}` is None: {owner} is a leaf that requires grad, and no backward() so far has "
        "reached it, or its gradient was cleared."
    )


@explains("tensor_attribute", "tensor_attribute")
def tensor_attribute(scene: Scene, m: SeenError) -> Told:
    """The closest name among a tensor's."""
    kind, name = m["type"], m["name"]
    owner = scene.receiver
    if owner is not None and not owner.is_tensor:
        owner = None
    who = f"{owner} is a {kind}" if owner else "This is a tensor"
    of_numpy = {
        "astype": "to(dtype)",
        "tobytes": "numpy().tobytes()",
        "copy": "clone()",
        "fill": "fill_(value)",
        "ravel_": "ravel()",
    }
    if name in of_numpy:
        return f"{who}; what NumPy calls `{name}` is `{of_numpy[name]}` on a tensor."
    other = hasattr(nn.Module, name) or hasattr(dict, name) or hasattr(list, name)
    without = name.endswith("_") and hasattr(torch.Tensor, name[:-1])
    in_place = hasattr(torch.Tensor, f"{name}_")
    near = "" if (other and not in_place) or without else _nearest(name, _public(torch.Tensor))
    if near:
        return f"{who}; the closest name that it has is `{near}`.", {"closest": near}
    if name.endswith("_") and hasattr(torch.Tensor, name[:-1]):
        return (
            f"{who}: it has `{name[:-1]}`, which returns a new tensor, and no version of it "
            f"in place."
        )
    if hasattr(nn.Module, name):
        return f"{who}; `{name}` is what an nn.Module has."
    if hasattr(dict, name):
        return f"{who}; `{name}` is what a dict has."
    if hasattr(list, name):
        return f"{who}; `{name}` is what a list has."
    value = scene.value_node(owner.node) if owner and owner.node is not None else None
    from_ = f" It comes from `{ast.unparse(value)[:50]}`." if value is not None else ""
    return f"{who}, and has no `{name}`.{from_}"


@explains("not_a_tensor", "plain_attribute")
def plain_attribute(scene: Scene, m: SeenError) -> Told:
    """What the thing really is, what made it, and which part of it is a tensor."""
    kind, name = m["type"], m["name"]
    node = _owner_node(scene)
    owner = next(scene.known([node]), None) if node is not None else None
    if owner is None and scene.inner:
        owner, node = _inner_owner(scene, kind)
    if owner is None:
        if isinstance(node, ast.Call):
            func = ast.unparse(node.func)[:50]
            return f"`{func}(…)` gives {_article(kind)} here, and `.{name}` is asked of that."
        if isinstance(node, ast.Attribute):
            return (
                f"`{ast.unparse(node)[:50]}` is {_article(kind)}, not the result of calling it."
                if kind in ("method", "builtin_function_or_method", "function")
                else None
            )
        return None
    text = f"`{owner.name}`{owner.place} is {_contents(owner.value, kind)}"
    if scene.layer is not None and scene.inner:
        text = f"{scene.layer.told} gets {_contents(owner.value, kind)}"
    producer = _producer(scene, owner)
    if producer:
        text += f": {producer}"
    elif kind in ("method", "builtin_function_or_method", "function"):
        text += ", not the result of calling it"
    return f"{text}."


def _article(kind: str) -> str:
    return {
        "numpy.ndarray": "a NumPy array",
        "builtin_function_or_method": "a built-in method",
        "int": "an int",
    }.get(kind, f"a {kind}")


def _owner_node(scene: Scene) -> ast.AST | None:
    if isinstance(scene.node, ast.Attribute):
        return scene.node.value
    if scene.call is not None and isinstance(scene.call.func, ast.Attribute) and not scene.inner:
        return scene.call.func.value
    return None


def _inner_owner(scene: Scene, kind: str) -> tuple[Thing | None, ast.AST | None]:
    for t in scene.operands:
        if type(t.value).__name__ == kind.split(".")[-1]:
            return t, t.node
    for tb in reversed(scene.inner):
        for key, value in tb.tb_frame.f_locals.items():
            if type(value).__name__ == kind.split(".")[-1] and key not in ("args", "kwargs"):
                return Thing(key, value), None
        break
    return None, None


def _contents(value: Any, kind: str) -> str:
    if type(value) in (list, tuple) and value:
        parts = [f"[{i}] {a_kind(v)}" for i, v in enumerate(value[:4])]
        more = " …" if len(value) > 4 else ""
        return f"a {type(value).__name__} of {len(value)}: {', '.join(parts)}{more}"
    if type(value) in (list, tuple, dict):
        return (
            f"an empty {type(value).__name__}"
            if not value
            else f"a dict with the keys {', '.join(map(repr, list(value)[:5]))}"
        )
    if kind == "numpy.ndarray":
        return f"a NumPy array {dims(value.shape)}"
    if type(value) in (int, float, str, bool):
        return f"{_article(kind)}, {value!r}"[:100]
    return _article(kind)


def a_kind(value: Any) -> str:
    """A tensor with its shape, or the type."""
    if is_tensor(value):
        return f"a tensor {dims(value.shape)}"
    return a_type(value).strip("()").removeprefix("= ")


def _producer(scene: Scene, owner: Thing) -> str:
    """Which layer or function gave it, if the line that made it is a call of one."""
    value = scene.value_node(owner.node) if owner.node is not None else None
    if not isinstance(value, ast.Call):
        return ""
    func = next(scene.known([value.func]), None)
    if func is not None and type(func.value).__name__ in (
        "LSTM",
        "GRU",
        "RNN",
        "MultiheadAttention",
    ):
        what = (
            "(output, state)"
            if type(func.value).__name__ != "MultiheadAttention"
            else ("(output, weights)")
        )
        return f"`{func.name}` is {type(func.value).__name__} and returns {what}"
    return f"it comes from `{ast.unparse(value.func)[:50]}(…)`"


@explains("object_attribute", "object_attribute", last=True)
def object_attribute(scene: Scene, m: SeenError) -> Told:
    """For a class of the snippet's: what it sets and where; else the closest name."""
    kind, name = m["type"], m["name"]
    node = _owner_node(scene)
    owner = next(scene.known([node]), None) if node is not None else None
    cls = scene.places.class_named(kind)
    if name == "module" and not (cls is not None and _stores(cls, name)):
        return None  # of a wrapper that is not there: no other name is meant
    who = (
        f"`{owner.name}`{owner.place} is {kind}"
        if owner and owner.name != "self"
        else f"This is {kind}"
    )
    if owner is not None and is_a(owner.value, type):
        who = f"`{owner.name}` is the class {kind}"
    if cls is not None:
        return _of_own_class(scene, cls, name, owner)
    value = owner.value if owner is not None else None
    if value is None and scene.inner:
        owners = [tb.tb_frame.f_locals.get("self") for tb in reversed(scene.inner)]
        value = next((o for o in owners if type(o).__name__ == kind), None)
    if value is None:
        return None
    if moved := moved_attribute(value if is_a(value, type) else type(value), name):
        does = f"its `{moved.today}` does it today" if moved.today else moved.told
        return f"{who}, and has no `{name}`; {does}.", {"today": moved.today}
    names = _static_names(value)
    near = _nearest(name, names)
    near_text = f"; the closest name that it has is `{near}`" if near else ""
    if issubclass(type(value), nn.Sequential) and private.modules_of(value):
        children = list(private.modules_of(value).items())
        kids = ", ".join(f"`[{k}]` {type(c).__name__}" for k, c in children[:6])
        more = " …" if len(children) > 6 else ""
        text = f"{who} with {kids}{more}{near_text}"
        for key, child in children:
            method = scene.places.function_named(name, type(child).__name__)
            if method is not None:
                at = f"{owner.name}[{key}]" if owner is not None else f"[{key}]"
                return f"{text}; `{name}` is what `{at}` has (line {method.lineno})."
        return f"{text}."
    if not near:
        return f"{who}, and has no `{name}`."
    return f"{who}{near_text}.", {"closest": near}


def _stores(cls: ast.ClassDef, name: str) -> bool:
    """Whether a class sets an attribute of this name anywhere."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store)
        for n in ast.walk(cls)
    )


def _static_names(value: Any) -> list[str]:
    kind = value if is_a(value, type) else type(value)
    names = {n for c in kind.__mro__ for n in vars(c)}
    if not is_a(value, type):
        own = own_dict(value)
        names |= set(own)
        for registry in private.REGISTRIES:
            held = own.get(registry) if issubclass(type(value), nn.Module) else None
            names |= set(held or ())
    return sorted(n for n in names if not n.startswith("_"))


def _of_own_class(scene: Scene, cls: ast.ClassDef, name: str, owner: Thing | None) -> Told:
    sets: dict[str, int] = {}
    places: list[int] = []  # where this very name is set
    for n in ast.walk(cls):
        if (
            isinstance(n, ast.Attribute)
            and isinstance(n.ctx, ast.Store)
            and (isinstance(n.value, ast.Name) and n.value.id == "self")
        ):
            sets.setdefault(n.attr, n.lineno)
            places += [n.lineno] if n.attr == name else []
    methods = {n.name: n.lineno for n in cls.body if isinstance(n, ast.FunctionDef)}
    text = f"`{cls.name}` (line {cls.lineno})"
    if name in sets and name in scene.places.deleted_attributes:
        return None  # it was there, and is gone
    if name in sets:
        setting = next(
            (
                f
                for f in ast.walk(cls)
                if isinstance(f, ast.FunctionDef) and f.lineno <= sets[name] <= (f.end_lineno or 0)
            ),
            None,
        )
        run = "run for this object when it is read here"
        if len(places) > 1:
            lines = listed(map(str, sorted(places)))
            return f"{text} sets `{name}` at lines {lines}, and none of them has {run}."
        inside = f", in `{setting.name}`" if setting is not None else ""
        return f"{text} sets `{name}` at line {sets[name]}{inside}; that line has not {run}."
    for statement in cls.body:  # what belongs to the class itself
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        for target in targets:
            if isinstance(target, ast.Name) and not target.id.startswith("__"):
                sets.setdefault(target.id, target.lineno)
            elif isinstance(target, ast.Name) and target.id == "__slots__":
                names = [n for n in ast.walk(statement) if isinstance(n, ast.Constant)]
                sets |= {str(n.value): n.lineno for n in names if n.value not in sets}
    everything = {**methods, **sets}
    if name in methods:
        return _of_property(cls, name, owner, everything)
    near = _nearest(name, list(everything))
    if near:
        return (
            f"{text} sets no `{name}`; the closest name is `{near}` (line {everything[near]}).",
            {"closest": near},
        )
    known = ", ".join(f"`{k}`" for k in list(sets)[:6])
    return f"{text} sets no `{name}`" + (
        f"; what it sets is {known}." if known else " and no other attribute."
    )


def _of_property(cls: ast.ClassDef, name: str, owner: Thing | None, known: dict[str, int]) -> Told:
    """What a property reads that is not there: a module then says that it has no such property."""
    getter = next(n for n in cls.body if isinstance(n, ast.FunctionDef) and n.name == name)
    if not getter.decorator_list or owner is None or not issubclass(type(owner.value), nn.Module):
        return None
    there = {*_static_names(owner.value), *known}
    read = [
        n
        for n in ast.walk(getter)
        if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self" and n.attr not in there
    ]
    text = (
        f"`{name}` is a property (line {getter.lineno}), and what it computes raised an "
        "AttributeError; a module then says that the property itself is not there."
    )
    if not read:
        return text
    first = min(read, key=lambda n: n.lineno)
    near = _nearest(first.attr, list(known))
    close = f"; the closest name is `{near}` (line {known[near]})" if near else ""
    return f"{text} It reads `self.{first.attr}` (line {first.lineno}), which is not set{close}."


@explains("super_init", "module_before_init")
def super_init(scene: Scene, m: SeenError) -> Told:
    """The class, its __init__, and where (if anywhere) super().__init__() stands."""
    owner = scene.names.local.get("self")
    name = type(owner).__name__
    init = scene.places.function_named("__init__", name)
    if init is None:
        return None
    calls = [
        n
        for n in ast.walk(init)
        if isinstance(n, ast.Call) and ast.unparse(n.func).endswith("__init__")
    ]
    where = (
        f"super().__init__() comes only at line {calls[0].lineno}"
        if calls and (calls[0].lineno > scene.line)
        else "super().__init__() has not run"
    )
    return (
        f"Line {scene.line} sets an attribute in `{name}.__init__` (line {init.lineno}), and "
        f"{where}."
    )


@explains("parameter_slot", "parameter_slot")
def slot(scene: Scene, m: SeenError) -> Told:
    """What the slot holds, and what is to go there."""
    kind, what, name = m["given"], m["slot"], m["name"]
    if scene.called == "register_parameter":
        t = scene.argument(1, "param")
        if t is None or not t.is_tensor:
            return None
        return f"`register_parameter` takes an `nn.Parameter`, and {t} is a plain tensor."
    statement = scene.statement
    value = (
        next(scene.known([statement.value]), None) if isinstance(statement, ast.Assign) else None
    )
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    owner = None
    if isinstance(target, ast.Attribute):
        owner = next(scene.known([target.value]), None)
        held: Any = None
        if owner is not None and is_a(owner.value, nn.Module):
            held = private.parameters_of(owner.value).get(name)
        now = f" {dims(held.shape)}" if is_tensor(held) else ""
        of = f"`{ast.unparse(target)}` is a registered {what}{now}"
    else:
        of = f"`{name}` is a registered {what}"
    new = str(value) if value is not None else "what this line computes"
    kind = "a plain tensor" if "Tensor" in kind else f"`{kind}`"
    return f"{of}; {new} is {kind}."
