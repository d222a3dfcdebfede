"""executor/service/outputs.py: what leaves a run, cut and counted."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from executor.jail.limits import Limits
from executor.service.outputs import Stream, png_pixels

TINY = Limits(head_bytes=10, tail_bytes=6)


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
