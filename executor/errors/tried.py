"""Leave out of an advice what the person has tried, or what their code does already."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Where one advice ends and the next begins, outside of code.
_BETWEEN = re.compile(r"(?<=\.) (?=[A-Z`])|; |, or |: (?=if )")
_CODE = re.compile(r"`([^`]*)`")
_SETTING = re.compile(r"\b(\w+)=(True|False|None|\d+|'[^']*'|\"[^\"]*\")")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
_OF_A_PART = re.compile(r"\btorch\.(\w+\.\w+)\(")
_INSTALL = re.compile(r"\b(?:pip|conda) install (?:-\w+ )*(\w[\w.-]*)")
_LOOKS = frozenset({"print", "len", "list", "type"})  # what is printed has not been tried
_TRIED = re.compile(
    r"\b(?:tried|trying|already|although|though|still|wherever|no matter|to no avail"
    r"|even (?:with|after|if|when)|(?:did|does|do)(?:n't| not) (?:help|work|solve|fix|change)"
    r"|not (?:solved?|fix(?:ed)?|help(?:ed)?)|no (?:effect|difference|luck|success)"
    r"|without (?:success|luck)|same (?:error|problem|result|issue|message))\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:unless|except|until|only (?:if|when|with))\b", re.IGNORECASE)
# A setting that is named as what is wrong, or warned of, is not advised.
_WARNED_OF = re.compile(
    r"\b(?:would|does not help|hides|neither|does this too|look (?:for|behind)|right only|leave out"
    r"|drop)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^(?:or|else|and|then)\b,? *")


def untried(advice: str, words: str = "", code: str = "", line: str = "") -> str:
    """The advice without the parts whose code was all tried; empty if nothing is left.

    untried("Write `x.clone()`, or `reshape`", "clone() did not help")  # "`reshape`"

    Args:
        advice: sentences, or parts of one that stand side by side; code in backticks.
        words: the prose of the post.
        code: the posted code. A setting that stands in it is not advised again.
        line: the line that raised the error. A call that stands in it is not advised again.
    """
    told = " ".join(_said_of_trying(words))
    kept = ""
    for part, joint in _parts(advice):
        if _is_done(part, told, code, line):
            continue
        if not kept:
            kept = _OPENING.sub("", part)
        elif joint == " " or kept.endswith("."):  # a new sentence, or one whose beginning is gone
            begins = part if joint == " " else _capital(_OPENING.sub("", part))
            kept = f"{kept.removesuffix('.')}. {begins}"
        else:
            kept = f"{kept}{joint}{part}"
    if not kept or kept == advice:
        return kept
    return _capital(kept).rstrip(". ")


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _parts(advice: str) -> Iterator[tuple[str, str]]:
    """Each part with what joins it to the one before."""
    inside = [span.span() for span in _CODE.finditer(advice)]
    start, joint = 0, ""
    for found in _BETWEEN.finditer(advice):
        prose = _CODE.sub("", advice[start : found.start()])
        whole = prose.count("(") == prose.count(")")  # what stands in brackets goes with its part
        if whole and not any(a < found.start() < b for a, b in inside):
            yield advice[start : found.start()], joint
            start, joint = found.end(), found[0]
    yield advice[start:], joint


def _said_of_trying(words: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.!?])\s+|\n", words):
        if _TRIED.search(sentence):
            yield _BUT.split(sentence)[0]


def _is_done(part: str, told: str, code: str, line: str) -> bool:
    """Whether all that this part has one do was done; of a part without code that is not known."""
    settings = _SETTING.findall(part)
    if settings and _WARNED_OF.search(part):
        return False
    written = " ".join(one for one in _CODE.findall(part) if one.strip() != line.strip())
    calls = [name for name in _CALL.findall(written) if name not in _LOOKS]
    # `torch.linalg.eig` is another function than the `torch.eig` of the line.
    moved = {path.rpartition(".")[2]: re.escape(path) for path in _OF_A_PART.findall(written)}
    installs = _INSTALL.findall(part)
    if not settings and not calls and not installs:
        return False
    return (
        all(_is_set(name, value, told) or _is_set(name, value, code) for name, value in settings)
        and all(
            re.search(rf"(?:\.|`|\b){name}(?:\(|`)|\.{name}\b", told)
            or re.search(rf"\b{moved.get(name, name)}\(", line)
            for name in calls
        )
        and all(
            re.search(rf"\binstall[^\n]*\b{re.escape(name)}(?![\w-])", told) for name in installs
        )
    )


def _is_set(name: str, value: str, where: str) -> bool:
    """Whether `name=value` stands there; of a variable of the environment, its name."""
    if name.isupper():
        return re.search(rf"\b{name}\b", where) is not None
    bare = value.strip("'\"")
    return re.search(rf"\b{name}\s*=\s*['\"]?{re.escape(bare)}\b", where) is not None
