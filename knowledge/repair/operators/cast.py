"""Cast a tensor to the dtype of what it meets: of its partner, or of the layer's weights.

Of an operand that a layer gets it is the data that is cast, never the weights. Of two plain
tensors whole numbers become floats; of two kinds of float either may be meant, so both are shown.
Floats become whole numbers only where the error asks for them and every value is whole.
"""

import re
from typing import Any

import libcst as cst

from executor.errors import is_a, is_about_dtypes
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit import keeps
from knowledge.repair.toolkit.dataflow import digits_lost, of_dtype
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import Operand, behind_backward, called_module, tensors
from knowledge.repair.toolkit.sites import given_to

KEEPS = (keeps.computed(), keeps.tensors, keeps.leaves)
_WHOLE = ("int64", "int32", "int16", "int8", "uint8", "bool")


def applies(result: JobResult) -> bool:
    """The error speaks of dtypes, and not of an index, which no kind of float is."""
    if result.error is None or is_a(result.error, "index_argument_dtype", "index_dtype"):
        return False
    return is_about_dtypes(result.error.message)


def edits(failure: Failure) -> Rewrites:
    """Each operand of another dtype than its partner's, cast where they meet."""
    if is_a(failure.error, "backward_dtype"):  # only backward() minds what the loss let pass
        for place in behind_backward(failure):
            yield from _to_partner(failure, place, tensors(failure, place))
        return
    for place in failure.places:
        given = tensors(failure, place)
        module = called_module(failure, place)
        weights = _dtype_of(module)
        if weights:
            yield from _to_weights(failure, place, given, weights)
        elif module is None:
            yield from _to_partner(failure, place, given)
        if given:
            return  # further out the same tensors have other names


def _dtype_of(module: Any) -> str:
    """The dtype of a module's weights; empty if it has none, or looks numbers up in a table."""
    if module is None or isinstance(module, (torch.nn.Embedding, torch.nn.EmbeddingBag)):
        return ""
    kinds = {_name(p) for p in module.parameters()}
    return kinds.pop() if len(kinds) == 1 else ""


def _name(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _to_weights(failure: Failure, place: Place, given: tuple[Operand, ...], dtype: str) -> Rewrites:
    for operand in given:
        old = _name(operand.value)
        if old != dtype and "float16" not in (old, dtype):
            yield _cast(failure, operand, old, dtype, COST.SURE)


def _to_partner(failure: Failure, place: Place, given: tuple[Operand, ...]) -> Rewrites:
    kinds = {_name(o.value) for o in given}
    for also in ("bool", "int64"):  # a mask, an index
        if len(kinds) > 2:
            kinds.discard(also)
    if len(kinds) != 2:
        return
    trained = {_name(o.value) for o in given if o.value.requires_grad}
    for operand in given:
        old = _name(operand.value)
        if old not in kinds or {old} == trained:  # what is trained gives the dtype
            continue
        new = next(iter(kinds - {old}))
        if old in _WHOLE and _is_mask(failure, operand):  # as numbers it would be added
            yield _cast(failure, operand, old, "bool", COST.SURE)
            continue
        if old in _WHOLE and new not in _WHOLE:
            yield _cast(failure, operand, old, new, COST.SURE)
        elif old not in _WHOLE and new not in _WHOLE:
            lost = digits_lost(old, new)
            if trained == {new}:
                yield _cast(failure, operand, old, new, COST.SURE)
            else:
                yield _cast(failure, operand, old, new, COST.LIKELY, f"compute in {new}{lost}")


def _cast(
    failure: Failure, operand: Operand, old: str, new: str, cost: float, intent: str = ""
) -> Rewrite:
    node, name = operand.node, failure.text(operand.node)
    told = f"`{name}` is used as {new}, not {old}{digits_lost(old, new)}"
    meaning, own = intent or f"`{name}` is to be {new} here", isinstance(node, cst.Name)
    around = failure.parent(node)
    if isinstance(around, cst.Attribute) and re.search(r"[^_]_$", around.attr.value):
        made = given_to(failure, node)  # what is written into a copy is lost
        node = made.value if made is not None else node
    changed = of_dtype(failure, node, new)
    return failure.edit({node: changed}, told, meaning, subjects=(name,) if own else (), cost=cost)


def _is_mask(failure: Failure, operand: Operand) -> bool:
    """Whether zeros and ones stand where something is called a mask."""
    given = failure.parent(operand.node)
    keyword = given.keyword if isinstance(given, cst.Arg) else None
    called = failure.text(operand.node) + (keyword.value if keyword is not None else "")
    return "mask" in called and bool(((operand.value == 0) | (operand.value == 1)).all())
