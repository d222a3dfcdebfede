"""executor/jail/seccomp.py: the filter, run by a BPF machine written from the kernel's document."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.jail import seccomp

ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS, EAFNOSUPPORT = (0x00050000 | n for n in (1, 38, 97))
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SOCKET = {"x86_64": 41, "aarch64": 198}
CLONE = {"x86_64": 56, "aarch64": 220}
IOCTL = {"x86_64": 16, "aarch64": 29}
machines = pytest.mark.parametrize("machine", list(ARCH))


def judge(program: bytes, arch: int, number: int, *args: int) -> int:
    """What the filter answers to a call; raises where the kernel would refuse the program."""
    padded = [a & (2**64 - 1) for a in (*args, *[0] * 6)][:6]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *padded)
    ops = list(struct.iter_unpack("<HBBI", program))
    at = accumulator = 0
    while True:
        code, if_true, if_false, k = ops[at]
        at += 1
        if code == 0x06:
            return int(k)
        if code == 0x20:
            assert k % 4 == 0
            assert k < len(data)
            accumulator = struct.unpack_from("<I", data, k)[0]
        else:
            holds = {0x15: accumulator == k, 0x35: accumulator >= k, 0x45: bool(accumulator & k)}
            at += if_true if holds[code] else if_false


def answer(machine: str, number: int, *args: int, internet: bool = True, own: bool = True) -> int:
    """The filter's answer on that machine."""
    return judge(
        seccomp.program(machine, internet=internet, own_ipc=own), ARCH[machine], number, *args
    )


@machines
def test_foreign_architectures_are_killed(machine: str) -> None:
    program = seccomp.program(machine, internet=True, own_ipc=True)

    assert judge(program, 0x40000003, 1) == KILL  # i386: int 0x80 numbers its calls differently


def test_x32_calls_do_not_exist() -> None:
    assert answer("x86_64", 0x40000000 | SOCKET["x86_64"], 40) == ENOSYS


@machines
@pytest.mark.parametrize("name", list(seccomp._REFUSED))
def test_refused_call(machine: str, name: str) -> None:
    number = seccomp._REFUSED[name][0 if machine == "x86_64" else 1]
    if number is not None:
        assert answer(machine, number) == EPERM


@machines
@given(high=st.integers(0, 2**32 - 1), family=st.integers(0, 50), protocol=st.integers(0, 20))
def test_socket_families(machine: str, high: int, family: int, protocol: int) -> None:
    """The kernel reads an int: whatever stands in the high half changes nothing."""
    allowed = family in {1, 2, 10} or (family == 16 and protocol == 0)
    given = answer(machine, SOCKET[machine], high << 32 | family, 1, high << 32 | protocol)

    assert given == (ALLOW if allowed else EAFNOSUPPORT)
    closed = answer(machine, SOCKET[machine], high << 32 | family, 1, protocol, internet=False)
    assert closed == (ALLOW if family == 1 else EAFNOSUPPORT)


@machines
@given(flags=st.integers(0, 2**64 - 1))
def test_clone_makes_no_namespace(machine: str, flags: int) -> None:
    new = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000

    assert answer(machine, CLONE[machine], flags) == (EPERM if flags & new else ALLOW)


@machines
def test_clone3_is_not_there(machine: str) -> None:
    assert answer(machine, 435) == ENOSYS


@machines
@given(high=st.integers(0, 2**32 - 1))
def test_terminal_injection_is_refused(machine: str, high: int) -> None:
    for request, wanted in ((0x5412, EPERM), (0x541C, EPERM), (0x5401, ALLOW)):
        assert answer(machine, IOCTL[machine], 0, high << 32 | request) == wanted


@machines
def test_shared_queues_need_a_namespace(machine: str) -> None:
    for numbers in seccomp._SHARED_IPC.values():
        number = numbers[0 if machine == "x86_64" else 1]
        assert number is not None
        assert answer(machine, number, own=True) == ALLOW
        assert answer(machine, number, own=False) == EPERM


@machines
def test_ordinary_calls_pass(machine: str) -> None:
    """read, write, mmap, openat, execve, futex: a filter too strict would stop Python itself."""
    for number in {"x86_64": (0, 1, 9, 257, 59, 202), "aarch64": (63, 64, 222, 56, 221, 98)}[
        machine
    ]:
        assert answer(machine, number) == ALLOW


@machines
def test_program_is_one_the_kernel_takes(machine: str) -> None:
    """At most 4,096 instructions, and every jump lands inside."""
    ops = list(struct.iter_unpack("<HBBI", seccomp.program(machine, internet=True, own_ipc=False)))

    assert len(ops) < 4096
    for at, (code, if_true, if_false, _) in enumerate(ops):
        if code not in {0x06, 0x20}:
            assert at + 1 + max(if_true, if_false) < len(ops)
    assert ops[-1][0] == 0x06
