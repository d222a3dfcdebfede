"""Audit documents: lay each one out, have its blocks run, and hold its claims against the runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from knowledge.audit.claims import claims_of
from knowledge.audit.judge import verdict
from knowledge.audit.model import WORST_FIRST, BlockAudit, BlockRun, ClaimKind, DocumentAudit
from knowledge.audit.reading import Read
from knowledge.audit.text import Block, layout
from knowledge.documents.document import Document, FrontMatterError, load_documents
from knowledge.documents.verdict import Verdict, digest

# Runs a block's code; it may need the blocks above, with what came of each.
RunBlock = Callable[[str, Sequence[tuple[str, BlockRun]]], Awaitable[BlockRun]]

_FAULTS = (ClaimKind.ERROR, ClaimKind.NEVER_TRAINS)


def read(paths: Iterable[Path]) -> tuple[list[tuple[Document, list[Block]]], list[str]]:
    """The documents with their blocks, and the files that cannot be read, each with its reason."""
    skipped: list[str] = []
    found = []
    for document in load_documents(paths, on_error=lambda e: skipped.append(str(e))):
        try:
            found.append((document, layout(document.path.read_bytes().decode("utf-8-sig"))))
        except (OSError, UnicodeDecodeError, FrontMatterError) as e:
            skipped.append(f"{document.path}: changed while it was read: {e}")  # or went away
    return found, skipped


async def audit(
    documents: Sequence[tuple[Document, list[Block]]],
    run: RunBlock,
    reading: Read,
    *,
    at_once: int,
    done: Callable[[], None] = lambda: None,
) -> list[DocumentAudit]:
    """Run every block, `at_once` documents side by side, and judge what is claimed of it.

    A run that was made before may come from a journal. `done` is told of each block.
    """
    gate = asyncio.Semaphore(at_once)

    async def one(document: Document, blocks: list[Block]) -> DocumentAudit:
        runs: list[tuple[str, BlockRun]] = []
        claims = []
        async with gate:
            for b in blocks:
                runs.append((b.code, await run(b.code, runs)))
                claims.append(await asyncio.to_thread(claims_of, b, reading))
                done()
        cures = any(
            judged.claim.kind in _FAULTS and judged.verdict is not Verdict.CANNOT_RUN
            for told, (_, seen) in zip(claims, runs, strict=True)
            for judged in verdict(told, seen)[1]
        )
        audited = []
        for b, told, (_, seen) in zip(blocks, claims, runs, strict=True):
            word, judged = verdict(told, seen, cures=cures)
            audited.append(BlockAudit(
                number=b.number, line=b.line, code=b.code, verdict=word, claims=judged, seen=seen,
            ))  # fmt: skip
        worst = min((b.verdict for b in audited), key=WORST_FIRST.index, default=Verdict.NO_CLAIM)
        return DocumentAudit(
            id=document.id, title=document.title, path=str(document.path),
            digest=digest(document), verdict=worst, blocks=tuple(audited),
        )  # fmt: skip

    tasks = [asyncio.create_task(one(document, blocks)) for document, blocks in documents]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
