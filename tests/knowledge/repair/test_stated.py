"""knowledge/repair/stated.py: what comments say is printed."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.runs import Tried
from knowledge.repair.checks.runs.stated_shapes import check
from knowledge.repair.mistake import NO_MISTAKE
from knowledge.repair.stated import prints_as_stated, stated, stated_shapes
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
