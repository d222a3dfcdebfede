"""Write an audit down: as JSON, and as one HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from string import Template

from knowledge.audit.model import Audit

_HERE = Path(__file__).parent
_NOT_DRAWN = {"documents": {"__all__": {"blocks": {"__all__": {"seen": {"statements"}}}}}}


def page(audit: Audit) -> str:
    """The whole page: the audit's JSON, and the script that draws it.

    Whatever a document says is text here: the data are JSON without a `<`, the script writes them
    with `textContent`, and the page's own policy lets no other script run.
    """
    parts = {n: (_HERE / f"page.{n}").read_text(encoding="utf-8") for n in ("html", "css", "js")}
    data = audit.model_dump_json(exclude=_NOT_DRAWN)
    for sign in "<>&\u2028\u2029":  # `</script>` and `<!--` would end or hide the data
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    policy = base64.b64encode(hashlib.sha256(parts["js"].encode()).digest()).decode()
    return Template(parts["html"]).substitute(
        policy=policy, style=parts["css"], data=data, script=parts["js"]
    )


def write(audit: Audit, out: Path) -> list[Path]:
    """Write audit.json and audit.html, each whole or not at all.

    Raises:
        OSError: the folder cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    files = {
        out / "audit.json": audit.model_dump_json(indent=1, exclude_defaults=True) + "\n",
        out / "audit.html": page(audit),
    }
    for path, text in files.items():
        new = path.with_name(f"{path.name}.new")
        new.write_text(text, encoding="utf-8", errors="backslashreplace")
        new.replace(path)
    return list(files)
