"""Facts about knowledge/documents/document.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.documents.document import (
    FrontMatterError,
    load_document,
    load_documents,
    parse_document,
    split_front_matter,
)
from knowledge.documents.markdown import split_markdown
from knowledge.errors import DocumentError

HERE = Path("docs/note.md")

NOTE = """\
---
title: "Why does it crash?"
date: 2025-01-30
id: why-crash
---
First paragraph,
on two lines.

```python
import torch
```
Then more.

    x = 1

    y = 2

- a list item

    that goes on
"""


def test_prose_and_code_are_kept_apart():
    """Fenced and indented code is code, with the line where it begins; a list is prose."""
    note = parse_document(NOTE, HERE)

    assert (note.id, note.title, note.date) == ("why-crash", "Why does it crash?", "2025-01-30")
    assert note.prose == (
        "First paragraph,\non two lines.",
        "Then more.",
        "- a list item",
        "that goes on",
    )
    assert [(c.code, c.language, c.line) for c in note.code] == [
        ("import torch", "python", 10),
        ("x = 1\n\ny = 2", "", 14),
    ]


def test_front_matter_is_optional():
    """Without one, the first heading is the title and the file's name the id."""
    note = parse_document("# Sizes differ\n\nBecause.", HERE)

    assert (note.id, note.title) == ("note", "Sizes differ")


@pytest.mark.parametrize(
    ("text", "line", "finding"),
    [
        ("---\ntitle: x\n", 1, "never closed"),
        ('---\ntitle: "x\nid: y\n---\n', 3, "end of stream"),
        ("---\ntitle: x\n- y\n---\n", 3, "expected key"),
        ("---\n- a\n- b\n---\n", 2, "key: value"),
        ("---\ntitle: [a, b]\n---\n", 1, "one line of text"),
        ("---\ntitle: " + "[" * 5000 + "\n---\n", 3, "node content"),
    ],
)
def test_broken_front_matter_is_named(text: str, line: int, finding: str):
    """The message says which file and, where YAML knows it, which line."""
    with pytest.raises(DocumentError, match=finding) as caught:
        parse_document(text, HERE)

    assert str(caught.value).startswith(f"{HERE}:{line}: ")


def test_a_billion_laughs_stay_quiet():
    """Aliases that would unfold to gigabytes are refused without being unfolded."""
    levels = "".join(
        f"l{n}: &l{n} [{', '.join(f'*l{n - 1}' for _ in range(9))}]\n" for n in range(1, 12)
    )

    with pytest.raises(DocumentError):
        parse_document(f"---\nl0: &l0 ha\n{levels}title: *l11\n---\n", HERE)


def test_a_date_stays_as_it_was_written():
    """YAML would make 2025-02-31 an error and 1.10 the number 1.1."""
    fields, _, _ = split_front_matter("---\ndate: 2025-02-31\nid: 1.10\n---\n")

    assert fields == {"date": "2025-02-31", "id": "1.10"}


def test_not_utf8_is_named_by_its_line(tmp_path: Path):
    """A file in another encoding is refused, not guessed at."""
    path = tmp_path / "latin.md"
    path.write_bytes(b"one\ntwo\ncaf\xe9\n")

    with pytest.raises(DocumentError, match=r"latin\.md:3: not UTF-8"):
        load_document(path)


def test_one_bad_file_does_not_stop_a_folder(tmp_path: Path):
    """With `on_error`, everything that can be read is."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text("# A")
    (tmp_path / "b.txt").write_text("---\nid: a\n")
    (tmp_path / "c.md").write_text("---\nid: a\n---\nsame id")
    (tmp_path / "d.py").write_text("not ours")
    errors: list[DocumentError] = []

    documents = load_documents([tmp_path, tmp_path / "gone.md"], errors.append)

    assert [d.id for d in documents] == ["a"]
    assert len(errors) == 3
    with pytest.raises(DocumentError):
        load_documents([tmp_path])


@given(st.text(max_size=400))
def test_any_text_is_a_document_or_a_clear_error(text: str):
    """Nothing but DocumentError comes out, and no prose line is lost or invented."""
    try:
        note = parse_document(text, HERE)
    except DocumentError:
        return
    assert all(paragraph.strip() for paragraph in note.prose)


LINES = st.lists(
    st.sampled_from(
        ["---", "...", "title: x", "id: [", "'", "```", "~~~", "    x", "- a", "", "# h"]
    )
)


@given(LINES.map("\n".join))
def test_markdown_of_any_shape_is_read(text: str):
    """Fences, rules and front matter in any order never make the parsers fail otherwise."""
    try:
        _, body, first_line = split_front_matter(text)
    except FrontMatterError as error:
        assert error.line >= 1
        return
    prose, code = split_markdown(body, first_line)
    lines = text.count("\n") + 1
    assert all(1 <= part.line <= lines + 1 for part in [*prose, *code])


def test_windows_line_ends_are_read():
    """A file from Windows, with a byte order mark, is the same document."""
    unix = parse_document(NOTE, HERE)
    windows = parse_document("\ufeff" + NOTE.replace("\n", "\r\n"), HERE)

    assert windows == unix
