"""What a document says of errors, of what works and what comes of it, and what only sounds so."""

from __future__ import annotations

import pytest

from knowledge.audit.claims import claims_of
from knowledge.audit.model import ClaimKind
from knowledge.audit.text import layout
from tests.knowledge.audit.audited import claims


@pytest.mark.parametrize(
    ("after", "type_", "message"),
    [
        ("This will raise a `RuntimeError`.", "RuntimeError", ""),
        ("Running this code throws an error.", "", ""),
        ("This example results in an IndexError, as the index is too large.", "IndexError", ""),
        (
            "This code fails with `RuntimeError: shape '[2, 4]' is invalid for input of size 6`.",
            "RuntimeError",
            "shape '[2, 4]' is invalid for input of size 6",
        ),
        ("The initial attempt will fail, since the index is too large.", "", ""),
        ("This line adds `rows` to `columns`, causing a `ValueError`.", "ValueError", ""),
        ("This gives a TypeError, for a list has no shape and does not grow one.", "TypeError", ""),
    ],
)
def test_a_sentence_that_says_this_raises_is_a_claim(after: str, type_: str, message: str):
    """With the type and the message that it names."""
    (claim,) = claims("x = 1", after)

    assert (claim.kind, claim.type, claim.message) == (ClaimKind.ERROR, type_, message)
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
    assert not [c for c in claims("x = 1", after) if c.kind is ClaimKind.ERROR and c.pointed]


def test_a_comment_is_about_its_own_line_or_the_one_below():
    """And a line that was commented out is not run, whatever is said of it."""
    code = "x = f(1)  # this will fail\n\n# Raises a ValueError\ny = g(x)\n# z = h(y)  # fails"
    found = claims(code)

    assert [(c.line, c.type) for c in found] == [(1, ""), (4, "ValueError")]


def test_an_incorrect_line_in_a_try_that_prints_its_error_is_said_to_raise():
    """Whoever writes `except … print` beside "incorrect" expects an error there."""
    code = (
        "try:\n    # Incorrect usage\n    f(1)\nexcept Exception as e:\n    print(e)\n\n"
        "# Correct usage: convert first\ng(1)"
    )
    error, runs = sorted(claims(code), key=lambda c: c.kind.value)

    assert (error.kind, error.line, error.end_line) == (ClaimKind.ERROR, 1, 4)
    assert (runs.kind, runs.line, runs.depends) == (ClaimKind.RUNS, 8, True)


def test_prose_between_two_blocks_is_shared_out():
    """What introduces the next block says nothing of the one above."""
    text = (
        "```python\na()\n```\n\nThis raises a TypeError. The corrected version works:\n\n"
        "```python\nb()\n```\n\nThis works without any error.\n"
    )
    first, second = (claims_of(block) for block in layout(text))

    assert [c.kind for c in first] == [ClaimKind.ERROR]
    assert {c.kind for c in second} == {ClaimKind.RUNS}


@pytest.mark.parametrize("number", range(5))
def test_hostile_prose_costs_no_more_than_long_prose(number: int):
    """No pattern goes back and forth over it for ever."""
    evil = ["a " * 40_000, "`" * 20_000 + "raises " * 5_000, "raises an " * 8_000 + "x"]
    evil += ["about " + "1 and " * 6_000 + "1" * 9_000, "shape of x is (" + "a, " * 12_000]

    claims(f"print(1)  # {evil[number][:20_000]}", evil[number])


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
    found = [c.pointed for c in claims(f"y = layer(x)  # {comment}") if c.kind is ClaimKind.ERROR]

    assert found == ([] if pointed is None else [pointed])


def test_what_a_handler_is_said_to_print_is_about_what_was_tried():
    """The comment stands in the handler, the error comes above it."""
    code = "try:\n    y = layer(x)\nexcept ValueError as e:\n    print(e)  # this prints an error"
    (claim,) = [c for c in claims(code) if c.kind is ClaimKind.ERROR]

    assert (claim.line, claim.end_line) == (1, 4)


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

    assert [c.kind for c in found if c.line is None] == ([ClaimKind.RUNS] if said else [])


def test_a_line_that_is_never_reached_says_that_the_try_above_it_raises():
    """Without a `try` it would be about the end of the program."""
    code = (
        "try:\n    layer(x)\n    print('done')  # This line should not execute\n"
        "except ValueError:\n    pass"
    )
    (claim,) = claims(code)

    assert (claim.kind, claim.line, claim.end_line, claim.pointed) == (ClaimKind.ERROR, 1, 3, True)
    assert not claims("layer(x)\nprint('done')  # This is not reached")
    handler = "try:\n    layer(x)\nexcept ValueError:\n    print(x)  # This is not reached"
    assert not claims(handler)


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
    found = [c for c in claims(code, after) if c.kind is ClaimKind.ERROR and c.pointed]

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
    assert not [c for c in claims(code, after) if c.kind is ClaimKind.ERROR and c.pointed]


@pytest.mark.parametrize(
    "after",
    [
        "This raises an error because a list cannot be added to a number.",
        "This call fails, since it is expecting two dimensions.",
    ],
)
def test_the_reason_of_an_error_does_not_hedge_it(after: str):
    """`cannot` and `expecting` say why, not whether."""
    (claim,) = [c for c in claims("x = f(1)", after) if c.kind is ClaimKind.ERROR]

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
    assert ClaimKind.RUNS in {c.kind for c in claims("x = f(1)", after)}


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
    assert ClaimKind.RUNS not in {c.kind for c in claims("x = f(1)", after)}


@pytest.mark.parametrize("before", ["**Example 2: Correct Initialization**", "**The fixed call:**"])
def test_a_title_that_calls_a_block_correct_says_that_it_works(before: str):
    """It introduces nothing else."""
    assert [c.kind for c in claims("x = f(1)", before=before)] == [ClaimKind.RUNS]


def test_what_is_said_to_come_of_a_block_is_a_claim_unless_errors_are_spoken_of():
    """A document that tells of errors knows that it fails."""
    after = "The output is a tensor that holds one row for each of the users."

    assert ClaimKind.EFFECT in {c.kind for c in claims("f(x)", after)}
    assert ClaimKind.EFFECT not in {c.kind for c in claims("f(x)", f"{after} This is wrong.")}
    assert ClaimKind.EFFECT in {c.kind for c in claims("f(x)", f"{after} If x is empty, it fails.")}


def test_a_document_that_says_no_exception_comes_means_something_else_by_incorrect():
    """A label alone is then no claim about an error."""
    code = "# Type mismatch\nx = f(1)"

    assert [c.kind for c in claims(code)] == [ClaimKind.ERROR]
    assert not claims(code, "No exception is raised there, yet the sum is off.")


def test_a_handler_that_should_not_print_says_that_what_is_tried_works():
    """`print(e)` below an `except`."""
    (claim,) = claims(TRIED.format("ValueError as e") + "  # this should not print")

    assert (claim.kind, claim.line, claim.end_line) == (ClaimKind.RUNS, 1, 5)


def test_what_would_happen_to_another_input_is_not_said_of_what_is_tried():
    """The block tries something that is right."""
    after = "Replacing `x` with an invalid name would result in an error."

    assert not [c for c in claims(TRIED.format("Exception as e"), after) if c.pointed]


def test_an_assertion_of_a_block_is_a_claim_about_its_line():
    """A program says so of itself."""
    found = claims("y = f(x)\nassert y == x\ntorch.testing.assert_close(x, y)")

    assert [(c.kind, c.line) for c in found] == [(ClaimKind.RUNS, 2), (ClaimKind.RUNS, 3)]


def test_an_error_that_may_be_another_has_no_type():
    """Whatever is raised there bears it out."""
    (claim,) = claims("f(x)  # will likely lead to an IndexError or other errors")

    assert (claim.kind, claim.type, claim.pointed) == (ClaimKind.ERROR, "", False)
