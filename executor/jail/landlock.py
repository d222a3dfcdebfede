"""Landlock: limit the files that a run may touch, and signals to the run's own processes.

Source:
    https://docs.kernel.org/userspace-api/landlock.html
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

from executor.jail import syscalls

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

# Rights each ABI knows: 1 has bits 0-12, 2 adds REFER, 3 TRUNCATE, 5 IOCTL_DEV.
_RIGHTS_OF_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP_BIND_AND_CONNECT = 0b11  # ABI 4
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11  # ABI 6


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi() -> int:
    """Landlock's version in this kernel; 0 where there is none (gVisor, old kernels)."""
    try:
        return syscalls.syscall(
            _CREATE_RULESET,
            None,
            ctypes.c_size_t(0),
            ctypes.c_uint32(_VERSION_FLAG),
            what="landlock",
        )
    except OSError:
        return 0


def restrict(readable: Iterable[str], writable: Iterable[str], *, tcp: bool) -> int:
    """Confine this process and all it will start, for good. Needs no_new_privs.

    Args:
        readable: files and folders that may be read and executed. One that does not exist is
            an error: a typing mistake in the list must not go unnoticed.
        writable: files and folders that may also be written; no device node can be made there.
        tcp: whether TCP may be bound and connected (only where the network is the run's own).

    Returns:
        The ABI in force.

    Raises:
        OSError: Landlock is missing or refused.
    """
    version = abi()
    if version < 1:
        raise OSError(38, "landlock: this kernel has none")
    every = (1 << _RIGHTS_OF_ABI[min(version, 5)]) - 1
    ruleset = _Ruleset(
        handled_access_fs=every,
        handled_access_net=_TCP_BIND_AND_CONNECT if version >= 4 and not tcp else 0,
        scoped=_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0,
    )
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset_fd = syscalls.syscall(
        _CREATE_RULESET,
        ctypes.byref(ruleset),
        ctypes.c_size_t(size),
        ctypes.c_uint32(0),
        what="landlock_create_ruleset",
    )
    try:
        read = (_EXECUTE | _READ_FILE | _READ_DIR) & every
        write = every & ~(_MAKE_CHAR | _MAKE_BLOCK)
        for path in readable:
            _allow(ruleset_fd, path, read)
        for path in writable:
            _allow(ruleset_fd, path, write)
        syscalls.syscall(
            _RESTRICT_SELF, ctypes.c_int(ruleset_fd), ctypes.c_uint32(0), what="landlock_restrict"
        )
    finally:
        os.close(ruleset_fd)
    return version


def _allow(ruleset_fd: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= _FILE_RIGHTS
        rule = _PathBeneath(allowed_access=rights, parent_fd=fd)
        syscalls.syscall(
            _ADD_RULE,
            ctypes.c_int(ruleset_fd),
            ctypes.c_int(_RULE_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
            what=f"landlock_add_rule {path}",
        )
    finally:
        os.close(fd)
