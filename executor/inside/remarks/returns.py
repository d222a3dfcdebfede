"""Find returns of an episode, and ratios of policies, that are counted the wrong way round."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from executor.inside.remarks.edits import Told, added, moved, put, swapped, way
from executor.inside.remarks.episodes import (
    END,
    answered,
    are_rewards,
    ends_by_place,
    goes_back,
    is_back,
    is_discount,
    is_end,
)
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
    tail,
    terms,
    turned_round,
    turns,
    values,
    walk,
    words,
)

_OLD = re.compile(r"(?i)(^|_)(old|prev|previous|behaviou?r)(_|$)|old")
_LOG_PROBABILITY = re.compile(r"(?i)log_?p|logprob|log_?pi|^lp|_lp")


def are_new_and_old(one: ast.expr, other: ast.expr, tree: ast.AST) -> bool:
    """Whether these are the log-probabilities of a policy and of its old self, by their names.

    Or by what they are made of: what is detached, or computed without gradients, is the old one.
    """
    both = all(is_log_probability(n, tree) for n in (one, other))
    return both and _is_old(other, tree) and not _is_old(one, tree)


def is_log_probability(node: ast.expr, tree: ast.AST) -> bool:
    node = whole(node)
    name = dotted(node).rpartition(".")[2]
    made = [bare(v) for v in made_of(node, tree)]
    return _LOG_PROBABILITY.search(name) is not None or (
        bool(name) and all(tail(v) == "log_prob" for v in made)
    )


def whole(node: ast.expr) -> ast.expr:
    """That of which a part is taken: `old` of `old[rows].view(-1)`."""
    node = bare(node)
    while isinstance(node, ast.Subscript):
        node = bare(node.value)
    return node


def _is_old(node: ast.expr, tree: ast.AST) -> bool:
    node = whole(node)
    if _OLD.search(dotted(node)):
        return True
    made = made_of(node, tree)
    without = {
        n for w in walk(tree) if isinstance(w, ast.With)
        and any(is_without(i.context_expr) for i in w.items) for n in walk(w)
    }  # fmt: skip
    return all(tail(v) == "detach" or v in without for v in made)


def _is_discounted(value: ast.expr, name: str, tree: ast.AST) -> bool:
    """`r + gamma * R`: a sum in which what was added up before is multiplied by a discount."""
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and any(
        any(name == dotted(f) for f in parts) and any(is_discount(f, tree) for f in parts)
        for _, parts in products(value)
    )  # fmt: skip


def terminal_kept(tree: ast.Module) -> Found:
    """`reward + gamma * value * done`: the value counts only where the episode has ended."""
    ends = ends_by_place(tree)
    tests = {n.test for n in loops(tree) if isinstance(n, ast.While)}
    turned = {
        name
        for node, part in turns(tree) if node not in tests and not _picks_one(node, tree)
        for name in words(part) | set(_keys(part))
    }  # fmt: skip
    if any(END.match(name) or name in ends for name in turned):
        return  # it may be turned round where it is stored
    yield from _terminal_picked(tree)
    for _, parts in products(tree):
        held = [f for f in parts if is_end(f, tree)]
        if len(held) == 1 and any(is_discount(f, tree) for f in parts):
            name = ast.unparse(held[0])
            yield Told(
                "terminal_kept",
                held[0],
                f"the discounted value is multiplied by `{name}`, so that it counts only where the "
                f"episode has ended, and nothing follows anywhere else; write `(1 - {name})`",
                (
                    way("the value counts as long as the episode goes on",
                        put(held[0], "(1 - ", held[0], ")")),
                ),
            )  # fmt: skip


def _keys(node: ast.AST) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _picks_one(node: ast.AST, tree: ast.AST) -> bool:
    """`r + gamma * v if done else r`: one of the two values goes on."""
    return isinstance(node, ast.IfExp) and _goes_on(node.body, tree) != _goes_on(node.orelse, tree)


def _terminal_picked(tree: ast.Module) -> Found:
    """`torch.where(done, r + gamma * v, r)`, the same by `if done`, and `v[dones == 0] = 0`."""
    turned = "the value counts as long as the episode goes on"
    for node in walk(tree):
        ways: tuple[dict[str, Any], ...] = ()
        match node:
            case ast.Call(args=[of, one, other]) if tail(node) == "where" and is_end(of, tree):
                ways = (way(turned, swapped(one, other)),)
            case ast.IfExp(test=of, body=one, orelse=other) if is_end(of, tree):
                ways = (way(turned, swapped(one, other)),)
            case ast.If(
                test=of,
                body=[ast.Assign(targets=[to], value=one)],
                orelse=[ast.Assign(targets=[again], value=other)],
            ) if is_end(of, tree) and ast.unparse(to) == ast.unparse(again):
                ways = (way(turned, put(of, "not ", of)),) if isinstance(of, ast.Name) else ()
            case ast.Assign(
                targets=[
                    ast.Subscript(
                        slice=ast.Compare(
                            left=of, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]
                        ),
                        value=value,
                    )
                ],
                value=ast.Constant(value=0 | 0.0) as one,
            ) if is_end(of, tree):
                discounted = (
                    p for _, p in products(tree) if any(dotted(f) == dotted(value) for f in p)
                )
                if not any(is_discount(f, tree) for p in discounted for f in p):
                    continue
                one, other = value, one
                test = node.targets[0].slice  # type: ignore[attr-defined]
                ways = (way(turned, put(test, of, " != 0")),)
            case _:
                continue
        if isinstance(node, ast.Assign) or (_goes_on(one, tree) and not _goes_on(other, tree)):
            yield Told(
                "terminal_kept",
                node,
                f"by `{ast.unparse(of)}` the discounted value counts only where the episode has "
                "ended, and nothing follows anywhere else; turn it round",
                ways,
            )


def _goes_on(value: ast.expr, tree: ast.AST) -> bool:
    return any(is_discount(f, tree) for _, parts in products(value) for f in parts)


def end_left_out(tree: ast.Module) -> Found:
    """`reward + gamma * value`, in code that unpacks where episodes end and never reads it."""
    yield from _end_unread(tree)
    yield from _end_stored_unread(tree)
    if not any(_BY_TIME.search(text) for text in _keys(tree)):
        yield from _end_for_the_loop(tree)


_BY_TIME = re.compile(r"Pendulum|HalfCheetah|Reacher|Swimmer")  # where only the time is up


def _end_unread(tree: ast.Module) -> Found:
    ends = ends_by_place(tree)
    for scope in (tree, *functions(tree).values()):
        body = list(inside(scope))
        unpacked = {
            n.id
            for node in body
            for target in _unpacks(node)
            for n in walk(target)
            if isinstance(n, ast.Name) and (END.match(n.id) or n.id in ends)
        }
        own = {n for _, name, value in assigned(scope) for n in walk(value)
               if isinstance(n, ast.Name) and n.id == name}  # fmt: skip
        loads = (n for n in body if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        read = {n.id for n in loads if n not in own}
        for name in sorted(unpacked - read - turned_round(tree)):
            for node, product in _targets(body, tree):
                yield _left_out(node, product, name, "is unpacked and never read")
                return


def _end_stored_unread(tree: ast.Module) -> Found:
    """An array of ends, or a field of stored steps, that nothing reads where its rewards are."""
    read = [n for n in walk(tree) if isinstance(getattr(n, "ctx", None), ast.Load)]
    filled = {n.value for n in walk(tree) if isinstance(n, ast.Subscript)
              and isinstance(n.ctx, ast.Store)}  # fmt: skip
    arrays = {dotted(n) for n in filled if END.match(dotted(n).rpartition(".")[2])}
    unread = [
        (name, name) for name in sorted(arrays)
        if all(n in filled for n in read if dotted(n).rpartition(".")[2] == name.rpartition(".")[2])
    ]  # fmt: skip
    for fields in _fields(tree):
        ends = [f for f in fields if END.match(f)]
        asked = {n.attr for n in read if isinstance(n, ast.Attribute)} & set(fields)
        unpacked = any(
            isinstance(n, ast.Tuple) and isinstance(n.ctx, ast.Store) and len(n.elts) >= len(fields)
            for n in walk(tree)
        )
        if len(ends) == 1 and not unpacked and ends[0] not in asked and len(asked) > 2:
            unread += [
                (ends[0], f"{dotted(n.value)}.{ends[0]}") for n in read
                if isinstance(n, ast.Attribute) and n.attr in asked and dotted(n.value)
            ][:1]  # fmt: skip
    for name, shown in unread:
        for node, product in _targets(walk(tree), tree):
            picks = [n for n in walk(node) if isinstance(n, ast.Subscript) and shown == name]
            at = f"[{ast.unparse(picks[0].slice)}]" if picks else ""
            told = _left_out(node, product, f"{shown}{at}", "is stored and never read")
            yield told if picks else told._replace(ways=())
            return


def _fields(tree: ast.Module) -> Iterator[list[str]]:
    """The fields of each named tuple."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == "namedtuple"):
        match call.args:
            case [_, ast.Constant(value=str() as text)]:
                yield text.replace(",", " ").split()
            case [_, ast.Tuple(elts=parts) | ast.List(elts=parts)]:
                yield [str(p.value) for p in parts if isinstance(p, ast.Constant)]


def _targets(body: Iterable[ast.AST], tree: ast.Module) -> Iterator[tuple[ast.BinOp, ast.expr]]:
    """Each `reward + gamma * value` whose reward says nothing of an end, and the product."""
    for node in body:
        match node:
            case (
                ast.BinOp(op=ast.Add(), right=ast.BinOp(op=ast.Mult()) as product)
                | ast.BinOp(left=ast.BinOp(op=ast.Mult()) as product, op=ast.Add())
            ):
                pass
            case _:
                continue
        if any(is_discount(f, tree) for f in factors(product)) and not _says_an_end(node, tree):
            yield node, product


_GOES_ON = re.compile(r"(?i)mask|cont|alive|not_?(done|end|term)|non_?(final|term)|(^|_)nd$")


def _says_an_end(node: ast.expr, tree: ast.AST) -> bool:
    """Whether a sum has a part in it that says where episodes end, by whatever name."""
    ends = ends_by_place(tree)
    made = [node, *(m for f in walk(node) if isinstance(f, ast.Name) for m in made_of(f, tree))]
    said = {w for part in made for w in words(part)} | {k for part in made for k in _keys(part)}
    return any(END.match(w) or w in ends or _GOES_ON.search(w) for w in said)


def _left_out(node: ast.BinOp, product: ast.expr, name: str, how: str) -> Told:
    ends = f"(1 - {name})", f"(1 - {name}.float())", f"(not {name})"
    told = "nothing follows where the episode has ended"
    return Told(
        "end_left_out",
        node,
        f"`{name}` {how}: the value of the next state counts also where the episode has ended and "
        f"there is none; multiply it by `(1 - {name})`",
        tuple(way(told, put(product, product, f" * {end}")) for end in ends),
    )


def _end_for_the_loop(tree: ast.Module) -> Found:
    """`while not done`, with `reward + gamma * value` of the state that the last step gave too."""
    for scope in (tree, *functions(tree).values()):
        body = list(inside(scope))
        for node in body:
            answer = answered(node)
            if answer is None or not answer.ends:
                continue
            told = set(answer.ends)
            told |= {n for _, n, v in assigned(scope) if words(v) and words(v) <= told | {"bool"}}
            readers = [n for n in body if isinstance(n, ast.stmt) and _reads(n, told)]
            for target, product in _targets(body, tree):
                is_behind = target.lineno > getattr(node, "lineno", 0)
                between = (
                    s for s in body if isinstance(s, ast.Assign) and s.lineno < target.lineno
                )
                after = {
                    tail(s.targets[0]) for s in between
                    if s.lineno > getattr(node, "lineno", 0) and answer.state in words(s.value)
                } | {answer.state}  # fmt: skip
                is_next = bool(words(product) & after)
                if is_behind and is_next and all(_only_ends(r, target, told) for r in readers):
                    name = min(told, key=lambda n: (n != "done", n))
                    yield _left_out(target, product, name, "is read only where the episode ends")
                    return


def _reads(node: ast.stmt, names: set[str]) -> bool:
    """Whether a statement itself reads one of the names: not the statements in it."""
    parts = (p for p in ast.iter_child_nodes(node) if not isinstance(p, ast.stmt))
    return any(
        isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)
        and dotted(n) in names for p in parts for n in walk(p)
    )  # fmt: skip


def _only_ends(reader: ast.stmt, target: ast.BinOp, told: set[str]) -> bool:
    """Whether what reads the end is the test of a loop, of a reset behind the target, or a name."""
    match reader:
        case ast.While():
            return True
        case ast.If():
            return reader.lineno > target.lineno and all(map(_begins_anew, reader.body))
        case ast.Assign(targets=[to]):
            return dotted(to) in told
    return False


def _begins_anew(statement: ast.stmt) -> bool:
    """What may stand where an episode has ended, and changes no target of it: `env.reset()`."""
    match statement:
        case ast.Break() | ast.Continue() | ast.Expr():
            return True
        case ast.Assign(value=value):
            return "reset" in words(value) or isinstance(value, ast.Constant)
    return False


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
        if not isinstance(loop, ast.For) or not are_rewards(rewards):
            continue
        yield from _from_the_place_before(loop, each, rewards, tree)
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


def _keeps(loop: ast.For | ast.While) -> list[tuple[ast.expr, ast.expr, str, ast.AST]]:
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
            case ast.Assign(targets=[ast.Subscript(value=to, slice=at)], value=value) if (
                isinstance(loop, ast.For) and dotted(at) and dotted(at) == dotted(loop.target)
            ):
                found.append((to, value, "place", node))
    return found


def _from_the_place_before(loop: ast.For, each: str, rewards: str, tree: ast.Module) -> Found:
    """`out[t] = r[t] + gamma * out[t - 1]`."""
    for node in inside(loop):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=to, slice=ast.Name(id=at))], value=value):
                before = f"{ast.unparse(to)}[{at} - 1]"
            case _:
                continue
        discounted = [p for _, p in products(value) if any(is_discount(f, tree) for f in p)]
        if each in map(ast.unparse, (t for _, t in terms(value))) and any(
            ast.unparse(f) == before for parts in discounted for f in parts
        ):
            yield (
                "returns_forwards",
                loop.iter,
                f"this goes through `{rewards}` from the first to the last, so that "
                f"`{ast.unparse(to)}` holds what was earned before each step, where the return is "
                f"what comes after it; begin with the last, and add `{ast.unparse(to)}[{at} + 1]`",
            )


def _forwards(loop: ast.For | ast.While) -> tuple[str, ast.expr | None]:
    """How each reward is written in a loop from the first on, and what it goes through."""
    match loop:
        case ast.For(target=ast.Name(id=each), iter=ast.Name() | ast.Attribute() as rewards):
            return each, rewards
        case ast.For(
            target=ast.Tuple(elts=[_, ast.Name(id=each)]),
            iter=ast.Call(func=ast.Name(id="enumerate"), args=[rewards, *_]),
        ):
            return each, rewards
        case ast.For(target=ast.Tuple(elts=names), iter=ast.Call(func=ast.Name(id="zip"))):
            for name, of in zip(names, loop.iter.args, strict=False):  # type: ignore[attr-defined]
                if are_rewards(dotted(of)) and dotted(name):
                    return dotted(name), of
        case ast.For(target=ast.Name(id=at), iter=ast.Call(func=ast.Name(id="range"), args=args)):
            if len(args) < 3:
                picked = (n for n in walk(loop) if isinstance(n, ast.Subscript))
                for one in picked:
                    if ast.unparse(one.slice) == at and are_rewards(dotted(one.value)):
                        return ast.unparse(one), one.value
    return "", None


def returns_backwards(tree: ast.Module) -> Found:
    """`returns.append(R)` from the last reward to the first, in a list that nobody turns round."""
    turns = {"reverse", "flip", "flipud", "appendleft", "insert"}
    if words(tree) & turns:
        return
    backwards = [loop for loop in loops(tree) if goes_back(loop)]
    if len(backwards) != 1:
        return
    loop = backwards[0]
    within = set(walk(loop.iter)) if isinstance(loop, ast.For) else set()
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


def ratio_inverted(tree: ast.Module) -> Found:
    """`exp(old - new)` of log-probabilities, where a policy is to be compared with its old self."""
    if not words(tree) & {"clamp", "clip"}:
        return
    made = values(tree)
    yield from _quotient_inverted(tree)
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
        left, right = (ast.unparse(bare(s)) for s in (difference.left, difference.right))
        if are_new_and_old(difference.right, difference.left, tree):
            yield Told(
                "ratio_inverted",
                difference,
                f"the ratio of two policies is exp(new - old), and this is its inverse: what pays "
                f"becomes less likely; write `{right} - {left}`",
                (way("the new policy over the old", swapped(difference.left, difference.right)),),
            )


def _quotient_inverted(tree: ast.Module) -> Found:
    """`old / new` of probabilities, which is clipped then."""
    clipped = {
        dotted(of)
        for n in walk(tree) if isinstance(n, ast.Call) and tail(n) in ("clamp", "clip")
        for of in (n.args[:1] if dotted(n.func).startswith("torch.") else [n.func])
        for of in ([of.value] if isinstance(of, ast.Attribute) and of is n.func else [of])
    }  # fmt: skip
    for _, name, value in assigned(tree):
        match value:
            case ast.BinOp(left=old, op=ast.Div(), right=new) if name in clipped:
                pass
            case _:
                continue
        both = dotted(whole(old)), dotted(whole(new))
        if all(map(_PROBABILITY.search, both)) and _is_old(old, tree) and not _is_old(new, tree):
            yield Told(
                "ratio_inverted",
                value,
                "the ratio of two policies is that of the new one to the old one, and this is its "
                f"inverse: what pays becomes less likely; write `{ast.unparse(new)} / "
                f"{ast.unparse(old)}`",
                (way("the new policy over the old", swapped(old, new)),),
            )


_PROBABILITY = re.compile(r"(?i)(^|_)p(i|_|$)|prob|(^|_)pi(_|$)")


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
            difference = made.get(dotted(difference), (None, difference))[1] if difference else None
            if tail(node) != "exp" or not isinstance(difference, ast.BinOp):
                continue
            new, old = dotted(difference.left), dotted(difference.right)
            if not isinstance(difference.op, ast.Sub) or not {new, old} <= made.keys():
                continue
            statement, value = made[old]
            held = {n: v for n, (_, v) in made.items() if n not in (old, new)}
            is_same = _without_detach(value, held) == _inlined(made[new][1], held)
            again = _goes_over(loop, tree) or _takes_the_same(loop, made[new][1])
            is_same |= _is_detached(value, new) and again and _clips(calls)
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


def _takes_the_same(loop: ast.For | ast.While, value: ast.expr) -> bool:
    """Whether all that a value is computed from stays what it is, round after round."""
    anew, made = rebound(loop), {name: v for _, name, v in assigned(loop)}
    todo, given = [value], set[str]()
    while todo:
        one = todo.pop()
        for name in {n.id for n in walk(one) if isinstance(n, ast.Name)} & anew:
            of = made.pop(name, None)
            if of is None or tail(of) not in _DISTRIBUTIONS:
                return False
            todo.append(of)
        calls = (n for n in walk(one) if isinstance(n, ast.Call))
        given |= {n.id for c in calls for a in c.args for n in walk(a) if isinstance(n, ast.Name)}
    return isinstance(loop, ast.For) and bool(given)


_DISTRIBUTIONS = {"Categorical", "Normal", "Bernoulli", "MultivariateNormal", "Beta"}


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
