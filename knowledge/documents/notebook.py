"""Read a notebook (.ipynb): its cells, and as a document its Markdown, code and errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowledge.documents.document import Document
from knowledge.documents.markdown import CodeBlock, Paragraph, split_markdown
from knowledge.errors import DocumentError


class NoNotebookError(ValueError):
    """A text is no notebook; the message says why."""


@dataclass(frozen=True)
class CellError:
    """An error that a cell ended in; the traceback as Jupyter coloured it."""

    type: str
    message: str
    traceback: str


@dataclass(frozen=True)
class Cell:
    """One cell: `kind` is "code", "markdown", "heading" or "raw"."""

    kind: str
    source: str
    errors: tuple[CellError, ...] = ()


@dataclass(frozen=True)
class Notebook:
    """What a notebook file holds, in order; `title` is empty where it has none of its own."""

    title: str
    language: str
    cells: tuple[Cell, ...]


def read_notebook(text: str) -> Notebook:
    """Read the cells of a notebook of any format version.

    Raises:
        NoNotebookError: it is none.

    Source: https://nbformat.readthedocs.io/en/latest/format_description.html
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoNotebookError("not the JSON of a notebook") from error
    if not isinstance(notebook, dict) or not _has_cells(notebook):
        raise NoNotebookError("this JSON holds no cells of a notebook")
    metadata = _dict(notebook.get("metadata"))
    title = metadata.get("title")
    return Notebook(
        title=" ".join(_text(title).split()) if isinstance(title, str) else "",
        language=_language(metadata),
        cells=tuple(map(_cell, _cells(notebook))),
    )


def parse_notebook(text: str, path: Path) -> Document:
    """Read a document from a notebook's text.

    Its title is the notebook's own, else the first heading, else the file's name. The line of a
    code block counts the lines of all cells one below the other, for a notebook shows no others.

    Raises:
        DocumentError: no notebook; the message names the file.
    """
    try:
        notebook = read_notebook(text)
    except NoNotebookError as error:
        raise DocumentError(f"{path}: {error}; save it again in Jupyter") from error
    prose: list[Paragraph] = []
    code: list[CodeBlock] = []
    line = 1
    for cell in notebook.cells:
        if cell.kind == "code":
            if cell.source.strip():
                code.append(CodeBlock(cell.source, notebook.language, line))
            # What a cell ended in is what somebody with the same error will search for.
            prose += [Paragraph(f"{e.type}: {e.message}".strip(": \n"), line) for e in cell.errors]
        elif cell.kind in ("markdown", "heading"):
            paragraphs, blocks = split_markdown(cell.source, line)
            prose += paragraphs
            code += blocks
        line += cell.source.count("\n") + 1

    heading = next((p.text for p in prose if p.level), "")
    return Document(
        id=path.stem,
        title=notebook.title or heading or path.stem,
        date="",
        path=path,
        prose=tuple(p.text for p in prose),
        code=tuple(code),
    )


def _has_cells(notebook: dict[str, Any]) -> bool:
    return any(isinstance(notebook.get(name), list) for name in ("cells", "worksheets"))


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All cells; before nbformat 4 they were in worksheets."""
    for sheet in [notebook, *_dicts(notebook.get("worksheets"))]:
        yield from _dicts(sheet.get("cells"))


def _cell(cell: dict[str, Any]) -> Cell:
    kind = cell.get("cell_type")
    return Cell(
        kind=kind if isinstance(kind, str) else "",
        # Before nbformat 4 the source was called input.
        source=_text(cell.get("source", cell.get("input"))),
        errors=tuple(_errors(cell)),
    )


def _errors(cell: dict[str, Any]) -> Iterator[CellError]:
    for output in _dicts(cell.get("outputs")):
        if isinstance(output.get("ename"), str):
            stack = output.get("traceback")
            lines = stack if isinstance(stack, list) else []
            yield CellError(
                type=_text(output["ename"]),
                message=_text(output.get("evalue")),
                traceback=_text([f"{line}\n" for line in lines]),
            )


def _language(metadata: dict[str, Any]) -> str:
    name = _dict(metadata.get("language_info")).get("name") or _dict(
        metadata.get("kernelspec")
    ).get("language")
    return _text(name).lower() if isinstance(name, str) else "python"


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    """The objects of a JSON list; what else is in there is left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    """A multi-line string of nbformat: one string, or a list of them."""
    parts = value if isinstance(value, list) else [value]
    text = "".join(part for part in parts if isinstance(part, str))
    # JSON can hold half a character, UTF-8 cannot.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
