"""Find masks that hide the wrong part, or have no part where they are to hide something."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, operand, put, way
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    assigned,
    dotted,
    functions,
    inside,
    loops,
    made_of,
    tail,
    trained_losses,
    turned_round,
    values,
    walk,
    words,
)

_ATTENTION = {
    "MultiheadAttention", "TransformerEncoder", "TransformerEncoderLayer", "TransformerDecoder",
    "TransformerDecoderLayer", "Transformer",
}  # fmt: skip
_MASKS = {"attn_mask", "mask", "src_mask", "tgt_mask"}
_TRAINING = re.compile(r"(?i)train_?(mask|idx|index|indices|nodes)|idx_?train")
_HELD_OUT = re.compile(r"(?i)(test|val)_?(mask|idx|index|indices|nodes)|idx_?(test|val)")


def mask_inverted(tree: ast.Module) -> Found:
    """A mask of PyTorch's attention layers that is True, or 1, where something may be looked at."""
    yield from _filled_where_seen(tree)
    said = words(tree)
    if not said & _ATTENTION or "scaled_dot_product_attention" in said:
        return
    fills = bool(said & {"masked_fill", "where"})  # an attention of the code's own
    turned, made = turned_round(tree), values(tree)
    for keyword in (k for n in walk(tree) if isinstance(n, ast.Call) for k in n.keywords):
        name = dotted(keyword.value).rpartition(".")[2]
        held = _returned(keyword.value, tree) or made_of(keyword.value, tree)
        value = held[0] if len(held) == 1 else made.get(name, keyword.value)
        if keyword.arg is None or {name, keyword.arg} & turned:
            continue
        if keyword.arg.endswith("key_padding_mask") and is_of_tokens(value):
            told = (
                f"`{keyword.arg}` is True where a position is to be ignored, and this is True for "
                "what is no padding: the layer then looks at the padding alone; turn it round"
            )
        elif keyword.arg in _MASKS and not fills and _is_lower(value):
            told = (
                f"`{keyword.arg}` is True where a position may NOT be looked at: with `tril` each "
                "position sees only those behind it; turn it round"
                if "bool" in words(value)
                else f"a `{keyword.arg}` of floats is added to the scores: ones and zeros hide "
                "nothing; give True for what may not be looked at: `mask == 0`"
            )
        else:
            continue
        is_bool = "bool" in words(value) or tail(value) == "ne"
        turn = ("~", value) if is_bool else (*operand(value), " == 0")
        if isinstance(value, ast.Compare):
            other = " == " if isinstance(value.ops[0], ast.NotEq) else " >= "
            turn = (value.left, other, value.comparators[0])
        ways = (way("True is what the layer leaves out", put(value, *turn)),)
        yield Told("mask_inverted", value, told, ways)


def _filled_where_seen(tree: ast.Module) -> Found:
    """`scores.masked_fill(tril, -inf)`: what is to be looked at is hidden."""
    if not words(tree) & {"softmax", "Softmax"}:
        return
    scopes = (tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef)))
    for scope, node in ((s, n) for s in scopes for n in inside(s)):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="masked_fill" | "masked_fill_"), args=[mask, low]
            ) if _is_low(low):
                pass
            case _:
                continue
        shown, is_turned = _shown(mask, tree, scope)
        if shown is None or is_turned:
            continue
        what = "what comes behind it" if "tril" in words(shown) else "the padding alone"
        yield Told(
            "mask_inverted",
            node,
            f"`{ast.unparse(mask)}` is True where a position may be looked at, and this hides "
            f"where it is True: each position then sees {what}; turn it round",
            (way("True is what is hidden", put(mask, "~(", mask, ").bool()")),),
        )


def _is_low(node: ast.expr) -> bool:
    """`-1e9`, `float("-inf")`, `-torch.inf`, `torch.finfo(x.dtype).min`."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return number >= _LOW
        case ast.UnaryOp(op=ast.USub(), operand=of):
            return "inf" in ast.unparse(of)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)]):
            return text.strip().startswith("-inf")
    return isinstance(node, ast.Attribute) and node.attr == "min"


_LOW = 1000  # scores never come near


def _shown(mask: ast.expr, tree: ast.Module, scope: ast.AST) -> tuple[ast.expr | None, bool]:
    """What is True where a position may be looked at, and whether the mask is that turned round."""
    is_turned = False
    for _ in range(_STEPS):
        match mask:
            case ast.UnaryOp(op=ast.Invert() | ast.Not(), operand=of):
                is_turned, mask = not is_turned, of
            case ast.Compare(
                left=left, ops=[op], comparators=[ast.Constant(value=0 | 1 as to)]
            ) if isinstance(op, ast.Eq | ast.NotEq) and not is_of_tokens(mask):
                is_turned ^= isinstance(op, ast.Eq) == (to == 0)
                mask = left
            case ast.Compare(left=left, ops=[ast.NotEq()]) if _is_mask(left, tree, scope):
                mask = left
            case ast.Call(func=ast.Attribute(value=of, attr="logical_not"), args=[]):
                is_turned, mask = not is_turned, of
            case ast.Call(func=ast.Attribute(value=of, attr=attr)) if attr in _LAID_OUT:
                mask = of
            case ast.Subscript(value=of):
                mask = of
            case ast.Name() | ast.Attribute():
                held = _held(mask, tree, scope)
                if held is None:
                    return None, False
                mask = held
            case _:
                break
    if is_of_tokens(mask):
        return mask, is_turned
    lower = isinstance(mask, ast.Call) and tail(mask) == "tril" and "ones" in words(mask)
    return (mask, is_turned) if lower and isinstance(mask, ast.Call) and not mask.keywords else (
        None, False
    )  # fmt: skip


def _is_mask(node: ast.expr, tree: ast.Module, scope: ast.AST) -> bool:
    """Whether what is compared with 0 is a mask by itself, and no ids."""
    held = _held(node, tree, scope)
    return held is not None and _shown(held, tree, scope)[0] is not None


def _held(node: ast.expr, tree: ast.Module, scope: ast.AST) -> ast.expr | None:
    """The one thing that a name is made of: in its function, or else in the whole text."""
    here = [v for _, name, v in assigned(scope) if name == dotted(node) != ""]
    held = here or made_of(node, tree)
    return held[0] if len(held) == 1 and held[0] is not node else None


_STEPS = 12
_LAID_OUT = {
    "bool", "long", "int", "float", "to", "unsqueeze", "view", "reshape", "expand", "expand_as",
    "repeat", "cuda", "contiguous",
}  # fmt: skip


def _returned(value: ast.expr, tree: ast.Module) -> list[ast.expr]:
    """What a function of the code returns for a call, where that is one thing."""
    own = functions(tree)
    called = [v for v in made_of(value, tree) if isinstance(v, ast.Call) and tail(v) in own]
    found = [own[tail(c)].body for c in called]
    return [
        last.value for *_, last in found if isinstance(last, ast.Return) and last.value is not None
    ]


def is_of_tokens(value: ast.expr) -> bool:
    """`tokens != pad`, `arange < lengths`."""
    match value:
        case ast.Call(func=ast.Attribute(attr="ne"), args=[other]):
            return (isinstance(other, ast.Constant) and other.value == 0) or any(
                "pad" in w.lower() for w in words(other)
            )
        case ast.Compare(ops=[ast.NotEq()], comparators=[other]):
            return (isinstance(other, ast.Constant) and other.value == 0) or any(
                "pad" in w.lower() for w in words(other)
            )
        case ast.Compare(left=left, ops=[ast.Lt()], comparators=[other]):
            return "arange" in words(left) and any("len" in w.lower() for w in words(other))
    return False


def _is_lower(value: ast.expr) -> bool:
    """A lower triangle of ones, as it is."""
    said = words(value)
    if "tril" not in said or said & {"masked_fill", "log", "logical_not", "where"}:
        return False
    if any(isinstance(n, ast.Compare | ast.UnaryOp | ast.BinOp) for n in walk(value)):
        return False
    return bool(said & {"bool", "ones"})


def mask_left_out(tree: ast.Module) -> Found:
    """A loss over all nodes, in code that makes a mask for training and for the test."""
    names = {dotted(n) for n in walk(tree) if isinstance(n, ast.Name | ast.Attribute)}
    training = sorted(n for n in names if _TRAINING.fullmatch(n.rpartition(".")[2]))
    tested = any(
        isinstance(n, ast.Subscript)
        and any(map(_HELD_OUT.fullmatch, words(n.slice)))
        and isinstance(n.ctx, ast.Load)
        for n in walk(tree)
    )
    if len(training) != 1 or not tested:
        return
    mask = training[0]
    places = [
        n
        for n in (*loops(tree), *functions(tree).values())
        if any(tail(c) == "backward" for c in inside(n) if isinstance(c, ast.Call))
    ]
    judged = {m for n in walk(tree) if isinstance(n, ast.Compare) for m in walk(n)}
    used = {
        dotted(n) for p in places for n in walk(p) if n not in judged
    }  # elsewhere it only says of which answers a share is taken
    if not places or mask in used:
        return
    for _, _, value in trained_losses(tree):
        match value:
            case ast.Call(args=[ast.Name() as given, ast.Name() | ast.Attribute() as labels]) if (
                LOSS_CALL.search(tail(value))
            ):
                new = put(given, given, f"[{mask}]") + put(labels, labels, f"[{mask}]")
                yield Told(
                    "mask_left_out",
                    value,
                    f"the loss goes over everything, and `{mask}` has no part in the training: "
                    f"what the test asks for is trained on too; write `{given.id}[{mask}]`, and "
                    "the same of the targets",
                    (way("trained on what is there for training", new),),
                )


RULES = (mask_inverted, mask_left_out)
