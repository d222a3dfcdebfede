"""Find statements whose result is thrown away, or is another thing than it looks like."""

from __future__ import annotations

import ast
from typing import Any

from executor.inside.remarks.edits import Part, Places, Told, operand, put, way
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
# Those that have a twin which writes in place, `clamp_`.
_WITH_TWIN = {
    "abs", "add", "addcdiv", "addcmul", "ceil", "clamp", "clamp_max", "clamp_min", "clip",
    "cumsum", "div", "exp", "fill_diagonal", "floor", "index_add", "index_copy", "index_fill",
    "index_put", "lerp", "log", "masked_fill", "masked_scatter", "mul", "nan_to_num", "neg",
    "pow", "relu", "renorm", "round", "rsqrt", "scatter", "scatter_add", "sigmoid", "sign",
    "sqrt", "square", "squeeze", "sub", "tanh", "transpose", "tril", "triu", "unsqueeze", "zero",
}  # fmt: skip
_TIMED = {
    "time", "perf_counter", "timeit", "Timer", "synchronize", "benchmark", "profile", "profiler",
    "raises", "record",
}  # fmt: skip
_HELD = (".data", ".grad", ".weight", ".bias")  # of a parameter, which others read


def _result_unused(tree: ast.Module) -> Found:
    """A new tensor that is made in a function or a loop and kept nowhere."""
    batches, tensors = _of_batches(tree) | _sliced(tree), _tensors(tree)
    held = _parameters(tree)
    tried = {n for t in walk(tree) if isinstance(t, ast.Try) for s in t.body for n in walk(s)}
    is_timed = bool(words(tree) & _TIMED)
    seen = set[ast.AST]()
    for scope in walk(tree):
        if not isinstance(scope, (ast.FunctionDef, ast.For, ast.While)):
            continue
        for node in inside(scope):
            if not isinstance(node, ast.Expr) or node in seen:
                continue
            root, chain = _chain(node.value)
            name, attr = dotted(root), tail(node.value)
            if not chain or name in ("", "self") or name.startswith(("torch", "F.", "np.", "nn.")):
                continue
            if is_no_tensor(name, tree):
                continue  # `batch.targets`: a class of its own, which may change in place
            of_tensor = name.endswith(_HELD) or name in held
            if not of_tensor and not (name in tensors and _is_read_after(name, node, scope)):
                continue
            has_twin = attr in _WITH_TWIN and not is_timed and node not in tried
            if len(chain) == 1 and not name.endswith(_HELD[2:]):
                has_twin |= attr in _SHAPES
            if has_twin or (attr in _CASTS and name in batches and len(chain) == 1):
                seen.add(node)
                keeps = way(f"`{name}` is what this returns", put(node, f"{name} = ", node.value))
                writes = way(f"`{name}` itself is changed", *_in_place(chain))
                by_twin = of_tensor and attr in _WITH_TWIN
                shown = f"`{ast.unparse(root)}{''.join(f'.{c.attr}(…)' for c in chain)}`"
                wrote = any(c.attr.endswith("_") for c in chain)
                yield Told(
                    "result_unused",
                    node,
                    f"{shown} returns a new tensor and leaves `{name}` as "
                    f"{'it was before the last of these' if wrote else 'it is'}; its "
                    f"result is thrown away here; write "
                    + (f"`{name}{''.join(f'.{_twin(c.attr)}(…)' for c in chain)}`" if by_twin
                       else f"`{name} = {name}.{attr}(…)`"),
                    (writes if by_twin else keeps,),
                )  # fmt: skip


def _chain(node: ast.expr) -> tuple[ast.expr, list[ast.Attribute]]:
    """What methods are called on one behind the other, and these: each gives a tensor."""
    chain: list[ast.Attribute] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if chain and node.func.attr.removesuffix("_") not in _WITH_TWIN:
            return node, []
        chain.insert(0, node.func)
        node = node.func.value
    return node, chain


def _twin(name: str) -> str:
    return name if name.endswith("_") else f"{name}_"


def _in_place(chain: list[ast.Attribute]) -> list[Places]:
    """Each method of a chain by its twin; from the last one on, whose places hold the others."""
    text: tuple[Part, ...] = (chain[0].value,)
    for at, method in enumerate(chain):
        text = (*text, f".{_twin(method.attr)}")
        if at + 1 < len(chain):
            call = chain[at + 1].value
            assert isinstance(call, ast.Call)
            given = [*call.args, *(k.value for k in call.keywords)]
            names = [*("" for _ in call.args), *(f"{k.arg}=" for k in call.keywords)]
            parts = [p for n, g in zip(names, given, strict=True) for p in (", ", n, g) if p != ""]
            text = (*text, "(", *parts[1:], ")")
    return [put(chain[-1], *text)]


def _parameters(tree: ast.AST) -> set[str]:
    """What loops over the parameters or buffers of a model give, and what stands beside them."""
    found: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.For(target=target, iter=over) if words(over) & _OF_MODELS and not (
                words(over) & {"modules", "named_modules", "children", "keys"}
            ):
                names = {n.id for n in walk(target) if isinstance(n, ast.Name)}
                first = next((n.id for n in walk(target) if isinstance(n, ast.Name)), "")
                found |= names - ({first} if words(over) & _WITH_NAMES else set())
    return found


_WITH_NAMES = {"named_parameters", "named_buffers", "items", "enumerate"}
_OF_MODELS = {"parameters", "named_parameters", "buffers", "named_buffers"}


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
