"""What comments beside prints, assertions and handlers say in their exact forms."""

from __future__ import annotations

import pytest

from knowledge.audit.judge import verdict
from knowledge.audit.model import BlockRun, ClaimKind
from knowledge.documents.verdict import Verdict
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

    assert [c.pointed for c in claims(code)] == [False, True]


@pytest.mark.parametrize(
    ("comment", "printed"),
    [
        ("Output Shape 1: torch.Size([1, 16])", "torch.Size([1, 16])"),
        ("Output: Total: 24", "24"),
        ("Output: 24", "24"),
        ("Output: cpu", "cpu"),
        ("Output is a score", None),
        ("Output: 2 because there are two", None),
        ("Output: 2 4 6", "2 4 6"),
        ("Output shape: (None, -1, 32)", "(None, -1, 32)"),
        ("Produces: Rows: [2, 4]", "[2, 4]"),
        ("Output: array([2, 4])", "array([2, 4])"),
        ("-> tensor(2)", "tensor(2)"),
        ("This will print true", "true"),
        ("Output: cuda:0", None),
        ("Output rows: (rows, 2)", None),
        ("Output: Rows x: so many", "Rows x: so many"),
        ("Output: True (or similar)", None),
    ],
)
def test_a_label_before_the_value_is_no_part_of_it(comment: str, printed: str | None):
    """And a number in a sentence is no value."""
    found = [c.printed for c in claims(f"print('Rows x:', x)  # {comment}") if c.pointed]

    assert found == ([printed] if printed else [])


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


def test_an_array_goes_on_in_comments_below_its_print():
    """Until its brackets are closed."""
    code = "print(x)  # Output: array([[1, 2],\n         #        [3, 4]])\n         # so be it"

    assert [c.printed for c in claims(code)] == ["array([[1, 2],\n[3, 4]])"]


def test_an_output_of_many_prints_is_read_label_by_label():
    """Up to the first line that no print writes."""
    code = (
        "print('Rows:', x.shape)\nprint('Sum:', x.sum())\n"
        "# Output:\n# Rows: torch.Size([2])\n# Sum: 7\n# As was to be shown: 8"
    )

    assert [c.printed for c in claims(code) if c.pointed] == ["torch.Size([2])", "7"]


@pytest.mark.parametrize(
    ("code", "printed", "pointed"),
    [
        ("x = torch.rand(3)\nprint(len(x))  # Output: 2", "2", True),
        ("x = torch.rand(3)\nprint('Rows:', x.shape[0])  # Output: 2", "2", True),
        ("x = torch.rand(3)\nprint(len(x[x > 0]))  # Output: 2", "2", False),
        ("x = torch.rand(2)\nprint(x.grad)  # tensor([0., 0.])", "tensor([0., 0.])", True),
        ("x = torch.rand(2)\nprint(x.relu())  # tensor([0., 0.])", "tensor([0., 0.])", False),
        ("x = torch.rand(2)\nprint(x.grad)  # None", "None", True),
        ("if a:\n    print(x)  # Output: 2", "2", False),
        ("def f():\n    print(x)  # Output: 2", "2", False),
    ],
)
def test_what_chance_and_conditions_leave_open_refutes_nothing(
    code: str, printed: str, pointed: bool
):
    """Other random numbers, or another branch, may rightly print something else."""
    assert [(c.printed, c.pointed) for c in claims(code)] == [(printed, pointed)]


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


def test_a_print_behind_a_condition_for_a_gpu_is_told_apart():
    """The other branch runs everywhere."""
    code = (
        "if torch.cuda.is_available():\n    print(x)  # Output: [1, 2]\n"
        "else:\n    print(y)  # [3, 4]"
    )

    assert [c.on_gpu for c in claims(code)] == [True, False]


def test_an_output_below_its_label_is_held_by_its_value_and_not_by_the_label():
    """The first line of such a comment is printed whatever comes below it."""
    code = "print(f'rows:\\n{x}')\n# Output: rows:\n# tensor([[1, 4],\n#         [1, 2]])"
    (claim,) = claims(code)
    seen = BlockRun(outcome="ok", stdout="rows:\ntensor([[1, 4],\n        [2, 2]])\n")

    assert verdict([claim], seen)[0] is Verdict.REFUTED


def test_an_assertion_of_a_block_is_a_claim_about_its_line():
    """A program says so of itself."""
    found = claims("y = f(x)\nassert y == x\ntorch.testing.assert_close(x, y)")

    assert [(c.kind, c.line) for c in found] == [(ClaimKind.RUNS, 2), (ClaimKind.RUNS, 3)]


TRIED = "try:\n    {}\n    y = f(x)\nexcept {}:\n    print('failed:', e)"


@pytest.mark.parametrize(
    ("code", "raises"),
    [
        (TRIED.format("# Incorrect: the sizes differ", "ValueError as e"), (1, 5)),
        ("# wrong\n" + TRIED.format("pass", "Exception as e"), (2, 6)),
        ("x = 1  # a list (incorrect)\n" + TRIED.format("pass", "Exception as e"), (2, 6)),
        (TRIED.format("# Correct: the sizes agree", "ValueError as e"), None),
        (TRIED.format("# Incorrect path", "FileNotFoundError as e"), None),
        ("try:\n    f(x)  # Incorrect\nexcept E:\n    x = 2", None),
        (
            "def g():\n    try:\n        f(x)  # Incorrect\n    except E as e:\n        print(e)",
            None,
        ),
    ],
)
def test_what_is_tried_and_called_incorrect_is_said_to_raise(
    code: str, raises: tuple[int, int] | None
):
    """If its handler tells of the error, and is not there for what may be missing."""
    found = [(c.line, c.end_line) for c in claims(code) if c.kind is ClaimKind.ERROR]

    assert found == ([raises] if raises else [])


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ("tensor(2)", [(ClaimKind.PRINTS, "tensor(2)", True)]),
        ("ValueError: too many", [(ClaimKind.ERROR, "", False)]),
        ("about 2", []),
    ],
)
def test_an_output_in_a_fence_of_its_own_is_read(shown: str, found: list[tuple[object, ...]]):
    """An error in it can be borne out: it may be another block's."""
    told = claims("print(x)", f"Output:\n\n```text\n{shown}\n```")

    assert [(c.kind, c.printed, c.pointed) for c in told] == found
