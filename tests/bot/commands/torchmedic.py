"""The command `torchmedic` in processes of its own, which are forked from one that imported it.

Most of what a short command takes is the import of its modules.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

_IMPORTED = [
    "bot.commands.cli",
    "bot.commands.found",
    "bot.diagnosis.assemble",
    "bot.platforms.console.card",
]
_LONGEST_S = 300


def run(
    arguments: Sequence[str], stdin: bytes, environment: Mapping[str, str], folder: Path
) -> CompletedProcess[str]:
    """Run it to its end, as from a shell: what it wrote, and its exit status."""
    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(_IMPORTED)
    with tempfile.TemporaryDirectory() as streams:
        files = [Path(streams) / name for name in ("in", "out", "err")]
        files[0].write_bytes(stdin)
        process = forking.Process(
            target=_command, args=(list(arguments), files, dict(environment), folder)
        )
        process.start()
        process.join(_LONGEST_S)
        if process.exitcode is None:
            process.kill()
        assert process.exitcode is not None, f"it takes too long: {arguments}"
        out, err = (file.read_bytes().decode() for file in files[1:])
        return CompletedProcess(list(arguments), process.exitcode, out, err)


def _command(
    arguments: list[str], streams: list[Path], environment: dict[str, str], folder: Path
) -> None:
    """Become the command; SystemExit is its exit status."""
    for number, (file, mode) in enumerate(zip(streams, ("rb", "wb", "wb"), strict=True)):
        with file.open(mode) as opened:
            os.dup2(opened.fileno(), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["torchmedic", *arguments]
    from bot.commands.cli import main

    main()
