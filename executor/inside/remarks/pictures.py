"""Find pictures whose patches are cut by a view, which cuts a row of numbers and no squares."""

from __future__ import annotations

import ast
from typing import NamedTuple

from executor.inside.remarks.edits import Part, Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    factors,
    inside,
    made_of,
    tail,
    walk,
)

_LIBRARIES = {"torch", "np", "numpy"}
_MAKERS = {"randn", "rand", "zeros", "ones", "empty"}


def patches_reshaped(tree: ast.Module) -> Found:
    """`x.reshape(B, (H // p) * (W // p), C * p * p)` of a picture: each row holds stripes."""
    for scope in (tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))):
        for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
            of, sizes = _viewed(call)
            sides = _sides(scope, dotted(of), call.lineno) if of is not None else []
            if of is None or not 3 <= len(sides) <= 4:
                continue
            cut = _cut(sizes, sides, tree)
            if cut is None:
                continue
            name, size = dotted(of), cut.size
            yield Told(
                "patches_reshaped",
                call,
                f"a {tail(call)} moves no pixel: it cuts the rows of `{name}` one behind the other "
                f"into pieces, so that a patch holds whole rows of one channel and no square of "
                f"{size} by {size}; give height and width two sizes each, bring those of the patch "
                "to the end with `permute`, and flatten then (or use `F.unfold`)",
                tuple(_squares(call, of, sizes, sides, size)) if cut.by_sides else (),
            )


class _Cut(NamedTuple):
    size: str  # of a side of the patches
    by_sides: bool  # whether both sides of the picture stand in their number


def _viewed(call: ast.Call) -> tuple[ast.expr | None, list[ast.expr]]:
    """The tensor and the sizes of `x.view(a, b)`, `torch.reshape(x, (a, b))`."""
    if tail(call) not in ("view", "reshape") or not isinstance(call.func, ast.Attribute):
        return None, []
    of, given = call.func.value, list(call.args)
    if dotted(of) in _LIBRARIES:
        if not given:
            return None, []
        of, *given = given
    if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List):
        given = list(given[0].elts)
    while isinstance(of, ast.Call) and tail(of) in ("contiguous", "float", "clone"):
        if not isinstance(of.func, ast.Attribute):
            break
        of = of.func.value
    return (of, given) if dotted(of) else (None, [])


def _sides(scope: ast.AST, name: str, line: int) -> list[str]:
    """The sizes of a picture as the scope calls them, where it is the same tensor down to there."""
    bound = [v for node, n, v in assigned(scope) if n == name and node.lineno < line]
    since = max((v.lineno for v in bound), default=0)
    for node in inside(scope):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=names)], value=ast.Attribute(attr="shape") as v
            ):
                of = v.value
            case ast.Assign(
                targets=[ast.Tuple(elts=names)],
                value=ast.Call(func=ast.Attribute(attr="size", value=of), args=[]),
            ):
                pass
            case _:
                continue
        if dotted(of) == name and since <= node.lineno <= line and all(map(dotted, names)):
            return [dotted(n) for n in names]
    match bound[-1:]:
        case [ast.Call(args=[ast.Constant() as one, *more]) as made] if tail(
            made
        ) in _MAKERS and len(more) in (2, 3):
            return [ast.unparse(a) for a in (one, *more)]
    return []


def _cut(sizes: list[ast.expr], sides: list[str], tree: ast.Module) -> _Cut | None:
    """What the sizes say of patches: their number in one, and the square of a side in the others.

    Where height and width keep a size each, the view takes none of them apart from the other.
    """
    parts = [[p for f in factors(s) for p in _unfolded(f, tree)] for s in sizes]
    for at, number in enumerate(parts):
        by = [_floored(p) for p in number]
        if None in by or len(by) != 2:
            continue
        (one, p), (two, q) = (b for b in by if b is not None)
        rest = [_known(f, tree) for i, other in enumerate(parts) if i != at for f in other]
        known = _known(p, tree)
        if known == _known(q, tree) and rest.count(known) == 2 and ast.unparse(p) not in sides:
            return _Cut(ast.unparse(p), one in sides and two in sides and one != two)
    left = [i for i, s in enumerate(sizes) if ast.unparse(s) == "-1"]
    if len(left) == 1 and len(sizes) == len(sides) - 1 and left[0] == len(sizes) - 2:
        last = [ast.unparse(f) for f in parts[-1]]
        twice = {f for f in last if last.count(f) == 2} - set(sides)
        others = [f for f in last if f not in twice]
        if len(twice) == 1 and len(last) in (2, 3) and all(o in (*sides, "3", "1") for o in others):
            return _Cut(twice.pop(), False)
    return None


def _unfolded(factor: ast.expr, tree: ast.Module) -> list[ast.expr]:
    """The factors of what a variable is given, squares as two of them."""
    held = made_of(factor, tree)
    if len(held) == 1 and isinstance(held[0], ast.BinOp):
        if isinstance(held[0].op, ast.Mult):
            return [p for f in factors(held[0]) for p in _unfolded(f, tree)]
        factor = held[0]
    match factor:
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=2)):
            return _unfolded(base, tree) * 2
    return [factor]


def _floored(node: ast.expr) -> tuple[str, ast.expr] | None:
    """`H` and `p` of `H // p` and `int(H / p)`."""
    match node:
        case (
            ast.BinOp(left=of, op=ast.FloorDiv(), right=by)
            | ast.Call(func=ast.Name(id="int"), args=[ast.BinOp(left=of, op=ast.Div(), right=by)])
        ):
            return ast.unparse(of), by
    return None


def _known(node: ast.expr, tree: ast.Module) -> str:
    """What it is by the text, `self.patch` and the argument that it was given alike."""
    held = made_of(node, tree)
    return ast.unparse(held[0] if len(held) == 1 else node)


def _squares(
    call: ast.Call, of: ast.expr, sizes: list[ast.expr], sides: list[str], p: str
) -> list[dict[str, object]]:
    """The picture taken apart along height and width, the sides of a patch behind their number."""
    if len(sides) != 4 or len(sizes) not in (3, 5) or not all(s.isidentifier() for s in sides):
        return []
    said = {f.id for s in sizes for f in walk(s) if isinstance(f, ast.Name)}
    first = sides[1] in said and sides[1].lower() not in ("h", "height")
    batch, channels = sides[0], sides[1] if first else sides[3]
    height, width = sides[2:] if first else sides[1:3]
    split = f"{height} // {p}, {p}, {width} // {p}, {p}"
    if first:
        apart = f".reshape({batch}, {channels}, {split}).permute(0, 2, 4, 1, 3, 5)"
    else:
        apart = f".reshape({batch}, {split}, {channels}).permute(0, 1, 3, 2, 4, 5)"
    end: list[Part] = [s for size in sizes for s in (", ", size)]
    return [way("each patch is a square", put(call, of, f"{apart}.reshape(", *end[1:], ")"))]


RULES = (patches_reshaped,)
