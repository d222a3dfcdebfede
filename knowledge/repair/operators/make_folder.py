"""Make the folder that the program saves into, above the line that does."""

from __future__ import annotations

from pathlib import PurePath

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.flow import loops_around
from knowledge.repair.toolkit.imports import with_import

ERRORS = ("folder_missing",)

_MAKES = frozenset({"mkdir", "makedirs"})


def edits(failure: Failure) -> Rewrites:
    """`os.makedirs(folder, exist_ok=True)` before the statement, or before its loops."""
    program, node, line = failure.program, failure.node, failure.statement
    seen = read(failure.error, *ERRORS)
    if not isinstance(node, cst.Call) or line is None or seen is None:
        return
    folder = seen["folder"]
    if PurePath(folder).is_absolute() or ".." in folder or "\\" in folder or "~" in folder:
        return  # a place of another machine
    if any(_MAKES & {n.value for n in program.inside(c, cst.Name)} for c in program.all(cst.Call)):
        return  # it makes a folder: which of the two names is meant is open
    spelt = _spelt(failure, node, folder)
    loops = loops_around(program, line)
    above = loops[-1] if loops and not spelt.startswith("os.path") else line
    with_folder = Program(_inserted(program, above, f"os.makedirs({spelt}, exist_ok=True)"))
    module = with_folder.module
    if "os" not in program.imported():
        module = with_import(with_folder, "import os")
    what = f"the folder `{folder}` is made where it is not there yet"
    title = f"line {program.line(node)}: {what}"
    yield Rewrite(module, title, what, as_one=True, cost=COST.SURE)


def _spelt(failure: Failure, node: cst.Call, folder: str) -> str:
    """The folder as the program has it: a variable, the front of an f-string, or its text."""
    program = failure.program
    for name in program.inside(node, cst.Name):
        value = failure.value(name)
        if isinstance(value, str) and PurePath(value) == PurePath(folder):
            return name.value
    for text in program.inside(node, cst.FormattedString):
        if "{" in program.text(text).rpartition("/")[0]:
            return f"os.path.dirname({program.text(text)})"
    return f'"{folder}"'


def _inserted(program: Program, above: cst.CSTNode, text: str) -> str:
    lines = program.module.code.splitlines(keepends=True)
    at = program.line(above) - 1
    pad = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return "".join([*lines[:at], f"{pad}{text}\n", *lines[at:]])


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The very file is still written."""
    kept = before.error is None or before.error.code in proposal.code
    detail = "the same file is written" if kept else "another file is written, or none"
    return [Check(name="written", passed=kept, detail=detail)]
