"""Forty right and sixty tempting wrong proposals: runs tell them apart, whoever proposes them.

The programs and the wrong fixes are those of the codemods' tests; a right fix is the codemod's own.
All of them come from a server, to a bot without codemods. `make test` takes the first few.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.diagnosis.pipeline import Pipeline
from executor.protocol import Job
from knowledge.repair import engine
from knowledge.repair.rerun import rerun_with_probes
from tests.bot.diagnosis.proposer.test_proposer import ask, with_model
from tests.bot.fakes.chat_server import ScriptedModel, edits
from tests.knowledge.repair.test_every_codemod import CASES

# Right fixes that need our words (a mean, padding), or that another codemod's checks refuse:
# a model's proposal has no title of ours, so it stays unsaid (docs/model.md).
_NEEDS_WORDS = frozenset(
    {
        "backward-on-a-tensor-with-many-elements",
        "gradient-of-a-result-is-not-kept",
        "list-where-a-tensor-is-wanted",
        "method-under-another-name",
        "pack-padded-sequence-of-a-list",
        "script-of-a-module-class",
        "sequential-passes-one-input",
        "tensor-called-like-a-function",
    }
)
_MENDED = [slug for slug, cases in CASES.items() if cases.mended and slug not in _NEEDS_WORDS]
_RIGHT = [(slug, next(iter(CASES[slug].mended))) for slug in _MENDED[:40]]
_WRONG = [(slug, name) for slug in CASES for name in list(CASES[slug].wrong)[:1]][:60]


def _rows(pairs: Iterable[tuple[str, str]], first: int) -> list[object]:
    return [
        pytest.param(*pair, marks=[pytest.mark.daily] if n >= first else [])
        for n, pair in enumerate(pairs)
    ]


def test_there_are_forty_right_ones_and_sixty_wrong_ones() -> None:
    assert (len(_RIGHT), len(_WRONG)) == (40, 60)


@pytest.mark.parametrize(("slug", "name"), _rows(_RIGHT, 4))
async def test_a_right_proposal_comes_out_verified(
    medic: Pipeline, tmp_path: Path, slug: str, name: str
) -> None:
    cases = CASES[slug]
    code = cases.program(name).rstrip("\n")
    job = Job(code=code)
    run, reference = await rerun_with_probes(medic.executor, job, await medic.executor.run(job))
    found = await engine.repair(medic.executor, medic.codemods, job, run, reference, cases.asked)
    assert found.fix is not None
    model = ScriptedModel(edits([(code, found.fix.code)]))
    async with with_model(medic, model, tmp_path) as asking:
        answer = await ask(
            replace(asking, codemods=(), operators=()), f"{cases.asked}\n```python\n{code}\n```"
        )
    assert answer.status == "fixed", [
        (c.name, c.detail) for f in answer.refused for c in f.checks if not c.passed
    ]
    assert answer.fix is not None and answer.fix.verified
    assert answer.fix.proposed_by == "scripted-7b"


@pytest.mark.parametrize(("slug", "name"), _rows(_WRONG, 6))
async def test_a_wrong_proposal_never_comes_out_as_it_is(
    medic: Pipeline, tmp_path: Path, slug: str, name: str
) -> None:
    """What is offered, if anything, is a part of it that passes every check."""
    cases = CASES[slug]
    base, change = cases.wrong[name]
    code = cases.program(base)
    wrong = change(code).rstrip("\n")
    code = code.rstrip("\n")
    model = ScriptedModel(edits([(code, wrong)]))
    async with with_model(medic, model, tmp_path) as asking:
        answer = await ask(
            replace(asking, codemods=(), operators=()), f"{cases.asked}\n```python\n{code}\n```"
        )
    offered = [answer.fix] if answer.fix is not None else answer.alternatives
    assert model.asked
    assert all(fix.code != wrong and fix.verified for fix in offered)
