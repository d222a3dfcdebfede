"""Record warnings, each with the snippet's line that led to it."""

from __future__ import annotations

import functools
import warnings
from typing import TextIO

from executor.inside.probes.source import SnippetSource
from executor.protocol import WarningSeen

_MOST = 50


class WarnedProbe:
    """Notes every warning that would be shown, then lets Python show it."""

    def __init__(self, source: SnippetSource) -> None:
        self.source = source
        self.seen: list[WarningSeen] = []

    def start(self) -> None:
        """Listen."""
        show = warnings.showwarning

        @functools.wraps(show)
        def note(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if len(self.seen) < _MOST:
                own = lineno if filename == self.source.filename else self.source.line_now()
                self.seen.append(
                    WarningSeen(category=category.__name__, message=str(message)[:2000], line=own)
                )
            show(message, category, filename, lineno, file, line)

        warnings.showwarning = note
