"""Check that the probes do not change what snippets print: run a corpus with and without them.

python benchmarks/semantics.py --corpus DIR --blocks 500

DIR holds Markdown documents with ```python blocks. A block counts when it runs to its end without
probes; its stdout is compared with that of a run with probes under the same seed. Where they differ
it is run without probes once more: what differs from itself (times, thread order) says nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from executor.protocol import Job, JobResult, Outcome, Probe
from executor.service.client import ExecutorClient

_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
_CHANGING = (
    (re.compile(r"0x[0-9a-f]{6,}|\b\d{12,}\b"), "ADDRESS"),
    (re.compile(r"/(?:tmp|dev/shm)/[\w./-]+"), "PATH"),
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?)?|\b\d\d:\d\d:\d\d\b"), "TIME"),
    (
        re.compile(
            r"\d+(\.\d+)?(e-?\d+)?\s*(?:s|ms|us|µs|ns|sec(?:onds?)?|milliseconds?|minutes?|MB|MiB"
            r"|GB|KB|it/s)\b"
        ),
        "AMOUNT",
    ),
)


@dataclass(frozen=True)
class Block:
    """One block of the corpus."""

    document: str
    number: int
    code: str


@dataclass(frozen=True)
class Verdict:
    """The result of the comparison for one block."""

    block: Block
    kind: str  # "equal" | "different" | "unsteady" | "did not run"
    diff: str = ""


def blocks(corpus: Path) -> Iterator[Block]:
    """Every block that imports torch."""
    for path in sorted(corpus.glob("*.md")):
        for number, found in enumerate(_BLOCK.finditer(path.read_text(errors="replace"))):
            if re.search(r"^\s*(import|from) torch", found[1], re.MULTILINE):
                yield Block(path.name, number, found[1])


def plain(text: str) -> str:
    """Output without addresses, paths, times and amounts of time or memory."""
    for pattern, word in _CHANGING:
        text = pattern.sub(word, text)
    return text


async def compare(executor: ExecutorClient, block: Block, wall_s: float) -> Verdict:
    """Run a block with and without probes."""

    async def run(*probes: Probe) -> JobResult:
        return await executor.run(Job(code=block.code, wall_s=wall_s, probes=probes))

    bare = await run(Probe.NONE)
    if bare.outcome is not Outcome.OK:
        return Verdict(block, "did not run")
    probed = await run()
    if probed.outcome is bare.outcome and plain(probed.stdout) == plain(bare.stdout):
        return Verdict(block, "equal")
    again = await run(Probe.NONE)
    if again.outcome is not bare.outcome or plain(again.stdout) != plain(bare.stdout):
        return Verdict(block, "unsteady")
    lines = difflib.unified_diff(
        plain(bare.stdout).splitlines(),
        plain(probed.stdout).splitlines(),
        "without",
        "with",
        lineterm="",
        n=0,
    )
    outcome = "" if probed.outcome is bare.outcome else f"{bare.outcome} → {probed.outcome}\n"
    return Verdict(block, "different", outcome + "\n".join(list(lines)[:12]))


async def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=500, help="how many that run to compare")
    parser.add_argument("--seed", type=int, default=0, help="which blocks: another draw")
    parser.add_argument("--wall-s", type=float, default=10)
    given = parser.parse_args()
    drawn = list(blocks(given.corpus))
    random.Random(given.seed).shuffle(drawn)
    counts: Counter[str] = Counter()
    different: list[Verdict] = []
    async with ExecutorClient.embedded() as executor:
        at_once = 1 + (await executor.capabilities())["slots"]
        waiting = iter(drawn)

        async def work() -> None:
            for block in waiting:
                if counts.total() - counts["did not run"] >= given.blocks:
                    return
                verdict = await compare(executor, block, given.wall_s)
                counts[verdict.kind] += 1
                if verdict.kind == "different":
                    different.append(verdict)

        await asyncio.gather(*(work() for _ in range(at_once)))
    compared = counts["equal"] + counts["different"]
    print(f"{counts.total()} blocks drawn, {counts['did not run']} do not run alone")
    print(f"{counts['unsteady']} differ from themselves (times, random order)")
    print(f"{compared} compared: {counts['equal']} equal, {counts['different']} different")
    for verdict in different:
        print(f"\n{verdict.block.document}, block {verdict.block.number}\n{verdict.diff}")


if __name__ == "__main__":
    asyncio.run(main())
