"""Find the best weights, and what counts the rounds without a better score, kept in vain."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from executor.inside.remarks.edits import Told, added, moved, way
from executor.inside.remarks.scores import Choice, choices, is_infinity, stored
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    blocks,
    calls_in,
    dotted,
    functions,
    grown,
    inside,
    is_named,
    loops,
    made_of,
    method_calls,
    owner,
    reached,
    tail,
    walk,
    words,
)

_BEST = re.compile(r"(?i)best|^(min|lowest|max|highest)_")


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

    yield from _unread_of_a_class(tree)


def _unread_of_a_class(tree: ast.Module) -> Found:
    """`self.state = copy.deepcopy(model.state_dict())` of a stopper, and nothing that reads it."""
    read = {
        n.attr for n in walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
    }
    for choice in choices(tree):
        for node, name, value in (a for s in choice.arm for a in assigned(s)):
            kept = name.removeprefix("self.")
            copied = "state_dict" in words(value) and words(value) & {"deepcopy", "clone"}
            if kept != name and copied and kept not in read and "backward" in words(tree):
                yield Told(
                    "best_unread",
                    node,
                    f"`{name}` is kept here and read nowhere: what comes after the training is of "
                    "the last round's weights, not of the best; load it into the model when the "
                    "training ends",
                )
                return


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
    yield from _begun_anew(tree)


def _begun_anew(tree: ast.Module) -> Found:
    """`best = inf` in each round, just before a score is compared with it."""
    own = functions(tree)
    again = {n for loop in loops(tree) for n in reached(loop, own)}
    for block in blocks(tree):
        for at, one in enumerate(block):
            begun = [(name, value) for node, name, value in assigned(one) if node is one]
            for name, value in begun if one in again else ():
                for choice in choices(tree):
                    if ast.unparse(choice.best) != name or not _is_bound(value):
                        continue
                    later = _without_loops(block[at + 1 :])
                    others = [n for n in later if isinstance(n, ast.Assign) and n not in choice.arm
                              and name in {d for _, d, _ in assigned(n)}]  # fmt: skip
                    if choice.test in later and not others:
                        yield (
                            "best_never_set",
                            one,
                            f"`{name}` begins at {ast.unparse(value)} anew in each round: each is "
                            "compared with that, so that the last round is kept, not the best; set "
                            "it once, before the rounds",
                        )
                        return


def _without_loops(body: list[ast.stmt]) -> list[ast.AST]:
    """All in some statements that runs once with them."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = [*body]
    skipped = (ast.For, ast.While, ast.AsyncFor, ast.FunctionDef, ast.ClassDef, ast.Lambda)
    while todo:
        node = todo.pop()
        if not isinstance(node, skipped):
            found.append(node)
            todo += ast.iter_child_nodes(node)
    return found


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
    return is_infinity(value)


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
    for scope, begins in _scopes(tree):
        below = set(inside(scope))
        for choice in choices(tree):
            if choice.test not in below or len(choice.arm) == 0:
                continue
            for name, _, node in grown(_otherwise(choice, scope)):
                set_ = {n for at, n, _ in stored(scope) if at is not node}
                if not name or name in set_ or not _stops(scope, name) or not begins(name):
                    continue
                last = choice.arm[-1]
                yield Told(
                    "patience_adds_up",
                    choice.arm[0],
                    f"`{name}` is set to 0 nowhere when a better score comes: it counts all rounds "
                    "without one, not those in a row, and stops the training while it still gets "
                    f"better; write `{name} = 0` here",
                    (way("rounds in a row are counted",
                         add=added(f"{name} = 0", last, after=not _leaves(last))),),
                )  # fmt: skip
                return


def _scopes(tree: ast.Module) -> Iterator[tuple[ast.AST, Callable[[str], bool]]]:
    """What runs once a round, and whether a variable is set before it: loops, methods of a class.

    Of a class that is the case where its first call alone sets an attribute.
    """
    for loop in loops(tree):
        before = {n for at, n, _ in assigned(tree) if at not in set(inside(loop))}
        yield loop, before.__contains__
    for own in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        methods = [m for m in own.body if isinstance(m, ast.FunctionDef)]
        first = {n for m in methods if m.name == "__init__" for _, n, _ in assigned(m)}
        for method in methods:
            later = {n for m in methods if m.name != "__init__" and m is not method
                     for _, n, _ in assigned(m)}  # fmt: skip
            yield method, (first - later).__contains__


def _otherwise(choice: Choice, scope: ast.AST) -> list[ast.AST]:
    """What runs where the score is no better: the other arm, or what follows one that leaves."""
    other = [n for s in choice.other for n in (s, *inside(s))]
    for block in blocks(scope) if choice.arm and _leaves(choice.arm[-1]) else ():
        at = next((i for i, s in enumerate(block) if choice.arm in (getattr(s, "body", None),)), -1)
        other += [n for s in block[at + 1 :] for n in (s, *inside(s))] if at >= 0 else []
    return other


def _leaves(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Continue | ast.Return | ast.Break)


def _stops(scope: ast.AST, name: str) -> bool:
    """Whether the rounds end, or are to end, where the counter has come to a limit."""
    for node in walk(scope):
        match node:
            case ast.If(test=test, body=body) if _is_limit(test, name):
                ends = (ast.Break, ast.Return, ast.Raise)
                flag = any(isinstance(n, ast.Constant) and n.value is True for s in body
                           for n in walk(s))  # fmt: skip
                if flag or any(isinstance(n, ends) for s in body for n in walk(s)):
                    return True
            case ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
                if any(_is_limit(n, name) for n in walk(value)):
                    return True
    return False


def _is_limit(test: ast.AST, name: str) -> bool:
    """`waited >= patience`."""
    match test:
        case ast.Compare(left=left, ops=[ast.GtE() | ast.Gt() | ast.Eq()]):
            return dotted(left) == name
    return False


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
