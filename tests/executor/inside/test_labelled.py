"""executor/inside/probes/labelled.py: code that calls itself wrong is there to be seen failing."""

from __future__ import annotations

import ast

import pytest

from executor.inside.probes.labelled import Labels


def wrong(code: str, *at: int) -> bool:
    """Whether a program says that its lines `at` are how it is not done."""
    return Labels(code.splitlines(), ast.parse(code)).call_it_wrong(at)


def none_expected(code: str, *at: int) -> bool:
    """Whether a program says that a gradient is None after its lines `at`."""
    return Labels(code.splitlines(), ast.parse(code)).expect_no_gradient(at)


@pytest.mark.parametrize(
    "comment",
    [
        "Incorrect: parentheses instead of brackets",
        "Incorrectly shaped",
        "An incorrect way",
        "wrong dtype",
        "Problematic, as sizes differ",
        "In-place assignment - problematic",
        "Problem: sizes",
        "in place (to be avoided)",
        "parameters (incorrect dtype)",
        "do not do this",
        "this is generally not recommended",
        "an anti-pattern",
        "may cause errors",
        "this will likely lead to unexpected results",
        "may break autograd",
        "gradients will not flow back",
        "10 is out of vocabulary",
        "these are outside the valid range",
        "out-of-bounds index",
        "index with 5, out of bounds",
        "Sample data with mismatched batch sizes",
        "Mismatched types",
        "intentionally the wrong shape",
        "deliberately too many",
        "Invalid index",
        "Size mismatch",
        "the width is 32, mismatch!",
        "does not match the layer",
        "the widths don't match",
        "these are not compatible",
        "breaks the computation graph",
        "this interferes with gradient computation",
        "invalidates the values of autograd",
        "overwrites what is needed for backward",
        "this gives wrong gradients",
        "Unsafe: in place",
        "a leaf in place is not allowed",
        "Not permitted on a view",
        "the two cannot be stacked",
        "an example of the mistake",
        "before (fails)",
        "BUG: sizes",
        "forgot to call super",
        "Missing batch dimension",
        "missing the unsqueeze",
        "Missing a channel dimension",
        "this line is wrong",
        "A common mistake",
        "deliberate mistake",
        "simulate a mismatch",
        "✗ in place",
    ],
)
def test_a_comment_labels_the_line_or_its_section(comment: str) -> None:
    assert wrong(f"a = b(1)  # {comment}", 1)
    assert wrong(f"# {comment}\nx = 1\na = b(1)", 3)
    assert wrong(f"x = make(2)  # {comment}\n\na = b(x)", 3)  # where what it uses was made
    assert wrong(f"x = make(\n    2,\n    3,  # {comment}\n)\n\na = b(x)", 6)
    assert wrong(f"a = b(\n    1,\n    2,  # {comment}\n)", 1)


@pytest.mark.parametrize(
    "comment",
    [
        "why is this wrong?",
        "I think this is bad",
        "my wrong result",
        "how do I fix this",
        "TODO: incorrect",
        "avoid division by zero",
        "the batch",
        "flag samples that were labelled wrong by hand",
        "gradients flow back",
        "may be empty",
        "check whether the index is out of range",
        "values that are not out of range",
        "avoid what is outside the range",
        "the range of the indices",
        "check for mismatched sizes",
        "inconsistent with the paper",
        "deliberately without bias",
        "the rows that are invalid",
        "skip invalid rows",
        "mismatch here",
        "fix the size mismatch",
        "resolve the mismatch",
        "where they do not match, skip",
        "the problem of three bodies",
        "breaks the text into lines",
        "changes the weights for the next step",
        "overwrites the file of the last backup",
        "gradients of the wrong class",
        "mask of what is not allowed to attend",
        "rows can be stacked",
        "missing values are zeros",
        "bug fix of the other branch",
        "missing labels are left out",
        "an example of a batch",
    ],
)
def test_other_comments_label_nothing(comment: str) -> None:
    assert not wrong(f"a = b(1)  # {comment}", 1)
    assert not wrong(f"# {comment}\na = b(1)", 2)


@pytest.mark.parametrize(
    ("code", "at"),
    [
        ("# Incorrect\nx = 1\n\na = b(1)", 4),  # another section
        ("a = b(1)\n# Incorrect\nx = 1", 1),  # of what comes after
        ("a = '# Incorrect'", 1),
        ("x = 1  # Incorrect\n\na = b(2)", 3),  # of a name that is not used
        ("a = b(1)", 9),
    ],
)
def test_a_label_elsewhere(code: str, at: int) -> None:
    assert not wrong(code, at)


@pytest.mark.parametrize(
    "code",
    [
        "class BadNet:\n    pass\n\nBadNet()(1)",
        "incorrect_target = 1\n\nloss(incorrect_target)",
        "t = 1\nwrongTarget = t\n\nloss(wrongTarget)",
        "class A:\n    w = 1  # Incorrect: no parameter\n\nm = A()\nout = m(1)\nout.backward()",
    ],
)
def test_names_and_definitions_that_the_line_uses(code: str) -> None:
    assert wrong(code, len(code.splitlines()))


def test_a_label_of_what_was_not_run() -> None:
    """Below the failing line of its function; above it, and in other functions, it counts."""
    body = "def f(x):\n    y = a(x)\n    return b(y)  # Incorrect\n\nf(1)"
    assert not wrong(body, 5, 2)
    assert wrong(body, 5, 3)
    assert wrong("def f(x):\n    x = x + 1  # Incorrect\n\n    return b(x)\n\nf(1)", 6, 4)
    assert wrong(
        "def g(x):\n    return x  # Incorrect\n\ndef f(x):\n    return b(x)\n\nf(g(1))", 7, 5
    )


def test_the_function_that_it_stands_in() -> None:
    assert wrong("def broken_step(x):\n    return x.view(3)\n\nbroken_step(t)", 4, 2)
    assert wrong("def broken_step(x):\n    return x.view(3)", 2)


def test_rows_that_are_made_so() -> None:
    """Labels are flipped to be found again: that is no wrong way of doing it."""
    code = "bad = noise < 1\ny[bad] = 0\nloss(x, y[bad])"

    assert not wrong(code, 3)
    assert wrong(code.replace("y[bad] = 0", "y = flip(bad)"), 3)


def test_names_that_only_begin_like_it() -> None:
    assert not wrong("badge = 1\nwrongness(badge)", 2)


@pytest.mark.parametrize(
    "comment", ["This will run correctly", "works", "It runs fine now.", "No error: a copy"]
)
def test_a_line_that_is_said_to_work(comment: str) -> None:
    assert not wrong(f"bad = 1\nb(bad)  # {comment}", 2)
    assert not wrong(f"bad = 1\n# {comment}\nb(bad)", 3)


@pytest.mark.parametrize("comment", ["runs into an error", "This works on one GPU only", "run it"])
def test_a_line_that_is_not(comment: str) -> None:
    assert wrong(f"bad = 1\nb(bad)  # {comment}", 2)


def test_what_the_right_way_below_works_with() -> None:
    below = "\n\n# Correct: without it\ny = model(x.float())"
    assert not wrong("# Simulate a batch\nn = 1\n\nx = made(model)" + below, 4)
    assert wrong("# Simulate a batch\nn = 1\n\n# Call it\ny = model(x)" + below, 5)


HEADINGS = ["Correct way", "Corrected code:", "The correct approach", "Fixed", "Solution"]


@pytest.mark.parametrize("heading", HEADINGS)
def test_the_right_way_below(heading: str) -> None:
    assert wrong(f"y = model(x)\n\n# {heading}\ny = model(x.float())", 1)
    assert not wrong(f"y = model(x)\n\n# {heading}\nz = other()", 1)  # of something else
    assert not wrong(f"y = model(x)\n\nz = 1  # {heading}\ny = model(x)", 1)  # no heading
    assert not wrong(f"# {heading}\ny = model(x)\n\n# {heading} 2\ny = model(x)", 2)  # itself right


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("z = loss(y)", False),  # it needs what the failing line should have made
        ("y = model(x.float())\nz = loss(y)", True),
        ("w = model(y)\ny = 2", False),
        ("z = model(x.float())", True),
    ],
)
def test_a_right_way_that_needs_the_failing_line(below: str, expected: bool) -> None:
    """Then that line is to work, and the right way is one of something else."""
    assert wrong(f"y = model(x)\n\n# Correct\n{below}", 1) is expected
    assert wrong(f"y = model(y)\n\n# Correct\n{below}", 1)  # there was a `y` before


@pytest.mark.parametrize("heading", ["correct the sizes", "fix this?", "how do I fix it", "Train"])
def test_a_heading_that_is_no_right_way(heading: str) -> None:
    assert not wrong(f"y = model(x)\n\n# {heading}\ny = model(x.float())", 1)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("print(x.grad)  # None", True),
        ("print(x.grad)  # Output: None, as it is detached", True),
        ("# Gradients will be None\nprint(x.grad)", True),
        ("print(x.grad)  # should not be None", False),
        ("print(x.grad)  # None if frozen", False),
        ("print(x.grad)", False),
        ("print(y)  # None", False),
        ("# None\nprint(1)\nprint(x.grad)", False),
    ],
)
def test_a_gradient_that_is_expected_to_be_none(after: str, expected: bool) -> None:
    assert none_expected(f"loss.backward()\n\n{after}", 1) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("# Gradients are calculated only for y\nloss.backward()", False),
        ("loss.backward()  # computes gradients", False),
        ("# no graph: this is not computed\nloss.backward()", True),
        ("# Gradients are calculated\n\nloss.backward()", True),  # of something else
        ("# backward\nloss.backward()", True),
    ],
)
def test_a_backward_that_should_work(said: str, expected: bool) -> None:
    """Who says that gradients are computed there does not mean it to raise."""
    line = said.count("\n") + 1
    assert none_expected(f"{said}\nprint(x.grad)  # None", line) is expected


def test_no_gradient_is_expected_of_other_errors() -> None:
    assert not none_expected("y = a @ b\nprint(x.grad)  # None", 1)


CLASS = """\
class Net(nn.Module):
    def forward(self, x):
        # Incorrect: no gradient
        return (x > 0).float()

net = Net()
{before}
opt = SGD(net.parameters())
"""


@pytest.mark.parametrize(
    ("before", "is_wrong"),
    [("out = net(x)", True), ("y = other(x)", False), ("Net()(x)", False)],
)
def test_a_label_in_a_forward_that_nobody_calls_is_of_nothing_here(before: str, is_wrong: bool):
    """What fails then came of something else."""
    assert wrong(CLASS.format(before=before), 8) is is_wrong


def test_a_label_in_what_makes_the_object_is_of_it():
    code = CLASS.format(before="").replace("def forward(self, x)", "def __init__(self)")
    assert wrong(code, 8)
