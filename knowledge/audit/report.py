"""Draw an audit as one HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections import Counter
from pathlib import Path
from typing import Any

from knowledge.audit.model import Audit, BlockAudit, BlockRun, DocumentAudit
from knowledge.documents.verdict import Verdict

_HERE = Path(__file__).parent
_STDOUT_CHARS = 1_500  # the JSON beside the page has all that is kept
_KINDS = {
    Verdict.REFUTED: "refuted",
    Verdict.PARTLY: "partly",
    Verdict.HOLDS: "holds",
    Verdict.CANNOT_RUN: "cannot",
    Verdict.NO_CLAIM: "none",
}
_HOW = {
    "alone": "It ran alone, as it stands.",
    "joined": "It ran after the blocks above it, which it needs.",
    "completed": "It ran with placeholders for what the document does not define.",
}
_COLUMNS = ("verdict", "document", "claim", "run", "error")


def page(audit: Audit) -> str:
    """The whole page.

    Whatever a document says is text here: the charts escape it, the table's data are JSON without
    a `<`, the script writes it with `textContent`, and the page's own policy lets no other script
    run.
    """
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    rows = [_row(d, b) for d in audit.documents for b in d.blocks]
    families = sorted({row["family"] for row in rows})
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = "".join(
        f'<th scope="col"><button type="button">{name}</button></th>' for name in _COLUMNS
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Audit: {len(audit.documents)} documents on torch {html.escape(audit.torch)}</title>
<style>{style}</style>
</head>
<body>
<h1>What the documents say, and what their code does</h1>
<p>{len(audit.documents)} documents, {len(rows)} Python blocks, each run on torch
{html.escape(audit.torch)}. A verdict is only given by a run.</p>
{_legend(audit)}
<h2>Verdicts by kind of error</h2>
{_chart(rows)}
<h2>Blocks</h2>
<div class="find">
<input id="words" type="search" placeholder="Search: words of a title, a claim or an error"
 aria-label="Search">
<select id="verdict" aria-label="Verdict">{_options("every verdict", [v.value for v in _KINDS])}
</select>
<select id="family" aria-label="Kind of error">{_options("every kind of error", families)}</select>
</div>
<p id="count" role="status"></p>
<table><thead><tr>{head}</tr></thead><tbody></tbody></table>
<p><button id="more" type="button" hidden>Show more</button></p>
{_skipped(audit)}
<script type="application/json" id="data">{_json(rows)}</script>
<script>{script}</script>
</body>
</html>
"""


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _json(rows: list[dict[str, Any]]) -> str:
    # `</script>` and `<!--` would end or hide the data; no `<`, no harm.
    text = json.dumps(rows, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _options(every: str, names: list[str]) -> str:
    told = "".join(f"<option>{html.escape(name)}</option>" for name in names)
    return f'<option value="">{every}</option>{told}'


def _row(document: DocumentAudit, block: BlockAudit) -> dict[str, Any]:
    seen = block.seen
    claims = [
        {
            "text": j.claim.text,
            "line": j.claim.line,
            "verdict": j.verdict.value,
            "evidence": j.evidence,
        }
        for j in block.claims
    ]
    return {
        "title": document.title,
        "path": Path(document.path).name,
        "number": block.number,
        "line": block.line,
        "verdict": block.verdict.value,
        "claim": block.claims[0].claim.text if block.claims else "",
        "run": ran(seen),
        "family": seen.family,
        "claims": claims,
        "how": _HOW.get(seen.how, "")
        + (f" On a {seen.device} device." if "simulated" in seen.device else ""),
        "notes": _notes(seen),
        "stdout": seen.stdout[:_STDOUT_CHARS],
        "code": block.code,
        "error_line": seen.error.line if seen.error is not None else None,
    }


def ran(seen: BlockRun) -> str:
    """What a run did, in one line."""
    if seen.error is not None:
        at = f" in line {seen.error.line}" if seen.error.line else ""
        return (
            f"{seen.error.type}{at}: {seen.error.message.splitlines()[0][:200]}"
            if (seen.error.message)
            else f"{seen.error.type}{at}"
        )
    if seen.ended_well:
        caught = f", and caught {seen.caught[0].type} itself" if seen.caught else ""
        return f"ran to its end{caught}"
    return f"ended as {seen.outcome}"


def _notes(seen: BlockRun) -> list[str]:
    notes = [f"Not really run here: {seen.cannot}."] if seen.cannot else []
    notes += [f"Caught: {r.type}: {r.message[:300]}" for r in seen.caught[:3]]
    notes += [f"Found: {what}" for _, what in seen.findings[:3]]
    return notes


def _legend(audit: Audit) -> str:
    blocks = Counter(b.verdict for d in audit.documents for b in d.blocks)
    documents = Counter(d.verdict for d in audit.documents)
    items = "".join(
        f'<li class="{kind}">{verdict.value}: {blocks[verdict]} blocks, '
        f"{documents[verdict]} documents</li>"
        for verdict, kind in _KINDS.items()
    )
    return f'<ul class="legend">{items}</ul>'


def _chart(rows: list[dict[str, Any]]) -> str:
    """One bar a family of errors, its verdicts side by side; a bar's length is its blocks."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row["family"], Counter())[row["verdict"]] += 1
    if not counts:
        return "<p>No blocks.</p>"
    order = sorted(counts, key=lambda name: (-counts[name].total(), name))
    longest = counts[order[0]].total()
    width, step = 340, 42
    bars = []
    for n, name in enumerate(order):
        y, x = n * step, 0.0
        bars.append(f'<text x="0" y="{y + 13}">{html.escape(name)} ({counts[name].total()})</text>')
        for verdict, kind in _KINDS.items():
            if count := counts[name][verdict.value]:
                length = width * count / longest
                bars.append(
                    f'<rect class="{kind}" x="{x:.1f}" y="{y + 18}" width="{length:.1f}" '
                    f'height="14"><title>{html.escape(name)}: {count} × {verdict.value}</title>'
                    "</rect>"
                )
                x += length
    said = ", ".join(f"{name} {counts[name].total()}" for name in order)
    return (
        f'<svg viewBox="0 0 {width} {step * len(order)}" style="max-width: 26rem" role="img" '
        f'aria-label="Blocks by kind of error: {html.escape(said, quote=True)}">'
        f"{''.join(bars)}</svg>"
    )


def _skipped(audit: Audit) -> str:
    if not audit.skipped:
        return ""
    items = "".join(f"<li>{html.escape(line)}</li>" for line in audit.skipped)
    return f"<h2>Files that could not be read</h2><ul>{items}</ul>"
