"""Let torchaudio be imported where its compiled library does not load beside this PyTorch.

PyPI's wheel of torchaudio is built for CUDA. torchaudio does without its library where it finds no
file of it, and with an error where the file does not load: here both are the same. Transforms and
models are Python, and filters fall back to it; what needs the library says so itself.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any


def complete(utils: ModuleType) -> None:
    """Take a library of torchaudio's that does not load for one that is not there."""
    parts: dict[str, Any] = vars(utils)
    load: Callable[[str], bool] = parts["_load_lib"]

    def load_if_it_fits(lib: str) -> bool:
        try:
            return load(lib)
        except OSError:
            return False

    parts["_load_lib"] = load_if_it_fits
