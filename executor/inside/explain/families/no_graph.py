"""A tensor that has no graph, and the line that cut it off."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import torch
from torch import nn

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import UnknownError, is_a, is_tensor, own_dict
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import listed
from executor.inside.placeholders.program import last_name

_DEPTH = 5
_CUTS = {"detach": "detach()", "item": "item()", "numpy": "numpy()", "tolist": "tolist()",
         "argmax": "argmax", "argmin": "argmin", "argsort": "argsort", "long": "long()",
         "int": "int()", "bool": "bool()", "data": ".data"}  # fmt: skip
_ANEW = {
    "tensor",
    "Tensor",
    "FloatTensor",
    "as_tensor",
    "from_numpy",
    "array",
    "zeros_like",
    "ones_like",
}


@explains("no_grad_fn", "no_graph", "input_without_grad", "hook_without_grad")
def no_graph(scene: Scene, m: SeenError) -> Told:
    """Which tensor has no graph, and the line that cut it off where code and values show it."""
    root = scene.receiver
    if root is None or not root.is_tensor or root.value.requires_grad:
        root = next((t for t in scene.tensors if not t.value.requires_grad), None)
    if root is None:
        if scene.call is None or not isinstance(scene.call.func, ast.Attribute):
            return None
        node = scene.call.func.value
        found = _cut(scene, node, node.lineno)
        return f"What this line computes has no graph: {found}." if found else None
    text = f"{root} has no graph and does not require grad"
    if root.node is None:
        return f"{text}."
    why = _why_without(scene, root.node, 0)
    text = f"{text}: {why}." if why else f"{text}."
    return text + _learns_nothing(scene)


def _learns_nothing(scene: Scene) -> str:
    """The tensors that an optimizer is to change and that do not require grad."""
    for t in scene.variables():
        if not issubclass(type(t.value), torch.optim.Optimizer):
            continue
        groups = own_dict(t.value).get("param_groups") or []
        held = [p for g in groups for p in g["params"] if is_tensor(p)]
        named = [scene.as_written(p) for p in held if not p.requires_grad]
        if held and len(named) == len(held) and all(named):
            verb = "does" if len(named) == 1 else "do"
            return (
                f" `{t.name}`{t.place} is to change {listed(map(str, named))}, which {verb} "
                "not require grad."
            )
    return ""


def _why_without(scene: Scene, node: ast.AST, depth: int) -> str:
    """Why the tensor that a name (or an attribute) holds has no graph; empty if that is open."""
    if depth > _DEPTH:
        return ""
    value = scene.value_node(node)
    if value is None and isinstance(node, ast.Name):
        passed = scene.argument_given(node.id)
        if passed is None:
            return ""
        scene, value = passed
        if isinstance(value, ast.Name):
            return _why_without(scene, value, depth + 1)
    return _cut(scene, value, value.lineno, depth) if value is not None else ""


def _switched_since(scene: Scene, line: int) -> dict[str, int]:
    """Whose requires_grad the snippet sets below a line, and where; "" for what has no name.

    A tensor that was computed above has what held then, and live values show what holds now.
    """
    found: dict[str, int] = {}
    for node in ast.walk(scene.places.tree):
        if not isinstance(node, ast.Attribute) or node.lineno <= line:
            continue
        sets = node.attr == "requires_grad" and isinstance(node.ctx, ast.Store)
        if sets or node.attr == "requires_grad_":
            name = node.value.id if isinstance(node.value, ast.Name) else ""
            around = (parent for parent, _ in scene.places.ancestors(node))
            function = next((p for p in around if isinstance(p, ast.FunctionDef)), None)
            here = (function or scene.places.tree) is scene.scope
            found.setdefault(name if here else "", node.lineno)
    return found


def _cut(scene: Scene, value: ast.expr, line: int, depth: int = 0) -> str:
    needing, plain = _inputs(scene, value)
    if (
        isinstance(value, ast.Call)
        and last_name(value.func) in ("tensor", "Tensor")
        and (not needing)
    ):
        return f"line {line} makes a new tensor" + (
            "" if _keyword_true(value, "requires_grad") else " without requires_grad=True"
        )
    since = _switched_since(scene, line)
    switched = next((t.name for t in (*needing, *plain) if t.name in since), None)
    if switched is not None:
        at = since[switched]
        return f"line {line} computes it from `{switched}`, and line {at} sets requires_grad later"
    if since:  # of what, the text does not tell
        return ""
    if needing:
        names = listed(_told_needing(t) for t in needing[:2])
        verb = "requires" if len(needing) == 1 else "require"
        if guard := _under_no_grad(scene, value):
            return f"line {line} is under {guard}, though {names} {verb} grad"
        if (how := _breaker(value)) is not None:
            return f"{how} at line {line} ends the graph of {names}"
        text = ast.unparse(value)
        if re.search(r"\bgrad\(", text) and not re.search(r"create_graph=(?!False)", text):
            return f"line {line} takes a gradient without create_graph=True, so that has no graph"
        if _is_gradient(value):
            return (
                f"line {line} takes a gradient with create_graph=True, and it has no graph because "
                f"it is constant: it depends on nothing that requires grad (so it is where a "
                "function is linear), and its own gradient is 0"
            )
        return f"line {line} computes it from {names}, which {verb} grad, and the graph ends " + (
            _ended_inside(scene, value) or "there"
        )
    if (how := _breaker(value)) is not None and _breaks_live(value):
        return f"at line {line}, {how} gives a value without a graph"
    for t in plain:
        if t.node is not None and isinstance(t.node, ast.Name) and t.is_tensor and t.value.is_leaf:
            deeper = _why_without(scene, t.node, depth + 1)
            open_ = "new tensor" in deeper and len(plain) > 1  # data has no graph, and needs none
            if deeper and not open_:
                link = (
                    f"that {deeper[3:]}" if deeper.startswith("it comes from") else f"and {deeper}"
                )
                return f"it comes from {t}, {link}"
    if plain:
        if len(plain) == 1 and not plain[0].is_tensor:
            return f"line {line} computes it from {plain[0]}, and nothing in it requires grad"
        if len(plain) == 1:
            return f"line {line} computes it from {plain[0]}, which does not require grad"
        names = listed(map(str, plain[:3]))
        return f"line {line} computes it from {names}, and none of them requires grad"
    return ""


def _is_gradient(value: ast.expr) -> bool:
    """Whether a value is a gradient itself, taken so that it would have a graph of its own."""
    while isinstance(value, ast.Subscript):
        value = value.value
    if not isinstance(value, ast.Call) or last_name(value.func) != "grad":
        return False
    return _keyword_true(value, "create_graph")


def _ended_inside(scene: Scene, value: ast.expr) -> str:
    """Where in a function of the snippet's the graph ends: "at line 7 (`item()`), inside `f`"."""
    own: list[ast.FunctionDef] = []
    for call in (n for n in ast.walk(value) if isinstance(n, ast.Call)):
        name = last_name(call.func)
        function = scene.places.function_named(name)
        if function is None:
            own += [f for f in _forwards(scene, call.func) if f not in own]
        elif function not in own:
            own.append(function)
    ends = [f for f in own if _ends(scene, f)[0]] if len(own) > 1 else own
    if len(ends) != 1:
        return ""
    function = ends[0]
    found, calls_on = _ends(scene, function)
    inside = f"inside `{function.name}` (line {function.lineno})"
    if len(found) == 1 and not calls_on:
        how, line = found[0]
        return f"at {how} in line {line}, {inside}"
    return inside


def _forwards(scene: Scene, func: ast.expr) -> list[ast.FunctionDef]:
    """The forward methods of the snippet's own that a module which is called may run."""
    held = next(scene.known([func]), None)
    if held is None or not issubclass(type(held.value), nn.Module):
        return []
    kinds = dict.fromkeys(type(m).__name__ for m in nn.Module.modules(held.value))
    found = [scene.places.function_named("forward", kind) for kind in kinds]
    return [f for f in found if f is not None]


def _ends(scene: Scene, function: ast.FunctionDef) -> tuple[list[tuple[str, int]], bool]:
    """What in a function ends a graph, with its line; and whether it calls further ones."""
    found: list[tuple[str, int]] = []
    for guard in ast.walk(function):
        if isinstance(guard, ast.With) and (name := _guard(guard)):
            found.append((f"`{name}`", guard.lineno))
    found += [
        (f"`@{ast.unparse(d)}`", d.lineno)
        for d in function.decorator_list
        if re.search(r"no_grad|inference_mode", ast.unparse(d))
    ]
    calls_on = False
    for statement in (n for n in ast.walk(function) if isinstance(n, ast.stmt)):
        if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Return)) or (
            statement.value is None
        ):
            continue  # what is only printed or asked ends no graph
        if (how := _breaker(statement.value)) is not None:
            found.append((how, statement.lineno))
        calls_on = calls_on or any(
            isinstance(n, ast.Call) and scene.places.function_named(last_name(n.func))
            for n in ast.walk(statement.value)
        )
    return found, calls_on


def _told_needing(t: Thing) -> str:
    return f"`{t.name}`{t.place}" if is_a(t.value, nn.Module) else str(t)


def _inputs(scene: Scene, value: ast.expr) -> tuple[list[Thing], list[Thing]]:
    """The live tensors and modules that an expression reads: those that require grad, and not."""
    needing, plain = [], []
    for node in _reads(value):
        try:
            t = scene.thing(node)
        except UnknownError:
            continue
        if t.is_tensor and t.value.requires_grad:
            needing.append(t)
        elif issubclass(type(t.value), nn.Module):
            if any(p.requires_grad for p in nn.Module.parameters(t.value)):
                needing.append(t)
        elif t.is_tensor:
            plain.append(t)
        elif type(t.value) in (list, tuple) and any(is_tensor(v) for v in t.value):
            grad = any(is_tensor(v) and v.requires_grad for v in t.value)
            (needing if grad else plain).append(t)
    return _once(needing), _once(plain)


def _once(things: list[Thing]) -> list[Thing]:
    return list({t.name: t for t in things}.values())


def _reads(value: ast.AST) -> Iterator[ast.AST]:
    """Names and attributes of self that an expression reads, without lambdas and the like."""
    if isinstance(value, (ast.ListComp, ast.GeneratorExp)):
        yield from _reads(value.generators[0].iter)  # the others may read names of its own
        return
    if isinstance(value, (ast.Lambda, ast.DictComp, ast.SetComp)):
        return
    if isinstance(value, ast.Name) or (
        isinstance(value, ast.Attribute)
        and isinstance(value.value, ast.Name)
        and value.value.id == "self"
    ):
        yield value
        return
    for child in ast.iter_child_nodes(value):
        yield from _reads(child)


def _breaker(value: ast.expr) -> str | None:
    """The one operation in an expression that has no gradient; None if there is none or several."""
    found = []
    for n in ast.walk(value):
        if isinstance(n, ast.Call) and (name := last_name(n.func)) in _CUTS:
            found.append(f"`{_CUTS[name]}`")
        elif (
            isinstance(n, ast.Call)
            and last_name(n.func) in _ANEW
            and n.args
            and not (_constant(n.args[0]))
        ):
            found.append(f"`{ast.unparse(n.func)}(…)`")
        elif isinstance(n, ast.Attribute) and n.attr == "data":
            found.append("`.data`")
        elif isinstance(n, ast.Compare):
            found.append("the comparison")
    found = list(dict.fromkeys(found))
    return found[0] if len(found) == 1 else None


def _constant(node: ast.AST) -> bool:
    """Whether it is written out in numbers, as lists of them or one by one."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_constant(e) for e in node.elts)
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and _constant(node.operand)
    )


def _guard(statement: ast.With) -> str:
    """`torch.no_grad()`, if that is what the block stands under."""
    for item in statement.items:
        name = ast.unparse(item.context_expr)
        if re.search(r"(no_grad|inference_mode)\(\)|set_grad_enabled\(False\)", name):
            return name
    return ""


def _breaks_live(value: ast.expr) -> bool:
    return not isinstance(value, (ast.Constant, ast.List, ast.Tuple))


def _keyword_true(call: ast.Call, name: str) -> bool:
    return any(
        k.arg == name and isinstance(k.value, ast.Constant) and k.value.value for k in call.keywords
    )


def _under_no_grad(scene: Scene, node: ast.AST) -> str | None:
    """`torch.no_grad()` (line 7), if the expression stands under it in the text."""
    for parent, _ in scene.places.ancestors(node):
        if isinstance(parent, ast.With) and (name := _guard(parent)):
            return f"`{name}` (line {parent.lineno})"
        if isinstance(parent, ast.FunctionDef):
            for decorator in parent.decorator_list:
                if re.search(r"no_grad|inference_mode", ast.unparse(decorator)):
                    return f"`@{ast.unparse(decorator)}` (line {decorator.lineno})"
            break
    return None
