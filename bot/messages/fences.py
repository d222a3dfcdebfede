"""Cut a message into its fenced blocks and the prose between them.

Chats are looser than Markdown: a fence may open in the middle of a sentence, carry code on its own
line, close behind the last character of the code, or never close at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.messages.python_lines import START, Shape, scan, shape_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PYTHON_TAGS = _words(
    "python py python2 python3 py2 py3 pycon python-console pyrepl python-repl ipython ipython3 "
    "jupyter pytorch torch sage doctest"
)
TEXT_TAGS = _words(
    "text txt plain plaintext none log output out traceback pytb py3tb error stderr code"
)
OTHER_TAGS = _words(
    "bash sh shell shell-session zsh fish console terminal powershell ps1 cmd bat batch json json5 "
    "jsonl yaml yml toml ini cfg conf env diff patch html xml css scss js javascript jsx ts tsx "
    "typescript c h cpp c++ cc cu cuda objc csharp cs java kotlin scala go rust rs r ruby rb perl "
    "php lua julia swift sql dockerfile docker make makefile cmake latex tex markdown md rst "
    "mermaid csv tsv http nginx proto protobuf graphql vim asm llvm ptx matlab octave fortran "
    "haskell clojure elixir erlang dart zig nim ocaml lisp elisp verilog groovy pseudocode"
)
_KNOWN_TAGS = PYTHON_TAGS | TEXT_TAGS | OTHER_TAGS


@dataclass
class MessagePart:
    """A part of a message: prose, or the content of one fence."""

    lines: list[str] = field(default_factory=list)
    fenced: bool = False
    tag: str = ""  # lower case, "" where there is none
    closed: bool = True
    opening: str = ""  # the line that opened the fence, as posted

    @property
    def is_python(self) -> bool:
        """Whether the fence's tag says that it is Python."""
        return self.tag in PYTHON_TAGS or bool(re.fullmatch(r"py(?:thon)?[23]\.?\d*", self.tag))

    @property
    def is_unsaid(self) -> bool:
        """Whether the fence has no language tag, so that its content must decide."""
        return not self.is_python and self.tag not in OTHER_TAGS


class _Opening(NamedTuple):
    before: str  # prose on the same line
    indent: int  # characters to take off each line inside
    fence: str
    tag: str
    code: str  # code on the same line

    def block(self, line: str) -> MessagePart:
        return MessagePart(
            lines=[self.code] if self.code else [],
            fenced=True,
            tag=self.tag,
            closed=False,
            opening=line[len(self.before) :],
        )


def split_fences(lines: Sequence[str]) -> list[MessagePart]:
    """Cut lines into blocks, in order; an open fence runs to the end of the message."""
    blocks = [MessagePart()]
    pos = 0
    while pos < len(lines):
        line = lines[pos]
        pos += 1
        if one_line := _one_line_fence(line):
            blocks += [one_line, MessagePart()]
            continue
        opening = _opening(line)
        if opening is None:
            blocks[-1].lines.append(line)
            continue
        if opening.before:
            blocks[-1].lines.append(opening.before)
        block = opening.block(line)
        pos, after = _fill(block, opening, lines, pos)
        blocks += [block, MessagePart(lines=[after] if after.strip() else [])]
    return [block for block in blocks if block.lines]


_AT_START = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?)(`{3,}|~{3,})(.*)$")
_BACKTICKS = re.compile(r"`{3,}")
_ATTRIBUTE = re.compile(r"\s*[a-z_]+=[\"'{]")  # ```python title="train.py"
_ONE_WORD = re.compile(r"[\w+#.-]{1,20}")


def _one_line_fence(line: str) -> MessagePart | None:
    """A fence on one line, ```` ```loss.backward()``` ````; None if it is within a sentence."""
    text = line.strip()
    if not text.startswith("```") or not text.endswith("```") or len(text) < 7:
        return None
    fences = _BACKTICKS.findall(text)
    if len(fences) != 2 or len(fences[0]) != len(fences[1]):
        return None
    tag, code = _tag_and_code(text[len(fences[0]) : -len(fences[0])], may_be_tag=False)
    return MessagePart([code], fenced=True, tag=tag, opening=line) if code.strip() else None


def _opening(line: str) -> _Opening | None:
    if match := _AT_START.match(line):
        indent, fence, info = match[1], match[2], match[3]
        if fence[0] == "~" and not re.fullmatch(r"[ \t]*[\w+#.{}-]*[ \t]*", info):
            return None  # `~~~^^^` under a line of a traceback
        if fence[0] == "`" and _BACKTICKS.search(info):
            return None  # closed on the same line, inside a sentence
        tag, code = _tag_and_code(info)
        return _Opening("", len(indent), fence, tag, code)
    if "```" not in line:
        return None
    fences = list(_BACKTICKS.finditer(line))
    if len(fences) != 1:
        return None
    before, info = line[: fences[0].start()], line[fences[0].end() :]
    tag, code = _tag_and_code(info)
    if code or not info.strip() or tag in _KNOWN_TAGS:
        if code and not tag and shape_of(code) < Shape.SIMPLE:
            return None  # "put it in ``` fences please"
        return _Opening(before, 0, fences[0].group(), tag, code)
    return None


def _tag_and_code(info: str, may_be_tag: bool = True) -> tuple[str, str]:
    """The language and the code that follow an opening fence on its line; either may be empty."""
    text = info.strip()
    word, _, rest = text.partition(" ")
    word = word.strip("{}.=").lower()
    if word in _KNOWN_TAGS and (may_be_tag or rest):
        is_code = shape_of(rest) >= Shape.SIMPLE and not _ATTRIBUTE.match(rest)
        return word, rest if is_code else ""
    if may_be_tag and _ONE_WORD.fullmatch(text):
        return text.lower(), ""
    if may_be_tag and text.startswith("{"):
        return word, ""
    return "", text


def _fill(block: MessagePart, opening: _Opening, lines: Sequence[str], pos: int) -> tuple[int, str]:
    """Put the fence's lines into its block.

    Returns:
        pos: the first line after the fence.
        after: the text after the closing fence on its line.
    """
    state = START
    if block.lines:
        _, state = scan(block.lines[0])
    closing = re.compile(rf"[ \t]{{0,{opening.indent + 3}}}{opening.fence}{opening.fence[0]}*(.*)$")
    while pos < len(lines):
        line = lines[pos]
        if match := closing.match(line):
            tag, _ = _tag_and_code(match[1])
            if match[1].strip() and tag in _KNOWN_TAGS:
                return pos, ""  # the next fence opens: this one was never closed
            block.closed = True
            return pos + 1, match[1]
        masked, after_line = scan(line, state)
        if opening.fence[0] == "`" and not state.quote and _closes_inside(line, masked, opening):
            code, _, after = line.partition(opening.fence)
            block.lines.append(_outdent(code, opening.indent))
            block.closed = True
            return pos + 1, after
        block.lines.append(_outdent(line, opening.indent))
        state = after_line
        pos += 1
    return pos, ""


def _closes_inside(line: str, masked: str, opening: _Opening) -> bool:
    """Whether a fence closes after code, `print(x)````, and not inside a string or comment."""
    if opening.fence not in line or len(_BACKTICKS.findall(line)) != 1:
        return False
    return opening.fence in masked


def _outdent(line: str, indent: int) -> str:
    """Remove at most the indentation of the fence itself."""
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(indent, blank) :]
