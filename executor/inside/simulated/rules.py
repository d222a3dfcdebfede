"""The device checks of a GPU's operators, with PyTorch's messages.

Whether an operator checks its arguments, and its name in the message, comes from the declarations
shipped with every PyTorch (torchgen's native_functions.yaml). They are read only when devices are
mixed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from executor.inside import torch_private as private

_SAME = "Expected all tensors to be on the same device, but "


@dataclass(frozen=True)
class OperatorArgument:
    """A tensor passed to an operator: its argument's name, and its device."""

    name: str
    tensor: torch.Tensor
    device: torch.device
    written: bool


def refusal(func: Any, operands: Sequence[OperatorArgument]) -> str | None:
    """The error message of a GPU that gets these tensors; None if it runs the operator.

    Args:
        func: the operator (`torch.ops.aten.…`).
        operands: its tensors, in the order of its arguments, not all on one device.
    """
    name = private.schema(func).name.removeprefix("aten::")
    if name in _FREE or name.startswith(("_fused_", "_amp_")):
        return None
    if name.startswith("_foreach_"):
        return _each(operands)
    if name in _OWN:
        return _OWN[name](operands)
    declared = _declaration(func)
    if declared.checks:
        return _exact(operands, declared.method)
    return _broadcast(operands)


def _exact(operands: Sequence[OperatorArgument], method: str = "") -> str | None:
    """The check before most operators: every tensor on the device of the first one."""
    first = operands[0].device
    for o in operands:
        if o.device != first:
            where = f" (when checking argument in method {method})" if method else ""
            return (
                f"{_SAME}got {o.name} is on {o.device}, different from other tensors on "
                f"{first}{where}"
            )
    return None


def _broadcast(operands: Sequence[OperatorArgument]) -> str | None:
    """The check of elementwise operators: a number on the CPU mixes with anything."""
    counted = {o.device for o in operands if o.written or not _number_on_cpu(o)}
    if len(counted) < 2:
        return None
    other = next(d for d in counted if d.type != "cuda")
    return f"{_SAME}found at least two devices, cuda:0 and {other}!"


def _each(operands: Sequence[OperatorArgument]) -> str | None:
    """The check of lists of tensors: what stands at one place in them, as elementwise operators."""
    lists: dict[str, list[OperatorArgument]] = {}
    for o in operands:
        lists.setdefault(o.name, []).append(o)
    told = (_broadcast(place) for place in zip(*lists.values(), strict=False))
    return next((message for message in told if message is not None), None)


def _number_on_cpu(o: OperatorArgument) -> bool:
    return o.tensor.dim() == 0 and o.device.type == "cpu"


# -- operators with rules of their own -------------------------------------------------------


def _index(operands: Sequence[OperatorArgument]) -> str | None:
    own = operands[0].device
    for o in operands[1:]:
        if o.name == "indices" and o.device.type == "cuda" and own.type == "cpu":
            return (
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
            )
    return _broadcast([o for o in operands if o.name != "indices"])


def _embedding(operands: Sequence[OperatorArgument]) -> str | None:
    renamed = [
        OperatorArgument(
            {"weight": "self", "indices": "index"}.get(o.name, o.name),
            o.tensor,
            o.device,
            o.written,
        )
        for o in operands
    ]
    return _exact(renamed, "wrapper_CUDA__index_select")


def _convolution(operands: Sequence[OperatorArgument]) -> str | None:
    data, weight = operands[0], operands[1]
    for o in operands[1:]:
        if o.device != data.device:
            # oneDNN is the backend of CPU inputs, and its check words it so.
            dense = f" or input should be a MKLDNN tensor and {o.name} is a dense tensor"
            return (
                f"Input type ({_type(data)}) and {o.name} type ({_type(o)}) should be the same"
                f"{dense if data.device.type == 'cpu' and o is weight else ''}"
            )
    return None


def _type(o: OperatorArgument) -> str:
    kind = str(torch.empty(0, dtype=o.tensor.dtype).type())
    return kind.replace("torch.", "torch.cuda.", 1) if o.device.type == "cuda" else kind


def _masked_fill(operands: Sequence[OperatorArgument]) -> str | None:
    data, mask = operands[0], operands[1]
    if data.device != mask.device:
        return (
            f"expected self and mask to be on the same device, but got mask on {mask.device} and "
            f"self on {data.device}"
        )
    return _broadcast(operands)


def _cat(operands: Sequence[OperatorArgument]) -> str | None:
    return _exact(operands, "wrapper_CUDA_cat")


def _normalisation(operands: Sequence[OperatorArgument]) -> str | None:
    return _exact(operands)  # only a GPU decides between cuDNN's and PyTorch's own kernel


_FREE = frozenset(
    ("copy_", "_to_copy", "set_", "lift_fresh", "lift", "resize_", "is_same_size", "alias",
     "_local_scalar_dense", "record_stream", "_pack_padded_sequence", "is_pinned", "detach",
     "_has_compatible_shallow_copy_type", "_propagate_xla_data", "resize_as_", "expand_as")
)  # fmt: skip
_OWN: dict[str, Callable[[Sequence[OperatorArgument]], str | None]] = {
    **dict.fromkeys(
        ("index", "_unsafe_index", "index_put", "index_put_", "_index_put_impl_"), _index
    ),
    "embedding": _embedding,
    "convolution": _convolution,
    **dict.fromkeys(("masked_fill", "masked_fill_"), _masked_fill),
    "stack": _cat,
    "native_batch_norm": _normalisation,
}


# -- PyTorch's own declarations --------------------------------------------------------------


@dataclass(frozen=True)
class _Declaration:
    checks: bool  # whether a check of all arguments goes before it
    method: str  # what that check calls the operator


@functools.cache
def _declaration(func: Any) -> _Declaration:
    schema = private.schema(func)
    base, overload = schema.name.removeprefix("aten::"), schema.overload_name
    text = _entry(f"{base}.{overload}" if overload else base)
    if not text or "device_check: NoCheck" in text:
        return _Declaration(False, "")
    if re.search(r"^  structured(_delegate)?:", text, re.MULTILINE):
        delegate = re.search(r"^  structured_delegate: (\S+)", text, re.MULTILINE)
        if delegate and "device_check: NoCheck" in _entry(delegate[1]):
            return _Declaration(False, "")
        return _Declaration(True, f"wrapper_CUDA_{base}" + (f"_{overload}" if overload else ""))
    if re.search(r"^    [\w, ]*\bCUDA\b[\w, ]*:", text, re.MULTILINE):
        return _Declaration(True, f"wrapper_CUDA_{overload}_{base}")
    return _Declaration(False, "")


@functools.cache
def _declarations() -> str:
    spec = find_spec("torchgen")
    if spec is None or spec.origin is None:
        return ""
    path = Path(spec.origin).parent / "packaged/ATen/native/native_functions.yaml"
    return path.read_text() if path.exists() else ""


def _entry(name: str) -> str:
    text = _declarations()
    start = text.find(f"- func: {name}(")
    return text[start : text.find("\n- func:", start)] if start >= 0 else ""
