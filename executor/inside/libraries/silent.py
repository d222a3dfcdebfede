"""Modules that only log, show or mount: where they are not installed, calls of them do nothing.

A program computes the same without its logger, and no run here has a network to log to. Each such
module that a snippet imports is told as an assumption. A library that looks whether one is there
sees that it is not.
"""

from __future__ import annotations

import functools
import re
import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

# The module → what has to be installed for the real one.
_SILENT = {
    name: name
    for name in ("wandb", "mlflow", "comet_ml", "neptune", "clearml", "aim", "tensorboardX",
                 "IPython", "google.colab", "google", "kaggle_secrets")
} | {"torch.utils.tensorboard": "tensorboard"}  # fmt: skip
# What these keep is asked for by such a name.
_KEEP = frozenset({"wandb", "mlflow", "comet_ml", "neptune", "clearml", "aim"})
_GIVES_BACK = re.compile(r"(?:load|restore|download|use_|fetch|query|search|get_)|Api$")
_used: list[str] = []
_ours = str(Path(__file__).parents[1])
_importers = [_ours]  # folders of the code whose imports find these modules


class _Loader(Loader):
    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        name = _root(module.__name__)
        if name != "google" and name not in _used:
            _used.append(name)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        root = _root(fullname)
        if not root or not _asked_by_the_snippet() or _is_there(root, path):
            return None
        return ModuleSpec(fullname, _Loader(), is_package=True)


def _root(fullname: str) -> str:
    """The longest name of `_SILENT` that it is, or is below; empty if none."""
    parts = fullname.split(".")
    names = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((name for name in names if name in _SILENT), "")


def _asked_by_the_snippet() -> bool:
    """Whether the import that goes on now stands in the snippet, or is supplied to it by us."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ or "importlib" in frame.f_code.co_filename:
        if frame.f_back is None:
            return False
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(tuple(_importers))


def _is_there(root: str, path: Sequence[str] | None) -> bool:
    real = _SILENT[root]
    if isinstance(sys.modules.get(root), _Module):
        return False
    if "." in real:
        return path is not None and PathFinder.find_spec(real, path) is not None
    return PathFinder.find_spec(real) is not None


class _Module(types.ModuleType):
    """A module with every name, all of which do nothing."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        if _root(name) == "wandb":
            from executor.inside.placeholders import not_installed

            self.config = not_installed.marked(_Config, "wandb")()
        if _root(name) == "IPython":
            self.display = print
            self.get_ipython = lambda: None

    def __getattr__(self, name: str) -> Any:
        """Something that takes every call and gives every attribute."""
        if name.startswith("__"):
            raise AttributeError(name)
        root = _root(self.__name__)
        if name == "init" and root == "wandb":
            return self._init
        return getattr(_nothing(root), name)

    def _init(self, *_: Any, config: Any = None, **__: Any) -> Any:
        """`wandb.init(config={…})`: what it is given is read back."""
        self.config.update(config)
        run = _nothing("wandb")
        run.__dict__["config"] = self.config
        return run


@functools.cache
def _class_of(root: str) -> type:
    """The class of all that a module gives: calls of it do nothing.

    What it would have kept is not here: a model that it logged, a file that it stored. Asking for
    that raises the error of its import.
    """
    from executor.inside.placeholders import not_installed
    from executor.inside.rebuild.stubs import Stub

    class Nothing(Stub):
        def __call__(self, *args: Any, **named: Any) -> Any:
            return args[0] if len(args) == 1 and callable(args[0]) else Nothing()

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            if root in _KEEP and _GIVES_BACK.match(name):
                raise ModuleNotFoundError(f"No module named {root!r}", name=root)
            return Nothing if name[:1].isupper() else Nothing()

    return not_installed.marked(Nothing, root)


def _nothing(root: str) -> Any:
    return _class_of(root)()


class _Config(dict[str, Any]):
    """`wandb.config`: what was put in, as items and as attributes."""

    def update(self, values: Any = None, **named: Any) -> None:  # type: ignore[override]
        """Take the values of a dict or of a namespace; wandb takes both."""
        super().update(values if isinstance(values, dict) else vars(values) if values else {})
        super().update({k: v for k, v in named.items() if k != "allow_val_change"})

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name, name=name, obj=self) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def install() -> None:
    """From now on, in this process and its forks."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def for_snippet(folder: Path) -> None:
    """Let the imports of the code in this folder find them."""
    _importers[1:] = [f"{folder}/"]


def stands_for(module: str) -> bool:
    """Whether a module is one of those whose calls do nothing here."""
    return bool(_root(module))


def imported() -> tuple[str, ...]:
    """Those of them that this run has imported."""
    return tuple(_used)


def assumptions() -> tuple[str, ...]:
    """What this run has imported of them, a sentence each."""
    return tuple(
        f"`{name}` is not installed here: what is called of it does nothing" for name in _used
    )
