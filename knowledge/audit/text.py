"""Lay a document out as its audit reads it: each block with the prose and comments around it."""

from __future__ import annotations

import re
from bisect import bisect
from dataclasses import dataclass

from knowledge.documents.document import split_front_matter
from knowledge.documents.markdown import Paragraph, split_markdown
from knowledge.repair.toolkit.comments import commented

PYTHON = frozenset({"python", "py", "python3", "pycon"})
_SENTENCE_END = re.compile(r"(?<=[.!?:])(?:[*_\"'”’)]{0,3})\s+(?=[A-Z`*_\"'“(#\d])")
_NOT_AN_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Fig|No|approx)\.|^\d+\.)$")
_NEXT = re.compile(
    r"\b(?:following|below|next (?:example|snippet|code|section|scenario)|"
    r"(?:corrected|fixed|revised|improved|proper|correct|better|alternative) "
    r"(?:version|approach|code|implementation|example|way|method|solution|snippet)|"
    r"here(?:'|’)s|here is|another|second (?:example|approach)|third (?:example|approach)|"
    r"let(?:'|’)?s (?:look|consider|see|illustrate|examine|explore|now)|"
    r"to (?:fix|avoid|resolve|solve|address|correct|mitigate|remedy|rectify|prevent|overcome)|"
    r"consider (?:this|the|a|an|another)|the (?:fix|solution|remedy|correction) |"
    r"instead(?:,| of)|now(?:,| let| consider)|suppose|in contrast|conversely|finally)",
    re.I,
)
_SUMS_UP = re.compile(
    r"\W*(?:In (?:summary|conclusion|short)|To sum|For (?:further|more)|Regarding)"
)
_TITLE = re.compile(
    r"(?:\d+\.\s*)?(?:\*\*[^*]{3,}\*\*:?"
    r"|\W*(?:Code )?(?:Example|Scenario|Method|Approach|Case|Step)\s*\d)"
)
# A title within what is said of the block above.
_WITHIN = re.compile(r"\W*(?:Comment|Expla|Outp|Analys|Result|Note|Discuss|Why|Resource|Key )")


@dataclass(frozen=True)
class Comment:
    """A comment and the line of code it is about; `alone` if it has a line of its own."""

    text: str
    line: int  # where it stands, from 1
    alone: bool
    first: int | None  # the code it is about; none if nothing but comments follow
    last: int | None


@dataclass(frozen=True)
class Block:
    """A Python block with its surroundings."""

    number: int  # from 1
    line: int
    code: str
    lead: tuple[str, ...]  # the sentences that introduce it
    follow: tuple[str, ...]  # the sentences that come after it, up to the next one's


def layout(text: str) -> list[Block]:
    """A document's Python blocks, in order.

    Raises:
        FrontMatterError: the front matter is broken.
    """
    _, body, first_line = split_front_matter(text)
    prose, code = split_markdown(body, first_line)
    blocks = [c for c in code if c.language in PYTHON]
    between: list[list[Paragraph]] = [[] for _ in range(len(blocks) + 1)]
    lines = [b.line for b in blocks]
    for paragraph in prose:
        between[bisect(lines, paragraph.line)].append(paragraph)
    shared = [_divide(told, n > 0, n < len(blocks)) for n, told in enumerate(between)]
    return [
        Block(n + 1, b.line, b.code, lead=tuple(shared[n][1]), follow=tuple(shared[n + 1][0]))
        for n, b in enumerate(blocks)
    ]


def _divide(
    between: list[Paragraph], has_above: bool, has_below: bool
) -> tuple[list[str], list[str]]:
    """Share prose out: sentences about the block above, and about the block below."""
    if not has_below:
        # After the last block: its own paragraphs, until a heading or a summing up.
        ends = (n for n, p in enumerate(between) if p.level or (n and _SUMS_UP.match(p.text)))
        own = between[: min(3, next(ends, 3))]
        return _until_next([s for p in own for s in sentences(p.text)])[0], []
    if not has_above:
        return [], [s for p in between[-2:] for s in _told(p)]
    titles = [n for n, p in enumerate(between) if p.level or _is_title(p.text)]
    # The last paragraph introduces the block below, unless a title says where that begins; what
    # stands before it belongs to the upper block as far as no sentence turns to what comes next.
    cut = titles[-1] if titles else max(len(between) - 1, 1)
    follow, lead = _until_next([s for p in between[:cut] for s in _told(p)])
    return follow, [s for p in between[cut:] for s in _told(p)] or lead


def _told(part: Paragraph) -> list[str]:
    """The sentences of a paragraph; a heading, or a line in bold, is one."""
    whole = part.level or re.fullmatch(r"\*\*[^*\n]+\*\*:?", part.text.strip())
    return [part.text] if whole else sentences(part.text)


def _is_title(text: str) -> bool:
    """A line in bold, or `Example 2: …`: the introduction of what follows begins here."""
    first = text.split("\n", 1)[0].strip()
    return _TITLE.match(first) is not None and _WITHIN.match(first) is None


def _until_next(told: list[str]) -> tuple[list[str], list[str]]:
    """Cut where a sentence turns to what comes next; one that ends in a colon introduces it."""
    for n, sentence in enumerate(told):
        if sentence.rstrip().endswith(":") or (n > 0 and _NEXT.search(sentence)):
            return told[:n], told[n:]
    return told, []


def sentences(text: str) -> list[str]:
    """A paragraph's sentences, one line each."""
    flat = " ".join(text.split())
    found: list[str] = []
    for part in _SENTENCE_END.split(flat):
        if found and (_NOT_AN_END.search(found[-1]) or found[-1].count("`") % 2):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return [s for s in found if s.strip()]


def comments(code: str) -> list[Comment]:
    """A block's comments with the lines of code that they are about.

    A comment on a line of code is about the statement there; one on a line of its own, with those
    that follow directly, about the code below it, up to a blank line, a comment or a dedent.
    """
    lines, found = code.split("\n"), commented(code)
    alone = {n for n in found if lines[n - 1].lstrip().startswith("#")}
    return [
        Comment(
            told.lstrip("#! ").strip(), n, n in alone,
            *(_code_below(lines, n, alone) if n in alone else (n, n)),
        )
        for n, told in found.items()
    ]  # fmt: skip


def _code_below(lines: list[str], line: int, alone: set[int]) -> tuple[int | None, int | None]:
    col = _indent(lines[line - 1])
    n = line + 1
    while n <= len(lines) and n in alone:
        n += 1
    if n < len(lines) and not lines[n - 1].strip() and (n + 1) not in alone:
        n += 1  # a title over a blank line
    if n > len(lines) or not lines[n - 1].strip():
        return None, None
    first = n
    while n <= len(lines) and n not in alone and lines[n - 1].strip():
        if n > first and _indent(lines[n - 1]) < col:
            break
        n += 1
    return first, n - 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
