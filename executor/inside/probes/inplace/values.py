"""Whether a tensor still holds the bytes that it held, and which storage it lies in."""

from __future__ import annotations

import zlib

import torch

from executor.inside import torch_private as private

_MOST = 1 << 20  # elements; larger tensors are compared by version alone


def storage(t: torch.Tensor) -> int | None:
    """What identifies its storage while something keeps it alive; None where it has none."""
    try:
        return private.storage_id(t.untyped_storage())
    except (RuntimeError, NotImplementedError):  # sparse, functorch wrappers
        return None


def version(t: torch.Tensor) -> int:
    """How often it was written to in place; 0 for inference tensors, which do not count."""
    try:
        return private.version(t)
    except RuntimeError:
        return 0


def digest(t: torch.Tensor) -> int | None:
    """A checksum of its values; None where it is too large or of no plain kind."""
    if t.layout is not torch.strided or t.is_meta or t.is_quantized or t.numel() > _MOST:
        return None
    try:
        with private.DisableTorchDispatch():  # our own listener must not hear this
            flat = t.detach().resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
            return zlib.crc32(private.TensorBase.numpy(flat.view(torch.uint8)).data)
    except (RuntimeError, TypeError, ValueError):  # functorch wrappers, subclasses without memory
        return None
