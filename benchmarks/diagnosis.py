"""What a run reveals about published snippets, against what each did alone in bare Python.

    python benchmarks/diagnosis.py --corpus DIR --runs FILE [--share 0.1] [--seed 0] [--dump FILE]

The corpus is a folder of Markdown documents with fenced Python; `runs` is a (compressed) file of
JSON lines that says what each block did when it was run alone, as posted: doc, block, outcome,
error_type, error, line, group, family. A share of the documents is drawn, the same one for the same
seed. Each block is run as posted, with completion, and (where an earlier block of its document
defines what it lacks) joined with the blocks before it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import lzma
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bot import completion
from bot.assemble import open_executor
from bot.missing import missing
from bot.settings import Settings
from executor.client import ExecutorClient
from executor.complete.imports import KNOWN
from executor.complete.names import undefined_names
from executor.job import Job, JobResult, Outcome

_FENCE = re.compile(r"```python\n(.*?)```", re.S)
_NAME = re.compile(r"name '(\w+)' is not defined")
_OURS = {Outcome.SETUP_ERROR, Outcome.UNAVAILABLE}
_AT_ONCE = 4
_WALL_S = 10.0

Row = dict[str, Any]


@dataclass
class Block:
    """One block of the corpus, and everything that was seen of it."""

    doc: str
    index: int
    code: str
    before: list[str]  # the blocks above it
    baseline: Row
    alone: JobResult | None = None
    completed: JobResult | None = None
    joined: JobResult | None = None

    @property
    def lacking(self) -> str:
        """The name that ended it in bare Python; empty if it ended otherwise."""
        m = _NAME.search(self.baseline.get("error") or "")
        return m[1] if m and self.baseline.get("error_type") == "NameError" else ""

    @property
    def defined_before(self) -> bool:
        """Whether a block above it binds that name."""
        if not self.lacking:
            return False
        probe = "\n".join(f"{part}\n" for part in self.before if _parses(part))
        return self.lacking not in undefined_names(f"{probe}\n{self.lacking}\n", "joined")

    @property
    def lacks_only_imports(self) -> bool:
        """Whether all it leaves undefined are imports that everybody knows."""
        names = undefined_names(self.code, "block")
        return bool(self.lacking and names) and names <= KNOWN.keys()


def _parses(code: str) -> bool:
    try:
        compile(code, "block", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def read(corpus: Path, runs: Path, share: float, seed: int) -> list[Block]:
    """The blocks of the documents that are drawn."""
    opened = lzma.open(runs, "rt") if runs.suffix == ".xz" else runs.open()  # noqa: SIM115
    with opened as lines:
        rows: dict[str, dict[int, Row]] = defaultdict(dict)
        for row in map(json.loads, lines):
            rows[row["doc"]][row["block"]] = row
    blocks = []
    for doc in sorted(rows):
        path = corpus / doc
        if not _drawn(doc, share, seed) or not path.exists():
            continue
        codes = _FENCE.findall(path.read_text(errors="replace"))
        blocks += [
            Block(doc, n, codes[n], codes[:n], row)
            for n, row in sorted(rows[doc].items())
            if n < len(codes)
        ]
    return blocks


def _drawn(doc: str, share: float, seed: int) -> bool:
    digest = hashlib.sha256(f"{seed}:{doc}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def kind(run: JobResult) -> str:
    """What came out of a run, in a word."""
    if run.outcome in _OURS:
        return "crash of ours"
    reason = missing(run)
    if not reason:
        return {Outcome.OK: "ran", Outcome.KILLED: "interpreter ended"}.get(
            run.outcome, "real error"
        )
    known = (
        ("stand-ins", "with stand-ins for"), ("undefined name", "never defined"),
        ("module", "needs the module"), ("file", "it reads"), ("GPU", "needs a GPU"),
        ("network", "network"), ("left out", "left out"), ("limit", "it was stopped"),
    )  # fmt: skip
    return f"not run: {next((word for word, part in known if part in reason), 'other')}"


async def run_all(executor: ExecutorClient, blocks: list[Block], console: Console) -> None:
    """Run every block in its ways, a few at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(block: Block) -> None:
        job = Job(code=block.code, wall_s=_WALL_S)
        async with gate:
            block.alone = await executor.run(job)
            block.completed, _ = await completion.run(executor, job)
            if block.defined_before:
                whole = "\n".join([*block.before, block.code])
                joined = Job(code=whole, wall_s=_WALL_S)
                block.joined, _ = await completion.run(executor, joined)

    with Progress(console=console) as progress:
        task = progress.add_task("blocks", total=len(blocks))

        async def counted(work: Awaitable[None]) -> None:
            await work
            progress.advance(task)

        await asyncio.gather(*(counted(one(block)) for block in blocks))


def share(part: int, whole: int) -> str:
    """`12 of 40 (30 %)`."""
    return f"{part} of {whole} ({part / whole:.0%})" if whole else "none of none"


def tell(blocks: list[Block], console: Console) -> None:
    """Print what was found."""
    table = Table("what came of it", "bare Python", "as posted", "with completion")
    bare = Counter(_baseline(b) for b in blocks)
    alone = Counter(kind(b.alone) for b in blocks if b.alone)
    completed = Counter(kind(b.completed) for b in blocks if b.completed)
    for what in sorted(bare | alone | completed):
        table.add_row(what, *(str(c[what]) for c in (bare, alone, completed)))
    console.print(table)
    n = len(blocks)
    for label, counts in (("as posted", alone), ("with completion", completed)):
        real = counts["ran"] + counts["real error"] + counts["interpreter ended"]
        honest = sum(k for what, k in counts.items() if what.startswith("not run"))
        console.print(
            f"{label}: a real outcome {share(real, n)}; that or an honest not_run with its "
            f"reason {share(real + honest, n)}"
        )
    _tell_names(blocks, console)
    _tell_errors(blocks, console)


def _baseline(block: Block) -> str:
    row = block.baseline
    outcome = {"ok": "ran", "timeout": "not run: limit", "died": "interpreter ended"}
    if row["outcome"] in outcome:
        return outcome[row["outcome"]]
    if row["outcome"] == "syntax" or row["group"] in {"real", "own", "artefact"}:
        return "real error"
    families = {"undefined name": "undefined name", "missing module": "module"}
    return f"not run: {families.get(row['family'], 'other')}"


def _tell_names(blocks: list[Block], console: Console) -> None:
    imports = [b for b in blocks if b.lacks_only_imports and b.alone]
    past = [b for b in imports if b.alone and not _stops_at(b.alone, b.lacking)]
    ended = [b for b in past if b.alone and b.alone.outcome is Outcome.OK]
    console.print(f"lack only well-known imports: {share(len(past), len(imports))} get past that "
                  f"line, {share(len(ended), len(imports))} run to the end")  # fmt: skip
    joined = [b for b in blocks if b.joined is not None]
    found = [b for b in joined if b.joined and not _stops_at(b.joined, b.lacking)]
    console.print(f"lack a name that an earlier block of their document defines: "
                  f"{share(len(found), len(joined))} have it when joined")  # fmt: skip
    why = Counter(_why_not(b) for b in joined if b not in found)
    for reason, count in why.most_common():
        console.print(f"  {count} × {reason}")
    reached = Counter(kind(b.joined) for b in joined if b.joined)
    console.print(f"  joined, they end as: {dict(reached.most_common())}")
    stood = [b.completed for b in blocks if b.completed and b.completed.stand_ins]
    console.print(
        f"stand-ins: {len(stood)} blocks, of which {sum(r.outcome is Outcome.OK for r in stood)} "
        f"reach their end and {sum(bool(r.error) for r in stood)} show an error of their own"
    )


def _stops_at(run: JobResult, name: str) -> bool:
    m = _NAME.search(run.error.message) if run.error is not None else None
    return m is not None and m[1] == name


def _why_not(block: Block) -> str:
    assert block.joined is not None and block.joined.error is not None
    line, own = block.joined.error.line or 0, sum(b.count("\n") + 1 for b in block.before)
    where = "in the block itself" if line > own else "in an earlier block already"
    return f"the name is bound only inside a function or branch, or read too early ({where})"


def _tell_errors(blocks: list[Block], console: Console) -> None:
    results = [b.completed for b in blocks if b.completed]
    real = [b for b in blocks if b.completed and kind(b.completed) == "real error"]
    if "explanation" in JobResult.model_fields:
        told = [b for b in real if _explanation(b.completed)]
        console.print(f"real errors with a live explanation: {share(len(told), len(real))}")
        table = Table("family (of the real errors in bare Python)", "errors here", "explained")
        for family, members in _families(real):
            explained = sum(bool(_explanation(b.completed)) for b in members)
            table.add_row(family, str(len(members)), share(explained, len(members)))
        console.print(table)
    else:
        console.print("live explanations: this executor has none")
    swallowed = [r for r in results if r.outcome is Outcome.OK and _torch_caught(r)]
    console.print(f"errors that a block swallowed itself: {len(swallowed)} blocks")
    console.print(f"blocks with a finding: {sum(bool(r.findings) for r in results)}")
    everything = [r for b in blocks for r in (b.alone, b.completed, b.joined) if r is not None]
    crashes = [r.detail for r in everything if r.outcome in _OURS or r.detail]
    console.print(f"crashes and failed probes of ours: {len(crashes)} of {len(everything)} runs")
    for detail, count in Counter(crashes).most_common(10):
        console.print(f"  {count} × {detail[:200]}")


def _families(blocks: Iterable[Block]) -> list[tuple[str, list[Block]]]:
    groups: dict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        if block.baseline["group"] == "real":
            groups[block.baseline["family"]].append(block)
    return sorted(groups.items(), key=lambda item: -len(item[1]))


def _explanation(run: JobResult | None) -> str:
    value = getattr(run, "explanation", None)
    return str(getattr(value, "text", value) or "") if value else ""


def _torch_caught(run: JobResult) -> bool:
    return any(c.origin == "torch" for c in run.caught)


def dump(blocks: list[Block], path: Path) -> None:
    """Write what is to be read by hand: errors, explanations and findings beside their lines."""
    with path.open("w") as out:
        for block in blocks:
            run = block.completed
            if run is None:
                continue
            lines = block.code.splitlines()

            def line(n: int | None, lines: list[str] = lines) -> str:
                return lines[n - 1].strip() if n and n <= len(lines) else ""

            head = {"doc": block.doc, "block": block.index, "kind": kind(run)}
            if run.error is not None and kind(run) == "real error":
                record = head | {
                    "error": f"{run.error.type}: {run.error.message}", "line": run.error.line,
                    "code": line(run.error.line), "explanation": _explanation(run),
                    "stand_ins": list(run.assumptions) if run.stand_ins else [],
                }  # fmt: skip
                out.write(json.dumps(record) + "\n")
            elif run.stand_ins:
                out.write(json.dumps(head | {"stand_ins": list(run.assumptions)}) + "\n")
            for finding in run.findings:
                record = head | {"finding": finding.kind, "message": finding.message,
                                 "line": finding.line, "code": line(finding.line)}  # fmt: skip
                out.write(json.dumps(record) + "\n")


async def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--corpus", type=Path, required=True, help="folder of Markdown documents")
    asked.add_argument("--runs", type=Path, required=True, help="what each block did alone")
    asked.add_argument("--share", type=float, default=0.1, help="of the documents (0 to 1)")
    asked.add_argument("--seed", type=int, default=0, help="which share")
    asked.add_argument("--dump", type=Path, help="write explanations and findings here")
    args = asked.parse_args()
    console = Console()
    blocks = read(args.corpus, args.runs, args.share, args.seed)
    if not blocks:
        sys.exit(f"{args.corpus}: none of the documents that {args.runs} names are there")
    console.print(f"{len(blocks)} blocks of {len({b.doc for b in blocks})} documents")
    with tempfile.TemporaryDirectory() as state:
        executor = open_executor(Settings(state=state).executor)
        try:
            await run_all(executor, blocks, console)
        finally:
            await executor.close()
    tell(blocks, console)
    if args.dump:
        dump(blocks, args.dump)


if __name__ == "__main__":
    asyncio.run(main())
