"""The edit by which attention of PyTorch's own layers does not see the steps that come later."""

from __future__ import annotations

import ast
from typing import Any

from executor.inside.remarks.edits import Places, put, way
from executor.inside.remarks.syntax import assigned, bound, dotted, is_true, loops, tail, walk

# Class → the argument that takes its mask; and whether it may be told that the mask is causal.
_TAKES = {
    "TransformerEncoder": ("mask", True),
    "TransformerEncoderLayer": ("src_mask", True),
    "MultiheadAttention": ("attn_mask", False),
}
# What attends in another way, or to another sequence.
_OTHERS = {
    "TransformerDecoder", "TransformerDecoderLayer", "Transformer", "softmax", "Softmax",
    "scaled_dot_product_attention", "RNN", "LSTM", "GRU", "Conv1d",
}  # fmt: skip
_LAYERS = {"TransformerEncoderLayer", "MultiheadAttention"}  # that say where the batch stands
_MASKS = "generate_square_subsequent_mask"


def causal(tree: ast.Module) -> list[dict[str, Any]]:
    """A mask for each call of a layer that attends, where all of them are PyTorch's own."""
    made = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) in _TAKES]
    said = {tail(n) for n in walk(tree) if isinstance(n, ast.Name | ast.Attribute)}
    first = {_is_first(n) for n in made if tail(n) in _LAYERS}
    if said & (_OTHERS | {_MASKS}) or len(first) != 1:
        return []
    size, places = "1" if first.pop() else "0", list[Places]()
    held = _held(tree)
    nn = "nn" if "nn" in bound(tree) else "torch.nn"
    for call in (n for n in walk(tree) if isinstance(n, ast.Call) and dotted(n.func) in held):
        cls = held[dotted(call.func)]
        of = {ast.unparse(a) for a in call.args}
        alike = len(call.args) == (3 if cls == "MultiheadAttention" else 1) and len(of) == 1
        if not alike or not isinstance(call.args[0], ast.Name) or _is_masked(call):
            return []
        (x,), (name, told) = of, _TAKES[cls]
        mask = f"{nn}.Transformer.{_MASKS}({x}.size({size}), device={x}.device)"
        given: list[Any] = [p for a in call.args for p in (", ", a)]
        for keyword in call.keywords:
            given += [f", {keyword.arg}=", keyword.value]
        end = f", {name}={mask}{', is_causal=True' if told else ''})"
        places.append(put(call, call.func, "(", *given[1:], end))
    return [way("no step sees those that come later", *places)] if places else []


def _is_first(made: ast.Call) -> bool:
    """Whether the batch comes first in what a layer takes."""
    given = [k.value for k in made.keywords if k.arg == "batch_first"]
    return bool(given) and is_true(given[0])


def _is_masked(call: ast.Call) -> bool:
    return any(k.arg is None or "mask" in k.arg or k.arg == "is_causal" for k in call.keywords)


def _held(tree: ast.Module) -> dict[str, str]:
    """What is called as a layer that attends, and its class; those of a list in a loop too."""
    held: dict[str, str] = {}
    lists: dict[str, str] = {}
    for _, name, value in assigned(tree):
        kinds = [tail(n) for n in walk(value) if isinstance(n, ast.Call) and tail(n) in _TAKES]
        if tail(value) in _TAKES:
            held[name] = tail(value)
        elif len(kinds) == 1:
            lists[name] = kinds[0]
    for loop in loops(tree):
        if isinstance(loop, ast.For) and dotted(loop.iter) in lists:
            held[dotted(loop.target)] = lists[dotted(loop.iter)]
    return {name: cls for name, cls in held.items() if name}
