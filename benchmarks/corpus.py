"""Read a corpus of question-and-answer documents and the record of what its blocks did."""

from __future__ import annotations

import json
import lzma
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One Python block of a document, and what it did when it was run alone."""

    document: str
    number: int  # among the document's Python blocks, from 0
    code: str
    earlier: tuple[str, ...]  # the blocks before it in the same document
    record: dict[str, Any]  # outcome, error_type, error, line, group, family, …

    @property
    def family(self) -> str:
        """Its error's family; empty if it did not fail."""
        return self.record["family"] or ""


def read_blocks(folder: Path, runs: Path) -> list[Block]:
    """Every block that the record knows, in its order.

    Args:
        folder: the documents.
        runs: the record, `runs.jsonl.xz`.
    """
    documents: dict[str, list[str]] = {}
    found = []
    with lzma.open(runs, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            name = record["doc"]
            if name not in documents:
                text = (folder / name).read_text(encoding="utf-8", errors="replace")
                documents[name] = _BLOCK.findall(text)
            blocks, n = documents[name], record["block"]
            if n < len(blocks):
                found.append(Block(name, n, blocks[n], tuple(blocks[:n]), record))
    return found
