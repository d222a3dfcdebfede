"""executor/errors/lists.py and topics.py: what messages list, and what they are roughly about."""

from __future__ import annotations

import pytest

from executor.errors import (
    is_about_dtypes,
    missing_names,
    offered_forms,
    quoted_names,
    read,
    resized_keys,
    topic_of,
    wanted_of,
)
from executor.protocol import ErrorSeen

LOADING = (
    "Error(s) in loading state_dict for Net:"
    '\n\tMissing key(s) in state_dict: "a.weight", "a.bias". '
    '\n\tUnexpected key(s) in state_dict: "b.weight". '
    "\n\tsize mismatch for c.weight: copying a param with shape torch.Size([2, 3]) from "
    "checkpoint, the shape in current model is torch.Size([4, 3])."
)


@pytest.mark.parametrize("message", [LOADING, LOADING.replace("\n\t", " ")])
def test_the_keys_of_a_state_dict_are_listed(message: str):
    """Missing, unexpected and resized ones, also where a paste has lost the line breaks."""
    seen = read(ErrorSeen(type="RuntimeError", message=message), "state_dict")

    assert seen is not None
    assert quoted_names(seen["missing"]) == ["a.weight", "a.bias"]
    assert quoted_names(seen["unexpected"]) == ["b.weight"]
    assert [(k.name, k.saved, k.current) for k in resized_keys(message)] == [
        ("c.weight", "torch.Size([2, 3])", "torch.Size([4, 3])")
    ]


def test_a_resized_key_may_come_without_its_shapes():
    """A message that was cut off still names the weight."""
    assert [(k.name, k.saved) for k in resized_keys("size mismatch for fc.bias: copy")] == [
        ("fc.bias", "")
    ]


def test_missing_names_are_read_in_any_quotation_marks():
    """People write messages with the marks at hand."""
    text = "it says 'Net' object has no attribute `fc`, and object has no attribute 'size'"

    assert missing_names(text) == {"fc", "size"}


def test_forms_of_a_function_are_listed():
    """A message about overloads names the arguments of each form."""
    message = "got (int), but expected one of:\n * (Tensor input)\n * (Tensor input, int dim)\n"

    assert offered_forms(message) == ["Tensor input", "Tensor input, int dim"]


@pytest.mark.parametrize(
    ("type_", "message", "topic"),
    [
        ("RuntimeError", "modified by an inplace operation", "in-place and autograd"),
        ("RuntimeError", "element 0 of tensors does not require grad", "backward without a graph"),
        ("RuntimeError", "all tensors to be on the same device", "device"),
        ("RuntimeError", "The size of tensor a (3) must match", "shapes"),
        ("RuntimeError", "Found dtype Float but expected Double", "dtype"),
        ("IndexError", "tuple", "index out of range"),
        ("ModuleNotFoundError", "No module", "module that is not there"),
        ("NameError", "name", "name that is not defined"),
        ("FileNotFoundError", "x", "file or network"),
        ("AttributeError", "x", "attribute"),
        ("TypeError", "x", "arguments and types"),
        ("SyntaxError", "x", "syntax"),
        ("KeyError", "x", "another error"),
    ],
)
def test_every_error_has_a_topic(type_: str, message: str, topic: str):
    """Also one whose family is not known: the audit's chart counts all of them."""
    assert topic_of(type_, message) == topic


@pytest.mark.parametrize(
    ("message", "is_so"),
    [
        ("mat1 and mat2 must have the same dtype", True),
        ("expected scalar type Float but found Double", True),
        ("\"mean\" not implemented for 'Long'", True),
        ("mat1 and mat2 shapes cannot be multiplied", False),
    ],
)
def test_a_message_about_dtypes_is_known(message: str, is_so: bool):
    """A dtype is looked at before the sizes: that tells which error comes next."""
    assert is_about_dtypes(message) is is_so


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("expected scalar type Long but found Float", ["dtype", "one"]),
        ("'ones' argument must be int, not Tensor", ["number"]),
        ("a Tensor with 3 elements cannot be converted to Scalar", ["one"]),
        ("Expected 2D input, got 3D", ["shape"]),
        ("linear(): argument 'input' must be Tensor, not list", ["tensor"]),
        ("'float' object has no attribute 'backward'", ["tensor"]),
        ("name 'x' is not defined", []),
    ],
)
def test_what_would_have_been_taken(message: str, wanted: list[str]):
    """Of a message whose family may not be known."""
    assert wanted_of(message) == wanted
