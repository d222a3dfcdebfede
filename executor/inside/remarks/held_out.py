"""Find data that are held out for a test, and that training has seen all the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way, with_argument
from executor.inside.remarks.parts import (
    FIGURE,
    HELD,
    TRAINING,
    figures_of_held,
    flows,
    made_from,
    names_in,
    splits,
    trained_on,
    unused,
)
from executor.inside.remarks.passes import batches_of
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    behind,
    callee,
    calls_in,
    constant,
    dotted,
    functions,
    grown,
    inside,
    is_read,
    loops,
    method_calls,
    optimizers,
    owner,
    says,
    tail,
    walk,
    words,
)

_SWITCH = re.compile(
    r"(?i)train|eval|mode|phase|split|optim|update|backward|grad|learn|adapt|steps?$|epochs?$"
)
_WHOLE = {"min", "max", "mean", "std", "amin", "amax"}


def trained_on_held_out(tree: ast.Module) -> Found:
    """`go_through(dev)` of a function that steps an optimizer, and that is given `train` too."""
    for name, function in functions(tree).items():
        below = list(inside(function))
        given = [a.arg for a in (*function.args.args, *function.args.kwonlyargs)]
        if not calls_in(below, "step") or any(map(_SWITCH.search, given)):
            continue
        if not _is_unconditional(function):
            continue
        calls = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == name]
        on_training = [c for c in calls if _is_of(c, TRAINING) and not _is_of(c, HELD)]
        on_others = [c for c in calls if _is_of(c, HELD) and not _is_of(c, TRAINING)]
        for call in on_others:
            alike = [c for c in on_training if _models(c) == _models(call)]
            if alike:
                yield (
                    "trained_on_held_out",
                    call,
                    f"`{name}` steps the optimizer whatever it is given, and here it is given "
                    f"`{_which(call)}`: the model is trained on what it is judged by, so that the "
                    "figure says nothing of new data; judge in a function without `backward()` and "
                    "`step()`, under `torch.no_grad()`",
                )
                return
    yield from _trained_in_turn(tree)


_ON_PURPOSE = re.compile(r"(?i)meta|inner|maml|arch|alpha|darts|hyper|finetun|fine_tun|adapt|few")


def _trained_in_turn(tree: ast.Module) -> Found:
    """A loop over held-out data, or a phase of one, that steps the optimizer as the training does.

    The text calls what comes of it a figure of held-out data.
    """
    if says(tree, _ON_PURPOSE) or len(optimizers(tree)) > 1:
        return
    for call in method_calls(tree, "backward"):
        name = owner(call)
        made = {n for n in made_from(call.func, tree) if HELD.search(n) and not FIGURE.search(n)}
        if made and HELD.search(name) and FIGURE.search(name) and len(optimizers(tree)) == 1:
            yield (
                "trained_on_held_out",
                call,
                f"`{name}` is the loss of held-out data (`{min(made)}`), and the optimizer steps "
                "on its gradients too: the model is trained on what it is judged by, so that the "
                "figure says nothing of new data; leave this `backward()` out",
            )
            return
    steps = [n for n in loops(tree) if isinstance(n, ast.For) and _always_steps(n)]
    over = [names_in(batches_of(loop)) for loop in steps]
    on_training = [not any(map(HELD.search, names)) for names in over]
    for loop, names in zip(steps, over, strict=True):
        phases = {str(n.value) for n in walk(loop.iter) if isinstance(n, ast.Constant)}
        is_phases = "train" in phases and phases & {"val", "valid", "validation", "test"}
        part = next((n for n in sorted(names) if HELD.search(n)), "")
        is_held = part and any(on_training) and not any(map(TRAINING.search, names))
        if is_phases and (loop.iter is batches_of(loop)):
            part = min(phases & {"val", "valid", "validation", "test"})
        elif not is_held or not _is_judged(tree, loop):
            continue
        yield (
            "trained_on_held_out",
            loop,
            f"this loop steps the optimizer on `{part}` as on the training data: the model is "
            "trained on what it is judged by, so that the figure says nothing of new data; call "
            "`backward()` and `step()` for the training data alone",
        )
        return


def _always_steps(loop: ast.For) -> bool:
    """Whether each round trains: under no condition, by no function."""
    below = list(inside(loop))
    asked = [n for n in below if isinstance(n, ast.If | ast.IfExp | ast.Try | ast.With)]
    if any({"backward", "step"} & {tail(n) for n in walk(a)} for a in asked):
        return False
    leaves = any(isinstance(n, ast.Continue | ast.Break | ast.Return) for n in below)
    return not leaves and bool(calls_in(below, "backward") and calls_in(below, "step"))


def _is_judged(tree: ast.Module, loop: ast.For) -> bool:
    """Whether a figure of held-out data is called so that a loop has added up, or given last."""
    counted = {name for name, _, _ in grown(inside(loop))} | {name for _, name, _ in assigned(loop)}
    return any(counted & names_in(value) or node in walk(loop)
               for node, _, value in figures_of_held(tree))  # fmt: skip


def _is_unconditional(function: ast.FunctionDef) -> bool:
    """Whether `backward()` is called in each of its rounds: under no `if`, in no other function."""
    for node in inside(function):
        if isinstance(node, (ast.If, ast.IfExp)) and calls_in(list(walk(node)), "backward"):
            return False
    guards = {"set_grad_enabled", "deepcopy", "load_state_dict", "is_grad_enabled"}
    return bool(calls_in(list(inside(function)), "backward")) and not guards & words(function)


def _is_of(call: ast.Call, part: re.Pattern[str]) -> bool:
    return any(says(a, part) for a in (*call.args, *(k.value for k in call.keywords)))


def _models(call: ast.Call) -> set[str]:
    """What a call is given beside data: the same model is trained, then, by two such calls."""
    given = (*call.args, *(k.value for k in call.keywords))
    return {ast.unparse(a) for a in given if not says(a, HELD) and not says(a, TRAINING)}


def _which(call: ast.Call) -> str:
    given = (*call.args, *(k.value for k in call.keywords))
    return next(ast.unparse(a) for a in given if says(a, HELD))


def windows_dealt_out(tree: ast.Module) -> Found:
    """Windows that overlap, split into training and test data at random."""
    split = next(_splits(tree), None)
    if split is None:
        return
    at, names = split
    flows = _flows(tree)
    for kept, window, of in _windows(tree):
        if kept in behind(names, flows):
            yield (
                "windows_dealt_out",
                at,
                f"the windows of `{kept}` (line {window.lineno}) overlap, and they are dealt out "
                "at random: most of what is in a window of the test part is in one of the training "
                f"part too, so that the test says nothing of another `{of}`, nor of a later time; "
                "split the recordings or the time first, and cut each part into windows then",
            )
            return


def _splits(tree: ast.Module) -> Iterator[tuple[ast.AST, set[str]]]:
    """Where data are split at random, and the names of what is split."""
    orders: dict[str, set[str]] = {}
    for node in sorted((n for n in walk(tree) if isinstance(n, ast.Assign)), key=_line):
        value = node.value
        parts = {n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name)}
        if isinstance(value, ast.Call) and callee(value) in ("random_split", "train_test_split"):
            ordered = any(k.arg == "shuffle" or k.arg == "groups" for k in value.keywords)
            if not ordered and value.args:
                yield node, words(ast.Tuple(value.args, ast.Load()))
        elif isinstance(value, ast.Call) and callee(value) in ("randperm", "permutation"):
            for name in parts:
                orders[name] = words(value)
        cut = {
            dotted(n.value)
            for n in walk(value)
            if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice)
        }
        for name in cut & orders.keys():
            if any(map(HELD.search, parts)):
                yield node, orders[name]


def _windows(tree: ast.Module) -> Iterator[tuple[str, ast.Call | ast.Assign | ast.Return, str]]:
    """Windows that overlap: `xs.append(x[i:i + n])`, `[x[i:i + n] for i in …]`, `x.unfold(0, …)`.

    So is a data set whose sample at `i` is `x[i:i + n]`.
    """
    for own in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        for method in (m for m in own.body if isinstance(m, ast.FunctionDef)):
            index = method.args.args[-1].arg if method.name == "__getitem__" else ""
            for part in inside(method) if index else ():
                if isinstance(part, ast.Assign | ast.Return) and part.value is not None:
                    for of in _overlaps(part.value, index, ast.Constant(1), tree):
                        yield own.name, part, of
    for at, name, value in assigned(tree):
        match value:
            case ast.Call(
                func=ast.Attribute(value=cut, attr="unfold"),
                args=[ast.Constant(value=0), size, hop],
            ):
                match constant(size, tree), constant(hop, tree):
                    case ast.Constant(value=int() as n), ast.Constant(value=int() as k) if k < n:
                        yield name, at, dotted(cut) or ast.unparse(cut)
    for loop in loops(tree):
        if isinstance(loop, ast.For) and (step := _steps(loop.target, loop.iter)) is not None:
            for node in inside(loop):
                match node:
                    case ast.Call(func=ast.Attribute(attr="append", value=kept), args=[given]):
                        for of in _overlaps(given, *step, tree):
                            yield dotted(kept), node, of
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[target]):
                pass
            case _:
                continue
        for made in walk(node.value):
            match made:
                case ast.ListComp(elt=given, generators=[one]):
                    step = _steps(one.target, one.iter)
                    for of in _overlaps(given, *step, tree) if step is not None else ():
                        yield dotted(target), node, of


def _steps(target: ast.expr, over: ast.expr) -> tuple[str, ast.expr] | None:
    """The variable of a `range`, and how far it goes each time."""
    match target, over:
        case ast.Name(id=name), ast.Call(func=ast.Name(id="range"), args=args) if args:
            return name, args[2] if len(args) == 3 else ast.Constant(1)
    return None


def _overlaps(given: ast.expr, at: str, step: ast.expr, tree: ast.Module) -> Iterator[str]:
    """What is cut into windows longer than the step from one to the next."""
    hop = constant(step, tree)
    for node in walk(given):
        match node:
            case ast.Subscript(
                value=of,
                slice=ast.Slice(
                    lower=ast.Name(id=first),
                    upper=ast.BinOp(left=ast.Name(id=again), op=ast.Add(), right=size),
                    step=None,
                ),
            ) if first == again == at:
                pass
            case _:
                continue
        length = constant(size, tree)
        if ast.unparse(size) == ast.unparse(step):
            continue
        shift, long = (
            v.value if isinstance(v, ast.Constant) and isinstance(v.value, int) else None
            for v in (hop, length)
        )
        if shift is not None and (shift < long if long is not None else shift == 1):
            yield dotted(of) or ast.unparse(of)


def _flows(tree: ast.Module) -> dict[str, set[str]]:
    """Each variable, and the names of what it is made from, collected in or goes through."""
    found: dict[str, set[str]] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    for name in words(target):
                        found.setdefault(name, set()).update(words(value))
            case ast.For(target=target, iter=over):
                for name in words(target):
                    found.setdefault(name, set()).update(words(over))
            case ast.Call(func=ast.Attribute(attr="append" | "extend", value=kept), args=[value]):
                found.setdefault(dotted(kept), set()).update(words(value))
            case ast.FunctionDef(name=name):
                given = [n.value for n in inside(node) if isinstance(n, ast.Return) and n.value]
                for value in given:
                    found.setdefault(name, set()).update(words(value))
    return found


def scaled_by_all(tree: ast.Module) -> Found:
    """`(x - x.mean()) / x.std()` of all data, which are cut into two parts in time afterwards."""
    statistics: dict[str, str] = {}
    scaled: dict[str, tuple[ast.Assign, str]] = {}
    for node in sorted((n for n in walk(tree) if isinstance(n, ast.Assign)), key=_line):
        for target, value in _pairs(node):
            match value:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=how)) if (
                    how in _WHOLE and not HELD.search(of) and not TRAINING.search(of)
                ):
                    statistics[target] = of
            of = _scaled_of(value, statistics)
            if of:
                scaled[target] = node, of
    for name, (at, of) in scaled.items():
        cuts = _cuts(tree, name)
        if cuts is not None:
            yield (
                "scaled_by_all",
                at,
                f"`{of}` is scaled by its own least, largest or mean values, those of the test "
                f"part too, which line {cuts.lineno} cuts off afterwards: what is to come is in "
                "what is trained on; take these values of the training part alone, and use them "
                "for both",
            )
            return


def _pairs(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """`a, b = x, y` one by one."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(map(dotted, target.elts), node.value.elts, strict=False)
        else:
            yield dotted(target), node.value


def _scaled_of(value: ast.expr, statistics: dict[str, str]) -> str:
    """What a value scales by statistics of itself; empty if it is no such thing."""
    match value:
        case ast.BinOp(left=ast.BinOp(left=ast.Name(id=of), op=ast.Sub()), op=ast.Div()):
            pass
        case _:
            return ""
    told = [n for n in walk(value) if isinstance(n, ast.Call) and tail(n) in _WHOLE]
    own = any(isinstance(n.func, ast.Attribute) and dotted(n.func.value) == of for n in told)
    return of if own or any(statistics.get(n) == of for n in words(value)) else ""


def _cuts(tree: ast.Module, name: str) -> ast.Subscript | None:
    """Where it is cut in two at one place, the second for the test: `x[:k]`, `x[k:]`."""
    until, since = set[str](), dict[str, ast.Subscript]()
    for node in walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=of), slice=ast.Slice() as part) if of == name:
                pass
            case _:
                continue
        if part.lower is None and part.upper is not None:
            until.add(ast.unparse(part.upper))
        elif part.upper is None and part.lower is not None:
            since[ast.unparse(part.lower)] = node
    for node in walk(tree):
        if isinstance(node, ast.Assign):
            names = {n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name)}
            inner = {id(n) for n in walk(node.value)}
            for place in until & since.keys():
                if id(since[place]) in inner and any(map(HELD.search, names)):
                    return since[place]
    return None


def _line(node: ast.Assign) -> int:
    return node.lineno


def trained_on_all(tree: ast.Module) -> Found:
    """A loader of all rows for the training, beside one of those that are held out."""
    made = {
        name: value for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) == "DataLoader" and value.args
    }  # fmt: skip
    for name, loader in made.items():
        picked = _picked(loader)
        if picked is None or not (HELD.search(name) or HELD.search(picked[1])):
            continue
        for other, whole in made.items():
            told = {k.arg: k for k in whole.keywords}
            if dotted(whole.args[0]) != picked[0] or {"sampler", "batch_sampler"} & told.keys():
                continue
            if not any(_trains_on(loop, other) for loop in loops(tree)):
                continue
            rest = _unread_part(tree, picked[1])
            ways = (_on_the_rest(loader, whole, picked[1], rest),) if rest else ()
            yield Told(
                "trained_on_all",
                whole,
                f"`{other}` goes through all of `{picked[0]}`, the rows of `{picked[1]}` too, "
                f"which `{name}` is to judge by: the model has seen them all"
                + (f", and `{rest}` is read nowhere" if rest else ""),
                ways,
            )
            return
    yield from _beside_unused(tree)


def _beside_unused(tree: ast.Module) -> Found:
    """Training on the whole, beside a part made for it that goes into nothing."""
    made = flows(tree)
    parts = {n for n, of in made.items() if any("split" in w or w == "Subset" for w in of)}
    for split in splits(tree):
        whole = {w for w in split.whole if w not in split.training | split.held}
        whole |= {
            n.value.id for n in walk(tree)
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)
            and dotted(n.slice) in split.held
        }  # fmt: skip
        if not split.training <= unused(tree) or split.held & unused(tree) or not whole:
            continue
        for loop in loops(tree):
            if not calls_in(list(inside(loop)), "backward"):
                continue
            below = {n.id for n in inside(loop) if isinstance(n, ast.Name)}
            over = behind(below & trained_on(tree), {n: f - split.held for n, f in made.items()})
            at = min(whole & over, default="")
            if at and not over & (parts - split.training - split.held):  # else of another split
                shown, held = (
                    ", ".join(f"`{n}`" for n in sorted(p)) for p in (split.training, split.held)
                )
                yield (
                    "trained_on_all",
                    loop,
                    f"this trains on all of `{at}`, the part that line {split.node.lineno} holds "
                    f"out for the test too ({held}): the model has seen it; {shown}, made for the "
                    "training, goes into nothing",
                )
                return


def _on_the_rest(loader: ast.Call, whole: ast.Call, held: str, rest: str) -> dict[str, object]:
    """The loader of all rows as one of those that are not held out, made like the other one."""
    told = "trained on what is not held out"
    for keyword in loader.keywords:
        if keyword.arg == "sampler":
            sampler = ast.unparse(keyword.value).replace(held, rest)
            return way(told, with_argument(whole, "sampler", sampler, without="shuffle"))
    return way(told, put(whole.args[0], ast.unparse(loader.args[0]).replace(held, rest)))


def _picked(loader: ast.Call) -> tuple[str, str] | None:
    """The data set and the indices of a loader that takes some rows alone."""
    match next((k.value for k in loader.keywords if k.arg == "sampler"), loader.args[0]):
        case ast.Call(func=func, args=[ast.Name(id=rows), *_]) if tail(func) in (
            "SubsetRandomSampler", "SubsetSampler",
        ):  # fmt: skip
            return (dotted(loader.args[0]), rows) if dotted(loader.args[0]) else None
        case ast.Call(args=[data, ast.Name(id=rows)]) as call if tail(call) == "Subset":
            return (dotted(data), rows) if dotted(data) else None
    return None


def _trains_on(loop: ast.For | ast.While, loader: str) -> bool:
    over = {dotted(n) for n in walk(loop.iter)} if isinstance(loop, ast.For) else set()
    return loader in over and bool(calls_in(list(walk(loop)), "backward"))


def _unread_part(tree: ast.Module, held: str) -> str:
    """The other part of `val_idx, train_idx = …`, where nothing reads it."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=two)])]) if (
                held in (one, two)
            ):
                other = two if held == one else one
                return "" if is_read(other, tree) else other
    return ""


RULES = (trained_on_held_out, windows_dealt_out, scaled_by_all, trained_on_all)
