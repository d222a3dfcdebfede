"""Decide whether an error of the run is the one that the person asks about."""

from __future__ import annotations

import re
from itertools import pairwise

from bot.messages.traceback_text import find_bare_errors
from bot.models import PastedTraceback, Question
from executor.errors import (
    HasMessage,
    are_opposite,
    families_of,
    family_of,
    is_a,
    raised_by_a_worker,
    read,
    same_family,
)
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.signature import signature

# Kinds of errors that come from the place or from how something was pasted, unless the person
# asks about that very error.
NO_GPU = ("cuda_not_compiled", "gpu_missing")
UNPARSED = ("SyntaxError", "IndentationError", "TabError")

_ABOUT_SYNTAX = re.compile(
    r"\b(?:Syntax|Indentation|Tab)Error\b|invalid syntax|unexpected indent|\bindent", re.IGNORECASE
)
_ABOUT_AN_ERROR = re.compile(
    r"\b(?:errors?|exceptions?|fail|rais|crash|throw|complain|problem|wrong|broken|bug|fix|help"
    r"|doesn't|does not|won't|can't|cannot|why)",
    re.IGNORECASE,
)
_SYMPTOM = re.compile(
    r"\b(?:wrong|bad|different|same|random) (?:predictions?|results?|outputs?|answers?)\b"
    r"|\b(?:loss|accuracy)\b[^.?!]{0,40}\b(?:stays?|stuck|constant|drops?|decreas\w+|improv\w+"
    r"|chang\w+|increas\w+|goes)\b|(?:\bnot|n't|\bnever) (?:learn|train|converge|improve)",
    re.IGNORECASE,
)
_RAISED = re.compile(
    r"\w(?:Error|Exception|Warning)\b|\b(?:errors?|exceptions?|warnings?|raises?|raised|crash\w*"
    r"|complain\w*|refuse\w*|fail\w*|throws?|says?)\b"
)
# Words with which people say that something was raised, or that they want whatever it is mended.
_REPORTS = re.compile(
    r"\w(?:Error|Exception)\b|\b(?:errors?|exceptions?|traceback|raises?|raised|crash\w*|fail\w*"
    r"|throws?|thrown|complain\w*|refuses?|rejects?|fix|help|bug\w*|broken)\b"
    r"|\b(?:doesn't|does not|don't|won't|cannot|can't|not) (?:work|run|start|compile)"
    r"|\bwhat(?:'s| is| am I doing)\b[^.?!]{0,20}\bwrong\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:how|what|which|why|when|where|whether|is|are|does|do|can|could|should|would)\b[^?]*\?"
    r"|\bhow\s+to\b|\bwonder\w*\b",
    re.IGNORECASE,
)
# Words that say that something was raised, or did not run.
_NAMES = re.compile(
    r"\w(?:Error|Exception|Warning)\b|\b(?:errors?|exceptions?|traceback|rais\w+|crash\w*|fail\w*"
    r"|throws?|thrown|complain\w*|refuses?|rejects?|except|stack ?trace|exits?|stops?|breaks?)\b"
    r"|\b(?:doesn't|does not|don't|won't|cannot|can't|not|isn't) (?:\w+ )?(?:work|run"
    r"|start|compile|possible|allowed|support)",
    re.IGNORECASE,
)
_WORDS_OF = re.compile(r"[a-z_]+")
_PIECE = 300  # characters of a message that are looked for in the words
_LONG = 4  # letters of two words side by side that make a piece of it
_RUN = 4  # words side by side that do so, however long they are
_FEWEST = 6  # words that tell of something
# What should come out, or should not: of code that does something, and not what is meant.
_EXPECTS = re.compile(
    r"\b(?:should(?:n't| not)|supposed to|expected (?:behaviou?r|results?|outputs?|values?)|"
    r"instead of|unexpected (?:results?|outputs?|values?|behaviou?r))\b",
    re.IGNORECASE,
)
_SHOWN = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_OF_NUMBERS = re.compile(r"^[^A-Za-z\n]*\d[^A-Za-z\n]*$", re.MULTILINE)  # lines without words
_LINES_PRINTED = 2
_LINE = 600  # characters of a line that may be a message
_LEAST_CUT = 20  # characters of a message that was cut off and still tells which one it is


def posted(question: Question) -> PastedTraceback | None:
    """The error that was pasted; None if there is none, or if it says neither type nor message."""
    pasted = question.traceback
    return pasted if pasted is not None and (pasted.type or pasted.message) else None


def of_a_comment(question: Question) -> PastedTraceback | None:
    """The first error that a comment of the code writes down, where none was posted beside it."""
    if posted(question) is not None:
        return None
    comments = [line.partition("#")[2].strip() for line in question.code.split("\n") if "#" in line]
    found = (place.traceback for place in find_bare_errors(comments))
    return next((error for error in found if families_of(error.type, error.message)), None)


def is_posted(pasted: HasMessage, error: HasMessage) -> bool:
    """Whether an error is the one that was posted; of one whose message was cut off, the type.

    Of a loader's worker, the error in it is compared: a shuffle asks for another sample each time.
    """
    if not pasted.message.strip():
        return _kind(pasted) == _kind(error)
    return same_family(pasted, error) or same_family(
        raised_by_a_worker(pasted), raised_by_a_worker(error)
    )


def same_kind(one: HasMessage, other: HasMessage) -> bool:
    """Whether two errors are of one family; of those that none knows, whether they read alike."""
    if is_posted(one, other):
        return True
    if are_opposite(one, other):
        return False
    mine, others = families_of(one.type, one.message), families_of(other.type, other.message)
    if mine and others:
        return mine[0].id in {s.id for s in others} or others[0].id in {s.id for s in mine}
    a, b = _signature(one), _signature(other)
    if a == b:
        return True
    shorter, longer = sorted((a, b), key=len)
    return len(shorter) >= _LEAST_CUT and longer.startswith(shorter)


def is_another(question: Question, error: HasMessage | None) -> bool:
    """Whether the run's error is another one than the person pasted."""
    pasted = posted(question)
    return pasted is not None and error is not None and not same_kind(pasted, error)


def also_posted(question: Question, error: HasMessage | None) -> PastedTraceback | None:
    """The run's error as the words tell it too, where another one was taken for the posted one.

    "error: … not have been used in the graph. With allow_unused=True -> TypeError: …": the code
    raises the first, and the second came of an attempt to mend it.
    """
    if error is None or not is_another(question, error):
        return None
    family = family_of(error.type, error.message)
    if family is None:
        return None
    for line in question.text.splitlines():
        told = PastedTraceback(type=error.type, message=line[:_LINE].strip())
        seen = read(told, family.id)
        if seen is not None and seen.span[1] - seen.span[0] >= _LEAST_CUT:
            return told.model_copy(update={"text": told.message})
    return None


def asks_about(question: Question | None, error: HasMessage) -> bool:
    """Whether the person asks about this error, which else would come from the place."""
    if question is None:
        return False
    pasted = posted(question)
    if is_a(error, *NO_GPU):
        quoted = PastedTraceback(type="", message=question.text)
        return any(is_a(said, *NO_GPU) for said in (pasted, quoted) if said is not None)
    if _kind(error) in UNPARSED:
        asked = _ABOUT_SYNTAX.search(question.text) is not None
        return asked or (pasted is not None and _kind(pasted) in UNPARSED)
    for id, name in (("name_undefined", "name"), ("launcher_variable", "variable")):
        here, there = read(error, id), read(pasted, id) if pasted is not None else None
        if here is not None and there is not None and here[name] == there[name]:
            return True
    return False


def asks_about_no_gpu(question: Question, run: JobResult) -> bool:
    """Whether the run failed for want of a GPU, and the person asks about just that."""
    errors = (run.error,) if run.error is not None else run.caught
    return any(is_a(e, *NO_GPU) and asks_about(question, e) for e in errors)


def asks_about_an_error(question: Question) -> bool:
    """Whether the words around the code speak of something that goes wrong."""
    return _ABOUT_AN_ERROR.search(question.text) is not None


def tells_of_a_symptom(question: Question) -> bool:
    """Whether the words tell of results that are wrong, and of no error that was raised."""
    return bool(_SYMPTOM.search(question.text)) and not _RAISED.search(question.text)


def reports_no_error(question: Question) -> bool:
    """Whether a post asks something, or tells of results, and speaks of no error at all.

    Then an error of our run may be of what was pasted, and not what they ask about. Code without
    such words is posted to have its error explained.
    """
    if posted(question) is not None or _REPORTS.search(question.text):
        return False
    told = (_SYMPTOM, _ASKS, _EXPECTS)
    return any(words.search(question.text) for words in told)


def speaks_of_an_error(question: Question) -> bool:
    """Whether an error was posted, or the words say that something was raised."""
    return posted(question) is not None or _RAISED.search(question.text) is not None


def names_no_error(question: Question) -> bool:
    """Whether the words around code speak of other things than an error, so far as they are told.

    Then what our run raises may be of the paste, of this machine or of today's libraries.
    """
    if posted(question) is not None or _NAMES.search(question.text):
        return False
    return len(question.text.split()) >= _FEWEST


def quotes(question: Question, error: HasMessage | None) -> bool:
    """Whether the words around code hold a piece of an error's message, or its type."""
    if error is None:
        return False
    text = " ".join(_WORDS_OF.findall(question.text.lower()))
    words = _WORDS_OF.findall(error.message[:_PIECE].lower())
    pieces = {f"{a} {b}" for a, b in pairwise(words) if min(len(a), len(b)) >= _LONG}
    pieces |= {" ".join(words[n : n + _RUN]) for n in range(len(words) - _RUN + 1)}
    return error.type.lower() in text or any(piece in text for piece in pieces)


def shows_what_it_printed(
    question: Question, error: ErrorSeen | Caught | None, run: JobResult
) -> bool:
    """Whether a post names no error and shows what its code printed, where our run printed nothing.

    So it went further there: the error is of today's libraries, of the paste or of this machine.
    """
    if posted(question) is not None or error is None or error.line is None or run.stdout.strip():
        return False
    lines = question.code.split("\n")
    prints = error.line <= len(lines) and "print" in lines[error.line - 1]
    shown = _SHOWN.findall(question.text)
    return prints and any(len(_OF_NUMBERS.findall(block)) >= _LINES_PRINTED for block in shown)


def is_unparsed(run: JobResult) -> bool:
    """Whether the snippet itself is no Python, so that none of it ran."""
    return run.error is not None and run.error.type in UNPARSED and not run.frames


def _kind(error: HasMessage) -> str:
    return error.type.rpartition(".")[2]


def _signature(error: HasMessage) -> str:
    return signature(_kind(error) or None, error.message)
