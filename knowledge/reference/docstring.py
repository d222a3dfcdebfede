"""Read a docstring: its signature, its prose as plain text, and the code of its examples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Every repetition is bounded or excludes what follows it, so that reading stays linear.
_SIGNATURE = re.compile(r"\w[\w.]{0,80}\(")
_SECTION = re.compile(r"[A-Z][A-Za-z ]{1,30}::?")  # "Args:", "Keyword args:", "Example::"
_DIRECTIVE = re.compile(r"\.\. ?([a-z_-]{1,30})::?")
_ROLE = re.compile(r":[a-z:]{1,12}:`([^`\n]{0,200})`")
_TARGET = re.compile(r" ?<[^<>]{0,200}>$")
_LITERAL = re.compile(r"``([^`\n]{1,300})``")
_ALIAS = re.compile(
    r"^(?:alias (?:for|of)|in-place version of|out-of-place version of|see|this is an alias for)\s+"
    r"(?:documentation of\s+)?`([\w.]{1,100})`"
    r"|^`[\w., ()]{1,80}` is equivalent to `([\w.]{1,100})",
    re.IGNORECASE,
)
_DEPRECATED = re.compile(
    r"`?[\w.]{1,80}`?(?:\(\))? (?:is|are|has been|was) (?:now )?deprecated|^deprecated\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*(\\])")
_PROMPT, _MORE = ">>>", "..."
_MOST_CHARS = 40_000  # the longest docstring of torch has 21,000


@dataclass(frozen=True)
class Docstring:
    """What a docstring says."""

    signature: str = ""  # "topk(input, k) -> (Tensor, LongTensor)"; empty if it names none
    paragraphs: tuple[str, ...] = ()  # prose before the arguments, without markup
    examples: tuple[str, ...] = ()  # the code of each `>>>` block
    alias_of: str = ""  # all it says is that it is another function, or that one in place
    deprecated: bool = False

    @property
    def summary(self) -> str:
        """Its first sentence; empty if it has no prose."""
        first = self.paragraphs[0] if self.paragraphs else ""
        return _SENTENCE_END.split(first, maxsplit=1)[0]


def read_docstring(text: str, name: str = "") -> Docstring:
    """Read the docstring of the function called `name`; raises nothing, whatever the text is."""
    lines = inspect.cleandoc(text[:_MOST_CHARS]).split("\n")
    signature, lines = _signature(lines, name)
    prose, notes = _prose(lines)
    paragraphs = tuple(plain(" ".join(p)) for p in prose)
    alias = _ALIAS.match(paragraphs[0]) if paragraphs else None
    warned = (plain(" ".join(note)) for note in notes)
    deprecated = any(_says_deprecated(p, name) for p in [*paragraphs[:1], *warned])
    return Docstring(
        signature=signature,
        paragraphs=paragraphs,
        examples=tuple(_examples(lines)),
        alias_of=(alias.group(1) or alias.group(2)) if alias else "",
        deprecated=deprecated or any(note and note[0] == "deprecated" for note in notes),
    )


def plain(text: str) -> str:
    """Prose without reStructuredText's markup: names and code in backticks, links as their text."""
    text = _ROLE.sub(lambda found: f"`{_TARGET.sub('', found.group(1)).lstrip('~!')}`", text)
    text = _LITERAL.sub(r"`\1`", text)
    return " ".join(text.replace("`_", "`").split())


def _says_deprecated(paragraph: str, name: str) -> bool:
    """Whether a paragraph calls the function itself deprecated, and not one of its arguments."""
    found = _DEPRECATED.search(paragraph)
    if found is None:
        return False
    subject = re.match(r"`?([\w.]*)", found.group())
    named = subject.group(1).rpartition(".")[2] if subject else ""
    return named.lower() in ("deprecated", "function", "module", "method", "class", "it", name)


def _signature(lines: list[str], name: str) -> tuple[str, list[str]]:
    """The call that a docstring opens with, on one line, and the lines below it."""
    start = next((n for n, line in enumerate(lines) if line.strip()), 0)
    first = lines[start].strip() if lines else ""
    if not _SIGNATURE.match(first) or (
        name and not first.startswith((f"{name}(", f"torch.{name}("))
    ):
        return "", lines
    call = ""
    for n, line in enumerate(lines[start : start + 12], start + 1):
        if not line.strip():
            break
        call += line.strip() if call.endswith("(") or not call else f" {line.strip()}"
        if call.count("(") <= call.count(")"):
            return call, lines[n:]
    return "", lines


def _prose(lines: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """The paragraphs before the first section, and the bodies of the directives among them."""
    prose: list[list[str]] = [[]]
    notes: list[list[str]] = []
    within = False  # a directive, or code after `::`
    for line in lines:
        text = line.strip()
        indented = line[:1] in (" ", "\t")
        if indented and within:
            if notes and text:
                notes[-1].append(text)
            continue
        if not text:
            prose.append([])
            continue
        if text.startswith(_PROMPT):
            break
        if directive := _DIRECTIVE.match(text):
            within = True
            notes.append([directive.group(1), text[directive.end() :]])
            continue
        if not indented and _SECTION.fullmatch(text):
            break
        within = text.endswith("::")
        if within:
            notes.append([])
        prose[-1].append(text.removesuffix(":") if within else text)
    return [paragraph for paragraph in prose if paragraph], notes


def _examples(lines: Sequence[str]) -> Iterator[str]:
    """The code of each block of prompts; what they are said to print is left out."""
    code: list[str] = []
    prompt = -1  # where the block's prompts stand
    for line in lines:
        text = line.strip()
        at = len(line) - len(line.lstrip())
        if text.startswith(_PROMPT) or (code and at == prompt and text.startswith(_MORE)):
            prompt = at
            if "xdoctest" not in text:
                code.append(text[4:] if text[3:4] == " " else text[3:])
        elif text and at < prompt and code:
            yield "\n".join(code)
            code, prompt = [], -1
    if code:
        yield "\n".join(code)
