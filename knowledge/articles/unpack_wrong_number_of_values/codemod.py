"""Unpack what vjp and its like return, and what an LSTMCell returns."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Program, separated
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import held_as
from knowledge.repair.toolkit.keeps import computed, written
from knowledge.repair.toolkit.sites import calls

ERRORS = ("unpack_count",)
_CALL = computed(instead=((r"^[^=]*=\s*(?=\S)", ""),))
_CUT = r"=\s*[\w.]+\(.*\)\s*\["
KEEPS = (_CALL, written("values", "no value is cut off", "a value is cut off", lacks=_CUT))
_PRODUCTS = ("vjp", "jvp", "vhp", "hvp")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`_` for the function's value; `h, c` for a cell."""
    statement, assign = program.statement, program.alone
    if not isinstance(assign, cst.Assign) or not isinstance(assign.value, cst.Call):
        return
    target, call = assign.targets[0].target, assign.value
    if len(assign.targets) != 1 or not isinstance(target, cst.Tuple):
        return
    name = program.text(call.func)
    if name.rpartition(".")[2] in _PRODUCTS and _is_functional(program, name):
        yield from _product(program, target, name)
    elif statement is not None and _is_cell(program, name):
        yield from _cell(program, statement, assign, target, name)


def _is_functional(program: Program, name: str) -> bool:
    """Whether it is torch.autograd.functional's, and not torch.func's, which returns a function."""
    owner, _, last = name.rpartition(".")
    if owner:
        return owner.endswith("functional")
    pattern = rf"from torch\.autograd\.functional import .*\b{last}\b"
    return re.search(pattern, program.module.code) is not None


def _product(program: Failed, target: cst.Tuple, name: str) -> Rewrites:
    if len(target.elements) != 1 or isinstance(target.elements[0], cst.StarredElement):
        return
    both = separated([cst.Element(cst.Name("_")), target.elements[0]])
    told = f"{name} returns the function's value first, then the product"
    yield program.edit({target: cst.Tuple(both, lpar=(), rpar=())}, told)


def _is_cell(program: Program, name: str) -> bool:
    return [held_as(program, c) for c in calls(program, r"(^|\.)LSTMCell$")].count(name) == 1


def _cell(
    program: Failed,
    statement: cst.SimpleStatementLine,
    assign: cst.Assign,
    target: cst.Tuple,
    name: str,
) -> Rewrites:
    """`out, (h, c) = cell(…)` as if it were an LSTM."""
    if len(target.elements) != 2 or not isinstance(target.elements[1].value, cst.Tuple):
        return
    out, state = target.elements[0].value, target.elements[1].value
    if len(state.elements) != 2:
        return
    bare = state.with_changes(lpar=(), rpar=())
    hidden = state.elements[0].value
    first = statement.with_changes(body=[assign.with_deep_changes(assign.targets[0], target=bare)])
    second = cst.parse_statement(f"{program.text(out)} = {program.text(hidden)}\n")
    told = f"{name} is a single step and returns h and c; its output is h"
    yield program.edit({statement: cst.FlattenSentinel([first, second])}, told)
