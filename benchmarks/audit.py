"""Check the audit's verdicts: against verdicts made by hand, or print a sample for reading.

    python -m benchmarks.audit --seeds DIR
    python -m benchmarks.audit --draw 60 --seed 2 AUDIT_JSON

The first audits five documents whose 18 blocks were run and read by hand before the audit was
written; a verdict that differs is an error. The second draws blocks from an audit at random,
whatever their verdict, and prints each with what its document says and what its run did: a person
reads them and writes down what is wrong (docs/audit.md).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from bot.commands.audit import run_audit
from bot.settings import Settings
from knowledge.audit.model import Audit, BlockAudit, DocumentAudit
from knowledge.audit.text import layout
from knowledge.documents.verdict import Verdict

_HOLDS, _REFUTED, _NONE = Verdict.HOLDS, Verdict.REFUTED, Verdict.NO_CLAIM

# By the hash in the file's name, block by block; docs/audit.md says what each claims.
TRUTH: dict[str, tuple[Verdict, ...]] = {
    "1a7a908f": (_REFUTED, _REFUTED, _REFUTED),
    "a16622f5": (_REFUTED, _REFUTED, _HOLDS),
    "eae56dcd": (_HOLDS, _HOLDS, _REFUTED, _HOLDS),
    "f36efa2c": (_REFUTED, _HOLDS, _REFUTED, _HOLDS, _REFUTED),
    "456b36ea": (_REFUTED, _NONE, _HOLDS),
}


def compare(audit: Audit, console: Console) -> int:
    """Print each block's verdict beside the one made by hand; return how many differ."""
    wrong = 0
    seen = set()
    for document in audit.documents:
        name = Path(document.path).name
        truth = next((v for prefix, v in TRUTH.items() if prefix in name), None)
        if truth is None:
            continue
        seen.add(name)
        for block, expected in zip(document.blocks, truth, strict=True):
            agrees = block.verdict is expected
            wrong += not agrees
            console.print(
                f"{'agrees' if agrees else 'DIFFERS'}  {name[:12]} block {block.number}: "
                f"{block.verdict.value}" + ("" if agrees else f", should be {expected.value}")
            )
    blocks = sum(len(v) for v in TRUTH.values())
    console.print(f"{len(seen)} of {len(TRUTH)} documents, {blocks} blocks, {wrong} differ")
    return wrong + (len(TRUTH) - len(seen))


def draw(audit: Audit, count: int, seed: int) -> list[tuple[DocumentAudit, BlockAudit]]:
    """Draw blocks at random, whatever their verdict."""
    blocks = [(d, b) for d in audit.documents for b in d.blocks]
    return random.Random(seed).sample(blocks, min(count, len(blocks)))


def tell(document: DocumentAudit, block: BlockAudit, console: Console) -> None:
    """Print everything that a person needs to judge the verdict."""
    text = Path(document.path).read_text(encoding="utf-8-sig", errors="replace")
    around = layout(text)[block.number - 1]
    seen = block.seen
    console.rule()
    console.print(f"{Path(document.path).name} block {block.number}: {block.verdict.value.upper()}")
    console.print("BEFORE:", " ".join(around.lead)[-900:])
    console.print(block.code)
    console.print("AFTER:", " ".join(around.follow)[:1500])
    console.print(f"RUN: {seen.how}, {seen.device}, {seen.outcome} {seen.cannot}")
    for r in seen.raised:
        console.print(f"  raised in line {r.line}: {r.type}: {r.message[:200]}")
    console.print(f"  printed: {seen.stdout[:500]!r}")
    for j in block.claims:
        console.print(
            f"  * {j.verdict.value}: {j.claim.kind.value}, line {j.claim.line}: "
            f"{j.claim.text[:200]} => {j.evidence[:200]}"
        )


def main() -> int:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("audit", nargs="?", type=Path, help="an audit.json")
    parser.add_argument("--seeds", type=Path, help="the folder of the five documents")
    parser.add_argument("--draw", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    console = Console(highlight=False, markup=False, soft_wrap=True)
    if asked.seeds is not None:
        with tempfile.TemporaryDirectory() as state:
            audit = asyncio.run(
                run_audit(Settings(state=state), [asked.seeds], None, Console(quiet=True))
            )
        return 1 if compare(audit, console) else 0
    if asked.audit is None:
        parser.error("name an audit.json, or --seeds DIR")
    audit = Audit.model_validate_json(asked.audit.read_bytes())
    for document, block in draw(audit, asked.draw, asked.seed):
        tell(document, block, console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
