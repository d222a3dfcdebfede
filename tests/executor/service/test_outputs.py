"""executor/service/outputs.py: what leaves a run, cut and counted."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from executor.jail.limits import Limits
from executor.service.outputs import Stream, offers, png_pixels, wipe, wipe_all

TINY = Limits(head_bytes=10, tail_bytes=6, returned_files=3)


@given(st.lists(st.binary(max_size=25), max_size=30))
def test_stream_keeps_both_ends_and_counts_the_rest(chunks: list[bytes]) -> None:
    """However the bytes arrive, the first 10 and the last 6 stay, and the sum is right."""
    stream, everything = Stream(TINY), b"".join(chunks)
    for chunk in chunks:
        stream.add(chunk)

    assert stream.total == len(everything)
    assert stream.dropped == max(0, len(everything) - 16)
    if stream.dropped:
        head, tail = everything[:10], everything[-6:]
        gap = f"\n… {stream.dropped} bytes left out …\n"
        assert stream.text() == head.decode("utf-8", "replace") + gap + tail.decode(
            "utf-8", "replace"
        )
    else:
        assert stream.text() == everything.decode("utf-8", "replace")


def test_stream_holds_no_more_than_it_shows() -> None:
    stream = Stream(TINY)
    for _ in range(1000):
        stream.add(b"x" * 1000)

    assert len(stream._head) + len(stream._tail) <= 10 + 1000 + 12


@given(st.binary(max_size=60))
def test_no_bytes_break_the_header_reader(data: bytes) -> None:
    assert png_pixels(data) is None or data.startswith(b"\x89PNG")


def test_header_reader_multiplies() -> None:
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 65535, 65535) + bytes(9)

    assert png_pixels(data) == 65535 * 65535


def test_offers_open_only_plain_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "fifo")
    found = list(offers(tmp_path, tmp_path / "no-report", TINY))
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
