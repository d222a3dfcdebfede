"""Compare what our runs find out about published snippets with a run in plain Python.

    python -m benchmarks.diagnosis --corpus DIR --runs FILE [--share 0.1] [--seed 0] [--dump FILE]
    python -m benchmarks.diagnosis --corpus DIR --runs FILE --incomplete 150 [--dump FILE]

The corpus is a folder of Markdown documents with fenced Python, `runs` the record of what each
block did when it was run alone, as posted. A share of the documents is drawn, the same one for the
same seed. Each block is run as posted, with completion, and (where an earlier block of its document
defines what it lacks) joined with the blocks before it.

`--incomplete` draws that many blocks that end at an undefined name, and counts how many run to
their end or to an error of their own: as posted, with the placeholders that a name's use decides,
and with the search for values that an answer makes after that.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.corpus import Block, read_blocks
from bot.diagnosis import completion, reproduction
from bot.diagnosis.assemble import open_executor
from bot.diagnosis.missing import missing
from bot.models import Question, Snippet
from bot.settings import Settings
from executor.errors import read as read_error
from executor.inside.placeholders.imports import KNOWN
from executor.inside.placeholders.names import undefined_names
from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient

_NAME = re.compile(r"name '(\w+)' is not defined")
_OURS = {Outcome.SETUP_ERROR, Outcome.UNAVAILABLE}
_AT_ONCE = 4
_WALL_S = 10.0


@dataclass
class Case:
    """One block of the corpus, and the results of its runs."""

    block: Block
    alone: JobResult | None = None
    completed: JobResult | None = None
    joined: JobResult | None = None
    searched: JobResult | None = None

    @property
    def lacking(self) -> str:
        """The name that ended it in bare Python; empty if it ended otherwise."""
        record = self.block.record
        m = _NAME.search(record.get("error") or "")
        return m[1] if m and record.get("error_type") == "NameError" else ""

    @property
    def defined_before(self) -> bool:
        """Whether a block above it binds that name."""
        if not self.lacking:
            return False
        probe = "\n".join(f"{part}\n" for part in self.block.earlier if _parses(part))
        return self.lacking not in undefined_names(f"{probe}\n{self.lacking}\n", "joined")

    @property
    def lacks_only_imports(self) -> bool:
        """Whether all its undefined names are well-known imports."""
        names = undefined_names(self.block.code, "block")
        return bool(self.lacking and names) and names <= KNOWN.keys()


def _parses(code: str) -> bool:
    try:
        compile(code, "block", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def read(corpus: Path, runs: Path, share: float, seed: int) -> list[Case]:
    """The blocks of the documents that are drawn."""
    return [
        Case(block) for block in read_blocks(corpus, runs) if _drawn(block.document, share, seed)
    ]


def _drawn(doc: str, share: float, seed: int) -> bool:
    digest = hashlib.sha256(f"{seed}:{doc}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def incomplete(corpus: Path, runs: Path, most: int, seed: int) -> list[Case]:
    """Blocks that ended at an undefined name, the same ones for the same seed."""
    cases = [Case(block) for block in read_blocks(corpus, runs)]
    lacking = [c for c in cases if c.lacking and c.block.record["group"] == "incomplete"]
    return sorted(lacking, key=lambda case: _order(case.block, seed))[:most]


def _order(block: Block, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{block.document}:{block.number}".encode()).digest()


def kind(run: JobResult) -> str:
    """The kind of a run's result, as a row of the table."""
    if run.outcome in _OURS:
        return "crash of ours"
    reason = missing(run)
    if not reason:
        return {Outcome.OK: "ran", Outcome.KILLED: "interpreter ended"}.get(
            run.outcome, "real error"
        )
    known = (
        ("placeholders", "with placeholders for"),
        ("undefined name", "never defined"),
        ("module", "needs the module"),
        ("file", "it reads"),
        ("GPU", "needs a GPU"),
        ("network", "network"),
        ("left out", "left out"),
        ("limit", "it was stopped"),
    )
    return f"not run: {next((word for word, part in known if part in reason), 'other')}"


def reached(run: JobResult) -> str:
    """How far a block got: its end, an error of its own, or neither."""
    lacking = read_error(run.error, "name_undefined") if run.error is not None else None
    if lacking is not None and lacking["name"] in run.undefined:
        return ""
    if run.outcome is Outcome.OK:
        return "end"
    own = run.outcome in (Outcome.ERROR, Outcome.KILLED)
    return "own error" if own and not missing(run) else ""


async def run_incomplete(executor: ExecutorClient, cases: list[Case], console: Console) -> None:
    """Run every block as posted, with placeholders, and as an answer runs it."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(case: Case) -> None:
        code = case.block.code
        job = Job(code=code, wall_s=_WALL_S)
        question = Question(text="", snippets=(Snippet(code=code, first_line=1),))
        async with gate:
            case.alone = await executor.run(job)
            case.completed, _ = await completion.run(executor, job)
            case.searched = (await reproduction.reproduce(executor, question, job)).run

    await _shown([one(case) for case in cases], console)


def tell_incomplete(cases: list[Case], console: Console) -> None:
    """Print how far the blocks got, each way."""
    table = Table("of blocks that lack names", "to the end", "an error of its own", "either")
    for label, runs in (
        ("as posted", [c.alone for c in cases]),
        ("with placeholders", [c.completed for c in cases]),
        ("and searched", [c.searched for c in cases]),
    ):
        got = Counter(reached(run) for run in runs if run is not None)
        either = got["end"] + got["own error"]
        counts = (got["end"], got["own error"], share(either, len(cases)))
        table.add_row(label, *map(str, counts))
    console.print(table)


def dump_incomplete(cases: list[Case], path: Path) -> None:
    """Write what the blocks came to, to be read by hand."""
    with path.open("w") as out:
        for case in cases:
            run = case.searched
            if run is None or case.completed is None:
                continue
            record = {
                "doc": case.block.document,
                "block": case.block.number,
                "code": case.block.code,
                "with placeholders": reached(case.completed),
                "searched": reached(run),
                "error": f"{run.error.type}: {run.error.message}" if run.error else "",
                "line": run.error.line if run.error else None,
                "findings": [f.message for f in run.findings],
                "missing": missing(run),
                "assumptions": list(run.assumptions),
            }
            out.write(json.dumps(record) + "\n")


async def run_all(executor: ExecutorClient, cases: list[Case], console: Console) -> None:
    """Run every block as posted, with completion and joined, a few at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(case: Case) -> None:
        job = Job(code=case.block.code, wall_s=_WALL_S)
        async with gate:
            case.alone = await executor.run(job)
            case.completed, _ = await completion.run(executor, job)
            if case.defined_before:
                whole = "\n".join([*case.block.earlier, case.block.code])
                joined = Job(code=whole, wall_s=_WALL_S)
                case.joined, _ = await completion.run(executor, joined)

    await _shown([one(case) for case in cases], console)


async def _shown(work: list[Coroutine[None, None, None]], console: Console) -> None:
    with Progress(console=console) as progress:
        task = progress.add_task("blocks", total=len(work))
        for done in asyncio.as_completed(work):
            await done
            progress.advance(task)


def share(part: int, whole: int) -> str:
    """`12 of 40 (30 %)`."""
    return f"{part} of {whole} ({part / whole:.0%})" if whole else "none of none"


def tell(cases: list[Case], console: Console) -> None:
    """Print what was found."""
    table = Table("what came of it", "bare Python", "as posted", "with completion")
    bare = Counter(_baseline(c) for c in cases)
    alone = Counter(kind(c.alone) for c in cases if c.alone)
    completed = Counter(kind(c.completed) for c in cases if c.completed)
    for what in sorted(bare | alone | completed):
        table.add_row(what, *(str(c[what]) for c in (bare, alone, completed)))
    console.print(table)
    n = len(cases)
    for label, counts in (("as posted", alone), ("with completion", completed)):
        real = counts["ran"] + counts["real error"] + counts["interpreter ended"]
        honest = sum(k for what, k in counts.items() if what.startswith("not run"))
        console.print(
            f"{label}: a real outcome {share(real, n)}; that or an honest not_run with its "
            f"reason {share(real + honest, n)}"
        )
    _tell_names(cases, console)
    _tell_errors(cases, console)


def _baseline(case: Case) -> str:
    row = case.block.record
    outcome = {"ok": "ran", "timeout": "not run: limit", "died": "interpreter ended"}
    if row["outcome"] in outcome:
        return outcome[row["outcome"]]
    if row["outcome"] == "syntax" or row["group"] in {"real", "own", "artefact"}:
        return "real error"
    families = {"undefined name": "undefined name", "missing module": "module"}
    return f"not run: {families.get(row['family'], 'other')}"


def _tell_names(cases: list[Case], console: Console) -> None:
    imports = [c for c in cases if c.lacks_only_imports and c.alone]
    past = [c for c in imports if c.alone and not _stops_at(c.alone, c.lacking)]
    ended = [c for c in past if c.alone and c.alone.outcome is Outcome.OK]
    console.print(
        f"lack only well-known imports: {share(len(past), len(imports))} get past that "
        f"line, {share(len(ended), len(imports))} run to the end"
    )
    joined = [c for c in cases if c.joined is not None]
    found = [c for c in joined if c.joined and not _stops_at(c.joined, c.lacking)]
    console.print(
        f"lack a name that an earlier block of their document defines: "
        f"{share(len(found), len(joined))} have it when joined"
    )
    why = Counter(_why_not(c) for c in joined if c not in found)
    for reason, count in why.most_common():
        console.print(f"  {count} × {reason}")
    reached = Counter(kind(c.joined) for c in joined if c.joined)
    console.print(f"  joined, they end as: {dict(reached.most_common())}")
    with_placeholders = [c.completed for c in cases if c.completed and c.completed.stand_ins]
    console.print(
        f"placeholders: {len(with_placeholders)} blocks, of which "
        f"{sum(r.outcome is Outcome.OK for r in with_placeholders)} reach their end and "
        f"{sum(bool(r.error) for r in with_placeholders)} show an error of their own"
    )


def _stops_at(run: JobResult, name: str) -> bool:
    m = _NAME.search(run.error.message) if run.error is not None else None
    return m is not None and m[1] == name


def _why_not(case: Case) -> str:
    assert case.joined is not None and case.joined.error is not None
    line = case.joined.error.line or 0
    own = sum(b.count("\n") + 1 for b in case.block.earlier)
    where = "in the block itself" if line > own else "in an earlier block already"
    return f"the name is bound only inside a function or branch, or read too early ({where})"


def _tell_errors(cases: list[Case], console: Console) -> None:
    results = [c.completed for c in cases if c.completed]
    ended = [c for c in cases if c.completed and kind(c.completed) == "real error"]
    own = [c for c in ended if c.block.record["group"] == "real"]  # PyTorch's or Python's own
    for label, failed in (("blocks of the group `real`", own), ("all blocks", ended)):
        explained = [c for c in failed if _explanation(c.completed)]
        console.print(
            f"errors of {label} with a live explanation: {share(len(explained), len(failed))}"
        )
    table = Table("family (of the group `real`)", "errors here", "explained")
    for family, members in _families(own):
        explained = sum(bool(_explanation(c.completed)) for c in members)
        table.add_row(family, str(len(members)), share(explained, len(members)))
    console.print(table)
    swallowed = [r for r in results if r.outcome is Outcome.OK and _torch_caught(r)]
    console.print(f"errors that a block swallowed itself: {len(swallowed)} blocks")
    console.print(f"blocks with a finding: {sum(bool(r.findings) for r in results)}")
    everything = [r for c in cases for r in (c.alone, c.completed, c.joined) if r is not None]
    crashes = [r.detail for r in everything if r.outcome in _OURS or r.detail]
    console.print(f"crashes and failed probes of ours: {len(crashes)} of {len(everything)} runs")
    for detail, count in Counter(crashes).most_common(10):
        console.print(f"  {count} × {detail[:200]}")


def _families(cases: Iterable[Case]) -> list[tuple[str, list[Case]]]:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.block.family].append(case)
    return sorted(groups.items(), key=lambda item: -len(item[1]))


def _explanation(run: JobResult | None) -> str:
    return run.explanation.text if run and run.explanation else ""


def _torch_caught(run: JobResult) -> bool:
    return any(c.origin == "torch" for c in run.caught)


def dump(cases: list[Case], path: Path) -> None:
    """Write errors, explanations and findings with their lines, to be read by hand."""
    with path.open("w") as out:
        for case in cases:
            run, block = case.completed, case.block
            if run is None:
                continue
            lines = block.code.splitlines()

            def line(n: int | None, lines: list[str] = lines) -> str:
                return lines[n - 1].strip() if n and n <= len(lines) else ""

            head = {"doc": block.document, "block": block.number, "kind": kind(run)}
            if run.error is not None and kind(run) == "real error":
                record = head | {
                    "error": f"{run.error.type}: {run.error.message}",
                    "line": run.error.line,
                    "code": line(run.error.line),
                    "explanation": _explanation(run),
                    "stand_ins": list(run.assumptions) if run.stand_ins else [],
                }
                out.write(json.dumps(record) + "\n")
            elif run.stand_ins:
                out.write(json.dumps(head | {"stand_ins": list(run.assumptions)}) + "\n")
            for finding in run.findings:
                record = head | {
                    "finding": finding.kind,
                    "message": finding.message,
                    "line": finding.line,
                    "code": line(finding.line),
                }
                out.write(json.dumps(record) + "\n")


async def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--corpus", type=Path, required=True, help="folder of Markdown documents")
    asked.add_argument("--runs", type=Path, required=True, help="what each block did alone")
    asked.add_argument("--share", type=float, default=0.1, help="of the documents (0 to 1)")
    asked.add_argument("--seed", type=int, default=0, help="which share")
    asked.add_argument("--dump", type=Path, help="write explanations and findings here")
    asked.add_argument("--incomplete", type=int, metavar="N", help="only N blocks that lack names")
    args = asked.parse_args()
    console = Console()
    if args.incomplete:
        cases = incomplete(args.corpus, args.runs, args.incomplete, args.seed)
    else:
        cases = read(args.corpus, args.runs, args.share, args.seed)
    if not cases:
        sys.exit(
            f"--share {args.share}: no document of {args.runs} is drawn; ask for a larger share"
        )
    console.print(f"{len(cases)} blocks of {len({c.block.document for c in cases})} documents")
    with tempfile.TemporaryDirectory() as state:
        executor = open_executor(Settings(state=state).executor)
        try:
            await (run_incomplete if args.incomplete else run_all)(executor, cases, console)
        finally:
            await executor.close()
    (tell_incomplete if args.incomplete else tell)(cases, console)
    if args.dump:
        (dump_incomplete if args.incomplete else dump)(cases, args.dump)


if __name__ == "__main__":
    asyncio.run(main())
