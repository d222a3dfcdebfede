"""The self-test's snippet: a dozen attacks, run inside the jail as any job would be.

Each attack returns what it got access to; raising OSError means that a wall held. None does any
harm where its wall is missing: it sends signal 0, opens files without writing, mounts a file system
that does not exist. The file is sent as the code of a job, so it imports nothing of ours. It prints
one JSON object a line with each attack's result; the last attack leaves a daemon and a link behind,
which the supervisor looks for afterwards.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)
BEYOND = {errno.EINVAL, errno.EFAULT, errno.ENODEV}  # past the wall, stopped by a wrong argument
ATTACKS: dict[str, Callable[[], object]] = {}


def attack(function: Callable[[], object]) -> Callable[[], object]:
    """Register an attack under the function's name."""
    ATTACKS[function.__name__] = function
    return function


def call(number: int, *args: int) -> int:
    """Make a raw system call; raises the OSError of the wall that stopped it."""
    result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, args))
    why = ctypes.get_errno()
    if result < 0 and why not in BEYOND:
        raise OSError(why, os.strerror(why))
    return int(result)


def numbers(x86_64: int, aarch64: int) -> int:
    """The system call's number on this machine's architecture."""
    return x86_64 if os.uname().machine == "x86_64" else aarch64


@attack
def write_etc() -> object:
    """Open a system file for writing."""
    return os.open("/etc/passwd", os.O_WRONLY)


@attack
def write_python() -> object:
    """Open a module of Python for writing: the next run would import it."""
    with Path(os.__file__).open("a"):
        return os.__file__


@attack
def read_shadow() -> object:
    """Read the machine's password hashes."""
    return Path("/etc/shadow").read_text()[:1]


@attack
def socket_alg() -> object:
    """Open a socket to the kernel's crypto interface."""
    return socket.socket(38, socket.SOCK_SEQPACKET)


@attack
def socket_vsock() -> object:
    """Open a socket to the hypervisor."""
    return socket.socket(40, socket.SOCK_STREAM)


@attack
def socket_vsock_high_bits() -> object:
    """Open the same socket with high bits set, which pass a filter that compares 64 bits."""
    return call(numbers(41, 198), (1 << 32) | 40, 1, 0)


@attack
def socket_packet() -> object:
    """Open a socket for raw network packets."""
    return socket.socket(17, socket.SOCK_RAW)


@attack
def io_uring() -> object:
    """Set up an io_uring, through which sockets of any family can be made."""
    memory = ctypes.create_string_buffer(256)
    return call(425, 4, ctypes.addressof(memory))


@attack
def unshare_user() -> object:
    """Enter a user namespace of one's own, with every capability in it."""
    return call(numbers(272, 97), 0x10000000)


@attack
def mount() -> object:
    """Mount over the system; where mounting is allowed, the only error is the unknown type."""
    words = [ctypes.create_string_buffer(w) for w in (b"x", b"/tmp", b"no such file system")]
    return call(numbers(165, 40), *map(ctypes.addressof, words), 0, 0)


@attack
def bpf() -> object:
    """Load a program into the kernel."""
    return call(numbers(321, 280), 0, 0, 0)


@attack
def signal_server() -> object:
    """Send signal 0 to the server, the supervisor or the monitor."""
    for pid in (*TARGET["pids"], os.getppid()):
        try:
            os.kill(pid, 0)
        except OSError:
            continue
        if pid != 1:  # in a pid namespace pid 1 takes no signal from inside
            return pid
    raise PermissionError


@attack
def read_server_memory() -> object:
    """Read another process's memory, environment or memory map."""
    for pid in [*TARGET["pids"], os.getppid()]:
        for name in ("mem", "environ", "maps"):
            try:
                with Path(f"/proc/{pid}/{name}").open("rb") as f:
                    return f"{pid} {name} {f.read(1)!r}"
            except OSError:
                continue
    raise PermissionError


@attack
def ptrace_parent() -> object:
    """Attach to the process that started this one, without stopping it."""
    seize = 0x4206
    return call(numbers(101, 117), seize, os.getppid(), 0, 0)


@attack
def network() -> object:
    """Connect to a server outside, and to the address where clouds serve their credentials."""
    ours = [("127.0.0.1", TARGET["port"])] if "port" in TARGET else []
    for address in (*ours, ("169.254.169.254", 80)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
            s.settimeout(0.5)
            try:
                s.connect(address)
                return address
            except OSError:
                continue
    raise PermissionError


@attack
def abstract_socket() -> object:
    """Connect to an abstract Unix socket of the host."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.connect("\0" + TARGET["abstract"])
        return TARGET["abstract"]


@attack
def raise_limits() -> object:
    """Raise the process limit, and ask to be spared by the memory killer."""
    import resource

    Path("/proc/self/oom_score_adj").write_text("-1000")
    resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
    return "raised"


@attack
def leave_things_behind() -> object:
    """Start a daemon that outlives the run, and put a link where files are collected."""
    Path("stolen.txt").symlink_to("/etc/passwd")
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    os.wait()
    raise PermissionError  # the supervisor checks afterwards whether anything is left


TARGET: dict[str, Any] = (
    json.loads(Path("target.json").read_text()) if Path("target.json").exists() else {}
)
if __name__ == "__main__":
    for name, function in ATTACKS.items():
        got = why = None
        try:
            got = repr(function())
        except OSError as e:
            why = type(e).__name__ if e.errno is None else os.strerror(e.errno)
        print(json.dumps({"attack": name, "got": got, "why": why}))
        sys.stdout.flush()
