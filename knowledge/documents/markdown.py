"""Tell prose from code in Markdown, as markdown-it reads it (CommonMark)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt, __version__
from markdown_it.token import Token

LIBRARY = f"markdown-it-py {__version__}"  # another one may find other things in a file

# Each level costs one more pass, and what is nested deeper (twenty quotes, ten lists) is left out.
_MAX_NESTING = 20
# Only blocks are read: prose keeps its marks, for the audit reads **bold** and `code` itself. A
# link's definition stays prose, and so does any other HTML than comments.
_BLOCKS = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING})
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_BLOCKS.block.ruler.disable("reference")

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True)
class CodeBlock:
    """Fenced or indented code; `line` is where its first line stands in the file (1-based)."""

    code: str
    language: str
    line: int


@dataclass(frozen=True)
class Paragraph:
    """Prose between blank lines, its own line breaks kept; headings are `level` 1 to 6, else 0."""

    text: str
    line: int
    level: int = 0


def split_markdown(body: str, first_line: int = 1) -> tuple[list[Paragraph], list[CodeBlock]]:
    """Tell prose from code, wherever it stands: in lists and quotes too, and not in comments.

    Args:
        body: Markdown without front matter.
        first_line: the line of the file at which it begins.

    Returns:
        prose: paragraphs and headings, in order, without quote marks, with list marks.
        code: fenced and indented code, in order.

    Source: https://spec.commonmark.org/0.31.2/
    """
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    reader = _Reader(body.split("\n"), first_line)
    for token in _BLOCKS.parse(body):
        reader.read(token)
    reader.end()
    return reader.prose, reader.code


class _Reader:
    """What was read of a file's tokens so far."""

    def __init__(self, lines: list[str], first_line: int) -> None:
        self.prose: list[Paragraph] = []
        self.code: list[CodeBlock] = []
        self._source = lines
        self._first_line = first_line
        self._quotes = 0  # how many block quotes we are in
        self._level = 0  # of the heading we are in
        self._lines: list[str] = []  # of the paragraph that may still go on
        self._next = 0  # the line with which it would go on

    def read(self, token: Token) -> None:
        """Take in the next token."""
        if token.type == "blockquote_open":
            self._quotes += 1
        elif token.type == "blockquote_close":
            self._quotes -= 1
        elif token.type in ("heading_open", "heading_close"):
            self._level = int(token.tag.removeprefix("h")) if token.nesting == 1 else 0
        elif token.map is not None:
            self._read_block(token, *token.map)

    def _read_block(self, token: Token, begin: int, end: int) -> None:
        if token.type == "inline" and self._level:
            self.end()
            if text := _stripped(token.content):
                self.prose.append(Paragraph(text, self._first_line + begin, self._level))
        elif token.type == "inline":
            # From the file, for the token has lost the marks of a list.
            marks = re.compile(rf"(?:\s*>){{0,{self._quotes}}}")
            self._read_prose(begin, [marks.sub("", line, 1) for line in self._source[begin:end]])
        elif token.type == "html_block":
            shown = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), token.content)
            self._read_prose(begin, shown.split("\n"))
        elif token.type in ("fence", "code_block"):
            fenced = token.type == "fence"
            words = token.info.split()
            language = words[0].strip("{}.").lower() if words else ""
            line = self._first_line + begin + fenced
            self.code.append(CodeBlock(token.content.removesuffix("\n"), language, line))

    def _read_prose(self, begin: int, lines: list[str]) -> None:
        """Items of a list, and whatever else stands without a blank line between, go together."""
        for number, line in enumerate(lines, begin):
            if number != self._next or not line.strip():
                self.end()
            if line.strip():
                self._lines.append(line.strip())
                self._next = number + 1

    def end(self) -> None:
        """Close the paragraph we are in, if we are in one."""
        if self._lines:
            line = self._first_line + self._next - len(self._lines)
            self.prose.append(Paragraph("\n".join(self._lines), line))
        self._lines = []


def _stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n")).strip()
