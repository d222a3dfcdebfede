"""Read an attached notebook: its code cells, and the errors they ended in as tracebacks."""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.errors import QuestionError
from bot.messages.traceback_text import find_tracebacks
from bot.models import PastedTraceback
from knowledge.documents.notebook import CellError, NoNotebookError, read_notebook

_ANSI = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")


class NotebookCode(NamedTuple):
    """The code cells of a notebook and the errors they ended in, in order."""

    cells: tuple[str, ...]
    tracebacks: tuple[PastedTraceback, ...]


def read_attached_notebook(text: str, name: str) -> NotebookCode:
    """Take the code cells and the error outputs from an .ipynb file.

    Raises:
        QuestionError: the file is no notebook; the message names it.
    """
    try:
        notebook = read_notebook(text)
    except NoNotebookError as error:
        raise QuestionError(
            f"{name}: {error}; attach the .ipynb file that Jupyter saved, or the code as a .py file"
        ) from error
    code = [cell for cell in notebook.cells if cell.kind == "code"]
    return NotebookCode(
        cells=tuple(cell.source for cell in code),
        tracebacks=tuple(_traceback(e) for cell in code for e in cell.errors if e.type),
    )


def _traceback(error: CellError) -> PastedTraceback:
    """Its type and message are exact, its frames are read from the text."""
    text = _ANSI.sub("", error.traceback).replace("\r", "").strip("\n")
    found = find_tracebacks(text.split("\n"), whole_block=True)
    return PastedTraceback(
        type=error.type,
        message=error.message,
        frames=found[-1].traceback.frames if found else (),
        text=text,
    )
