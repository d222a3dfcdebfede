"""Turn a pasted message into a Question: its code, its traceback, its versions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.errors import QuestionError
from bot.messages.attachments import (
    MAX_ATTACHMENT_BYTES,
    MAX_MESSAGE_BYTES,
    MIB,
    NOTEBOOK_SUFFIXES,
    PYTHON_SUFFIXES,
    READABLE,
    TEXT_SUFFIXES,
    Attachment,
    as_file,
    decode,
    looks_binary,
    refuse_oversize,
)
from bot.messages.chat_markup import PLAIN, ChatMarkup, as_seen
from bot.messages.fences import MessagePart, split_fences
from bot.messages.follow_up import came_first, is_a_follow_up
from bot.messages.indentation import dedent, end_what_is_cut, fit, only_methods, open_class
from bot.messages.kinds import is_diff, mentions_picture
from bot.messages.notebook import read_attached_notebook
from bot.messages.order import in_order_of_use
from bot.messages.printed import part_printed
from bot.messages.python_lines import Shape, shape_of, walk
from bot.messages.snippets import Cleaned, clean_file, clean_paste
from bot.messages.stray import leave_out
from bot.messages.traceback_text import (
    Found,
    find_bare_error,
    find_bare_errors,
    find_tracebacks,
    find_warnings,
    longest_wording,
    only_type_named,
    user_frames,
)
from bot.messages.unfenced import find_code, looks_like_python, trailing_prose
from bot.messages.untyped_error import (
    find_later_error,
    find_untyped_error,
    find_warning_in_title,
    missing_name,
)
from bot.messages.versions import machine_in, versions_in
from bot.messages.web_markup import find_marked, without_comments
from bot.models import PastedTraceback, Question, Snippet
from executor.protocol import File

__all__ = ["MAX_ATTACHMENT_BYTES", "MAX_MESSAGE_BYTES", "Attachment", "read_message", "user_frames"]

_LONGEST_LOG = 8_000  # characters of a log without code or error that are still worth searching
# Whoever asks about the syntax asks about the code exactly as it is.
_ABOUT_SYNTAX = re.compile(
    r"\b(?:Syntax|Indentation|Tab) ?Error|unexpected indent|\bunindent|invalid syntax",
    re.IGNORECASE,
)
_MOVED = "code that was posted after its use was put before it"
_PICTURE = "a picture is mentioned; pictures cannot be read, only text"
_PRINTED = "what was printed stood among the code and was taken out of it"
_DIFF = "a diff is no program and was not run"
_NEXT_STEP = "post the code that fails, or the whole traceback"

_ERROR_BELOW = re.compile(r"\s*(?:[\w.]{1,80}(?:Error|Exception)\b|[~^]{3,})")
_QUOTED_LINES = 3  # of a program, beside it


def read_message(
    text: str, files: Sequence[Attachment] = (), markup: ChatMarkup = PLAIN
) -> Question:
    """Understand one message.

    Args:
        text: what was posted, as the platform's API gives it.
        files: its attachments; .py and .ipynb are code, .log and .txt are read, others carried.
        markup: the escapes and mentions to undo.

    Returns:
        A Question whose code has exactly the lines that were posted, in the order they were.

    Raises:
        QuestionError: too large, binary, malformed or empty; the text says what to do about it.
    """
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_MESSAGE_BYTES:
        raise QuestionError(
            f"This message has {size / MIB:.1f} MiB, more than the {MAX_MESSAGE_BYTES // MIB} MiB "
            "that I read; attach it as a file or cut it down to the smallest part that fails"
        )
    if looks_binary(text):
        raise QuestionError(f"This message is binary data, not text; {_NEXT_STEP} as text")

    seen = as_seen(text, markup)
    reading = _Reading(markup, seen, mends=not _ABOUT_SYNTAX.search(seen))
    for block in split_fences(without_comments(seen.split("\n"))):
        for part in [block] if block.fenced else find_marked(block.lines):
            if part.fenced:
                reading.fence(part)
            else:
                reading.prose(part.lines)
    for attachment in files:
        reading.attachment(attachment)
    return reading.question()


@dataclass
class _Reading:
    """The parts of a Question found so far."""

    markup: ChatMarkup
    message: str
    mends: bool = True  # code that Python refuses as it was pasted, where that is not the question
    text: list[str] = field(default_factory=list)
    snippets: list[Snippet] = field(default_factory=list)
    tracebacks: list[PastedTraceback] = field(default_factory=list)
    bare: list[PastedTraceback] = field(default_factory=list)  # errors without frames
    output: list[str] = field(default_factory=list)  # lines of fences without code
    files: list[File] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def question(self) -> Question:
        """The finished Question."""
        text = _tidy(self.text)
        if not (text or self.snippets or self.tracebacks or self.bare or self.files):
            raise QuestionError(f"There is nothing to read in this message; {_NEXT_STEP}")
        traceback = self._posted_error()
        undefined = missing_name(traceback) if traceback else ""
        snippets, moved = in_order_of_use(_without_quoted(self.snippets), unless=undefined)
        if moved:
            self.notes.append(_MOVED)
        if traceback is None and not snippets and mentions_picture(self.message):
            self.notes.append(_PICTURE)
        return Question(
            text=text,
            snippets=tuple(snippets),
            traceback=traceback,
            files=tuple(self.files),
            versions=versions_in(text, self.message),
            machine=machine_in(text, self.message),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _posted_error(self) -> PastedTraceback | None:
        """The last traceback; an error line completes one whose end is missing, or is the error."""
        if not self.tracebacks and (now := find_later_error(self.text)) is not None:
            return now
        bare = longest_wording(self.bare)
        pasted = _last_with_all_text(self.tracebacks)
        if pasted is not None and is_a_follow_up(pasted):
            first = came_first(pasted) or bare
            return first or find_untyped_error(self.text, self.output) or pasted
        if pasted is not None and pasted.type:
            if pasted.message or bare is None or bare.type != pasted.type:
                return pasted
            return _completed(pasted, bare)
        if pasted is not None:  # the last one was cut, and an error line stands above it
            inside = find_bare_errors(pasted.text.split("\n"), among_code=True)
            bare = bare or longest_wording([found.traceback for found in inside])
        bare = bare or find_untyped_error(self.text, self.output)
        bare = bare or (find_warning_in_title(self.text) if pasted is None else None)
        if pasted is not None and bare is None:
            return pasted.model_copy(update={"type": only_type_named(self.text)})
        if pasted is None or bare is None:
            return bare
        return _completed(pasted, bare)

    def fence(self, block: MessagePart) -> None:
        """Classify the content of a fence: code, traceback or output."""
        lines, swallowed = block.lines, []
        if not block.closed:
            prose_from = trailing_prose(lines)
            lines, swallowed = lines[:prose_from], lines[prose_from:]
            while swallowed and lines and not lines[-1].strip():
                lines.pop()
        found = _tracebacks_outside_strings(lines)
        self.tracebacks += [f.traceback for f in found]
        if block.is_python or block.is_unsaid:
            rest, printed = part_printed(_blanked(lines, [*found, *find_warnings(lines)]))
            says_code = block.is_python and (not found or _has_code(rest))
            if says_code or (looks_like_python(rest) and _has_code(rest)):
                cleaned = self._cleaned(
                    _without_end(rest) if printed else rest, never_closed=not block.closed
                )
                self._snippet(cleaned, block.tag)
                self._printed(printed)
                if not cleaned.code.strip():
                    self._output(_without(lines, found), block)  # `!pip install …` alone
            elif found:
                self.prose(_without(lines, found))
            elif any(line.strip() for line in lines):
                self._output(lines, block)
        else:
            self._output(_without(lines, found), block)
        self.prose(swallowed)

    def _printed(self, lines: Sequence[str]) -> None:
        """Keep what stood below a program in its fence, and was printed by it."""
        if any(line.strip() for line in lines):
            self.notes.append(_PRINTED)
            self.text += ["```", *lines, "```", ""]

    def _cleaned(self, lines: Sequence[str], *, never_closed: bool = False) -> Cleaned:
        """Code that runs, with the indentation it needs."""
        cleaned = clean_paste(lines)
        if not self.mends:
            return cleaned
        python, stray = leave_out(cleaned.code.split("\n"))
        fitted, refused = fit(python)
        ended, cut = end_what_is_cut(fitted, never_closed)
        notes = (*cleaned.notes, *(note for note in (stray, refused, cut) if note))
        methods = only_methods(ended)
        if self.snippets and methods:
            column, names = open_class(self.snippets[-1].code.split("\n"))
            if column and column == dedent(lines)[1] and not names & methods:
                ended = [" " * column + line if line.strip() else line for line in ended]
        return Cleaned("\n".join(ended), notes)

    def _output(self, lines: Sequence[str], block: MessagePart) -> None:
        """Keep a fence that is not Python in the prose, unchanged."""
        self.bare += [bare.traceback for bare in find_bare_errors(lines)]
        self.output += lines
        if is_diff(lines, block.tag):
            self.notes.append(_DIFF)
        if any(line.strip() for line in lines):
            self.text += [block.opening, *lines, "```", ""]

    def prose(self, lines: Sequence[str]) -> None:
        """Sort lines without a fence into tracebacks, code and prose."""
        found = find_tracebacks(lines, whole_block=False)
        self.tracebacks += [place.traceback for place in found]
        pos = 0
        for start, end in [*((f.start, f.end) for f in found), (len(lines), len(lines))]:
            self._code_and_prose(lines[pos:start])
            pos = end

    def _code_and_prose(self, lines: Sequence[str]) -> None:
        pos = 0
        # The line of code that Python prints below a warning is no code of theirs.
        shown = [place._replace(start=place.start + 1) for place in find_warnings(lines)]
        code = _blanked(lines, shown)
        for start, end in [*find_code(code), (len(lines), len(lines))]:
            if "```" in self.message and _is_the_errors_own(lines, start, end):
                continue
            self._plain_prose(lines[pos:start])
            if start < end:
                self._snippet(self._cleaned(code[start:end]), "", fenced=False)
            pos = end

    def _plain_prose(self, lines: Sequence[str]) -> None:
        errors = list(find_bare_errors(lines))
        self.bare += [bare.traceback for bare in errors]
        if errors:
            lines = [*lines[: errors[0].start], *lines[errors[0].end :]]
        self.text += [self.markup.prose(line) for line in lines]

    def _snippet(self, cleaned: Cleaned, language: str, fenced: bool = True) -> None:
        if not cleaned.code.strip():
            self.notes += cleaned.notes
            return
        first_line = 1
        if self.snippets:
            last = self.snippets[-1]
            first_line = last.first_line + last.code.count("\n") + 1
        self.notes += cleaned.notes
        self.snippets.append(
            Snippet(code=cleaned.code, language=language, first_line=first_line, fenced=fenced)
        )

    def attachment(self, attachment: Attachment) -> None:
        """Read one file by the kind that its name says."""
        refuse_oversize(attachment)
        if attachment.suffix not in READABLE:
            self._carry(attachment)
            return
        text, note = decode(attachment)
        self.notes += [note] if note else []
        text = as_seen(text, PLAIN) if attachment.suffix in TEXT_SUFFIXES else text
        if attachment.suffix in PYTHON_SUFFIXES:
            self._snippet(clean_file(_lines(text)), "python")
        elif attachment.suffix in NOTEBOOK_SUFFIXES:
            notebook = read_attached_notebook(text, attachment.plain_name)
            self.tracebacks += notebook.tracebacks
            for cell in notebook.cells:
                self._snippet(clean_file(_lines(cell)), "python")
        else:
            self._log(attachment, text)

    def _log(self, attachment: Attachment, text: str) -> None:
        """Read a text file as code, traceback or prose; anything else is data for the snippet."""
        lines = _lines(text)
        found = find_tracebacks(lines, whole_block=False)
        self.tracebacks += [place.traceback for place in found]
        if found:
            return
        if looks_like_python(lines):
            self._snippet(clean_paste(lines), "")
            return
        bare = find_bare_error(lines)
        if bare:
            self.bare.append(bare.traceback)
        if len(text) <= _LONGEST_LOG:
            self.text += ["", *lines]
        else:
            self.notes.append(
                f"{attachment.plain_name} holds neither code nor a traceback; "
                "it is kept as a file for the code to read"
            )
        self._carry(attachment)

    def _carry(self, attachment: Attachment) -> None:
        file = as_file(attachment)
        taken = {other.name for other in self.files}
        number = 2
        while file.name in taken:
            file = file.model_copy(update={"name": f"{number}-{attachment.plain_name}"})
            number += 1
        self.files.append(file)


def _is_the_errors_own(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether a line or two are what an error shows of the code: the error stands right below."""
    if not 0 < end - start <= _QUOTED_LINES or not all(s[:1].isspace() for s in lines[start:end]):
        return False
    return any(map(_ERROR_BELOW.match, lines[start + 1 : end + 1]))


def _without_quoted(snippets: Sequence[Snippet]) -> list[Snippet]:
    """The snippets, but those of a few lines that stand in another one: they are only quoted."""
    stripped = [{line.strip() for line in s.code.split("\n")} - {""} for s in snippets]
    kept: list[Snippet] = []
    first_line = 1
    for mine, snippet in zip(stripped, snippets, strict=True):
        if len(mine) <= _QUOTED_LINES and any(mine < other for other in stripped):
            continue
        kept.append(snippet.model_copy(update={"first_line": first_line}))
        first_line += snippet.code.count("\n") + 1
    return kept


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _tidy(lines: Sequence[str]) -> str:
    """Prose with at most one blank line in a row and nothing around it."""
    kept: list[str] = []
    for line in (line.rstrip() for line in lines):
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()


def _tracebacks_outside_strings(lines: Sequence[str]) -> list[Found]:
    """The tracebacks among code; one in a docstring is part of the code."""
    in_string = {n for n, (state, _, _) in enumerate(walk(lines)) if state.quote}
    found = find_tracebacks(lines, whole_block=True)
    if not found and (bare := find_bare_error(lines, among_code=True)):
        found = [bare]
    return [place for place in found if place.start not in in_string]


def _blanked(lines: Sequence[str], found: Sequence[Found]) -> list[str]:
    """Blank what is no code between code; below the code no line number has to be kept."""
    rest = list(lines)
    for place in found:
        rest[place.start : place.end] = [""] * (place.end - place.start)
    return _without_end(rest) if found else rest


def _without_end(lines: Sequence[str]) -> list[str]:
    """Drop the blank lines at the end."""
    rest = list(lines)
    while rest and not rest[-1].strip():
        rest.pop()
    return rest


def _without(lines: Sequence[str], found: Sequence[Found]) -> list[str]:
    taken = {n for place in found for n in range(place.start, place.end)}
    return [line for n, line in enumerate(lines) if n not in taken]


def _has_code(lines: Sequence[str]) -> bool:
    """Whether any line is certainly Python."""
    return any(
        state.at_statement and shape_of(line, masked) >= Shape.SIMPLE
        for state, line, masked in walk(lines)
    )


def _completed(pasted: PastedTraceback, bare: PastedTraceback) -> PastedTraceback:
    """A traceback whose end is missing, with the error that stands elsewhere in the post."""
    text = f"{pasted.text}\n{bare.type}: {bare.message}"
    return pasted.model_copy(update={"type": bare.type, "message": bare.message, "text": text})


def _last_with_all_text(tracebacks: Sequence[PastedTraceback]) -> PastedTraceback | None:
    """The last traceback, with the text of all of them: the earlier ones may explain it."""
    if not tracebacks:
        return None
    named = [traceback for traceback in tracebacks if traceback.type] or tracebacks
    text = "\n\n".join(traceback.text for traceback in tracebacks)
    return named[-1].model_copy(update={"text": text})
