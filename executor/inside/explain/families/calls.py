"""Calls that do not fit: keywords, missing arguments, wrong types, things that are no function."""

from __future__ import annotations

import abc
import ast
import difflib
import inspect
import types
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import nn

from executor.errors import SeenError, moved_argument, odd_argument, offered_forms
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import UnknownError, is_a, is_tensor, value_of
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import an, dims, dtype, listed

_PARAMETERS = 14
_MARKS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_PROTOCOLS = (list, nn.Module, Iterator, AbstractContextManager)
_CALLABLES = (
    type,
    abc.ABCMeta,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
)


def _target(scene: Scene) -> Any:
    """The function, class or module that the failing line calls; None if it is not known."""
    if scene.call is None:
        return None
    try:
        return value_of(scene.call.func, scene.names)
    except UnknownError:
        return None


def _failing(scene: Scene, name: str) -> tuple[Any, str]:
    """The callable an error about its arguments is about, and its line if it is the snippet's."""
    target = _target(scene)
    own, _, method = name.rpartition(".")
    if is_a(target, nn.Module) and method == "forward":
        target = type(target).forward
    if scene.inner and method == "forward":
        for tb in reversed(scene.inner):
            held: Any = tb.tb_frame.f_locals.get("self")
            if issubclass(type(held), nn.Module):
                target = type(held).forward
                break
    if own:
        held = getattr(target, "__name__", "") if is_a(target, type) else ""
        cls = held or (own if own in scene.names.outer else "")
        if cls and scene.places.function_named(method, cls):
            node = scene.places.function_named(method, cls)
            return target, f" (line {node.lineno})" if node else ""
    node = scene.places.function_named(method or name)
    if node is not None and (not own or scene.places.class_named(own) is not None):
        return target, f" (line {node.lineno})"
    return target, ""


def _signature(target: Any) -> inspect.Signature | None:
    if type(target) not in _CALLABLES:
        return None  # an object of the snippet's own would be asked
    try:
        return inspect.signature(target)
    except (ValueError, TypeError):
        return None


def _takes(signature: inspect.Signature | None) -> list[str]:
    """The names of the arguments, without those that are not meant for callers."""
    parameters = signature.parameters.values() if signature else ()
    return [
        p.name
        for p in parameters
        if p.kind not in _MARKS and p.name != "self" and not p.name.startswith("_")
    ]


def _open_ended(signature: inspect.Signature | None) -> list[str]:
    """`**kwargs`, and what else takes any number of arguments: an error is not about those."""
    parameters = signature.parameters.values() if signature else ()
    return [f"{_MARKS[p.kind]}{p.name}" for p in parameters if p.kind in _MARKS]


def _package_of(target: Any) -> str:
    """The first part of the name of the module that a function or class is from."""
    module = getattr(target, "__module__", "") if type(target) in _CALLABLES else ""
    return str(module or "").partition(".")[0]


@explains("unexpected_keyword", "unexpected_keyword")
def keyword(scene: Scene, m: SeenError) -> Told:
    """The live signature's names, and the closest one."""
    name, word = m["function"], m["keyword"]
    target, line = _failing(scene, name)
    names = _takes(_signature(target))
    what = ast.unparse(scene.call.func)[:50] if scene.call else name
    if not names:
        frame = scene.inner[-1].tb_frame if scene.inner else None
        if frame is not None and frame.f_code.co_name == name.rpartition(".")[2]:
            names = list(frame.f_code.co_varnames[: frame.f_code.co_argcount])
        elif scene.inner:
            held = scene.local("self")
            method = (
                getattr(type(held), name.rpartition(".")[2], None) if held is not None else None
            )
            names = _takes(_signature(method))
    if not names:
        builtin = is_a(target, types.BuiltinFunctionType, types.MethodDescriptorType)
        twin = f"{name.rpartition('.')[2]}_"
        instead = (
            f"; in place, there is `torch.{twin}`"
            if word == "inplace" and (hasattr(torch, twin))
            else ""
        )
        return (
            f"`{what}` is built in and has no `{word}` among its arguments{instead}."
            if builtin
            else None
        )
    if word in names:
        return None  # it takes it, and something below that is called by the same name does not
    near = difflib.get_close_matches(word, names, 1, 0.6)
    package = _package_of(target)
    given = [k.value for k in scene.call.keywords if k.arg == word] if scene.call else []
    value = ast.unparse(given[0]) if given else None
    if moved := moved_argument(package, name.partition(".")[0], word, value):
        return f"`{what}` takes no `{word}` any more; {moved.told}.", {"takes": names}
    shown_names = ", ".join(names[:_PARAMETERS]) + (" …" if len(names) > _PARAMETERS else "")
    version = ""
    if package == "torch":
        version = f" in torch {torch.__version__.partition('+')[0]}"
    close = f"; the closest to `{word}` is `{near[0]}`" if near else ""
    return f"`{what}`{line} takes {shown_names}{version}{close}.", {"takes": names}


@explains(
    "arguments",
    "missing_arguments",
    "too_many_arguments",
    "takes_no_arguments",
    "takes_exactly",
    "argument_given_twice",
)
def arguments(scene: Scene, m: SeenError) -> Told:
    """What it takes, where it is defined, and what it is given."""
    name = m["function"]
    target, line = _failing(scene, name)
    cls = scene.places.class_named(name) if "." not in name else None
    if cls is not None:
        own_methods = [n for n in cls.body if isinstance(n, ast.FunctionDef)]
        # What has a meaning of its own (`__len__`, `__getitem__`) is no slip for `__init__`.
        odd = [n.name for n in own_methods if not any(hasattr(t, n.name) for t in _PROTOCOLS)]
        near = difflib.get_close_matches("__init__", odd, 1, 0.5)
        close = (
            f"; it has `{near[0]}` (line "
            f"{next(n.lineno for n in own_methods if n.name == near[0])})"
            if near
            else ""
        )
        return (
            f"`{name}` (line {cls.lineno}) defines no `__init__`{close}, and its base takes "
            f"none of these arguments."
        )
    chain = scene.layer_is("Sequential")
    if name == "Sequential.forward" and chain is not None:
        given = len(scene.call.args) if scene.call else 0
        return f"{chain.told}: a Sequential passes one input on, and gets {given} here."
    signature = _signature(target)
    if not _takes(signature):
        method = name.rpartition(".")[2]
        held = scene.local("self")
        holder = next((c for c in type(held).__mro__ if method in vars(c)), None)
        signature = _signature(vars(holder)[method]) if holder is not None else None
    names = _takes(signature)
    what, before = ast.unparse(scene.call.func)[:50] if scene.call else name, ""
    if name.endswith(".forward") and scene.layer is not None:
        what, line = name, ""
        before = f"{scene.layer.told}; "
    if not names:
        return None
    required = _required(target)
    need = f"; without a default are {listed(f'`{n}`' for n in required)}" if required else ""
    gave = ""
    if scene.call is not None and not any(isinstance(a, ast.Starred) for a in scene.call.args):
        values = [ast.unparse(a)[:24] for a in scene.call.args]
        values += [f"{k.arg}=" for k in scene.call.keywords if k.arg]
        gave = f" This line gives it {listed(f'`{v}`' for v in values) or 'nothing'}."
    shown = ", ".join(names[:_PARAMETERS]) + (" …" if len(names) > _PARAMETERS else "")
    shown = ", ".join([shown, *_open_ended(signature)])
    return f"{before}`{what}`{line} takes ({shown}){need}.{gave}", {"takes": names}


def _required(target: Any) -> list[str]:
    signature = _signature(target)
    if signature is None:
        return []
    return [
        n
        for n, p in signature.parameters.items()
        if p.default is p.empty
        and n != "self"
        and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY, p.POSITIONAL_ONLY)
    ]


@explains("no_forward", "forward_missing", "not_implemented")
def no_forward(scene: Scene, m: SeenError) -> Told:
    """What the class defines instead."""
    name = m["class"]
    if not name:
        function = scene.frame.f_code.co_name
        return (
            f"`{function}` itself raises it, at line {scene.line}: nothing overrides it."
            if scene.raised
            else None
        )
    cls = scene.places.class_named(name)
    if cls is None:
        return (
            f"`{name}` is only a container: it has no forward of its own, its members are "
            f"called one by one."
            if name in ("ModuleList", "ModuleDict")
            else None
        )
    methods = [n for n in cls.body if isinstance(n, ast.FunctionDef)]
    inside = [
        n
        for f in methods
        for n in ast.walk(f)
        if isinstance(n, ast.FunctionDef) and n is not f and n.name == "forward"
    ]
    if inside:
        return (
            f"`{name}` (line {cls.lineno}): its `forward` at line {inside[0].lineno} is "
            f"indented into another function."
        )
    near = difflib.get_close_matches("forward", [n.name for n in methods], 1, 0.6)
    close = next(
        (f"; `{n.name}` is at line {n.lineno}" for n in methods if near and n.name == near[0]), ""
    )
    names = listed(f"`{n.name}`" for n in methods) or "no method"
    return f"`{name}` (line {cls.lineno}) defines {names}, and no `forward`{close}."


@explains("argument_type", "argument_type")
def argument_type(scene: Scene, m: SeenError) -> Told:
    """Which of the line's values that is."""
    name, word, position, given = m["function"], m["name"], m["position"], m["given"]
    if not name or (word == "tensors" and position == "1"):
        return None  # cat, stack and their like: told in cat_stack
    found: Thing | None = None
    if position:
        found = scene.argument(int(position) - 1, word) if scene.called == name else None
        if found is not None and type(found.value).__name__ != given.split(".")[-1]:
            found = None
    if found is None:
        same = [t for t in scene.operands if type(t.value).__name__ == given.split(".")[-1]]
        found = same[0] if len(same) == 1 else None
    layer = f"{scene.layer.told}; " if scene.layer and scene.inner else ""
    if found is None:
        if scene.inner:
            for tb in reversed(scene.inner):
                value = tb.tb_frame.f_locals.get(word)
                if value is not None and type(value).__name__ == given.split(".")[-1]:
                    return f"{layer}its `{word}` here is {_what(value)}."
        node = None
        if (
            scene.call is not None
            and position
            and len(scene.call.args) >= int(position)
            and scene.called == name
        ):
            node = scene.call.args[int(position) - 1]
        if node is not None:
            return (
                f"`{ast.unparse(node)[:60]}`{_numbers(scene, node)} gives {an(given)} here, and it "
                f"is the `{word}` of "
                f"`{name}`, which takes {m['expected']}."
            )
        return None
    if isinstance(found.node, ast.Constant):
        return f"{layer}`{word}` of `{name}` is {_what(found.value)}; it takes {m['expected']}."
    return (
        f"{layer}`{found.name}`{found.place} is {_what(found.value)}; as `{word}`, `{name}` "
        f"takes {m['expected']}."
    )


def _numbers(scene: Scene, node: ast.AST) -> str:
    """With the numbers that the expression is made of: " (`k` is 2, from line 4)"."""
    names = {n.id: n for n in ast.walk(node) if isinstance(n, ast.Name)}
    plain = [t for t in scene.known(names.values()) if type(t.value) in (int, float, bool)]
    return (
        f" ({listed(f'`{t.name}` is {t.value!r}{t.from_line}' for t in plain[:4])})"
        if (plain)
        else ""
    )


def _what(value: Any) -> str:
    if is_tensor(value):
        return f"a tensor {dims(value.shape)}"
    if type(value) in (list, tuple) and value:
        first, kinds = value[0], {type(v) for v in value}
        kind = (
            f"tensors such as {dims(first.shape)}"
            if is_tensor(first)
            else f"{type(first).__name__}"
        )
        kind += " and others" if len(kinds) > 1 else ""
        return f"{an(type(value).__name__)} of {len(value)} ({kind})"
    if type(value) in (int, float, bool, str):
        return f"{an(type(value).__name__)}, {value!r}"[:90]
    if value is None:
        return "None"
    if type(value).__module__ == "numpy" and hasattr(value, "shape"):
        return f"a NumPy array {value.dtype} {dims(value.shape)}"
    return an(type(value).__name__)


@explains("overload", "overload")
def overload(scene: Scene, m: SeenError) -> Told:
    """The argument that stands out; else each with its type."""
    if m["unknown"]:
        return _unknown_keyword(scene, m)
    args = []
    for node in [
        *(scene.call.args if scene.call else ()),
        *(k.value for k in (scene.call.keywords if scene.call else ())),
    ]:
        t = next(scene.known([node]), None)
        if t is not None and (not isinstance(node, ast.Constant) or type(t.value) is str):
            args.append(f"`{t.name}`{t.place} is {_what(t.value)}")
    if not args and scene.layer is not None:
        value = scene.local("input", "x")
        if value is not None and not is_tensor(value):
            return f"{scene.layer.told}; its input here is {_what(value)}, not a tensor."
    if not args:
        return None
    odd = _one_odd(m["given"], scene.message)
    if odd is not None and scene.call is not None and odd[0] < len(scene.call.args):
        t = next(scene.known([scene.call.args[odd[0]]]), None)
        if t is not None:
            return (
                f"`{t.name}`{t.place} is {_what(t.value)}; as its `{odd[1]}`, `{scene.called}` "
                f"takes a Tensor."
            )
    at_odds = odd_argument(scene.message)
    if at_odds is not None and at_odds.wanted != "Tensor":
        return (
            f"For `{at_odds.name}`, `{scene.called or m['function']}` takes {at_odds.wanted}; "
            f"here it gets {at_odds.given}."
        )
    receiver = scene.receiver
    who = f"`{receiver.name}`, {_what(receiver.value)}" if receiver and receiver.is_tensor else ""
    on = f" on {who}" if who else ""
    return (
        f"This call of `{scene.called or m['function']}`{on} gets other types than it takes: "
        f"{listed(args[:5])}."
    )


def _unknown_keyword(scene: Scene, m: SeenError) -> Told:
    """Keywords that no form of a function has, and the nearest that one has."""
    unknown = [word.strip() for word in m["unknown"].split(",")]
    has = {part.split("=")[0].split()[-1] for form in offered_forms(scene.message)
           for part in form.split(",") if part.strip(" *")}  # fmt: skip
    near = difflib.get_close_matches(unknown[0], sorted(has - set(unknown)), 1, 0.75)
    told = f"`{scene.called or m['function']}` has no argument `{unknown[0]}`"
    return f"{told}; the closest is `{near[0]}`." if near else f"{told}."


def _one_odd(types: str, message: str) -> tuple[int, str] | None:
    """The only argument that keeps the call from an overload, where one Tensor is expected."""
    if not types or any(mark in types for mark in "=()"):
        return None
    given = [word.strip() for word in types.split(",")]
    odd: set[tuple[int, str]] = set()
    for overload in offered_forms(message):
        wanted = [part.split() for part in overload.split(", *,")[0].split(", ")]
        if len(wanted) != len(given) or any(len(part) < 2 for part in wanted):
            continue
        off = [i for i, part in enumerate(wanted) if part[0] != given[i]]
        if len(off) == 1 and wanted[off[0]][0] == "Tensor":
            odd.add((off[0], wanted[off[0]][1]))
    return odd.pop() if len(odd) == 1 else None


# What takes a function and calls it, for its derivatives or for each entry of a batch.
_OF_FUNCTIONS = frozenset({
    "hessian", "jacobian", "hvp", "vhp", "jvp", "vjp", "vmap", "grad", "grad_and_value",
    "jacrev", "jacfwd", "linearize", "gradcheck", "gradgradcheck", "checkpoint",
})  # fmt: skip


@explains("not_callable", "not_callable", "iteration_over_a_number", "not_supported")
def not_callable(scene: Scene, m: SeenError) -> Told:
    """What the name holds, and the line that made it hold that."""
    node = scene.node
    how = m["use"]
    if scene.inner:
        first = scene.argument(0, "func")
        if how == "callable" and scene.called in _OF_FUNCTIONS and first and first.is_tensor:
            return (
                f"`{scene.called}` takes a function as its first argument and calls it; "
                f"{first} is a tensor, the result of a computation."
            )
        odd = [
            t
            for t in scene.operands
            if (t.shape and not t.is_tensor) or type(t.value) in (list, tuple, dict)
        ]
        return f"`{odd[0].name}`{odd[0].place} is {_what(odd[0].value)}." if odd else None
    if isinstance(node, ast.Call) and how == "callable":
        base: ast.AST | None = node.func
    elif isinstance(node, ast.Subscript):
        base = node.value
    elif isinstance(node, ast.For):
        base = node.iter
    elif isinstance(node, ast.Assign):
        base = node.value
    else:
        base = node
    if base is None:
        return None
    t = next(scene.known([base]), None)
    if t is None:
        kind = m["type"]
        text = ast.unparse(base)[:50]
        if isinstance(base, ast.Attribute):
            owner = next(scene.known([base.value]), None)
            if owner is not None and owner.is_tensor:
                return (
                    f"`{text}` is an attribute of {owner} and holds {an(kind)}; the brackets "
                    f"call that."
                )
        if kind and isinstance(base, ast.Call):
            return (
                f"`{ast.unparse(base.func)[:50]}(…)` gives {an(kind)} here, and that is used "
                f"as if it were {_used(how)}."
            )
        same = [o for o in scene.operands if type(o.value).__name__ == kind.split(".")[-1]]
        if len(same) == 1:
            return (
                f"`{same[0].name}`{same[0].place} is {_what(same[0].value)}, and it is used "
                f"as {_used(how)}."
            )
        return None
    if t.is_tensor and not t.shape and m.id == "iteration_over_a_number":
        return f"{t} is a single value: there is nothing to go through."
    what = f"a tensor {dims(t.shape)}" if t.is_tensor else _what(t.value)
    if isinstance(base, ast.Attribute) and how == "callable":
        return f"`{t.name}` is {what}, an attribute: the brackets call it."
    if isinstance(base, ast.Name) and how == "callable":
        bound = scene.places.bindings(scene.scope).get(base.id, [])
        definitions = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        others = [b for b in bound if isinstance(b.statement, definitions)]
        given = [b for b in bound if b not in others and b.statement is not scene.scope]
        if others and len(given) == 1:
            line = others[0].line
            return (
                f"`{t.name}` is {what}: line {given[0].line} gives it that value, and with it "
                f"takes the name from what line {line} defined."
            )
    return f"`{t.name}`{t.place} is {what}, and this line uses it as {_used(how)}."


def _used(how: str) -> str:
    return {
        "callable": "a function",
        "subscriptable": "something with entries",
        "iterable": "something to go through",
        "an iterator": "an iterator",
    }.get(how, "something else")


@explains("unpack", "unpack_count", "unpack_one")
def unpack(scene: Scene, m: SeenError) -> Told:
    """What comes and how many names wait for it."""
    if (nested := _nested_unpacking(scene)) is not None:
        inner, source = nested
        more = (
            "one value"
            if m["type"]
            else f"{'more' if m['how_many'] == 'too many' else 'fewer'} values"
        )
        return (
            f"What `{source}` gives has {more} at the place of `{ast.unparse(inner)}`, where "
            f"{len(inner.elts)} names wait."
        )
    statement = scene.statement
    value: ast.expr | None = None
    names = 0
    if isinstance(statement, ast.Assign):
        value = statement.value
        target = statement.targets[0]
    elif isinstance(statement, ast.For):
        value, target = statement.iter, statement.target
    else:
        return None
    if isinstance(target, (ast.Tuple, ast.List)):
        names = len(target.elts)
    text = ast.unparse(value)[:60]
    t = next(scene.known([value]), None)
    if isinstance(statement, ast.For):
        if t is not None and type(t.value) in (list, tuple) and t.value:
            return (
                f"`{t.name}`{t.place} holds entries such as {_what(t.value[0])}; {names} "
                f"names wait for each."
            )
        if t is not None and t.is_tensor:
            return f"{t} gives tensors {dims(t.shape[1:])} one by one; {names} names wait for each."
        return (
            f"Each item that `{text}` gives is not {names} values, and {names} names wait for it."
        )
    if t is None:
        kind = m["type"]
        if kind:
            return f"`{text}` gives {an(kind)} here, one value, and {names} names wait for it."
        own = _returns(scene, value)
        return (
            f"{own}; {names} names wait for what it gives."
            if own
            else (
                f"`{text}` gives {'more' if m['how_many'] == 'too many' else 'fewer'} values than "
                f"the left side has names ({names})."
            )
        )
    if t.is_tensor:
        return (
            f"{t} gives one entry for each of its {t.shape[0] if t.shape else 0} along "
            f"dimension 0; {names} names wait for them."
        )
    if t.name.endswith(".shape") and type(t.value) is torch.Size:
        return f"`{t.name}` is {dims(t.value)}, {len(t.value)} sizes; {names} names wait for them."
    return f"`{t.name}`{t.place} is {_what(t.value)}; {names} names wait for it."


def _nested_unpacking(scene: Scene) -> tuple[ast.Tuple | ast.List, str] | None:
    """The brackets within a left side that fail, with what gives the values; None for others."""
    node = scene.node
    if scene.statement is None or not isinstance(node, (ast.Tuple, ast.List)):
        return None
    for owner in ast.walk(scene.statement):
        if isinstance(owner, ast.Assign):
            targets, value = owner.targets, owner.value
        elif isinstance(owner, (ast.For, ast.AsyncFor, ast.comprehension)):
            targets, value = [owner.target], owner.iter
        else:
            continue
        if any(node is n for t in targets for n in ast.walk(t) if n is not t):
            return node, ast.unparse(value)[:60]
    return None


def _returns(scene: Scene, value: ast.expr) -> str:
    if isinstance(value, ast.Call):
        name = (
            value.func.attr
            if isinstance(value.func, ast.Attribute)
            else getattr(value.func, "id", "")
        )
        if name in ("size", "shape") and isinstance(value.func, ast.Attribute):
            owner = next(scene.known([value.func.value]), None)
            if owner is not None and owner.is_tensor:
                return f"{owner} has {len(owner.shape)} sizes"
        own = scene.places.function_named(name)
        obj = next(scene.known([value.func]), None) if own is None else None
        if obj is not None and is_a(obj.value, nn.Module):
            own = scene.places.function_named("forward", type(obj.value).__name__)
        rets = [n for n in ast.walk(own) if isinstance(n, ast.Return) and n.value] if own else []
        if own is not None and len(rets) == 1 and rets[0].value is not None:
            return f"`{own.name}` (line {own.lineno}) returns `{ast.unparse(rets[0].value)[:50]}`"
    return ""


@explains("operand_types", "operand_types", "operands")
def operand_types(scene: Scene, m: SeenError) -> Told:
    """Both operands with their types and lines."""
    things = scene.operands
    if isinstance(scene.node, (ast.BinOp, ast.Compare)):
        sides = [
            scene.node.left,
            scene.node.right if isinstance(scene.node, ast.BinOp) else scene.node.comparators[0],
        ]
        told = []
        for side in sides:
            t = next(scene.known([side]), None)
            text = ast.unparse(side)[:40]
            told.append(f"`{text}`{t.place if t else ''} is {_what(t.value)}" if t else None)
        known_sides = [t for t in told if t]
        return f"{listed(known_sides)}." if known_sides else None
    if not things:
        return None
    return f"{listed(f'`{t.name}`{t.place} is {_what(t.value)}' for t in things[:3])}."


@explains("division", "division_by_zero", "math_domain")
def division(scene: Scene, m: SeenError) -> Told:
    """What is zero, and where from."""
    node = scene.node
    right = (
        node.right
        if isinstance(node, ast.BinOp)
        else node.value
        if isinstance(node, ast.AugAssign)
        else None
    )
    if right is None:
        args = [t for t in scene.operands if type(t.value) in (int, float)]
        return f"{listed(f'`{t.name}`{t.place} is {t.value!r}' for t in args)}." if args else None
    if isinstance(right, ast.Constant):
        return f"Line {scene.line} divides by a 0 that is written there."
    t = next(scene.known([right]), None)
    if t is not None and type(t.value) in (int, float) and not isinstance(right, ast.Constant):
        return f"`{t.name}` is {t.value!r} here{t.from_line}."
    if isinstance(right, ast.Call) and ast.unparse(right.func) == "len":
        inner = next(scene.known(right.args[:1]), None)
        if inner is not None:
            return f"`{inner.name}`{inner.place} is empty, so `{ast.unparse(right)}` is 0."
    return f"`{ast.unparse(right)[:50]}` is 0 here."


@explains("unbound", "unbound_local")
def unbound(scene: Scene, m: SeenError) -> Told:
    """The lines that bind it, and why none of them has run."""
    name = m["name"]
    sites = scene.places.bindings(scene.scope).get(name, [])
    if not sites:
        return None
    lines = listed(str(n) for n in dict.fromkeys(s.line for s in sites))
    word = "line" if len({s.line for s in sites}) == 1 else "lines"
    function = scene.frame.f_code.co_name
    outside = scene.places.bindings(scene.places.tree).get(name, [])
    also = f", and is then another name than the one of line {outside[0].line}" if outside else ""
    return (
        f"In `{function}`, `{name}` gets its value only at {word} {lines}{also}; that had not "
        f"run when line {scene.line} read it."
    )


_OF_ONE = ("item", "tolist", "float")
_SHORTER = (torch.float32, torch.float16, torch.bfloat16)


def _rounded(scene: Scene, test: ast.expr) -> str:
    """That a number of Python's is no number of the tensor's dtype, which holds the one next to it.

    `torch.tensor([0.1]).item() == 0.1`
    """
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return ""
    sides = [test.left, *test.comparators]
    numbers = [n.value for n in sides if isinstance(n, ast.Constant)]
    numbers += [t.value for t in scene.known(sides)]
    calls = [n for side in sides for n in ast.walk(side) if isinstance(n, ast.Call)]
    if not any(ast.unparse(c.func).rpartition(".")[2] in _OF_ONE for c in calls):
        return ""
    for t in scene.known(n for n in ast.walk(test) if isinstance(n, ast.Name)):
        if not t.is_tensor or t.value.dtype not in _SHORTER:
            continue
        for number in numbers:
            if type(number) is not float:
                continue
            held = torch.tensor(number, dtype=t.value.dtype)
            if held.item() != number and bool((t.value.detach().cpu() == held).any()):
                kind = dtype(t.value)
                return (
                    f" {number!r} is no number of {kind}: the next one is {held.item()!r}, which "
                    f"`{t.name}` has held since it was made, and a print shows rounded. Make it "
                    "with `dtype=torch.float64`, or compare with a tolerance (`math.isclose(a, b, "
                    "rel_tol=1e-6)`); amounts of money as whole numbers are exact."
                )
    return ""


@explains("assertion", types=("AssertionError",), last=True)
def assertion(scene: Scene, m: SeenError) -> Told:
    """The live sides of an assert of the snippet's, or the tensors of a library's."""
    if isinstance(scene.statement, ast.Assert):
        reads = [
            n for n in ast.walk(scene.statement.test) if isinstance(n, (ast.Name, ast.Attribute))
        ]
        told = []
        for t in scene.known(reads):
            if t.is_tensor or type(t.value) in (int, float, str, bool, torch.Size):
                what = f"{dtype(t.value)} {dims(t.shape)}" if t.is_tensor else repr(t.value)[:40]
                what = dims(t.value) if type(t.value) is torch.Size else what
                told.append(f"`{t.name}`{t.place} is {what}")
        return (
            f"`{ast.unparse(scene.statement.test)[:70]}` does not hold: "
            f"{listed(dict.fromkeys(told[:4]))}.{_rounded(scene, scene.statement.test)}"
            if told
            else None
        )
    if not scene.tensors:
        return None
    return f"It checks {listed(t.typed for t in scene.tensors[:4])}."
