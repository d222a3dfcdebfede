"""knowledge/repair/budget.py: a search that computes too long begins nothing new."""

from __future__ import annotations

from typing import cast

import pytest

from executor.protocol import Job, Outcome
from executor.service.client import ExecutorClient
from knowledge.repair import engine
from knowledge.repair.budget import MOST_S, START_S, Budget
from knowledge.repair.codemod import Proposal
from knowledge.repair.judge import judge
from tests.built import RecordedExecutor, failed, found, ran
from tests.knowledge.repair.test_engine import VALUES, A, B, codemod

OLD = "f(a)\n"
LEFT = found("loss_broadcasts")
TRIED = [f"f(a, {n})\n" for n in range(6)]


@pytest.mark.parametrize(("each_s", "tried"), [(0.1, 6), (1.6, 4), (MOST_S, 2)])
async def test_what_has_begun_is_finished_and_nothing_else_is_begun(each_s: float, tried: int):
    """Candidates are tried two at a time, until the runs of all have used up the time."""
    still = failed(A, line=1, code="f(a)", cpu_seconds=each_s)
    proposals = {OLD: [Proposal(codemod="a", title="so", code=code) for code in TRIED]}
    executor = RecordedExecutor({OLD: failed(A, line=1), **dict.fromkeys(TRIED, still)}, proposals)

    offered = await engine.repair(
        executor, [codemod("a", A)], Job(code=OLD), failed(A, line=1, code="f(a)"), None
    )

    assert offered.fix is None
    assert offered.cut is (tried < len(TRIED))
    assert [job.code for job in executor.asked] == TRIED[:tried]


async def test_every_run_counts():
    """Those that ask for edits too, and what the executor computes to begin and end one."""
    budget = Budget(RecordedExecutor({"f": ran(cpu_seconds=0.5 - START_S / 2)}), most_s=1.0)

    await budget.run(Job(code="f"))
    assert not budget.is_spent
    await budget.run(Job(code="f"))
    assert budget.is_spent


@pytest.mark.parametrize(
    ("spent_s", "failed_after_s", "limit_s"),
    [
        (0.0, 0.1, MOST_S - START_S),
        (2.0, 0.1, MOST_S - 2.0 - START_S),
        (MOST_S, 0.5, 3.0),  # enough to get past the error, and a little more
        (0.0, 3.5, 9.0),
        (0.0, 100.0, 10.0),  # never more than the original run had
    ],
)
async def test_a_candidate_is_given_what_is_left(
    spent_s: float, failed_after_s: float, limit_s: float
):
    """A program that trains for long is cut there, and its fix shown in part."""
    still = failed(A, line=1, code="f(a)")
    executor = RecordedExecutor({"f": ran(cpu_seconds=spent_s), TRIED[0]: still})
    budget = Budget(executor)
    await budget.run(Job(code="f"))

    before = failed(A, line=1, code="f(a)", seconds=failed_after_s)
    step = Proposal(codemod="a", title="so", code=TRIED[0])
    await judge(cast(ExecutorClient, budget), codemod("a", A), step, Job(code=OLD), before, None)

    assert executor.asked[-1].wall_s == pytest.approx(limit_s)


async def test_a_run_that_waited_counts_by_the_clock() -> None:
    """People waited for it too; one that ended may have waited for a processor."""
    slept = ran(outcome=Outcome.TIMEOUT, cpu_seconds=0.1, seconds=10.0)
    budget = Budget(RecordedExecutor({"f": ran(cpu_seconds=0.1, seconds=10.0), "g": slept}))

    await budget.run(Job(code="f"))
    assert not budget.is_spent
    await budget.run(Job(code="g"))
    assert budget.is_spent


async def test_when_all_is_spent_one_candidate_is_seen_through() -> None:
    """Of a program that computes long each further look takes as long again."""
    budget = Budget(RecordedExecutor({"x": ran(cpu_seconds=3.0)}), most_s=5.0)

    await budget.run(Job(code="x"))
    assert budget.may_go_on() and budget.may_go_on()
    await budget.run(Job(code="x"))
    assert [budget.may_go_on() for _ in range(3)] == [True, False, False]


async def test_when_all_is_spent_no_further_step_is_begun() -> None:
    """Nor another state of the step that spent it."""
    proposals = {
        OLD: [Proposal(codemod="a", title="so", code=code) for code in ("b", "c")],
        "b": [Proposal(codemod="b", title="then", code="b+")],
        "c": [Proposal(codemod="b", title="then", code="c+")],
    }
    for each_s, asked in ((MOST_S, [OLD]), (MOST_S / 5, [OLD, "b"]), (0.1, [OLD, "b", "c"])):
        moved = failed(B, line=1, code="y", cpu_seconds=each_s, values=VALUES)
        executor = RecordedExecutor(dict.fromkeys(("b", "c", "b+", "c+"), moved), proposals)
        offered = await engine.repair(
            executor,
            [codemod("a", A), codemod("b", B)],
            Job(code=OLD),
            failed(A, line=1, code="x", values=VALUES),
            None,
        )

        assert offered.fix is None and offered.cut is (each_s > 0.1)
        assert executor.asked_for_proposals == asked


async def test_of_two_that_pass_the_first_is_looked_at() -> None:
    """The other one is refused with the reason."""
    good = ran(cpu_seconds=MOST_S + 1)
    proposals = {OLD: [Proposal(codemod="a", title="so", code=code) for code in TRIED]}
    executor = RecordedExecutor({OLD: failed(A, line=1), **dict.fromkeys(TRIED, good)}, proposals)

    offered = await engine.repair(
        executor, [codemod("a", A)], Job(code=OLD), failed(A, line=1, code="f(a)"), None
    )

    assert offered.fix is not None and offered.fix.code == TRIED[0]
    assert [check.name for fix in offered.refused for check in fix.checks if not check.passed] == [
        "time"
    ]


async def test_what_a_fix_leaves_is_not_mended_when_all_is_spent() -> None:
    """The fix stays as it is, and what it leaves is said."""
    left = ran(findings=(LEFT,), cpu_seconds=MOST_S + 1, values=VALUES)
    proposals = {
        OLD: [Proposal(codemod="a", title="so", code="b")],
        "b": [Proposal(codemod="c", title="then", code="c")],
    }
    executor = RecordedExecutor({"b": left, "c": ran(values=VALUES)}, proposals)
    both = ran(findings=(LEFT, found("one_class")), values=VALUES)

    result = await engine.repair(
        executor,
        [codemod("a", "one_class"), codemod("c", LEFT.kind)],
        Job(code=OLD),
        both,
        None,
    )

    assert result.fix is not None and result.fix.code == "b"
