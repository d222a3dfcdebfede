"""Find two halves of one job that do not fit each other: a grid and its sampling, and such."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    blocks,
    callee,
    dotted,
    functions,
    inside,
    made_of,
    origins,
    tail,
    walk,
    words,
)

_MOST = 200  # expressions that a value is followed through


def _unpacked(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """The variables that are given a part of one value: `a, b = f(x)`."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as value):
                for name in filter(None, map(dotted, names)):
                    found.setdefault(name, []).append(value)
    return found


def _makings(node: ast.expr, tree: ast.Module) -> list[ast.AST]:
    """All nodes of the expressions that a value is made of, by the text, in functions too."""
    given, own = {**origins(tree), **_unpacked(tree)}, functions(tree)
    todo: list[ast.AST] = [node]
    seen: set[str] = set()
    found: list[ast.AST] = []
    while todo and len(seen) < _MOST:
        one = todo.pop()
        for part in walk(one):
            found.append(part)
            name = dotted(part)
            if name and name not in seen:
                seen.add(name)
                todo += given.get(name, [])
            if isinstance(part, ast.Call) and (function := own.get(tail(part))) is not None:
                returns = (n for n in inside(function) if isinstance(n, ast.Return) and n.value)
                todo += [n.value for n in returns if n.value and tail(part) not in seen]
                seen.add(tail(part))
    return found


def _aligned(call: ast.Call, at: int) -> bool | None:
    """What a call says of `align_corners`: False where it says nothing; None for no constant."""
    said = argument(call, at, "align_corners")
    if said is None:
        return None if any(k.arg is None for k in call.keywords) else False
    return said.value if isinstance(said, ast.Constant) and type(said.value) is bool else None


def _corners_of(node: ast.AST) -> bool | None:
    """Whether a part of a grid's making puts -1 and 1 at the middle of the outer pixels."""
    match node:
        case ast.Call() if tail(node) == "affine_grid":
            return _aligned(node, 2)
        case ast.Call(
            args=[
                ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)),
                ast.Constant(value=1),
                _,
            ]
        ) if tail(node) == "linspace":
            return True
        case ast.BinOp(op=ast.Div(), right=ast.BinOp(op=ast.Sub(), right=ast.Constant(value=1))):
            return True
        case ast.BinOp(
            op=ast.Div(),
            left=ast.BinOp(op=ast.Add(), right=ast.Constant(value=1 | 0.5)),
            right=ast.Name() | ast.Attribute() | ast.Subscript(),
        ):
            return False
    return None


def corners_unaligned(tree: ast.Module) -> Found:
    """A grid whose -1 and 1 are other places than `grid_sample` takes them for."""
    for call in walk(tree):
        if not isinstance(call, ast.Call) or callee(call) != "grid_sample":
            continue
        grid, sampled = argument(call, 1, "grid"), _aligned(call, 4)
        if grid is None or sampled is None:
            continue
        makings = _makings(grid, tree)
        made = {corners for n in makings if (corners := _corners_of(n)) is not None}
        if made != {not sampled}:
            continue
        by = "affine_grid" if any(tail(n) == "affine_grid" for n in makings) else "the grid"
        if sampled:
            told = (
                f"{by} puts -1 and 1 at the outer edges of the picture, and `align_corners=True` "
                "takes them for the middle of the outer pixels"
            )
        else:
            told = (
                f"{by} puts -1 and 1 at the middle of the outer pixels, and without "
                "`align_corners=True` grid_sample takes them for their outer edges"
            )
        yield (
            "corners_unaligned",
            call,
            f"{told}: even a grid that moves nothing shifts the pixels, by up to half of one at "
            f"the border; give grid_sample `align_corners={not sampled}`, as the grid was made",
        )


_NEEDS_NO_DATA = re.compile(r"dynamic|weight_only|qat", re.IGNORECASE)


def not_calibrated(tree: ast.Module) -> Found:
    """A quantization whose observers see no data: `prepare` and `convert` one after the other."""
    if any(map(_NEEDS_NO_DATA.search, words(tree))) or "torch" not in words(tree):
        return
    for run in blocks(tree):
        waiting: dict[str, int] = {}
        for at, statement in enumerate(run):
            calls = [n for n in inside(statement) if isinstance(n, ast.Call)]
            for call in calls:
                name = dotted(call.args[0]) if call.args else ""
                if callee(call) in ("convert", "convert_fx") and name in waiting:
                    if not _is_given_data(run[waiting[name] + 1 : at], name):
                        yield (
                            "not_calibrated",
                            call,
                            f"nothing went through `{name}` between `prepare` and `convert`, so "
                            "its observers saw no values: the scales of all activations stay 1.0, "
                            "and they are rounded to whole numbers; run some real batches through "
                            f"it before `convert`, in eval mode: `for x in batches: {name}(x)`",
                        )
                    del waiting[name]
            match statement:
                case ast.Assign(targets=[target], value=ast.Call() as made) if dotted(target):
                    name = dotted(target)
                case ast.Expr(value=ast.Call(args=[of, *_]) as made):
                    name = dotted(of)
                case _:
                    continue
            if callee(made) in ("prepare", "prepare_fx"):
                waiting[name] = at


def _is_given_data(between: list[ast.stmt], name: str) -> bool:
    """Whether statements call a model, or hand it to something."""
    calls = [n for s in between for n in walk(s) if isinstance(n, ast.Call)]
    handed = (a for c in calls for a in (c.func, *c.args, *(k.value for k in c.keywords)))
    return any(dotted(a) in (name, f"{name}.forward") for a in handed)


_COUNTS = ("bincount", "Counter", "value_counts", "compute_class_weight")
_CASTS = (
    "tensor", "Tensor", "as_tensor", "FloatTensor", "DoubleTensor", "array", "asarray",
    "from_numpy", "list", "tuple", "sqrt", "pow", "power", "reciprocal", "softmax", "exp", "log",
)  # fmt: skip
_KEEP = (
    "float", "double", "to", "cpu", "cuda", "numpy", "tolist", "values", "sqrt", "pow", "items",
    "reciprocal", "astype", "type", "clamp", "clip", "softmax", "sort_index", "to_numpy", "detach",
)  # fmt: skip


def weights_of_classes(tree: ast.Module) -> Found:
    """A `WeightedRandomSampler` with a weight for each class in place of one for each sample."""
    for call in walk(tree):
        if not isinstance(call, ast.Call) or callee(call) != "WeightedRandomSampler":
            continue
        weights, drawn = argument(call, 0, "weights"), argument(call, 1, "num_samples")
        if weights is None or drawn is None or not _is_of_classes(weights, tree, set()):
            continue
        written = _written_out(weights, tree)
        if written and not _draws_more(drawn, written, tree):
            continue
        name = dotted(weights) or "weights"
        made = (
            f"has {written}: it draws only the samples 0 to {written - 1}" if written else
            "is made for the classes, with one for each: it draws only as many of the first "
            "samples as there are classes"
        )  # fmt: skip
        yield Told(
            "weights_of_classes",
            call,
            f"WeightedRandomSampler takes a weight for each sample, and `{name}` {made}; give it "
            f"that of each sample's class, `{name}[labels]` (as tensors, with the class numbers of "
            "all samples in their order)",
            tuple(
                way("each sample has the weight of its class",
                    put(weights, "torch.as_tensor(", weights, f")[torch.as_tensor({labels})]"))
                for labels in _counted(weights, tree)
            ),
        )  # fmt: skip


def _is_of_classes(node: ast.AST, tree: ast.Module, seen: set[str]) -> bool:
    """Whether a value surely has one entry for each class: counts, what is made of them, a list."""
    match node:
        case ast.Name() | ast.Attribute() if dotted(node):
            name = dotted(node)
            if name in seen:
                return False
            if name in _tallies(tree):
                return True
            given = [*origins(tree).get(name, []), *_unpacked(tree).get(name, [])]
            held = node.value if isinstance(node, ast.Attribute) and node.attr == "values" else None
            given += [] if given or held is None else [held]
            return bool(given) and all(_is_of_classes(v, tree, seen | {name}) for v in given)
        case ast.Attribute(value=of, attr="values") | ast.UnaryOp(operand=of):
            return _is_of_classes(of, tree, seen)
        case ast.BinOp(left=left, right=right):
            sides = [s for s in (left, right) if _is_of_classes(s, tree, seen)]
            listed = any(isinstance(s, ast.List | ast.Tuple) for s in (left, right))
            return bool(sides) and not listed and not any(map(_looks_up, (left, right)))
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            return len(parts) > 1 and not any(isinstance(p, ast.Starred) for p in parts)
        case ast.ListComp(generators=[ast.comprehension(iter=over, ifs=[])]):
            return _is_of_classes(over, tree, seen) or _are_classes(over)
        case ast.Subscript(value=of, slice=ast.Constant() | ast.Slice() | ast.UnaryOp()):
            return _is_of_classes(of, tree, seen)
        case ast.Call(args=given):
            own = functions(tree).get(tail(node))
            if tail(node) == "unique":
                return not any(k.arg == "return_inverse" for k in node.keywords)
            if tail(node) in _COUNTS:
                return True
            if own is not None and tail(node) not in seen:
                back = [n.value for n in inside(own) if isinstance(n, ast.Return) and n.value]
                seen = seen | {tail(node)}
                return bool(back) and all(_is_of_classes(v, tree, seen) for v in back)
            parts = [given[0]] if tail(node) in _CASTS and given else []
            match node.func:
                case ast.Attribute(value=of, attr=kept) if kept in _KEEP:
                    parts.append(of)
            return any(_is_of_classes(v, tree, seen) for v in parts)
    return False


def _tallies(tree: ast.Module) -> set[str]:
    """The variables in which something is counted: `n[y] += 1`."""
    return {
        dotted(n.target.value)
        for n in walk(tree)
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Subscript)
        and isinstance(n.op, ast.Add) and ast.unparse(n.value) in ("1", "1.0")
    } - {""}  # fmt: skip


def _are_classes(over: ast.expr) -> bool:
    """Whether a loop goes through the classes: `np.unique(y)`, `set(y)`, `range(num_classes)`."""
    match over:
        case ast.Call(args=[*_, end]) if tail(over) in ("range", "sorted"):
            count = isinstance(end, ast.Constant) or _CLASSES.search(dotted(end)) is not None
            return count if tail(over) == "range" else _are_classes(end)
        case ast.Call():
            return tail(over) in ("unique", "set")
    return _CLASSES.search(dotted(over)) is not None


_CLASSES = re.compile(r"(?i)classes$|class_names$|^n_?cls$|num_cls$")


def _looks_up(node: ast.AST) -> bool:
    """Whether something is looked up there for each of many."""
    return any(
        isinstance(n, ast.Subscript)
        and not isinstance(n.slice, ast.Constant | ast.Slice | ast.UnaryOp)
        for n in walk(node)
    )


def _written_out(weights: ast.expr, tree: ast.Module) -> int:
    """How many weights the text spells out; 0 where it does not."""
    sizes = set()
    for value in made_of(weights, tree):
        inner: ast.expr = value
        while isinstance(inner, ast.Call | ast.BinOp | ast.UnaryOp):
            match inner:
                case ast.Call(func=ast.Attribute(value=of, attr=kept)) if kept in _KEEP:
                    inner = of
                case ast.Call(args=[of, *_]) | ast.BinOp(right=of) | ast.UnaryOp(operand=of):
                    inner = of
                case _:
                    return 0
            inner = next(iter(made_of(inner, tree)), inner)
        sizes.add(len(inner.elts) if isinstance(inner, ast.List | ast.Tuple) else 0)
    return sizes.pop() if len(sizes) == 1 else 0


def _draws_more(drawn: ast.expr, written: int, tree: ast.Module) -> bool:
    """Whether more samples are drawn than weights are spelt out, of data that are not as few."""
    if isinstance(drawn, ast.Constant):
        return isinstance(drawn.value, int) and drawn.value > 4 * written
    for node in _makings(drawn, tree):
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) if len(parts) == written:
                return False
            case ast.Call(args=[ast.Constant(value=int() as first), *_]) if first == written:
                return False
    return not any(map(_is_weight, words(drawn)))


def _is_weight(name: str) -> bool:
    return re.search(r"(?i)^w$|weight|prob", name) is not None


def _counted(weights: ast.expr, tree: ast.Module) -> list[str]:
    """The labels that the weights were counted from, where they are one variable."""
    found = {
        dotted(n.args[0]) for n in _makings(weights, tree)
        if isinstance(n, ast.Call) and n.args and tail(n) in ("bincount", "unique")
    }  # fmt: skip
    return sorted(found) if len(found) == 1 and "" not in found and "torch" in words(tree) else []


def classes_by_batch(tree: ast.Module) -> Found:
    """`one_hot` without the number of classes, in a function or a loop."""
    own = [n for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.For, ast.While))]
    for call in {n for part in own for n in inside(part) if isinstance(n, ast.Call)}:
        if callee(call) != "one_hot" or "functional" not in _home(call, tree):
            continue
        given = argument(call, 1, "num_classes")
        left = given is None or ast.unparse(given) == "-1"
        if left and call.args and not any(k.arg is None for k in call.keywords):
            yield (
                "classes_by_batch",
                call,
                "one_hot without `num_classes` makes as many columns as the largest class number "
                "of this very batch plus 1: a batch without the last class gives fewer, and a "
                "value that is no class (255 in a mask) gives 256; give it the number of classes",
            )


def _home(call: ast.Call, tree: ast.Module) -> str:
    """What is written before the name, an alias of an import spelt out."""
    path = dotted(call.func).rpartition(".")[0]
    imports = (n for n in walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)))
    for node in imports:
        for alias in node.names:
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            if (alias.asname or alias.name) == (path or callee(call)):
                return f"{module}{alias.name}"
    return "functional" if path == "F" else path


RULES = (
    corners_unaligned,
    not_calibrated,
    weights_of_classes,
    classes_by_batch,
)
