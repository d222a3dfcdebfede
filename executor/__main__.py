"""`python -m executor`: serve the executor on a Unix socket, or over TCP with a token."""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import TypeAdapter, ValidationError

from executor.service.app import Application, build
from executor.service.local import LocalEngine
from executor.service.supervisor import Supervisor, SupervisorSettings

_GRACE_S = 5  # to finish answers after the order to stop; then running snippets are ended
# A client drops an idle connection first (httpx: after 5 s). Were ours dropped as early, a job
# could be sent just as it closes: "Server disconnected without sending a response".
_KEEP_ALIVE_S = 75


def main() -> int:
    """Parse the command line, serve until told to stop; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m executor", description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--uds", type=Path, help="serve on this Unix socket")
    where.add_argument("--port", type=int, help="serve on this TCP port")
    parser.add_argument(
        "--uds-mode",
        type=lambda text: int(text, 8),
        default=0o600,
        metavar="OCTAL",
        help="permissions of the --uds socket: 660 opens it to our group (600)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address for --port (127.0.0.1)")
    parser.add_argument(
        "--settings", default="{}", help="the executor's settings as JSON (see config.yaml)"
    )
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="stop when whoever started us is gone"
    )
    given = parser.parse_args()
    token = os.environ.pop("TORCHMEDIC_EXECUTOR_TOKEN", None)
    if given.port is not None and not token:
        print(
            "python -m executor: TCP needs a token: set TORCHMEDIC_EXECUTOR_TOKEN to a long random "
            "string here and in the bot, or serve on a Unix socket with --uds",
            file=sys.stderr,
        )
        return 2
    try:
        settings = settings_from(json.loads(given.settings))
    except ValueError as e:
        print(f"python -m executor: --settings: {e}", file=sys.stderr)
        return 2
    app = build(LocalEngine(Supervisor(settings)), token)
    if given.until_stdin_closes:
        threading.Thread(target=_stop_with_parent, daemon=True).start()
    if given.uds:
        given.uds.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            old = os.umask(0o777 & ~given.uds_mode)
            listener.bind(str(given.uds))
            os.umask(old)
            listener.listen(128)
            uvicorn.Server(_config(app)).run(sockets=[listener])
    else:
        uvicorn.Server(_config(app, host=given.host, port=given.port)).run()
    return 0


def _config(app: Application, **where: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=_KEEP_ALIVE_S,
        loop="asyncio",  # uvicorn would take uvloop where that is installed
        http="h11",
        **where,
    )


def settings_from(words: dict[str, object]) -> SupervisorSettings:
    """Settings from plain JSON.

    Raises:
        ValueError: names the word that is unknown or of the wrong kind.
    """
    try:
        return TypeAdapter(SupervisorSettings).validate_python(words)
    except ValidationError as e:
        wrong = e.errors()[0]
        name = ".".join(map(str, wrong["loc"]))
        raise ValueError(f"{name}: {wrong['msg']} (it is {wrong['input']!r})") from e


def _stop_with_parent() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
