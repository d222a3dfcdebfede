"""A tensor's storage, version and checksum, to see whether its values have changed."""

from __future__ import annotations

import zlib

import torch

from executor.inside import torch_private as private

_MOST = 1 << 20  # elements; larger tensors are compared by version alone


def storage(t: torch.Tensor) -> int | None:
    """An id of its storage, valid while the storage lives; None if it has none."""
    try:
        return private.storage_id(t.untyped_storage())
    except (RuntimeError, NotImplementedError):  # sparse, functorch wrappers
        return None


def version(t: torch.Tensor) -> int:
    """Its version, the number of in-place writes; 0 for inference tensors, which have none."""
    try:
        return private.version(t)
    except RuntimeError:
        return 0


def digest(t: torch.Tensor) -> int | None:
    """A checksum of its values; None if it is too large or not a plain dense tensor."""
    if t.layout is not torch.strided or t.is_meta or t.is_quantized or t.numel() > _MOST:
        return None
    try:
        with private.DisableTorchDispatch():  # our own listener must not hear this
            flat = t.detach().resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
            return zlib.crc32(private.TensorBase.numpy(flat.view(torch.uint8)).data)
    except (RuntimeError, TypeError, ValueError):  # functorch wrappers, subclasses without memory
        return None
