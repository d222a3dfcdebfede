"""knowledge/repair/toolkit/comparison.py: what differs between a snippet and its rewrite."""

from __future__ import annotations

import ast

import pytest

from knowledge.repair.toolkit.comparison import compare, form, names, root, text


def lines(statements: list[ast.stmt]) -> list[str]:
    """The first line of each."""
    return [text(s).splitlines()[0] for s in statements]


@pytest.mark.parametrize(
    ("old", "new", "gone", "come", "changed"),
    [
        ("a = 1\n", "a = 1  # one\n", [], [], []),
        ("a = 1\n", "a = 2\n", [], [], [("a = 1", "a = 2")]),
        ("a = 1\nf()\n", "a = 1\n", ["f()"], [], []),
        ("a = 1\n", "a = 1\nf()\n", [], ["f()"], []),
        ("a = 1\nf()\n", "f()\na = 1\n", [], [], []),  # moved
        ("f()\n", "with g():\n    f()\n", [], ["with g():"], []),
        ("if x:\n    f(1)\n", "if x:\n    f(2)\n", [], [], [("f(1)", "f(2)")]),
        ("if x > 1:\n    f()\n", "if x > 2:\n    f()\n", [], [], [("if x > 1:", "if x > 2:")]),
        ("x += 1\n", "x = x + 1\n", [], [], [("x += 1", "x = x + 1")]),
        ("x.add_(1)\n", "y = x.add(1)\n", [], [], [("x.add_(1)", "y = x.add(1)")]),
        ("x = f(a)\n", "return_ = 1\n", ["x = f(a)"], ["return_ = 1"], []),
        ("f(a)\n", "for a in f:\n    pass\n", ["f(a)"], ["for a in f:", "pass"], []),
        # Of several the one with most in common is what it became.
        ("f(a, b)\ng(c)\n", "g(c, d)\nf(a, b, e)\n", [], [],
         [("f(a, b)", "f(a, b, e)"), ("g(c)", "g(c, d)")]),
        ("def f(a):\n    pass\n", "def f(b):\n    pass\n", [], [], [("def f(a):", "def f(b):")]),
    ],
)  # fmt: skip
def test_statements_that_went_came_or_changed(
    old: str, new: str, gone: list[str], come: list[str], changed: list[tuple[str, str]]
):
    """Those that moved are kept; what a statement became has most in common with it."""
    found = compare(old, new)

    assert lines(found.gone) == gone
    assert lines(found.come) == come
    pairs = [tuple(lines([*pair])) for pair in found.changed]
    assert sorted(pairs) == sorted(changed)


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("f(a, b)\n", "f(a, c)\n", [("b", "c")]),
        ("f(a, k=b)\n", "f(a, k=c)\n", [("b", "c")]),
        ("f(a, k=b)\n", "f(a)\n", [("b", None)]),
        ("f(a)\n", "f(a, k=b)\n", [(None, "b")]),
        ("f(a)\n", "f(a, b)\n", [(None, "b")]),
        ("f(a, b, c)\n", "f(a, c)\n", [("b", None)]),
        ("f(a, b)\n", "f(b, a)\n", [("a", "b"), ("b", "a")]),
        ("f(a)\n", "f(a.t())\n", [("a", "a.t()")]),
        ("f(a.t())\n", "f(a)\n", [("a.t()", "a")]),
        ("f(a)\n", "g(a)\n", [("f(a)", "g(a)")]),
        ("x.f(a)\n", "y.f(a)\n", [("x", "y")]),
        ("x.f(a)\n", "x.g(a)\n", [("x.f(a)", "x.g(a)")]),
        ("y = a + b\n", "y = a + c\n", [("b", "c")]),
        ("y = a + b\n", "y = a - b\n", [("a + b", "a - b")]),
        ("y = self.a\n", "y = self.b\n", [("self.a", "self.b")]),
        ("y = 1\n", "y = 2\n", [("1", "2")]),
        ("y = f(1)\n", "y = 2\n", [("f(1)", "2")]),
        ("f(a, b)\n", "y = f(a, c)\n", [("b", "c")]),
        ("for i in range(3):\n    pass\n", "for i in range(4):\n    pass\n", [("3", "4")]),
        ("def f(a=1):\n    pass\n", "def f(a=2):\n    pass\n", [("1", "2")]),
        ("x[1:2, a]\n", "x[1:3, a]\n", [("2", "3")]),
        ("x[1:]\n", "x[1:3]\n", [(None, "3")]),
    ],
)
def test_the_smallest_parts_that_differ(
    old: str, new: str, parts: list[tuple[str | None, str | None]]
):
    """What stands for what; None where something was added or taken away."""
    found = [(p.old and text(p.old), p.new and text(p.new)) for p in compare(old, new).replaced]

    assert found == parts


def test_a_part_knows_where_it_is():
    """What is around it, the keyword it has, and its line in the rewrite."""
    (part,) = compare("a = 1\nf(x, k=[1, b])\n", "a = 1\n\n\nf(x, k=[1, c])\n").replaced

    assert (part.line, part.keyword) == (4, "")
    assert [type(n).__name__ for n in part.within] == ["Expr", "Call", "List"]
    assert text(part.within[-1]) == "[1, b]" and text(part.within_new[-1]) == "[1, c]"
    (part,) = compare("f(x, k=1)\n", "\nf(x)\n").replaced
    assert (part.line, part.keyword) == (2, "k")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("f( x ) # so\n", "f(x)\n", True),
        ("f('x')\n", 'f("x")\n', True),
        ("x.T\n", "x.t()\n", True),
        ("x.to(torch.float32)\n", "x.float()\n", True),
        ("x.to(torch.long)\n", "x.to(torch.int64)\n", True),
        ("x.to(device)\n", "x.float()\n", False),
        ("torch.squeeze(x, 1)\n", "x.squeeze(1)\n", True),
        ("x.squeeze(dim=1)\n", "x.squeeze(1)\n", True),
        ("x.sum(1, keepdim=True)\n", "x.sum(1)\n", False),
        ("torch.cat(x)\n", "x.cat()\n", False),
        ("x.T = 1\n", "x.t = 1\n", False),
        ("x.mean()\n", "x.sum()\n", False),
    ],
)
def test_codes_that_differ_in_form_alone(a: str, b: str, same: bool):
    """White space, comments, quotes, and two ways to call one thing."""
    assert (form(a) == form(b)) is same


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("a + b.c * 2", {"a", "b.c"}),
        ("f(a)[b]", {"f", "a", "b"}),
        ("self.a.b", {"self.a.b"}),
        ("f(a).b", {"f", "a"}),
        ("1", set()),
    ],
)
def test_the_names_of_an_expression(code: str, found: set[str]):
    """Variables and dotted paths."""
    assert names(ast.parse(code, mode="eval").body) == found
    assert names(None) == set()


@pytest.mark.parametrize(
    ("code", "first"),
    [("x[0].t().shape", "x"), ("f(x).y", "f(x)"), ("(a + b).t()", "a + b"), ("x", "x")],
)
def test_the_root_of_an_expression(code: str, first: str):
    """What methods, attributes and indices are taken of."""
    assert text(root(ast.parse(code, mode="eval").body)) == first
