"""Find lines that look like doing something and do not, or do it to more than is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from executor.inside.remarks.edits import Told, added, operand, put, way
from executor.inside.remarks.losses import losses_of, takes_of
from executor.inside.remarks.passes import Pass, divisions, passes
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    bare,
    blocks,
    dotted,
    grown,
    inside,
    loops,
    method_calls,
    number,
    owner,
    rebound,
    says,
    tail,
    walk,
    words,
)

_MODES = ("no_grad", "inference_mode", "enable_grad")


def _not_entered(tree: ast.Module) -> Found:
    """`torch.no_grad()` as a statement: the context is made, and never entered."""
    for node in walk(tree):
        match node:
            case ast.Expr(value=ast.Call(args=[], keywords=[]) as call) if tail(
                call
            ) in _MODES and dotted(call.func).startswith("torch."):
                yield (
                    "not_entered",
                    node,
                    f"`torch.{tail(call)}()` alone does nothing: it is a context, and what follows "
                    f"runs as before, with gradients recorded; write `with torch.{tail(call)}():` "
                    "around it",
                )


def _loss_overwritten(tree: ast.Module) -> Found:
    """A loss that is assigned twice in a row, the first never read."""
    trained = {owner(c) for c in method_calls(tree, "backward")} - {""}
    losses = losses_of(tree)
    for block in blocks(tree):
        last: dict[str, ast.Assign] = {}
        for statement in block:
            name = _only_target(statement)
            read = {n.id for n in walk(statement) if isinstance(n, ast.Name)}
            if name and isinstance(statement, ast.Assign):
                read = {n.id for n in walk(statement.value) if isinstance(n, ast.Name)}
            for gone in read & set(last):
                del last[gone]
            if not name or name not in trained or not isinstance(statement, ast.Assign):
                continue
            first = last.get(name)
            quoted = first is not None and ast.dump(first) == ast.dump(statement)
            if first is not None and not quoted and _is_loss(statement.value, losses):
                yield (
                    "loss_overwritten",
                    statement,
                    f"this replaces the `{name}` of line {first.lineno}, which nothing has used: "
                    "only the second loss is trained; add them up "
                    f"(`{name} = {name} + …`) or give them two names",
                )
            if _is_loss(statement.value, losses):
                last[name] = statement


def _only_target(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _is_loss(value: ast.expr, losses: dict[str, str]) -> bool:
    return any(
        isinstance(n, ast.Call)
        and (takes_of(n, losses) or re.search(r"loss|criterion", tail(n), re.I) is not None)
        for n in walk(value)
    )


_LABELS = re.compile(
    r"(ys?|labs?|labels?|targets?|classes)(_?(train|tr|all|data|tensor|np))?\d*$", re.I
)


def shuffled_apart(tree: ast.Module) -> Found:
    """Inputs and labels that are each brought into a random order of their own."""
    by = _shuffling(tree)
    if says(tree, _APART_ON_PURPOSE):
        return
    for block in blocks(tree):
        found: dict[str, ast.stmt] = {}
        for statement in block:
            if names := _shuffles(statement, by):
                for name in names:
                    found.setdefault(name, statement)
            elif any(
                isinstance(n, ast.Call) and ("seed" in tail(n) or tail(n) in _SET_BACK)
                for n in walk(statement)
            ):
                found.clear()  # the same seed or state before both: the same order
        labels = [n for n in found if _is_of_labels(n)]
        others = [n for n in found if n not in labels]
        if len(labels) == 1 and others and not others[0].startswith("source"):
            line = found[others[0]].lineno
            at = found[labels[0]]
            yield Told(
                "shuffled_apart",
                at,
                f"`{others[0]}` (line {line}) and `{labels[0]}` are shuffled each in an order of "
                "its own: afterwards no label belongs to its sample; draw the order once: "
                f"`order = torch.randperm(len({labels[0]}))`, and index both with it",
                _drawn_once(at, [others[0], labels[0]])
                if line == at.lineno
                else _one_order(found[others[0]], at),
            )


_SET_BACK = {"set_state", "setstate", "set_rng_state", "default_rng", "RandomState", "Random"}
_APART_ON_PURPOSE = re.compile(r"(?i)marginal|mutual|^mine$|independen|null")


def _is_of_labels(name: str) -> bool:
    last = name.rpartition(".")[2]
    return _LABELS.match(last) is not None or bool(_LABEL_WORDS & set(last.lower().split("_")))


_LABEL_WORDS = {"y", "ys", "label", "labels", "target", "targets"}


def _one_order(first: ast.stmt, second: ast.stmt) -> tuple[dict[str, Any], ...]:
    """The edit of `x = permutation(x)` and `y = permutation(y)` to one order for both."""
    match first, second:
        case (
            ast.Assign(targets=[one], value=ast.Call(args=[_]) as draws),
            ast.Assign(targets=[other], value=ast.Call(args=[_]) as again),
        ) if tail(draws) == tail(again) == "permutation" and first.lineno < second.lineno:
            order = added(f"order = {ast.unparse(draws.func)}(len({dotted(one)}))", first)
            new = put(draws, one, "[order]") + put(again, other, "[order]")
            return (way("each label stays with its sample", new, add=order),)
    return ()


def _drawn_once(at: ast.stmt, names: list[str]) -> tuple[dict[str, Any], ...]:
    """The edit of `X, y = mix(X), mix(y)` to one order for both."""
    match at:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if (
            list(map(dotted, targets)) == names
        ):
            new = [put(v, f"{name}[order]") for v, name in zip(values, names, strict=True)]
            order = added(f"order = torch.randperm(len({names[1]}))", at)
            return (way("each label stays with its sample", *new, add=order),)
    return ()


def _shuffling(tree: ast.Module) -> set[str]:
    """The functions that return their only argument in a new random order."""
    found = set()
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        match function:
            case ast.FunctionDef(
                args=ast.arguments(args=[ast.arg(arg=given)]),
                body=[*_, ast.Return(value=ast.Subscript(value=ast.Name(id=name), slice=at))],
            ) if name == given and not _is_seeded(function):
                drawn = {n: v for _, n, v in assigned(function)}.get(dotted(at), at)
                if isinstance(drawn, ast.Call) and tail(drawn) in ("randperm", "permutation"):
                    found.add(function.name)
    return found


def _is_seeded(node: ast.AST) -> bool:
    """Whether it draws from the same beginning each time."""
    return any("seed" in w or w in _SET_BACK for w in words(node))


def _shuffles(statement: ast.stmt, by: set[str]) -> list[str]:
    """The variables that a statement brings into a new random order."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            pairs = list(zip(targets, values, strict=False))
        case ast.Assign(targets=[target], value=value):
            pairs = [(target, value)]
        case _:
            pairs = []
    through = [
        dotted(v.args[0])
        for t, v in pairs
        if isinstance(v, ast.Call) and tail(v) in by and len(v.args) == 1 and dotted(t)
    ]
    name = _shuffled(statement)
    return through or ([name] if name else [])


def _is_free(call: ast.Call) -> bool:
    """Whether a call is given no seed."""
    seeds = [k.value for k in call.keywords]
    return all(isinstance(v, ast.Constant) and v.value is None for v in seeds)


def _shuffled(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(
            targets=[target],
            value=ast.Subscript(value=value, slice=ast.Call() as order),
        ) if dotted(target) and tail(order) in ("randperm", "permutation"):
            return "" if _is_seeded(order) else dotted(value)
        case ast.Assign(targets=[target], value=ast.Call(args=[given, *_]) as call) if dotted(
            target
        ) == dotted(given) != "" and (
            tail(call) == "permutation"
            or dotted(call.func) == "random.sample"
            or (tail(call) == "shuffle" and len(call.args) == 1 and _is_free(call))
        ):
            return dotted(target)
        case ast.Expr(value=ast.Call(args=[given]) as call) if dotted(call.func) in (
            "random.shuffle",
            "np.random.shuffle",
            "numpy.random.shuffle",
            "rng.shuffle",
        ):
            return dotted(given)
    return ""


def augmented_in_place(tree: ast.Module) -> Found:
    """`__getitem__` that changes the stored sample: each epoch adds to what is left of the last."""
    for method in walk(tree):
        if not isinstance(method, ast.FunctionDef) or method.name != "__getitem__":
            continue
        arguments = [a.arg for a in method.args.args]
        if len(arguments) != 2:
            continue
        given = sorted(assigned(method), key=lambda a: a[0].lineno)
        for node in inside(method):
            if (
                isinstance(node, ast.AugAssign)
                and words(node.value) & _RANDOM
                and _is_stored(node.target, arguments)
            ):
                yield (
                    "augmented_in_place",
                    node,
                    f"this changes `{ast.unparse(node.target)}`, the data set itself, in every "
                    f"epoch further; work on a copy: `x = {ast.unparse(node.target)} + …`",
                )
                break
            name, line = _written(node), getattr(node, "lineno", 0)
            before = [v for n, given_name, v in given if given_name == name and n.lineno < line]
            if name and before and _is_stored(before[-1], arguments):
                stored = ast.unparse(before[-1])
                yield Told(
                    "augmented_in_place",
                    node,
                    f"`{name}` is a view of `{stored}`, no copy, so this changes the data set "
                    "itself, in every epoch further; work on a copy: "
                    f"`{name} = {stored}.clone()` (`.copy()` of an array)",
                    tuple(
                        way("what is stored stays as it is", put(before[-1], before[-1], copy))
                        for copy in (".clone()", ".copy()")
                    ),
                )
                break
    yield from _augmented_batch(tree)


def _augmented_batch(tree: ast.Module) -> Found:
    """`x = X[a:b]; x += noise` in a loop over batches: a slice is a view of the data."""
    for outer in loops(tree):
        fresh = {name for _, name, _ in assigned(outer)}
        for loop in (n for n in inside(outer) if isinstance(n, ast.For | ast.While)):
            sliced = {
                name: value
                for statement in loop.body
                if isinstance(statement, ast.Assign)
                for _, name, value in assigned(statement)
                if _is_slice(value, fresh)
            }
            for node in inside(loop):
                if (name := _written(node)) in sliced and words(node) & _RANDOM:
                    stored = ast.unparse(sliced[name])
                    yield Told(
                        "augmented_in_place",
                        node,
                        f"`{name}` is a view of `{stored}`, no copy, so this changes the data "
                        f"itself, in every epoch further; work on a copy: `{name} = {name} + …`, "
                        f"or `{stored}.clone()`",
                        tuple(
                            way("what is stored stays as it is",
                                put(sliced[name], sliced[name], copy))
                            for copy in (".clone()", ".copy()")
                        ),
                    )  # fmt: skip
                    return


def _is_slice(value: ast.expr, fresh: set[str]) -> bool:
    """Whether it is `data[a:b]` of data that are not made anew."""
    match value:
        case ast.Subscript(value=ast.Name() | ast.Attribute() as data, slice=ast.Slice()):
            return dotted(data) not in fresh
    return False


def _is_stored(value: ast.expr, arguments: list[str]) -> bool:
    """`self.data[index]`."""
    match value:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=own)), slice=ast.Name(id=index)):
            return [own, index] == arguments
    return False


_RANDOM = {"randn", "rand", "randn_like", "rand_like", "normal", "uniform", "randint"}


def _written(node: ast.AST) -> str:
    """The variable that a node writes into, for certain if it holds a tensor or an array."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name), value=value) if words(value) & _RANDOM:
            return name
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=at)]) if not (
            isinstance(at, ast.Constant) and isinstance(at.value, str)
        ):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if (
            attr.endswith("_") and not attr.startswith("_") and attr != "requires_grad_"
        ):
            return name
    return ""


_MOSTLY = 0.9


def average_inverted(tree: ast.Module) -> Found:
    """A moving average that takes 90 % or more of the newest weights at every step."""
    for loop in loops(tree):
        pairs = list(_averaged(loop))
        for node in inside(loop):
            for mine, other in pairs:
                share = _share(node, mine, other)
                value = number(share, tree) if share is not None else None
                if share is None or value is None or not _MOSTLY <= value < 1:
                    continue
                decay = ast.unparse(share)
                yield Told(
                    "average_inverted",
                    node,
                    f"at every step `{mine}` becomes {value:.1%} of `{other}`, so it is no "
                    "average of many steps but nearly the newest weights; the decay belongs to the "
                    f"old value: `{mine}.mul_({decay}).add_({other}, alpha=1 - {decay})`",
                    _decay_of_the_old(node, share),
                )
                return


def _decay_of_the_old(node: ast.AST, share: ast.expr) -> tuple[dict[str, Any], ...]:
    """The edit that gives the two shares of an average to each other."""
    told, written = "the average keeps most of what it was", ast.unparse(share)
    if isinstance(node, ast.Call) and tail(node) == "lerp_":
        return (way(told, put(share, "1 - ", *operand(share))),)
    products = [
        [n.left, n.right]
        for n in walk(node)
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)
    ]
    calls = [n.args for n in walk(node) if isinstance(n, ast.Call) and tail(n) == "mul_"]
    rest = [
        f
        for factors in (*products, *calls)
        for f in factors
        if f is not share and written in ast.unparse(f)
    ]
    if len(rest) != 1:
        return ()
    parts = (rest[0],) if calls else operand(rest[0])
    return (way(told, put(share, *parts), put(rest[0], *operand(share))),)


def _averaged(loop: ast.For | ast.While) -> Iterator[tuple[str, str]]:
    """What may be averaged into what: weights gone through by pairs, or by names into a table."""
    match loop:
        case ast.For(target=ast.Tuple(elts=[one, two]), iter=ast.Call() as pairs):
            a, b = (n.elts[-1] if isinstance(n, ast.Tuple) and n.elts else n for n in (one, two))
        case _:
            return
    if not isinstance(a, ast.Name) or not isinstance(b, ast.Name):
        return
    if tail(pairs) == "zip" and words(pairs) & {"parameters", "named_parameters"}:
        yield from ((a.id, b.id), (b.id, a.id))
    elif words(pairs) & {"named_parameters", "state_dict"}:
        tables = (n for n in walk(loop) if isinstance(n, ast.Subscript))
        yield from {(ast.unparse(t), b.id) for t in tables if dotted(t.slice) == a.id}


def _share(node: ast.AST, mine: str, other: str) -> ast.expr | None:
    """What the other one is multiplied by where it is averaged into `mine`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="lerp_"), args=[given, share]) if (
            _is(given, other) and _is(node.func.value, mine)  # type: ignore[attr-defined]
        ):
            return share
        case ast.Call(
            func=ast.Attribute(attr="add_", value=before),
            args=[given],
            keywords=[ast.keyword(arg="alpha", value=share)],
        ) if _is(given, other) and _has(before, mine) and "mul_" in words(before):
            return share
        case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Add()) as total) if _is(
            target, mine
        ) or (mine.endswith("]") and isinstance(target, ast.Name)):
            return _other_share(total, mine, other)
        case ast.Call(
            func=ast.Attribute(attr="copy_", value=target), args=[ast.BinOp(op=ast.Add()) as total]
        ) if _is(target, mine):
            return _other_share(total, mine, other)
    return None


def _other_share(total: ast.BinOp, mine: str, other: str) -> ast.expr | None:
    for one, two in ((total.left, total.right), (total.right, total.left)):
        if _has(one, mine) and (found := _factor(two, other)) is not None:
            return found
    return None


def _factor(node: ast.expr, name: str) -> ast.expr | None:
    match node:
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            if _is(right, name):
                return left
            if _is(left, name):
                return right
    return None


def _is(node: ast.expr, name: str) -> bool:
    """The variable itself, its `.data`, or detached."""
    while ast.unparse(node) != name and isinstance(node, (ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return ast.unparse(node) == name


def _has(node: ast.expr, name: str) -> bool:
    return any(
        isinstance(n, ast.Name | ast.Subscript) and ast.unparse(n) == name for n in walk(node)
    )


_SHARES = ("acc", "accuracy", "precision", "recall", "ratio")


def _floored(tree: ast.Module) -> Found:
    """A share of correct answers that is rounded down to 0 or 1."""
    shares = [
        (node, name, value)
        for node, name, value in assigned(tree)
        if isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.FloorDiv)
        and name.rpartition(".")[2].lower().endswith(_SHARES)
        and not any(isinstance(n, ast.Constant) for n in walk(value.left))
    ]
    counted = _counted(tree)
    divisions = [
        n for n in walk(tree)
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv)
        and isinstance(n.left, ast.Name) and n.left.id in counted
    ]  # fmt: skip
    floored = [*divisions, *(v for _, _, v in shares if v not in divisions)]
    exact = [put(v, *operand(v.left), " / ", *operand(v.right)) for v in floored]
    ways = (way("a share that is not rounded", *exact),)
    for node, name, _ in shares[:1]:
        yield Told(
            "floored",
            node,
            f"`//` rounds down, so that `{name}` is 0 until all are right and then 1; divide "
            "with `/`",
            ways,
        )
        return
    for division in divisions[:1]:
        yield Told(
            "floored",
            division,
            f"`//` rounds down, so that the share of `{ast.unparse(division.left)}` is 0 until all "
            "are right and then 1; divide with `/`",
            ways,
        )


def _counted(tree: ast.Module) -> set[str]:
    """The variables that count right answers: `right += (a == b).sum()`."""
    return {
        n.target.id
        for n in walk(tree)
        if isinstance(n, ast.AugAssign)
        and isinstance(n.target, ast.Name)
        and "sum" in words(n.value)
        and any(isinstance(c, ast.Compare) for c in walk(n.value))
    }


def counts_the_last(tree: ast.Module) -> Found:
    """A figure of the last batch only: right answers of it alone, or what its round left behind."""
    for of in passes(tree):
        loop, here = of.loop, list(inside(of.loop))
        yield from _divided_by_all(tree, loop, here)
        if of.size != of.samples or of.size is None:
            yield from _left_by_the_last(tree, of, here)


def _divided_by_all(tree: ast.Module, loop: ast.For, here: list[ast.AST]) -> Found:
    totals = {
        dotted(n.target)
        for n in here
        if isinstance(n, ast.AugAssign) and {"size", "len", "shape", "numel"} & words(n.value)
    }
    read = [dotted(n) for n in here if isinstance(getattr(n, "ctx", None), ast.Load)]
    for node in here:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                name not in read
                and "sum" in words(value)
                and any(isinstance(c, ast.Compare) for c in walk(value))
            ):
                pass
            case _:
                continue
        shares = [
            n
            for n, left, by in divisions(walk(tree))
            if n.lineno > (loop.end_lineno or 0) and name in words(left) and words(by) & totals
        ]
        if shares:
            yield (
                "counts_the_last",
                node,
                f"`{name}` is set anew for each batch, and line {shares[0].lineno} divides it "
                "by the number of all samples: only the last batch is counted; write `+=`",
            )


def _left_by_the_last(tree: ast.Module, of: Pass, here: list[ast.AST]) -> Found:
    """What a pass leaves behind of its last batch, read as a figure of all behind it."""
    if any(isinstance(n, ast.Break | ast.Return | ast.Yield) for n in here):
        return  # it looks for one, or takes one
    trains = bool({"backward", "step"} & {tail(n) for n in here})
    left = _bound(of.loop)
    labels = _second(of.loop)
    for statement in _behind(tree, of.loop):
        if not isinstance(statement, _BLOCKS):
            for node in _figures(statement):
                names = {n.id for n in walk(node) if isinstance(n, ast.Name)} & left
                if not names or (trains and not names & labels):
                    continue
                if trains or _only_binds(of.loop):
                    shown = min(names & labels or names)
                    yield (
                        "counts_the_last",
                        node,
                        f"`{shown}` is what the last round of the loop in line {of.loop.lineno} "
                        "left behind, as each round writes it anew: this figure is that of the "
                        "last batch alone; add up in the loop, and divide behind it",
                    )
                    return
        # what is bound anew, or read in a block, is another matter
        left -= rebound(statement)
        labels -= rebound(statement)


_BLOCKS = (ast.For, ast.While, ast.With, ast.If, ast.Try, ast.FunctionDef, ast.ClassDef)


def _behind(tree: ast.Module, loop: ast.For) -> list[ast.stmt]:
    """The statements behind a loop: in its block, and behind a `with` that it ends."""
    for block in blocks(tree):
        for at, statement in enumerate(block):
            if statement is loop:
                return block[at + 1 :]
            if isinstance(statement, ast.With) and statement.body[-1:] == [loop]:
                return block[at + 1 :]
    return []


def _bound(loop: ast.For) -> set[str]:
    """The names that a loop's rounds write anew: not those that it grows or reads from before."""
    below = list(inside(loop))
    grows = {name for name, _, _ in grown(below)} | {
        dotted(n.target) for n in below if isinstance(n, ast.AugAssign)
    }
    return {
        n.id for n in below if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    } - grows  # fmt: skip


def _second(loop: ast.For) -> set[str]:
    """The labels of a batch: all of what a loop takes but the first, and what it slices by hand."""
    target = loop.target
    if isinstance(target, ast.Tuple) and tail(loop.iter) == "enumerate" and target.elts[1:]:
        target = target.elts[1]
    parts = target.elts[1:] if isinstance(target, ast.Tuple) else []
    found = {n.id for p in parts for n in walk(p) if isinstance(n, ast.Name)}
    for _, name, value in assigned(loop):
        match bare(value):
            case ast.Subscript(slice=ast.Slice()) if _LABELS.fullmatch(name) or name == "yb":
                found.add(name)
    return found


_SUMMED = {"mean", "sum", "item", "float"}


def _figures(statement: ast.stmt) -> Iterator[ast.expr]:
    """What looks like a figure in it: a share of right answers, a loss that is shown."""
    for node in walk(statement):
        match node:
            case ast.Call() if tail(node) in ("mean", "sum", "accuracy_score"):
                if tail(node) == "accuracy_score" or any(
                    isinstance(n, ast.Compare) for n in walk(node)
                ):
                    yield node
            case ast.Call() if tail(node) == "item" and not node.args:
                yield node
            case ast.BinOp(left=ast.Name() as left, op=ast.Div()):
                yield left
            case ast.Call(func=ast.Name(id="print")):
                for part in walk(node):
                    match part:
                        case ast.FormattedValue(value=ast.Name() as value):
                            yield value


def _only_binds(loop: ast.For) -> bool:
    """Whether a round does nothing but bind names, each of which it writes before it reads it."""
    written: set[str] = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    bound_there = _bound(loop) | written
    for statement in loop.body:
        match statement:
            case ast.Assign(targets=targets, value=value):
                names = {n.id for n in walk(value) if isinstance(n, ast.Name)}
                if names & bound_there - written:
                    return False  # a state that goes from round to round
                if not all(isinstance(n, ast.Name | ast.Tuple) for n in targets):
                    return False
                written |= {n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)}
            case _:
                return False
    return True


def _state_written(tree: ast.Module) -> Found:
    """New values put into what state_dict() returns, which is a new dictionary each time."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Call() as call)]):
                pass
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Call() as call, attr="update"))
            ):
                pass
            case _:
                continue
        name = owner(call)
        if tail(call) == "state_dict" and name:
            yield (
                "state_written",
                node,
                "state_dict() makes a new dictionary at each call: this changes that one and not "
                f"`{name}`; write `{name}.load_state_dict(…)`, or copy into the tensors "
                f"(`{name}.state_dict()[key].copy_(…)` under `torch.no_grad()`)",
            )
            return


def _seeded_and_timed(tree: ast.Module) -> Found:
    """Seeds beside settings that let cuDNN take another algorithm in each run."""
    if not words(tree) & {"manual_seed", "manual_seed_all", "seed_everything"}:
        return
    free = {"benchmark": True, "deterministic": False}
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(attr="benchmark" | "deterministic" as name) as target],
                value=ast.Constant(value=bool() as value),
            ) if value is free[name] and ".cudnn." in f".{dotted(target)}":
                does = (
                    "has cuDNN time its algorithms in each run and take the fastest, which may be "
                    "another one each time"
                    if value
                    else "allows algorithms of cuDNN whose results differ from run to run"
                )
                yield (
                    "seeded_and_timed",
                    node,
                    f"`{name} = {value}` {does}, whatever is seeded. For runs on a GPU that are "
                    "the same: `torch.backends.cudnn.benchmark = False`, `deterministic = True` "
                    "and `torch.use_deterministic_algorithms(True)`",
                )


RULES = (
    _seeded_and_timed,
    _floored,
    counts_the_last,
    _state_written,
    _not_entered,
    _loss_overwritten,
    shuffled_apart,
    augmented_in_place,
    average_inverted,
)
