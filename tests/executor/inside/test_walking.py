"""executor/inside/walking.py: a tree is walked once, in the order of `ast.walk`."""

from __future__ import annotations

import ast
import inspect

from executor.inside import runner
from executor.inside.walking import walk


def test_it_walks_as_ast_does_and_keeps_the_walk() -> None:
    """Every node of a module of ours, and of a part of it."""
    tree = ast.parse(inspect.getsource(runner))

    assert list(walk(tree)) == list(ast.walk(tree))
    assert list(walk(tree.body[-1])) == list(ast.walk(tree.body[-1]))
    assert walk(tree) is walk(tree)
    assert "walked" not in ast.dump(tree) and compile(tree, "it", "exec")
