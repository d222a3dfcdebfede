"""Ask every post of a folder, count how the answers end, and keep them to be judged.

    python -m benchmarks.posts DIR --dump posts.jsonl
    python -m benchmarks.reading page posts.jsonl --of posts > page.md
    python -m benchmarks.reading count verdicts.jsonl --of posts

DIR holds a folder for each post, with `message.md` (what was posted) and, for the reader,
`truth.md` (what a good answer says). A posted error counts as rebuilt where a run raised one of
the same family with the same numbers in its message; where the catalogue does not know it, of the
same type and words.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress as Bar
from rich.table import Table

from bot.diagnosis.assemble import open_pipeline
from bot.diagnosis.pipeline import Pipeline
from bot.errors import QuestionError
from bot.messages.question import read_message
from bot.models import Answer, AnswerError, PastedTraceback
from bot.platforms.console.card import card
from bot.platforms.plugins import load_settings
from executor.errors import same_family, same_numbers

_AT_ONCE = 2
_WIDTH = 110


async def main(given: argparse.Namespace) -> int:
    """Ask them all, print the table, keep the answers."""
    folders = sorted(path.parent for path in given.folder.glob("*/message.md"))
    if not folders:
        print(f"{given.folder}: holds no folder with a message.md", file=sys.stderr)
        return 1
    rows: list[dict[str, Any]] = _kept(given.dump)
    known = {row["document"] for row in rows}
    folders = [folder for folder in folders if folder.name not in known]
    async with open_pipeline(load_settings()) as pipeline:
        with Bar(console=Console(stderr=True)) as bar:
            task = bar.add_task("posts", total=len(folders))
            todo = iter(folders)

            async def work() -> None:
                for folder in todo:
                    rows.append(await _ask(pipeline, folder))
                    if given.dump:
                        with given.dump.open("a") as kept:
                            kept.write(json.dumps(rows[-1]) + "\n")
                    bar.advance(task)

            await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
    rows.sort(key=lambda row: row["document"])
    _print(rows)
    return 0


def _kept(dump: Path | None) -> list[dict[str, Any]]:
    """What an earlier call that was interrupted has asked."""
    if dump is None or not dump.exists():
        return []
    return [json.loads(line) for line in dump.read_text().splitlines()]


async def _ask(pipeline: Pipeline, folder: Path) -> dict[str, Any]:
    message = (folder / "message.md").read_text(encoding="utf-8")
    truth = folder / "truth.md"
    row: dict[str, Any] = {
        "document": folder.name,
        "block": 0,
        "message": message,
        "truth": truth.read_text(encoding="utf-8") if truth.exists() else "",
    }
    began = time.perf_counter()
    try:
        question = read_message(message)
    except QuestionError as e:
        return row | {"status": "refused", "shown": str(e), "seconds": 0.0, "rebuilt": None}
    said = [thing async for thing in pipeline.answer(question)]
    answer = said[-1]
    assert isinstance(answer, Answer)
    posted = question.traceback
    return row | {
        "status": answer.status,
        "headline": answer.headline,
        "posted": f"{posted.type}: {posted.message}" if posted is not None else None,
        "real": f"{answer.error.type}: {answer.error.message}" if answer.error else None,
        "has_code": bool(question.code.strip()),
        "rebuilt": rebuilt(posted, answer.error) if posted and question.code.strip() else None,
        "why_not": answer.not_rebuilt,
        "assumptions": answer.assumptions,
        "offered": (answer.fix is not None) or bool(answer.alternatives),
        "shown": _shown(answer),
        "seconds": time.perf_counter() - began,
    }


def rebuilt(posted: PastedTraceback, real: AnswerError | None) -> bool:
    """Whether a run raised the posted error: its family, and the numbers where both name them."""
    return real is not None and same_family(posted, real) and same_numbers(posted, real)


def _shown(answer: Answer) -> str:
    console = Console(width=_WIDTH, no_color=True, force_terminal=False)
    with console.capture() as captured:
        console.print(card(answer))
    return captured.get()


def _print(rows: list[dict[str, Any]]) -> None:
    table = Table(title=f"{len(rows)} posts")
    for name in ("status", "posts", "with an offer"):
        table.add_column(name, justify="left" if name == "status" else "right")
    for status, n in Counter(row["status"] for row in rows).most_common():
        offers = sum(bool(row.get("offered")) for row in rows if row["status"] == status)
        table.add_row(status, str(n), str(offers))
    Console(width=100).print(table)
    with_both = [row for row in rows if row["rebuilt"] is not None]
    n = sum(row["rebuilt"] for row in with_both)
    print(f"the posted error was rebuilt in {n} of {len(with_both)} posts with code and error")
    reasons: dict[str, list[str]] = defaultdict(list)
    for row in with_both:
        if not row["rebuilt"]:
            reasons[row["why_not"] or "nothing was tried"].append(row["document"])
    for why, documents in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"  not rebuilt, {why}: {len(documents)}")
        print("\n".join(f"    {document}" for document in documents))
    seconds = sorted(row["seconds"] for row in rows)
    nine_in_ten = seconds[int(len(seconds) * 0.9)]
    print(f"an answer took {statistics.median(seconds):.2f} s, nine in ten {nine_in_ten:.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="the folder of posts")
    parser.add_argument("--dump", type=Path, help="answers, one JSON a line; posts in it are kept")
    sys.exit(asyncio.run(main(parser.parse_args())))
