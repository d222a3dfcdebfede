"""Find figures that say something else than they look like: shares, times, comparisons."""

from __future__ import annotations

import ast
from itertools import pairwise

from executor.inside.remarks.edits import Told, moved, put, way
from executor.inside.remarks.passes import (
    counts_batches,
    counts_samples,
    divisions,
    gathered,
    held_by,
    loaders_of,
    passes,
)
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    bare,
    behind,
    callee,
    calls_in,
    constant,
    dotted,
    equalities,
    functions,
    grown,
    inside,
    loops,
    made_of,
    owner,
    reached,
    tail,
    walk,
    words,
)

_COPIES = {"clone", "deepcopy", "copy", "tolist", "item", "sum", "norm", "mean", "numpy", "array"}
_COMPARES = {"equal", "allclose", "array_equal", "all", "any", "isclose"}
_CLOCKS = {"time", "perf_counter", "monotonic", "process_time", "default_timer"}
_WAITS = {"synchronize", "item", "cpu", "tolist", "numpy", "Event", "elapsed_time", "Timer", "join"}


def _same_weights(tree: ast.Module) -> Found:
    """Weights that are kept before a step, without a copy, and compared with those after it."""
    steps = [c.lineno for c in calls_in(list(walk(tree)), "step")]
    kept: dict[str, list[tuple[str, ast.Assign]]] = {}
    for node, name, value in assigned(tree):
        if (what := _weights(value)) and not words(value) & _COPIES:
            kept.setdefault(what, []).append((name, node))
    yield from _kept_beside_own(tree)
    for what, places in kept.items():
        for (first, node), (second, later) in pairwise(places):
            if first == second or not any(node.lineno < n < later.lineno for n in steps):
                continue
            if _is_compared(tree, first, second):
                yield (
                    "same_weights",
                    node,
                    f"`{first}` is no copy: it holds the weights themselves, and step() changes "
                    f"them in place, so `{first}` and `{second}` (line {later.lineno}) are always "
                    f"equal; keep copies, {_copy(what, node.value)}",
                )


def _kept_beside_own(tree: ast.Module) -> Found:
    """`before = list(net.parameters())`, and after a step `zip(before, net.parameters())`."""
    steps = [c.lineno for c in calls_in(list(walk(tree)), "step")]
    for node, name, value in assigned(tree):
        what = _weights(value)
        if not what or words(value) & _COPIES or [n for _, n, _ in assigned(tree)].count(name) > 1:
            continue
        of = value.args[0] if what.endswith("))") and isinstance(value, ast.Call) else value
        for later in walk(tree):
            match later:
                case ast.Call(args=[one, other]) if tail(later) in _COMPARES | {"zip"}:
                    pass
                case ast.BinOp(left=one, op=ast.Sub(), right=other):
                    pass
                case _:
                    continue
            sides = {ast.unparse(_bare_weights(one)), ast.unparse(_bare_weights(other))}
            between = any(node.lineno <= n <= later.lineno for n in steps)
            if sides == {name, ast.unparse(_bare_weights(of))} and between:
                yield (
                    "same_weights",
                    node,
                    f"`{name}` is no copy: it holds the weights themselves, and step() changes "
                    f"them in place, so line {later.lineno} compares them with themselves; keep "
                    f"copies, {_copy(what, value)}",
                )
                return


def _bare_weights(node: ast.expr) -> ast.expr:
    """`net.weight` of `net.weight.data`."""
    is_data = isinstance(node, ast.Attribute) and node.attr == "data"
    return node.value if is_data else node  # type: ignore[attr-defined]


def _weights(value: ast.expr) -> str:
    """What an expression reads of a model, if that is its weights; empty if not."""
    text = ast.unparse(value)
    ends = (
        ".state_dict()",
        ".parameters())",
        ".parameters()))",
        ".weight",
        ".weight.data",
        ".bias",
    )
    return text if text.endswith(ends) else ""


def _copy(what: str, value: ast.expr) -> str:
    if what.endswith(".state_dict()"):
        return f"`copy.deepcopy({what})`"
    if "parameters()" in what:
        inner = next((owner(c) for c in calls_in(list(walk(value)), "parameters")), "model")
        return f"`[p.detach().clone() for p in {inner}.parameters()]`"
    return f"`{what.removesuffix('.data')}.detach().clone()`"


def _is_compared(tree: ast.Module, first: str, second: str) -> bool:
    for node in walk(tree):
        names = {dotted(n) for n in walk(node)}
        if not {first, second} <= names:
            continue
        if isinstance(node, (ast.Compare, ast.BinOp)):
            return True
        if isinstance(node, ast.Call) and tail(node) in _COMPARES | {"zip"}:
            return True
    return False


# What the GPU does not compute: reading on the CPU, and copies, which wait for their end.
_NO_GPU_WORK = frozenset(
    {"print", "range", "len", "append", "load", "from_pretrained", "open", "read", "imread"}
    | {"load_state_dict", "sleep", "to", "cuda", "format", "DataLoader", "eval", "train"}
)


def _gpu_time(tree: ast.Module) -> Found:
    """The time of GPU work that is read while the GPU still computes."""
    said = words(tree)
    on_gpu = "cuda" in said or any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value.startswith("cuda")
        for n in walk(tree)
    )
    if not on_gpu or not said & {"torch", "nn", "model"}:
        return
    starts = {
        name: node
        for node, name, value in assigned(tree)
        if isinstance(value, ast.Call) and tail(value) in _CLOCKS and not value.args
    }
    for node in walk(tree):
        match node:
            case ast.BinOp(op=ast.Sub(), left=until, right=ast.Name(id=name)) if name in starts:
                end = starts.get(dotted(until), node)
                between = range(starts[name].lineno + 1, getattr(end, "lineno", 0))
            case _:
                continue
        called = [
            n
            for n in walk(tree)
            if isinstance(n, ast.Call) and n.lineno in between and tail(n) not in _CLOCKS
        ]
        parts = [*called, *_bodies(tree, called)]
        shows = [  # the value of what is printed is waited for
            c for c in called
            if tail(c) == "print" and any(isinstance(a, ast.Name) for a in c.args)
        ]  # fmt: skip
        waits = (
            bool(shows)
            or any(words(n) & _WAITS for n in parts)
            or any(
                isinstance(n, ast.Subscript) and tail(n.value) == "data" and n.lineno in between
                for n in walk(tree)  # `loss.data[0]` of old code
            )
        )
        if not waits and any(tail(c) not in _NO_GPU_WORK for c in called):
            yield (
                "gpu_time",
                node,
                "work on the GPU runs asynchronously: a call returns when it is handed over, so "
                f"this is not the time that it takes, and whatever waits for a result first "
                "(`.cpu()`, `.item()`, print) seems to take it; call `torch.cuda.synchronize()` "
                f"before `{name}` is set and before the time is read again (a first round takes "
                "longer: it also sets up what the others find)",
            )
            return


def _bodies(tree: ast.Module, called: list[ast.Call]) -> list[ast.FunctionDef]:
    """The snippet's own functions that those calls come to, and those that these call."""
    known = {n.name: n for n in walk(tree) if isinstance(n, ast.FunctionDef)}
    todo, found = [tail(c) for c in called], dict[str, ast.FunctionDef]()
    while todo:
        name = todo.pop()
        if name in known and name not in found:
            found[name] = known[name]
            todo += [tail(c) for c in walk(known[name]) if isinstance(c, ast.Call)]
    return list(found.values())


def over_batches(tree: ast.Module) -> Found:
    """A number of right answers, divided by the number of batches."""
    right = {
        name: n
        for name, value, n in grown(walk(tree))
        if _counts_right(value)
        and not any(isinstance(o, ast.BinOp) and isinstance(o.op, ast.Div) for o in walk(n))
    }
    yield from _over_batches_at_once(tree)
    again = {left for _, left, _ in divisions(walk(tree))}  # `right / len(loader) / 32`
    for node, left, number in divisions(walk(tree)):
        name = next((dotted(n) for n in walk(left) if dotted(n) in right), "")
        if not name or node in again:
            continue
        here = [of for of in passes(tree) if right[name] in set(inside(of.loop))]
        held = _held(number, tree)
        named = dotted(held) if held is not None else ""
        is_loader = held is not None and bool(
            loaders_of(held, tree) or named.lower().endswith(_LOADERS)
        )
        sizes = {of.size for of in here[-1:]} | {
            _batch(c) for c in (loaders_of(held, tree) if held is not None else ())
        }
        counted = any(
            counts_batches(number, of, tree) and not counts_samples(number, of, tree)
            for of in here[-1:]
        )
        if 1 in sizes or not (is_loader or counted):
            continue
        whole = f"; divide by `len({named}.dataset)`, or by" if is_loader else "; divide by"
        yield Told(
            "over_batches",
            node,
            f"`{name}` counts samples, and `{ast.unparse(number)}` is the number of batches: the "
            f"share is too large by about the batch size{whole} a count of the samples",
            (way("a share of the samples", put(held, held, ".dataset")),)
            if is_loader and held is not None
            else (),
        )


def _counts_right(value: ast.expr) -> bool:
    """Whether it is a number of right answers, and no share of them."""
    return (
        "sum" in words(value)
        and "mean" not in words(value)
        and (any(isinstance(c, ast.Compare) for c in walk(value)) or "eq" in words(value))
    )


def _over_batches_at_once(tree: ast.Module) -> Found:
    """`sum((net(x).argmax(1) == y).sum() for x, y in loader) / len(loader)`."""
    for node, left, number in divisions(walk(tree)):
        found = gathered(left, tree) if tail(left) == "sum" else None
        if found is None or found[1].size == 1 or not _counts_right(found[0]):
            continue
        if any(isinstance(o, ast.Div) for o in walk(found[0])):
            continue
        held = _held(number, tree)
        if counts_batches(number, found[1], tree) and held is not None:
            over = ast.unparse(held)
            yield Told(
                "over_batches",
                node,
                f"the sum counts samples, and `{ast.unparse(number)}` is the number of batches: "
                "the share is too large by about the batch size; divide by "
                f"`len({over}.dataset)`",
                (way("a share of the samples", put(held, held, ".dataset")),),
            )


def _held(number: ast.expr, tree: ast.Module) -> ast.expr | None:
    """`loader` of `len(loader)`, also by a variable that holds that."""
    match made_of(number, tree):
        case [ast.Call(func=ast.Name(id="len"), args=[over])]:
            return over
    return None


_LOADERS = ("loader", "_dl")


def _loaders(tree: ast.Module) -> set[str]:
    """The loaders whose batches hold more than one sample, as far as the text says."""
    return {
        name
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) == "DataLoader" and _batch(value) != 1
    }


def _batch(loader: ast.Call) -> object:
    given = argument(loader, 1, "batch_size")
    if given is None:
        return 1
    return given.value if isinstance(given, ast.Constant) else None


_IN_BATCHES = 200  # steps of a schedule: nobody counts so many epochs


def _counts_batches(tree: ast.Module) -> Found:
    """A schedule of epochs that is stepped in every round of the loop over batches."""
    own = functions(tree)
    for of in passes(tree):
        if not calls_in(list(inside(of.loop)), "backward"):
            continue
        outers = [n for n in loops(tree) if n is not of.loop and of.loop in set(reached(n, own))]
        rounds = [n for n in outers if isinstance(n, ast.For)]
        for call in calls_in([s.value for s in of.loop.body if isinstance(s, ast.Expr)], "step"):
            assert isinstance(call.func, ast.Attribute)
            made = held_by(call.func.value, tree)
            schedule = made[0] if len(made) == 1 else None
            if isinstance(schedule, ast.Call) and any(_is_of(schedule, n, tree) for n in rounds):
                yield (
                    "counts_batches",
                    call,
                    f"this is called for every batch, so `{callee(schedule)}` counts "
                    "batches and not epochs, and the learning rate falls that much sooner; "
                    "call it once at the end of each epoch, or give the schedule in batches",
                )


def _is_of(schedule: ast.Call, rounds: ast.For, tree: ast.Module) -> bool:
    """Whether a schedule counts these rounds: by its length, or by numbers that few batches have.

    A function of the rate says it by what it calls its argument.
    """
    told = [n for n in walk(rounds.iter) if isinstance(n, ast.expr)]
    over = {ast.unparse(v) for n in told for v in (n, constant(n, tree))}
    said = ast.unparse(rounds.target).lower()
    is_epoch = "epoch" in said or said in ("e", "ep") or "epoch" in ast.unparse(rounds.iter).lower()
    match callee(schedule):
        case "CosineAnnealingLR":
            length = argument(schedule, 1, "T_max")
            return length is not None and bool(
                {ast.unparse(length), ast.unparse(constant(length, tree))} & over
            )
        case "StepLR" | "MultiStepLR" | "ExponentialLR":
            return is_epoch and not any(
                isinstance(n, ast.Constant) and isinstance(n.value, int) and n.value >= _IN_BATCHES
                for n in walk(schedule)
            )
        case "LambdaLR":
            rate = argument(schedule, 1, "lr_lambda")
            named = rate.args.args[:1] if isinstance(rate, ast.Lambda) else []
            return any("epoch" in a.arg.lower() for a in named)
    return False


def picks_samples(tree: ast.Module) -> Found:
    """The largest score of a batch's outputs, looked for along the batch and not the classes."""
    loaders = _loaders(tree)
    for loop in (n for n in walk(tree) if isinstance(n, ast.For)):
        names = _batch_names(loop)
        if len(names) < 2:
            continue
        *given, labels = names
        below = list(inside(loop))
        over = (
            loop.iter.args[0] if isinstance(loop.iter, ast.Call) and loop.iter.args else loop.iter
        )
        if not (dotted(over) in loaders or dotted(over).lower().endswith(_LOADERS)) and not any(
            _counts(n, labels) for n in below
        ):
            continue  # perhaps one sample at a time: then dimension 0 is that of the classes
        values: dict[str, ast.expr] = {}
        for n in below:
            match n:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    values[name] = value
                case ast.Assign(
                    targets=[ast.Tuple(elts=[_, ast.Name(id=name)])], value=ast.Call() as value
                ) if tail(value) == "max":
                    values[name] = ast.Subscript(value, ast.Constant(1), ast.Load())
        for _, side, other in equalities(loop):
            if dotted(other) != labels:
                continue
            picked = values.get(dotted(side), side)
            out, along = _largest_of(picked)
            out = bare(out) if out is not None else None
            made = values.get(dotted(out)) if out is not None else None
            made = out if isinstance(out, ast.Call) else made
            if isinstance(made, ast.Call) and any(
                isinstance(n, ast.Name) and n.id in given for a in made.args for n in walk(a)
            ):
                yield Told(
                    "picks_samples",
                    along,
                    "this picks a sample for each class, and "
                    f"compares that with `{labels}`, so the accuracy stays at chance however "
                    "good the model is; take the class of each sample, `dim=1`",
                    (way("the largest score of each sample is its class", put(along, "1")),),
                )


def _batch_names(loop: ast.For) -> list[str]:
    """The names of what a loop takes out of a loader, also where it unpacks that itself."""
    target = loop.target
    if isinstance(target, ast.Tuple) and tail(loop.iter) == "enumerate" and target.elts[1:]:
        target = target.elts[1]
    if isinstance(target, ast.Name):
        for node in loop.body:
            match node:
                case ast.Assign(targets=[ast.Tuple() as parts], value=ast.Name(id=name)):
                    target = parts if name == target.id else target
                    break
    return [n.id for n in walk(target) if isinstance(n, ast.Name)]


def _counts(node: ast.AST, labels: str) -> bool:
    """Whether the number of labels is read: they are a batch's."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return name == labels
        case ast.Attribute(value=ast.Name(id=name), attr="size" | "shape"):
            return name == labels
    return False


def _largest_of(node: ast.AST) -> tuple[ast.expr | None, ast.expr]:
    """Of what the index of the largest value along dimension 0 is taken, and that 0."""
    nothing = ast.Constant(value=None)
    match node:
        case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=1)):
            pass
        case ast.Attribute(value=ast.Call() as call, attr="indices"):
            pass
        case ast.Call() as call if tail(call) == "argmax":
            pass
        case _:
            return None, nothing
    if tail(call) not in ("argmax", "max") or not isinstance(call.func, ast.Attribute):
        return None, nothing
    of_module = dotted(call.func.value) in ("torch", "np", "numpy")
    of = argument(call, 0, "input") if of_module else call.func.value
    along = argument(call, 1 if of_module else 0, "dim", "axis")
    is_first = along is not None and ast.unparse(along) == "0"
    return (of, along) if along is not None and is_first else (None, nothing)


def returns_early(tree: ast.Module) -> Found:
    """A `return` at the end of a loop's body, whatever the round: the sums hold one batch."""
    for function in functions(tree).values():
        for loop in (n for n in inside(function) if isinstance(n, ast.For)):
            last, body = loop.body[-1], list(inside(loop))
            if not isinstance(last, ast.Return) or last.value is None or loop.orelse:
                continue
            if any(isinstance(n, ast.Continue | ast.Break | ast.Yield) for n in body):
                continue  # it looks for one
            added_up = {name for name, _, _ in grown(body)} | {
                owner(c) for c in calls_in(body, "append")
            }
            zeros = {
                name
                for node, name, value in assigned(function)
                if node not in body and ast.unparse(value) in ("0", "0.0", "[]", "list()")
            }
            flows: dict[str, set[str]] = {}
            for _, name, value in assigned(loop):
                flows.setdefault(name, set()).update(words(value))
            sums = sorted(added_up & zeros & behind(words(last.value), flows))
            if sums:
                yield Told(
                    "returns_early",
                    last,
                    f"this returns at the end of the loop's first round, so that `{sums[0]}` holds "
                    "the first batch only and all others are never looked at; return behind the "
                    "loop, one level out",
                    (moved("all batches count", last, by=loop, after=True),),
                )
                return


def counts_padding(tree: ast.Module) -> Found:
    """A summed loss that ignores padding, divided by the number of all places."""
    for scope in (tree, *functions(tree).values()):
        sums: dict[str, ast.Call] = {}
        numbers: dict[str, tuple[ast.AugAssign, ast.expr]] = {}
        for node in inside(scope):
            match node:
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                    pass
                case _:
                    continue
            ignoring = [c for c in walk(value) if isinstance(c, ast.Call) and _ignores_in_sum(c)]
            if ignoring:
                sums[name] = ignoring[0]
            match value:
                case ast.Call(func=ast.Attribute(attr="numel", value=labels), args=[]):
                    numbers[name] = node, labels
        for node in inside(scope):
            match node:
                case ast.BinOp(left=ast.Name(id=total), op=ast.Div(), right=ast.Name(id=count)) if (
                    total in sums and count in numbers
                ):
                    pass
                case _:
                    continue
            added_up, labels = numbers[count]
            mark = next(k.value for k in sums[total].keywords if k.arg == "ignore_index")
            of = ast.unparse(labels)
            real = f"({of} != {ast.unparse(mark)}).sum().item()"
            yield Told(
                "counts_padding",
                added_up,
                f"`{total}` leaves out the places that are {ast.unparse(mark)} (ignore_index), and "
                f"`{count}` counts all places of `{of}`: the more padding, the smaller `{total} / "
                f"{count}` and what is computed from it; count `{real}`",
                (way("only places that the loss counts are counted", put(added_up.value, real)),),
            )
            return


def _ignores_in_sum(call: ast.Call) -> bool:
    """`cross_entropy(…, ignore_index=…, reduction="sum")`."""
    given = {k.arg: k.value for k in call.keywords}
    reduction = given.get("reduction")
    return (
        "ignore_index" in given
        and isinstance(reduction, ast.Constant)
        and reduction.value == "sum"
        and callee(call) in ("cross_entropy", "nll_loss")
    )


RULES = (
    counts_padding,
    returns_early,
    _same_weights,
    over_batches,
    _counts_batches,
    picks_samples,
    _gpu_time,
)
