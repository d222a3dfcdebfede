"""Facts about knowledge/signature.py."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.signature import find_signatures, generalise, matches, mentions, signature

NUMBERS = st.integers(min_value=0, max_value=10**12)


def test_other_sizes_same_signature():
    """The numbers in a shape error do not change which article answers it."""
    small = signature("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")
    large = signature("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (64x784 and 9x10)")

    assert small == large


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("expected scalar type Long but found Float", "expected scalar type Half but found Double"),
        ("No module named 'torchvision'", "No module named 'sklearn'"),
        ("Expected all tensors on cuda:0 and cpu", "Expected all tensors on cuda:1 and cpu"),
        ("shape '[2, 3]' is invalid for input of size 7",
         "shape '[4]' is invalid for input of size 9"),
        ("object at 0x7f3a10 is not ready", "object at 0xdeadbeef is not ready"),
        ("Parent directory /home/ann/1 does not exist.", "Parent directory /tmp/x does not exist."),
        ("Tried to allocate 20.00 MiB", "Tried to allocate 1.95 GiB"),
        ("Net.forward() takes 1 positional argument but 2 were given",
         "Encoder.forward() takes 2 positional arguments but 3 were given"),
        ("Error(s) in loading state_dict for Net", "Error(s) in loading state_dict for ResNet"),
        ("got torch.Size([3]), not torch.Size([])", "got torch.Size([8, 1]), not torch.Size([2])"),
        ("modified by an inplace operation: [torch.FloatTensor [3]], which is output 0 of Exp",
         "modified by an inplace operation: [torch.cuda.HalfTensor [4, 4]], which is output 1 of "
         "SigmoidBackward0"),
        ("version 0 instead. Hint: enable anomaly detection", "version 3 instead. Hint: good luck"),
    ],
)  # fmt: skip
def test_particulars_do_not_count(one: str, other: str):
    """Names, dtypes, devices, addresses, paths, sizes and hints differ; the error is the same."""
    assert signature("E", one) == signature("E", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mat1 and mat2 shapes cannot be multiplied", "mat1 and mat2 must have the same dtype"),
        ("a leaf Variable that requires grad", "a view of a leaf Variable that requires grad"),
        ("relu_(): argument 'input' must be Tensor", "linear(): argument 'input' must be Tensor"),
        ("can't optimize a non-leaf Tensor", "optimizer got an empty parameter list"),
    ],
)  # fmt: skip
def test_other_errors_other_signatures(one: str, other: str):
    """What an error is about stays in its signature."""
    assert signature("E", one) != signature("E", other)


def test_type_counts_but_not_its_module():
    """An error raised as torch.OutOfMemoryError is the one that people call OutOfMemoryError."""
    assert signature("torch.OutOfMemoryError", "x y") == signature("OutOfMemoryError", "x y")
    assert signature("ValueError", "x y") != signature("TypeError", "x y")


def test_the_beginning_of_a_message_is_enough():
    """An article may promise a message in part, and leave out the middle."""
    real = signature(
        "RuntimeError", "the size of a (3) must match the size of b (4) at dimension 1"
    )

    assert matches(signature("RuntimeError", "the size of a (9) must match"), real)
    assert matches(signature("RuntimeError", "the size of a ... at dimension"), real)
    assert not matches(signature("RuntimeError", "the size of a (9) mus"), real)
    assert not matches(signature("RuntimeError", "size of a"), real)
    assert not matches(signature("ValueError", "the size of a"), real)
    assert not matches("...", real)


def test_messages_are_found_in_prose():
    """A message counts as quoted after its type, in backticks and in quotation marks."""
    text = (
        "I get RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)\n"
        "and sometimes `element 0 of tensors does not require grad`, even 'unknown parameter type'."
    )

    assert find_signatures(text) == [
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (<n> and <n>)",
        "element <n> of tensors does not require grad",
        "unknown parameter type",
    ]


def test_names_in_backticks_are_no_messages():
    """`torch.relu_()` is a name: quoting it claims no error."""
    assert find_signatures("why does `torch.relu_()` not like my 'x'? it's ann's and bob's") == []


def test_a_message_without_quotes_is_recognised():
    """People write "I get can't optimize a non-leaf Tensor when …" without any marks."""
    pattern = signature("ValueError", "can't optimize a non-leaf Tensor")

    assert mentions(generalise("I get can't optimize a non-leaf tensor when I use Adam"), pattern)
    assert not mentions(generalise("how do I optimize a non-leaf tensor"), pattern)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_has_a_signature(type_: str, message: str):
    """No message, however odd, makes us fail."""
    signature(type_, message)
    find_signatures(message)
    matches(type_, message)
    mentions(generalise(message), type_)


MESSAGES = st.lists(
    st.sampled_from(
        ["'", '"', "`", "[", "]", "(", ")", "0x1f", "12", "3x4", "torch.Size(", "cuda:0", "cpu",
         "/a/b", "Long", "torch.float32", "torch.FloatTensor", "output 0 of Exp", "Foo.bar()",
         "<n>", "<q>", "x", " ", ", ", ": ", "...", "Error", "Hint: ", "\n", "http://a/b",
         "1.5 GiB", "-1e5", "AddBackward0"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(MESSAGES | st.text(max_size=200))
def test_a_signature_is_its_own_signature(message: str):
    """Taking the particulars out a second time changes nothing."""
    once = signature("RuntimeError", message)

    assert signature(None, once) == once


@given(st.lists(NUMBERS, min_size=4, max_size=4), st.lists(NUMBERS, min_size=4, max_size=4))
def test_numbers_never_matter(some: list[int], others: list[int]):
    """Whatever the sizes, a shape error stays the same error."""
    template = "The size of tensor a ({}) must match tensor b ({}) at dimension {}, got [{}, 2]"

    assert signature("E", template.format(*some)) == signature("E", template.format(*others))


@pytest.mark.parametrize(
    "unit",
    [
        "'",
        '"',
        "`",
        "(",
        "[",
        "[ ",
        "1",
        "1,",
        "1x",
        "/a",
        "a.",
        "E",
        "Error:",
        " ",
        "'a ",
        "<n>, ",
    ],
)
def test_hostile_messages_cost_no_time(unit: str):
    """A message made to be slow is read about as fast as any of its length."""

    def seconds(text: str) -> float:
        start = time.perf_counter()
        signature("E", text)
        find_signatures(text)
        generalise(text)
        return time.perf_counter() - start

    plain = "word " * (20_000 // 5)
    usual = max(seconds(plain), 0.02)
    hostile = (unit * 20_000)[:20_000]

    assert min(seconds(hostile), seconds(hostile)) < 100 * usual


def test_every_placeholder_is_in_brackets():
    """A signature is readable: what was taken out is named."""
    key = signature("E", "a 3 'b' torch.float32 cuda:0 /a/b/c http://x.org AddBackward0")

    assert re.findall(r"<\w+>", key) == [
        "<n>",
        "<q>",
        "<type>",
        "<device>",
        "<path>",
        "<url>",
        "<op>",
    ]
