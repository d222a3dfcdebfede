"""Facts about every codemod and operator: what it mends and leaves alone, which cousins fail.

`make test` takes the first programs of each one's table: one that it mends, one that it must
refuse, two wrong fixes. The others, and what holds of a fix whatever the codemod, are marked
`daily`: `make test-all` runs them too.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from bot.diagnosis.pipeline import Pipeline
from bot.models import Answer
from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from knowledge.repair.checks.code import Change, checks_of_code
from knowledge.repair.codemod import Codemod, Proposal
from knowledge.repair.engine import judge, repair
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import mistake
from knowledge.repair.operator import Operator
from knowledge.repair.rerun import rerun_with_probes
from tests.conftest import Ask
from tests.knowledge.repair.codemods.cases import Cases

_MODULES = [
    (folder, path.stem)
    for folder in ("codemods", "operators", "findings")
    for path in sorted((Path(__file__).parent / folder).glob("*.py"))
    if path.stem not in {"__init__", "cases", "programs"}
]
CASES: dict[str, Cases] = {
    module.replace("_", "-"): importlib.import_module(f"{__package__}.{folder}.{module}").CASES
    for folder, module in _MODULES
}

_FIXED = [(slug, name) for slug, c in CASES.items() for name in (*c.mended, *c.paired)]
# What it mends is a matter of form: a formatter writes the parentheses that say it is meant.
_OF_FORM = {"lone-comma"}
_ONE_OF_EACH = list({s: (s, name) for s, name in _FIXED if s not in _OF_FORM}.values())


def rows(programs: Callable[[Cases], Iterable[str]], first: Callable[[Cases], int]) -> list[object]:
    """Each codemod's programs of a kind; those after its first ones are run once a day."""
    return [
        pytest.param(slug, name, marks=[pytest.mark.daily] if n >= first(cases) else [])
        for slug, cases in CASES.items()
        for n, name in enumerate(programs(cases))
    ]


_MENDED = rows(lambda cases: cases.mended, lambda cases: 1)
_PAIRED = rows(lambda cases: cases.paired, lambda cases: 0 if cases.mended else 1)
_REFUSED = rows(lambda cases: cases.refused, lambda cases: 1)
_WRONG = rows(lambda cases: cases.wrong, lambda cases: 2)

_asked: dict[str, Answer] = {}
_seen: dict[str, tuple[JobResult, JobResult]] = {}


async def once(ask: Ask, slug: str, code: str) -> Answer:
    """The answer to a message that says little, with this snippet; asked once in all tests."""
    if code not in _asked:
        _asked[code] = await ask(f"{CASES[slug].asked}\n```python\n{code}```")
    return _asked[code]


async def seen(executor: ExecutorClient, job: Job) -> tuple[JobResult, JobResult]:
    """A program's run and its reference; several wrong fixes are tried on each program."""
    if job.code not in _seen:
        run = await executor.run(job)
        _seen[job.code] = await rerun_with_probes(executor, job, run)
    return _seen[job.code]


@pytest.mark.parametrize("slug", CASES)
def test_a_codemod_has_programs_of_its_own(slug: str) -> None:
    """Three that it mends, two that it must refuse, four wrong fixes that it invites."""
    cases = CASES[slug]

    assert len(cases.mended) + len(cases.paired) >= 3
    assert len(cases.refused) >= 2
    assert len(cases.wrong) >= 4


@pytest.mark.parametrize(("slug", "name"), _MENDED)
async def test_mended_and_verified(ask: Ask, slug: str, name: str) -> None:
    """The fix is the one a colleague would make, it was run, and every check holds."""
    code, wanted = CASES[slug].mended[name]
    answer = await once(ask, slug, code)

    assert answer.status == "fixed", (answer.headline, [(f.diff, f.checks) for f in answer.refused])
    assert answer.fix is not None and answer.fix.verified
    assert answer.fix.codemod == slug
    assert wanted in answer.fix.code, answer.fix.diff
    assert all(check.passed for check in answer.fix.checks)
    assert answer.fix.result is not None and answer.fix.result.outcome is Outcome.OK


@pytest.mark.parametrize(("slug", "name"), _PAIRED)
async def test_both_meanings_are_run_and_none_is_called_the_fix(
    ask: Ask, slug: str, name: str
) -> None:
    code, wanted = CASES[slug].paired[name]
    answer = await once(ask, slug, code)

    assert answer.status == "reproduced" and answer.fix is None, answer.headline
    assert len(answer.alternatives) == len(wanted), [f.diff for f in answer.alternatives]
    for part in wanted:
        assert any(part in fix.code for fix in answer.alternatives), part
    assert all(fix.verified and fix.intent for fix in answer.alternatives)


def offered(answer: Answer) -> list[Fix]:
    """The fix, or the alternatives."""
    return [answer.fix] if answer.fix is not None else list(answer.alternatives)


@pytest.mark.daily
@pytest.mark.parametrize(("slug", "name"), _FIXED)
async def test_a_fix_leaves_nothing_to_fix(ask: Ask, slug: str, name: str) -> None:
    """Applied to its own output a codemod has nothing to say, and every comment is still there."""
    code = CASES[slug].program(name)
    fixes = offered(await once(ask, slug, code))
    assert fixes
    comments = [line.partition("#")[2] for line in code.splitlines() if "#" in line]
    for fix in fixes:
        again = await once(ask, slug, fix.code)
        assert not offered(again), again.headline
        assert again.status == "runs", again.headline
        assert all(comment in fix.code for comment in comments)


@pytest.mark.daily
@pytest.mark.parametrize(("slug", "name"), _ONE_OF_EACH)
async def test_formatting_is_no_matter(ask: Ask, slug: str, name: str) -> None:
    """A fix survives a Black-style formatter, and a formatted snippet gets the same fix."""
    code = CASES[slug].program(name)
    before = [formatted(fix.code) for fix in offered(await once(ask, slug, code))]
    after = [formatted(fix.code) for fix in offered(await once(ask, slug, formatted(code)))]

    assert before and before == after


def formatted(code: str) -> str:
    """The code as a formatter of Black's style leaves it."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "-"],
        input=code,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize(("slug", "name"), _REFUSED)
async def test_where_no_edit_is_honest_it_offers_none(
    medic: Pipeline, slug: str, name: str
) -> None:
    """Asked alone: what the others would offer is left to the test of the whole answer."""
    maker, job = _maker(medic, slug), _job(slug, CASES[slug].refused[name])
    before, reference = await seen(medic.executor, job)
    codemods = [maker] if isinstance(maker, Codemod) else []
    operators = [maker] if isinstance(maker, Operator) else []
    found = await repair(
        medic.executor, codemods, job, before, reference, CASES[slug].asked, operators
    )

    assert mistake(before).is_there
    assert found.fix is None and found.alternatives == ()


@pytest.mark.daily
@pytest.mark.parametrize(("slug", "name"), _REFUSED)
async def test_where_no_edit_is_honest_none_is_offered(ask: Ask, slug: str, name: str) -> None:
    """The mistake is shown and explained; the snippet stays as it is."""
    answer = await once(ask, slug, CASES[slug].refused[name])

    assert answer.status == "reproduced", answer.headline
    assert not [fix.diff for fix in offered(answer) if fix.codemod == slug]


def _job(slug: str, code: str) -> Job:
    """The job of one of its programs, with the device that they need."""
    return Job(code=code, simulate=CASES[slug].simulate)


def _maker(medic: Pipeline, slug: str) -> Codemod | Operator:
    """The codemod or operator of this name."""
    return next(m for m in (*medic.codemods, *medic.operators) if m.slug == slug)


@pytest.mark.parametrize(("slug", "name"), _WRONG)
async def test_tempting_but_wrong_is_refused(medic: Pipeline, slug: str, name: str) -> None:
    """It may well run to the end; a check says why it is no fix."""
    program, change = CASES[slug].wrong[name]
    code = CASES[slug].program(program)
    codemod = _maker(medic, slug)
    job = _job(slug, code)
    before, reference = await seen(medic.executor, job)
    assert codemod.applies(before), "the original does not show its mistake"
    wrong = change(code)
    said = tuple(checks_of_code(Change(code, wrong, before)))
    proposal = Proposal(codemod=slug, title=name, code=wrong, checks=said)

    fix = await judge(medic.executor, codemod, proposal, job, before, reference)

    assert not fix.verified, f"{name} was verified:\n{fix.diff}\n{fix.checks}"
