"""What a document claims about a block, and what only sounds like it."""

from __future__ import annotations

import pytest

from knowledge.audit.claims import claims_of
from knowledge.audit.judge import verdict
from knowledge.audit.model import Claim, Kind, Seen, Verdict
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


@pytest.mark.parametrize("number", range(5))
def test_hostile_prose_costs_no_more_than_long_prose(number: int):
    """No pattern goes back and forth over it for ever."""
    evil = ["a " * 40_000, "`" * 20_000 + "raises " * 5_000, "raises an " * 8_000 + "x"]
    evil += ["about " + "1 and " * 6_000 + "1" * 9_000, "shape of x is (" + "a, " * 12_000]

    claims(f"print(1)  # {evil[number][:20_000]}", evil[number])


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
        ("Output: torch.Size([2, 4]) because rows come first", "torch.Size([2, 4])"),
        ("Output: array([2, 4])", "array([2, 4])"),
        ("Torch.Size([2, 4])", "Torch.Size([2, 4])"),
        ("No leaf, its gradient is None", "None"),
        ("This will print true", "true"),
        ("True (or similar)", None),
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
        ("rows = 5\ny = g(x, rows, keep=True)  # (rows, 2)", (5, 2)),
        ("sizes = [4, 8]\ny = f(x)  # (sizes[0], sizes[-1] // 2)", (4, 4)),
        ("def g(y):\n    y = y + 1\n    return y\ny = f(x)  # (2, 3)", (2, 3)),
        ("y = stack([\n    a, b,\n    c])  # (3, 7)", (3, 7)),
        ("y = stack([\n    a,  # (2, 3)\n    c])", None),
        ("y = f(x)\ny = g(y)\n# Now y has shape (2, 3) for the layer", (2, 3)),
        ("y = f(x)\n# y has a common shape (e.g., 2, 3) for a layer.", (2, 3)),
        ("y = f(x)\n# y shape: (2, 3)\ny = g(y)", None),
        ("for x in loader:\n    y = f(x)\n    y = g(y)\n    # y shape: (2, 3)", None),
        ("rows = 4\n# It will have the shape (rows, columns)\ny = f(x)\nprint(y.shape)", None),
        ("rows = 4\ny = f(x)\n# It will have the shape (rows, columns)\nprint(y.shape)", (4, -1)),
        ("y = f(x)  # shape: (batch, 3, 4)", None),
        ("y = f(x)  # shape: (batch, 3)", None),
        ("y = f(x)  # kernel shape (2, 3)", None),
        ("rows = 2\ny = f(x)\n# y: (rows, 3)", (2, 3)),
        ("rows = 2\ny = f(x)\n# z: (rows, 3)", None),
        ("y = f(x)  # Add a channel, shape (1, 2, 3)", (1, 2, 3)),
        ("y = f(x)  # Add a channel, (1, 2, 3)", None),
        ("y = f(x)  # Of the original, shape (1, 2, 3)", None),
        ("y = f(x)  # All of it: 2x3", (2, 3)),
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
        ("`rows` has dimensions `(2, 3)`.", (Kind.SHAPE, "rows", (2, 3), None, True)),
        ("`rows` will also have two dimensions.", (Kind.DIMENSIONS, "rows", None, 2, True)),
        ("Each batch has a shape `[16]`.", (Kind.SHAPE, "", (16,), None, False)),
        ("This produces an output of shape (4, 3).", (Kind.SHAPE, "", (4, 3), None, False)),
        (
            "The shape of the last `rows` here is `(n, 3)`.",
            (Kind.SHAPE, "rows", (6, 3), None, False),
        ),
        (
            "The resulting `rows` has dimensions `(n, m)`.",
            (Kind.SHAPE, "rows", (6, -1), None, False),
        ),
        ("Both `rows` tensors are 2x3.", (Kind.SHAPE, "rows", (2, 3), None, False)),
        ("The result is brought back to `(n, n // 2)`.", (Kind.SHAPE, "", (6, 3), None, False)),
        ("Here we make a 1x2x3 sparse tensor.", (Kind.SHAPE, "", (1, 2, 3), None, False)),
        ("The `rows` variable is a scalar tensor.", (Kind.DIMENSIONS, "rows", None, 0, True)),
        ("It turns the list into a 2D tensor.", (Kind.DIMENSIONS, "", None, 2, False)),
        ("The `rows` are now `rows`, shaped (2, 3).", None),
        ("Now `rows` is shaped `(2, 3)`.", (Kind.SHAPE, "rows", (2, 3), None, True)),
        ("This makes a list into a (2, 3) tensor.", (Kind.SHAPE, "", (2, 3), None, False)),
        ("It is reshaped from (6, 1) to (2, 3).", (Kind.SHAPE, "", (2, 3), None, False)),
        ("The result is a 6x4 score matrix.", (Kind.SHAPE, "result", (6, 4), None, False)),
        ("Here we slide a 3x3 kernel over each image tensor.", None),
        ("The result has the shape (n, m).", None),
    ],
)
def test_prose_tells_shapes_too(after: str, claim: tuple[object, ...] | None):
    """Of a name, of the result, or only how many dimensions it has."""
    found = [
        (c.kind, c.name, c.shape, c.dimensions, c.pointed)
        for c in claims("n = 6\nrows = f(x)", after)
        if c.kind not in (Kind.PRINTS, Kind.EFFECT)
    ]

    assert found == ([claim] if claim else [])


def test_the_introduction_may_tell_a_shape():
    """The last sentences of it; what was said long before is of something else."""
    before = "Here `rows` has the shape (2, 3). " + "And so on. " * 3
    near = "And so on. Here `rows` has the shape (2, 3). We look at it."

    assert not claims("rows = f(x)", before=before)
    assert [c.shape for c in claims("rows = f(x)", before=near)] == [(2, 3)]


def test_a_shape_told_in_a_loop_may_be_that_of_an_earlier_turn():
    """The last batch may be smaller."""
    code = "for x in loader:\n    y = f(x)  # (2, 3)"

    assert [c.pointed for c in claims(code)] == [False]


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
    found = claims("y = f(x)\nassert y == x", after)

    assert [c.kind for c in found if c.line is None] == ([Kind.RUNS] if said else [])


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


TRIED = "try:\n    y = f(x)\n    print(y)\nexcept {}:\n    print('failed:', e)"


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("# Incorrect: the sizes differ\n" + TRIED.format("ValueError as e"), ""),
        ("# An example with wrong sizes\n" + TRIED.format("Exception as e"), ""),
        (TRIED.format("ValueError as e"), "`f` throws a ValueError here."),
        (TRIED.format("ValueError as e"), "This will likely raise an error."),
    ],
)
def test_what_is_tried_and_called_wrong_is_said_to_raise(code: str, after: str):
    """The block itself tells what comes of it."""
    found = [c for c in claims(code, after) if c.kind is Kind.ERROR and c.pointed]

    assert found


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("# Handle a failure of the disk\n" + TRIED.format("OSError as e"), ""),
        ("# Incorrect setting of the path\n" + TRIED.format("ImportError as e"), ""),
        ("# This may fail\n" + TRIED.format("ValueError as e"), ""),
        (TRIED.format("ValueError as e"), "If the sizes differ, `f` throws a ValueError."),
        ("# Incorrect: x\ntry:\n    # y = f(x)\n    pass\nexcept E as e:\n    print(e)", ""),
    ],
)
def test_what_a_block_only_provides_for_is_not_said_to_raise(code: str, after: str):
    """What is missing, what may fail, and what was taken out."""
    assert not [c for c in claims(code, after) if c.kind is Kind.ERROR and c.pointed]


@pytest.mark.parametrize(
    "after",
    [
        "This raises an error because a list cannot be added to a number.",
        "This call fails, since it is expecting two dimensions.",
    ],
)
def test_the_reason_of_an_error_does_not_hedge_it(after: str):
    """`cannot` and `expecting` say why, not whether."""
    (claim,) = [c for c in claims("x = f(1)", after) if c.kind is Kind.ERROR]

    assert claim.pointed


@pytest.mark.parametrize(
    "after",
    [
        "This demonstrates a valid use of views.",
        "The gradients flow correctly through the clone.",
        "The forward pass proceeds smoothly.",
        "It allows for training without error.",
        "This method, while functional, is slow.",
    ],
)
def test_what_is_done_well_is_said_to_work(after: str):
    """Whatever is praised, as long as it is of this block."""
    assert Kind.RUNS in {c.kind for c in claims("x = f(1)", after)}


@pytest.mark.parametrize(
    "after",
    [
        "It is important to shape the indices correctly.",
        "You should handle the last batch properly.",
        "The documentation shows the proper usage.",
        "This does not work properly.",
        "Ensure that the packages are installed correctly.",
        "The following example shows the proper usage.",
    ],
)
def test_advice_and_praise_of_something_else_say_nothing_of_the_block(after: str):
    """They would be so whatever it does."""
    assert Kind.RUNS not in {c.kind for c in claims("x = f(1)", after)}


@pytest.mark.parametrize("before", ["**Example 2: Correct Initialization**", "**The fixed call:**"])
def test_a_title_that_calls_a_block_correct_says_that_it_works(before: str):
    """It introduces nothing else."""
    assert [c.kind for c in claims("x = f(1)", before=before)] == [Kind.RUNS]


def test_what_is_said_to_come_of_a_block_is_a_claim_unless_errors_are_spoken_of():
    """A document that tells of errors knows that it fails."""
    after = "The output is a tensor that holds one row for each of the users."

    assert Kind.EFFECT in {c.kind for c in claims("f(x)", after)}
    assert Kind.EFFECT not in {c.kind for c in claims("f(x)", f"{after} This is wrong.")}
    assert Kind.EFFECT in {c.kind for c in claims("f(x)", f"{after} If x is empty, it fails.")}


@pytest.mark.parametrize(
    ("after", "kinds"),
    [
        ("The output shows that each batch has one class.", {Kind.OUTPUT}),
        ("We can see that the values move.", {Kind.OUTPUT}),
        ("The output will vary from run to run.", set()),
        ("Note that a list would do as well.", set()),
    ],
)
def test_what_the_output_is_said_to_show(after: str, kinds: set[Kind]):
    """Not what differs from run to run, nor what is only to be noted."""
    assert {c.kind for c in claims("print(f(x))", after)} - {Kind.EFFECT} == kinds


def test_a_document_that_says_no_exception_comes_means_something_else_by_incorrect():
    """A label alone is then no claim about an error."""
    code = "# Type mismatch\nx = f(1)"

    assert [c.kind for c in claims(code)] == [Kind.ERROR]
    assert not claims(code, "No exception is raised there, yet the sum is off.")


@pytest.mark.parametrize(
    ("code", "printed", "pointed"),
    [
        ("x = torch.rand(3)\nprint(len(x))  # Output: 2", "2", True),
        ("x = torch.rand(3)\nprint('Rows:', x.shape[0])  # Output: 2", "2", True),
        ("x = torch.rand(3)\nprint(len(x[x > 0]))  # Output: 2", "2", False),
        ("x = torch.rand(3).nonzero()\nprint(len(x))  # Output: 2", "2", False),
        ("x = torch.rand(2)\nprint(x.grad)  # tensor([0., 0.])", "tensor([0., 0.])", True),
        ("x = torch.rand(2)\nprint(x.relu())  # tensor([0., 0.])", "tensor([0., 0.])", False),
        ("x = torch.rand(2)\nprint(x)  # tensor([0.0, 0.5])", "tensor([0.0, 0.5])", False),
    ],
)
def test_what_is_counted_or_all_zero_is_not_drawn(code: str, printed: str, pointed: bool):
    """Other random numbers would leave it as it is; what they choose among is another matter."""
    assert [(c.printed, c.pointed) for c in claims(code)] == [(printed, pointed)]


def test_an_array_goes_on_in_comments_below_its_print():
    """Until its brackets are closed."""
    code = "print(x)  # Output: array([[1, 2],\n         #        [3, 4]])\n         # so be it"

    assert [c.printed for c in claims(code)] == ["array([[1, 2],\n[3, 4]])"]


@pytest.mark.parametrize(
    ("printing", "comment", "said"),
    [
        ("x.mean()", "about 2", ("2", "rough", True)),
        ("x.mean()", "Output will be roughly tensor(0.1234)", ("tensor(0.1234)", "rough", True)),
        ("x.mean(), x.std()", "should be close to 3 and 0.5", ("3 and 0.5", "rough", True)),
        ("x.grad", "x.grad is not None", ("None", "absent", True)),
        ("x.grad", "Output: the gradients", ("tensor", "look", False)),
        ("x.grad", "A leaf: its gradient exists", ("None", "absent", True)),
        ("x.loss", "Output: A scalar tensor that holds the loss", ("tensor", "look", False)),
        ("x.grad", "Output: no gradients", None),
        ("x.grad", "Check the gradients", None),
        ("x.device", "still on the CPU", ("cpu", "look", True)),
        ("x.device", "now on the GPU", ("cuda", "look", False)),
        ("x.sum()", "computed on the CPU", None),
        ("type(x)", "it is now a numpy array", ("array", "look", True)),
        ("type(x.item())", "is a standard Python number", ("number", "look", True)),
        ("type(x)", "Print the type of the tensor", None),
        ("x.device", "may be on the CPU", None),
    ],
)
def test_a_printed_value_may_be_told_in_words(
    printing: str, comment: str, said: tuple[str, str, bool] | None
):
    """As far as its print shows it."""
    found = [
        (c.printed or c.look, "rough" if c.rough else "absent" if c.absent else "look", c.pointed)
        for c in claims(f"print({printing})  # {comment}")
        if c.rough or c.absent or c.look
    ]

    assert found == ([said] if said else [])


def test_a_comment_of_its_own_that_says_what_is_done_tells_no_value():
    """Only one that says how it is then."""
    done, then = "# Sum it up on the CPU\nprint(x.device)", "# Now on the CPU\nprint(x.device)"

    assert [[c.look for c in claims(code) if c.look] for code in (done, then)] == [[], ["cpu"]]


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("print('x:\\n', x)\nprint(y)  # Output: 1", (2, 3, 3)),
        ("print()\nprint(f'{x}\\n')\nprint(y)  # Output: 1\nprint(z)", (1, 2, 3)),
        ("def f():\n    print(x)\nif a:\n    print(x)\nprint(y)  # Output: 1", (0, 1, 1)),
        ("try:\n    print(x)\nexcept E:\n    pass\nprint(y)  # Output: 1", (1, 2, 2)),
        ("print(*x)\nprint(y)  # Output: 1", None),
        ("if a: print(x)\nprint(y)  # Output: 1", None),
        ("for x in a:\n    print(y)  # Output: 1", None),
        ("print(x)\n# Output: 1", None),
    ],
)
def test_a_print_has_its_place_in_the_output(code: str, place: tuple[int, int, int] | None):
    """Where all that is written before it can be counted."""
    assert [c.place for c in claims(code)] == [place]


@pytest.mark.parametrize(
    ("printing", "after", "said"),
    [
        ("x.device", "The result still remains on the CPU.", "cpu"),
        ("x.device", "Both are now on the GPU.", "cuda"),
        ("x.sum()", "The result remains on the CPU.", None),
        ("x.device", "All of them are placed on the same device.", "one device"),
        ("x.device", "The result is moved to the CPU.", None),
        ("x", "The result is also a complex tensor.", "complex"),
        ("x", "The result is complex to explain.", None),
        ("x > 0", "This returns a boolean mask.", "boolean"),
        ("x > 0", "We use boolean indexing here.", None),
        ("type(x)", "The first returns an `ndarray`.", "array"),
        ("x", "The first returns an `ndarray`.", None),
        ("x.grad_fn", "So it has a `grad_fn`.", "graph"),
        ("x.grad", "Here all gradients remain None.", "None"),
        ("x.grad", "If it is a leaf, its gradients remain None.", None),
    ],
)
def test_a_sentence_may_tell_the_look_of_a_value(printing: str, after: str, said: str | None):
    """A run that prints it bears that out; what none of its prints could show is no claim."""
    found = [c for c in claims(f"print({printing})", after) if c.kind is Kind.PRINTS]

    assert [(c.look or c.printed, c.pointed) for c in found] == ([(said, False)] if said else [])


def test_an_expression_that_is_printed_twice_may_have_changed_between():
    """Then it is not known which of the two a sentence means."""
    after = "Now `x.grad` is not `None`."
    once, twice = claims("print(x.grad)", after), claims("print(x.grad)\nprint(x.grad)", after)

    assert [(c.absent, c.place, c.pointed) for c in once] == [(True, (0, 1, 1), True)]
    assert [(c.absent, c.place, c.pointed) for c in twice] == [(True, None, False)]


def test_a_value_or_one_like_it_can_be_borne_out():
    """It says itself that it may be another."""
    found = claims("print(x.device)  # Output: cpu (or similar)")

    assert [(c.printed, c.pointed) for c in found] == [("cpu", False)]


@pytest.mark.parametrize(
    ("printing", "comment", "said"),
    [
        ("x.shape", "Rows and columns, in this shape: (2, 3)", None),
        ("x.shape", "Its final shape: (2, 3)", ("(2, 3)", True)),
        ("'Size:', x[0].size()", "The shape of one is (2, 3)", ("(2, 3)", True)),
        ("x.shape", "The wrong shape (2, 3)", None),
        ("x", "Its final shape: (2, 3)", None),
        ("x.shape, y.shape", "Its final shape: (2, 3)", None),
    ],
)
def test_a_shape_beside_its_print_is_what_that_prints(
    printing: str, comment: str, said: tuple[str, bool] | None
):
    """Whatever the comment calls it, unless it is another's."""
    found = {(c.printed, c.pointed) for c in claims(f"print({printing})  # {comment}")}

    assert found == ({said} if said else set())


def test_a_print_behind_a_condition_for_a_gpu_is_told_apart():
    """The other branch runs everywhere."""
    code = (
        "if torch.cuda.is_available():\n    print(x)  # Output: [1, 2]\n"
        "else:\n    print(y)  # [3, 4]"
    )

    assert [c.on_gpu for c in claims(code)] == [True, False]


def test_a_handler_that_should_not_print_says_that_what_is_tried_works():
    """`print(e)` below an `except`."""
    (claim,) = claims(TRIED.format("ValueError as e") + "  # this should not print")

    assert (claim.kind, claim.line, claim.end_line) == (Kind.RUNS, 1, 5)


def test_what_would_happen_to_another_input_is_not_said_of_what_is_tried():
    """The block tries something that is right."""
    after = "Replacing `x` with an invalid name would result in an error."

    assert not [c for c in claims(TRIED.format("Exception as e"), after) if c.pointed]


def test_an_assertion_of_a_block_is_a_claim_about_its_line():
    """A program says so of itself."""
    found = claims("y = f(x)\nassert y == x\ntorch.testing.assert_close(x, y)")

    assert [(c.kind, c.line) for c in found] == [(Kind.RUNS, 2), (Kind.RUNS, 3)]


def test_an_output_below_its_label_is_held_by_its_value_and_not_by_the_label():
    """The first line of such a comment is printed whatever comes below it."""
    code = "print(f'rows:\\n{x}')\n# Output: rows:\n# tensor([[1, 4],\n#         [1, 2]])"
    (claim,) = claims(code)
    seen = Seen(outcome="ok", stdout="rows:\ntensor([[1, 4],\n        [2, 2]])\n")

    assert verdict([claim], seen)[0] is Verdict.REFUTED


def test_an_error_that_may_be_another_has_no_type():
    """Whatever is raised there bears it out."""
    (claim,) = claims("f(x)  # will likely lead to an IndexError or other errors")

    assert (claim.kind, claim.type, claim.pointed) == (Kind.ERROR, "", False)
