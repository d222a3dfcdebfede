"""Load a checkpoint whose keys only wear a prefix, or whose weights lie one level deeper."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.job import JobResult
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.edits import Program, operand
from knowledge.shapes import still_computed
from knowledge.sites import failing, seen_error

_TEXT = "Error(s) in loading state_dict"
_PREFIX = re.compile(r"(module|model|_orig_mod)\.")
_DEEPER = re.compile(r"(\w*state_dict|model|net|weights)$")


def applies(result: JobResult) -> bool:
    """load_state_dict found keys missing and others too many."""
    error = seen_error(result, _TEXT)
    return (
        error is not None
        and "Missing key(s)" in error.message
        and ("Unexpected key(s)" in error.message)
    )


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """Take the prefix off or put it on, or take the dictionary inside; never strict=False."""
    error = seen_error(result, _TEXT)
    call = failing(program, error) if error is not None else None
    if error is None or not isinstance(call, cst.Call) or not call.args:
        return
    missing, extra = _keys(error.message, "Missing"), _keys(error.message, "Unexpected")
    if "size mismatch" in error.message or not missing or not extra:
        return
    given = call.args[0].value
    text = program.text(operand(given))
    line = f"line {program.line(call)}"
    if (found := _PREFIX.match(extra[0])) and {k.removeprefix(found[0]) for k in extra} == {
        *missing
    }:
        new = f'{{k.removeprefix("{found[0]}"): v for k, v in {text}.items()}}'
        what = f"every key wears the prefix {found[0]!r}, which is taken off"
    elif (found := _PREFIX.match(missing[0])) and {k.removeprefix(found[0]) for k in missing} == {
        *extra
    }:
        new = f'{{"{found[0]}" + k: v for k, v in {text}.items()}}'
        what = f"the model's keys wear the prefix {found[0]!r}, which is put on"
    else:
        inside = [k for k in extra if _DEEPER.fullmatch(k)]
        if len(inside) != 1 or any("." in k for k in extra):
            return
        new = f'{text}["{inside[0]}"]'
        what = f"the weights lie under {inside[0]!r} in the checkpoint"
    yield Rewrite(program.replace({given: cst.parse_expression(new)}), f"{line}: {what}")


def _keys(message: str, which: str) -> list[str]:
    found = re.search(rf"{which} key\(s\) in state_dict: (.*)", message)
    return re.findall(r'"([^"]+)"', found[1]) if found is not None else []


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every key is loaded: nothing is skipped."""
    skipped = bool(re.search(r"strict\s*=\s*(?!True)", proposal.code))
    loads = "load_state_dict(" in proposal.code
    detail = "every key of the model is loaded" if loads and not skipped else "keys are skipped"
    kept = still_computed(seen_error(before, _TEXT), proposal.code, allowed=("[",))
    return [kept, Check(name="all keys", passed=loads and not skipped, detail=detail)]
