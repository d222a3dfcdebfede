"""The self-test's snippet: a dozen attacks, run inside the jail as any job would be.

Each attack returns what it got hold of; raising OSError means that a wall held. None does any harm
where its wall is missing: it asks for the key and does not turn it (signal 0, files opened and not
written, a mount of no file system). It is sent as the code of a job and runs on its own: it imports
nothing of ours. One JSON object a line says how each went; the last attack leaves a daemon and a
link behind, which the supervisor looks for afterwards.
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
    """Take part in the self-test, under the function's name."""
    ATTACKS[function.__name__] = function
    return function


def call(number: int, *args: int) -> int:
    """A raw system call; its result, or the OSError of the wall that stopped it."""
    result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, args))
    why = ctypes.get_errno()
    if result < 0 and why not in BEYOND:
        raise OSError(why, os.strerror(why))
    return int(result)


def numbers(x86_64: int, aarch64: int) -> int:
    """The call's number on this machine."""
    return x86_64 if os.uname().machine == "x86_64" else aarch64


@attack
def write_etc() -> object:
    """Write where the system lives."""
    return os.open("/etc/passwd", os.O_WRONLY)


@attack
def write_python() -> object:
    """Change what the next run imports."""
    with Path(os.__file__).open("a"):
        return os.__file__


@attack
def read_shadow() -> object:
    """Read the machine's passwords."""
    return Path("/etc/shadow").read_text()[:1]


@attack
def socket_alg() -> object:
    """The kernel's crypto interface."""
    return socket.socket(38, socket.SOCK_SEQPACKET)


@attack
def socket_vsock() -> object:
    """A line to the hypervisor."""
    return socket.socket(40, socket.SOCK_STREAM)


@attack
def socket_vsock_high_bits() -> object:
    """The same past a filter that compares 64 bits."""
    return call(numbers(41, 198), (1 << 32) | 40, 1, 0)


@attack
def socket_packet() -> object:
    """Raw network packets."""
    return socket.socket(17, socket.SOCK_RAW)


@attack
def io_uring() -> object:
    """Rings that make sockets of any family."""
    memory = ctypes.create_string_buffer(256)
    return call(425, 4, ctypes.addressof(memory))


@attack
def unshare_user() -> object:
    """A user namespace of one's own, with every capability in it."""
    return call(numbers(272, 97), 0x10000000)


@attack
def mount() -> object:
    """Mount over the system: who may, hears only that there is no such file system."""
    words = [ctypes.create_string_buffer(w) for w in (b"x", b"/tmp", b"no such file system")]
    return call(numbers(165, 40), *map(ctypes.addressof, words), 0, 0)


@attack
def bpf() -> object:
    """Programs in the kernel."""
    return call(numbers(321, 280), 0, 0, 0)


@attack
def signal_server() -> object:
    """Be allowed to signal the server, the supervisor or the monitor."""
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
    """Read what other processes hold."""
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
    """Reach a server outside, and the address where clouds keep their keys."""
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
    """Reach a socket of the host that has no file."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.connect("\0" + TARGET["abstract"])
        return TARGET["abstract"]


@attack
def raise_limits() -> object:
    """Give oneself more processes, and be the last to die."""
    import resource

    Path("/proc/self/oom_score_adj").write_text("-1000")
    resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
    return "raised"


@attack
def leave_things_behind() -> object:
    """A daemon that outlives the run, and links where files are looked for."""
    Path("stolen.txt").symlink_to("/etc/passwd")
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    os.wait()
    raise PermissionError  # what became of it is seen from outside


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
