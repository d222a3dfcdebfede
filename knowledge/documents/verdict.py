"""What an audit found of a document: searches and answers read it beside the document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from executor.protocol import Model
from knowledge.documents.document import Document, load_document
from knowledge.errors import DocumentError


class Verdict(StrEnum):
    """What a run says of a claim, of a block, or of a whole document."""

    HOLDS = "holds"
    REFUTED = "refuted"
    PARTLY = "partly"
    CANNOT_RUN = "cannot run here"
    NO_CLAIM = "no claim"


class Audited(Model):
    """The verdict of one document, as it was when it was audited."""

    digest: str
    verdict: Verdict
    torch: str


class Source(Protocol):
    """An article or a document, as search ranks it."""

    @property
    def id(self) -> str:
        """Its name among all sources."""

    @property
    def kind(self) -> str:
        """ "article" or "document"."""

    @property
    def path(self) -> str:
        """Its file."""


_FORMAT = TypeAdapter(dict[str, Audited])


class Verdicts:
    """The last audits' verdicts; none if there was no audit."""

    def __init__(self, state_folder: Path) -> None:
        """Read them; the documents themselves are read when they are asked for."""
        self._path = state_folder / "audit" / "verdicts.json"
        try:
            self._kept = _FORMAT.validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            self._kept = {}  # never written, or by another version: then nothing was audited

    def verdict_of(self, source: Source) -> Verdict | None:
        """What the audit said; None for an article, and for what was edited since or is gone."""
        kept = self._kept.get(source.id) if source.kind == "document" else None
        if kept is None:
            return None
        try:
            same = digest(load_document(Path(source.path))) == kept.digest
        except DocumentError:
            return None
        return kept.verdict if same else None

    def keep(self, audited: Mapping[str, Audited]) -> None:
        """Remember verdicts by document id, beside those of other folders.

        Raises:
            OSError: the folder cannot be written.
        """
        self._kept |= audited
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_name(f"{self._path.name}.new")
        new.write_bytes(_FORMAT.dump_json(self._kept))
        new.replace(self._path)


def digest(document: Document) -> str:
    """Changes with every word and every line of code."""
    parts = [document.title, document.prose, [(c.code, c.language) for c in document.code]]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
