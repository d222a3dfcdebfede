"""Find two halves of one job that do not fit each other: a grid and its sampling, and such."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.syntax import (
    Found,
    argument,
    blocks,
    callee,
    dotted,
    functions,
    inside,
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


_COUNTS = ("bincount", "unique", "Counter", "value_counts")
_PER_SAMPLE = ("gather", "index_select", "take", "map", "repeat_interleave", "choose")


def weights_of_classes(tree: ast.Module) -> Found:
    """A `WeightedRandomSampler` with a weight for each class in place of one for each sample."""
    for call in walk(tree):
        if not isinstance(call, ast.Call) or callee(call) != "WeightedRandomSampler":
            continue
        weights = argument(call, 0, "weights")
        if weights is None:
            continue
        makings = _makings(weights, tree)
        counted = any(isinstance(n, ast.Call) and tail(n) in _COUNTS for n in makings)
        if not counted or any(map(_is_per_sample, makings)):
            continue
        name = dotted(weights) or "weights"
        yield (
            "weights_of_classes",
            call,
            f"WeightedRandomSampler takes a weight for each sample, and `{name}` is made from the "
            "counts of the classes, with one for each class: it draws only as many of the first "
            f"samples as there are classes; give it `{name}[labels]`",
        )


def _is_per_sample(node: ast.AST) -> bool:
    """Whether it looks something up for each of many, or cannot be seen through."""
    match node:
        case ast.Subscript(slice=ast.Constant() | ast.Slice() | ast.UnaryOp()):
            return False
        case ast.Subscript() | ast.comprehension() | ast.Lambda():
            return True
        case ast.Call():
            return tail(node) in _PER_SAMPLE
    return False


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
