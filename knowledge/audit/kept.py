"""Keep an audit: its two reports, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from knowledge.audit.model import Audit
from knowledge.audit.report import page

FOLDER = "audit"  # in the state folder
RUNS = "runs.jsonl"


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


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8", errors="backslashreplace")
    new.replace(path)
