"""knowledge/repair/telling.py: which code may tell of its error, and how."""

from __future__ import annotations

import pytest

from knowledge.repair.telling import Telling, read_telling, telling_job, told
from knowledge.repair.toolkit.edits import Program
from tests.built import failed, ran

TOLD = 'except RuntimeError as error:\n    print("RuntimeError:", error)\n'


def told_of(code: str, line: int, error: str = "RuntimeError") -> Telling | None:
    return told(Program(code), (line,), error)


@pytest.mark.parametrize(
    ("code", "line", "new"),
    [
        # the statement alone, with the comments above and beside it
        (
            "x = 1\n# fails\nf(x)  # wrong\nprint(x)\n",
            3,
            f"x = 1\n# fails\ntry:\n    f(x)  # wrong\n{TOLD}print(x)\n",
        ),
        # with the lines right below that need what it would have made
        (
            "y = f(1)\nz = y + 1\nprint(z)\ng(2)\n",
            1,
            f"try:\n    y = f(1)\n    z = y + 1\n    print(z)\n{TOLD}g(2)\n",
        ),
        # the name gets another value before it is used again
        (
            "x = f(1)\nx = g(2)\nprint(x)\n",
            1,
            f"try:\n    x = f(1)\n{TOLD}x = g(2)\nprint(x)\n",
        ),
        # in a block that is run once
        (
            "with a:\n    f(1)\nprint(2)\n",
            2,
            "with a:\n    try:\n        f(1)\n    except RuntimeError as error:\n"
            '        print("RuntimeError:", error)\nprint(2)\n',
        ),
        # a name that the code does not have
        (
            "error = 1\nf(error)\nprint(2)\n",
            2,
            "error = 1\ntry:\n    f(error)\nexcept RuntimeError as e:\n"
            '    print("RuntimeError:", e)\nprint(2)\n',
        ),
        # what a change in place leaves alone may be used
        ("x = 1\nx += f(1)\nprint(x)\n", 2, f"x = 1\ntry:\n    x += f(1)\n{TOLD}print(x)\n"),
        # its own `except` names another class
        (
            "try:\n    f(1)\nexcept TypeError as e:\n    print(e)\n",
            2,
            "try:\n    f(1)\nexcept RuntimeError as e:\n    print(e)\n",
        ),
        # with the name that it prints
        (
            "try:\n    f(1)\nexcept TypeError as e:\n"
            '    print(f"TypeError: {e}", "a TypeError!")\n',
            2,
            "try:\n    f(1)\nexcept RuntimeError as e:\n"
            '    print(f"RuntimeError: {e}", "a RuntimeError!")\n',
        ),
        # what the rest reports on was not left out: the failing line is the backward itself
        (
            "y.backward()\nprint(x.grad)\n",
            1,
            f"try:\n    y.backward()\n{TOLD}print(x.grad)\n",
        ),
        # a comment speaks of the failing line itself
        (
            "y = f(x)  # to be avoided: avoid\ny.backward()\nprint(x.grad)\n",
            1,
            f"try:\n    y = f(x)  # to be avoided: avoid\n    y.backward()\n{TOLD}print(x.grad)\n",
        ),
        (
            "y = f(x)  # may break autograd\ny.backward()\nprint(x.grad)\n",
            1,
            f"try:\n    y = f(x)  # may break autograd\n    y.backward()\n{TOLD}print(x.grad)\n",
        ),
        # the rest does not speak of gradients
        (
            "y = f(x)\ny.backward()\nprint(x)  # x.grad\n",
            1,
            f"try:\n    y = f(x)\n    y.backward()\n{TOLD}print(x)  # x.grad\n",
        ),
    ],
)
def test_an_error_is_told_of(code: str, line: int, new: str):
    """Nothing else of the code changes."""
    found = told_of(code, line)

    assert found is not None and found.code == new


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("x = 1\nf(x)\n", 2),  # nothing follows
        ("f(1)\ndef g():\n    pass\n", 1),  # nor does a definition do anything
        ("for i in range(3):\n    f(i)\nprint(1)\n", 2),  # once for each round
        ("def g():\n    f(1)\ng()\n", 2),  # in a function, which may be used elsewhere
        ("x = f(1)\ng(2)\nprint(x)\n", 1),  # what it makes is needed further down
        ("x = f(1)\ng(2)\nx = h(x)\n", 1),  # also by what gives the name another value
        ("x = f(1)\ng(2)\nfor i in a:\n    x = i\nprint(x)\n", 1),  # or may not give it one
        ("try:\n    f(1)\nexcept TypeError as e:\n    x = 2\ng(3)\n", 2),  # does more than tell
        ("try:\n    f(1)\nexcept TypeError:\n    p(1)\nexcept KeyError:\n    p(2)\ng(3)\n", 2),
        ("y = f(x)\ny.backward()\nprint(x.grad)\n", 1),  # what it reports on would be left out
        ("x = 1\n", 5),  # no such line
    ],
)
def test_where_going_on_would_not_be_honest(code: str, line: int):
    """The code stays as it is."""
    assert told_of(code, line) is None


def test_its_own_except_is_known_for_what_it_is():
    """It says that the error is there to be shown; a new one only supposes so."""
    own = told_of("try:\n    f(1)\nexcept TypeError as e:\n    print(e)\n", 2)
    new = told_of("f(1)\ng(2)\n", 1)

    assert own is not None and own.of_its_own
    assert "`except` names RuntimeError, which line 2 raises, not TypeError" in own.title
    assert new is not None and not new.of_its_own
    assert new.title == "line 1 tells of its RuntimeError in a `try`, and the rest runs"


@pytest.mark.parametrize(
    ("code", "how", "is_told"),
    [
        ("x = 1\nf(x)\n", "comment", True),
        ("x = 1\nf(x)\n", "labelled", True),
        ("x = 1\nf(x)\n", "named", False),
        ("x = 1\ny = f(x)\nprint(y)\n", "comment", True),
        ("x = 1\ny = f(x)\nprint(y)\n", "labelled", False),  # what it would make is wanted
        ("x = 1\ny = f(x)\nprint(y)  # Output: tensor([3, 4])\n", "comment", False),
        ("x = 1\ny = f(x)\nprint(y)  # Output: None\n", "comment", True),
    ],
)
def test_the_last_line(code: str, how: str, is_told: bool):
    """Where the code says that it fails; not where it says what comes out."""
    found = told(Program(code), (2,), "RuntimeError", how)

    assert (found is not None) is is_told
    assert found is None or found.title == "line 2 tells of its RuntimeError in a `try`"


def test_a_loop_over_what_fails():
    """It fails at its head, before it has done anything that is left half done."""
    code = "d = f(1)\nfor b in d:  # this will fail\n    g(b)\n"

    found = told(Program(code), (1, 2), "RuntimeError", "comment")

    body = "    for b in d:  # this will fail\n        g(b)\n"
    assert found is not None and found.code == f"d = f(1)\ntry:\n{body}{TOLD}"
    assert told(Program(code), (3,), "RuntimeError", "comment") is None


def test_attributes_and_keywords_are_no_variables():
    """`np.y` and `g(y=1)` need no `y`."""
    assert told_of("y = f(1)\nx = np.y(1) + g(y=1)\nprint(x)\n", 1) is not None


BELOW = "# one\ntry:\n    y.f()  # raises\n{}except {} as e:\n    print(e)\nprint(1)\n"


def test_an_error_one_line_above_its_try():
    """The line moves into it."""
    found = told_of("y = x.g()  # in place\n" + BELOW.format("", "RuntimeError"), 1)

    assert found is not None and found.of_its_own
    assert found.code == BELOW.format("", "RuntimeError").replace(
        "    y.f()", "    y = x.g()  # in place\n    y.f()"
    )


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("y = x.g()\n" + BELOW.format("", "KeyError"), "takes another class"),
        ("z = x.g()\n" + BELOW.format("", "RuntimeError"), "needs nothing of it"),
        ("y = x.g()\n" + BELOW.format("", "RuntimeError") + "print(y)\n", "needed further down"),
    ],
)
def test_a_try_below_that_is_for_something_else(code: str, why: str):
    """It stays as it is."""
    found = told_of(code, 1)

    assert found is None or not found.of_its_own, why


def test_a_try_in_a_function_may_be_the_one():
    """The innermost one that would tell of another class, on the way to what failed."""
    code = "def g():\n    try:\n        f(1)\n    except TypeError as e:\n        print(e)\n\ng()\n"

    found = told(Program(code), (3, 7), "RuntimeError")

    assert found is not None and found.of_its_own
    assert found.code == code.replace("TypeError", "RuntimeError")


def test_only_an_error_that_is_shown_on_purpose_is_told_of():
    """And only one whose class a handler can name without an import."""
    shown = failed("no", line=1, demonstrated="comment")

    assert telling_job("f(1)\ng(2)\n", shown) is not None
    assert telling_job("f(1)\ng(2)\n", failed("no", line=1)) is None
    assert telling_job("f(1)\n", ran()) is None
    for other in ("torch.OutOfMemoryError", "SystemExit", "print"):
        assert telling_job("f(1)\n", failed("no", other, demonstrated="comment")) is None
    assert telling_job("#" * 70_000, shown) is None
    assert read_telling(ran()) is None
