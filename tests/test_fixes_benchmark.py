"""benchmarks/fixes.py: two corpora counted side by side."""

from __future__ import annotations

from benchmarks.corpus import Block
from benchmarks.fixes import Tried, side_by_side
from bot.models import Answer
from knowledge.repair.fix import Fix

FIX = Fix(codemod="a", diff="", code="", verified=True, checks=(), result=None)
BLOCK = Block("a.md", 0, "f()", (), {"family": "too short"})


def tried(**offered: object) -> Tried:
    answer = Answer.model_construct(**{"fix": None, "alternatives": ()} | offered)  # type: ignore[arg-type]
    return Tried(BLOCK, answer, 1, 1, 0.5)


def test_what_two_corpora_get_and_how_far_apart_they_are() -> None:
    home = [tried(fix=FIX), tried(alternatives=(FIX, FIX)), tried(), tried()]
    others = [tried(fix=FIX), tried(), tried(), tried(), tried()]

    assert side_by_side(home, others).splitlines() == [
        "this corpus: 2 of 4 failing blocks get an offer (50.0%): 1 fixes, 1 with alternatives",
        "beside it: 1 of 5 failing blocks get an offer (20.0%): 1 fixes, 0 with alternatives",
        "difference: 30.0 points",
    ]
    assert "difference: 50.0 points" in side_by_side(home, [])
