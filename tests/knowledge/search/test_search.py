"""Facts about knowledge/search/search.py: what is found, and what is left alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.abstention import read
from knowledge.articles.article import Article
from knowledge.documents.document import parse_document
from knowledge.documents.verdict import Verdict
from knowledge.search.bm25 import tokenize
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import build_index, open_index
from knowledge.search.search import THRESHOLD, QueryPart, Search
from tests.knowledge.search import questions

INPLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation"
)
ASKED = [(slug, question) for slug, asked in questions.PARAPHRASES.items() for question in asked]


def first(search: Search, text: str, error: tuple[str, str] | None = None) -> str:
    return search.search(text, error).hits[0].source


@pytest.mark.parametrize(("slug", "title"), questions.TITLES.items())
def test_the_first_questions_find_their_articles(search: Search, slug: str, title: str):
    """Each title, word for word, finds the article on its subject."""
    result = search.search(title)

    assert result.hits[0].source == slug
    assert not result.abstained


@pytest.mark.parametrize(("slug", "question"), ASKED)
def test_other_words_find_the_same_article(search: Search, slug: str, question: str):
    """People do not use our words; among all articles the right one is in the first three."""
    assert slug in [hit.source for hit in search.search(question, k=3).hits]


def test_the_right_article_mostly_comes_first(search: Search):
    """Of questions in other words, three in four; of two hundred articles neighbours take the rest.

    With half as many articles it were four in five.
    """
    right = [first(search, question) == slug for slug, question in ASKED]

    assert sum(right) >= 0.75 * len(right)


@pytest.mark.parametrize(("question", "slugs"), questions.COVERED_SINCE.items())
def test_what_was_off_topic_is_answered_since_there_is_an_article(
    search: Search, question: str, slugs: set[str]
):
    """A new article takes its subject over from the list of what is not ours."""
    result = search.search(question)

    assert result.hits[0].source in slugs
    assert not result.abstained


def test_the_paraphrases_are_paraphrases(articles: list[Article]):
    """They share few words with the title and stand in no article."""
    listed = {asked for article in articles for asked in article.also_asked_as}
    for slug, asked in questions.PARAPHRASES.items():
        title = set(tokenize(questions.TITLES[slug]))
        for question in asked:
            words = set(tokenize(question))
            assert len(words & title) / len(words) < 0.3, question
            assert question not in listed


def test_most_paraphrases_are_answered(search: Search):
    """Being first is not enough: most are above the threshold."""
    answered = [question for _, question in ASKED if not search.search(question).abstained]

    assert len(answered) >= 0.85 * len(ASKED)


@pytest.mark.parametrize("question", questions.OFF_TOPIC + questions.LOOKED_AT_OFF_TOPIC)
def test_off_topic_questions_are_left_alone(search: Search, question: str):
    """Silence is better than the wrong article, also for PyTorch questions that none answers."""
    assert search.search(question).abstained


def test_unseen_questions_fare_as_well(search: Search, capsys: pytest.CaptureFixture[str]):
    """On questions that nothing was tuned for, written when there were five articles."""
    on = [(slug, search.search(q)) for slug, asked in questions.HELD_OUT.items() for q in asked]
    off = [search.search(q) for q in questions.HELD_OUT_OFF_TOPIC]

    assert sum(slug in [h.source for h in r.hits[:3]] for slug, r in on) >= 0.7 * len(on)
    assert sum(not r.abstained for _, r in on) >= 0.7 * len(on)
    assert sum(r.abstained for r in off) >= 0.7 * len(off)


def test_the_threshold_parts_the_two_groups(search: Search):
    """Shown with `pytest -s`: where the two groups end, and the threshold between them."""
    on = sorted(search.search(q).confidence for _, q in [*questions.TITLES.items(), *ASKED])
    off = sorted(search.search(q).confidence for q in questions.OFF_TOPIC)
    print(f"\non-topic from {on[0]:.2f}, {on[1]:.2f}, {on[2]:.2f}; off-topic to {off[-1]:.2f}")

    assert off[-1] < THRESHOLD
    assert on[4] > THRESHOLD  # the weakest four of thirty may be missed


def test_the_real_error_wins_over_the_prose(search: Search):
    """Somebody who suspects gamma but whose run raised the optimizer's error gets that answer."""
    result = search.search(
        "why does gamma not learn?", ("ValueError", "can't optimize a non-leaf Tensor")
    )

    assert result.hits[0].source == "non-leaf-tensor-in-optimizer"
    assert result.hits[0].why == "signature"
    assert result.confidence > 0.9
    assert result.hits[1].source == "plain-tensor-attribute-not-a-parameter"


@pytest.mark.parametrize("text", ["", "help pls", "it doesn't work, any ideas?"])
def test_an_error_without_a_question_is_enough(search: Search, text: str):
    """Many people paste code and nothing else."""
    assert first(search, text, ("ValueError", "can't optimize a non-leaf Tensor")) == (
        "non-leaf-tensor-in-optimizer"
    )


@pytest.mark.parametrize(
    ("node", "slug"),
    [
        (
            "AsStrided, is at version 7; expected version 6",
            "in-place-write-to-a-view-saved-for-backward",
        ),
        ("Exp, is at version 1; expected version 0", "in-place-overwrites-saved"),
        ("Sigmoid, is at version 1; expected version 0", "in-place-overwrites-saved"),
        ("TanhBackward0, is at version 2; expected version 0", "in-place-overwrites-saved"),
    ],
)
def test_one_signature_two_articles(search: Search, node: str, slug: str):
    """Both in-place articles know the message; what was changed tells which one is meant."""
    message = f"{INPLACE}: [torch.cuda.FloatTensor [64, 10]], which is output 0 of {node} instead."
    result = search.search("", ("RuntimeError", message))

    assert result.hits[0].source == slug
    assert [hit.why for hit in result.hits[:2]] == ["signature", "signature"]


@pytest.mark.parametrize(
    "text",
    [
        "I get `can't optimize a non-leaf Tensor`",
        "my log says ValueError: can't optimize a non-leaf Tensor",
        "so can't optimize a non-leaf tensor is all it tells me",
    ],
)
def test_a_quoted_message_is_recognised(search: Search, text: str):
    """Without a run, the message that the question quotes counts."""
    result = search.search(text)

    assert (result.hits[0].source, result.hits[0].why) == (
        "non-leaf-tensor-in-optimizer",
        "signature",
    )


@pytest.mark.parametrize(
    "error",
    [
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'data.csv'"),
        ("OSError", "[Errno 28] No space left on device"),
        ("KeyError", "'encoder_weights_of_last_year'"),
    ],
)
def test_another_error_silences_a_lookalike(search: Search, error: tuple[str, str]):
    """Prose about gamma and code that crashes with something else: the prose is not the answer."""
    text = "my gamma does not learn although requires_grad is True"

    assert not search.search(text).abstained
    assert search.search(text, error).abstained


def test_a_long_question_is_found_by_its_sentence(search: Search):
    """Greetings, background and thanks do not bury what is asked."""
    text = (
        "Hi everyone, I am new here and hope this is the right channel. We work on a small medical "
        "imaging project with about 3000 slides and a U-Net that a colleague wrote last year. "
        "I added self.gamma = torch.ones(64, requires_grad=True) to the module but it never "
        "changes during training. The rest is fine, the loss goes down. Any hint is welcome!"
    )
    result = search.search(text)

    assert result.hits[0].source == "plain-tensor-attribute-not-a-parameter"
    assert not result.abstained


def test_each_source_competes_once(search: Search, articles: list[Article]):
    """However many passages fit, an article is one hit, with a score between 0 and 1."""
    hits = search.search("in-place operation", k=len(articles)).hits

    assert sorted(hit.source for hit in hits) == [article.slug for article in articles]
    assert all(0 <= hit.score <= 1 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(search.search("in-place operation", k=2).hits) == 2


@pytest.mark.parametrize("text", ["", "   ", "?", "\0", "a" * 50_000, "🙂" * 100, "'\"`" * 9_000])
def test_any_text_is_searched(search: Search, text: str):
    """Nothing that a message can hold makes the search fail, or makes it sure."""
    assert search.search(text).abstained


def test_an_empty_index_abstains(tmp_path: Path, model: EmbeddingModel):
    """No sources, no hits, no error."""
    build_index(tmp_path, [], model)
    result = Search(open_index(tmp_path), model).search("why", ("ValueError", "x"))

    assert (result.hits, result.abstained) == ((), True)


def test_documents_are_found_beside_articles(
    tmp_path: Path, articles: list[Article], model: EmbeddingModel, index_folder: Path
):
    """A document answers what no article does; where both know the error, the article is first."""
    sizes = parse_document(
        "# Why do batches of unequal sizes fail?\n\n`stack expects each tensor to be equal size` "
        "comes from the default collate function when images in a batch differ in size.",
        Path("sizes.md"),
    )
    lookalike = parse_document(
        "# Non-leaf tensors\n\nIt says ValueError: can't optimize a non-leaf Tensor",
        Path("leaf.md"),
    )
    sources = [lookalike, *articles, sizes]
    folder = shutil.copytree(index_folder, tmp_path / "index")  # the articles are embedded there
    build_index(folder, sources, model)
    search = Search(open_index(folder, sources, model), model)

    stack = ("RuntimeError", "stack expects each tensor to be equal size, but got [3] at entry 0")
    assert first(search, "images of unequal sizes in a batch", stack) == "sizes"
    hits = search.search("", ("ValueError", "can't optimize a non-leaf Tensor")).hits
    assert [hit.source for hit in hits[:2]] == ["non-leaf-tensor-in-optimizer", "leaf"]
    assert hits[1].kind == "document"


def test_an_error_is_looked_for_in_the_code_of_documents(tmp_path: Path, model: EmbeddingModel):
    """Sizes stand in code, not in prose: the document that computes with them comes first."""
    texts = {
        name: f"# Layers\n\nTwo layers that do not fit.\n\n```python\nnn.Linear({size}, 10)\n```\n"
        for name, size in (("a", 300), ("b", 784), ("c", 128))
    }
    documents = [parse_document(text, Path(f"{name}.md")) for name, text in texts.items()]
    build_index(tmp_path, documents, model)
    message = "mat1 and mat2 shapes cannot be multiplied (64x30 and 784x10)"
    hits = Search(open_index(tmp_path), model).search("", ("RuntimeError", message)).hits

    assert hits[0].source == "b"
    assert hits[0].evidence.code > hits[1].evidence.code


def test_a_document_is_about_what_it_opens_with(tmp_path: Path, model: EmbeddingModel):
    """Its first sentence counts more, and being about what most documents are about."""
    texts = {
        "opens": "Clipping of gradients by norm keeps steps small. It is done before a step.",
        "mentions": "An optimizer takes small steps. Gradients can be clipped by norm before one.",
        "bread": "Sourdough wants to be fed every day. Use rye.",
    }
    documents = [parse_document(text, Path(f"{name}.md")) for name, text in texts.items()]
    build_index(tmp_path, documents, model)
    index = open_index(tmp_path)
    (measured,) = Search(index, model).measure([QueryPart("how to clip the norm of gradients")])
    names = list(dict.fromkeys(piece.source for piece in index.passages))
    share = dict(zip(names, measured.first_sentence.tolist(), strict=True))
    company = dict(zip(names, measured.company.tolist(), strict=True))

    assert share["opens"] > share["mentions"] == share["bread"] == 0
    assert min(company, key=company.__getitem__) == "bread"


@pytest.mark.parametrize(
    "names", ["'list' object has no attribute 'split'", "'A' object has no attribute 'b'"]
)
def test_a_missing_attribute_is_known_by_its_names(search: Search, names: str):
    """With its names taken out it is the message of every missing attribute."""
    assert search.search("", ("AttributeError", names)).abstained


def test_a_missing_attribute_that_an_article_names_is_known(search: Search):
    """The class is the asker's own; the attribute is what tells."""
    error = ("AttributeError", "'MyModel' object has no attribute '_backward_hooks'")

    assert first(search, "", error) == "assignment-before-super-init"


@pytest.mark.parametrize(
    ("key", "known"), [("LOCAL_RANK", True), ("MASTER_PORT", True), ("x_train", False)]
)
def test_a_missing_key_is_known_by_its_name(search: Search, key: str, known: bool):
    """With its name taken out it is the message of every missing key."""
    hit = search.search("", ("KeyError", f"'{key}'")).hits[0]

    assert (hit.source == "started-without-torchrun" and hit.evidence.error == "real") is known


def test_a_hit_says_why_it_ranks_where_it_does(search: Search):
    """Meaning and words with their ranks, and whether it knows an error that was named."""
    hit = search.search("so can't optimize a non-leaf tensor is all it tells me").hits[0]

    assert hit.evidence.error == "quoted"
    assert 0 < hit.evidence.meaning <= 1
    assert hit.evidence.words_rank == 1


def test_few_are_refused_and_fewer_answered_in_vain(search: Search):
    """Of 200 off-topic questions at most 4 are answered, of 200 on-topic at most 10 refused."""
    on, off = read("on_topic.tsv"), read("off_topic.tsv")
    refused = [text for _, text in on if search.search(text).abstained]
    answered = [text for _, text in off if not search.search(text).abstained]

    assert len(on) >= 200 and len(off) == 200
    assert len(refused) <= 10 * len(on) / 200, refused
    assert len(answered) <= 4, answered


def test_what_an_audit_refuted_goes_behind_what_holds(tmp_path: Path, model: EmbeddingModel):
    """Both answer and the refuted one is nearer: it comes second, as sure as the first at most."""
    texts = {
        "refuted": "# How do I clip gradients by norm?\n\nCall `clip_grad_norm_` after backward.",
        "holding": "# How do I clip gradients by norm in a loop?\n\nCall `clip_grad_norm_` in it.",
        "bread": "# Sourdough\n\nFeed it every day.",
    }
    documents = [parse_document(text, Path(f"{name}.md")) for name, text in texts.items()]
    build_index(tmp_path, documents, model)
    index, question = open_index(tmp_path), "how do I clip gradients by norm"
    holds = Verdict.HOLDS
    verdicts = {"refuted": Verdict.REFUTED, "holding": holds, "bread": holds}
    plain = Search(index, model).search(question).hits
    told = Search(index, model, verdicts=verdicts).search(question).hits

    assert [hit.source for hit in plain] == ["refuted", "holding", "bread"]
    assert [hit.source for hit in told] == ["holding", "refuted", "bread"]
    assert [hit.verdict for hit in told] == ["holds", "refuted", "holds"]
    assert told[1].score <= told[0].score
    # Alone it stays where it is: what holds and answers nothing goes before no one.
    alone = {"refuted": Verdict.REFUTED, "bread": holds}
    assert Search(index, model, verdicts=alone).search(question).hits[0].source == "refuted"


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("how to freeze the first layers of a pretrained model", True),
        ("训练时随着epoch的增加，占用的内存越来越多，如何冻结预训练模型的前几层", False),
        ("как заморозить первые слои предобученной модели в pytorch", False),
    ],
)
def test_what_the_model_cannot_read_is_not_answered(search: Search, text: str, answered: bool):
    """It was trained on English: to it every Chinese sentence resembles some other one."""
    assert search.search(text).abstained is not answered


def test_an_error_is_known_whatever_the_prose_is_written_in(search: Search):
    """Its message is in English."""
    tensor = "[torch.cuda.FloatTensor [64, 10]], which is output 0 of ReluBackward0"
    result = search.search(f"请问这个错误是什么意思：RuntimeError: {INPLACE}: {tensor} instead.")

    assert not result.abstained
