"""Remember what every run did, one JSON line each, so that an audit goes on where it was killed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from executor.protocol import Model
from knowledge.audit.model import BlockRun


class _Line(Model):
    key: str
    seen: BlockRun


class Journal:
    """Runs by what was run, on which torch, under which limits.

    A run is written in one go, on a new line: the kill that tears the last one costs that run.
    """

    def __init__(self, path: Path, conditions: object) -> None:
        """Open it; `conditions`: what a run's outcome hangs on besides the code, as plain JSON.

        Raises:
            OSError: it cannot be written.
        """
        self._conditions = json.dumps(conditions, sort_keys=True)
        self._known: dict[str, BlockRun] = {}
        self.made = 0  # runs since it was opened
        path.parent.mkdir(parents=True, exist_ok=True)
        for line in path.read_bytes().splitlines() if path.exists() else ():
            with suppress(ValidationError):  # torn by a kill, or another version's
                read = _Line.model_validate_json(line)
                self._known[read.key] = read.seen
        self._file = path.open("ab", buffering=0)

    async def keep(self, what: str, run: Callable[[], Awaitable[BlockRun]]) -> BlockRun:
        """The run that is known, or one that is made now and written down."""
        whole = f"{self._conditions}\n{what}".encode("utf-8", "surrogatepass")
        key = hashlib.sha256(whole).hexdigest()[:32]
        if key not in self._known:
            seen = await run()
            self.made += 1
            line = _Line(key=key, seen=seen).model_dump_json(exclude_defaults=True)
            self._file.write(b"\n" + line.encode("utf-8", "backslashreplace"))
            self._known[key] = seen
        return self._known[key]

    def close(self) -> None:
        """See that all of it is on the disk."""
        os.fsync(self._file.fileno())
        self._file.close()
