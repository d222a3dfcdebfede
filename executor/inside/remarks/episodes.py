"""Say what the text tells of episodes: where they end, what is discounted, which way a loop goes.

Ends have many names. What stands behind the reward in the answer of an environment's `step` is one
whatever it is called, and so is the `d` that comes behind a state, an action, a reward and the next
state.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from executor.inside.remarks.syntax import bare, dotted, made_of, owner, says, tail, walk
from executor.inside.walking import kept_by_node

END = re.compile(
    r"(?i)(?!.*(?:not|non|un)_?(?:done|term))(\w{1,20}_)?"
    r"(dones?|terminals?|terminated|terminations?)(_batch|_b|_t|_flags?|_tensor)?$"
)
_GAMMA = re.compile(r"(?i)^(gamma|discount)")
_LEAST = 0.9  # of a discount that is written as a number
_REWARD_AT = re.compile(r"(?i)b?_?r(ew(ard)?s?)?s?_?b?$|rewards?_\w{1,8}$")
_END_AT = re.compile(
    r"(?i)b?_?d_?b?$|d(n|ns|s)$|(is_?)?(end|ends|ended|fin|final|over|term|last|stop)$"
)
_REWARDS = re.compile(r"(?i)(\w{1,20}_)?rew(ard)?s?(_\w{1,8})?$|^r_?s?$")


def is_end(node: ast.expr, tree: ast.AST) -> bool:
    """`done`, `dones[t]`, `batch["done"]`, and whatever an environment says behind the reward."""
    node = bare(node)
    if isinstance(node, ast.Subscript):
        match node.slice:
            case ast.Constant(value=str() as key):
                return END.match(key) is not None
        node = bare(node.value)
    name = dotted(node).rpartition(".")[2]
    return bool(name) and (END.match(name) is not None or name in ends_by_place(tree))


@kept_by_node
def ends_by_place(tree: ast.AST) -> frozenset[str]:
    """The variables that hold an end by the place that they are unpacked from, or handed at."""
    found: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple()]) if (answer := answered(node)) is not None:
                found |= answer.ends
            case ast.Tuple(elts=[_, _, _, _, ast.Name(id="d")], ctx=ast.Store()):
                found.add("d")
            case ast.Tuple(elts=[_, _, reward, _, ast.Name(id=end)], ctx=ast.Store()) if (
                _REWARD_AT.match(dotted(reward)) and _END_AT.match(end)
            ):
                found.add(end)
            case ast.FunctionDef(args=ast.arguments(args=given)) if _is_step(
                [a.arg for a in given if a.arg != "self"]
            ):
                found.add("d")
    return frozenset(found - {"", "_"})


class Answer(NamedTuple):
    """What an environment says of a step: its new state, the reward, and whether it is the last."""

    state: str
    reward: str
    ends: frozenset[str]


def answered(node: ast.AST) -> Answer | None:
    """What a statement unpacks of `env.step(action)`: with news behind it or not."""
    match node:
        case ast.Assign(
            targets=[ast.Tuple(elts=[state, reward, *rest])],
            value=ast.Call(args=[_, *_], func=ast.Attribute(attr="step")) as call,
        ) if rest and "env" in owner(call).lower():
            ends = {dotted(p) for p in (rest if len(rest) < 2 else rest[:-1])} - {"", "_"}
            return Answer(dotted(state), dotted(reward), frozenset(ends))
    return None


def _is_step(names: list[str]) -> bool:
    """Whether these are a state, an action, a reward, the next state and an end."""
    return len(names) == 5 and names[4] == "d" and are_rewards(names[2])


def are_rewards(name: str) -> bool:
    """Whether something is called rewards."""
    return _REWARDS.match(name.rpartition(".")[2]) is not None


def is_discount(factor: ast.expr, tree: ast.AST | None = None) -> bool:
    """Whether it is called a discount, or is a number that is nearly 1: in the text, by a name."""
    held = made_of(factor, tree) if tree is not None else [factor]
    if len(held) == 1 and isinstance(held[0], ast.Constant):
        value = held[0].value
        return (isinstance(value, float) and _LEAST <= value < 1) or says(factor, _GAMMA)
    return says(factor, _GAMMA)


def goes_back(loop: ast.For | ast.While) -> bool:
    """Whether a loop goes from the last to the first, also by `while rewards: rewards.pop()`."""
    if isinstance(loop, ast.For):
        return is_back(loop.iter)
    of = dotted(loop.test)
    return bool(of) and any(
        isinstance(n, ast.Call) and not n.args and tail(n) == "pop" and owner(n) == of
        for n in walk(loop)
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
