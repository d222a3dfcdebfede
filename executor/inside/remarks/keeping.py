"""Find the best weights, and what counts the rounds without a better score, kept in vain."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, added, moved, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    blocks,
    calls_in,
    dotted,
    inside,
    is_named,
    loops,
    made_of,
    method_calls,
    owner,
    tail,
    walk,
    words,
)

_BEST = re.compile(r"(?i)best|^(min|lowest|max|highest)_")
_COUNTER = re.compile(r"(?i)wait|patien|counter|no_improv|bad_|since|stall|strikes")


def best_unread(tree: ast.Module) -> Found:
    """`best = copy.deepcopy(model.state_dict())` in a loop, and nothing that reads it."""
    read = {
        dotted(n) for n in walk(tree)
        if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)
    }  # fmt: skip
    for loop in loops(tree):
        below = set(inside(loop))
        if not {"backward", "step"} & words(loop):
            continue
        for node, name, value in assigned(loop):
            is_state = "state_dict" in words(value) or (
                isinstance(value, ast.Call) and tail(value) == "deepcopy"
            )
            if node not in below or not is_state or not _BEST.search(name) or name in read:
                continue
            states = [n for n in walk(value) if isinstance(n, ast.Call) and owner(n)
                      and tail(n) == "state_dict"]  # fmt: skip
            copied = value.args[0] if isinstance(value, ast.Call) and value.args else value
            model = owner(states[0]) if states else dotted(copied)
            if not model or not _is_used_after(tree, model, loop):
                continue
            back = f"{model}.load_state_dict({name}{'' if states else '.state_dict()'})"
            ways = (
                (way("the best weights are used", add=added(back, loop, after=True)),)
                if loop in tree.body
                else ()
            )
            yield Told(
                "best_unread",
                node,
                f"`{name}` is kept here and read nowhere: what comes after the loop is of the last "
                f"round's weights, not of the best; write `{back}` behind the loop",
                ways,
            )


def _is_used_after(tree: ast.Module, model: str, loop: ast.For | ast.While) -> bool:
    end = loop.end_lineno or loop.lineno
    return any(dotted(n) == model and getattr(n, "lineno", 0) > end for n in walk(tree))


def best_never_set(tree: ast.Module) -> Found:
    """`if loss < best:` in a loop that never sets `best`: it always holds, or never does."""
    for loop in loops(tree):
        below = set(inside(loop))
        set_here = {name for node, name, _ in assigned(loop)} | {
            dotted(n.target) for n in below if isinstance(n, ast.AugAssign | ast.NamedExpr)
        }
        for branch in (n for n in below if isinstance(n, ast.If)):
            for now, best in _either_way(branch.test):
                name = dotted(best)
                begins = [v for node, n, v in assigned(tree) if n == name and node not in below]
                if not name or "best" not in name.lower() or name in set_here or not begins:
                    continue
                if not all(map(_is_bound, begins)) or not words(now) & set_here:
                    continue
                written = ast.unparse(now)
                yield Told(
                    "best_never_set",
                    branch,
                    f"nothing in this loop sets `{name}`: each round is compared with the "
                    f"{ast.unparse(begins[0])} of the beginning, so that the last round that "
                    f"passes is kept, not the best; write `{name} = {written}` in this branch",
                    (way("each round is compared with the best so far",
                         add=added(f"{name} = {written}", branch.body[0])),),
                )  # fmt: skip

    yield from _never_set_by_a_class(tree)


def _either_way(test: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The two sides of `a < b`, each of them first; none of another test."""
    match test:
        case ast.Compare(
            left=left, ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()], comparators=[right]
        ):
            return [(left, right), (right, left)]
    return []


def _never_set_by_a_class(tree: ast.Module) -> Found:
    """A class that compares with `self.best_loss`, which only its first call sets."""
    for own in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        first = [m for m in own.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
        later = [m for m in own.body if isinstance(m, ast.FunctionDef) and m.name != "__init__"]
        for branch in (n for m in later for n in walk(m) if isinstance(n, ast.If)):
            for now, best in _either_way(branch.test):
                name = next((d for n in walk(best) if (d := dotted(n)).startswith("self.")
                             and "best" in d.lower()), "")  # fmt: skip
                if not name or not isinstance(now, ast.Name):
                    continue
                begins = [s for m in first for s, n, _ in assigned(m) if n == name]
                sets = [s for m in later for s, n, _ in assigned(m) if n == name]
                at_first = [s for m in later for s in _only_at_first(m, name)]
                elsewhere = [
                    n for n, target, _ in assigned(tree)
                    if target.rpartition(".")[2] == name.rpartition(".")[2]
                    and n not in begins and n not in sets
                ]  # fmt: skip
                if not begins or elsewhere or any(s not in at_first for s in sets):
                    continue
                if any(_is_changed_at(n, name) for n in walk(own)):
                    continue
                better = _better(branch)
                written = f"{name} = {now.id}"
                yield Told(
                    "best_never_set",
                    branch,
                    f"nothing sets `{name}` when a better one comes: each round is compared with "
                    f"the {'first one' if sets else 'value of the beginning'}, and so the last "
                    f"that passes is kept, not the best; write `{written}` where it is better",
                    (way("each round is compared with the best so far",
                         add=added(written, better[0])),) if better else (),
                )  # fmt: skip
                return


def _is_changed_at(node: ast.AST, name: str) -> bool:
    """Whether it changes what a name holds: `best += …`, `best[key] = …`, `best.update(…)`."""
    match node:
        case ast.AugAssign(target=target):
            return dotted(target) == name
        case ast.Subscript(value=held, ctx=ast.Store()):
            return dotted(held) == name
        case ast.Call(func=ast.Attribute(value=held, attr="update" | "append" | "copy_" | "fill_")):
            return dotted(held) == name
    return False


def _only_at_first(method: ast.FunctionDef, name: str) -> list[ast.AST]:
    """What runs only while the attribute is None."""
    found: list[ast.AST] = []
    for node in walk(method):
        match node:
            case ast.If(test=ast.Compare(left=of, ops=[ast.Is()],
                                         comparators=[ast.Constant(value=None)])) if (
                dotted(of) == name
            ):  # fmt: skip
                found += [n for s in node.body for n in walk(s)]
    return found


def _better(branch: ast.If) -> list[ast.stmt]:
    """The branch in which weights are kept, or a counter starts again."""
    for body in (branch.body, branch.orelse):
        kept = any("state_dict" in words(s) or "save" in words(s) for s in body)
        zero = any(isinstance(s, ast.Assign) and ast.unparse(s.value) == "0" for s in body)
        if kept or zero:
            return body
    return []


def _is_bound(value: ast.expr) -> bool:
    """`float("inf")`, `-np.inf`, `0.0`, `1e9`: what every score beats."""
    value = value.operand if isinstance(value, ast.UnaryOp) else value
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    is_float = isinstance(value, ast.Call) and dotted(value.func) == "float"
    return is_float or tail(value) in ("inf", "Inf", "infty")


def best_set_first(tree: ast.Module) -> Found:
    """`best = min(best, loss)`, and `if loss < best:` behind it: that never holds."""
    for block in blocks(tree):
        for at, one in enumerate(block):
            match one:
                case ast.Assign(
                    targets=[target],
                    value=ast.Call(func=ast.Name(id="min" | "max" as which), args=[_, _] as sides),
                ) if dotted(target) in map(dotted, sides):
                    pass
                case _:
                    continue
            name = dotted(target)
            now = next(s for s in sides if dotted(s) != name or s is sides[-1])
            for later in block[at + 1 :]:
                if not isinstance(later, ast.If) or not isinstance(later.test, ast.Compare):
                    if name in {n for _, n, _ in assigned(later)}:
                        break
                    continue
                left, right = later.test.left, later.test.comparators[0]
                signs = {"<": (now, target), ">": (target, now)}
                signs = signs if which == "min" else {"<": (target, now), ">": (now, target)}
                sign = {ast.Lt: "<", ast.Gt: ">"}.get(type(later.test.ops[0]), "")
                wanted = signs.get(sign)
                if wanted is None or [ast.unparse(s) for s in wanted] != [
                    ast.unparse(left), ast.unparse(right),
                ]:  # fmt: skip
                    continue
                yield Told(
                    "best_set_first",
                    later,
                    f"line {one.lineno} has put the new score into `{name}` already: "
                    f"`{ast.unparse(later.test)}` can never hold, and this branch never runs; ask "
                    f"before `{name}` is set",
                    (moved("the branch runs where the score is better", one, by=later,
                           after=True),),
                )  # fmt: skip
                return


def patience_adds_up(tree: ast.Module) -> Found:
    """A counter of rounds without a better score that a better one does not set to 0."""
    yield from _stopper_adds_up(tree)
    for loop in loops(tree):
        below = set(inside(loop))
        zeros = {name for node, name, value in assigned(loop) if ast.unparse(value) == "0"}
        for branch in (n for n in below if isinstance(n, ast.If)):
            counters = [
                dotted(n.target) for s in branch.orelse for n in walk(s)
                if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Add)
                and ast.unparse(n.value) == "1" and _COUNTER.search(dotted(n.target))
            ]  # fmt: skip
            keeps = {n for s in branch.body for _, n, _ in assigned(ast.Module([s], []))}
            kept = [n for n in keeps if _BEST.search(n)]
            if len(counters) != 1 or counters[0] in zeros or not kept:
                continue
            if not any(isinstance(n, ast.Break | ast.Return) for n in below):
                continue
            name = counters[0]
            begins = [v for node, n, v in assigned(tree) if n == name and node not in below]
            if not begins:
                continue
            yield Told(
                "patience_adds_up",
                branch,
                f"`{name}` is set to 0 nowhere in the loop: it counts all rounds without a better "
                "score, not those in a row, and stops the training while it still gets better; "
                f"write `{name} = 0` where a better one is found",
                (way("rounds in a row are counted",
                     add=added(f"{name} = 0", branch.body[0])),),
            )  # fmt: skip


def _stopper_adds_up(tree: ast.Module) -> Found:
    """An object that counts in one method, and sets its counter to 0 nowhere but in `__init__`."""
    for method in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        counters = [
            n for n in inside(method)
            if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Add)
            and dotted(n.target).startswith("self.") and _COUNTER.search(dotted(n.target))
        ]  # fmt: skip
        keeps = [
            node for node, n, _ in assigned(method) if _BEST.search(n) and n.startswith("self.")
        ]
        if len(counters) != 1 or not keeps or "patience" not in words(method):
            continue
        name = dotted(counters[0].target)
        owner_ = next(
            (c for c in walk(tree) if isinstance(c, ast.ClassDef) and method in c.body), None
        )
        others = [f for f in owner_.body if f is not method] if owner_ is not None else []
        set_ = [n for f in (method, *others) for _, n, _ in assigned(f)
                if n == name and getattr(f, "name", "") != "__init__"]  # fmt: skip
        if set_ or owner_ is None or keeps[-1].lineno > counters[0].lineno:
            continue
        yield Told(
            "patience_adds_up",
            keeps[-1],
            f"`{name}` is set to 0 nowhere when a better score comes: it counts all rounds without "
            "one, not those in a row, and stops the training while it still gets better; write "
            f"`{name} = 0` here",
            (way("rounds in a row are counted", add=added(f"{name} = 0", keeps[-1], after=True)),),
        )
        return


def schedule_not_kept(tree: ast.Module) -> Found:
    """A training that goes on from a file with the optimizer's state and without the schedule's."""
    schedules = {
        name: value for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and re.search(r"LR$|OneCycle", tail(value))
        and not any(k.arg == "last_epoch" for k in value.keywords)
    }  # fmt: skip
    held = {owner(c) for c in method_calls(tree, "state_dict")}
    loads = [c for c in method_calls(tree, "load_state_dict") if is_named(owner(c))]
    saves = [c for c in walk(tree) if isinstance(c, ast.Call) and dotted(c.func) == "torch.save"]
    stepped = set(map(owner, calls_in(list(walk(tree)), "step"))) & schedules.keys()
    for call in loads:
        kept = [s for s in saves if owner(call) in _held_in(s, tree)]
        if not kept or (held - {""}) & schedules.keys() or len(stepped) != 1:
            continue
        name = min(stepped)
        yield (
            "schedule_not_kept",
            kept[0],
            f"the optimizer's state is saved and loaded, and that of `{name}` is not: after the "
            "break the schedule begins again, and the learning rate jumps back to where it began; "
            f"save `{name}.state_dict()` too, and load it where the optimizer's is loaded",
        )
        return


def _held_in(save: ast.Call, tree: ast.Module) -> set[str]:
    """Whose states a call of torch.save writes."""
    return {
        owner(c)
        for given in save.args[:1]
        for made in made_of(given, tree)
        for c in method_calls(made, "state_dict")
    }


RULES = (best_unread, best_never_set, best_set_first, patience_adds_up, schedule_not_kept)
