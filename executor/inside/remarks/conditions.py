"""Find conditions that always hold, whatever the values are."""

from __future__ import annotations

import ast

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import Found, walk


def always_holds(tree: ast.Module) -> Found:
    """`phase == "train" or "warmup"`: the text alone is true; so with `!= "a" and "b"`."""
    tests = [n.test for n in walk(tree) if isinstance(n, ast.If | ast.While | ast.IfExp)]
    for node in walk(tree):
        match node:
            case ast.BoolOp(
                op=joint,
                values=[
                    ast.Compare(left=left, ops=[asked], comparators=[ast.Constant(value=first)]),
                    *others,
                ],
            ) if isinstance(asked, ast.Eq if isinstance(joint, ast.Or) else ast.NotEq):
                bare = [o for o in others if isinstance(o, ast.Constant)]
                if isinstance(joint, ast.And) and node not in tests:
                    continue  # `x != 1 and "some"` is one of two values
                if not bare or not all(_is_alike(o.value, first) for o in bare):
                    continue
                of, sign = ast.unparse(left), "==" if isinstance(asked, ast.Eq) else "!="
                alone = ast.unparse(bare[0])
                what = (
                    "the whole is always true, in each case"
                    if isinstance(asked, ast.Eq)
                    else f"only {ast.unparse(node.values[0])} counts"
                )
                yield Told(
                    "always_holds",
                    node,
                    f"`{alone}` stands here by itself and is compared with nothing: as a condition "
                    f"it is true, so that {what}; write `{of} {sign} {alone}`",
                    (
                        way(
                            "each value is compared",
                            *(put(o, left, f" {sign} ", o) for o in bare),
                        ),
                    ),
                )


def _is_alike(value: object, first: object) -> bool:
    """Whether it is true by itself, and of the kind of what it stands beside."""
    return bool(value) and type(value) is type(first) and isinstance(value, str | int)


RULES = (always_holds,)
