"""Write results/coverage.md: which mistakes have an article and a codemod, and how often it fixes.

    python -m benchmarks.fixes --corpus DIR --runs FILE --summary benchmarks/results/fixes.json
    python -m benchmarks.coverage

The first runs the corpus and takes long; the second only counts and can be run whenever articles
change.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from knowledge.articles.article import Article
from knowledge.articles.reading import load_articles

RESULTS = Path(__file__).resolve().parent / "results"
SUMMARY = RESULTS / "fixes.json"
PAGE = RESULTS / "coverage.md"

_HEAD = """\
# Coverage of the home corpus

Which error families get a fix, and which article and codemod serve them.
`python -m benchmarks.coverage` writes this page from `fixes.json` beside it, which
`benchmarks/fixes.py --summary` measured on 2026-11-21 and 22.

A *block* is one that failed for a reason of its own when the whole corpus was run. *Verified* means
that one fix passed every check; *alternatives* are fixes with different meanings, each run. The
codemods were written with documents of this corpus. On unseen documents 34 % of the failures get an
offer, and 26 % a right one ([unseen-2026-11-22.md](unseen-2026-11-22.md)).
"""


def page(articles: Sequence[Article], families: Mapping[str, Mapping[str, Any]]) -> str:
    """The whole page.

    Args:
        articles: every article there is.
        families: what `benchmarks.fixes` kept of each family.
    """
    return "\n".join((_HEAD, *_families(families), "", *_articles(articles, families), ""))


def _families(families: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = [
        "## Families of errors",
        "",
        "| family | blocks | verified | alternatives | mended | explained by | mended by |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    for name, counts in sorted(families.items(), key=lambda item: -int(item[1]["failing"])):
        lines.append(_row(name, counts))
    total: Counter[str] = Counter()
    for counts in families.values():
        total.update({key: counts[key] for key in ("failing", "verified", "alternatives")})
    return [*lines, _row("**all**", {**total, "explained_by": {}, "mended_by": {}})]


def _row(name: str, counts: Mapping[str, Any]) -> str:
    mended = counts["verified"] + counts["alternatives"]
    share = f"{mended / counts['failing']:.0%}" if counts["failing"] else ""
    explained, by = (
        ", ".join(f"{slug} {n}" for slug, n in counts[key].items())
        for key in ("explained_by", "mended_by")
    )
    return (
        f"| {name} | {counts['failing']} | {counts['verified']} | {counts['alternatives']} "
        f"| {share} | {explained} | {by} |"
    )


def _articles(articles: Sequence[Article], families: Mapping[str, Mapping[str, Any]]) -> list[str]:
    explained: Counter[str] = Counter()
    mended: Counter[str] = Counter()
    for counts in families.values():
        explained.update(counts["explained_by"])
        mended.update(counts["mended_by"])
    with_codemod = sum(article.codemod is not None for article in articles)
    lines = [
        f"## Articles: {len(articles)}, of which {with_codemod} have a codemod",
        "",
        "| article | about | kind | codemod | blocks explained | blocks mended |",
        "|---|---|---|---|---:|---:|",
    ]
    for article in articles:
        kind = "silent" if article.signature is None else "error"
        about = article.title.replace("|", "\\|")
        codemod = "yes" if article.codemod is not None else ""
        lines.append(
            f"| {article.slug} | {about} | {kind} | {codemod} | {explained[article.slug]} "
            f"| {mended[article.slug]} |"
        )
    return lines


def main() -> None:
    """Write the page anew."""
    families = json.loads(SUMMARY.read_text(encoding="utf-8"))
    PAGE.write_text(page(load_articles(), families), encoding="utf-8")


if __name__ == "__main__":
    main()
