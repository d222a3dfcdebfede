"""What an audit found is kept by document, and read by one call."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from knowledge.documents.document import load_document
from knowledge.documents.verdict import Audited, Verdict, Verdicts, digest


@dataclass(frozen=True)
class Source:
    """A document, as search ranks it."""

    id: str
    path: str
    kind: str = "document"


def test_verdicts_are_kept_by_document_until_it_is_edited(tmp_path: Path):
    """Audits of several folders add up; an edited document has no verdict, nor has an article."""
    one, two = tmp_path / "one.md", tmp_path / "two.md"
    one.write_text("# One\n\nThis raises.\n")
    two.write_text("# Two\n")
    for path, verdict in ((one, Verdict.REFUTED), (two, Verdict.HOLDS)):
        kept = Audited(digest=digest(load_document(path)), verdict=verdict, torch="2.13.0")
        Verdicts(tmp_path / "state").keep({path.stem: kept})
    audited = Verdicts(tmp_path / "state")

    def told(name: str, kind: str = "document") -> Verdict | None:
        return audited.verdict_of(Source(name, str(tmp_path / f"{name}.md"), kind))

    assert (told("one"), told("two")) == (Verdict.REFUTED, Verdict.HOLDS)
    assert told("one", "article") is None and told("three") is None
    one.write_text("# One\n\nThis does not raise.\n")
    assert (told("one"), told("two")) == (None, Verdict.HOLDS)
    two.unlink()
    assert told("two") is None
    assert Verdicts(tmp_path / "nowhere").verdict_of(Source("one", str(one))) is None


def test_nothing_of_the_audit_is_imported_where_no_audit_is_asked_for():
    """A bot that answers reads verdicts, and needs neither the runner nor the head."""
    code = (
        "import sys, bot.diagnosis.library\n"
        "print([m for m in sys.modules if m.startswith('knowledge.audit')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
