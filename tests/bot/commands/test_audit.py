"""`torchmedic audit`, the real command: its verdicts come from runs, and a kill costs nothing.

TORCHMEDIC_KILLS says how often it is killed (1).
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bot.commands.audit import run_audit
from bot.settings import ExecutorSettings, Settings
from knowledge.audit.model import BlockAudit
from knowledge.documents.verdict import Verdict, Verdicts
from tests.knowledge.documents.test_verdict import Source

KILLS = int(os.environ.get("TORCHMEDIC_KILLS", "1"))

INTEGERS = """\
---
title: "Why does relu_ refuse integers?"
id: integers
---
This code raises a `RuntimeError`:

```python
import torch

x = torch.tensor([-1, 2])
x.relu_()  # RuntimeError: unknown parameter type
```

A vector has no second dimension.

```python
import torch

y = torch.ones(3)
try:
    y.sum(dim=1)  # this will raise an IndexError
except IndexError as e:
    print(e)
print(y.shape)  # torch.Size([3])
```
"""
PARTS = """\
# A program in parts

```python
import torch

layer = torch.nn.Linear(4, 2)
```

And then:

```python
print(layer(torch.ones(1, 4)).shape)  # Output: torch.Size([1, 3])
```

This one needs what nobody has.

```python
import torch_that_is_not_there

print(torch_that_is_not_there.two())  # Output: 2
```

Here a handler hides that a part is missing.

```python
try:
    # Incorrect input
    model_of_theirs(3)
except Exception as e:
    print(e)
```

Nothing is said of this one.

```python
z = 3
```
"""


async def test_each_verdict_comes_from_a_run(executor_url: str, tmp_path: Path):
    """Refuted, holds, joined with the block above, cannot run here, no claim; a bad file is named.

    Started a second time, it runs nothing again.
    """
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "integers.md").write_text(INTEGERS)
    (folder / "parts.md").write_text(PARTS)
    (folder / "broken.md").write_bytes(b"# \xff\xfe no text")
    settings = Settings(state=str(tmp_path / "state"), executor=ExecutorSettings(url=executor_url))
    console = Console(width=100, record=True, quiet=False, file=(tmp_path / "said").open("w"))
    audit = await run_audit(settings, [folder], tmp_path / "out", console)
    integers, parts = audit.documents

    assert [b.verdict for b in integers.blocks] == [Verdict.REFUTED, Verdict.HOLDS]
    assert "raised no error" in integers.blocks[0].claims[0].evidence
    assert {j.claim.kind.value for j in integers.blocks[1].claims} == {"error", "prints"}
    assert [b.verdict for b in parts.blocks] == [
        Verdict.NO_CLAIM,
        Verdict.REFUTED,
        Verdict.CANNOT_RUN,
        Verdict.CANNOT_RUN,
        Verdict.NO_CLAIM,
    ]
    assert parts.blocks[1].seen.how == "joined"
    assert "torch.Size([1, 2])" in parts.blocks[1].claims[0].evidence
    assert "torch_that_is_not_there" in parts.blocks[2].claims[0].evidence
    assert "model_of_theirs" in parts.blocks[3].seen.cannot
    kept = Verdicts(settings.state_folder)
    for name in ("integers", "parts"):
        assert kept.verdict_of(Source(name, str(folder / f"{name}.md"))) is Verdict.REFUTED
    assert len(audit.skipped) == 1 and "broken.md" in audit.skipped[0]

    again = await run_audit(settings, [folder], tmp_path / "out", console)
    said = console.export_text()
    assert again == audit and "left out" in said
    assert [int(n) for n in re.findall(r"(\d+) runs made now", said)] == [_runs(audit), 0]
    assert json.loads((tmp_path / "out" / "audit.json").read_text())["torch"] == audit.torch


def _runs(audit: Any) -> int:
    """One a block, and one more where it was joined, or tried so for want of a name or module."""
    blocks: list[BlockAudit] = [b for d in audit.documents for b in d.blocks]
    wanting = ("model_of", "torch_that_is")
    return len(blocks) + sum(
        b.seen.how == "joined" or any(w in b.code for w in wanting) for b in blocks
    )


class Command:
    """`torchmedic audit` as an operator runs it."""

    def __init__(self, documents: Path, state: Path, executor_url: str = "") -> None:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("TORCHMEDIC_")}
        ours = {"TORCHMEDIC_STATE": str(state), "TORCHMEDIC_EXECUTOR__URL": executor_url}
        self._environment = clean | ours
        self._documents = documents
        self._state = state
        self.journal = state / "audit" / "runs.jsonl"

    def start(self) -> subprocess.Popen[bytes]:
        """Start it."""
        with (self._state.parent / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "bot.commands.cli", "audit", str(self._documents)],
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
                cwd=self._state.parent,
            )

    def finish(self) -> dict[str, Any]:
        """Run it to its end; its report, without what no two runs share."""
        assert self.start().wait(300) == 0, (self._state.parent / "log").read_text()[-3000:]
        text = (self._state / "audit" / "audit.json").read_text()
        text = re.sub(r"0x[0-9a-f]+", "0x…", text)
        report: dict[str, Any] = json.loads(text)
        for document in report["documents"]:
            for block in document["blocks"]:
                block["seen"].pop("seconds", None)
        return report

    def kept(self) -> int:
        """Runs that are written down."""
        return self.journal.read_bytes().count(b"\n") if self.journal.exists() else 0


@pytest.mark.timeout(180 + 60 * KILLS)
def test_killed_at_random_moments_the_report_is_the_same(executor_url: str, tmp_path: Path):
    """kill -9, in the middle of a run or of a line: the next start goes on where it was."""
    chance = random.Random(KILLS)
    documents = tmp_path / "documents"
    documents.mkdir()
    for n in range(4):
        blocks = "".join(
            "\n```python\nfrom time import sleep\n\n"
            f"sleep(0.2)\nprint({n} * {m})  # Output: {n * m + n % 2}\n```\n"
            for m in range(1, 5)
        )
        (documents / f"{n}.md").write_text(f"# Document {n}\n{blocks}")
    whole = Command(documents, tmp_path / "whole" / "state", executor_url)
    (tmp_path / "whole").mkdir()
    undisturbed = whole.finish()
    killed = Command(documents, tmp_path / "killed" / "state")
    (tmp_path / "killed").mkdir()

    moments = []
    for number in range(KILLS):
        if killed.kept() >= 13:
            killed.journal.unlink()  # nearly through: from the start again
        before = killed.kept()
        process = killed.start()
        until = time.monotonic() + 120
        # Every third one while it is still starting; the others once it is at work.
        while number % 3 < 2 and killed.kept() == before and time.monotonic() < until:
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(chance.random() * 1.5)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(60)
        moments.append(killed.kept())
    print(f"{KILLS} kills, with this many runs written down: {moments}")

    assert any(0 < n < 16 for n in moments)
    assert killed.finish() == undisturbed
    verdicts = [b["verdict"] for d in undisturbed["documents"] for b in d["blocks"]]
    assert verdicts.count("refuted") == verdicts.count("holds") == 8
