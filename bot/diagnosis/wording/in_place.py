"""Both ends of a write that changed what the gradient needs."""

from __future__ import annotations

from bot.models import AnswerCulprit, Question
from executor.errors import is_a
from executor.protocol import Culprit, JobResult
from knowledge.repair.mistake import Mistake


def is_in_place(wrong: Mistake) -> bool:
    """Whether it is a write that changed what the gradient needs."""
    if wrong.error is not None:
        return is_a(wrong.error, "modified_in_place")
    return any(kind == "silent_inplace_write" for kind, _ in wrong.findings)


def both_lines(run: JobResult) -> str:
    """Both ends of an in-place error in one sentence; empty if they are not known."""
    c = run.autograd
    if c is None or not c.modified_line or not c.saved_line:
        return ""
    if c.modified_line == c.saved_line:
        return f"Line {c.modified_line} overwrites values that backward still needs."
    return (
        f"Line {c.modified_line} overwrites the values that line {c.saved_line} still needs for "
        "the gradient."
    )


def culprit(question: Question, run: JobResult) -> AnswerCulprit | None:
    """Both ends of an in-place error in the asker's words."""
    c = run.autograd
    if c is None:
        return None
    lines = question.code.splitlines()
    changed = c.modified_code
    if changed and c.modified_line and c.modified_line <= len(lines):
        whole = lines[c.modified_line - 1].strip()  # of `x[0] = e` the run names only `x[0]`
        changed = whole if whole.startswith(changed) else changed
    tensor = None
    if c.tensor is not None:
        view = ", a view" if c.tensor.is_view else ""
        name = f"`{c.tensor.name}`: " if c.tensor.name else ""
        tensor = (
            f"{name}{c.tensor.dtype} {list(c.tensor.shape)}{view}, version "
            f"{c.tensor.saved_version} → {c.tensor.found_version}"
        )
    return AnswerCulprit(
        saved_line=c.saved_line,
        saved_code=c.saved_code,
        modified_line=c.modified_line,
        modified_code=changed,
        tensor=tensor,
        needed_line=c.needed_line,
        note=_culprit_note(c),
    )


def _culprit_note(c: Culprit) -> str:
    """Which layers saved and changed it, from where that was called, and what is not known."""
    notes = []
    if c.modified_layer or c.saved_layer:
        saved = f"saved by {c.saved_layer}" if c.saved_layer else ""
        changed = f"changed by {c.modified_layer}" if c.modified_layer else ""
        notes.append(", ".join(part for part in (saved, changed) if part))
    calls = {n for n in (c.saved_call_line, c.modified_call_line) if n}
    if calls:
        notes.append("called from line " + " and ".join(map(str, sorted(calls))))
    return "; ".join([*notes, *([c.note] if c.note else [])])
