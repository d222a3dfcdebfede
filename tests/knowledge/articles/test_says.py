"""knowledge/articles/says.py: whether a post's words ask what an article answers."""

from __future__ import annotations

import pytest

from knowledge.articles.reading import load_articles
from knowledge.articles.says import asks, read_way
from knowledge.articles.slugs import ARTICLES

ALL = load_articles(ARTICLES)
ROW = "batch norm* | bn & eval* & worse | chang* .. result & not shape*"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Batch normalization and evaluation: it is worse", True),
        ("BN in eval mode changes every single result", True),  # words may stand between
        ("BN in eval mode changes all of what I had before as a result", False),  # too many
        ("batch-norm, evaluated: worse", True),
        ("Evaluation is worse", False),
        ("The batch norm in eval is fine", False),
        ("abn in eval is worse", False),  # a part of a word
        ("BN in eval mode is worse, and the shape is odd", False),
        ("BN?\nOne.\nTwo.\nThree.\nIn eval it is worse.", True),  # the title goes with each place
        ("Hello\nBN.\nOne.\nTwo.\nThree.\nIn eval it is worse.", False),  # too far away
    ],
)
def test_all_parts_are_said_in_one_place(text: str, asked: bool):
    """Each part by one of its words; what must not be said counts in the whole post."""
    assert asks(text, [read_way(ROW)]) is asked


def test_one_way_is_enough_and_none_is_none():
    """A post asks in one of the ways; an article without any is never asked for so."""
    ways = [read_way("a1 & b1"), read_way("a2 & b2")]

    assert asks("a2 and b2", ways)
    assert not asks("a1 and b2", ways)
    assert not asks("a1 and b1", [])


@pytest.mark.parametrize("row", ["alone", "a & | b", "a & ", "a & not b"])
def test_a_row_that_says_too_little_is_refused(row: str):
    """One word, or an empty one, is no question."""
    with pytest.raises(ValueError, match=r"alternative|at least"):
        read_way(row)


@pytest.mark.parametrize("article", [a for a in ALL if a.says], ids=lambda a: a.slug)
def test_an_article_is_asked_for_by_its_own_wordings(article):
    """What it says it is asked as, or its title, asks for it."""
    assert any(article.is_asked(text) for text in (article.title, *article.also_asked_as))


def test_few_articles_are_asked_for_by_the_wordings_of_another():
    """Of all titles and wordings one in a hundred at most asks for another article alone."""
    said = [(a, text) for a in ALL for text in (a.title, *a.also_asked_as)]
    astray = [
        (a.slug, text)
        for a, text in said
        if not a.is_asked(text) and any(b.is_asked(text) for b in ALL)
    ]

    assert len(astray) <= len(said) / 100, astray


@pytest.mark.parametrize(
    ("text", "asked", "in_a_question"),
    [
        ("a1 and b1", True, True),  # the title alone asks
        ("Hello\nI have a1. And b1. What now?", True, True),  # near a question
        ("Hello\nI have a1, and b1.", True, False),  # told, and not asked
        ("Hello\nI have a1, and b1. One. Two. Three. Four. What now?", True, False),  # far from it
        ("Hello\nI have a1. What now?", False, False),
    ],
)
def test_what_is_told_is_not_asked(text: str, asked: bool, in_a_question: bool) -> None:
    """How something is done is answered where the title or a question asks it."""
    ways = [read_way("a1 & b1")]

    assert asks(text, ways) is asked
    assert asks(text, ways, in_a_question=True) is in_a_question


def test_a_recipe_wants_a_question_and_a_symptom_none() -> None:
    """Whoever tells of a symptom asks about it; of a recipe's words a post may tell only."""
    articles = {article.slug: article for article in load_articles(ARTICLES)}
    recipe, symptom = articles["choose-a-gpu"], articles["batch-norm-differs-in-eval"]
    told = "It hangs\nThe forward runs on one GPU, and I choose which GPU it is, how it comes."
    seen = "About my model\nWith batch norm its loss is bad at test time."

    assert not recipe.is_asked(told) and recipe.is_asked(f"{told} Is that right?")
    assert recipe.is_recipe and not symptom.is_recipe and symptom.is_asked(seen)
