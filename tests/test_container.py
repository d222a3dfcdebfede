"""The container's own walls, seen from inside: what stands when a run got out of its jail.

scripts/compose-check runs these in the service `test`, which has the executor's walls; anywhere
else they are skipped.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import signal
import socket
from pathlib import Path

import pytest

from executor.jail import landlock

pytestmark = [
    pytest.mark.skipif(
        "TORCHMEDIC_CONTAINER" not in os.environ, reason="only inside the container"
    ),
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls by their x86_64 numbers"),
]

_LIBC = ctypes.CDLL(None, use_errno=True)

REFUSED = {
    "another process's memory, by ptrace": (101, 0, 0, 0, 0),
    "another process's memory, by process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "another process's descriptors": (438, 0, 0, 0),
    "another process, by kcmp": (312, 1, 1, 0, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "mount, the new way": (430, 0, 0),
    "open_tree": (428, 0, 0, 0),
    "chroot": (161, b"/"),
    "a namespace, by unshare": (272, 0x10000000),
    "a namespace, by clone": (56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0),
    "somebody's namespace": (308, 0, 0),
    "files by handle": (304, 0, 0, 0),
    "io_uring": (425, 1, 0),
    "asynchronous I/O of old": (206, 1, 0),
    "bpf": (321, 0, 0, 0),
    "perf": (298, 0, 0, 0, 0, 0),
    "userfaultfd": (323, 0),
    "a key": (248, 0, 0, 0, 0, 0),
    "keyctl": (250, 0, 0),
    "memory that nobody else sees": (447, 0),
    "System V shared memory": (29, 0, 4096, 0o1600),
    "a System V queue": (68, 0, 0o1600),
    "a POSIX queue": (240, b"torchmedic", 0o102, 0o600, 0),
    "a local descriptor table": (154, 0, 0, 0),
    "the kernel's log": (103, 3, 0, 0),
    "a kernel module": (175, 0, 0, 0),
    "no address randomisation": (135, 0x0040000),
}


def _call(number: int, *arguments: int | bytes) -> int:
    """A raw system call: its result, or minus the error."""
    result = int(_LIBC.syscall(ctypes.c_long(number), *arguments))
    return result if result >= 0 else -ctypes.get_errno()


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_container_refuses(call: tuple[int | bytes, ...]):
    """Even to root, with no jail around it, the profile refuses what no PyTorch program needs."""
    number, *arguments = call
    assert isinstance(number, int)

    assert _call(number, *arguments) == -errno.EPERM


@pytest.mark.parametrize(
    "family", ["AF_PACKET", "AF_ALG", "AF_VSOCK", "AF_BLUETOOTH", "AF_CAN", "AF_TIPC"]
)
def test_container_refuses_sockets_of_family(family: str):
    """Only Unix and Internet sockets can be made, and the latter lead nowhere."""
    number = getattr(socket, family)

    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        assert _call(41, number, kind, 0) == -errno.EPERM
        # The kernel reads an int: the upper half must not hide the family from the filter.
        assert _call(41, ctypes.c_uint64(1 << 32 | number), kind, 0) == -errno.EPERM  # type: ignore[arg-type]


def test_container_sends_clone3_back_to_clone():
    """ENOSYS, so that glibc falls back to the call whose flags a filter can read."""
    assert _call(435, 0, 0) == -errno.ENOSYS


def test_container_kills_32_bit_calls():
    """`int 0x80` would pass by a filter of 64-bit numbers; it ends the process."""
    assert _ending_of(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3") == -signal.SIGSYS  # getpid, on i386


def _ending_of(program: bytes) -> int:
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(program)
    child = os.fork()
    if child == 0:
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_container_has_three_capabilities():
    """SETUID, SETGID and KILL, and no way to more."""
    lines = Path("/proc/self/status").read_text().splitlines()
    facts = dict(line.split(":\t", 1) for line in lines)

    three = 1 << 5 | 1 << 6 | 1 << 7
    assert int(facts["CapBnd"], 16) == three
    assert int(facts["CapEff"], 16) == three
    assert facts["NoNewPrivs"] == "1"
    assert facts["Seccomp"] == "2"


def test_container_has_landlock():
    """The profile lets the jail build its file wall: tier `uid` would not start without it."""
    assert landlock.abi() >= 1


def test_container_has_no_network():
    """The loopback, for gloo and servers of one's own, and nothing else."""
    assert [name for _, name in socket.if_nameindex()] == ["lo"]


@pytest.mark.parametrize("folder", ["/", "/etc", "/usr", "/opt/torchmedic", "/run", "/var/tmp"])
def test_container_is_read_only(folder: str):
    """Root may write in /scratch, /tmp and /dev/shm, and nowhere else."""
    with pytest.raises(OSError) as refused:
        (Path(folder) / "x").touch()

    assert refused.value.errno == errno.EROFS


@pytest.mark.parametrize("folder", ["/scratch", "/dev/shm", "/tmp"])
def test_container_bounds_the_number_of_files(folder: str):
    """200,000 empty files fit into any size: the number of inodes has an end of its own."""
    size = os.statvfs(folder).f_blocks * os.statvfs(folder).f_frsize
    made = []
    try:
        with pytest.raises(OSError) as refused:
            for i in range(200_000):
                path = Path(folder) / f"torchmedic-{i}"
                path.touch()
                made.append(path)
    finally:
        for path in made:
            path.unlink()

    assert refused.value.errno == errno.ENOSPC
    assert size <= 512 * 1024 * 1024


def test_container_has_no_setuid_program():
    """no-new-privileges makes them harmless; here there is none to begin with."""
    found = [
        p
        for folder in ("/usr/bin", "/usr/sbin", "/usr/lib")
        for p in Path(folder).iterdir()
        if p.is_file() and p.stat().st_mode & 0o6000
    ]

    assert found == []
