"""Facts about benchmarks/reading.py: what a reader sees, and how verdicts are counted."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.posts import rebuilt
from benchmarks.reading import counted, drawn, identity, page
from bot.models import AnswerError, PastedTraceback

ROW: dict[str, Any] = {
    "document": "a.md",
    "block": 0,
    "status": "fixed",
    "headline": "it is `x`",
    "assumptions": ["`F` is torch.nn.functional"],
    "error": "sizes differ",
    "error_type": "RuntimeError",
    "line": 2,
    "explanation": "`x` has 3 rows",
    "why": {"title": "Sizes", "text": "sizes must agree", "remedy": "make them agree"},
    "fixes": [{"title": "give `x` 4 rows", "intent": "", "diff": "-a\n+b", "codemod": "secret"}],
    "code": 'a = 1\nb = """\n```\n"""',
}


def row(name: str, **other: Any) -> dict[str, Any]:
    """An answer of another document."""
    return ROW | {"document": name} | other


def test_page_shows_code_error_and_offer_and_not_how_it_was_made() -> None:
    text = page([ROW], "offers")
    for part in (
        "   1 a = 1",
        "at line 2",
        "RuntimeError: sizes differ",
        "give `x` 4 rows",
        "+b",
        "`F` is",
    ):
        assert part in text
    assert "secret" not in text and "a.md" not in text


def test_a_fence_in_the_code_does_not_end_the_codes_fence() -> None:
    assert "\n````\n   1 a = 1" in page([ROW], "offers")


@pytest.mark.parametrize(("of", "part"), [("explanations", "3 rows"), ("whys", "must agree")])
def test_page_shows_what_is_judged(of: str, part: str) -> None:
    text = page([ROW], of)
    assert part in text and "+b" not in text


def test_only_answers_that_have_the_thing_are_drawn() -> None:
    rows = [row("a.md"), row("b.md", fixes=[]), row("c.md", why=None)]
    assert {r["document"] for r in drawn(rows, "offers", 9)} == {"a.md", "c.md"}
    assert {r["document"] for r in drawn(rows, "whys", 9)} == {"a.md", "b.md"}


def test_the_draw_does_not_depend_on_the_order_of_the_dump() -> None:
    rows = [row(f"{n}.md") for n in range(9)]
    few = drawn(rows, "offers", 3)
    assert len(few) == 3 and few == drawn(rows[::-1], "offers", 3)
    assert len({identity(r) for r in rows}) == 9


def test_verdicts_are_counted_and_an_unknown_one_is_named() -> None:
    given = [{"id": "1", "verdict": "right"}, {"id": "2", "verdict": "wrong", "kind": "cut"}]
    assert counted(given, "offers") == {"right": 1, "wrong": 1}
    with pytest.raises(ValueError, match=r"3: 'good' is no verdict on offers; use right"):
        counted([{"id": "3", "verdict": "good"}], "offers")


def test_a_post_is_shown_with_its_answer_and_what_a_good_one_says() -> None:
    post = {"document": "1", "block": 0, "message": "help", "shown": "Fixed", "truth": "cause: it"}
    text = page([post], "posts")
    assert text.index("help") < text.index("Fixed") < text.index("cause: it")


SIZES = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"


@pytest.mark.parametrize(
    ("posted", "real", "same"),
    [
        (("RuntimeError", SIZES), ("RuntimeError", SIZES), True),
        (("RuntimeError", SIZES), ("RuntimeError", SIZES.replace("2x3", "8x3")), False),
        (("RuntimeError", SIZES), ("RuntimeError", "element 0 of tensors does not require"), False),
        (("my.Error", "no 3 ways"), ("Error", "no 3 ways"), True),
        (("Error", "no 3 ways"), ("Other", "no 3 ways"), False),
        (("Error", "no ways"), ("Error", "no means"), False),
    ],
)
def test_a_posted_error_is_rebuilt_by_its_family_and_sizes(
    posted: tuple[str, str], real: tuple[str, str], same: bool
) -> None:
    pasted = PastedTraceback(type=posted[0], message=posted[1])
    error = AnswerError(type=real[0], message=real[1], line=1, code="", caught=False, traceback="")
    assert rebuilt(pasted, error) is same
    assert rebuilt(pasted, None) is False
