"""The start-up self-test: real attacks in a real run, before the first job is taken.

An attack that gets through means that a wall is missing (a kernel that accepts a call and does
nothing, a container started with too many rights), so the executor takes no work. The test is one
ordinary run of about 50 ms; since the start takes seconds anyway, no result is cached.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import socket
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from executor.exceptions import StartError
from executor.jail.walls import Tier
from executor.protocol import File, Job, Model
from executor.service.run import Run

_HOSTILE = Path(__file__).parents[1] / "jail" / "hostile.py"

# What tier `process` does not promise: there, a run may do what its starter may.
_NOT_IN_PROCESS = {"read_shadow", "signal_server", "network", "raise_limits"}
_WITHOUT_LANDLOCK = {"abstract_socket"}


class AttackRow(Model):
    """One attack: whether the wall held, and what the attack got or was refused with."""

    attack: str
    passed: bool
    seen: str


class SelfTestError(StartError):
    """An attack got through."""

    def __init__(self, rows: Sequence[AttackRow]) -> None:
        self.rows = tuple(rows)
        named = "; ".join(f"{r.attack} ({r.seen})" for r in rows if not r.passed)
        super().__init__(f"the jail does not hold here, so no snippet is run: {named}")


class Target:
    """The targets of the attacks: our processes, a listening port, an abstract Unix socket."""

    def __init__(self, server: int, *, loopback: bool) -> None:
        """Open the port and the socket.

        Args:
            server: the warm server's process.
            loopback: runs share our loopback (a container's, say), so reaching it is allowed.
        """
        self._loopback = loopback
        self.pids = [server, os.getpid()]
        self.abstract = f"torchmedic-{secrets.token_hex(8)}"
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._unix = socket.socket(socket.AF_UNIX)
        self._unix.bind("\0" + self.abstract)
        self._unix.listen(1)
        self.port: int = self._tcp.getsockname()[1]

    def words(self) -> dict[str, object]:
        """The targets as JSON values, for the attacks' target.json."""
        words: dict[str, object] = {"pids": self.pids, "abstract": self.abstract}
        return words if self._loopback else words | {"port": self.port}

    def __enter__(self) -> Target:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._tcp.close()
        self._unix.close()


def job(target: Target) -> Job:
    """The attacks as a job."""
    words = base64.b64encode(json.dumps(target.words()).encode()).decode()
    # A second or two; a machine that is busy at start-up must not look like one with a hole.
    return Job(
        code=_HOSTILE.read_text(), files=(File(name="target.json", base64=words),), wall_s=60
    )


def rows(run: Run, tier: Tier, trouble: str) -> tuple[AttackRow, ...]:
    """The result of each attack, from its own output and from what it left behind."""
    found = []
    for line in run.stdout.text().splitlines():
        words = json.loads(line)
        name, got = words["attack"], words["got"]
        excused = tier is Tier.PROCESS and name in _NOT_IN_PROCESS
        excused |= tier in {Tier.PROCESS, Tier.GVISOR} and name in _WITHOUT_LANDLOCK
        seen = f"got {got}" if got else f"refused: {words['why']}"
        found.append(AttackRow(attack=name, passed=not got or excused, seen=seen))
    ended = run.ended is not None and run.verdict is None
    names = {r.attack for r in found}
    asked = re.findall(r"^@attack\ndef (\w+)", _HOSTILE.read_text(), re.MULTILINE)
    missing = [name for name in asked if name not in names]
    made = f"{len(names)} of {len(asked)}"
    if missing:
        made += f", not made: {', '.join(missing)}"
    if run.verdict is not None:
        made += f"; the run was ended ({run.verdict.value})"
    found.append(
        _row(
            "every_attack_was_made",
            not missing and ended,
            run.setup_error or run.stderr.text()[-300:] or made,
        )
    )
    daemon = trouble or "nothing of it was left"
    found.append(_row("daemon_outlives_run", run.left == 0 and not trouble, daemon))
    links = [f.name for f in run.collected.files if f.name == "stolen.txt"]
    found.append(_row("link_is_followed", not links, "skipped" if not links else "it came back"))
    return tuple(found)


def _row(attack: str, passed: bool, seen: str) -> AttackRow:
    return AttackRow(attack=attack, passed=passed, seen=seen)
