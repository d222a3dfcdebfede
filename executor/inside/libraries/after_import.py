"""Do something to a library's module right after its import, and nothing where it is not imported.

The warm server and a cold run install the hook; what it does is imported only when it is needed.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

# A library's module → our module, whose `complete(module)` gets it when its import has ended.
COMPLETED_BY = {
    "torchvision.extension": "executor.inside.libraries.torchvision_operators",
    "torchaudio._extension.utils": "executor.inside.libraries.torchaudio_library",
    "torchaudio._torchcodec": "executor.inside.libraries.torchaudio_codec",
}


class _Completing(Loader):
    """A loader that does what another one does, and then lets ours complete the module."""

    def __init__(self, loader: Loader, name: str) -> None:
        self._loader = loader
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)  # get_source(), for tracebacks and inspect

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        importlib.import_module(COMPLETED_BY[self._name]).complete(module)


class _Finder(MetaPathFinder):
    """Finds the modules that are completed, as Python's own finder does; no others."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in COMPLETED_BY:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Completing(spec.loader, fullname)
        return spec


def install() -> None:
    """Complete the libraries of `COMPLETED_BY` from now on, in this process and in its forks."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
