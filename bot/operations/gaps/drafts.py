"""Draft the article that a gap lacks: the ways of asking, and a program of somebody's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.errors import QuestionError
from bot.operations.gaps.groups import Gap, UnansweredQuestion, first_sentence
from knowledge.articles.new import new_article

_SHOWN_WAYS = 8  # questions that a draft quotes


def draft_by_number(gaps: Sequence[Gap], number: int, folder: Path, slug: str) -> Path:
    """Draft the article that would close a gap, by its number in the table; its folder.

    Raises:
        QuestionError: there is no such gap.
        ArticleError: the article is already there, or cannot be written.
    """
    if not 1 <= number <= len(gaps):
        here = f"the gaps are numbered 1 to {len(gaps)}" if gaps else "nothing is open"
        raise QuestionError(f"there is no gap {number}: {here}")
    return draft(gaps[number - 1], folder, slug)


def draft(gap: Gap, root: Path, slug: str = "") -> Path:
    """Write the skeleton of the article that would close a gap: the ways of asking, a program.

    Returns:
        The new folder. Loading it names what is still to be written.

    Raises:
        ArticleError: the folder is already there, or cannot be made.
    """
    ways = list(dict.fromkeys(first_sentence(q.text) for q in gap.questions if q.text.strip()))
    programs = sorted((q for q in gap.questions if q.code.strip()), key=lambda q: len(q.code))
    broken = _marked(programs[0]) if programs else None
    return new_article(root, slug or gap.slug, also_asked_as=ways[:_SHOWN_WAYS], broken=broken)


def _marked(question: UnansweredQuestion) -> str:
    """The code with its failing line marked as an article's broken.py marks it."""
    lines = question.code.rstrip("\n").split("\n")
    if question.error is not None and question.line and question.line <= len(lines):
        type_, message = question.error
        first = (message.splitlines() or [""])[0]
        at = question.line - 1
        if "#" not in lines[at]:
            lines[at] = f"{lines[at].rstrip()}  # error: {type_}: {first}"
    return "\n".join(lines) + "\n"
