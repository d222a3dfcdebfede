"""knowledge/repair/budget.py: a search that computes too long begins nothing new."""

from __future__ import annotations

import pytest

from executor.protocol import Job
from knowledge.repair import engine
from knowledge.repair.budget import MOST_S, Budget
from knowledge.repair.codemod import Proposal
from tests.built import RecordedExecutor, failed, ran
from tests.knowledge.repair.test_engine import A, codemod

OLD = "f(a)\n"
TRIED = [f"f(a, {n})\n" for n in range(6)]


@pytest.mark.parametrize(("each_s", "tried"), [(0.1, 6), (2.9, 4), (MOST_S, 2)])
async def test_what_has_begun_is_finished_and_nothing_else_is_begun(each_s: float, tried: int):
    """Candidates are tried two at a time, until the runs of all have used up the time."""
    still = failed(A, line=1, code="f(a)", cpu_seconds=each_s)
    proposals = {OLD: [Proposal(codemod="a", title="so", code=code) for code in TRIED]}
    executor = RecordedExecutor({OLD: failed(A, line=1), **dict.fromkeys(TRIED, still)}, proposals)

    found = await engine.repair(
        executor, [codemod("a", A)], Job(code=OLD), failed(A, line=1, code="f(a)"), None
    )

    assert found.fix is None
    assert [job.code for job in executor.asked] == TRIED[:tried]


async def test_every_run_counts():
    """Those that ask for edits too."""
    budget = Budget(RecordedExecutor({"f": ran(cpu_seconds=0.6)}), most_s=1.0)

    await budget.run(Job(code="f"))
    assert not budget.is_spent
    await budget.run(Job(code="f"))
    assert budget.is_spent
