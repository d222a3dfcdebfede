"""executor/errors/sameness.py: when two messages are one error, and when their numbers agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.errors import are_of_one_type, same_family, same_names, same_numbers, shapes_named
from executor.errors.catalogue import all_families
from executor.errors.sameness import _EXCHANGED, _SAYS_BY_BEING_THERE, _SAYS_WHICH
from executor.protocol import ErrorSeen

RESIZED = (
    "Error(s) in loading state_dict for Net: size mismatch for fc.weight: copying a param with "
    "shape torch.Size([{}, 3]) from checkpoint, the shape in current model is torch.Size([4, 3])."
)


def error(said: str) -> ErrorSeen:
    """`Type: message`."""
    kind, _, message = said.partition(": ")
    return ErrorSeen(type=kind, message=message)


@pytest.mark.parametrize(
    ("then", "now", "family", "numbers"),
    [
        # An old wording and today's.
        ("RuntimeError: size mismatch, m1: [3 x 8], m2: [5 x 2] at x.c:1",
         "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x8 and 5x2)", True, True),
        ("RuntimeError: size mismatch, m1: [3 x 8], m2: [5 x 2] at x.c:1",
         "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8 and 5x2)", True, False),
        # An old wording names more than today's.
        ("RuntimeError: Expected 4-dimensional input for 4-dimensional weight 1 1 9 9, but got "
         "2-dimensional input of size [7, 6] instead",
         "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input "
         "of size: [7, 6]", True, True),
        # A check that every operation makes for itself today.
        ("RuntimeError: Expected object of scalar type Long but got scalar type Float for "
         "argument #3 'index'", "RuntimeError: scatter(): Expected dtype int32/int64 for index",
         True, True),
        ("RuntimeError: expand(torch.FloatTensor{[1, 7]}, size=[7]): the number of sizes "
         "provided (1) must be greater or equal to the number of dimensions in the tensor (2)",
         "RuntimeError: output with shape [7] doesn't match the broadcast shape [1, 7]",
         True, True),
        ("RuntimeError: expand(torch.FloatTensor{[1, 7]}, size=[7]): the number of sizes "
         "provided (1) must be greater or equal to the number of dimensions in the tensor (2)",
         "RuntimeError: output with shape [8] doesn't match the broadcast shape [1, 8]",
         True, False),
        # Of one kind, and about another thing.
        ("TypeError: 'NoneType' object is not iterable",
         "TypeError: 'Net' object is not iterable", False, None),
        ("RuntimeError: Target 3 is out of bounds.", "RuntimeError: x", False, None),
        # Of one family, and the opposite.
        ("ValueError: too many values to unpack (expected 2)",
         "ValueError: not enough values to unpack (expected 2, got 1)", False, None),
        ("ValueError: not enough values to unpack (expected 2, got 1)",
         "ValueError: not enough values to unpack (expected 3, got 1)", True, False),
        ("RuntimeError: expected scalar type Long but found Float",
         "RuntimeError: expected scalar type Float but found Long", False, None),
        ("RuntimeError: expected scalar type Float but found Double",
         "RuntimeError: expected scalar type Float but found Double", True, True),
        ("RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) "
         "should be the same", "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type "
         "(torch.FloatTensor) should be the same", False, None),
        ("RuntimeError: Input type (CUDAFloatType) and weight type (CPUFloatType) should be the "
         "same", "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type "
         "(torch.FloatTensor) should be the same", True, True),
        ("RuntimeError: For unbatched 2-D input, hx should also be 2-D but got 3-D tensor",
         "RuntimeError: For batched 3-D input, hx should also be 3-D but got 2-D tensor", False,
         None),
        ("RuntimeError: all elements of input should be between 0 and 1",
         "RuntimeError: all elements of target should be between 0 and 1", False, None),
        ("TypeError: 'int' object is not callable", "TypeError: 'int' object is not subscriptable",
         False, None),
        # Where torch raised it is no number of theirs.
        ("RuntimeError: input is not contiguous at /build/TH/generic/THTensor.c:231",
         "RuntimeError: view size is not compatible with input tensor's size and stride (at least "
         "one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
         True, True),
        # Weights are compared by their names and shapes.
        (f"RuntimeError: {RESIZED.format(2)}", f"RuntimeError: {RESIZED.format(2)}", True, True),
        (f"RuntimeError: {RESIZED.format(2)}", f"RuntimeError: {RESIZED.format(9)}", True, False),
        # Unknown to the catalogue: the words count, and then the numbers.
        ("MyError: 3 of 4 left", "MyError: 5 of 4 left", True, False),
        ("MyError: 3 of 4 left", "OtherError: 3 of 4 left", False, None),
    ],
)  # fmt: skip
def test_an_error_is_compared_by_what_it_names(then, now, family, numbers):
    """Not by its wording."""
    assert same_family(error(then), error(now)) is family
    if numbers is not None:
        assert same_numbers(error(then), error(now)) is numbers


def test_shapes_are_read_in_order():
    """In every way in which messages write them, each once."""
    text = "got [3, 4] and torch.Size([5]) or (1, 2, 3), a [2 x 6] and again [3, 4]"
    assert shapes_named(text) == [(3, 4), (5,), (1, 2, 3), (2, 6)]


def test_the_tables_name_values_that_there_are():
    """Of each family in them, today's among the values that it explains."""
    values = {family.id: family.values for family in all_families()}
    named = {**{id: (name,) for id, name in _SAYS_WHICH.items()}, **_SAYS_BY_BEING_THERE}

    for id, names in (*named.items(), *_EXCHANGED.items()):
        assert set(names) <= set(values[id]), id


@given(st.text())
def test_any_text_may_stand_where_shapes_do(text: str):
    """Nothing is raised, and no shape has a size below zero."""
    assert all(size >= 0 for shape in shapes_named(text) for size in shape)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("AttributeError: 'dict' object has no attribute 'a'",
         "AttributeError: 'dict' object has no attribute 'a'", True),
        ("AttributeError: 'dict' object has no attribute 'a'",
         "AttributeError: 'dict' object has no attribute 'b'", False),
        ("KeyError: 'a'", "KeyError: 'b'", False),
        ("TypeError: forward() got an unexpected keyword argument 'a'",
         "TypeError: Net.forward() got an unexpected keyword argument 'a'", True),
        ("TypeError: forward() got an unexpected keyword argument 'a'",
         "TypeError: Net.forward() got an unexpected keyword argument 'b'", False),
        ("RuntimeError: x", "RuntimeError: y", True),  # that name nothing
    ],
)  # fmt: skip
def test_an_attribute_or_a_key_is_told_by_its_name(one: str, other: str, same: bool) -> None:
    """Another one is another error of the same family."""
    assert same_names(error(one), error(other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Could not infer dtype of numpy.float32", "Could not infer dtype of dict", False),
        ("Could not infer dtype of dict", "Could not infer dtype of dict", True),
        ("Target 5 is out of bounds.", "Target 7 is out of bounds.", True),  # numbers are compared
    ],
)
def test_errors_of_data_of_two_types_are_told_apart(one: str, other: str, same: bool):
    """A line that is run alone shows nothing of theirs with data of another type."""
    assert are_of_one_type(error(f"RuntimeError: {one}"), error(f"RuntimeError: {other}")) is same
