"""executor/inside/huge_pages.py: the server's memory is cheap to fork, and is what it was."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from executor.inside import huge_pages
from tests.executor.conftest import House

FILLED = """
import mmap, os
from pathlib import Path
from executor.inside.huge_pages import collapse

def kib(word):
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(word))

memory = mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)  # filled in small pages, whatever the machine's settings
for place in range(0, 32 << 20, 4096):
    memory[place : place + 8] = place.to_bytes(8, "big")
memory.madvise(mmap.MADV_HUGEPAGE)
before = kib("AnonHugePages:")
made = collapse()
print(made > 8, kib("AnonHugePages:") - before >= 16 << 10)
assert all(int.from_bytes(memory[p : p + 8], "big") == p for p in range(0, 32 << 20, 4096))
if os.fork() == 0:
    memory[:8] = b"the run'"
    os._exit(0)
os.wait()
print(bytes(memory[:8]) == bytes(8))
"""


def _supported() -> bool:
    """Whether this kernel makes huge pages on demand."""
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    release = re.match(r"(\d+)\.(\d+)", Path("/proc/sys/kernel/osrelease").read_text())
    assert release is not None
    new = (int(release[1]), int(release[2])) >= (6, 1)
    return new and enabled.exists() and "[never]" not in enabled.read_text()


NEEDS = pytest.mark.skipif(not _supported(), reason="this kernel makes no huge pages on demand")


@NEEDS
def test_memory_is_what_it_was_in_fewer_pages():
    """Every byte is the same, and what a fork writes is the fork's own."""
    done = subprocess.run([sys.executable, "-c", FILLED], capture_output=True, text=True)

    assert done.stdout.split() == ["True", "True", "True"], done.stdout + done.stderr


def test_a_kernel_without_them_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    """It refuses an advice that it does not know; then runs are as they were, and take longer."""
    monkeypatch.setattr(huge_pages, "_MADV_COLLAPSE", 9999)

    assert huge_pages.collapse() == 0


@NEEDS
def test_the_warm_server_is_forked_from_huge_pages(any_house: House):
    """Most of what it keeps for all runs."""
    server = any_house.supervisor._server
    assert server is not None
    rows = Path(f"/proc/{server.ready.pid}/smaps_rollup").read_text().splitlines()
    kib = {row.split(":")[0]: int(row.split()[1]) for row in rows[1:]}

    assert kib["AnonHugePages"] > kib["Anonymous"] / 2
