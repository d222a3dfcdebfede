"""Which error, value, shape, name and line a statement speaks of whose kind of claim is known."""

from __future__ import annotations

import pytest

from knowledge.audit.judge import verdict
from knowledge.audit.model import BlockRun, ClaimKind, Raised
from knowledge.audit.relations import Relation
from knowledge.documents.verdict import Verdict
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
            "shape '[2, 4]' is invalid for input of size 6",
        ),
        ('It says "there is no such row in here".', "", "there is no such row in here"),
        ("It says `net(x, dim=1)`.", "", ""),
    ],
)
def test_an_error_has_the_type_and_the_message_that_are_named(after: str, type_: str, message: str):
    """Two types in one sentence: who knows which one is meant."""
    (claim,) = claims("x = 1", after, raises=0.9)

    assert (claim.kind, claim.type, claim.message) == (ClaimKind.ERROR, type_, message)
    assert claim.pointed and claim.line is None


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
    ("code", "lines", "pointed"),
    [
        ("y = f(1)  # fails", (1, 1), True),
        ("# fails\ny = f(1)\nz = 2\n\nw = 3", (2, 3), True),
        ("try:\n    f(x)\n    g(x)  # not reached\nexcept E:\n    pass", (1, 5), True),
        ("try:\n    f(x)\nexcept E as e:\n    print(e)  # this error", (1, 4), True),
        ("def f():\n    g(x)  # fails", (2, 2), False),
    ],
)
def test_a_comment_is_about_its_line_or_what_is_tried(
    code: str, lines: tuple[int, int], pointed: bool
):
    """In a function it is about a call that may never come."""
    (claim,) = claims(code, raises=0.9)

    assert (claim.line, claim.end_line, claim.pointed) == (*lines, pointed)


def test_only_what_introduces_a_block_is_surely_about_it():
    """What was said before that may be about errors in general."""
    before = "Such calls raise a KeyError. This one raises a TypeError."

    assert [c.pointed for c in claims("f(x)", before=before, raises=0.9)] == [False, True]


def test_a_block_that_shows_the_mistake_and_its_cure_does_not_work_as_a_whole():
    """What is right in it stands or falls with the error."""
    found = claims("f(x)  # so or so\ng(x)", "And so on.", raises=0.9, works=0.9)

    assert [(c.line, c.depends) for c in found if c.kind is ClaimKind.RUNS] == [(1, True)]


def test_what_is_right_in_a_definition_shows_where_it_is_used():
    """The whole block must run."""
    (claim,) = claims("def f(x):\n    return x  # right", works=0.9)

    assert (claim.kind, claim.line) == (ClaimKind.RUNS, None)


@pytest.mark.parametrize(
    ("code", "after", "found"),
    [
        ("print(x.grad)", "Now `x.grad` is `None`.", ("None", 1, True)),
        ("print(x.grad)", "Now `x.grad` is not `None`.", ("None", 1, True)),
        ("print(x.grad)\nprint(x.grad)", "Now `x.grad` is `None`.", ("None", None, False)),
        ("print(x)", "Now `y` is `None`.", ("None", None, False)),
        ("x = torch.rand(2)\nprint(x)", "Here `x` is [0.5, 0.2].", ("[0.5, 0.2]", 2, False)),
        ("x = 1\nprint(x)", "It is about 0.2 in the end.", ("0.2", None, False)),
    ],
)
def test_a_value_is_what_the_print_of_the_named_expression_writes(
    code: str, after: str, found: tuple[str, int | None, bool]
):
    """Printed twice, it may have changed between; random numbers are what they are."""
    claim = next(c for c in claims(code, after, equals=0.9) if c.kind is ClaimKind.PRINTS)

    assert (claim.printed, claim.line, claim.pointed) == found
    assert claim.absent is ("not" in after) and claim.rough is ("about" in after)


def test_the_number_of_an_entry_is_no_value():
    """`3. The result is …` counts paragraphs."""
    found = claims("print(x)", "**3. The loss is printed**", equals=0.9)

    assert not [c for c in found if c.kind is ClaimKind.PRINTS]
    kept = claims("print(x)", "3. The loss is 7.", equals=0.9)
    assert [c.printed for c in kept if c.kind is ClaimKind.PRINTS] == ["7"]


def test_a_number_that_the_code_holds_as_well_is_no_value():
    """It may be said of the code."""
    found = claims("x = f(16)\nprint(x)", "We have a batch of 16.", equals=0.9)

    assert [c.kind for c in found] == [ClaimKind.EFFECT]


@pytest.mark.parametrize(
    ("code", "after", "found"),
    [
        ("rows = f(x)", "Then `rows` has the shape (2, 3).", ("rows", (2, 3), True)),
        ("n = 4\nrows = f(n)", "Then `rows` is of size `(n, 2 * n)`.", ("rows", (4, 8), True)),
        ("n = 4\nrows = f(n)", "Then `rows` is of size `(n, m)`.", ("rows", (4, -1), False)),
        ("rows = f(x)", "Then `rows` is a 2x3 tensor.", ("rows", (2, 3), False)),
        ("rows = f(x)\nrows = g(x)", "Then `rows` is (2, 3).", ("rows", (2, 3), False)),
        ("for x in y:\n    rows = f(x)", "Then `rows` is (2, 3).", ("rows", (2, 3), False)),
        ("rows = f(x)", "The result is of shape (2, 3).", ("", (2, 3), False)),
        ("rows = f(x)  # (2, 3)", "", ("rows", (2, 3), True)),
        ("rows = f(x)  # shape: [2, 3]", "", ("rows", (2, 3), True)),
        ("rows = f(x)  # as for a kernel of shape (2, 3)", "", ("rows", (2, 3), False)),
        ("rows = f(x)\n# rows has shape (2, 3)\nz = 2", "", ("rows", (2, 3), True)),
    ],
)
def test_a_shape_is_of_the_tensor_that_is_named_or_assigned(
    code: str, after: str, found: tuple[str, tuple[int, ...], bool]
):
    """Written with numbers or with the block's own constants; sure if it can mean nothing else."""
    (claim,) = claims(code, after, shape=0.9)

    assert (claim.name, claim.shape, claim.pointed) == found


@pytest.mark.parametrize(
    ("code", "after"),
    [("f(x)  # (2, 3)", ""), ("rows = f(x)", "A result of shape (n, m).")],
)
def test_a_shape_that_any_tensor_could_have_is_no_claim(code: str, after: str):
    """Of no name, and of sizes that nobody knows."""
    assert not [c for c in claims(code, after, shape=0.9) if c.shape]


@pytest.mark.parametrize(("said", "count"), [("2D", 2), ("one-dimensional", 1), ("3-dim", 3)])
def test_dimensions_are_read_in_figures_and_in_words(said: str, count: int):
    """Of a tensor that is named."""
    (claim,) = claims("rows = f(x)", f"Here `rows` is a {said} tensor.", shape=0.9)

    assert (claim.kind, claim.name, claim.dimensions) == (ClaimKind.DIMENSIONS, "rows", count)


def test_a_dtype_or_device_can_be_borne_out_by_what_is_printed():
    """Which tensor is meant is not known."""
    (claim,) = claims("print(x.dtype)", "It is of type `torch.int64`.", shape=0.9)

    assert (claim.printed, claim.pointed) == ("torch.int64", False)


def test_a_relation_needs_something_that_is_printed():
    """A series that goes the other way refutes it."""
    after = "The loss falls."
    (claim,) = claims("print(loss)", after, relates=0.9)

    assert (claim.relation, claim.pointed) == (Relation.FALLS, True)
    assert [c.kind for c in claims("f(x)", after, relates=0.9)] == [ClaimKind.EFFECT]


def test_training_is_claimed_of_a_name_of_the_block():
    """`w.grad` speaks of `w`."""
    found = claims("w = f(x)", "The gradient is in `w.grad`, not in `v`.", trains=0.9)

    assert [c.name for c in found if c.kind is ClaimKind.TRAINS] == ["w"]
    never = claims("w = f(x)", "`self.w` is frozen.", notrain=0.9)
    assert [c.name for c in never if c.kind is ClaimKind.NEVER_TRAINS] == ["w"]


FAILED = BlockRun(outcome="error", error=Raised(type="ValueError", message="x", line=1, lines=(1,)))


@pytest.mark.parametrize(
    ("kinds", "word"),
    [
        ({"equals": 0.9}, Verdict.REFUTED),
        ({"equals": 0.4}, Verdict.NO_CLAIM),
        ({"equals": 0.9, "raises": 0.4}, Verdict.REFUTED),
        ({"equals": 0.9, "raises": 0.9}, Verdict.HOLDS),
    ],
)
def test_what_is_said_to_come_is_refuted_by_an_error_that_nobody_speaks_of(
    kinds: dict[str, float], word: Verdict
):
    """Whatever it is, no run can tell it otherwise."""
    found = claims("f(x)", "The result is one row for each of the users.", **kinds)

    assert verdict(found, FAILED)[0] is word


def test_a_comment_that_is_read_to_the_letter_is_not_read_again():
    """Beside its print."""
    found = claims("print(x)  # Output: tensor([2])", equals=0.9, shape=0.9)

    assert [(c.kind, c.printed) for c in found] == [(ClaimKind.PRINTS, "tensor([2])")]
