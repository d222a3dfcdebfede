"""The few system calls that Python does not wrap; each failure is an OSError."""

from __future__ import annotations

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *args: object, what: str) -> int:
    """Make a raw system call; `what` names it in the OSError."""
    libc.syscall.restype = ctypes.c_long
    return _checked(libc.syscall(ctypes.c_long(number), *args), what)


def prctl(option: int, arg: int = 0) -> None:
    """Change a property of this process."""
    zero = ctypes.c_ulong(0)
    _checked(
        libc.prctl(ctypes.c_int(option), ctypes.c_ulong(arg), zero, zero, zero), f"prctl({option})"
    )


def unshare(flags: int) -> None:
    """Leave the namespaces named by the CLONE_NEW* flags for fresh ones."""
    _checked(libc.unshare(ctypes.c_int(flags)), f"unshare({flags:#x})")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount a file system; the arguments are those of mount(2)."""
    result = libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()
    )
    _checked(result, f"mount {target}")


def unmount(target: str, flags: int = 0) -> None:
    """Unmount a file system; lazily with MNT_DETACH."""
    _checked(libc.umount2(target.encode(), ctypes.c_int(flags)), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root and put the former one at `old`."""
    number = {"x86_64": 155, "aarch64": 41}[os.uname().machine]
    syscall(number, new.encode(), old.encode(), what="pivot_root")


def close_all_but(*fds: int) -> None:
    """Close every other descriptor of this process."""
    after = 0
    for fd in (*sorted(fds), 65536):
        if fd > after:  # os.closerange(0, 0) closes them all: its last, -1, becomes the largest
            os.closerange(after, fd)
        after = fd + 1


def drop_all_capabilities() -> None:
    """Empty every capability set of this process, the bounding set included, for good.

    Raises:
        OSError: the kernel refused; a process that holds CAP_SETPCAP is never refused.
    """
    last = int(open("/proc/sys/kernel/cap_last_cap").read())  # noqa: SIM115, PTH123
    for capability in range(last + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except PermissionError:
            break  # no CAP_SETPCAP: no_new_privs then keeps the bounding set out of reach
    zero = ctypes.c_ulong(0)
    libc.prctl(PR_CAP_AMBIENT, ctypes.c_ulong(PR_CAP_AMBIENT_CLEAR_ALL), zero, zero, zero)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    data = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: all zero, twice 32 bits
    _checked(libc.capset(header, data), "capset")
