"""Read notebooks: blank magics between lines of Python, and take the cells of .ipynb files."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from bot.errors import QuestionError
from bot.messages.python_lines import opens_block, walk
from bot.messages.traceback_text import find_tracebacks
from bot.models import PastedTraceback
from knowledge.documents.notebook import cells as cells_of
from knowledge.documents.notebook import dicts, text_of

_MAGIC = re.compile(
    r"\s*(?:[%!]|[A-Za-z_]\w* *= *[%!][A-Za-z]|\?{1,2}\w|[A-Za-z_][\w.]*\?{1,2}\s*$"
    r"|get_ipython\(\)\.\w+\(.*\)\s*$)"  # as in a notebook saved as .py
)
_FOREIGN_CELL = re.compile(
    r"\s*%%(?:bash|sh|script|system|sx|!|html|HTML|javascript|js|latex|markdown|svg|SVG"
    r"|perl|ruby|R|cmd|writefile|file|cython|sql|bigquery)\b"
)


def blank_magics(lines: Sequence[str]) -> tuple[list[str], str]:
    """Replace notebook magics by blank lines; a cell in another language is blanked whole.

    Returns:
        lines: as many as before.
        note: a note on what was blanked, "" if nothing.
    """
    first = next((line for line in lines if line.strip()), "")
    if _FOREIGN_CELL.match(first):
        return [""] * len(lines), f"a {first.split()[0]} cell is not Python and was left out"

    kept: list[str] = []
    blanked = 0
    goes_on = False  # `!pip install \` continues on the next line
    above = ""  # the last line of code, masked
    for state, line, masked in walk(lines):
        if goes_on or (state.at_statement and _MAGIC.match(line)):
            goes_on = line.rstrip().endswith("\\")
            blanked += 1
            kept.append(_blanked(line, above))
            above = ""
            continue
        kept.append(line)
        if masked.strip():
            above = masked
    if not blanked:
        return kept, ""
    return kept, f"{blanked} notebook magic{'s' * (blanked > 1)} blanked"


def _blanked(line: str, above: str) -> str:
    """An empty line instead of a magic; `pass` where it may be the only statement of a block."""
    if opens_block(above) and line[:1].isspace():
        return line[: len(line) - len(line.lstrip())] + "pass"
    return ""


class Notebook(NamedTuple):
    """A notebook file's code cells and the errors they ended in, in order."""

    cells: tuple[str, ...]
    tracebacks: tuple[PastedTraceback, ...]


def read_notebook(text: str, name: str) -> Notebook:
    """Take the code cells and the error outputs from an .ipynb file.

    Raises:
        QuestionError: the file is no notebook; the message names it.

    Source: https://nbformat.readthedocs.io/en/latest/format_description.html
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise QuestionError(
            f"{name}: this is not valid JSON, so it is no notebook ({error}); "
            "save it again in Jupyter or attach the code as a .py file"
        ) from error
    if not isinstance(document, dict):
        raise QuestionError(
            f"{name}: this JSON holds no notebook cells; attach the .ipynb file that Jupyter saved"
        )
    cells: list[str] = []
    tracebacks: list[PastedTraceback] = []
    for cell in cells_of(document):
        if cell.get("cell_type") != "code":
            continue
        # Before nbformat 4 the source was called input.
        cells.append(text_of(cell.get("source", cell.get("input"))))
        outputs = dicts(cell.get("outputs"))
        tracebacks += [_error(out) for out in outputs if out.get("ename")]
    return Notebook(tuple(cells), tuple(tracebacks))


_ANSI = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")


def _error(output: dict[str, Any]) -> PastedTraceback:
    """An error output: its name and value are exact, its frames are read from the text."""
    stack = output.get("traceback")
    stack_lines = stack if isinstance(stack, list) else []
    text = (
        _ANSI.sub("", text_of([f"{line}\n" for line in stack_lines])).replace("\r", "").strip("\n")
    )
    found = find_tracebacks(text.split("\n"), whole_block=True)
    return PastedTraceback(
        type=text_of(output["ename"]),
        message=text_of(output.get("evalue")),
        frames=found[-1].traceback.frames if found else (),
        text=text,
    )
