"""Find targets that do not belong to what the model was given."""

from __future__ import annotations

import ast

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    assigned,
    dotted,
    tail,
    values,
    walk,
    words,
)

_RANDOM = {"randn", "randn_like", "rand", "rand_like", "normal"}
_DRAWS = {"randperm", "randint", "permutation", "choice"}


def _pairs(tree: ast.Module) -> list[tuple[ast.Call, ast.expr, ast.expr]]:
    """The losses that are given two things: the call, the output, the target."""
    return [
        (n, n.args[0], n.args[1])
        for n in walk(tree)
        if isinstance(n, ast.Call) and len(n.args) == 2 and LOSS_CALL.search(tail(n))
    ]


def target_noisy(tree: ast.Module) -> Found:
    """An autoencoder that is given noisy data, and compared with them."""
    noisy = {
        name: dotted(value.left)
        for _, name, value in assigned(tree)
        if isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Add)
        and isinstance(value.left, ast.Name)
        and words(value.right) & _RANDOM
    }
    made = values(tree)
    compared = {dotted(side) for _, *sides in _pairs(tree) for side in sides}
    for node, output, target in _pairs(tree):
        clean = noisy.get(dotted(target), "")
        output = made.get(dotted(output), output)
        given = set(map(dotted, output.args)) if isinstance(output, ast.Call) else set()
        if clean and dotted(target) in given and clean not in compared:
            name = dotted(target)
            yield Told(
                "target_noisy",
                node,
                f"the model is given `{name}` and compared with `{name}`, the noise included: it "
                f"learns to keep the noise, and `{clean}` itself is never asked for; write "
                f"`{clean}` as the target",
                (way("the noise is to be taken away", put(target, clean)),),
            )


def drawn_apart(tree: ast.Module) -> Found:
    """`loss(model(x[order]), y[torch.randperm(n)])`: inputs and targets are drawn each anew."""
    for node, output, target in _pairs(tree):
        if not isinstance(target, ast.Subscript):
            continue
        index = target.slice
        drawn = any(isinstance(c, ast.Call) and tail(c) in _DRAWS for c in walk(index))
        given = [n.slice for n in walk(output) if isinstance(n, ast.Subscript)]
        names = [n for n in given if isinstance(n, ast.Name)]
        if drawn and given:
            one = f"`{names[0].id}`" if names else "one and the same draw"
            yield Told(
                "drawn_apart",
                node,
                f"`{ast.unparse(index)}` draws other samples than the inputs: no target belongs "
                f"to its input; index both with {one}",
                tuple(way("each input has its own target", put(index, n)) for n in names[:1]),
            )


RULES = (drawn_apart, target_noisy)
