"""Headlines of code that ran, and what its text shows all the same."""

from __future__ import annotations

import re
from itertools import takewhile

from bot.diagnosis.own_error import posted
from bot.diagnosis.reached import never_come_to, never_entered, was_reached
from bot.diagnosis.wording.phrases import NAMES_TOLD, device_of, shortened, told_with_line
from bot.messages.traceback_text import user_frames
from bot.models import PastedTraceback, PostedReading, Question
from bot.words import listed
from executor.errors import is_a
from executor.protocol import MODULE, Finding, JobResult, Remark

_PRECISE = re.compile(r"\d+\.\d{3,}(?:e[-+]\d+)?")  # what nobody prints by chance
_IMPORTS = re.compile(r"^(?:import|from) \w", re.MULTILINE)
_FEW = 3  # numbers that are the same


def runs(
    question: Question,
    run: JobResult,
    reading: PostedReading | None = None,
    *,
    noted: bool = False,
) -> str:
    """The headline when nothing went wrong here, as far as the run can tell.

    Args:
        question: one message understood.
        run: it ended well.
        reading: what the posted error means, and the lines that it points to.
        noted: whether the answer shows what may be wrong, or may be meant so.
    """
    if not run.reported:
        code = f" with exit code {run.exit.code}" if run.exit.code is not None else ""
        return (
            f"Ran here and ended itself{code} before the probes could report (`os._exit` does "
            "that): whether anything was raised is not known."
        )
    version = run.env.torch.partition("+")[0]
    where = f"torch {version} on {device_of(run)}" if version else f"Python {run.env.python}"
    took = _took(run)
    if run.error is not None and run.error.type == "SystemExit":
        at = f" at line {run.error.line}" if run.error.line else ""
        return f"Runs here ({where}) and ends itself{at} with exit code {run.exit.code}.{took}"
    if (pasted := posted(question)) is not None:
        theirs = question.versions.get("torch")
        yours = f" (you have {theirs})" if theirs else "; say which torch you have"
        if left_out := _imports_left_out(pasted, run):
            are = "is" if len(left_out) == 1 else "are"
            return (
                f"Not tried here: {listed(left_out)} {are} not installed where this runs, and the "
                f"import was left out; the rest runs with {where}."
            )
        if missed := not_in_the_code(pasted, question):
            return f"What was posted runs here with {where}; {missed} is not a part of it.{took}"
        what = pasted.type or "error that you posted"
        if (loop := _never_entered(pasted, question, run)) is not None:
            return (
                f"Not tried here: `{loop}` went through nothing, as where files are missing, so "
                f"that the {what} could not come up; the rest runs with {where}."
            )
        if idle := _does_nothing_here(run):
            return (
                f"Not tried here: {idle}, so that the {what} could not come up; the rest runs "
                f"with {where}."
            )
        if line := never_come_to(pasted, reading, question, run):
            return (
                f"Not tried here: nothing that was posted comes to `{shortened(line)}`; the rest "
                f"runs with {where}."
            )
        if idle := _never_called(question, run):
            return f"Runs here with {where}, but {idle}: whether the {what} comes up is not known."
        return f"Runs here: the {what} does not come up with {where}{yours}.{took}"
    if took:
        return f"Runs here to its end with {where}.{took}"
    if run.handlers and not run.caught and not run.stand_ins:
        one = "your except branch was" if run.handlers == 1 else "your except branches were"
        return f"Runs here with {where}: nothing is raised, {one} never entered."
    if prints_as_posted(question, run):
        return (
            f"Runs here with {where} and prints the numbers that you posted: what you saw is what "
            "this code computes, again in a second run. Nothing is raised, and no probe knows a "
            "mistake in it."
        )
    if run.only_made:
        made = listed([f"`{name}`" for name in run.only_made[:NAMES_TOLD]])
        alone = len(run.only_made) == 1
        return (
            f"Runs here with {where}, but {made} {'is' if alone else 'are'} made and never called, "
            f"so {'its' if alone else 'their'} forward() was not tried; post the lines that call "
            f"{'it' if alone else 'them'} too."
        )
    if idle := _never_called(question, run):
        return f"Runs here with {where}, but {idle}; post the lines that do so too."
    if forgotten := _imports_forgotten(question, run):
        where += f" once {listed(forgotten)} is added, which stands nowhere in what you posted"
    if noted:
        return (
            f"Runs here with {where}, and nothing is raised. What was noted stands below: whether "
            "it is meant so is not known."
        )
    return (
        f"Runs here with {where}: nothing is raised, and no probe knows a mistake in it; whether "
        "it computes what you mean is not known."
    )


def _never_called(question: Question, run: JobResult) -> str:
    """That functions or classes of the post were not tried, as a clause; empty if all were."""
    names = never_entered(question, run)
    if not names:
        return ""
    told = listed([f"`{name}`" for name in names[:NAMES_TOLD]])
    return f"{told} {'is' if len(names) == 1 else 'are'} never called"


def _imports_forgotten(question: Question, run: JobResult) -> list[str]:
    """The imports that a program with imports of its own lacks; a fragment leaves all of them out.

    As it was posted it would stop there.
    """
    if not _IMPORTS.search(question.code):
        return []
    return [f"`{line}`" for line in run.assumptions if _IMPORTS.match(line)]


# What the simulated device has in name only: an error of it cannot come up there.
_IN_NAME_ONLY = re.compile(
    r"^simulated device: (.*(?:returns the function as it is|do nothing\b|changes no dtype"
    r"|are not there).*)"
)


def _does_nothing_here(run: JobResult) -> str:
    """What the code uses that does nothing where it ran; empty if all that it uses did its work."""
    idle = [found[1] for said in run.assumptions if (found := _IN_NAME_ONLY.match(said))]
    return f"on the simulated device {' and '.join(idle)}" if idle else ""


def _never_entered(pasted: PastedTraceback, question: Question, run: JobResult) -> str | None:
    """The loop that their error comes from, where it prints in each round and printed nothing."""
    frames = user_frames(pasted)
    loop = frames[-1].code.strip() if frames else ""
    if run.stdout or not loop.startswith("for "):
        return None
    below = question.code.partition(f"{loop}\n")[2]
    inner = re.match(r"[ \t]*", below)
    pad = inner[0] if inner is not None else ""
    body = takewhile(lambda line: not line.strip() or line.startswith(pad), below.splitlines())
    return loop.rstrip(":") if pad and any(s.startswith(f"{pad}print(") for s in body) else None


def prints_as_posted(question: Question, run: JobResult) -> bool:
    """Whether the numbers that a post quotes are those that its code, unchanged, printed here."""
    if run.stand_ins:
        return False
    ours, theirs = (set(_PRECISE.findall(text)) for text in (run.stdout, question.text))
    return len(ours & theirs) >= _FEW and len(theirs - ours) <= len(theirs) // 5


def _imports_left_out(pasted: PastedTraceback, run: JobResult) -> list[str]:
    """The modules without which the code ran, where the posted error may come of their import."""
    modules = [s.name for s in run.stand_ins if s.kind == MODULE]
    if not is_a(pasted, "import_name", "module_not_installed", "module_required"):
        files = (pasted.message, *(frame.file for frame in pasted.frames))
        return [f"`{name}`" for name in modules if any(_is_file_of(name, f) for f in files)]
    named = [name for name in modules if name.partition(".")[0] in pasted.message]
    says_from_where = is_a(pasted, "module_not_installed") or "from '" in pasted.message
    return [f"`{name}`" for name in (named if says_from_where else modules)]


def _is_file_of(module: str, text: str) -> bool:
    """Whether a path names a module's file or its package's folder."""
    top = re.escape(module.partition(".")[0])
    return re.search(rf"[\\/]{top}[\\/.]|(?<![\w-]){top}\.(?:so|pyd|dll|cpython)", text) is not None


def not_in_the_code(pasted: PastedTraceback, question: Question) -> str:
    """The line of theirs that raised the posted error, where it is not in the posted code."""
    own = [frame.code.strip() for frame in user_frames(pasted) if frame.code.strip()]
    code = question.code
    if not own and (library := _comes_out_of(pasted)) and not re.search(rf"\b{library}\b", code):
        return f"`{library}`, which your traceback comes out of,"
    if not own or any(line.partition("#")[0].strip() in code for line in own):
        return ""
    return f"`{shortened(own[-1])}`, at which your traceback ends,"


_INSTALLED = re.compile(r"\b(?:site|dist)-packages[\\/](\w+)[\\/]")


def _comes_out_of(pasted: PastedTraceback) -> str:
    """The installed library that a traceback without lines of theirs begins in."""
    files = (_INSTALLED.search(frame.file) for frame in pasted.frames[:1])
    return next((found[1] for found in files if found is not None and found[1] != "torch"), "")


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
    return f"Seen in the code, not run: line {seen.line}, `{shortened(seen.code)}`: {message}."


def line_of(seen: Remark) -> str:
    """What a line does, before the error that it leads to."""
    return f"Line {seen.line}, `{shortened(seen.code)}`: {seen.message.rstrip('.')}."


def runs_but(run: JobResult, seen: Remark) -> str:
    """The headline of code that ran without an error, and is wrong by its text.

    A line that the run never came to may be wrong, and was not run.
    """
    if was_reached(seen.line, run) is False:
        return remark(seen)
    version = run.env.torch.partition("+")[0]
    where = f" (torch {version} on {device_of(run)})" if version else ""
    return f"Runs here{where} and raises nothing. {line_of(seen)}"


def runs_and_raises_nothing(run: JobResult) -> str:
    """That the code ran and raised nothing, behind what is said first."""
    version = run.env.torch.partition("+")[0]
    where = f" (torch {version} on {device_of(run)})" if version else ""
    return f"The code runs here{where} and raises nothing."


def runs_noting(run: JobResult, noted: Finding) -> str:
    """The headline of code that ran without an error, and of which a probe noted something."""
    version = run.env.torch.partition("+")[0]
    where = f"torch {version} on {device_of(run)}"
    return f"Runs here with {where} and raises nothing; {told_with_line(noted)}."
