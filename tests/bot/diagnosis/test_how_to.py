"""bot/diagnosis/how_to.py and the answer to a how-to question: a function, or an article."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.diagnosis.documentation import Documentation
from bot.diagnosis.how_to import asks_beside_code, is_near_enough, least_confidence, related
from bot.diagnosis.wording import searched
from bot.models import FunctionShown, PastedTraceback, Question, Snippet
from executor.exceptions import ExecutorGoneError
from executor.service.client import ExecutorClient
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.search import Hit, SearchResult, SourceMatch
from tests.conftest import Ask
from tests.our_articles import OUR_ARTICLES as ARTICLES

STORY = (
    "The mean of that network equals [0.5, 0.5, 0.5], and its deviation equals [0.5, 0.5, 0.5] "
    "too. A normalization with these values maps 0 to -1 and 255 to 509. Is that normal?"
)


def found(score: float, source: str = "cat-sizes", error: str = "") -> SearchResult:
    evidence = SourceMatch(0.5, 1, 0.5, 1, error=error)  # type: ignore[arg-type]
    title = ARTICLES[source].title if source in ARTICLES else "A document"
    hit = Hit(source, "article", title, "…", score, "meaning", evidence)
    return SearchResult((hit,), score, 0.5)


def shown(name: str, **more: object) -> FunctionShown:
    return FunctionShown(name=name, signature="(x)", summary="Does it.", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "articles", "least"),
    [
        ("flip a tensor", SearchResult((), 0.0, 0.5), 0.0),  # nothing is known of it
        ("flip a tensor", found(0.49), 0.0),  # nor here
        (STORY, SearchResult((), 0.0, 0.5), None),  # it tells of something, and wants no function
        (f"{STORY} How do I undo that?", SearchResult((), 0.0, 0.5), 0.0),
        (f"{STORY} It is a long story. How do I undo that?", SearchResult((), 0.0, 0.5), None),
        (
            f"torch.flip\n{STORY} It is a story. How is that?",
            SearchResult((), 0.0, 0.5),
            0.0,
        ),  # named
        ("how do I flip a tensor", found(0.9), 0.0),  # it asks how
        ("what does torch.flip do", found(0.9), 0.0),
        ("difference of cat and stack", found(0.9), 0.0),
        ("concatenation of tensors", found(0.6), 0.6),  # it may be about the article
        ("concatenation of tensors", found(0.8), 0.8),  # it surely is, and the function too
        ("why concatenation of tensors", found(0.8), None),
        ("how do I cat, it raises", found(0.6), None),  # something goes wrong
        ("how do I get rid of this error", found(0.6), None),
        ("how do I compute the mean squared error", found(0.9), 0.0),  # that error is a loss
        ("why do I need cat, and how is it used", found(0.6), 0.6),
        ("why do I need cat, and how is it used", found(0.9), None),
        ("how do I cat", found(0.9, error="quoted"), None),  # it names the article's error
        ("how do I cat, it raises", found(0.3), 0.0),  # no article knows better
        ("how do I get the next word from GPT2", found(0.3), None),  # another library's
        ("how do I load the tokenizer\n\nThe model loads with torch.load", found(0.3), None),
        ("how do I use F.softmax or nn.Softmax on a tokenizer's output", found(0.3), 0.0),
        ("is there a function like numpy.histogram", found(0.3), 0.0),
    ],
)
def test_when_a_function_may_answer(text: str, articles: SearchResult, least: float | None):
    """Of what goes wrong an article knows more; how something is done a function says."""
    assert least_confidence(Question(text=text), articles) == least


@pytest.mark.parametrize(("score", "least"), [(0.84, 0.0), (0.85, None)])
def test_a_recipe_goes_before_the_functions_that_it_puts_together(
    score: float, least: float | None
):
    """If it surely is about the question; else it is an article like others."""
    question, of_it = Question(text="how do I freeze layers"), found(score)

    assert least_confidence(question, of_it, recipes={"cat-sizes"}) == least
    assert least_confidence(question, of_it, recipes={"stop-early"}) == 0.0


def test_code_and_errors_are_not_answered_with_a_function():
    """A run, or the error, says more."""
    with_code = Question(text="how do I flip?", snippets=(Snippet(code="x.flip()"),))
    with_error = Question(text="how?", traceback=PastedTraceback(type="TypeError", message="no"))

    assert least_confidence(with_code, found(0.0)) is None
    assert least_confidence(with_error, found(0.0)) is None


CODE = (Snippet(code="class Net: ..."),)
ERROR = PastedTraceback(type="TypeError", message="no")


@pytest.mark.parametrize(
    ("question", "missing", "asks"),
    [
        (Question(text="does it learn?", snippets=CODE), "nothing was called", True),
        (Question(text="why is it so", snippets=CODE), "nothing was called", True),
        (Question(text="it is so", snippets=CODE), "nothing was called", False),  # asks nothing
        (Question(text="does it learn?", snippets=CODE), "", False),  # its run answers
        (Question(text="does it learn?"), "nothing was called", False),  # no code
        (Question(text="why?", snippets=CODE, traceback=ERROR), "a name", False),  # an error
    ],
)
def test_words_beside_code_ask(question: Question, missing: str, asks: bool):
    """Where the code could not be run, and no error was posted, the words are the question."""
    assert asks_beside_code(question, missing) is asks


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("how do I flip it?", 0.8),
        ("is there a function that flips it?", 0.8),
        ("what does this print?", None),  # it asks about the code
        ("how does this work?", None),
        ("why is it so?", None),  # it asks for no function
        ("how do I flip it, it fails?", None),  # something goes wrong
        ("how do I flip it? The loss does not decrease", None),  # a symptom is told
        (f"how do I flip it? {'This is a long story. ' * 14}", None),  # it tells of more
    ],
)
def test_a_function_answers_beside_code_that_could_not_be_run(text: str, least: float | None):
    """It has to be sure: the code may show what the words do not tell."""
    assert least_confidence(Question(text=text, snippets=CODE), found(0.9), "a name") == least


@pytest.mark.parametrize(("score", "near"), [(0.69, False), (0.7, True)])
def test_an_article_beside_code_has_to_be_surer(score: float, near: bool):
    """An article that merely resembles the words is not about the code."""
    question, of_code = Question(text="is it so?", snippets=CODE), found(score)
    assert is_near_enough(question, of_code.hits[0], of_code) is near


@pytest.mark.parametrize(
    ("text", "score", "error", "near"),
    [
        ("how do I cat", 0.5, "", True),
        ("how do I cat", 0.49, "", False),
        ("how do I cat in pandas", 0.79, "", False),  # it resembles much
        ("how do I cat in pandas", 0.8, "", True),
        ("how do I cat in pandas", 0.5, "quoted", True),
    ],
)
def test_an_article_for_another_tool_has_to_be_surer(
    text: str, score: float, error: str, near: bool
):
    """Words of another tool's questions are ours too; its errors are not."""
    of = found(score, error=error)
    assert is_near_enough(Question(text=text), of.hits[0], of) is near


@pytest.mark.parametrize(
    ("function", "source", "score", "is_related"),
    [
        ("torch.cat", "cat-sizes", 0.1, True),  # its title names it
        ("torch.topk", "cat-sizes", 0.9, False),
        ("torch.Tensor.backward", "cat-sizes", 0.9, False),
        ("torch.Tensor.backward", "in-place-overwrites-saved", 0.9, True),  # it uses it
        ("torch.Tensor.backward", "in-place-overwrites-saved", 0.4, False),  # as all of them do
        ("torch.cat", "no-article-of-ours", 0.9, False),
    ],
)
def test_the_related_article_is_on_that_function(
    function: str, source: str, score: float, is_related: bool
):
    """What only resembles the question is not shown beside the function."""
    assert bool(list(related([shown(function)], found(score, source), ARTICLES))) is is_related


@pytest.mark.parametrize(("score", "is_related"), [(0.5, True), (0.49, False)])
def test_a_teams_own_document_stands_beside_the_function(score: float, is_related: bool):
    """It is about the question, and theirs."""
    of = found(score, "a-document")
    of = replace(of, hits=(replace(of.hits[0], kind="document"),))
    assert bool(list(related([shown("torch.cat")], of, ARTICLES))) is is_related


@pytest.mark.parametrize(
    ("functions", "headline"),
    [
        ([shown("torch.a"), shown("torch.b")], "Use `torch.a`: Does it."),
        ([shown("torch.a", named=True), shown("torch.b")], "About `torch.a`: Does it."),
        (
            [shown("torch.a", named=True), shown("torch.b", named=True)],
            "About `torch.a`: Does it. `torch.b`: Does it.",
        ),
    ],
)
def test_the_first_line_answers_in_words(functions: list[FunctionShown], headline: str):
    """What to use, or what the named ones are."""
    assert searched.function(functions) == headline


async def test_a_how_to_question_gets_a_function_with_output_of_a_run(ask: Ask):
    """And what was run once is not run again."""
    answer = await ask("How can I repeat each row of a matrix n times?")

    assert answer.status == "advice"
    assert answer.headline.startswith("Use `torch.repeat_interleave`: ")
    first = answer.functions[0]
    assert first.signature.startswith("(input, repeats")
    assert "x.repeat_interleave(2, dim=0)\ntensor([[1, 2],\n        [1, 2]" in first.example
    assert first.library.startswith("torch 2")
    assert (await ask("How can I repeat each row of a matrix n times?")).functions[0] == first


async def test_the_article_on_the_function_stands_beside_it(ask: Ask):
    """Its programs were run, like those of any article that is shown."""
    answer = await ask("What is the difference between torch.load and torch.save?")

    assert {f.name for f in answer.functions[:2]} == {"torch.load", "torch.save"}
    assert answer.why is not None and answer.why.proof is not None and answer.why.proof.holds


@pytest.mark.parametrize(
    "text",
    [
        "my cat refuses to eat dry food",
        "how do I reverse a list in Python",
        "Expected all tensors to be on the same device, but found at least two devices",
    ],
)
async def test_nothing_else_gets_one(ask: Ask, text: str):
    """Neither what is off the field nor an error."""
    assert not (await ask(text)).functions


def _written(folder: Path) -> list[Path]:
    return list(folder.iterdir())


class _Gone(ExecutorClient):
    """An executor that nobody started."""

    def __init__(self) -> None:
        pass

    async def capabilities(self) -> dict[str, object]:
        raise ExecutorGoneError("nobody is there; start it")


async def test_without_an_executor_there_is_no_function_and_no_error(
    tmp_path: Path, model: EmbeddingModel
):
    """The articles answer as ever."""
    documentation = Documentation(tmp_path, model, _Gone())

    assert (await documentation.find("repeat each row")).abstained
    assert not _written(tmp_path)


async def test_what_may_not_be_built_now_is_not(
    tmp_path: Path, model: EmbeddingModel, executor: ExecutorClient
):
    """`knowledge.auto_index: false` leaves that to `torchmedic index`."""
    documentation = Documentation(tmp_path, model, executor, may_build=False)

    assert (await documentation.find("repeat each row")).abstained
    assert not _written(tmp_path)
