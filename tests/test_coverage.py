"""Facts about benchmarks/results/coverage.md: what it lists, and what it counts."""

from __future__ import annotations

import json
import re

from benchmarks.coverage import PAGE, SUMMARY, page
from knowledge.articles.reading import load_articles

FAMILIES = {
    "too short": {
        "failing": 4,
        "verified": 2,
        "alternatives": 1,
        "explained_by": {"linear-input-size": 3},
        "mended_by": {"linear-input-size": 3},
    },
    "too long": {
        "failing": 6,
        "verified": 0,
        "alternatives": 0,
        "explained_by": {"linear-input-size": 1},
        "mended_by": {},
    },
}


def test_every_measured_article_is_listed():
    """Those that explained or mended a block; a new article waits for the next measurement."""
    rows = re.findall(
        r"^\| ([\w-]+) \|.*\| (?:error|silent) \| (?:yes|) \|",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    measured = {
        slug
        for counts in json.loads(SUMMARY.read_text(encoding="utf-8")).values()
        for slug in (*counts["explained_by"], *counts["mended_by"])
    }

    assert len(measured) > 50
    assert measured <= set(rows)


def test_every_measured_family_is_listed():
    """With the counts that benchmarks/fixes.py kept."""
    text = PAGE.read_text(encoding="utf-8")

    for name, counts in json.loads(SUMMARY.read_text(encoding="utf-8")).items():
        start = f"| {name} | {counts['failing']} | {counts['verified']} |"
        assert start in text, f"{name}: run `python -m benchmarks.coverage`"


def test_the_page_counts_what_was_kept():
    """The most frequent family first, the share of each, and all of them together."""
    text = page(load_articles(), FAMILIES)

    assert text.index("| too long |") < text.index("| too short |")
    assert "| too short | 4 | 2 | 1 | 75% | linear-input-size 3 | linear-input-size 3 |" in text
    assert "| **all** | 10 | 2 | 1 | 30% |" in text
    assert re.search(r"\| linear-input-size \|.*\| error \| yes \| 4 \| 3 \|", text)
