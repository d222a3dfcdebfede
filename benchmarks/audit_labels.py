"""Say how right the audit's reading of claims is, by the labels of two readers.

    python -m benchmarks.audit_labels

benchmarks/results/audit-labels.tsv names 2,000 sentences and comments of a corpus by document,
block and place, with the claims that two readers found in each without seeing the other's word, and
those that the audit's rules read there (`rules`; `refuting`: those that a run may refute). Printed
are the readers' agreement, and the rules' precision and recall on the fifth of the documents that
is set aside by hash, against what both readers say.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LABELS = Path(__file__).parent / "results" / "audit-labels.tsv"
KINDS = ("raises", "works", "equals", "shape", "relates", "trains", "notrain")
_ASIDE = 51  # of 256: a fifth


@dataclass(frozen=True)
class Labelled:
    """One sentence or comment, and the kinds of claims that were found in it."""

    document: str
    drawn: str  # the stratum: at random, where the rules read a claim, or by a word of a kind
    readers: tuple[frozenset[str], frozenset[str]]
    found: dict[str, frozenset[str]]

    @property
    def is_aside(self) -> bool:
        """Whether it is for measuring only."""
        return hashlib.sha256(self.document.encode()).digest()[0] < _ASIDE


def read_labels(path: Path = LABELS) -> list[Labelled]:
    """All labels."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Labelled(
                row["document"],
                row["drawn"],
                (_kinds(row["reader1"]), _kinds(row["reader2"])),
                {name: _kinds(row[name]) for name in ("rules", "refuting")},
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


def _kinds(told: str) -> frozenset[str]:
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


def main() -> int:
    """Print all of it."""
    labels = read_labels()
    tell_agreement(labels)
    aside = [one for one in labels if one.is_aside]
    print(f"\n{len(aside)} of them are set aside by the hash of their document:")
    for by in ("rules", "refuting"):
        tell_rightness(aside, by)
    return 0


if __name__ == "__main__":
    sys.exit(main())
