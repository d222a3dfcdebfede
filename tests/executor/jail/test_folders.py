"""executor/jail/folders.py: what of a run's folders is offered, and that nothing of them stays."""

from __future__ import annotations

import os
from pathlib import Path

from executor.jail.folders import offers, wipe, wipe_all
from executor.jail.limits import Limits


def test_offers_open_only_plain_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "fifo")
    found = list(offers(tmp_path, tmp_path / "no-report", Limits(returned_files=3)))
    for _, fd in found:
        if fd is not None:
            os.close(fd)

    assert [w["file"] for w, fd in found if fd is not None] == ["a.txt"]
    assert sorted(w["skipped"] for w, fd in found if fd is None) == ["fifo: a pipe", "link: a link"]


def test_wipe_takes_any_tree(tmp_path: Path) -> None:
    """1,500 nested folders, files, links, and folders that forbid everything."""
    top = tmp_path / "top"
    top.mkdir()
    outside = tmp_path / "outside"
    outside.write_text("stays")
    where = os.open(top, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=where)
        deeper = os.open("d", os.O_RDONLY, dir_fd=where)
        os.close(where)
        where = deeper
    os.close(where)
    (top / "link").symlink_to(outside)
    (top / "closed" / "inner").mkdir(parents=True)
    (top / "closed" / "inner").chmod(0)
    (top / "closed").chmod(0)
    wipe(top)

    assert not top.exists()
    assert outside.read_text() == "stays"


def test_wipe_leaves_other_peoples_shared_memory(tmp_path: Path) -> None:
    (tmp_path / "someone's").write_text("x")
    (tmp_path / "folder").mkdir()
    wipe_all((), (tmp_path,), uid=os.getuid() + 1)
    assert len(list(tmp_path.iterdir())) == 2

    wipe_all((), (tmp_path,), uid=os.getuid())
    assert list(tmp_path.iterdir()) == []
