"""`super().__init__()` first in the class whose layers came before it."""

import re

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import written
from knowledge.repair.toolkit.sites import method_of, seen_error
from knowledge.repair.toolkit.statements import inserted, is_docstring

# `super(Net).__init__()`, `super.__init__()`, `super().__init__` and `super().__init()`.
_TOLD = "it still is a Module", "it is no Module any more"
KEEPS = (written("module", *_TOLD, has=r"\bModule\b"),)
_SLIPPED = re.compile(
    r"super\(\w+\)\.__init__\(\)|super\.__init__\(\)|super\(\)\.__init__$|super\(\)\._*init_?\(\)$"
)
_BEFORE, _NEVER = "module_before_init", "module_never_set_up"  # error families


def applies(result: JobResult) -> bool:
    """A module was used, or filled, before it was set up."""
    error = seen_error(result)
    return error is not None and is_a(error, _BEFORE, _NEVER)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The call inserted, or moved up if it comes too late."""
    init = _init(program, result)
    if init is None or not isinstance(init.body, cst.IndentedBlock):
        return
    lines = [s for s in init.body.body if isinstance(s, cst.SimpleStatementLine)]
    first = next((s for s in lines if not is_docstring(s)), None)
    if first is None or init.body.body[0] not in (first, lines[0]):
        return
    slipped = [s for s in lines if _SLIPPED.match(program.text(s))]
    if len(slipped) == 1:
        right = cst.parse_expression("super().__init__()")
        told = "this sets up the module"
        yield program.edit({slipped[0].body[0]: cst.Expr(right)}, told, at=slipped[0])
        return
    calls = [s for s in lines if re.match(r"super\(.*\)\.__init__\(", program.text(s))]
    if len(calls) > 1 or (calls and calls[0] is first):
        return
    edits: Edits = {}
    call = "super().__init__()"
    if calls:
        call = program.text(calls[0].body[0])
        if calls[0].trailing_whitespace.comment is not None or calls[0].leading_lines:
            return
        edits[calls[0]] = cst.RemoveFromParent()
    told = "the module is set up before anything is put into it"
    yield program.edit(edits, told, at=first, beside=inserted(program, first, call))


def _init(program: Failed, result: JobResult) -> cst.FunctionDef | None:
    """The __init__ that the error is about."""
    if seen := read(program.error, _NEVER):
        return method_of(program, seen["type"], "__init__")
    line = program.statement
    function = program.up(line, cst.FunctionDef) if line is not None else None
    return function if function is not None and function.name.value == "__init__" else None
