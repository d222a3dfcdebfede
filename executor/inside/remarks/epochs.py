"""Find what starts anew in each round of a loop, or is kept from one round to the next."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from executor.inside.remarks.edits import Told, moved
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    blocks,
    callee,
    calls_in,
    dotted,
    functions,
    inside,
    is_model,
    is_optimizer,
    is_step,
    loops,
    method_calls,
    optimizers,
    owner,
    rebound,
    says,
    tail,
    trained,
    walk,
    words,
)


def each_epoch(tree: ast.Module) -> Found:
    """What starts all over in every epoch: the model, the optimizer, the random numbers."""
    held = optimizers(tree)
    models = {m for call in held.values() for m in trained(call)}
    own = functions(tree)
    for loop in loops(tree):
        yield from _seeded_within(loop, own)
        if not isinstance(loop, ast.For) or not calls_in(list(inside(loop)), "backward"):
            continue
        is_epoch = "epoch" in dotted(loop.target).lower()
        for statement in loop.body:
            match statement:
                case ast.Expr(value=ast.Call() as call) if _seeds(call, own) and (
                    is_epoch or _goes_through(loop, held)
                ):
                    yield Told(
                        "seeded_each_epoch",
                        call,
                        "the random numbers start anew in each epoch: the same order of the "
                        "samples, the same dropout, the same augmentation; seed once, before the "
                        "loop",
                        (moved(_ONCE, statement, by=loop),),
                    )
                case ast.Assign(targets=[target], value=ast.Call() as value) if (
                    is_epoch and dotted(target) in models and is_model(value, tree)
                ):
                    yield Told(
                        "made_each_epoch",
                        statement,
                        f"`{dotted(target)}` is made anew, with new random weights, in each "
                        "epoch: what the epochs before have learned is lost; make it once, before "
                        "the loop",
                        (moved(_ONCE, *_with_optimizers(loop, statement), by=loop),),
                    )
                case ast.Assign(targets=[target], value=ast.Call() as value) if (
                    is_epoch
                    and is_optimizer(value)
                    and _averages(value)
                    and not words(value) & rebound(loop)
                    and _trains_within(loop)
                ):
                    yield Told(
                        "optimizer_each_epoch",
                        statement,
                        f"`{dotted(target)}` is made anew in each epoch: what it averages over the "
                        "steps starts from nothing each time; make it once, before the loop",
                        (moved(_ONCE, statement, by=loop),),
                    )  # fmt: skip


def seeded_each_sample(tree: ast.Module) -> Found:
    """A data set that seeds by the same number before it draws for a sample."""
    own = functions(tree)
    for method in (f for n, f in own.items() if n == "__getitem__"):
        drawn = any(
            isinstance(n, ast.Call) and re.match(r"rand|normal|uniform|choice|bernoulli", tail(n))
            for n in inside(method)
        )
        for statement in method.body if drawn else ():
            match statement:
                case ast.Expr(value=ast.Call() as call) if _seeds(call, own):
                    yield Told(
                        "seeded_each_sample",
                        call,
                        "the random numbers start anew at each sample: all samples of all epochs "
                        "get the very same noise or augmentation; seed once, before the training",
                    )
                    return


_NUMPYS = ("np.random.seed", "numpy.random.seed", "random.seed")


def _seeds(call: ast.Call, own: dict[str, ast.FunctionDef]) -> bool:
    """Whether a call seeds the random numbers by the same number each time."""
    given = [*call.args, *(k.value for k in call.keywords)]
    if not all(isinstance(a, ast.Constant) for a in given):
        return False
    if tail(call) == "manual_seed" or dotted(call.func) in _NUMPYS:
        return bool(given)
    function = own.get(dotted(call.func))
    return function is not None and any(
        isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and tail(s.value) == "manual_seed"
        and not any(isinstance(n, ast.Call) for a in s.value.args for n in walk(a))
        for s in function.body
    )  # fmt: skip


def _seeded_within(loop: ast.For | ast.While, own: dict[str, ast.FunctionDef]) -> Found:
    """A function that trains for one epoch, and seeds first of all."""
    if not isinstance(loop, ast.For) or "epoch" not in dotted(loop.target).lower():
        return
    for name in {dotted(n.func) for n in inside(loop) if isinstance(n, ast.Call)} & own.keys():
        function = own[name]
        if not calls_in(list(inside(function)), "backward") or not _goes_on(function, loop):
            continue
        for statement in function.body:
            match statement:
                case ast.Expr(value=ast.Call() as call) if _seeds(call, own):
                    yield Told(
                        "seeded_each_epoch",
                        call,
                        f"`{name}` runs once in each epoch, and the random numbers start anew in "
                        "it: the same order of the samples, the same dropout, the same "
                        "augmentation each time; seed once, before the loop",
                        (moved(_ONCE, statement, by=loop),),
                    )


def _goes_on(function: ast.FunctionDef, loop: ast.For) -> bool:
    """Whether it trains what it is given, and makes no model and no loop over epochs itself."""
    return not any(is_optimizer(n) for n in walk(function)) and loop not in walk(function)


def _with_optimizers(loop: ast.For, made: ast.Assign) -> list[ast.stmt]:
    """The statement that makes a model, and those that make optimizers of it in the same loop."""
    name = dotted(made.targets[0])
    return [
        s
        for s in loop.body
        if s is made
        or (isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
            and is_optimizer(s.value) and name in trained(s.value))
    ]  # fmt: skip


_ONCE = "once, before the loop over the epochs"


def _averages(made: ast.Call) -> bool:
    """Whether an optimizer keeps something from step to step."""
    return callee(made) != "SGD" or any(k.arg in ("momentum", None) for k in made.keywords)


def _goes_through(loop: ast.For, held: Collection[str]) -> bool:
    """Whether it goes through the data again and again, with what was made before it.

    Its rounds are no trials: an inner loop trains, and no optimizer is made anew in it.
    """
    inner = {dotted(n.target).lower() for n in inside(loop) if isinstance(n, ast.For)}
    trials = any("epoch" in name for name in inner) or says(loop.target, _TRIAL)
    return not trials and _trains_within(loop) and bool(held) and not rebound(loop) & set(held)


_TRIAL = re.compile(r"(?i)seed|trial|(^|_)run|fold|repeat|experiment|config")


def _trains_within(loop: ast.For) -> bool:
    """Whether an inner loop trains."""
    inner = (n for n in inside(loop) if isinstance(n, ast.For | ast.While))
    return any(calls_in(list(inside(n)), "backward") for n in inner)


def state_not_copied(tree: ast.Module) -> Found:
    """The best weights kept as a reference: the next step changes them too."""
    loaded = {dotted(a) for c in method_calls(tree, "load_state_dict") for a in c.args}
    for loop in loops(tree):
        own = list(inside(loop))
        if not calls_in(own, "step") and not any(map(_trains_elsewhere, own)):
            continue
        for branch in (n for n in own if isinstance(n, ast.If)):
            at_once = any(
                isinstance(n, ast.Break) or (isinstance(n, ast.Call) and tail(n) == "save")
                for n in inside(branch)
            )
            for node, name, value in assigned(branch) if not at_once else ():
                if not isinstance(value, ast.Call) or tail(value) != "state_dict":
                    continue
                if name in loaded or "best" in name.lower():
                    yield (
                        "state_not_copied",
                        node,
                        "state_dict() returns the weights themselves, no copy: each later step "
                        f"changes `{name}` too, and in the end it holds the last weights; write "
                        f"`copy.deepcopy({owner(value)}.state_dict())`",
                    )


def _trains_elsewhere(node: ast.AST) -> bool:
    """`train_one_epoch(model, loader)`: a function that by its name takes the steps."""
    return isinstance(node, ast.Call) and re.match(r"_?(train|fit)(_|$)", callee(node)) is not None


def _graph_kept(tree: ast.Module) -> Found:
    started = {dotted(c.func).rpartition(".")[0] for c in method_calls(tree, "backward")}
    for loop in walk(tree):
        if not isinstance(loop, (ast.For, ast.While)):
            continue
        for node in walk(loop):
            match node:
                case ast.AugAssign(target=target, op=ast.Add(), value=ast.Name(id=name)) if (
                    name.lower().endswith("loss") and dotted(target) not in started
                ):
                    yield (
                        "graph_kept",
                        node,
                        f"`{dotted(target)}` keeps the graph of every round, and with it their "
                        f"memory, unless gradients are off; add up numbers: `{name}.item()`",
                    )


def _lost_by_loading(tree: ast.Module) -> Found:
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[target],
                value=ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict")),
            ) if dotted(target) == dotted(owner) != "":
                yield (
                    "lost_by_loading",
                    node,
                    f"load_state_dict changes `{dotted(owner)}` and returns something else (a "
                    "report, or None): after this line the name holds no model or optimizer any "
                    "more; do not assign it",
                )


def _never_reset(tree: ast.Module) -> Found:
    """A counter of correct answers that goes on through all epochs, and is shown as a share."""
    for block in blocks(tree):
        zero = {
            name: i
            for i, s in enumerate(block)
            for _, name, value in (assigned(s) if isinstance(s, ast.Assign) else ())
            if isinstance(value, ast.Constant) and value.value == 0
        }
        for i, outer in enumerate(block):
            if not isinstance(outer, ast.For) or not calls_in(list(inside(outer)), "backward"):
                continue
            inner = [n for n in inside(outer) if isinstance(n, (ast.For, ast.While))]
            grows = {
                dotted(n.target)
                for loop in inner
                for n in inside(loop)
                if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Add)
            }
            made = {name for _, name, _ in assigned(outer)}
            for n in inside(outer):
                if not isinstance(n, ast.BinOp) or not isinstance(n.op, ast.Div):
                    continue
                name = dotted(n.left)
                other = words(n.right) & grows
                if zero.get(name, i) < i and name in grows - made and not other - made:
                    yield (
                        "never_reset",
                        n,
                        f"`{name}` is set to 0 only once, before the epochs: from the second one "
                        "on this share counts the earlier epochs too and can go over 1; set it to "
                        "0 at the start of each epoch",
                    )
                    return


def _carried(tree: ast.Module) -> Found:
    """A state that each round gets from the one before, in code that never goes back through it."""
    said = words(tree)
    if said & {"backward", "no_grad", "detach", "detach_", "data", "inference_mode", "fit", "step"}:
        return
    if "set_grad_enabled" in said or not said & {"nn", "torch"}:
        return
    for loop in loops(tree):
        for node in inside(loop):
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=[_, *states])], value=ast.Call() as call):
                    given = {dotted(a) for a in call.args}
                    kept = [dotted(s) for s in states if dotted(s) in given - {""}]
                    if kept and isinstance(loop, ast.While):
                        yield (
                            "carried",
                            node,
                            f"`{kept[0]}` comes out of one round and goes into the next, with the "
                            "graph of all rounds behind it: memory grows with each; run it under "
                            f"`torch.no_grad()`, or write `{kept[0]} = {kept[0]}.detach()`",
                        )


def _scheduler_idle(tree: ast.Module) -> Found:
    """A learning-rate schedule that is made and never moves."""
    made = {
        name: node
        for node, name, value in assigned(tree)
        if isinstance(value, ast.Call) and "lr_scheduler" in dotted(value.func)
    }
    everything = list(walk(tree))
    if not any(is_step(c, optimizers(tree)) for c in calls_in(everything, "step")):
        return
    used = {dotted(n) for n in everything if isinstance(n, (ast.Name, ast.Attribute))}
    for name, node in made.items():
        loads = [
            n
            for n in everything
            if isinstance(n, (ast.Name, ast.Attribute))
            and isinstance(n.ctx, ast.Load)
            and dotted(n) == name
        ]
        if name in used and not loads:
            yield (
                "scheduler_idle",
                node,
                f"`{name}` is made and never used: the learning rate stays as it is; call "
                f"`{name}.step()` after each epoch (or after each step, as the schedule is meant)",
            )


RULES = (
    each_epoch,
    seeded_each_sample,
    state_not_copied,
    _lost_by_loading,
    _carried,
    _graph_kept,
    _never_reset,
    _scheduler_idle,
)
