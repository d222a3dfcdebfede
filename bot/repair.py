"""Try the codemods on a snippet: every candidate is run, and only the checks call one verified."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.models import Fix
from executor.client import ExecutorClient
from executor.job import Job, JobResult, Probe
from knowledge import verify
from knowledge.codemod import Check, Codemod, Proposal, proposal_job, read_proposals

_AT_ONCE = 2  # candidates run side by side; the best come first, so few are ever needed
_MOST = 10


@dataclass(frozen=True)
class Repair:
    """What came of it: one fix, or several with different meanings, or neither."""

    fix: Fix | None = None
    alternatives: tuple[Fix, ...] = ()
    refused: tuple[Fix, ...] = ()
    problem: str = ""  # a codemod that failed on this snippet, and how


def applicable(codemods: Sequence[Codemod], before: JobResult) -> list[Codemod]:
    """The codemods whose mistake this run shows."""
    if not verify.mistake(before).is_there:
        return []
    return [c for c in codemods if c.module.applies(before)]


async def repair(
    executor: ExecutorClient,
    codemods: Sequence[Codemod],
    job: Job,
    before: JobResult,
    reference: JobResult | None,
    asked: str = "",
) -> Repair:
    """Propose, run, check.

    Args:
        executor: where everything runs.
        codemods: those that apply.
        job: the original run's job.
        before: its result.
        reference: its result with the gradients it should have, for comparison.
        asked: the person's own words: they may say which of several meanings is theirs.
    """
    proposed = await executor.run(proposal_job(codemods, job.code, before))
    proposals = read_proposals(proposed)
    if not proposals:
        error = proposed.error
        return Repair(problem=f"{error.type}: {error.message}" if error else proposed.detail)
    proposals.sort(key=lambda p: verify.places(job.code, p.code))
    by_slug = {c.slug: c for c in codemods}
    if meant := [p for p in proposals if p.said and re.search(p.said, asked, re.IGNORECASE)]:
        proposals = [p.model_copy(update={"intent": ""}) for p in meant]
    intents = {p.intent for p in proposals if p.intent}
    verified: list[Fix] = []
    refused: list[Fix] = []
    meanings: set[str] = set()
    for start in range(0, min(len(proposals), _MOST), _AT_ONCE):
        batch = [p for p in proposals[start : start + _AT_ONCE] if p.intent not in meanings]
        tried = await asyncio.gather(
            *(judge(executor, by_slug[p.codemod], p, job, before, reference) for p in batch)
        )
        for proposal, fix in zip(batch, tried, strict=True):
            if not fix.verified:
                refused.append(fix)
            elif proposal.intent not in meanings:
                verified.append(fix)
                meanings.add(proposal.intent)
        if verified and meanings >= intents:
            break
    if len(verified) > 1 or (verified and len(intents) > 1):
        return Repair(None, tuple(verified), tuple(refused))
    return Repair(verified[0] if verified else None, (), tuple(refused))


async def judge(
    executor: ExecutorClient,
    codemod: Codemod,
    proposal: Proposal,
    job: Job,
    before: JobResult,
    reference: JobResult | None,
) -> Fix:
    """Run one candidate and judge it: verified only if every check holds."""
    again = job.model_copy(update={"code": proposal.code, "probes": (Probe.GRADIENTS,)})
    after = await executor.run(again)
    checks = [
        *verify.checks(before, after, codemod, proposal, reference),
        verify.nothing_thrown_away(job.code, proposal.code),
    ]
    if all(c.passed for c in checks):
        checks.append(await _minimal(executor, proposal, job, before))
    return Fix(
        codemod=codemod.slug,
        title=proposal.title,
        intent=proposal.intent,
        diff=verify.diff(job.code, proposal.code),
        code=proposal.code,
        verified=all(c.passed for c in checks),
        checks=tuple(checks),
        result=after.model_copy(update={"values": None}),
    )


async def _minimal(
    executor: ExecutorClient, proposal: Proposal, job: Job, before: JobResult
) -> Check:
    """Each place of the change is needed: with any one undone the mistake is back."""
    variants = verify.with_each_place_undone(job.code, proposal.code)
    runs = [executor.run(job.model_copy(update={"code": code})) for code in variants]
    return verify.undone(await asyncio.gather(*runs), verify.mistake(before))
