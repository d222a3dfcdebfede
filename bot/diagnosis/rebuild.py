"""Rebuild the posted error: find what the post lacks until its code raises that very error.

Where no error was posted, find values for the names it lacks with which it runs to its end.

The search is one job of the jail (executor/inside/rebuild). What it writes is data: the glue that
it found is run once more, with all probes, and only that run decides whether the error is theirs.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from bot.diagnosis.own_error import posted
from bot.messages.traceback_text import user_frames
from bot.models import PastedTraceback, Question
from executor.errors import same_family, same_numbers
from executor.protocol import (
    REBUILD_ORDER,
    REBUILT,
    File,
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

# All the code of a search job.
SEARCH = "from executor.inside.rebuild.search import search\nsearch()\n"
_TEXT = 8_000  # characters of the prose that are looked at for printed shapes
_WALL_S = 12.0
_TO_END_S = 1.5  # of computing, where no error was posted: less is learnt from it


@dataclass(frozen=True)
class Rebuild:
    """What a search gave: the run that raises the posted error, or why there is none."""

    run: JobResult | None = None
    job: Job | None = None
    exact: bool = False
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
    found = read(await executor.run(search_job(question, pasted, job)))
    if found.glue is None:
        return Rebuild(why_not=found.why_not)
    again = job.model_copy(
        update={"glue": found.glue, "simulate": found.simulate, "stand_ins": False}
    )
    run = await executor.run(again)
    if run.outcome is not Outcome.ERROR or run.error is None or not same_family(pasted, run.error):
        return Rebuild(why_not="not_confirmed")
    return Rebuild(run, again, same_numbers(pasted, run.error))


async def run_to_end(executor: ExecutorClient, question: Question, job: Job) -> Rebuild:
    """Search for values of undefined names with which the code ends, and run it with them.

    What such a run raises is never the person's: only one that ends is given back.

    Args:
        executor: runs the search and the result.
        question: has no posted error.
        job: the code as it was posted.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    order = RebuildOrder(
        code=job.code,
        error=PostedError(type="", message=""),
        text=question.text[:_TEXT],
        budget_s=_TO_END_S,
    )
    found = read(await executor.run(_job(order, job)))
    if found.glue is None:
        return Rebuild(why_not=found.why_not)
    again = job.model_copy(update={"glue": found.glue, "stand_ins": False})
    run = await executor.run(again)
    return Rebuild(run, again) if run.outcome is Outcome.OK else Rebuild(why_not="not_confirmed")


def search_job(question: Question, pasted: PastedTraceback, job: Job) -> Job:
    """The job that searches."""
    own = {id(frame) for frame in user_frames(pasted)}
    order = RebuildOrder(
        code=job.code,
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
    return _job(order, job)


def _job(order: RebuildOrder, job: Job) -> Job:
    words = base64.b64encode(order.model_dump_json().encode(errors="replace")).decode()
    files = (File(name=REBUILD_ORDER, base64=words), *job.files)
    return Job(code=SEARCH, files=files, wall_s=_WALL_S, probes=(Probe.NONE,))


def read(result: JobResult) -> Rebuilt:
    """What the search wrote; a stranger's code ran in it, so it may be anything."""
    for file in result.files:
        if file.name == REBUILT:
            try:
                return Rebuilt.model_validate_json(base64.b64decode(file.base64))
            except ValueError:  # a ValidationError is one
                break
    return Rebuilt(why_not="search_failed")
