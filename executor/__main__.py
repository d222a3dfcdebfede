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

import uvicorn

from executor.app import build
from executor.limits import Limits
from executor.supervisor import Settings, Supervisor


def main() -> int:
    """Parse the command line, serve until told to stop; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m executor", description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--uds", type=Path, help="serve on this Unix socket")
    where.add_argument("--port", type=int, help="serve on this TCP port")
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
    app = build(Supervisor(settings_from(json.loads(given.settings))), token)
    if given.until_stdin_closes:
        threading.Thread(target=_stop_with_parent, daemon=True).start()
    if given.uds:
        given.uds.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            old = os.umask(0o177)
            listener.bind(str(given.uds))
            os.umask(old)
            listener.listen(128)
            config = uvicorn.Config(app, log_level="warning", access_log=False)
            uvicorn.Server(config).run(sockets=[listener])
    else:
        uvicorn.run(app, host=given.host, port=given.port, log_level="warning", access_log=False)
    return 0


def settings_from(words: dict[str, object]) -> Settings:
    """Settings from plain JSON, as `config.yaml` has them."""
    known = dict(words)
    limits = known.pop("limits", {})
    readable = known.pop("readable", ())
    preload = known.pop("preload", ())
    assert isinstance(limits, dict) and isinstance(readable, (list, tuple))
    assert isinstance(preload, (list, tuple))
    return Settings(
        limits=Limits(**limits),
        readable=tuple(Path(str(p)) for p in readable),
        preload=tuple(str(p) for p in preload),
        **known,  # type: ignore[arg-type]
    )


def _stop_with_parent() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
