"""Facts about knowledge/search/passages.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.articles.article import Article
from knowledge.documents.document import parse_document
from knowledge.search.passages import MAX_WORDS, pack, passages


def test_an_article_is_found_by_its_title_and_by_every_way_it_is_asked(articles: list[Article]):
    """Each is a passage of its own, so that none is diluted by the others."""
    for article in articles:
        pieces = passages(article)

        assert [p.text for p in pieces if p.kind == "title"] == [article.title]
        assert tuple(p.text for p in pieces if p.kind == "also_asked_as") == article.also_asked_as
        assert {p.kind for p in pieces} >= {"what_you_see", "why", "fix"}
        assert [p.ordinal for p in pieces] == list(range(len(pieces)))
        assert len({p.id for p in pieces}) == len(pieces)


def test_code_is_never_a_passage(articles: list[Article]):
    """Neither from articles nor from documents: a snippet is run, not resembled."""
    document = parse_document("Prose.\n\n```\nsecret = 1\n```\n\n    secret = 2\n", Path("a.md"))

    assert [p.text for p in passages(document)] == ["a", "Prose."]
    for article in articles:
        assert not any("```" in p.text or "\nimport " in p.text for p in passages(article))


@given(st.lists(st.integers(1, 450).map(lambda n: "word. " * n)), st.integers(5, 200))
def test_packing_loses_no_word_and_keeps_the_limit(paragraphs: list[str], limit: int):
    """Short paragraphs are joined, long ones cut, nothing is dropped."""
    packed = list(pack(paragraphs, limit))

    assert " ".join(packed).split() == " ".join(paragraphs).split()
    assert all(len(piece.split()) <= limit for piece in packed)


@pytest.mark.parametrize("count", [MAX_WORDS, MAX_WORDS + 1])
def test_the_limit_is_what_the_model_reads(count: int):
    """A paragraph of 200 words stays whole, one more makes a second passage."""
    assert len(list(pack(["word " * count]))) == 1 + (count > MAX_WORDS)


def test_what_a_document_opens_with_is_a_passage_of_its_own():
    """Its first three sentences; where they are all there is, they are said once."""
    text = " ".join(f"Sentence number {n} tells more." for n in range(5))
    first, second = (
        parse_document(f"---\ntitle: T\n---\n\n{t}", Path("a.md")) for t in (text, "Only one.")
    )

    assert [(p.kind, p.text) for p in passages(first)] == [
        ("title", "T"),
        ("opening", " ".join(f"Sentence number {n} tells more." for n in range(3))),
        ("paragraph", text),
    ]
    assert [p.kind for p in passages(second)] == ["title", "paragraph"]
