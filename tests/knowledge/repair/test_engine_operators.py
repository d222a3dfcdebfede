"""knowledge/repair/engine.py with operators: when they are asked, and what comes of their edits."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from executor.protocol import Frame, Job, JobResult, Trial, Values
from knowledge.repair import edits as ranked
from knowledge.repair import engine
from knowledge.repair.check import Check
from knowledge.repair.codemod import Codemod, Proposal
from knowledge.repair.engine import Repair
from knowledge.repair.operator import Operator
from tests.built import RecordedExecutor, failed, found, ran
from tests.knowledge.repair.test_engine import A, B, codemod

OLD = "f(a)\ng(b)\n"
EDIT, OTHER = "f(a.float())\ng(b)\n", "f(a.double())\ng(b)\n"
WHOLE = "f(a.double())\ng(c)\n"
FILE = "No such file or directory: 'w.pt'"
BEFORE = failed(A, line=1, code="f(a)", values=Values())
FIXED = ran(stdout="1\n", values=Values())
NO_FILE = failed(FILE, type="FileNotFoundError", line=2, code="g(b)", values=Values())


class Anywhere:
    """An operator that applies to every error."""

    def applies(self, result: JobResult) -> bool:
        return True

    def edits(self, failure: object) -> list[Any]:
        raise AssertionError("an edit is asked of the executor")


OPERATORS = (Operator("trusted", Anywhere()), Operator("unread", Anywhere()))


def edit(code: str, slug: str = "trusted", **more: Any) -> Proposal:
    return Proposal(**{"codemod": slug, "title": f"to {code}", "code": code, "cost": 1.0} | more)


@pytest.fixture(autouse=True)
def records(monkeypatch: pytest.MonkeyPatch) -> None:
    """One operator with a good record, one that nobody has read, one that was mostly wrong."""

    def grade_of(slug: str) -> str:
        return {"trusted": "verified", "wrong": "nothing"}.get(slug, "alternative")

    monkeypatch.setattr(ranked, "grade_of", grade_of)
    monkeypatch.setattr(engine, "grade_of", grade_of)


def missing_file(run: JobResult) -> str:
    """The bot's word for what stopped a run."""
    error = run.error
    return "a file is not here" if error is not None and error.type == "FileNotFoundError" else ""


async def repaired(
    runs: dict[Any, JobResult],
    edits: Mapping[str, Sequence[Proposal] | JobResult],
    proposals: Mapping[str, Sequence[Proposal] | JobResult] | None = None,
    codemods: Sequence[Codemod] = (),
    operators: Sequence[Operator] = OPERATORS,
    why: Any = missing_file,
    before: JobResult = BEFORE,
    code: str = OLD,
    **more: Any,
) -> tuple[Repair, RecordedExecutor]:
    executor = RecordedExecutor(runs, proposals or {}, edits)
    more.setdefault("reference", None)
    result = await engine.repair(
        executor, codemods, Job(code=code), before, operators=operators, why=why, **more
    )
    return result, executor


async def test_no_operator_is_asked_where_a_codemod_mends_it():
    """It knows the mistake; a general edit knows only the values."""
    by_codemod = {OLD: [Proposal(codemod="a", title="known", code=OTHER)]}
    repair, executor = await repaired(
        {OTHER: FIXED}, {OLD: [edit(EDIT)]}, by_codemod, codemods=[codemod("a")]
    )

    assert repair.fix is not None and repair.fix.codemod == "a"
    assert executor.asked_for_edits == []


async def test_operators_are_asked_where_no_codemod_mends_it():
    """One applies, and its rewrite does not help."""
    by_codemod = {OLD: [Proposal(codemod="a", title="known", code=OTHER)]}
    repair, _ = await repaired(
        {OTHER: BEFORE, EDIT: FIXED}, {OLD: [edit(EDIT)]}, by_codemod, codemods=[codemod("a")]
    )

    assert repair.fix is not None
    assert (repair.fix.codemod, repair.fix.shown) == ("trusted", "verified")


@pytest.mark.parametrize(
    ("edits", "steps"),
    [
        ([edit(EDIT)], ()),  # it mends all that is wrong: the codemod may have bent the code
        ([], ("first", "then")),  # none does: it goes on from there, past the next error
    ],
)
async def test_an_edit_that_mends_it_comes_before_a_codemod_that_gets_further(
    edits: list[Proposal], steps: tuple[str, ...]
):
    by_codemod = {
        OLD: [Proposal(codemod="a", title="first", code=OTHER)],
        OTHER: [Proposal(codemod="b", title="then", code=WHOLE)],
    }
    second = failed(B, line=2, code="g(b)", values=Values())
    runs = {OTHER: second, WHOLE: FIXED, EDIT: FIXED, WHOLE.replace("double", "float"): BEFORE}
    repair, _ = await repaired(
        {**runs, OLD.replace("g(b)", "g(c)"): BEFORE},
        {OLD: edits},
        by_codemod,
        codemods=[codemod("a"), codemod("b", B)],
    )

    assert repair.fix is not None and repair.fix.steps == steps
    assert repair.fix.code == (EDIT if edits else WHOLE)


async def test_an_edit_that_supposes_something_is_an_alternative():
    """However good its operator's record is."""
    supposed = edit(EDIT, supposes=True, intent="that is meant")
    repair, _ = await repaired({EDIT: FIXED}, {OLD: [supposed]})

    assert repair.fix is None
    assert [(fix.code, fix.intent) for fix in repair.alternatives] == [(EDIT, "that is meant")]


async def test_what_a_codemod_was_refused_for_is_no_operators_edit():
    """The same code was judged with more knowledge of the mistake."""
    no = Check(name="sizes", passed=False)
    by_codemod = {OLD: [Proposal(codemod="a", title="known", code=EDIT, checks=(no,))]}
    repair, executor = await repaired(
        {EDIT: FIXED}, {OLD: [edit(EDIT)]}, by_codemod, codemods=[codemod("a")]
    )

    assert repair.fix is None and repair.alternatives == ()
    assert executor.asked == []


async def test_an_operator_that_nobody_has_read_shows_only_an_alternative():
    """Its edit passes every check, and is not called the fix."""
    repair, _ = await repaired({EDIT: FIXED}, {OLD: [edit(EDIT, "unread", intent="a is one")]})

    assert repair.fix is None
    assert [(f.code, f.intent, f.verified) for f in repair.alternatives] == [
        (EDIT, "a is one", True)
    ]


async def test_an_operator_that_was_mostly_wrong_is_not_asked():
    repair, executor = await repaired(
        {}, {OLD: [edit(EDIT, "wrong")]}, operators=[Operator("wrong", Anywhere())]
    )

    assert repair == Repair()
    assert executor.asked_for_edits == []


async def test_a_check_that_its_code_fails_needs_no_run():
    no = Check(name="sizes", passed=False)
    repair, executor = await repaired({}, {OLD: [edit(EDIT, checks=(no,))]})

    assert [f.code for f in repair.refused] == [EDIT]
    assert executor.asked == []


@pytest.mark.parametrize(
    ("why", "offered"), [(missing_file, [EDIT]), (lambda run: "", [])], ids=["a file", "its own"]
)
async def test_an_edit_that_stops_later_by_no_fault_of_the_code_is_partly_shown(why, offered):
    """It is an alternative, and not verified; where the code is to blame it is none."""
    repair, _ = await repaired({EDIT: NO_FILE}, {OLD: [edit(EDIT)]}, why=why)

    assert repair.fix is None
    assert [f.code for f in repair.alternatives] == offered
    for fix in repair.alternatives:
        assert (fix.verified, fix.shown) == (False, "partly")
        assert fix.stops == "at line 2: a file is not here"
        assert fix.shown_in_part.endswith("the run then stops at line 2: a file is not here")


async def test_a_codemods_rewrite_may_be_partly_shown_too():
    by_codemod = {OLD: [Proposal(codemod="a", title="known", code=EDIT)]}
    repair, executor = await repaired({EDIT: NO_FILE}, {}, by_codemod, codemods=[codemod("a")])

    assert [(f.codemod, f.shown) for f in repair.alternatives] == [("a", "partly")]
    assert executor.asked_for_edits == []


async def test_what_is_verified_comes_before_what_is_partly_shown():
    """Another edit reaches the end: nothing else is offered."""
    more = [edit(EDIT), edit(OTHER, cost=1.1)]
    repair, _ = await repaired({EDIT: NO_FILE, OTHER: FIXED}, {OLD: more})

    assert repair.fix is not None and repair.fix.code == OTHER


async def test_the_next_error_of_a_later_line_is_mended_too():
    """An operator's edit, then a codemod's rewrite; the first one's record decides for both."""
    second = "f(a.float())\ng(b + 1)\n"
    runs = {EDIT: failed(B, line=2, code="g(b)", values=Values()), second: FIXED}
    by_codemod = {EDIT: [Proposal(codemod="b", title="known", code=second)]}
    for slug, verified in (("trusted", True), ("unread", False)):
        repair, _ = await repaired(
            runs, {OLD: [edit(EDIT, slug)]}, by_codemod, codemods=[codemod("b", B)]
        )
        assert (repair.fix is not None) is verified
        fix = repair.fix or repair.alternatives[0]
        assert fix.code == second and len(fix.steps) == 2


async def test_the_next_complaint_of_the_same_line_is_no_progress():
    """A chain of shape edits at one place pleases the line, and means nothing."""
    second = "f(a.float().t())\ng(b)\n"
    runs = {EDIT: failed(B, line=1, code="f(a.float())", values=Values()), second: FIXED}
    repair, _ = await repaired(runs, {OLD: [edit(EDIT)], EDIT: [edit(second)]})

    assert repair.fix is None and repair.alternatives == ()


async def test_what_failed_in_its_trial_comes_last():
    """Of many edits only a few are run: those that ended first."""
    failing = [
        edit(f"f({n})\ng(b)\n", trial=Trial(type="ValueError", lines=(2,)), cost=0.5)
        for n in range(12)
    ]
    runs = {p.code: failed("other", line=2, code="g(b)", values=Values()) for p in failing}
    last = edit(EDIT, trial=Trial(ok=True), cost=2.0)
    repair, executor = await repaired(runs | {EDIT: FIXED}, {OLD: [*failing, last]})

    assert repair.fix is not None and repair.fix.code == EDIT
    assert executor.asked[0].code == EDIT


async def test_the_same_kind_of_edit_twice_is_an_alternative():
    """It pleases two lines, and may mean nothing; on one line it is not even tried."""
    second = "f(a.float())\ng(b.float())\n"
    runs = {EDIT: failed(B, line=2, code="g(b)", values=Values()), second: FIXED}
    by_operator = {OLD: [edit(EDIT)], EDIT: [edit(second)]}
    repair, _ = await repaired(runs, by_operator)
    other, _ = await repaired(runs, {OLD: [edit(EDIT)], EDIT: [edit(second, "unread")]})

    runs[EDIT] = failed(B, line=1, code="g(b)", values=Values())
    same_line, _ = await repaired(runs, by_operator)

    assert repair.fix is None and [f.code for f in repair.alternatives] == [second]
    assert [f.code for f in other.alternatives] == [second]
    assert same_line.fix is None and same_line.alternatives == ()


class Alone(Anywhere):
    ALONE = True


@pytest.mark.parametrize("first", ["lone", "trusted"])
async def test_what_supposes_much_mends_the_only_mistake_or_none(first: str):
    """It is not carried on to the next error, and mends none behind another edit."""
    second = "f(a.float())\ng(b.float())\n"
    runs = {EDIT: failed(B, line=2, code="g(b)", values=Values()), second: FIXED}
    other = "trusted" if first == "lone" else "lone"
    trial = Trial(type="RuntimeError", message=B, lines=(2,))
    by_operator = {OLD: [edit(EDIT, first, trial=trial)], EDIT: [edit(second, other)]}
    operators = (OPERATORS[0], Operator("lone", Alone()))
    repair, executor = await repaired(runs, by_operator, operators=operators)

    assert repair.fix is None and repair.alternatives == ()
    assert second not in {job.code for job in executor.asked}


class Slip(Anywhere):
    REPEATS = True


async def test_slips_of_the_pen_are_mended_one_after_another():
    """A misspelt name is often followed by another."""
    second = "f(a.float())\ng(b.float())\n"
    runs = {EDIT: failed(B, line=2, code="g(b)", values=Values()), second: FIXED}
    by_operator = {OLD: [edit(EDIT)], EDIT: [edit(second)]}
    repair, _ = await repaired(runs, by_operator, operators=[Operator("trusted", Slip())])

    assert repair.fix is not None and repair.fix.code == second


# -- what codemods and operators add up to -------------------------------------------------------


class Breaks(Anywhere):
    def applies(self, result: JobResult) -> bool:
        raise ValueError("no such layer")


async def test_what_failed_and_was_refused_on_the_way_is_told_whoever_made_it():
    """What raised, what could propose nothing, and the rewrites of both."""
    no = Check(name="sizes", passed=False)
    failing = failed("no such site", "KeyError")
    operators = (*OPERATORS, Operator("breaks", Breaks()))
    raised = "the operator breaks raised in applies(): ValueError: no such layer"

    neither, _ = await repaired(
        {}, {OLD: failing}, {OLD: failing}, codemods=[codemod("a")], operators=operators
    )
    known = Proposal(codemod="a", title="known", code=OTHER, checks=(no,))
    both, _ = await repaired(
        {}, {OLD: [edit(EDIT, checks=(no,))]}, {OLD: [known]}, codemods=[codemod("a")]
    )

    assert neither.problems == (
        raised,
        "no codemod could propose a fix: KeyError: no such site",
        "no operator could propose an edit: KeyError: no such site",
    )
    assert [f.code for f in both.refused] == [OTHER, EDIT]


@pytest.mark.parametrize("codemods", [(), (codemod("a"),)], ids=["alone", "after codemods"])
async def test_edits_are_proposed_while_the_program_is_looked_at(codemods: Sequence[Codemod]):
    """Whether codemods, which offer nothing here, are asked first or not."""
    executor = RecordedExecutor({EDIT: FIXED}, {}, {OLD: [edit(EDIT)]})
    asked: list[str] = []

    async def look() -> tuple[JobResult, JobResult]:
        await asyncio.sleep(0.1)
        asked.extend(executor.asked_for_edits)
        return BEFORE, BEFORE

    found = await engine.repair(
        executor, codemods, Job(code=OLD), BEFORE, None, operators=OPERATORS, looking=look()
    )

    assert found.fix is not None and found.fix.code == EDIT
    assert asked == executor.asked_for_edits == [OLD]


@pytest.mark.parametrize(
    ("meanings", "intent", "is_the_fix"),
    [
        (["sum", "mean"], "", False),  # either may have been meant, though neither could be served
        (["sum"], "", True),  # there was nothing to choose between
        (["sum"], "max", True),  # the only edit that holds supposes nothing
    ],
)
async def test_meanings_that_no_codemod_could_serve_are_meanings_beside_an_edit(
    meanings: list[str], intent: str, is_the_fix: bool
):
    known = [Proposal(codemod="a", title=m, code=f"{m}\n", intent=m) for m in meanings]
    runs = {EDIT: FIXED, **{p.code: BEFORE for p in known}}
    repair, _ = await repaired(
        runs, {OLD: [edit(EDIT, intent=intent)]}, {OLD: known}, codemods=[codemod("a")]
    )

    offered = [repair.fix] if repair.fix is not None else list(repair.alternatives)
    assert [f.code for f in offered] == [EDIT]
    assert (repair.fix is not None) is is_the_fix


async def test_a_meaning_stays_one_of_several_behind_an_edit():
    """The other one led nowhere; an edit and a rewrite that follow do not settle which is meant."""
    second, third = "f(1)\ng(c)\nh(c)\n", "f(1)\ng(c)\nh(d)\n"
    first = "f(1)\ng(b)\nh(c)\n"
    known = [
        Proposal(codemod="a", title="one", code=first, intent="one"),
        Proposal(codemod="a", title="two", code="f(2)\ng(b)\nh(c)\n", intent="two"),
    ]
    old = "f(a)\ng(b)\nh(c)\n"
    runs = {
        known[0].code: failed(B, line=2, code="g(b)", values=Values()),
        known[1].code: BEFORE,
        second: failed("c is wrong", line=3, code="h(c)", values=Values()),
        third: FIXED,
    }
    repair, _ = await repaired(
        runs,
        {first: [edit(second)]},
        {old: known, second: [Proposal(codemod="c", title="then", code=third)]},
        codemods=[codemod("a"), codemod("c", "c is wrong")],
        code=old,
    )

    assert repair.fix is None
    assert [(f.code, f.intent) for f in repair.alternatives] == [(third, "one")]


# -- what an edit is compared with ---------------------------------------------------------------


class Compares(Anywhere):
    """Notes which runs its own checks compare."""

    def __init__(self) -> None:
        self.compared: list[tuple[str, str]] = []

    def checks(self, before: JobResult, after: JobResult, rewrite: Proposal) -> list[Check]:
        self.compared.append((before.stdout, after.stdout))
        return []


async def test_an_operators_own_checks_compare_with_the_reference():
    own = Compares()
    repair, _ = await repaired(
        {EDIT: FIXED},
        {OLD: [edit(EDIT)]},
        operators=[Operator("trusted", own)],
        reference=ran(stdout="meant"),
    )

    assert repair.fix is not None and own.compared == [("meant", "1\n")]


async def test_what_an_edit_leaves_is_mended_behind_it():
    """Its own checks are made of its own run: what the next step changes is not held against it."""
    left = found("one_class", program_wide=True)
    whole = "f(a.float())\ng(c)\n"
    then = [Proposal(codemod="c", title="then", code=whole)]
    own = Compares()
    runs: dict[Any, JobResult] = {
        EDIT: ran(stdout="1\n", findings=(left,), values=Values()),
        whole: ran(stdout="1\n2\n", values=Values()),
        "f(a)\ng(c)\n": BEFORE,
    }
    repair, _ = await repaired(
        runs,
        {OLD: [edit(EDIT)]},
        {EDIT: then},
        codemods=[codemod("c", left.kind)],
        operators=[Operator("trusted", own)],
    )

    assert repair.fix is not None
    assert (repair.fix.code, repair.fix.steps) == (whole, (f"to {EDIT}", "then"))
    assert own.compared == [("", "1\n")]


# -- several steps -------------------------------------------------------------------------------


async def test_a_chain_that_begins_with_an_unread_operators_edit_is_an_alternative():
    """A good record of the operator that comes second does not make up for it."""
    second = "f(a.float())\ng(b.float())\n"
    runs = {EDIT: failed(B, line=2, code="g(b)", values=Values()), second: FIXED}
    repair, _ = await repaired(runs, {OLD: [edit(EDIT, "unread")], EDIT: [edit(second)]})

    assert repair.fix is None and [f.code for f in repair.alternatives] == [second]


CALLED = "def h(a):\n    f(a)\nx = 1\nh(x)\nh(y)\n"


def fails_in_h(called_from: int) -> JobResult:
    """It fails on line 2, in a function that the program calls twice."""
    frames = (Frame(function="<module>", line=called_from), Frame(function="h", line=2))
    return failed(A, line=2, code="f(a)", values=Values(), frames=frames)


async def test_an_operator_is_not_asked_twice_for_one_line():
    """Called again further down the line fails again: only another operator may edit it."""
    half = CALLED.replace("x = 1", "x = 1.0")
    again, other = half.replace("h(y)", "h(z)"), half.replace("h(y)", "h(y.float())")
    repair, executor = await repaired(
        {
            half: fails_in_h(5),
            other: FIXED,
            again: FIXED,
            other.replace("x = 1.0", "x = 1"): BEFORE,
        },
        {CALLED: [edit(half)], half: [edit(again), edit(other, "unread", cost=2.0)]},
        before=fails_in_h(4),
        code=CALLED,
    )

    assert [f.code for f in repair.alternatives] == [other]
    assert again not in {job.code for job in executor.asked}


# -- what is shown in part -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("intents", "offered"),
    [
        (["one", "two"], [EDIT, OTHER]),
        (["one", "one"], [EDIT]),
        (["", ""], [EDIT]),
    ],
)
async def test_one_of_each_meaning_is_shown_in_part(intents: list[str], offered: list[str]):
    edits = [edit(c, intent=i) for c, i in zip((EDIT, OTHER), intents, strict=True)]
    repair, _ = await repaired({EDIT: NO_FILE, OTHER: NO_FILE}, {OLD: edits})

    assert repair.fix is None and [f.code for f in repair.alternatives] == offered


@pytest.mark.parametrize(
    ("intent", "tried"),
    [
        ("", 2),  # what was run beside it, and nothing more
        ("one", 4),  # what else may be meant is looked at
    ],
)
async def test_behind_a_rewrite_that_is_shown_in_part_only_other_meanings_are_tried(
    intent: str, tried: int
):
    known = [
        Proposal(codemod="a", title="known", code=f"f({n})\ng(b)\n", intent=intent)
        for n in range(4)
    ]
    runs = {p.code: BEFORE for p in known} | {known[0].code: NO_FILE}
    repair, executor = await repaired(runs, {}, {OLD: known}, codemods=[codemod("a")])

    assert [f.code for f in repair.alternatives] == [known[0].code]
    assert executor.tried == [p.code for p in known[:tried]]


async def test_what_is_shown_in_part_is_the_end_of_a_search():
    """What went on to another mistake beside it is not carried on."""
    known = [Proposal(codemod="a", title="known", code=code) for code in (EDIT, OTHER)]
    runs = {EDIT: NO_FILE, OTHER: failed(B, line=2, code="g(b)", values=Values()), WHOLE: FIXED}
    then = {OTHER: [Proposal(codemod="b", title="then", code=WHOLE)]}
    repair, executor = await repaired(
        runs, {}, {OLD: known, **then}, codemods=[codemod("a"), codemod("b", B)]
    )

    assert repair.fix is None and [f.code for f in repair.alternatives] == [EDIT]
    assert executor.asked_for_proposals == [OLD]


async def test_what_one_of_two_states_shows_in_part_is_kept():
    """Though the other one leads nowhere."""
    known = [Proposal(codemod="a", title="known", code=code) for code in (EDIT, OTHER)]
    whole = EDIT.replace("g(b)", "g(c)")
    runs = dict.fromkeys((EDIT, OTHER), failed(B, line=2, code="g(b)", values=Values()))
    runs |= {whole: failed(FILE, type="FileNotFoundError", line=2, code="g(c)", values=Values())}
    then = {EDIT: [Proposal(codemod="b", title="then", code=whole)]}
    repair, executor = await repaired(
        runs, {}, {OLD: known, **then}, codemods=[codemod("a"), codemod("b", B)]
    )

    assert repair.fix is None and [f.code for f in repair.alternatives] == [whole]
    assert executor.asked_for_proposals == [OLD, EDIT, OTHER]
