"""Describe an exception by the snippet's lines: the failing expression and the variables there."""

from __future__ import annotations

import dis
import re
import traceback
from pathlib import Path
from types import TracebackType

from executor.errors import family_of
from executor.inside.placeholders.evidence import chain
from executor.inside.probes.source import CodePosition, SnippetSource
from executor.inside.probes.tensors import is_plain, variable
from executor.protocol import ErrorSeen, Frame, Variable

_MESSAGE = 4000
_TRACEBACK = 16_000
_FRAMES = 12
_LOCALS = 40
_LIBRARY = re.compile(r'File "[^"\n]*/(?:site|dist)-packages/')  # its path is not the error's

_COLOURS = re.compile(r"\x1b\[[0-9;:?]{0,20}[A-Za-z]")  # a terminal's
_INSTALLED = re.compile(r"(?<![\w.])/(?:[^\s'\"()/]+/)*(?:site|dist)-packages/")


def describe(error: BaseException, source: SnippetSource, *, silently: bool = False) -> ErrorSeen:
    """Describe an error: the snippet's innermost line, its expression, the traceback.

    Args:
        error: the exception.
        source: the snippet.
        silently: run none of the snippet's code, because the snippet goes on after this: a text
            that would need its own `__str__` is left out.
    """
    speaks = silently and _speaks(error, source)
    own = _own(error, source)
    span = source.span(_place(own[-1])) if own else None
    line = span.line if span else None
    col, end_col = (span.col, span.end_col) if span and span.end_line == span.line else (None, None)
    code = span.text if span else ""
    if isinstance(error, SyntaxError) and error.filename == source.filename:
        line, col = error.lineno, (error.offset or 1) - 1
        code = source.line(line or 0)
    kind, message = class_name(error), _plainly(error) if speaks else message_of(error)
    family = family_of(kind, message)
    return ErrorSeen(
        type=kind,
        message=message,
        line=line,
        col=col,
        end_col=end_col,
        code=code,
        traceback="" if speaks else text_of(error, source),
        origin=_origin(error, source),
        masks=_masked(error),
        family=family.id if family is not None else "",
    )


def describe_at_least(error: BaseException, source: SnippetSource) -> ErrorSeen:
    """Type, message and line, whatever attributes the exception's class has replaced."""
    tb = _TRACEBACK_OF(error)
    line = None
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == source.filename:
            line = tb.tb_lineno
        tb = tb.tb_next
    code = source.line(line) if line else ""
    return ErrorSeen(type=class_name(error), message=message_of(error), line=line, code=code)


# A class may define `__traceback__` anew; this is the interpreter's own.
_TRACEBACK_OF = BaseException.__dict__["__traceback__"].__get__


def class_name(error: BaseException) -> str:
    """The name of the exception's class; a metaclass of the snippet's is not asked."""
    name: str = type.__dict__["__name__"].__get__(type(error))
    return name.encode("utf-8", "backslashreplace").decode()


def _masked(error: BaseException) -> str:
    """The message of the first error, if this one was raised while handling it."""
    seen: set[int] = set()
    first = error
    while id(first) not in seen:
        seen.add(id(first))
        first = first.__cause__ or first.__context__ or first
    return message_of(first) if first is not error else ""


def frames(error: BaseException, source: SnippetSource) -> tuple[Frame, ...]:
    """The snippet's frames when the error was raised, outermost first, with their variables."""
    seen = []
    for tb in _own(error, source)[-_FRAMES:]:
        names = [
            (name, value)
            for name, value in tb.tb_frame.f_locals.items()
            if not name.startswith("__") and not _uninteresting(value)
        ]
        seen.append(
            Frame(
                function=tb.tb_frame.f_code.co_name,
                line=tb.tb_lineno,
                locals={name: _variable(value) for name, value in names[-_LOCALS:]},
            )
        )
    return tuple(seen)


def innermost(error: BaseException, source: SnippetSource) -> dict[str, object]:
    """The variables of the snippet's innermost frame, its globals included."""
    own = _own(error, source)
    frame = own[-1].tb_frame if own else None
    return {} if frame is None else {**frame.f_globals, **frame.f_locals}


def _variable(value: object) -> Variable:
    try:
        return variable(value)
    except Exception:  # a broken subclass must not hide the error it is part of
        return Variable(type=type(value).__name__)


def _uninteresting(value: object) -> bool:
    return type(value).__name__ in {"module", "function", "type", "builtin_function_or_method"}


def message_of(error: BaseException) -> str:
    """The exception's text, whatever its `__str__` does, in characters that can be written."""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except BaseException:  # SystemExit too: it is only being looked at
        text = "(the exception's own __str__ failed)"
    text = text[: 2 * _MESSAGE].encode("utf-8", "backslashreplace").decode()
    text = _COLOURS.sub("", _INSTALLED.sub("", text))
    return text if len(text) <= _MESSAGE else text[:_MESSAGE] + " …"


def _speaks(error: BaseException | None, source: SnippetSource, depth: int = 10) -> bool:
    """Whether str() of the exception would run the snippet's code."""
    if error is None or not depth:
        return False
    text = getattr(type(error).__str__, "__code__", None)
    return (
        (text is not None and text.co_filename == source.filename)
        or not all(is_plain(argument) for argument in error.args)
        or _speaks(error.__cause__, source, depth - 1)
        or _speaks(error.__context__, source, depth - 1)
    )


def _plainly(error: BaseException) -> str:
    known = [a for a in error.args if is_plain(a)]
    return str(known[0]) if len(known) == 1 else repr(tuple(known))[:_MESSAGE] if known else ""


def text_of(error: BaseException, source: SnippetSource) -> str:
    """The traceback as Python prints it, without our frames and the jail's paths."""
    try:
        without_ours(error, source)
        text = "".join(traceback.format_exception(error, limit=-40))
    except BaseException:
        text = f"{class_name(error)}: {message_of(error)}\n"
    text = text.encode("utf-8", "backslashreplace").decode()
    text = text.replace(source.filename, Path(source.filename).name)
    text = _INSTALLED.sub("", _LIBRARY.sub('File "', text))
    if len(text) > _TRACEBACK:
        text = text[: _TRACEBACK // 4] + "\n  …\n" + text[-3 * _TRACEBACK // 4 :]
    return text


_OURS = f"{Path(__file__).parents[2]}/"
_TO_OURS = ("torch/_compile.py", "torch/_dynamo/eval_frame.py", "torch/overrides.py")


def without_ours(error: BaseException, source: SnippetSource) -> None:
    """Drop the frames above the snippet's first one, and those of our probes below it.

    The same in every chained exception.
    """
    for e in list(chain(error)):
        tb = e.__traceback__
        while tb is not None and tb.tb_frame.f_code.co_filename != source.filename:
            tb = tb.tb_next
        if tb is not None or isinstance(e, SyntaxError):
            e.__traceback__ = _without_listeners(tb)


def _without_listeners(first: TracebackType | None) -> TracebackType | None:
    """The traceback without our frames, and without torch's frames that only call ours."""
    kept: list[TracebackType] = []
    tb = first
    while tb is not None:
        path = tb.tb_frame.f_code.co_filename
        if path.startswith(_OURS):
            while kept and kept[-1].tb_frame.f_code.co_filename.endswith(_TO_OURS):
                kept.pop()
        else:
            kept.append(tb)
        tb = tb.tb_next
    if not kept:
        return None  # a SyntaxError of the snippet itself: nothing of it ran
    for tb, following in zip(kept, [*kept[1:], None], strict=True):
        if tb.tb_next is not following:
            tb.tb_next = following
    return kept[0] if kept else None


def _own(error: BaseException, source: SnippetSource) -> list[TracebackType]:
    own = []
    tb = error.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == source.filename:
            own.append(tb)
        tb = tb.tb_next
    return own


def _place(tb: TracebackType) -> CodePosition:
    return CodePosition(tb.tb_frame.f_code, tb.tb_lasti, tb.tb_lineno)


def _origin(error: BaseException, source: SnippetSource) -> str:
    """Who raised it: "torch", "raise" (the snippet's own statement) or "python"."""
    tb = error.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    if tb is None:
        return "python"
    path = tb.tb_frame.f_code.co_filename
    if path != source.filename:
        return "torch" if re.search(r"[/\\]torch[/\\]", path) or path.startswith("<") else "python"
    opcode = tb.tb_frame.f_code.co_code[tb.tb_lasti]
    if dis.opname[opcode] == "RAISE_VARARGS":
        return "raise"
    if isinstance(error, (RuntimeError, NotImplementedError)):
        return "torch"  # compiled code raises these; Python itself, at no expression of this kind
    named = re.search(r"torch|[Tt]ensor|dimension|\bdim\b", message_of(error))
    return "torch" if named and isinstance(error, (TypeError, ValueError, IndexError)) else "python"
