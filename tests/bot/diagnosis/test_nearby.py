"""bot/diagnosis/nearby.py: what is near to a question that nothing answers, and to which ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.diagnosis.answer import compose
from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.nearby import near, wants_near
from bot.models import FunctionShown, PastedTraceback, Question, RunWith, Snippet
from bot.platforms.card import sheet
from bot.service.seam import Answered
from knowledge.repair.mistake import mistake
from knowledge.search.search import Hit, SearchResult, SourceMatch
from tests.built import failed
from tests.our_articles import OUR_ARTICLES as ARTICLES

WHY = "In the book the state is made anew for each batch of words. Why is it so, what is it for?"
RECIPE = "hidden-state-between-batches"
MISTAKE = "softmax-before-cross-entropy"  # it raises nothing
ERROR = "cat-sizes"


def of(text: str = WHY, **more: object) -> Diagnosis:
    """A question without code, of which nothing else is known."""
    return replace(Diagnosis(Question(text=text), RunWith()), **more)  # type: ignore[arg-type]


POSTED = Question(text=WHY, traceback=PastedTraceback(type="TypeError", message="no"))
FUNCTION = FunctionShown(name="torch.zeros", signature="()", summary="Zeros.")
WRONG = mistake(failed("no", "ValueError"))


@pytest.mark.parametrize(
    ("known", "wants"),
    [
        (of(), True),
        (of(WHY.replace("?", ".").replace("Why", "For some reason")), False),  # it asks nothing
        (of("I do not understand what the state of each batch is for, nor who makes it"), True),
        (of(f"{WHY}\n```\nepoch 3, state 0.25\n```"), False),  # it is of what is shown there
        (of(f"{WHY} Is it `h`?"), True),
        (of(f"{WHY} It fails."), False),  # something was raised
        (of(f"{WHY} The loss does not decrease."), False),  # a symptom has looks of its own
        (of(f"{WHY} The GPU memory grows with each step."), False),
        (of(f"{WHY} It is a TensorFlow model in Keras."), False),  # another tool's
        (of(question=POSTED), False),
        (of(functions=(FUNCTION,)), False),
        (of(asked=(RECIPE,)), False),
        (of(mistake=WRONG), False),  # the run shows what is wrong
        (of(mistake=WRONG, missing="a name"), True),  # of what was missing
    ],
)
def test_only_a_question_that_nothing_else_answers_gets_what_is_near(known: Diagnosis, wants: bool):
    """An error, a symptom or another tool's question is no question of understanding."""
    assert wants_near(known) is wants


def found(*hits: tuple[str, float]) -> SearchResult:
    evidence = SourceMatch(0.5, 1, 0.5, 1)
    made = tuple(Hit(slug, "article", "T", "…", score, "meaning", evidence) for slug, score in hits)
    return SearchResult(made, 0.9, 0.5)


@pytest.mark.parametrize(
    ("hits", "told"),
    [
        ([(RECIPE, 0.8)], [RECIPE]),
        ([(RECIPE, 0.79)], []),
        ([(ERROR, 0.9), (RECIPE, 0.85)], [RECIPE]),  # what raises an error is another matter
        ([("a-document", 0.9), (MISTAKE, 0.85)], [MISTAKE]),
        (
            [(slug, 0.9) for slug in (RECIPE, MISTAKE, "cat-or-stack", "max-and-argmax")],
            [RECIPE, MISTAKE, "cat-or-stack"],
        ),
    ],
)
def test_three_at_most_and_none_of_an_error(hits: list[tuple[str, float]], told: list[str]):
    """In the order of the search."""
    assert [one.article for one in near(found(*hits), ARTICLES)] == told


def test_of_a_mistake_that_nobody_saw_its_rule_alone_is_told():
    """Its title says what is wrong in code, and here no code was seen to be so."""
    recipe, mistaken = near(found((RECIPE, 0.9), (MISTAKE, 0.9)), ARTICLES)

    assert recipe.says.startswith(ARTICLES[RECIPE].title)
    assert ARTICLES[MISTAKE].names_a_mistake
    assert ARTICLES[MISTAKE].title not in mistaken.says
    assert ARTICLES[MISTAKE].reason().startswith(mistaken.says)


def test_the_nearest_is_said_first_and_called_no_more_than_that():
    """It is unsure, and the others stand below."""
    both = near(found((RECIPE, 0.9), (MISTAKE, 0.9)), ARTICLES)

    made = compose(of(near=both, passages=found()))

    assert made.headline == (
        f"Not sure that this answers it; the nearest that is known: {both[0].says}"
    )
    parts = {part.title: part.text for part in sheet(Answered(answer=made)).parts}
    assert parts["Also near to your words"] == f"• {both[1].says}"
    assert made.status == "unsure" and not made.needed


def test_beside_code_nothing_near_is_told():
    """What resembles the words is about something else than the code."""
    assert not wants_near(of(question=Question(text=WHY, snippets=(Snippet(code="x = 1"),))))
