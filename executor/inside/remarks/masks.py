"""Find masks that hide the wrong part, or have no part where they are to hide something."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.at_place import function_of, instance_of, made_at
from executor.inside.remarks.edits import Part, Told, operand, put, way
from executor.inside.remarks.shown import Mark, mark, other_triangle
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    argument,
    assigned,
    bare,
    dotted,
    functions,
    inside,
    loops,
    says,
    tail,
    trained_losses,
    walk,
    words,
)

_ATTENTION = {
    "MultiheadAttention", "TransformerEncoder", "TransformerEncoderLayer", "TransformerDecoder",
    "TransformerDecoderLayer", "Transformer",
}  # fmt: skip
_MASKS = {"attn_mask", "mask", "src_mask", "tgt_mask"}
_ENCODES = {1: "mask", 2: "src_key_padding_mask"}
_DECODES = {2: "tgt_mask", 4: "tgt_key_padding_mask", 5: "memory_key_padding_mask"}
_PLACES = {
    "MultiheadAttention": {3: "key_padding_mask", 5: "attn_mask"},
    "TransformerEncoder": _ENCODES,
    "TransformerEncoderLayer": _ENCODES,
    "TransformerDecoder": _DECODES,
    "TransformerDecoderLayer": _DECODES,
    "Transformer": {2: "src_mask", 3: "tgt_mask", 5: "src_key_padding_mask"},
}
_TRAINING = re.compile(r"(?i)train_?(mask|idx|index|indices|nodes)|idx_?train")
_HELD_OUT = re.compile(r"(?i)(test|val)_?(mask|idx|index|indices|nodes)|idx_?(test|val)")


def mask_inverted(tree: ast.Module) -> Found:
    """A mask that hides where it is True and marks what may be looked at, or the reverse."""
    said = words(tree)
    if said & _ATTENTION:
        yield from _given_to_layers(tree)
    if "scaled_dot_product_attention" in said:
        yield from _given_to_product(tree)
    if said & {"softmax", "Softmax"}:
        yield from _filled_where_seen(tree)
    if said & {*_ATTENTION, "scaled_dot_product_attention", "softmax", "Softmax"}:
        yield from _low_below(tree)


def _low_below(tree: ast.Module) -> Found:
    """`tril(full((n, n), -inf), -1)`, which is added to scores: what may be looked at is hidden."""
    turned: set[ast.expr] = set()
    for node in walk(tree):
        match node:
            case (
                ast.Attribute(attr="T" | "mT", value=of)
                | ast.Call(func=ast.Attribute(attr="t" | "transpose", value=of))
            ):
                turned.add(of)
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        half = {"tril": "triu", "triu": "tril"}.get(tail(call), "")
        of_module = dotted(call.func).startswith(("torch.", "np.", "numpy."))
        filled = argument(call, 0, "input") if of_module else getattr(call.func, "value", None)
        if not half or filled is None or (half == "triu") == (call in turned):
            continue
        low = isinstance(filled, ast.Call) and tail(filled) in ("full", "full_like")
        at = argument(call, int(of_module), "diagonal", "k")
        if not low or not _is_low(filled, tree) or at is None:
            continue
        given = ast.unparse(at)
        if given != ("-1" if half == "triu" else "1"):
            continue
        yield Told(
            "mask_inverted",
            call,
            f"`{ast.unparse(call)[:80]}`{' turned' if call in turned else ''} is minus infinity "
            "below the diagonal: what is before a position is hidden, and each one sees what comes "
            "behind it; the upper half is to be hidden, `torch.triu(…, diagonal=1)`",
            (way("what comes behind is hidden", put(call, "torch.triu(", filled, ", diagonal=1)")),)
            if half == "triu"
            else (),
        )


def _given_to_layers(tree: ast.Module) -> Found:
    """Masks of PyTorch's attention layers, which are True where nothing may be looked at."""
    own = {a.arg for n in walk(tree) if isinstance(n, ast.FunctionDef) for a in n.args.args}
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        for named, given in _masks_of(call, tree, own):
            said = mark(given, tree)
            if said is None or not said.shows:
                continue
            pads = named.endswith("key_padding_mask")
            if pads == said.is_causal or said.type == "int":
                continue
            if said.type == "float":
                told = (
                    f"a `{named}` of floats is added to the scores: ones and zeros hide nothing; "
                    "give True for what may not be looked at: `mask == 0`"
                )
            elif pads:
                told = (
                    f"`{named}` is True where a position is to be ignored, and this is True for "
                    "what is no padding: the layer then looks at the padding alone; turn it round"
                )
            else:
                told = (
                    f"`{named}` is True where a position may NOT be looked at: with `tril` each "
                    "position sees only those behind it; turn it round"
                )
            yield _inverted(given, said, tree, told)


def _masks_of(call: ast.Call, tree: ast.Module, own: set[str]) -> Iterator[tuple[str, ast.expr]]:
    """The masks that a call gives one of PyTorch's attention layers, with their names there."""
    layers = {tail(bare(v)) for v in made_at(call.func, tree) if isinstance(v, ast.Call)}
    places = _PLACES.get(next(iter(layers)), {}) if len(layers) == 1 else {}
    for at, named in places.items():
        if at < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
            yield named, call.args[at]
    # One of a class or a function of the program has the sense that they give it.
    others = tail(call) == "scaled_dot_product_attention" or instance_of(call.func, tree)
    for named, given in ((k.arg or "", k.value) for k in call.keywords):
        is_mask = named.endswith("key_padding_mask") or named in _MASKS
        if is_mask and (places or not (layers or others or named in own)):
            yield named, given


def _given_to_product(tree: ast.Module) -> Found:
    """A mask of `scaled_dot_product_attention`, which is True where something may be looked at."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        given = argument(call, 3, "attn_mask")
        if tail(call) != "scaled_dot_product_attention" or given is None:
            continue
        said = mark(given, tree)
        if said is not None and not said.shows and said.type == "bool":
            what = "what comes behind it" if said.is_causal else "the padding alone"
            yield _inverted(
                given, said, tree,
                "`scaled_dot_product_attention` looks where its `attn_mask` is True, the reverse "
                "of `nn.MultiheadAttention`; this is True for what is to be hidden: each position "
                f"then sees {what}; turn it round",
            )  # fmt: skip


def _inverted(given: ast.expr, said: Mark, tree: ast.Module, told: str) -> Told:
    """The mask is turned round where it is made, if nothing else reads it, else where it goes."""
    read = [n for n in walk(tree) if isinstance(getattr(n, "ctx", None), ast.Load)]
    made = made_at(given, tree)
    held = {n for _, n, v in assigned(tree) if v in made} | ({dotted(given)} - {""})
    key = _key(given)
    once = all(sum(dotted(n) == name for n in read) < 2 for name in held)
    once &= not key or sum(_key(n) == key for n in read) < 2
    where = made[0] if once and len(made) == 1 and mark(made[0], tree) == said else given
    other = {ast.NotEq: " == ", ast.Eq: " != ", ast.Lt: " >= ", ast.GtE: " < "}
    turn: tuple[Part, ...]
    if isinstance(where, ast.Compare) and type(where.ops[0]) in other:
        turn = (where.left, other[type(where.ops[0])], where.comparators[0])
    elif said.type == "float":
        turn = (*operand(where), " == 0")
    else:
        turn = ("~", *operand(where))
    other_half = other_triangle(said.of)
    places = put(said.of, other_half) if other_half else put(where, *turn)
    ways = (way("True is what the layer leaves out", places),)
    return Told("mask_inverted", where, told, ways)


def _key(node: ast.AST) -> str:
    """`mask` of `batch["mask"]`."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
    return ""


def _filled_where_seen(tree: ast.Module) -> Found:
    """`scores.masked_fill(tril, -inf)`: what is to be looked at is hidden."""
    for node, mask, hides in _hidings(tree):
        said = mark(mask, tree)
        if said is None or said.shows != hides:
            continue
        what = "what comes behind it" if said.is_causal else "the padding alone"
        true = "may be looked at" if hides else "is to be hidden"
        where = "is True" if hides else "is not True"
        other_half = other_triangle(said.of)
        turned = put(said.of, other_half) if other_half else put(mask, "~(", mask, ").bool()")
        yield Told(
            "mask_inverted",
            node,
            f"`{ast.unparse(mask)}` is True where a position {true}, and this hides where it "
            f"{where}: each position then sees {what}; turn it round",
            (way("True is what is hidden", turned),),
        )


def _hidings(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.expr, bool]]:
    """Where scores are made so low that a softmax leaves nothing of them: by which mask, and
    whether by its True."""
    for node in walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="masked_fill" | "masked_fill_"), args=[mask, low]
            ) if _is_low(low, tree):
                yield node, mask, True
            case ast.Call(args=[mask, one, other]) if tail(node) == "where":
                if _is_low(one, tree) != _is_low(other, tree):
                    yield node, mask, _is_low(one, tree)
            case ast.Assign(targets=[ast.Subscript(slice=mask)], value=low) if _is_low(low, tree):
                yield node, mask, True
            case ast.BinOp(op=ast.Add(), right=ast.BinOp(left=one, op=ast.Mult(), right=other)) if (
                _is_low(one, tree) != _is_low(other, tree)
            ):
                yield node, other if _is_low(one, tree) else one, True


def _is_low(node: ast.expr, tree: ast.Module) -> bool:
    """`-1e9`, `float("-inf")`, `-torch.inf`, `torch.finfo(x.dtype).min`, a tensor full of it."""
    match node:
        case ast.Name() | ast.Attribute(value=ast.Name(id="self")):
            made = made_at(node, tree)
            return bool(made) and made != [node] and all(_is_low(m, tree) for m in made)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return number >= _LOW
        case ast.BinOp(left=of, op=ast.Mult(), right=ones) if "ones_like" in words(ones):
            return _is_low(of, tree)
        case ast.UnaryOp(op=ast.USub(), operand=of):
            if isinstance(of, ast.BinOp):
                return _is_low(ast.UnaryOp(ast.USub(), of.left), tree)
            return "inf" in ast.unparse(of)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)]):
            return text.strip().startswith("-inf")
        case ast.Call(args=[_, low]) if tail(node) in ("full_like", "full"):
            return _is_low(low, tree)
        case ast.Call(args=[low]) if tail(node) == "tensor":
            return _is_low(low, tree)
    return isinstance(node, ast.Attribute) and node.attr == "min"


_LOW = 1000  # scores never come near


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


_OF_TOKENS = re.compile(r"(?i)pad|mask|valid|keep")
_OF_BIAS = re.compile(r"(?i)mask|bias|pad")


def mask_of_queries(tree: ast.Module) -> Found:
    """`scores.masked_fill(pad[:, None, :, None], …)` before a softmax over the last dimension.

    A run shows the same to its probe (probes/training/masks.py), and then the edit is its own.
    """
    hidings = [(n, m, function_of(n, tree)) for n, m, _ in _hidings(tree)]
    for node, mask, function in hidings:
        laid, base = _laid_on_rows(mask, tree)
        if base is None or function is None or not says(base, _OF_TOKENS):
            continue
        others = [m for n, m, f in hidings if f is function and n is not node]
        if any((said := mark(m, tree)) is None or not said.is_causal for m in others):
            continue  # the keys may be masked there
        if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add) and says(n, _OF_BIAS)
               for n in inside(function)):  # fmt: skip
            continue  # or by what is added
        names = {name for _, name, value in assigned(function) if node in walk(value)}
        match node:
            case ast.Assign(targets=[ast.Subscript(value=filled)]):
                names = {dotted(filled)}
        if not any(
            isinstance(c, ast.Call) and tail(c) in _POWERS and _is_last(c)
            and (node in walk(c) or names & words(c))
            for c in inside(function)
        ):  # fmt: skip
            continue
        keys = f"{ast.unparse(base)}[:, None, None, :]"
        yield Told(
            "mask_of_queries",
            node,
            "the softmax goes over the last dimension, the keys, and this mask stands at the "
            "queries: a masked token's own row becomes even, and all others still look at it; "
            f"mask the keys: `{keys}`",
            (way("masked tokens are looked at by none", put(mask, keys)),) if laid is mask else (),
        )


def _laid_on_rows(mask: ast.expr, tree: ast.Module) -> tuple[ast.expr, ast.expr | None]:
    """`pad[:, None, :, None]` and `pad`, also by `unsqueeze`; None where it is laid otherwise."""
    made = made_at(mask, tree)
    laid = made[0] if len(made) == 1 else mask
    match laid:
        case ast.Subscript(value=base, slice=ast.Tuple(elts=at)):
            return laid, base if [_kept(e) for e in at] == [True, False, True, False] else None
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(value=base, attr="unsqueeze"), args=[first]),
                attr="unsqueeze",
            ),
            args=[then],
        ):
            places = [ast.unparse(first), ast.unparse(then)]
            return laid, base if places in (["1", "3"], ["1", "-1"], ["-1", "1"]) else None
    return laid, None


def _kept(node: ast.expr) -> bool | None:
    """True of `:`, False of a new dimension, None of anything else."""
    match node:
        case ast.Slice(lower=None, upper=None, step=None):
            return True
        case ast.Constant(value=None):
            return False
    return None


_POWERS = {"softmax", "log_softmax"}


def _is_last(softmax: ast.Call) -> bool:
    at = 1 if dotted(softmax.func).startswith(("F.", "torch.")) else 0
    along = argument(softmax, at, "dim")
    return along is not None and ast.unparse(along) in ("-1", "3")


RULES = (mask_inverted, mask_of_queries, mask_left_out)
