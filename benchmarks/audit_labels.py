"""Say how right the audit's reading of claims is, by the labels of two readers.

    python -m benchmarks.audit_labels
    python -m benchmarks.audit_labels --corpus DIR

benchmarks/results/audit-labels.tsv names 2,000 sentences and comments of a corpus by document,
block and place, with the claims that two readers found in each without seeing the other's word, and
those that the audit's former rules of phrases read there (`rules`; `refuting`: those that a run may
refute). Printed are the readers' agreement, and precision and recall against what both readers say,
on the fifth of the documents that is set aside by hash: of the former rules, as they were recorded,
and, where the corpus is there, of today's reading.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from knowledge.audit.conventions import printed_beside
from knowledge.audit.features import SHAPE, statements
from knowledge.audit.model import ClaimKind
from knowledge.audit.reading import SURE, Reader
from knowledge.audit.text import comments, layout
from knowledge.search.embedding import EmbeddingModel

LABELS = Path(__file__).parent / "results" / "audit-labels.tsv"
KINDS = ("raises", "works", "equals", "shape", "relates", "trains", "notrain")
_ASIDE = 51  # of 256: a fifth


@dataclass(frozen=True)
class Labelled:
    """One sentence or comment, and the kinds of claims that were found in it."""

    place: tuple[str, int, str, int]  # document, block, where, index
    drawn: str  # the stratum: at random, where the rules read a claim, or by a word of a kind
    readers: tuple[frozenset[str], frozenset[str]]
    found: dict[str, frozenset[str]]

    @property
    def is_aside(self) -> bool:
        """Whether it is for measuring only."""
        return hashlib.sha256(self.place[0].encode()).digest()[0] < _ASIDE


def read_labels(path: Path = LABELS) -> list[Labelled]:
    """All labels."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Labelled(
                (row["document"], int(row["block"]), row["where"], int(row["index"])),
                row["drawn"],
                (kinds_of(row["reader1"]), kinds_of(row["reader2"])),
                {name: kinds_of(row[name]) for name in ("rules", "refuting")},
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


def kinds_of(told: str) -> frozenset[str]:
    """The kinds in a cell."""
    return frozenset(told.split(",")) & frozenset(KINDS)


def tell_agreement(labels: Sequence[Labelled]) -> None:
    """Print how far the readers agree, in all and kind by kind."""
    alike = sum(one.readers[0] == one.readers[1] for one in labels)
    print(f"{len(labels)} labels; the readers agree wholly on {alike / len(labels):.1%}")
    for kind in KINDS:
        first = [kind in one.readers[0] for one in labels]
        second = [kind in one.readers[1] for one in labels]
        same = sum(a == b for a, b in zip(first, second, strict=True)) / len(labels)
        a, b = sum(first) / len(labels), sum(second) / len(labels)
        chance = a * b + (1 - a) * (1 - b)
        kappa = (same - chance) / (1 - chance)
        print(f"  {kind:8} {sum(first):4} and {sum(second):4}, kappa {kappa:.2f}")


def tell_rightness(labels: Sequence[Labelled], by: str) -> None:
    """Print precision and recall against what both readers say; elsewhere nothing counts."""
    print(f"\n{by}")
    total = [0, 0, 0]
    for kind in KINDS:
        counts = [0, 0, 0]  # right, wrong, missed
        for one in labels:
            first, second = (kind in said for said in one.readers)
            if first == second and (first or kind in one.found[by]):
                counts[0 if first and kind in one.found[by] else 2 if first else 1] += 1
        total = [a + b for a, b in zip(total, counts, strict=True)]
        print(f"  {kind:8}", _shares(counts))
    print(f"  {'all':8}", _shares(total))


def _shares(counts: Sequence[int]) -> str:
    right, wrong, missed = counts
    precision = f"{right / (right + wrong):6.1%}" if right + wrong else "     -"
    recall = f"{right / (right + missed):6.1%}" if right + missed else "     -"
    return (
        f"precision {precision}  recall {recall}  ({right} right, {wrong} wrong, {missed} missed)"
    )


def read_now(labels: Sequence[Labelled], corpus: Path) -> list[Labelled]:
    """The labels with what the audit reads today: all of it, and what a run may refute."""
    reader = Reader(EmbeddingModel())
    found = []
    for one in labels:
        document, number, where, index = one.place
        text = (corpus / f"{document}.md").read_text(encoding="utf-8-sig")
        block = layout(text)[number - 1]
        told = [s for s in statements(block) if s.where == where]
        if where == "comment":
            told = [s for s in told if s.comment is not None and s.comment.line == index]
        statement = told[0] if where == "comment" else told[index]
        (kinds,) = reader.read([statement])
        read, sure = set(kinds), {k for k, p in kinds.items() if p >= SURE}
        noted = comments(block.code)
        for claim in printed_beside(noted, block.code):
            if statement.comment is not None and claim.text == statement.comment.text:
                kind = "raises" if claim.kind is ClaimKind.ERROR else _kind_of(claim.printed)
                read.add(kind)
                sure |= {kind} if claim.pointed else set()
        now = {"read": frozenset(read), "sure": frozenset(sure)}
        found.append(replace(one, found=one.found | now))
    return found


def _kind_of(printed: str) -> str:
    is_shape = re.match(rf"(?:{SHAPE})$|torch\.[a-z]+\d+|cpu\b|cuda\b", printed)
    return "shape" if is_shape and "." not in printed.replace("torch.", "") else "equals"


def main() -> int:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--corpus", type=Path, help="the folder of its documents")
    parser.add_argument("--development", action="store_true", help="not the part set aside")
    asked = parser.parse_args()
    labels = read_labels()
    tell_agreement(labels)
    part = [one for one in labels if one.is_aside is not asked.development]
    name = "for development" if asked.development else "set aside"
    print(f"\n{len(part)} of them are {name}, by the hash of their document:")
    if asked.corpus is not None:
        part = read_now(part, asked.corpus)
    for by in part[0].found:
        tell_rightness(part, by)
    return 0


if __name__ == "__main__":
    sys.exit(main())
