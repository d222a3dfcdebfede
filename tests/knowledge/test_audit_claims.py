"""What a document claims about a block, and what only sounds like it."""

from __future__ import annotations

import pytest

from knowledge.audit.claims import claims_of
from knowledge.audit.model import Claim, Kind
from knowledge.audit.text import layout


def claims(code: str, after: str = "", before: str = "") -> list[Claim]:
    """The claims about one block."""
    (block,) = layout(f"{before}\n\n```python\n{code}\n```\n\n{after}\n")
    return claims_of(block)


@pytest.mark.parametrize(
    ("after", "type_", "message"),
    [
        ("This will raise a `RuntimeError`.", "RuntimeError", ""),
        ("Running this code throws an error.", "", ""),
        ("This example results in an IndexError, as the index is too large.", "IndexError", ""),
        (
            "This code fails with `RuntimeError: shape '[2, 4]' is invalid for input of size 6`.",
            "RuntimeError", "shape '[2, 4]' is invalid for input of size 6",
        ),
        ("The initial attempt will fail, since the index is too large.", "", ""),
        ("This line adds `rows` to `columns`, causing a `ValueError`.", "ValueError", ""),
        ("This gives a TypeError, for a list has no shape and does not grow one.", "TypeError", ""),
    ],
)  # fmt: skip
def test_a_sentence_that_says_this_raises_is_a_claim(after: str, type_: str, message: str):
    """With the type and the message that it names."""
    (claim,) = claims("x = 1", after)

    assert (claim.kind, claim.type, claim.message) == (Kind.ERROR, type_, message)
    assert claim.pointed


@pytest.mark.parametrize(
    "after",
    [
        "If the sizes differ, this will raise a RuntimeError.",
        "This might raise a RuntimeError.",
        "This code avoids the error altogether.",
        "This no longer raises an error.",
        "Forgetting this call will result in an error.",
        "Without `retain_graph` this would raise an error.",
        "This code minimizes the mean squared error.",
        "The following code raises an error.",
        "This code shows a common error.",
        "This example shows how robust it is against the error.",
        "This will not work for larger batches.",
    ],
)
def test_what_would_happen_otherwise_is_no_claim(after: str):
    """Hedged, hypothetical, or about another block."""
    assert not [c for c in claims("x = 1", after) if c.kind is Kind.ERROR and c.pointed]


def test_a_comment_is_about_its_own_line_or_the_one_below():
    """And a line that was commented out is not run, whatever is said of it."""
    code = "x = f(1)  # this will fail\n\n# Raises a ValueError\ny = g(x)\n# z = h(y)  # fails"
    found = claims(code)

    assert [(c.line, c.type) for c in found] == [(1, ""), (4, "ValueError")]


def test_printed_text_is_a_claim_beside_and_below_its_print():
    """Over several lines too."""
    code = (
        "print(x.shape)  # Output: torch.Size([2, 3])\n"
        "print(x)\n# Output:\n# tensor([[1, 2],\n#         [3, 4]])"
    )
    found = [c.printed for c in claims(code)]

    assert found == ["torch.Size([2, 3])", "tensor([[1, 2],\n[3, 4]])"]


@pytest.mark.parametrize("said", ["values vary", "e.g. tensor([1])", "tensor([0.1, ...])"])
def test_an_output_that_is_only_an_example_is_no_claim(said: str):
    """It says so itself."""
    assert not claims(f"print(x)  # Output: {said}")


def test_random_numbers_refute_nothing_but_a_shape_does():
    """The numbers are whatever they are; the shape is a promise."""
    code = "x = torch.rand(2)\nprint(x)  # tensor([0.1, 0.2])\nprint(x.shape)  # torch.Size([3])"

    assert [c.pointed for c in claims(code)] == [False, True]


def test_an_incorrect_line_in_a_try_that_prints_its_error_is_said_to_raise():
    """Whoever writes `except … print` beside "incorrect" expects an error there."""
    code = (
        "try:\n    # Incorrect usage\n    f(1)\nexcept Exception as e:\n    print(e)\n\n"
        "# Correct usage: convert first\ng(1)"
    )
    error, runs = sorted(claims(code), key=lambda c: c.kind.value)

    assert (error.kind, error.line, error.end_line) == (Kind.ERROR, 1, 4)
    assert (runs.kind, runs.line, runs.depends) == (Kind.RUNS, 8, True)


def test_prose_between_two_blocks_is_shared_out():
    """What introduces the next block says nothing of the one above."""
    text = (
        "```python\na()\n```\n\nThis raises a TypeError. The corrected version works:\n\n"
        "```python\nb()\n```\n\nThis works without any error.\n"
    )
    first, second = (claims_of(block) for block in layout(text))

    assert [c.kind for c in first] == [Kind.ERROR]
    assert {c.kind for c in second} == {Kind.RUNS}


@pytest.mark.parametrize("number", range(3))
def test_hostile_prose_costs_no_more_than_long_prose(number: int):
    """No pattern goes back and forth over it for ever."""
    evil = ["a " * 40_000, "`" * 20_000 + "raises " * 5_000, "raises an " * 8_000 + "x"][number]

    claims(f"print(1)  # {evil[:20_000]}", evil)


@pytest.mark.parametrize(
    ("comment", "printed"),
    [
        ("Output Shape 1: torch.Size([1, 16])", "torch.Size([1, 16])"),
        ("Output: Total: 24", "24"),
        ("Output: 24", "24"),
        ("Output: cpu", "cpu"),
        ("Output is a score", None),
        ("Output: 2 because there are two", None),
        ("the gradient is now None", "None"),
        ("Shape is [1, 10]", "[1, 10]"),
        ("True, since both are zero", "True"),
        ("Rows: 3", None),
        ("Rows x: 3", "3"),
        ("Output: 2 4 6", "2 4 6"),
        ("Output shape: (None, -1, 32)", "(None, -1, 32)"),
        ("Produces: Rows: [2, 4]", "[2, 4]"),
    ],
)
def test_a_label_before_the_value_is_no_part_of_it(comment: str, printed: str | None):
    """And a number in a sentence is no value."""
    found = [c.printed for c in claims(f"print('Rows x:', x)  # {comment}") if c.pointed]

    assert found == ([printed] if printed else [])


def test_a_name_of_the_block_that_throws_points_at_the_block():
    """Without the words "this code"."""
    after = "However, `flat`, which has one dimension, throws the `ValueError`."
    too = "Here `flat` has one dimension, resulting in a `ValueError`."

    assert [c.pointed for c in claims("flat = make()\nlayer(flat)", after)] == [True]
    assert [c.pointed for c in claims("flat = make()\nlayer(flat)", too)] == [True]
    assert [c.pointed for c in claims("x = 1", after)] == [False]


def test_an_error_that_the_block_catches_by_name_is_about_the_block():
    """Whatever else the sentence speaks of."""
    code = "try:\n    layer(x)\nexcept TypeError as e:\n    print(e)"
    after = "Direct use of bytes throws a `TypeError`."

    assert [c.pointed for c in claims(code, after)] == [True]
    assert [c.pointed for c in claims("layer(x)", after)] == [False]


def test_what_is_said_of_a_line_that_was_commented_out_is_no_claim():
    """It does not run."""
    assert not claims("x = 1\n# This will raise an error\n# y = bad(x)\nz = 2")


@pytest.mark.parametrize(
    ("comment", "pointed"),
    [
        ("Size mismatch occurs here", True),
        ("Shape error, since two rows are too few", True),
        ("this will fail, as the layer does not take rows", True),
        ("Raises a RuntimeError: cannot view it without a copy", True),
        ("this will likely throw an error", False),
        ("Shape mismatch", False),
        ("Error - two rows are too few", False),
        ("ERROR! Two rows are too few", True),
        ("KeyError: 'rows' if there are none", None),
        ("the error handling is above", None),
    ],
)
def test_a_comment_may_tell_of_an_error_in_many_words(comment: str, pointed: bool | None):
    """One that only hints at it can be borne out, not refuted."""
    found = [c.pointed for c in claims(f"y = layer(x)  # {comment}") if c.kind is Kind.ERROR]

    assert found == ([] if pointed is None else [pointed])


def test_what_a_handler_is_said_to_print_is_about_what_was_tried():
    """The comment stands in the handler, the error comes above it."""
    code = "try:\n    y = layer(x)\nexcept ValueError as e:\n    print(e)  # this prints an error"
    (claim,) = [c for c in claims(code) if c.kind is Kind.ERROR]

    assert (claim.line, claim.end_line) == (1, 4)


def test_an_output_that_stands_above_its_print_is_read():
    """Below another print it belongs to that one."""
    assert [c.line for c in claims("# Output: tensor([2, 4])\nprint(x)")] == [2]
    assert [c.line for c in claims("print(y)\n# Output: tensor([2, 4])\nprint(x)")] == [1]


def test_an_output_with_a_blank_line_in_it_is_read_to_its_end():
    """So are tensors of three dimensions printed."""
    code = "print(x)\n# Output: tensor([[[0, 1],\n#   [2, 3]],\n\n#  [[4, 5],\n#   [6, 7]]])"
    (claim,) = claims(code)

    assert claim.printed.endswith("[6, 7]]])")
    assert claim.pointed


@pytest.mark.parametrize("printed", ["None", "True", "Error: no rows"])
def test_random_numbers_leave_words_as_they_are(printed: str):
    """What holds no number is as sure as without them."""
    code = f"print('Error:', torch.rand(2).grad)  # Output: {printed}"

    assert [c.pointed for c in claims(code)] == [True]


@pytest.mark.parametrize(
    ("after", "printed", "pointed"),
    [
        ("Therefore `x.grad` is `None`.", "None", True),
        ("Therefore `y.grad` is `None`.", None, False),
        ("The output will be a 1D tensor with the elements [3, 5, 8].", "[3, 5, 8]", False),
        ("The loss soon becomes NaN.", "nan", False),
        ("The exponentials grow too large, resulting in `inf`.", "inf", True),
        ("Clamping prevents exponentials from resulting in `inf`.", None, False),
        ("The result is scaled to the range [0, 1].", None, False),
    ],
)
def test_a_value_in_a_sentence_can_be_printed(after: str, printed: str | None, pointed: bool):
    """Only of an expression that the block prints is it sure."""
    found = [(c.printed, c.pointed) for c in claims("print(x.grad)", after) if c.printed]

    assert found == ([(printed, pointed)] if printed else [])


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("y = f(x)  # (2, 3)", (2, 3)),
        ("y = f(x)  # output shape: [2, 3]", (2, 3)),
        ("batch = 4\ny = f(x)  # y has shape (batch, 2 * batch)", (4, 8)),
        ("batch, rows = 4, 5\ny = f(x)\n# y.shape: (batch, rows)", (4, 5)),
        ("rows = 5\ny, (h, c) = f(x)\n# y shape: (rows, 2)", (5, 2)),
        ("y = f(x)  # shape: (batch, 3)", None),
        ("y = f(x)  # kernel shape (2, 3)", None),
        ("y = f(x)  # the input shape is (2, 3)", None),
    ],
)
def test_a_shape_may_be_written_with_the_constants_of_the_block(
    code: str, shape: tuple[int, ...] | None
):
    """Of another tensor than the one on its line it says nothing."""
    assert [c.shape for c in claims(code)] == ([shape] if shape else [])


@pytest.mark.parametrize(
    ("after", "claim"),
    [
        ("In this example `rows` is a 2x3 tensor.", (Kind.SHAPE, "rows", (2, 3), None, False)),
        ("Here, `rows` is a 2D tensor.", (Kind.DIMENSIONS, "rows", None, 2, True)),
        ("`rows` has dimensions `(2, 3)`.", (Kind.SHAPE, "rows", (2, 3), None, False)),
        ("`rows` will also have two dimensions.", (Kind.DIMENSIONS, "rows", None, 2, True)),
        ("Each batch has a shape `[16]`.", (Kind.SHAPE, "", (16,), None, False)),
        ("This produces an output of shape (4, 3).", (Kind.SHAPE, "", (4, 3), None, False)),
    ],
)
def test_prose_tells_shapes_too(after: str, claim: tuple[object, ...]):
    """Of a name, of the result, or only how many dimensions it has."""
    found = [
        (c.kind, c.name, c.shape, c.dimensions, c.pointed)
        for c in claims("rows = f(x)", after)
        if c.kind is not Kind.PRINTS
    ]

    assert found == [claim]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("This version does not raise an error.", True),
        ("This corrected code resolves the size mismatch.", True),
        ("This example shows the proper usage of a loader.", True),
        ("This code successfully moves the rows.", True),
        ("This code correctly computes the loss.", True),
        ("In this example we will not encounter the error.", True),
        ("As no model is loaded, no error is raised.", True),
        ("The assertion confirms that both are equal.", True),
        ("This example shows the incorrect usage of a loader.", False),
        ("This code prevents errors.", False),
        ("This code does not train.", False),
    ],
)
def test_what_does_not_fail_is_said_to_work(after: str, said: bool):
    """If it is the error at hand, and not errors in general."""
    assert [c.kind for c in claims("y = f(x)\nassert y == x", after)] == (
        [Kind.RUNS] if said else []
    )


def test_a_line_that_is_never_reached_says_that_the_try_above_it_raises():
    """Without a `try` it would be about the end of the program."""
    code = (
        "try:\n    layer(x)\n    print('done')  # This line should not execute\n"
        "except ValueError:\n    pass"
    )
    (claim,) = claims(code)

    assert (claim.kind, claim.line, claim.end_line, claim.pointed) == (Kind.ERROR, 1, 3, True)
    assert not claims("layer(x)\nprint('done')  # This is not reached")
    handler = "try:\n    layer(x)\nexcept ValueError:\n    print(x)  # This is not reached"
    assert not claims(handler)


def test_an_output_of_many_prints_is_read_label_by_label():
    """Up to the first line that no print writes."""
    code = (
        "print('Rows:', x.shape)\nprint('Sum:', x.sum())\n"
        "# Output:\n# Rows: torch.Size([2])\n# Sum: 7\n# As was to be shown: 8"
    )

    assert [c.printed for c in claims(code) if c.pointed] == ["torch.Size([2])", "7"]
