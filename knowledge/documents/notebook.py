"""Read a notebook (.ipynb) as a document: Markdown, code, and the errors its cells ended in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from knowledge.documents.document import CodeBlock, Document, Paragraph, split_markdown
from knowledge.errors import DocumentError


def parse_notebook(text: str, path: Path) -> Document:
    """Read a document from a notebook's text.

    Its title is the notebook's own, else the first heading, else the file's name. The line of a
    code block counts the lines of all cells one below the other, for a notebook shows no others.

    Raises:
        DocumentError: no notebook; the message names the file.

    Source: https://nbformat.readthedocs.io/en/latest/format_description.html
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(
            f"{path}: not the JSON of a notebook; save it again in Jupyter"
        ) from error
    if not isinstance(notebook, dict) or not _has_cells(notebook):
        raise DocumentError(f"{path}: this JSON holds no cells of a notebook; save it in Jupyter")

    metadata = _dict(notebook.get("metadata"))
    language = _language(metadata)
    prose: list[Paragraph] = []
    code: list[CodeBlock] = []
    line = 1
    for cell in cells(notebook):
        # Before nbformat 4 the source was called input.
        source = text_of(cell.get("source", cell.get("input")))
        if cell.get("cell_type") == "code":
            if source.strip():
                code.append(CodeBlock(source, language, line))
            # Somebody with the same error will search for the message that a cell ended in.
            prose += [Paragraph(error, line) for error in _errors(cell)]
        elif cell.get("cell_type") in ("markdown", "heading"):
            paragraphs, blocks = split_markdown(source, line)
            prose += paragraphs
            code += blocks
        line += source.count("\n") + 1

    title = metadata.get("title")
    heading = next((p.text for p in prose if p.level), "")
    own = " ".join(text_of(title).split()) if isinstance(title, str) else ""
    return Document(
        id=path.stem,
        title=own or heading or path.stem,
        date="",
        path=path,
        prose=tuple(p.text for p in prose),
        code=tuple(code),
    )


def _has_cells(notebook: dict[str, Any]) -> bool:
    return any(isinstance(notebook.get(name), list) for name in ("cells", "worksheets"))


def cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All cells; before nbformat 4 they were in worksheets."""
    for sheet in [notebook, *dicts(notebook.get("worksheets"))]:
        yield from dicts(sheet.get("cells"))


def _language(metadata: dict[str, Any]) -> str:
    name = _dict(metadata.get("language_info")).get("name") or _dict(
        metadata.get("kernelspec")
    ).get("language")
    return text_of(name).lower() if isinstance(name, str) else "python"


def _errors(cell: dict[str, Any]) -> Iterator[str]:
    for output in dicts(cell.get("outputs")):
        if isinstance(output.get("ename"), str):
            yield f"{text_of(output['ename'])}: {text_of(output.get('evalue'))}".strip(": \n")


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def dicts(value: object) -> list[dict[str, Any]]:
    """The objects of a JSON list; what else is in there is left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A multi-line string of nbformat: one string, or a list of them."""
    parts = value if isinstance(value, list) else [value]
    text = "".join(part for part in parts if isinstance(part, str))
    # JSON can hold half a character, UTF-8 cannot.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
