"""torch and NumPy for modules that the bot imports too: loaded when something of them is asked."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import torch
else:

    class _Lazy:
        """A module by its name; it stands for no module itself where one is compared with it."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(importlib.import_module(self._name), attribute)

    np, torch = _Lazy("numpy"), _Lazy("torch")

__all__ = ["np", "torch"]
