"""The system-call filter, the last wall to be put up.

It refuses what a PyTorch program never needs and an attacker could use. The BPF is written by hand
(a hundred lines to audit, no library to trust); a container's own profile adds to it.

Source:
    https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

from __future__ import annotations

import ctypes
import os
import struct

from executor.jail import syscalls

_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97

# name: (x86_64, aarch64); None where the architecture has no such call.
_REFUSED: dict[str, tuple[int, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "process_madvise": (440, 440),
    # mounts, roots, namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    # large kernel surfaces with a history
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "io_uring_setup": (425, 425),  # makes sockets of any family past a socket filter
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_secret": (447, 447),
    "lookup_dcookie": (212, 18),
    # the machine's own
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
}

# What outlives a run, or hides its memory use, unless each run has namespaces of its own: the next
# run could read System V and POSIX queues.
_SHARED_IPC: dict[str, tuple[int, int | None]] = {
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    # Files that live in memory alone: where nobody may look at a run's descriptors, nobody counts
    # them either.
    "memfd_create": (319, 279),
}

_SOCKET, _SOCKETPAIR, _IOCTL = (41, 198), (53, 199), (16, 29)
_CLONE, _CLONE3 = (56, 220), (435, 435)
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_NETLINK_ROUTE = 0
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_NAMESPACE_FLAGS = (
    syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWUTS
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
    | 0x02000000  # CLONE_NEWCGROUP
)

# BPF: the opcodes used, and the layout of struct seccomp_data (little-endian).
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARG0_LOW, _ARG1_LOW, _ARG2_LOW = 0, 4, 16, 24, 32
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000

_SET_MODE_FILTER = 1
_SECCOMP = {"x86_64": 317, "aarch64": 277}


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _refuse(number: int | None, errno: int) -> list[bytes]:
    if number is None:
        return []
    return [_op(_JUMP_EQUAL, number, 0, 1), _op(_RETURN, _ERRNO | errno)]


def _refuse_argument(
    number: int, argument: int, test: int, values: list[int], errno: int, *, unless: bool
) -> list[bytes]:
    """Refuse the call if its argument passes the test for a value (with `unless`: for none).

    Only the low 32 bits are compared, as the kernel reads an int: `(1 << 32) | AF_VSOCK` would
    pass a filter that compares 64.
    """
    n = len(values)
    tests = []
    for i, value in enumerate(values):
        to_end = n - 1 - i  # tests that follow this one
        matched = to_end + (1 if unless else 0)
        otherwise = 0 if i < n - 1 else (0 if unless else 1)
        tests.append(_op(test, value, matched, otherwise))
    body = [_op(_LOAD, argument), *tests, _op(_RETURN, _ERRNO | errno), _op(_RETURN, _ALLOW)]
    return [_op(_JUMP_EQUAL, number, 0, len(body)), *body]


def _allow_interface_list(number: int) -> list[bytes]:
    """Let socket(AF_NETLINK, …, NETLINK_ROUTE) through: gloo calls getifaddrs().

    Through it a run can list interfaces; changing one takes a capability that no run has.
    """
    body = [
        _op(_LOAD, _ARG0_LOW),
        _op(_JUMP_EQUAL, _AF_NETLINK, 0, 3),
        _op(_LOAD, _ARG2_LOW),
        _op(_JUMP_EQUAL, _NETLINK_ROUTE, 0, 1),
        _op(_RETURN, _ALLOW),
        _op(_LOAD, _NUMBER),  # for the tests that follow
    ]
    return [_op(_JUMP_EQUAL, number, 0, len(body)), *body]


def program(machine: str, *, internet: bool, own_ipc: bool) -> bytes:
    """The filter as BPF instructions, eight bytes each.

    Args:
        machine: "x86_64" or "aarch64".
        internet: allow INET sockets; only where no network is reachable.
        own_ipc: the run has an IPC namespace of its own.
    """
    which = 0 if machine == "x86_64" else 1
    ops = [
        _op(_LOAD, _ARCH),
        _op(_JUMP_EQUAL, _ARCHITECTURE[machine], 1, 0),
        _op(_RETURN, _KILL),
        _op(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        ops += [_op(_JUMP_GREATER_EQUAL, _X32_BIT, 0, 1), _op(_RETURN, _ERRNO | _ENOSYS)]
    refused = _REFUSED | ({} if own_ipc else _SHARED_IPC)
    for numbers in refused.values():
        ops += _refuse(numbers[which], _EPERM)
    # glibc falls back to clone, whose flags a filter can read.
    ops += _refuse(_CLONE3[which], _ENOSYS)
    families = [_AF_UNIX, _AF_INET, _AF_INET6] if internet else [_AF_UNIX]
    if internet:
        ops += _allow_interface_list(_SOCKET[which])
    for numbers in (_SOCKET, _SOCKETPAIR):
        ops += _refuse_argument(
            numbers[which], _ARG0_LOW, _JUMP_EQUAL, families, _EAFNOSUPPORT, unless=True
        )
    ops += _refuse_argument(
        _CLONE[which], _ARG0_LOW, _JUMP_ANY_BIT, [_NAMESPACE_FLAGS], _EPERM, unless=False
    )
    ops += _refuse_argument(
        _IOCTL[which], _ARG1_LOW, _JUMP_EQUAL, [_TIOCSTI, _TIOCLINUX], _EPERM, unless=False
    )
    ops.append(_op(_RETURN, _ALLOW))
    return b"".join(ops)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def install(*, internet: bool, own_ipc: bool) -> None:
    """Apply the filter to this process and its children for good. Needs no_new_privs.

    Raises:
        OSError: the kernel refused, or the architecture is not one we wrote the filter for.
    """
    machine = os.uname().machine
    if machine not in _ARCHITECTURE:
        raise OSError(_ENOSYS, f"seccomp: no filter for {machine}")
    code = program(machine, internet=internet, own_ipc=own_ipc)
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_program = _Program(len(code) // 8, ctypes.addressof(buffer))
    syscalls.syscall(
        _SECCOMP[machine],
        ctypes.c_uint(_SET_MODE_FILTER),
        ctypes.c_uint(0),
        ctypes.byref(filter_program),
        what="seccomp",
    )
