"""Rebuild the posted error: find what the post lacks until its code raises that very error.

Where no error was posted, find values for the names it lacks with which it runs to its end.

The search is one job of the jail (executor/inside/rebuild). What it writes is data: the glue that
it found is run once more, with all probes, and only that run decides whether the error is theirs.
"""

from __future__ import annotations

import base64
import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.diagnosis.own_error import posted
from bot.diagnosis.programs import Program, programs, quoted_line
from bot.messages.traceback_text import user_frames
from bot.models import PastedTraceback, Question
from executor.errors import are_of_one_type, is_a, is_written, same_family, same_numbers
from executor.protocol import (
    REBUILD_ORDER,
    REBUILT,
    ErrorSeen,
    File,
    Glue,
    Job,
    JobResult,
    Outcome,
    PostedError,
    PostedFrame,
    Probe,
    RebuildOrder,
    Rebuilt,
)
from executor.service.client import ExecutorClient

# All the code of a search job, behind the imports of the posted programs.
SEARCH = "from executor.inside.rebuild.search import search\nsearch()\n"
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_READ = re.compile(r"(?<![\w.])[A-Za-z_]\w*+(?!\s*\()")  # names, without what is called
_CALLED = re.compile(r"(?<![\w.])([A-Za-z_]\w*+)\s*\(")
_MOST_IMPORTS = 20
_TEXT = 8_000  # characters of the prose that are looked at for printed shapes
_WALL_S = 12.0
_SHOWN = 40  # characters of a line that was left out
_TO_END_S = 1.5  # of computing, where no error was posted: less is learnt from it
_TO_THE_LINE_S = 2.5  # … and a line is to be mended


@dataclass(frozen=True)
class Rebuild:
    """What a search gave: the run that raises the posted error, or why there is none."""

    run: JobResult | None = None
    job: Job | None = None
    exact: bool = False
    made_up: bool = False  # it rests on a property that the message does not name
    said: str = ""  # which part of the post it was that ran, where it was not all of it
    why_not: str = ""


async def rebuild(executor: ExecutorClient, question: Question, job: Job) -> Rebuild:
    """Search for what is missing, and run what was found.

    Args:
        executor: runs the search and the result.
        question: has a posted error.
        job: the code as it was posted.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    pasted = posted(question)
    if pasted is None or not pasted.message:
        return Rebuild(why_not="no_message")
    tried = programs(question, pasted)
    if not tried:
        return Rebuild(why_not="code_not_posted")
    found = read(await executor.run(search_job(order_of(question, pasted, tried), job)))
    if found.glue is None or not 0 <= found.program < len(tried):
        return Rebuild(why_not=found.why_not or "search_failed")
    program = tried[found.program]
    again = job.model_copy(
        update={
            "code": found.of(program.code),
            "glue": found.glue,
            "simulate": found.simulate,
            "stand_ins": False,
        }
    )
    run = await executor.run(again)
    if run.outcome is not Outcome.ERROR or run.error is None or not same_family(pasted, run.error):
        return Rebuild(why_not="not_confirmed")
    exact = same_numbers(pasted, run.error)
    added = _is_of_added_values(run.error, found.glue)
    from_message = program.alone or found.excerpt or added  # no code of theirs computed the values
    if _is_of_what_was_added(run, again, exact=exact) or (from_message and not exact):
        return Rebuild(why_not="not_found")
    # Of a line alone all values are the search's: a type that is not theirs, or an error that any
    # values raise, shows nothing of their code.
    by_itself = program.alone or not job.code.strip()
    tells_nothing = is_written(run.error) and not re.search(r"\d", pasted.message)
    if by_itself and (tells_nothing or not are_of_one_type(pasted, run.error)):
        return Rebuild(why_not="not_found")
    doubtful = found.made_up or program.alone or bool(found.left_out)
    # Any loss that says so wants of two tensors of these sizes the same.
    names_sizes = exact and is_a(pasted, "loss_sizes")
    doubtful |= added and not names_sizes and _is_called_of_added(run.error, found.glue)
    # … and the error came up with just these, whatever another block makes of them.
    elsewhere = is_changed_elsewhere(question.code, program.code, found.glue)
    doubtful |= elsewhere and not (added and names_sizes)
    left_out = _left_out(program.code, found.left_out, excerpt=found.excerpt)
    said = "; ".join(filter(None, (program.said, left_out)))
    return Rebuild(run, again, exact, doubtful, said)


def _left_out(code: str, lines: Sequence[int], *, excerpt: bool) -> str:
    """What was left out, as an assumption; empty if nothing was."""
    if excerpt:
        many = f"lines {_ranges(lines)} were" if len(lines) > 1 else f"line {lines[0]} was"
        return f"{many} left out: not all that is needed to run that was posted"
    shown = dict(enumerate(code.split("\n"), 1))
    named = [f"line {n} (`{shown.get(n, '').strip()[:_SHOWN]}`)" for n in lines]
    verb = "is" if len(lines) == 1 else "are"
    return f"{', '.join(named)} {verb} no Python: left out" if named else ""


def _ranges(lines: Sequence[int]) -> str:
    """`3-5, 9`."""
    firsts = [n for n in lines if n - 1 not in lines]
    lasts = [n for n in lines if n + 1 not in lines]
    return ", ".join(
        f"{first}-{last}" if last > first else str(first)
        for first, last in zip(firsts, lasts, strict=True)
    )


def _is_of_added_values(error: ErrorSeen, glue: Glue) -> bool:
    """Whether the failing expression works on nothing but values that the search put there."""
    names = set(_READ.findall(error.code)) - {"torch", "nn", "F"}
    return bool(names) and names <= {bound.name for bound in glue.before}


def is_changed_elsewhere(posted: str, code: str, glue: Glue) -> bool:
    """Whether posted code that was left out turns a value that the search put there into another.

    `y = y.view(-1)` in another block: what is run then meets `y` as it no longer is.
    """
    ran = code.split("\n")
    left_out = [s for n, s in enumerate(posted.split("\n")) if not "".join(ran[n : n + 1]).strip()]
    names = "|".join(re.escape(bound.name) for bound in glue.before)
    turned = re.compile(rf"\s{{0,40}}(?P<name>{names})\s{{0,9}}=\s{{0,9}}(?P=name)\.\w{{1,40}}\(")
    return bool(names) and any(turned.match(line) for line in left_out)


def _is_called_of_added(error: ErrorSeen, glue: Glue) -> bool:
    """Whether what the failing expression calls was put there by the search, too."""
    return not set(_CALLED.findall(error.code)).isdisjoint(bound.name for bound in glue.before)


def _is_of_what_was_added(run: JobResult, job: Job, *, exact: bool) -> bool:
    """Whether the error says more of what the search put there than of the posted code.

    A loss that it chose and calls itself raises errors of its own, and every gradient is None
    after the backward() of a loss that it made up.
    """
    error, glue = run.error, job.glue
    if error is None or glue is None:
        return False
    if error.line is None and not exact and any("criterion" in line for line in glue.after):
        return True
    if not is_a(error, "none_attribute") or ".grad" not in error.code:
        return False
    made = {bound.name for bound in glue.before}
    asked = set(re.findall(r"\b(\w+)\.backward\(", job.code))
    return bool(asked) and asked <= made


async def run_to_end(
    executor: ExecutorClient, question: Question, job: Job, reach: Sequence[int] = ()
) -> Rebuild:
    """Search for values of undefined names with which the code ends, and run it with them.

    What such a run raises is never the person's: only one that ends is given back.

    Args:
        executor: runs the search and the result.
        question: has no posted error.
        job: the code as it was posted.
        reach: lines that it has to come to; what the code only defines is called for that.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    order = RebuildOrder(
        code=job.code,
        error=PostedError(type="", message=""),
        text=question.text[:_TEXT],
        reach=tuple(reach),
        budget_s=_TO_THE_LINE_S if reach else _TO_END_S,
    )
    found = read(await executor.run(search_job(order, job)))
    if found.glue is None:
        return Rebuild(why_not=found.why_not)
    again = job.model_copy(
        update={"glue": found.glue, "simulate": found.simulate, "stand_ins": False}
    )
    run = await executor.run(again)
    if run.outcome is not Outcome.OK and not reach:
        return Rebuild(why_not="not_confirmed")
    return Rebuild(run, again)


def quotes_its_line(question: Question) -> bool:
    """Whether a traceback was posted without code, and quotes the line that failed."""
    pasted = posted(question)
    return not question.code.strip() and pasted is not None and bool(quoted_line(pasted))


async def rebuild_quoted(executor: ExecutorClient, question: Question) -> Rebuild:
    """Rebuild the error of a traceback that was posted without code, from the line it quotes.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    return await rebuild(executor, question, Job(code=""))


def order_of(
    question: Question, pasted: PastedTraceback, tried: Sequence[Program] | None = None
) -> RebuildOrder:
    """What a search goes by."""
    own = {id(frame) for frame in user_frames(pasted)}
    first, *others = programs(question, pasted) if tried is None else tried
    return RebuildOrder(
        code=first.code,
        others=tuple(program.code for program in others),
        error=PostedError(
            type=pasted.type,
            message=pasted.message,
            frames=tuple(
                PostedFrame(
                    file=frame.file, function=frame.function, code=frame.code, own=id(frame) in own
                )
                for frame in pasted.frames
            ),
        ),
        text=question.text[:_TEXT],
    )


def search_job(order: RebuildOrder, job: Job) -> Job:
    """The job that searches."""
    words = base64.b64encode(order.model_dump_json().encode(errors="replace")).decode()
    files = (File(name=REBUILD_ORDER, base64=words), *job.files)
    code = _imports(order) + SEARCH
    return Job(code=code, files=files, wall_s=_WALL_S, probes=(Probe.NONE,))


def _imports(order: RebuildOrder) -> str:
    """The programs' imports, once for all trials: a server that has the slow ones takes the job."""
    named = dict.fromkeys(_IMPORT.findall("\n".join((order.code, *order.others))))
    names = [name for name in named if name != "torch" and not keyword.iskeyword(name)]
    return "".join(
        f"try:\n    import {name}\nexcept BaseException:\n    pass\n"
        for name in names[:_MOST_IMPORTS]
    )


def read(result: JobResult) -> Rebuilt:
    """What the search wrote; a stranger's code ran in it, so it may be anything."""
    for file in result.files:
        if file.name == REBUILT:
            try:
                return Rebuilt.model_validate_json(base64.b64decode(file.base64))
            except ValueError:  # a ValidationError is one
                break
    return Rebuilt(why_not="search_failed")
