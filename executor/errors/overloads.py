"""Read, of a call that no form of a function takes, which argument is at odds with a form."""

from __future__ import annotations

import re
from typing import NamedTuple

from executor.errors.family import MAX_CHARS
from executor.errors.lists import offered_forms

_GIVEN = re.compile(r"arguments have invalid types: \(([^\n]{1,600})\)[ \t]*$", re.MULTILINE)
# torch 0.1 to 0.3 named only what was given: "… - got (A, B), but expected (A input, C target)".
_GIVEN_BEFORE = re.compile(r"combination of arguments - got \(([^\n()]{1,600})\), but expected\b")
_ONLY_FORM = re.compile(r", but expected \(([^\n()]{1,600})\)")
_MARKED = re.compile(r"!([^!]{1,200})!")
_BRACKETED = re.compile(r"\([^()]*\)")
_INSIDE = re.compile(r"(?:tuple|list) of \(([\w, ]*)\)")
_NO_TENSORS = frozenset({"int", "float", "str", "NoneType", "list", "tuple", "numpy.ndarray"})
_WHOLE = frozenset({"int", "SymInt", ""})


class OddArgument(NamedTuple):
    """An argument, what a form takes for it, and what it is given."""

    name: str
    wanted: str  # as the form names it: "tuple of ints"
    given: str  # as the message names it: "tuple of (bool, bool)"


def odd_argument(message: str) -> OddArgument | None:
    """The only argument whose type keeps a call from a form, if all forms agree on which it is.

    Only the kinds of types are compared that decide without doubt: tensors, and tuples of whole
    numbers.
    """
    read = message[:MAX_CHARS]
    found = _GIVEN.search(read) or _GIVEN_BEFORE.search(read)
    if found is None:
        return None
    given = [word.strip("! ") for word in _parts(found[1])]
    odd: set[OddArgument] = set()
    for form in offered_forms(message) or _ONLY_FORM.findall(read):
        plain = [part.partition("=")[0].strip() for part in _parts(form)]  # without defaults
        wanted = [part.rpartition(" ") for part in plain if " " in part]
        if len(wanted) != len(given):
            continue
        off = [
            OddArgument(name, kind, type_)
            for (kind, _, name), type_ in zip(wanted, given, strict=True)
            if not _takes(kind, type_)
        ]
        # A layer without a bias gives None for it: that is no mistake beside another one.
        off = [one for one in off if (one.name, one.given) != ("bias", "NoneType")] or off
        if len(off) == 1:
            odd.add(off[0])
    return odd.pop() if len(odd) == 1 else None


def marked_argument(message: str) -> str:
    """The type that the message marks, `!tuple of (bool, bool)!`, if it marks only one."""
    marked = {
        word for refused in _GIVEN.findall(message[:MAX_CHARS]) for word in _MARKED.findall(refused)
    }
    return marked.pop() if len(marked) == 1 else ""


def _parts(text: str) -> list[str]:
    """What stands between commas outside of brackets."""
    flat = _BRACKETED.sub(lambda found: found[0].replace(",", "\0"), text)
    return [part.strip().replace("\0", ",") for part in flat.split(",") if part.strip()]


def _takes(kind: str, given: str) -> bool:
    """Whether an argument of a kind takes a type; where it is not sure, it does."""
    if kind == "tuple of ints":
        inside = _INSIDE.fullmatch(given)
        return inside is None or set(inside[1].replace(" ", "").split(",")) <= _WHOLE
    if kind.startswith("torch.") and kind.endswith("Tensor") and given.startswith("torch."):
        return kind == given
    return kind != "Tensor" or given not in _NO_TENSORS
