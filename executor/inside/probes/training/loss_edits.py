"""The edits by which a loss of yes and no gets what it is made for: values between 0 and 1."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from executor.inside.remarks.edits import Places, operand, put, way
from executor.inside.remarks.syntax import (
    argument,
    equalities,
    is_own,
    made_of,
    tail,
    walk,
    words,
)

Ways = list[dict[str, Any]]
_OF_PROBABILITIES = {"binary_cross_entropy", "BCELoss"}
_OF_SCORES = {"binary_cross_entropy_with_logits", "BCEWithLogitsLoss"}


def of_the_loss(tree: ast.Module, kind: str, facts: dict[str, Any]) -> dict[str, Ways]:
    """What a finding of this kind has beside its facts."""
    if kind == "softmax_one_column":
        return {"ways": _sigmoid(tree)}
    if kind == "bce_targets":
        return {"ways": _targets(tree, facts["smallest"], facts["largest"], two=facts["two"])}
    return {}


def _losses(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Each call of a binary cross-entropy, and how that one is called in PyTorch."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and len(node.args) + len(node.keywords) > 1:
            held = made_of(node.func, tree)
            names = {tail(v) for v in held if isinstance(v, ast.Call)} | {tail(node)}
            for name in names & (_OF_PROBABILITIES | _OF_SCORES):
                yield node, name


def _sigmoid(tree: ast.Module) -> Ways:
    """A sigmoid for the only softmax of the program; none where the loss has one itself."""
    losses = {name for _, name in _losses(tree)}
    softmax = [
        n for n in walk(tree)
        if isinstance(n, ast.Call) and tail(n).lower().endswith("softmax")
        and not (isinstance(n.func, ast.Attribute) and is_own(n.func))  # made elsewhere
    ]  # fmt: skip
    if not losses or "argmax" in words(tree) or len(softmax) != 1:
        return []
    node, scores = softmax[0], bool(losses & _OF_SCORES)
    if scores and (losses & _OF_PROBABILITIES or _has_threshold(tree)):
        return []
    told = "the loss applies a sigmoid itself" if scores else "a sigmoid makes it one of yes"
    if tail(node) == "Softmax" and isinstance(node.func, ast.Attribute):
        layer = ".Identity()" if scores else ".Sigmoid()"
        around = next((n for n in walk(tree) if isinstance(n, ast.Call) and node in n.args), None)
        if scores and around is not None and tail(around) == "Sequential":
            layers: list[Any] = [p for a in around.args if a is not node for p in (", ", a)]
            return [_meant(told, put(around, around.func, "(", *layers[1:], ")"))]
        return [_meant(told, put(node, node.func.value, layer))]
    if tail(node) == "softmax" and isinstance(node.func, ast.Attribute):
        is_method = not (isinstance(node.func.value, ast.Name | ast.Attribute)) or (
            tail(node.func.value) not in ("F", "torch", "functional")
        )
        of = node.func.value if is_method else argument(node, 0, "input")
        if of is not None:
            return [_meant(told, put(node, *operand(of), *(() if scores else (".sigmoid()",))))]
    return []


def _meant(told: str, places: Places) -> dict[str, Any]:
    return way(told, places) | {"intent": "the one output is the probability of yes"}


def _has_threshold(tree: ast.Module) -> bool:
    return any(isinstance(n, ast.Constant) and n.value == 0.5 for n in walk(tree))


def _targets(tree: ast.Module, low: float, high: float, *, two: bool) -> Ways:
    """The targets between 0 and 1, wherever a binary cross-entropy is given these."""
    given = [t for call, _ in _losses(tree) if (t := argument(call, 1, "target")) is not None]
    if not given or len({ast.unparse(t) for t in given}) != 1:
        return []
    names = words(given[0])
    compared = [other for _, one, other in equalities(tree) if words(one) & names]
    if any("sign" not in words(other) for other in compared):
        return []  # a score would be counted of what they were
    if two and (low, high) == (-1, 1):
        told, of = "-1 becomes 0, 1 stays 1", ["(", *operand(given[0]), " + 1) / 2"]
    elif two and (low, high) == (1, 2):
        told, of = "1 becomes 0, 2 becomes 1", [*operand(given[0]), " - 1"]
    elif not two and low >= 0 and 200 < high <= 255:
        told, of = "pixels from 0 to 255 as values from 0 to 1", [*operand(given[0]), " / 255"]
    else:
        return []
    places: list[Places] = [put(t, *[p if isinstance(p, str) else t for p in of]) for t in given]
    return [way(told, *places)]
