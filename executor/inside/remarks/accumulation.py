"""Find training loops that add up gradients over several batches, and lose or swell them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, moved
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    callee,
    calls_in,
    dotted,
    functions,
    inside,
    is_step,
    loops,
    optimizers,
    owner,
    stepped,
    tail,
    trained,
    walk,
    words,
)

_SCALES = re.compile(r"Adam|Ada(?:grad|delta|factor)|RMSprop|Rprop|Lion|Muon")


def accumulation_cleared(tree: ast.Module) -> Found:
    """zero_grad() in every round, and step() only in each n-th; of a function in every call."""
    for loop in (*loops(tree), *functions(tree).values()):
        found = _cleared(loop, tree)
        if found is None:
            continue
        wiped, step, between = found
        each = "call" if isinstance(loop, ast.FunctionDef) else "round"
        of = "call of this function" if each == "call" else "round of the loop"
        lost = (
            "also right before that step(), which finds none"
            if between
            else f"so each step uses the last {each} alone"
        )
        yield Told(
            "accumulation_cleared",
            wiped,
            f"this zero_grad() runs in every {of}, and step() (line {step.lineno}) only in some: "
            f"it throws away what backward() has added up in the {each}s before, "
            f"{lost}; call it only after step(), under the same `if`",
            (moved(f"each step uses all {each}s since the last one", wiped, by=step, after=True),),
        )


def _cleared(
    loop: ast.For | ast.While | ast.FunctionDef, tree: ast.Module
) -> tuple[ast.Call, ast.Call, bool] | None:
    """The zero_grad() of each round, the rare step(), and whether it stands right before that.

    None where the gradients may be meant to go: another optimizer steps elsewhere, code reads
    `.grad`, or backward() is as rare as the step.
    """
    # Under `accelerator.accumulate()`, zero_grad() does nothing until the step.
    if any(isinstance(n, ast.Call) and tail(n) == "accumulate" for n in walk(tree)):
        return None
    body = [*_always(_without_guards(loop.body))]
    flags = {name for _, name, value in assigned(loop) if _is_nth(value, frozenset())}
    counted = {dotted(s.target) for s in body if isinstance(s, ast.AugAssign)}
    rare = [
        s for s in body
        if isinstance(s, ast.If) and (_is_nth(s.test, flags) or _starts_anew(s) & counted)
    ]  # fmt: skip
    if any("grad" in words(s) for s in body if s not in rare):
        return None
    calls = [(i, s.value) for i, s in enumerate(body) if isinstance(s, ast.Expr)]
    done = [(i, c) for i, c in calls if isinstance(c, ast.Call)]
    back = [(i, c) for i, c in done if tail(c) == "backward"]
    if not back or any(k.arg == "retain_graph" for _, c in back for k in c.keywords):
        return None
    if any(isinstance(n, ast.Continue) for branch in rare for n in inside(branch)):
        return None
    held = optimizers(tree)
    zeroed = {owner(c) for c in calls_in(list(inside(loop)), "zero_grad")} - {""}
    for branch in rare:
        taken = [n for s in branch.body for n in (s, *inside(s))]
        if calls_in(taken, "backward"):
            continue
        steps = [c for c in calls_in(taken, "step") if stepped(c) in zeroed or is_step(c, held)]
        everywhere = [
            c
            for c in calls_in(list(inside(loop)), "step")
            if stepped(c) in zeroed or is_step(c, held)
        ]
        if not steps or not {id(c) for c in everywhere} <= {id(n) for n in taken}:
            continue
        own = {stepped(c) for c in steps}
        if not own & set(held):  # made elsewhere: of the model that this loop calls
            own |= {dotted(n.func) for n in inside(loop) if isinstance(n, ast.Call)} - {""}
        own |= {model for name in own & set(held) for model in trained(held[name], tree)}
        for i, call in done:
            if tail(call) == "zero_grad" and owner(call) in own:
                return call, steps[0], back[-1][0] < i < body.index(branch)
    return None


def _without_guards(block: list[ast.stmt]) -> list[ast.stmt]:
    """`if i % n: continue` and what stands behind it, as `if not i % n:` around that."""
    for at, statement in enumerate(block):
        match statement:
            case ast.If(test=test, body=[ast.Continue()], orelse=[]):
                pass
            case _:
                continue
        match test:
            case ast.Compare(left=left, ops=[ast.NotEq()], comparators=others):
                turned: ast.expr = ast.Compare(left, [ast.Eq()], others)
            case _:
                turned = ast.UnaryOp(ast.Not(), test)
        rest = _without_guards(block[at + 1 :])
        if rest and _is_nth(turned, frozenset()):
            return [*block[:at], ast.copy_location(ast.If(turned, rest, []), statement)]
    return block


def _always(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, and of `with` blocks there: all that run whenever it does."""
    for statement in block:
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _always(statement.body)
        else:
            yield statement


def _starts_anew(branch: ast.If) -> set[str]:
    """`i` of `if i == 4: …; i = 0`, where it is a counter."""
    zero = {n for s in branch.body if isinstance(s, ast.Assign) for _, n, v in assigned(s)
            if isinstance(v, ast.Constant) and v.value == 0}  # fmt: skip
    match branch.test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.GtE()]):
            return zero & {dotted(left)}
    return set()


def _is_nth(test: ast.expr, flags: set[str] | frozenset[str]) -> bool:
    """Whether a test is true in each n-th round: `i % n == 0`, `not i % n`, or a name of such."""
    match test:
        case ast.BoolOp(values=values):
            return any(_is_nth(v, flags) for v in values)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return any(
                isinstance(s, ast.BinOp) and isinstance(s.op, ast.Mod) for s in (left, right)
            )
        case ast.UnaryOp(op=ast.Not(), operand=ast.BinOp(op=ast.Mod())):
            return True
    return dotted(test) in flags


def _not_divided(tree: ast.Module) -> Found:
    """Gradients added up over several batches whose losses are not made smaller.

    Adam and its like divide by the size of the gradients, so that their steps stay as they are.
    """
    kinds = [callee(made) for made in optimizers(tree).values()]
    clips = any("clip_grad" in word for word in words(tree))
    scales = bool(kinds) and all(_SCALES.search(kind) for kind in kinds) and not clips
    larger = (
        f"the gradients are that many times larger (the steps of {kinds[0]} stay about as large, "
        "those of SGD would not)"
        if scales
        else "the step is that many times larger"
    )
    for loop in loops(tree):
        own = list(inside(loop))
        inner = [n for n in own if isinstance(n, (ast.For, ast.While))]
        if any(_cleared(around, tree) is not None for around in (loop, *inner)):
            continue  # nothing is added up
        back = calls_in(own, "backward")
        if any(isinstance(n, ast.Div) for c in back for n in walk(c.func)):
            continue
        if len(back) != 1 or any(
            (
                isinstance(n, ast.Assign)
                and _is_loss(n.targets[0])
                and any(isinstance(part, ast.Div) for part in walk(n.value))
            )
            or (isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) and _is_loss(n.left))
            for n in own
        ):
            continue
        if any(isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Div) for n in own):
            continue
        for branch in (n for n in own if isinstance(n, ast.If)):
            if not _is_each_nth(branch.test) or calls_in(list(inside(branch)), "backward"):
                continue
            below = list(inside(branch))
            if calls_in(below, "zero_grad") and any(
                is_step(c, {}) or owner(c) in optimizers(tree) for c in calls_in(below, "step")
            ):
                n = branch.test.left.right  # type: ignore[attr-defined]
                counts = isinstance(n, (ast.Name, ast.Attribute, ast.Constant))
                by_size = isinstance(loop, ast.For) and len(getattr(loop.iter, "args", ())) == 3
                how = (
                    f"write `(loss / {ast.unparse(n)}).backward()`"
                    if counts and not by_size  # what goes by steps of its own counts samples
                    else "divide each loss by the number of batches in a step"
                )
                yield (
                    "not_divided",
                    back[0],
                    "the gradients of several batches are added up, and the losses are not divided "
                    f"by their number: {larger}; {how}, unless the loss is a sum on purpose",
                )


def _is_loss(node: ast.expr) -> bool:
    return any("loss" in w.lower() or "criterion" in w.lower() for w in words(node))


def _is_each_nth(test: ast.expr) -> bool:
    match test:
        case ast.Compare(left=ast.BinOp(op=ast.Mod()), ops=[ast.Eq()]):
            return True
    return False


RULES = (accumulation_cleared, _not_divided)
