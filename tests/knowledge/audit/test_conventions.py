"""What comments beside prints, assertions and handlers say in their exact forms."""

from __future__ import annotations

import pytest

from knowledge.audit.model import ClaimKind
from knowledge.audit.printed import has_printed
from tests.knowledge.audit.audited import claims


def test_printed_text_is_a_claim_beside_and_below_its_print():
    """Over several lines too."""
    code = (
        "print(x.shape)  # Output: torch.Size([2, 3])\n"
        "print(x)\n# Output:\n# tensor([[1, 2],\n#         [3, 4]])"
    )

    assert [c.printed for c in claims(code)] == ["torch.Size([2, 3])", "tensor([[1, 2],\n[3, 4]])"]


@pytest.mark.parametrize("said", ["values vary", "e.g. tensor([1])", "tensor([0.1, ...])"])
def test_an_output_that_is_only_an_example_refutes_nothing(said: str):
    """It says so itself."""
    assert not [c for c in claims(f"print(x)  # Output: {said}") if c.pointed]


def test_random_numbers_refute_nothing_but_a_shape_does():
    """The numbers are whatever they are; the shape is a promise."""
    code = "x = torch.rand(2)\nprint(x)  # tensor([0.1, 0.2])\nprint(x.shape)  # torch.Size([3])"

    assert {c.printed[:5]: c.pointed for c in claims(code)} == {"torch": True, "tenso": False}


@pytest.mark.parametrize(
    ("comment", "printed"),
    [
        ("Output Shape 1: torch.Size([1, 16])", "torch.Size([1, 16])"),
        ("Output: Total: 24", "24"),
        ("Output: 24", "24"),
        ("Output: cpu", "cpu"),
        ("Output is a score", None),
        ("Output: 2 because there are two", None),
        ("Output: {'a': 2}", "{'a': 2}"),
        ("Output shape: (None, -1, 32)", "(None, -1, 32)"),
        ("Produces: Rows: [2, 4]", "[2, 4]"),
        ("Output: array([2, 4])", "array([2, 4])"),
        ("-> tensor(2)", "tensor(2)"),
        ("This will print true", "true"),
        ("Expected to be None", "None"),
        ("2, for both are equal", None),
        ("Output: cuda:0", None),
        ("Output rows: (rows, 2)", None),
        ("Output: Rows x: so many", None),
        ("Output: True (or similar)", None),
    ],
)
def test_a_label_before_the_value_is_no_part_of_it(comment: str, printed: str | None):
    """And a number in a sentence is no value."""
    found = [c.printed for c in claims(f"print('Rows x:', x)  # {comment}") if c.pointed]

    assert found == ([printed] if printed else [])


def test_an_output_that_stands_above_its_print_is_read():
    """Below another print it belongs to that one."""
    assert [c.end_line for c in claims("# Output: tensor([2, 4])\nprint(x)")] == [2]
    assert [c.end_line for c in claims("print(y)\n# Output: tensor([2, 4])\nprint(x)")] == [1]


def test_an_output_with_a_blank_line_in_it_is_read_to_its_end():
    """So are tensors of three dimensions printed."""
    code = "print(x)\n# Output: tensor([[[0, 1],\n#   [2, 3]],\n\n#  [[4, 5],\n#   [6, 7]]])"
    (claim,) = claims(code)

    assert claim.printed.endswith("[6, 7]]])")
    assert claim.pointed


def test_an_array_goes_on_in_comments_below_its_print():
    """Until its brackets are closed."""
    code = "print(x)  # Output: array([[1, 2],\n         #        [3, 4]])\n         # so be it"

    assert [c.printed for c in claims(code)] == ["array([[1, 2],\n[3, 4]])"]


@pytest.mark.parametrize(
    ("code", "printed", "pointed"),
    [
        ("x = torch.ones(3)\nprint(x.sum())  # Output: 2", "2", True),
        ("x = torch.rand(3)\nprint(x.sum())  # Output: 2", "2", False),
        ("x = torch.rand(2)\nprint(x.relu())  # tensor([0., 0.])", "tensor([0., 0.])", False),
        ("x = torch.rand(2)\nprint(x.grad)  # None", "None", True),
        ("x = torch.rand(2)\nprint(x.shape)  # torch.Size([2])", "torch.Size([2])", True),
        ("x = torch.rand(2)\nprint(x.dtype)  # torch.int64", "torch.int64", True),
        # What the machine is asked, another one answers otherwise.
        ("print(torch.cuda.is_available())  # True", "True", False),
        ("print(torch.cuda.device_count())  # 2", "2", False),
        ("print(torch.__version__)  # 2.0", "2.0", False),
        ("print(conversion)  # 2.0", "2.0", True),
    ],
)
def test_what_chance_leaves_open_refutes_nothing(code: str, printed: str, pointed: bool):
    """Other random numbers may rightly print something else."""
    assert [(c.printed, c.pointed) for c in claims(code)] == [(printed, pointed)]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("x = 1\nprint(x)  # Output: 1", (2, 2)),
        ("print(x)\nprint(y)\n# Output: 1", (1, 2)),  # it may show what both of them write
    ],
)
def test_an_output_is_of_the_prints_above_it_or_of_its_own(code: str, lines: tuple[int, int]):
    """The judge asks the run what those wrote."""
    assert [(c.line, c.end_line) for c in claims(code)] == [lines]


@pytest.mark.parametrize(
    "said", ["Shape: (rows, columns)", "Shape: [batch, 3]", "Shape: (N, C, H)", "3. Step: n"]
)
def test_what_the_numbers_mean_is_no_value(said: str):
    """A legend is not printed."""
    assert not claims(f"print('Shape:', x.shape)  # Output: {said}")


def test_an_output_below_its_label_is_held_by_its_value_and_not_by_the_label():
    """The first line of such a comment is printed whatever comes below it."""
    code = "print(f'rows:\\n{x}')\n# Output: rows:\n# tensor([[1, 4],\n#         [1, 2]])"
    (claim,) = claims(code)

    assert not has_printed(claim.printed, "rows:\ntensor([[1, 4],\n        [2, 2]])\n")
    assert has_printed(claim.printed, "rows:\ntensor([[1, 4],\n        [1, 2]])\n")


def test_an_assertion_of_a_block_is_a_claim_about_its_line():
    """A program says so of itself."""
    found = claims("y = f(x)\nassert y == x\ntorch.testing.assert_close(x, y)")

    assert [(c.kind, c.line) for c in found] == [(ClaimKind.RUNS, 2), (ClaimKind.RUNS, 3)]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("f(x)  # Incorrect: the sizes differ", (1, 1)),
        ("# wrong\nf(x)\ng(x)", (2, 3)),
        ("x = 1  # a list (incorrect)", (1, 1)),
        ("f(x)  # the incorrect sizes are mended", None),
        ("f(x)  # Incorrect if `x` is empty", None),
        ("f(x)  # Correct", None),
    ],
)
def test_what_is_called_wrong_is_an_error_where_the_block_shows_one(
    code: str, lines: tuple[int, int] | None
):
    """Whether it does, in a `try` that tells of it, the judge asks of the run."""
    found = [(c.kind, c.line, c.end_line) for c in claims(code)]

    assert found == ([(ClaimKind.ERROR, *lines)] if lines else [])
