"""Count the real failures of a corpus that get a fix, and the results of all candidates.

    python -m benchmarks.fixes --corpus DIR --runs runs.jsonl.xz [--share 0.2] [--dump FILE]
                               [--summary benchmarks/results/fixes.json] [--beside DIR RUNS]

Every block that failed for a reason of its own (group `real`) goes through the whole path, as if
it had been posted without prose. A fix counts only if a run verified it, alternatives only if
each was run. `--dump` writes every diff, for reading by hand; `--summary` keeps the counts that
benchmarks/results/coverage.md is made of, and replaces those of the families that were run.
`--beside` counts another corpus too, such as documents that nobody wrote rules with.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress as Bar
from rich.table import Table

from benchmarks.corpus import Block, read_blocks
from bot.diagnosis.assemble import open_pipeline
from bot.diagnosis.pipeline import Pipeline
from bot.models import Answer, Question, Snippet
from bot.platforms.plugins import load_settings
from executor.protocol import Job, JobResult
from executor.service.client import ExecutorClient
from knowledge.repair.codemod import PROPOSE
from knowledge.repair.fix import Fix
from knowledge.repair.proposing import PROPOSE_EDITS, PROPOSE_EITHER
from knowledge.repair.telling import PROPOSE_TELLING

_AT_ONCE = 2
_TARGET = 0.40
_FEW_RUNS = 4
_ASK = (PROPOSE, PROPOSE_EDITS, PROPOSE_EITHER, PROPOSE_TELLING)


class Counted:
    """An executor that counts how often the person's code is run, and edits are asked for.

    Codemods and operators are asked inside the jail: operators in a run of the code that they edit.
    """

    def __init__(self, executor: ExecutorClient) -> None:
        self._executor = executor
        self.runs = 0
        self.asked = 0

    async def run(self, job: Job, ahead: Callable[[int], None] | None = None) -> JobResult:
        """Run a job."""
        if job.code in _ASK:
            self.asked += 1
        else:
            self.runs += 1
        return await self._executor.run(job, ahead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)


@dataclass(frozen=True)
class Tried:
    """The result of the whole path for one block."""

    block: Block
    answer: Answer
    runs: int  # of the person's code, after the first one
    asked: int  # jobs that ask for edits
    seconds: float

    @property
    def offered(self) -> tuple[Fix, ...]:
        """The verified fix, or the alternatives."""
        return (self.answer.fix,) if self.answer.fix else self.answer.alternatives


async def main(given: argparse.Namespace) -> int:
    """Run them all and print the table; 0 if the share of fixes reaches the target."""
    done = await _all(given, given.corpus, given.runs)
    _print(done)
    if given.dump:
        given.dump.write_text("\n".join(json.dumps(_row(t)) for t in done) + "\n")
    if given.summary:
        keep(given.summary, done)
    if given.beside:
        others = await _all(given, *given.beside)
        print(side_by_side(done, others))
    return 0 if sum(bool(t.offered) for t in done) >= _TARGET * len(done) else 1


async def _all(given: argparse.Namespace, corpus: Path, runs: Path) -> list[Tried]:
    """Every block of a corpus that failed for a reason of its own, asked."""
    blocks = [
        b
        for b in read_blocks(corpus, runs)
        if b.record["group"] == "real" and re.search(given.family, b.family)
    ]
    random.Random(given.seed).shuffle(blocks)
    blocks = blocks[: round(len(blocks) * given.share)]
    done: list[Tried] = []
    async with open_pipeline(load_settings()) as medic:
        with Bar(console=Console(stderr=True)) as bar:
            task = bar.add_task("blocks", total=len(blocks))
            todo = iter(blocks)

            async def work() -> None:
                for block in todo:
                    done.append(await _try(medic, block))
                    bar.advance(task)

            await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
    done.sort(key=lambda t: (t.block.family, t.block.document, t.block.number))
    return done


def side_by_side(home: Sequence[Tried], others: Sequence[Tried]) -> str:
    """How many of two corpora's failing blocks get an offer; that it is right only readers say."""
    lines = []
    for name, done in (("this corpus", home), ("beside it", others)):
        offered = [t for t in done if t.offered]
        fixed = sum(t.answer.fix is not None for t in offered)
        lines.append(
            f"{name}: {len(offered)} of {len(done)} failing blocks get an offer "
            f"({_share(done):.1%}): {fixed} fixes, {len(offered) - fixed} with alternatives"
        )
    lines.append(f"difference: {100 * (_share(home) - _share(others)):.1f} points")
    return "\n".join(lines)


def _share(done: Sequence[Tried]) -> float:
    return sum(bool(t.offered) for t in done) / max(1, len(done))


async def _try(medic: Pipeline, block: Block) -> Tried:
    counted = Counted(medic.executor)
    mine = replace(medic, executor=counted)  # type: ignore[arg-type]
    question = Question(text="", snippets=(Snippet(code=block.code),))
    began = time.perf_counter()
    said = [thing async for thing in mine.answer(question)]
    answer = said[-1]
    assert isinstance(answer, Answer)
    seconds = time.perf_counter() - began
    return Tried(block, answer, counted.runs - 1, counted.asked, seconds)


def _print(done: list[Tried]) -> None:
    families: dict[str, list[Tried]] = defaultdict(list)
    for tried in done:
        families[tried.block.family].append(tried)
    table = Table(title="blocks that failed for a reason of their own")
    for name in (
        "family",
        "failing",
        "offered",
        "verified",
        "pairs",
        "refused",
        "diff",
        "runs",
        "s",
    ):
        table.add_column(name, justify="left" if name == "family" else "right")
    for family, tried_here in sorted(families.items(), key=lambda item: -len(item[1])):
        table.add_row(*_figures(family, tried_here))
    table.add_section()
    table.add_row(*_figures("all", done))
    Console(width=130).print(table)
    statuses = Counter(t.answer.status for t in done)
    print("answers:", ", ".join(f"{n} {status}" for status, n in statuses.most_common()))
    reasons = Counter(
        check.name
        for t in done
        for fix in t.answer.refused
        for check in fix.checks
        if not check.passed
    )
    print("refused because:", ", ".join(f"{name} {n}" for name, n in reasons.most_common()))
    fixed = [t for t in done if t.offered]
    print(
        f"a verified fix or run alternatives: {len(fixed)} of {len(done)} "
        f"({len(fixed) / max(1, len(done)):.1%}; target {_TARGET:.0%})"
    )
    if fixed:
        few = sum(t.runs <= _FEW_RUNS for t in fixed) / len(fixed)
        jobs = sum(t.runs + t.asked <= _FEW_RUNS for t in fixed) / len(fixed)
        print(
            f"at most {_FEW_RUNS} runs of their code from the first error to the fix: {few:.1%} "
            f"(target 90%); with the jobs that ask the codemods: {jobs:.1%}"
        )
        print("runs:", sorted(Counter(t.runs for t in fixed).items()))
        print("from the first error to the offer:", _times(fixed))
    print("to the end of a search in vain:", _times([t for t in done if not t.offered]))


def _times(tried: list[Tried]) -> str:
    """The seconds of their searches, two of which ran side by side."""
    took = sorted(t.answer.timings_ms.fix / 1000 for t in tried if t.answer.timings_ms.fix)
    if not took:
        return "nothing was searched for"
    nine = took[min(len(took) - 1, round(0.9 * len(took)))]
    return (
        f"median {statistics.median(took):.2f} s, nine in ten {nine:.2f} s, most {took[-1]:.2f} s"
    )


def _figures(name: str, tried: list[Tried]) -> list[str]:
    fixed = [t for t in tried if t.offered]
    sizes = [_size(t.offered[0].diff) for t in fixed]
    return [
        name,
        str(len(tried)),
        str(sum(bool(t.offered or t.answer.refused) for t in tried)),
        str(sum(t.answer.fix is not None for t in tried)),
        str(sum(t.answer.fix is None for t in fixed)),
        str(sum(len(t.answer.refused) for t in tried)),
        f"{statistics.median(sizes):g}" if sizes else "",
        f"{statistics.median(t.runs for t in fixed):g}" if fixed else "",
        f"{statistics.median(t.seconds for t in fixed):.2f}" if fixed else "",
    ]


def _size(diff: str) -> int:
    """Lines that the diff adds or takes away."""
    return sum(line[:1] in "+-" for line in diff.splitlines())


def keep(path: Path, done: list[Tried]) -> None:
    """Write the counts of each family that was run, replacing its old ones in the file.

    Raises:
        OSError: the file cannot be written.
    """
    families: dict[str, list[Tried]] = defaultdict(list)
    for tried in done:
        families[tried.block.family].append(tried)
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for family, here in families.items():
        kept[family] = {
            "failing": len(here),
            "verified": sum(t.answer.fix is not None for t in here),
            "alternatives": sum(t.answer.fix is None and bool(t.offered) for t in here),
            "explained_by": _counted(t.answer.why.article for t in here if t.answer.why),
            "mended_by": _counted(t.offered[0].codemod for t in here if t.offered),
        }
    text = json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _counted(slugs: Iterable[str | None]) -> dict[str, int]:
    return dict(Counter(slug for slug in slugs if slug).most_common())


def _row(tried: Tried) -> dict[str, Any]:
    answer = tried.answer
    return {
        "document": tried.block.document,
        "block": tried.block.number,
        "family": tried.block.family,
        "status": answer.status,
        "headline": answer.headline,
        "error": answer.error.message if answer.error else None,
        "error_type": answer.error.type if answer.error else None,
        "line": answer.error.line if answer.error else None,
        "explanation": answer.explanation,
        "assumptions": answer.assumptions,
        "why": answer.why.model_dump(mode="json") if answer.why else None,
        "fixes": [
            {
                "codemod": f.codemod,
                "title": f.title,
                "steps": f.steps,
                "intent": f.intent,
                "diff": f.diff,
                "checks": [c.detail for c in f.checks],
            }
            for f in tried.offered
        ],
        "refused": [
            {
                "codemod": f.codemod,
                "diff": f.diff,
                "why": [f"{c.name}: {c.detail}" for c in f.checks if not c.passed],
            }
            for f in answer.refused
        ],
        "code": tried.block.code,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of documents")
    parser.add_argument("--runs", type=Path, required=True, help="what their blocks did")
    parser.add_argument("--share", type=float, default=1.0, help="of the blocks, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", default="", help="only families that this pattern is found in")
    parser.add_argument(
        "--beside",
        type=Path,
        nargs=2,
        metavar=("DIR", "RUNS"),
        help="another corpus and its record, counted beside it",
    )
    parser.add_argument("--dump", type=Path, help="write every diff here, one JSON a line")
    parser.add_argument("--summary", type=Path, help="keep the counts of each family here")
    sys.exit(asyncio.run(main(parser.parse_args())))
