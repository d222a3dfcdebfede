"""bot/logs.py: what an operator reads in the log."""

from __future__ import annotations

import logging

import pytest

from bot import logs


@pytest.mark.parametrize(
    ("name", "level", "logged"),
    [
        ("bot.service.work", logging.INFO, True),
        ("bm25s", logging.DEBUG, False),
        ("bm25s", logging.WARNING, True),
        ("botany", logging.INFO, False),
    ],
)
def test_of_libraries_only_warnings_are_logged(
    name: str, level: int, logged: bool, monkeypatch: pytest.MonkeyPatch
):
    """Whatever level a library gives its own logger."""
    root = logging.Logger("root")
    monkeypatch.setattr(logging, "root", root)
    logs.log_to_stderr()
    record = logging.LogRecord(name, level, "", 1, "said", (), None)

    assert bool(root.handlers[0].filter(record)) is logged
