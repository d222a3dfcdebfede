"""executor/inside/remarks/liveness.py: which values nothing can read."""

from __future__ import annotations

import ast
import textwrap

import pytest

from executor.inside.remarks.liveness import unread_stores

UNREAD = {
    "y = f(x)\ng(x)": "1y",
    "y = f(x)\ny = g(x)\nprint(y)": "1y",
    "a, b = f(x), g(x)\nprint(a)": "1b",
    "if x:\n    y = 1\nelse:\n    y = 2\ny = 3\nprint(y)": "2y 4y",
    "for x in xs:\n    y = f(x)\n    z = y": "2y 3z",
    "for x in xs:\n    y = f(x)\n    if y:\n        break\ny = 1\nprint(y)\nw = y": "7w",
    "while True:\n    y = f()\n    continue\n    print(y)": "2y",
    "try:\n    y = f()\n    y = g()\nexcept E:\n    y = 0\nprint(y)": "2y",
    "try:\n    y = f()\nfinally:\n    h()": "2y",
    "with c:\n    y = f()\ny = 1\nprint(y)": "2y",
    "match x:\n    case 1:\n        y = 1\n    case _:\n        y = 2\n        print(y)": "3y",
    "for x in xs:\n    a, b = f(x)\n    a, b = g(a), h(b)\n    print(a)": "3b",
    "for x in xs:\n    print(x)\n    x = f(x)": "3x",
    "h = f()\nfor x in xs:\n    h = h.detach()\n    g(x)": "1h 3h",
    "h = f()\nfor x in xs:\n    h = h + 1\n    k = h * 2\n    g(x)": "1h 3h 4k",
    "y = 1\ndef f(y):\n    return y\nf(2)": "1y",
    "y = 1\nclass A:\n    def f(self):\n        y = 2\n        return y": "1y",
    "y = model.eval()": "1y",
    "y = f(x)\ndef g(x):\n    return x\ng(1)": "1y",
}
READ = {
    "what the next round unpacks of it": "for x in xs:\n    a, b = f(b)\n    b = g(a)",
    "what goes into a call": "h = f()\nfor x in xs:\n    h = g(h)",
    "what goes into what is read": "h = f()\nk = h + 1\nprint(k)",
    "a loop's next round": "y = 0\nfor x in xs:\n    f(y)\n    y = x",
    "a round two loops further out": (
        "y = 0\nfor a in xs:\n    for b in a:\n        f(y)\n        for c in b:\n            y = c"
    ),
    "the condition of a loop": "y = 0\nwhile y < 3:\n    y = f()",
    "one of two ways": "y = f()\nif x:\n    y = g()\nprint(y)",
    "behind a break": "for x in xs:\n    y = x\n    if x:\n        break\n    y = 0\nprint(y)",
    "behind a continue": (
        "y = 0\nfor x in xs:\n    g(y)\n    y = x\n    if x:\n        continue\n    y = 1"
    ),
    "a loop's other end": "for x in xs:\n    y = x\nelse:\n    print(y)",
    "a handler": "y = 1\ntry:\n    y = 2\n    f()\n    y = 3\nexcept E:\n    print(y)\nprint(y)",
    "what was there when it failed": "y = 0\ntry:\n    y = f()\nexcept E:\n    pass\nprint(y)",
    "what always comes last": (
        "def f():\n    try:\n        y = 1\n        return 2\n    finally:\n        print(y)"
    ),
    "a function": "y = 1\ndef f():\n    return y\nf()",
    "a function that sets it for all": "y = 1\ndef f():\n    global y\n    y = y + 1\nf()",
    "a function in a function": "y = 1\ndef f():\n    def g():\n        return y\n    return g",
    "a method": "y = 1\nclass A:\n    def f(self):\n        return y",
    "a lambda": "y = 1\ng(lambda: y)",
    "a class": "y = 1\nclass A:\n    z = y",
    "a comprehension": "y = 1\n[y + i for i in range(3)]",
    "a sum": "y = f()\ny += 1",
    "an element": "y = f()\ny[0] = 1",
    "a text": "y = 1\nprint(f'{y}')",
    "its own new value": "y = f()\ny = y + 1\nprint(y)",
    "a global": "def f():\n    global y\n    y = 1",
    "a name that is looked up": "y = 1\nprint(locals())",
    "a default": "y = 1\ndef f(a=y):\n    return a",
    "what is deleted": "y = f()\ndel y",
    "the subject of a match": "y = f()\nmatch y:\n    case 1:\n        pass",
    "a guard": "y = f()\nmatch x:\n    case 1 if y:\n        pass",
    "what is raised": "y = f()\nraise y",
    "a block's manager": "y = f()\nwith y:\n    pass",
    "unpacked at once": "a, b = f()\nprint(a)",
}


def unread(code: str) -> str:
    """The line and the name of each value of a module, or of its only function."""
    tree = ast.parse(textwrap.dedent(code))
    first = tree.body[0]
    scope = first if isinstance(first, ast.FunctionDef) and len(tree.body) == 1 else tree
    found = sorted((s.lineno, n) for s, n, _ in unread_stores(scope))
    return " ".join(f"{line}{name}" for line, name in found)


@pytest.mark.parametrize("code", UNREAD)
def test_what_nothing_reads_is_found(code: str) -> None:
    assert unread(code) == UNREAD[code]


@pytest.mark.parametrize("name", READ)
def test_what_something_reads_is_left_alone(name: str) -> None:
    assert unread(READ[name]) == ""
