"""knowledge/repair/stated.py: what comments say is printed."""

from __future__ import annotations

import pytest

from executor.protocol import Influence
from knowledge.repair.checks.runs import Tried
from knowledge.repair.checks.runs.stated_shapes import check
from knowledge.repair.mistake import NO_MISTAKE
from knowledge.repair.stated import (
    contradicts,
    prints_as_stated,
    stated,
    stated_results,
    stated_shapes,
)
from tests.built import failed, ran


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("print(x)  # tensor([2., 2.])", ["tensor([2., 2.])"]),
        ("print(x)  # Output: tensor([2., 2.]) - it doubles", ["tensor([2., 2.])"]),
        ("print(x)  # Expected output: [4, 5]", ["[4, 5]"]),
        ("print(x)  # prints (4, 5), as it should", ["(4, 5)"]),
        ("print(x.shape)  # torch.Size([4, 5])", ["torch.Size([4, 5])"]),
        ("print(x)  # -> 3.5", ["3.5"]),
        ("print(x)  # is True", ["True"]),
        ("print(x)# None, oh", ["None"]),
        ("print(x)  # 3rd", []),
        ("print(x)  # 3.5.1", []),
        ("print(x)  # the first of 3", []),
        ("print(x)  # tensor([[1, 2],", []),  # it goes on elsewhere
        ("print(x)  # see [1]", []),
        ("print(x.shape)  # Shape of the images: torch.Size([4, 5])", ["torch.Size([4, 5])"]),
        ("print(x.shape)  # Shape of x: torch.Size([4, 5]), then it grows", []),
        ("print(x.shape)  # Shape of the input: torch.Size([4, 5])", []),  # another one's
        ("print(x.shape)  # one of torch.Size([4, 5])", []),
        ("print(x)", []),
        ("    print(x)  # 3", []),  # of a function nobody knows whether it is called
        ("y = x  # 3", []),
        ("print(x)  # 3\nprint(y)  # 4", ["3", "4"]),
    ],
)
def test_what_a_comment_states(line: str, values: list[str]):
    """A shape, a tensor or a number, right behind the print or a word such as Output."""
    assert list(stated(line)) == values


@pytest.mark.parametrize(
    ("line", "shapes"),
    [
        ("print(x.shape)  # [4, 5]", ["[4, 5]"]),
        ("print(x.size())  # (4, 5)", ["(4, 5)"]),
        ("print(x)  # torch.Size([4, 5])", ["torch.Size([4, 5])"]),
        ("print(x)  # [4, 5]", []),
        ("print(x.shape)  # 4", []),
        ("print(x.shape)  # tensor([4, 5])", []),
        ("print(x.shape)  # [4., 5.]", []),
    ],
)
def test_which_of_them_are_shapes(line: str, shapes: list[str]):
    """The line prints a shape, or the comment calls it one."""
    assert list(stated_shapes(line)) == shapes


@pytest.mark.parametrize(
    ("code", "stdout", "as_stated"),
    [
        ("print(x)", "3", None),
        ("print(x)  # 3", "3", True),
        ("print(x)  # 3", "4", False),
        ("print(x)  # 3\nprint(y)  # 5", "3\n4", False),
        ("print(x)  # tensor([2., 2.])", "x: tensor([2.,\n  2.])", True),
        ("print(x)  # (4, 5)", "torch.Size([4, 5])", True),
        ("print(x)  # (4,)", "torch.Size([4])", True),
        ("print(x)  # [4, 5]", "(4, 5)", True),
    ],
)
def test_whether_it_is_printed(code: str, stdout: str, as_stated: bool | None):
    """All of it, white space aside."""
    assert prints_as_stated(code, stdout) is as_stated


@pytest.mark.parametrize(
    ("comment", "printed", "passes"),
    [
        ("# [4, 5]", "torch.Size([4, 5])", True),
        ("# [4, 5]", "torch.Size([5, 4])", False),
        ("# as before", "torch.Size([5, 4])", True),
    ],
)
def test_a_stated_shape_is_printed(comment: str, printed: str, passes: bool):
    """A fix after which another shape comes out is none."""
    code = f"print(x.shape)  {comment}"
    tried = Tried(code, code, failed("no"), ran(stdout=printed), None, NO_MISTAKE)

    assert check(tried).passed is passes


@pytest.mark.parametrize(
    ("code", "shapes"),
    [
        ("y = f(x)  # (4, 5)", [(1, ("4", "5"))]),
        ("y = f(x)  # torch.Size([4, 5])", [(1, ("4", "5"))]),
        ("    y = f(x)  # shape: (batch, 5)", [(1, ("batch", "5"))]),
        ("# the result's shape becomes [4, 5]\ny = f(x)", [(2, ("4", "5"))]),
        ("y = f(x)\n# y.shape: (batch size, 5)", [(1, ("batch_size", "5"))]),
        ("y = f(x)\n# z.shape: (4, 5)", []),
        ("y = f(x)\n# (4, 5)", []),
        ("# z.shape: (4, 5)\ny = f(x)", []),
        ("# (4, 5)\n\ny = f(x)", []),
        ("y = f(x)  # of shape (2, 3) -> (4, 5)", [(1, ("4", "5"))]),
        ("y = f(x)  # shapes (2, 3) and (4, 5)", []),
        ("y = f(x)  # (see 4, 5)", [(1, ("see_4", "5"))]),
        ("y = f(x)  # as in [4, 5]", []),
        ("y = f(x)  # the input has the shape (4, 5)", []),
        ("y = f(x)  # wrong: shape (4, 5)", []),
        ("f(x)  # (4, 5)", []),
        ("y == f(x)  # (4, 5)", []),
        ("y = f(x)  # (4)", []),
        ("y = f(x)", []),
    ],
)
def test_which_lines_are_said_to_make_a_shape(code: str, shapes: list[tuple[int, tuple[str, ...]]]):
    """Beside an assignment, right above it, or right below with the variable's name."""
    assert list(stated_results(code)) == shapes


@pytest.mark.parametrize(
    ("said", "shape", "code", "contradicted"),
    [
        (("4", "5"), (4, 5), "", False),
        (("4", "5"), (5, 4), "", True),
        (("4", "5"), (4, 5, 6), "", True),
        (("4", "n"), (4, 9), "", False),
        (("4", "n"), (3, 9), "", True),
        (("4", "n"), (3, 9, 1), "", False),  # of a batch of them
        (("n", "c"), (8, 98), "c = 8\n", True),  # the channels stand first
        (("n", "c"), (98, 8), "c = 8\n", False),
        (("n", "c"), (98, 9), "c = 8\n", False),  # a size that was computed
        (("n", "c"), (9, 8), "n = 8\nc = 8\n", False),
        (("n", "c"), (9, 8), "n = 8\nc = 9\n", True),
    ],
)
def test_what_shape_contradicts_a_comment(said, shape, code: str, contradicted: bool):
    """Another number, or a named size at another place."""
    assert contradicts(said, shape, code) is contradicted


@pytest.mark.parametrize(
    ("now", "before", "comment", "passes"),
    [
        ((4, 5), None, "[4, 5]", True),
        ((5, 4), None, "[4, 5]", False),
        ((5, 4), (5, 4), "[4, 5]", True),  # the comment was wrong before
        ((5, 4), (4, 5), "[4, 5]", False),
        (None, None, "[4, 5]", True),  # nobody reached it
        ((5, 4), None, "a product", True),
    ],
)
def test_a_line_makes_the_shape_that_its_comment_states(now, before, comment: str, passes: bool):
    """Where the fix makes another one than the original did."""
    original = f"z = 1\ny = f(x)  # {comment}\n"
    fixed = f"z = 2\ny = f(x)  # {comment}\n"
    results = [{} if shape is None else {2: shape} for shape in (now, before)]
    after, was = (
        failed("no").model_copy(update={"influence": Influence(results=r)}) for r in results
    )
    found = check(Tried(original, fixed, was, after, was, NO_MISTAKE))

    assert found.passed is passes
