"""Give a call the argument that it lacks, where a variable of that very name is alive there.

If the arguments that are given stand at the places of others, by their names, each is put where
its name belongs. A class that is called where an object of it is meant gets its own brackets.
"""

import inspect
import re
import typing
from itertools import takewhile
from typing import Any

import libcst as cst

from executor.errors import is_a
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.flow import free_name, later, siblings
from knowledge.repair.toolkit.keeps import still_called
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.signatures import Called, called, is_alive, required
from knowledge.repair.toolkit.sites import assignment, names_in, with_appended, with_argument

_A_LOSS = re.compile(r"(?i)(?:^|_)loss(?:$|_)|loss$")
_A_SCORE = re.compile(r"(?i)(?:^|_)(?:acc|accuracy|f1|auc|score|iou|dice)")
_HELD_OUT = re.compile(r"(?i)(?:^|_)(?:va|val|valid|validation|dev|test|eval)(?:_|$)|^val")
SPEAKS = r"\bpass `(?P<name>\w+)=(?P<value>True|False|\d+)`"
_WAYS_AROUND = ("allow_unused", "strict", "retain_graph", "weights_only")
ERRORS = ("missing_arguments", "too_many_arguments", "takes_no_arguments")
KEEPS = (still_called,)


def edits(failure: Failure) -> Rewrites:
    """The object of the class; the arguments in the order of their names; the missing one added."""
    yield from _said(failure)
    found = called(failure)
    if found is None:
        return
    yield from _object_of_the_class(failure, found)
    if not is_a(failure.error, "missing_arguments"):
        return
    moved = list(_by_name(failure, found))
    yield from moved or _added(failure, found)
    yield from _measured(failure, found)
    yield from _as_a_closure(failure, found)
    yield from _one_of_its_words(failure, found)


def _said(failure: Failure) -> Rewrites:
    """The keyword that the error itself says can be passed: `enforce_sorted=False`."""
    seen, node = re.search(SPEAKS, failure.error.message), failure.node
    if seen is None or not isinstance(node, cst.Call) or seen["name"] in _WAYS_AROUND:
        return
    try:
        names = inspect.signature(failure.value(node.func)).parameters
    except (TypeError, ValueError):
        return
    if seen["name"] in names:
        new = with_argument(node, 99, seen["name"], cst.parse_expression(seen["value"]))
        option = f"`{seen['name']}={seen['value']}`"
        told = f"{option}, as the error says"
        yield failure.edit({node: new}, told, f"{option} is meant", cost=COST.SAID)


# -- a class for an object -------------------------------------------------------------------


def _object_of_the_class(failure: Failure, found: Called) -> Rewrites:
    """`net = Net` is called with a batch: `net = Net()`, if that needs no arguments."""
    function = found.call.func
    held = found.target
    if isinstance(function, cst.Attribute) and inspect.isfunction(held):
        owner = failure.value(function.value)
        if (
            inspect.isclass(owner)
            and issubclass(owner, torch.nn.Module)
            and required(owner) == set()
        ):
            bound = assignment(failure, failure.text(function.value), function)
            if bound is not None and failure.value(bound.value) is owner:
                what = f"`{owner.__name__}()` makes an object of it"
                meaning = f"an object of `{owner.__name__}` is meant"
                yield failure.edit({bound.value: cst.Call(bound.value)}, what, meaning, at=bound)
                return
            made = cst.Call(function.value)
            called_so = made if function.attr.value == "forward" else None
            new = function.with_changes(value=made) if called_so is None else cst.Call(made)
            name, made_of = failure.text(function.value), _with_function(found.call, new)
            told = f"`{name}` is the class; an object of it is called"
            meaning = f"an object of `{name}` is meant"
            yield failure.edit({found.call: made_of}, told, meaning, at=function, cost=COST.LIKELY)
        return
    if not inspect.isclass(held) or not issubclass(held, torch.nn.Module):
        return
    assign = assignment(failure, failure.text(function), function)
    if assign is None or required(held) != set() or failure.value(assign.value) is not held:
        return
    told = f"`{held.__name__}()` makes an object of the class"
    meaning = f"an object of `{held.__name__}` is meant"
    yield failure.edit({assign.value: cst.Call(assign.value)}, told, meaning, at=assign)


def _with_function(call: cst.Call, function: cst.BaseExpression) -> cst.Call:
    inner = function.func if isinstance(function, cst.Call) and not function.args else function
    return call.with_changes(func=inner)


# -- an argument too few ---------------------------------------------------------------------


def _by_name(failure: Failure, found: Called) -> Rewrites:
    """`step(x, y, lr)` of `step(model, x, y, lr)`: each to its own name, the missing one first."""
    plain = [a for a in found.call.args if a.keyword is None and not a.star]
    if len(plain) != len(found.call.args) or not plain:
        return
    words = [a.value.value for a in plain if isinstance(a.value, cst.Name)]
    needed = found.required(found.positional)
    if len(words) != len(plain) or not set(words) < set(needed) or words == needed[: len(words)]:
        return
    lacking = [n for n in needed if n not in words]
    if not all(is_alive(failure, n) for n in lacking):
        return
    names = [n for n in found.positional if n in needed]
    args = [cst.Arg(cst.Name(n)) for n in names]
    told = ", ".join(names)
    yield failure.edit(
        {found.call: found.call.with_changes(args=args)},
        f"it takes ({told}), in this order",
        "each argument is meant for the name that it has",
    )


def _added(failure: Failure, found: Called) -> Rewrites:
    """What is missing, where variables have these names and hold what the function may take."""
    names = found.required(found.free())
    if not names or any(a.star for a in found.call.args):
        return
    if not all(n in failure.live.names[-1] and is_alive(failure, n) for n in names):
        return
    every = [found.call]
    function = failure.text(found.call.func)
    given = _given(found.call)
    alike = [
        c
        for c in failure.all(cst.Call)
        if failure.text(c.func) == function and _given(c) == given and c is not found.call
    ]
    told = " and ".join(f"`{n}`" for n in names)
    for calls in [every, [*every, *alike]] if alike else [every]:
        new: Edits = {c: _with(c, found, names) for c in calls}
        where = "" if len(calls) == 1 else " (everywhere)"
        meaning = f"what it lacks is the {told} that is there"
        yield failure.edit(new, f"{told} is given too{where}", meaning, at=found.call)


def _measured(failure: Failure, found: Called) -> Rewrites:
    """`scheduler.step(val_loss)` for `scheduler.step()`: what the round has measured."""
    if found.required(found.free()) != ["metrics"] or found.call.args:
        return
    # What gets better as it grows is not waited for by a schedule that wants it small.
    grows = _mode(failure, found) == "max"
    names = [
        n
        for n in failure.live.names[-1]
        if _is_a_number(failure, n)
        and (_A_LOSS.search(n) or _is_of_this_round(failure, found.call, n))
        and (grows or not _A_SCORE.search(n))
    ]
    names.sort(key=lambda n: (not _HELD_OUT.search(n), not _A_LOSS.search(n)))
    values = [float(failure.live.names[-1][n]) for n in names]
    names = [n for i, n in enumerate(names) if values[i] not in values[:i]]
    for name in names[:2]:
        has_graph = getattr(failure.live.names[-1][name], "requires_grad", False)
        value = cst.parse_expression(f"{name}.item()" if has_graph else name)
        new = found.call.with_changes(args=[cst.Arg(value)])
        told, meaning = f"`{name}` is what it looks at", f"it looks at `{name}`"
        sure = len(names) == 1 or (name == names[0] and _HELD_OUT.search(name))
        cost = COST.SURE if sure else COST.SURE + 0.2
        yield failure.edit({found.call: new}, told, meaning, cost=cost)


def _as_a_closure(failure: Failure, found: Called) -> Rewrites:
    """`loss = opt.step(closure)`: what a round computes, up to its `backward()`, as a function."""
    here = failure.up(found.call, cst.SimpleStatementLine)
    if found.required(found.free()) != ["closure"] or here is None:
        return
    body, at = siblings(failure, here)
    above = list(takewhile(lambda s: _may_be_repeated(failure, s), reversed(body[:at])))
    backward = [_BACK.search(failure.text(s)) for s in above]
    losses = [match[1] for match in backward if match is not None]
    made = {n for s in above for t in failure.inside(s, cst.AssignTarget)
            for n in names_in(t.target)}  # fmt: skip
    if len(losses) != 1 or any(later(failure, name, here) for name in made - set(losses)):
        return
    lines = failure.module.code.splitlines(keepends=True)
    first, last = failure.line(above[-1]) - 1, failure.line(here) - 1
    name, step = free_name(failure, "closure"), lines[last].lstrip()
    pad = lines[last].removesuffix(step)
    new = [f"{pad}def {name}():\n", *(f"    {s}" if s.strip() else s for s in lines[first:last]),
           f"{pad}    return {losses[0]}\n",
           f"{pad}{losses[0]} = " + step.replace("step()", f"step({name})", 1)]  # fmt: skip
    module = cst.parse_module("".join((*lines[:first], *new, *lines[last + 1 :])))
    title = f"line {last + 1}: it computes the loss several times, by `{name}`"
    meaning = f"a step begins with line {first + 1}"
    yield Rewrite(module, title, meaning, cost=COST.SURE, as_one=True)


_BACK = re.compile(r"(\w+)\.backward\(\)$")
_OF_A_STEP = re.compile(r"\.(?:zero_grad|backward)\(\)$|\bclip_grad_\w+\(")


def _may_be_repeated(program: Program, statement: cst.BaseStatement) -> bool:
    """Whether it is a part of a step, or makes something without reading what that was before."""
    node = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(node, cst.Assign):
        made = names_in(node.targets[0].target)
        return bool(made) and not any(n.value in made for n in program.inside(node.value, cst.Name))
    return isinstance(node, cst.Expr) and bool(_OF_A_STEP.search(program.text(node)))


def _mode(failure: Failure, found: Called) -> Any:
    function = found.call.func
    owner = failure.value(function.value) if isinstance(function, cst.Attribute) else None
    return getattr(owner, "mode", "min")


def _is_of_this_round(program: Program, call: cst.Call, name: str) -> bool:
    """Whether the loop that the call stands in gives the name its value, above the call."""
    made, loop = assignment(program, name, call), program.up(call, cst.For)
    return made is not None and loop is not None and program.up(made, cst.For) is loop


def _is_a_number(failure: Failure, name: str) -> bool:
    value = failure.live.names[-1][name]
    return isinstance(value, float) or getattr(value, "shape", None) == ()


def _one_of_its_words(failure: Failure, found: Called) -> Rewrites:
    """`Accuracy(task="multiclass", num_classes=3)`: each word that the argument may be."""
    names = found.required(found.free())
    words = _words_of(found.parameter(names[0])) if len(names) == 1 else []
    for word in words:
        value = cst.SimpleString(f'"{word}"')
        new = with_argument(found.call, 99, names[0], value)
        told = f'`{names[0]}="{word}"` is given too'
        meaning = f'`{names[0]}` is meant to be "{word}"'
        yield failure.edit({found.call: new}, told, meaning, cost=COST.LIKELY)


def _words_of(parameter: inspect.Parameter) -> list[str]:
    """The words that a parameter may be, as its annotation lists them."""
    if isinstance(parameter.annotation, str):  # not evaluated
        inside = re.fullmatch(r"(?:\w+\.)?Literal\[(.{1,300})\]", parameter.annotation, re.DOTALL)
        return re.findall(r"['\"](\w+)['\"]", inside[1]) if inside else []
    if typing.get_origin(parameter.annotation) is not typing.Literal:
        return []
    return [word for word in typing.get_args(parameter.annotation) if isinstance(word, str)]


def _given(call: cst.Call) -> tuple[str, ...]:
    return tuple(a.keyword.value if a.keyword else "" for a in call.args)


def _with(call: cst.Call, found: Called, names: list[str]) -> cst.Call:
    by_place = all(a.keyword is None for a in call.args)
    for name in names:
        at = found.positional.index(name) if name in found.positional else -1
        if by_place and at == len(call.args):
            call = with_appended(call, cst.Arg(cst.Name(name)))
        else:
            by_place = False
            call = with_argument(call, 99, name, cst.Name(name))
    return call
