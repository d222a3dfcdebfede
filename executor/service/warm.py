"""Start, use and stop the warm server from the supervisor."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from executor.exceptions import ServerGoneError, StartError
from executor.jail.walls import Cell, Tier
from executor.service.memory import anonymous_bytes

_START_S = 120.0
_BRANCH_S = 60.0


@dataclass(frozen=True)
class Ready:
    """What the warm server reports about itself when it is ready."""

    tier: Tier
    pid: int
    landlock_abi: int
    torch: str
    cuda: str | None
    python: str
    memory_bytes: int  # shared by each fork, and not counted as the fork's


class Server:
    """A process that has imported what the runs need, and forks them."""

    def __init__(self, control: socket.socket, tier: Tier) -> None:
        """Take over the socket over which it is told what to do."""
        self._control = control
        self._tier = tier
        self._gone = False
        self.orders = 0
        self.ready: Ready

    def alive(self) -> bool:
        """Whether it runs, as far as is known."""
        return not self._gone

    def build(self, cell: Cell, ends: Sequence[int]) -> None:
        """Ask for a run; `ends` are the descriptors of `monitor.Ends`, in order.

        Raises:
            ServerGoneError: it is dead.
        """
        self._say(cell.to_json(), ends)
        self.orders += 1

    def branch(self, modules: Sequence[str]) -> Branch:
        """Fork a server that imports these modules too.

        Raises:
            StartError: it did not start; the message says why.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                self._say({"branch": list(modules)}, [theirs.fileno()])
            except ServerGoneError as e:
                ours.close()
                raise StartError(str(e)) from e
        return Branch(ours, self._tier)

    def stop(self) -> None:
        """Stop it. Runs that it has forked go on: each has a monitor of its own."""
        self._gone = True
        self._control.close()

    def _say(self, words: dict[str, object], fds: Sequence[int]) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(words).encode()], fds)
        except OSError as e:
            self._gone = True
            raise ServerGoneError("the warm server is gone") from e

    def _wait_until_ready(self, seconds: float) -> None:
        """Hear from the server what it is.

        Raises:
            StartError: it did not start; the message says why.
        """
        self._control.settimeout(seconds)
        try:
            said = json.loads(
                self._control.recv(65536) or b'{"failed": "it stopped without a word"}'
            )
        except TimeoutError:
            said = {"failed": f"no word from it in {seconds:.0f} s"}
        except ConnectionError as e:
            said = {"failed": str(e)}
        if "failed" in said:
            self.stop()
            raise StartError(said["failed"])
        self._control.settimeout(None)
        self.ready = Ready(
            tier=self._tier,
            pid=said["pid"],
            landlock_abi=said["landlock_abi"],
            torch=said["torch"],
            cuda=said["cuda"],
            python=said["python"],
            memory_bytes=anonymous_bytes(said["pid"]),
        )


class Branch(Server):
    """A server that another one forked. It ends by itself when nobody can talk to it any more."""

    def __init__(self, control: socket.socket, tier: Tier) -> None:
        """Wait until it is ready.

        Raises:
            StartError: it did not start; the message says why.
        """
        super().__init__(control, tier)
        self._wait_until_ready(_BRANCH_S)


class WarmServer(Server):
    """The process that has imported what runs need: torch, mostly."""

    def __init__(
        self,
        tier: Tier,
        root: Path,
        readable: Sequence[Path],
        preload: Sequence[str],
        python: Path,
        *,
        torch: bool = True,
    ) -> None:
        """Start it and wait until it is ready.

        Args:
            tier: the jail of its runs.
            root: an empty folder, on which tier `namespaces` builds its root.
            readable: what every run may read, beside the system's own.
            preload: modules to import beside its own.
            python: the interpreter whose packages the runs may import.
            torch: whether it imports torch, and what of ours needs that.

        Raises:
            StartError: it did not start; the message says why.
        """
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(control, tier)
        setup = {
            "tier": tier,
            "root": str(root),
            "readable": [str(p) for p in readable],
            "preload": list(preload),
            "torch": torch,
        }
        with theirs:
            self._process = subprocess.Popen(
                [
                    str(python),
                    "-P",
                    "-m",
                    "executor.inside.server",
                    str(theirs.fileno()),
                    json.dumps(setup),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=_environment(),
            )
        self._wait_until_ready(_START_S)

    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Stop it. Runs that it has forked go on: each has a monitor of its own."""
        super().stop()
        self._process.kill()
        self._process.wait()


def _environment() -> dict[str, str]:
    """The server's environment, without any secret: every run has a copy in its memory."""
    where = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return where | {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        "PYTHONIOENCODING": "utf-8:strict",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # asking for a GPU must not initialise CUDA
        "HF_HUB_OFFLINE": "1",
        "JE_ARROW_MALLOC_CONF": "background_thread:false",  # a thread would be lost at each fork
    }
