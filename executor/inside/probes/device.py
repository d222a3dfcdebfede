"""The GPU from inside a run: initialise it, read its name and its peak memory."""

from __future__ import annotations

import torch


def wake(memory_bytes: int) -> None:
    """Initialise CUDA and use the GPU once, before the job comes.

    Args:
        memory_bytes: what PyTorch's allocator may take. The snippet could raise that again: it
            only makes a greedy snippet end with its own OutOfMemoryError. What protects others
            is that each slot has a GPU (or a MIG slice) of its own.

    Raises:
        RuntimeError: CUDA cannot be initialised behind these walls.
    """
    torch.cuda.init()  # type: ignore[no-untyped-call]
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, memory_bytes / total))
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()


def name() -> str | None:
    """The GPU's name; None on the CPU."""
    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return None
    return str(torch.cuda.get_device_name(0))


def peak_memory_bytes() -> int:
    """The peak memory of PyTorch's allocator on the GPU."""
    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return 0
    return int(torch.cuda.max_memory_allocated())
