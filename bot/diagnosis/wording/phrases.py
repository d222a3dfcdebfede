"""What a run showed, in the words that several headlines share."""

from __future__ import annotations

import re

from bot.models import PastedTraceback
from bot.words import listed
from executor.errors import read_words
from executor.protocol import GLUED, MODULE, RESOURCES, Caught, ErrorSeen, Finding, JobResult
from knowledge.repair.mistake import Mistake

_LAST_RESORT = "live"  # the explanation that only lists what the line worked on
NAMES_TOLD = 6  # names that are asked for, at most


def in_short(pasted: PastedTraceback) -> str:
    said = first_sentence(pasted.message)
    return ": ".join(part for part in (pasted.type, said) if part)


def explanation(wrong: Mistake, run: JobResult) -> str:
    """What live values say about the error, the one that the snippet caught too; or nothing."""
    seen = wrong.error.explanation if isinstance(wrong.error, Caught) else run.explanation
    if seen is None or wrong.error is None:
        return ""
    words = read_words(wrong.error) if seen.family == _LAST_RESORT else None
    return f"{words.means}. {seen.text}" if words is not None and words.is_specific else seen.text


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


def as_assumed(run: JobResult) -> str:
    """Under which condition a fix of a rebuilt error holds; empty where nothing was made up."""
    if not is_rebuilt(run):
        return ""
    made_up = [s for s in run.stand_ins if not s.name.startswith("_")]
    if not made_up:
        return ", if what was not posted is as assumed"
    named = [f"`{s.name}`" for s in made_up[:NAMES_TOLD]]
    if len(made_up) > NAMES_TOLD:
        named.append(f"{len(made_up) - NAMES_TOLD} more")
    if len(made_up) == 1:
        return f", if {named[0]} is as assumed ({made_up[0].what})"
    return f", if {listed(named)} are as assumed"


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


def shortened(code: str) -> str:
    return code if len(code) <= 80 else f"{code[:79]}…"


def given_placeholders(run: JobResult) -> list[str]:
    """The names that were given a placeholder, but numbers, devices and what changes nothing.

    Nor modules that are not installed, files and weights: these nobody defines.
    """
    as_good = {"number", "device", "nothing", MODULE, *RESOURCES}
    return [s.name for s in run.stand_ins if s.kind not in as_good]


def device_of(run: JobResult) -> str:
    if run.env.device == "cpu":
        return "CPU"
    return "a simulated CUDA device" if simulated(run) else run.env.device


def simulated(run: JobResult) -> str:
    return " (simulated device)" if run.env.device.startswith("simulated") else ""


def raised_at(error: ErrorSeen | Caught) -> str:
    line = f" at line {error.line}" if error.line else ""
    caught = ", which your own except takes" if isinstance(error, Caught) else ""
    return f"{error.type}{line}{caught}"


def first_finding(run: JobResult, wrong: Mistake) -> str:
    return next(iter(findings_of(run, wrong)), "")


def findings_of(run: JobResult, wrong: Mistake) -> list[str]:
    """A mistake's findings in words, the first of each kind."""
    first: dict[str, str] = {}
    for f in run.findings:
        if (f.kind, f.name) in wrong.findings:
            first.setdefault(f.kind, told_with_line(f))
    return list(first.values())


def told_with_line(f: Finding) -> str:
    said = f.line is None or f"line {f.line} " in f.message
    line = "" if said else f" (line {f.line})"
    name = f"`{f.name}`"
    if line and name not in f.message:
        return f"{f.message.rstrip('.')}{line}"
    return f.message.replace(name, name + line, 1).rstrip(".")


def first_of(text: str) -> str:
    """The first sentence of an explanation, whole: it ends before one that begins anew."""
    return re.split(r"(?<=\.) (?=[A-Z`])", text)[0]


def first_sentence(message: str) -> str:
    first = re.split(r"(?<=[\w\])])\. |\n", message.strip())[0].rstrip(".:")
    return first if len(first) <= 160 else first[:159] + "…"
