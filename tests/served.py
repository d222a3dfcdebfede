"""One executor for all tests that need none of their own, in however many processes they run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.diagnosis.assemble import embedded_settings
from bot.settings import ExecutorSettings

_SLOTS = 4  # one for each process that tests, so that no run waits for another's
_RUNS = 100_000  # on one warm server: a fresh one takes seconds of a core


@contextmanager
def serve_executor() -> Iterator[str]:
    """Start it as a bot does, and stop it; its URL."""
    words = embedded_settings(ExecutorSettings(slots=_SLOTS)) | {"runs_per_server": _RUNS}
    with tempfile.TemporaryDirectory(prefix="tests-") as folder:
        socket = Path(folder) / "executor.sock"
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "executor", "--uds", socket,
             "--settings", json.dumps(words), "--until-stdin-closes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        while not socket.exists():
            assert process.poll() is None, "the executor could not start"
            time.sleep(0.05)
        try:
            yield f"unix:{socket}"
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)
