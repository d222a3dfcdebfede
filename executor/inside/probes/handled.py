"""Handled exceptions as `sys.monitoring` reports them, from Python 3.12 on.

The snippet is not rewritten, and what no `except` clause shows is seen too: `suppress`, any
context manager that swallows, `return` in `finally`. An exception that its handler raises again
is dropped. Only the standard library is used here, so that any newer interpreter can test it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from types import CodeType
from typing import Any

_TOOL = 4  # of the ids 0 to 5, one that Python reserves for no kind of tool
_NAME = "torchmedic"


def offered() -> bool:
    """Whether this interpreter has `sys.monitoring` and no other tool uses our id."""
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and monitoring.get_tool(_TOOL) is None


class Handled:
    """Calls `take` for every exception that one file's handlers catch, `drop` if it is reraised."""

    def __init__(
        self,
        filename: str,
        take: Callable[[BaseException, int | None], Any],
        drop: Callable[[Any], None],
    ) -> None:
        """Args: the file; the callback; what to call with its result if the exception goes on."""
        self._filename = filename
        self._take = take
        self._drop = drop
        self._open: list[tuple[int, CodeType, Any]] = []

    def start(self) -> None:
        """Listen."""
        m: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
        m.use_tool_id(_TOOL, _NAME)
        m.register_callback(_TOOL, m.events.EXCEPTION_HANDLED, self._handled)
        m.register_callback(_TOOL, m.events.RERAISE, self._raised_again)
        m.set_events(_TOOL, m.events.EXCEPTION_HANDLED | m.events.RERAISE)

    def stop(self) -> None:
        """Stop listening."""
        m: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
        m.set_events(_TOOL, 0)
        m.register_callback(_TOOL, m.events.EXCEPTION_HANDLED, None)
        m.register_callback(_TOOL, m.events.RERAISE, None)
        m.free_tool_id(_TOOL)

    def _handled(self, code: CodeType, offset: int, error: BaseException) -> None:
        if code.co_filename != self._filename:
            return
        try:
            taken = self._take(error, _line(code, offset))
            self._open = [*self._open[-20:], (id(error), code, taken)]
        except Exception:
            pass  # a failing probe must not disturb the snippet's own handling

    def _raised_again(self, code: CodeType, offset: int, error: BaseException) -> None:
        if code.co_filename != self._filename:
            return
        for i, (key, where, taken) in reversed(list(enumerate(self._open))):
            if key == id(error) and where is code:
                del self._open[i]
                self._drop(taken)
                return


def _line(code: CodeType, offset: int) -> int | None:
    """The line of a handler: its first instructions have none."""
    lines = (start for start, *_ in islice(code.co_positions(), offset // 2, None))
    return next((line for line in lines if line is not None), None)
