"""Make a page of answers for somebody to judge who wrote none of the rules, and count verdicts.

    python -m benchmarks.fixes --corpus DIR --runs runs.jsonl.xz --dump fixes.jsonl
    python -m benchmarks.reading page fixes.jsonl --of offers --most 60 > page.md
    python -m benchmarks.reading count verdicts.jsonl

The page shows each answer as the person sees it, the code with line numbers, and nothing of how
the answer was made. A reader writes one JSON line for each answer: its `id`, a `verdict`, and for
any but the good one a `kind`, in a few words that hold for more than this answer.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

# What is judged, and the verdicts there are for it: the good one first.
VERDICTS = {
    "offers": ("right", "arguable", "wrong"),
    "explanations": ("true", "arguable", "false"),
    "whys": ("about", "beside"),
    "posts": ("solved", "helped", "no help", "harm"),  # dumps of `benchmarks.posts`
}


def identity(row: dict[str, Any]) -> str:
    """The short name of an answer: the same in every page, telling nothing of its place."""
    text = f"{row['document']}#{row['block']}"
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def drawn(rows: Sequence[dict[str, Any]], of: str, most: int) -> list[dict[str, Any]]:
    """The answers that have the thing to judge, in an order by hash that favours none."""
    has = {"offers": "fixes", "explanations": "explanation", "whys": "why", "posts": "shown"}[of]
    return sorted((row for row in rows if row[has]), key=identity)[:most]


def page(rows: Sequence[dict[str, Any]], of: str) -> str:
    """What a reader gets, as Markdown.

    Args:
        rows: lines of the dump of `benchmarks.fixes`, or of `benchmarks.posts`.
        of: which part of them is judged, a key of VERDICTS.
    """
    parts = [f"# {len(rows)} {of} to judge: {' / '.join(VERDICTS[of])}\n"]
    for row in rows:
        parts.append(f"## {identity(row)}\n")
        if of == "posts":
            parts += _post(row)
            continue
        parts += ["Code:\n", _fenced(_numbered(row["code"]))]
        if row["error"]:
            parts.append(f"The run ended with, at line {row['line']}:\n")
            parts.append(_fenced(f"{row['error_type']}: {row['error']}"))
        parts.append(f"The answer's first line: {row['headline']}\n")
        if row["assumptions"]:
            parts.append(f"It assumes: {'; '.join(row['assumptions'])}\n")
        parts += {"offers": _offers, "explanations": _explanation, "whys": _why}[of](row)
    return "\n".join(parts)


def _offers(row: dict[str, Any]) -> list[str]:
    said = "A fix, called verified" if row["status"] == "fixed" else "Alternatives"
    parts = [f"{said}:\n"]
    for fix in row["fixes"]:
        meaning = f" (if this is meant: {fix['intent']})" if fix["intent"] else ""
        parts += [f"{fix['title']}{meaning}\n", _fenced(fix["diff"])]
    return parts


def _explanation(row: dict[str, Any]) -> list[str]:
    return [f"The explanation:\n\n> {row['explanation']}\n"]


def _why(row: dict[str, Any]) -> list[str]:
    why = row["why"]
    return [f"Why, under the title “{why['title']}”:\n\n> {why['text']}\n\n> {why['remedy']}\n"]


def _post(row: dict[str, Any]) -> list[str]:
    parts = ["Posted:\n", _fenced(row["message"]), "Answered:\n", _fenced(row["shown"])]
    if row["truth"]:
        parts += ["What a good answer says:\n", _fenced(row["truth"])]
    return parts


def _numbered(code: str) -> str:
    return "\n".join(f"{n:4} {line}" for n, line in enumerate(code.splitlines(), start=1))


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}\n"


def counted(verdicts: Sequence[dict[str, Any]], of: str) -> Counter[str]:
    """How often each verdict was given.

    Raises:
        ValueError: a verdict that there is none of; names the answer.
    """
    for verdict in verdicts:
        if verdict["verdict"] not in VERDICTS[of]:
            given, one_of = verdict["verdict"], ", ".join(VERDICTS[of])
            raise ValueError(f"{verdict['id']}: {given!r} is no verdict on {of}; use {one_of}")
    return Counter(v["verdict"] for v in verdicts)


def _print(verdicts: Sequence[dict[str, Any]], of: str) -> None:
    counts = counted(verdicts, of)
    table = Table(title=f"{len(verdicts)} {of} read")
    table.add_column("verdict")
    table.add_column("number", justify="right")
    table.add_column("kinds", overflow="fold")
    for verdict in VERDICTS[of]:
        kinds = Counter(v.get("kind", "") for v in verdicts if v["verdict"] == verdict)
        named = "; ".join(f"{kind} ({n})" for kind, n in kinds.most_common() if kind)
        table.add_row(verdict, str(counts[verdict]), named)
    Console(width=130).print(table)


def _lines(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def main(given: argparse.Namespace) -> int:
    """Print the page, or the table of verdicts."""
    if given.do == "page":
        sys.stdout.write(page(drawn(_lines(given.file), given.of, given.most), given.of))
    else:
        _print(_lines(given.file), given.of)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("do", choices=("page", "count"))
    parser.add_argument("file", type=Path, help="a dump, or the verdicts")
    parser.add_argument("--of", choices=tuple(VERDICTS), default="offers")
    parser.add_argument("--most", type=int, default=120, help="answers on the page")
    sys.exit(main(parser.parse_args()))
