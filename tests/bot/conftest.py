"""What the bot's tests share: a PostgreSQL server of their own."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

_numbers = itertools.count(1)


def _postgres() -> Path | None:
    """Where PostgreSQL's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A server of our own, on a socket in a folder of its own; its URL.

    Not in pytest's folder: each pytest that starts on the machine closes that to other users.
    """
    programs = _postgres()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql): not tested on it")
    with tempfile.TemporaryDirectory(prefix="postgres-") as name:
        yield from _serve(programs, Path(name))


def _serve(programs: Path, folder: Path) -> Iterator[str]:
    as_user = []
    if os.getuid() == 0:  # it refuses to run as root
        shutil.chown(folder, "nobody")
        as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    data = folder / "data"
    subprocess.run(
        [*as_user, programs / "initdb", "-D", data, "-U", "medic", "--auth=trust", "-N"],
        check=True,
        capture_output=True,
        cwd=folder,
    )
    server = subprocess.Popen(
        [*as_user, programs / "postgres", "-D", data, "-k", folder, "-h", ""],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            ready = subprocess.run([programs / "pg_isready", "-h", folder], capture_output=True)
            if ready.returncode == 0:
                break
            time.sleep(0.1)
        yield f"postgresql://medic@/postgres?host={folder}"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


@pytest.fixture
def database(postgres: str) -> str:
    """An empty database on that server; its URL."""
    name = f"empty{next(_numbers)}"
    programs = _postgres()
    assert programs is not None
    folder = postgres.partition("host=")[2]
    subprocess.run([programs / "createdb", "-h", folder, "-U", "medic", name], check=True)
    return postgres.replace("/postgres?", f"/{name}?")
