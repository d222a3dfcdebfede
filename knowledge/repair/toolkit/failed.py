"""What a codemod's `rewrite` is given: the program, with what its run showed of the error."""

from collections.abc import Collection
from functools import cached_property

import libcst as cst

from executor.errors import SeenError, read
from executor.protocol import Caught, ErrorSeen, JobResult, Variable
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import failing, failing_statement, seen_error, variables


class Failed(Program):
    """A program whose run failed; with its live values it is an operator's `Failure`.

    Args:
        code: its source.
        result: what its run showed.
        families: of the error that it is about, as `seen_error` takes them.
    """

    def __init__(self, code: str, result: JobResult, families: Collection[str] = ()) -> None:
        super().__init__(code)
        self.result = result
        self._families = families

    @cached_property
    def error(self) -> ErrorSeen | Caught:
        """The error, for codemods that are asked about runs with one."""
        error = seen_error(self.result, *self._families)
        assert error is not None
        return error

    @cached_property
    def said(self) -> SeenError:
        """What it says as one of the families."""
        said = read(self.error, *self._families)
        assert said is not None
        return said

    @cached_property
    def node(self) -> cst.BaseExpression | None:
        """The expression that raised it; None where that is not known."""
        return failing(self, self.error)

    @cached_property
    def statement(self) -> cst.SimpleStatementLine | None:
        """The simple statement that it was raised in."""
        return failing_statement(self, self.error)

    @property
    def alone(self) -> cst.BaseSmallStatement | None:
        """The small statement that it was raised in, where its line holds no other."""
        line = self.statement
        return line.body[0] if line is not None and len(line.body) == 1 else None

    @property
    def outermost(self) -> cst.SimpleStatementLine | None:
        """The simple statement of the program's outermost frame, which led to it."""
        return self.statement_on(self.result.frames[0].line) if self.result.frames else None

    @property
    def explained(self) -> str:
        """What the live values of the failing line explain; empty where that is nothing."""
        return self.result.explanation.text if self.result.explanation is not None else ""

    @cached_property
    def seen(self) -> dict[str, Variable]:
        """What the failing frame could see."""
        return variables(self.result)
