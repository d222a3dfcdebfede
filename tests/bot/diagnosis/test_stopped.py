"""bot/diagnosis/stopped.py: which sizes of placeholders may have stopped a fix's run."""

from __future__ import annotations

import pytest

from bot.diagnosis.stopped import why_stopped
from executor.protocol import Bound, Glue
from tests.built import failed, ran

GENERATOR = failed("'generator' object is not subscriptable", type="TypeError")
SHAPES = failed("mat1 and mat2 shapes cannot be multiplied (8x20 and 784x10)")
NAME = failed("name 'y' is not defined", type="NameError", undefined=("y",))
TENSOR = "a random float32 tensor [8, 20]"


def glue(evidence, what=TENSOR):
    return Glue(before=(Bound(name="x", expression="1", what=what, evidence=evidence),))


@pytest.mark.parametrize(
    ("added", "before", "after", "told"),
    [
        (glue("use"), GENERATOR, SHAPES, "what stands for `x` here has other sizes than yours"),
        (glue("message"), GENERATOR, SHAPES, ""),  # it has the sizes of their message
        (glue("use", "`0.1`"), GENERATOR, SHAPES, ""),  # it has none
        (None, GENERATOR, SHAPES, ""),  # the values are theirs
        (glue("use"), SHAPES, SHAPES, ""),  # the sizes were the matter from the start
        (glue("use"), GENERATOR, GENERATOR, ""),
        (glue("use"), GENERATOR, ran(), ""),
        (None, GENERATOR, NAME, "`y` (line 1) is used but never defined"),
    ],
)
def test_sizes_that_were_made_up_may_stop_a_fix(added, before, after, told):
    """Only where an error is about sizes, and the one that was mended was not."""
    said = why_stopped(added, before)(after)

    assert said.startswith(told) and bool(said) is bool(told)
