"""Find statements whose result is thrown away, or is another thing than it looks like."""

from __future__ import annotations

import ast
from typing import Any

from executor.inside.remarks.edits import Part, Told, operand, put, way
from executor.inside.remarks.syntax import (
    MAKERS,
    Found,
    assigned,
    blocks,
    callee,
    calls_in,
    dotted,
    functions,
    inside,
    is_no_tensor,
    is_optimizer,
    is_true,
    methods_named,
    owner,
    rebound,
    tail,
    walk,
    words,
)

_UNCALLED = frozenset(
    ["eval", "train", "zero_grad", "step", "backward", "cuda", "cpu", "close", "flush"]
)


def _uncalled(tree: ast.Module) -> Found:
    for node in walk(tree):
        match node:
            case ast.Expr(value=ast.Attribute(attr=name) as method) if name in _UNCALLED:
                if dotted(method).startswith("torch."):
                    continue  # `torch.version.cuda`, shown by a session: no method
                yield Told(
                    "uncalled",
                    node,
                    f"`{dotted(method)}` is not called: without its parentheses it does nothing; "
                    f"write `{dotted(method)}()`",
                    (way(f"`{dotted(method)}` is called", put(node, method, "()")),),
                )


_SHAPES = frozenset(
    [
        "view",
        "reshape",
        "unsqueeze",
        "squeeze",
        "permute",
        "transpose",
        "detach",
        "clamp",
        "masked_fill",
        "contiguous",
    ]
)
_CASTS = frozenset(["to", "cuda", "cpu", "float", "double", "half", "long"])
_SUMS = frozenset(["add", "sub", "mul", "div", "clamp", "zero"])


def _result_unused(tree: ast.Module) -> Found:
    """A new tensor that is made in a function or a loop and kept nowhere."""
    batches, tensors = _of_batches(tree) | _sliced(tree), _tensors(tree)
    for scope in walk(tree):
        if not isinstance(scope, (ast.FunctionDef, ast.For, ast.While)):
            continue
        for node in inside(scope):
            match node:
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=attr))):
                    pass
                case _:
                    continue
            name = dotted(value)
            if not name or name.startswith(("torch", "F.", "np.", "nn.")):
                continue
            if is_no_tensor(name, tree):
                continue  # `batch.targets`: a class of its own, which may change in place
            of_tensor = name.endswith((".data", ".grad"))
            if not of_tensor and not (name in tensors and _is_read_after(name, node, scope)):
                continue
            if (
                attr in _SHAPES
                or (attr in _CASTS and name in batches)
                or (attr in _SUMS and of_tensor)
            ):
                better = f"`{name} = {name}.{attr}(…)`"
                keeps = way(f"`{name}` is what this returns", put(node, f"{name} = ", node.value))
                if attr in _SUMS:
                    better = f"`{name}.{attr}_(…)`"
                yield Told(
                    "result_unused",
                    node,
                    f"`{name}.{attr}(…)` returns a new tensor and leaves `{name}` as it is; its "
                    f"result is thrown away here; write {better}",
                    () if attr in _SUMS else (keeps,),
                )


def _tensors(tree: ast.Module) -> set[str]:
    """The names that the text shows to be tensors: many a class has methods of the same names.

    By an annotation, a slice, a question that tensors are asked, what made them, or as the input of
    a `forward`.
    """
    found = _sliced(tree)
    for node in walk(tree):
        match node:
            case ast.arg(arg=name, annotation=ast.expr() as of) if tail(of) == "Tensor":
                found.add(name)
            case ast.Call(func=ast.Attribute(value=of, attr="size" | "dim")):
                found.add(dotted(of))
            case ast.For(target=ast.Tuple(elts=[_, *parts]), iter=ast.Call() as of) if (
                tail(of) == "enumerate"
            ):
                taken = [e for p in parts if isinstance(p, ast.Tuple) for e in p.elts]
                found |= _of_batches(node) & set(map(dotted, taken))
            case ast.For(target=ast.Tuple(elts=parts)):
                found |= _of_batches(node) & set(map(dotted, parts))
    found |= {name for _, name, value in assigned(tree) if _is_of_torch(value)}
    return found | {a.arg for f in methods_named(tree, "forward") for a in f.args.args}


def _is_of_torch(value: ast.expr) -> bool:
    """`torch.cat(parts).float() / 2`."""
    match value:
        case ast.BinOp(left=inner):
            return _is_of_torch(inner)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"))):
            return True
        case ast.Call(func=ast.Attribute(value=inner)):
            return _is_of_torch(inner)
    return False


def _is_read_after(name: str, node: ast.AST, scope: ast.AST) -> bool:
    """Whether anything reads it behind a line, or in the next round of its loop."""
    root = name.partition(".")[0]
    end = getattr(node, "end_lineno", 0)
    uses = [n for n in inside(scope) if isinstance(n, ast.Name) and n.id == root]
    goes_on = isinstance(scope, ast.For | ast.While) and root not in rebound(scope)
    return goes_on or any(n.lineno > end and isinstance(n.ctx, ast.Load) for n in uses)


def _sliced(tree: ast.Module) -> set[str]:
    """The names of which a column or slice is taken: `x[:, 0]` is asked of no module."""
    found: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=parts)) if any(
                isinstance(part, ast.Slice) for part in parts
            ):
                found.add(name)
    return found


def _of_batches(tree: ast.AST) -> set[str]:
    """The names of what a loop takes out of a loader: tensors, no modules."""
    found: set[str] = set()
    for loop in walk(tree):
        if isinstance(loop, ast.For) and any(
            part in w.lower() for w in words(loop.iter) for part in ("load", "_dl", "batches")
        ):
            found |= {tail(n) for n in walk(loop.target) if isinstance(n, ast.Name)}
    return found


def _parameter_lost(tree: ast.Module) -> Found:
    """A parameter that an operation turns into an ordinary tensor."""
    wanted = {
        dotted(n.value)
        for n in walk(tree)
        if isinstance(n, ast.Attribute) and n.attr in ("grad", "is_leaf")
    }
    wanted |= {w for n in walk(tree) if is_optimizer(n) for w in words(n)}
    for node, name, value in assigned(tree):
        if name.endswith(".data"):
            continue  # the parameter takes the values alone
        of_interest = name in wanted or _holds_parameter(value)
        if _is_computed(value) and of_interest and not _is_there_already(value, tree):
            yield Told("parameter_lost", node, _LOST.format(name=name), _wrapped_last(value))
    for block in blocks(tree):
        leaves: dict[str, ast.expr] = {}
        for statement in block:
            for node, name, value in (
                assigned(statement) if isinstance(statement, ast.Assign) else ()
            ):
                if _is_leaf(value) and (name in wanted or _holds_parameter(value)):
                    leaves[name] = value
                elif (
                    name in leaves
                    and isinstance(value, ast.Call)
                    and tail(value) in _CASTS
                    and owner(value) == name
                ):
                    made = leaves[name]
                    anew = put(value, value, ".detach().requires_grad_()")
                    if isinstance(made, ast.Call) and callee(made) == "Parameter":
                        anew = put(value, made.func, "(", value, ")")
                    ways = (way(_WRAPPED, anew),)
                    yield Told("parameter_lost", node, _LOST.format(name=name), ways)
                else:
                    leaves.pop(name, None)


_WRAPPED = "the parameter is made last, so that it stays one"
_SIGNS: dict[type[ast.operator], str] = {ast.Mult: "*", ast.Div: "/", ast.Add: "+", ast.Sub: "-"}


def _wrapped_last(value: ast.expr) -> tuple[dict[str, Any], ...]:
    """`nn.Parameter(x.to(device))` for `nn.Parameter(x).to(device)`; `… * 0.1` alike."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(args=[given], keywords=[]) as made, attr=attr),
            keywords=[],
        ) if callee(made) == "Parameter" and attr in _CASTS:
            comma = [", "] * len(value.args)
            args = [part for pair in zip(comma, value.args, strict=True) for part in pair][1:]
            parts: tuple[Part, ...] = (*operand(given), f".{attr}(", *args, ")")
        case ast.BinOp(left=ast.Call(args=[given], keywords=[]) as made, op=op, right=right) if (
            callee(made) == "Parameter" and type(op) in _SIGNS
        ):
            parts = (*operand(given), f" {_SIGNS[type(op)]} ", *operand(right))
        case _:
            return ()
    return (way(_WRAPPED, put(value, made.func, "(", *parts, ")")),)


def _gradient_not_asked_for(tree: ast.Module) -> Found:
    """The gradient of a tensor is read that was made without asking for one."""
    if not calls_in(list(walk(tree)), "backward"):
        return
    made: dict[str, list[ast.expr]] = {}
    for _, name, value in assigned(tree):
        made.setdefault(name, []).append(value)
    asked = {
        dotted(n.value)
        for n in walk(tree)
        if isinstance(n, ast.Attribute)
        and n.attr in ("requires_grad", "requires_grad_", "retain_grad")
    }
    stored = [n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    others = asked | {n.arg for n in walk(tree) if isinstance(n, ast.arg)}
    asking = {f.name for f in functions(tree).values() if asked & {a.arg for a in f.args.args}}
    for call in (n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) in asking):
        others |= {dotted(a) for a in call.args}  # in place, where it is handed over
    for node in walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="grad", ctx=ast.Load()):
                values = made.get(name, [])
                if name in others or len(values) != stored.count(name) or not values:
                    continue  # a parameter of that name, or a loop's, may be another tensor
                if not all(map(_is_plain, values)):
                    continue
                yield (
                    "gradient_not_asked_for",
                    node,
                    f"`{name}` is made without `requires_grad=True`, so backward() leaves "
                    f"`{name}.grad` at None: call `{name}.requires_grad_()` before it is used",
                )
                return


def _is_plain(value: ast.AST) -> bool:
    """`torch.randn(…)`, which asks for no gradient."""
    return (
        isinstance(value, ast.Call)
        and dotted(value.func).startswith("torch.")
        and callee(value) in MAKERS
        and not any(k.arg in ("requires_grad", None) for k in value.keywords)
    )


_LOST = (
    "`{name}` is the result of an operation on the parameter (arithmetic, and moving or casting "
    "what is not there already, are recorded): an ordinary tensor and no leaf. A module does not "
    "register it, it gets no `.grad`, and no optimizer trains it; do that first and wrap last: "
    "`nn.Parameter(torch.rand(5, device='cuda'))`, or move the whole module with `model.to(device)`"
)


def _is_leaf(value: ast.AST) -> bool:
    """`nn.Parameter(…)`, or a tensor made with `requires_grad=True`."""
    if not isinstance(value, ast.Call):
        return False
    if callee(value) == "Parameter":
        return not any(k.arg == "requires_grad" and not is_true(k.value) for k in value.keywords)
    return dotted(value.func).startswith("torch.") and any(
        k.arg == "requires_grad" and is_true(k.value) for k in value.keywords
    )


def _is_there_already(value: ast.expr, tree: ast.AST) -> bool:
    """`Parameter(x).to(device)` of what was moved there before: it gives back the same one."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(args=[ast.Name(id=given), *_]), attr="to"),
            args=[place],
        ):
            at = ast.unparse(place)
            moves = (f".to({at})", f"device={at}")
            earlier = (v for _, name, v in assigned(tree) if name == given and v is not value)
            return any(ast.unparse(v).rstrip(")").endswith(m.rstrip(")"))
                       for v in earlier for m in moves)  # fmt: skip
    return False


def _holds_parameter(value: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) and callee(n) == "Parameter" for n in walk(value))


def _is_computed(value: ast.expr) -> bool:
    """Whether it is moved, cast or computed from a leaf right where that is made."""
    match value:
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _CASTS:
            return _is_leaf(inner)
        case ast.BinOp(left=left, right=right):
            return _is_leaf(left) or _is_leaf(right)
        case ast.Call(func=ast.Attribute(value=ast.BinOp() | ast.Call() as inner, attr=attr)) if (
            attr in ("detach", "requires_grad_")
        ):
            return _holds_parameter(inner)
    return False


RULES = (_parameter_lost, _gradient_not_asked_for, _result_unused, _uncalled)
