"""Change one thing in a program as text, as a follow-up asks: a value, a name, a dtype, a line.

The code is only searched and replaced, never parsed, and no line moves.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from bot.models import Answer
from bot.words import listed

NUMBER = r"-?\d+(?:_\d+)*(?:\.\d+)?(?:e[+-]?\d+)?"
DTYPES = "float16|float32|float64|bfloat16|half|double|int8|int16|int32|int64"
GIVEN = rf"(?:{NUMBER}|True|False|None|'[^']*'|\"[^\"]*\")"  # a value that may be written

_ASSIGNED = re.compile(rf"(?<![\w.])([A-Za-z_]\w*)(\s*=\s*)({GIVEN})(?![\w.])")
_SHORT = {"lr": "learningrate", "bs": "batchsize", "dim": "dimension", "hid": "hidden"}
_WHOLE_LINE = 60  # characters of a changed line that is quoted whole


@dataclass(frozen=True)
class Edit:
    """The program after a change, and the change in words."""

    code: str
    said: str


class NoEditError(Exception):
    """A change cannot be made; the text says why, to be shown."""


def replaced(code: str, old: str, new: str, line: int | None) -> Edit:
    """One value or name instead of another: everywhere, but of a number the one that is meant.

    Args:
        code: the program.
        old: what is there.
        new: what is to be there.
        line: the one that is meant; 0: every line; None: it is not known.

    Raises:
        NoEditError: it is not there, or stands in several places.
    """
    pattern = _token(old)
    lines = code.split("\n")
    at = [n for n, line in enumerate(lines) if pattern.search(line)]
    if not at:
        others = {m[0] for m in re.finditer(pattern.pattern, code, re.IGNORECASE)}
        there = f", only {listed([f'`{o}`' for o in sorted(others)])}" if others else ""
        raise NoEditError(f"I find no `{old}` in the code{there}.")
    if line and line - 1 in at:
        at = [line - 1]
    elif re.fullmatch(NUMBER, old) and len(at) > 1 and line != 0:
        where = listed([str(n + 1) for n in at])
        said = f"“{new} instead of {old} in line {at[0] + 1}”, or “… everywhere”"
        raise NoEditError(f"`{old}` stands in lines {where}; say {said}.")
    for n in at:
        lines[n] = pattern.sub(lambda _: new, lines[n])
    return _edited(code, lines)


def in_dtype(code: str, named: str) -> Edit:
    """Another dtype: instead of the only one that the code names, else as the default.

    Raises:
        NoEditError: it names several, or it cannot be the default.
    """
    short = {"half": "float16", "double": "float64"}
    name = named.lower().removeprefix("torch.")
    dtype = f"torch.{short.get(name, name)}"
    there = set(re.findall(rf"(?<![\w.])torch\.(?:{DTYPES})\b", code))
    if len(there) == 1:
        (old,) = there
        return _edited(code, _token(old).sub(dtype, code).split("\n"))
    lines = code.split("\n")
    at = next(
        (n for n, line in enumerate(lines) if re.match(r"import torch\s*(?:#|$)", line)), None
    )
    if there or at is None or not name.startswith(("float", "bfloat", "half", "double")):
        names = f" ({', '.join(sorted(there))})" if there else ""
        raise NoEditError(
            f"I do not know which tensors to make {dtype}{names}; say “{dtype} instead of …”."
        )
    lines[at] = f"import torch; torch.set_default_dtype({dtype})"  # no line moves
    return _edited(code, lines)


def bare(code: str, new: str, answer: Answer | None) -> Edit:
    """A value alone: where the fix put a value, or the only number of the failing line.

    Raises:
        NoEditError: neither is there.
    """
    lines = code.split("\n")
    if answer is not None and answer.fix is not None and answer.error is not None:
        place = _put_by(answer.fix.diff)
        at = [n for n, line in enumerate(lines) if place is not None and line.strip() == place[0]]
        if place is not None and len(at) == 1:
            lines[at[0]] = _token(place[1]).sub(new, lines[at[0]], count=1)
            return _edited(code, lines)
    error = answer.error if answer is not None else None
    if error is not None and error.line and error.line <= len(lines):
        line = lines[error.line - 1]
        numbers = re.findall(rf"(?<![\w.]){NUMBER}(?![\w.])", line)
        if len(numbers) == 1:
            lines[error.line - 1] = _token(numbers[0]).sub(new, line)
            return _edited(code, lines)
    raise NoEditError(f"I do not know what is to be {new}; say “{new} instead of …”, or its name.")


def named(code: str, name: str, value: str) -> Edit:
    """A value for a name: `batch_size` is also "batch size", `num_heads` "heads".

    Raises:
        NoEditError: no such name is given a value, or it is given several.
    """
    chosen = _assignments(code, name)
    if not chosen:
        known = list(dict.fromkeys(m[1] for m in _ASSIGNED.finditer(code)))[:6]
        have = f" It names {listed([f'`{k}`' for k in known])}." if known else ""
        raise NoEditError(
            f"I find no {name} in the code.{have} Say “{value} instead of …” for another value."
        )
    if len({m[3] for m in chosen}) > 1:
        lines = listed([str(code.count("\n", 0, m.start()) + 1) for m in chosen])
        raise NoEditError(
            f"{name} stands in lines {lines} with different values; say which to change."
        )
    after = code
    for match in reversed(chosen):
        after = after[: match.start(3)] + value + after[match.end(3) :]
    return _edited(code, after.split("\n"))


def line_changed(code: str, number: int, new: str) -> Edit:
    """Another text for a line; an empty one takes it out.

    Raises:
        NoEditError: the program has no such line.
    """
    lines = code.split("\n")
    if not 0 < number <= len(lines) or not lines[number - 1].strip():
        raise NoEditError(f"The code has no line {number}.")
    old = lines[number - 1]
    indent = old[: len(old) - len(old.lstrip())]
    if new:
        lines[number - 1] = indent + new
        return _edited(code, lines)
    lines[number - 1] = f"{indent}pass"  # no line moves, and no block is left empty
    return Edit("\n".join(lines), f"without line {number}, `{_short(old)}`")


# -- the change in words ---------------------------------------------------------------------


def _edited(before: str, new: list[str]) -> Edit:
    changed = [
        f"line {n}: {_instead(a, b)}"
        for n, (a, b) in enumerate(zip(before.split("\n"), new, strict=True), 1)
        if a != b
    ]
    if not changed:
        raise NoEditError("It is like that already.")
    more = f", and {len(changed) - 3} more" if len(changed) > 3 else ""
    return Edit("\n".join(new), "; ".join(changed[:3]) + more)


def _instead(old: str, new: str) -> str:
    """The two lines; of long ones the pieces that differ."""
    old, new = old.strip(), new.strip()
    if max(len(old), len(new)) > _WHOLE_LINE and (found := _differing(old, new)) is not None:
        start, end = found
        # `bias=False` says more than `False`.
        start = re.search(r"(?:\w+ ?= ?)?['\"]?\Z", old[:start]).start()  # type: ignore[union-attr]
        end -= len(re.match(r"['\"]?", old[len(old) - end :])[0])  # type: ignore[index]
        old, new = old[start : len(old) - end], new[start : len(new) - end]
    return f"`{_short(new)}` instead of `{_short(old)}`"


def _short(code: str) -> str:
    code = code.strip().replace("`", "'")
    return code if len(code) <= 2 * _WHOLE_LINE else f"{code[: 2 * _WHOLE_LINE]}…"


def _differing(old: str, new: str) -> tuple[int, int] | None:
    """Where two lines differ: characters before it and after it; None if in several places."""
    a, b = (re.findall(r"\w+(?:\.\d+)?|\s+|[^\w\s]", line) for line in (old, new))
    codes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    differ = [c for c in codes if c[0] != "equal"]
    if len(differ) != 1 or differ[0][0] != "replace":
        return None
    _, i, j, _, _ = differ[0]
    return len("".join(a[:i])), len("".join(a[j:]))


# -- where things stand ----------------------------------------------------------------------


def _token(text: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if text[:1].isalpha() else r"(?<![\w.])"
    return re.compile(rf"{before}{re.escape(text)}(?!\w|\.\d)")


def _put_by(diff: str) -> tuple[str, str] | None:
    """The line and the number that a fix of one number put there."""
    removed = [line[1:] for line in diff.splitlines() if re.match(r"-(?!--)", line)]
    added = [line[1:] for line in diff.splitlines() if re.match(r"\+(?!\+\+)", line)]
    if len(removed) != 1 or len(added) != 1:
        return None
    if (found := _differing(removed[0], added[0])) is None:
        return None
    put = added[0][found[0] : len(added[0]) - found[1]]
    return (added[0].strip(), put) if re.fullmatch(NUMBER, put) else None


def _assignments(code: str, name: str) -> list[re.Match[str]]:
    """Where a name is given a value: by its own name, else by one that means the same."""
    every = [*_ASSIGNED.finditer(code)]
    for means in (_key, _counted, _sized):
        found = [m for m in every if means(m[1]) == means(name)]
        if means is _sized and len({m[1] for m in found}) > 1:
            return []
        top = [m for m in found if m.start() == 0 or code[m.start() - 1] == "\n"]
        if found:
            return top or found
    return []


def _key(name: str) -> str:
    plain = re.sub(r"[\s_-]", "", name).lower()
    return _SHORT.get(plain, plain)


def _counted(name: str) -> str:
    """ "4 heads" is `num_heads`, `n_heads` or `nhead`."""
    return re.sub(r"^(?:num|number|n)(?:of)?(?=[a-z]{3})", "", _key(name)).rstrip("s")


def _sized(name: str) -> str:
    """The hidden size is `hidden_dim`, `hidden_features` or `n_hidden`."""
    return re.sub(r"(?<=[a-z]{3})(?:size|dim|dimension|feature|unit|channel)$", "", _counted(name))
