"""knowledge/repair/engine.py: which candidates are tried, verified and carried on."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from executor.exceptions import ExecutorGoneError
from executor.protocol import (
    Culprit,
    Influence,
    Job,
    JobResult,
    ModuleCall,
    Operation,
    Values,
)
from knowledge.repair import engine
from knowledge.repair.codemod import PROPOSE, Check, Codemod, Proposal
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix
from tests.built import RecordedExecutor, error, failed, found, noted, ran, warned

VALUES = Values()  # the run was made with the probes that repair needs
A, B = "a is wrong", "b is wrong"  # two mistakes, of which a run shows the first


class Rules:
    """A codemod for one message or kind of finding, with a check of its own where wanted."""

    def __init__(self, message: str, holds: Callable[[JobResult, JobResult], bool] | None) -> None:
        self._message = message
        self._holds = holds

    def applies(self, result: JobResult) -> bool:
        message = result.error.message if result.error else ""
        return self._message in (message, *(f.kind for f in result.findings))

    def rewrite(self, program: object, result: JobResult) -> list[Any]:
        raise AssertionError("a rewrite is asked of the executor")

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        if self._holds is None:
            return []
        detail = f"{proposal.title}: {before.stdout}→{after.stdout}"
        return [Check(name="own", passed=self._holds(before, after), detail=detail)]


def codemod(
    slug: str, message: str = A, holds: Callable[[JobResult, JobResult], bool] | None = None
) -> Codemod:
    """A codemod that applies to runs which end with this message."""
    return Codemod(slug, Rules(message, holds))


def proposal(code: str, slug: str = "a", **more: Any) -> Proposal:
    """A rewrite that a codemod proposes."""
    return Proposal(**{"codemod": slug, "title": f"to {code}", "code": code} | more)


BEFORE = failed(A, values=VALUES, stdout="1\n")
FIXED = ran(stdout="1\n2\n", values=VALUES)


async def repaired(
    runs: dict[object, JobResult],
    proposals: dict[str, Sequence[Proposal] | JobResult],
    *,
    codemods: Sequence[Codemod] = (codemod("a"), codemod("b", B)),
    before: JobResult = BEFORE,
    reference: JobResult | None = None,
    asked: str = "",
    code: str = "a",
) -> tuple[Repair, RecordedExecutor]:
    """What comes of a snippet, and the executor that was asked."""
    executor = RecordedExecutor(runs, proposals)
    job = Job(code=code)
    result = await engine.repair(executor, codemods, job, before, reference, asked)
    return result, executor


def codes(fixes: Sequence[Fix]) -> list[str]:
    """What the fixes are."""
    return [fix.code for fix in fixes]


async def test_what_its_code_speaks_against_is_refused_without_a_run() -> None:
    no = Check(name="sizes", passed=False, detail="it replaces a name")
    wrong, right = proposal("wrong", checks=(no,)), proposal("b")
    repair, executor = await repaired({"b": FIXED}, {"a": [wrong, right]})
    assert repair.fix is not None and repair.fix.code == "b"
    (refused,) = repair.refused
    assert (refused.code, refused.verified, refused.result) == ("wrong", False, None)
    assert refused.checks == (no,)
    assert [job.code for job in executor.asked] == ["b"]


async def test_where_only_refused_rewrites_are_left_nothing_is_offered() -> None:
    no = Check(name="sizes", passed=False)
    repair, executor = await repaired({}, {"a": [proposal("wrong", checks=(no,))]})
    assert repair.fix is None and repair.alternatives == ()
    assert executor.asked == []


# -- one step --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "slugs"),
    [
        (failed(A), ["a", "a2"]),
        (failed(B), ["b"]),
        (failed("c is wrong"), []),
        (ran(error=None), []),
        (ran(error=error(A), caught=()), ["a", "a2"]),
    ],
)
def test_which_codemods_apply(run: JobResult, slugs: list[str]):
    """Those whose mistake the run shows."""
    all_of_them = [codemod("a"), codemod("a2"), codemod("b", B)]

    assert [c.slug for c in engine.applicable(all_of_them, run).codemods] == slugs


def test_no_codemod_is_asked_about_a_run_without_a_mistake():
    """Not even one that would apply to anything."""

    class Eager(Rules):
        def applies(self, result: JobResult) -> bool:
            return True

    eager = Codemod("e", Eager(A, None))

    assert engine.applicable([eager], ran()).codemods == ()
    assert engine.applicable([eager], ran(findings=(noted("curious"),))).codemods == ()
    assert engine.applicable([eager], ran(findings=(found("one_class"),))).codemods == (eager,)


async def test_a_candidate_that_passes_is_the_fix():
    """With its diff, its checks and its run, without what only the checks compare."""
    result, executor = await repaired({"b": FIXED}, {"a": [proposal("b")]})

    assert result == Repair(fix=result.fix)
    assert result.fix is not None
    fix = result.fix
    assert (fix.codemod, fix.title, fix.steps, fix.intent) == ("a", "to b", (), "")
    assert (fix.code, fix.diff) == ("b", "@@ -1 +1 @@\n-a\n+b")
    assert fix.verified
    assert fix.result == FIXED.model_copy(update={"values": None})
    names = [c.name for c in fix.checks]
    assert names[:5] == ["no error", "nothing new", "output", "silent mistakes", "batch"]
    assert {"samples", "stated shapes"} < set(names[5:-1]) and names[-1] == "minimal"
    # It ran once, with its gradients; undoing its only place gives what has been run.
    assert [(job.code, job.probes) for job in executor.asked] == [("b", ("gradients", "influence"))]


@pytest.mark.parametrize(
    ("code", "after", "check"),
    [
        ("b", failed(A, stdout="1\n"), "no error"),
        ("b", ran(stdout="1\n", handlers=1), "nothing new"),
        ("b", ran(stdout="2\n"), "output"),
        ("b", ran(stdout="1\n", values=VALUES, findings=(found("one_class"),)), "silent mistakes"),
    ],
)
async def test_a_candidate_that_fails_a_check_is_refused(code: str, after: JobResult, check: str):
    """Each check can refuse it; then its places are not undone."""
    result, executor = await repaired(
        {code: after}, {"w.add_(1)": [proposal(code)]}, code="w.add_(1)"
    )

    assert result.fix is None and result.alternatives == ()
    (refused,) = result.refused
    assert not refused.verified
    assert [c.name for c in refused.checks if not c.passed] == [check]
    assert "minimal" not in [c.name for c in refused.checks]
    assert len(executor.asked) == 1


THREE = "a\n-\nb\n-\nc\n"


@pytest.mark.parametrize(
    ("more", "undone"),
    [
        ({}, ["a\n-\nB\n-\nC\n", "A\n-\nb\n-\nC\n", "A\n-\nB\n-\nc\n"]),
        ({"as_one": True}, []),
        ({"new_name": "B"}, ["a\n-\nB\n-\nC\n", "A\n-\nb\n-\nC\n", "A\n-\nB\n-\nc\n"]),
    ],
)
async def test_every_place_is_undone_and_run(more: dict[str, Any], undone: list[str]):
    """Unless they belong together; it is needed if the mistake is back without it."""
    new = "A\n-\nB\n-\nC\n"
    runs: dict[object, JobResult] = {new: FIXED} | dict.fromkeys(undone, BEFORE)
    result, executor = await repaired(runs, {THREE: [proposal(new, **more)]}, code=THREE)

    assert result.fix is not None
    assert [job.code for job in executor.asked[1:]] == undone
    assert all(job.probes == () for job in executor.asked[1:])


async def test_all_places_of_a_new_name_are_undone_together():
    """One alone would only be another mistake."""
    new = "z = 1\n-\nz + 1\n-\nC\n"
    runs = {new: FIXED, "a\n-\nb\n-\nC\n": BEFORE, "z = 1\n-\nz + 1\n-\nc\n": BEFORE}
    result, executor = await repaired(runs, {THREE: [proposal(new, new_name="z")]}, code=THREE)

    assert result.fix is not None and len(executor.asked) == 3


async def test_a_place_that_is_not_needed_refuses_it():
    """Without the second place the mistake is gone just as well."""
    new = "A\n-\nB\n-\nc\n"
    runs = {new: FIXED, "a\n-\nB\n-\nc\n": BEFORE, "A\n-\nb\n-\nc\n": FIXED}
    result, _ = await repaired(runs, {THREE: [proposal(new)]}, code=THREE)

    assert result.fix is None
    (refused,) = result.refused
    assert refused.checks[-1] == Check(
        name="minimal", passed=False, detail="change 2 is not needed"
    )


async def test_a_codemods_own_check_refuses():
    """It compares with the reference; where there is none, with the original run."""
    never = [codemod("a", holds=lambda before, after: False)]
    for reference, detail in ((None, "to b: 1\n→1\n2\n"), (ran(stdout="r"), "to b: r→1\n2\n")):
        result, _ = await repaired(
            {"b": FIXED}, {"a": [proposal("b")]}, codemods=never, reference=reference
        )
        (refused,) = result.refused
        assert [c.detail for c in refused.checks if not c.passed] == [detail]


async def test_the_reference_says_which_batch_is_meant():
    """A module that changes the batch there may do so in the fix."""
    mixes = (ModuleCall(module="Net", line=1, inputs=(8, 4), outputs=(32, 1)),)
    fixed = FIXED.model_copy(update={"calls": mixes})

    result, _ = await repaired({"b": fixed}, {"a": [proposal("b")]}, reference=ran(calls=mixes))
    assert result.fix is not None
    result, _ = await repaired({"b": fixed}, {"a": [proposal("b")]}, reference=ran())
    assert result.fix is None


async def test_judging_one_candidate():
    """As for a fix that somebody else proposes: the same checks, one fix."""
    executor = RecordedExecutor({"b": FIXED, "c": failed(A)})
    job, rules = Job(code="a"), codemod("a", holds=lambda before, after: before.stdout == "r")

    for code, reference, verified in (
        ("b", ran(stdout="r"), True),
        ("b", None, False),
        ("c", ran(stdout="r"), False),
    ):
        fix = await engine.judge(executor, rules, proposal(code), job, BEFORE, reference)
        assert (fix.code, fix.verified, fix.codemod) == (code, verified, "a")

    as_the_original = codemod("a", holds=lambda before, after: before.stdout == BEFORE.stdout)
    fix = await engine.judge(executor, as_the_original, proposal("b"), job, BEFORE, None)
    assert fix.verified


# -- which candidates are tried --------------------------------------------------------------


async def test_the_askers_words_go_where_the_rewrites_are_made():
    """They may say what has to stay."""
    words: list[str] = []

    class Reads(RecordedExecutor):
        async def run(self, job: Job) -> JobResult:
            if job.code == PROPOSE:
                words.append(json.loads(base64.b64decode(job.files[0].base64))["asked"])
            return await super().run(job)

    executor = Reads({"b": FIXED}, {"a": [proposal("b")]})
    await engine.repair(executor, [codemod("a")], Job(code="a"), BEFORE, None, "keep the batch")

    assert words == ["keep the batch"]


async def test_nothing_applies():
    """No codemod knows the mistake: nothing is asked of the executor."""
    result, executor = await repaired({}, {}, codemods=[codemod("b", B)])

    assert result == Repair() and executor.asked == []


@pytest.mark.parametrize(
    ("proposed", "problem"),
    [
        ((), ()),
        (
            failed("no such site", "KeyError"),
            ("no codemod could propose a fix: KeyError: no such site",),
        ),
        (
            ran(detail="the executor is full"),
            ("no codemod could propose a fix: the executor is full",),
        ),
    ],
)
async def test_a_codemod_that_fails_is_told(proposed: Any, problem: tuple[str, ...]):
    """How, where it is known; the others are not tried."""
    result, _ = await repaired({}, {"a": proposed})

    assert result == Repair(problems=problem)


async def test_only_what_applies_is_asked():
    """The executor gets the codemods of this run's mistake."""
    proposals = {"a": [proposal("b", "b"), proposal("c", "a")]}
    result, executor = await repaired({"c": FIXED}, proposals)

    assert result.fix is not None and result.fix.codemod == "a"
    assert codes(result.refused) == [] and len(executor.asked) == 1


async def test_fewest_places_first_two_at_a_time():
    """As soon as one is verified no further ones are run."""
    code = "a\n-\nb\n-\nc\n"
    three, two, one = "A\n-\nB\n-\nC\n", "A\n-\nB\n-\nc\n", "A\n-\nb\n-\nc\n"
    again = "X\n-\nb\n-\nc\n"
    proposals = {code: [proposal(new) for new in (three, two, one, again)]}
    bad = failed(A, stdout="1\n")

    result, executor = await repaired({one: bad, again: FIXED}, proposals, code=code)
    assert result.fix is not None and result.fix.code == again
    assert [job.code for job in executor.asked] == [one, again]
    assert codes(result.refused) == [one]

    # Of two that are right together, the first one is taken.
    result, executor = await repaired({one: FIXED, again: FIXED}, proposals, code=code)
    assert result.fix is not None and result.fix.code == one
    assert result.alternatives == () and result.refused == ()

    undone = {"a\n-\nB\n-\nc\n": BEFORE, "A\n-\nb\n-\nc\n": bad}
    result, executor = await repaired(
        {one: bad, again: bad, two: FIXED, three: bad} | undone, proposals, code=code
    )
    assert result.fix is not None and result.fix.code == two
    assert codes(result.refused) == [one, again, three]


async def test_no_more_than_ten_are_tried():
    """The best come first: after ten that fail, the eleventh is not the one."""
    names = [f"b{n}" for n in range(12)]
    runs: dict[object, JobResult] = dict.fromkeys(names, failed(A, stdout="1\n"))
    result, executor = await repaired(runs, {"a": [proposal(name) for name in names]})

    assert [job.code for job in executor.asked] == names[:10]
    assert codes(result.refused) == names[:10]


# -- what the person means -------------------------------------------------------------------

UPDATE = proposal("update", intent="update it", said="updat")
COMPUTE = proposal("compute", intent="compute it", said=r"comput\w+")


@pytest.mark.parametrize(
    ("asked", "fix", "alternatives", "tried"),
    [
        ("", None, ["update", "compute"], ["update", "compute"]),
        ("How do I UPDATE it?", "update", [], ["update"]),
        ("I am computing it", "compute", [], ["compute"]),
        ("update what is computed", "update", [], ["update", "compute"]),
    ],
)
async def test_several_meanings(asked: str, fix: str, alternatives: list[str], tried: list[str]):
    """They stand side by side, unless the person's own words say which it is."""
    runs: dict[object, JobResult] = {"update": FIXED, "compute": FIXED}
    result, executor = await repaired(runs, {"a": [UPDATE, COMPUTE]}, asked=asked)

    assert (result.fix.code if result.fix else None) == fix
    assert codes(result.alternatives) == alternatives
    assert [f.intent for f in result.alternatives] == [
        p.intent for p in (UPDATE, COMPUTE) if p.code in alternatives
    ]
    assert result.fix is None or result.fix.intent == ""
    assert [job.code for job in executor.asked] == tried


async def test_who_asks_nothing_chooses_nothing():
    """An article's own program is repaired without a question."""
    meanings = [proposal(code, intent=code, said=r"\S") for code in ("update", "compute")]
    executor = RecordedExecutor({"update": FIXED, "compute": FIXED}, {"a": meanings})
    result = await engine.repair(executor, [codemod("a")], Job(code="a"), BEFORE, None)

    assert codes(result.alternatives) == ["update", "compute"]


async def test_one_meaning_that_holds_of_two_is_not_the_fix():
    """The other one may have been meant."""
    bad = failed(A, stdout="1\n")
    result, _ = await repaired({"update": FIXED, "compute": bad}, {"a": [UPDATE, COMPUTE]})

    assert result.fix is None
    assert codes(result.alternatives) == ["update"] and codes(result.refused) == ["compute"]


class Raises(Rules):
    """A codemod that breaks at every run."""

    def applies(self, result: JobResult) -> bool:
        raise ValueError("no such layer")


RAISED = "the codemod r raised in applies(): ValueError: no such layer"
NO = Check(name="sizes", passed=False)
PRINTS = "\nprint(x)  # Output: tensor([2., 2.])"


@pytest.mark.parametrize(
    ("rewrites", "fix", "alternatives"),
    [
        ([proposal("b")], "b", []),
        ([UPDATE, COMPUTE], None, ["update", "compute"]),
        # What a comment says is printed tells which one is meant.
        ([proposal(f"x{PRINTS}", intent="x"), proposal("y", intent="y")], f"x{PRINTS}", []),
        ([], None, []),
    ],
)
async def test_what_was_refused_and_what_failed_is_told_with_every_outcome(
    rewrites: list[Proposal], fix: str | None, alternatives: list[str]
):
    """Whether one fix came of it, several, or none."""
    runs: dict[object, JobResult] = {
        p.code: FIXED.model_copy(update={"stdout": "1\ntensor([2., 2.])\n"}) for p in rewrites
    }
    result, _ = await repaired(
        runs,
        {"a": [proposal("wrong", checks=(NO,)), *rewrites]},
        codemods=[codemod("a"), Codemod("r", Raises(A, None))],
    )

    assert (result.fix.code if result.fix else None) == fix
    assert codes(result.alternatives) == alternatives
    assert codes(result.refused) == ["wrong"]
    assert result.problems == (RAISED,)


@pytest.mark.parametrize(
    ("refused", "good", "fix", "alternatives"),
    [
        # A meaning that only a refused rewrite serves may have been meant …
        ([COMPUTE], UPDATE, None, ["update"]),
        # … but a refused rewrite that supposes nothing has none …
        ([proposal("wrong")], UPDATE, "update", []),
        # … and where the one that is left supposes nothing, none was asked for.
        ([UPDATE, COMPUTE], proposal("plain"), "plain", []),
    ],
)
async def test_meanings_of_what_its_code_speaks_against(
    refused: list[Proposal], good: Proposal, fix: str | None, alternatives: list[str]
):
    """They are meanings still, beside another one."""
    unrun = [p.model_copy(update={"checks": (NO,)}) for p in refused]
    result, _ = await repaired({good.code: FIXED}, {"a": [*unrun, good]})

    assert (result.fix.code if result.fix else None) == fix
    assert codes(result.alternatives) == alternatives


async def test_what_is_printed_as_stated_does_not_outweigh_a_meaning_that_failed():
    """The one that failed may have been meant: what is left is not called the fix."""
    end = "\nprint(x.grad)  # Output: tensor([2., 2.])"
    runs = {
        f"sum{end}": FIXED.model_copy(update={"stdout": "1\ntensor([2., 2.])\n"}),
        f"mean{end}": failed(A, stdout="1\n"),
    }
    meanings = [proposal(f"{name}{end}", intent=f"the {name}") for name in ("sum", "mean")]
    result, _ = await repaired(runs, {f"a{end}": meanings}, code=f"a{end}")

    assert result.fix is None and codes(result.alternatives) == [f"sum{end}"]


async def test_a_meaning_beside_what_supposes_nothing():
    """Both hold, and neither is called the fix."""
    runs: dict[object, JobResult] = {"plain": FIXED, "update": FIXED}
    result, _ = await repaired(runs, {"a": [proposal("plain"), UPDATE]})

    assert result.fix is None and codes(result.alternatives) == ["plain", "update"]


async def test_a_single_meaning_is_the_fix():
    """It is told with it."""
    result, _ = await repaired({"update": FIXED}, {"a": [UPDATE]})

    assert result.fix is not None and result.fix.intent == "update it"


async def test_each_meaning_is_shown_once():
    """Candidates of a meaning that is verified are passed over; until every meaning is."""
    more = [
        UPDATE,
        proposal("update 2", intent="update it"),
        proposal("update 3", intent="update it"),
        COMPUTE,
        proposal("compute 2", intent="compute it"),
        proposal("compute 3"),
    ]
    runs: dict[object, JobResult] = {p.code: FIXED for p in more}
    result, executor = await repaired(runs, {"a": more})

    assert codes(result.alternatives) == ["update", "compute"]
    # Two at a time: the third was left out of its pair, and after the fourth all was said.
    assert [job.code for job in executor.asked] == ["update", "update 2", "compute"]
    assert result.refused == ()


# -- alternatives that are one ---------------------------------------------------------------


async def test_one_code_in_two_spellings_is_tried_once():
    """What the jail says of their form tells, not how they are written."""
    same = [proposal("f(x.T)", form="1"), proposal("f(x.t())", form="1", intent="turned")]
    result, executor = await repaired({"f(x.T)": FIXED, "f(x.t())": FIXED}, {"a": same})

    assert result.fix is not None and result.fix.code == "f(x.T)"
    assert [job.code for job in executor.asked] == ["f(x.T)"]


async def test_one_code_of_two_codemods_is_one():
    """Their meanings have other names; the code is the same."""
    both = [proposal("x", form="1", intent="f it"), proposal("y", "b", form="1", intent="g it")]
    rules = [codemod("a"), codemod("b")]
    result, _ = await repaired({"x": FIXED, "y": FIXED}, {"a": both}, codemods=rules)

    assert result.fix is not None and result.fix.code == "x"


async def test_one_code_is_tried_again_with_another_codemods_checks():
    """What one refuses may be what the other one wants."""
    both = [proposal("x", form="1"), proposal("x", "b", form="1")]
    rules = [codemod("a", holds=lambda before, after: False), codemod("b")]
    result, _ = await repaired({"x": FIXED}, {"a": both}, codemods=rules)

    assert result.fix is not None and result.fix.codemod == "b"
    assert codes(result.refused) == ["x"]


async def test_without_a_form_the_code_tells():
    """Others than the jail propose codes alone."""
    rows = [proposal("x", form="1"), proposal("y"), proposal("y"), proposal("z", form="2")]
    bad = failed(A, stdout="1\n")
    result, _ = await repaired({"x": bad, "y": bad, "z": bad}, {"a": rows})

    assert codes(result.refused) == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("sum_prints", "mean_prints", "fix"),
    [
        ("[2., 2.]", "[1., 1.]", "sum"),
        ("[1., 1.]", "[2., 2.]", "mean"),
        ("[2., 2.]", "[2., 2.]", None),  # it decides nothing
        ("[1., 1.]", "[3., 3.]", None),
    ],
)
async def test_what_a_comment_says_is_printed_tells_which_is_meant(
    sum_prints: str, mean_prints: str, fix: str | None
):
    """Of two meanings the one that prints what the code says it prints is the fix."""
    end = "\nprint(x.grad)  # Output: tensor([2., 2.])"
    told = {"sum": sum_prints, "mean": mean_prints}
    runs = {
        f"{name}{end}": FIXED.model_copy(update={"stdout": f"1\ntensor({printed})\n"})
        for name, printed in told.items()
    }
    meanings = [proposal(f"{name}{end}", intent=f"the {name}") for name in told]
    result, _ = await repaired(runs, {f"a{end}": meanings}, code=f"a{end}")

    assert (result.fix.code if result.fix else None) == (f"{fix}{end}" if fix else None)
    assert result.fix is None or result.fix.intent == ""
    assert len(result.alternatives) == (0 if fix else 2)


async def test_two_ways_to_one_meaning_are_one():
    """Two states that supposed the same lead to one alternative."""
    runs: dict[object, JobResult] = {"update": NEXT, "b": NEXT, "x": FIXED, "y": FIXED}
    proposals = {
        "a": [UPDATE, proposal("b", intent="update it")],
        "update": [proposal("x", "b")],
        "b": [proposal("y", "b")],
    }
    result, _ = await repaired(runs, proposals)

    assert result.fix is not None and result.fix.code == "x" and not result.alternatives

    proposals["update"] = [proposal("x", "b", supposes=True)]  # the one that is offered supposes
    result, _ = await repaired(runs, proposals)

    assert result.fix is None and codes(result.alternatives) == ["x"]


# -- several mistakes ------------------------------------------------------------------------

NEXT = failed(B, code="y", stdout="1\n", values=VALUES)
WRONG = NEXT  # a candidate for the next mistake that does not remove it


async def test_the_next_mistake_is_mended_too():
    """The diff and the checks are those of both steps; each place is needed for one of them."""
    code, half, whole = "a\n-\nb\n", "A\n-\nb\n", "A\n-\nB\n"
    runs = {half: NEXT, whole: FIXED, "a\n-\nB\n": BEFORE}
    proposals = {code: [proposal(half, title="first")], half: [proposal(whole, "b", title="then")]}
    result, executor = await repaired(runs, proposals, code=code)

    assert result.fix is not None
    fix = result.fix
    assert (fix.codemod, fix.title, fix.steps) == ("a", "first", ("first", "then"))
    assert fix.diff == "@@ -1,3 +1,3 @@\n-a\n+A\n -\n-b\n+B"
    assert fix.checks[-1].detail == "without each of the 2 changes the mistake is back"
    assert codes(result.refused) == [half]
    # The last step undone is where it began: that has been run.
    assert executor.tried == [half, whole, "a\n-\nB\n"]


async def test_every_steps_own_checks_hold_for_the_end():
    """Each compares the last run with the one that it began with."""
    code, half, whole = "a\n-\nb\n", "A\n-\nb\n", "A\n-\nB\n"
    seen: list[tuple[str, str]] = []

    def note(before: JobResult, after: JobResult) -> bool:
        seen.append((before.error.message if before.error else before.stdout, after.stdout))
        return True

    rules = [codemod("a", A, note), codemod("b", B, note)]
    runs = {half: NEXT, whole: FIXED, "a\n-\nB\n": BEFORE}
    proposals = {code: [proposal(half)], half: [proposal(whole, "b")]}
    result, _ = await repaired(
        runs, proposals, code=code, codemods=rules, reference=ran(stdout="meant")
    )

    assert result.fix is not None
    assert seen == [("meant", "1\n"), ("meant", "1\n2\n"), (B, "1\n2\n")]


async def test_undoing_a_step_must_bring_its_own_mistake_back():
    """What the second step changed is needed for the second mistake, or it is idle."""
    code, half, whole = "a\n-\nb\n-\nc\n", "A\n-\nb\n-\nc\n", "A\n-\nB\n-\nC\n"
    undone = {"a\n-\nB\n-\nC\n": BEFORE, "A\n-\nb\n-\nC\n": FIXED, "A\n-\nB\n-\nc\n": NEXT}
    proposals = {code: [proposal(half)], half: [proposal(whole, "b")]}
    result, _ = await repaired({half: NEXT, whole: FIXED} | undone, proposals, code=code)

    assert result.fix is None
    assert result.refused[-1].checks[-1].detail == "change 2 is not needed"


async def test_a_silent_second_mistake_is_brought_back_too():
    """Undone, the second step's other place lets the run end, and the probe finds it again."""
    code, half, whole = "a\n-\nb\n-\nc\n", "A\n-\nb\n-\nc\n", "A\n-\nB\n-\nC\n"
    silent = ran(stdout="1\n", values=VALUES, findings=(found("never_moved"),))
    undone = {"a\n-\nB\n-\nC\n": BEFORE, "A\n-\nb\n-\nC\n": silent, "A\n-\nB\n-\nc\n": silent}
    proposals = {code: [proposal(half)], half: [proposal(whole, "b")]}
    result, _ = await repaired(
        {half: silent, whole: FIXED} | undone,
        proposals,
        code=code,
        codemods=[codemod("a"), codemod("b", "never_moved")],
    )

    assert result.fix is not None
    assert result.fix.checks[-1].detail == "without each of the 3 changes the mistake is back"


async def test_the_names_of_all_steps_count_and_so_does_their_unity():
    """A new name of the first step is one change at the end; one `as_one` joins all."""
    code = "a\n-\nb\n-\nc\n"
    half, whole = "z = 1\n-\nz + 1\n-\nc\n", "z = 1\n-\nz + 1\n-\nC\n"
    for more, undone in (({"new_name": "z"}, ["a\n-\nb\n-\nC\n"]), ({"as_one": True}, [])):
        proposals = {code: [proposal(half, **more)], half: [proposal(whole, "b")]}
        runs: dict[object, JobResult] = {half: NEXT, whole: FIXED} | dict.fromkeys(undone, BEFORE)
        result, executor = await repaired(runs, proposals, code=code)

        assert result.fix is not None
        assert executor.tried == [half, whole, *undone]


async def test_a_wrong_rewrite_is_not_carried_on():
    """It fails at the same expression: nothing was gained."""
    wrong = failed(B, stdout="1\n")  # at the same expression, from which another message comes
    result, executor = await repaired(
        {"b": wrong}, {"a": [proposal("b")], "b": [proposal("c", "b")]}
    )

    assert codes(result.refused) == ["b"] and result.fix is None
    assert executor.tried == ["b"]


async def test_the_same_expression_further_down_is_carried_on():
    """A program that makes the mistake twice is mended twice."""
    code, half, whole = "f\n-\nf\n", "F\n-\nf\n", "F\n-\nF\n"
    first = failed(A, line=1, code="f", values=VALUES)
    second = failed(A, line=3, code="f", values=VALUES)
    runs = {half: second, whole: ran(values=VALUES), "f\n-\nF\n": first}
    proposals = {code: [proposal(half)], half: [proposal(whole)]}
    result, _ = await repaired(runs, proposals, code=code, before=first)

    assert result.fix is not None and result.fix.code == whole


def chain(n: int) -> tuple[list[Codemod], dict[object, JobResult], dict[str, Any]]:
    """A program of n mistakes, one below the other."""

    def code(k: int) -> str:
        return "".join(f"{'M' if i < k else 'm'}{i}\n-\n" for i in range(n))

    def fails(k: int) -> JobResult:
        return failed(f"mistake {k}", code=f"m{k}", values=VALUES)

    rules = [codemod(f"c{k}", f"mistake {k}") for k in range(n)]
    runs: dict[object, JobResult] = {code(k): fails(k) for k in range(1, n)}
    runs[code(n)] = ran(values=VALUES)
    for k in range(n - 1):
        runs[code(n).replace(f"M{k}", f"m{k}")] = fails(k)
    proposals = {code(k): [proposal(code(k + 1), f"c{k}")] for k in range(n)}
    return rules, runs, {"code": code(0), "before": fails(0), "proposals": proposals}


@pytest.mark.parametrize(("n", "fixed"), [(1, True), (2, True), (4, True), (5, False)])
async def test_up_to_four_mistakes_are_mended(n: int, fixed: bool):
    """One after the other; of a fifth nothing is known."""
    rules, runs, more = chain(n)
    result, executor = await repaired(runs, codemods=rules, **more)

    assert (result.fix is not None) is fixed
    assert len(result.refused) == (n - 1 if fixed else 4)
    assert len(executor.asked) == (2 * n - 1 if fixed else 4)


async def test_two_of_a_steps_candidates_are_carried_on():
    """The best two; a third is left."""
    halves = ["b1", "b2", "b3"]
    runs: dict[object, JobResult] = {"b2+": FIXED, "b1+": WRONG, "b3+": FIXED}
    runs |= dict.fromkeys(halves, NEXT)
    proposals = {"a": [proposal(half) for half in halves]}
    proposals |= {half: [proposal(f"{half}+", "b")] for half in halves}
    result, executor = await repaired(runs, proposals)

    assert result.fix is not None and result.fix.code == "b2+"
    assert executor.tried == [*halves, "b1+", "b2+"]

    runs["b2+"] = WRONG
    result, executor = await repaired(runs, proposals)
    assert result.fix is None
    assert executor.tried == [*halves, "b1+", "b2+"]


async def test_what_each_of_two_states_leads_to_is_carried_on():
    """The first one's third mistake is mended though the second one has one, too."""
    third = failed("c is wrong", code="z", stdout="1\n", values=VALUES)
    runs: dict[object, JobResult] = dict.fromkeys(("b1", "b2"), NEXT)
    runs |= {"b1+": third, "b2+": third, "b1++": FIXED}
    proposals = {
        "a": [proposal("b1"), proposal("b2")],
        "b1": [proposal("b1+", "b")],
        "b2": [proposal("b2+", "b")],
        "b1+": [proposal("b1++", "c")],
    }
    rules = [codemod("a"), codemod("b", B), codemod("c", "c is wrong")]
    result, _ = await repaired(runs, proposals, codemods=rules)

    assert result.fix is not None and result.fix.code == "b1++"


async def test_the_first_of_the_states_that_gets_there_is_believed():
    """Where they suppose nothing, the second one is not looked at any more."""
    runs: dict[object, JobResult] = {"b1": NEXT, "b2": NEXT, "b1+": FIXED}
    proposals = {"a": [proposal("b1"), proposal("b2")], "b1": [proposal("b1+", "b")]}
    result, executor = await repaired(runs, proposals)

    assert result.fix is not None and result.fix.code == "b1+"
    assert executor.tried == ["b1", "b2", "b1+"]


async def test_what_fails_further_down_is_told_too():
    """A codemod that breaks at a later step is as broken as one that breaks at the first."""
    proposals = {"a": [proposal("b")], "b": failed("no such site", "KeyError")}
    result, _ = await repaired({"b": NEXT}, proposals)

    assert result.problems == ("no codemod could propose a fix: KeyError: no such site",)
    assert codes(result.refused) == ["b"]


async def test_a_supposed_meaning_is_seen_through_with_the_others():
    """States that mean different things are all carried on before one is believed."""
    runs: dict[object, JobResult] = {
        "update": NEXT,
        "compute": NEXT,
        "update+": FIXED,
        "compute+": FIXED,
    }
    proposals = {
        "a": [UPDATE, COMPUTE],
        "update": [proposal("update+", "b")],
        "compute": [proposal("compute+", "b")],
    }
    result, _ = await repaired(runs, proposals)
    assert result.fix is None
    assert codes(result.alternatives) == ["update+", "compute+"]
    assert [f.intent for f in result.alternatives] == ["update it", "compute it"]

    # One of them leads nowhere: it may have been meant all the same.
    result, _ = await repaired(runs | {"compute+": failed(B, stdout="1\n")}, proposals)
    assert result.fix is None and codes(result.alternatives) == ["update+"]


async def test_a_supposed_meaning_holds_further_down():
    """A later step that has the same choice takes the same side; any other choice is open."""
    sum_it = {"intent": "update it"}
    runs: dict[object, JobResult] = {"update": NEXT, "u": FIXED, "c": FIXED, "plain": FIXED}
    then = [proposal("c", "b", intent="compute it"), proposal("u", "b", **sum_it)]
    result, executor = await repaired(runs, {"a": [UPDATE], "update": then})

    assert result.fix is not None and result.fix.code == "u"
    assert executor.tried == ["update", "u"]

    then = [proposal("c", "b", intent="sum it"), proposal("u", "b", intent="take the mean")]
    result, _ = await repaired(runs, {"a": [UPDATE], "update": then})
    assert result.fix is None and codes(result.alternatives) == ["c", "u"]
    meanings = ["update it; sum it", "update it; take the mean"]
    assert [f.intent for f in result.alternatives] == meanings

    then = [proposal("plain", "b"), proposal("u", "b", **sum_it)]
    result, executor = await repaired(runs | {"plain": failed(B)}, {"a": [UPDATE], "update": then})
    assert codes(result.refused) == ["update", "plain"]


# -- what later steps look at ----------------------------------------------------------------


async def test_a_later_step_compares_with_a_rerun_that_has_gradients():
    """What a candidate computed counts as the reference of the step after it."""
    seen: list[str] = []

    class Twice(RecordedExecutor):
        """The same job gives what it says the second time, too: it is told apart by its output."""

        async def run(self, job: Job) -> JobResult:
            result = await super().run(job)
            again = sum(asked.code == "b" for asked in self.asked) == 3
            return result.model_copy(update={"stdout": "1\n(again)"}) if again else result

    def note(before: JobResult, after: JobResult) -> bool:
        seen.append(before.stdout)
        return True

    proposals = {"a": [proposal("b")], "b": [proposal("c", "b")]}
    for values, compared in ((None, "1\n(again)"), (VALUES, "1\n")):
        bare = NEXT.model_copy(update={"values": values})
        executor = Twice({"b": bare, "c": ran(stdout="1\n(again)")}, proposals)
        rules = [codemod("a"), codemod("b", B, note)]
        result = await engine.repair(executor, rules, Job(code="a"), BEFORE, None, "")

        assert result.fix is not None and seen.pop() == compared


async def test_a_later_in_place_error_is_looked_at_with_its_own_probes():
    """Who saved and who wrote, and the gradients that it should have had."""
    in_place = (
        "one of the variables needed for gradient computation has been modified by an "
        "inplace operation: [torch.FloatTensor [3]]"
    )
    ends = failed(in_place, code="y", stdout="1\n")
    culprit = Culprit(saved_line=1, modified_line=2)
    seen: list[str] = []

    class Looks(Rules):
        def applies(self, result: JobResult) -> bool:
            seen.append(f"autograd: {result.autograd == culprit}")
            return super().applies(result)

    def note(before: JobResult, after: JobResult) -> bool:
        seen.append(before.stdout)
        return True

    rules = [codemod("a"), Codemod("b", Looks(in_place, note))]
    runs = {
        ("b", "gradients"): ends,
        ("b", "inplace"): ends.model_copy(update={"autograd": culprit}),
        ("b", "oracle"): ran(stdout="the oracle"),
        "c": FIXED,
    }
    proposals = {"a": [proposal("b")], "b": [proposal("c", "b")]}
    result, _ = await repaired(runs, proposals, codemods=rules)

    assert result.fix is not None
    assert seen[-2:] == ["autograd: True", "the oracle"]


# -- what a fix leaves -----------------------------------------------------------------------

TWO = ran(findings=(found("one_class"), found("loss_broadcasts")), values=VALUES)
ONE = ran(findings=(found("loss_broadcasts"),), values=VALUES)
KINDS = (codemod("a", "one_class"), codemod("b", "loss_broadcasts"))


@pytest.mark.parametrize(
    ("after", "further", "code", "steps"),
    [
        # The next step leaves nothing.
        ({"c": FIXED}, [proposal("c", "b")], "c", ("to b", "to c")),
        # It is refused, it leaves as much, or it brings another mistake.
        ({"c": failed(B)}, [proposal("c", "b")], "b", ()),
        ({"c": ONE}, [proposal("c", "b")], "b", ()),
        ({"c": ran(findings=(found("one_class", "v"),), values=VALUES)}, [], "b", ()),
        # It would mean one of two things.
        (
            {"c": FIXED, "d": FIXED},
            [proposal("c", "b", intent="this"), proposal("d", "b", intent="that")],
            "b",
            (),
        ),
        (
            {"c": FIXED, "d": failed(B)},
            [proposal("c", "b", intent="this"), proposal("d", "b", intent="that")],
            "b",
            (),
        ),
        # It would mean one thing only.
        ({"c": FIXED}, [proposal("c", "b", intent="this")], "c", ("to b", "to c")),
        ({"c": FIXED, "d": failed(B)}, [proposal("c", "b"), proposal("d", "b")], "c", None),
        # Nothing is proposed.
        ({}, [], "b", ()),
    ],
)
async def test_what_a_fix_leaves_is_mended_in_the_same_chain(
    after: dict[object, JobResult],
    further: list[Proposal],
    code: str,
    steps: tuple[str, ...] | None,
):
    """Step by step, as long as there is one way and less is left; the checks are the original's."""
    result, _ = await repaired(
        {"b": ONE, **after}, {"a": [proposal("b")], "b": further}, codemods=KINDS, before=TWO
    )

    assert result.fix is not None and result.fix.verified
    assert result.fix.code == code
    assert steps is None or result.fix.steps == steps
    assert result.alternatives == ()


async def test_a_verified_steps_own_checks_are_those_of_its_own_run():
    """What the next step changes is not held against the first; what it is itself, is."""
    compared = []

    def note(before: JobResult, after: JobResult) -> bool:
        compared.append((before.stdout, after.stdout))
        return True

    kinds = (codemod("a", "one_class", note), codemod("b", "loss_broadcasts", note))
    result, _ = await repaired(
        {"b": ONE.model_copy(update={"stdout": "2"}), "c": ran(values=VALUES, stdout="3")},
        {"a": [proposal("b")], "b": [proposal("c", "b")]},
        codemods=kinds,
        before=TWO.model_copy(update={"stdout": "1"}),
    )

    assert result.fix is not None and result.fix.code == "c"
    assert compared == [("1", "2"), ("2", "3")]


async def test_alternatives_are_not_carried_on():
    """Which of them is meant is open: what they leave is only said."""
    both = [proposal("b", intent="this"), proposal("c", intent="that")]
    result, executor = await repaired(
        {"b": ONE, "c": ONE}, {"a": both, "b": [proposal("d", "b")]}, codemods=KINDS, before=TWO
    )

    assert codes(result.alternatives) == ["b", "c"] and result.fix is None
    assert "d" not in [job.code for job in executor.asked]


async def test_no_more_than_four_steps_with_what_is_left():
    """The fourth fix is the last, whatever it leaves."""
    names = "vwxyz"
    runs: dict[object, JobResult] = {}
    proposals = {}
    for n in range(1, 6):
        left = tuple(found("one_class", name) for name in names[n:])
        runs[str(n)] = ran(findings=left, values=VALUES)
        proposals[str(n - 1)] = [proposal(str(n))]
    before = ran(findings=tuple(found("one_class", name) for name in names), values=VALUES)
    result, _ = await repaired(runs, proposals, codemods=KINDS, before=before, code="0")

    assert result.fix is not None and result.fix.code == "4" and len(result.fix.steps) == 4


async def test_what_is_left_does_not_prove_that_a_place_is_needed():
    """With a place undone the finding that stays is there, as it is with the whole change."""
    idle = {"x\nb": ONE, "x\ny": ONE, "a\ny": TWO}
    result, _ = await repaired(
        idle, {"a\nb": [proposal("x\ny")]}, codemods=KINDS[:1], before=TWO, code="a\nb"
    )

    assert result.fix is not None  # one change of two lines is one place
    apart = {"x\n\nb": ONE, "x\n\ny": ONE, "a\n\ny": TWO}
    result, _ = await repaired(
        apart, {"a\n\nb": [proposal("x\n\ny")]}, codemods=KINDS[:1], before=TWO, code="a\n\nb"
    )
    assert result.fix is None
    (refused,) = result.refused
    assert [c.name for c in refused.checks if not c.passed] == ["minimal"]


@pytest.mark.parametrize("meanings", [("",), ("update it", "compute it")])
async def test_a_fix_and_alternatives_get_the_imports_that_their_runs_were_given(
    meanings: tuple[str, ...],
):
    """Then each is a listing that runs by itself."""
    lacking, given = "import torch.nn.functional as F", "import torch\n"
    new = [f"{given}{n}\n" for n in range(len(meanings))]
    whole = [f"{given}{lacking}\n{n}\n" for n in range(len(meanings))]
    runs: dict[object, JobResult] = dict.fromkeys(
        new, FIXED.model_copy(update={"assumptions": (lacking,)})
    )
    rows = [proposal(c, intent=m) for c, m in zip(new, meanings, strict=True)]
    result, _ = await repaired(
        runs | dict.fromkeys(whole, FIXED), {f"{given}a\n": rows}, code=f"{given}a\n"
    )

    assert codes([result.fix] if result.fix is not None else result.alternatives) == whole
    assert (result.fix is not None) is (len(meanings) == 1)


# -- a fix for want of a GPU -----------------------------------------------------------------

NO_CUDA = failed("Torch not compiled with CUDA enabled", "AssertionError", values=VALUES)


NO_GPU = failed("No CUDA GPUs are available", values=VALUES)
TWO_DEVICES = "found at least two devices, cuda:0 and cpu!"
ENDS = "on a simulated device it ends with RuntimeError"


@pytest.mark.parametrize("before", [NO_CUDA, NO_GPU])
@pytest.mark.parametrize(
    ("there", "verified", "detail"),
    [
        (ran(), True, "it runs on a simulated device too"),
        (failed(TWO_DEVICES), False, f"{ENDS} at line 1"),
        (failed(TWO_DEVICES, line=None), False, ENDS),
        # The CPU's run tells that.
        (ran(findings=(found("one_class"),)), True, "it runs on a simulated device too"),
    ],
)
async def test_a_guard_for_the_gpu_is_run_where_there_is_one_too(
    before: JobResult, there: JobResult, verified: bool, detail: str
):
    """On the simulated device: what runs without a GPU alone is half a fix."""
    assert before.error is not None
    rule = codemod("a", before.error.message)
    result, executor = await repaired(
        {"b": FIXED, ("b", "cuda"): there}, {"a": [proposal("b")]}, codemods=[rule], before=before
    )

    assert (result.fix is not None) is verified
    assert [job.simulate for job in executor.asked] == [None, "cuda"]
    fix = result.fix or result.refused[0]
    (check,) = (c for c in fix.checks if c.name == "with a GPU")
    assert check == Check(name="with a GPU", passed=verified, detail=detail)


# -- what a run's lines mean -----------------------------------------------------------------

OUTER = Influence(operations=(Operation(kind="outer", name="mul", line=1, inputs=((2, 1), (3,))),))


def looked(run: JobResult, influence: Influence = OUTER) -> JobResult:
    """A run in which the influence was looked at too."""
    return run.model_copy(update={"influence": influence})


async def test_what_its_lines_mean_is_seen_in_the_candidates_own_run() -> None:
    """And in one of the original's; neither is shown with the fix."""
    result, executor = await repaired(
        {
            "b": looked(FIXED),
            ("a", "influence"): looked(BEFORE),
        },
        {"a": [proposal("b")]},
    )

    assert result.fix is not None and result.fix.result is not None  # as the original did
    assert result.fix.result == FIXED.model_copy(update={"values": None})
    assert result.fix.result.influence is None
    asked = [(job.code, job.probes) for job in executor.asked]
    assert sorted(asked) == [("a", ("influence",)), ("b", ("gradients", "influence"))]


@pytest.mark.parametrize(
    ("original", "candidate", "verified"),
    [
        (looked(BEFORE, Influence()), looked(FIXED), False),
        (looked(BEFORE, Influence()), looked(FIXED, Influence()), True),
        (looked(BEFORE), looked(FIXED), True),
        # Looking changed how it ends: nothing is concluded from it.
        (looked(BEFORE, Influence()), looked(failed("the probe's")), True),
        (looked(failed("the probe's", "TypeError")), looked(FIXED), False),
        (looked(failed("in other words")), looked(FIXED), True),
        (looked(ran()), looked(FIXED), False),
    ],
)
async def test_what_its_lines_mean_refuses_a_candidate(original, candidate, verified) -> None:
    """Unless the original meant it so."""
    runs = {"b": FIXED, ("b", "influence"): candidate, ("a", "influence"): original}
    result, _ = await repaired(runs, {"a": [proposal("b")]})

    assert (result.fix is not None) is verified
    if not verified:
        (refused,) = result.refused
        assert [c.name for c in refused.checks if not c.passed] == ["broadcasts"]


@pytest.mark.parametrize(
    ("seen", "runs"),
    [
        (BEFORE, [("gradients", "influence")]),  # it failed already, whoever looked
        (failed(A, line=9), [("gradients", "influence"), ("gradients",)]),
        (failed("of the probe"), [("gradients", "influence"), ("gradients",)]),
        (failed(A, type="ValueError"), [("gradients", "influence"), ("gradients",)]),
    ],
)
async def test_a_run_that_looking_may_have_changed_is_run_unseen(
    seen: JobResult, runs: list[tuple[str, ...]]
) -> None:
    """Where it neither reached its end nor failed as the original did."""
    result, executor = await repaired(
        {"b": failed(A, stdout="1\n"), ("b", "influence"): seen}, {"a": [proposal("b")]}
    )

    assert result.fix is None
    assert [job.probes for job in executor.asked if job.code == "b"] == runs


async def test_the_original_is_looked_at_once_for_all_candidates() -> None:
    """However many there are."""
    runs = {"b": FIXED, "c": FIXED, ("a", "influence"): looked(BEFORE)}
    both = [proposal("b", intent="this"), proposal("c", intent="that")]
    result, executor = await repaired(runs, {"a": both})

    assert len(result.alternatives) == 2
    assert [job.code for job in executor.asked].count("a") == 1


async def test_a_reference_keeps_its_values_beside_its_influence() -> None:
    """The codemod's checks and those of the lines look at one run."""
    runs = {
        "b": FIXED,
        ("b", "influence"): looked(FIXED),
        ("a", "influence"): looked(BEFORE),
    }
    oracle = ran(stdout="the oracle", values=VALUES)
    result, _ = await repaired(runs, {"a": [proposal("b")]}, reference=oracle)

    assert result.fix is not None


async def test_a_warning_of_the_reference_is_no_new_one() -> None:
    """The lines are compared with the run that could go further, where there is one."""
    message = "Using a target size (torch.Size([2])) that is different to the input size"
    warned_of = (warned(message),)
    fixed = FIXED.model_copy(update={"warnings": warned_of})
    for reference, verified in ((ran(warnings=warned_of), True), (ran(), False)):
        result, _ = await repaired({"b": fixed}, {"a": [proposal("b")]}, reference=reference)
        assert (result.fix is not None) is verified


# -- the run with the probes ---------------------------------------------------------------------


async def test_edits_are_proposed_while_the_program_is_looked_at() -> None:
    """Both take a run of their own, and neither needs the other; the look counts as the reference.

    The rerun takes long here, and finds that the proposals were asked for.
    """
    executor = RecordedExecutor({"b": FIXED}, {"a": [proposal("b")]})
    seen = BEFORE.model_copy(update={"influence": Influence()})

    async def look() -> tuple[JobResult, JobResult]:
        await asyncio.sleep(0.1)
        assert executor.asked_for_proposals == ["a"]
        return seen, seen

    found = await engine.repair(
        executor, [codemod("a")], Job(code="a"), BEFORE, None, looking=look()
    )

    assert found.fix is not None and found.fix.code == "b"
    assert executor.looked_again == []


async def test_a_look_that_fails_ends_the_repair() -> None:
    async def look() -> tuple[JobResult, JobResult]:
        raise ExecutorGoneError("gone")

    executor = RecordedExecutor({}, {"a": [proposal("b")]})
    with pytest.raises(ExecutorGoneError):
        await engine.repair(executor, [codemod("a")], Job(code="a"), BEFORE, None, looking=look())
