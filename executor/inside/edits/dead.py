"""The frames of a program that failed, in which expressions can still be evaluated."""

from __future__ import annotations

from types import FrameType, TracebackType
from typing import Any

from executor.inside.edits.program import Ended

_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})

# First line, first column, last line, last column; columns are byte offsets.
Span = tuple[int | None, int | None, int | None, int | None]


class DeadFrames:
    """The program's own frames at the moment of its error, the innermost last."""

    def __init__(self, ended: Ended) -> None:
        """Take them from the error's traceback.

        Args:
            ended: it has an error; one that no line of the program raised has no span.
        """
        assert ended.error is not None
        self.error: BaseException = ended.error
        self.stdout = ended.stdout
        self.names: list[dict[str, Any]] = []
        self.spans: list[Span] = []
        tb: TracebackType | None = ended.error.__traceback__
        while tb is not None:
            frame: FrameType = tb.tb_frame
            if frame.f_code.co_filename == ended.filename:
                # A comprehension has a frame of its own, inside of the one that it stands in.
                is_inner = frame.f_code.co_name in _COMPREHENSIONS and bool(self.names)
                around = self.names[-1] if is_inner else frame.f_globals
                self.names.append({**around, **frame.f_locals})
                self.spans.append(_span(tb))
            tb = tb.tb_next
        if not self.names:  # of a call that was added behind it, the names of the module
            self.names.append(dict(ended.names))

    def value(self, expression: str, frame: int = -1) -> Any:
        """Evaluate an expression in one of the frames.

        Raises:
            BaseException: whatever that raises; LookupError where there is no such frame.
        """
        names = self.names[frame]
        return eval(compile(expression, "<edit>", "eval", dont_inherit=True), names)


def _span(tb: TracebackType) -> Span:
    """Which expression of a frame raised, or called what raised."""
    positions = list(tb.tb_frame.f_code.co_positions())
    index = tb.tb_lasti // 2
    if index >= len(positions):
        return (tb.tb_lineno, None, None, None)
    line, end_line, col, end_col = positions[index]
    return (line, col, end_line, end_col)
