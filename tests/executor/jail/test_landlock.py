"""executor/jail/landlock.py: in a child, which keeps the rules for good."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from executor.jail import landlock, syscalls

pytestmark = pytest.mark.skipif(
    landlock.abi() < 1, reason="NOT TESTED HERE: this kernel has no Landlock"
)


def in_child(act: Callable[[], None]) -> int:
    """errno of what a child met behind Landlock; 0 for nothing, 255 for anything else."""
    child = os.fork()
    if child == 0:
        code = 255
        try:
            syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
            act()
            code = 0
        except OSError as e:
            code = e.errno or 255
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_reading_what_is_allowed_and_nothing_else(tmp_path: Path) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    for folder in (allowed, other):
        folder.mkdir()
        (folder / "f").write_text("x")

    def read(path: Path) -> Callable[[], None]:
        def act() -> None:
            landlock.restrict([str(allowed)], [], tcp=False)
            os.close(os.open(path, os.O_RDONLY))

        return act

    def write() -> None:
        landlock.restrict([str(allowed)], [], tcp=False)
        os.open(allowed / "f", os.O_WRONLY)

    assert in_child(read(allowed / "f")) == 0
    assert in_child(read(other / "f")) == 13
    assert in_child(write) == 13


def test_missing_path_is_an_error() -> None:
    """A hole in the list must not pass in silence."""
    assert in_child(lambda: void(landlock.restrict(["/no/such/place"], [], tcp=False))) == 2


def test_signals_stay_inside() -> None:
    if landlock.abi() < 6:
        pytest.skip("NOT TESTED HERE: this kernel's Landlock does not scope signals")

    def act() -> None:
        landlock.restrict([], [], tcp=False)
        os.kill(os.getppid(), 0)

    assert in_child(act) == 1


def test_tcp_is_refused() -> None:
    if landlock.abi() < 4:
        pytest.skip("NOT TESTED HERE: this kernel's Landlock knows no network")
    import socket

    def act() -> None:
        landlock.restrict([], [], tcp=False)
        socket.socket().bind(("127.0.0.1", 0))

    assert in_child(act) == 13


def void(_: object) -> None:
    """Nothing."""
