"""Find tracebacks in pasted text: CPython's, IPython's, chained ones, and bare error lines.

A traceback is read as segments: frames, then `Type: message`, then perhaps "During handling of …"
and the next segment. The last segment is the error that ended the program, so it gives type,
message and frames; the text keeps everything.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from bot.messages.raised_in_source import message_raised
from bot.models import PastedTraceback, TracebackFrame
from executor.errors import family_of


class Found(NamedTuple):
    """A traceback and the lines [start, end) it takes."""

    start: int
    end: int
    traceback: PastedTraceback


_HEADER = "Traceback (most recent call last)"
_FRAME = re.compile(r'\s*File "([^"]+)", line (\d+)(?:, in (.+))?\s*$')
_CELL = re.compile(r"\s*((?:Cell|Input) In ?\[\d+\])(?:, line (\d+))?(?:, in (.+))?$")
_IPYTHON_FILE = re.compile(r"\s*File (\S.*?):(\d+),? in (.+)$")
_OLD_IPYTHON = re.compile(
    r"(<ipython-input-[^>]+>|\[[^\]]+\]\([^)]*\)|[~/\w].*\.py[c]?) in (\S.*)$"
)
_ARROW = re.compile(r"-+> ?(\d+) ?(.*)$")
_NUMBERED = re.compile(r"\s*\d+(?: |$)")
_NUMBERED_CODE = re.compile(r"\s+\d+ \s*\S")
_CARETS = re.compile(r"[\s^~]+$")
_RULE = re.compile(r"\s*-{10,}\s*$")
_DOTTED = re.compile(r"[^\W\d][\w.]*$")
_ERROR_NAME = re.compile(
    r"(?:Error|Exception|Interrupt|Exit|Iteration|Unsupported|Empty|Full|Timeout|Failure|Warning)$"
)
_LINKS = (
    "During handling of the above exception",
    "The above exception was the direct cause",
)
# Second lines of messages that are not indented, listed because nothing else tells them from prose.
_MESSAGE_GOES_ON = re.compile(
    r"CUDA kernel errors might|For debugging consider|Compile with `?TORCH_USE|Device-side assert"
    r"|Set TORCH|You can suppress this exception|from user code:|If you are a|See https?://"
    r"|Exception raised from|frame #\d+:|Search for `|Hint: |Developer debug context"
    r"|  ?Explanation:|import torch\._dynamo$|Please (?:use|see|check|make sure|run)"
    r"|(?:Missing|Unexpected) key\(s\) in state_dict:|size mismatch for [\w.]+:"
    r"|copying a param with shape|the shape in current model is"
    r"|An attempt has been made|safe_globals|\(\d\) In PyTorch|While executing|Original traceback:"
)
_RANK = re.compile(r"\[rank\d+\]: ?")  # torchrun puts it before every line
# `[Cell In[3], line 5](vscode-notebook-cell:…)`, `[train.py](http://train.py)`
_LINKED = re.compile(
    r"\[((?:[^\[\]]|\[[^\[\]]{0,80}\]){1,300})\]\((?:[a-z][\w+.-]{1,30}:|[/#~.])[^()\s]{0,2000}\)"
)
# What torch's own frames show, where a paste begins below the line that names the file.
_OF_TORCH = re.compile(
    r"\s*(?:result = self\.forward\(\*|return (?:self\._call_impl|forward_call)\(\*"
    r"|input = module\(input\)$|return F\.\w+\()"
)
_UNNAMED_CELL = "<ipython-input->"
_HERE = "<--- HERE"  # below the line that TorchScript means
_SHOWN = 16  # lines that IPython shows of one frame, at most
_HIDDEN_FRAMES = re.compile(r"\d+ (?:hidden )?frames?$")  # as Colab folds them


@dataclass
class _Segment:
    type: str = ""
    message: list[str] = field(default_factory=list)
    frames: list[TracebackFrame] = field(default_factory=list)


def find_tracebacks(lines: Sequence[str], *, whole_block: bool) -> list[Found]:
    """Find every traceback, in order.

    Args:
        lines: any text.
        whole_block: nothing but program output is in these lines (a fence, a log), so the lines
            directly below an error belong to its message; in prose only those known to.
    """
    plain = [_plain_frame(line) for line in lines]
    found: list[Found] = []
    pos = 0
    while pos < len(plain):
        earliest = found[-1].end if found else 0
        if _is_of_script(plain, pos):
            segment = _Segment(type=plain[pos].strip().rstrip(":"))
            start, pos = pos, _read_message(segment, "", plain, pos + 1, whole_block=True)
            found.append(Found(start, pos, _pasted(segment, "\n".join(lines[start:pos]))))
            continue
        arrow = _starts_at_an_arrow(plain, pos)
        if not (arrow or _starts(plain[pos]) or _starts_within_ipython(plain, pos)):
            pos += 1
            continue
        start = pos - 1 if pos and _RULE.match(plain[pos - 1]) else pos
        if start - 2 >= earliest and _is_code_and_carets(plain[start - 2 : start]):
            start -= 2  # the frame above was cut off
        if start > earliest and _FRAME.match(plain[pos]) and _OF_TORCH.match(plain[start - 1]):
            start -= 1
        while arrow and start > earliest and _NUMBERED_CODE.match(plain[start - 1]):
            start -= 1
        segments, pos = _read_chain(plain, pos, whole_block)
        if segments:
            last = segments[-1]
            text = "\n".join(lines[start:pos])
            if last.type and not last.message:
                last.message = [message_raised(plain[start:pos], last.type)]
            found.append(Found(start, pos, _pasted(last, text)))
    return found


def _plain_frame(line: str) -> str:
    """A line without what torchrun, or an editor that links each frame, puts around it."""
    if line.startswith("[rank"):
        line = _RANK.sub("", line, count=1)
    if "](" in line:
        unlinked = _LINKED.sub(r"\1", line)
        if _frame(unlinked):
            return unlinked
    return line


def _pasted(segment: _Segment, text: str) -> PastedTraceback:
    return PastedTraceback(
        type=segment.type,
        message="\n".join(segment.message).strip(),
        frames=tuple(segment.frames),
        text=text,
    )


def _starts(line: str) -> bool:
    return is_header(line) or bool(_FRAME.match(line) or _CELL.match(line))


def _starts_within_ipython(lines: Sequence[str], pos: int) -> bool:
    """Whether a frame is here whose header was not pasted: only numbered source tells it."""
    if " in " not in lines[pos] or pos + 1 == len(lines) or not _OLD_IPYTHON.match(lines[pos]):
        return False
    return bool(_ARROW.match(lines[pos + 1].strip()) or _NUMBERED_CODE.match(lines[pos + 1]))


def _starts_at_an_arrow(lines: Sequence[str], pos: int) -> bool:
    """Whether IPython's arrow is here, without any line of the frame above it, and its error."""
    if not lines[pos].startswith("--") or not _ARROW.match(lines[pos]):
        return False
    below = (_final(line) for line in lines[pos + 1 : pos + _SHOWN])
    return any(final is not None and _is_error_name(final[0]) for final in below)


def _is_code_and_carets(lines: Sequence[str]) -> bool:
    code, marks = lines
    return bool(code.strip()) and bool(marks.strip()) and _CARETS.match(marks) is not None


def is_header(line: str) -> bool:
    """Whether Python's first line of a traceback is here."""
    return line.rstrip().rstrip(":").endswith(_HEADER)


def _read_chain(lines: Sequence[str], pos: int, whole_block: bool) -> tuple[list[_Segment], int]:
    """Read chained segments; return them and the line where the last one ends."""
    segments: list[_Segment] = []
    while True:
        segment, pos = _read_segment(lines, pos, whole_block)
        segments.append(segment)
        after = _skip_blank(lines, pos)
        if after < len(lines) and lines[after].strip().startswith(_LINKS):
            after = _skip_blank(lines, after + 1)
        elif not (after < len(lines) and after == pos and is_header(lines[after])):
            return segments, pos
        if after == len(lines) or not (_starts(lines[after]) or _RULE.match(lines[after])):
            return segments, pos
        pos = after


def _skip_blank(lines: Sequence[str], pos: int) -> int:
    while pos < len(lines) and not lines[pos].strip():
        pos += 1
    return pos


def _read_segment(lines: Sequence[str], pos: int, whole_block: bool) -> tuple[_Segment, int]:
    """Read from a header or a first frame to the end of the error's message."""
    segment = _Segment()
    if _RULE.match(lines[pos]):
        pos += 1
    margin = column = 0
    if pos < len(lines) and _ARROW.match(lines[pos]):
        segment.frames.append(TracebackFrame(file=_UNNAMED_CELL, line=0, function=""))
    if pos < len(lines) and is_header(lines[pos]):
        margin = len(lines[pos]) - len(lines[pos].lstrip())
        # IPython names the type first; needed where the end was not pasted.
        named = lines[pos].partition(_HEADER)[0].split()
        segment.type = named[0] if named and _is_error_name(named[0]) else ""
        pos += 1
    elif pos < len(lines) and _FRAME.match(lines[pos]):  # Python writes it two spaces further in
        column = len(lines[pos]) - len(lines[pos].lstrip())
        margin = max(0, column - 2)
    code_due = False  # the line below a frame is its code, even without indentation
    while pos < len(lines):
        line = lines[pos]
        if marked := _script_frame(lines, pos):
            segment.frames.append(marked[0])
            code_due, pos = False, marked[1]
            continue
        if frame := _frame(line):
            segment.frames.append(frame)
            code_due = True
        elif final := (
            _final(line[margin:] if line[:margin].isspace() or not margin else line)
            or _in_column(line, column)
        ):
            if _is_error_name(final[0]) or (segment.frames and not code_due):
                segment.type = final[0]
                whole = whole_block or _is_of_script(lines, pos)
                return segment, _read_message(segment, final[1], lines, pos + 1, whole)
            if not code_due:
                break
            code_due = _keep_code(segment, line)
        elif not line.strip():
            after = _skip_blank(lines, pos)
            while after < len(lines) and _is_elided(lines[after]):
                after = _skip_blank(lines, after + 1)
            if after == len(lines) or not _goes_on(lines[after], margin):
                break
            pos = after
            continue
        elif code_due or _belongs(line):
            code_due = _keep_code(segment, line)
        else:
            break
        pos += 1
    return segment, pos


def _frame(line: str) -> TracebackFrame | None:
    if match := _FRAME.match(line):
        return TracebackFrame(file=match[1], line=int(match[2][:9]), function=match[3] or "")
    if match := _CELL.match(line):
        number = int((match[2] or "0")[:9])
        return TracebackFrame(file=match[1], line=number, function=_bare_name(match[3]))
    if match := _IPYTHON_FILE.match(line):
        return TracebackFrame(file=match[1], line=int(match[2][:9]), function=_bare_name(match[3]))
    if match := _OLD_IPYTHON.match(line):
        return TracebackFrame(file=match[1], line=0, function=_bare_name(match[2]))
    return None


def _bare_name(function: str | None) -> str:
    """`Net.forward` of `Net.forward(self, x)`."""
    return (function or "").partition("(")[0].strip()


def _keep_code(segment: _Segment, line: str) -> bool:
    """Add a source line to the last frame if it belongs there; return whether it is missing yet."""
    if not segment.frames or _CARETS.match(line):
        return bool(segment.frames) and not segment.frames[-1].code
    frame = segment.frames[-1]
    if arrow := _ARROW.match(line.strip()):
        segment.frames[-1] = frame.model_copy(
            update={"line": int(arrow[1][:9]), "code": arrow[2].strip()}
        )
    elif not frame.code and not _NUMBERED.match(line) and not _is_elided(line):
        segment.frames[-1] = frame.model_copy(update={"code": line.strip()})
    return False


def _is_elided(line: str) -> bool:
    """`[Previous line repeated 3 more times]`, `...`, `[...]`, `5 frames`."""
    text = line.strip()
    shortened = text.startswith(("[Previous line", "...", "[...", "…", "<snip", "(...)"))
    return shortened or bool(_HIDDEN_FRAMES.match(text))


def _belongs(line: str) -> bool:
    """Whether a line can come between frames."""
    return (
        line[:1] in " \t"
        or bool(
            _CARETS.match(line) or _ARROW.match(line) or _NUMBERED.match(line) or _RULE.match(line)
        )
        or _is_elided(line)
    )


def _goes_on(line: str, margin: int) -> bool:
    """Whether a traceback continues after a blank line, which IPython puts between frames."""
    if _frame(line) or _ARROW.match(line) or re.match(r"\s*\d+ ", line):
        return True
    final = _final(line[margin:])
    return final is not None and _is_error_name(final[0])


def _final(line: str) -> tuple[str, str] | None:
    """`Type: message` or a lone `Type` at the left edge."""
    name, colon, message = line.partition(":")
    name = name.rstrip() if not colon else name
    if not _DOTTED.match(name) or (not colon and line.rstrip() != name):
        return None
    return name, message.strip()


def _in_column(line: str, column: int) -> tuple[str, str] | None:
    """An error in the column of the frames, as of lines that were all indented alike."""
    if not column or line[:column].strip():
        return None
    final = _final(line[column:])
    return final if final is not None and final[1] and _is_error_name(final[0]) else None


def _is_error_name(name: str) -> bool:
    return bool(_DOTTED.match(name) and _ERROR_NAME.search(name))


def _read_message(
    segment: _Segment, first: str, lines: Sequence[str], pos: int, whole_block: bool
) -> int:
    """Collect a message's lines; return where it ends."""
    segment.message = [first]
    in_user_code = False
    while pos < len(lines):
        line = lines[pos]
        if is_header(line) or line.lstrip().startswith((">>>", "In [")):
            break
        if not line.strip():
            after = _skip_blank(lines, pos)
            listed = segment.message[-1].rstrip().endswith(":")  # and what, below a blank line
            if after == len(lines) or not (
                _continues_message(lines[after]) or (listed and lines[after][:1].isspace())
            ):
                break
            pos = after
            continue
        in_user_code = in_user_code or line.startswith("from user code:")
        frame = _FRAME.match(line)
        if frame and (marked := _script_frame(lines, pos)):
            segment.frames.append(marked[0])
            return marked[1]
        if frame and not in_user_code:
            break
        if frame:
            # torch.compile names the person's own line here, below the message.
            # https://pytorch.org/docs/stable/torch.compiler_troubleshooting.html
            found = _frame(line)
            assert found is not None
            segment.frames.append(found)
        elif in_user_code and line[:1].isspace():
            _keep_code(segment, line)
        elif whole_block or line[:1].isspace() or _continues_message(line):
            if not in_user_code:
                segment.message.append(line.rstrip())
        else:
            break
        pos += 1
    return pos


def _is_of_script(lines: Sequence[str], pos: int) -> bool:
    """Whether an error of TorchScript's is here, alone: it names the line below its message."""
    if not lines[pos].rstrip().endswith("Error:") or not _is_error_name(lines[pos].strip()[:-1]):
        return False
    places = (at for at in range(pos + 1, min(pos + _SHOWN, len(lines))) if _frame(lines[at]))
    return any(_script_frame(lines, at) for at in places)


def _script_frame(lines: Sequence[str], pos: int) -> tuple[TracebackFrame, int] | None:
    """A frame of TorchScript's, of which an arrow says which line it is; and where it ends."""
    frame = _frame(lines[pos])
    for at in range(pos + 1, min(pos + _SHOWN, len(lines))) if frame else ():
        if _frame(lines[at]):
            return None
        if frame and lines[at].rstrip().endswith(_HERE) and at > pos + 1:
            end = at + 1
            while end < len(lines) and lines[end][:1].isspace() and not _frame(lines[end]):
                end += 1  # the lines below it
            return frame.model_copy(update={"code": lines[at - 1].strip()}), end
    return None


def _continues_message(line: str) -> bool:
    return bool(_MESSAGE_GOES_ON.match(line.lstrip()))


_WARNED = re.compile(r"\s*\S{1,300}:\d+: \w*Warning:(?: |$)")
# A further line of a warning's message: words, as no statement of Python begins.
_WORDS = re.compile(r"[A-Z][a-z]{1,20} (?!=|in\b|is\b)[a-z]{1,20} [a-z]")
_WARNS = re.compile(r" {2,8}(?:\w{1,40}\.){0,3}(?:warn|warn_explicit|warning)\(")


def find_warnings(lines: Sequence[str]) -> list[Found]:
    """Find `file.py:12: UserWarning: …` and the line of code that Python prints below it."""
    found: list[Found] = []
    for pos, line in enumerate(lines):
        if "Warning:" in line and _WARNED.match(line):
            below = lines[pos + 1 : pos + _SHOWN]
            end = pos + 1 + bool(below and below[0].startswith("  "))
            warns = (n for n, text in enumerate(below, pos + 2) if _WARNS.match(text))
            end = max(end, next(warns, end))  # below a message of several lines
            shown = next((n for n, text in enumerate(below) if text.startswith("  ")), 0)
            if all(_WORDS.match(text) for text in below[:shown]):
                end = max(end, pos + 2 + shown)
            found.append(Found(pos, end, _pasted(_Segment(), line)))
    return found


def longest_wording(found: Sequence[PastedTraceback]) -> PastedTraceback | None:
    """The first error that the catalogue knows; where a later one says the same and more, that."""
    if not found:
        return None
    first = next((e for e in found if family_of(e.type, e.message) is not None), found[0])
    begins = first.message.rstrip(" .…").lower()  # a title is typed again, with other capitals
    same = [e for e in found if e.type == first.type and e.message.lower().startswith(begins)]
    return max(same, key=lambda error: len(error.message))


# A name that ends like an error's, a colon and a message, anywhere in a line of prose. It may
# not begin inside a word, so every word is tried once.
_BARE = re.compile(r"(?<![\w.])([^\W\d][\w.]*(?:Error|Exception|Unsupported)): +(\S.*)")
# As people type it: "Runtime error : …", "TypeError：…", "ValueError:expected …".
_SPOKEN = re.compile(
    r"(?<![\w.])((?i:runtime|type|value|index|key|attribute|name|assertion|import|memory|syntax"
    r"|module ?not ?found|file ?not ?found|not ?implemented|out ?of ?memory) ?[Ee]rror)"
    r" {0,3}[:：] {0,3}(\S.*)"
)
# As `print(repr(error))` shows it.
_REPR = re.compile(r"(?<![\w.])(?<!raise )(\w{1,60}(?:Error|Exception))\((['\"])(.{1,2000}?)\2,?\)")
_ALONE = re.compile(r"\s*[`*]*([^\W\d][\w.]*(?:Error|Exception))[`*]*\s*$")
_DEBUGGER = re.compile(r"\s*Message=(\S.*)")  # of Visual Studio, below the type
_MORE = 3  # errors of one sentence, besides the first
_DECORATION = "`*_\"'“”‘’ \t>"
_NAMED = re.compile(r"\b[A-Z]\w{1,60}(?:Error|Exception)\b")
_TYPES = {
    name.lower(): name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
} | {"outofmemoryerror": "OutOfMemoryError"}


def only_type_named(prose: Sequence[str]) -> str:
    """The one exception that a text names, for a traceback whose end is missing; else "".

    only_type_named(["BrokenPipeError on Windows with 4 workers"])  # "BrokenPipeError"
    """
    named = {name for line in prose for name in _NAMED.findall(line)}
    known = {_TYPES[name.lower()] for name in named if name.lower() in _TYPES}
    return known.pop() if len(known) == 1 else ""


def find_bare_error(lines: Sequence[str], *, among_code: bool = False) -> Found | None:
    """Find a `Type: message` that was pasted without its frames.

    Args:
        lines: prose, or code and what it printed.
        among_code: only the left edge counts; elsewhere it is a comment or an `except`.

    Returns:
        The lines it takes; none (start == end) where it is part of a sentence.
    """
    return next(find_bare_errors(lines, among_code=among_code), None)


def find_bare_errors(lines: Sequence[str], *, among_code: bool = False) -> Iterator[Found]:
    """Find every `Type: message` that was pasted without its frames, in order; see above."""
    pos = 0
    while pos < len(lines):
        found = _bare_error(lines, pos, among_code)
        pos = max(pos + 1, found.end if found else 0)
        if found:
            yield found
            if found.start == found.end and not among_code:
                yield from _more_in_the_line(lines[found.start], found)


def _more_in_the_line(line: str, found: Found) -> Iterator[Found]:
    """The further errors of a sentence that quotes several: "first `A: b`, and then `C: d`"."""
    begin = line.find(found.traceback.message)
    end = begin + len(found.traceback.message) if begin >= 0 else len(line)
    for _ in range(_MORE):
        if (match := _BARE.search(line, end)) is None:
            return
        more = _read_bare([line], 0, match[1], line[: match.start()], match[2])
        yield Found(found.start, found.end, more.traceback)
        end = match.start(2) + max(1, len(more.traceback.message))


def _bare_error(lines: Sequence[str], pos: int, among_code: bool) -> Found | None:
    line = lines[pos]
    if (match := _BARE.search(line)) and not (among_code and match.start()):
        if "Warning: " in line[: match.start()]:
            return None  # a warning that quotes an error, and is none
        return _read_bare(lines, pos, match[1], line[: match.start()], match[2])
    if among_code or not ("rror" in line or "xception" in line):
        return None
    if match := _SPOKEN.search(line):
        name = _TYPES.get(match[1].replace(" ", "").lower(), "")
        if not name or (" " in match[1] and "memory" in match[1].lower() and not _known(match)):
            return None  # a title: "CUDA Out of Memory Error: how do I …"
        return _read_bare(lines, pos, name, line[: match.start()], match[2])
    if match := _REPR.search(line):
        whole = _Segment(type=match[1], message=[match[3]])
        return Found(pos, pos, _pasted(whole, f"{match[1]}: {match[3]}"))
    below = _DEBUGGER.match(lines[pos + 1]) if pos + 1 < len(lines) else None
    if below and (match := _ALONE.match(line)):
        said = below[1].rstrip("`* \t")
        whole = _Segment(type=match[1], message=[said])
        return Found(pos, pos + 2, _pasted(whole, f"{match[1]}: {said}"))
    return None


def _known(spoken: re.Match[str]) -> bool:
    """Whether the catalogue knows the words behind an error's type."""
    return family_of("", spoken[2]) is not None


def _read_bare(lines: Sequence[str], pos: int, name: str, before: str, message: str) -> Found:
    message = within_quotes(before[-1:], message)
    if message.endswith("-") and pos + 1 < len(lines):
        message += lines[pos + 1].strip()  # it was wrapped inside "4-dimensional"
    if before.strip(_DECORATION) and (theirs := _THEIR_WORDS.search(message)):
        message = message[: theirs.start()]
    segment = _Segment(type=name, message=[message])
    if before.strip(_DECORATION):
        return Found(pos, pos, _pasted(segment, f"{name}: {message}"))
    end = _read_message(segment, message, lines, pos + 1, False)
    text = "\n".join([lines[pos].lstrip(_DECORATION), *lines[pos + 1 : end]])
    return Found(pos, end, _pasted(segment, text.rstrip("`* \t\n")))


# A sentence behind a quoted message in which the person speaks or asks.
_THEIR_WORDS = re.compile(
    r"(?<=[.)]) {1,3}(?:(?:How|What|Why|Where)\b|(?:[\w.]{1,30} ){0,4}(?:I|my)\b)"
    r"|[。！？]"  # of a script in which no message is written
)


def within_quotes(opening: str, message: str) -> str:
    """The message up to the quote that closes it, where one opened right before it.

    Messages hold quotes of their own: 'TypeError: 'bool' object is not callable' when training.
    """
    closing = {"`": "`", '"': '"', "'": "'", "“": "”", "‘": "’"}.get(opening)
    if opening == "(":
        open_ = accumulate((c == "(") - (c == ")") for c in message)
        return message[: next((i for i, n in enumerate(open_) if n < 0), len(message))].rstrip()
    if closing is None:
        return message.rstrip("`* \t")
    inside, last = 0, -1
    for pos, character in enumerate(message):
        if character != closing:
            continue
        ends_a_word = not message[pos + 1 : pos + 2].isalnum()
        if ends_a_word and inside % 2 == 0:
            return message[:pos]
        last = pos if ends_a_word else last
        inside += 1
    return message[:last] if last >= 0 else message


_LIBRARY = re.compile(
    r"(?:site|dist)-packages|[\\/]lib(?:64)?[\\/]python\d|<frozen"
    r"|^(?:torch|torchvision|numpy|transformers)[\\/]"  # as the executor prints them
    # People shorten paths, and some have a folder `torch` of their own.
    r"|[\\/]torch[\\/](?:nn|optim|utils|autograd|jit|export|cuda|distributed|distributions|fx|ao|amp"
    r"|_dynamo|_inductor|_functorch|(?:functional|_tensor|serialization|_utils|_ops)\.py)\b"
    r"|[\\/]torchvision[\\/](?:models|transforms|datasets|ops)\b"
    r"|[\\/][^\\/]*(?:python|conda)[^\\/]*[\\/](?:envs[\\/][^\\/]+[\\/])?lib[\\/]",
    re.IGNORECASE,
)


def user_frames(traceback: PastedTraceback) -> tuple[TracebackFrame, ...]:
    """The frames in the person's own code: not in installed packages or Python itself."""
    return tuple(frame for frame in traceback.frames if not _LIBRARY.search(frame.file))
