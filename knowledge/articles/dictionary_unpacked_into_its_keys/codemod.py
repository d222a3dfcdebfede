"""Take the entries of a dict by name, where unpacking it gave the names themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.errors import read
from executor.protocol import Caught, ErrorSeen, JobResult, Variable
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import failing, scope_of, seen_error, variables


def applies(result: JobResult) -> bool:
    """A text was asked for what a tensor has."""
    error = _error(result)
    return error is not None and error.type == "AttributeError"


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    error = seen_error(result, "plain_attribute")
    seen = read(error, "plain_attribute") if error is not None else None
    return error if seen is not None and seen["type"] == "str" else None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """`x, y = batch` → `x, y = batch["x"], batch["y"]`, where `x` is the text "x" now."""
    error = _error(result)
    node = failing(program, error)
    if node is None:
        return
    known = variables(result)
    asked = [n.value for n in program.inside(node, cst.Name) if _is_own_name(known, n.value)]
    for assign in program.all(cst.Assign):
        target = assign.targets[0].target
        if scope_of(program, assign) is not scope_of(program, node):
            continue
        if not isinstance(target, cst.Tuple) or not isinstance(assign.value, cst.Name):
            continue
        names = [e.value.value for e in target.elements if isinstance(e.value, cst.Name)]
        whole = len(names) == len(target.elements) and all(_is_own_name(known, n) for n in names)
        if not whole or not set(asked) & set(names) or program.line(assign) > program.line(node):
            continue
        source = assign.value.value
        entries = ", ".join(f'{source}["{n}"]' for n in names)
        new = cst.parse_expression(f"({entries})").with_changes(lpar=(), rpar=())
        yield Rewrite(
            program.replace({assign.value: new}),
            f"line {program.line(assign)}: unpacking a dict gives its keys; the entries are taken "
            "by them",
        )
        return


def _is_own_name(known: dict[str, Variable], name: str) -> bool:
    """Whether the variable holds nothing but its own name."""
    facts = known.get(name)
    return facts is not None and facts.type == "str" and facts.repr == repr(name)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is asked of an entry that is taken by its key."""
    error = _error(before)
    if error is None:
        return []
    code = proposal.code
    name = error.code.partition(".")[0].strip()
    taken = re.search(rf"\w+\[[\"']{re.escape(name)}[\"']\]", code) is not None
    kept = "".join(error.code.split()) in "".join(code.split())
    detail = "the entry is taken by its key" if taken else "no entry is taken by that key"
    told = "the same is asked for" if kept else "something else is asked for"
    return [
        Check(name="key", passed=taken, detail=detail),
        Check(name="asked", passed=kept, detail=told),
    ]
