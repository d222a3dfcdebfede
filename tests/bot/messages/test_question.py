"""A pasted message becomes a Question without a line of code lost or moved."""

from __future__ import annotations

import base64
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import QuestionError
from bot.messages.chat_markup import PLAIN, ChatMarkup
from bot.messages.question import (
    MAX_ATTACHMENT_BYTES,
    MAX_MESSAGE_BYTES,
    Attachment,
    read_message,
)
from bot.models import Question
from bot.platforms.discord.markup import MARKUP as DISCORD
from bot.platforms.slack.markup import MARKUP as SLACK
from tests.rows import some

CODE = "import torch\nx = torch.ones(2, requires_grad=True)\nx.add_(1)"
TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    loss.backward()
    ~~~~~~~~~~~~~^^
  File "/usr/lib/python3/dist-packages/torch/_tensor.py", line 522, in backward
    torch.autograd.backward(
RuntimeError: one of the variables needed for gradient computation has been modified"""


def codes(text: str, **how: object) -> list[str]:
    """The snippets' code."""
    return [snippet.code for snippet in read_message(text, **how).snippets]  # type: ignore[arg-type]


def fence(code: str, tag: str = "python") -> str:
    return f"```{tag}\n{code}\n```"


# --- Fences -------------------------------------------------------------------------------------

FENCES = {
    "python tag": f"Why?\n```python\n{CODE}\n```\nThanks!",
    "py tag, as Discord writes it": f"```py\n{CODE}\n```",
    "capital tag": f"```Python\n{CODE}\n```",
    "python3 tag": f"```python3\n{CODE}\n```",
    "space before the tag": f"``` python\n{CODE}\n```",
    "pandoc attributes": f"```{{.python}}\n{CODE}\n```",
    "knitr braces": f"```{{python}}\n{CODE}\n```",
    "title after the tag": f'```python title="train.py"\n{CODE}\n```',
    "ipython tag": f"```ipython\n{CODE}\n```",
    "untagged": f"```\n{CODE}\n```",
    "text tag around code": f"```text\n{CODE}\n```",
    "unknown tag around code": f"```mycode\n{CODE}\n```",
    "tildes": f"~~~python\n{CODE}\n~~~",
    "untagged tildes": f"~~~\n{CODE}\n~~~",
    "never closed": f"Look:\n```python\n{CODE}",
    "untagged and never closed": f"```\n{CODE}",
    "code on the opening line": f"```{CODE}\n```",
    "tag and code on the opening line": f"```python {CODE}\n```",
    "closed behind the code": f"```{CODE}```",
    "tagged, closed behind the code": f"```py\n{CODE}```",
    "closed behind the code, then prose": f"```\n{CODE}``` and it fails",
    "closed below, then prose on that line": f"```py\n{CODE}\n``` and it fails",
    "opened in the middle of a sentence": f"my code is this: ```{CODE}\n```",
    "opened in a sentence, with a tag": f"my code is this: ```python\n{CODE}\n```",
    "four backticks": f"````python\n{CODE}\n````",
    "indented in a list": "1. this:\n\n   ```python\n"
    + "\n".join("   " + line for line in CODE.split("\n"))
    + "\n   ```",
    "fence right behind a bullet": "- ```python\n"
    + "\n".join("  " + line for line in CODE.split("\n"))
    + "\n  ```",
    "quoted with >": "\n".join("> " + line for line in ["```py", *CODE.split("\n"), "```"]),
    "CRLF": f"```python\n{CODE}\n```".replace("\n", "\r\n"),
    "CR": f"```python\n{CODE}\n```".replace("\n", "\r"),
    "code moved to the right": "```python\n"
    + "\n".join("        " + line for line in CODE.split("\n"))
    + "\n```",
    "unclosed, and a question below": f"```python\n{CODE}\n\nWhy does this fail on my machine?",
}


@pytest.mark.parametrize("message", FENCES.values(), ids=FENCES.keys())
def test_fenced_code_is_one_snippet(message: str):
    """However a fence is written, its code comes back as it was."""
    assert codes(message) == [CODE]


@pytest.mark.parametrize("tag", ["bash", "json", "yaml", "diff", "console", "cpp", "toml"])
def test_other_languages_stay_in_the_prose(tag: str):
    """A fence that says it is no Python is kept for the reader, not run."""
    question = read_message(f"I ran\n```{tag}\nlr = 0.1\npip install torch\n```")

    assert question.snippets == ()
    assert "pip install torch" in question.text


@pytest.mark.parametrize(
    "output",
    [
        "tensor([1., 2.])",
        "Epoch 1/10: loss=0.53",
        '{"lr": 0.1, "epochs": 3}',
        "pip install torch",
        "Net(\n  (fc1): Linear(in_features=3, out_features=4, bias=True)\n)",
        "torch==2.1.0\nnumpy==1.26.0",
        "| GPU  Name   |\n|  0  Tesla T4 |",
    ],
)
def test_untagged_output_is_no_code(output: str):
    """What a program printed is not run, even if nobody says what it is."""
    question = read_message(f"I get\n```\n{output}\n```")

    assert question.snippets == ()
    assert output in question.text


def test_inline_code_stays_in_its_sentence():
    """`like this` and ```like this``` in a sentence are prose."""
    question = read_message("does `x = torch.ones(2)` or ```model.eval()``` help here?")

    assert question.snippets == ()
    assert "model.eval()" in question.text


def test_one_line_fence():
    """A fence opened and closed on one line of its own is a snippet."""
    assert codes("```loss = model(x).sum()```") == ["loss = model(x).sum()"]


def test_fence_in_a_docstring_closes_nothing():
    """Backticks behind code inside a string do not end the fence."""
    code = 'TEMPLATE = """\nreply with ```json\n"""\nprint(TEMPLATE)'

    assert codes(fence(code)) == [code]


def test_snippets_keep_their_order_and_say_where_they_start():
    """Several blocks are one program; each knows its first line in it."""
    question = read_message(
        f"{fence('a = 1')}\nthen\n{fence('b = 2' + chr(10) + 'c = 3')}\nand\n{fence('d = 4')}"
    )

    assert question.code == "a = 1\nb = 2\nc = 3\nd = 4"
    assert [snippet.first_line for snippet in question.snippets] == [1, 2, 4]
    assert question.text == "then\nand"


# --- Code without a fence -----------------------------------------------------------------------

UNFENCED = {
    "between two sentences": CODE,
    "a class with a blank line and a docstring": (
        "import torch.nn as nn\n\n"
        "class Net(nn.Module):\n"
        '    """A net that fails, and we ask why.\n\n    It is small.\n    """\n\n'
        "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(2, 3)\n\n"
        "    @torch.no_grad()\n    def forward(self, x):\n        return self.fc(x)"
    ),
    "brackets over several lines": (
        "model = nn.Sequential(\n    nn.Linear(784, 128),\n    nn.ReLU(),  # in place?\n\n"
        "    nn.Linear(128, 10),\n)\nout = model(torch.randn(2, 784))"
    ),
    "a loop": "for x, y in loader:\n    out = model(x)\n\n    crit(out, y).backward()",
    "with, if and else": (
        "with torch.no_grad():\n    if x.sum() > 0:\n        y = x\n    else:\n        y = -x"
    ),
    "a single call": "loss.backward()",
    "a comment first": "# train\nfor _ in range(3):\n    opt.step()",
    "a decorator first": "@torch.compile\ndef f(x):\n    return x + 1",
    "backslash continuation": "x = torch.ones(2) \\\n    + 1\nprint(x)",
    "semicolons": "import torch; x = torch.ones(2); print(x)",
    "curly quotes": "print(“hello there world”)\nx = torch.load(“model.pt”)",
    "python 2 print": 'import torch\nprint "hello", torch.ones(2)',
    "try and except": "try:\n    y = model(x)\nexcept RuntimeError as e:\n    print(e)",
    "type annotations": "def f(x: torch.Tensor) -> torch.Tensor:\n    return x * 2",
    "augmented assignment": "x = torch.ones(1)\nx += 1\nx[0] *= 2",
    "a broken line in a block": "def f(x):\n    y = x +* 2 so\n    return y",
}


@pytest.mark.parametrize("code", UNFENCED.values(), ids=UNFENCED.keys())
def test_code_without_a_fence_is_found(code: str):
    """Code in the middle of prose is a snippet; the prose around it stays prose."""
    question = read_message(f"Hi all, this fails for me:\n\n{code}\n\nWhat am I doing wrong?")

    expected = code.replace("“", '"').replace("”", '"')
    assert [snippet.code for snippet in question.snippets] == [expected]
    assert question.text == "Hi all, this fails for me:\n\nWhat am I doing wrong?"
    assert not question.snippets[0].fenced


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("    return x.flatten(1)\nAttributeError: 'tuple' object has no 'flatten'", 1),
        ("RuntimeError:\nExpected a literal:\n    y.append(self.layers[i](x))\n"
         "             ~~~~~~~~~~~~~ <--- HERE", 1),
        ("    return x.flatten(1)\n\nAttributeError: 'tuple' object has no 'flatten'", 2),
        ("    model = Net()\n    model.to(0)\nand then it fails", 2),
    ],
)  # fmt: skip
def test_what_an_error_shows_of_the_code_is_no_code_of_theirs(said: str, kept: int):
    """A line or two right above the error, beside a program in a fence."""
    assert len(codes(f"It fails:\n\n{said}\n\n```python\n{CODE}\n```")) == kept


def test_markdown_code_block_is_moved_to_the_left():
    """Four blanks make code in Markdown; they are no indentation of Python's."""
    message = "My code:\n\n    lr = 0.1\n    for x in xs:\n        f(x)\n\nWhy?"

    assert codes(message) == ["lr = 0.1\nfor x in xs:\n    f(x)"]


PROSE = [
    "I use torch for training, why does this fail?",
    "for example, it crashes",
    "if I run it on the GPU: nothing happens",
    "While training:\nthe loss is nan",
    "import errors are common here",
    "from here on it works",
    "class imbalance: how do I handle it?",
    "with respect to x: the gradient is zero",
    "try this: restart the kernel",
    "return to the old version",
    "Thanks!",
    "Thanks",
    "loss = NaN",
    "lr = 0.1",
    "- torch.nn.Linear(10, 5)\n- torch.nn.ReLU()",
    "1. x = torch.ones(2) is wrong",
    "* first\n* second",
    "# Heading\n\n## Another",
    "see https://pytorch.org/docs/stable/nn.html#linear",
    "model.train() hangs after 3 epochs",
    "It's broken, isn't it? Don't know why.",
    "**Example 1: Incorrect initialisation**",
    "accuracy: 0.93",
    "python train.py --lr 0.1 --epochs=3",
    "$ pip install torch",
    "| a | b |\n|---|---|",
    "> quoted (by someone)",
    "KeyError, maybe?",
    "f(x) = 2 * x + b",
    "H_out = floor((H_in + 2 * P - K) / S) + 1",
    "L = Σ p * log(q)",
    "JSD(P || Q) = 0.5 * KL(P || M)",
    "@maya can you look?",
    "the function (forward) is never called...",
    "e.g. model(x) gives (2, 3)",
    "ok :)",
    "Warum geht das nicht? Ich habe x = 3 gesetzt.",
    "为什么我的模型不收敛?",
    "Hello, world",
    "x.shape",
]


@pytest.mark.parametrize("prose", PROSE)
def test_prose_is_no_code(prose: str):
    """English that Python's keywords and signs run through is not taken for code."""
    question = read_message(f"Hello everyone.\n{prose}\nThat is all.")

    assert question.snippets == ()
    assert prose in question.text


# --- Sessions and notebooks ---------------------------------------------------------------------


def test_prompts_go_and_output_becomes_blank():
    """What a session printed keeps its place, so that line numbers stay."""
    session = ">>> import torch\n>>> def f(x):\n...     return x\n...\n>>> f(3)\n3\n>>> x = f(2)"
    for tag in ("pycon", "python", ""):
        assert codes(fence(session, tag)) == [
            "import torch\ndef f(x):\n    return x\n\nf(3)\n\nx = f(2)"
        ]


def test_session_without_a_fence():
    """Prompts are code wherever they stand."""
    question = read_message("I did\n>>> x = torch.ones(2)\n>>> x.add_(1)\nand it worked")

    assert question.code == "x = torch.ones(2)\nx.add_(1)"


def test_ipython_prompts():
    """In [3]:, ...: and Out[3]: are IPython's, not the author's."""
    session = "In [3]: for i in range(2):\n   ...:     print(i)\n0\n1\n\nIn [4]: i + 1\nOut[4]: 2"

    assert codes(fence(session, "ipython"))[0].rstrip("\n") == (
        "for i in range(2):\n    print(i)\n\n\n\ni + 1"
    )


def test_output_that_is_marked_in_code_without_prompts():
    """`>>> cpu` below code, and Out[3]: without an In, are what it printed."""
    code = "x = torch.zeros(1)\nprint(x.device)"

    assert codes(fence(f"{code}\n>>> cpu", "")) == [f"{code}\n"]
    assert codes(fence(f"{code}\nOut[3]: device(type='cpu')\n\ny = f(2)", "")) == [
        f"{code}\n\n\ny = f(2)"
    ]
    assert codes(fence(f"{code}\n>>> x.add_(1)", "")) == [f"{code}\nx.add_(1)"]


@pytest.mark.parametrize(
    "output",
    [
        "torch.Size([32, 128])\ntensor(5.2)",
        "[[49406,   332,  ...,     0],\n [    0, 0]]], device='cuda:0')\ntorch.Size([32])\n3",
        "x/graph.py:744: UserWarning: slow (at Conv.cpp:9.)\n  return engine.run_backward(  # C",
        "OrderedDict([('par', tensor([1.]))])",
    ],
)
def test_printed_values_and_warnings_are_no_program(output: str):
    """What was printed reads like calls, and is none."""
    assert read_message(f"I get\n```\n{output}\n```").snippets == ()


def test_a_line_of_the_program_that_is_quoted_is_no_block_of_its_own():
    """The program keeps its line numbers, wherever the quotation stands."""
    code = "import torch\nx = torch.ones(2)\ny = x @ torch.ones(3)\n"
    quoted = fence("    y = x @ torch.ones(3)\nRuntimeError: size mismatch")

    for text in (f"{quoted}\n{fence(code)}", f"{fence(code)}\n{quoted}"):
        question = read_message(text)
        assert [s.first_line for s in question.snippets] == [1]
        assert question.code.split("\n")[2] == "y = x @ torch.ones(3)"
        assert question.traceback is not None and question.traceback.type == "RuntimeError"


def test_a_short_block_with_a_line_of_its_own_stays():
    """It may be what is run after the other."""
    question = read_message(fence("x = 1\ny = 2\n") + "\n" + fence("y = 2\nprint(x)\n"))

    assert len(question.snippets) == 2


def test_the_line_below_a_warning_in_prose_is_not_theirs():
    """Python prints the line that warned, which often is only the beginning of a call."""
    text = "I see\n/a/b.py:61: UserWarning: all were scalars\n  warnings.warn('all '\n\nWhy?"
    question = read_message(text)

    assert question.snippets == ()
    assert "warnings.warn" in question.text


def test_prompt_in_a_docstring_is_text():
    """A doctest inside a function is part of its docstring."""
    code = 'def f(x):\n    """Double.\n\n    >>> f(2)\n    4\n    """\n    return 2 * x'

    assert codes(fence(code)) == [code]


def test_error_inside_a_session():
    """A traceback between prompts is the traceback, and blank lines in the code."""
    session = f">>> loss.backward()\n{TRACEBACK}\n>>> x = 1"
    question = read_message(fence(session, "pycon"))

    assert question.traceback is not None
    assert question.traceback.type == "RuntimeError"
    assert question.code == "loss.backward()" + "\n" * 8 + "x = 1"


def test_magics_become_blank_lines():
    """Notebook magics are counted and blanked; every other line stays where it was."""
    code = (
        "%matplotlib inline\n!pip install \\\n    torch\nimport torch\n"
        "x = 5 \\\n  % 3\ny = '''\n%d items\n!\n'''\nz = (7\n  % 2)\ntorch.ones?"
    )
    question = read_message(fence(code))

    assert question.code == (
        "\n\n\nimport torch\nx = 5 \\\n  % 3\ny = '''\n%d items\n!\n'''\nz = (7\n  % 2)\n"
    )
    assert question.notes == ("4 notebook magics blanked",)


@pytest.mark.parametrize(
    "magic",
    ["%time print('''a", '!echo """', "%timeit f(x", "!for f in [ab; do", "!echo it's", "%cd a{"],
)
def test_what_a_magic_leaves_open_is_no_python(magic: str):
    """A quote or bracket of a shell line does not make a string of the lines below it."""
    assert read_message(fence(f"{magic}\n%matplotlib inline\nx = 1")).code.strip() == "x = 1"


def test_output_that_was_escaped_is_no_code():
    """A chat that escapes angle brackets does so in what was printed too."""
    question = read_message(fence("print(A())\n&lt;__main__.A object at 0x7f&gt;"))

    assert question.code == "print(A())"


def test_magic_alone_in_a_block_leaves_pass():
    """A block that held only a magic would be a syntax error the author never saw."""
    code = "try:\n    import timm\nexcept ImportError:\n    !pip install timm"

    assert codes(fence(code)) == [code.replace("!pip install timm", "pass")]


def test_cell_in_another_language_is_left_out():
    """A %%bash cell holds no Python at all; %%time holds nothing else."""
    question = read_message(fence("%%bash\necho hello\nx=3") + "\n" + fence("%%time\nf(x)"))

    assert question.code == "\nf(x)"
    assert "echo hello" in question.text


# --- Typography and escapes ---------------------------------------------------------------------

TYPOGRAPHY = {
    "print(“hello”)": 'print("hello")',
    "x = ‘cuda’": "x = 'cuda'",
    "x = „cuda“": 'x = "cuda"',
    'print("it’s fine")': 'print("it’s fine")',
    "print('say “hi”')": "print('say “hi”')",
    "print(“it’s fine”)": 'print("it’s fine")',
    'print("half”)': 'print("half")',
    "f“{row[‘loss’]}”": "f\"{row['loss']}\"",
    "x = “””doc”””": 'x = """doc"""',
    "x\u00a0=\u00a01": "x = 1",
    "if x:\n\u00a0\u00a0\u00a0\u00a0y\u202f= 2": "if x:\n    y = 2",
    "x\u200b = 1\ufeff": "x = 1",
    "s = 'a\u00a0b\u200d'": "s = 'a\u00a0b\u200d'",
    "y = x – 1": "y = x - 1",
    "y = x − 1  # x – 1": "y = x - 1  # x – 1",
    "print（x，y）": "print(x,y)",
    "x = foo(…)": "x = foo(...)",
    "x = 1\x0c\ny\x00 = 2": "x = 1\ny = 2",
    '"""It’s a “docstring”."""\nx = “a”': '"""It’s a “docstring”."""\nx = "a"',
}


@pytest.mark.parametrize(("posted", "meant"), TYPOGRAPHY.items())
def test_typography_in_code_becomes_ascii(posted: str, meant: str):
    """Quotes, blanks and dashes of word processors are undone in code, never inside strings."""
    assert codes(fence(posted)) == [meant]


def test_typography_is_said():
    """Whoever asks about an invalid character must hear that it was replaced."""
    assert "curly quotes" in read_message(fence("print(“hello”)")).notes[0]


def test_tabs_are_kept_unless_python_would_refuse_them():
    """Tabs stay tabs; only an indentation that Python calls a TabError is expanded."""
    tabs = "if x:\n\ty = 1\n\tif y:\n\t\tz = 2"
    mixed = "if x:\n\ty = 1\n        z = 2"

    assert codes(fence(tabs)) == [tabs]
    question = read_message(fence(mixed))
    assert question.code == "if x:\n        y = 1\n        z = 2"
    assert "tabs and spaces" in question.notes[0]


def test_html_escapes_only_where_all_was_escaped():
    """`a &lt; b` means `a < b`; code that works on HTML keeps its strings."""
    html = 's = x.replace("&lt;", "<")'

    assert codes(fence("if a &lt; b &amp;&amp; c:\n    x = 1")) == ["if a < b && c:\n    x = 1"]
    assert codes(fence(html)) == [html]
    assert codes(fence('print("&lt;b&gt;")')) == ['print("&lt;b&gt;")']


# --- Slack and Discord --------------------------------------------------------------------------


def test_slack_escapes_and_links():
    """Slack's own markup is undone, in code and in prose."""
    question = read_message(
        "<@U123> see <https://pytorch.org/docs|the docs> in <#C1|help> <!here> &amp; tell\n"
        "```if a &lt; b and c -&gt; d:\n    m = <http://torch.nn|torch.nn>.Linear(2, 3)```",
        markup=SLACK,
    )

    assert question.text == "see the docs in #help @here & tell"
    assert question.code == "if a < b and c -> d:\n    m = torch.nn.Linear(2, 3)"


def test_slack_escape_that_was_typed():
    """A person who typed &lt; gets &lt; back."""
    question = read_message("what is `&amp;lt;` for?", markup=SLACK)

    assert question.text == "what is `&lt;` for?"


def test_discord_mentions_go():
    """Mentions are for Discord, not for the search; code is not touched."""
    question = read_message(
        "<@123> <@!45> why? <:sad:99>\n```py\nprint('<@123>')\n```", markup=DISCORD
    )

    assert question.text == "why? :sad:"
    assert question.code == "print('<@123>')"


def test_terminal_colours_go():
    """ANSI colours of a terminal are no part of an error."""
    question = read_message("\x1b[31mRuntimeError\x1b[0m: CUDA error: invalid device ordinal")

    assert question.traceback is not None
    assert question.traceback.type == "RuntimeError"


# --- Tracebacks in messages (tests/bot/messages/test_traceback_text.py has the formats) ---------

TRACEBACK_PASTES = {
    "bare": TRACEBACK,
    "untagged fence": f"```\n{TRACEBACK}\n```",
    "text fence": f"```text\n{TRACEBACK}\n```",
    "traceback fence": f"```pytb\n{TRACEBACK}\n```",
    "python fence": f"```python\n{TRACEBACK}\n```",
    "console fence, with the command": f"```console\n$ python train.py\n{TRACEBACK}\n```",
    "never closed": f"```\n{TRACEBACK}",
    "quoted": "\n".join("> " + line for line in ["```", *TRACEBACK.split("\n"), "```"]),
}


@pytest.mark.parametrize("paste", TRACEBACK_PASTES.values(), ids=TRACEBACK_PASTES.keys())
def test_traceback_is_no_snippet(paste: str):
    """Wherever it stands, a traceback is read as one and its source lines are no code."""
    question = read_message(f"I get this:\n\n{paste}")

    assert question.snippets == ()
    assert question.traceback is not None
    assert question.traceback.type == "RuntimeError"
    assert question.traceback.message.startswith("one of the variables needed")
    assert len(question.traceback.frames) == 2
    assert "loss.backward()" not in question.text


def test_traceback_in_a_docstring_is_code():
    """An example in a string is part of the program."""
    code = 'HELP = """\nTraceback (most recent call last):\n  File "x.py", line 1, in f\n"""\nf(1)'
    question = read_message(fence(code))

    assert question.code == code
    assert question.traceback is None


def test_error_below_the_code_in_one_fence():
    """Code and its error in one block are told apart."""
    question = read_message(fence(f"{CODE}\n\n{TRACEBACK}", ""))

    assert question.code.rstrip("\n") == CODE
    assert question.traceback is not None


def test_error_line_below_the_code_in_one_fence():
    """The last line of an error is no code, even where the fence says python."""
    question = read_message(fence(f"{CODE}  # ValueError: no\nRuntimeError: a leaf Variable"))

    assert question.code == f"{CODE}  # ValueError: no"
    assert question.traceback is not None
    assert question.traceback.message == "a leaf Variable"


def test_error_in_a_sentence():
    """An error quoted in a sentence is known; the sentence stays whole."""
    text = "Why 'TypeError: 'bool' object is not callable' when training?"
    question = read_message(text)

    assert question.traceback is not None
    assert (question.traceback.type, question.traceback.message) == (
        "TypeError",
        "'bool' object is not callable",
    )
    assert question.text == text


def test_except_clause_is_no_error():
    """`except ValueError: pass` is code, and nothing that happened."""
    assert read_message("try:\n    f()\nexcept ValueError: print(1)").traceback is None


# --- Versions -----------------------------------------------------------------------------------

VERSIONS = {
    "torch 2.1.0 on python 3.10 with CUDA 12.1.": ("2.1.0", "3.10", "12.1"),
    "PyTorch 1.13, Python 3.8.10": ("1.13", "3.8.10", None),
    "torch==2.0.1+cu118": ("2.0.1+cu118", None, None),
    "PyTorch version: 2.3.0a0+git1234\nCUDA used to build PyTorch: 12.1": (
        "2.3.0a0+git1234",
        None,
        "12.1",
    ),
    "```\ntorch                    2.5.1\n```": ("2.5.1", None, None),
    "torch.__version__ is 2.2.0": ("2.2.0", None, None),
    "```\n>>> torch.__version__\n'2.2.0'\n```": ("2.2.0", None, None),
    "```py\nprint(torch.__version__)  # 2.2.0\n```": ("2.2.0", None, None),
    "pytorch v2.1 and python3.11": ("2.1", "3.11", None),
    "it fails on cuda:0 in /usr/lib/python3.10/x": (None, None, None),
}


@pytest.mark.parametrize(("text", "expected"), VERSIONS.items())
def test_versions_said(text: str, expected: tuple[str | None, ...]):
    """Versions are taken from what the person says, not from paths or device names."""
    found = read_message(text).versions

    assert tuple(found.get(name) for name in ("torch", "python", "cuda")) == expected


MACHINES = {
    "I have an RTX 3060 on Windows 10.": {"gpu": "RTX 3060", "os": "Windows 10"},
    "GPU: NVIDIA GeForce MX130": {"gpu": "GeForce MX130"},
    "on 2 GPUs, each a Tesla V100": {"gpu": "Tesla V100", "gpus": "2"},
    "with multiple GPUs under Ubuntu 22.04": {"gpus": "several", "os": "Ubuntu 22.04"},
    "an A100 GPU in Google Colab": {"gpu": "A100", "service": "Google Colab"},
    "on my M1 Mac with macOS 13.2": {"gpu": "M1", "os": "macOS 13.2"},
    'Traceback (most recent call last):\n  File "C:\\x\\a.py", line 3, in f\nValueError: no': {
        "os": "Windows"
    },
    "the loss is nan with lr 3060": {},
}


@pytest.mark.parametrize(("text", "expected"), MACHINES.items())
def test_the_machine_that_is_said(text: str, expected: dict[str, str]):
    """GPU, system and service are taken from the text; a traceback's folders tell the system."""
    assert read_message(text).machine == expected


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("使用的是Pytorch 0.2.0版本", "torch", "0.2.0"),
        ("pytorch-cpu 0.4.0", "torch", "0.4.0"),
        ("transformers 4.30.2 and numpy==1.24", "transformers", "4.30.2"),
        ("transformers 4.30.2 and numpy==1.24", "numpy", "1.24"),
        ("PyTorch Lightning 1.5.1", "lightning", "1.5.1"),
        (
            "I use python2.7. Traceback (most recent call last):\n"
            '  File "/x/lib/python3.7/site-packages/torch/a.py", line 3, in f\nValueError: no',
            "python",
            "3.7",  # what ran
        ),
    ],
)
def test_versions_of_more(text: str, name: str, version: str):
    """Other libraries, other spellings; the folders of a traceback say which Python ran."""
    assert read_message(text).versions[name] == version


# --- Attachments --------------------------------------------------------------------------------


def notebook(*cells: dict[str, object]) -> bytes:
    return json.dumps({"nbformat": 4, "cells": list(cells)}).encode()


def attached(name: str, data: bytes, text: str = "") -> Question:
    return read_message(text, [Attachment(name, data)])


def test_py_file_is_a_snippet_after_the_message():
    """Attached code follows the code in the message."""
    question = attached("train.py", b"b = 2\r\nc = 3\r\n", fence("a = 1"))

    assert [snippet.code for snippet in question.snippets] == ["a = 1", "b = 2\nc = 3\n"]
    assert question.snippets[1].first_line == 2


def test_file_keeps_its_own_characters():
    """A file went through no chat: its curly quotes are the author's own mistake."""
    assert attached("a.py", "print(“x”)".encode()).code == "print(“x”)"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding: str):
    """PowerShell writes UTF-16, old editors Latin-1; only the guess is noted."""
    question = attached("a.py", "s = 'é'".encode(encoding))

    assert question.code == "s = 'é'"
    assert bool(question.notes) == (encoding == "latin-1")


def test_notebook_cells_and_errors():
    """Each code cell is a snippet, magics blanked; an error output is the traceback."""
    data = notebook(
        {"cell_type": "markdown", "source": "# Hello"},
        {"cell_type": "code", "source": ["%time\n", "import torch"], "outputs": []},
        {
            "cell_type": "code",
            "source": "x.view(3)",
            "outputs": [
                {
                    "output_type": "error",
                    "ename": "RuntimeError",
                    "evalue": "shape '[3]' is invalid for input of size 4",
                    "traceback": [
                        "\x1b[0;31m---------------\x1b[0m",
                        "\x1b[0;31mRuntimeError\x1b[0m     Traceback (most recent call last)",
                        "Cell \x1b[0;32mIn[2], line 1\x1b[0m\n----> 1 x.view(3)\n",
                        "\x1b[0;31mRuntimeError\x1b[0m: shape '[3]' is invalid",
                    ],
                }
            ],
        },
    )
    question = attached("nb.ipynb", data)

    assert [snippet.code for snippet in question.snippets] == ["\nimport torch", "x.view(3)"]
    assert question.traceback is not None
    assert question.traceback.message == "shape '[3]' is invalid for input of size 4"
    assert [(f.file, f.line, f.code) for f in question.traceback.frames] == [
        ("Cell In[2]", 1, "x.view(3)")
    ]
    assert "\x1b" not in question.traceback.text


def test_old_notebook_format():
    """Version 3 keeps cells in worksheets and calls the source input."""
    data = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}]}

    assert attached("old.ipynb", json.dumps(data).encode()).code == "x = 1"


@pytest.mark.parametrize("data", [b"{", b"[]", b"", b"[" * 100_000, b'"text"'])
def test_broken_notebook_is_named(data: bytes):
    """A file that is no notebook is refused by name."""
    with pytest.raises(QuestionError, match=r"broken\.ipynb"):
        attached("broken.ipynb", data)


def test_log_with_a_traceback():
    """Of a log, the traceback is what counts."""
    log = f"Epoch 1\nEpoch 2\n{TRACEBACK}\nDone.\n"
    question = attached("run.log", log.encode(), "it fails")

    assert question.traceback is not None
    assert question.traceback.type == "RuntimeError"
    assert question.files == ()


def test_text_file_with_code():
    """People rename train.py to train.txt to get it past a filter."""
    assert attached("train.txt", CODE.encode()).code == CODE


def test_text_file_with_prose_is_read_and_kept():
    """It may be a question, and it may be the data that the code opens."""
    question = attached("notes.txt", b"the loss is nan with torch 2.1")

    assert "the loss is nan" in question.text
    assert [file.name for file in question.files] == ["notes.txt"]
    assert question.versions == {"torch": "2.1"}


def test_other_files_are_carried():
    """Data goes beside the snippet, byte for byte, under a plain and unique name."""
    question = read_message(
        "", [Attachment("../../etc/data.csv", b"\x00\xff"), Attachment("data.csv", b"2")]
    )

    assert [file.name for file in question.files] == ["data.csv", "2-data.csv"]
    assert base64.b64decode(question.files[0].base64) == b"\x00\xff"


# --- What cannot be read ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "  \n\t\n", "```\n```", "\u00a0\n"])
def test_nothing_to_read(text: str):
    """An empty message is refused with what to do instead."""
    with pytest.raises(QuestionError, match="post the code"):
        read_message(text)


def test_too_long_a_message():
    """The refusal names the size, the limit and the way out."""
    with pytest.raises(QuestionError, match=r"5\.0 MiB.*1 MiB.*attach it as a file or cut it down"):
        read_message("x = 1\n" * (5 * MAX_MESSAGE_BYTES // 6))


def test_too_large_a_file():
    """The refusal names the file, its size and the limit."""
    with pytest.raises(QuestionError, match=r"big\.py: 5\.0 MiB.*5 MiB.*cut it down"):
        attached("big.py", b"#" * (MAX_ATTACHMENT_BYTES + 1))


def test_binary_is_named():
    """Bytes that are no text are refused by name."""
    with pytest.raises(QuestionError, match=r"model\.py.*binary"):
        attached("model.py", b"\x80\x04\x95\x00\x00")
    with pytest.raises(QuestionError, match="binary"):
        read_message("\x00\x01\x02\x03PNG")


# --- Properties ---------------------------------------------------------------------------------

SPICE = [
    "```", "```python\n", "~~~", "\n", ">>> ", "... ", "In [1]: ", '"""', "'''", "“", "”", "’", "(",
    ")", "# ", "%%bash\n", "!ls\n", "\t", "    ", "Traceback (most recent call last):\n",
    '  File "x.py", line 3, in f\n', "RuntimeError: bad\n", "---> 3 x\n", "x = f(\n", "&lt;",
    "<@U1>", "\\\n", "\u00a0", "\ud800", "def f():\n", "import torch\n", "> ", "\r", "\x00",
    "During handling of the above exception, another exception occurred:\n", "Cell In[3], line 5\n",
    "from user code:\n", "[rank0]: ", "1. ", "- ", "`", "<!--", "-->", "<pre>", "</pre>",
    "5 frames\n",
    "](http://x)", "  x = 1\n", "class A:\n", "return x\n", "if x:\n", "TypeError('a')", "Out[3]: ",
]  # fmt: skip
MESSY = st.lists(st.one_of(st.sampled_from(SPICE), st.text(max_size=8)), max_size=40).map("".join)
# A traceback typed at a prompt is one only once the prompt is gone; code holds none.
OF_ERRORS = ("Traceback", "File", "Cell", "Error")
MESSY_CODE = st.lists(
    st.one_of(
        st.sampled_from([spice for spice in SPICE if not any(e in spice for e in OF_ERRORS)]),
        st.text(max_size=8),
    ),
    max_size=40,
).map("".join)
MARKUPS = st.sampled_from([PLAIN, SLACK, DISCORD])
NAMES = st.sampled_from(["a.py", "a.ipynb", "a.log", "a.txt", "a.png", "", "../..", "x" * 500])


@settings(max_examples=300, deadline=None)
@given(MESSY, st.lists(st.tuples(NAMES, st.binary(max_size=80)), max_size=2), MARKUPS)
def test_nothing_but_question_error(text: str, files: list[tuple[str, bytes]], markup: ChatMarkup):
    """Whatever is posted becomes a Question or a QuestionError, and can be stored."""
    try:
        attachments = [Attachment(name, data) for name, data in files]
        question = read_message(text, attachments, markup)
    except QuestionError as error:
        assert str(error)
        return

    assert Question.model_validate_json(question.model_dump_json()) == question


STATEMENTS = st.sampled_from(
    [
        "import torch",
        "import torch.nn.functional as F",
        "x = torch.randn(2, 3, requires_grad=True)",
        "# the loss isn't right, don't know why",
        "",
        "print(f'loss: {loss.item():.3f}')",
        's = """\nTraceback of a string, with ``` in it\n\n  >>> not a prompt\n%not a magic\n"""',
        "model = nn.Sequential(\n    nn.Linear(2, 3),\n\n    # hidden\n    nn.ReLU(),\n)",
        "class Net(nn.Module):\n    '''Doc.\n\n    it's fine\n    '''\n\n    def f(self): pass",
        "for i in range(3):\n    x = x * 2\n\n    y = x",
        "if x.sum() > 0:\n\tx = -x\nelse:\n\tx = 0",
        "y = x \\\n    % 3",
        "z = '“quoted” – it’s & &lt; fine'",
        "d = {'a': [1,\n  2], 'b': (3,\n)}",
        "@torch.no_grad()\ndef g(x): return x",
        "x[0] = 1; y = 2",
        "with torch.no_grad():\n    pass",
        "q = '\\'' + \"\\\"\" + r'\\d'",
        "assert x is not None, 'no x'",
        "é = 3",
    ]
)
PROGRAMS = st.lists(STATEMENTS, min_size=1, max_size=12).filter(any)


def as_session(statements: list[str]) -> str:
    """The program as it looks when typed at a prompt."""
    return "\n".join(">>> " + statement.replace("\n", "\n... ") for statement in statements)


def shifted(code: str) -> str:
    return code.replace("\n", "\n   ")


WRAPPINGS = {
    "python fence": lambda code: f"Hi.\n````python\n{code}\n````\nWhy does it fail?",
    "unclosed": lambda code: f"Hi.\n````python\n{code}",
    "tildes": lambda code: f"~~~~~py\n{code}\n~~~~~",
    "CRLF": lambda code: f"````python\n{code}\n````".replace("\n", "\r\n"),
    "in a list": lambda code: f"- so:\n\n   ````python\n   {shifted(code)}\n   ````",
}


@settings(max_examples=150, deadline=None)
@given(PROGRAMS)
def test_no_line_of_code_is_lost(statements: list[str]):
    """Code comes back line for line, however it was wrapped."""
    code = "\n".join(statements)
    for wrapping, wrap in WRAPPINGS.items():
        assert read_message(wrap(code)).code.split("\n") == code.split("\n"), wrapping

    session = f"````pycon\n{as_session(statements)}\n````"
    assert read_message(session).code.split("\n") == code.split("\n")


@settings(max_examples=300, deadline=None)
@given(MESSY_CODE)
def test_reading_twice_changes_nothing(text: str):
    """Our own code, pasted again, is the same code."""
    code = text.replace("```", "''").replace("~", "-")
    try:
        once = read_message(f"~~~~python\n{code}\n~~~~").code
        twice = read_message(f"~~~~python\n{once}\n~~~~").code
    except QuestionError:
        return

    assert twice.rstrip("\n") == once.rstrip("\n")


SLOW_FOR_CARELESS_PARSERS = {
    "quotes": "'", "curly quotes": "‘a", "open brackets": "(\n", "spaces": "a ", "one word": "a",
    "fences": "```\n", "headers": "for x in y:\n\n", "prompts": ">>> (\n", "targets": "a = ",
    "tracebacks": "Traceback (most recent call last):\n\n", "errors": "ValueError: x ",
    "triple quotes": 'x = """\n', "links": "<@", "entities": "&amp;", "imports": "import a, ",
    "comments": "<!-- ", "opened pre": "<pre>x\n", "single backticks": "`x\n",
    "quote marks": "> x = 1\n", "linked": "[a](http://", "error types": "RuntimeError :",
    "errors as text": "TypeError('", "frames": "[a",
    "steps": "if x:\n ", "uses": "x = (y, \n", "machines": "Tesla ", "blanks before": "   \u3000> ",
}  # fmt: skip


@pytest.mark.parametrize(
    "unit", some(SLOW_FOR_CARELESS_PARSERS.values(), 4), ids=SLOW_FOR_CARELESS_PARSERS
)
@pytest.mark.parametrize("before", ["", "```python\n"], ids=["prose", "fence"])
def test_twice_the_text_takes_no_more_than_about_twice_the_time(unit: str, before: str):
    """No paste can make the bot think for long."""

    def seconds(size: int) -> float:
        text = before + unit * (size // len(unit))
        taken = []
        for _ in range(2):
            start = time.process_time()
            try:
                read_message(text, markup=SLACK)
            except QuestionError:
                pass
            taken.append(time.process_time() - start)
        return min(taken)

    # Four times the text: 4 if linear, 16 if quadratic; small times are all noise. Our own time
    # alone counts, since other tests run beside this one.
    assert seconds(40_000) < 9 * seconds(10_000) + 0.05


@pytest.mark.parametrize(
    ("text", "type_", "message"),
    [
        (
            "x.py:7: UserWarning: Using a target size (torch.Size([8])) that is different to",
            "UserWarning",
            "Using a target size (torch.Size([8])) that is different to",
        ),
        (
            "FutureWarning: `pretrained` is old. Do I have to care?",
            "FutureWarning",
            "`pretrained` is old. Do I have to care?",
        ),
        ("Why does this run slowly?\n\nFutureWarning: it is old", None, ""),  # it is about speed
    ],
)
def test_a_warning_keeps_its_name(text: str, type_: str | None, message: str):
    """What a message is about in its title is a warning, and never the error that says the same."""
    pasted = read_message(text).traceback

    assert (pasted.type if pasted else None) == type_
    assert pasted is None or pasted.message == message


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        # a message alone in its paragraph, as chats and forums show it
        (
            "My new card\n\nI see this:\n\nNVIDIA X with CUDA capability sm_120 is not compatible "
            "with the current PyTorch installation.\n\nWhat now?",
            "UserWarning",
        ),
        (
            "It stops. The error says:\n\nmat1 and mat2 shapes cannot be multiplied (4x3 and 5x6)",
            "RuntimeError",
        ),
        ("We saw it\n\nwith zero elements in the tensor that I made there it goes wrong", None),
        # a title that names a kind of error and goes on in their own words
        ("CUDA Out of Memory Error: how does PyTorch keep a variable?\n\nI store it.", None),
        ("Out of memory error: CUDA out of memory. Tried to allocate 2 GiB", "OutOfMemoryError"),
    ],
)
def test_an_error_is_told_from_words_about_one(text: str, type_: str | None):
    """A long wording of PyTorch's in a line of its own is one; a heading is none."""
    pasted = read_message(text).traceback

    assert (pasted.type if pasted else None) == type_


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (
            "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 8.00 GiB total; 1 free); why?",
            "out of memory. Tried to allocate 2.00 GiB (GPU 0; 8.00 GiB total; 1 free)",
        ),
        (
            "It says that mat1 and mat2 shapes cannot be multiplied (4x3 and 5x6), no more",
            "mat1 and mat2 shapes cannot be multiplied (4x3 and 5x6)",
        ),
    ],
)
def test_a_clause_does_not_end_in_brackets(sentence: str, message: str):
    """The numbers of a message stand in brackets, often with semicolons between them."""
    pasted = read_message(f"What does it mean\n\n{sentence}").traceback

    assert pasted is not None and pasted.message == message


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("ValueError: the sizes [4] and [5] differ", "the sizes [4] and [5] differ"),
        ("KeyError: 'epoch'", ""),  # of another type
        ("It does not work", ""),
    ],
)
def test_the_title_completes_a_traceback_whose_end_was_cut_off(title: str, message: str):
    """Its type has to be the one that the traceback names at its top."""
    text = (
        f"{title}\n\n```\nValueError                 Traceback (most recent call last)\n"
        "<ipython-input-3-abc> in <module>\n      1 a = b\n----> 2 loss = criterion(a, c)\n"
        "      3 loss.backward()\n\n/usr/lib/python3/site-packages/torch/nn/functional.py in f(in, "
        "targ\n```\n"
    )
    pasted = read_message(text).traceback

    assert pasted is not None
    assert (pasted.type, pasted.message) == ("ValueError", message)
    assert pasted.frames[0].line == 2


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        (
            "ValueError: Using a target size (torch.Size([8]))\n\nThen I squeezed it, but I got a "
            "new error saying that element 0 of tensors does not require grad and does not have a "
            "grad_fn. What now?",
            "element 0 of tensors",
        ),
        (
            "ValueError: Using a target size (torch.Size([8]))\n\nNow I get another error\n"
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
            "mat1 and mat2",
        ),
        (
            "ValueError: Using a target size (torch.Size([8]))\n\nBefore that I got another error "
            "saying that element 0 of tensors does not require grad and does not have a grad_fn.",
            "Using a target size",
        ),
        (
            "ValueError: Using a target size (torch.Size([8]))\n\nI got a new error once more.",
            "Using a target size",
        ),
        (
            "RuntimeError: given groups=1\n\nRuntimeError:Given groups=1, weight of size 8 4 3 3",
            "Given groups=1, weight of size 8",
        ),
    ],
)
def test_the_error_that_is_asked_about_is_the_last_one(text: str, begins: str):
    """A person who mends one error and meets the next asks about that; a title is cut short."""
    pasted = read_message(text).traceback

    assert pasted is not None and pasted.message.startswith(begins), pasted
