"""executor/inside/rebuild/judge.py and evidence.py: how near a trial is to what was posted."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.judge import Nearness, nearness
from executor.inside.rebuild.trial import Outcome
from executor.protocol import PostedError, PostedFrame, RebuildOrder

CODE = "out = net(x)\nloss = criterion(out, y)  # here\nloss.backward()\n"
PRODUCT = "mat1 and mat2 shapes cannot be multiplied ({}x8 and 5x2)"


def posted(message: str, line: str = "", type: str = "RuntimeError", code: str = CODE) -> Posted:
    """An error posted with CODE, perhaps with the line that its traceback quotes."""
    frames = (PostedFrame(file="train.py", code=line),) if line else ()
    order = RebuildOrder(code=code, error=PostedError(type=type, message=message, frames=frames))
    return Posted(order, ast.parse(code))


def raised(message: str, line: int, type: str = "RuntimeError") -> Outcome:
    """A trial that ended with an error."""
    return Outcome(type=type, message=message, line=line, lines=(line,))


@pytest.mark.parametrize(
    ("line", "seen", "expected"),
    [
        ("", Outcome(ok=True), Nearness.ENDED),
        ("", Outcome(type="Timeout"), Nearness.NOTHING),
        ("", raised(PRODUCT.format(3), 1), Nearness.EXACT),
        ("", raised(PRODUCT.format(4), 1), Nearness.REBUILT),
        ("", raised("no such thing", 1), Nearness.OTHER),
        ("out = net(x)", raised(PRODUCT.format(3), 1), Nearness.EXACT),
        ("out = net(x)", raised(PRODUCT.format(3), 2), Nearness.SAME_FAMILY),
        ("out = net(x)", raised("no such thing", 1), Nearness.SAME_LINE),
    ],
)
def test_the_family_comes_first_then_the_line_then_the_numbers(line, seen, expected):
    """One row for each step from nothing to the posted error."""
    assert nearness(posted(PRODUCT.format(3), line), seen) is expected


def test_a_shape_of_another_rank_is_no_rebuild():
    """`[32, 1]` against `[32]` is not `[32]` against `[32, 1]`."""
    said = "Using a target size (torch.Size({})) that is different to the input size " \
        "(torch.Size({})) is deprecated. Please ensure they have the same size."  # fmt: skip
    before = posted(said.format("[32]", "[32, 1]"), type="ValueError")
    turned = raised(said.format("[32, 1]", "[32]"), 2, "ValueError")
    smaller = raised(said.format("[8]", "[8, 1]"), 2, "ValueError")
    assert nearness(before, turned) is Nearness.SAME_FAMILY
    assert nearness(before, smaller) is Nearness.REBUILT


@pytest.mark.parametrize(
    ("quoted", "lines"),
    [
        ("loss = criterion(out, y)", {2}),  # its comment and its spaces do not count
        ("  loss=criterion( out,y )", {2}),
        ("loss = criterion(out, z)", set()),
        ("", set()),
    ],
)
def test_the_line_of_a_traceback_is_found_in_the_code(quoted, lines):
    """By its text: line numbers of a whole file say nothing of a part of it."""
    assert posted("x", quoted).lines == lines


def test_a_call_over_several_lines_begins_at_its_first():
    """Old versions of Python quote its last line, today's its first."""
    code = "opt = SGD(\n    net.parameters(),\n    lr=rate,\n)\n"
    assert posted("x", "lr=rate,", code=code).lines == {1, 3}


def test_a_comment_that_marks_the_line_counts_where_no_traceback_does():
    """`# error here` is said of its own line."""
    marked = CODE.replace("# here", "# the error is here")
    assert posted("x", code=marked).lines == {2}


def test_the_frame_of_torch_names_the_loss():
    """Whatever the name `criterion` may be elsewhere."""
    frames = (
        PostedFrame(file="a.py", code="loss = criterion(out, y)"),
        PostedFrame(file="torch/nn/functional.py", function="binary_cross_entropy", own=False),
    )
    order = RebuildOrder(code=CODE, error=PostedError(type="E", message="m", frames=frames))
    assert Posted(order, ast.parse(CODE)).loss == "BCELoss"


@given(st.text(), st.text(), st.text())
def test_any_error_may_be_posted(kind: str, message: str, line: str):
    """Reading it raises nothing, and neither does comparing a trial with it."""
    frames = (PostedFrame(file="x", code=line),)
    error = PostedError(type=kind, message=message, frames=frames)
    seen = Posted(RebuildOrder(code=CODE, error=error, text=message), ast.parse(CODE))
    assert nearness(seen, raised(message, 1)) in Nearness


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("4, 32, 32, 3", Nearness.EXACT),  # the sides of the old message are its last two
        ("4, 3, 32, 32", Nearness.OTHER),
        ("4, 32, 3, 32", Nearness.OTHER),
    ],
)
def test_the_channels_are_compared_first_today(shape: str, expected: Nearness):
    """An old convolution took them for those of its weight, and found the sides too small."""
    before = posted("Given input size: (3 x 32 x 3). Calculated output size: (6 x 28 x -1). "
                    "Output size is too small at x.c:45")  # fmt: skip
    channels = shape.split(", ")[1]
    now = (
        f"Given groups=1, weight of size [6, 7, 5, 5], expected input[{shape}] to have 7 channels, "
        f"but got {channels} channels instead"
    )
    assert nearness(before, raised(now, 1)) is expected
