"""The page of an audit in a real browser: it searches, sorts, fits a phone, runs no stranger."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.audit.model import (
    Audit,
    BlockAudit,
    BlockRun,
    Claim,
    ClaimKind,
    DocumentAudit,
    Judged,
    Raised,
)
from knowledge.audit.report import write
from knowledge.documents.verdict import Verdict
from tests.knowledge.audit.chromium import CHROMIUM, ask

needs_chromium = pytest.mark.skipif(
    not CHROMIUM, reason="NO CHROMIUM: the audit's page was not tested; apt-get install chromium"
)
EVIL = (
    "</script><script>top.hacked=1;window.hacked=1</script><img src=x onerror=window.hacked=1>"
    "<svg onload=window.hacked=1>'\"`${1}&lt;b&gt; <!-- <style>*{display:none}</style>"
)
LONG = "W" * 500


def block(number: int, verdict: Verdict, text: str = "Will raise", code: str = "x = 1"):
    """A block with one claim."""
    claim = Claim(kind=ClaimKind.ERROR, text=text, line=1)
    seen = BlockRun(
        outcome="error",
        stdout=text,
        family="shapes",
        findings=(("x", text),),
        error=Raised(type="RuntimeError", message=text, line=1, lines=(1,)),
    )
    judged = Judged(claim=claim, verdict=verdict, evidence=text)
    return BlockAudit(
        number=number, line=3, code=code, verdict=verdict, claims=(judged,), seen=seen
    )


def document(name: str, *blocks: BlockAudit) -> DocumentAudit:
    """A document as refuted as its first block."""
    return DocumentAudit(
        id=name,
        title=name,
        path=f"{name[:20]}.md",
        digest="",
        verdict=blocks[0].verdict,
        blocks=blocks,
    )


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page of three documents, one of them hostile and one very wide."""
    audit = Audit(
        torch="2.13.0",
        documents=(
            document("apples", block(1, Verdict.HOLDS), block(2, Verdict.REFUTED, "pears")),
            document(EVIL, block(1, Verdict.REFUTED, EVIL, EVIL)),
            document(LONG, block(1, Verdict.PARTLY, LONG, f"{LONG}\n" * 3)),
        ),
        skipped=(EVIL,),
    )
    return write(audit, tmp_path)[1]


@needs_chromium
def test_what_strangers_wrote_is_shown_and_never_run(page: Path):
    """Titles, comments, code, errors and output: all of it is text."""
    seen = ask(
        page,
        """
        doc.querySelectorAll("tr.row").forEach((tr) => tr.click());
        return {hacked: [view.hacked, view.top.hacked].map((x) => x ?? null),
          made: doc.querySelectorAll("img, table svg, tbody script, tbody style").length,
          scripts: doc.scripts.length, text: doc.body.textContent};
    """,
    )

    assert seen["hacked"] == [None, None] and seen["made"] == 0 and seen["scripts"] == 2
    assert seen["text"].count(EVIL) >= 5


@needs_chromium
@pytest.mark.parametrize("width", [390, 1200])
def test_nothing_has_to_be_scrolled_sideways(page: Path, width: int):
    """On a phone and on a screen, with every block opened."""
    seen = ask(
        page,
        """
        doc.querySelectorAll("tr.row").forEach((tr) => tr.click());
        return [doc.documentElement.scrollWidth, view.innerWidth,
          doc.querySelectorAll("tr.detail").length];
    """,
        width=width,
    )

    assert seen[0] <= seen[1] == width
    assert seen[2] == 4


@needs_chromium
def test_it_searches_filters_and_sorts(page: Path):
    """By any word, by verdict, and by each column, both ways."""
    seen = ask(
        page,
        """
        const rows = () => [...doc.querySelectorAll("tr.row")].map(
          (tr) => [tr.cells[0].textContent, tr.cells[1].firstChild.textContent.slice(0, 6)]);
        const set = (id, value) => { doc.getElementById(id).value = value;
          doc.getElementById(id).dispatchEvent(new view.Event("input")); return rows(); };
        const by = (n) => { doc.querySelectorAll("th button")[n].click(); return rows(); };
        return {first: rows(), pears: set("words", "PEARS apples"), none: set("words", "pears x"),
          partly: (set("words", ""), set("verdict", "partly")),
          up: (set("verdict", ""), by(1)), down: by(1), count: doc.getElementById(
          "count").textContent, drawn: doc.querySelectorAll("body > svg rect").length};
    """,
    )

    assert [v for v, _ in seen["first"]] == ["refuted", "refuted", "partly", "holds"]
    assert seen["pears"] == [["refuted", "apples"]] and seen["none"] == []
    assert [v for v, _ in seen["partly"]] == ["partly"]
    assert [t for _, t in seen["up"]][1:3] == ["apples", "apples"]
    assert seen["down"] == seen["up"][::-1]
    assert seen["count"] == "4 of 4 blocks" and seen["drawn"] == 3


def test_the_page_asks_nothing_of_the_network(page: Path):
    """It can be sent on as one file."""
    text = page.read_text()

    assert not [
        word
        for word in ("http:", "https:", "<link", "src=", "@import")
        if word in text.replace("src=x", "").replace("http://www.w3.org/2000/svg", "")
    ]
    assert "default-src 'none'" in text
