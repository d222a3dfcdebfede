"""Facts about knowledge/documents/markdown.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.documents.markdown import split_markdown
from tests.rows import some

# fmt: off
READ = [
    # Markdown, its prose as (line, level, text), its code as (line, language, code)
    ("before\n~~~~ py\n~~~\nx\n", [(1, 0, "before")], [(3, "py", "~~~\nx")]),  # never closed
    # A fence inside a docstring is four blanks in: it closes nothing.
    ('```py\ndef f():\n    """Use:\n    ```\n    f()\n    ```\n    """\n```\nThen.',
     [(9, 0, "Then.")], [(2, "py", 'def f():\n    """Use:\n    ```\n    f()\n    ```\n    """')]),
    ("> Quoted\n> prose:\n>\n> ```python\n> x = 1\n>   y\n> ```\n",
     [(1, 0, "Quoted\nprose:")], [(5, "python", "x = 1\n  y")]),
    ("> a\nb\n>> c", [(1, 0, "a\nb\nc")], []),  # a quote goes on without its mark
    ("text\n\n<!--\n```python\nhidden()\n```\n\n# no\n-->\n\nmore",
     [(1, 0, "text"), (11, 0, "more")], []),
    ("<!-- one --> two\n<!-- never closed\n\nthree", [(1, 0, "two")], []),
    ("Use `<!-- -->` so.", [(1, 0, "Use `<!-- -->` so.")], []),
    ("<details>\n\n```py\nx\n```\n\n</details>", [(1, 0, "<details>"), (7, 0, "</details>")],
     [(4, "py", "x")]),
    ("* one:\n\n    ```python\n    x\n      y\n    ```\n* two",
     [(1, 0, "* one:"), (7, 0, "* two")], [(4, "python", "x\n  y")]),
    ("1. one\n2. two\n   goes on\n- three", [(1, 0, "1. one\n2. two\ngoes on\n- three")], []),
    ("- a\n\n  b\n\n      code\n", [(1, 0, "- a"), (3, 0, "b")], [(5, "", "code")]),
    ("text\n    goes on\n\n\tcode\n\n\tmore\n",
     [(1, 0, "text\ngoes on")], [(4, "", "code\n\nmore")]),
    ("# One #\ntext\n***\n###### Six\n####### seven\n#\n",
     [(1, 1, "One"), (2, 0, "text"), (4, 6, "Six"), (5, 0, "####### seven")], []),
    ("Under-\nlined\n=====\n\nand\n---\n> # in a quote",
     [(1, 1, "Under-\nlined"), (5, 2, "and"), (7, 1, "in a quote")], []),
    ("```{.Python .numberLines}\nx\n```\n```python title='a'\n```",
     [], [(2, "python", "x"), (5, "python", "")]),
    ("```x``` is code", [(1, 0, "```x``` is code")], []),
    ("[a]: https://pytorch.org\n[a]", [(1, 0, "[a]: https://pytorch.org\n[a]")], []),
    ("", [], []),
]
# fmt: on


@pytest.mark.parametrize(("text", "prose", "code"), READ)
def test_prose_and_code_are_told_apart_as_a_renderer_shows_them(
    text: str, prose: list[tuple[int, int, str]], code: list[tuple[int, str, str]]
):
    """Fences in lists and quotes are code, what stands in a comment is nothing."""
    paragraphs, blocks = split_markdown(text)

    assert [(p.line, p.level, p.text) for p in paragraphs] == prose
    assert [(b.line, b.language, b.code) for b in blocks] == code


def test_lines_count_from_where_the_body_begins_and_windows_ends_them_otherwise():
    """Behind a front matter, or in a notebook's third cell, lines have other numbers."""
    prose, code = split_markdown("a\r\n\r\n```\r\nx\r\ny\r\n```\r\n", 10)

    assert [(p.text, p.line) for p in prose] == [("a", 10)]
    assert [(b.code, b.line) for b in code] == [("x\ny", 13)]


_STARTS = ["", "> ", ">> ", "- ", "1. ", "  ", "    ", "      ", "\t", "# ", ">     ", "> - "]


@given(st.lists(st.tuples(st.sampled_from(_STARTS), st.sampled_from(["word", "```", "---", ""]))))
def test_no_word_is_lost_and_each_stands_on_its_line(shape: list[tuple[str, str]]):
    """Whatever the shape, a word comes out once, as prose or as code, with its line's number."""
    lines = [
        start + (f"w{n}" if what == "word" else what) for n, (start, what) in enumerate(shape, 1)
    ]
    prose, code = split_markdown("\n".join(lines))

    found = [
        (int(word[1:]), number)
        for first, text in [(p.line, p.text) for p in prose] + [(b.line, b.code) for b in code]
        for number, line in enumerate(text.split("\n"), first)
        for word in line.split()
        if word[0] == "w"
    ]
    assert sorted(word for word, _ in found) == [
        n for n, (_, what) in enumerate(shape, 1) if what == "word"
    ]
    assert all(word == line for word, line in found)


def _of_size(unit: str, size: int = 300_000) -> str:
    return (unit * (size // len(unit) + 1))[:size]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    some(
        [
            ">",
            "> ",
            ">\n",
            "> a\n",
            ">" * 30 + "a\n",
            "`",
            "```\n",
            "```a`\n",
            "> ```\n",
            "- ",
            "- a\n",
            "- " * 30 + "a\n",
            "* * *\n",
            "<!--",
            "<!--\n",
            "[",
            "[a]: b\n",
            "#",
            "a\n=\n",
            "\t",
            " ",
            "_",
        ],
        one_in=5,
    ),
)
def test_hostile_repetition_is_read_in_time(unit: str):
    """300 kB of any mark are read in seconds; reading that tries every pair would take hours."""
    prose, code = split_markdown(_of_size(unit))

    assert all(part.line >= 1 for part in [*prose, *code])


def test_nesting_has_an_end():
    """Ten lists inside each other are read; a thousand neither overflow the stack nor come out."""
    deep = "\n".join("  " * n + f"- w{n}" for n in range(1000))
    prose, _ = split_markdown(deep)

    assert {f"- w{n}" for n in range(9)} <= set("\n".join(p.text for p in prose).split("\n"))
