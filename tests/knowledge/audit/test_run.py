"""knowledge/audit/run.py: what the blocks of one document decide together."""

from __future__ import annotations

from pathlib import Path

import pytest

from executor.protocol import StatementSeen
from knowledge.audit.model import BlockRun, Raised
from knowledge.audit.run import audit, read
from knowledge.documents.verdict import Verdict
from tests.knowledge.audit.audited import Told

RAN = BlockRun(outcome="ok", statements=(StatementSeen(first=1, last=1, kind="assign", times=1),))
FAILED = Raised(type="KeyError", message="'a'", line=1, lines=(1,))


FAULT, NONE = "It raises a KeyError.", "The sums are too small."


@pytest.mark.parametrize(
    ("fault", "said", "wrong_raises", "right_raises", "word"),
    [
        (FAULT, "This is the correct way.", True, False, Verdict.HOLDS),
        (FAULT, "This is the correct way.", False, False, Verdict.HOLDS),
        (NONE, "This is the correct way.", False, False, Verdict.NO_CLAIM),
        (NONE, "This is the correct way.", False, True, Verdict.REFUTED),
        (NONE, "It runs without an error.", False, False, Verdict.HOLDS),
        (NONE, "It works.", False, False, Verdict.HOLDS),
        (NONE, "It no longer raises.", False, False, Verdict.HOLDS),
    ],
)
async def test_what_is_only_called_right_is_decided_where_a_fault_is_one_that_a_run_shows(
    tmp_path: Path, fault: str, said: str, wrong_raises: bool, right_raises: bool, word: Verdict
):
    """Else that it runs says nothing of what was mended; that it does not says enough."""
    wrong = "d = {}\nd['a']"
    (tmp_path / "d.md").write_text(
        f"# D\n\n```python\n{wrong}\n```\n\n{fault}\n\n```python\nd = {{'a': 1}}\n```\n\n{said}\n"
    )

    async def run(code: str, _: object) -> BlockRun:
        raises = wrong_raises if code.strip() == wrong else right_raises
        return BlockRun(outcome="error", error=FAILED) if raises else RAN

    class Reader(Told):
        def read(self, told):
            kinds = {FAULT: {"raises": 0.9}, said: {"works": 0.9}}
            return [kinds.get(s.text, {}) for s in told]

    documents, _ = read([tmp_path])
    found = await audit(documents, run, Reader().read, at_once=1)

    assert found[0].blocks[1].verdict is word
