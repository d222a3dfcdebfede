"""Facts about knowledge/repair/toolkit/alignment.py: where 1s go between a tensor's dimensions."""

from __future__ import annotations

import libcst as cst
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.repair.toolkit.alignment import fits, placements, spread

shapes = st.lists(st.integers(1, 4), max_size=4).map(tuple)


@settings(deadline=None)
@given(shapes, shapes)
def test_what_fits_broadcasts_and_leaves_the_larger_one_alone(
    shape: tuple[int, ...], target: tuple[int, ...]
):
    """PyTorch says the same."""
    try:
        both = tuple(torch.broadcast_shapes(shape, target))
    except RuntimeError:
        both = ()

    assert fits(shape, target) == (both == target)


@settings(deadline=None)
@given(shapes, shapes)
def test_every_placement_keeps_the_numbers(shape: tuple[int, ...], target: tuple[int, ...]):
    """The same sizes in the same order, and it fits."""
    for laid in placements(shape, target):
        assert fits(laid, target)
        assert [n for n in laid if n != 1] == [n for n in shape if n != 1]


@pytest.mark.parametrize(
    ("shape", "target", "laid"),
    [
        ((16,), (2, 16, 8, 8), [(16, 1, 1)]),
        ((4,), (4, 4, 8), [(4, 1, 1), (4, 1)]),
        ((3,), (4, 5), []),
    ],
)
def test_one_place_or_several(
    shape: tuple[int, ...], target: tuple[int, ...], laid: list[tuple[int, ...]]
):
    """A size that the target has once can only be there."""
    assert sorted(placements(shape, target)) == sorted(laid)


@pytest.mark.parametrize(
    ("old", "new"),
    [((5,), (5, 1)), ((5,), (5, 1, 1)), ((2, 1, 7), (2, 1, 7, 1)), ((2, 7), (2, 1, 1, 7))],
)
def test_the_code_makes_that_shape(old: tuple[int, ...], new: tuple[int, ...]):
    """What is written into the snippet does what was worked out."""
    code = cst.Module(()).code_for_node(spread(cst.Name("x"), old, new))

    assert tuple(eval(code, {"x": torch.zeros(old)}).shape) == new
