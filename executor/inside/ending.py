"""Describe the error that ended a run: its place, what explains it, and whether it is meant."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from executor.inside.probes import exceptions
from executor.inside.probes.source import attribute_lines
from executor.protocol import DeviceSeen, ErrorSeen, Explanation, Frame, Layer, Operand

if TYPE_CHECKING:
    from executor.inside.runner import Run


class Ending:
    """How a run ended; all of it is empty where no error ended it."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.error: ErrorSeen | None = None
        self.explanation: Explanation | None = None
        self.operands: tuple[Operand, ...] = ()
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.frames: tuple[Frame, ...] = ()
        self.layer: Layer | None = None
        self.absent: tuple[str, ...] = ()
        self.devices: tuple[DeviceSeen, ...] = ()

    def ended_by(self, error: BaseException) -> int:
        """Describe what ended the run; the exit code it has."""
        if issubclass(type(error), SystemExit):  # isinstance would ask its `__class__` too
            return self._exit_code(error)
        self._failed(error)
        return 1

    def _failed(self, error: BaseException) -> None:
        self._run.guard("exception", lambda: self._describe(error))
        self._run.guard("exception", lambda: exceptions.without_ours(error, self._run.source))
        try:
            if sys.excepthook is not sys.__excepthook__:
                sys.excepthook(type(error), error, error.__traceback__)
            else:
                sys.stderr.write(exceptions.text_of(error, self._run.source))
        except BaseException:
            pass  # a broken hook or stream of the snippet's own
        try:
            # The report is written from the error's frames, and stdio is still in use: keep both.
            sys.last_value = error
        except Exception:
            pass

    def _describe(self, error: BaseException) -> None:
        self.error = exceptions.describe_at_least(error, self._run.source)
        self.error = exceptions.describe(error, self._run.source)
        self.frames = exceptions.frames(error, self._run.source)
        self._run.guard("demonstrated", self._ask_whether_meant)
        if self._run.placeholders is not None:
            self._run.guard("placeholders", lambda: self._judge(error))
            self._run.guard("resources", self._list_absent)
        if self._run.tree is not None and "torch" in sys.modules:
            from executor.inside.probes import layer

            self.layer = layer.failing_layer(
                error, self._run.source, attribute_lines(self._run.tree, made=True)
            )
            self._run.guard("explain", lambda: self._explain(error))
        if self._run.simulated is not None:
            self.see_devices(error)

    def _list_absent(self) -> None:
        from executor.inside.resources import uses

        self.absent = uses.absent(self._run.tree) if self._run.tree is not None else ()

    def _ask_whether_meant(self) -> None:
        if self.error is None:
            return
        lines = [self.error.line, *(f.line for f in self.frames)]
        said = f"{self.error.type}: {self.error.message}"
        how = self._run.caught.demonstrated(lines, error=said)
        self.error = self.error.model_copy(update={"demonstrated": how})

    def _judge(self, error: BaseException) -> None:
        if self._run.placeholders is not None and self.error is not None:
            self._run.placeholders.judge(
                error, self.error, exceptions.innermost(error, self._run.source)
            )

    def _explain(self, error: BaseException) -> None:
        from executor.inside.explain import explain

        if self._run.tree is not None:
            explained = explain.explain(error, self._run.source, self._run.tree)
            self.explanation, self.operands = explained.explanation, explained.operands
            self.shapes = explained.shapes

    def _exit_code(self, error: BaseException) -> int:
        code = getattr(error, "code", 1)
        if code is None or code == 0:
            return 0
        self._run.guard("exception", lambda: self._describe(error))
        if isinstance(code, int):
            return code & 0xFF
        self._run.guard("exit", lambda: print(code, file=sys.stderr))
        return 1

    def see_devices(self, error: BaseException) -> None:
        """Note the operands' devices of the final error, else of the first caught one."""
        self.devices = self._run.simulated.devices_of(error, self._run.source) or self.devices
