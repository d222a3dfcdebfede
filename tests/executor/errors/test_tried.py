"""executor/errors/tried.py: an advice without what the post has tried, or has already."""

from __future__ import annotations

import pytest

from executor.errors.tried import untried

CLONE = "Use `torch.no_grad()` there, or clone it: `x = x.clone()`"
INSTALL = "`pip install pillow`"
NO_GRAD = "Use `torch.no_grad()` there"
LAST = "Give the loader `drop_last=True`; for prediction call `model.eval()` first"


@pytest.mark.parametrize(
    ("advice", "words", "code", "line", "left"),
    [
        (CLONE, "", "", "", CLONE),
        (CLONE, "It is not solved wherever I added .clone()", "", "", NO_GRAD),
        (CLONE, "I tried torch.no_grad()", "", "", "Clone it: `x = x.clone()`"),
        (CLONE, "I tried no_grad() and x.clone() already", "", "", ""),
        (CLONE, "Should I use clone()?", "", "", CLONE),  # not tried
        (CLONE, "clone() does not help unless I use no_grad()", "", "", CLONE.partition(",")[0]),
        (CLONE, "", "", "y = x.clone()", NO_GRAD),
        (CLONE, "", "y = x.clone()", "", CLONE),  # a call elsewhere is of another tensor
        ("Write `torch.linalg.eig(x)`", "", "", "torch.eig(x)", "Write `torch.linalg.eig(x)`"),
        ("Write `torch.linalg.eig(x)`", "", "", "y = torch.linalg.eig(x)", ""),
        (LAST, "", "loader(drop_last = True)", "", "For prediction call `model.eval()` first"),
        (LAST, "", "loader(drop_last=False)", "", LAST),
        (LAST, "I already call model.eval()", "", "", "Give the loader `drop_last=True`"),
        ("Set `A_B=1`", "", "os.environ['A_B'] = '1'", "", ""),
        ("Set `a_b=1`", "", "print(a_b)", "", "Set `a_b=1`"),
        (INSTALL, "I did pip install pillow, same error", "", "", ""),
        (INSTALL, "I did pip install torch, same error", "", "", INSTALL),
        (INSTALL, "I did pip install pillow-simd, same error", "", "", INSTALL),
        ("Do `a=1`, or `b=2`. Print c", "", "f(b=2)", "", "Do `a=1`. Print c"),
        ("Do (`a=1`, or the newest). See c", "", "f(a=1)", "", "See c"),
        ("Do (`a=1`, or the newest). See c", "", "", "", "Do (`a=1`, or the newest). See c"),
        ("Do (or not) that; give `a=1`, or `b(`", "", "f(a=1)", "", "Do (or not) that, or `b(`"),
        ("Do that. Give `a=1`; see c", "", "f(a=1)", "", "Do that. See c"),
        ("Rename them; `a=False` would lose some", "", "f(a=False)", "", "Rename them; `a=False` "
         "would lose some"),
        ("Look for `+=` and a=True", "", "f(a=True)", "", "Look for `+=` and a=True"),
        ("Print its shape", "I tried to print its shape", "", "", "Print its shape"),
        ("`print(x)` and see", "I tried print(x)", "", "", "`print(x)` and see"),
        ("Leave `m(x)` out", "", "", "m(x)", "Leave `m(x)` out"),  # their line, quoted
        ("Write `a; b`; then `c()`", "I tried c()", "", "", "Write `a; b`"),
    ],
)  # fmt: skip
def test_what_was_tried_is_not_advised(advice: str, words: str, code: str, line: str, left: str):
    """A part goes where all that it has one do was done; a look, or part of it, stays."""
    assert untried(advice, words, code, line) == left
