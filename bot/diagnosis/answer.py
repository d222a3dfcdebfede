"""Compose the Answer to a diagnosis: its status, its headline, and the parts below it."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.diagnosis.chance_level import chance_level
from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.first_known import first_known, raising
from bot.diagnosis.loss_course import loss_course
from bot.diagnosis.next_step import OF_A_LOSS_THAT_STANDS, next_step, the_loss_falls
from bot.diagnosis.own_error import is_another, of_a_comment, posted, tells_of_a_symptom
from bot.diagnosis.posted_traceback import around, read_posted
from bot.diagnosis.wording import in_place, mistakes, no_error, phrases, searched, unrun
from bot.models import Answer, AnswerError, Evidence, PostedReading, Question, Status, Why
from executor.errors import family_of, is_a, read, read_words, same_family, same_numbers, untried
from executor.protocol import Caught, ErrorSeen, Finding, JobResult, Outcome, Remark
from knowledge.repair.engine import Repair
from knowledge.repair.mistake import Mistake

# Remarks that say of a line what families of errors suspect it of.
_ALSO_SUSPECTED = ("unregistered", "graph_kept", "only_made", "method_hidden")
# Remarks of what a probe sees better where the code ran and trained.
_PROBED = (
    "unregistered",
    "graph_kept",
    "never_zeroed",
    "zeroed_outside",
    "softmax_twice",
    "sigmoid_first",
    "sigmoid_twice",
    "parameter_lost",
)

# What the text shows → what a probe says of the same thing, where it was seen in the run.
_SEEN_IN_THE_RUN = {
    "bce_of_softmax": {"softmax_one_column"},
    "divergence": {"kl_div_arguments"},
    "last_of_batch": {"reads_last_step"},
    "memory_grows": {"graph_kept", "graph_grows"},
    "never_used": {"unused_parameters"},
    "never_zeroed": {"gradients_accumulate"},
    "not_a_buffer": {"plain_constant"},
    "one_object": {"shared_weights"},
    "scheduler_idle": {"scheduler_never_stepped"},
    "sigmoid_first": {"sigmoid_before_cross_entropy"},
    "sigmoid_twice": {"sigmoid_before_bce_with_logits"},
    "softmax_twice": {"softmax_before_cross_entropy"},
    "unregistered": {"unregistered_module", "unregistered_parameter", "unregistered_tensor"},
    "zeroed_outside": {"gradients_accumulate"},
}

# Lines that are told only to those whose words they answer.
_CONCERNS_SOME = (
    "seeded_and_timed", "no_main_guard", "drawn_anew", "expanded_copy", "generator_copied",
    "stream_repeated",
)  # fmt: skip
# … and the words that they answer; of the first, not beside words of training.
_ASKED_FOR = {
    "drawn_anew": re.compile(
        r"(?is)\A(?!.{0,8000}\b(?:train(?:s|ing)?|epochs?|overfit\w*)\b)"
        r".{0,8000}?\b(?:var(?:y|ies|ying)|differ\w*|not the same|inconsistent|unstable)\b"
    ),
    "compared_in_training": re.compile(
        r"(?i)\bdiffer\w*|\b(?:not|never) (?:be )?(?:equal|the same|identical|match|agree)"
        r"|n[’']t match|\bmismatch|\bshould(?:n[’']t| not)? (?:be (?:the )?same|change|agree|match)"
    ),
    "expanded_copy": re.compile(r"(?i)\bmemory\b|\bram\b|\bOOM\b"),
    "stream_repeated": re.compile(r"(?i)\bworkers?\b|\bnum_workers\b|\b(?:repeat|duplicat)"),
    "generator_copied": re.compile(
        r"(?is)\A(?=.{0,8000}?\bworkers?\b)"
        r"(?=.{0,8000}?\b(?:same|repeat\w*|identical|duplicat\w*|again|groups?)\b)"
    ),
}
_SPAWNS = re.compile(
    r"\bwindows\b|\bwin(?:32|64|10|11|7|8)\b|\bmac ?os\b|\bspawn(?:_main|\.py)|\b[A-Z]:\\"
    r"|__mp_main__",
    re.IGNORECASE,
)
_OF_A_LOADER = re.compile(
    r"\bnum_workers\b|\bloaders?\b[^.\n]{0,60}\bworkers?\b|\bworkers?\b[^.\n]{0,60}\bloaders?\b",
    re.IGNORECASE,
)
_IN_A_NOTEBOOK = re.compile(r"\b(?:jupyter|notebook|ipython|ipykernel|colab)", re.IGNORECASE)

_VALUES = re.compile(r"\btensor\(")  # in an error's message

# Slips that a mended error leaves as they are.
_WRONG_ALL_THE_SAME = ("returns_nothing",)

# Notes of a run that explain growing memory and odd results, where no mistake does.
_TELLING = ("graph_kept", "eval_mode_training", "loss_repeats", "pytorch_warns", "left_fixed")


def compose(known: Diagnosis) -> Answer:
    """Everything there is to say, of a diagnosis that went through all stages before this one."""
    run = known.run
    assumptions = (*known.question.notes, *_joined(known.question))
    answer = Answer(
        status="unsure",
        headline="",
        assumptions=(*assumptions, *(_assumed(run) if run is not None else ())),
        why=_untried(known.why, known.question),
        sources=known.sources,
        functions=known.functions,
        model_example=known.model_example,
        run=run,
        evidence=_evidence(run, known.repairs) if run is not None else None,
        not_rebuilt=_not_rebuilt(known),
    )
    if run is None:
        return _with_quoted(known, _of_no_run(known, answer))
    of = _of_missing if known.missing else _of_run
    answer = of(known, run, answer)
    seen, pasted = known.reproduced, posted(known.question)
    if seen is not None and seen.said:
        answer = answer.model_copy(update={"assumptions": (*answer.assumptions, seen.said)})
    if seen is not None and seen.other_numbers:
        answer = mistakes.with_other_numbers(answer, pasted, run)
    only_on_gpu = known.reproduced is not None and known.reproduced.only_on_gpu
    return mistakes.also_on_cpu(answer) if only_on_gpu else answer


def _reading(known: Diagnosis, run: JobResult | None) -> PostedReading | None:
    """What the posted error says by itself, and what the installed torch says of it."""
    reading = read_posted(known.question, run)
    known_name = reading is not None and reading.has_own_remedy  # whose import is told
    if reading is not None and not known_name and _names_nothing_posted(known.question):
        return None
    if reading is None or not reading.means or not known.here:
        return reading
    told = f"{reading.means.rstrip('.')}. {known.here}"
    return reading.model_copy(update={"means": told, "causes": ""})


def _names_nothing_posted(question: Question) -> bool:
    """Whether a posted NameError is of a name that stands nowhere in the posted code.

    It was raised somewhere else, and what to do about a name of one's own does not apply.
    """
    error = posted(question)
    seen = read(error, "name_undefined") if error is not None else None
    return seen is not None and bool(question.code.strip()) and seen["name"] not in question.code


def _untried(why: Why | None, question: Question) -> Why | None:
    """The article without its advice, where the post has tried what that begins with."""
    if why is None or not why.remedy:
        return why
    first = " ".join(why.remedy.strip().partition("\n\n")[0].split())
    left = untried(first, question.text, question.code)
    return why if left else why.model_copy(update={"remedy": ""})


def _assumed(run: JobResult) -> tuple[str, ...]:
    """What the run had that its author may not have, and where it was stopped."""
    if run.cut is None:
        return run.assumptions
    return (*run.assumptions, f"run up to training step {run.cut.steps}, where its time was up")


def _of_missing(known: Diagnosis, run: JobResult, answer: Answer) -> Answer:
    """What is said where something was missing to run the code; last, what that was."""
    reading = _reading(known, run)
    if reading is None and (written := of_a_comment(known.question)) is not None:
        asked = known.question.model_copy(update={"traceback": written})
        reading = _reading(replace(known, question=asked), run)
    remarks = remarks_of(known, run)
    answer = answer.model_copy(update={"remarks": remarks, "posted": reading})
    said = first_known(known, reading, remarks)
    if said is None:
        told = unrun.not_run(known.missing, run, known.question)
        return _concluded(answer, "not_run", told)
    if said.kind == "posted" and reading is not None:
        answer = _without_a_second_remedy(_without_doubles(answer, reading))
    if said.kind == "code":
        answer = _without_another_reason(answer)
    needed = unrun.needed(known.missing, run, known.question)
    if said.kind == "posted":
        needed += unrun.of_this_version(answer.not_rebuilt, run)
    answer = answer.model_copy(update={"needed": needed})
    return _concluded(answer, "not_run", said.text)


def _of_run(known: Diagnosis, run: JobResult, answer: Answer) -> Answer:
    """What a run says that nothing of the code was missing for."""
    repairs, wrong = known.repairs, known.told
    culprit = in_place.culprit(known.question, run) if in_place.is_in_place(wrong) else None
    answer = answer.model_copy(
        update={
            "error": AnswerError.of(wrong.error) if wrong.error is not None else None,
            "explanation": phrases.explanation(wrong, run) or None,
            "culprit": culprit,
            "findings": run.findings,
            "refused": repairs.refused,
            "problems": repairs.problems,
        }
    )
    if repairs.fix is not None:
        beside = tuple(r for r in remarks_of(known, run) if r.kind in _WRONG_ALL_THE_SAME)
        answer = answer.model_copy(update={"fix": repairs.fix, "remarks": beside})
        return _concluded(answer, "fixed", mistakes.fixed(known.question, wrong, run, repairs.fix))
    if run.outcome is Outcome.KILLED:
        return _concluded(answer, "reproduced", mistakes.crashed(run))
    if known.demonstrated:
        answer = answer.model_copy(update={"alternatives": repairs.alternatives})
        said = mistakes.demonstrated(wrong, run, known.demonstrated, repairs.alternatives)
        return _concluded(answer, "reproduced", said)
    if wrong.is_there:
        answer = answer.model_copy(update={"alternatives": repairs.alternatives})
        said = mistakes.reproduced(known.question, wrong, run, repairs)
        # Nothing is called reproduced that is not the error they ask about.
        if not is_another(known.question, wrong.error):
            answer = answer.model_copy(update={"remarks": remarks_of(known, run)})
            if not repairs.alternatives and (cause := _cause(answer.remarks, wrong)) is not None:
                return _concluded(answer, "reproduced", f"{no_error.line_of(cause)} {said}")
            if known.why is not None and known.why.asked:  # they do not ask about the error
                return _concluded(answer, "reproduced", f"{searched.asked(known.why)} {said}")
            if answer.why is not None and _names_what_is_meant(run, wrong.error):
                why = answer.why.model_copy(update={"remedy": ""})
                answer = answer.model_copy(update={"why": why})
            if wrong.error is not None and not repairs.alternatives:
                answer = _with_remedy(answer, wrong.error, known.question, run)
            return _concluded(answer, "reproduced", said)
        reading = _reading(known, run)
        if reading is not None and reading.means:
            answer = _without_a_second_remedy(answer.model_copy(update={"posted": reading}))
            offered = f"{unrun.means(reading)} {said}"
            said = offered if repairs.alternatives else unrun.another_here(reading, wrong, run)
        return _concluded(answer, "unsure", said)
    reading = _reading(known, run)
    remarks = remarks_of(known, run)
    shows = bool(run.findings) or any(r.line for r in remarks)
    said = no_error.runs(known.question, run, reading, noted=shows)
    if reading is not None and reading.means:
        answer = _without_a_second_remedy(answer.model_copy(update={"posted": reading}))
        return _concluded(answer, "runs", f"{unrun.means(reading)} {said}")
    answer = answer.model_copy(update={"remarks": remarks})
    if posted(known.question) is not None:
        return _concluded(answer, "runs", said)
    concerning = next((r for r in remarks if r.kind in _CONCERNS_SOME), None)
    if concerning is not None:
        said = no_error.runs_but(run, concerning)
    elif known.why is not None and known.why.asked:
        said = f"{searched.asked(known.why)} {no_error.runs_and_raises_nothing(run)}"
    elif seen := _wrong_by_its_text(remarks, run):
        answer = _without_another_reason(answer)
        said = no_error.runs_but(run, seen)
    elif remarks and remarks[0].kind == "loss_course":
        said = f"{no_error.remark(remarks[0])} {no_error.runs_and_raises_nothing(run)}"
    elif (noted := _telling(run)) is not None:
        said = no_error.runs_noting(run, noted)
    return _concluded(answer, "runs", said)


def _of_no_run(known: Diagnosis, answer: Answer) -> Answer:
    """What can be said of a question without code."""
    reading = _reading(known, None)
    remarks = remarks_of(known, None)
    said = first_known(known, reading, remarks)
    answer = answer.model_copy(update={"posted": reading})
    if said is None:
        return _concluded(answer, "unsure", unrun.unsure(known.question))
    if said.kind == "posted":
        answer = _without_a_second_remedy(answer)
    if said.kind in ("code", "look"):
        answer = answer.model_copy(update={"remarks": remarks})
    if said.kind == "near":
        return _concluded(answer.model_copy(update={"near": known.near}), "unsure", said.text)
    return _concluded(answer, "advice", said.text)


def _with_quoted(known: Diagnosis, answer: Answer) -> Answer:
    """The answer to a traceback without code, with the run of the line that it quotes."""
    seen, pasted = known.quoted, posted(known.question)
    if seen is None or seen.run is None or seen.run.error is None:
        return answer
    # A run with numbers of its own shows less than what the posted ones say.
    if not seen.exact and answer.posted is not None and answer.posted.is_of_the_post:
        return answer
    # … and the values that its error prints are nobody's.
    shown = seen.run.error.message
    theirs = pasted is not None and shown == pasted.message
    if _VALUES.search(shown) and not theirs and not known.repairs.alternatives:
        return answer
    assumptions = (*answer.assumptions, seen.said, *seen.run.assumptions)
    answer = answer.model_copy(
        update={
            "error": AnswerError.of(seen.run.error),
            "evidence": _evidence(seen.run, known.repairs),
            "assumptions": tuple(said for said in assumptions if said),
            "alternatives": known.repairs.alternatives,
        }
    )
    if known.repairs.alternatives:
        told = "; or ".join(fix.title for fix in known.repairs.alternatives)
        head = f"{answer.headline} Partly shown, on the quoted line alone: {told}."
        answer = answer.model_copy(update={"headline": head})
    return answer if seen.exact else mistakes.with_other_numbers(answer, pasted, seen.run)


def remarks_of(known: Diagnosis, run: JobResult | None) -> tuple[Remark, ...]:
    """What is to be said of the posted text, as far as the run's lines are those that were posted.

    What the losses in the words around the code show comes first.
    """
    question = known.question
    printed = run.stdout if run is not None and not run.stand_ins else ""
    falls = run is not None and the_loss_falls(run)
    named = known.told.is_there and known.told.error is None  # what is wrong, by the run
    shown = None if falls or named else chance_level(question)
    shown = shown or (None if named else loss_course(question, printed))
    remarks = run.remarks if run is not None else ()
    lines = question.code.split("\n")
    found = {f.kind for f in run.findings} if run is not None else set()
    own = [r for r in remarks if r.line <= len(lines) and r.code in lines[r.line - 1]]
    own = [r for r in own if not {r.kind, *_SEEN_IN_THE_RUN.get(r.kind, ())} & found]
    if not tells_of_a_symptom(question):
        own = [r for r in own if r.kind != "slow"]
    if not _asks_for_the_same_runs(question):
        own = [r for r in own if r.kind != "seeded_and_timed"]
    own = [r for r in own if r.kind not in _ASKED_FOR or _ASKED_FOR[r.kind].search(question.text)]
    if not _speaks_of_workers(question):
        own = [r for r in own if r.kind != "workers_elsewhere_on_gpu"]
    if not _starts_processes_anew(question):
        own = [r for r in own if r.kind != "no_main_guard"]
    if shown is not None:
        return (shown, *own)
    decided = run is not None and any(f.facts.get("ran_away") for f in run.findings)
    decided |= named
    look = None if own or known.asked or decided else next_step(question)
    if look is not None and not (falls and look.kind in OF_A_LOSS_THAT_STANDS):
        return (look,)
    return tuple(own)


def _asks_for_the_same_runs(question: Question) -> bool:
    """Whether the words are about runs whose results differ."""
    return (
        re.search(r"\b(?:reproduc|repeatab|determinis|differen|same)", question.text, re.I)
        is not None
    )


def _speaks_of_workers(question: Question) -> bool:
    """Whether a loader has worker processes there, by the words or the error."""
    pasted = posted(question)
    of_one = pasted is not None and is_a(pasted, "worker_died", "worker_error", "cuda_fork")
    return of_one or _OF_A_LOADER.search(question.text) is not None


def _starts_processes_anew(question: Question) -> bool:
    """Whether a post tells of a system, or shows a traceback, where a worker imports the script.

    Of a notebook there is no script to import.
    """
    pasted = question.traceback.text if question.traceback is not None else ""
    told = f"{question.text}\n{pasted}\n{question.machine.get('os', '')}"
    return _SPAWNS.search(told) is not None and not _IN_A_NOTEBOOK.search(told)


def _wrong_by_its_text(remarks: tuple[Remark, ...], run: JobResult) -> Remark | None:
    """The first remark that says what is wrong in code that ran without an error."""
    known = {*(_PROBED if run.trained else ()), *(f.kind for f in run.findings)}
    told = (r for r in remarks if r.line and not r.aside and r.kind not in known)
    return next(told, None)


def _telling(run: JobResult) -> Finding | None:
    """A note on the run that is often what somebody asks about; None if there is none."""
    return next((f for f in run.findings if f.kind in _TELLING), None)


def _with_remedy(
    answer: Answer, error: ErrorSeen | Caught, question: Question, run: JobResult
) -> Answer:
    """The answer with its family's advice: where its article has none, or the values chose it."""
    words = read_words(error, around(question, run), run.constructs)
    # The run said which part has gone, or what the object has: no general advice.
    live = run.explanation is not None and is_a(error, "module_not_installed", "object_attribute")
    live |= _names_what_is_meant(run, error)
    if words is None or live or (_advises(answer) and not words.has_own_remedy):
        return answer
    why = answer.why
    if why is not None:
        why = why.model_copy(update={"remedy": ""})
    return answer.model_copy(update={"remedy": words.remedy, "why": why})


def _cause(remarks: tuple[Remark, ...], wrong: Mistake) -> Remark | None:
    """A line above the failing one that leaves a value as it was which that one takes.

    Of an assertion that two outputs agree, the line whose dropout makes them differ.
    """
    error = wrong.error
    if error is not None and error.type == "AssertionError":
        return next((r for r in remarks if r.kind == "compared_in_training"), None)
    family = family_of(error.type, error.message) if error is not None else None
    if error is None or family is None or error.line is None:
        return None
    kinds = ("result_unused", "never_used")
    above = (r for r in remarks if 0 < r.line < error.line and r.kind in kinds)
    cause = raising(above, family.id)
    if cause is None:
        return None
    name = re.match(r"(?:\w+ *= *)?([\w.]+?)(?=\.\w+\()", cause.code)
    taken = name is not None and re.search(rf"\b{re.escape(name[1])}\b", error.code)
    return cause if taken else None


def _names_what_is_meant(run: JobResult, error: ErrorSeen | Caught | None) -> bool:
    """Whether the run says what a missing name of a library's is called: no list is needed."""
    if error is None or not is_a(error, "module_attribute"):
        return False
    facts = run.explanation.facts if run.explanation is not None else {}
    return bool(facts.keys() & {"today", "closest", "elsewhere", "method"})


def _advises(answer: Answer) -> bool:
    return answer.why is not None and bool(answer.why.remedy)


def _without_doubles(answer: Answer, reading: PostedReading) -> Answer:
    """The answer without the lines of which a remark says the same, and more."""
    said = {remark.code for remark in answer.remarks if remark.kind in _ALSO_SUSPECTED}
    fitting = tuple(line for line in reading.fitting if line.code not in said)
    return answer.model_copy(update={"posted": reading.model_copy(update={"fitting": fitting})})


def _without_a_second_remedy(answer: Answer) -> Answer:
    """The answer without its article's advice, or without the article, where others were chosen.

    The message's own values choose an advice; what else the post shows chooses a cause too.
    """
    if answer.posted is None or answer.why is None:
        return answer
    if answer.posted.is_of_the_post:  # it may exclude the causes that the article names
        return answer.model_copy(update={"why": None})
    # No run shows which of several causes it is, so none is called the likely one.
    sure: dict[str, str] = {"text": searched.without_guesses(answer.why.text)}
    if answer.posted.has_own_remedy:
        sure["remedy"] = ""
    return answer.model_copy(update={"why": answer.why.model_copy(update=sure)})


def _without_another_reason(answer: Answer) -> Answer:
    """The answer without an article that only resembles the question, where a line is the reason.

    It stays among the sources.
    """
    return answer.model_copy(update={"why": None})


def _not_rebuilt(known: Diagnosis) -> str:
    """Why the posted error is not shown by a run; empty where it is, or where none was posted."""
    seen, pasted = known.reproduced, posted(known.question)
    if known.quoted is not None:
        return known.quoted.why_not
    if seen is None or pasted is None:
        return ""
    real = seen.run.error
    if real is not None and same_family(pasted, real) and not same_numbers(pasted, real):
        return "other_numbers"
    if seen.rebuilt:
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
