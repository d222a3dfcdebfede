"""Find what is set once and is lost on the way: settings, learning rates, meters."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, moved, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    functions,
    inside,
    is_optimizer,
    loops,
    made_of,
    method_calls,
    methods_named,
    module_classes,
    origins,
    owner,
    tail,
    walk,
    words,
)

_PICKS = {"gather", "index_select", "take", "repeat", "expand"}


def setting_overwritten(tree: ast.Module) -> Found:
    """`self.alpha = self.alpha[target]` in forward: the next call picks from what is left."""
    for module in module_classes(tree):
        set_first = {
            name for i in methods_named(module, "__init__") for n in inside(i)
            if isinstance(n, ast.Assign) for _, name, _ in assigned(n)
        }  # fmt: skip
        for forward in methods_named(module, "forward"):
            given = {a.arg for a in forward.args.args} - {"self"}
            for node in inside(forward):
                match node:
                    case ast.Assign(targets=[ast.Attribute() as target], value=value) if dotted(
                        target
                    ) in set_first and _is_picked(value, dotted(target), given):
                        name = dotted(target)
                        own = name.removeprefix("self.") + "_of_each"
                        read = [
                            n for n in inside(forward)
                            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
                            and dotted(n) == name and n.lineno > node.lineno
                        ]  # fmt: skip
                        edits = [put(target, own), *(put(n, own) for n in read)]
                        yield Told(
                            "setting_overwritten",
                            node,
                            f"`{name}` is what `__init__` set, and this line puts what it picks "
                            "for one batch in its place: from the second call on it picks from "
                            "the picks of the batch before; give them a name of their own",
                            (way("what was set stays", *edits),),
                        )
                        break


def _is_picked(value: ast.expr, name: str, given: set[str]) -> bool:
    """Whether it is the same thing, picked from by what the call is given."""
    match value:
        case ast.Subscript(value=of, slice=by) if not isinstance(by, ast.Slice):
            pass
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=[*_, by]) if attr in _PICKS:
            pass
        case _:
            return False
    return dotted(of) == name and any(isinstance(n, ast.Name) and n.id in given for n in walk(by))


def group_rates_overwritten(tree: ast.Module) -> Found:
    """One rate for all groups at each step, though the optimizer's groups have their own."""
    apart = {name for _, name, value in assigned(tree) if is_optimizer(value)
             and isinstance(value, ast.Call) and _has_rates(value)}  # fmt: skip
    if not apart:
        return
    for loop in (n for n in loops(tree) if isinstance(n, ast.For)):
        match loop:
            case ast.For(
                target=ast.Name(id=group),
                iter=ast.Attribute(value=of, attr="param_groups"),
                body=[ast.Assign(targets=[ast.Subscript(value=held, slice=key)], value=new)],
            ) if dotted(held) == group and ast.unparse(key).strip("'\"") == "lr":
                pass
            case _:
                continue
        if dotted(of) not in apart or any(
            isinstance(n, ast.Name) and n.id == group for n in walk(new)
        ):
            continue
        if isinstance(new, ast.Constant):
            continue
        yield (
            "group_rates_overwritten",
            loop.body[0],
            f"`{dotted(of)}` has a learning rate for each of its groups, and this line gives all "
            f"of them the same, `{ast.unparse(new)[:60]}`: the smaller rate of the one is gone "
            f"with the first step; keep each group's first rate, `{group}.setdefault('initial_lr', "
            f"{group}['lr'])`, and scale that",
        )
        return


def _has_rates(optimizer: ast.Call) -> bool:
    """Whether two groups are given learning rates that are written differently."""
    groups = argument(optimizer, 0, "params")
    if not isinstance(groups, ast.List):
        return False
    rates = {
        ast.unparse(value)
        for group in groups.elts if isinstance(group, ast.Dict)
        for key, value in zip(group.keys, group.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "lr"
    }  # fmt: skip
    return len(rates) > 1 or (len(rates) == 1 < len(groups.elts) and any(
        k.arg == "lr" and ast.unparse(k.value) not in rates for k in optimizer.keywords
    ))  # fmt: skip


_RESETS = re.compile(r"^(reset|clear|zero|restart)(_state|_stats|_metrics?|_counts?|_meters?)?$")


def reset_uncalled(tree: ast.Module) -> Found:
    """A meter with a method that resets it, which only its constructor calls."""
    for cls in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        methods = [n for n in cls.body if isinstance(n, ast.FunctionDef)]
        for reset in (m for m in methods if _RESETS.match(m.name) and len(m.args.args) == 1):
            emptied = {name for n in inside(reset) if isinstance(n, ast.Assign)
                       for _, name, _ in assigned(n) if name.startswith("self.")}  # fmt: skip
            grown = {
                dotted(n.target): m.name
                for m in methods
                for n in inside(m)
                if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Add)
            }
            adds = {grown[name] for name in emptied & grown.keys()}
            if not adds or _is_called(tree, cls, reset.name):
                continue
            for name, call in _used_in_rounds(tree, cls.name, adds):
                yield (
                    "reset_uncalled",
                    call,
                    f"`{name}` adds up and is reset nowhere: `{reset.name}()` is called by its "
                    "constructor alone, so that what it says of a round is of all rounds before "
                    f"it too, the first and worst ones included; call `{name}.{reset.name}()` at "
                    "the start of each pass",
                )
                break
            return


def _is_called(tree: ast.Module, cls: ast.ClassDef, reset: str) -> bool:
    """Whether something outside of the class's constructor calls it, or may do so by its name."""
    init = {n for i in methods_named(cls, "__init__") for n in inside(i)}
    calls = (n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == reset)
    named = (n for n in walk(tree) if isinstance(n, ast.Constant) and n.value == reset)
    return any(c not in init for c in calls) or any(named)


def _used_in_rounds(tree: ast.Module, cls: str, adds: set[str]) -> list[tuple[str, ast.Call]]:
    """The objects of a class that are made once, and added to in a function that a loop calls."""
    held = {name for name, made in origins(tree).items()
            if any(isinstance(m, ast.Call) and tail(m) == cls for m in made)}  # fmt: skip
    found = []
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        own = {name for n in inside(function) if isinstance(n, ast.Assign)
               for _, name, _ in assigned(n)}  # fmt: skip
        for call in (n for n in inside(function) if isinstance(n, ast.Call)):
            if (
                tail(call) in adds
                and owner(call) in held - own
                and _is_run_in_a_loop(tree, function.name)
            ):
                found.append((owner(call), call))
    return found


def _is_run_in_a_loop(tree: ast.Module, name: str) -> bool:
    return any(
        isinstance(n, ast.Call) and tail(n) == name for loop in loops(tree) for n in inside(loop)
    )


_AT_ONCE = {
    "LambdaLR", "OneCycleLR", "CyclicLR", "CosineAnnealingWarmRestarts", "LinearLR", "ConstantLR",
    "SequentialLR", "get_linear_schedule_with_warmup", "get_cosine_schedule_with_warmup",
}  # fmt: skip
_BY_ITS_COUNT = {"StepLR", "MultiStepLR", "CosineAnnealingLR", "PolynomialLR"}
_FROM_ITS_COUNT = {"LambdaLR", "OneCycleLR", "CyclicLR"}  # whose rate hangs on nothing else
_COUNTED = re.compile(r"(?i)epoch|step|iter")


def schedule_begins_again(tree: ast.Module) -> Found:
    """A schedule made behind the optimizer's `load_state_dict`, in a training that goes on."""
    for scope in (tree, *functions(tree).values()):
        for node, name, value in assigned(scope):
            if not isinstance(value, ast.Call) or tail(value) not in _AT_ONCE | _BY_ITS_COUNT:
                continue
            held = argument(value, 0, "optimizer")
            loads = [
                c for c in method_calls(scope, "load_state_dict")
                if held is not None and owner(c) == dotted(held) and c.lineno < node.lineno
                and c in inside(scope) and node in inside(scope)
            ]  # fmt: skip
            if not loads or _is_brought_up(name, node, value, tree):
                continue
            told_so = _stores(tree, f"{name}.last_epoch")
            if not told_so and not _goes_on(tree):
                continue
            if told_so and tail(value) not in _AT_ONCE:
                continue  # its rate is only changed at the steps, by the count that is set
            at_once = (
                f"making `{tail(value)}` takes its first step, which sets the learning rate of "
                f"count 0 over the one that line {loads[-1].lineno} has loaded"
            )
            counts = (
                f"; `{name}.last_epoch` changes no rate before the next `step()`" if told_so else
                ", and it counts from 0 again"
            )  # fmt: skip
            again = f"`{tail(value)}` is made anew and counts from 0, while the epochs go on"
            yield Told(
                "schedule_begins_again",
                node,
                f"{at_once + counts if tail(value) in _AT_ONCE else again}: make optimizer and "
                f"schedule first, and load both states then (save `{name}.state_dict()` beside "
                "the optimizer's)",
                (moved("the optimizer's state is loaded behind it", node, by=loads[-1]),)
                if told_so and tail(value) in _FROM_ITS_COUNT else (),
            )  # fmt: skip
            return


def _is_brought_up(name: str, made: ast.stmt, value: ast.Call, tree: ast.Module) -> bool:
    """Whether a schedule is told where it stands, or the rate is set behind it."""
    if any(k.arg in ("last_epoch", None) for k in value.keywords) or len(value.args) > 3:
        return True
    last = name.rpartition(".")[2]
    own = [c for c in method_calls(tree, "load_state_dict") if owner(c).rpartition(".")[2] == last]
    starts = {w for loop in loops(tree) for w in _starts(loop)}
    by = {*words(value), *(w for a in value.args for w in words(functions(tree).get(tail(a), a)))}
    steps = [
        n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == "step" and owner(n) == name
    ]
    given = any(c.args or c.keywords for c in steps)
    forward = any(
        isinstance(loop, ast.For) and len(loop.body) == 1
        and any(c in inside(loop) for c in steps) for loop in loops(tree)
    )  # fmt: skip
    sets = any(
        isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
        and ast.unparse(n.slice) == "'lr'" and n.lineno > made.lineno for n in walk(tree)
    )  # fmt: skip
    return bool(own) or given or forward or sets or bool(starts & by)


def _starts(loop: ast.AST) -> set[str]:
    """The names by which a loop says where it begins: `start` of `range(start, epochs)`."""
    match loop:
        case ast.For(iter=ast.Call(args=[first, _, *_])) if tail(loop.iter) in ("range", "trange"):
            return words(first)
    return set()


def _goes_on(tree: ast.Module) -> bool:
    """Whether a loop begins at the epoch, or the step, that a checkpoint holds."""
    for loop in loops(tree):
        match loop:
            case ast.For(iter=ast.Call(args=[first, _, *_])) if tail(loop.iter) in (
                "range",
                "trange",
            ):
                made = [n for v in made_of(first, tree) for n in walk(v)]
                if any(map(_is_held_count, made)):
                    return True
    return False


def _is_held_count(node: ast.AST) -> bool:
    """`saved["epoch"]`, `saved.get("step", 0)`."""
    match node:
        case (
            ast.Subscript(slice=ast.Constant(value=str() as key))
            | ast.Call(
                func=ast.Attribute(attr="get" | "pop"), args=[ast.Constant(value=str() as key), *_]
            )
        ):
            return _COUNTED.search(key) is not None
    return False


def _stores(tree: ast.Module, place: str) -> bool:
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and dotted(n) == place
        for n in walk(tree)
    )


RULES = (setting_overwritten, group_rates_overwritten, reset_uncalled, schedule_begins_again)
