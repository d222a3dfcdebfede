"""GPUs: find them, and name the device nodes and variables that a jailed run needs to use one.

Nothing may fork once CUDA is initialised, so a run for the GPU is built like any other (forked from
a server that never touched CUDA, behind its walls) and only then initialises CUDA, while it waits
for its job. Its success is the health check: `nvidia-smi` passes where `cuInit` is refused.

`docs/gpu.md` says on which machine this was tried, and what was seen there.

Source:
    Device nodes and paths that CUDA opens: the notes of gVisor's nvproxy and of the NVIDIA
    container toolkit, https://gvisor.dev/docs/user_guide/gpu/
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_NODE = re.compile(r"nvidia(\d+)")
_SHARED_NODES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
_DRIVER = Path("/proc/driver/nvidia/version")


@dataclass(frozen=True)
class Gpus:
    """The GPUs that this executor may hand out, one slot each."""

    numbers: tuple[int, ...]
    driver: str | None

    @property
    def any(self) -> bool:
        """Whether there is a GPU."""
        return bool(self.numbers)

    def only(self, numbers: tuple[int, ...] | None) -> Gpus:
        """The GPUs with these numbers; all of them for None."""
        wanted = self.numbers if numbers is None else numbers
        return Gpus(tuple(n for n in self.numbers if n in wanted), self.driver)


def found(devices: Path = Path("/dev"), driver: Path = _DRIVER) -> Gpus:
    """Look for GPUs by their device nodes: nothing is opened, nothing initialised."""
    try:
        names = [entry.name for entry in devices.iterdir()]
        driver.read_bytes()
    except OSError:
        return Gpus((), None)
    numbers = sorted(int(m[1]) for name in names if (m := _NODE.fullmatch(name)))
    return Gpus(tuple(numbers), release(driver))


def release(driver: Path = _DRIVER) -> str | None:
    """The driver's release, which a run may read where it may not list the device nodes."""
    try:
        version = driver.read_text()
    except OSError:
        return None
    found = re.search(r"\b(\d+\.\d+(?:\.\d+)?)\b", version.partition("\n")[0])
    return found[1] if found else None


def nodes(number: int, devices: Path = Path("/dev")) -> list[Path]:
    """The device nodes that a run on this GPU opens for reading, writing and ioctl."""
    wanted = [devices / name for name in (f"nvidia{number}", *_SHARED_NODES)]
    return [node for node in wanted if node.exists()]


def environment(number: int, temp: str) -> dict[str, str]:
    """The variables that show CUDA one GPU, and a folder for the kernels that it compiles."""
    return {
        "CUDA_VISIBLE_DEVICES": str(number),
        "CUDA_CACHE_PATH": temp,
        "TRITON_CACHE_DIR": temp,
        "TORCHINDUCTOR_CACHE_DIR": temp,
    }
