"""Scores must not be compared with labels: `scores == labels` says nothing about either."""

import ast
from collections.abc import Iterator

from executor.protocol import Variable
from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import called, root, text
from knowledge.repair.toolkit.dataflow import INTEGERS
from knowledge.repair.toolkit.sites import variables

_EQUAL = frozenset({"eq", "ne", "equal"})
# What makes labels of scores.
_DECIDES = frozenset({"argmax", "max", "round", "topk", "gt", "ge", "lt", "le", "sign", "long",
                      "int", "bool", "indices"})  # fmt: skip


@refusing("labels", "no scores are compared with labels")
def check(change: Change) -> Iterator[str]:
    """A comparison that the rewrite touched is of like with like."""
    live = variables(change.result)
    known = {text(pair[2]) for pair in _compared(change.compared.old)}
    for left, right, node in _compared(change.compared.new):
        if text(node) in known:
            continue
        for scores, labels in ((left, right), (right, left)):
            if _are_scores(scores, live) and _are_labels(labels, live):
                yield f"line {node.lineno}: `{text(scores)}` are scores, compared with labels"


def _compared(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """What is tested for equality, and the test."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            yield node.left, node.comparators[0], node
        elif isinstance(node, ast.Call) and called(node) in _EQUAL:
            if len(node.args) == 2:
                yield node.args[0], node.args[1], node
            elif len(node.args) == 1 and isinstance(node.func, ast.Attribute):
                yield node.func.value, node.args[0], node


def _are_scores(value: ast.expr, live: dict[str, Variable]) -> bool:
    """Floats with several numbers a row, which nothing has made a decision of yet."""
    for node in ast.walk(value):
        if isinstance(node, ast.Compare) or (
            isinstance(node, ast.Attribute) and node.attr in _DECIDES
        ):
            return False
    start = root(value)
    facts = live.get(start.id) if isinstance(start, ast.Name) else None
    if facts is None or facts.dtype is None or not facts.dtype.startswith(("float", "bfloat")):
        return False
    return facts.grad_fn is not None or (
        len(facts.shape or ()) > 1 and (facts.shape or (0,))[-1] > 1
    )


def _are_labels(value: ast.expr, live: dict[str, Variable]) -> bool:
    start = root(value)
    facts = live.get(start.id) if isinstance(start, ast.Name) else None
    return facts is not None and facts.dtype in INTEGERS
