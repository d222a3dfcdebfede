"""A root directory that holds only what Python needs, for the `namespaces` tier.

It is built once, in the warm server's own mount namespace, and disappears with it: no mount is ever
left on the machine. A reader needs no rights in the parent folders of Python's installation: they
are created anew here, and hold nothing but the path to it.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from collections.abc import Iterable
from pathlib import Path

from executor.jail import gpu
from executor.jail import syscalls as sys_
from executor.jail.limits import Limits

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt/nvidia")
_ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "passwd", "group", "nsswitch.conf", "hosts",
        "localtime", "timezone", "mime.types", "alternatives", "fonts", "ssl")  # fmt: skip
_DEVICES = ("null", "zero", "full", "random", "urandom")
_SYSFS = ("/sys/devices/system/cpu", "/sys/devices/system/node")
_SYSFS_WITH_GPU = ("/sys",)
CELL = Path("/cell")  # where a run finds its folders


# Readable folder under /tmp (a checkout, say) → its second mount point outside of /tmp. Each run
# mounts a /tmp of its own, which would hide it.
_kept_from_tmp: dict[Path, Path] = {}


def enter_new_root(at: Path, readable: Iterable[Path]) -> None:
    """Leave this process with a read-only root of system libraries and `readable`.

    Args:
        at: an empty folder to build on.
        readable: files and folders to see, at the same paths, read-only.

    Raises:
        OSError: a mount was refused.
    """
    sys_.mount("none", "/", flags=sys_.MS_REC | sys_.MS_PRIVATE)
    sys_.mount("root", str(at), "tmpfs", sys_.MS_NOSUID | sys_.MS_NODEV, "size=1m,mode=755")
    for name in _SYSTEM:
        source = Path(name)
        if source.is_symlink():  # merged /usr: /lib -> usr/lib
            (at / name[1:]).symlink_to(source.readlink())
        elif source.exists():
            _bind(source, at, read_only=True)
    for name in _ETC:
        if (source := Path("/etc") / name).exists():
            _bind(source, at, read_only=True)
    (at / "tmp").mkdir()  # the server's own; each run mounts one over it
    sys_.mount("tmp", str(at / "tmp"), "tmpfs", sys_.MS_NOSUID | sys_.MS_NODEV, "size=16m")
    for path in _outermost(readable):
        _bind(path, at, read_only=True)
        if path.is_relative_to("/tmp"):
            _kept_from_tmp[path] = Path("/.kept") / str(len(_kept_from_tmp))
            _bind(path, at, read_only=True, target=_kept_from_tmp[path])
    gpus = gpu.found()
    for name in _SYSFS_WITH_GPU if gpus.any else _SYSFS:
        if Path(name).exists():
            _bind(Path(name), at, read_only=True)
    nodes = {node for number in gpus.numbers for node in gpu.nodes(number)}
    for node in [*(Path("/dev") / name for name in _DEVICES), *sorted(nodes)]:
        _bind(node, at, read_only=False)  # Landlock gives a run the one GPU of its slot
    for link, target in (
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ):
        (at / "dev" / link).symlink_to(target)
    for name in ("proc", "dev/shm", "cell/work", "cell/report", "cell/tmp"):
        (at / name).mkdir(parents=True, exist_ok=True)
    # The server's own /proc, until each run mounts one that shows only itself.
    sys_.mount("/proc", str(at / "proc"), flags=sys_.MS_BIND | sys_.MS_REC)
    old = at / ".old"
    old.mkdir()
    sys_.pivot_root(str(at), str(old))
    os.chdir("/")
    sys_.unmount("/.old", sys_.MNT_DETACH)
    Path("/.old").rmdir()
    flags = sys_.MS_REMOUNT | sys_.MS_RDONLY | sys_.MS_NOSUID | sys_.MS_NODEV
    sys_.mount("root", "/", "tmpfs", flags, "size=1m,mode=755")


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """The paths that are inside none of the others, nor inside a system folder bound already."""
    kept: list[Path] = []
    for path in sorted({p.absolute() for p in paths if p.exists()}):
        parents = {str(p) for p in path.parents}
        if not parents & {*_SYSTEM, *map(str, kept)}:
            kept.append(path)
    return kept


def _bind(source: Path, root: Path, *, read_only: bool, target: Path | None = None) -> None:
    target = root / str(target or source)[1:]
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    sys_.mount(str(source), str(target), flags=sys_.MS_BIND | sys_.MS_REC)
    device = str(source).startswith("/dev/")
    flags = sys_.MS_NOSUID | (0 if device else sys_.MS_NODEV)
    if read_only:
        flags |= sys_.MS_RDONLY
    # In a user namespace a remount may not lose the flags that the mount came with.
    flags |= os.statvfs(target).f_flag & (sys_.MS_NOEXEC | sys_.MS_NOSUID | sys_.MS_NODEV)
    sys_.mount("none", str(target), flags=sys_.MS_REMOUNT | sys_.MS_BIND | flags)


def mount_private(limits: Limits) -> None:
    """Mount a run's own folders, in its own mount and pid namespace.

    Each has its own quota of bytes and of files, and all disappear with the last process: nothing
    needs to be wiped. The report has a quota of its own, so that a full disk can be reported.

    Raises:
        OSError: a mount was refused.
    """
    safe = sys_.MS_NOSUID | sys_.MS_NODEV
    sys_.mount("proc", "/proc", "proc", safe | sys_.MS_NOEXEC)
    room = f"size={limits.temp_bytes},nr_inodes={limits.temp_files},mode=1777"
    for target in (CELL / "work", CELL / "tmp", Path("/dev/shm")):
        sys_.mount("run", str(target), "tmpfs", safe, room)
    sys_.mount(str(CELL / "tmp"), "/tmp", flags=sys_.MS_BIND)
    for path, kept in _kept_from_tmp.items():
        path.mkdir(parents=True)
        sys_.mount(str(kept), str(path), flags=sys_.MS_BIND)  # read-only, as the kept one is
    room = f"size={limits.report_bytes + limits.returned_bytes},nr_inodes=64,mode=1777"
    sys_.mount("report", str(CELL / "report"), "tmpfs", safe | sys_.MS_NOEXEC, room)


def bring_loopback_up() -> None:
    """Switch on `lo` in a fresh network namespace, for gloo and a snippet's own servers."""
    siocgifflags, siocsifflags, iff_up = 0x8913, 0x8914, 0x1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(s, siocgifflags, request))[1]
        fcntl.ioctl(s, siocsifflags, struct.pack("16sh14x", b"lo", flags | iff_up))


def map_own_user() -> None:
    """Enter a fresh user namespace as its root, mapped to this process's user and group.

    Raises:
        OSError: the kernel or a security module refuses (Ubuntu's AppArmor rule, say).
    """
    uid, gid = os.getuid(), os.getgid()
    sys_.unshare(sys_.CLONE_NEWUSER | sys_.CLONE_NEWNS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        fd = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)
