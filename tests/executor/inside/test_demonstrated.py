"""executor/inside/probes/demonstrated.py: code that shows an error on purpose says so."""

from __future__ import annotations

import ast

import pytest

from executor.inside.probes.demonstrated import Demonstrations


def said(code: str, line: int) -> str:
    """How the comments of a program say that a line fails."""
    return Demonstrations(code.splitlines(), ast.parse(code)).how([line])


@pytest.mark.parametrize(
    "comment",
    [
        "this will fail",
        "This will raise an error!",
        "would throw",
        "should fail: sizes differ",
        "this raises a RuntimeError",
        "Raises ValueError",
        "which throws",
        "does not work",
        "doesn't work without a batch",
        "causes an IndexError",
        "results in a shape error",
        "this line will error",
        "Here, we demonstrate a flawed approach that results in an error.",
        "expected to crash",
        "an error will occur",
        "an exception should be raised",
        "RuntimeError expected",
        "Expected error: sizes",
        "force an error",
        "introducing a shape error",
        "autograd complains",
        "PyTorch will refuse",
        "trailing dims 4 and 3 don't match -> error",
        "the inner sizes differ => RuntimeError",
        "a leaf changed in place -> raises",
        "three rows, two labels --> raises a ValueError!",
        "(2, 3) → (6,), no row is left → IndexError",
    ],
)
def test_a_comment_says_that_it_fails(comment: str):
    """On the line, or right above it."""
    assert said(f"x = 1\ny = a + b  # {comment}", 2) == "comment"
    assert said(f"x = 1\n# {comment}\ny = a + b", 3) == "comment"
    assert said(f"x = 1\ny = f(  # {comment}\n    a,\n    b)", 3) == "comment"


@pytest.mark.parametrize(
    "comment",
    [
        "fails as soon as the batch is larger than 1",
        "fails sometimes",
        "raises always",
        "fails only after the first step",
        "crashes, differences of about 2",
    ],
)
def test_a_comment_that_tells_when_it_failed_is_a_finding_of_theirs(comment: str):
    """Nobody who shows an error on purpose had to find out when it comes."""
    assert said(f"x = 1\n# {comment}\ny = a + b", 3) == ""


@pytest.mark.parametrize(
    "comment", ["RuntimeError: sizes", "Error - sizes", "Error!", "ValueError", "-> error"]
)
def test_a_comment_that_only_names_the_error(comment: str):
    """It may be a demonstration, or what its author got."""
    assert said(f"y = a + b  # {comment}", 1) == "named"


@pytest.mark.parametrize(
    ("below", "how"),
    [
        ("# RuntimeError: sizes differ", "named"),
        ("# Raises ValueError", "named"),
        ("# Output: IndexError: index 5 is out of bounds", "named"),
        ("# RuntimeError here", ""),
        ("# why a RuntimeError?", ""),
        ("# the error of the mean", ""),
        ("# ValueError is a class of Python", ""),
        ("z = 1  # RuntimeError: sizes differ", ""),
    ],
)
def test_a_comment_below_names_what_came(below: str, how: str):
    """Documents write the error down under the line that raises it."""
    assert said(f"y = a + b\n{below}\nw = 2", 1) == how


@pytest.mark.parametrize(
    "comment",
    [
        "error here",
        "this raises an error, why?",
        "I get a RuntimeError",
        "<- fails",
        "RuntimeError happens here",
        "compute the error",
        "expected errors of the estimate",
        "forces of the error bars",
        "the error should be small",
        "the failure rate",
        "add both",
        "this should be a mean",
        "it will work",
        "<- error here",
        "this line -> error",
        "1 2 3 4 -> error",
        "RuntimeError <- sizes of both differ",
        "it stops here on the GPU -> error",
        "why do the sizes differ? -> RuntimeError",
        "my second batch is empty -> error",
        "both of the sizes differ -> error?",
        "the second batch of three -> raises here",
        "works on the CPU, on the GPU -> RuntimeError",
        "both sizes differ <-> error",
        "logits of the batch -> classes -> error",
        "the sizes of both -> error rate",
    ],
)
def test_a_comment_that_says_nothing_of_the_kind(comment: str):
    """A person marks the line at which their code stops, or speaks of something else."""
    assert said(f"y = a + b  # {comment}", 1) == ""


def test_an_arrow_to_what_the_code_computes():
    """There the word is a name of the code's."""
    assert said("error = a - b  # prediction minus the target -> error", 1) == ""
    assert said("# prediction minus the target -> error\nerr = a - b", 2) == ""
    assert said("error = a - b  # the two sizes differ -> ValueError", 1) == "comment"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("# this will fail\nx = 1\ny = a + b", 3),  # of another line
        ("# this will fail\n\ny = a + b", 3),
        ("y = a + b\n# this will fail\nz = c", 1),  # of the next
        ("y = f('# this will fail')", 1),  # a string
        ("y = 1", 2),
        ("y = 1  # this will fail", 0),
    ],
)
def test_a_comment_elsewhere(code: str, line: int):
    """Only the statement's own comment counts."""
    assert said(code, line) == ""


def test_a_block_of_comments_above():
    """Its last three lines."""
    above = ["# this will fail", "# for", "# a reason", "# of its own"]

    assert said("\n".join([*above[:3], "y = a + b"]), 4) == "comment"
    assert said("\n".join([*above, "y = a + b"]), 5) == ""


def tells(handler: str, body: str = "a + b") -> bool:
    """Whether a handler only tells."""
    code = f"try:\n    {body}\nexcept Exception as e:\n    {handler}\n"
    return Demonstrations(code.splitlines(), ast.parse(code)).how([2], 3) == "printed"


def test_a_handler_that_only_tells():
    """It prints or logs what came, and that is all."""
    assert tells("print(e)")
    assert tells("print('no'); print(e)")
    assert tells("logging.error(e)")
    assert tells("traceback.print_exc()")

    assert not tells("pass")
    assert not tells("c = a")
    assert not tells("print(e); raise")
    assert not tells("print(e); c = 0")
    assert not tells("retry(e)")


def test_a_try_that_shows_one_error():
    """A whole training loop, or an import that may fail, shows none."""
    assert tells("print(e)", "a; b; c")
    assert not tells("print(e)", "a; b; c; d")
    assert not tells("print(e)", "import apex")
    assert not tells("print(e)", "from apex import amp")


@pytest.mark.parametrize(
    ("line", "about"),
    [(2, True), (3, True), (4, True), (6, True), (7, False), (1, False), (8, False)],
)
def test_the_comments_of_a_try(line: int, about: bool):
    """A comment above the `try`, or on its first three statements, is about its error."""
    code = ["x = 1", "", "try:", "    a = f()", "    b", "    c", "    d", "except KeyError: pass"]
    code[line - 1] += "  # this will fail" if line != 2 else "# this will fail"
    shown = Demonstrations(code, ast.parse("\n".join(code)))

    # The error came from somewhere else: from within f().
    assert shown.how([None], 8) == ("comment" if about else "")


def test_a_handler_that_is_not_known():
    """`contextlib.suppress` is none."""
    shown = Demonstrations(["a + b"], ast.parse("a + b"))

    assert shown.how([1], None) == "" and shown.how([None], 7) == ""


def test_what_says_more_goes_first():
    """A comment before a handler that prints, and that before the mere name."""
    code = "try:\n    a + b  # {}\nexcept ValueError as e:\n    print(e)\n"

    def how(comment: str) -> str:
        filled = code.format(comment)
        return Demonstrations(filled.splitlines(), ast.parse(filled)).how([2], 3)

    assert how("this will fail") == "comment"
    assert how("ValueError") == "printed"
    assert how("add") == "printed"


SIZES = "RuntimeError: stack expects each tensor to be equal size"
INDEX = "IndexError: list position too large"
GATHER = "RuntimeError: index 3 is out of bounds for dimension 0 with size 2"
LONG = "try:\n    x = a\n    y = f(x)\n    b\n    c\nexcept OSError as e:\n    print(e)\n"
EARLY = "y = f(1)\ntry:\n    f(y)  # raises an error\nexcept OSError as e:\n    print(e)\n"


@pytest.mark.parametrize(
    ("code", "line", "told"),
    [
        ("try:\n    f()\nexcept IndexError as e:\n    print(e)", 2, "tried"),
        ("try:\n    f()\nexcept IndexError as e:\n    print(e)\ng()", 5, ""),
        ("try:\n    f()\nexcept IndexError:\n    x = 1", 2, ""),  # it does something about it
        ("try:\n    f()\nfinally:\n    print(1)", 2, ""),
        ("try:\n    import f\nexcept OSError:\n    print(1)", 2, ""),
        ("try:\n    a\n    b\n    c\n    d\nexcept OSError:\n    print(1)", 2, ""),  # a program
        (LONG + "g()", 3, "tried"),  # which goes on without what that makes
        (LONG, 3, ""),
        (LONG + "g(y)", 3, ""),
        (LONG + "y = 1\ng(y)", 3, "tried"),
        (EARLY, 1, "above"),  # the error that is announced, one line too early
        (EARLY.replace("# raises", "# adds"), 1, ""),
        (EARLY.replace("f(y)", "f(1)"), 1, ""),
        ("def g():\n    try:\n        f()\n    except OSError:\n        print(1)", 3, ""),
        ("f(bad_input)", 1, "labelled"),
        ("loss.backward()\nprint(w.grad)  # None", 1, "labelled"),
    ],
)
def test_an_error_that_nobody_took(code: str, line: int, told: str):
    """It leaves a `try` that would have told of another class; or the code calls itself wrong."""
    assert Demonstrations(code.splitlines(), ast.parse(code)).how([None, line]) == told


@pytest.mark.parametrize(
    ("code", "error", "told"),
    [
        # the look-up comes after what failed
        ("try:\n    y = f(x)\n    z = t[y]\nexcept IndexError as e:\n    print(e)", SIZES, ""),
        ("try:\n    y = f(x)\n    z = t[y]\nexcept IndexError as e:\n    print(e)", INDEX, "tried"),
        ("try:\n    y = f(x)\n    z = t[y]\nexcept ValueError as e:\n    print(e)", SIZES, "tried"),
        ("try:\n    y = f(x)\n    print(y)\nexcept IndexError as e:\n    print(e)", SIZES, "tried"),
        # "out of bounds" is said of an index
        ("# 2 is out of bounds\nz = t[2]", SIZES, ""),
        ("# 2 is out of bounds\nz = t[2]", INDEX, "labelled"),
        ("# 2 is out of bounds\nz = t[2]", GATHER, "labelled"),
    ],
)
def test_what_is_said_of_an_index(code: str, error: str, told: str):
    """It is said of no other error."""
    shown = Demonstrations(code.splitlines(), ast.parse(code))
    assert shown.how([2], error=error) == told


def test_the_head_of_a_loop():
    """What a line of its body says is said of that line alone."""
    assert said("for b in d:  # raises an error\n    print(b)", 1) == "comment"
    assert said("for b in d:\n    print(b)  # raises an error", 1) == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("y += 1  # this breaks the graph", "comment"),
        ("y.add_(1)  # error during backward", "comment"),
        ("y[0] = 0  # will raise an error in backward", "comment"),
        ("y *= 2  # Incorrect: in place", "labelled"),
        ("y.mul_(2)  # avoid this", "labelled"),
        ("y[0] = 0  # wrong", "labelled"),
        ("y += 1  # counts", ""),
        ("v += 1  # this breaks", ""),  # of another value
        ("y.add(1)  # this breaks", ""),  # which changes nothing
        ("y.__init__()  # this breaks", ""),
    ],
)
def test_what_is_said_where_a_value_is_changed_in_place(change: str, told: str):
    """The error comes later, in backward()."""
    assert said(f"y = x.exp()\n{change}\nz = y.sum()\nz.backward()", 4) == told


def test_a_change_further_down_is_not_yet_made():
    assert said("y = x.exp()\ny.sum().backward()\ny += 1  # this breaks the graph", 2) == ""
    assert said("y = x.exp()\ny.sum().backward()\ny += 1  # Incorrect: in place", 2) == ""
