"""The log on standard error: one line an event, without tokens or anything that people wrote."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any, Literal


class JsonLines(logging.Formatter):
    """One JSON object a line, for a log collector."""

    def format(self, record: logging.LogRecord) -> str:
        """The event's message and its fields (`extra=facts(...)`) as JSON."""
        words: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        } | getattr(record, "facts", {})
        if record.exc_info:
            words["exception"] = self.formatException(record.exc_info)
        return json.dumps(words, ensure_ascii=False)


def facts(**known: str | int | float | bool) -> dict[str, Any]:
    """A log line's fields by name: `log.info("…", extra=facts(question=id))`."""
    return {"facts": known}


def where(e: Exception) -> str:
    """An exception's type and line, without its text, which may quote what a person wrote."""
    trace = e.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "nowhere"
    return f"{type(e).__name__} at {place}"


def _is_ours_or_grave(record: logging.LogRecord) -> bool:
    # A library may set its own logger's level (bm25s does, to DEBUG).
    return record.levelno >= logging.WARNING or record.name.partition(".")[0] == "bot"


def log_to_stderr(form: Literal["text", "json"] = "text") -> None:
    """Log our own messages from info on, those of libraries from warnings on."""
    handler = logging.StreamHandler()
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else plain)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("bot").setLevel(logging.INFO)
    handler.addFilter(_is_ours_or_grave)
