"""Code, comments and quotes as web pages and editors mark them."""

from __future__ import annotations

import pytest

from bot.errors import QuestionError
from bot.messages.question import read_message

CODE = "import torch\nx = torch.ones(2, requires_grad=True)\nx.add_(1)"
QUOTED = "\n".join("> " + line for line in CODE.split("\n"))
TICKED = "\n".join(f"`{line}`" for line in CODE.split("\n"))
TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "a.py", line 1, in <module>\n    f()\nValueError: no'
)

MARKED = {
    "single backticks around several lines": f"`{CODE}`",
    "single backticks on lines of their own": f"`\n{CODE}\n`",
    "two backticks": f"``{CODE}``",
    "each line in backticks": TICKED,
    "quoted": QUOTED,
    "pre": f"<pre>{CODE}</pre>",
    "pre and code": f'<pre class="py"><code>{CODE}\n</code></pre>',
    "folded": f"<details>\n<summary>code</summary>\n\n```python\n{CODE}\n```\n</details>",
}


@pytest.mark.parametrize("marked", MARKED.values(), ids=MARKED.keys())
def test_code_is_found_however_it_is_marked(marked: str):
    """The code comes back line for line, and the prose around it without the marks."""
    question = read_message(f"Hi all, why?\n\n{marked}\n\nThank you.")

    assert question.code == CODE
    assert question.text == "Hi all, why?\n\nThank you."


PROSE = [
    "use `model.eval()`\nor `model.train()` here",
    "`a sentence that begins here\nand ends there`",
    "> I said that it fails\n> and you did not believe me",
    "> `x`",
    "<pre>",
    "a < b and <pre is no tag",
    "`lr`\n`momentum`",
]


@pytest.mark.parametrize("prose", PROSE)
def test_marked_prose_is_no_code(prose: str):
    """Backticks and quote marks around words make no program, and none of it is lost."""
    question = read_message(f"Hello.\n\n{prose}\n\nBye.")

    assert question.snippets == ()
    assert prose in question.text


def test_a_quoted_traceback_is_read():
    """A reply quotes the error."""
    question = read_message("\n".join("> " + line for line in TRACEBACK.split("\n")))

    assert question.traceback is not None
    assert question.traceback.message == "no"


def test_an_html_comment_is_no_question():
    """The hints of an issue template are not shown to anybody."""
    shown = (
        "The loss is nan.<!-- Describe your bug. -->\n<!--\nWhich torch?\n```\ncode\n```\n-->\nWhy?"
    )

    assert read_message(shown).text == "The loss is nan.\n\nWhy?"
    with pytest.raises(QuestionError, match="nothing to read"):
        read_message("<!-- Please describe your bug\n\nhere -->")


def test_a_comment_that_never_ends_hides_nothing():
    """What a browser would hide is still the person's text."""
    assert "why" in read_message("It fails <!-- so\nwhy is that?").text


def test_a_comment_in_code_is_code():
    """A fence is shown as it is."""
    code = 's = "<!-- x -->"\nprint(s)\n# <!--\ny = 1  # -->'

    assert read_message(f"```python\n{code}\n```").code == code


def test_a_diff_and_a_picture_are_named():
    """What cannot be run or read is said to be so."""
    diff = read_message("I changed this:\n```diff\n- x = 1\n+ x = 2\n```")
    untagged = read_message("```\ndiff --git a/x.py b/x.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n```")
    picture = read_message("See the screenshot ![image](http://x/y.png)")

    assert diff.snippets == untagged.snippets == ()
    assert diff.notes == untagged.notes == ("a diff is no program and was not run",)
    assert "picture" in picture.notes[0]
    assert read_message("The photos are 28 x 28.").notes == ()
