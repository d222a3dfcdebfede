"""The snippet's running frames, and the lines and expressions of their instructions."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from itertools import islice
from types import CodeType, FrameType

from executor.inside.walking import walk


@dataclass(frozen=True)
class CodePosition:
    """An instruction of the snippet, cheap enough for a probe that is called very often."""

    code: CodeType
    instruction: int  # byte offset, as f_lasti and tb_lasti give it
    line: int


@dataclass(frozen=True)
class Span:
    """An expression: lines 1-based, columns 0-based byte offsets; None where Python knows none."""

    line: int
    end_line: int | None
    col: int | None
    end_col: int | None
    text: str


class SnippetSource:
    """The snippet's text, for turning instructions into expressions."""

    def __init__(self, code: str, filename: str) -> None:
        self.filename = filename
        self.lines = code.splitlines() or [""]
        self._known: dict[tuple[int, int], tuple[CodeType, int]] = {}

    def line(self, number: int) -> str:
        """A line without its indentation; empty where there is none."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def span(self, place: CodePosition) -> Span:
        """The expression that an instruction belongs to."""
        positions = next(islice(place.code.co_positions(), place.instruction // 2, None), None)
        line, end_line, col, end_col = positions or (None, None, None, None)
        line = line or place.line
        if end_line is None or col is None or end_col is None:
            return Span(line, None, None, None, self.line(line))
        return Span(line, end_line, col, end_col, self._cut(line, end_line, col, end_col))

    def _cut(self, line: int, end_line: int, col: int, end_col: int) -> str:
        rows = [row.encode() for row in self.lines[line - 1 : end_line]]
        if not rows:
            return ""
        rows[-1] = rows[-1][:end_col]
        rows[0] = rows[0][col:]
        text = b"\n".join(rows).decode(errors="replace")
        return text if len(text) <= 400 else text[:400] + " …"

    def frame(self, above: int = 0) -> FrameType | None:
        """The innermost frame of the snippet that is running now.

        `above` is how many callers of the caller are known not to be the snippet's: Python creates
        an object for each frame that is looked at.
        """
        frame: FrameType | None = sys._getframe(1 + above)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame

    def position_now(self) -> CodePosition | None:
        """The snippet's current instruction; None if none of its frames is running."""
        frame = self.frame()
        return (
            CodePosition(frame.f_code, frame.f_lasti, frame.f_lineno) if frame is not None else None
        )

    def line_now(self) -> int | None:
        """The snippet's line that is running now."""
        return self.line_above(1)

    def line_above(self, above: int) -> int | None:
        """The same, if that many callers are known not to be the snippet's."""
        frame: FrameType | None = sys._getframe(1 + above)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        if frame is None:
            return None
        # Python computes a line number from the start of its code object each time.
        code = frame.f_code
        key = id(code), frame.f_lasti
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = code, frame.f_lineno
        return known[1]


def attribute_lines(tree: ast.Module, *, made: bool = False) -> dict[tuple[str, str], int]:
    """(class, attribute) → the line that first assigns it through `self`.

    What is also assigned from outside (`net.fc = …`) is left out: either line may have made it.
    With `made` so is what only gets a name there: `self.net = net` makes nothing.
    """
    lines: dict[tuple[str, str], int] = {}
    for cls in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        for node in walk(cls):
            if not isinstance(node, (ast.Assign, ast.AnnAssign)):
                continue
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if made and isinstance(node.value, (ast.Name, ast.Attribute, ast.Subscript)):
                    continue
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                    lines.setdefault((cls.name, target.attr), node.lineno)
    stored = (n for n in walk(tree) if isinstance(n, ast.Attribute))
    outside = {
        n.attr
        for n in stored
        if isinstance(n.ctx, ast.Store)
        and not (isinstance(n.value, ast.Name) and n.value.id == "self")
    }
    return {place: line for place, line in lines.items() if place[1] not in outside}
