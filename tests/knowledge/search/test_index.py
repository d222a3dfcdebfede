"""Facts about knowledge/search/index.py."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from knowledge.articles.article import Article
from knowledge.articles.reading import load_articles
from knowledge.documents.document import parse_document
from knowledge.errors import (
    DimensionMismatchError,
    IndexDamagedError,
    IndexMissingError,
    StaleIndexError,
)
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import build_index, open_index
from knowledge.search.passages import passages
from tests.knowledge.conftest import CountingModel


@pytest.fixture(scope="module")
def articles() -> list[Article]:
    """A few: some facts need everything embedded anew."""
    return load_articles()[:5]


@pytest.fixture(scope="module")
def of_few(
    articles: list[Article], model: EmbeddingModel, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("few")
    build_index(folder, articles, model)
    return folder


@pytest.fixture
def built(tmp_path: Path, of_few: Path) -> Path:
    """A copy of the index of those articles, to be damaged."""
    return Path(shutil.copytree(of_few, tmp_path / "index"))


def generation(folder: Path) -> Path:
    return folder / json.loads((folder / "manifest.json").read_text())["generation"]


def test_a_passage_is_nearest_to_itself(built: Path, model: EmbeddingModel):
    """Row n of the vectors is passage n."""
    index = open_index(built)

    rows, scores = index.nearest(model.encode([p.text for p in index.passages]), 3)

    assert rows.shape == scores.shape == (len(index.passages), 3)
    assert rows.dtype == np.int64
    assert rows[:, 0].tolist() == list(range(len(index.passages)))
    assert np.allclose(scores[:, 0], 1, atol=1e-5)
    assert np.allclose(index.vectors([4]) @ model.encode([index.passages[4].text])[0], 1, atol=1e-5)


def test_asking_for_more_than_there_is(built: Path, model: EmbeddingModel):
    """Rows beyond the last passage are -1."""
    index = open_index(built)

    rows, _ = index.nearest(model.encode(["x"]), len(index.passages) + 2)

    assert rows[0, -2:].tolist() == [-1, -1]


def test_queries_of_another_model_are_refused(built: Path):
    """Vectors of another length cannot be compared."""
    with pytest.raises(DimensionMismatchError, match="384 numbers, these have 3"):
        open_index(built).nearest(np.zeros((1, 3), dtype=np.float32), 1)


def test_only_what_changed_is_embedded(
    built: Path, articles: list[Article], counting: CountingModel
):
    """Adding or changing one source embeds its new passages and nothing else."""
    report = build_index(built, articles, counting)
    assert (report.embedded, counting.embedded) == (0, [])

    note = parse_document("---\ntitle: A new one\n---\nWith one paragraph.", Path("new.md"))
    report = build_index(built, [*articles, note], counting)
    assert counting.embedded == ["A new one", "With one paragraph."]
    assert (report.embedded, report.sources) == (2, len(articles) + 1)

    counting.embedded.clear()
    changed = replace(articles[0], title="Another title")
    build_index(built, [changed, *articles[1:], note], counting)
    assert counting.embedded == ["Another title"]

    counting.embedded.clear()
    build_index(built, articles, counting)
    assert counting.embedded == [articles[0].title]


def test_what_is_kept_is_not_mixed_up(
    built: Path, tmp_path: Path, articles: list[Article], model: EmbeddingModel
):
    """An index built in two steps holds the same vectors as one built at once."""
    build_index(tmp_path / "steps", articles[:2], model)
    build_index(tmp_path / "steps", articles, model)

    steps, once = open_index(tmp_path / "steps"), open_index(built)

    assert list(steps.passages) == list(once.passages)
    rows = range(len(once.passages))
    assert np.allclose(steps.vectors(rows), once.vectors(rows), atol=1e-5)


def test_a_missing_index_says_how_to_build_it(tmp_path: Path):
    """Before the first `torchmedic index` there is nothing, which is no crash."""
    with pytest.raises(IndexMissingError, match="run `torchmedic index`"):
        open_index(tmp_path / "none")


def test_a_stale_index_names_what_changed(
    built: Path, articles: list[Article], model: EmbeddingModel
):
    """New, changed and removed sources, and another model, each by name."""
    note = parse_document("text", Path("fresh.md"))
    changed = replace(articles[0], why="Another reason.")

    open_index(built, articles, model)
    with pytest.raises(StaleIndexError) as caught:
        open_index(built, [changed, *articles[2:], note])

    assert set(caught.value.changes) == {
        "fresh is new",
        f"{articles[0].slug} changed",
        f"{articles[1].slug} is gone",
    }


def test_code_alone_does_not_make_an_index_stale(built: Path, articles: list[Article]):
    """Only what is searched counts: a comment in fixed.py needs no new index."""
    open_index(built, [replace(articles[0], fixed="# nicer\n"), *articles[1:]])


def test_another_model_makes_an_index_stale(
    built: Path, articles: list[Article], model: EmbeddingModel
):
    """And building with it embeds everything anew."""

    class Renamed(CountingModel):
        identity = "other-model@sha256:0"  # type: ignore[assignment]

    other = Renamed(model)
    with pytest.raises(
        StaleIndexError, match=r"the model changed from all-MiniLM.* to other-model"
    ):
        open_index(built, articles, other)

    build_index(built, articles, other)
    assert len(other.embedded) == len(open_index(built, articles, other).passages)


@pytest.mark.parametrize("name", ["vectors.npy", "passages.jsonl"])
@pytest.mark.parametrize("damage", ["cut", "flip", "remove"])
def test_a_damaged_file_is_named(
    built: Path, articles: list[Article], counting: CountingModel, name: str, damage: str
):
    """The index says which file it is, and building mends it."""
    path = generation(built) / name
    content = bytearray(path.read_bytes())
    if damage == "remove":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[:-1])
    else:
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    with pytest.raises(IndexDamagedError, match=rf"{name}.*run `torchmedic index`"):
        open_index(built)

    build_index(built, articles, counting)
    assert counting.embedded  # nothing of a damaged index is reused
    open_index(built, articles)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 99}', '{"format": 2}', "\0", "[" * 9000]
)
def test_a_damaged_manifest_is_named(built: Path, text: str):
    """Whatever it holds, it is our error that comes out."""
    (built / "manifest.json").write_text(text)

    with pytest.raises(IndexDamagedError, match=r"manifest\.json"):
        open_index(built)


class _Stops:
    """A model that fails after a few passages."""

    identity = "stops"

    def encode(self, texts: object) -> np.ndarray:
        raise KeyboardInterrupt


def test_an_interrupted_build_leaves_the_old_index(
    built: Path, articles: list[Article], model: EmbeddingModel
):
    """Ctrl-C while embedding costs nothing that was there."""
    with pytest.raises(KeyboardInterrupt):
        build_index(built, articles, _Stops())

    open_index(built, articles, model)


def test_a_killed_build_leaves_the_old_index(
    built: Path, articles: list[Article], model: EmbeddingModel
):
    """kill -9 at the worst moment, everything written but the manifest, costs nothing either."""
    program = """
import os, sys
from pathlib import Path
import numpy as np
import knowledge.search.index as index
from knowledge.documents.document import parse_document

class Quick:
    identity = "quick"
    def encode(self, texts):
        return np.ones((len(texts), 4), dtype=np.float32) / 2

index.replace_file = lambda path, text: os.kill(os.getpid(), 9)
index.build_index(Path(sys.argv[1]), [parse_document("# new", Path("new.md"))], Quick())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(built)], capture_output=True, text=True
    )

    assert done.returncode == -9, done.stderr
    assert len([p for p in built.iterdir() if p.is_dir()]) == 2
    open_index(built, articles, model)
    build_index(built, articles, model)
    build_index(built, articles, model)
    assert len([p for p in built.iterdir() if p.is_dir()]) == 2  # in use, and the one before


def test_an_old_reader_can_finish(built: Path, articles: list[Article], model: EmbeddingModel):
    """Whoever read the manifest just before a build can still open what it names."""
    before = generation(built)
    build_index(built, articles[1:], model)

    assert (before / "vectors.npy").exists()
    build_index(built, articles, model)
    assert not before.exists()


def test_an_abandoned_build_is_swept(built: Path, articles: list[Article], model: EmbeddingModel):
    """Half-written folders go when nobody can be writing them any more; fresh ones stay."""
    old, fresh, foreign = built / ".new-old", built / ".new-fresh", built / "notes"
    for folder in (old, fresh, foreign):
        folder.mkdir()
    os.utime(old, (0, 0))

    build_index(built, articles, model)

    assert (old.exists(), fresh.exists(), foreign.exists()) == (False, True, True)


def test_progress_counts_to_the_end(tmp_path: Path, articles: list[Article], model: EmbeddingModel):
    """The last report says that all new passages are embedded."""
    reports: list[tuple[int, int]] = []
    texts = {p.text for article in articles for p in passages(article)}

    build_index(tmp_path, articles, model, lambda done, total: reports.append((done, total)))

    assert reports[-1] == (len(texts), len(texts))


def test_an_index_of_nothing_opens(tmp_path: Path, model: EmbeddingModel):
    """A team may begin without any article."""
    build_index(tmp_path, [], model)

    assert list(open_index(tmp_path, [], model).passages) == []


def test_odd_line_ends_survive(tmp_path: Path, model: EmbeddingModel):
    """A passage may hold characters that some take for the end of a line."""
    note = parse_document("one\u2028two\x0bthree\x85four", Path("odd.md"))
    build_index(tmp_path, [note], model)

    assert open_index(tmp_path).passages[1].text == note.prose[0]
