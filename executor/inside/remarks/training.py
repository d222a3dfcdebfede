"""Find training loops whose steps do not do what they look like."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, added, moved, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    blocks,
    callee,
    calls_in,
    dotted,
    functions,
    inside,
    is_layer,
    is_model,
    is_named,
    is_optimizer,
    is_step,
    loops,
    made_of,
    method_calls,
    optimizers,
    origins,
    owner,
    reached,
    rebound,
    stepped,
    tail,
    trained,
    values,
    walk,
    words,
)
from executor.inside.remarks.whole import has_others, stands_alone


def _zeroed_outside(tree: ast.Module) -> Found:
    """Steps in an inner loop whose gradients are set to zero only in an outer one."""
    pairs = [
        (method_calls(outer, "zero_grad"), [n for n in loops(outer) if n is not outer])
        for outer in loops(tree)
    ]
    held, own = optimizers(tree), functions(tree)
    for block in blocks(tree):  # once, right before the only loop
        zeroed = [c for s in block for name, c in _training_calls(s) if name == "zero_grad"]
        inner = [s for s in block if isinstance(s, ast.For | ast.While)]
        below = reached(inner[0], own) if len(inner) == 1 and zeroed else []
        anew = any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in below)
        steps = [c for c in calls_in(below, "step") if is_step(c, held)]
        anew = anew or bool(calls_in(below, "zero_grad"))
        before = bool(steps) and zeroed[0].lineno < inner[0].lineno
        whose = {stepped(steps[0])} if before else set()
        whose |= {m for name in whose & held.keys() for m in trained(held[name], tree)}
        if before and not anew and owner(zeroed[0]) in whose:
            pairs.append((zeroed, inner))
    for zeroed, inner in pairs:
        for loop in inner if zeroed else ():
            steps = [c for c in method_calls(loop, "step") if is_step(c, held)]
            steps = steps if method_calls(loop, "backward") else []
            some = {n for branch in walk(loop) if isinstance(branch, ast.If) for n in walk(branch)}
            if steps and not method_calls(loop, "zero_grad") and not some & {*steps}:
                into = moved("the gradients of each round alone", zeroed[0], by=loop.body[0])
                yield Told(
                    "zeroed_outside",
                    zeroed[0],
                    "zero_grad() stands outside of the loop in which backward() and step() run: "
                    "the gradients of all its rounds are added up; move it into that loop",
                    (into,) if len(zeroed) == 1 else (),
                )


def _all_but_one(tree: ast.Module) -> Found:
    for node in walk(tree):
        match node:
            case ast.If(test=ast.BinOp(op=ast.Mod(), right=right)) if method_calls(node, "step"):
                n = ast.unparse(right) if isinstance(right, (ast.Name, ast.Constant)) else "n"
                yield (
                    "all_but_one",
                    node,
                    f"this is true in every round but each {n}-th one, where the remainder is 0; "
                    "for every n-th round write `== 0`",
                )


def _never_zeroed(tree: ast.Module) -> Found:
    """Steps in a loop, and nothing anywhere that sets a gradient to zero."""
    said = words(tree)
    if "zero_grad" in said or "grad" in said or "set_to_none" in said or "closure" in said:
        return
    held, own = optimizers(tree), functions(tree)
    for loop in loops(tree):
        below = reached(loop, own)
        steps = [c for c in calls_in(below, "step") if is_step(c, held)]
        if not steps or not calls_in(below, "backward"):
            continue
        name = stepped(steps[0])
        made = [v for v in origins(tree).get(name, ()) if not dotted(v)]
        if _is_handed_on(name, below, tree) or not all(map(is_optimizer, made)):
            return
        if not made and has_others(tree):
            return  # it may be one of a library that zeroes the gradients itself
        yield (
            "never_zeroed",
            steps[0],
            "no zero_grad() is called anywhere here: backward() adds to the gradients that are "
            f"there, so each step uses the sum of all rounds; call `{name}.zero_grad()` before "
            "each backward()",
        )
        return


_SCHEDULES = ("LR", "Scheduler", "Restarts", "Plateau")


def _is_handed_on(name: str, nodes: list[ast.AST], tree: ast.Module) -> bool:
    """Whether code that is not here gets it, or is given back by the function: more may be done."""
    own = functions(tree).keys() | {"step"}
    calls = [n for n in nodes if isinstance(n, ast.Call) and tail(n) not in own]
    given = [a for c in calls if not tail(c).endswith(_SCHEDULES) for a in _arguments(c)]
    back = [m for n in nodes if isinstance(n, ast.Return) for m in walk(n)]
    return name in map(dotted, (*given, *back))


def _thrown_away(tree: ast.Module) -> Found:
    """zero_grad() between backward() and step(), in one run of statements."""
    for block in blocks(tree):
        order: list[tuple[str, ast.AST]] = [
            done for s in block
            for done in ([("zero_grad", s)] if _drops(s) else _training_calls(s))
        ]  # fmt: skip
        for (a, _), (b, wiped), (c, step) in zip(order, order[1:], order[2:], strict=False):
            if (a, b, c) != ("backward", "zero_grad", "step"):
                continue
            of = owner(wiped) if isinstance(wiped, ast.Call) else ""
            if isinstance(step, ast.Call) and (of == stepped(step) or not is_named(of)):
                yield (
                    "thrown_away",
                    wiped,
                    "this throws away the gradients that backward() has just computed, "
                    "before step() uses them: the weights do not change; call it before backward()",
                )


def _training_calls(statement: ast.stmt) -> list[tuple[str, ast.Call]]:
    """What a statement of its own does for the training: `loss.backward()`, not in a branch."""
    call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    if isinstance(call, ast.Call) and tail(call) in ("backward", "zero_grad", "step"):
        return [] if _OTHERS.search(owner(call)) else [(tail(call), call)]
    return []


_OTHERS = re.compile(r"(?i)sched|prof|ema|env|warm")  # what has a `step` of another kind


def _clips(statement: ast.stmt) -> ast.Call | None:
    """The call by which a statement clips gradients, perhaps under an `if` or each by itself."""
    if isinstance(statement, ast.If) and len(statement.body) == 1 and not statement.orelse:
        return _clips(statement.body[0])
    match statement:
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
            return call if re.match(r"(dispatch_)?clip_grad", tail(call)) else None
        case ast.For(body=[*_, ast.Expr(value=ast.Call(func=ast.Attribute() as of) as call)]):
            grad = "grad" in words(of) and of.attr in ("clamp_", "clip_")
            return call if grad and "parameters" in words(statement.iter) else None
    return None


def _drops(statement: ast.stmt) -> bool:
    """`for p in model.parameters(): p.grad = None`."""
    match statement:
        case ast.For(body=[ast.Assign(targets=[ast.Attribute(attr="grad")], value=value)]):
            return isinstance(value, ast.Constant) and value.value is None
    return False


_IN_TIME = "clipped once the gradients are there, and used"


def clipped_late(tree: ast.Module) -> Found:
    """Gradients that are clipped only after the step, or before there are any."""
    for block in blocks(tree):
        at: dict[str, list[int]] = {}
        clips: list[tuple[int, ast.Call]] = []
        for i, statement in enumerate(block):
            for name, _ in _training_calls(statement):
                at.setdefault(name, []).append(i)
            if (call := _clips(statement)) is not None:
                clips.append((i, call))
        norms = {w for i, _ in clips if isinstance(block[i], ast.Assign) for w in rebound(block[i])}
        if any(isinstance(s, ast.Assign) and norms & words(s.value) for s in block):
            continue  # the norms are what is wanted
        if not clips or len(at.get("backward", ())) != 1 or len(at.get("step", ())) != 1:
            continue
        back, step = at["backward"][0], at["step"][0]
        if all(i > step > back or i < back < step for i, _ in clips):
            when = "after step()" if clips[0][0] > step else "before backward()"
            yield Told(
                "clipped_late",
                clips[0][1],
                f"the gradients are clipped {when}, where that changes no step; clip between "
                "backward() and step()",
                (moved(_IN_TIME, block[clips[0][0]], by=block[back], after=True),),
            )


def _is_other(of: ast.expr, tree: ast.Module) -> bool:
    """Whether it steps something else, by its name or by what it is made of: a schedule."""
    made = [tail(v) for v in made_of(of, tree) if isinstance(v, ast.Call)]
    schedules = [name.endswith(_SCHEDULES) for name in made]
    return _OTHERS.search(dotted(of)) is not None or (bool(made) and all(schedules))


def _never_stepped(tree: ast.Module) -> Found:
    """An optimizer that is made here, while backward runs and nothing ever steps."""
    held = optimizers(tree)
    back = [c for loop in loops(tree) for c in calls_in(list(inside(loop)), "backward")]
    steps = [n for n in walk(tree) if isinstance(n, ast.Attribute) and n.attr == "step"]
    if not held or not back:
        return
    if any(dotted(n.value) in held or not _is_other(n.value, tree) for n in steps):
        return
    if any(isinstance(n, ast.Attribute) and n.attr.endswith("_step") for n in walk(tree)):
        return  # steps of another kind
    given = {
        dotted(a) for n in walk(tree)
        if isinstance(n, ast.Call) and not tail(n).endswith(_SCHEDULES) for a in _arguments(n)
    }  # fmt: skip
    resets = any(tail(n) == "zero_grad" for n in walk(tree))
    if any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in walk(tree)):
        return  # the gradients are what is wanted, or a step by hand
    alone = stands_alone(tree)
    for name in held:
        if not alone and ("." in name or _is_handed_on(name, list(walk(tree)), tree)):
            continue  # other code may take the steps
        add = "" if resets else f", and `{name}.zero_grad()` before it"
        if name not in given and not any(name.endswith(f".{g}") for g in given):
            yield (
                "never_stepped",
                back[0],
                f"backward() only computes gradients, and `{name}.step()` is called nowhere here: "
                f"the weights stay as they are; call `{name}.step()` after backward(){add}",
            )
            return


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(k.value for k in call.keywords)]


def step_outside(tree: ast.Module) -> Found:
    """backward() and zero_grad() in an inner loop, step() only behind it."""
    held = optimizers(tree)
    for block in blocks(tree):
        for i, inner in enumerate(block):
            if not isinstance(inner, (ast.For, ast.While)):
                continue
            own = list(inside(inner))
            zeroed = {owner(c) for c in calls_in(own, "zero_grad")}
            if not calls_in(own, "backward") or not zeroed or calls_in(own, "step"):
                continue
            later = [c for s in block[i + 1 :] for n, c in _training_calls(s) if n == "step"]
            of = stepped(later[0]) if later else ""
            fits = {of} | (trained(held[of], tree) if of in held else set())
            called = {dotted(n.func) for n in own if isinstance(n, ast.Call)}
            by_hand = any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in own)
            if of not in held and not by_hand:
                fits |= {name for name in called if name and not is_named(name)}
            if later and zeroed & fits:
                each = calls_in(own, "backward")
                if any("accum" in w.lower() for w in words(inner)):
                    wiped = calls_in(own, "zero_grad")[0]
                    yield Told(
                        "step_outside",
                        wiped,
                        "this zero_grad() runs in each round of the inner loop, and step() (line "
                        f"{later[0].lineno}) behind it: what backward() has added up in the rounds "
                        "before is thrown away; call zero_grad() once, before that loop",
                        (moved("the gradients of all its rounds add up", wiped, by=inner),),
                    )
                    continue
                yield Told(
                    "step_outside",
                    later[0],
                    "step() stands behind the loop in which zero_grad() and backward() run: only "
                    "the gradients of its last round are used; move step() into that loop, after "
                    "backward()",
                    (moved("a step after each backward()", later[0], by=each[0], after=True),)
                    if len(each) == 1
                    else (),
                )


def _made_after_optimizer(tree: ast.Module) -> Found:
    """A model, or a layer of it, that is made anew after the optimizer took its parameters."""
    for block in blocks(tree):
        taken: dict[str, int] = {}  # model → the line of its optimizer
        for statement in block:
            if not isinstance(statement, ast.Assign):
                continue
            last = statement.targets[-1]
            picked = (
                [(statement, ast.unparse(last), statement.value)]
                if isinstance(last, ast.Subscript)
                else []
            )
            for node, name, value in (*assigned(statement), *picked):
                if is_optimizer(value) and isinstance(value, ast.Call):
                    if name:
                        taken |= dict.fromkeys(trained(value, tree), node.lineno)
                    continue
                model = next((m for m in taken if name == m or name.startswith(f"{m}.")), "")
                if not model or not isinstance(value, ast.Call):
                    continue
                if not (is_layer(value) or is_model(value, tree)):
                    continue
                if any(
                    model in trained(o, tree) and o.lineno > node.lineno for o in _optimizers(tree)
                ):
                    continue
                if model in words(value) or not any(
                    c.lineno > node.lineno for c in method_calls(tree, "backward")
                ):
                    continue
                yield (
                    "made_after_optimizer",
                    node,
                    f"`{name}` is made anew after the optimizer of line {taken[model]} took the "
                    f"parameters of `{model}`: it holds the old ones, and these new ones are never "
                    "trained; make the optimizer after this line",
                )


def _optimizers(tree: ast.AST) -> list[ast.Call]:
    return [n for n in walk(tree) if isinstance(n, ast.Call) and is_optimizer(n)]


def _scaler(tree: ast.Module) -> Found:
    """A gradient scaler whose parts are not all used."""
    names = _scalers(tree)
    if not names or any("lightning" in w.lower() for w in words(tree)):
        return
    everything = list(walk(tree))
    last = {name.rpartition(".")[2] for name in names}  # `scaler`, of `scaler = self.scaler`
    own = [c for c in calls_in(everything, "step") if owner(c).rpartition(".")[2] in last]
    others = [c for c in calls_in(everything, "step") if is_step(c, optimizers(tree))]
    if not own and others:
        yield (
            "scaler",
            others[0],
            "the loss is scaled up and the gradients are used as they are, many thousand times too "
            f"large: step with `{min(names)}.step({owner(others[0])})`, then `{min(names)}"
            ".update()`",
        )
    if own and not calls_in(everything, "update"):
        yield (
            "scaler",
            own[0],
            f"`{min(names)}.update()` is called nowhere: the scale never adapts; call it after "
            "each step",
        )


def _scalers(tree: ast.Module) -> set[str]:
    """The gradient scalers that scale a loss, by their names or by what they are."""
    made = {
        n for n, v in values(tree).items() if isinstance(v, ast.Call) and callee(v) == "GradScaler"
    }
    numbers = {n for n, v in values(tree).items() if isinstance(v, ast.Constant)}
    return {
        n for n in map(owner, method_calls(tree, "scale")) if "scaler" in n.lower() or n in made
    } - numbers


def rate_unread(tree: ast.Module) -> Found:
    """`lr = lr * 0.5` in the loop, of a number that the optimizer was given before it."""
    if words(tree) & {"param_groups", "lr_scheduler"}:
        return
    yield from _rate_set_aside(tree)
    for name, made in optimizers(tree).items():
        rates = [k.value for k in made.keywords if k.arg == "lr"] + made.args[1:2]
        rate = dotted(rates[0]) if rates else ""
        for loop in loops(tree) if rate else ():
            body = list(inside(loop))
            if not calls_in(body, "backward") or made in body or rate in _loop_names(loop):
                continue
            changed = [
                n
                for n in body
                if (isinstance(n, ast.AugAssign) and dotted(n.target) == rate)
                or (isinstance(n, ast.Assign) and [dotted(t) for t in n.targets] == [rate])
            ]
            own = {m for n in changed for m in walk(n)}
            own |= {m for n in body if isinstance(n, ast.Call) and tail(n) in _SHOWS
                    for m in walk(n)}  # fmt: skip
            reads = [n for n in body if isinstance(n, ast.Name | ast.Attribute)
                     and dotted(n) == rate and n not in own]  # fmt: skip
            if changed and not reads:
                groups = f"[group.update(lr={rate}) for group in {name}.param_groups]"
                yield Told(
                    "rate_unread",
                    changed[-1],
                    f"`{name}` took the number that `{rate}` was when it was made, and nothing "
                    f"reads `{rate}` after this line: the steps go on with the old rate; write it "
                    f"into the groups too: `{groups}`",
                    (
                        way(
                            "the steps take the new rate",
                            add=added(groups, changed[-1], after=True),
                        ),
                    )
                    if len(changed) == 1
                    else (),
                )
                return


def _rate_set_aside(tree: ast.Module) -> Found:
    """`optimizer.lr = 0.01`, `optimizer.defaults["lr"] = 0.01`."""
    held = optimizers(tree)
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=of, attr="lr" | "learning_rate") as place]
            ):
                pass
            case ast.Assign(
                targets=[
                    ast.Subscript(
                        value=ast.Attribute(value=of, attr="defaults"),
                        slice=ast.Constant(value="lr"),
                    ) as place
                ]
            ):
                pass
            case _:
                continue
        if (name := dotted(of)) in held and "add_param_group" not in words(tree):
            groups = (
                f"[group.update(lr={ast.unparse(node.value)}) for group in {name}.param_groups]"
            )
            yield Told(
                "rate_unread",
                node,
                f"an optimizer does not read `{ast.unparse(place)}`: its steps go on with the rate "
                f"of its groups; write it there: `{groups}`",
                (way("the steps take the new rate", put(node, groups)),),
            )
            return


_SHOWS = {"print", "info", "append", "write", "add_scalar", "log", "set_postfix", "debug"}


def _loop_names(loop: ast.For | ast.While) -> set[str]:
    return words(loop.target) if isinstance(loop, ast.For) else set()


def clipped_scaled(tree: ast.Module) -> Found:
    """Gradients that are clipped while a scaler still holds them large."""
    names = _scalers(tree)
    if not names or "unscale_" in words(tree) or any("lightning" in w.lower() for w in words(tree)):
        return
    steps = [c for c in method_calls(tree, "step") if owner(c) in names and c.args]
    if not steps:
        return
    clips = [c for c in walk(tree) if isinstance(c, ast.Call) and tail(c).startswith("clip_grad_")]
    clips = [c for c in clips if any(_within(c, steps[0], f) for f in (tree, *_defined(tree)))]
    if steps and clips:
        unscale = f"{owner(steps[0])}.unscale_({ast.unparse(steps[0].args[0])})"
        yield Told(
            "clipped_scaled",
            clips[0],
            "the gradients are still scaled here, so the limit means something else than it says: "
            f"call `{unscale}` before clipping",
            (way("the limit is one of the gradients themselves", add=added(unscale, clips[0])),),
        )


def _defined(tree: ast.Module) -> list[ast.FunctionDef]:
    return [n for n in walk(tree) if isinstance(n, ast.FunctionDef)]


def _within(one: ast.AST, other: ast.AST, scope: ast.AST) -> bool:
    """Whether both run in one function, or at the top."""
    return {one, other} <= set(inside(scope))


def _slow(tree: ast.Module) -> Found:
    """Plain SGD with a learning rate that moves little in a few rounds."""
    numbers = {
        name: value.value
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Constant) and isinstance(value.value, float)
    }
    for call in _optimizers(tree):
        if callee(call) != "SGD":
            continue
        given = next((k.value for k in call.keywords if k.arg == "lr"), None)
        given = given if given is not None else (call.args[1] if len(call.args) > 1 else None)
        rate = (
            given.value if isinstance(given, ast.Constant) else numbers.get(dotted(given or call))
        )
        if isinstance(rate, float) and 0 < rate <= _SLOW:
            yield (
                "slow",
                call,
                f"SGD with a learning rate of {rate:g} moves little in few steps: if the loss "
                "hardly changes, try `torch.optim.Adam(…, lr=1e-3)` or a rate 10 to 100 times "
                "larger, more steps in smaller batches, and inputs of about mean 0, deviation 1",
            )


_SLOW = 0.001


RULES = (
    _thrown_away,
    _never_stepped,
    step_outside,
    _scaler,
    _made_after_optimizer,
    _zeroed_outside,
    _never_zeroed,
    _all_but_one,
    clipped_late,
    clipped_scaled,
    rate_unread,
    _slow,
)
