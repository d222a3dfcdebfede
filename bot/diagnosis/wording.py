"""The sentences of an Answer, built from what a run showed and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.diagnosis.ask_back import ask_back
from bot.diagnosis.devices import opposed
from bot.diagnosis.missing import UNREAD, is_made_among_words
from bot.diagnosis.own_error import is_another, is_unparsed, posted, reports_no_error
from bot.diagnosis.posted_traceback import place
from bot.models import (
    Answer,
    AnswerCulprit,
    FunctionShown,
    PastedTraceback,
    PostedReading,
    Question,
    Why,
)
from bot.words import listed
from executor.errors import differences, is_a, read
from executor.protocol import (
    GLUED,
    MODULE,
    RESOURCES,
    Caught,
    Culprit,
    ErrorSeen,
    Finding,
    JobResult,
    Outcome,
    Remark,
)
from knowledge.documents.verdict import Verdict
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import Mistake, findings_left, mistake

_NAMES = 6  # names that are asked for, at most
_REBUILT = "Rebuilt"
_DIFFERENCES = 3  # numbers that differ from the posted ones and are said, at most


def quoted(passage: str, verdict: Verdict | None) -> str:
    """A document's passage; one that an audit refuted says so before anything else."""
    if verdict is Verdict.REFUTED:
        return f"An audit ran this document's code: what it says is refuted. It says: {passage}"
    return passage


_GUESS = re.compile(r"(?:Mostly|Usually|Often|The usual|Most often)\b")


def without_guesses(text: str) -> str:
    """An article's reason without the sentences that call one cause the usual one."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z`])", text)
    kept = [sentence for sentence in sentences if not _GUESS.match(sentence)]
    return " ".join(kept) or text


def resembling(why: Why) -> str:
    """The headline of an article that only resembles a question: it names no error of its."""
    return f"This may be it: {why.title}"


def asked(why: Why) -> str:
    """The headline of an article that answers just what was asked."""
    return f"{why.title.rstrip('.')}."


def function(shown: Sequence[FunctionShown]) -> str:
    """The headline of a how-to question: the function that does it, and what it does."""
    first, *others = shown
    compared = [f"`{other.name}`: {other.summary}" for other in others if other.named]
    if first.named:
        return " ".join([f"About `{first.name}`: {first.summary}", *compared])
    return f"Use `{first.name}`: {first.summary}"


def not_run(reason: str, run: JobResult, question: Question) -> str:
    """The headline when the snippet could not be run, and nothing is known of an error."""
    lacking = read(run.error, "name_undefined") if run.error is not None else None
    if lacking is not None and run.error is not None and lacking["name"] in run.undefined:
        at = f" (line {run.error.line})" if run.error.line else ""
        if is_made_among_words(lacking["name"], question):
            return f"Not run: `{lacking['name']}`{at} {UNREAD}. {ask_back(question)}"
        others = [f"`{n}`" for n in run.undefined if n != lacking["name"]]
        also = ""
        if others:
            also = f"; nor {'is' if len(others) == 1 else 'are'} {listed(others[:_NAMES])}"
        # What a placeholder stands for is no name that nothing defines.
        if given := [f"`{n}`" for n in _given(run)]:
            has = "has a placeholder" if len(given) == 1 else "have placeholders"
            also += f" ({listed(given[:_NAMES])} {has})"
        return (
            f"Not run: `{lacking['name']}`{at} is used but never defined in what you posted{also}. "
            f"{ask_back(question)}"
        )
    if is_unparsed(run):
        return f"Could not run what was pasted: {reason}."
    if (run.stand_ins or run.only_definitions) and run.outcome is Outcome.OK:
        return f"Not run as you have it: {reason}."
    return f"Not run to its end: {_asks_for_more(reason, question)}."


def fixed(question: Question, removed: Mistake, run: JobResult, fix: Fix) -> str:
    """The headline when a fix was verified: what it removes, and what it leaves.

    Args:
        question: what was posted.
        removed: the mistakes of the run that the fix's run no longer shows.
        run: the run of the code as posted.
        fix: the fix.
    """
    told = list(fix.steps or (fix.title,))
    if is_in_place(removed) and (overwritten := _overwritten(run).rstrip(".")):
        told[0] = f"{overwritten[:1].lower()}{overwritten[1:]}"
    elif removed.error is None and (seen := _findings(run, removed)):
        told = seen[: len(told)]
    how = f"{under_assumptions(run)}" if is_rebuilt(run) else ""
    done = "; then ".join(told)
    aside = _aside(question, removed)
    return f"Fixed: {done}.{how}{_not_posted(question, removed)}{_left(run, fix)}{aside}"


def demonstrated(wrong: Mistake, run: JobResult, how: str, alternatives: Sequence[Fix] = ()) -> str:
    """The headline when the code shows an error on purpose; how it says so is in ErrorSeen."""
    assert wrong.error is not None
    why = {
        "comment": "a comment of the code says so",
        "named": "a comment of the code names it",
        "printed": "its except only tells of it",
        "tried": "its except, of another class, would only tell of it",
        "labelled": "the code calls this way wrong, or shows the right one too",
    }
    said = _first_sentence(wrong.error.message)
    raised = f"{_error(wrong.error)}{f': {said}' if said else ''}."
    head = f"Shown on purpose{_simulated(run)} ({why[how]}): {raised}"
    live = explanation(wrong, run)
    ways = what_may_be_meant(alternatives) or "It is explained, and not mended."
    return f"{head}{f' {_first_of(live)}' if live else ''} {ways}"


def what_may_be_meant(alternatives: Sequence[Fix]) -> str:
    """What is offered where no single fix is: each way by what it supposes; empty if none is."""
    if not alternatives:
        return ""
    if len(alternatives) == 1:
        (one,) = alternatives
        supposed = f", if this is meant: {one.intent}" if one.intent else ""
        return f"One way was run, and holds: {one.title}{supposed}."
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
        what = _error(wrong.error) if wrong.error is not None else _first_finding(run, wrong)
        told = "; or ".join(f.intent or f.title for f in repair.alternatives)
        head = f"{begins}: {what}. Partly shown: {told}: {repair.alternatives[0].shown_in_part}."
        return f"{head}{_aside(question, wrong)}"
    if repair.alternatives:
        what = _first_finding(run, wrong) if wrong.error is None else _error(wrong.error)
        left = _left(run, repair.alternatives[0])
        head = f"{begins}: {what}. {what_may_be_meant(repair.alternatives)}"
        return f"{head}{left}{_aside(question, wrong)}"
    tried = len(repair.refused)
    none = ""
    if tried:
        what = "The one fix I tried" if tried == 1 else f"None of the {tried} fixes I tried"
        none = f" {what} {'did not pass' if tried == 1 else 'passed'} every check."
    if wrong.error is not None:
        if where := opposed(run.devices):
            said = _first_sentence(wrong.error.message)
            head = f"{begins}: {where}. {_error(wrong.error)}: {said}.{none}"
            return f"{head}{_aside(question, wrong)}"
        live = explanation(wrong, run)
        told = f" {_first_of(live)}" if live else ""
        if not live and (at := layer(run)):
            told = f" {at[0].upper()}{at[1:]}."
        if is_in_place(wrong) and (overwritten := _overwritten(run)):
            told = f" {overwritten}"
        message = _first_sentence(wrong.error.message)
        told += warm_only(run)
        if is_a(wrong.error, "cuda_not_compiled"):
            told = " The torch that ran it is built without CUDA."
        said = f": {message}" if message else ""
        head = f"{begins}: {_error(wrong.error)}{said}."
        if not begins.startswith(_REBUILT):
            head += assumed(run)
        return f"{head}{told}{none}{_aside(question, wrong)}"
    return f"It runs, but {_first_finding(run, wrong)}.{_not_posted(question, wrong)}{none}"


def _begins(question: Question, wrong: Mistake, run: JobResult) -> str:
    """What is said before the run's error: "Reproduced" only if it is what they ask about.

    Where it took placeholders that were found from the error, it is no more than rebuilt.
    """
    pasted = posted(question)
    if wrong.error is not None and reports_no_error(question):
        return f"As posted it stops here{_simulated(run)}"
    if pasted is None or not is_another(question, wrong.error):
        if is_rebuilt(run):
            names = [f"`{s.name}`" for s in run.stand_ins if not s.name.startswith("_")]
            more = len(names) - _NAMES
            names = [*names[:_NAMES], f"{more} more"] if more > 0 else names
            what = listed(names) if names else "what was not posted"
            return f"{_REBUILT}{_simulated(run)} with assumptions about {what}"
        return f"Reproduced{_simulated(run)}"
    return f"Posted: {_named(pasted)}; what your code raises here{_simulated(run)}"


def _aside(question: Question, wrong: Mistake) -> str:
    """That the run's error may not be what they ask about; empty if they speak of one."""
    if wrong.error is None or not reports_no_error(question):
        return ""
    return " You report no error, so this may not be what you ask about."


def _not_posted(question: Question, wrong: Mistake) -> str:
    """That the error which was posted did not come up; empty if it did, or none was posted."""
    pasted = posted(question)
    if pasted is None:
        return ""
    if wrong.error is None:
        return f" The {pasted.type or 'error'} that you posted does not come up here."
    if not is_another(question, wrong.error):
        return ""
    return f" Posted: {_named(pasted)}; what your code raised here: {_error(wrong.error)}."


def _named(pasted: PastedTraceback) -> str:
    said = _first_sentence(pasted.message)
    return ": ".join(part for part in (pasted.type, said) if part)


def _left(run: JobResult, fix: Fix) -> str:
    """What the fix's run still shows, with its line; empty if that is nothing."""
    after = fix.result
    if after is None:
        return ""
    known = {(f.kind, f.name): f for f in run.findings}
    still = [
        _told(known[(f.kind, f.name)])
        if (f.kind, f.name) in known
        else f"{_told(f)}{' (in the fixed code)' if f.line else ''}"
        for f in findings_left(after)
    ]
    caught = mistake(after).error
    still += [_error(caught)] if caught is not None and not caught.demonstrated else []
    if not still:
        return ""
    return f" {len(still)} more mistake{'s' if len(still) > 1 else ''} left: {'; '.join(still)}."


def is_in_place(wrong: Mistake) -> bool:
    """Whether it is a write that changed what the gradient needs."""
    if wrong.error is not None:
        return is_a(wrong.error, "modified_in_place")
    return any(kind == "silent_inplace_write" for kind, _ in wrong.findings)


def _overwritten(run: JobResult) -> str:
    """Both ends of an in-place error in one sentence; empty if they are not known."""
    c = run.autograd
    if c is None or not c.modified_line or not c.saved_line:
        return ""
    if c.modified_line == c.saved_line:
        return f"Line {c.modified_line} overwrites values that backward still needs."
    return (
        f"Line {c.modified_line} overwrites the values that line {c.saved_line} still needs for "
        "the gradient."
    )


def explanation(wrong: Mistake, run: JobResult) -> str:
    """What live values say about the error, the one that the snippet caught too; or nothing."""
    seen = wrong.error.explanation if isinstance(wrong.error, Caught) else run.explanation
    return seen.text if seen is not None and wrong.error is not None else ""


def layer(run: JobResult) -> str:
    """What the failing layer is and gets, from the run itself; empty if no layer failed."""
    at = run.layer
    if at is None or at.input is None:
        return ""
    name = f"`{at.name}` is {at.repr}" if at.name else f"the layer is {at.repr}"
    made = f", made at line {at.line}" if at.line else ""
    return f"{name}{made}; its input here is {at.dtype} {list(at.input)}"


def is_rebuilt(run: JobResult) -> bool:
    """Whether what the post lacks was found from its error."""
    return any(s.kind == GLUED for s in run.stand_ins)


def under_assumptions(run: JobResult) -> str:
    """That it was seen and verified with what had to be assumed."""
    names = [f"`{s.name}`" for s in run.stand_ins if not s.name.startswith("_")]
    what = f" ({', '.join(names)})" if names else ""
    return f" This was run with assumptions about what was not posted{what}."


def assumed(run: JobResult) -> str:
    """That it ran with placeholders, and for what; empty without any."""
    if is_rebuilt(run):
        return under_assumptions(run)
    chosen = ", ".join(f"`{s.name}`" for s in run.stand_ins if not s.exact)
    # A folder of another name is told among the assumptions.
    aside = (MODULE, "folder")
    exact = ", ".join(f"`{s.name}`" for s in run.stand_ins if s.exact and s.kind not in aside)
    modules = ", ".join(f"`{s.name}`" for s in run.stand_ins if s.kind == MODULE)
    told = f" It was run with data of the real form for {exact}." if exact else ""
    if modules:
        told += f" It was run without {modules}, which has no part in that."
    return told + (
        f" It was run with placeholders for {chosen}, which have no part in that." if chosen else ""
    )


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


def runs(question: Question, run: JobResult) -> str:
    """The headline when nothing went wrong here, as far as the run can tell."""
    if not run.reported:
        code = f" with exit code {run.exit.code}" if run.exit.code is not None else ""
        return (
            f"Ran here and ended itself{code} before the probes could report (`os._exit` does "
            "that): whether anything was raised is not known."
        )
    version = run.env.torch.partition("+")[0]
    where = f"torch {version} on {_device(run)}" if version else f"Python {run.env.python}"
    took = _took(run)
    if run.error is not None and run.error.type == "SystemExit":
        at = f" at line {run.error.line}" if run.error.line else ""
        return f"Runs here ({where}) and ends itself{at} with exit code {run.exit.code}.{took}"
    if (pasted := posted(question)) is not None:
        theirs = question.versions.get("torch")
        yours = f" (you have {theirs})" if theirs else "; say which torch you have"
        what = pasted.type or "error that you posted"
        return f"Runs here: the {what} does not come up with {where}{yours}.{took}"
    if took:
        return f"Runs here to its end with {where}.{took}"
    if run.handlers and not run.caught and not run.stand_ins:
        one = "your except branch was" if run.handlers == 1 else "your except branches were"
        return f"Runs here with {where}: nothing is raised, {one} never entered."
    return (
        f"Runs here with {where}: nothing is raised, and no probe knows a mistake in it; whether "
        "it computes what you mean is not known."
    )


def _took(run: JobResult) -> str:
    """What its own handlers took, which is raised and not nothing; empty if they took nothing."""
    if not run.caught:
        return ""
    first, *more = run.caught
    by = f" at line {first.handler_line}" if first.handler_line else ""
    at = f" at line {first.line}" if first.line else ""
    others = f", and {len(more)} more like that" if more else ""
    return f" {first.type} is raised{at}, and its own handler{by} takes it{others}."


def remark(seen: Remark) -> str:
    """What the posted text shows by itself, as the headline: its line and what it does."""
    message = seen.message.rstrip(".")
    if not seen.line and seen.aside:
        return f"The cause is not known here. What tells the usual ones apart: {message}."
    if not seen.line:
        return f"{message[:1].upper()}{message[1:]}."
    return f"Seen in the code, not run: line {seen.line}, `{_short(seen.code)}`: {message}."


def runs_but(run: JobResult, seen: Remark) -> str:
    """The headline of code that ran without an error, and is wrong by its text."""
    version = run.env.torch.partition("+")[0]
    where = f" (torch {version} on {_device(run)})" if version else ""
    message = seen.message.rstrip(".")
    at = f"Line {seen.line}, `{_short(seen.code)}`"
    return f"Runs here{where} and raises nothing. {at}: {message}."


def runs_and_raises_nothing(run: JobResult) -> str:
    """That the code ran and raised nothing, behind what is said first."""
    version = run.env.torch.partition("+")[0]
    where = f" (torch {version} on {_device(run)})" if version else ""
    return f"The code runs here{where} and raises nothing."


def runs_noting(run: JobResult, noted: Finding) -> str:
    """The headline of code that ran without an error, and of which a probe noted something."""
    version = run.env.torch.partition("+")[0]
    return f"Runs here with torch {version} on {_device(run)} and raises nothing; {_told(noted)}."


def _short(code: str) -> str:
    return code if len(code) <= 80 else f"{code[:79]}…"


def means(reading: PostedReading) -> str:
    """The headline of a posted error that no run raised: what it means, in its own numbers.

    Of several causes none is told as the cause.
    """
    causes = f" Usual causes: {reading.causes}." if reading.causes else ""
    return f"{reading.means.rstrip('.')}.{causes}"


def another_here(reading: PostedReading, wrong: Mistake, run: JobResult) -> str:
    """The headline where the run raised another error: the posted one first, then that."""
    assert wrong.error is not None
    said = _first_sentence(wrong.error.message)
    told = f"{_error(wrong.error)}{f': {said}' if said else ''}"
    live = explanation(wrong, run)
    return (
        f"{means(reading)} What the posted code raises here{_simulated(run)} is another error: "
        f"{told}.{f' {_first_of(live)}' if live else ''}{assumed(run)}"
    )


def needed(reason: str, run: JobResult, question: Question) -> str:
    """Why the posted code was not run to its error, and what to post: one line, names listed."""
    names = [f"`{name}`" for name in (*run.undefined, *_given(run))][:_NAMES]
    error = run.error
    if names and error is not None and error.type == "NameError":
        return f"Not run: to have it run here, post what makes {listed(names)} too."
    return f"Not run to its end: {_asks_for_more(reason, question)}."


def _asks_for_more(reason: str, question: Question) -> str:
    """Why it was not run, without asking for the traceback that was posted."""
    pasted = posted(question)
    return reason.partition(_OR_ITS_ERROR)[0] if pasted and pasted.frames else reason


_OR_ITS_ERROR = "; post the part that fails"


def of_this_version(why_not: str, run: JobResult) -> str:
    """What the search for a posted error says of torch's versions; empty if nothing.

    Args:
        why_not: why no run raised it, as the answer's `not_rebuilt` has it.
        run: the run of the posted code.
    """
    version = run.env.torch.partition("+")[0]
    if why_not == "message_gone":
        return f" torch {version} raises this error no more: it allows what yours refuses."
    if why_not == "runs_today":
        return (
            f" No value that was tried raised it with torch {version}: it may be of your version, "
            "or of what was not posted."
        )
    return ""


def _given(run: JobResult) -> list[str]:
    """The names that were given a placeholder, but numbers and devices, which are as good.

    Nor modules that are not installed, files and weights: these nobody defines.
    """
    as_good = {"number", "device", MODULE, *RESOURCES}
    return [s.name for s in run.stand_ins if s.kind not in as_good]


def also_on_cpu(answer: Answer) -> Answer:
    """The answer, saying too that the mistake does not show on the CPU."""
    return answer.model_copy(update={"headline": f"{answer.headline} On the CPU it runs."})


def with_other_numbers(answer: Answer, pasted: PastedTraceback | None, run: JobResult) -> Answer:
    """The answer, saying too which numbers in the run's error are not the posted ones."""
    found = differences(pasted, run.error) if pasted is not None and run.error is not None else ()
    named = [f"{d.other} where yours has {d.one} ({d.what})" for d in found[:_DIFFERENCES]]
    if named:
        said = f"It is the same error with other numbers: {listed(named)}."
    else:
        said = "The sizes are those of this run: what you did not post has others."
    return answer.model_copy(update={"headline": f"{answer.headline} {said}"})


def _device(run: JobResult) -> str:
    if run.env.device == "cpu":
        return "CPU"
    return "a simulated CUDA device" if _simulated(run) else run.env.device


def _simulated(run: JobResult) -> str:
    return " (simulated device)" if run.env.device.startswith("simulated") else ""


def unsure(question: Question) -> str:
    """The headline when nothing is known: what was seen, and one question back."""
    if question.traceback is not None:
        named = _named(question.traceback)
        at = place(question.traceback)
        return (
            f"Not sure: nothing I know explains {at if question.traceback.frames else named}. "
            f"{ask_back(question)}"
        )
    return f"Not sure: nothing I know fits well enough. {ask_back(question)}"


def culprit(question: Question, run: JobResult) -> AnswerCulprit | None:
    """Both ends of an in-place error in the asker's words."""
    c = run.autograd
    if c is None:
        return None
    lines = question.code.splitlines()
    changed = c.modified_code
    if changed and c.modified_line and c.modified_line <= len(lines):
        whole = lines[c.modified_line - 1].strip()  # of `x[0] = e` the run names only `x[0]`
        changed = whole if whole.startswith(changed) else changed
    tensor = None
    if c.tensor is not None:
        view = ", a view" if c.tensor.is_view else ""
        name = f"`{c.tensor.name}`: " if c.tensor.name else ""
        tensor = (
            f"{name}{c.tensor.dtype} {list(c.tensor.shape)}{view}, version "
            f"{c.tensor.saved_version} → {c.tensor.found_version}"
        )
    return AnswerCulprit(
        saved_line=c.saved_line,
        saved_code=c.saved_code,
        modified_line=c.modified_line,
        modified_code=changed,
        tensor=tensor,
        needed_line=c.needed_line,
        note=_culprit_note(c),
    )


def _culprit_note(c: Culprit) -> str:
    """Which layers saved and changed it, from where that was called, and what is not known."""
    notes = []
    if c.modified_layer or c.saved_layer:
        saved = f"saved by {c.saved_layer}" if c.saved_layer else ""
        changed = f"changed by {c.modified_layer}" if c.modified_layer else ""
        notes.append(", ".join(part for part in (saved, changed) if part))
    calls = {n for n in (c.saved_call_line, c.modified_call_line) if n}
    if calls:
        notes.append("called from line " + " and ".join(map(str, sorted(calls))))
    return "; ".join([*notes, *([c.note] if c.note else [])])


def _error(error: ErrorSeen | Caught) -> str:
    line = f" at line {error.line}" if error.line else ""
    caught = ", which your own except takes" if isinstance(error, Caught) else ""
    return f"{error.type}{line}{caught}"


def _first_finding(run: JobResult, wrong: Mistake) -> str:
    return next(iter(_findings(run, wrong)), "")


def _findings(run: JobResult, wrong: Mistake) -> list[str]:
    """A mistake's findings in words, the first of each kind."""
    first: dict[str, str] = {}
    for f in run.findings:
        if (f.kind, f.name) in wrong.findings:
            first.setdefault(f.kind, _told(f))
    return list(first.values())


def _told(f: Finding) -> str:
    said = f.line is None or f"line {f.line} " in f.message
    line = "" if said else f" (line {f.line})"
    name = f"`{f.name}`"
    if line and name not in f.message:
        return f"{f.message.rstrip('.')}{line}"
    return f.message.replace(name, name + line, 1).rstrip(".")


def _first_of(text: str) -> str:
    """The first sentence of an explanation, whole: it ends before one that begins anew."""
    return re.split(r"(?<=\.) (?=[A-Z`])", text)[0]


def _first_sentence(message: str) -> str:
    first = re.split(r"(?<=[\w\])])\. |\n", message.strip())[0].rstrip(".:")
    return first if len(first) <= 160 else first[:159] + "…"
