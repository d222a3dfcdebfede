"""bot/operations/gaps: what belongs together, what it is called, what is drafted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.operations.gaps.drafts import draft
from bot.operations.gaps.groups import UnansweredQuestion, find_gaps
from knowledge.articles.reading import load_article
from knowledge.errors import ArticleError
from knowledge.search.embedding import EmbeddingModel

BUCKETS = (
    "how do I choose bucket_cap_mb for DistributedDataParallel gradient buckets?",
    "what is a good gradient bucket size for DistributedDataParallel?",
    "DistributedDataParallel gradient buckets: which bucket size is fastest?",
)
QUANTUM = "can torch simulate a quantum circuit with eight qubits?"


def asked(text: str, at: float = 0, **more: object) -> UnansweredQuestion:
    return UnansweredQuestion(text, "unanswered", at, **more)  # type: ignore[arg-type]


def test_questions_about_one_thing_are_one_gap(model: EmbeddingModel):
    """The larger gap comes first, named by the words that its questions share."""
    gaps = find_gaps([asked(QUANTUM), *map(asked, BUCKETS)], model)

    assert [len(gap.questions) for gap in gaps] == [3, 1]
    assert {"bucket", "gradient"} <= {term.rstrip("s") for term in gaps[0].terms}
    assert gaps[1].questions[0].text == QUANTUM


def test_one_error_is_one_gap_whatever_people_write(model: EmbeddingModel):
    """Sizes and addresses do not part them, and who only quotes the error belongs to it."""
    gaps = find_gaps(
        [
            asked("help", error=("RuntimeError", "bucket 3 of rank 0 is not ready after 30 s")),
            asked(
                "what now?", error=("RuntimeError", "bucket 7 of rank 12 is not ready after 9 s")
            ),
            asked("it stops: RuntimeError: bucket 5 of rank 1 is not ready after 60 s"),
            asked("why?", error=("ValueError", "rank 3 has no bucket")),
        ],
        model,
    )

    assert [len(gap.questions) for gap in gaps] == [3, 1]
    assert gaps[0].name.startswith("RuntimeError: bucket")
    assert gaps[0].slug.startswith("runtimeerror-bucket")


def test_a_draft_has_the_questions_and_the_shortest_program(model: EmbeddingModel, tmp_path: Path):
    """What people wrote is YAML whatever they wrote; loading it names what is to be written."""
    code = "import torch\n\nx = torch.bucket(3)\n"
    error = ("AttributeError", "module 'torch' has no attribute 'bucket'")
    (gap,) = find_gaps(
        [
            asked('so "torch: bucket" # fails\nreally', code=code, error=error, line=3),
            asked("where is it?", code=code * 2, error=error, line=3),
        ],
        model,
    )
    made = draft(gap, tmp_path, "bucket-is-gone")

    explanation = (made / "explanation.md").read_text()
    assert made.name == "bucket_is_gone"
    assert '  - "so \\"torch: bucket\\" # fails"' in explanation and "where is it?" in explanation
    line = (made / "broken.py").read_text().splitlines()[2]
    assert line == f"x = torch.bucket(3)  # error: {error[0]}: {error[1]}"
    with pytest.raises(ArticleError, match="title"):
        load_article(made)
    with pytest.raises(ArticleError, match="already there"):
        draft(gap, tmp_path, "bucket-is-gone")


@settings(deadline=None, max_examples=40)  # a model embeds; no time is asserted
@given(st.lists(st.text(), max_size=6))
def test_any_words_make_gaps(model: EmbeddingModel, texts: list[str]):
    """Nothing is lost but what says nothing; every gap has a name that a folder can have."""
    gaps = find_gaps([asked(text) for text in texts], model)

    assert sum(len(gap.questions) for gap in gaps) == sum(bool(text.strip()) for text in texts)
    assert all(gap.name and gap.slug == gap.slug.strip("-") != "" for gap in gaps)
