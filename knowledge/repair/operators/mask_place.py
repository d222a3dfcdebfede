"""Hand a mask over as the one that its shape says: a padding mask by its own name.

A mask of [batch, steps] says which tokens of a sample are none; one of [steps, steps] which token
sees which. Padding stands at the end: where the first token of every sample is marked, the mask
marks the tokens, and torch wants the rest marked.
"""

import inspect
from typing import Any

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import keyword, operand
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import called_module, evaluates

TYPES = frozenset({"RuntimeError", "AssertionError", "ValueError"})
KEEPS = (computed(may_go=("mask", "src_mask", "tgt_mask", "attn_mask", "memory_mask")), layers)
_OF_PADDING = "key_padding_mask"
_FRAMES = 2


def edits(failure: Failure) -> Rewrites:
    """The same mask under the name of another one that the layer takes."""
    for place in failure.places[:_FRAMES]:
        module, node = called_module(failure, place), place.node
        if module is None or not isinstance(node, cst.Call):
            continue
        names = [*inspect.signature(type(module).forward).parameters][1:]
        masks = [n for n in names if n.endswith("mask")]
        for at, given in enumerate(node.args):
            word = given.keyword.value if given.keyword is not None else ""
            word = word or (names[at] if at < len(names) else "")
            value = failure.value(given.value, place.frame)
            if word not in masks or not isinstance(value, torch.Tensor) or value.dim() != 2:
                continue
            yield from _moved(failure, place, node, given, word, masks)


def _moved(
    failure: Failure, place: Place, node: cst.Call, given: cst.Arg, word: str, masks: list[str]
) -> Rewrites:
    value = failure.value(given.value, place.frame)
    taken = {a.keyword.value for a in node.args if a.keyword is not None}
    others = [n for n in masks if n != word and n not in taken]
    others = [n for n in others if n.endswith(_OF_PADDING) != word.endswith(_OF_PADDING)]
    for other in others[:1]:
        new, what = given.value, failure.text(given.value)
        if other.endswith(_OF_PADDING):
            marked = _marks_tokens(value)
            if marked is None:
                continue
            if marked and value.dtype == torch.bool:
                new = cst.UnaryOperation(cst.BitInvert(), operand(new))
            elif marked:
                zeros = cst.ComparisonTarget(cst.Equal(), cst.Integer("0"))
                new = cst.Comparison(operand(new), [zeros])
            elif value.dtype != torch.bool:
                continue
        args = [a for a in node.args if a is not given]
        if any(a.keyword is None for a in node.args[node.args.index(given) + 1 :]):
            continue  # what comes behind it would move up
        changed = node.with_changes(args=[*args, keyword(other, new)])
        if evaluates(failure, place, changed):
            told = f"`{what}` is given as `{other}`, and not as `{word}`"
            kind = "which tokens are padding" if new is given.value else "which tokens are none"
            meant = f"`{what}` says {kind}" if other.endswith(_OF_PADDING) else told
            yield failure.edit({node: changed}, told, meant, cost=COST.SURE)


def _marks_tokens(mask: Any) -> bool | None:
    """Whether the first token of each sample is marked; None where that is not the same in all."""
    if not bool(((mask == 0) | (mask == 1)).all()):
        return None
    first = mask[:, 0] == 1
    return bool(first.all()) if bool((first == first[0]).all()) else None
