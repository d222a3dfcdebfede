"""Say which loops go through data batch by batch, and what counts their batches or their samples.

A pass over data is written in many ways: over a loader, which a function, a class or a dictionary
may hold, over places of a `range`, over the parts of `split`, over a list of slices. What divides a
sum of such a pass is a number of batches or of samples, by its text or by its value.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from executor.inside.remarks.syntax import (
    argument,
    bare,
    callee,
    dotted,
    functions,
    grown,
    inside,
    loops,
    made_of,
    origins,
    says,
    tail,
    walk,
)
from executor.inside.walking import kept_by_node

_BARS = ("enumerate", "tqdm", "trange", "track", "list", "iter")
_CALLED_SO = re.compile(r"(?i)loader$|(^|[._])dl$")


class Pass(NamedTuple):
    """A loop over batches: what it goes through, of which data, and how many there are."""

    loop: ast.For
    over: ast.expr
    data: frozenset[str]  # the texts of what has one row for each sample
    size: int | None  # samples of a batch
    rows: frozenset[int]  # how many samples there are, of each loader that it may be

    @property
    def samples(self) -> int | None:
        """How many samples there are, where the text says one number."""
        return _only(self.rows)

    @property
    def batches(self) -> int | None:
        return math.ceil(self.samples / self.size) if self.samples and self.size else None


def batches_of(loop: ast.For) -> ast.expr:
    """What a loop takes its batches from, behind `enumerate` or a bar of its progress."""
    over = loop.iter
    while isinstance(over, ast.Call) and tail(over) in _BARS and over.args:
        over = over.args[0]
    return over


@kept_by_node
def passes(tree: ast.AST) -> tuple[Pass, ...]:
    """The loops of a program that go over batches."""
    return tuple(p for n in loops(tree) if isinstance(n, ast.For) and (p := _pass(n, tree)))


def gathered(node: ast.AST, tree: ast.AST) -> tuple[ast.expr, Pass] | None:
    """Of `sum(f(x) for x in loader)`, or a mean or list of it, what each batch gives, and the pass.

    The pass is one of a loop that stands nowhere, and gives each batch to the same expression.
    """
    match node:
        case (
            ast.ListComp(elt=elt, generators=[one])
            | ast.Call(
                args=[
                    ast.GeneratorExp(elt=elt, generators=[one])
                    | ast.ListComp(elt=elt, generators=[one])
                ]
            )
        ) if not one.ifs:
            loop = ast.For(target=one.target, iter=one.iter, body=[ast.Expr(elt)], orelse=[])
            of = _pass(loop, tree)
            return (elt, of) if of is not None else None
    return None


def _pass(loop: ast.For, tree: ast.AST) -> Pass | None:
    over = batches_of(loop)
    made = loaders_of(over, tree)
    if made or _CALLED_SO.search(dotted(over)):
        sizes = {_known(argument(c, 1, "batch_size"), tree, 1) for c in made}
        given = [d for c in made if (d := argument(c, 0, "dataset")) is not None]
        rows = [_rows(d, tree) for d in given]
        told = {ast.unparse(n) for d in given for n in _parts_of(d, tree)}
        told.add(f"{ast.unparse(over)}.dataset")
        return Pass(loop, over, frozenset(told), _only(sizes), _all_known(rows))
    cut = next(_cuts(loop, over, tree), None)
    if cut is None:
        return None
    of, size = cut
    long = [n for d in of if (n := _rows(d, tree)) is not None]  # all are as long
    each = _whole(size, tree) if size is not None else None
    return Pass(loop, over, frozenset(map(ast.unparse, of)), each, frozenset(long))


def _all_known(rows: list[int | None]) -> frozenset[int]:
    known = frozenset(n for n in rows if n is not None)
    return known if None not in rows else frozenset()


def _only(found: Iterable[int | None]) -> int | None:
    told = set(found)
    return told.pop() if len(told) == 1 else None


def _known(node: ast.expr | None, tree: ast.AST, default: int | None, depth: int = 0) -> int | None:
    return default if node is None else _whole(node, tree, depth)


def loaders_of(node: ast.expr, tree: ast.AST) -> list[ast.Call]:
    """Each `DataLoader(…)` that it may be: of a variable, a function's result, a dictionary."""
    return [v for v in held_by(node, tree) if isinstance(v, ast.Call) and callee(v) == "DataLoader"]


_FAR = 30  # things that are looked at on the way to what something is made of


def held_by(node: ast.expr, tree: ast.AST, far: int = _FAR) -> list[ast.expr]:
    """What it may be by the text, also as a function's result or a part of a dictionary."""
    own, found = functions(tree), list[ast.expr]()
    todo, seen = [node], set[ast.expr]()
    while todo and len(seen) < far:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        if (other := made_of(one, tree)) != [one]:
            todo += other
            continue
        parts = _within(one, tree, far // 2)
        match one:
            case ast.Call() if tail(one) in own:
                todo += _returned(own[tail(one)])
            case ast.Attribute(attr=name) if dotted(one) and not dotted(one).startswith("self."):
                todo.append(ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load()))
            case _ if parts:
                todo += parts
            case _:
                found.append(one)
    return found


def _within(one: ast.expr, tree: ast.AST, far: int) -> list[ast.expr]:
    """What is read of a dictionary, or unpacked of what a function returns."""
    match one:
        case ast.Subscript(value=of, slice=ast.Constant() | ast.Name() as key):
            return [e for table in held_by(of, tree, far) for e in _entries(table, key)]
        case ast.Name(id=name):
            parts = _unpacked(tree).get(name, ())
            return [e for value, at in parts for e in _part(value, at, tree)]
    return []


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    return [n.value for n in inside(function) if isinstance(n, ast.Return) and n.value]


def _part(value: ast.expr, at: int, tree: ast.AST) -> list[ast.expr]:
    """The n-th of what a function of the program returns."""
    function = functions(tree).get(tail(value)) if isinstance(value, ast.Call) else None
    given = _returned(function) if function is not None else [value]
    return [v.elts[at] for v in given if isinstance(v, ast.Tuple | ast.List) and at < len(v.elts)]


@kept_by_node
def _unpacked(tree: ast.AST) -> dict[str, list[tuple[ast.expr, int]]]:
    """`a, b = make()`, and `for key, loader in loaders.items()`: which part each name is."""
    found: dict[str, list[tuple[ast.expr, int]]] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as value):
                for at, name in enumerate(names):
                    found.setdefault(dotted(name), []).append((value, at))
            case ast.For(
                target=ast.Tuple(elts=[_, ast.Name(id=name)]),
                iter=ast.Call(func=ast.Attribute(value=of, attr="items")),
            ):
                every = [e for v in made_of(of, tree) for e in _entries(v, of)]
                found.setdefault(name, []).extend((ast.Tuple([e], ast.Load()), 0) for e in every)
    return found


def _entries(table: ast.expr, key: ast.expr) -> list[ast.expr]:
    """What a dictionary holds under a key, or at all where that is no constant."""
    match table:
        case ast.DictComp(value=value):
            return [value]
        case ast.Dict(keys=keys, values=values):
            told = [(ast.unparse(k), v) for k, v in zip(keys, values, strict=True) if k]
            alike = [v for k, v in told if k == ast.unparse(key)]
            return alike or ([] if isinstance(key, ast.Constant) else [v for _, v in told])
    return []


def _parts_of(data: ast.expr, tree: ast.AST) -> list[ast.expr]:
    """A data set, all that it is called, and the tensors that it is made of."""
    found = [data]
    for made in held_by(data, tree):
        found.append(made)
        if isinstance(made, ast.Call) and callee(made) == "TensorDataset":
            found += [n for a in made.args for n in (a, *made_of(a, tree)) if dotted(bare(n))]
            found += [n for a in made.args for n in _origin_names(a, tree)]
    return found


def _origin_names(node: ast.expr, tree: ast.AST) -> list[ast.expr]:
    """The variables that an argument of a function is given."""
    return [v for v in origins(tree).get(dotted(node), []) if dotted(v)]


def _cuts(
    loop: ast.For, over: ast.expr, tree: ast.AST
) -> Iterator[tuple[list[ast.expr], ast.expr | None]]:
    """The data that a loop cuts into batches itself, and how large it cuts them."""
    match over:
        case ast.Call(func=ast.Name(id="range"), args=[_, _, step]) if isinstance(
            loop.target, ast.Name
        ):
            if found := _sliced(loop, loop.target.id):
                yield found, step
        case ast.Call(func=ast.Name(id="zip"), args=parts) if parts:
            yield from _split(parts)
        case ast.Call():
            yield from _split([over])
        case ast.Name():
            for made in made_of(over, tree):
                match made:
                    case ast.ListComp(
                        elt=elt,
                        generators=[
                            ast.comprehension(
                                target=ast.Name(id=at),
                                iter=ast.Call(func=ast.Name(id="range"), args=[_, _, step]),
                            )
                        ],
                    ) if found := _sliced(elt, at):
                        yield found, step
                    case ast.Call(
                        func=ast.Name(id="list"),
                        args=[ast.Call(func=ast.Name(id="zip"), args=parts)],
                    ):
                        yield from _split(parts)


def _split(parts: list[ast.expr]) -> Iterator[tuple[list[ast.expr], ast.expr | None]]:
    """`x.split(32)`, `torch.split(x, 32)`, `x.chunk(8)`."""
    cut: list[ast.expr] = []
    size: ast.expr | None = None
    for part in parts:
        if not isinstance(part, ast.Call) or tail(part) not in ("split", "chunk"):
            return
        of_module = isinstance(part.func, ast.Attribute) and dotted(part.func.value) == "torch"
        if of_module and part.args:
            of: ast.expr = part.args[0]
        elif isinstance(part.func, ast.Attribute):
            of = part.func.value
        else:
            return
        given = argument(part, 1 if of_module else 0, "split_size", "split_size_or_sections")
        if isinstance(of, ast.Constant) or given is None or not _is_size(given):
            return  # `folds.split(x)` is given data
        cut.append(of)
        size = given if tail(part) == "split" else None
    if cut and not any(isinstance(c, ast.Call) for c in cut):
        yield cut, size


_SIZE = re.compile(r"(?i)batch|size|bs$|chunk|step|len|^[nbk]$|num")


def _is_size(given: ast.expr) -> bool:
    """Whether it is a number of rows, or of parts."""
    return isinstance(given, ast.Constant) or says(given, _SIZE)


def _sliced(node: ast.AST, at: str) -> list[ast.expr]:
    """What is sliced from a place on, `x` of `x[i:i + 32]`; by an order too, `order[i:i + 32]`."""
    return [
        n.value for n in walk(node)
        if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice)
        and isinstance(n.slice.lower, ast.Name) and n.slice.lower.id == at
        and n.slice.upper is not None and dotted(n.value)
    ]  # fmt: skip


def counts_batches(node: ast.expr, of: Pass, tree: ast.AST) -> bool:
    """Whether it is the number of batches of a pass."""
    for one in made_of(node, tree):
        match one:
            case ast.Call(func=ast.Name(id="len"), args=[over]) if ast.unparse(over) == (
                ast.unparse(of.over)
            ):
                return True
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=ast.Constant(value=1)):
                if name == _counter(of.loop):
                    return True
            case ast.BinOp(left=whole, op=ast.FloorDiv(), right=by):
                step = of.over.args[2] if isinstance(of.over, ast.Call) and len(
                    of.over.args) == 3 else by  # fmt: skip
                if ast.unparse(step) == ast.unparse(by) and counts_samples(whole, of, tree):
                    return True
    if (name := dotted(node)) and name in _grown_by(of, _is_one):
        return True
    found = _whole(node, tree)
    return found is not None and found == of.batches


def counts_samples(node: ast.expr, of: Pass, tree: ast.AST) -> bool:
    """Whether it is the number of samples of a pass."""
    for one in (node, *held_by(node, tree)):
        if ast.unparse(one) in _numbers(of):
            return True
    if (name := dotted(node)) and name in _grown_by(of, is_size_of_batch):
        return True
    found = {_whole(one, tree) for one in held_by(node, tree)}
    return bool(found) and found == of.rows and of.batches not in found


def _numbers(of: Pass) -> set[str]:
    """How the text says the number of samples: by what is gone through, or where a range ends."""
    told = {f for d in of.data for f in (f"len({d})", f"{d}.shape[0]", f"{d}.size(0)")}
    match of.over:
        case ast.Call(func=ast.Name(id="range"), args=[_, end, _]) if not isinstance(
            end, ast.BinOp
        ):
            told.add(ast.unparse(end))
    return told


def _counter(loop: ast.For) -> str:
    """`i` of `for i, batch in enumerate(loader)`."""
    match loop:
        case ast.For(target=ast.Tuple(elts=[ast.Name(id=name), *_]), iter=ast.Call() as over):
            inner = [n for n in walk(over) if isinstance(n, ast.Call) and tail(n) == "enumerate"]
            return name if inner and len(inner[0].args) == 1 and not inner[0].keywords else ""
    return ""


def _grown_by(of: Pass, counts: object) -> set[str]:
    """The variables to which each round of a pass adds such a number."""
    assert callable(counts)
    return {name for name, value, _ in grown(inside(of.loop)) if counts(value)}


def _is_one(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value == 1


def divisions(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.expr | ast.stmt, ast.expr, ast.expr]]:
    """Each `a / b` and `a /= b`: the whole, what is divided, and by what."""
    for node in nodes:
        match node:
            case (
                ast.BinOp(left=left, op=ast.Div(), right=by)
                | ast.AugAssign(target=left, op=ast.Div(), value=by)
            ):
                yield node, left, by


def appended(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr, ast.stmt]]:
    """Each `name.append(value)`: the name, the value, the statement."""
    for node in nodes:
        match node:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="append", value=kept), args=[value])
            ) if dotted(kept):
                yield dotted(kept), value, node


def is_size_of_batch(value: ast.expr) -> bool:
    """`len(x)`, `x.size(0)`, `x.shape[0]`."""
    match value:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="size"), args=[at]):
            return ast.unparse(at) == "0"
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=at):
            return ast.unparse(at) == "0"
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="numel"), args=[]):
            return True
    return False


def _whole(node: ast.expr, tree: ast.AST, depth: int = 0) -> int | None:
    """The whole number that an expression is by the text."""
    if depth > _DEEP:
        return None
    if (name := dotted(node)) and name in _changing(tree):
        return None
    told = made_of(node, tree)
    if len({ast.unparse(v) for v in told}) != 1:
        return None
    match told[0]:
        case ast.Constant(value=int() as value):
            return value
        case ast.Call(func=ast.Name(id="len"), args=[of]):
            return _rows(of, tree, depth + 1)
        case (
            ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant(value=0))
            | ast.Call(func=ast.Attribute(value=of, attr="size"), args=[ast.Constant(value=0)])
        ):
            return _rows(of, tree, depth + 1)
        case ast.Call(func=ast.Name(id="int"), args=[of]):
            return _whole(of, tree, depth + 1)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _whole(left, tree, depth + 1), _whole(right, tree, depth + 1)
            if a is None or b is None:
                return None
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.FloorDiv() if b > 0:
                    return a // b
    return None


_DEEP = 8
_SHAPED_FIRST = {"randn", "rand", "zeros", "ones", "empty"}
_SHAPED = _SHAPED_FIRST | {
    "normal", "uniform", "randint", "random", "standard_normal", "choice", "integers",
}  # fmt: skip


@kept_by_node
def _changing(tree: ast.AST) -> set[str]:
    """The variables that are more than they are given once: counters, and those of loops."""
    found = {name for name, _, _ in grown(walk(tree))}
    for loop in loops(tree):
        if isinstance(loop, ast.For):
            found |= {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    return found


def _rows(node: ast.expr, tree: ast.AST, depth: int = 0) -> int | None:
    """How many rows a tensor, an array or a data set has by the text."""
    if depth > _DEEP:
        return None
    told = held_by(bare(node), tree)
    return _only(_rows_of(v, tree, depth + 1) for v in told) if told else None


def _rows_of(made: ast.expr, tree: ast.AST, depth: int) -> int | None:
    match bare(made):
        case ast.Call() as call if callee(call) == "TensorDataset" and call.args:
            return _rows(call.args[0], tree, depth)
        case ast.Call() as call if tail(call) in _SHAPED:
            shapes = [k.value for k in call.keywords if k.arg == "size"]
            shapes += [a for a in call.args if isinstance(a, ast.Tuple)]
            shapes += call.args[:1] if tail(call) in _SHAPED_FIRST else []
            first = shapes[0] if shapes else None
            first = first.elts[0] if isinstance(first, ast.Tuple) and first.elts else first
            return _whole(first, tree, depth) if first is not None else None
        case ast.Call(args=[n]) as call if tail(call) in ("randperm", "arange", "permutation"):
            return _whole(n, tree, depth)
        case ast.Subscript(value=of, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            rows = _rows(of, tree, depth)
            since = _known(lower, tree, 0, depth)
            until = _known(upper, tree, rows, depth)
            if since is None or until is None or since < 0 or until < 0:
                return None
            return max(0, (until if rows is None else min(until, rows)) - since)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            return _rows(left, tree, depth)
    return None
