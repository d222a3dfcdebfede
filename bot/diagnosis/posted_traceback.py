"""Read a posted error that no run raised: what it means, where it is from, and what to do.

Nothing is run here. The sentences are those of the error's family (`executor/errors/families/`),
filled in with the error's own values; the lines come from the pasted traceback, and from the calls
that the run found in the posted code (`executor/inside/constructs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.diagnosis.own_error import is_posted, posted
from bot.diagnosis.raised_inside import raised_inside
from bot.messages.traceback_text import user_frames
from bot.models import PastedTraceback, PostedLine, PostedReading, Question, TracebackFrame
from executor.errors import Around, fitting, read_words
from executor.protocol import Construct, JobResult

_CELL = re.compile(r"<ipython-input-|<stdin>|(?:tmp)?\d+\.py$")
_PACKAGE = re.compile(r"(?:site|dist)-packages[/\\](\w+)")
_FITTING = 3  # lines that are shown of those that fit
_MANY = 6  # lines that fit and say nothing by themselves: then none is shown


def read_posted(question: Question, run: JobResult | None) -> PostedReading | None:
    """Read the posted error; None if none was posted.

    Args:
        question: what was posted.
        run: the run of its code, for what stands in it; None if there is no code.
    """
    pasted = posted(question)
    if pasted is None:
        return None
    here = _constructs(question, run)
    words = read_words(pasted, around(question, run), here)
    raised_at = tuple(_raised_at(pasted, here))
    return PostedReading(
        type=pasted.type,
        message=pasted.message.strip().partition("\n")[0],
        family=words.family if words is not None else "",
        means=words.means if words is not None else raised_inside(pasted),
        causes=words.causes if words is not None else "",
        now=words.now if words is not None else "",
        raised_at=raised_at,
        fitting=tuple(_fitting(pasted, here, [p.code for p in raised_at])),
        remedy=words.remedy if words is not None else _remedy_of_a_cut(pasted),
        has_own_remedy=words is not None and words.has_own_remedy,
        is_of_the_post=words is not None and words.is_of_the_post,
    )


def _remedy_of_a_cut(pasted: PastedTraceback) -> str:
    if not raised_inside(pasted):
        return ""
    return (
        "Print the shapes and dtypes of all that goes into it, right before the line; and post "
        "the last line of the traceback, which says what was wrong with them"
    )


def around(question: Question, run: JobResult | None) -> Around:
    """What the post shows besides its error's message, and whether its code runs here."""
    pasted = posted(question)
    torch = question.versions.get("torch", "")
    ran = run is not None and run.reached_end and run.error is None and not run.caught
    runs = ran and run is not None and not run.stand_ins and not run.only_definitions
    if pasted is None:
        return Around(words=question.text, line=_failed(question, run), torch=torch, runs=runs)
    own = user_frames(pasted)
    last = pasted.frames[-1] if pasted.frames else None
    library = _library(last) if last is not None else ""
    return Around(
        words=_besides(pasted.message, question.text),
        line=own[-1].code if own else _line_here(question, run, pasted),
        file=_file(pasted),
        frames="\n".join(f"{_base(f.file)} {f.function}" for f in pasted.frames),
        raised_in=library,
        raising=_short(last.code) if last is not None and library else "",
        above=pasted.text,
        torch=torch,
        runs=runs,
    )


def _line_here(question: Question, run: JobResult | None, pasted: PastedTraceback) -> str:
    """Of an error that was posted without its frames, the line that raised it here."""
    same = run is not None and run.error is not None and is_posted(pasted, run.error)
    return _failed(question, run) if same else ""


def _failed(question: Question, run: JobResult | None) -> str:
    """The line of the posted code that raised the error of a run."""
    n = run.error.line if run is not None and run.error is not None else None
    lines = question.code.splitlines()
    return lines[n - 1].strip() if n is not None and 0 < n <= len(lines) else ""


_OPENING = 24  # letters of a message by which a line is known that repeats it


def _besides(message: str, text: str) -> str:
    """The text without the message, which a title often repeats: its own sizes are no print."""
    whole = message.strip().partition("\n")[0]
    opening = whole[:_OPENING]
    if len(opening) < _OPENING:
        return text
    return "\n".join(
        line.replace(whole, "") if whole in line else line.partition(opening)[0]
        for line in text.split("\n")
    )


def place(pasted: PastedTraceback) -> str:
    """`RuntimeError at line 31 of model.py, in forward: x = self.fc1(x)`, as far as it says so."""
    kind = pasted.type or "an error"
    frame = _last(pasted)
    if frame is None or not frame.line:  # of a cut-off one the line is not known
        return kind
    code = f", `{_short(frame.code)}`" if frame.code else ""
    return f"{kind} at line {frame.line} of {_base(frame.file)}{code}"


def _raised_at(pasted: PastedTraceback, here: Sequence[Construct]) -> Iterator[PostedLine]:
    """The last of their own lines in the traceback, and the lines that made what it calls."""
    frame = _last(pasted)
    if frame is None or not frame.code.strip():
        return
    code = _short(frame.code)
    further = pasted.frames[pasted.frames.index(frame) + 1 :]
    library = next((name for f in reversed(further) if (name := _library(f))), "")
    if library:
        says = f"the error is raised inside {library}"
    else:
        says = "the last of your own lines" if further else "the traceback ends here"
    yield PostedLine(line=frame.line, file=_base(frame.file), code=code, says=says)
    called = {c.name for c in here if c.kind == "call" and _same_line(c.code, frame.code)}
    for made in here:
        if made.kind == "call" and made.target in called and "." in made.target:
            yield PostedLine(line=made.line, code=made.code, says=f"makes `{made.target}`")


def _fitting(
    pasted: PastedTraceback, here: Sequence[Construct], shown: Sequence[str]
) -> Iterator[PostedLine]:
    """The lines that the error's family suspects, once for each line of code.

    Many lines of which none is named by the message's values say nothing.
    """
    lines: dict[int, PostedLine] = {}
    named = False
    for construct, by_value, says in fitting(pasted, here):
        named = named or by_value
        if not any(_same_line(construct.code, code) for code in shown):
            line = PostedLine(line=construct.line, code=construct.code, says=says)
            lines.setdefault(construct.line, line)
    if named or len(lines) < _MANY:
        yield from list(lines.values())[:_FITTING]


def _constructs(question: Question, run: JobResult | None) -> tuple[Construct, ...]:
    """What stands in the posted code, as far as the run's lines are those that were posted."""
    if run is None:
        return ()
    lines = question.code.split("\n")
    return tuple(
        c
        for c in run.constructs
        if 0 < c.line <= len(lines) and lines[c.line - 1].strip().startswith(c.code.rstrip("…"))
    )


def _last(pasted: PastedTraceback) -> TracebackFrame | None:
    """The last frame of the person's own code; of a library where there is no such frame."""
    return next(reversed(user_frames(pasted) or pasted.frames), None)


def _file(pasted: PastedTraceback) -> str:
    """The name of the file that raised it, such as linear.py."""
    files = [_base(f.file) for f in pasted.frames]
    # A layer's forward calls a function of torch.nn.functional, whose name says less.
    named = [f for f in files if f != "functional.py"]
    return next(reversed(named or files), "")


def _same_line(one: str, other: str) -> bool:
    """Whether two lines of code are the same without their comments."""
    bare = [re.sub(r"\s+#.*", "", code).strip() for code in (one, other)]
    return bool(bare[0]) and bare[0] == bare[1]


def _base(file: str) -> str:
    """The file's name; a cell of a notebook has none that says anything."""
    name = re.split(r"[/\\]", file)[-1]
    return "the notebook cell" if _CELL.match(name) else name


def _library(frame: TracebackFrame) -> str:
    """The installed package that a frame is in; empty for torch and for a file of theirs."""
    found = _PACKAGE.search(frame.file)
    return found[1] if found is not None and found[1] != "torch" else ""


def _short(code: str) -> str:
    first = code.strip().splitlines()[0] if code.strip() else ""
    return first if len(first) <= 120 else first[:119] + "…"
