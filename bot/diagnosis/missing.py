"""Why a snippet could not really be run here, and what its author can do about it.

An error that comes from the place and not from the code (no GPU, no network, a module that is not
installed, a part that was not posted) is never presented as the answer.
"""

from __future__ import annotations

import re

from bot.diagnosis.lacks import (
    LACKS,
    elided,
    is_a_slip,
    needs_module,
    not_of_this_machine,
    of_gpus,
    second_gpu,
    short,
)
from bot.diagnosis.own_error import NO_GPU, asks_about, is_unparsed, posted
from bot.models import Question, Snippet
from executor.errors import is_a, read
from executor.protocol import MODULE, ErrorSeen, JobResult, LeftOut, Outcome


def missing(run: JobResult, question: Question | None = None) -> str:
    """The reason as a clause, with the next step; empty if the snippet could be run.

    An error that the person asks about is never a reason: it is what the answer is about.
    """
    if run.error is not None and asks_about(question, run.error):
        return ""
    if is_unparsed(run) and run.error is not None:
        return _unparsed(run.error)
    if run.error is not None and run.needs_module:
        return needs_module(run.needs_module, run.error)
    if run.error is not None and run.of_gpus:
        return of_gpus(run, run.error)
    if run.error and run.env.device.startswith("simulated") and is_a(run.error, "cuda_ordinal"):
        return second_gpu(run.error)
    return (
        _limit(run)
        or _cut(run)
        or _never_started(run)
        or _completed(run)
        or (_only_as_assumed(question, run) if question is not None else "")
        or (_lacking(run, run.error, question) if run.error else "")
        or (_of_another_version(question, run) if question is not None else "")
        or (_out_of_order(question, run) if question is not None else "")
        or (_no_gradients(question, run) if question is not None else "")
        or _not_exercised(run)
    )


def _unparsed(error: ErrorSeen) -> str:
    """The place that Python stumbles over, without its words for it where they say less."""
    line = f"line {error.line}" if error.line else "a line"
    if error.type in ("IndentationError", "TabError"):
        what = f"the indentation of {line}"
    else:
        what = f"{line} is no Python ({error.message.partition(' (')[0]})"
    code = f": `{short(error.code.strip())}`" if error.code.strip() else ""
    return f"{what}{code}; post it as it stands in the file"


def _no_gradients(question: Question, run: JobResult) -> str:
    """That a gradient is None because the lines that compute it are missing, and others too."""
    error = run.error
    if error is None or not run.stand_ins or not is_a(error, "none_attribute"):
        return ""
    if ".grad" not in error.code or re.search(r"\bbackward\(|autograd\.grad\(", question.code):
        return ""
    return (
        "nothing in what you posted computes gradients, so `.grad` is None here whatever it is in "
        "your program; post the lines up to backward() too"
    )


def _not_exercised(run: JobResult) -> str:
    """That nothing but definitions ran, which shows nothing of what they do."""
    if not run.only_definitions or run.outcome is not Outcome.OK:
        return ""
    return (
        "the code only defines things: no class of it was made and no function called, so none of "
        "it was exercised; post the lines that use it too"
    )


def _out_of_order(question: Question, run: JobResult) -> str:
    """Why a post is no program in its order; empty if that is not the matter.

    A block may show a use, and further down, or in a later block, what it uses: nobody runs them
    in that order.
    """
    error = run.error
    if error is None or error.type != "NameError" or error.line is None:
        return ""
    seen = read(error, "name_undefined")
    if seen is None:
        return ""
    name = seen["name"]
    # A function may stand anywhere: what counts is the line outside of functions that called it.
    reached = run.frames[0].line if run.frames else error.line
    here = [s for s in question.snippets if s.first_line <= reached][-1:]
    lines = [n for s in here for n in _bound_at(name, s, margin=True)]
    if lines and min(lines) > reached:
        return (
            f"`{name}` (line {error.line}) is used before line {min(lines)}, which makes it, has "
            "run; post the code in the order in which it runs"
        )
    later = [s for s in question.snippets if s.first_line > reached]
    found = next((s for s in later if _bound_at(name, s)), None)
    if found is None or any(_bound_at(name, s) for s in here):
        return ""
    return (
        f"`{name}` (line {error.line}) is used in an earlier block than the one that makes it "
        f"(from line {found.first_line}); post them in the order in which they run, or as one"
    )


def _bound_at(name: str, snippet: Snippet, *, margin: bool = False) -> list[int]:
    """The lines that bind a name; with `margin` only those that stand in no function or branch."""
    indent = "" if margin else r"\s*"
    binds = re.compile(
        rf"^{indent}(?:async\s+)?(?:def|class)\s+{name}\b"
        rf"|^{indent}(?:\w+\s*,\s*)*{name}\s*(?:,[\s\w,]*)?=(?!=)"
        rf"|^{indent}(?:from\s.*)?import\s.*\b{name}\b"
    )
    lines = enumerate(snippet.code.splitlines(), start=snippet.first_line)
    return [n for n, line in lines if binds.match(line)]


# Errors of a name or an argument that a library has in some of its versions.
_OF_VERSIONS = (
    "unexpected_keyword",
    "module_attribute",
    "object_attribute",
    "missing_arguments",
    "import_name",
)


def _of_another_version(question: Question, run: JobResult) -> str:
    """That the run stops at a library of which another version is here than the post names.

    Who posts no error has none there: it is the version's, and what would mend it here would be
    wrong in theirs.
    """
    error = run.error
    if error is None or posted(question) is not None or not is_a(error, *_OF_VERSIONS):
        return ""
    imports = "\n".join([question.code, *run.assumptions])
    for library, names in _IMPORTED.findall(imports):
        version = re.search(rf"(?i)\b{library}[ =v]{{1,4}}\d+\.\d", question.text)
        used = any(re.search(rf"\b{n}\b", error.code) for n in (library, *_NAME.findall(names)))
        if version is not None and used and library != "torch":
            return (
                f"of `{library}` another version is installed here than the one that you name, "
                f"and with it the code stops at line {error.line}, which may well be right in yours"
            )
    return ""


_IMPORTED = re.compile(r"(?m)^\s*(?:from|import) (\w+)[\w.]*(?: import ([^\n#]+))?")
_NAME = re.compile(r"\w+")


def needs_gpu(run: JobResult) -> bool:
    """Whether it failed, or caught a failure, because there is no GPU where it ran."""
    errors = (run.error,) if run.error is not None else run.caught
    return run.env.device == "cpu" and any(is_a(e, *NO_GPU) for e in errors)


def _limit(run: JobResult) -> str:
    value = run.limit.value if run.limit else 0
    if run.outcome is Outcome.TIMEOUT:
        return _time_limit(run, run.limit.name if run.limit else "")
    if run.outcome is Outcome.OUT_OF_MEMORY:
        return (
            f"it was stopped when it held more than {value / 2**30:.1f} GiB of memory; make the "
            "tensors smaller"
        )
    if run.outcome is Outcome.OUTPUT_LIMIT:
        return f"it was stopped when it had printed more than {value / 2**20:.0f} MiB; print less"
    return ""


def _cut(run: JobResult) -> str:
    """That a training without a mistake was stopped before its end."""
    if run.cut is None or run.error is not None or any(f.mistake for f in run.findings):
        return ""
    losses = ""
    if len(run.cut.losses) == 2 and not (run.stand_ins or run.assumptions):
        losses = " (its loss went from {:.4g} to {:.4g})".format(*run.cut.losses)
    given = [f"`{s.name}`" for s in run.stand_ins if s.kind != MODULE]
    placeholders = f"with placeholders for {_listed(given)} " if given else ""
    return (
        f"{placeholders}{run.cut.steps} training steps ran without an error{losses}, then its time "
        "was up and it was stopped between two steps; what comes after them was not run"
    )


def _time_limit(run: JobResult, name: str) -> str:
    """Which time was up: only a program that computes for so long is asked to be smaller."""
    value = run.limit.value if run.limit else 0
    if name == "waiting_s":
        return (
            f"it had waited for {value:g} s without computing anything when it was stopped: for a "
            "sleep, a lock, an empty queue or another process"
        )
    if name == "ceiling_s":
        return (
            f"it was stopped after {value:g} s by the clock, in which it got only "
            f"{run.cpu_seconds:.1f} s of processor time: this machine is busy; ask again later"
        )
    of = " of processor time (the time of its imports not counted)" if name == "cpu_s" else ""
    return (
        f"it was stopped after {value:g} s{of}, when it had not finished; make it smaller (fewer "
        "steps, less data) until it still fails"
    )


def _completed(run: JobResult) -> str:
    """It ended well, but not with what its author has: that says nothing about their code."""
    theirs = [s for s in run.stand_ins if not s.exact]
    if not theirs or run.outcome is not Outcome.OK:
        return ""
    names = [f"`{s.name}`" for s in theirs]
    own = [f"`{s.name}`" for s in theirs if s.kind not in {"number", "device"}] or names
    return (
        f"with placeholders for {_listed(names)} it reaches its end and raises nothing up to "
        f"there; what it really does needs your {_listed(own)}: post "
        f"{'it' if len(own) == 1 else 'them'} too"
    )


_PLACES = {
    "needs_a_gpu": "your error is one of a real GPU, and there is none here",
    "needs_memory": "your error is one of a GPU's memory, and there is none here",
    "several_processes": "your error is one of several processes or GPUs, and here is one process",
}


def of_another_place(run: JobResult, why_not: str) -> str:
    """That code ended here without an error which this place cannot raise; empty if it can."""
    return _PLACES.get(why_not, "") if run.outcome is Outcome.OK else ""


# An import that was guessed from a name; what PyTorch and NumPy are called is no guess.
_GUESSED = re.compile(r"(?:import|from) (?!(?:torch|numpy)\b)")


def _only_as_assumed(question: Question, run: JobResult) -> str:
    """It ended without the posted error, and with data or imports that its author may not have."""
    if posted(question) is None or run.outcome is not Outcome.OK or run.caught:
        return ""
    guessed = [said for said in run.assumptions if _GUESSED.match(said)]
    if not guessed and not any(s.kind != MODULE for s in run.stand_ins):
        return ""
    named = f" ({_listed([f'`{said}`' for said in guessed[:3]])})" if guessed else ""
    return (
        f"with what was assumed here{named} it ends without your error, which may come of just "
        "that; post the whole file, or the whole traceback"
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _never_started(run: JobResult) -> str:
    if run.outcome in (Outcome.SETUP_ERROR, Outcome.UNAVAILABLE):
        return f"it could not be started: {run.detail}"
    return ""


def _lacking(run: JobResult, error: ErrorSeen, question: Question | None) -> str:
    at = f" (line {error.line})" if error.line else ""
    if error.type == "NameError" and (seen := read(error, "name_undefined")):
        # A name that the snippet does bind somewhere is a mistake of its own, and a real answer.
        if seen["name"] not in run.undefined:
            return ""
        if question is not None and is_a_slip(seen["name"], run, question.code):
            return ""
        if is_made_among_words(seen["name"], question):
            return f"`{seen['name']}`{at} {UNREAD}"
        return (
            f"`{seen['name']}`{at} is used but never defined in what you posted; post the part "
            "that makes it too, so that it can be run"
        )
    if run.explanation is not None and is_a(error, "module_not_installed"):
        return ""  # the package is installed and the module has gone from it: that is an answer
    if run.left_out is not None and run.left_out.name == "...":
        return elided(run.left_out, error)
    if run.left_out is not None:
        return _empty(run, run.left_out, f"{error.type}{at}")
    if error.type == "SystemExit" and "usage:" in run.stderr:
        return f"it wants command-line arguments{at}; put the values into the snippet"
    if error.type == "EOFError" and re.search(r"input|getpass", error.code):
        return f"it asks for input{at}, and nobody can type here; put a value in its place"
    compiled = read(error, "module_attribute")
    if compiled is not None and compiled["module"] == "torch._C":
        name = compiled["name"]
        if name not in error.code:  # they did not write it: torch asks for it
            return (
                f"it needs `{name}`{at}, compiled code that the PyTorch here, built for the CPU, "
                "has not; run it on a machine with a GPU"
            )
    if form := _of_another_form(run, error, at):
        return form
    if run.not_here is not None and run.not_here.kind != "path":
        return not_of_this_machine(run.not_here, error, at)
    if run.depends_on_stand_ins and is_a(error, "loss_range"):
        return (
            f"the numbers that stand for yours here do not lie between 0 and 1{at}, as the loss "
            "needs them; post the lines that make them too"
        )
    for families, clause in LACKS:
        if (seen := read(error, *families)) and (told := clause(seen, error, at)):
            return told
    if run.not_here is not None and not _is_a_folder_of_its_own(error):
        return not_of_this_machine(run.not_here, error, at)
    return ""


# What classes of networks of the hub end in; a class of the person's own lacks what it lacks.
_OF_THE_HUB = re.compile(r"(?:Model|LM|For[A-Z]\w+)$")


def _of_another_form(run: JobResult, error: ErrorSeen, at: str) -> str:
    """That a network whose form was guessed lacks what theirs may have."""
    guessed = [s for s in run.stand_ins if s.kind == "weights" and not s.exact]
    seen = read(error, "object_attribute")
    if not guessed or seen is None or not _OF_THE_HUB.search(seen["type"]):
        return ""
    return (
        f"a usual network is in the place of `{guessed[0].name}` here, and it has no "
        f"`{seen['name']}`{at}, which yours may have; post the whole traceback that you get"
    )


def _is_a_folder_of_its_own(error: ErrorSeen) -> bool:
    """Whether what is saved lacks no file, but a folder that the program could make."""
    seen = read(error, "folder_missing")
    return seen is not None and not re.match(r"[/~]|\w:", seen["folder"])


UNREAD = (
    "is made in a line that could not be read as code: it stands among words, or is broken; post "
    "it in a code block, one statement a line"
)


def is_made_among_words(name: str, question: Question | None) -> bool:
    """Whether what was not read as code has a line that makes a name."""
    makes = (
        rf"(?:^|[\s;]){re.escape(name)}\s{{0,3}}=(?!=)|\b(?:def|class)\s{{1,3}}{re.escape(name)}\b"
    )
    return question is not None and re.search(makes, question.text) is not None


def _empty(run: JobResult, left: LeftOut, error: str) -> str:
    """The empty body (or all that it may be), and what the live values say of the error."""
    bodies = (left, *left.also)
    named = _listed([f"`{b.name}` (line {b.line})" for b in bodies])
    told = f" ({run.explanation.text.rstrip('.')})" if run.explanation else ""
    if len(bodies) == 1:
        return (
            f"the body of {named} was left out, and {error} comes of that{told}; post it too, so "
            "that it can be run"
        )
    return (
        f"the bodies of {named} were left out, and {error} comes of one of them{told}; post them "
        "too, so that it can be run"
    )
