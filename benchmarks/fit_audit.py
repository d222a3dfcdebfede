"""Train the head by which the audit reads claims, and write it into its file.

    python -m benchmarks.fit_audit --corpus DIR

It learns from the two readers' labels in benchmarks/results/audit-labels.tsv where they agree, less
the fifth that is set aside; from audit-labels-more.tsv, which one reader labelled; and from the
invented statements in audit_examples.tsv. The texts of the labels are in the corpus.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.audit_labels import LABELS, kinds_of, read_labels
from knowledge.audit.features import BUCKETS, Statement, hashed, statements
from knowledge.audit.reading import FILE, KINDS, WORDS_WEIGH, Head, meanings
from knowledge.audit.text import Block, layout
from knowledge.search.embedding import EmbeddingModel

MORE = LABELS.with_name("audit-labels-more.tsv")
EXAMPLES = Path(__file__).with_name("audit_examples.tsv")
_ONE_READER_WEIGHS = 0.6  # beside one that two readers labelled alike
_EXAMPLE_WEIGHS = 3.0  # an invented statement, beside a labelled one
_REGULAR = 12.0  # scikit-learn's C: larger is less regularised

# A statement, for each kind whether it makes that claim (None where the readers disagree), and
# what it weighs.
Example = tuple[Statement, tuple[bool | None, ...], float]


@lru_cache(maxsize=1)
def _blocks(path: Path) -> list[Block]:
    return layout(path.read_text(encoding="utf-8-sig"))


def find(corpus: Path, document: str, block: int, where: str, index: int) -> Statement:
    """The labelled statement: comments by their line, sentences by their number."""
    told = statements(_blocks(corpus / f"{document}.md")[block - 1])
    if where == "comment":
        return next(s for s in told if s.comment is not None and s.comment.line == index)
    return [s for s in told if s.where == where][index]


def examples(corpus: Path) -> Iterator[Example]:
    """Everything to learn from."""
    for one in read_labels():
        if not one.is_aside:
            first, second = one.readers
            told = tuple(None if (k in first) != (k in second) else k in first for k in KINDS)
            yield find(corpus, *one.place), told, 1.0
    with MORE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found = kinds_of(row["reader"])
            place = (row["document"], int(row["block"]), row["where"], int(row["index"]))
            yield find(corpus, *place), tuple(k in found for k in KINDS), _ONE_READER_WEIGHS
    for line in EXAMPLES.read_text(encoding="utf-8").splitlines():
        kind, where, text = line.split("\t")
        names = "\n".join(re.findall(r"`([^`]+)`", text))
        told = tuple(k == kind for k in KINDS)
        # Twice, so that where it stands says nothing by itself.
        place = (f"{where}0", "last") if where != "comment" else ()
        for spot in ((), place):
            yield Statement(text, where, names, place=spot), told, _EXAMPLE_WEIGHS


def train(told: list[Example], model: EmbeddingModel) -> Head:
    """One logistic regression a kind."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    meant = meanings([s for s, _, _ in told], model)
    rows = [
        {b: v * WORDS_WEIGH for b, v in hashed(statement).items()}
        | {BUCKETS + n: float(value) for n, value in enumerate(row)}
        for (statement, _, _), row in zip(told, meant, strict=True)
    ]
    columns = DictVectorizer(dtype=np.float32)
    x = columns.fit_transform(rows)
    at = np.array(columns.feature_names_)
    weights = np.zeros((BUCKETS + meant.shape[1] + 1, len(KINDS)), np.float32)
    for n in range(len(KINDS)):
        known = [i for i, (_, said, _) in enumerate(told) if said[n] is not None]
        curve = LogisticRegression(C=_REGULAR, solver="liblinear", tol=1e-3, random_state=0)
        curve.fit(x[known], [told[i][1][n] for i in known], [told[i][2] for i in known])
        weights[at, n], weights[-1, n] = curve.coef_[0], curve.intercept_[0]
    return Head(weights[:BUCKETS], weights[BUCKETS:-1], weights[-1])


def save(head: Head, model: EmbeddingModel, path: Path = FILE) -> None:
    """Write a head, without the buckets that say nothing, and what it was made from."""
    digest = hashlib.sha256(b"".join(p.read_bytes() for p in (LABELS, MORE, EXAMPLES))).hexdigest()
    used = np.flatnonzero(np.abs(head.words).max(axis=1) > 1e-3).astype(np.int32)
    np.savez_compressed(
        path,
        used=used,
        words=head.words[used].astype(np.float16),
        meaning=head.meaning.astype(np.float16),
        bias=head.bias.astype(np.float32),
        made_from=np.array(f"{model.identity} labels@sha256:{digest[:16]}"),
    )


def main() -> int:
    """Train, and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of its documents")
    start = time.monotonic()
    told = list(examples(parser.parse_args().corpus))
    model = EmbeddingModel()
    save(train(told, model), model)
    print(f"trained on {len(told)} statements in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
