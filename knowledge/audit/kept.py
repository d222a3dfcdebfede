"""Keep an audit: its two reports, and the verdicts that search asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from executor.protocol import Model
from knowledge.audit.model import Audit
from knowledge.audit.report import page
from knowledge.audit.text import digest
from knowledge.documents.document import Document
from knowledge.documents.verdict import Verdict

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
        d.id: _Kept(digest=d.digest, verdict=d.verdict, torch=audit.torch) for d in audit.documents
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, _FORMAT.dump_json(kept).decode())


def load_verdicts(
    state_folder: Path, now: Callable[[str], Document | None]
) -> Mapping[str, Verdict]:
    """The last audit's verdicts by document id; empty if there was none.

    Args:
        state_folder: where the bot keeps what it knows.
        now: a document as it is now, by its id, None where it is gone; one that was edited since
            its audit has no verdict.
    """
    verdicts = {}
    for id, kept in _read(_path(state_folder)).items():
        document = now(id)
        if document is not None and digest(document) == kept.digest:
            verdicts[id] = kept.verdict
    return verdicts


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
