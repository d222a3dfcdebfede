"""Find functions that are right in themselves, and called so that they do another thing."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, swapped, way
from executor.inside.remarks.parts import HELD, TRAINING
from executor.inside.remarks.syntax import (
    Found,
    argument,
    calls_in,
    constant,
    dotted,
    functions,
    inside,
    loops,
    methods_named,
    tail,
    walk,
    words,
)

_FOLLOWS = re.compile(r"(?i)target|tgt|(^|_)t$|ema|slow|teacher|shadow|old")
_LEADS = re.compile(r"(?i)source|src|online|^local|main")
_FORCES = re.compile(r"(?i)teacher_?forc|forcing|tf_?ratio")
_JUDGES = re.compile(r"(?i)eval|valid|test|accuracy|score")
_SEEDS = re.compile(r"(?i)seed")


def followed_turned(tree: ast.Module) -> Found:
    """`soft_update(net, net_target)` of `def soft_update(target, source)`."""
    for name, function in functions(tree).items():
        given = [a.arg for a in function.args.args]
        if len(given) < 2 or not _FOLLOWS.search(given[0]) or not _LEADS.search(given[1]):
            continue
        if not words(function) & {"copy_", "mul_", "lerp_", "add_", "data", "load_state_dict"}:
            continue
        for call in (n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == name):
            if len(call.args) < 2:
                continue
            one, other = (dotted(a).rpartition(".")[2] for a in call.args[:2])
            if _FOLLOWS.search(other) and not _FOLLOWS.search(one) and one and _is_of(other, one):
                yield Told(
                    "followed_turned",
                    call,
                    f"`{name}` writes into its first argument, `{given[0]}`, and gets `{one}` "
                    f"there: `{other}` never moves, and `{one}` is drawn back to it; write "
                    f"`{name}({other}, {one}, …)`",
                    (way(f"`{other}` follows `{one}`", swapped(call.args[0], call.args[1])),),
                )
                return


def _is_of(follower: str, leader: str) -> bool:
    """Whether a name is another one with a word for what follows: `actor_t` of `actor`."""
    return leader.split("_")[0].lower() in follower.lower()


def split_each_call(tree: ast.Module) -> Found:
    """`get("train")` and `get("val")` of a function that draws a split of its own each time."""
    for name, function in functions(tree).items():
        below = list(inside(function))
        splits = [
            c for c in below
            if isinstance(c, ast.Call) and tail(c) in _SPLITS
            and not any(k.arg in ("generator", "random_state") for k in c.keywords)
        ]  # fmt: skip
        if not splits or any(_SEEDS.search(w) for w in words(function)):
            continue
        parameters = {a.arg for a in function.args.args}
        calls = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == name]
        marks = {
            v.value: c for c in calls for v in (*c.args, *(k.value for k in c.keywords))
            if isinstance(v, ast.Constant) and isinstance(v.value, str)
        }  # fmt: skip
        trained = [m for m in marks if TRAINING.search(m)]
        judged = [m for m in marks if HELD.search(m)]
        whole = words(splits[0].args[0]) & parameters if splits[0].args else set()
        if trained and judged and whole and marks[trained[0]] is not marks[judged[0]]:
            yield (
                "split_each_call",
                splits[0],
                f"`{name}` draws a new split each time that it is called: what it gives for "
                f"{judged[0]!r} is mostly what it gave for {trained[0]!r}, and has been trained "
                "on; split once and take both parts of it, or pass "
                "`generator=torch.Generator().manual_seed(0)`",
            )
            return


_SPLITS = {"random_split", "train_test_split"}


def forced_in_evaluation(tree: ast.Module) -> Found:
    """`model(src, tgt)` in an evaluation, where `forward` is forced by default."""
    for forward in methods_named(tree, "forward"):
        given = forward.args.args[1:]
        defaults = dict(zip([a.arg for a in given][-len(forward.args.defaults):],
                            forward.args.defaults, strict=False))  # fmt: skip
        forces = next((n for n in defaults if _FORCES.search(n)), "")
        value = constant(defaults[forces], tree) if forces else None
        if not isinstance(value, ast.Constant) or not value.value:
            continue
        at = [a.arg for a in given].index(forces)
        for name, function in functions(tree).items():
            judges = _JUDGES.search(name) and {"eval", "no_grad"} & words(function)
            if not judges or calls_in(list(inside(function)), "backward"):
                continue
            for call in (n for n in inside(function) if isinstance(n, ast.Call)):
                whole = len(call.args) > 1 and "model" in dotted(call.func).lower()
                if whole and argument(call, at, forces) is None:
                    yield (
                        "forced_in_evaluation",
                        call,
                        f"`forward` has `{forces}={value.value!r}` by default, so that the decoder "
                        "is given the right answer of the step before also here: the figure is "
                        "that of one step after the truth, not of what it decodes by itself; "
                        f"pass `{forces}=0`",
                    )
                    return


def one_seed_for_all(tree: ast.Module) -> Found:
    """`[train_member(x, y) for _ in range(5)]` of a function that sets one seed each time."""
    for name, function in functions(tree).items():
        given = function.args.args
        defaults = {a.arg for a in given[len(given) - len(function.args.defaults) :]}
        seeding = [c for c in inside(function) if isinstance(c, ast.Call)
                   and _SEEDS.search(tail(c)) and c.args]  # fmt: skip
        if not seeding or not any(dotted(c.args[0]) in defaults for c in seeding):
            continue
        makes = {"parameters", "step", "backward"} & words(function)
        seed = next(dotted(c.args[0]) for c in seeding if dotted(c.args[0]) in defaults)
        at = [a.arg for a in given].index(seed)
        listed = (n for n in walk(tree) if isinstance(n, ast.ListComp))
        rounds: list[ast.AST] = [*loops(tree), *listed]
        for around in rounds:
            for call in (n for n in walk(around) if isinstance(n, ast.Call) and tail(n) == name):
                if not makes or argument(call, at, seed) is not None or _varies(call, around):
                    continue
                yield (
                    "one_seed_for_all",
                    call,
                    f"`{name}` sets the same `{seed}` in each round: all of them begin with the "
                    "same weights, see the same batches and come out alike; pass another one "
                    f"each time, `{name}(…, {seed}=i)`",
                )
                return


def _varies(call: ast.Call, around: ast.AST) -> bool:
    """Whether what is passed changes from round to round."""
    if isinstance(around, ast.For):
        bound = words(around.target)
    elif isinstance(around, ast.ListComp):
        bound = {w for g in around.generators for w in words(g.target)}
    else:
        return True
    return any(bound & words(a) for a in (*call.args, *(k.value for k in call.keywords)))


RULES = (followed_turned, split_each_call, forced_in_evaluation, one_seed_for_all)
