"""Read single nodes of the autograd graph: what they are, what is before them, their shapes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import torch

from executor.inside import torch_private as private

_LARGEST = 2**24  # values of one tensor that are looked at

# Nodes that only move values about: the node before them is what matters.
PASSES = {
    "View", "UnsafeView", "ReshapeAlias", "Transpose", "T", "Permute", "Squeeze", "Unsqueeze",
    "Clone", "Slice", "Select", "ToCopy", "Expand", "Alias", "Index", "Flatten", "MT",
}  # fmt: skip
# Layers with weights: the nodes before them belong to the model.
LAYERS = re.compile(r"Addmm|Mm|Bmm|Baddbmm|Convolution|Embedding|Norm|AccumulateGrad|Lstm|Mv")


_PLAIN = (torch.Tensor, torch.nn.Parameter)


@dataclass(frozen=True)
class Pattern:
    """A pattern recognised in a loss: the finding's kind, and the facts for its message."""

    kind: str
    facts: dict[str, Any] = field(default_factory=dict)
    term: bool = False  # it is of one term of the loss, not of the whole


def what(node: Any) -> str:
    """ "LogSoftmax" of LogSoftmaxBackward0."""
    return re.sub(r"Backward\d*$", "", node.name()) if node is not None else ""


def known_values(values: Any) -> torch.Tensor | None:
    """Values that can be looked at: a saved one may be a number, or gone."""
    if not isinstance(values, torch.Tensor) or type(values) not in _PLAIN:
        return None
    if values.numel() > _LARGEST or values.device.type == "meta":
        return None
    return values if values.is_floating_point() else None


def behind(node: Any, input_number: int = 0) -> Any:
    """The node that computed an input, skipping nodes that only move values."""
    if input_number >= len(node.next_functions):
        return None
    node = node.next_functions[input_number][0]
    while node is not None and what(node) in PASSES and node.next_functions:
        node = node.next_functions[0][0]
    return node


def shape(node: Any, output: int) -> tuple[int, ...] | None:
    """The shape of an output; None if the node does not know it."""
    meta = private.outputs(node)
    return tuple(meta[output].shape) if output < len(meta) else None


def dimension(node: Any, rank: int) -> int:
    """The dimension that a node worked along, counted from the front."""
    dim = int(private.saved_dim(node))
    return (dim - (1 << 64) if dim >= 1 << 63 else dim) % rank


def ignored_index(node: Any) -> int:
    """The class that an nll_loss leaves out; below 0 where it is none."""
    index = int(private.saved_ignore_index(node))
    return index - (1 << 64) if index >= 1 << 63 else index
