"""Keep an audit: its two reports, and the verdicts that search asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from executor.job import Model
from knowledge.audit.model import Audit, Verdict
from knowledge.audit.report import page
from knowledge.audit.text import digest
from knowledge.document import Document

FOLDER = "audit"  # in the state folder
RUNS = "runs.jsonl"


class _Kept(Model):
    digest: str  # of the document when it was audited
    verdict: Verdict
    torch: str


_FORMAT = TypeAdapter(dict[str, _Kept])


def write(audit: Audit, out: Path) -> tuple[Path, Path]:
    """Write audit.json and audit.html, each whole or not at all.

    Raises:
        OSError: the folder cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    as_json, as_page = out / "audit.json", out / "audit.html"
    _replace(as_json, audit.model_dump_json(indent=1, exclude_defaults=True) + "\n")
    _replace(as_page, page(audit))
    return as_json, as_page


def keep_verdicts(audit: Audit, state_folder: Path) -> None:
    """Remember the documents' verdicts beside those of other folders.

    Raises:
        OSError: the folder cannot be written.
    """
    path = _path(state_folder)
    kept = _read(path) | {
        d.id: _Kept(digest=d.digest, verdict=d.verdict, torch=audit.torch)
        for d in audit.documents
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, _FORMAT.dump_json(kept).decode())


def load_verdicts(
    state_folder: Path, documents: Iterable[Document] | None = None
) -> Mapping[str, Verdict]:
    """The last audit's verdicts by document id; empty if there was none.

    Args:
        state_folder: where the bot keeps what it knows.
        documents: as they are now; one that was edited since its audit has no verdict.
    """
    kept = _read(_path(state_folder))
    if documents is None:
        return {id: k.verdict for id, k in kept.items()}
    return {
        d.id: kept[d.id].verdict
        for d in documents
        if d.id in kept and kept[d.id].digest == digest(d)
    }


def _path(state_folder: Path) -> Path:
    return state_folder / FOLDER / "verdicts.json"


def _read(path: Path) -> dict[str, _Kept]:
    try:
        return _FORMAT.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return {}  # never written, or by another version: then nothing was audited


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8", errors="backslashreplace")
    new.replace(path)
