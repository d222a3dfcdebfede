"""executor/: the hostile snippets, each named after its attack, and the wall that stops it.

After every one the executor must be as it was: see `House.assert_clean`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest

from executor.jail.walls import Tier
from executor.protocol import Outcome
from tests.executor.conftest import SMALL, House, attachment


@pytest.fixture(autouse=True)
def as_before(house: House) -> Iterator[None]:
    """The executor is as it was."""
    yield
    house.assert_clean()


# -- memory, processes, threads --------------------------------------------------------------


@pytest.mark.parametrize(
    "grow",
    [
        "hoard.append(bytearray(50_000_000))",
        "import torch; hoard.append(torch.ones(12_000_000))",
        "hoard.append({i: str(i) for i in range(100_000)})",
    ],
)
def test_memory_bomb_is_out_of_memory(house: House, grow: str) -> None:
    result = house.run(f"hoard = []\nwhile True:\n    {grow}", wall_s=30)

    assert result.outcome is Outcome.OUT_OF_MEMORY
    assert result.limit is not None
    assert result.limit.name == "memory_bytes"


def test_memory_bomb_in_children_is_out_of_memory(house: House) -> None:
    result = house.run(
        """
        import os, time
        for _ in range(6):
            if os.fork() == 0:
                block = bytearray(200_000_000)
                time.sleep(60)
        time.sleep(60)
        """,
        wall_s=20,
    )

    assert result.outcome is Outcome.OUT_OF_MEMORY
    assert result.limit is not None
    assert result.limit.name == "memory_bytes"


def test_bottomless_recursion_ends_alone(house: House) -> None:
    result = house.run(
        "import sys\nsys.setrecursionlimit(10**8)\ndef f(): return f() + 1\nf()", wall_s=30
    )

    assert result.outcome in {Outcome.OUT_OF_MEMORY, Outcome.KILLED}


def test_fork_bomb_ends_alone(house: House) -> None:
    result = house.run(
        """
        import os
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        wall_s=1.5,
    )

    assert result.outcome is Outcome.TIMEOUT
    assert result.limit is not None
    assert result.limit.name == "cpu_s"


def test_thread_bomb_is_refused_a_thread(house: House) -> None:
    result = house.run(
        """
        import threading, time
        while True:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        """
    )

    assert result.outcome is Outcome.ERROR
    assert result.error is not None
    assert "can't start new thread" in result.error.message


def test_zombies_are_reaped_while_it_runs(house: House) -> None:
    """Orphans that have ended do not count towards the run's processes."""
    result = house.run(
        """
        import os, time
        for _ in range(150):  # more than the run may have at a time
            if os.fork() == 0:
                if os.fork() == 0:
                    os._exit(0)
                os._exit(0)
            os.wait()
        print("done")
        """,
        wall_s=60,
    )

    assert result.stdout == "done\n"


# -- output ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flood",
    [
        "while True: print('so much to say')",
        "import os\nwhile True: os.write(1, bytes(65536))",
        "import os\nwhile True: os.write(2, b'x' * 65536)",
        "import os\nwhile True: os.write(1, b'x' * 9999); os.write(2, b'y' * 9999)",
    ],
)
def test_output_flood_is_cut(house: House, flood: str) -> None:
    result = house.run(flood)

    assert result.outcome is Outcome.OUTPUT_LIMIT
    assert result.limit is not None
    assert (result.limit.name, result.limit.value) == ("output_bytes", SMALL.output_bytes)
    kept = len(result.stdout.encode()) + len(result.stderr.encode())
    assert kept < 8 * (SMALL.head_bytes + SMALL.tail_bytes)  # a NUL stays one byte, U+FFFD is 3
    assert result.dropped_bytes > 0


def test_one_endless_line_keeps_its_first_and_last_part(house: House) -> None:
    result = house.run("print('a' * 200_000 + 'b' * 200_000)")

    assert result.outcome is Outcome.OK
    assert result.stdout.startswith("a" * SMALL.head_bytes)
    assert result.stdout.endswith("b\n")
    assert "bytes left out" in result.stdout


def test_raw_bytes_are_decoded_once(house: House) -> None:
    result = house.run(r"import os; os.write(1, b'\xff\xfe\0ok\n')")

    assert result.stdout == "\ufffd\ufffd\0ok\n"


def test_printing_a_surrogate_fails_as_at_home(house: House) -> None:
    result = house.run(r"print('\ud800')")

    assert result.error is not None
    assert result.error.type == "UnicodeEncodeError"


def test_forged_verdict_is_only_output(house: House) -> None:
    result = house.run('print(\'{"outcome": "timeout", "ended": {"code": 9}}\')')

    assert result.outcome is Outcome.OK
    assert result.exit.code == 0


def test_forged_report_is_not_believed(house: House) -> None:
    """What a snippet writes into the report is overwritten, or unreadable and said to be so."""
    result = house.run(
        """
        import os
        from pathlib import Path
        folder = Path.cwd().parent / "report"
        (folder / "report.json").write_text('{"error": {"type": "Lie", "message": "no"}}')
        os._exit(0)
        """
    )

    assert (result.outcome, result.error) == (Outcome.OK, None)


def test_unreadable_report_is_said(house: House) -> None:
    result = house.run(
        """
        import os
        from pathlib import Path
        (Path.cwd().parent / "report" / "report.json").write_text("{")
        os._exit(3)
        """
    )

    assert result.outcome is Outcome.ERROR
    assert "unreadable" in result.detail


def test_no_descriptor_leads_out(house: House) -> None:
    result = house.run(
        """
        import os
        for fd in range(3, 300):
            try:
                os.write(fd, b'{"ended": {"code": 0}}')
            except OSError:
                continue
            print("open:", fd)
        """
    )

    assert result.stdout == ""


# -- the clock -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "(10 ** 10 ** 7) ** 1000",
        "import time; time.sleep(60)",
        "import signal\nfor n in range(1, 65):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
        "while True: pass",
        "import os, time; os.close(1); os.close(2); time.sleep(60)",
        "import atexit, time; atexit.register(time.sleep, 60)",
    ],
    ids=["busy loop", "loop in C", "sleep", "all signals ignored", "pipes closed", "at exit"],
)
def test_endless_snippet_is_a_timeout(house: House, code: str) -> None:
    result = house.run(code, wall_s=1)

    assert result.outcome is Outcome.TIMEOUT
    assert result.limit is not None
    name = "waiting_s" if "sleep" in code else "cpu_s"
    assert (result.limit.name, result.limit.value) == (name, 1)


def test_daemon_dies_with_its_run(house: House) -> None:
    result = house.run(
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        os.wait()
        print("gone home")
        """
    )

    assert (result.outcome, result.stdout) == (Outcome.OK, "gone home\n")
    assert result.seconds < 10


def test_child_that_holds_the_pipe_delays_nothing(house: House) -> None:
    result = house.run("import os, time\nif os.fork() == 0: time.sleep(600)", wall_s=30)

    assert result.outcome is Outcome.OK
    assert result.seconds < 20


# -- other processes -------------------------------------------------------------------------


def test_parents_cannot_be_signalled(house: House) -> None:
    seen = house.refusals(
        f"""
        for name, pid in ("parent", os.getppid()), ("server", {house.supervisor.ready.pid}):
            tell(name, os.kill, pid, 9)
        """
    )

    assert set(seen.values()) <= {"EPERM", "ESRCH"}, seen


def test_pid_1_cannot_be_killed(house: House) -> None:
    house.run("import os; os.kill(1, 9)")
    # In a pid namespace pid 1 takes no signal from inside: it is the clean-up that shows it.


def test_signal_to_everyone_hits_nobody(house: House) -> None:
    """kill(-1) says yes where it was refused everybody: it is the clean-up that shows the wall."""
    house.refusals("tell('all', os.kill, -1, 9)")


def test_memory_of_other_processes_cannot_be_read(house: House) -> None:
    seen = house.refusals(
        f"""
        for pid in os.getppid(), {house.supervisor.ready.pid}, 1:
            for name in "mem", "environ", "maps":
                tell(f"{{pid}}-{{name}}", lambda: open(f"/proc/{{pid}}/{{name}}", "rb").read(1))
        """
    )

    assert set(seen.values()) <= {"EACCES", "EPERM", "ENOENT"}, seen


def test_other_processes_cannot_be_traced(house: House) -> None:
    seen = house.refusals(
        """
        parent = os.getppid()
        buffer = ctypes.create_string_buffer(16)
        tell("ptrace", syscall, 101, 117, 16, parent, 0, 0)
        tell("process_vm_readv", syscall, 310, 270, parent, ctypes.addressof(buffer), 1, 0, 0, 0)
        tell("process_vm_writev", syscall, 311, 271, parent, ctypes.addressof(buffer), 1, 0, 0, 0)
        tell("pidfd_getfd", syscall, 438, 438, 0, 0, 0)
        """
    )

    assert set(seen.values()) == {"EPERM"}, seen


def test_server_memory_holds_no_secret(house: House) -> None:
    """What a fork inherits from the server can be searched by anyone: there is nothing in it."""
    result = house.run("import os; print(sorted(k for k in os.environ))")

    assert "TORCHMEDIC" not in result.stdout.replace("TORCHMEDIC_FIGURES", "")


# -- files -----------------------------------------------------------------------------------


def test_system_cannot_be_written(house: House) -> None:
    seen = house.refusals(
        """
        import executor.inside.runner, torch
        for name, path in (("root", "/x"), ("etc", "/etc/x"), ("usr", "/usr/x"),
                           ("python", os.__file__), ("torch", torch.__file__),
                           ("ours", executor.inside.runner.__file__), ("home", "/root/x")):
            tell(name, lambda: open(path, "a"))
        """
    )

    assert set(seen.values()) <= {"EACCES", "EROFS", "EPERM", "ENOENT"}, seen


def test_system_secrets_cannot_be_read(house: House) -> None:
    seen = house.refusals(
        """
        for path in "/root", "/home", "/run", "/var", "/sys/kernel", "/boot":
            tell(path, os.listdir, path)
        tell("shadow", lambda: open("/etc/shadow").read())
        tell("kmsg", lambda: open("/dev/kmsg").read())
        """
    )
    allowed = {"EACCES", "ENOENT", "EPERM"}

    hidden = {path for path, why in seen.items() if why in allowed}
    # A way to Python may lead through /root: then the folder is there, and holds only that way.
    assert hidden | {p for p, why in seen.items() if why.startswith("GOT ['.")} == seen.keys(), seen


def test_proc_cannot_change_the_kernel(house: House) -> None:
    seen = house.refusals(
        """
        tell("core_pattern", lambda: open("/proc/sys/kernel/core_pattern", "w"))
        tell("sysrq", lambda: open("/proc/sysrq-trigger", "w"))
        tell("hostname", lambda: open("/proc/sys/kernel/hostname", "w"))
        """
    )

    assert set(seen.values()) <= {"EACCES", "EROFS", "ENOENT"}, seen


def test_shared_memory_is_bounded_and_wiped(house: House) -> None:
    seen = house.refusals(
        """
        def fill():
            for i in range(100):
                with open(f"/dev/shm/left-{i}", "wb") as f:
                    f.write(bytes(8_000_000))
        tell("fill", fill)
        """
        if house.tier is Tier.NAMESPACES
        else "tell('one', lambda: open('/dev/shm/left', 'wb').write(bytes(64_000_000)))"
    )

    assert set(seen.values()) <= {"ENOSPC", "EFBIG"}, seen


def test_huge_file_is_refused(house: House) -> None:
    seen = house.refusals(
        """
        def write():
            with open("huge", "wb") as f:
                for _ in range(100):
                    f.write(bytes(8_000_000))
        tell("write", write)
        """
    )

    assert seen["write"] in {"EFBIG", "ENOSPC"}


def test_flood_of_files_is_refused(house: House) -> None:
    if house.tier is not Tier.NAMESPACES:
        pytest.skip("NOT TESTED HERE: in tier uid the container's tmpfs sets nr_inodes")
    seen = house.refusals(
        """
        def make():
            for i in range(200_000):
                open(f"f{i}", "w").close()
        tell("make", make)
        """
    )

    assert seen["make"] == "ENOSPC"


def test_nested_folders_are_wiped(house: House) -> None:
    """1,000 folders in one another broke shutil.rmtree, and their tree greeted the next run."""
    result = house.run(
        """
        import os
        for _ in range(1000):
            os.mkdir("d")
            os.chdir("d")
        open("f", "w").close()
        """
    )

    assert result.outcome is Outcome.OK


def test_folders_without_rights_are_wiped(house: House) -> None:
    result = house.run(
        """
        import os
        os.makedirs("a/b/c")
        open("a/b/c/f", "w").close()
        os.chmod("a/b/c", 0)
        os.chmod("a", 0)
        try:
            os.chmod(".", 0)
        except PermissionError:
            pass  # a mount point, the jail's own
        """
    )

    assert result.outcome is Outcome.OK


def test_work_folder_cannot_be_replaced(house: House) -> None:
    seen = house.refusals(
        """
        import tempfile
        work = os.getcwd()
        tell("rename", os.rename, work, work + "-old")
        tell("rmdir", os.rmdir, work)
        tell("sibling", os.mkdir, os.path.join(os.path.dirname(work), "other"))
        tell("link", os.symlink, "/etc", os.path.join(os.path.dirname(work), "link"))
        """
    )

    assert not any(why.startswith("GOT") for why in seen.values()), seen


# -- what comes back -------------------------------------------------------------------------


def test_links_are_not_followed(house: House) -> None:
    result = house.run(
        """
        import os
        os.symlink("/etc/passwd", "passwd")
        os.symlink("/proc/1/environ", "environ")
        os.symlink("/usr", "folder")
        os.symlink("itself", "itself")
        """
    )

    assert result.files == ()
    names = {"passwd", "environ", "folder", "itself"}
    assert set(result.skipped) == {f"{name}: a link" for name in names}


def test_pipes_and_sockets_do_not_block(house: House) -> None:
    result = house.run(
        """
        import os, socket
        os.mkfifo("fifo")
        socket.socket(socket.AF_UNIX).bind("sock")
        os.mkdir("folder")
        """
    )

    assert set(result.skipped) == {"fifo: a pipe", "folder: a folder", "sock: a socket"}


def test_device_nodes_cannot_be_made(house: House) -> None:
    seen = house.refusals(
        """
        import stat
        tell("char", os.mknod, "c", stat.S_IFCHR | 0o600, os.makedev(1, 3))
        tell("block", os.mknod, "b", stat.S_IFBLK | 0o600, os.makedev(8, 0))
        """
    )

    assert set(seen.values()) <= {"EPERM", "EACCES"}, seen


def test_hard_links_are_not_returned(house: House) -> None:
    seen = house.run(
        "import os\nopen('a', 'w').close()\nos.link('a', 'b')\n"
        "try:\n    os.link('/etc/passwd', 'c')\nexcept OSError as e:\n    print(e.errno)\n"
    )

    assert int(seen.stdout) in {1, 13, 18}  # EPERM, EACCES, EXDEV
    assert set(seen.skipped) == {"a: a hard link", "b: a hard link"}


def test_sparse_file_is_refused(house: House) -> None:
    seen = house.refusals("open('s', 'w').close(); tell('sparse', os.truncate, 's', 1 << 50)")

    assert seen["sparse"] == "EFBIG"


def test_large_file_stays_behind(house: House) -> None:
    result = house.run("open('large.bin', 'wb').write(bytes(9_000_000))")

    assert result.files == ()
    assert result.skipped[0].startswith("large.bin: larger than")


def test_strange_names_are_escaped(house: House) -> None:
    result = house.run(
        r"""
        for name in (b"bad-\xff", b"two\nlines", "\u202egnp.txt".encode(), b"n" * 255, b"good.txt"):
            open(name, "w").close()
        """
    )

    assert [f.name for f in result.files] == ["good.txt"]
    assert len(result.skipped) == 4
    assert all(s.isprintable() for s in result.skipped), result.skipped


def test_attachment_cannot_leave_its_folder(house: House) -> None:
    for name in ("../x", "/etc/x", "..", "snippet.py", "a\0b"):
        result = house.run("print('ran')", files=(attachment(name),))

        assert (result.outcome, result.stdout) == (Outcome.SETUP_ERROR, ""), name
        assert "no plain file name" in result.detail


def test_500_figures_and_files_are_capped(house: House) -> None:
    result = house.run("for i in range(500): open(f'{i:03}.txt', 'w').write('x')", wall_s=20)

    assert len(result.files) == SMALL.returned_files
    assert result.skipped[0] == "010.txt: only 10 files come back"
    assert len(result.skipped) <= 20


def test_decompression_bomb_is_not_an_image(house: House) -> None:
    """A PNG of 65,535 by 65,535 is judged by its header; nobody decodes it."""
    result = house.run(
        r"""
        import struct, zlib
        def chunk(kind, data):
            body = kind + data
            return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
        head = struct.pack(">IIBBBBB", 65535, 65535, 8, 2, 0, 0, 0)
        png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IEND", b"")
        open("bomb.png", "wb").write(png)
        open("fake.png", "wb").write(b"<svg onload=alert(1)>")
        """
    )

    assert [(f.name, f.mime) for f in result.files] == [("fake.png", "application/octet-stream")]
    assert result.skipped == ("bomb.png: an image of 4294836225 pixels",)


# -- network ---------------------------------------------------------------------------------


def test_socket_families_are_refused(house: House) -> None:
    seen = house.refusals(
        """
        import socket
        for name, family in dict(packet=17, alg=38, vsock=40, bluetooth=31).items():
            tell(name, socket.socket, family, socket.SOCK_RAW)
        tell("high-bits", syscall, 41, 198, (1 << 32) | 40, 1, 0)
        tell("netlink-netfilter", socket.socket, 16, socket.SOCK_RAW, 12)
        tell("netlink-audit", syscall, 41, 198, (1 << 32) | 16, 3, 9)
        tell("pair", syscall, 53, 199, (1 << 32) | 40, 1, 0, 0)
        """
    )

    assert set(seen.values()) == {"EAFNOSUPPORT"}, seen


def test_network_fails_fast_and_clearly(house: House) -> None:
    result = house.run(
        """
        import socket, urllib.request
        for url in "http://169.254.169.254/latest", "http://192.0.2.1", "http://example.invalid":
            try:
                urllib.request.urlopen(url, timeout=5)
            except OSError as e:
                print(e)
        """
    )

    assert result.outcome is Outcome.OK
    assert result.stdout.count("\n") == 3
    assert result.seconds < 5


def test_sockets_without_a_file_are_out_of_reach(house: House) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0torchmedic-test")
        listener.listen()
        seen = house.refusals(
            """
            import socket
            tell("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0torchmedic-test"))
            """
        )

    assert seen["abstract"] in {"EPERM", "ECONNREFUSED"}


# -- the kernel ------------------------------------------------------------------------------


def test_kernel_surfaces_are_refused(house: House) -> None:
    seen = house.refusals(
        """
        page = ctypes.create_string_buffer(256)
        at = ctypes.addressof(page)
        tell("unshare", syscall, 272, 97, 0x10000000)
        tell("clone-newuser", syscall, 56, 220, 0x10000000 | 17, 0, 0, 0, 0)
        tell("mount", syscall, 165, 40, at, at, at, 0, 0)
        tell("umount", syscall, 166, 39, at, 0)
        tell("setns", syscall, 308, 268, 0, 0)
        tell("pivot_root", syscall, 155, 41, at, at)
        tell("chroot", syscall, 161, 51, at)
        tell("io_uring", syscall, 425, 425, 4, at)
        tell("bpf", syscall, 321, 280, 0, 0, 0)
        tell("userfaultfd", syscall, 323, 282, 0)
        tell("keyctl", syscall, 250, 219, 0, 0)
        tell("perf", syscall, 298, 241, at, 0, -1, -1, 0)
        tell("open_by_handle", syscall, 304, 265, 0, at, 0)
        tell("tiocsti", syscall, 16, 29, 0, 0x5412, at)
        tell("tiocsti-high", syscall, 16, 29, 0, (1 << 32) | 0x5412, at)
        """
    )

    assert set(seen.values()) == {"EPERM"}, seen


def test_clone3_falls_back(house: House) -> None:
    seen = house.refusals("tell('clone3', syscall, 435, 435, 0, 0)")

    assert seen["clone3"] == "ENOSYS"


def test_queues_outlive_no_run(house: House) -> None:
    """System V memory would greet the next stranger: it has a namespace, or is refused."""
    make = "tell('shm', syscall, 29, 194, 4711, 4096, 0o1666)"
    house.refusals(make)
    seen = house.refusals("tell('shm', syscall, 29, 194, 4711, 4096, 0o0666)")

    assert seen["shm"] == ("ENOENT" if house.tier is Tier.NAMESPACES else "EPERM")


def test_limits_cannot_be_raised(house: House) -> None:
    seen = house.refusals(
        """
        import resource
        from pathlib import Path
        tell("oom", Path("/proc/self/oom_score_adj").write_text, "-1000")
        for name in "NPROC", "FSIZE", "CPU":
            which = getattr(resource, f"RLIMIT_{name}")
            try:
                resource.setrlimit(which, (10**9, 10**9))
            except (ValueError, OSError):
                print(name, "EPERM")
        tell("mlockall", lambda: syscall(151, 230, 1))
        """
    )

    assert seen.pop("mlockall") in {"ENOMEM", "EPERM"}
    assert set(seen.values()) <= {"EPERM", "EACCES"}, seen


def test_setuid_programs_gain_nothing(house: House) -> None:
    result = house.run(
        """
        import os, subprocess
        for program in "su", "mount", "passwd", "sudo", "newgrp":
            try:
                subprocess.run([program], timeout=2, capture_output=True)
            except (OSError, subprocess.TimeoutExpired):
                pass
        print(subprocess.run(["/bin/sh", "-c", "id -u; grep NoNewPrivs /proc/self/status"],
                             capture_output=True, text=True).stdout)
        """
    )

    assert "NoNewPrivs:\t1" in result.stdout
    assert result.stdout.split()[0] != "0"


def test_program_from_memory_is_in_the_same_jail(house: House) -> None:
    result = house.run(
        """
        import os, shutil, subprocess
        fd = os.memfd_create("sh")
        os.write(fd, open("/bin/sh", "rb").read())
        code = "import socket; socket.socket(40, 1)"
        out = subprocess.run([f"/proc/self/fd/{fd}", "-c", "echo x > /etc/x"], pass_fds=[fd],
                             capture_output=True, text=True)
        print(out.returncode, out.stderr)
        """
    )

    if house.tier is Tier.NAMESPACES:
        assert result.stdout[0] != "0"
    else:  # there, no file can be made in memory at all
        assert result.error is not None
        assert result.error.type == "PermissionError"


# -- endings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "outcome", "exit_code", "signal"),
    [
        ("import sys; sys.exit(3)", Outcome.ERROR, 3, None),
        ("import os; os._exit(7)", Outcome.ERROR, 7, None),
        ("import atexit, os; atexit.register(os._exit, 5)", Outcome.ERROR, 5, None),
        ("import ctypes; ctypes.string_at(0)", Outcome.KILLED, None, "SIGSEGV"),
        ("import os; os.abort()", Outcome.KILLED, None, "SIGABRT"),
        ("import os; os.kill(os.getpid(), 15)", Outcome.KILLED, None, "SIGTERM"),
        ("import os; os.kill(os.getpid(), 9)", Outcome.KILLED, None, "SIGKILL"),
        ("import os; os.kill(os.getpid(), 7)", Outcome.KILLED, None, "SIGBUS"),
        ("import os; os.kill(os.getpid(), 40)", Outcome.KILLED, None, "SIG40"),
        ("import os; os.kill(os.getpid(), 24)", Outcome.TIMEOUT, None, "SIGXCPU"),
    ],
)
def test_every_ending_has_its_name(
    house: House, code: str, outcome: Outcome, exit_code: int | None, signal: str | None
) -> None:
    result = house.run(code)

    assert (result.outcome, result.exit.code, result.exit.signal) == (outcome, exit_code, signal)


@pytest.mark.parametrize(
    "code",
    ["(" * 100_000 + ")" * 100_000, "x = 1\0", "-" * 2_000_000 + "1", "def", "\t x\n  y"],
    ids=["parentheses", "NUL", "minus signs", "half a word", "indentation"],
)
def test_monstrous_source_is_an_error(house: House, code: str) -> None:
    result = house.run(code, wall_s=20)

    assert result.outcome in {Outcome.ERROR, Outcome.KILLED, Outcome.OUT_OF_MEMORY}


def test_large_source_runs(house: House) -> None:
    result = house.run("x = 1\n" * 25_000 + "print(x)", wall_s=60)

    assert result.stdout == "1\n"


def test_broken_interpreter_harms_only_itself(house: House) -> None:
    result = house.run(
        """
        import builtins, sys
        sys.settrace(lambda *_: None)
        sys.stdout = None
        builtins.print = builtins.open = builtins.len = None
        sys.modules.clear()
        """
    )

    assert result.outcome in {Outcome.OK, Outcome.ERROR, Outcome.KILLED}


def test_hostile_pickle_stays_inside(house: House) -> None:
    import pickle

    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            import os

            return os.system, ("echo pwned > /etc/pwned; echo inside",)

    result = house.run(
        "import torch; torch.load('model.pt', weights_only=False)",
        files=(attachment("model.pt", pickle.dumps(Bomb())),),
    )

    assert "pwned" in result.stderr + result.stdout or result.outcome is Outcome.ERROR
    assert house.run("print(open('/etc/pwned').read())").outcome is Outcome.ERROR


# -- what a snippet does to its own interpreter ----------------------------------------------

# Each ends in an error that must come back with its type and line, whatever came before it.
_SPOILED = {
    "stdout is closed": "import sys\nsys.stdout.close()\nraise ValueError('x')",
    "stdout is None": "import sys\nsys.stdout = None\nraise ValueError('x')",
    "stderr is None": "import sys\nsys.stderr = None\nraise ValueError('x')",
    "a stdout that raises": """
        import sys
        class Broken:
            def write(self, text): raise RuntimeError("no")
            def flush(self): raise RuntimeError("no")
        sys.stdout = Broken()
        raise ValueError('x')
        """,
    "every descriptor is closed": "import os\nos.closerange(0, 500)\nraise ValueError('x')",
    "every descriptor is used up": """
        import os
        try:
            while True:
                os.dup(1)
        except OSError:
            pass
        raise ValueError('x')
        """,
    "no modules are left": "import sys\nsys.modules.clear()\nraise ValueError('x')",
    "others in place of our modules": (
        "import sys\nfor n in [n for n in sys.modules if n.startswith('executor')]:\n"
        "    del sys.modules[n]\nsys.modules.update({f'm{i}': sys for i in range(999)})\n"
        "raise ValueError('x')"
    ),
    "another dictionary of modules": "import sys\nsys.modules = {}\nraise ValueError('x')",
    "no builtins are left": """
        import builtins
        error = ValueError('x')
        builtins.__dict__.clear()
        raise error
        """,
    "no functions of sys are left": """
        import sys
        for name in ("exc_info", "getrecursionlimit", "setrecursionlimit", "settrace"):
            delattr(sys, name)
        raise ValueError('x')
        """,
    "json and os are broken": """
        import json, os
        json.dumps = json.dump = os.path.join = os.fspath = None
        raise ValueError('x')
        """,
    "a tracer that raises": """
        import sys
        def tracer(*event):
            raise KeyError("tracer")
        error = ValueError('x')
        sys.settrace(tracer)
        raise error
        """,
    "a low recursion limit": "import sys\nsys.setrecursionlimit(30)\nraise ValueError('x')",
    "an empty excepthook": "import sys\nsys.excepthook = None\nraise ValueError('x')",
    "a byte order mark": "\ufeffprint('a')\nraise ValueError('x')",
    "its folder is gone": """
        import os, tempfile
        here = tempfile.mkdtemp()
        os.chdir(here)
        os.rmdir(here)
        raise ValueError('x')
        """,
}


@pytest.mark.parametrize("what", _SPOILED)
def test_the_error_is_told_by_a_spoiled_interpreter_too(house: House, what: str) -> None:
    code = textwrap.dedent(_SPOILED[what]).strip("\n")

    result = house.run(code)

    assert result.outcome is Outcome.ERROR
    assert result.error is not None, result.stderr
    assert (result.error.type, result.error.message) == ("ValueError", "x")
    assert result.error.line == code.count("\n") + 1
    assert result.exit.code == 1


_STRANGE = {
    "str() raises": ("def __str__(self): raise KeyError", None),
    "str() exits": ("def __str__(self): raise SystemExit(3)", None),
    "str() is a number": ("def __str__(self): return 3", None),
    "half a character": ("def __str__(self): return '\\ud800'", "\\ud800"),
    "no cause": ("__cause__ = __context__ = property(lambda self: 1 / 0)", "a"),
    "no traceback": ("__traceback__ = property(lambda self: 1 / 0)", "a"),
    "a traceback that is none": ("__traceback__ = 5", "a"),
    "arguments that raise": ("args = property(lambda self: 1 / 0)", "a"),
    "a class of its own making": ("__class__ = property(lambda self: 1 / 0)", None),
    "no attributes": ("def __getattribute__(self, name): raise KeyError(name)", None),
}


@pytest.mark.parametrize("what", _STRANGE)
def test_an_exception_with_strange_parts_is_told(house: House, what: str) -> None:
    part, message = _STRANGE[what]

    result = house.run(f"class Odd(Exception):\n    {part}\nraise Odd('a')")

    assert result.outcome is Outcome.ERROR
    assert result.error is not None, result.detail
    assert (result.error.type, result.error.line) == ("Odd", 3)
    if message is not None:
        assert result.error.message == message


def test_a_metaclass_is_not_asked_for_the_name(house: House) -> None:
    result = house.run(
        """
        class Silent(type):
            def __getattribute__(cls, name):
                raise KeyError(name)
        class Odd(Exception, metaclass=Silent):
            pass
        raise Odd("a")
        """
    )

    assert result.error is not None
    assert result.error.type == "Odd"


@pytest.mark.parametrize("processes", [1, 2])
def test_shared_memory_without_a_name_is_out_of_memory(house: House, processes: int) -> None:
    """Pages that processes could share are anonymous in none of them, also where just one has them.

    This is also how CUDA pins memory.
    """
    result = house.run(
        f"""
        import mmap, os, time
        if {processes} == 2 and os.fork() == 0:
            time.sleep(60)
        block, kept = bytes(50_000_000), []
        while True:
            kept.append(mmap.mmap(-1, len(block)))
            kept[-1].write(block)
        """,
        wall_s=60,
    )

    assert result.outcome is Outcome.OUT_OF_MEMORY
    assert result.limit is not None
    assert result.limit.name == "memory_bytes"


def test_memory_in_memory_files_is_out_of_memory(house: House) -> None:
    """Pages of a file that nobody has mapped are in no process's resident memory.

    Where the supervisor may not look at a run's descriptors, no such file can be made.
    """
    result = house.run(
        """
        import os
        block = bytes(8_000_000)
        while True:
            os.write(os.memfd_create("hoard"), block)
        """,
        wall_s=60,
    )

    if house.tier is Tier.NAMESPACES:
        assert result.outcome is Outcome.OUT_OF_MEMORY
        assert result.limit is not None
        assert result.limit.name == "memory_bytes"
    else:
        assert result.error is not None
        assert result.error.type == "PermissionError"


def test_a_run_stays_first_on_the_memory_killers_list(house: House) -> None:
    result = house.run(
        """
        from pathlib import Path
        mine = Path("/proc/self/oom_score_adj")
        print(mine.read_text().strip())
        mine.write_text("0")
        """
    )

    assert result.stdout == "1000\n"
    assert result.error is not None
    assert result.error.type == "PermissionError"


def test_a_backslash_in_a_files_name_is_a_plain_character(house: House) -> None:
    result = house.run(
        r"""
        import os
        os.rename("in\\side.txt", "out\\side.txt")
        """,
        files=(attachment("in\\side.txt", b"x"),),
    )

    assert [file.name for file in result.files] == ["out\\side.txt"]
