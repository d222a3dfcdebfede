"""knowledge/repair/demonstration.py: what is offered for code that shows an error on purpose."""

from __future__ import annotations

from typing import Any

import pytest

from executor.protocol import Job, JobResult
from knowledge.repair import demonstration
from knowledge.repair.codemod import Proposal
from knowledge.repair.demonstration import may_be_meant_otherwise
from knowledge.repair.engine import Repair
from knowledge.repair.telling import Telling
from tests.built import RecordedExecutor, caught, failed, found, ran
from tests.knowledge.repair.test_engine import A, codemod

OLD, TOLD, MENDED = "f(a)\ng(b)\n", "try:\n    f(a)\ng(b)\n", "f(a.float())\ng(b)\n"
BEFORE = failed(A, line=1, code="f(a)", demonstrated="comment", stdout="1\n")
TELLS = ran(caught=(caught(A, demonstrated="printed"),), stdout="1\n2\n")
TELLING = Telling(code=TOLD, title="line 1 tells of it")
MENDS = {OLD: [Proposal(codemod="a", title="used as floats", code=MENDED)]}


async def repaired(
    tells: JobResult = TELLS,
    telling: Telling | None = TELLING,
    mends: dict[str, list[Proposal]] | None = None,
    **more: Any,
) -> Repair:
    runs = {OLD: BEFORE, TOLD: tells, MENDED: ran(stdout="1\n"), **more.get("runs", {})}
    tellings = {OLD: telling, **more.get("tellings", {})} if telling is not None else {}
    executor = RecordedExecutor(runs, mends or {}, {}, tellings)
    return await demonstration.repair(executor, [codemod("a", A)], Job(code=OLD), BEFORE, None)


async def test_both_are_offered_and_none_is_called_the_fix():
    """That the code shows its error comes first, and that it should work second."""
    found = await repaired(mends=MENDS)

    assert found.fix is None
    shown, works = found.alternatives
    assert (shown.codemod, shown.code, shown.intent) == (
        demonstration.TELLING,
        TOLD,
        "the code is there to show this error",
    )
    assert shown.verified and all(check.passed for check in shown.checks)
    assert (works.code, works.intent) == (MENDED, "line 1 should work")


async def test_its_own_except_leaves_nothing_open():
    """It is there for this error, and only names another one."""
    telling = TELLING.model_copy(update={"of_its_own": True})

    found = await repaired(telling=telling, mends=MENDS)

    assert [fix.code for fix in found.alternatives] == [TOLD]


async def test_what_cannot_be_told_of_may_still_be_mended():
    """Where nothing would follow, say."""
    found = await repaired(telling=None, mends=MENDS)

    assert [fix.intent for fix in found.alternatives] == ["line 1 should work"]


@pytest.mark.parametrize(
    "after",
    [
        ran(stdout="1\n"),  # the error is not raised any more
        failed("another error", stdout="1\n"),  # the rest does not run
        TELLS.model_copy(update={"stdout": "2\n"}),  # it prints other values
        TELLS.model_copy(update={"findings": (found("cut_graph"),)}),  # a silent mistake
        TELLS.model_copy(update={"caught": (*TELLS.caught, caught("another"))}),  # another error
    ],
)
async def test_a_run_has_to_show_that_nothing_else_is_wrong(after: JobResult):
    """Else it is not offered."""
    assert (await repaired(after)).alternatives == ()


async def test_every_error_that_is_shown_on_purpose_is_told_of():
    """Up to four of them, one after another."""
    second = "try:\n    f(a)\ntry:\n    g(b)\n"
    found = await repaired(
        failed("no", line=4, demonstrated="comment", caught=TELLS.caught, stdout="1\n"),
        runs={
            second: ran(caught=(*TELLS.caught, caught("no", demonstrated="printed")), stdout="1\n")
        },
        tellings={TOLD: Telling(code=second, title="line 4 tells of it")},
    )

    (fix,) = found.alternatives
    assert fix.code == second
    assert fix.steps == ("line 1 tells of it", "line 4 tells of it")


async def test_a_mistake_of_the_rest_is_mended_too():
    """The first error is told of, and what comes after it is no demonstration."""
    whole = TOLD.replace("g(b)", "g(b.float())")
    found = await repaired(
        failed(A, line=3, caught=TELLS.caught, stdout="1\n"),
        mends={TOLD: [Proposal(codemod="a", title="used as floats", code=whole)]},
        runs={whole: TELLS},
    )

    (fix,) = found.alternatives
    assert (fix.code, fix.codemod) == (whole, demonstration.TELLING)
    assert fix.steps == ("line 1 tells of it", "used as floats")


async def test_what_mends_the_rest_leaves_the_first_error():
    """Else it is another reading of the code, and not this one."""
    whole = TOLD.replace("g(b)", "g(b.float())")
    found = await repaired(
        failed(A, line=3, caught=TELLS.caught, stdout="1\n"),
        mends={TOLD: [Proposal(codemod="a", title="used as floats", code=whole)]},
        runs={whole: ran(stdout="1\n2\n")},
    )

    assert found.alternatives == ()


def test_an_error_that_is_caught_is_told_of_already():
    """Such code is explained alone."""
    assert may_be_meant_otherwise(BEFORE)
    assert not may_be_meant_otherwise(failed(A))
    assert not may_be_meant_otherwise(ran(caught=(caught(A, demonstrated="printed"),)))
