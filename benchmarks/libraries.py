"""Run published snippets that stopped at the import of a library, now that snippets may import it.

    python -m benchmarks.libraries --corpus DIR --runs FILE [--sample 200] [--library NAME]
    python -m benchmarks.libraries --costs

The corpus is a folder of Markdown documents with fenced Python, `runs` the record of what each
block did when it was run alone with torch and nothing else (benchmarks/corpus.py). A sample of the
blocks that ended at an import is run as an answer would run it, with placeholders. Printed is, by
library, how many run to their end, how many end at an error of their own, and why the others do not
run. `--costs` measures instead what each library costs: megabytes, and seconds of an import.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.corpus import Block, read_blocks
from bot.diagnosis import reproduction
from bot.diagnosis.assemble import open_executor
from bot.diagnosis.missing import missing
from bot.messages.question import read_message
from bot.settings import Settings
from executor.exceptions import ExecutorError
from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from executor.service.packages import LIBRARIES, snippet_packages

_AT_ONCE = 2
_WALL_S = 10.0
_MODULE = re.compile(r"No module named '(\w+)|requires? [`']?(\w+)")
_WHY = (
    (re.compile(r"needs the module `([\w.]+)`"), "module {}"),
    (re.compile(r"is used but never defined"), "a name that is not defined"),
    (re.compile(r"which is not here; attach it"), "a file"),
    (re.compile(r"from the network"), "the network"),
    (re.compile(r"needs a GPU|asks for a second GPU"), "a GPU"),
    (re.compile(r"it was stopped|had waited"), "its time or memory"),
    (re.compile(r"is no Python|the indentation"), "no Python"),
    (re.compile(r"only defines things"), "only definitions"),
    (re.compile(r"arguments|asks for input"), "arguments or input"),
    (re.compile(r"compiled code that does not load"), "a compiled operator"),
)


@dataclass
class Seen:
    """What a block does now."""

    library: str
    block: Block
    what: str  # "end", "end with placeholders", "own error", or why it did not run
    error: str
    seconds: float
    why: str = ""  # it did not run, as an answer says it


def stopped_at_an_import(block: Block) -> str:
    """The library at whose import the block ended; empty if it ended otherwise."""
    record = block.record
    if record["error_type"] not in ("ModuleNotFoundError", "ImportError"):
        return ""
    found = _MODULE.search(record["error"] or "")
    return (found[1] or found[2]) if found else ""


def drawn(blocks: list[Block], count: int, seed: int) -> list[Block]:
    """So many of them, the same ones for the same seed."""

    def rank(block: Block) -> str:
        return hashlib.sha256(f"{seed} {block.document} {block.number}".encode()).hexdigest()

    return sorted(blocks, key=rank)[:count]


def classified(run: JobResult, lacking: str) -> str:
    """What became of a run, in the words of the table."""
    if run.outcome is Outcome.OK and not (lacking and not run.stand_ins):
        return "end with placeholders" if run.stand_ins or run.assumptions else "end"
    if not lacking:
        return "own error"
    for pattern, words in _WHY:
        if found := pattern.search(lacking):
            return words.format(*found.groups())
    return "other"


async def look(executor: ExecutorClient, block: Block, library: str) -> Seen:
    """Run one block as an answer would."""
    question = read_message(f"```python\n{block.code}\n```")
    job = Job(code=question.code, wall_s=_WALL_S, cut=True)
    try:
        run = (await reproduction.reproduce(executor, question, job)).run
    except ExecutorError as e:
        return Seen(library, block, "other", str(e), 0.0)
    error = f"{run.error.type}: {run.error.message}"[:200] if run.error else ""
    lacking = missing(run, question)
    return Seen(library, block, classified(run, lacking), error, run.seconds, lacking)


async def measure(chosen: list[Block]) -> list[Seen]:
    """Run them all, a few at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)
    async with open_executor(Settings().executor) as executor:

        async def one(block: Block) -> Seen:
            async with gate:
                return await look(executor, block, stopped_at_an_import(block))

        return await asyncio.gather(*(one(block) for block in chosen))


def tables(seen: list[Seen]) -> None:
    """Print the results by library, and why what did not run did not."""
    console = Console(width=100)
    by_library: dict[str, list[Seen]] = defaultdict(list)
    for one in seen:
        by_library[one.library].append(one)
    table = Table("stopped at", "blocks", "end", "with placeholders", "own error", "share")
    ranked = sorted(by_library.items(), key=lambda item: -len(item[1]))
    shown = [(name, rows) for name, rows in ranked if len(rows) > 2]
    for name, rows in [*shown, ("all", seen)]:
        what = Counter(row.what for row in rows)
        good = [what[key] for key in ("end", "end with placeholders", "own error")]
        table.add_row(name, str(len(rows)), *map(str, good), f"{sum(good) / len(rows):.0%}")
    console.print(table)
    done = {"end", "end with placeholders", "own error"}
    why = Counter(row.what for row in seen if row.what not in done)
    console.print("did not run for:", ", ".join(f"{w} {n}" for w, n in why.most_common(25)))


def costs() -> None:
    """Print each library's megabytes on disk, and the seconds and memory of its import."""
    packages = snippet_packages(None)
    table = Table("library", "version", "MB", "import, s of processor time", "MB of memory")
    versions = packages.versions()
    for name in LIBRARIES:
        if name not in versions:
            continue
        told = subprocess.run(
            [packages.python, "-c", _COST, name], capture_output=True, text=True, check=False
        )
        words = json.loads(told.stdout.splitlines()[-1]) if told.returncode == 0 else {}
        table.add_row(
            name, versions[name], *(f"{words[key]:.1f}" if words else "?" for key in _COSTS)
        )
    Console(width=100).print(table)


_COSTS = ("disk", "seconds", "memory")
_COST = """
import importlib, importlib.metadata, json, sys, time
from executor.inside.libraries import after_import
after_import.install()
name = sys.argv[1]
files = importlib.metadata.files(name) or []
paths = [f.locate() for f in files]
disk = sum(p.stat().st_size for p in paths if p.is_file()) / 1e6
tops = importlib.metadata.packages_distributions()
[top] = [t for t, names in tops.items() if name in [n.lower().replace("_", "-") for n in names]
         and not t.startswith("_") and t not in ("torchgen", "functorch", "mpl_toolkits", "pylab")
         and t != "isympy"][:1]
def memory():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1e3
if name not in ("torch", "numpy"):
    import torch
before, began = memory(), time.process_time()
importlib.import_module(top)
print(json.dumps({"disk": disk, "seconds": time.process_time() - began,
                  "memory": memory() - before}))
"""


def main() -> None:
    """Parse the command line, run, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--runs", type=Path)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--library", help="only blocks that stopped at this one")
    parser.add_argument("--dump", type=Path, help="a line of JSON for each block")
    parser.add_argument("--costs", action="store_true", help="what each library costs")
    given = parser.parse_args()
    if given.costs:
        costs()
        return
    if given.corpus is None or given.runs is None:
        parser.error("--corpus and --runs, or --costs")
    blocks = [b for b in read_blocks(given.corpus, given.runs) if stopped_at_an_import(b)]
    if given.library:
        blocks = [b for b in blocks if stopped_at_an_import(b) == given.library]
    seen = asyncio.run(measure(drawn(blocks, given.sample, given.seed)))
    if given.dump:
        lines = [
            {"doc": s.block.document, "block": s.block.number, "library": s.library,
             "what": s.what, "error": s.error, "seconds": s.seconds, "why": s.why}
            for s in seen
        ]  # fmt: skip
        given.dump.write_text("".join(json.dumps(line) + "\n" for line in lines))
    print(f"{len(seen)} of {len(blocks)} blocks that stopped at an import")
    tables(seen)


if __name__ == "__main__":
    main()
