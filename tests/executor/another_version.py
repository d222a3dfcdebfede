"""An executor of another version: the same sources, but for one line of one codemod."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from executor.version import digest, version

ROOT = Path(__file__).parents[2]
_CHANGED = "knowledge/articles/view_not_contiguous/codemod.py"


@contextmanager
def another_version(folder: Path) -> Iterator[tuple[Path, str]]:
    """Serve it: its socket, and its version."""
    sources = folder / "another"
    for name in ("executor", "knowledge"):
        shutil.copytree(ROOT / name, sources / name)  # with what is compiled already
    with (sources / _CHANGED).open("a") as file:
        file.write("# and one line more\n")
    path = folder / "another.sock"
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "executor",
            "--uds",
            path,
            "--settings",
            '{"slots": 1, "torch": false}',
        ],
        cwd=sources,
        env=os.environ | {"PYTHONPATH": str(sources)},
    )
    try:
        for _ in range(600):
            if path.exists() or process.poll() is not None:
                break
            time.sleep(0.1)
        assert path.exists(), "the executor of another version does not start"
        yield path, f"{version().partition('+')[0]}+{digest(sources)}"
    finally:
        process.terminate()
        process.wait(30)
