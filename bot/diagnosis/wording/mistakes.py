"""Headlines of a mistake that a run showed: fixed, demonstrated or reproduced."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.diagnosis.devices import opposed
from bot.diagnosis.own_error import (
    is_another,
    names_no_error,
    posted,
    quotes,
    shows_what_it_printed,
)
from bot.diagnosis.wording.in_place import both_lines, is_in_place
from bot.diagnosis.wording.no_error import not_in_the_code
from bot.diagnosis.wording.phrases import (
    NAMES_TOLD,
    as_assumed,
    assumed,
    explanation,
    findings_of,
    first_finding,
    first_of,
    first_sentence,
    in_short,
    is_rebuilt,
    layer,
    raised_at,
    simulated,
    told_with_line,
    under_assumptions,
)
from bot.models import Answer, PastedTraceback, Question
from bot.words import listed
from executor.errors import HasMessage, differences, is_a
from executor.protocol import JobResult
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import Mistake, findings_left, mistake

_REBUILT = "Rebuilt"
_DIFFERENCES = 3  # numbers that differ from the posted ones and are said, at most


def fixed(question: Question, removed: Mistake, run: JobResult, fix: Fix) -> str:
    """The headline when a fix was verified: what it removes, and what it leaves.

    Args:
        question: what was posted.
        removed: the mistakes of the run that the fix's run no longer shows.
        run: the run of the code as posted.
        fix: the fix.
    """
    told = list(fix.steps or (fix.title,))
    if is_in_place(removed) and (written := both_lines(run).rstrip(".")):
        told[0] = f"{written[:1].lower()}{written[1:]}"
    elif removed.error is None and (seen := findings_of(run, removed)):
        told = seen[: len(told)]
    done = "; then ".join(told)
    aside = _aside(question, removed, run)
    more = f"{_not_posted(question, removed)}{_left(run, fix)}{aside}"
    return f"Fixed{as_assumed(run)}: {done}.{more}"


def demonstrated(wrong: Mistake, run: JobResult, how: str, alternatives: Sequence[Fix] = ()) -> str:
    """The headline when the code shows an error on purpose; how it says so is in ErrorSeen."""
    assert wrong.error is not None
    why = {
        "comment": "a comment of the code says so",
        "named": "a comment of the code names it",
        "printed": "its except only tells of it",
        "tried": "its except, of another class, would only tell of it",
        "above": "the `try` below it is there for an error that it announces",
        "labelled": "the code calls this way wrong, or shows the right one too",
    }
    said = first_sentence(wrong.error.message)
    raised = f"{raised_at(wrong.error)}{f': {said}' if said else ''}."
    head = f"Shown on purpose{simulated(run)} ({why[how]}): {raised}"
    live = explanation(wrong, run)
    ways = what_may_be_meant(alternatives) or "It is explained, and not mended."
    return f"{head}{f' {first_of(live)}' if live else ''} {ways}"


def what_may_be_meant(alternatives: Sequence[Fix]) -> str:
    """What is offered where no single fix is: each way by what it supposes; empty if none is."""
    if not alternatives:
        return ""
    if len(alternatives) == 1:
        (one,) = alternatives
        holds = f"holds if {one.intent}" if one.intent else "passes"
        return f"One way was run, and {holds}: {one.title}."
    ways = "; or ".join(fix.intent or fix.title for fix in alternatives)
    run = "both were run" if len(alternatives) == 2 else "each was run"
    return f"What to do depends on what you mean ({ways}): {run}."


def reproduced(question: Question, wrong: Mistake, run: JobResult, repair: Repair) -> str:
    """The headline when the mistake was seen and no single fix is verified.

    Args:
        question: what was posted.
        wrong: the mistake; where there are alternatives, what they remove of it.
        run: the run that showed it.
        repair: what was tried.
    """
    begins = _begins(question, wrong, run)
    if repair.alternatives and repair.alternatives[0].shown == "partly":
        what = raised_at(wrong.error) if wrong.error is not None else first_finding(run, wrong)
        told = "; or ".join(f.intent or f.title for f in repair.alternatives)
        head = f"{begins}: {what}. Partly shown: {told}: {repair.alternatives[0].shown_in_part}."
        return f"{head}{_aside(question, wrong, run)}"
    if repair.alternatives:
        what = first_finding(run, wrong) if wrong.error is None else raised_at(wrong.error)
        left = _left(run, repair.alternatives[0])
        head = f"{begins}: {what}. {what_may_be_meant(repair.alternatives)}"
        return f"{head}{left}{_aside(question, wrong, run)}"
    none = ""
    if repair.cut:
        none = " The search for a fix was stopped when its time was up: there may be one."
    elif repair.refused:
        none = " I found no edit of it that passes every check."
    if wrong.error is not None:
        if where := opposed(run.devices):
            said = first_sentence(wrong.error.message)
            head = f"{begins}: {where}. {raised_at(wrong.error)}: {said}.{none}"
            return f"{head}{_aside(question, wrong, run)}"
        live = explanation(wrong, run)
        told = f" {_of_this_run(question, first_of(live), run)}" if live else ""
        if not live and (at := layer(run)):
            told = f" {at[0].upper()}{at[1:]}."
        if is_in_place(wrong) and (written := both_lines(run)):
            told = f" {written}"
        message = first_sentence(wrong.error.message)
        told += warm_only(run)
        if is_a(wrong.error, "cuda_not_compiled"):
            told = " The torch that ran it is built without CUDA."
        said = f": {message}" if message else ""
        head = f"{begins}: {raised_at(wrong.error)}{said}."
        if not begins.startswith(_REBUILT):
            head += assumed(run)
        return f"{head}{told}{none}{_aside(question, wrong, run)}"
    return f"It runs, but {first_finding(run, wrong)}.{_not_posted(question, wrong)}{none}"


def _of_this_run(question: Question, live: str, run: JobResult) -> str:
    """What live values show; of a rebuilt error, that those the post does not name are ours."""
    if not is_rebuilt(run):
        return live
    posted_text = f"{question.text} {question.code} {getattr(posted(question), 'text', '')}"
    named = set(re.findall(r"\d+", posted_text))
    numbers = set(re.findall(r"\d+", re.sub(r"\(line \d+\)|\blines? \d+", "", live)))
    return live if numbers <= named else f"In this run, with values that were made up: {live}"


def _begins(question: Question, wrong: Mistake, run: JobResult) -> str:
    """What is said before the run's error: "Reproduced" only if it is what they ask about.

    Where it took placeholders that were found from the error, it is no more than rebuilt.
    """
    pasted = posted(question)
    if wrong.error is None and all(f.by_text for f in run.findings if f.mistake):
        about = f", run{under_assumptions(run)[13:-1]}" if is_rebuilt(run) else ""
        return f"Seen in the code{simulated(run)}{about}"
    if wrong.error is not None and (
        _names_another(question, wrong.error) or shows_what_it_printed(question, wrong.error, run)
    ):
        return f"As posted it stops here{simulated(run)}"
    if pasted is None or not is_another(question, wrong.error):
        if is_rebuilt(run):
            names = [f"`{s.name}`" for s in run.stand_ins if not s.name.startswith("_")]
            more = len(names) - NAMES_TOLD
            names = [*names[:NAMES_TOLD], f"{more} more"] if more > 0 else names
            what = listed(names) if names else "what was not posted"
            return f"{_REBUILT}{simulated(run)} with assumptions about {what}"
        return f"Reproduced{simulated(run)}"
    return f"Posted: {in_short(pasted)}; what your code raises here{simulated(run)}"


def _names_another(question: Question, error: HasMessage) -> bool:
    """Whether a post names no error, nor a piece of this one."""
    return names_no_error(question) and not quotes(question, error)


def _aside(question: Question, wrong: Mistake, run: JobResult) -> str:
    """That the run's error may not be what they ask about; empty if they speak of one."""
    if shows_what_it_printed(question, wrong.error, run):
        return (
            " You name no error, and show what it printed where it stops here: so this most "
            "likely comes of what is installed here "
            f"(torch {run.env.torch.partition('+')[0]}), and is not what you ask about."
        )
    if wrong.error is None or not _names_another(question, wrong.error):
        return ""
    return " You name no error, so this may not be what you ask about."


def _not_posted(question: Question, wrong: Mistake) -> str:
    """That the error which was posted did not come up; empty if it did, or none was posted."""
    pasted = posted(question)
    if pasted is None:
        return ""
    if wrong.error is None and (missed := not_in_the_code(pasted, question)):
        return f" {missed} is not a part of what was posted."
    if wrong.error is None:
        return f" The {pasted.type or 'error'} that you posted does not come up here."
    if not is_another(question, wrong.error):
        return ""
    return f" Posted: {in_short(pasted)}; what your code raised here: {raised_at(wrong.error)}."


def _left(run: JobResult, fix: Fix) -> str:
    """What the fix's run still shows, with its line; empty if that is nothing."""
    after = fix.result
    if after is None:
        return ""
    known = {(f.kind, f.name): f for f in run.findings}
    still = [
        told_with_line(known[(f.kind, f.name)])
        if (f.kind, f.name) in known
        else f"{told_with_line(f)}{' (in the fixed code)' if f.line else ''}"
        for f in findings_left(after)
    ]
    caught = mistake(after).error
    still += [raised_at(caught)] if caught is not None and not caught.demonstrated else []
    warned = [
        f" Further down (in the fixed code): {told_with_line(f)}."
        for f in after.findings
        if f.kind == "loss_repeats" and (f.kind, f.name) not in known
    ]
    if not still:
        return "".join(warned)
    left = f" {len(still)} more mistake{'s' if len(still) > 1 else ''} left: {'; '.join(still)}."
    return left + "".join(warned)


def warm_only(run: JobResult) -> str:
    """What hides the error where more is imported; empty if that plays no part."""
    error = run.error
    if error is None or error.type != "AttributeError":
        return ""
    found = next((m for m in run.warm_only if m.rpartition(".")[2] in error.message), None)
    if found is None:
        return ""
    return (
        f" It passes in an interpreter where `{found}` is already imported; in a fresh one it "
        f"fails: add `import {found}`."
    )


def crashed(run: JobResult) -> str:
    """The headline when the interpreter itself was ended by a signal."""
    names = {"SIGSEGV": "a segmentation fault", "SIGABRT": "abort()", "SIGBUS": "a bus error"}
    how = names.get(run.exit.signal or "", run.exit.signal or "a signal")
    return f"Reproduced: the interpreter is ended by {how}; there is no Python exception to show."


def also_on_cpu(answer: Answer) -> Answer:
    """The answer, saying too that the mistake does not show on the CPU."""
    return answer.model_copy(update={"headline": f"{answer.headline} On the CPU it runs."})


def with_other_numbers(answer: Answer, pasted: PastedTraceback | None, run: JobResult) -> Answer:
    """The answer, saying too which numbers in the run's error are not the posted ones."""
    found = differences(pasted, run.error) if pasted is not None and run.error is not None else ()
    named = [f"{d.one} in place of {d.other} ({d.what})" for d in found[:_DIFFERENCES]]
    if named:
        said = f"Your error has other numbers: {listed(named)}."
    else:
        said = "The sizes are those of this run: what you did not post has others."
    return answer.model_copy(update={"headline": f"{answer.headline} {said}"})
