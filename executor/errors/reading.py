"""Say in plain words what an error means, what to do, and which code it may come from.

The sentences are those of the error's family, filled in with the values of its message. Nothing is
run for them: they say what the words and numbers of a message say by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Protocol, TypeVar

from executor.errors.around import AROUND, NOTHING, SEARCHED, Around
from executor.errors.catalogue import HasMessage, all_families, families_of
from executor.errors.dtype_names import dtype_named
from executor.errors.family import ANY, CAUSES, ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.in_a_worker import raised_by_a_worker
from executor.errors.tried import untried
from executor.errors.warnings import instead_of_what, is_a_warning, meaning_of_a_warning


class HasConstruct(Protocol):
    """A construct of a snippet, such as a call; `executor.protocol.Construct` is one."""

    @property
    def kind(self) -> str:
        """What it is: a call, an update."""

    @property
    def name(self) -> str:
        """What is called, changed or read, as it is written."""

    @property
    def code(self) -> str:
        """Its line."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """Its arguments as they are written, numbers computed."""

    @property
    def keywords(self) -> Mapping[str, str]:
        """Its keyword arguments likewise."""

    @property
    def then(self) -> str:
        """The attribute that is asked of its result at once."""


# What of a post excludes causes that an article names; a file or a moved tensor excludes none.
_TELLING = (AROUND - {"file", "moved"}) | {"of_each", "output", "rows_of", "numbers"}
C = TypeVar("C", bound=HasConstruct)


@dataclass(frozen=True)
class ErrorReading:
    """What the words of an error say. A part is empty where nothing sure can be said."""

    family: str
    means: str  # what the message proves
    remedy: str  # without what the post has tried, or has already
    now: str  # how the pinned torch words it, if this wording is of an older version
    is_specific: bool  # whether `means` is of this message, and not only of its family
    has_own_remedy: bool  # whether `remedy` was chosen by the message's values
    is_of_the_post: bool = False  # whether what the post shows beside its message chose a sentence
    causes: str = ""  # what it may come from, where the message leaves several


def read_words(
    error: HasMessage, around: Around = NOTHING, constructs: Iterable[HasConstruct] = ()
) -> ErrorReading | None:
    """Read an error by the most specific family that it is of; None if the catalogue has none.

    Args:
        error: its type and message. A warning is told as one, whatever error words it so.
        around: what the post shows besides the message.
        constructs: what stands in the code, if there is any.
    """
    error = _to_tell(error)
    seen, family = _seen(error)
    if is_a_warning(error.type) and not (family and any(map(is_a_warning, family.types))):
        remedy = instead_of_what(error.message)
        if not remedy and seen is not None and family is not None:
            remedy = _remedy(family, _values(seen, family, error.message, around, ()))
        return ErrorReading("", meaning_of_a_warning(error.type), remedy, "", False, bool(remedy))
    if seen is None or family is None:
        return None
    here = tuple(constructs)
    values = _values(seen, family, error.message, around, here)
    made = next((c for c, by_value, _ in _suspected(family, values, here) if by_value), None)
    if made is not None:
        values["made"] = made.name.rpartition(".")[2]
    means, _, causes = _first(family.means, values).partition(CAUSES)
    return ErrorReading(
        family=seen.id,
        means=means or family.says.rstrip("."),
        remedy=_remedy(family, values),
        has_own_remedy=bool(_first([r for r in family.remedy if _chooses(r)], values)),
        now=_first((family.now,), values) if family.now and seen.is_older else "",
        is_specific=bool(means),
        is_of_the_post=_by_the_post(family.means, values) or _by_the_post(family.remedy, values),
        causes=causes,
    )


def values_of(error: HasMessage) -> Mapping[str, str]:
    """All values that a message names or implies, as a Sentence's `when` knows them."""
    error = _to_tell(error)
    seen, family = _seen(error)
    if seen is None or family is None:
        return {}
    return _values(seen, family, error.message, NOTHING, ())


def fitting(error: HasMessage, constructs: Iterable[C]) -> Iterator[tuple[C, bool, str]]:
    """The constructs that an error may come from, the best first.

    All are of the first kind of suspect that any construct fits. With each comes whether a value
    of the message points to it, and what is said of it.
    """
    error = _to_tell(error)
    seen, family = _seen(error)
    if seen is not None and family is not None:
        here = tuple(constructs)
        yield from _suspected(family, _values(seen, family, error.message, NOTHING, here), here)


def _suspected(
    family: ErrorFamily, values: Mapping[str, str], constructs: Iterable[C]
) -> Iterator[tuple[C, bool, str]]:
    all_of_them = tuple(constructs)
    for suspect in family.suspects:
        found = [c for c in all_of_them if _fits(suspect, c, values)]
        by_value = any("{" in f"{k}{v}" for k, v in suspect.arguments.items())
        yield from ((c, by_value, _filled(suspect.says, values) or "") for c in found)
        if found:
            return


def _to_tell(error: HasMessage) -> HasMessage:
    """Of an error that a loader's worker raised, that one, if it is known."""
    inside = raised_by_a_worker(error)
    return inside if families_of(inside.type, inside.message) else error


def _seen(error: HasMessage) -> tuple[SeenError | None, ErrorFamily | None]:
    seen = next(iter(families_of(error.type, error.message)), None)
    if seen is None:
        return None, None
    return seen, next(f for f in all_families() if f.id == seen.id)


def _values(
    seen: SeenError,
    family: ErrorFamily,
    message: str,
    around: Around,
    constructs: Iterable[HasConstruct],
) -> dict[str, str]:
    dtypes = {f"{name}_dtype": dtype_named(value) for name, value in seen.values.items()}
    code = "\n".join(dict.fromkeys(c.code for c in constructs))
    values = {**seen.values, **dtypes, **around.values(code, seen["name"])}
    try:
        if family.look_around is not None:
            values |= family.look_around(seen, around)
        if family.derive is not None:
            values |= family.derive(seen, message)
    except ValueError:  # a stranger's number may be longer than Python converts
        return values
    return values


def _chooses(sentence: str | Sentence) -> bool:
    return isinstance(sentence, Sentence) and bool(sentence.when)


def _remedy(family: ErrorFamily, values: Mapping[str, str]) -> str:
    """What to do: the first advice that holds and of which not all was tried already.

    An order that nothing of the post chose, for an error with several causes, is told as one.
    """
    for sentence, told in _holding(family.remedy, values):
        rest = untried(told, values["words"], values["code"], values["line"])
        if not rest:
            continue
        sure = family.decides or bool(sentence.when.keys() & AROUND)
        return rest if sure or is_conditional(rest) else f"{OFTEN}{rest}"
    return ""


OFTEN = "What often helps: "  # before an order that may be about another cause
_CONDITION = re.compile(
    r"\b(?:if|where|when|whether|perhaps|print|look|check|compare|find|mostly|often|usual\w*|may"
    r"|likely|either|except|until|unless)\b",
    re.IGNORECASE,
)


def is_conditional(advice: str) -> bool:
    """Whether an advice says when it holds, or has one look first."""
    return _CONDITION.search(re.sub(r"`[^`]*`", "", advice)) is not None


def _first(sentences: Iterable[str | Sentence], values: Mapping[str, str]) -> str:
    """The first sentence that holds and whose values are all there; empty if none is."""
    return next((told for _, told in _holding(sentences, values)), "")


def _holding(
    sentences: Iterable[str | Sentence], values: Mapping[str, str]
) -> Iterator[tuple[Sentence, str]]:
    """The sentences that hold, with their values."""
    for one in sentences:
        sentence = one if isinstance(one, Sentence) else Sentence(one)
        if not all(_holds(name, p, values.get(name, "")) for name, p in sentence.when.items()):
            continue
        quoted = _line_with(sentence.when["code"], values) if "code" in sentence.when else ""
        if (told := _filled(sentence.text, {**values, "quoted": quoted})) is not None:
            yield sentence, told


def _by_the_post(sentences: Iterable[str | Sentence], values: Mapping[str, str]) -> bool:
    """Whether the sentence that is told holds because of what stands around the message."""
    told = _first(sentences, values)
    around = [one for one in sentences if isinstance(one, Sentence) and one.when.keys() & _TELLING]
    return bool(told) and _first(around, values) == told


def _holds(name: str, pattern: str, value: str) -> bool:
    if name in SEARCHED:
        return re.search(pattern, value, re.IGNORECASE) is not None
    return re.fullmatch(pattern, value, re.S) is not None


_COMMENT = re.compile(r"\s#[^'\"]*$")


def _line_with(pattern: str, values: Mapping[str, str]) -> str:
    lines = values.get("code", "").split("\n")
    found = next((ln for ln in lines if re.search(pattern, ln, re.IGNORECASE)), "")
    return _COMMENT.sub("", found).strip()


_OURS = "today"  # a value that is no stranger's text, and is told whole


def _filled(text: str, values: Mapping[str, str]) -> str | None:
    """The text with its values; None if one is missing."""
    names = [name for _, name, _, _ in Formatter().parse(text) if name]
    if not all(values.get(name) for name in names):
        return None
    return text.format_map({n: values[n] if n == _OURS else _short(values[n]) for n in names})


def _short(value: str) -> str:
    one_line = " ".join(value.split()).replace(CAUSES, "|")
    return one_line if len(one_line) <= 80 else f"{one_line[:79]}…"


def _fits(suspect: Suspect, construct: HasConstruct, values: Mapping[str, str]) -> bool:
    pattern = _filled(suspect.name, {k: re.escape(v) for k, v in values.items()})
    if construct.kind not in suspect.kinds or pattern is None:
        return False
    if re.fullmatch(pattern, construct.name.rpartition(".")[2]) is None:
        return False
    if any(name in construct.keywords for name in suspect.without):
        return False
    if suspect.then_not and re.fullmatch(suspect.then_not, construct.then):
        return False
    given = (*construct.arguments, *construct.keywords.values())
    if suspect.value and not any(re.search(suspect.value, a) for a in construct.arguments[:1]):
        return False
    if suspect.value_not and any(re.search(suspect.value_not, text) for text in given):
        return False
    return _has_arguments(suspect, construct, values)


def _has_arguments(suspect: Suspect, construct: HasConstruct, values: Mapping[str, str]) -> bool:
    """Whether one of its arguments is one that the suspect names; true if it names none."""
    if not suspect.arguments:
        return True
    for where, template in suspect.arguments.items():
        wanted = _filled(template, values)
        if where == ANY:
            given: tuple[str, ...] = (*construct.arguments, *construct.keywords.values())
        elif isinstance(where, int):
            given = construct.arguments[where : where + 1]
        else:
            keyword = _filled(where, values)
            given = tuple(v for k, v in construct.keywords.items() if k == keyword)
        if wanted is not None and (wanted in given or (not wanted and given)):
            return True
    return False
