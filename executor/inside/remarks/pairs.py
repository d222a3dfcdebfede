"""Find pairs that belong together, of which only one is changed, or each in its own way."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.at_place import instance_of
from executor.inside.remarks.edits import Told, added, put, way
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    assigned,
    dotted,
    factors,
    functions,
    inside,
    tail,
    values,
    walk,
    words,
)

_MOVES = {
    "flip", "fliplr", "flipud", "hflip", "vflip", "rot90", "rotate", "crop", "affine", "roll",
    "transpose", "perspective", "resized_crop",
}  # fmt: skip
_CHANCE = re.compile(r"(?i)^rand|random|uniform|bernoulli|coin|prob")
_MAP = re.compile(r"(?i)mask|^seg|_seg|segmentation|label_?map|depth_?map|^gt$|heat_?map")
_DRAWS = {"randperm", "permutation"}


def moved_alone(tree: ast.Module) -> Found:
    """An image that is flipped by chance, where the mask returned with it is not."""
    for function in functions(tree).values():
        returned = [
            [e.id for e in n.value.elts if isinstance(e, ast.Name)]
            for n in inside(function)
            if isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple)
        ]
        for image, mask in (names for names in returned if len(names) == 2):
            if not _MAP.search(mask) or _MAP.search(image):
                continue
            moves = list(_moved_by_chance(function, image))
            if not moves or any(True for _ in _moves(function, mask)):
                continue
            again = [
                a for node in moves
                for a in added(re.sub(rf"\b{image}\b", mask, ast.unparse(node)), node, after=True)
            ]  # fmt: skip
            yield Told(
                "moved_alone",
                moves[0],
                f"`{image}` is moved by chance and `{mask}`, which is returned with it, stays as "
                "it is: then the two do not fit any more; do the same to both in each branch",
                (way("image and mask are moved together", add=again),),
            )
            return


def _moves(scope: ast.AST, name: str) -> Iterator[ast.Assign]:
    """The statements that turn a variable into a moved form of itself, together with others too."""
    for node in inside(scope):
        if isinstance(node, ast.Assign) and name in {
            n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name)
        }:
            calls = {tail(c) for c in walk(node.value) if isinstance(c, ast.Call)}
            mirrored = any(
                isinstance(s, ast.Slice) and s.step is not None and ast.unparse(s.step) == "-1"
                for s in walk(node.value)
            )
            if (calls & _MOVES or mirrored) and name in words(node.value):
                yield node


def _moved_by_chance(function: ast.FunctionDef, name: str) -> Iterator[ast.Assign]:
    for node in inside(function):
        if isinstance(node, ast.If) and any(map(_CHANCE.search, words(node.test))):
            yield from (
                m for m in _moves(node, name)
                if m in node.body and len(m.targets) == 1 and isinstance(m.targets[0], ast.Name)
                and not any(map(_CHANCE.search, words(m.value)))
            )  # fmt: skip


def mixed_apart(tree: ast.Module) -> Found:
    """Inputs and labels mixed with those of other samples, each by an order of its own."""
    yield from _labels_apart(tree)
    made = values(tree)
    mixed: dict[str, tuple[str, ast.Subscript]] = {}
    for node, _, value in assigned(tree):
        found = _mixture(value)
        if found is None:
            continue
        share, of, drawn = found
        index = drawn.slice
        order = made.get(index.id) if isinstance(index, ast.Name) else index
        if not isinstance(order, ast.Call) or tail(order) not in _DRAWS:
            continue
        other = mixed.setdefault(share, (of, drawn))
        written = ast.unparse(index)
        same = isinstance(index, ast.Name) and ast.unparse(other[1].slice) == written
        if other[0] == of or same or other[1] is drawn:
            continue
        new = "order"
        first = ast.unparse(other[1].slice)
        ways = (
            (way("one order for both", put(index, first)),)
            if isinstance(other[1].slice, ast.Name)
            else (way("one order for both", put(index, new), put(other[1].slice, new),
                      add=added(f"{new} = {first}", _statement(tree, other[1]) or node)),)
        )  # fmt: skip
        yield Told(
            "mixed_apart",
            drawn,
            f"`{of}` is mixed by an order of its own and `{other[0]}` (line {other[1].lineno}) by "
            "another one: what is mixed into a label comes from another sample than what is mixed "
            "into its input; draw the order once and use it for both",
            ways,
        )
        return


def _labels_apart(tree: ast.Module) -> Found:
    """Inputs mixed by one order, and the labels beside them taken by another one."""
    made = values(tree)
    for function in functions(tree).values():
        mixtures = [m for _, _, v in assigned(function) if (m := _mixture(v)) is not None]
        if len(mixtures) != 1 or _LABELS.fullmatch(mixtures[0][1]):
            continue
        _, of, drawn = mixtures[0]
        for node in inside(function):
            if not isinstance(node, ast.Subscript) or not _LABELS.fullmatch(dotted(node.value)):
                continue
            order = made.get(node.slice.id) if isinstance(node.slice, ast.Name) else node.slice
            if not isinstance(order, ast.Call) or tail(order) not in _DRAWS:
                continue
            if isinstance(node.slice, ast.Name) and ast.unparse(drawn.slice) == node.slice.id:
                continue
            yield Told(
                "mixed_apart",
                node,
                f"`{dotted(node.value)}` is taken by an order of its own and `{of}` (line "
                f"{drawn.lineno}) is mixed by another one: the second label belongs to another "
                "sample than what is mixed into the input; draw the order once and use it for both",
                (way("one order for both", put(node.slice, drawn.slice)),)
                if isinstance(drawn.slice, ast.Name)
                else (),
            )
            return


_LABELS = re.compile(r"(?i)(ys?|lab(el)?s?|targets?|one_?hot)(_?(b|batch|train))?")


def ordered_apart(tree: ast.Module) -> Found:
    """`X = X[i]` and `y = y[j]`, by two orders that were drawn apart."""
    made = values(tree)
    by: dict[str, dict[str, ast.Call]] = {}
    places: dict[str, ast.expr] = {}
    for node in walk(tree):
        match node:
            case ast.Subscript(value=of, slice=index) if isinstance(node.ctx, ast.Load):
                order = _order(index, made)
            case _:
                continue
        if order is not None and dotted(of):
            by.setdefault(dotted(of), {})[order[0]] = order[1]
            places[dotted(of)] = index
    labels = [n for n in by if _LABELS.fullmatch(n.rpartition(".")[2])]
    others = [n for n in by if n not in labels]
    if len(labels) != 1 or len(others) != 1 or len(by[labels[0]]) != 1 or len(by[others[0]]) != 1:
        return
    label, other = labels[0], others[0]
    (own, drawn), (theirs, again) = next(iter(by[label].items())), next(iter(by[other].items()))
    named = [n for n in (own, theirs) if n.replace(".", "").isidentifier()]
    if own == theirs or tail(drawn) != tail(again) or not named:
        return
    if any("seed" in w for w in words(drawn) | words(again)):
        return
    at = places[label]
    start = at.value if isinstance(at, ast.Subscript) else at
    ways = (way("each label stays with its sample", put(start, theirs)),)
    yield Told(
        "ordered_apart",
        at,
        f"`{label}` is put into the order `{own}` and `{other}` (line {places[other].lineno}) into "
        f"`{theirs}`, which was drawn apart from it: no label belongs to its sample any more; use "
        "one order for both",
        ways if theirs in named and dotted(start) in (own, "") else (),
    )


def shuffled_alone(tree: ast.Module) -> Found:
    """`X = X[randperm(n)]`, and the labels that stand beside it afterwards stay as they were."""
    made = values(tree)
    for scope in (tree, *functions(tree).values()):
        for statement, name, value in assigned(scope):
            if not isinstance(value, ast.Subscript) or dotted(value.value) != name:
                continue
            drawn = value.slice
            order = _order(drawn, made)
            if order is None or tail(order[1]) not in _DRAWS:
                continue
            label = _beside(name, statement, scope) or _beside_in_use(name, statement, tree)
            bound = [n for n, of, _ in assigned(scope) if of == label]
            held = "." in label and not bound  # an object has them
            if not label or not (bound or held):
                continue
            if any(n.lineno >= statement.lineno for n in bound):
                continue
            if any(
                isinstance(n, ast.Subscript) and dotted(n.value) == label
                and ast.unparse(n.slice) == ast.unparse(drawn) for n in inside(scope)
            ):  # fmt: skip
                continue
            by = dotted(drawn) or "order"
            once = [] if by == dotted(drawn) else added(f"{by} = {ast.unparse(drawn)}", statement)
            both = put(statement, f"{name}, {label} = {name}[{by}], {label}[{by}]")
            yield Told(
                "shuffled_alone",
                statement,
                f"`{name}` is put into a random order, and `{label}` stays in the old one: no "
                "label belongs to its sample any more; put both into one order, or leave it to "
                "`DataLoader(shuffle=True)`",
                (way("each label stays with its sample", both, add=once),),
            )
            return


def _beside(name: str, statement: ast.stmt, scope: ast.AST) -> str:
    """The labels that are handed on together with some inputs, behind a statement."""
    for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
        if tail(call) in ("TensorDataset", "zip") and call.lineno > statement.lineno:
            given = [dotted(a) for a in call.args]
            labels = [g for g in given if g != name and _LABELS.fullmatch(g.rpartition(".")[2])]
            if name in given and len(labels) == 1:
                return labels[0]
    return ""


def _beside_in_use(name: str, statement: ast.stmt, tree: ast.Module) -> str:
    """The labels that are picked by one index with some inputs, or compared with what they give.

    `x[i], y[i]` behind the statement, or `self.x[i], self.y[i]` of the class of `data.x`.
    """
    of, _, last = name.rpartition(".")
    own = instance_of(ast.Name(id=of), tree) if of else None
    scope: ast.AST = own if own is not None else tree
    asked = f"self.{last}" if own is not None else name
    found: set[str] = set()
    for node in walk(scope):
        if not isinstance(node, ast.Call | ast.Assign | ast.Return):
            continue
        if own is None and node.lineno <= statement.lineno:
            continue
        picked: dict[str, set[str]] = {}
        for n in walk(node):
            if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Name | ast.Slice):
                picked.setdefault(ast.unparse(n.slice), set()).add(dotted(n.value))
        found |= {n for names in picked.values() if asked in names for n in names}
        match node:
            case ast.Call(args=[output, target]) if LOSS_CALL.search(tail(node)):
                found |= {dotted(target) for n in walk(output) if dotted(n) == asked}
    labels = [n for n in found if _LABELS.fullmatch(n.rpartition(".")[2]) and n != asked]
    return (
        (f"{of}." if own is not None else "") + labels[0].removeprefix("self.")
        if len(labels) == 1
        else ""
    )


_PICKS = _DRAWS | {"randint", "choice", "integers"}


def _order(index: ast.expr, held: dict[str, ast.expr]) -> tuple[str, ast.Call] | None:
    """What draws the places of an index, and how it is called; of `order[a:b]` the `order`."""
    index = index.value if isinstance(index, ast.Subscript) else index
    made = held.get(dotted(index), index)
    if isinstance(made, ast.Subscript) and made is not index:
        return _order(made, held)
    if isinstance(made, ast.Call) and tail(made) in _PICKS:
        return dotted(index) or ast.unparse(index), made
    return None


def _mixture(value: ast.expr) -> tuple[str, str, ast.Subscript] | None:
    """`share`, `x` and `x[order]` of `share * x + (1 - share) * x[order]`."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    first, second = factors(value.left), factors(value.right)
    if len(first) != 2 or len(second) != 2:
        return None
    for of in first:
        share = first[1 - first.index(of)]
        for drawn in second:
            if isinstance(drawn, ast.Subscript) and ast.unparse(drawn.value) == ast.unparse(of):
                return ast.unparse(share), ast.unparse(of), drawn
    return None


def _statement(tree: ast.Module, node: ast.AST) -> ast.AST | None:
    return next((n for n in walk(tree) if isinstance(n, ast.Assign) and node in walk(n)), None)


def weights_exchanged(tree: ast.Module) -> Found:
    """`x = a * x + (1 - a) * x[order]`, and the loss of `y[order]` counted with `a`."""
    mixed = {m[0]: (m[1], ast.unparse(m[2].slice)) for _, _, v in assigned(tree)
             if (m := _mixture(v)) is not None}  # fmt: skip
    taken = {name: ast.unparse(v.slice) for _, name, v in assigned(tree)
             if isinstance(v, ast.Subscript) and dotted(v.value) != name}  # fmt: skip
    for node in walk(tree):
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = _weighed(left), _weighed(right)
            case _:
                continue
        if first is None or second is None:
            continue
        share, one = first
        rest, other = second
        if share not in mixed or rest != f"1 - {share}":
            continue
        of, order = mixed[share]
        (a, b), (c, d) = one.args, other.args
        if ast.unparse(a) != ast.unparse(c) or mixed[share][0] in (ast.unparse(b), ast.unparse(d)):
            continue
        drawn = [
            (isinstance(y, ast.Subscript) and ast.unparse(y.slice) == order)
            or taken.get(dotted(y)) == order
            for y in (b, d)
        ]
        if drawn != [True, False]:
            continue
        yield Told(
            "weights_exchanged",
            node,
            f"`{share}` is the share of `{of}` itself in what is mixed, and `1 - {share}` that of "
            f"`{of}[{order}]`; here the labels of the second, `{ast.unparse(b)}`, count with "
            f"`{share}`: exchange the two",
            (way("each label counts as much as its input", put(b, d), put(d, b)),),
        )
        return


def _weighed(node: ast.expr) -> tuple[str, ast.Call] | None:
    """`share` and the call of `share * loss(out, y)`."""
    parts = factors(node)
    calls = [p for p in parts if isinstance(p, ast.Call) and len(p.args) == 2]
    if len(parts) != 2 or len(calls) != 1:
        return None
    return ast.unparse(next(p for p in parts if p is not calls[0])), calls[0]


RULES = (moved_alone, mixed_apart, ordered_apart, shuffled_alone, weights_exchanged)
