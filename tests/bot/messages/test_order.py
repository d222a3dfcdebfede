"""Code that was posted after its use is put before it, where no other order can be meant."""

from __future__ import annotations

import pytest

from bot.messages.order import names_of
from bot.messages.question import read_message


def read(*blocks: str, text: str = "Why?") -> tuple[list[str], tuple[str, ...]]:
    """The snippets' code in their new order, and the notes."""
    question = read_message("\n\n".join([text, *(f"```python\n{block}\n```" for block in blocks)]))
    first_line = 1
    for snippet in question.snippets:
        assert snippet.first_line == first_line
        first_line += snippet.code.count("\n") + 1
    return [snippet.code for snippet in question.snippets], question.notes


MOVED = {
    "a function": ("loss = mine(x)", "def mine(x):\n    return x.sum()"),
    "a class": ("net = Net()", "class Net(nn.Module):\n    pass"),
    "parameters": ("for e in range(epochs):\n    print(e)", "epochs = 3\nlr = 0.1"),
    "a base class": ("class A(B):\n    pass", "class B:\n    pass"),
    "an import": ("x = np.ones(3)", "import numpy as np"),
    "a file that was posted as well": (
        "import torch\nfrom losses import Mine\nprint(Mine()(torch.ones(2)))",
        "import torch\nclass Mine(torch.nn.Module):\n    pass",
    ),
    "several names at once": ("f(a, b)", "a, b = 1, 2"),
    "one that binds what the first reads and binds": (
        "if loss == a:\n    loss = 1",
        "loss = 'a'\na = 'a'",
    ),
}


@pytest.mark.parametrize(("use", "definition"), MOVED.values(), ids=MOVED.keys())
def test_a_definition_below_its_use_is_put_before_it(use: str, definition: str):
    """The two blocks change places, and the answer says so."""
    codes, notes = read(use, definition)

    assert codes == [definition, use]
    assert notes == ("code that was posted after its use was put before it",)


KEPT = {
    "used inside a function only": ("def f():\n    return mine(1)", "def mine(x):\n    return x"),
    "defined before as well": ("x = 1\nprint(x)", "x = 2"),
    "another version of the code": ("x = f(1)\ny = 2", "y = 3\ndef f(x):\n    return x"),
    "the later needs the first": ("a = 1\nf(a)", "def g(x=a):\n    return x\nf = g"),
    "a keyword, no name": ("f = print\nf(end='')", "end = 1"),
    "an attribute, no name": ("import torch\ntorch.mine(1)", "def mine(x):\n    return x"),
    "a name of a library, posted anew": (
        "from torch import nn\nnet = nn.Linear(2, 2)",
        "from torch import nn\nnet = nn.Linear(3, 3)",
    ),
    "a loop's own name": ("import torch\nfor x in [1]:\n    print(x)", "x = 3"),
    "a string, no name": ("print('mine')", "mine = 1"),
    "bound too late in its own block": ("print(area)\narea = 3", "area = 4"),
    "more than definitions": ("f(x)", "x = 1\nfor i in y:\n    g(i)"),
    "a call for its effect": ("f(x)", "x = 1\nprint(x)"),
    "a builtin": ("print(len([1]))", "len = 3"),
}


@pytest.mark.parametrize(("first", "second"), KEPT.values(), ids=KEPT.keys())
def test_the_posted_order_stays(first: str, second: str):
    """Where the order could be meant, it is kept."""
    assert read(first, second) == ([first, second], ())


def test_a_name_that_the_error_calls_undefined_stays_below():
    """The order is what is wrong there."""
    codes, _ = read(
        "mine(1)", "def mine(x):\n    return x", text="NameError: name 'mine' is not defined"
    )

    assert codes[0] == "mine(1)"


def test_it_goes_right_before_the_first_that_needs_it():
    """What does not need it stays in front."""
    codes, _ = read("import torch", "net = Net()", "print(net)", "class Net:\n    pass")

    assert codes == ["import torch", "class Net:\n    pass", "net = Net()", "print(net)"]


@pytest.mark.parametrize(
    ("code", "needed", "bound"),
    [
        ("x = y + 1", {"y"}, {"x"}),
        ("x = x + 1", {"x"}, {"x"}),
        ("x[0] = y", {"x", "y"}, set()),
        ("x.a = y", {"x", "y"}, set()),
        ("x: int = y", {"y"}, {"x"}),
        ("(a, b), c = d", {"d"}, {"a", "b", "c"}),
        ("x += y", {"x", "y"}, set()),
        ("from a.b import c as d, e", set(), {"d", "e"}),
        ("import a.b", set(), {"a"}),
        ("with open(p) as f:\n    g(f)", {"p", "g"}, {"f"}),
        ("z = [i * k for i in n]", {"k", "n"}, {"z", "i"}),
        ("f(a=b)", {"f", "b"}, set()),
        ("@d\ndef f(a=b):\n    c", {"b", "d"}, {"f"}),
    ],
)
def test_names_are_read_line_by_line(code: str, needed: set[str], bound: set[str]):
    """What is used before it is bound, and what is bound, outside functions."""
    names = names_of(code.split("\n"))

    assert (names.needed, names.bound) == (needed, bound)
