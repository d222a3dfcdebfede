"""Which error, value, shape, name and line a statement speaks of whose kind of claim is known."""

from __future__ import annotations

import pytest

from knowledge.audit.model import ClaimKind
from tests.knowledge.audit.audited import claims


@pytest.mark.parametrize(
    ("after", "type_", "message"),
    [
        ("This will raise a `RuntimeError`.", "RuntimeError", ""),
        ("Running this code throws an error.", "", ""),
        ("A TypeError, not a ValueError.", "", ""),
        (
            "It fails with `RuntimeError: shape '[2, 4]' is invalid for input of size 6`.",
            "RuntimeError",
            "shape <q> is invalid for input of size <n>",
        ),
        ('It says "there is no such row in here".', "", "there is no such row in here"),
        ("It says `net(x, dim=1)`.", "", ""),
        ("Error: the wrong shape is asked for here.", "", ""),
    ],
)
def test_an_error_has_the_type_and_the_message_that_are_named(after: str, type_: str, message: str):
    """Two types in one sentence: who knows which one is meant."""
    (claim,) = claims("x = 1", after, raises=0.9)

    assert (claim.kind, claim.type, claim.message) == (ClaimKind.ERROR, type_, message)
    assert claim.line is None


@pytest.mark.parametrize(("likely", "pointed"), [(0.9, True), (0.4, False)])
def test_what_is_read_with_less_certainty_is_never_refuted(likely: float, pointed: bool):
    """A run can bear it out."""
    (claim,) = claims("x = 1", "This raises a KeyError.", raises=likely)

    assert claim.pointed is pointed


def test_that_it_works_is_claimed_surely_or_not_at_all():
    """Any block that runs would bear it out."""
    assert [c.kind for c in claims("x = 1", "It works.", works=0.9)] == [ClaimKind.RUNS]
    assert not claims("x = 1", "It works.", works=0.6)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("f(x)  # fails", (1, 1)),
        ("# fails\nf(x)\ng(x)\n\nh(x)", (2, 3)),
        ("try:\n    f(x)\nexcept E as e:\n    print(e)  # this error", (4, 4)),
        ("x = 1\n# all of that fails", (None, 1)),  # of the whole, and its last line was come to
        ("x = 1\n\n# but\n# all of that fails", (None, 1)),
        ("# all of it fails", (None, None)),
    ],
)
def test_a_comment_is_about_its_line_or_what_is_below(
    code: str, lines: tuple[int | None, int | None]
):
    """Which `try` stands around it, the run says."""
    (claim,) = claims(code, raises=0.9)

    assert (claim.line, claim.end_line, claim.pointed) == (*lines, True)


@pytest.mark.parametrize(
    ("code", "after", "pointed"),
    [
        ("f(x)", "Calling `f` raises a KeyError.", True),
        ("y = 1\n# f(x)\n# y = f(x)", "It raises a KeyError.", False),  # it was taken out
        ("f(x)", "It does not raise a KeyError.", None),  # what is denied is not said
        ("f(x)", "It runs without raising a KeyError.", None),
        ("f(x)", "The sizes do not match, so it raises a KeyError.", True),
    ],
)
def test_what_is_not_surely_about_this_code_is_never_refuted(
    code: str, after: str, pointed: bool | None
):
    """Nothing in it is commented out."""
    found = [c.pointed for c in claims(code, after, raises=0.9) if c.text == after]

    assert found == ([] if pointed is None else [pointed])


@pytest.mark.parametrize(
    ("handler", "after", "is_read"),
    [
        ("Exception as e", "So it is.", True),
        ("Exception as e", "An error comes.", True),
        ("Exception as e", "This raises a `KeyError`.", True),
        ("Exception as e", "An error might still come.", False),
        ("ValueError as e", "So it is.", True),
        ("ValueError as e", "It might not throw a `ValueError`, but the result is off.", False),
        ("ValueError as e", "It might be off.", True),
    ],
)
def test_what_is_only_called_wrong_is_refuted_where_the_text_means_an_error(
    handler: str, after: str, is_read: bool
):
    """Its result may be meant: where everything is caught, or where an error only may come."""
    code = f"try:\n    f(x)  # wrong output\nexcept {handler}:\n    print(e)"

    assert [c.pointed for c in claims(code, after) if c.kind is ClaimKind.ERROR] == [is_read]


@pytest.mark.parametrize(
    "code",
    ["# Incorrect: it raises\n# f(x)\ny = f(1)", "print(x)\n# result = None  # try this", "# f(1)"],
)
def test_what_is_said_of_code_that_was_taken_out_is_no_claim(code: str):
    """It was not run."""
    assert not claims(code)


def test_what_works_is_the_part_or_the_whole():
    """An unsure one is none at all."""
    assert [(c.line, c.end_line) for c in claims("f(x)  # right", works=0.9)] == [(1, 1)]
    assert [c.line for c in claims("f(x)", "This works.", works=0.9)] == [None]
    assert [c.line for c in claims("f(x)\n# so it works", works=0.9)] == [None]
    assert not claims("f(x)", "This works.", works=0.4)


@pytest.mark.parametrize("code", ["print(x)  # so it is 7", "print(x)\n# so it is 7"])
def test_what_a_value_is_stands_at_its_print_in_a_form_of_its_own(code: str):
    """What is told in words is read, and decided by no run."""
    assert not claims(code, "The result is [1, 2, 4].", equals=0.9)


@pytest.mark.parametrize(
    ("code", "after", "found"),
    [
        ("rows = f(x)", "Then `rows` has the shape (2, 3).", ("rows", (2, 3), True)),
        ("n = 4\nrows = f(n)", "Then `rows` is of size `(n, 2)`.", ("rows", (4, 2), True)),
        ("n = 4\nrows = f(n)", "Then `rows` is of size `(n, m)`.", ("rows", (4, -1), False)),
        ("max_n = 4\nrows = f(1)", "Then `rows` is of size `(2, max_n)`.", ("rows", (2, 4), True)),
        ("n = 4\nn = 5\nrows = f(n)", "Then `rows` is `(n, 2)`.", ("rows", (-1, 2), False)),
        ("rows = f(x)", "Then `rows` is a 2x3 tensor.", ("rows", (2, 3), False)),
        ("rows = f(x)  # (2, 3)", "", ("", (2, 3), True)),
        ("rows = f(x)  # shape: [2, 3]", "", ("", (2, 3), True)),
        ("a, rows = f(x)  # rows: (2, 3)", "", ("rows", (2, 3), True)),
        ("rows = f(x)\n# rows has shape (2, 3)\nz = 2", "", ("rows", (2, 3), True)),
    ],
)
def test_a_shape_is_of_the_tensor_that_is_named(
    code: str, after: str, found: tuple[str, tuple[int, ...], bool]
):
    """Or of the one that is made beside it; with numbers or the block's own constants."""
    (claim,) = claims(code, after, shape=0.9)

    assert (claim.name, claim.shape, claim.pointed) == found


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("rows = f(x)", "A result of shape (2, 3)."),
        ("rows = f(x)", "From `rows` of shape (2, 3) one of (3, 2) is made."),
        ("rows = f(x)", "Then `rows` is of shape (n, 2 * m)."),
        ("rows = f(x)", "Then `rows` is of shape (n, m)."),
        ("rows = f(x)", "Here `rows` is a 3D tensor."),
        ("y = 1\n# (2, 3)\nrows = f(x)", ""),
    ],
)
def test_a_shape_that_any_tensor_could_have_is_no_claim(code: str, after: str):
    """Of no name, of two tensors, or of sizes that nobody knows."""
    assert not claims(code, after, shape=0.9)


def test_what_is_called_wrong_is_not_what_is_so():
    """`Its shape should be …`: the error that it makes is claimed, and no shape."""
    found = claims("rows = f(x)  # Incorrect: its shape should be (2, 3)", shape=0.9, raises=0.9)

    assert {c.kind for c in found} == {ClaimKind.ERROR}


def test_how_values_relate_is_read_and_decided_by_no_run():
    """What two prints have to do with each other no record of a run tells."""
    assert not claims("print(x)\nprint(y)", "Both are the same.", relates=0.9)


def test_training_is_claimed_of_a_name_of_the_block():
    """`w.grad` speaks of `w`."""
    found = claims("w = f(x)", "The gradient is in `w.grad`, not in `v`.", trains=0.9)

    assert [(c.kind, c.name) for c in found] == [(ClaimKind.TRAINS, "w")]
    never = claims("w = f(x)", "`self.w` is frozen.", notrain=0.9)
    assert [(c.kind, c.name) for c in never] == [(ClaimKind.NEVER_TRAINS, "w")]
    assert [c.name for c in claims("w = f(x)", "Nothing learns.", notrain=0.9)] == [""]
