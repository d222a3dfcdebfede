"""Compose the Answer to a diagnosis: its status, its headline, and the parts below it."""

from __future__ import annotations

from bot.diagnosis import wording
from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.own_error import is_another, posted
from bot.diagnosis.posted_traceback import reading
from bot.models import Answer, AnswerError, Evidence, Question, Status
from executor.protocol import JobResult, Outcome
from knowledge.repair.engine import Repair


def compose(known: Diagnosis) -> Answer:
    """Everything there is to say, of a diagnosis that went through all stages before this one."""
    run = known.run
    assumptions = (*known.question.notes, *_joined(known.question))
    answer = Answer(
        status="unsure",
        headline="",
        assumptions=(*assumptions, *(run.assumptions if run is not None else ())),
        why=known.why,
        sources=known.sources,
        functions=known.functions,
        run=run,
        evidence=_evidence(run, known.repairs) if run is not None else None,
        not_rebuilt=_not_rebuilt(known),
    )
    if run is None:
        return _of_no_run(known, answer)
    if known.missing:
        answer = _concluded(answer, "not_run", wording.not_run(known.missing, run))
    else:
        answer = _of_run(known, run, answer)
    if known.reproduced is not None and known.reproduced.other_numbers:
        answer = wording.with_other_numbers(answer)
    only_on_gpu = known.reproduced is not None and known.reproduced.only_on_gpu
    return wording.also_on_cpu(answer) if only_on_gpu else answer


def _of_run(known: Diagnosis, run: JobResult, answer: Answer) -> Answer:
    """What a run says that nothing of the code was missing for."""
    repairs, wrong = known.repairs, known.told
    culprit = wording.culprit(known.question, run) if wording.is_in_place(wrong) else None
    answer = answer.model_copy(
        update={
            "error": AnswerError.of(wrong.error) if wrong.error is not None else None,
            "explanation": wording.explanation(wrong, run) or None,
            "culprit": culprit,
            "findings": run.findings,
            "refused": repairs.refused,
            "problems": repairs.problems,
        }
    )
    if repairs.fix is not None:
        answer = answer.model_copy(update={"fix": repairs.fix})
        return _concluded(answer, "fixed", wording.fixed(known.question, wrong, run, repairs.fix))
    if run.outcome is Outcome.KILLED:
        return _concluded(answer, "reproduced", wording.crashed(run))
    if known.demonstrated:
        said = wording.demonstrated(wrong, run, known.demonstrated)
        return _concluded(answer, "reproduced", said)
    if wrong.is_there:
        answer = answer.model_copy(update={"alternatives": repairs.alternatives})
        said = wording.reproduced(known.question, wrong, run, repairs)
        # Nothing is called reproduced that is not the error they ask about.
        another = is_another(known.question, wrong.error)
        return _concluded(answer, "unsure" if another else "reproduced", said)
    return _concluded(answer, "runs", wording.runs(known.question, run))


def _of_no_run(known: Diagnosis, answer: Answer) -> Answer:
    """What can be said of a question without code."""
    question, found = known.question, known.found
    if known.functions:
        return _concluded(answer, "advice", wording.function(known.functions))
    if known.why is None:
        if question.traceback is not None and reading(question.traceback):
            return _concluded(answer, "advice", wording.traceback_alone(question.traceback))
        best = found.hits[0].title if found.hits else ""
        text = wording.unsure(question, best, found.confidence, found.threshold)
        return _concluded(answer, "unsure", text)
    text = known.why.title
    if question.traceback is not None:
        text = f"{text}. {wording.traceback_alone(question.traceback)}"
    return _concluded(answer, "advice", text)


def _not_rebuilt(known: Diagnosis) -> str:
    """Why the posted error is not shown by a run; empty where it is, or where none was posted."""
    seen = known.reproduced
    if seen is None or seen.rebuilt or posted(known.question) is None:
        return ""
    # The run ended with that error too, because of where it ran.
    return seen.why_not or ("installation" if known.missing else "")


def _concluded(answer: Answer, status: Status, headline: str) -> Answer:
    return answer.model_copy(update={"status": status, "headline": headline})


def _joined(question: Question) -> tuple[str, ...]:
    """That several blocks were run as one program, where there are several."""
    n = len(question.snippets)
    if n < 2:
        return ()
    starts = ", ".join(str(s.first_line) for s in question.snippets)
    return (f"the {n} blocks are one program; they start at its lines {starts}",)


def _evidence(run: JobResult, repairs: Repair) -> Evidence:
    fix = repairs.fix or next(iter(repairs.alternatives), None)
    tier = f"jailed ({run.isolation.tier})" if run.isolation else "not run"
    return Evidence(
        torch=run.env.torch,
        python=run.env.python,
        device=run.env.device.upper() if run.env.device == "cpu" else run.env.device,
        isolation=tier,
        seconds_before=run.seconds,
        seconds_after=fix.result.seconds if fix is not None and fix.result is not None else None,
        peak_memory_bytes=run.peak_memory_bytes,
    )
