"""Find earnings of episodes that are put together wrongly, or exchanged for actions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from executor.inside.remarks.edits import Told, put, swapped, way
from executor.inside.remarks.episodes import (
    END,
    answered,
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
    functions,
    handed,
    inside,
    loops,
    made_of,
    products,
    reached,
    says,
    tail,
    terms,
    turns,
    walk,
    words,
)

_ENDS = re.compile(r"(?i)(^|_)(dones?|terminals?|terminated|terminations?|masks?)(_|$)")


def index_as_value(tree: ast.Module) -> Found:
    """`reward + gamma * target(s).max(1)[1]`: the number of the best action, not what it earns."""
    for scope in (tree, *functions(tree).values()):
        second = _unpacked(scope)
        for _, parts in products(scope):
            if not any(map(is_discount, parts)):
                continue
            for part in parts:
                for made in made_of(part, scope):
                    picked = second.get(dotted(bare(made))) or _numbers(made)
                    if picked is None:
                        continue
                    yield Told(
                        "index_as_value",
                        picked[0],
                        f"`{ast.unparse(made)[:60]}` is the number of the best action, 0, 1, 2 …, "
                        "and what is discounted here is to be its value: `max` gives the values "
                        "first and the numbers second",
                        (way("the value of the best action", picked[1]),),
                    )
                    return


def _numbers(node: ast.expr) -> tuple[ast.expr, list[list[object]]] | None:
    """What picks the places of the largest, and the edit by which it picks the values."""
    match node:
        case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=1)) if tail(
            call
        ) == "max" and _along(call):
            return node, put(node.slice, "0")
        case ast.Attribute(value=ast.Call() as call, attr="indices") if tail(call) == "max":
            return node, put(node, call, ".values")
        case ast.Call(func=ast.Attribute(value=of, attr="argmax")) if _along(node):
            told = [*node.args[_is_function(node) :], *node.keywords]
            of = node.args[0] if _is_function(node) else of
            return node, put(node, of, f".max({', '.join(map(ast.unparse, told))}).values")
        case ast.Call(
            func=ast.Attribute(
                value=inner, attr="detach" | "float" | "unsqueeze" | "squeeze" | "view"
            )
        ):
            return _numbers(inner)
    return None


def _unpacked(scope: ast.AST) -> dict[str, tuple[ast.expr, list[list[object]]]]:
    """What `_, best = q.max(1)` puts into its second variable, and the names exchanged."""
    return {
        two.id: (node.value, swapped(one, two))
        for node in walk(scope)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        and tail(node.value) == "max" and _along(node.value)
        for target in node.targets if isinstance(target, ast.Tuple) and len(target.elts) == 2
        for one, two in [target.elts] if isinstance(two, ast.Name)
    }  # fmt: skip


def _is_function(call: ast.Call) -> bool:
    """`torch.max(q, 1)`, whose tensor is its first argument."""
    return dotted(call.func).startswith("torch.") and bool(call.args)


def _along(call: ast.Call) -> bool:
    """Whether it goes along one dimension."""
    keys = [k for k in call.keywords if k.arg != "keepdim"]
    given = [*call.args[_is_function(call) :], *(k.value for k in keys)]
    return len(given) == 1 and isinstance(given[0], ast.Constant | ast.UnaryOp)


def return_runs_on(tree: ast.Module) -> Found:
    """`G = r + gamma * G` over several episodes, whose ends are collected and never read."""
    for scope in (tree, *functions(tree).values()):
        unread = _unread_ends(scope, tree) or (_unread_ends(tree, tree) if _goes_on(tree) else "")
        for loop in inside(scope) if unread else ():
            if not isinstance(loop, ast.For) or not is_back(loop.iter):
                continue
            for node, name, value in assigned(loop):
                if node not in inside(loop) or not _adds_up(name, value) or says(loop, _ENDS):
                    continue
                yield (
                    "return_runs_on",
                    node,
                    f"`{unread}` is collected and never read, so `{name}` runs on over the "
                    "ends of the episodes, and what is earned in one counts for the steps of those "
                    f"before it; go through `{unread}` too, and begin with 0 behind each end: "
                    f"`{name} = reward + gamma * {name} * (1 - done)`",
                )
                return
    if _goes_on(tree):
        yield from _advantage_runs_on(tree)


def _unread_ends(scope: ast.AST, tree: ast.Module) -> str:
    """A list of ends that is filled in a scope, and read nowhere in the program."""
    calls = [n for n in walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    holders = {
        n.func.value for n in calls if isinstance(n.func, ast.Attribute)
        and n.func.attr in ("append", "clear")
    }  # fmt: skip
    holders |= {
        t.value for n in walk(tree) if isinstance(n, ast.Delete)
        for t in n.targets if isinstance(t, ast.Subscript)
    }  # fmt: skip
    read = {
        tail(n) for n in walk(tree)
        if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)
        and n not in holders
    }  # fmt: skip
    below = set(inside(scope)) if scope is not tree or not _goes_on(tree) else set(walk(scope))
    filled = {
        dotted(n.func.value) for n in calls
        if n in below and isinstance(n.func, ast.Attribute) and n.func.attr == "append" and n.args
        and (END.match(tail(n.args[0])) or END.match(tail(n.func.value)))
    }  # fmt: skip
    return min((name for name in filled - {""} if name.rpartition(".")[2] not in read), default="")


def _goes_on(tree: ast.Module) -> bool:
    """Whether the environment is begun anew where an episode has ended, and steps go on."""
    for node in walk(tree):
        if isinstance(node, ast.If | ast.IfExp) and any(
            isinstance(n, ast.expr) and is_end(n, tree) for n in walk(node.test)
        ):
            body = node.body if isinstance(node.body, list) else [node.body]
            called = {tail(n) for part in body for n in walk(part) if isinstance(n, ast.Call)}
            stops = any(isinstance(n, ast.Break | ast.Return) for p in body for n in walk(p))
            if "reset" in called and not stops and not _closes_an_episode(body, tree):
                return True
    return False


def _closes_an_episode(body: Sequence[ast.AST], tree: ast.Module) -> bool:
    """Whether what was collected is counted or thrown away where an episode ends, one at a time."""
    for node in (n for part in body for n in (part, *reached(part, functions(tree)))):
        match node:
            case ast.For() | ast.While() if goes_back(node):
                return True
            case ast.Call(func=ast.Attribute(attr="clear")) | ast.Delete():
                return True
            case ast.Assign(value=value) if ast.unparse(value) in ("[]", "([], [])", "list()"):
                return True
            case ast.Assign(value=ast.Tuple(elts=[ast.List(elts=[]), *_])):
                return True
            case ast.Call() if tail(node) in _LEARNS:
                return True
    return False


_LEARNS = {"finish_path", "finish_episode", "learn", "update", "train", "optimize", "compute_gae"}


def _advantage_runs_on(tree: ast.Module) -> Found:
    """`gae = delta + gamma * lam * gae`, where only `delta` is cut at the ends."""
    for loop in loops(tree):
        if not goes_back(loop):
            continue
        made = [(n, name, value) for n, name, value in assigned(loop) if n in inside(loop)]
        held = {name: value for _, name, value in made}
        for node, name, value in made:
            if sum(n == name for _, n, _ in made) != 1 or not _adds_up(name, value):
                continue
            parts = [f for _, fs in products(value) if name in map(dotted, fs) for f in fs]
            rest = [t for _, t in terms(value) if name not in words(t)]
            told = [held.get(dotted(t), t) for t in rest]
            cut = {w for p in parts for w in words(p) | words(held.get(dotted(p), p))} - {name}
            if any(map(_CUT.search, cut)) or not any(_cuts_the_value(t, held, tree) for t in told):
                continue
            yield (
                "return_runs_on",
                node,
                f"`{ast.unparse(rest[0])}` stops at the end of an episode, and `{name}` does not: "
                "what is added up in one episode counts for the steps of those before it; multiply "
                f"`{name}` by the same `1 - done` here",
            )
            return


_CUT = re.compile(r"(?i)done|term|mask|cont|alive|end|episode|start|first|reset")


def _cuts_the_value(node: ast.AST, held: dict[str, ast.expr], tree: ast.Module) -> bool:
    """Whether a discounted value in it is multiplied by what says that the episode goes on."""
    for _, parts in products(node):
        said = {w for f in parts for w in words(f) | words(held.get(dotted(f), f))}
        if any(is_discount(f, tree) for f in parts) and any(map(_CUT.search, said)):
            return True
    return False


def end_of_next(tree: ast.Module) -> Found:
    """`value[t + 1] * (1 - done[t + 1])`, where `done[t]` says that step t was the last one."""
    kept = _kept_behind_the_step(tree)
    for loop in loops(tree):
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            continue
        following = f"{loop.target.id} + 1"
        for _, part in turns(loop):
            for node in walk(part):
                if not isinstance(node, ast.Subscript) or ast.unparse(node.slice) != following:
                    continue
                if tail(node.value) not in kept or not goes_back(loop):
                    continue
                own = f"{ast.unparse(node.value)}[{loop.target.id}]"
                yield Told(
                    "end_of_next",
                    node,
                    f"`{own}` says that this very step ended the episode (line "
                    f"{kept[tail(node.value)]} keeps it behind `step`), so that the value of the "
                    f"next state is one of another episode; `{ast.unparse(node)}` asks whether "
                    "the next step ends it: the value is cut one step too early, and counts where "
                    f"it should not; write `{own}`",
                    (way("the value is cut where the episode ends",
                         put(node.slice, loop.target.id)),),
                )  # fmt: skip
                return


def _kept_behind_the_step(tree: ast.Module) -> dict[str, int]:
    """The lists that get the end which the same round's `env.step` has told, and by which line.

    What is kept before the step is the end of the step before: that list is one further.
    """
    found: dict[str, int] = {}
    before: set[str] = set()
    own = functions(tree)
    for scope in (tree, *own.values()):
        body = [n for n in inside(scope) if isinstance(n, ast.stmt)]
        arguments = {a.arg for a in scope.args.args} if isinstance(scope, ast.FunctionDef) else {}
        played = [(n, a) for n in body if (a := answered(n)) is not None]
        for statement in body:
            for holder, value in _keeps(statement, own):
                told = [n for n, a in played if dotted(_plain(value)) in a.ends]
                if any(n.lineno <= statement.lineno for n in told):
                    found[tail(holder)] = statement.lineno
                elif not dotted(value) or dotted(value) not in arguments:
                    before.add(tail(holder))
    return {name: line for name, line in found.items() if name not in before}


def _plain(value: ast.expr) -> ast.expr:
    """`done` of `float(done)`."""
    match bare(value):
        case ast.Call(args=[of]) as call if tail(call) in ("float", "int", "bool", "tensor"):
            return of
    return bare(value)


def _keeps(
    statement: ast.stmt, own: dict[str, ast.FunctionDef]
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a statement puts where: by `append`, into a place, or by a method that does so.

    What is put one place further, or stood there before, is given as a constant.
    """
    further = ast.Constant(None)
    match statement:
        case ast.Assign(targets=[target], value=value):
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = [*zip(target.elts, value.elts, strict=False)]
            for place, put_there in pairs:
                if isinstance(place, ast.Subscript):
                    yield place.value, put_there if dotted(place.slice) else further
                elif isinstance(put_there, ast.List) and put_there.elts:
                    yield place, further
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=of, attr="append"), args=[value])):
            yield of, value
        case ast.Expr(value=ast.Call() as call) if tail(call) in own:
            given_as = dict(handed(call, own[tail(call)]))
            for inner in inside(own[tail(call)]):
                if isinstance(inner, ast.stmt):
                    for holder, value in _keeps(inner, {}):
                        yield holder, given_as.get(dotted(value), value)


def _adds_up(name: str, value: ast.expr) -> bool:
    """`r + gamma * G`."""
    return len([*terms(value)]) > 1 and any(
        name in map(dotted, parts) and any(map(is_discount, parts)) for _, parts in products(value)
    )


RULES = (index_as_value, return_runs_on, end_of_next)
