"""Find returns of an episode, and ratios of policies, that are counted the wrong way round."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, added, moved, put, swapped, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    bare,
    dotted,
    factors,
    functions,
    inside,
    is_without,
    loops,
    made_of,
    products,
    rebound,
    says,
    tail,
    turned_round,
    values,
    walk,
    words,
)

END = re.compile(
    r"(?i)(is_|b_|batch_)?(dones?|terminals?|terminated|terminations?)(_batch|_b|_t)?$"
)
_GAMMA = re.compile(r"(?i)^(gamma|discount)")
_LEAST = 0.9  # of a discount that is written as a number
_OLD = re.compile(r"(?i)(^|_)(old|prev|previous|behaviou?r)(_|$)|old")
_LOG_PROBABILITY = re.compile(r"(?i)log_?p|logprob|log_?pi|^lp|_lp")


def are_new_and_old(one: ast.expr, other: ast.expr, tree: ast.AST) -> bool:
    """Whether these are the log-probabilities of a policy and of its old self, by their names.

    Or by what they are made of: what is detached, or computed without gradients, is the old one.
    """
    both = all(is_log_probability(n, tree) for n in (one, other))
    return both and _is_old(other, tree) and not _is_old(one, tree)


def is_log_probability(node: ast.expr, tree: ast.AST) -> bool:
    name = dotted(bare(node)).rpartition(".")[2]
    made = [bare(v) for v in made_of(bare(node), tree)]
    return _LOG_PROBABILITY.search(name) is not None or (
        bool(name) and all(tail(v) == "log_prob" for v in made)
    )


def _is_old(node: ast.expr, tree: ast.AST) -> bool:
    if _OLD.search(dotted(bare(node))):
        return True
    made = made_of(bare(node), tree)
    without = {
        n for w in walk(tree) if isinstance(w, ast.With)
        and any(is_without(i.context_expr) for i in w.items) for n in walk(w)
    }  # fmt: skip
    return all(tail(v) == "detach" or v in without for v in made)


def is_discount(factor: ast.expr, tree: ast.AST | None = None) -> bool:
    """Whether it is called a discount, or is a number that is nearly 1: in the text, by a name."""
    held = made_of(factor, tree) if tree is not None else [factor]
    if len(held) == 1 and isinstance(held[0], ast.Constant):
        value = held[0].value
        return (isinstance(value, float) and _LEAST <= value < 1) or says(factor, _GAMMA)
    return says(factor, _GAMMA)


def _is_discounted(value: ast.expr, name: str, tree: ast.AST) -> bool:
    """`r + gamma * R`: a sum in which what was added up before is multiplied by a discount."""
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and any(
        any(name == dotted(f) for f in parts) and any(is_discount(f, tree) for f in parts)
        for _, parts in products(value)
    )  # fmt: skip


def terminal_kept(tree: ast.Module) -> Found:
    """`reward + gamma * value * done`: the value counts only where the episode has ended."""
    if any(map(END.match, turned_round(tree))):
        return  # it may be turned round where it is stored
    yield from _terminal_picked(tree)
    last = _last_of_steps(tree)
    for _, parts in products(tree):
        ends = [f for f in parts if _is_end(f, last)]
        if len(ends) == 1 and any(is_discount(f, tree) for f in parts):
            name = ast.unparse(ends[0])
            yield Told(
                "terminal_kept",
                ends[0],
                f"the discounted value is multiplied by `{name}`, so that it counts only where the "
                f"episode has ended, and nothing follows anywhere else; write `(1 - {name})`",
                (
                    way("the value counts as long as the episode goes on",
                        put(ends[0], "(1 - ", ends[0], ")")),
                ),
            )  # fmt: skip


def _is_end(node: ast.expr, last: set[str]) -> bool:
    """`done`, `dones[t]`, and the `d` of `s, a, r, s2, d = …`."""
    node = node.value if isinstance(node, ast.Subscript) else node
    name = dotted(bare(node)).rpartition(".")[2]
    return END.match(name) is not None or name in last


def _last_of_steps(tree: ast.AST) -> set[str]:
    """What is called `d` and unpacked behind a state, an action, a reward and the next state."""
    found: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Tuple(elts=[_, _, _, _, ast.Name(id="d")], ctx=ast.Store()):
                found.add("d")
    used = turned_round(tree)
    return found - used


def _terminal_picked(tree: ast.Module) -> Found:
    """`torch.where(done, r + gamma * v, r)`, and `v[dones == 0] = 0`."""
    for node in walk(tree):
        match node:
            case ast.Call(args=[of, one, other]) if tail(node) == "where" and _is_end(of, set()):
                picked, new = _goes_on(one, tree) and not _goes_on(other, tree), (one, other)
                ways = (way("the value counts as long as the episode goes on", swapped(*new)),)
            case ast.Assign(
                targets=[
                    ast.Subscript(
                        slice=ast.Compare(
                            left=of, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]
                        ),
                        value=value,
                    )
                ],
                value=ast.Constant(value=0 | 0.0),
            ) if _is_end(of, set()):
                picked = any(
                    any(dotted(f) == dotted(value) for f in parts)
                    and any(is_discount(f, tree) for f in parts)
                    for _, parts in products(tree)
                )
                test = node.targets[0].slice  # type: ignore[attr-defined]
                ways = (
                    way("the value counts as long as the episode goes on",
                        put(test, of, " != 0")),
                )  # fmt: skip
            case _:
                continue
        if picked:
            yield Told(
                "terminal_kept",
                node,
                f"by `{ast.unparse(of)}` the discounted value counts only where the episode has "
                "ended, and nothing follows anywhere else; turn it round",
                ways,
            )


def _goes_on(value: ast.expr, tree: ast.Module) -> bool:
    return any(is_discount(f, tree) for _, parts in products(value) for f in parts)


def end_left_out(tree: ast.Module) -> Found:
    """`reward + gamma * value`, in code that unpacks where episodes end and never reads it."""
    last = _last_of_steps(tree)
    for scope in (tree, *functions(tree).values()):
        body = list(inside(scope))
        unpacked = {
            n.id
            for node in body
            for target in _unpacks(node)
            for n in walk(target)
            if isinstance(n, ast.Name) and (END.match(n.id) or n.id in last)
        }
        own = {n for _, name, value in assigned(scope) for n in walk(value)
               if isinstance(n, ast.Name) and n.id == name}  # fmt: skip
        loads = (n for n in body if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        read = {n.id for n in loads if n not in own}
        for name in sorted(unpacked - read):
            for node in body:
                match node:
                    case (
                        ast.BinOp(
                            left=left, op=ast.Add(), right=ast.BinOp(op=ast.Mult()) as product
                        )
                        | ast.BinOp(
                            left=ast.BinOp(op=ast.Mult()) as product, op=ast.Add(), right=left
                        )
                    ) if not says(left, END) and any(
                        is_discount(f, tree) for f in factors(product)
                    ):
                        ends = f"(1 - {name})", f"(1 - {name}.float())", f"(not {name})"
                        told = "nothing follows where the episode has ended"
                        yield Told(
                            "end_left_out",
                            node,
                            f"`{name}` is unpacked and never read: the value of the next state "
                            "counts also where the episode has ended and there is none; multiply "
                            f"it by `(1 - {name})`",
                            tuple(way(told, put(product, product, f" * {end}")) for end in ends),
                        )
                        return


def _unpacks(node: ast.AST) -> list[ast.expr]:
    """What a statement takes out of a batch: `a, b = …`, `a = batch["a"]`, `for a, b in …`."""
    match node:
        case ast.Assign(targets=[target], value=value) if isinstance(
            target, ast.Tuple
        ) or isinstance(value, ast.Subscript | ast.Attribute):
            return [target]
        case ast.For(target=ast.Tuple() as target):
            return [target]
    return []


def returns_forwards(tree: ast.Module) -> Found:
    """`R = r + gamma * R` from the first reward on: what came before is counted, not what comes."""
    for loop in loops(tree):
        each, over = _forwards(loop)
        rewards = dotted(over) if over is not None else ""
        if not isinstance(loop, ast.For) or not (
            "rew" in rewards.lower() or rewards in ("r", "rs", "R")
        ):
            continue
        kept = {dotted(value): (to, how) for to, value, how, _ in _keeps(loop)}
        for _, name, value in assigned(loop):
            read = set(map(ast.unparse, (n for n in walk(value) if isinstance(n, ast.expr))))
            if not {name, each} <= read or not _is_discounted(value, name, tree):
                continue
            if name in kept:
                to, how = kept[name]
                turn = f"{ast.unparse(to)}.reverse()"
                back = added(turn, loop, after=True) if how == "append" else None
                at = loop.iter.args[0] if isinstance(loop.iter, ast.Call) else None
                turned_too = how == "insert" or (how == "place" and at is not None)
                yield Told(
                    "returns_forwards",
                    loop.iter,
                    f"this goes through `{rewards}` from the first to the last, so that `{name}` "
                    "holds what was earned before each step, where the return is what comes after "
                    f"it; go through `reversed({rewards})`, and turn the list round again",
                    (
                        way("what comes after each step is added up",
                            put(loop.iter, "reversed(", loop.iter, ")"), add=back),
                    ) if turned_too or back else (),
                )  # fmt: skip


def _keeps(loop: ast.For) -> list[tuple[ast.expr, ast.expr, str, ast.AST]]:
    """What a loop keeps of each round: where, what, and how."""
    found: list[tuple[ast.expr, ast.expr, str, ast.AST]] = []
    for node in inside(loop):
        match node:
            case ast.Call(
                func=ast.Attribute(value=to, attr="append" | "insert" as how), args=[*_, value]
            ):
                found.append((to, value, how, node))
            case ast.AugAssign(target=to, op=ast.Add(), value=ast.List(elts=[value])):
                found.append((to, value, "append", node))
            case ast.Assign(targets=[ast.Subscript(value=to, slice=at)], value=value) if dotted(
                at
            ) and dotted(at) == dotted(loop.target):
                found.append((to, value, "place", node))
    return found


def _forwards(loop: ast.For | ast.While) -> tuple[str, ast.expr | None]:
    """How each reward is written in a loop from the first on, and what it goes through."""
    match loop:
        case ast.For(target=ast.Name(id=each), iter=ast.Name() | ast.Attribute() as rewards):
            return each, rewards
        case ast.For(
            target=ast.Name(id=at),
            iter=ast.Call(
                func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[rewards])]
            ),
        ):
            return f"{ast.unparse(rewards)}[{at}]", rewards
    return "", None


def returns_backwards(tree: ast.Module) -> Found:
    """`returns.append(R)` from the last reward to the first, in a list that nobody turns round."""
    turns = {"reverse", "flip", "flipud", "appendleft", "insert"}
    if words(tree) & turns:
        return
    backwards = [loop for loop in loops(tree) if isinstance(loop, ast.For) and is_back(loop.iter)]
    if len(backwards) != 1:
        return
    loop = backwards[0]
    within = set(walk(loop.iter))
    if any(is_back(n) for n in walk(tree) if n not in within):
        return  # what it is compared with may be turned round too
    kept = [k for k in _keeps(loop) if k[2] == "append"]
    for _, name, value in assigned(loop):
        if not _is_discounted(value, name, tree) or len(kept) != 1:
            continue
        to, given, _, call = kept[0]
        if dotted(given) != name:
            continue
        held = ast.unparse(to)
        front = put(call, to, ".insert(0, ", given, ")")
        yield Told(
            "returns_backwards",
            call,
            f"the rewards are gone through from the last to the first, so `{held}` begins with the "
            f"return of the last step, and nothing turns it round: each step is paired with the "
            f"return of another one; write `{held}.insert(0, {name})`, or `{held}.reverse()` after "
            "the loop",
            (way("the first return is that of the first step", front),),
        )


def is_back(node: ast.AST) -> bool:
    """`reversed(x)`, `x[::-1]`, `range(n - 1, -1, -1)`."""
    match node:
        case ast.Call(func=ast.Name(id="zip"), args=[*parts]) if parts:
            return all(map(is_back, parts))
        case ast.Call(func=ast.Name(id="reversed")):
            return True
        case ast.Subscript(
            slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp(op=ast.USub()))
        ):
            return True
        case ast.Call(func=ast.Name(id="range"), args=[_, _, ast.UnaryOp(op=ast.USub())]):
            return True
    return False


def ratio_inverted(tree: ast.Module) -> Found:
    """`exp(old - new)` of log-probabilities, where a policy is to be compared with its old self."""
    if not words(tree) & {"clamp", "clip"}:
        return
    made = values(tree)
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="exp"), args=[of]):
                pass
            case ast.Call(func=ast.Attribute(attr="exp", value=of), args=[]):
                pass
            case _:
                continue
        difference = made.get(dotted(of), of)
        if not isinstance(difference, ast.BinOp) or not isinstance(difference.op, ast.Sub):
            continue
        left, right = dotted(bare(difference.left)), dotted(bare(difference.right))
        if are_new_and_old(difference.right, difference.left, tree):
            yield Told(
                "ratio_inverted",
                difference,
                f"the ratio of two policies is exp(new - old), and this is its inverse: what pays "
                f"becomes less likely; write `{right} - {left}`",
                (way("the new policy over the old", swapped(difference.left, difference.right)),),
            )


def old_is_new(tree: ast.Module) -> Found:
    """The old log-probabilities computed again right before the new ones, by the same weights."""
    for loop in loops(tree):
        body = list(inside(loop))
        calls = [n for n in body if isinstance(n, ast.Call)]
        if not {"backward", "step"} <= set(map(tail, calls)):
            continue
        if any(isinstance(n, ast.For | ast.While) for n in body) or _PLAYS & set(map(tail, calls)):
            continue
        made = {name: (node, value) for node, name, value in assigned(loop)}
        for node in body:
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call() as call):
                    at = (
                        (dotted(p), ast.Subscript(call, ast.Constant(i), ast.Load()))
                        for i, p in enumerate(parts)
                    )
                    made |= {name: (node, picked) for name, picked in at if name}
        for node in calls:
            difference = node.func.value if isinstance(node.func, ast.Attribute) else None
            difference = node.args[0] if node.args else difference
            if tail(node) != "exp" or not isinstance(difference, ast.BinOp):
                continue
            new, old = dotted(difference.left), dotted(difference.right)
            if not isinstance(difference.op, ast.Sub) or not {new, old} <= made.keys():
                continue
            statement, value = made[old]
            held = {n: v for n, (_, v) in made.items() if n not in (old, new)}
            is_same = _without_detach(value, held) == _inlined(made[new][1], held)
            is_same |= _is_detached(value, new) and _goes_over(loop, tree) and _clips(calls)
            if not is_same or not any(isinstance(n, ast.Call) for n in walk(value)):
                continue
            around = next(
                (s for s in loop.body if isinstance(s, ast.With) and s.body == [statement]),
                statement,
            )
            fixed = not words(value) & rebound(loop) and not _is_detached(value, new)
            yield Told(
                "old_is_new",
                statement,
                f"`{old}` is computed anew in each round, by the weights that `{new}` is computed "
                "by: their ratio is always exactly 1 and is never clipped; compute it once, before "
                "the loop, where the actions are drawn",
                (moved("the ratio to the policy that has acted", around, by=loop),)
                if fixed
                else (),
            )
            return


_PLAYS = {"sample", "rsample", "reset", "multinomial", "rollout", "act", "select_action"}


def _is_detached(value: ast.expr, new: str) -> bool:
    """`new.detach()`: the very value of this round."""
    match value:
        case ast.Call(func=ast.Attribute(attr="detach", value=of), args=[]):
            return dotted(of) == new
    return False


def _goes_over(loop: ast.For | ast.While, tree: ast.Module) -> bool:
    """Whether a loop is one of several rounds over what was collected in the loop around it.

    Where there is one round for what was collected, the policy is still the one that has acted.
    """
    return isinstance(loop, ast.For) and any(
        loop in inside(outer) and _PLAYS & words(outer) for outer in loops(tree)
    )


def _clips(calls: list[ast.Call]) -> bool:
    return any(tail(c) in ("clamp", "clip") for c in calls)


def _without_detach(value: ast.expr, parts: dict[str, ast.expr]) -> str:
    match value:
        case ast.Call(func=ast.Attribute(attr="detach", value=of)):
            return "" if isinstance(of, ast.Name) else _inlined(of, parts)
    return _inlined(value, parts)


def _inlined(value: ast.expr, parts: dict[str, ast.expr]) -> str:
    """An expression with the distributions of the round in the place of their variables."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=args) if (
            isinstance(parts.get(name), ast.Call) and not value.keywords
        ):
            return f"{ast.unparse(parts[name])}.{method}({', '.join(map(ast.unparse, args))})"
    return ast.unparse(value)


RULES = (
    old_is_new,
    terminal_kept,
    end_left_out,
    returns_forwards,
    returns_backwards,
    ratio_inverted,
)
