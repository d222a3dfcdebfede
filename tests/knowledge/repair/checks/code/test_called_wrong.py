"""knowledge/repair/checks/code/called_wrong.py: what the code calls wrong is what is mended."""

from __future__ import annotations

import pytest

from executor.protocol import Frame
from knowledge.repair.checks.code.called_wrong import check
from tests.built import failed
from tests.knowledge.repair.checks.code.changed import refused

BESIDE = "a = f(2)  # first\nb = f(3)  # takes 3 (incorrect)\nc = g(a, b)\n"
ABOVE = "a = f(2)\n\n# Incorrect: 3 for 2\nb = f(3)\n\nc = g(a, b)\n"
NAMED = "a = f(2)\nwrong_b = f(3)\nc = g(a, wrong_b)\n"
FUNCTION = "a = f(2)\ndef bad_loss(x):\n    return x.size()\nc = bad_loss(a)\n"
CLASS = FUNCTION.replace("def bad_loss(x)", "class BadLoss(x)").replace("bad_loss", "BadLoss")
OTHER = FUNCTION.replace("bad_loss", "badge")
OUTSIDE = "a = f(2)\nb = g([1, 3])  # 3 is out of range\nc = a(b)\n"
BELOW = "a = f(2)\ndef g(x):\n    y = a(x)\n    return y  # incorrect\nc = g(3)\n"
UNSAID = "a = f(2)  # first\nb = f(3)\nc = g(a, b)\n"


@pytest.mark.parametrize(
    ("code", "new", "passes"),
    [
        (BESIDE, BESIDE.replace("f(2)", "f(3)"), False),  # the rest is made to fit it
        (BESIDE, BESIDE.replace("f(3)", "f(2)"), True),
        (BESIDE, BESIDE.replace("g(a, b)", "g(a, a)"), True),  # where it fails
        (BESIDE, "d = 1\n" + BESIDE, True),
        (ABOVE, ABOVE.replace("f(2)", "f(3)"), False),
        (ABOVE, ABOVE.replace("f(3)", "f(2)"), True),
        (NAMED, NAMED.replace("f(2)", "f(3)"), False),
        (NAMED, NAMED.replace("f(3)", "f(2)"), True),
        (FUNCTION, FUNCTION.replace("f(2)", "g(f(2))"), False),
        (FUNCTION, FUNCTION.replace("x.size()", "len(x)"), True),
        (CLASS, CLASS.replace("f(2)", "g(f(2))"), False),
        (OTHER, OTHER.replace("f(2)", "g(f(2))"), True),
        (OUTSIDE, OUTSIDE.replace("f(2)", "f(4)"), False),
        (OUTSIDE, OUTSIDE.replace("3]", "1]"), True),
        (UNSAID, UNSAID.replace("f(2)", "f(3)"), True),  # nothing is called wrong
    ],
)
def test_what_is_called_wrong_is_mended(code: str, new: str, passes: bool) -> None:
    """Beside the line, above its section, or by a name."""
    last = code.count("\n")
    frames = (Frame(function="<module>", line=last),)
    shown = failed("sizes differ", line=last, demonstrated="labelled", frames=frames)

    assert (refused(check, code, new, shown) == "") is passes
    # Whoever does not show an error means no line in particular.
    assert refused(check, code, new, failed("sizes differ", line=last, frames=frames)) == ""


LATER = "a = f(2)\nb = g(a)\n\n# Wrong: 3 for 2\nc = g(3)\n"
TOLD = "a = f(2)\nb = g(a)  # sizes are out of range\n"


@pytest.mark.parametrize(
    ("code", "line", "message", "passes"),
    [
        (LATER, 2, "sizes differ", True),  # nothing had come to it
        (LATER, 5, "sizes differ", False),
        (TOLD, 3, "sizes differ", False),
        (TOLD, 3, "sizes are out of range", True),  # the comment repeats what came
    ],
)
def test_what_the_error_is_not_about_is_left(
    code: str, line: int, message: str, passes: bool
) -> None:
    """A label further down is of something else; the error's own words are none."""
    code += "d = 1\n"
    shown = failed(
        message, line=line, demonstrated="labelled", frames=(Frame(function="<module>", line=line),)
    )

    assert (refused(check, code, code.replace("f(2)", "f(3)"), shown) == "") is passes


TWO = """\
class A:
    def f(self):
        return 5  # Incorrect size
class B:
    def f(self):
        return g(4)
a, b = A(), B()
b.f()
"""


@pytest.mark.parametrize(("function", "line", "passes"), [("f", 6, True), ("f", 3, False)])
def test_a_class_that_the_failure_did_not_pass_through_is_another_matter(
    function: str, line: int, passes: bool
) -> None:
    """What is wrong of the one says nothing of the other, which is there to be right."""
    frames = (Frame(function="<module>", line=8), Frame(function=function, line=line))
    shown = failed("sizes differ", line=line, demonstrated="labelled", frames=frames)
    old, new = ("g(4)", "g(5)") if passes else ("A(), B()", "A(), A()")

    assert (refused(check, TWO, TWO.replace(old, new), shown) == "") is passes


@pytest.mark.parametrize(("line", "passes"), [(3, True), (4, False)])
def test_what_was_not_run_was_not_shown_to_be_wrong(line: int, passes: bool) -> None:
    """A label below the failing line of a function is of something else."""
    frames = (Frame(function="<module>", line=5), Frame(function="g", line=line))
    shown = failed("sizes differ", line=line, demonstrated="labelled", frames=frames)
    new = BELOW.replace("f(2)", "f(3)")

    assert (refused(check, BELOW, new, shown) == "") is passes
