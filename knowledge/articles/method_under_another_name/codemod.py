"""The name that an object has today, for one that it had once or has elsewhere.

Only pairs that mean the same: what a name that merely looks alike would do is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.errors import read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program, call
from knowledge.repair.toolkit.sites import failing, seen_error

_ITERATOR = re.compile(r"(Iter|_iterator|generator|^generator|iterator)$")

# (type, name) → what it is called; a trailing "()" goes or comes with the brackets.
_NOW = {
    ("profile", "events()"): "function_events",
    ("FunctionEvent", "cuda_time"): "device_time",
    ("FunctionEvent", "cuda_time_total"): "device_time_total",
    ("FunctionEvent", "self_cuda_time_total"): "self_device_time_total",
    ("FunctionEventAvg", "cuda_time"): "device_time",
    ("FunctionEventAvg", "cuda_time_total"): "device_time_total",
    ("FunctionEventAvg", "self_cuda_time_total"): "self_device_time_total",
    ("dict", "iteritems()"): "items()",
    ("dict", "itervalues()"): "values()",
    ("dict", "iterkeys()"): "keys()",
    ("collections.OrderedDict", "iteritems()"): "items()",
    ("collections.OrderedDict", "itervalues()"): "values()",
    ("collections.OrderedDict", "iterkeys()"): "keys()",
    ("OrderedDict", "iteritems()"): "items()",
}
_RATE = "get_lr"


def applies(result: JobResult) -> bool:
    """An object was asked for a name that it has under another one."""
    error = _error(result)
    if error is None:
        return False
    if _is_rate(error):
        return True
    match = read(error, "object_attribute")
    if match is None:
        return False
    if match["name"] == "next":
        return _ITERATOR.search(match["type"]) is not None
    return any((match["type"], match["name"] + end) in _NOW for end in ("", "()"))


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    error = result.error
    if error is not None and _is_rate(error):
        return error
    return seen_error(result, "object_attribute")


def _is_rate(error: ErrorSeen | Caught) -> bool:
    """A scheduler's get_lr(), which some of them do not have."""
    return error.type == "NotImplementedError" and error.code.endswith(f".{_RATE}()")


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """Today's name, wherever this one stands on the same variable."""
    error = _error(result)
    node = failing(program, error)
    if error is None:
        return
    called = node if isinstance(node, cst.Call) else program.parent(node) if node else None
    attribute = node.func if isinstance(node, cst.Call) else node
    if not isinstance(attribute, cst.Attribute):
        return
    is_call = isinstance(called, cst.Call) and called.func is attribute
    plain = is_call and isinstance(called, cst.Call) and not called.args
    match = read(error, "object_attribute")
    name = attribute.attr.value
    at = f"line {program.line(attribute)}"
    if _is_rate(error):
        yield _everywhere(
            program,
            attribute,
            "get_last_lr()",
            f"{at}: get_last_lr() tells the rate that is in use",
        )
    elif match is not None and match["name"] == name == "next" and plain:
        assert isinstance(called, cst.Call)
        yield Rewrite(
            program.replace({called: call("next", cst.Arg(attribute.value))}),
            f"{at}: an iterator is asked by the function next()",
        )
    elif match is not None and match["name"] == name:
        new = _NOW.get((match["type"], name + ("()" if plain else "")))
        if new is not None:
            yield _everywhere(program, attribute, new, f"{at}: `{name}` is `{new}` now")


def _everywhere(program: Program, attribute: cst.Attribute, new: str, title: str) -> Rewrite:
    """The failing place, and every one that says the same of the same variable."""
    text = program.text(attribute)
    edits: dict[cst.CSTNode, cst.CSTNode] = {}
    for node in program.all(cst.Attribute):
        if program.text(node) != text:
            continue
        outer = program.parent(node)
        calls = isinstance(outer, cst.Call) and outer.func is node and not outer.args
        if calls and not new.endswith("()"):
            assert isinstance(outer, cst.Call)
            edits[outer] = node.with_changes(attr=cst.Name(new))
        else:
            edits[node] = node.with_changes(attr=cst.Name(new.removesuffix("()")))
    return Rewrite(program.replace(edits), title)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same object is asked for the same thing under its new name."""
    error = _error(before)
    if error is None or error.line is None:
        return []
    asked = error.code.removesuffix("()")
    owner, _, name = asked.rpartition(".")
    names = [new for (_, old), new in _NOW.items() if old.removesuffix("()") == name]
    wanted = {f"{owner}.{n}" for n in (*names, *(["get_last_lr()"] if name == _RATE else []))} | (
        {f"next({owner})"} if name == "next" else set()
    )
    code = "".join(proposal.code.split())
    kept = any("".join(w.split()) in code for w in wanted)
    detail = "it is still asked" if kept else "it is no longer asked"
    return [Check(name="asked", passed=kept, detail=detail)]
