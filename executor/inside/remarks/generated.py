"""Find generative models that are given the wrong noise, direction or spread."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, moved, put, swapped, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    blocks,
    callee,
    dotted,
    functions,
    inside,
    is_without,
    made_of,
    method_calls,
    module_classes,
    rebound,
    tail,
    walk,
    words,
)

_NOISE = {"randn", "rand", "normal", "uniform"}
_LOG = re.compile(r"(?i)log_?(var|variance|std|sd|sigma|scale)")


def noise_drawn_once(tree: ast.Module) -> Found:
    """`z = torch.randn(…)` before the loop that trains a generator with it, round after round."""
    yield from _kept_by_itself(tree)
    for run in blocks(tree):
        for at, loop in enumerate(run):
            if not isinstance(loop, ast.For | ast.While) or len(method_calls(loop, "backward")) < 2:
                continue  # two play against each other
            anew = rebound(loop)
            for statement in run[:at]:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as drawn) if (
                        words(drawn) & _NOISE and name not in anew and not _OF_DATA.search(name)
                    ):
                        pass
                    case _:
                        continue
                made = _made_and_judged(loop, name)
                if made is None or _changes(loop, name):
                    continue
                first = loop.body[0]
                yield Told(
                    "noise_drawn_once",
                    statement,
                    f"`{name}` is drawn once, and every round of line {loop.lineno} gives "
                    f"`{made}` the same noise: it learns what to make of these few points alone; "
                    "draw it in the loop",
                    (moved("each round has noise of its own", statement, by=first),),
                )


# What is drawn in the place of data is no noise: pictures that a generator is to change.
_OF_DATA = re.compile(r"(?i)real|data|im(g|age)|photo|source|src|input|cond|low|(^|_)[abxy]$")


def _kept_by_itself(tree: ast.Module) -> Found:
    """`self.noise = torch.randn(…)` in a constructor, given to the generator at each step."""
    for held in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        made = [(n, name, v) for n, name, v in assigned(held) if name.startswith("self.")]
        for node, name, value in made:
            drawn = isinstance(value, ast.Call) and words(value) & _NOISE
            if not drawn or [n for _, n, _ in made].count(name) != 1:
                continue
            for method in (m for m in held.body if isinstance(m, ast.FunctionDef)):
                if node in inside(method) or len(method_calls(method, "backward")) < 2:
                    continue
                maker = _made_and_judged(method, name)
                if maker is not None and not _changes(method, name):
                    yield (
                        "noise_drawn_once",
                        node,
                        f"`{name}` is drawn once, and `{method.name}` gives `{maker}` the same "
                        "noise each time: it learns what to make of these few points alone; draw "
                        "it there",
                    )
                    return


def _made_and_judged(loop: ast.AST, name: str) -> str | None:
    """The generator that is given the noise, where a critic judges what it makes and others."""
    apart: set[ast.AST] = set()
    for node in walk(loop):
        if isinstance(node, ast.With) and any(is_without(i.context_expr) for i in node.items):
            apart.update(walk(node))
    calls = [n for n in inside(loop) if isinstance(n, ast.Call) and n not in apart]
    of_noise = [c for c in calls if [dotted(a) for a in c.args[:1]] == [name]]
    makers = {
        of for c in of_noise
        if (of := dotted(c.func)) and (of.startswith("self.") or isinstance(c.func, ast.Name))
    }  # fmt: skip
    others = {
        called for c in calls
        if len(c.args) == 1 and (called := dotted(c.func)) and called not in makers
        and (isinstance(c.func, ast.Name) or called.startswith("self."))
    } - {"print", "len", "float"}  # fmt: skip
    fakes = {n for _, n, v in assigned(loop) if v in of_noise}
    given: dict[str, set[str]] = {}
    for call in calls:
        if dotted(call.func) in others and call.args:
            given.setdefault(dotted(call.func), set()).add(ast.unparse(call.args[0]))
    if len(makers) != 1:
        return None
    for asked in given.values():
        about = {a for a in asked if set(re.findall(r"\w+", a)) & fakes or f"({name})" in a}
        if about and asked - about and len(asked) > 1:
            return min(makers)
    return None


def _changes(loop: ast.AST, name: str) -> bool:
    """Whether the noise is drawn anew where it lies, or a part of it is taken."""
    return any(
        (isinstance(n, ast.Call) and dotted(n.func).startswith(f"{name}.") and tail(n)[-1:] == "_")
        or (isinstance(n, ast.Subscript) and dotted(n.value) == name)
        for n in walk(loop)
    )


def log_cut_at_zero(tree: ast.Module) -> Found:
    """`log_var = F.relu(self.fc(h))`: a deviation that is never below 1."""
    ends = {f.name for f in functions(tree).values() if any(
        isinstance(n, ast.Return) and n.value is not None and _ends_in_relu(n.value, set())
        for n in inside(f))}  # fmt: skip
    for name, value in _logs(tree):
        last = name.rpartition(".")[2]
        if not _LOG.search(last) or not _ends_in_relu(value, ends):
            continue
        if not isinstance(value, ast.Call) or _is_named_apart(last):
            continue
        yield Told(
            "log_cut_at_zero",
            value,
            f"a ReLU, or a limit of 0, is the last step to `{name}`, so that this logarithm is "
            "never below 0: the "
            "deviation is 1 or more, and the code is drowned in noise; let it end in the linear "
            "layer",
            tuple(_without_relu(value, tree)),
        )


def _logs(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Each name and its value: also of a part of what a layer gives, or a function returns."""
    yield from ((name, value) for _, name, value in assigned(tree))
    own, made = functions(tree), {n: v for _, n, v in assigned(tree)}
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as call):
                pass
            case _:
                continue
        returns = (n.value for n in inside(own[tail(call)])
                   if isinstance(n, ast.Return)) if tail(call) in own else ()  # fmt: skip
        for value in returns:
            if isinstance(value, ast.Tuple):
                yield from zip(map(dotted, names), value.elts, strict=False)
        if tail(call) in ("chunk", "split") and isinstance(call.func, ast.Attribute):
            of = call.func.value
            layer = made.get(dotted(of.func)) if isinstance(of, ast.Call) else None
            if layer is not None:
                yield from ((dotted(n), layer) for n in names)


def _is_named_apart(name: str) -> bool:
    return "net" in name.lower().split("_")


def _ends_in_relu(value: ast.expr, ends: set[str]) -> bool:
    match value:
        case ast.Call(args=args):
            name = tail(value)
            if name == "Sequential" and args:
                return isinstance(args[-1], ast.Call) and callee(args[-1]) == "ReLU"
            if name == "relu" or _is_at_least_zero(value):
                return True
            return name in ends and dotted(value.func) == name
    return False


def _is_at_least_zero(value: ast.expr) -> bool:
    """`x.clamp(min=0)`, `torch.clamp(x, min=0)`."""
    match value:
        case ast.Call(keywords=[ast.keyword(arg="min", value=ast.Constant(value=0))]):
            return tail(value) in ("clamp", "clamp_", "clip")
        case ast.Call(keywords=[], args=[*_, ast.Constant(value=0)]):
            return tail(value) == "clamp_min"
    return False


def _without_relu(value: ast.Call, tree: ast.Module) -> Iterator[dict[str, object]]:
    if tail(value) == "relu":
        of = value.args[0] if value.args else getattr(value.func, "value", None)
        if isinstance(of, ast.Call):
            yield way("the logarithm may be below 0", put(value, of))
    elif tail(value) in functions(tree) and len(value.args) == 2 and module_classes(tree):
        a, b = value.args
        yield way("the logarithm may be below 0", put(value, "nn.Linear(", a, ", ", b, ")"))


def velocity_turned(tree: ast.Module) -> Found:
    """`x_t = (1 - t) * noise + t * data` with the target `noise - data`, and steps forwards."""
    for node, name, value in assigned(tree):
        ends = _ends_of_the_way(value)
        if ends is None:
            continue
        start, end = ends
        begin, aim = ast.unparse(start), ast.unparse(end)
        for difference in (n for n in walk(tree) if isinstance(n, ast.BinOp)):
            if not isinstance(difference.op, ast.Sub) or abs(difference.lineno - node.lineno) > 12:
                continue
            sides = ast.unparse(difference.left), ast.unparse(difference.right)
            if sides != (begin, aim) or not _steps_forwards(tree):
                continue
            yield Told(
                "velocity_turned",
                difference,
                f"`{name}` goes from `{begin}` at 0 to `{aim}` at 1, so that its velocity is "
                f"`{aim} - {begin}`; this is the opposite, and a sampler that adds it on the way "
                f"from 0 to 1 moves away from `{aim}`",
                (way("the velocity points forwards", swapped(difference.left, difference.right)),),
            )
            return


def _ends_of_the_way(value: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """What a mixture is at time 0 and at 1: `(1 - t) * a + t * b`, `a + t * (b - a)`, `lerp`."""
    match value:
        case ast.Call(args=[start, end, _]) if dotted(value.func) == "torch.lerp":
            return start, end
        case ast.BinOp(
            left=ast.Name() as start, op=ast.Add(), right=ast.BinOp(op=ast.Mult()) as more
        ):
            for by in (more.left, more.right):
                match by:
                    case ast.BinOp(left=end, op=ast.Sub(), right=again) if (
                        ast.unparse(again) == start.id
                    ):
                        return start, end
        case ast.BinOp(left=one, op=ast.Add(), right=two):
            for before, behind in ((one, two), (two, one)):
                match before, behind:
                    case (
                        ast.BinOp(
                            left=ast.BinOp(
                                left=ast.Constant(value=1 | 1.0), op=ast.Sub(), right=time
                            ),
                            op=ast.Mult(),
                            right=start,
                        ),
                        ast.BinOp(left=again, op=ast.Mult(), right=end),
                    ) if ast.unparse(time) == ast.unparse(again):
                        return start, end
    return None


def _steps_forwards(tree: ast.Module) -> bool:
    """Whether the only sampler adds what the model says, with a time that rises from 0."""
    found: list[bool] = []
    for loop in (n for n in walk(tree) if isinstance(n, ast.For)):
        if method_calls(loop, "backward"):
            continue
        rises = isinstance(loop.iter, ast.Call) and tail(loop.iter) == "range"
        rises &= isinstance(loop.iter, ast.Call) and len(loop.iter.args) == 1
        rises |= _goes_over_pairs(loop.iter, tree)
        text = ast.unparse(loop)
        names = [re.escape(n.id) for n in walk(loop.target) if isinstance(n, ast.Name)]
        back = re.search(rf"1(\.0)? - \(?({'|'.join(names)})\b", text) is not None
        back |= _has_a_time_that_falls(loop)
        for node in walk(loop):
            match node:
                case ast.Assign(
                    targets=[target], value=ast.BinOp(left=left, op=sign, right=by)
                ) if dotted(target) and dotted(target) == dotted(left):
                    pass
                case ast.AugAssign(target=target, op=sign, value=by):
                    pass
                case _:
                    continue
            if any(isinstance(n, ast.Call) for n in walk(by)) and dotted(target) in words(by):
                found.append(rises and not back and isinstance(sign, ast.Add))
    return bool(found) and all(found)


def _has_a_time_that_falls(loop: ast.For) -> bool:
    """`t -= dt`, `t = t - dt`: by a number that the model is not asked for."""
    for node in walk(loop):
        match node:
            case ast.AugAssign(op=ast.Sub(), value=by) if not any(
                isinstance(n, ast.Call) for n in walk(by)
            ):
                return True
            case ast.Assign(
                targets=[ast.Name(id=to)],
                value=ast.BinOp(left=ast.Name(id=of), op=ast.Sub(), right=by),
            ) if to == of and not any(isinstance(n, ast.Call) for n in walk(by)):
                return True
    return False


def _goes_over_pairs(over: ast.expr, tree: ast.Module) -> bool:
    """`zip(ts[:-1], ts[1:])` of `ts = torch.linspace(0, 1, n)`."""
    match over:
        case ast.Call(
            func=ast.Name(id="zip"), args=[ast.Subscript(value=of, slice=part), ast.Subscript()]
        ) if ast.unparse(part) == ":-1":
            made = made_of(of, tree)
            return len(made) == 1 and ast.unparse(made[0]).startswith("torch.linspace(0, 1,")
    return False


def previous_turned(tree: ast.Module) -> Found:
    """`alphas_bar_prev = F.pad(alphas_bar[1:], (0, 1), value=1.0)`: the next ones, not the last."""
    for node, name, value in assigned(tree):
        last = name.rpartition(".")[2]
        of = _moved_to_the_front(value)
        if of is None or not _PREVIOUS.search(last):
            continue
        whole = ast.unparse(of)
        if not any(tail(v) == "cumprod" for v in made_of(of, tree)):
            continue
        yield Told(
            "previous_turned",
            node,
            f"`{name}[t]` is `{whole}[t + 1]` here, with a 1 behind the last one: the step before "
            f"t is `{whole}[t - 1]`, with a 1 in front; write "
            f"`torch.cat([torch.ones(1), {whole}[:-1]])`",
            (way("each step is given that before it", *[
                put(value, f"torch.cat([torch.ones(1), {whole}[:-1]])")]),)
            if not dotted(getattr(value, "func", value)).startswith(("np", "numpy")) else (),
        )  # fmt: skip


_PREVIOUS = re.compile(r"(?i)prev")


def _moved_to_the_front(value: ast.expr) -> ast.expr | None:
    """`x` of what begins with `x[1:]` and ends with what is put behind, or of `roll(x, -1)`."""
    match value:
        case ast.Call(
            args=[ast.Subscript(value=of, slice=part), ast.Tuple(elts=[_, ast.Constant(value=1)])]
            | [ast.List(elts=[ast.Subscript(value=of, slice=part), _])]
            | [ast.Tuple(elts=[ast.Subscript(value=of, slice=part), _])]
            | [ast.List(elts=[ast.Subscript(value=of, slice=part), _]), _]
        ) if tail(value) in ("pad", "cat", "concat", "concatenate") and ast.unparse(part) == "1:":
            return of
        case ast.Call(args=[ast.Subscript(value=of, slice=part), _]) if (
            dotted(value.func) in ("np.append", "numpy.append") and ast.unparse(part) == "1:"
        ):
            return of
        case ast.Call(args=[of, shift, *_]) if (
            dotted(value.func) in ("torch.roll", "np.roll") and ast.unparse(shift) == "-1"
        ):
            return of
    return None


def denoises_forwards(tree: ast.Module) -> Found:
    """`x = torch.randn(…)`, then `for i in range(T)` by `alphas[i]`: noise is the last step."""
    for function in (tree, *functions(tree).values()):
        drawn = {
            n for node, n, v in assigned(function) if isinstance(v, ast.Call) and tail(v) == "randn"
        }
        for loop in (n for n in inside(function) if isinstance(n, ast.For)):
            match loop:
                case ast.For(
                    target=ast.Name(id=step),
                    iter=ast.Call(func=ast.Name(id="range" | "tqdm" | "trange")) as rising,
                ):
                    pass
                case _:
                    continue
            if tail(_unbarred(rising)) not in ("range", "trange"):
                continue  # `tqdm(reversed(range(T)))`
            rising = _unbarred(rising)
            if len(rising.args) > 1 and ast.unparse(rising.args[0]) != "0":
                continue
            if len(rising.args) > 2 or method_calls(loop, "backward"):
                continue
            body = list(inside(loop))
            by_step = [
                n for n in body
                if isinstance(n, ast.Subscript) and _SCHEDULE.search(tail(n.value))
                and ast.unparse(n.slice) == step
            ]  # fmt: skip
            less = (n for n in body if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub))
            turned = any(dotted(n.right) == step for n in less)
            goes_on = {n for node, n, v in assigned(loop) if n in drawn and n in words(v)}
            goes_on = {n for n in goes_on if _asks_of(n, body)}
            if not by_step or turned or not goes_on or step in _bound_in(loop):
                continue
            end = rising.args[-1]
            yield Told(
                "denoises_forwards",
                loop,
                f"`{min(goes_on)}` starts as pure noise, and `{step}` rises from 0, the step with "
                "the least noise: the way back begins at the last step and goes down to 0; write "
                f"`reversed(range({ast.unparse(end)}))`",
                (way("from the most noise to none", put(rising, "reversed(", rising, ")")),)
                if tail(rising) == "range"
                else (),
            )
            return


def _unbarred(over: ast.Call) -> ast.Call:
    """`range(T)` of `tqdm(range(T), desc="…")`."""
    inner = over.args[0] if tail(over) == "tqdm" and over.args else over
    return inner if isinstance(inner, ast.Call) else over


def _asks_of(name: str, body: list[ast.AST]) -> bool:
    """Whether a model is asked of it: data that are drawn only go on into noise."""
    return any(
        isinstance(n, ast.Call) and name in {w for a in n.args for w in words(a)}
        and not dotted(n.func).startswith(("torch.", "math.", "np.", "F."))
        and dotted(n.func) not in ("print", "len", "float")
        and (isinstance(n.func, ast.Name) or dotted(n.func).startswith("self."))
        for n in body
    )  # fmt: skip


_SCHEDULE = re.compile(r"(?i)alpha|beta|sqrt_|^abar|^a_?bar|posterior")


def _bound_in(loop: ast.For) -> set[str]:
    """The variables that the body of a loop assigns."""
    return {name for statement in loop.body for name in rebound(statement)}


RULES = (
    noise_drawn_once,
    log_cut_at_zero,
    velocity_turned,
    denoises_forwards,
    previous_turned,
)
