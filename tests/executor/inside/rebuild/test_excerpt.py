"""executor/inside/rebuild/excerpt.py: what is left out above the failing line."""

from __future__ import annotations

import ast

import pytest

from executor.inside.rebuild.excerpt import left_out
from executor.inside.rebuild.source import sources
from executor.protocol import PostedError, PostedFrame, RebuildOrder

CODE = """\
import torch
wide = 3
part = brain(pages)
half = wide // 2
def show(picture):
    return picture * torch.ones(3)
for name in names:
    low = part[name]
    show(low)
    print(low)
last = part
"""


@pytest.mark.parametrize(
    ("places", "out"),
    [
        # The loop down to the failing statement, and what needs nothing that was not posted.
        ([{9}, {6}], (3, 8, 10, 11)),
        ([{6}], (3, 7, 8, 9, 10, 11)),  # a definition alone: it can be called
        ([{11}], (3, 7, 8, 9, 10)),
        ([{3}], (4, 7, 8, 9, 10, 11)),  # nothing is above it; what is below is not reached
        ([], (3, 7, 8, 9, 10, 11)),
    ],
)
def test_what_needs_what_was_not_posted_is_left_out(places, out):
    """Definitions, imports and what can be computed stay."""
    assert left_out(ast.parse(CODE), [frozenset(lines) for lines in places], {"torch"}) == out


def test_what_a_comprehension_binds_is_there():
    """`n` is no name that was not posted."""
    code = "sizes = [n * 2 for n in range(3)]\nuse(sizes, gone)\nlate = 1"
    assert left_out(ast.parse(code), [frozenset({2})], ()) == (3,)


@pytest.mark.parametrize(
    ("message", "line", "excerpt"),
    [
        ("The size of tensor a (5) must match the size of tensor b (3)", "show(low)", True),
        ("expected scalar type Double but found Float", "show(low)", True),
        ("'NoneType' object is not iterable", "show(low)", False),  # nothing says what to put there
        ("The size of tensor a (5) must match the size of tensor b (3)", "", False),
    ],
)
def test_an_excerpt_is_tried_where_the_message_says_of_which_values(message, line, excerpt):
    """After the programs as they were posted, and under the number of the post."""
    frames = (PostedFrame(file="a.py", code=line),) if line else ()
    error = PostedError(type="RuntimeError", message=message, frames=frames)
    *_, last = sources(RebuildOrder(code=CODE, others=("show(low)",), error=error))
    assert last.excerpt is excerpt
    if excerpt:
        assert (last.program, last.left_out) == (0, (3, 8, 10, 11))
