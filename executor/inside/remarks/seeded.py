"""Find an order or noise that is drawn by one seed in each epoch, so that all epochs are equal."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, moved
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    calls_in,
    defaults,
    dotted,
    functions,
    handed,
    inside,
    is_true,
    loops,
    made_of,
    reached,
    rebound,
    tail,
    walk,
    words,
)

_MAKES = {"manual_seed", "RandomState", "default_rng"}
_ORDERS = {"randperm", "permutation", "RandomSampler"}
_NOISES = re.compile(r"randn|rand|normal|bernoulli|dropout|uniform|rand_like|randn_like")
_SEEDS = {*_MAKES, "seed", "Random", "seed_everything"}
_DRAWS = {"shuffle", "sample", "choice", "choices", "randint", "random", "integers", "multinomial"}
_MADE = 20  # calls of which a loader may be made
_OF_BATCHES = re.compile(r"(?i)batch|nois[ey]|augment|jitter|perturb|corrupt|loader|shuffl|order")
_EPOCH = re.compile(r"(?i)epoch")
_FAR = 2  # functions on the way to the seed


def drawn_each_epoch(tree: ast.Module) -> Found:
    """A generator with the same seed in each epoch, of which the order of the samples is drawn."""
    own = functions(tree)
    for loop in loops(tree):
        if not isinstance(loop, ast.For) or not _is_of_epochs(loop):
            continue
        once = _once(loop)
        inner = [n for n in once if isinstance(n, ast.For | ast.While)]
        trains: list[ast.AST] = [n for n in inner if calls_in(reached(n, own), "backward")]
        if not trains and not calls_in(reached(loop, own), "backward"):
            continue
        if (told := _seeded_by_iter(trains, tree)) is not None:
            yield told
            return
        for call in (n for n in once if isinstance(n, ast.Call)):
            if not _feeds(call, loop, trains, tree):
                continue
            seeded: ast.expr | None = call if _is_drawn(call, once, tree) else None
            made = _generator(loop, call, tree) or _statement(loop, call) if seeded else None
            function = own.get(tail(call)) if seeded is None else None
            if function is not None and _is_own_call(call):
                seeded = _seeds(function, call, tree, own)
            if seeded is None:
                continue
            by: ast.AST = loop
            if made is None and function is not None and (made := _kept(function, seeded, tree)):
                by = function
            what = f"`{function.name}`" if function is not None else f"`{tail(call)}`"
            yield Told(
                "drawn_each_epoch",
                seeded,
                f"{what} draws from a generator that gets the same seed in each epoch: the order "
                "of the samples, or what is drawn for them, is the very same in all epochs; seed "
                "it once, before the loop, and hand it in",
                (moved("once, before the loop over the epochs", made, by=by),)
                if made is not None and not words(made.value) & (rebound(by) - {dotted(
                    made.targets[0])}) else (),
            )  # fmt: skip
            return


def _seeded_by_iter(trains: list[ast.AST], tree: ast.Module) -> Told | None:
    """A loader, a data set or a sampler whose `__iter__` seeds by one number, and then draws."""
    classes = {c.name: c for c in walk(tree) if isinstance(c, ast.ClassDef)}
    for loop in (n for n in trains if isinstance(n, ast.For)):
        over = loop.iter
        while isinstance(over, ast.Call) and tail(over) in ("enumerate", "tqdm") and over.args:
            over = over.args[0]
        todo, made = [over], set[str]()
        while todo and len(made) < _MADE:
            for value in made_of(todo.pop(), tree):
                calls = [c for c in walk(value) if isinstance(c, ast.Call)]
                todo += [
                    a
                    for c in calls
                    for a in (*c.args, *(k.value for k in c.keywords))
                    if dotted(a) and tail(c) in ("DataLoader", "BatchSampler")
                ]
                made |= {tail(c) for c in calls}
        for own in (classes[name] for name in sorted(made & set(classes))):
            if any(_EPOCH.search(w) for w in words(own)):
                continue
            for method in own.body:
                if isinstance(method, ast.FunctionDef) and method.name == "__iter__":
                    seed = _fixed_seed(method, tree)
                    if seed is not None:
                        return Told(
                            "drawn_each_epoch",
                            seed,
                            f"`__iter__` of `{own.name}` runs once in each epoch, and begins with "
                            "the same seed each time: the order of the samples, and what is drawn "
                            "for them, is the very same in all epochs; seed it once, in "
                            "`__init__`, or by the number of the epoch",
                        )
    return None


def _fixed_seed(method: ast.FunctionDef, tree: ast.Module) -> ast.Call | None:
    """The call by which a method seeds with one number, if it draws something behind it."""
    calls = [n for n in inside(method) if isinstance(n, ast.Call)]
    for call in calls:
        given = call.args[0] if call.args and tail(call) in _SEEDS else None
        if given is None or not all(
            isinstance(v, ast.Constant) and v.value is not None for v in _numbers(given, tree)
        ):
            continue
        later = [c for c in calls if c.lineno > call.lineno]
        if any(tail(c) in _ORDERS | _DRAWS or _NOISES.fullmatch(tail(c)) for c in later):
            return call
    return None


def _is_of_epochs(loop: ast.For) -> bool:
    counts = words(loop.iter) & {"range", "trange"}
    return bool(counts and _EPOCH.search(f"{dotted(loop.target)} {ast.unparse(loop.iter)}"))


def _once(loop: ast.For) -> list[ast.AST]:
    """All that runs once in a round: of the loops within what they go over, not their rounds."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = [*loop.body]
    while todo:
        node = todo.pop(0)
        found.append(node)
        if isinstance(node, ast.For):
            todo.append(node.iter)
        elif not isinstance(node, ast.While | ast.FunctionDef | ast.ClassDef | ast.Lambda | ast.If):
            todo += ast.iter_child_nodes(node)
    return found


def _feeds(call: ast.Call, loop: ast.For, trains: list[ast.AST], tree: ast.Module) -> bool:
    """Whether what it gives is trained on: a loop goes over it, or reads it; or it trains itself.

    What a validation draws is the same in each epoch on purpose.
    """
    own = functions(tree)
    if any(isinstance(n, ast.For) and call in set(walk(n.iter)) for n in trains):
        return True
    statement = _statement(loop, call)
    if statement is not None:
        made = {n.id for t in statement.targets for n in walk(t) if isinstance(n, ast.Name)}
        readers = [*trains, *(n for n in _once(loop) if isinstance(n, ast.Expr | ast.Assign))]
        for node in readers:
            ends = calls_in(reached(node, own), "backward")
            if node is not statement and made & words(node) and ends:
                return True
        return False
    function = own.get(tail(call))
    return function is not None and bool(calls_in(list(inside(function)), "backward"))


def _statement(loop: ast.For, call: ast.Call) -> ast.Assign | None:
    """The statement of the loop's that keeps what it gives."""
    return next(
        (s for s in loop.body if isinstance(s, ast.Assign) and call in set(walk(s.value))), None
    )


def _generator(loop: ast.For, call: ast.Call, tree: ast.Module) -> ast.Assign | None:
    """The statement of the loop's that makes the generator which a call is given."""
    name = dotted(argument(call, 99, "generator") or call)
    made = [s for s, of, v in assigned(loop) if of == name != "" and _is_seeded(v, {}, tree)]
    return made[0] if len(made) == 1 and made[0] in loop.body else None


def _kept(function: ast.FunctionDef, seeded: ast.expr, tree: ast.Module) -> ast.Assign | None:
    """The statement of a function of the program's that makes the generator, of numbers alone."""
    stores = [n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    held = [s for s, name, v in assigned(function) if v is seeded and stores.count(name) == 1]
    arguments = {a.arg for a in walk(function) if isinstance(a, ast.arg)}
    plain = function in tree.body and not function.decorator_list
    made = held[0] if len(held) == 1 and held[0] in function.body[:-1] and plain else None
    return made if made is not None and not words(made.value) & arguments else None


def _is_drawn(call: ast.Call, near: list[ast.AST], tree: ast.Module) -> bool:
    """`randperm(n, generator=g)`, `DataLoader(…, shuffle=True, generator=g)` of a new `g`."""
    shuffles = tail(call) == "DataLoader" and is_true(
        argument(call, 2, "shuffle") or ast.Constant(value=False)
    )
    if tail(call) not in _ORDERS and not shuffles:
        return False
    given = argument(call, 99, "generator")
    if given is None and tail(call) == "permutation" and isinstance(call.func, ast.Attribute):
        given = call.func.value
    if given is None:
        return False
    here = [v for n, name, v in assigned(tree) if name and name == dotted(given) and n in near]
    return any(_is_seeded(v, {}, tree) for v in (given, *here))


def _is_seeded(node: ast.expr, known: dict[str, ast.expr], tree: ast.Module) -> bool:
    """`torch.Generator().manual_seed(0)`, `np.random.default_rng(0)`, by a number."""
    if not isinstance(node, ast.Call) or tail(node) not in _MAKES:
        return False
    given = [*node.args, *(k.value for k in node.keywords)]
    told = [v for a in given for v in _numbers(known.get(dotted(a), a), tree)]
    return bool(told) and all(isinstance(v, ast.Constant) and v.value is not None for v in told)


def _numbers(node: ast.expr, tree: ast.Module) -> list[ast.expr]:
    """What it may be; what a loop or a sum sets is no number."""
    stores = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    if isinstance(node, ast.Name) and sum(n.id == node.id for n in stores) != 1:
        return [node]
    return made_of(node, tree)


def _is_own_call(call: ast.Call) -> bool:
    of = call.func.value if isinstance(call.func, ast.Attribute) else None
    return of is None or dotted(of) == "self" or bool(dotted(of))


def _seeds(
    function: ast.FunctionDef,
    call: ast.Call,
    tree: ast.Module,
    own: dict[str, ast.FunctionDef],
    around: dict[str, ast.expr] | None = None,
    far: int = _FAR,
) -> ast.expr | None:
    """The call by which a function seeds a generator that it draws the order or the noise from.

    `around`: what the arguments of the function that calls it are.
    """
    given_here = {n: (around or {}).get(dotted(v), v) for n, v in handed(call, function)}
    known = {**dict(defaults(function)), **given_here}
    below = list(inside(function))
    for node, name, value in assigned(function):
        if node in below and _is_seeded(value, known, tree) and _draws_from(function, name):
            return value
    for inner in (n for n in below if isinstance(n, ast.Call)):
        given = argument(inner, 99, "generator")
        if given is not None and _is_seeded(given, known, tree) and _is_order(inner):
            return given
        other = own.get(tail(inner))
        if other is None or other is function or not far:
            continue
        if (found := _seeds(other, inner, tree, own, known, far - 1)) is not None:
            return found
    return None


def _draws_from(function: ast.FunctionDef, name: str) -> bool:
    """Whether it draws an order from that generator, or, of batches by its name, noise."""
    of_batches = _OF_BATCHES.search(function.name) and "data" not in function.name.lower()
    for call in _taken(function, name):
        if _is_order(call) or (of_batches and _NOISES.fullmatch(tail(call))):
            return True
    return False


def _taken(function: ast.FunctionDef, name: str) -> Iterator[ast.Call]:
    for node in inside(function):
        if isinstance(node, ast.Call):
            given = argument(node, 99, "generator")
            of = node.func.value if isinstance(node.func, ast.Attribute) else node
            if (given is not None and dotted(given) == name) or dotted(of) == name:
                yield node


def _is_order(call: ast.Call) -> bool:
    return tail(call) in _ORDERS or (
        tail(call) == "DataLoader"
        and is_true(argument(call, 2, "shuffle") or ast.Constant(value=False))
    )


RULES = (drawn_each_epoch,)
