"""executor/service/outputs.py: how many lines came through, whatever of them was kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from executor.jail.limits import Limits
from executor.service.outputs import Stream


@pytest.mark.parametrize(
    ("pieces", "lines", "dropped"),
    [
        ([b""], 0, False),
        ([b"one\n"], 1, False),
        ([b"one"], 1, False),
        ([b"one\ntwo"], 2, False),
        ([b"on", b"e\ntw", b"o\n"], 2, False),
        ([b"a line\n" * 1000], 1000, True),
        ([b"a line\n"] * 1000 + [b"no end"], 1001, True),
    ],
)
def test_lines_are_counted_as_they_come(pieces: list[bytes], lines: int, dropped: bool):
    """Those that were dropped count as well; so does a last one without an end."""
    stream = Stream(replace(Limits(), head_bytes=32, tail_bytes=32))
    for piece in pieces:
        stream.add(piece)

    assert stream.lines == lines
    assert bool(stream.dropped) is dropped
