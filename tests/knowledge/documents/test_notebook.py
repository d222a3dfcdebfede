"""Facts about knowledge/documents/notebook.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.documents.document import load_document
from knowledge.documents.notebook import parse_notebook
from knowledge.errors import DocumentError

HERE = Path("notes/loss.ipynb")
NOTEBOOK = {
    "nbformat": 4,
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Why is my loss NaN?\n", "\n", "It is `log(0)`.\n"]},
        {
            "cell_type": "code",
            "source": "import torch\ntorch.zeros(2, 3) @ torch.zeros(2, 3)",
            "outputs": [
                {
                    "output_type": "error",
                    "ename": "RuntimeError",
                    "evalue": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
                }
            ],
        },
        {"cell_type": "markdown", "source": "Clamp it:\n```python\nx.clamp(min=1e-6).log()\n```"},
    ],
}


def test_markdown_code_and_errors_are_told_apart(tmp_path: Path):
    """The first heading is the title; an error that a cell ended in is prose that is found."""
    path = tmp_path / "loss.ipynb"
    path.write_text(json.dumps(NOTEBOOK))

    note = load_document(path)

    assert (note.id, note.title) == ("loss", "Why is my loss NaN?")
    assert note.prose == (
        "Why is my loss NaN?",
        "It is `log(0)`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
        "Clamp it:",
    )
    assert [(c.language, c.line) for c in note.code] == [("python", 5), ("python", 9)]


def test_an_old_notebook_is_read():
    """Before format 4 cells lay in worksheets and a cell's source was its input."""
    cells = [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}]
    old = {"nbformat": 3, "worksheets": [{"cells": cells}]}

    assert parse_notebook(json.dumps(old), HERE).code[0].code == "x = 1\ny = 2"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"cells": 1}', "[" * 9000])
def test_what_is_no_notebook_is_named(text: str):
    """Whatever the file holds, it is our error that comes out."""
    with pytest.raises(DocumentError, match=r"notes/loss\.ipynb: "):
        parse_notebook(text, HERE)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["cells", "worksheets", "cell_type", "source", "input", "outputs", "ename", "evalue",
             "metadata", "title", "language_info", "kernelspec", "name", "language"]
        ), inner, max_size=4,
    ),
    max_leaves=25,
)  # fmt: skip
CELLS = st.lists(
    st.fixed_dictionaries(
        {"cell_type": st.sampled_from(["code", "markdown", "raw"]), "source": JSON},
        optional={"outputs": JSON, "input": JSON},
    )
    | JSON,
    max_size=4,
)


@given(st.fixed_dictionaries({"cells": CELLS | JSON}, optional={"metadata": JSON}))
def test_any_json_is_a_document_or_a_clear_error(notebook: object):
    """Nothing but DocumentError comes out, and what comes out can be stored as UTF-8."""
    try:
        note = parse_notebook(json.dumps(notebook), HERE)
    except DocumentError:
        return
    assert all(paragraph.strip() for paragraph in note.prose)
    "".join([note.title, *note.prose, *(c.code + c.language for c in note.code)]).encode("utf-8")


def test_half_a_character_is_replaced():
    """JSON can hold a lone surrogate; no file and no index can."""
    cells = [{"cell_type": "markdown", "source": "a \ud83d b"}]

    note = parse_notebook(json.dumps({"cells": cells}), HERE)

    assert note.prose == ("a \ufffd b",)
