"""List the tiers that may work on this machine, and describe the walls of each."""

from __future__ import annotations

import ctypes
from pathlib import Path

from executor.jail.syscalls import libc
from executor.jail.walls import Cell, Tier
from executor.protocol import Isolation

_MISSING = {
    Tier.NAMESPACES: (),
    Tier.GVISOR: ("landlock", "disk quota of its own"),
    Tier.UID: ("own file system", "own process list", "disk quota of its own"),
    Tier.PROCESS: (
        "own user",
        "own file system",
        "own process list",
        "own network",
        "disk quota of its own",
    ),
}


def candidates() -> list[Tier]:
    """The tiers to try, strongest first."""
    if in_gvisor():
        return [Tier.GVISOR, Tier.PROCESS]
    return [Tier.NAMESPACES, Tier.UID, Tier.PROCESS]


def in_gvisor() -> bool:
    """Whether this process runs on gVisor's kernel (runsc).

    Its /proc/version has been one fixed line since 2016, and its kernel log begins with its name.
    """
    try:
        version = Path("/proc/version").read_text()
    except OSError:
        return False
    if "gvisor" in version.lower():
        return True
    return version.startswith("Linux version 4.4.0 ") and "gVisor" in _kernel_log()


def _kernel_log() -> str:
    read_all = 3
    buffer = ctypes.create_string_buffer(1 << 14)
    n = libc.klogctl(ctypes.c_int(read_all), buffer, ctypes.c_int(len(buffer)))
    return buffer.raw[:n].decode(errors="replace") if n > 0 else ""


def isolation(cell: Cell, landlock_abi: int) -> Isolation:
    """Describe the walls around a run for its result."""
    network = "none"
    if cell.tier is Tier.NAMESPACES:
        network = "own namespace, loopback only"
    elif cell.internet:
        network = "the container's, loopback only"
    return Isolation(
        tier=cell.tier.value,
        landlock_abi=landlock_abi,
        seccomp=True,
        user=f"uid {cell.uid}" if cell.uid is not None else "as the executor",
        network=network,
        missing=_MISSING[cell.tier],
    )
