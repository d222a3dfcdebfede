"""Audit documents: lay each one out, have its blocks run, and hold its claims against the runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from knowledge.audit.claims import claims_of
from knowledge.audit.judge import verdict
from knowledge.audit.model import (
    Audit,
    BlockAudit,
    BlockRun,
    DocumentAudit,
    verdict_of,
)
from knowledge.audit.reading import Reads
from knowledge.audit.text import Block, layout
from knowledge.documents.document import Document, FrontMatterError, load_documents
from knowledge.documents.verdict import digest

# Runs a block's code; it may need the blocks above, with what came of each.
RunBlock = Callable[[str, Sequence[tuple[str, BlockRun]]], Awaitable[BlockRun]]


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
    reader: Reads,
    *,
    torch: str,
    at_once: int,
    skipped: Sequence[str] = (),
    done: Callable[[], None] = lambda: None,
) -> Audit:
    """Run every block, `at_once` documents side by side, and judge what is claimed of it.

    A run that was made before may come from a journal. `done` is told of each block that is
    through; `torch` and `skipped` are for the report.
    """
    gate = asyncio.Semaphore(at_once)

    async def one(document: Document, blocks: list[Block]) -> DocumentAudit:
        audited: list[BlockAudit] = []
        async with gate:
            for b in blocks:
                seen = await run(b.code, [(above.code, above.seen) for above in audited])
                word, judged = verdict(await asyncio.to_thread(claims_of, b, reader), seen)
                audited.append(
                    BlockAudit(
                        number=b.number, line=b.line, code=b.code, verdict=word, claims=judged,
                        seen=seen,
                    )
                )  # fmt: skip
                done()
        return DocumentAudit(
            id=document.id, title=document.title, path=str(document.path),
            digest=digest(document), verdict=verdict_of(audited), blocks=tuple(audited),
        )  # fmt: skip

    tasks = [asyncio.create_task(one(document, blocks)) for document, blocks in documents]
    try:
        audits = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    return Audit(torch=torch, documents=tuple(audits), skipped=tuple(skipped))
