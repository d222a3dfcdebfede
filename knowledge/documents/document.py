"""Read Markdown questions with their answers: front matter, prose and fenced code, kept apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from knowledge.documents.files import find, read
from knowledge.documents.markdown import CodeBlock, split_markdown
from knowledge.errors import DocumentError

MAX_FRONT_MATTER_CHARS = 64_000

# BaseLoader makes every scalar a string and knows no tags: a date stays as it was written, and a
# stranger's file can construct nothing. The C one is ten times faster where it was compiled.
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class FrontMatterError(ValueError):
    """The block between the `---` lines is broken; the caller knows whose file it is."""

    def __init__(self, line: int, finding: str) -> None:
        super().__init__(finding)
        self.line = line


@dataclass(frozen=True)
class Document:
    """A question with its answer that a team brought along. Nothing in it was run yet."""

    id: str
    title: str
    date: str
    path: Path
    prose: tuple[str, ...]
    code: tuple[CodeBlock, ...]


def load_document(path: Path) -> Document:
    """Read one file, Markdown or a notebook.

    Returns:
        The document; its title is the front matter's, else the first heading, else the file's
        name; its id is the front matter's, else the file's name.

    Raises:
        DocumentError: not there, empty, too large, not UTF-8, or broken; names file and line.
    """
    return parse_file(read(path), path)


def parse_file(content: bytes, path: Path) -> Document:
    """Read a document from its file's bytes; the name's ending says what they are.

    Raises:
        DocumentError: not UTF-8, or broken; names file and line.
    """
    from knowledge.documents.notebook import (
        parse_notebook,  # which reads Markdown as it is read here
    )

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DocumentError(f"{path}:{line}: not UTF-8; save the file as UTF-8") from error
    parse = parse_notebook if path.suffix.lower() == ".ipynb" else parse_document
    return parse(text, path)


def parse_document(text: str, path: Path) -> Document:
    """Read a document from its text; `path` names it in messages and where it has no name."""
    try:
        fields, body, first_line = split_front_matter(text)
    except FrontMatterError as error:
        raise DocumentError(
            f"{path}:{error.line}: {error}; mend the block between the `---` lines or remove it"
        ) from error
    for key in ("title", "date", "id"):
        if not isinstance(fields.get(key, ""), str):
            raise DocumentError(f"{path}:1: `{key}` must be one line of text")

    prose, code = split_markdown(body, first_line)
    heading = next((p.text for p in prose if p.level), "")
    return Document(
        id=fields.get("id", "").strip() or path.stem,
        title=" ".join(fields.get("title", "").split()) or heading or path.stem,
        date=fields.get("date", "").strip(),
        path=path,
        prose=tuple(p.text for p in prose),
        code=tuple(code),
    )


def load_documents(
    paths: Iterable[Path], on_error: Callable[[DocumentError], None] | None = None
) -> list[Document]:
    """Read files and whole folders (.md, .markdown, .txt, .ipynb), sorted by path.

    Args:
        paths: files, or folders that are searched with everything below them.
        on_error: told of each file that cannot be read, which is then left out; without it the
            first such file stops everything.

    Raises:
        DocumentError: a file cannot be read, or two documents have one id (no `on_error` given).
    """
    documents: dict[str, Document] = {}
    for path in find(paths, on_error or _stop):
        try:
            document = load_document(path)
            if document.id in documents:
                raise DocumentError(
                    f"{path}: the id `{document.id}` is already that of "
                    f"{documents[document.id].path}; give one of them another `id`"
                )
        except DocumentError as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            documents[document.id] = document
    return list(documents.values())


def _stop(error: DocumentError) -> None:
    raise error


def split_front_matter(text: str) -> tuple[dict[str, Any], str, int]:
    """Split a Markdown file into its front matter and its body.

    Returns:
        fields: the front matter, every scalar a string; empty where there is none.
        body: what follows, with plain newlines.
        first_line: the line of the file at which the body begins (1-based).

    Raises:
        FrontMatterError: opened and never closed, no YAML, or no `key: value` pairs.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text, 1
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        raise FrontMatterError(1, "the front matter opens here and is never closed with `---`")

    block = "\n".join(lines[1:end])
    if len(block) > MAX_FRONT_MATTER_CHARS:
        raise FrontMatterError(1, f"a front matter of {len(block)} characters")
    return _fields(block), "\n".join(lines[end + 1 :]), end + 2


def _fields(block: str) -> dict[str, Any]:
    try:
        fields = yaml.load(block, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark is not None else 2
        raise FrontMatterError(line, getattr(error, "problem", None) or "not YAML") from error
    except (RecursionError, ValueError) as error:
        raise FrontMatterError(2, "not YAML that can be read") from error
    if fields is None or fields == "":
        return {}
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in fields):
        raise FrontMatterError(2, "expected lines of `key: value`")
    return fields
