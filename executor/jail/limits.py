"""What one run may use."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


@dataclass(frozen=True)
class Limits:
    """What one run may use, beside the time that its Job names.

    Limits()                              # 4 GiB, 256 processes and threads
    Limits(memory_bytes=16 * GIB)         # a big model, the rest as above
    """

    __pydantic_config__ = {"extra": "forbid"}  # an unknown field in the JSON is an error

    imports_s: float = 20  # processor time of imports that is not counted as the snippet's
    memory_bytes: int = 4 * GIB  # anonymous and shared memory of all processes of the run
    gpu_memory_bytes: int = 16 * GIB  # of PyTorch's allocator on a GPU, where there is one
    processes: int = 256  # processes and threads together, as the kernel counts them
    open_files: int = 1024
    file_bytes: int = 256 * MIB  # the largest single file; torch.compile makes one of 100 MiB
    temp_bytes: int = 512 * MIB  # work folder, /tmp and /dev/shm each (tier `namespaces`)
    temp_files: int = 5000  # files and folders in each of them
    output_bytes: int = 4 * MIB  # stdout and stderr together; one more byte ends the run
    head_bytes: int = 48 * KIB  # kept of the start of each stream …
    tail_bytes: int = 16 * KIB  # … and of its end, where the error is
    report_bytes: int = 8 * MIB  # the probes' report
    returned_files: int = 10
    returned_figures: int = 8  # matplotlib figures that are still open at the end
    returned_file_bytes: int = 8 * MIB
    returned_bytes: int = 24 * MIB  # all files together
    returned_pixels: int = 25_000_000  # of one image
