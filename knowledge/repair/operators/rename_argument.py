"""Give an argument the name that the function has for it, in every call of the same kind.

Which names there are is asked of the live function, whosever it is. All keywords of the call that
it does not take are renamed together. One that only says how to tell of the work is left out, and
so is one that asks for nothing (`False`, `None`), where the function has nothing like it.
"""

import re
from collections.abc import Iterator
from typing import TypedDict

import libcst as cst

from executor.errors import MovedArgument, is_a, moved_argument, quoted_names, read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.keywords import meant, only_tells
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.signatures import Called, called, of_call
from knowledge.repair.toolkit.sites import with_argument, without_argument

ERRORS = ("unexpected_keyword", "overload", "missing_arguments")

_OFF = ("False", "None")


class _Settings(TypedDict):
    """What every rewrite of one call shares."""

    subjects: tuple[str, ...]
    cost: float
    intent: str
    supposes: bool


REPEATS = True  # one slip seldom comes alone


def edits(failure: Failure) -> Rewrites:
    """The failing call, then every call of the same function with the same keywords."""
    found = called(failure)
    if found is None:
        yield from _in_place(failure)
        yield from _said_to_be_missing(failure)
        return
    if found.target is torch.nn.Sequential:
        yield from _unnamed(failure, found)
    if found.takes_any_keyword:
        return
    yield from _moved(failure, found)
    names = _new_names(found)
    if not names:
        return
    function = failure.text(found.call.func)
    alike = [
        c for c in failure.all(cst.Call) if failure.text(c.func) == function and _unknown(c, names)
    ]
    title = f"line {failure.line(found.call)}: {_told(found, names)}"
    lost = tuple(old for old, new in names.items() if not new)
    open_ = [old for old in lost if not only_tells(old)]
    meaning = f"nothing else is wanted instead of `{open_[0]}`" if open_ else ""
    settings = _Settings(subjects=lost, cost=COST.SURE, intent=meaning, supposes=bool(open_))
    here: Edits = {found.call: _renamed(found.call, names)}
    same: Edits = {c: _renamed(c, names) for c in alike}
    every = {**dict(_of_other_functions(failure, found.call)), **same}
    yield Rewrite(failure.replace(here), title, **settings)
    if len(same) > 1:
        yield Rewrite(failure.replace(same), f"{title} (everywhere)", **settings)
    if len(every) > len(same):
        more = f"{title}; other calls name theirs wrongly too"
        yield Rewrite(failure.replace(every), more, **settings)


def _moved(failure: Failure, found: Called) -> Rewrites:
    """What a library's function takes today in place of arguments that it took once."""
    package = str(getattr(found.target, "__module__", "") or "").partition(".")[0]
    function = getattr(found.target, "__name__", "")
    names = set(found.names)
    today: dict[str, MovedArgument] = {}
    for given in found.call.args:
        word = given.keyword.value if given.keyword is not None else ""
        if word and word not in names:
            text = failure.text(given.value)
            # A keyword that it hands on is named in the error by the function that refused it.
            moved = moved_argument(package, function, word, text)
            if moved is not None and not moved.how:
                today[word] = moved
    if not today:
        return
    # What else it does not know goes under its own name in the same edit.
    others = {w: new for w, new in _new_names(found).items() if w not in today}
    call, told = _renamed(found.call, others), [_told(found, others)] if others else []
    have = {a.keyword.value for a in call.args if a.keyword is not None}
    for word, moved in today.items():
        old = next(a for a in call.args if _is_called(a, word))
        call = without_argument(call, old)
        new = cst.ensure_type(cst.parse_expression(f"f({moved.arguments})"), cst.Call).args
        for arg in new:
            if arg.keyword is not None and arg.keyword.value not in have:
                call = with_argument(call, 99, arg.keyword.value, arg.value)
                have.add(arg.keyword.value)
        is_now = f"is `{moved.arguments}` now" if moved.arguments else "is not asked for any more"
        told.append(f"`{failure.text(old)}` {is_now}")
    lost = tuple(today)
    yield failure.edit({found.call: call}, ", and ".join(told), "", subjects=lost, cost=COST.SAID)


def _of_other_functions(
    failure: Failure, but: cst.Call
) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """The calls of functions that are known here, with keywords that these do not take."""
    for call in failure.all(cst.Call):
        plain = failure.text(call.func).replace(".", "").isidentifier()
        if call is but or not plain or not any(a.keyword for a in call.args):
            continue
        other = of_call(failure, call)
        names = _new_names(other) if other is not None and not other.takes_any_keyword else {}
        if names:
            yield call, _renamed(call, names)


def _in_place(failure: Failure) -> Rewrites:
    """`torch.relu(x, inplace=True)` → `torch.relu_(x)`, where torch has that."""
    node = failure.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    given = next((a for a in node.args if _is_called(a, "inplace")), None)
    owner, name = failure.value(node.func.value), f"{node.func.attr.value}_"
    if given is None or getattr(owner, "__name__", "") != "torch" or not hasattr(torch, name):
        return
    if failure.text(given.value) == "True":
        function = node.func.with_changes(attr=cst.Name(name))
        new = without_argument(node, given).with_changes(func=function)
        yield failure.edit({node: new}, f"`torch.{name}` is the one that writes in place", "")


def _said_to_be_missing(failure: Failure) -> Rewrites:
    """A function of C, which says what it lacks and not what it does not know."""
    if not isinstance(failure.node, cst.Call) or not is_a(failure.error, "missing_arguments"):
        return
    lacking = quoted_names(failure.error.message)
    for given in failure.node.args:
        names = meant(given.keyword.value, lacking) if given.keyword is not None else []
        if len(names) == 1 and given.keyword is not None and given.keyword.value not in lacking:
            told = f"the argument `{given.keyword.value}` is called `{names[0]}`"
            yield failure.edit({given.keyword: cst.Name(names[0])}, told, "", at=failure.node)


def _unnamed(failure: Failure, found: Called) -> Rewrites:
    """The last layer of a Sequential without its name, if nothing asks for it by that."""
    last = found.call.args[-1]
    if last.keyword is None or sum(a.keyword is not None for a in found.call.args) > 1:
        return
    if any(a.attr.value == last.keyword.value for a in failure.all(cst.Attribute)):
        return
    if isinstance(last.value, cst.Call):
        told = "Sequential takes no keywords; names of layers go into an OrderedDict"
        yield failure.edit({last: cst.Arg(last.value, comma=last.comma)}, told, "", at=found.call)


def _unknown(call: cst.Call, names: dict[str, str]) -> bool:
    return any(a.keyword is not None and a.keyword.value in names for a in call.args)


def _new_names(found: Called) -> dict[str, str]:
    """Keyword → the function's name for it, "" where it is left out; without those left open."""
    unknown = [
        a for a in found.call.args if a.keyword is not None and a.keyword.value not in found.names
    ]
    free = found.free()
    required = found.required(free)
    names: dict[str, str] = {}
    for given in unknown:
        assert given.keyword is not None
        fitting = [n for n in meant(given.keyword.value, free) if _takes(found, n, given.value)]
        if len(fitting) > 1:
            fitting = [n for n in fitting if n in required] or fitting
        if len(fitting) == 1 and fitting[0] not in names.values():
            names[given.keyword.value] = fitting[0]
        elif not fitting and (only_tells(given.keyword.value) or _is_off(given.value)):
            names[given.keyword.value] = ""
    return names


def _takes(found: Called, name: str, value: cst.BaseExpression) -> bool:
    """Whether a value that is written out is of the kind of the parameter's default."""
    default = found.parameter(name).default
    truth = isinstance(value, cst.Name) and value.value in ("True", "False")
    text = isinstance(value, (cst.SimpleString, cst.FormattedString))
    number = isinstance(value, (cst.Integer, cst.Float))
    if isinstance(default, bool):
        return not (text or isinstance(value, cst.Float))
    if isinstance(default, (int, float)):
        return not (text or truth)
    if isinstance(default, str):
        return not (number or truth)
    return True


def _is_off(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value in _OFF


def _renamed(call: cst.Call, names: dict[str, str]) -> cst.Call:
    for word in [old for old, new in names.items() if not new]:
        call = without_argument(call, next(a for a in call.args if _is_called(a, word)))
    return call.with_changes(
        args=[
            a.with_changes(keyword=cst.Name(names[a.keyword.value]))
            if a.keyword is not None and a.keyword.value in names
            else a
            for a in call.args
        ]
    )


def _is_called(given: cst.Arg, word: str) -> bool:
    return given.keyword is not None and given.keyword.value == word


def _told(found: Called, names: dict[str, str]) -> str:
    function = cst.Module(()).code_for_node(found.call.func).rpartition(".")[2]
    told = [
        f"the argument `{old}` is called `{new}`" if new else f"`{function}` takes no `{old}`"
        for old, new in names.items()
    ]
    return ", and ".join(told)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Nothing but the keyword's name changed: what was given is still given."""
    error = before.error
    seen = read(error, "unexpected_keyword") if error is not None else None
    if error is None or error.line is None or seen is None or seen["keyword"] in proposal.subjects:
        return []
    keyword = seen["keyword"]
    value = re.search(rf"\b{keyword}\s*=\s*([\w.]+)", error.code)
    if keyword == "inplace":
        name = re.match(r"torch\.(\w+)", error.code)
        kept = name is not None and re.search(rf"\b{name[1]}_\(", proposal.code) is not None
        detail = "it is still done in place" if kept else "it is no longer done in place"
        return [Check(name="in place", passed=kept, detail=detail)]
    if value is None:
        return []
    if "Sequential(" in error.code:
        kept = value[1] in "\n".join(proposal.code.splitlines()[(error.line or 1) - 1 :])
        return [Check.of("layer", kept, "the layer is still there", "the layer is gone")]
    text = "\n".join(proposal.code.splitlines()[error.line - 1 :])
    kept = re.search(rf"\b\w+\s*=\s*{re.escape(value[1])}(?![\w.])", text) is not None
    detail = "the argument is still given" if kept else f"`{value[1]}` is no longer given"
    return [Check(name="argument", passed=kept, detail=detail)]
