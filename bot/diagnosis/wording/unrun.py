"""Headlines where the posted code was not run to the error that was asked about."""

from __future__ import annotations

import sys

from bot.diagnosis.ask_back import ask_back
from bot.diagnosis.missing import UNREAD, is_made_among_words
from bot.diagnosis.own_error import is_unparsed, posted
from bot.diagnosis.posted_traceback import place
from bot.diagnosis.wording.phrases import (
    NAMES_TOLD,
    assumed,
    explanation,
    first_of,
    first_sentence,
    given_placeholders,
    in_short,
    raised_at,
    simulated,
)
from bot.models import PostedReading, Question
from bot.words import listed
from executor.errors import read
from executor.protocol import JobResult, Outcome
from knowledge.repair.mistake import Mistake
from knowledge.search.search import in_another_script

_OR_ITS_ERROR = "; post the part that fails"


def not_run(reason: str, run: JobResult, question: Question) -> str:
    """The headline when the snippet could not be run, and nothing is known of an error."""
    lacking = read(run.error, "name_undefined") if run.error is not None else None
    if lacking is not None and run.error is not None and lacking["name"] in run.undefined:
        at = f" (line {run.error.line})" if run.error.line else ""
        if is_made_among_words(lacking["name"], question):
            return f"Not run: `{lacking['name']}`{at} {UNREAD}."
        if lacking["name"] == "self":
            where = f"line {run.error.line}" if run.error.line else "it"
            return (
                f"Not run: {where} is a part of a method, and the class around it was not posted. "
                f"{_of_an_error(question) or 'Post it, and the lines that make and call it.'}"
            )
        others = [f"`{n}`" for n in run.undefined if n != lacking["name"]]
        also = ""
        if others:
            also = f"; nor {'is' if len(others) == 1 else 'are'} {listed(others[:NAMES_TOLD])}"
        them = "them" if others else "it"
        # What a placeholder stands for is no name that nothing defines.
        if given := [f"`{n}`" for n in given_placeholders(run)]:
            has = "has a placeholder" if len(given) == 1 else "have placeholders"
            also += f" ({listed(given[:NAMES_TOLD])} {has})"
        return (
            f"Not run: `{lacking['name']}`{at} is used but never defined in what you posted{also}. "
            f"{_of_an_error(question) or f'Post what makes {them}, and it is run here.'}"
        )
    if is_unparsed(run):
        return f"Could not run what was pasted: {reason}."
    if run.outcome is Outcome.OK:
        return f"Not run as you have it: {reason}."
    return f"Not run to its end: {_asks_for_more(reason, question)}."


def means(reading: PostedReading) -> str:
    """The headline of a posted error that no run raised: what it means, in its own numbers.

    Of several causes none is told as the cause.
    """
    causes = f" Usual causes: {reading.causes}." if reading.causes else ""
    return f"{reading.means.rstrip('.')}.{causes}"


def another_here(reading: PostedReading, wrong: Mistake, run: JobResult) -> str:
    """The headline where the run raised another error: the posted one first, then that."""
    assert wrong.error is not None
    said = first_sentence(wrong.error.message)
    told = f"{raised_at(wrong.error)}{f': {said}' if said else ''}"
    live = explanation(wrong, run)
    return (
        f"{means(reading)} What the posted code raises here{simulated(run)} is another error: "
        f"{told}.{f' {first_of(live)}' if live else ''}{assumed(run)}"
    )


def needed(reason: str, run: JobResult, question: Question) -> str:
    """Why the posted code was not run to its error, and what to post: one line, names listed."""
    lacking = (n for n in run.undefined if n not in sys.stdlib_module_names)
    names = [f"`{name}`" for name in (*lacking, *given_placeholders(run))][:NAMES_TOLD]
    error = run.error
    if names and error is not None and error.type == "NameError":
        return f"Not run: to have it run here, post what makes {listed(names)} too."
    ended = run.outcome is Outcome.OK
    how = "Not run as you have it" if ended else "Not run to its end"
    return f"{how}: {_asks_for_more(reason, question)}."


def _asks_for_more(reason: str, question: Question) -> str:
    """Why it was not run, without asking for the traceback that was posted."""
    pasted = posted(question)
    return reason.partition(_OR_ITS_ERROR)[0] if pasted and pasted.frames else reason


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


def unsure(question: Question) -> str:
    """The headline when nothing is known: what was seen, and one question back."""
    if question.traceback is not None:
        named = in_short(question.traceback)
        at = place(question.traceback)
        return (
            f"Not sure: nothing I know explains {at if question.traceback.frames else named}. "
            f"{ask_back(question)}"
        ).rstrip()
    return f"Not sure: nothing I know fits well enough. {ask_back(question)}".rstrip()


def _of_an_error(question: Question) -> str:
    """What is asked about a posted error, or of prose that is not read; of others what is lacking
    says more.
    """
    asks = posted(question) is not None or in_another_script(question.text)
    return ask_back(question) if asks else ""
