"""Rewrite code that shows an error on purpose so that it tells of the error and goes on.

The failing statement gets a `try` of its own; where it has one that names another error, that
one's `except` names the right one. Nothing else of the code changes. Syntax trees are read in the
jail only: `telling_job` makes the job, `propose_telling` is what it runs.
"""

import base64
import builtins
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import libcst as cst
from pydantic import ValidationError

from executor.protocol import File, Job, JobResult, Model, Probe
from knowledge.repair.toolkit.comments import above, commented
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.statements import line_of

_READ_BYTES = 64 * 1024  # of code
_WALL_S = 20.0
_ORDER, _TOLD = "telling-order.json", "telling.json"
# All the code of such a job.
PROPOSE_TELLING = "from knowledge.repair.telling import propose_telling\npropose_telling()\n"
# A comment that speaks of the failing line itself, and not of the section that it stands in.
_OF_THE_LINE = re.compile(
    r"(?i)\b(?:avoid|not recommended|wrong|incorrect|bad|fails?|errors?|raises?|problem\w*"
    r"|breaks?|disrupts?)\b"
    r"|\w(?:Error|Exception)\b"
)
# What comes out, where it works.
_STATES = re.compile(r"(?i)^#\W*(?:(?:expected )?output|prints)\b[^\n]*(?:\d|torch\.|tensor)")
_NAMES = ("error", "e", "exc", "raised")


class Telling(Model):
    """The rewritten code, and what was done, in words."""

    code: str
    title: str
    of_its_own: bool = False  # the code has a `try` for this error, which names another one


class _Order(Model):
    """What goes into the jail: the code, and where its run raised what."""

    code: str
    lines: tuple[int, ...]  # of its own frames when the error came, the innermost first
    type: str
    how: str = ""  # the code says that it is meant


def telling_job(code: str, result: JobResult) -> Job | None:
    """The job that rewrites the code; None where the run shows nothing to be told of.

    Args:
        code: the snippet.
        result: its run, which ended with an error that the code shows on purpose.
    """
    error = result.error
    if error is None or not error.demonstrated or len(code.encode(errors="replace")) > _READ_BYTES:
        return None
    lines = tuple(frame.line for frame in reversed(result.frames)) or (error.line,)
    if None in lines or not _is_builtin(error.type):
        return None
    order = _Order(
        code=code,
        lines=tuple(n for n in lines if n is not None),
        type=error.type,
        how=error.demonstrated,
    )
    text = base64.b64encode(order.model_dump_json().encode()).decode()
    files = (File(name=_ORDER, base64=text),)
    return Job(code=PROPOSE_TELLING, files=files, wall_s=_WALL_S, probes=(Probe.NONE,))


def _is_builtin(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, Exception)


def read_telling(result: JobResult) -> Telling | None:
    """What `propose_telling` wrote; None where there is nothing that it could rewrite."""
    for file in result.files:
        if file.name == _TOLD:
            try:
                return Telling.model_validate_json(base64.b64decode(file.base64))
            except ValidationError:
                return None
    return None


# -- in the jail -----------------------------------------------------------------------------


def propose_telling(folder: Path = Path()) -> None:
    """Read the order, rewrite, write. Runs in the jail."""
    order = _Order.model_validate_json((folder / _ORDER).read_bytes())
    found = told(Program(order.code), order.lines, order.type, order.how)
    if found is not None:
        (folder / _TOLD).write_text(found.model_dump_json())


def told(program: Program, lines: Sequence[int], error: str, how: str = "") -> Telling | None:
    """The code with this error told of; None where no such rewrite is honest.

    Args:
        program: the snippet.
        lines: what it was doing when the error came, the innermost first; the last one is the
            module's own.
        error: its class, one of Python's own.
        how: the code says that it is meant: a comment that says so is heeded at the end, too.
    """
    for line in lines:
        within = program.statement_on(line)
        handler = _handler_that_would_tell(program, within) if within is not None else None
        if handler is None or handler.type is None:
            continue
        title = (
            f"line {program.line(handler)}: `except` names {error}, which line {line} raises, "
            f"not {program.text(handler.type)}"
        )
        edits = _renamed_labels(program, handler, program.text(handler.type), error)
        code = program.replace({handler.type: cst.Name(error), **edits}).code
        return Telling(code=code, title=title, of_its_own=True)
    line = lines[-1]
    if (loop := _loop_on(program, line)) is not None and how == "comment":
        return _with_try(program, [loop], error, line)
    statement = program.statement_on(line)
    if statement is None or not _stands_by_itself(program, statement):
        return None
    if (below := _try_below(program, statement, error)) is not None:
        first = statement.with_changes(leading_lines=())
        held_too = below.body.with_changes(body=[first, *below.body.body])
        lead = [*statement.leading_lines, *below.leading_lines]
        moved = below.with_changes(body=held_too, leading_lines=lead)
        title = f"line {line} stands in the `try` below it, which tells of its {error}"
        new = program.replace({below: moved, statement: cst.RemoveFromParent()})
        return Telling(code=new.code, title=title, of_its_own=True)
    held = _with_what_needs_it(program, statement)
    bound = [name for one in held for name in _bound(one)]
    is_said = how == "comment" or (how == "labelled" and len(held) == 1)
    if not is_said and not _is_followed(program, held[-1]):
        return None
    comments = commented(program.module.code)
    beside = range(program.line(held[0]), program.end_line(held[-1]) + 1)
    if any(_STATES.search(comments[n]) for n in beside if n in comments):
        return None
    if any(_is_read_later(program, held[-1], name) for name in bound):
        return None
    if _reports_on_what_is_left_out(program, held, lines[0]):
        return None
    return _with_try(program, held, error, line)


def _loop_on(program: Program, line: int) -> cst.For | None:
    """The module's own loop whose head stands on this line: what it goes through fails."""
    loops = (s for s in program.module.body if isinstance(s, cst.For))
    return next((loop for loop in loops if program.line(loop) == line), None)


def _with_try(
    program: Program, held: Sequence[cst.SimpleStatementLine | cst.For], error: str, line: int
) -> Telling | None:
    """The statements in a `try` that prints the error."""
    first, name = held[0], next((n for n in _NAMES if n not in _names(program)), None)
    if name is None:
        return None
    code = program.replace(
        {
            first: cst.Try(
                body=cst.IndentedBlock([first.with_changes(leading_lines=()), *held[1:]]),
                handlers=[_telling_handler(error, name)],
                leading_lines=first.leading_lines,
            ),
            **{one: cst.RemoveFromParent() for one in held[1:]},
        }
    ).code
    rest = ", and the rest runs" if _is_followed(program, held[-1]) else ""
    return Telling(code=code, title=f"line {line} tells of its {error} in a `try`{rest}")


def _renamed_labels(program: Program, handler: cst.ExceptHandler, old: str, new: str) -> Edits:
    """What a handler prints, with the name of the class that it takes now."""
    named = re.compile(rf"\b{re.escape(old)}\b")
    edits: Edits = {}
    for text in program.inside(handler.body, cst.SimpleString):
        if named.search(text.value):
            edits[text] = text.with_changes(value=named.sub(new, text.value))
    for part in program.inside(handler.body, cst.FormattedStringText):
        if named.search(part.value):
            edits[part] = part.with_changes(value=named.sub(new, part.value))
    return edits


def _reports_on_what_is_left_out(
    program: Program, held: Sequence[cst.SimpleStatementLine], raised: int
) -> bool:
    """Whether the rest prints gradients that a `backward()` behind the failing line would make.

    Then the code shows what becomes of the gradients, and the error came in its way; unless a
    comment speaks of the failing line itself.
    """
    last = held[-1]
    skipped = any(".backward(" in program.text(one) for one in held[1:])
    if not skipped or not re.search(r"\.grad\b", _below(program, program.end_line(last))):
        return False
    comments = commented(program.module.code)
    said = [*above(raised, comments, program.module.code), comments.get(raised, "")]
    return not any(_OF_THE_LINE.search(text) for text in said)


def _below(program: Program, line: int) -> str:
    lines = program.module.code.splitlines()[line:]
    return "\n".join(text.partition("#")[0] for text in lines)


def _telling_handler(error: str, name: str) -> cst.ExceptHandler:
    told = line_of(f'print("{error}:", {name})')
    return cst.ExceptHandler(
        type=cst.Name(error), name=cst.AsName(cst.Name(name)), body=cst.IndentedBlock([told])
    )


def _handler_that_would_tell(
    program: Program, statement: cst.SimpleStatementLine
) -> cst.ExceptHandler | None:
    """The only handler of a `try` around it, where that does nothing but call `print` or so."""
    block = program.parent(statement)
    around = program.parent(block) if block is not None else None
    if not isinstance(around, cst.Try) or around.body is not block or len(around.handlers) != 1:
        return None
    handler = around.handlers[0]
    calls = (
        isinstance(line, cst.SimpleStatementLine)
        and all(isinstance(s, cst.Expr) and isinstance(s.value, cst.Call) for s in line.body)
        for line in handler.body.body
    )
    return handler if all(calls) else None


def _try_below(program: Program, statement: cst.SimpleStatementLine, error: str) -> cst.Try | None:
    """The `try` right below that tells of such an error, and needs what the statement makes."""
    block = program.parent(statement)
    assert isinstance(block, cst.Module | cst.IndentedBlock)
    siblings = list(block.body)
    below = next(iter(siblings[siblings.index(statement) + 1 :]), None)
    if not isinstance(below, cst.Try) or not isinstance(below.body, cst.IndentedBlock):
        return None
    made = set(_bound(statement))
    needs_it = made & {name.value for name in program.inside(below.body, cst.Name)}
    first = below.body.body[0]
    handler = (
        _handler_that_would_tell(program, first)
        if isinstance(first, cst.SimpleStatementLine)
        else None
    )
    if not needs_it or handler is None or handler.type is None:
        return None
    taken = getattr(builtins, program.text(handler.type), None)
    covers = isinstance(taken, type) and issubclass(getattr(builtins, error), taken)
    last = max(program.inside(below, cst.SimpleStatementLine), key=program.end_line)
    return below if covers and not any(_is_read_later(program, last, m) for m in made) else None


def _stands_by_itself(program: Program, statement: cst.SimpleStatementLine) -> bool:
    """Whether it is run once, by the module itself: in no loop, function, class or `try`."""
    plain = (cst.Module, cst.IndentedBlock, cst.With, cst.If, cst.Else)
    return all(isinstance(around, plain) for around in program.above(statement))


def _with_what_needs_it(
    program: Program, statement: cst.SimpleStatementLine
) -> list[cst.SimpleStatementLine]:
    """The statement, and those right below it that use what it would have made."""
    block = program.parent(statement)
    assert isinstance(block, cst.Module | cst.IndentedBlock)
    held, made = [statement], set(_bound(statement))
    for below in block.body[list(block.body).index(statement) + 1 :]:
        if not isinstance(below, cst.SimpleStatementLine) or not _reads(program, below) & made:
            break
        held.append(below)
        made |= set(_bound(below))
    return held


def _reads(program: Program, statement: cst.SimpleStatementLine) -> set[str]:
    """The names that a statement uses, those aside that it only assigns."""
    used = {name.value for name in _variables(program, statement)}
    values = [
        small.value
        for small in statement.body
        if isinstance(small, cst.Assign | cst.AnnAssign) and small.value is not None
    ]
    read = {name.value for value in values for name in _variables(program, value)}
    return (used - set(_bound(statement))) | read


def _is_followed(program: Program, statement: cst.CSTNode) -> bool:
    """Whether the module does anything after it: else nothing is won by going on."""
    return any(
        program.line(one) > program.end_line(statement)
        for one in program.module.body
        if not isinstance(one, cst.FunctionDef | cst.ClassDef)
    )


def _bound(statement: cst.SimpleStatementLine) -> Iterator[str]:
    """The names that it assigns; `x += 1` leaves `x` what it was."""
    for small in statement.body:
        if isinstance(small, cst.Assign):
            for target in small.targets:
                yield from _names_of(target.target)
        elif isinstance(small, cst.AnnAssign):
            yield from _names_of(small.target)


def _names_of(target: cst.CSTNode) -> Iterator[str]:
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from _names_of(element.value)


def _is_read_later(program: Program, statement: cst.SimpleStatementLine, name: str) -> bool:
    """Whether a later line uses the name before one gives it another value."""
    uses = [
        use
        for use in _variables(program, program.module)
        if use.value == name and program.line(use) > program.end_line(statement)
    ]
    if not uses:
        return False
    there = program.up(min(uses, key=program.line), cst.SimpleStatementLine)
    if there is None or not _stands_by_itself(program, there):
        return True
    return name not in set(_bound(there)) or name in _reads(program, there)


def _variables(program: Program, node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names in it that stand for a value: no attribute and no keyword does."""
    yield from (n for n in program.inside(node, cst.Name) if not program.is_label(n))


def _names(program: Program) -> set[str]:
    return {name.value for name in program.all(cst.Name)}
