"""knowledge/repair/toolkit/failed.py: what a codemod is told of the error that it is about."""

from __future__ import annotations

import libcst as cst

from executor.protocol import Caught, ErrorSeen, Frame, JobResult, Outcome, Variable
from knowledge.repair.toolkit.failed import Failed

CODE = "a = load()\nb = a @ a\n"
RUN = JobResult(
    outcome=Outcome.ERROR,
    error=ErrorSeen(type="ValueError", message="no", line=1, code="load()"),
    caught=(
        Caught(
            type="RuntimeError",
            message="mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
            line=2,
            code="a @ a",
        ),
    ),
    frames=(Frame(line=2, function="<module>", locals={"a": Variable(type="Tensor")}),),
)


def test_it_is_about_the_first_error_of_its_families() -> None:
    program = Failed(CODE, RUN, ("matmul_shapes",))

    assert program.error is RUN.caught[0]
    assert program.node is not None and program.text(program.node) == "a @ a"
    assert program.statement is program.statement_on(2)
    assert program.seen == RUN.frames[0].locals


def test_without_families_it_is_about_the_error_that_ended_the_run() -> None:
    assert Failed(CODE, RUN).error is RUN.error


def test_an_edit_is_told_with_the_line_of_its_first_node_or_of_another() -> None:
    program = Failed(CODE, RUN)
    new = {node: cst.Name("c") for node in program.all(cst.BinaryOperation)}
    elsewhere = next(node for node in program.all(cst.Assign) if program.line(node) == 1)

    assert program.edit(new, "another").title == "line 2: another"
    assert program.edit(new, "another", at=elsewhere).title == "line 1: another"
    assert program.edit(new, "another", "it is meant").module.code == "a = load()\nb = c\n"
    made = program.edit(program.replace(new), "another", at=elsewhere)
    assert (made.title, made.module.code) == ("line 1: another", "a = load()\nb = c\n")


def test_an_edit_of_several_places_is_told_with_the_lines_of_all_of_them_each_once() -> None:
    program = Failed(CODE, RUN)
    new = {node: cst.Name("c") for node in program.all(cst.BinaryOperation)}
    first, second = sorted(program.all(cst.Assign), key=program.line)

    assert program.edit(new, "both", at=[first, second]).title == "line 1 and 2: both"
    assert program.edit(new, "both", at=[second, second]).title == "line 2: both"


def test_where_it_was_raised_and_what_led_there() -> None:
    several = Failed("a = load(); b = a @ a\n", RUN.model_copy(update={"caught": ()}))
    program = Failed(CODE, RUN, ("matmul_shapes",))

    assert several.alone is None and several.statement is not None
    assert isinstance(program.alone, cst.Assign) and program.outermost is program.statement_on(2)
    assert Failed(CODE, RUN.model_copy(update={"frames": ()})).outermost is None
    assert program.explained == ""
