"""How often a model was asked today, kept in the state folder: a restart forgets nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from knowledge.search.index import replace_file


class Allowance:
    """A number of requests a day (UTC). Several bots with one state folder share it roughly."""

    def __init__(self, path: Path, per_day: int) -> None:
        """`path`: the file to count in; `per_day`: requests; 0: none."""
        self._path = path
        self._per_day = per_day

    def take(self) -> bool:
        """Count one request; False if today's are used up, or if nobody can count them.

        Where the file cannot be written, a limit could not be kept, so nothing is asked.
        """
        today = datetime.now(UTC).date().isoformat()
        taken = self._taken(today)
        if taken >= self._per_day:
            return False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, json.dumps({"day": today, "requests": taken + 1}))
        except OSError:
            return False
        return True

    def _taken(self, today: str) -> int:
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            return int(kept["requests"]) if kept["day"] == today else 0
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError):
            return self._per_day  # damaged: nobody knows how many there were
