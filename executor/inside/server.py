"""The warm server: imports torch, computes nothing, and forks one monitor per run.

It holds no secret and computes no tensor: a forked child hangs at its first parallel operation if
its parent ever ran one, and a warning that PyTorch shows once would be used up here.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
import weakref
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from executor.inside import huge_pages, interpreter
from executor.inside.libraries import after_import, silent
from executor.inside.placeholders import fresh
from executor.jail import filesystem, landlock, monitor, syscalls, walls

RUNNER = "executor.inside.runner"  # which needs no torch
REHEARSAL = "executor.inside.rehearsal"
# Without torch._dynamo the first optimizer step costs 0.9 s in every fork.
PRELOAD = ("torch", "torch.nn", "torch.optim", "torch.utils.data", "torch._dynamo", "numpy",
           RUNNER, "executor.inside.probes.all",
           "executor.inside.placeholders.build", "executor.inside.rebuild.search",
           "executor.inside.edits.looking", "executor.inside.edits.trials",
           "executor.inside.resources.uses")  # fmt: skip


def main() -> None:
    """Entry point of the child process: `python -m executor.inside.server FD JSON`."""
    control = socket.socket(fileno=int(sys.argv[1]))
    setup = json.loads(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the supervisor's to handle
    try:
        hello = _prepare(setup)
    except Exception as e:
        control.send(json.dumps({"failed": f"{type(e).__name__}: {e}"}).encode())
        sys.exit(1)
    control.send(json.dumps(hello).encode())
    _serve(control)


def _prepare(setup: dict[str, Any]) -> dict[str, object]:
    """Enter the tier's file system, import torch, and report versions and devices."""
    tier = walls.Tier(setup["tier"])
    readable = [Path(p) for p in setup["readable"]]
    if tier is walls.Tier.NAMESPACES:
        if os.getuid() != 0:
            filesystem.map_own_user()
        else:
            syscalls.unshare(syscalls.CLONE_NEWNS)
        filesystem.enter_new_root(Path(setup["root"]), readable)
    elif tier in {walls.Tier.UID, walls.Tier.GVISOR} and (hidden := _hidden_from_others(readable)):
        raise PermissionError(
            f"{hidden} cannot be entered by another user, so a run in tier `uid` could not start "
            "Python; install it where everyone may read, or use tier `namespaces`"
        )
    began = time.monotonic()
    after_import.install()
    silent.install()
    for name in (*(PRELOAD if setup["torch"] else (RUNNER,)), *setup["preload"]):
        importlib.import_module(name)
        if name == "torch":
            fresh.remember()
    return _ready(began)


def _ready(began: float) -> dict[str, object]:
    """Get ready to fork, and report versions and devices."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
        rehearsal = importlib.import_module(REHEARSAL)
        rehearsal.rehearse()
    # PyTorch unregisters its operators at exit, which costs each run 25 ms, and half a millisecond
    # to be told not to; what the snippet registers (and multiprocessing's own clean-up) still runs.
    weakref.finalize._registry.clear()  # type: ignore[attr-defined]
    interpreter.remember()
    gc.collect()
    gc.freeze()  # a run's garbage collector does not touch, and so copy, the shared pages
    huge_pages.collapse()  # each fork copies fewer entries: a run takes half the time
    return {
        "pid": os.getpid(),
        "import_s": time.monotonic() - began,
        "landlock_abi": landlock.abi(),
        "torch": torch.__version__ if torch is not None else version("torch"),
        "cuda": torch.version.cuda if torch is not None else None,
        "python": sys.version.split()[0],
    }


def _hidden_from_others(paths: list[Path]) -> Path | None:
    """The first folder on the way to one of the paths that other users may not enter."""
    for path in paths:
        for folder in (*reversed(path.parents), path):
            if folder.exists() and not folder.stat().st_mode & 0o001:
                return folder
    return None


def _serve(control: socket.socket) -> NoReturn:
    while True:
        ready, _, _ = select.select([control], [], [], 1.0)
        _reap()
        if not ready:
            continue
        message, fds, _, _ = socket.recv_fds(control, 65536, 5)
        if not message:
            os._exit(0)  # the supervisor is gone
        sys.stdout.flush()
        sys.stderr.flush()
        words = json.loads(message)
        if os.fork() == 0:
            control.close()
            if "branch" in words:
                _become_branch(socket.socket(fileno=fds[0]), words["branch"])
            _become_monitor(walls.Cell.from_json(words), monitor.Ends(*fds))
        for fd in fds:
            os.close(fd)


def _become_branch(control: socket.socket, modules: list[str]) -> NoReturn:
    """Import these modules too, and be a server of those who want them."""
    began = time.monotonic()
    try:
        _import_quietly(modules)
        threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
        if threads > 1:
            raise RuntimeError(f"{', '.join(modules)} starts threads, which no fork has")
        hello = _ready(began)
    except BaseException as e:
        control.send(json.dumps({"failed": f"{type(e).__name__}: {e}"[:4000]}).encode())
        os._exit(1)
    control.send(json.dumps(hello).encode())
    _serve(control)


def _import_quietly(modules: list[str]) -> None:
    """Import them with an environment like a run's, whose folders are not there yet."""
    for_now = tempfile.mkdtemp()  # for what is written at an import, a list of fonts, say
    os.environ.update(
        HOME="/cell/work",
        HF_HOME="/cell/tmp/huggingface",
        XDG_CACHE_HOME=for_now,
        MPLCONFIGDIR=for_now,
        MPLBACKEND="module://executor.inside.figures",
    )
    with warnings.catch_warnings(), Path(os.devnull).open("w") as nowhere:
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            for name in modules:
                importlib.import_module(name)
    shutil.rmtree(for_now)


def _become_monitor(cell: walls.Cell, ends: monitor.Ends) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def wake() -> None:
        if cell.gpu is not None:
            from executor.inside.probes import device  # imported above, before the fork

            device.wake(cell.limits.gpu_memory_bytes)

    def run(job: dict[str, Any], page: int) -> NoReturn:
        from executor.inside import runner  # imported above, before the fork

        runner.run(job, cell, page)

    monitor.watch(cell, ends, monitor.JailedWork(wake, run))


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    main()
