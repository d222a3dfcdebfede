"""Find distances and similarities that are drawn together where they are to be kept apart."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, operand, put, swapped, way
from executor.inside.remarks.signs import Frame, quantities, resolved
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    functions,
    inside,
    made_of,
    tail,
    terms,
    trained_losses,
    walk,
    words,
)

_NEAR = {"cosine_similarity", "CosineSimilarity"}
_FAR = {"pairwise_distance", "PairwiseDistance", "cdist", "norm", "dist"}
_SAME = re.compile(r"(?i)(^|_)(p|pos|positives?|same|ap)(_|$)")
_OTHER = re.compile(r"(?i)(^|_)(n|neg|negatives?|diff|other|an)(_|$)")
_MARGIN = re.compile(r"(?i)margin|^m$|^alpha$")


def similarity_as_distance(tree: ast.Module) -> Found:
    """`TripletMarginWithDistanceLoss(distance_function=nn.CosineSimilarity())`."""
    own = functions(tree)
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        if tail(call) not in ("TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss"):
            continue
        given = next((k.value for k in call.keywords if k.arg == "distance_function"), None)
        if given is None:
            continue
        made = made_of(given, tree)
        value = made[0] if len(made) == 1 else given
        if isinstance(value, ast.Lambda):
            value = value.body
        elif (function := own.get(dotted(value))) is not None:
            last = function.body[-1]
            value = last.value if isinstance(last, ast.Return) and last.value else value
        if tail(value) not in _NEAR:
            continue
        new = "lambda a, b: 1 - torch.nn.functional.cosine_similarity(a, b)"
        yield Told(
            "similarity_as_distance",
            given,
            f"`{ast.unparse(given)}` is a similarity, large where two are alike, and this loss "
            "makes its distance to the positive small and that to the negative large: those of one "
            f"kind are driven apart; give it a distance, `{new}`",
            (way("alike is near", put(given, new)),),
        )


def triplet_turned(tree: ast.Module) -> Found:
    """`relu(d_neg - d_pos + margin)` of distances: those of one kind are driven apart."""
    for scope in (tree, *functions(tree).values()):
        made: dict[str, list[ast.expr]] = {}
        for _, name, value in assigned(scope):
            made.setdefault(name, []).append(value)
        for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
            parts = list(terms(of)) if (of := _above_zero(call)) is not None else []
            plus = [t for sign, t in parts if sign > 0 and not _is_margin(t)]
            minus = [t for sign, t in parts if sign < 0]
            if len(parts) != 3 or len(plus) != 1 or len(minus) != 1:
                continue
            kinds = {_kind(t, made) for t in (plus[0], minus[0])}
            ups, downs = _whose(plus[0], made), _whose(minus[0], made)
            wrong = {"far": ("other", "same"), "near": ("same", "other")}
            if len(kinds) != 1 or wrong.get(min(kinds)) != (ups, downs):
                continue
            far = kinds == {"far"}
            yield Told(
                "triplet_turned",
                call,
                f"`{ast.unparse(plus[0])}` is made small and `{ast.unparse(minus[0])}` large, and "
                f"these are {'distances' if far else 'similarities'}: what belongs together is "
                f"driven apart; exchange the two",
                (way("what belongs together is drawn together", swapped(plus[0], minus[0])),),
            )


def _above_zero(call: ast.Call) -> ast.expr | None:
    """`x` of `relu(x)`, `x.clamp(min=0)`, `max(0, x)`."""
    low = argument(call, 1, "min")
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "F")), args=[of, *_]) if tail(
            call
        ) == "relu" or (tail(call) == "clamp" and low is not None and _is_zero(low)):
            return of
        case ast.Call(func=ast.Attribute(value=of, attr="clamp" | "clamp_min" | "relu")):
            low = argument(call, 0, "min")
            return of if tail(call) == "relu" or (low is not None and _is_zero(low)) else None
        case ast.Call(func=ast.Name(id="relu"), args=[of]):
            return of
    return None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _is_margin(node: ast.expr) -> bool:
    is_number = isinstance(node, ast.Constant)
    return is_number or _MARGIN.search(dotted(node).rpartition(".")[2]) is not None


def _kind(node: ast.expr, made: dict[str, list[ast.expr]]) -> str:
    held = made.get(dotted(node), [node])
    said = [words(v) for v in held]
    if all(s & _NEAR and not s & _FAR for s in said):
        turned = any(isinstance(n, ast.Sub | ast.USub) for v in held for n in walk(v))
        return "" if turned else "near"
    return "far" if all(s & _FAR and not s & _NEAR for s in said) else ""


def _whose(node: ast.expr, made: dict[str, list[ast.expr]]) -> str:
    """Whether it is of the positive or of the negative, by its name or by what it is made of."""
    held = made.get(dotted(node), [node])
    for said in ({dotted(node)}, {w for v in held for w in words(v)}):
        same, other = any(map(_SAME.search, said)), any(map(_OTHER.search, said))
        if same != other:
            return "same" if same else "other"
    return ""


def similarity_minimised(tree: ast.Module) -> Found:
    """`loss = F.cosine_similarity(p, z.detach()).mean()`: what is to come near is driven away."""
    for _, _, value in trained_losses(tree):
        for sign, term in terms(value):
            match term:
                case ast.Call(func=ast.Attribute(attr="mean", value=ast.Call() as near), args=[]):
                    pass
                case _:
                    continue
            if sign < 0 or tail(near) != "cosine_similarity":
                continue
            fixed = [a for a in near.args[:2] if isinstance(a, ast.Call) and tail(a) == "detach"]
            if len(fixed) != 1:
                continue
            yield Told(
                "similarity_minimised",
                term,
                f"the cosine is 1 where the two are alike, and as a loss it is made small: this "
                f"drives away from `{ast.unparse(fixed[0])}`, which cannot move itself; take its "
                "negative, or 1 minus it",
                (way("the two come near", put(term, "(1 - ", term, ")")),),
            )
            return
    yield from _nothing_else(tree)


def _nothing_else(tree: ast.Module) -> Found:
    """A loss that is nothing but similarities, each of which a step makes smaller."""
    for loss in {q.loss for q in quantities(tree)}:
        whole = [q for q in quantities(tree) if q.loss is loss]
        near = [q for q in whole if _are_alike(_compared(q.node, q.frame, tree))]
        ends = [q for q in whole if q.ends and not isinstance(q.node, ast.Constant)]
        below = {n for q in near for n in walk(q.node)}
        if not near or any(q.sign < 0 for q in near) or any(q.node not in below for q in ends):
            continue
        node = near[0].node
        yield Told(
            "similarity_minimised",
            node,
            f"the loss is nothing but `{ast.unparse(node)}`, which is largest where the two are "
            "alike, and a step makes it small: what is compared is driven apart; take its "
            "negative, or 1 minus it",
            (way("the two come near", put(node, "(1 - ", *operand(node), ")")),),
        )
        return


def _compared(node: ast.expr, frame: Frame, tree: ast.Module) -> list[ast.expr]:
    """`a` and `b` of `F.cosine_similarity(a, b)`, `cos(a, b)`, and of a product of two norms 1."""
    match node:
        case ast.Call(args=[one, two, *_]) if {tail(v) for v in made_of(node.func, tree)} <= _NEAR:
            return [resolved(s, frame)[0] for s in (one, two)]
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            sides = [resolved(s, frame)[0] for s in (left, right)]
            if all(isinstance(s, ast.Call) and tail(s) == "normalize" and s.args for s in sides):
                return [resolved(s.args[0], frame)[0] for s in sides if isinstance(s, ast.Call)]
    return []


def _are_alike(sides: list[ast.expr]) -> bool:
    """Whether two are to come near: one cannot move, or one model gives both of one input."""
    if not sides:
        return False
    if any("detach" in words(s) or _is_data(s) for s in sides):
        return True
    calls = [s for s in sides if isinstance(s, ast.Call)]
    inputs = [
        {n.id for a in c.args for n in walk(a) if isinstance(n, ast.Name)} - {"torch", "F"}
        for c in calls
    ]
    same = len({ast.unparse(c.func) for c in calls}) == 1 and dotted(calls[0].func) != ""
    return len(calls) == 2 and same and bool(inputs[0] & inputs[1])


def _is_data(node: ast.expr) -> bool:
    """What PyTorch draws or makes, which no step moves."""
    return isinstance(node, ast.Call) and dotted(node.func) in (
        "torch.rand", "torch.randn", "torch.tensor", "torch.load", "torch.from_numpy",
    )  # fmt: skip


RULES = (similarity_as_distance, triplet_turned, similarity_minimised)
