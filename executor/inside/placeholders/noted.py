"""Read the sizes that comments give of a variable: `# img [64, 1, 28, 28]`, `# x: (batch, 10)`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from math import prod

from executor.inside.placeholders.plans import BatchesPlan, Plan, TensorPlan
from executor.inside.placeholders.shapes import Choices, TensorSpec

# A variable → its sizes; None for one that is only named (`batch`).
Noted = Mapping[str, tuple[int | None, ...]]
_SAYS = r"(?:(?:is|of|has|with|shape|size|a|tensor)\b\s{0,3}){0,4}"
_SIZES = re.compile(
    rf"(?:\b([A-Za-z_]\w{{0,40}})(?:\.shape|\.size\(\))?\s{{0,3}}{_SAYS}(?:[:=]|->)?\s{{0,3}}{_SAYS}"
    r"(?:torch\.Size\()?)?"
    r"[\[(]\s{0,3}(\w{1,20}(?:\s{0,3}[,x]\s{0,3}\w{1,20}){1,4})\s{0,3},?\s{0,3}[\])]"
)
_SHOWN = re.compile(r"\b([A-Za-z_]\w{0,40})\.(?:shape|size\(\))")
_MADE = re.compile(r"\s*([A-Za-z_]\w{0,40})\s*=(?!=)")
_LONGEST = 200  # characters of a comment that are read
_MOST = 20_000_000  # numbers of a tensor that is made
_FIELDS = ("batch", "features", "classes", "hidden", "length")
_OF_PICTURES = ("batch", "channels", "gray", "colour")


def noted(code: str) -> dict[str, tuple[int | None, ...]]:
    """The sizes that the comments of a code give; of a variable with several, none."""
    found: dict[str, set[tuple[int | None, ...]]] = {}
    comments, names = _read(code)
    for line, comment in comments:
        own = _SHOWN.search(line) or _MADE.match(line)
        for match in _SIZES.finditer(comment[:_LONGEST]):
            each = match[2].split("," if "," in match[2] else "x")
            sizes = tuple(int(s) if s.strip().isdecimal() else None for s in each)
            name = match[1] if match[1] in names else own[1] if own is not None else ""
            if name and any(sizes) and 0 not in sizes and prod(s or 1 for s in sizes) <= _MOST:
                found.setdefault(name, set()).add(sizes)
    return {name: told.pop() for name, told in found.items() if len(told) == 1}


def _read(code: str) -> tuple[list[tuple[str, str]], set[str]]:
    """Each comment with the code of its line, and the names of the code."""
    comments, names = [], set[str]()
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                comments.append((token.line[: token.start[1]], token.string.lstrip("# ")))
            elif token.type == tokenize.NAME:
                names.add(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass  # it is no whole Python: what came before counts
    return comments, names


def settled(choices: Choices, plans: Mapping[str, Plan], told: Noted) -> Choices:
    """The choices with the sizes that comments give: where a plan has a choice they have a number.

    A comment counts as a whole: not where it gives another number of dimensions, or another size
    than the code settles.
    """
    found: dict[str, set[int]] = {}
    for name, spec in _specs(plans):
        sizes = told.get(name, ())
        if len(sizes) != len(spec.shape):
            continue
        open_ = _OF_PICTURES if len(spec.shape) == 4 else _FIELDS
        fields = [next((f for f in open_ if getattr(choices, f) == n), "") for n in spec.shape]
        pairs = [*zip(fields, spec.shape, sizes, strict=True)]
        if any(not field and size not in (None, own) for field, own, size in pairs):
            continue
        for field, _, size in pairs:
            if field and size:
                found.setdefault(field, set()).add(size)
    settles = {field: given.pop() for field, given in found.items() if len(given) == 1}
    return Choices(**{**vars(choices), **settles})


def _specs(plans: Mapping[str, Plan]) -> Iterator[tuple[str, TensorSpec]]:
    for name, plan in plans.items():
        if isinstance(plan, TensorPlan):
            yield name, plan.spec
        elif isinstance(plan, BatchesPlan):
            yield from plan.parts
