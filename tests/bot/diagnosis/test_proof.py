"""bot/diagnosis/proof.py: what keeps an article from being proved, and how that is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot.diagnosis import proof
from bot.diagnosis.pipeline import Pipeline
from bot.diagnosis.proof import prove
from bot.models import Proof
from bot.platforms.card import proof_in_words
from executor.protocol import Job, JobResult, Outcome
from knowledge.articles.reading import load_article
from knowledge.articles.slugs import folder_of

RAISES = "conv-input-channels"
SILENT = "plain-tensor-attribute-not-a-parameter"
SIMULATED = "gpu-number-that-is-not-there"

UNPROVED = [
    # An earlier line that fails in the same way is not the line that was promised.
    (
        RAISES,
        "broken.py",
        "import torch\n",
        "import torch\ntorch.nn.Conv2d(3, 8, 3)(torch.ones(1, 4, 8, 8))\n",
        "the error comes from line 2",
    ),
    (
        RAISES,
        "fixed.py",
        "import torch\n",
        "import torch\nraise OSError('gone')\n",
        "should run, and ends with OSError",
    ),
    (
        SILENT,
        "broken.py",
        "import torch\n",
        "import torch\nassert torch.ones(1).sum() == 2\n",
        "an assert fails before the last one",
    ),
    (
        SILENT,
        "broken.py",
        "import torch\n",
        "import torch\nimport no_such_module\n",
        "should end in its assert",
    ),
]


@pytest.mark.parametrize(("slug", "file", "old", "new", "problem"), UNPROVED)
async def test_what_an_article_gets_wrong_is_named(
    medic: Pipeline, tmp_path: Path, slug: str, file: str, old: str, new: str, problem: str
) -> None:
    """The verdict names the file and what came instead of what was promised."""
    folder = Path(shutil.copytree(folder_of(slug), tmp_path / slug))
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    verdict = await prove(medic.executor, load_article(folder), medic.codemods)

    assert verdict.proof.holds is False
    assert any(file in said and problem in said for said in verdict.problems), verdict.problems


async def test_an_article_is_run_on_the_simulated_device_where_it_needs_one(
    medic: Pipeline, tmp_path: Path
) -> None:
    """Its proof says on which device it held; without that device nothing of it holds."""
    folder = Path(shutil.copytree(folder_of(SIMULATED), tmp_path / SIMULATED))
    there = await prove(medic.executor, load_article(folder), medic.codemods)
    explanation = folder / "explanation.md"
    text = explanation.read_text(encoding="utf-8")
    explanation.write_text(text.replace("needs: simulated-cuda\n", ""), encoding="utf-8")
    elsewhere = await prove(medic.executor, load_article(folder), medic.codemods)

    assert there.proof.holds is True and there.proof.device.startswith("simulated")
    assert proof_in_words(there.proof) == "checked on torch 2.13.0 (simulated device), holds"
    assert elsewhere.proof.holds is False and elsewhere.proof.device == "cpu"
    assert proof_in_words(elsewhere.proof) == "checked on torch 2.13.0, does not hold"


@pytest.mark.parametrize(
    ("slug", "runs_torch"), [("gpu-gone-after-suspend", False), (SIMULATED, True), (RAISES, True)]
)
def test_what_was_checked_is_said(slug: str, runs_torch: bool) -> None:
    """A program in plain Python shows nothing of PyTorch, whatever torch is installed."""
    assert load_article(folder_of(slug)).runs_torch is runs_torch
    seen = Proof(torch="2.13.0" if runs_torch else "", device="cpu", date="2026-01-01", holds=True)
    assert ("plain Python" in proof_in_words(seen)) is not runs_torch


async def test_a_program_that_takes_too_long_here_proves_nothing(
    medic: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine an article is neither proved nor withheld; it is tried once more."""
    ended: list[Outcome] = []
    run = medic.executor.run

    async def heard(job: Job) -> JobResult:
        result = await run(job)
        ended.append(result.outcome)
        return result

    monkeypatch.setattr(medic.executor, "run", heard)
    monkeypatch.setattr(proof, "_WALL_S", 1.0)
    folder = Path(shutil.copytree(folder_of(RAISES), tmp_path / RAISES))
    (folder / "fixed.py").write_text("import time\ntime.sleep(30)\n", encoding="utf-8")

    verdict = await prove(medic.executor, load_article(folder), medic.codemods)

    assert verdict.proof.holds is None
    assert "could not be run here" in verdict.problems[0]
    assert sorted(ended) == [Outcome.ERROR, Outcome.TIMEOUT, Outcome.TIMEOUT]
