"""Find an error that was posted without its type: "…fails with 'mat1 and mat2 shapes cannot…'".

Only the catalogue of errors tells such a message from a sentence, and only a message whose wording
is of one narrow family counts. It is looked for where messages are put: in the title, in quotation
marks or backticks, and in lines that stand apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.messages.traceback_text import find_bare_error, within_quotes
from bot.models import PastedTraceback
from executor.errors import all_families, read

_QUOTED = re.compile(r"[`\"“‘]{1,3}([^`\"“”‘’\n]{12,600})[`\"”’]")
_WARNING = re.compile(r"\b([A-Z]\w{0,40}Warning): {0,3}")
_OPENED = re.compile(r"(?:^|\s)(['‘])[^'‘’]{0,60}$")
_APART = re.compile(r"(?: {4,}|\t|\s{0,3}>|\s*`)")
_LATER = re.compile(
    r"\b(?:got|get|getting|gives?|gave|raises?|throws?|have|had|see|saw|shows?|faced?|facing"
    r"|there(?:'s| is| was)) (?:me )?(?:now )?(?:a new|another|a different|the next|a second)"
    r" error",
    re.IGNORECASE,
)
_EARLIER = re.compile(r"\b(?:before|previous\w*|earlier|formerly|at first|first)\b", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.,;!?)](?=\s|$)")
_TRIMMED = '`*_"“”‘’ \t>'
_LONGEST = 600  # characters of a message that stands in a line
_SHORTEST = 16  # characters of a wording: "zero elements" is also what people say
_SHORTEST_IN_PROSE = 40  # of one in a line of prose, which nobody puts so in words of his own
_MOST = 60  # places that are looked at


def find_untyped_error(prose: Sequence[str], output: Sequence[str]) -> PastedTraceback | None:
    """Find the first message that the catalogue knows, with the type it is raised with today.

    Args:
        prose: the message's prose, its title first.
        output: lines of fences that hold no code.
    """
    for number, (text, is_title, shortest) in enumerate(_candidates(prose, output)):
        if number == _MOST:
            return None
        for family in all_families():
            if family.breadth > 0 or family.typed:
                continue
            seen = family.read("", text)
            if seen is None or seen.span[1] - seen.span[0] < shortest:
                continue
            # "Why do I get 'list index out of range' in my loop?"
            opened = _OPENED.search(text[: seen.span[0]])
            if opened:
                message = within_quotes(opened[1], text[opened.end(1) :])
            elif shortest == _SHORTEST_IN_PROSE:
                message = _clause(text, *seen.span)
            else:
                message = text[seen.span[0] :] if is_title else text
            type_ = family.types[0]
            if warned := _WARNING.search(text[: seen.span[0]]):
                type_, message = warned[1], text[warned.end() :]
            return PastedTraceback(type=type_, message=message, text=message)
    return None


def _clause(text: str, start: int, end: int) -> str:
    """A message within a sentence, up to where a clause ends that is in no brackets."""
    for ends in _CLAUSE_ENDS.finditer(text, end):
        message = text[start : ends.start()]
        if message.count("(") <= message.count(")"):
            return message
    return text[start:]


def find_later_error(prose: Sequence[str]) -> PastedTraceback | None:
    """Find the error that a post says came up after the one that it began with.

    "Then I added detach(), but I got a new error showing …": that one is asked about now.
    """
    for number, line in enumerate(prose):
        found = _LATER.search(line[:8000])
        if found is not None and not _EARLIER.search(line[: found.start()][-80:]):
            rest = [line[found.end() :], *prose[number + 1 :]]
            typed = find_bare_error(rest)
            return typed.traceback if typed is not None else find_untyped_error(rest, ())
    return None


def find_warning_in_title(prose: Sequence[str]) -> PastedTraceback | None:
    """Find the warning that a message is about: its title names it."""
    title = next((line for line in prose if line.strip()), "")
    found = _WARNING.search(title[:_LONGEST])
    if found is None or not (message := title[found.end() : _LONGEST].rstrip(_TRIMMED)):
        return None
    return PastedTraceback(type=found[1], message=message, text=message)


def _candidates(prose: Sequence[str], output: Sequence[str]) -> Iterator[tuple[str, bool, int]]:
    """The places where a message may be, whether each is a whole title, its shortest wording."""
    title = next((line for line in prose if line.strip()), "")
    for quoted in _QUOTED.findall(title):
        yield quoted, False, _SHORTEST
    if len(title) <= _LONGEST:
        yield _trimmed(title, _TRIMMED + "#"), True, _SHORTEST
    for line in prose:
        if _APART.match(line) and len(line) <= _LONGEST and " " in line.strip():
            yield _trimmed(line), False, _SHORTEST
        elif '"' in line or "`" in line or "“" in line:
            for quoted in _QUOTED.findall(line[:8000]):
                yield quoted, False, _SHORTEST
    for line in output:
        if len(line) <= _LONGEST and " " in line.strip():
            yield line.strip(), False, _SHORTEST
    for line in prose:
        if not _APART.match(line) and len(line) <= _LONGEST and len(line) > _SHORTEST_IN_PROSE:
            yield _trimmed(line), False, _SHORTEST_IN_PROSE


def _trimmed(line: str, characters: str = _TRIMMED) -> str:
    """The line without what decorates it, and with a quote of its own at the end."""
    text = line.strip(characters)
    closes = line.rstrip().endswith('"') and text.count('"') % 2 == 1
    return f'{text}"' if closes else text


def missing_name(error: PastedTraceback) -> str:
    """The name that an error calls undefined, "" where it is about something else."""
    seen = read(error, "name_undefined", "local_unbound")
    return seen["name"] if seen is not None else ""
