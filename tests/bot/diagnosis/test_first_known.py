"""bot/diagnosis/first_known.py: what is said first where no run shows the error asked about."""

from __future__ import annotations

from typing import Any, cast

import pytest

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.explanation import asked
from bot.diagnosis.wording import unrun
from bot.models import PastedTraceback, Question, RunWith, Snippet
from executor.protocol import Finding
from knowledge.articles.reading import load_articles
from knowledge.articles.slugs import ARTICLES
from knowledge.repair.mistake import NO_MISTAKE, mistake
from knowledge.search.search import Hit, SearchResult
from tests.bot.diagnosis.test_read_not_run import (
    ASIDE,
    LACKS,
    REMARK,
    SIZES,
    UNKNOWN,
    WHY,
    answer,
)
from tests.built import failed, ran
from tests.conftest import Ask

ASKED = WHY.model_copy(update={"title": "It is so", "asked": True})
WHY_Q = "why is it so?"
FROZEN = "Why does batch norm's running_mean change in each forward with requires_grad=False?"
ALL = {article.slug: article for article in load_articles(ARTICLES)}
MOVES = "batch-norm-averages-move-without-a-step"


@pytest.mark.parametrize(
    ("given", "begins"),
    [
        ({"message": SIZES, "why": ASKED, "remarks": (REMARK,)}, "A matrix product"),
        ({"message": UNKNOWN, "why": ASKED, "remarks": (REMARK,)}, "Seen in the code, not run: l"),
        ({"why": ASKED, "remarks": (REMARK,)}, "Seen in the code, not run: line 3"),
        ({"why": ASKED, "text": "how do I do so?", "remarks": (REMARK,)}, "It is so."),
        ({"why": ASKED, "remarks": (ASIDE,)}, "It is so."),
        ({"why": WHY, "text": WHY_Q, "remarks": (REMARK,)}, "Seen in the code, not run: line 3"),
        ({"why": WHY, "text": WHY_Q, "remarks": (ASIDE,)}, "This may be it: T"),
        ({"why": WHY, "text": "so it is", "remarks": (ASIDE,)}, "Seen in the code, not run: li"),
        ({"text": WHY_Q, "remarks": (ASIDE,)}, "Seen in the code, not run: line 3"),
        ({"text": "the memory grows, why?"}, "The cause is not known here."),
        ({"text": WHY_Q}, "Not run: "),
    ],
)
def test_the_best_that_is_known_comes_first(given: dict, begins: str):
    """The posted error, what the words ask, the code, what resembles, a look; then what lacks."""
    made = answer(**{"message": "", "run": LACKS, "missing": "so", **given})

    assert made.status == "not_run" and made.headline.startswith(begins)
    assert bool(made.needed) is not begins.startswith("Not run")


@pytest.mark.parametrize(
    ("names", "told"),
    [(("gzip", "enc"), "post what makes `enc` too"), (("enc", "net"), "`enc` and `net` too")],
)
def test_a_module_of_pythons_own_is_not_asked_for(names: tuple[str, ...], told: str):
    """Everybody has it: what lacks is its import."""
    run = failed("name 'enc' is not defined", "NameError", undefined=names)

    assert unrun.needed("so", run, Question(text="")).endswith(f"{told}.")


def test_without_code_the_same_order_holds():
    """There the text shows nothing but the posted losses."""
    assert (
        answer(SIZES, why=ASKED).headline.startswith("A layer") or answer(SIZES, why=ASKED).posted
    )
    assert answer(why=ASKED).headline == "It is so."
    assert answer(why=WHY).headline == "This may be it: T"
    text = "loss: 1.5, loss: 40.2, loss: 9000.0, loss: nan"
    assert answer(why=WHY, text=text).headline.startswith("The posted losses run away")
    assert answer(text="hm").status == "unsure"


def diagnosis(
    text: str, run=None, *, missing: str = "", pasted: bool = False, near: str = MOVES
) -> Diagnosis:
    """A question, and what its code showed."""
    error = PastedTraceback(type="RuntimeError", message=SIZES) if pasted else None
    question = Question(text=text, snippets=(Snippet(code="x"),), traceback=error)
    wrong = mistake(run) if run is not None else NO_MISTAKE
    return Diagnosis(
        question,
        RunWith(),
        mistake=wrong,
        missing=missing,
        passages=SearchResult((hit(near),), 0.9, 0.5),
    )


def hit(slug: str) -> Hit:
    """What the search found nearest."""
    return Hit(slug, "article", "T", "p", 0.9, why=cast(Any, None), evidence=cast(Any, None))


@pytest.mark.parametrize(
    ("known", "is_asked"),
    [
        (diagnosis(FROZEN), True),
        (diagnosis(FROZEN, near="another-article"), False),  # its words are about the code
        (diagnosis(FROZEN, ran()), True),
        (diagnosis(FROZEN, LACKS, missing="so"), True),
        (diagnosis(FROZEN, failed("no")), True),  # they report no error
        (diagnosis(f"{FROZEN} I get an error", failed("no")), False),
        (
            diagnosis(
                FROZEN,
                ran(
                    findings=(
                        Finding(kind="never_zeroed", line=1, name="w", message="m", mistake=True),
                    )
                ),
            ),
            False,
        ),
        (diagnosis(FROZEN, pasted=True), False),
        (diagnosis("is batch norm nice?"), False),
        (diagnosis(f"in Keras: {FROZEN}"), False),  # another tool
        (diagnosis(f"{FROZEN} Is my own fix of it right?"), False),  # of what they have made
        (diagnosis(f"{FROZEN} Is this right?"), True),
    ],
)
def test_when_the_words_ask_for_an_article(known: Diagnosis, is_asked: bool):
    """Not of an error that was posted, or that the run shows and the words speak of."""
    assert asked(known, ALL) == ((MOVES,) if is_asked else ())


@pytest.mark.parametrize(
    ("why_not", "said"),
    [
        ("message_gone", "raises this error no more"),
        ("runs_today", "No value that was tried raised it"),
        ("not_found", ""),
    ],
)
def test_what_the_search_says_of_versions(why_not: str, said: str):
    """Where it is of the version, that is said with what was missing; else nothing is."""
    told = unrun.of_this_version(why_not, ran())

    assert (said in told) if said else not told


@pytest.mark.asyncio(loop_scope="session")
async def test_a_question_of_understanding_is_answered_beside_code(ask: Ask):
    """The article is told though the code lacks its model and runs to no error."""
    made = await ask(
        "The weights do not change but the evaluation is another one\n\n"
        "```python\nfor x in loader:\n    model.train()\n    y = model(x)\n    break\n```\n"
        "Nothing is trained, no weight update. Why does evaluate give another result?"
    )

    assert made.why is not None and made.why.asked and made.why.article == MOVES
    assert made.headline == f"This may be it: {made.why.title}." and made.why.text
