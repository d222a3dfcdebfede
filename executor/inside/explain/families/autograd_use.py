"""Uses of autograd that cannot work: no graph, a leaf written in place, a graph that is gone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

from executor.errors import SeenError
from executor.inside import torch_private as private
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import UnknownError, is_a, is_tensor, own_dict
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import count, dims, dtype, listed

_DEPTH = 5
_NODES = 20_000  # of a graph that are looked at
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
        and _last_name(value.func) in ("tensor", "Tensor")
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


def _ended_inside(scene: Scene, value: ast.expr) -> str:
    """Where in a function of the snippet's the graph ends: "at line 7 (`item()`), inside `f`"."""
    own: list[ast.FunctionDef] = []
    for call in (n for n in ast.walk(value) if isinstance(n, ast.Call)):
        name = _last_name(call.func)
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
            isinstance(n, ast.Call) and scene.places.function_named(_last_name(n.func))
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


def _last_name(func: ast.AST) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _breaker(value: ast.expr) -> str | None:
    """The one operation in an expression that has no gradient; None if there is none or several."""
    found = []
    for n in ast.walk(value):
        if isinstance(n, ast.Call) and (name := _last_name(n.func)) in _CUTS:
            found.append(f"`{_CUTS[name]}`")
        elif (
            isinstance(n, ast.Call)
            and _last_name(n.func) in _ANEW
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


@explains("leaf_in_place", "leaf_in_place", "no_grad_view_in_place")
def leaf(scene: Scene, m: SeenError) -> Told:
    """The leaf, what wrote to it, and whether the statement is an update by its gradient."""
    leaf_ = _leaf(scene)
    statement = scene.statement
    wrote = ast.unparse(statement).splitlines()[0] if statement is not None else ""
    wrote = wrote if len(wrote) <= 60 else wrote[:59] + "…"
    if leaf_ is None:
        if scene.layer is not None and scene.input is not None:
            x = scene.input
            return (
                f"{scene.layer.told}, which overwrites its input; that is {x}, a leaf that "
                "requires grad."
            )
        return None
    kind = "a Parameter" if is_a(leaf_.value, nn.Parameter) else "a leaf tensor"
    text = f"{leaf_} is {kind} that requires grad, and `{wrote}` changes it in place"
    if m["view"]:
        text += ", through a view of it,"
    text += " while autograd records"
    reads_grad = statement is not None and any(
        isinstance(n, ast.Attribute) and n.attr == "grad" for n in ast.walk(statement)
    )
    if reads_grad:
        return f"{text}. The statement reads a gradient: it is an update step outside of no_grad()."
    return f"{text}."


def _leaf(scene: Scene) -> Thing | None:
    nodes: list[ast.AST] = []
    node = scene.node
    if isinstance(scene.statement, ast.AugAssign):
        nodes.append(scene.statement.target)
    if isinstance(scene.statement, ast.Assign):
        nodes += scene.statement.targets
    if scene.call is not None and isinstance(scene.call.func, ast.Attribute):
        nodes += [scene.call.func.value, *scene.call.args]
    if node is not None:
        nodes.append(node)
    for n in nodes:
        inner: Any = n
        while inner is not None:
            found = next(scene.known([inner]), None)
            if found and found.is_tensor and found.value.requires_grad:
                if found.value.is_leaf:
                    return found
                if (base := private.base(found.value)) is not None and base.is_leaf:
                    return scene.as_written(base) or Thing(found.name, base, found.line)
            if isinstance(inner, ast.Call):
                inner = inner.func
            inner = getattr(inner, "value", None)
    return next(
        (t for t in scene.below if t.is_tensor and t.value.is_leaf and t.value.requires_grad), None
    )


@explains("grad_of_many", "grad_of_many", "grad_of_complex")
def not_scalar(scene: Scene, m: SeenError) -> Told:
    """How many values the loss has, and what kept them apart."""
    root = scene.receiver
    root = root if root is not None and root.is_tensor else next(iter(scene.tensors), None)
    if root is None:
        return None
    n = count(root.shape)
    if root.value.is_complex():
        return f"{root} is {dtype(root.value)}: a complex value has no order to descend along."
    text = f"{root} has {n} values, not one"
    facts = {"shape": list(root.shape)}
    value = scene.value_node(root.node) if root.node is not None else None
    if isinstance(value, ast.Call):
        func = next(scene.known([value.func]), None)
        if func is not None and own_dict(func.value).get("reduction") == "none":
            return f"{text}: `{func.name}`{func.place} has reduction='none'.", facts
        if any(
            k.arg == "reduction" and isinstance(k.value, ast.Constant) and k.value.value == "none"
            for k in value.keywords
        ):
            return f"{text}: line {value.lineno} asks for reduction='none'.", facts
    return f"{text}: backward() needs to be told how much each of them counts.", facts


@explains("grad_of_many", "grad_output_shape")
def grad_output(scene: Scene, m: SeenError) -> Told:
    """The output and the gradient given for it."""
    grad, out = m["gradient"], m["output"]
    if scene.called == "backward":
        root, given = scene.receiver, scene.argument(0, "gradient")
    else:
        root, given = scene.argument(0, "outputs"), scene.argument(2, "grad_outputs")
    root = root if root is not None and root.is_tensor else None
    given = given if given is not None and given.is_tensor else None
    if root is None and given is None:
        return None
    of, its = root or f"The output {out}", given or f"a gradient {grad}"
    return f"{of} is given {its} as its gradient; they need one shape."


@explains("second_backward", "freed_graph")
def second(scene: Scene, m: SeenError) -> Told:
    """Where the graph was used up before: another line, or an earlier turn of a loop."""
    root = scene.receiver or next(iter(scene.tensors), None)
    if root is None or root.node is None:
        return None
    name = f"{root}" if root.is_tensor else root.ticked
    calls = [n for n in ast.walk(scene.scope) if isinstance(n, ast.Call) and n.lineno < scene.line]
    earlier = [n for n in calls if _last_name(n.func) in ("backward", "grad")]
    same = [
        n
        for n in earlier
        if isinstance(n.func, ast.Attribute) and ast.unparse(n.func.value) == root.name
    ]
    loop = next(
        (
            p
            for p, f in scene.places.ancestors(scene.node or scene.places.tree)
            if isinstance(p, (ast.For, ast.While)) and f == "body"
        ),
        None,
    )
    if same and (root.line is None or same[-1].lineno > root.line):
        return (
            f"The graph of {name} was already used by {_last_name(same[-1].func)}() at line "
            f"{same[-1].lineno}, "
            "which frees it."
        )
    if loop is not None and root.line is not None and root.line < loop.lineno:
        return (
            f"{name} was made before the loop at line {loop.lineno}; an earlier turn's "
            "backward() has freed its graph."
        )
    if loop is not None:
        kept = _kept_graph(scene, loop)
        if kept:
            return (
                f"{kept[0].ticked} {kept[0].what} outlives each turn of the loop at line "
                f"{loop.lineno} and still has a graph: {name} reaches back into one that an "
                "earlier turn's backward() has freed."
            )
    if earlier:
        return (
            f"{name} shares a part of its graph with what {_last_name(earlier[-1].func)}() at "
            f"line {earlier[-1].lineno} has used and freed."
        )
    return None


def _kept_graph(scene: Scene, loop: ast.AST) -> list[Thing]:
    """Tensors with a graph that the loop reads and that it first got before the loop."""
    found = []
    sites = scene.places.bindings(scene.scope)
    for node in ast.walk(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            bound = sites.get(node.id, [])
            if bound and bound[0].line < loop.lineno:  # type: ignore[attr-defined]
                t = next(scene.known([node]), None)
                value: Any = t.value if t is not None else None
                if type(value) is tuple and value:
                    value = value[0]
                if t is not None and is_tensor(value) and value.grad_fn is not None:
                    found.append(t)
    return found


@explains("modified_in_place", "modified_in_place")
def modified(scene: Scene, m: SeenError) -> Told:
    """The live tensors of this shape at this version; the probe for it says more."""
    shape, op, now, then = m["shape"], m["function"], m["version"], m["expected"]
    if not now:
        return None
    same = [
        t
        for t in scene.variables()
        if t.is_tensor and dims(t.shape) == shape and private.version(t.value) == int(now)
    ]
    op = op.removesuffix("Backward0") if op and op != "AsStridedBackward0" else ""
    op = "" if op == "AsStrided" else op  # the leaf itself, transposed inside of a product
    op = "" if then != "0" else op  # it was changed before: the function is what changed it then
    what = f"a tensor {shape}" + (f" made by {op}" if op else "")
    times = int(now) - int(then)
    changed = (
        f"was changed in place {'once' if times == 1 else f'{times} times'} after the "
        f"forward pass saved it"
    )
    if len(same) == 1:
        return f"{what.capitalize()} {changed}; `{same[0].name}` is such a tensor at version {now}."
    root = scene.receiver
    of = f"for the gradient of {root}" if root and root.is_tensor else "for this gradient"
    return f"{what[:1].upper()}{what[1:]}, needed {of}, {changed}."


@explains("float_needs_grad", "integers_require_grad", "integers_as_data")
def only_float(scene: Scene, m: SeenError) -> Told:
    """Which tensor is of which dtype, and where the integers come from."""
    t = next((t for t in scene.shapes if not t.value.is_floating_point()), None)
    if t is not None and t.computed and m.id != "integers_as_data":
        t = None
    t = t or next((x for x in scene.below if x.is_tensor and not x.value.is_floating_point()), None)
    if t is not None:
        return (
            f"{t.ticked} is {dtype(t.value)} {dims(t.shape)}{t.from_line}: integers have no "
            f"gradient."
        )
    call = scene.call
    if call is None:
        return None
    wanted = [k for k in call.keywords if k.arg == "dtype"]
    if wanted:
        return f"`{ast.unparse(wanted[0])[:50]}` is no floating dtype; only those have a gradient."
    values = [n.value for a in call.args for n in ast.walk(a) if isinstance(n, ast.Constant)]
    if values and all(type(v) is int for v in values) and scene.called == "tensor":
        return (
            f"Every number in `{ast.unparse(call)[:60]}` is written without a decimal point, "
            f"so "
            "this tensor is int64; integers have no gradient."
        )
    if scene.called in ("randint", "arange", "from_numpy", "as_tensor"):
        return f"`{scene.called}` gives integers here; only floating dtypes have a gradient."
    for read in scene.known(n for n in ast.walk(call) if isinstance(n, ast.Name)):
        kind = str(getattr(read.value, "dtype", "")) if type(read.value) is np.ndarray else ""
        if kind.startswith(("int", "uint", "bool")):
            return (
                f"`{read.name}`{read.place} is a NumPy array of {kind}: integers have no gradient."
            )
    return None


@explains("unused_in_graph", "unused_in_graph")
def unused(scene: Scene, m: SeenError) -> Told:
    """The input that the output's graph does not reach, and the layer that it is of."""
    if told := _unreached(scene):
        return told
    if len(scene.tensors) < 2:
        return None
    out, *inputs = scene.tensors
    return (
        f"{out} was not computed from {listed((str(t) for t in inputs[:3]), 'or')} by "
        f"recorded operations."
    )


def _unreached(scene: Scene) -> str:
    """The inputs of torch.autograd.grad that the outputs' graph does not lead to."""
    inputs, outputs = scene.local("t_inputs", "inputs"), scene.local("t_outputs", "outputs")
    inputs = (inputs,) if is_tensor(inputs) else inputs
    outputs = (outputs,) if is_tensor(outputs) else outputs
    if type(inputs) not in (list, tuple) or type(outputs) not in (list, tuple):
        return ""
    seen: set[Any] = set()
    todo = [o.grad_fn for o in outputs if is_tensor(o) and o.grad_fn is not None]
    reached = {id(o) for o in outputs}
    while todo and len(seen) < _NODES:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if type(node).__name__ == "AccumulateGrad":
            reached.add(id(node.variable))
        todo += [n for n, _ in node.next_functions if n is not None]
    if todo:
        return ""
    missed = [
        (i, t)
        for i, t in enumerate(inputs)
        if is_tensor(t) and id(t) not in reached and (t.is_leaf or t.grad_fn not in seen)
    ]
    if not missed:
        return ""
    parts = [_input_name(scene, i, t, len(inputs)) for i, t in missed[:3]]
    more = f" and {len(missed) - 3} more" if len(missed) > 3 else ""
    verb = "plays" if len(missed) == 1 else "play"
    out = listed(str(scene.as_written(o) or "the output") for o in outputs[:2])
    return f"{listed(parts)}{more} {verb} no part in the graph of {out}."


def _input_name(scene: Scene, i: int, tensor: torch.Tensor, n: int) -> str:
    if (written := scene.as_written(tensor)) is not None:
        return str(written)
    for t in scene.variables():
        if issubclass(type(t.value), nn.Module):
            for path, held in nn.Module.named_parameters(t.value):
                if held is tensor:
                    place = path.rpartition(".")[0]
                    owner = dict(nn.Module.named_modules(t.value))[place]
                    line = scene.constructor(t.name, t.value, place)
                    made = f" of {type(owner).__name__}" + (f" (line {line})" if line else "")
                    return f"`{t.name}.{path}` {dims(tensor.shape)}{made}, input {i},"
    return f"input {i} {dims(tensor.shape)}" if n > 1 else f"the input {dims(tensor.shape)}"


@explains("custom_function", "saved_no_tensor")
def saved(scene: Scene, m: SeenError) -> Told:
    """Which argument is no tensor."""
    t = scene.argument(m.number("argument")) if m["argument"] else None
    if t is None:
        return None
    number = m["argument"]
    return (
        f"Argument {number} of this call, {t}, is no tensor; save_for_backward keeps only tensors."
    )


@explains("custom_function", "backward_count", "backward_shape")
def gradients(scene: Scene, m: SeenError) -> Told:
    """The class's backward, and what its forward takes."""
    name = m["function"]
    backward = scene.places.function_named("backward", name)
    forward = scene.places.function_named("forward", name)
    if backward is None or forward is None:
        return None
    takes = [a.arg for a in forward.args.args[1:]]
    if m.id == "backward_shape":
        at = m.number("index")
        arg = f" for `{takes[at]}`" if at < len(takes) else ""
        return (
            f"`{name}.backward` (line {backward.lineno}) returns a gradient {m['given']}{arg}, "
            f"which was {m['expected']} in forward."
        )
    return (
        f"`{name}.forward` (line {forward.lineno}) takes {len(takes)} arguments besides ctx "
        f"({', '.join(takes)}), and backward (line {backward.lineno}) returns {m['given']} "
        "values."
    )


@explains("custom_function", "deepcopy_of_result")
def deepcopied(scene: Scene, m: SeenError) -> Told:
    """The result of an operation that hangs on what is copied."""
    for t in scene.operands:
        if t.is_tensor and not t.value.is_leaf:
            return f"{t} is the result of {t.value.grad_fn.name()}, not a leaf."
        if issubclass(type(t.value), nn.Module):
            for owner in nn.Module.modules(t.value):
                for key, held in own_dict(owner).items():
                    if is_tensor(held) and not held.is_leaf:
                        return (
                            f"`{t.name}` keeps `{key}` {dims(held.shape)}, which is the result "
                            f"of {held.grad_fn.name()}, not a leaf."
                        )
    return None


@explains("numpy", "numpy_of_graph")
def numpy_of(scene: Scene, m: SeenError) -> Told:
    """Which tensor still has its graph."""
    t = scene.receiver if scene.called in ("numpy", "__array__") else None
    t = t or next((x for x in scene.tensors if x.value.requires_grad), None)
    if t is None or not t.is_tensor:
        return None
    of = f"the result of {t.value.grad_fn.name()}" if t.value.grad_fn else "a leaf"
    return f"{t} requires grad ({of}); an array could not carry its graph."


@explains("empty_parameters", "no_parameters")
def empty(scene: Scene, m: SeenError) -> Told:
    """What the model has instead of parameters."""
    call = scene.call
    if call is None or not (call.args or call.keywords):
        return None
    first = call.args[0] if call.args else call.keywords[0].value
    if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute):
        model = next(scene.known([first.func.value]), None)
        if model is not None and issubclass(type(model.value), nn.Module):
            return _without_parameters(scene, model)
    given = next(scene.known([first]), None)
    if given is None:
        if isinstance(first, (ast.ListComp, ast.GeneratorExp)) or "filter" in ast.unparse(first):
            return _all_frozen(scene, first)
        return None
    if type(given.value) in (list, tuple) and not given.value:
        kind = type(given.value).__name__
        what = f"{given.ticked}{given.place} is an empty {kind}"
        if isinstance(first, (ast.List, ast.Tuple)):
            what = f"This line gives the optimizer a {kind} with nothing in it"
        models = [
            t
            for t in scene.variables()
            if issubclass(type(t.value), nn.Module)
            and any(True for _ in nn.Module.parameters(t.value))
        ]
        if len(models) == 1:
            n = len(list(nn.Module.parameters(models[0].value)))
            what += f"; the {n} parameters of `{models[0].name}`{models[0].place} are not in it"
        return f"{what}."
    if type(given.value).__name__ in ("generator", "filter", "map"):
        return (
            f"{given.ticked}{given.place} is a {type(given.value).__name__}, which gives its "
            "items only once: it has none left here."
        )
    return None


def _all_frozen(scene: Scene, first: ast.expr) -> Told:
    for node in ast.walk(first):
        t = next(scene.known([node]), None) if isinstance(node, ast.Name) else None
        if t is not None and issubclass(type(t.value), nn.Module):
            every = list(nn.Module.parameters(t.value))
            free = [p for p in every if p.requires_grad]
            return (
                f"`{t.name}`{t.place} has {len(every)} parameters, {len(free)} of which "
                f"require "
                "grad, and none passed the filter of this line."
            )
    return None


def _without_parameters(scene: Scene, model: Thing) -> Told:
    kind = type(model.value).__name__
    hidden, at = [], []
    for key, held in own_dict(model.value).items():
        if key.startswith("_"):
            continue
        items = (
            held
            if type(held) in (list, tuple)
            else (list(held.values()) if type(held) is dict else [held])
        )
        modules = [i for i in items if issubclass(type(i), nn.Module)]
        tensors = [i for i in items if is_tensor(i)]
        if modules or tensors:
            what = f"a plain {type(held).__name__} of {len(modules or tensors)} " + (
                "modules" if modules else "tensors"
            )
            what = "a plain tensor" if is_tensor(held) else what
            node = scene.places.assigned(kind, key)
            at.append(node.lineno if node is not None else None)
            line = f" (line {at[-1]})" if at[-1] else ""
            hidden.append(f"`{key}`{line} is {what}")
    made = f", made at line {model.line}" if model.line else ""
    if hidden:
        return (
            f"`{model.name}` is {kind}{made}: {listed(hidden[:3])}, which parameters() does "
            f"not see."
        )
    modules = [type(c).__name__ for c in model.value.modules()][1:]
    inside = (
        f" only {listed(dict.fromkeys(modules))}, which have no parameters"
        if modules
        else (" no layer and no Parameter")
    )
    return f"`{model.name}` is {kind}{made}, and it holds{inside}."


@explains("optimizer", "non_leaf_parameter", "optimizer_no_tensors")
def non_leaf(scene: Scene, m: SeenError) -> Told:
    """Which of the tensors is the result of an operation."""
    whole = scene.argument(0, "params")
    items = whole.value if whole is not None and type(whole.value) in (list, tuple) else []
    for value in [*items, *(t.value for t in scene.operands)]:
        if is_tensor(value) and not value.is_leaf and not is_a(value, torch.nn.Parameter):
            t = scene.as_written(value)
            return (
                f"{t or 'One tensor ' + dims(value.shape)} is the result of "
                f"{value.grad_fn.name()}, not a leaf."
            )
    return None
