"""Find what is written by hand and lacks a piece: a sign, a limit, a dimension, a gradient."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    callee,
    dotted,
    functions,
    has_minus,
    inside,
    made_of,
    tail,
    terms,
    trained_losses,
    values,
    walk,
    words,
)

_REVERSES = re.compile(r"(?i)revers")
_OVERLAP = re.compile(r"(?i)inter|overlap")
_LIMITS = {"clamp", "clamp_", "clip", "relu", "max", "maximum", "clamp_min", "where"}
_LOSES = re.compile(r"(?i)kl|elbo|nll|log_?lik|recon")


def reversal_without_sign(tree: ast.Module) -> Found:
    """A function that is to reverse gradients, and whose `backward` has no minus."""
    for cls in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        if not _REVERSES.search(cls.name) or "Function" not in {tail(b) for b in cls.bases}:
            continue
        for back in (f for f in cls.body if isinstance(f, ast.FunctionDef)):
            if back.name != "backward" or has_minus(back) or "neg" in words(back):
                continue
            handed = [n for n in walk(cls) if isinstance(n, ast.FunctionDef) and n is not back]
            if any(has_minus(f) for f in handed) or _is_given_minus(tree, cls.name):
                continue
            given = back.args.args[-1].arg
            yield (
                "reversal_without_sign",
                back,
                f"`{cls.name}` is called a reversal, and its `backward` has no minus: `{given}` "
                "goes on with its own sign, so that what lies before it is trained to help, not "
                f"to mislead; return `-{given}` times the factor",
            )
            return


def _is_given_minus(tree: ast.Module, name: str) -> bool:
    applied = (n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == "apply")
    return any(dotted(n.func).startswith(f"{name}.") and any(map(has_minus, n.args))
               for n in applied)  # fmt: skip


def overlap_unlimited(tree: ast.Module) -> Found:
    """`inter = (x2 - x1) * (y2 - y1)` of two boxes: apart in both, the product is positive."""
    for scope in (tree, *functions(tree).values()):
        below = set(inside(scope))
        for node, name, value in assigned(scope):
            match value:
                case ast.BinOp(left=left, op=ast.Mult(), right=right) if node in below:
                    pass
                case _:
                    continue
            sides = [m for side in (left, right) for m in made_of(side, scope)]
            is_box = all(isinstance(s, ast.BinOp) and isinstance(s.op, ast.Sub) for s in sides)
            if not _OVERLAP.search(name) or len(sides) != 2 or not is_box:
                continue
            corners = {w for s in sides for n in walk(s) if isinstance(n, ast.expr)
                       for m in made_of(n, scope) for w in words(m)}  # fmt: skip
            if not corners & {"min", "max", "minimum", "maximum"}:
                continue
            named = {w for s in sides for w in words(s)}
            if any(isinstance(n, ast.If) and named & words(n.test) for n in below):
                continue  # boxes that are apart are told apart
            if any(c for s in sides for c in walk(s) if isinstance(c, ast.Call)
                   and tail(c) in _LIMITS and tail(c) not in ("max", "maximum")):  # fmt: skip
                continue
            yield Told(
                "overlap_unlimited",
                node,
                f"where two boxes are apart in both directions both factors of `{name}` are below "
                "0, and their product looks like an overlap; limit each of them: "
                "`(x2 - x1).clamp(min=0) * (y2 - y1).clamp(min=0)`",
                (
                    way("boxes that are apart do not overlap",
                        put(value, *_limited(left), " * ", *_limited(right))),
                ) if {left, right} == set(sides) and "torch" in words(tree) else (),
            )  # fmt: skip
            return


def _limited(side: ast.expr) -> tuple[ast.expr | str, ...]:
    return "(", side, ").clamp(min=0)"


def penalty_of_all(tree: ast.Module) -> Found:
    """`(grads.norm(2) - 1) ** 2`: one norm of the gradients of all samples."""
    of_grad = {
        n.id
        for node in walk(tree)
        if isinstance(node, ast.Assign) and "grad" in {tail(c) for c in walk(node.value)
                                                       if isinstance(c, ast.Call)}
        for t in node.targets for n in walk(t) if isinstance(n, ast.Name)
    }  # fmt: skip
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=ast.Call(func=ast.Attribute(value=of, attr="norm"), args=args, keywords=named)
                as norm,
                op=ast.Sub(), right=ast.Constant(value=1 | 1.0),
            ) if dotted(of) in of_grad and len(args) < 2 and all(
                k.arg == "p" for k in named
            ):  # fmt: skip
                yield Told(
                    "penalty_of_all",
                    norm,
                    f"`{ast.unparse(norm)}` is one norm of the gradients of all samples together, "
                    "and that is drawn to 1: each sample's own becomes 1 / sqrt(batch), so that "
                    f"the function is far flatter than meant; take each row's: "
                    f"`{dotted(of)}.flatten(1).norm(2, dim=1)`",
                    (way("each sample's gradient has a norm of 1",
                         put(norm, of, ".flatten(1).norm(2, dim=1)")),),
                )  # fmt: skip
                return


def draw_without_gradient(tree: ast.Module) -> Found:
    """`z = q.sample()` of a posterior whose likelihood is to train it: `rsample()` has a graph."""
    for function in functions(tree).values():
        body = list(inside(function))
        if not any(_LOSES.search(w) for w in words(function)) or "log_prob" not in words(function):
            continue
        normals = {
            name for _, name, v in assigned(function)
            if isinstance(v, ast.Call) and (callee(v) == "Normal" or "kl_divergence" in words(tree))
        }  # fmt: skip
        divergences = [c for c in body if isinstance(c, ast.Call) and tail(c) == "kl_divergence"]
        for node, name, value in assigned(function):
            match value:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr="sample")):
                    pass
                case _:
                    continue
            is_posterior = any(of in map(dotted, c.args) for c in divergences)
            scored = any(isinstance(c, ast.Call) and tail(c) == "log_prob"
                         and dotted(c.func) == f"{of}.log_prob" for c in body)  # fmt: skip
            if of in normals and is_posterior and not scored and _is_given_on(body, name):
                yield Told(
                    "draw_without_gradient",
                    node,
                    f"`{of}.sample()` has no graph: no gradient of the likelihood reaches `{of}`, "
                    f"which only the divergence trains then, towards the prior; write "
                    f"`{of}.rsample()`",
                    (way("the likelihood trains it too", put(value.func, of, ".rsample")),),
                )
                return


def _is_given_on(body: list[ast.AST], name: str) -> bool:
    return any(isinstance(n, ast.Call) and name in map(dotted, n.args) for n in body)


def signed_residual(tree: ast.Module) -> Found:
    """`loss = f.mean()` of a residual: what is above 0 and below cancels."""
    residuals = {n for n in functions(tree) if re.search(r"(?i)resid|^pde|equation", n)}

    made = values(tree)
    for _node, _, value in trained_losses(tree):
        for _, term in terms(value):
            inner = made.get(dotted(term), term)
            match inner:
                case ast.Call(func=ast.Attribute(attr="mean" | "sum", value=of), args=[]):
                    pass
                case ast.Call(func=ast.Attribute(attr="mean" | "sum"), args=[of]):
                    pass
                case _:
                    continue
            source = made.get(dotted(of), of)
            if (
                isinstance(source, ast.Call)
                and tail(source) in residuals
                and not _is_even(functions(tree)[tail(source)])
            ):
                yield Told(
                    "signed_residual",
                    inner,
                    f"this is the mean of `{ast.unparse(of)}` with its sign: what is above 0 and "
                    "what is below cancel, and it can fall without end; take the mean of its "
                    "square",
                    (way("a residual of either sign counts", put(of, *_squared(of))),),
                )
                return


def _squared(of: ast.expr) -> tuple[ast.expr | str, ...]:
    return (of, " ** 2") if dotted(of) else ("(", of, ") ** 2")


def _is_even(function: ast.FunctionDef) -> bool:
    """Whether what it returns is a square or without its sign, or several things."""
    for value in (n.value for n in inside(function) if isinstance(n, ast.Return)):
        match value:
            case ast.Tuple() | ast.BinOp(op=ast.Pow()):
                return True
            case ast.Call() if tail(value) in ("abs", "square", "norm", "pow", "mse_loss", "mean"):
                return True
    return False


RULES = (
    reversal_without_sign,
    overlap_unlimited,
    penalty_of_all,
    draw_without_gradient,
    signed_residual,
)
