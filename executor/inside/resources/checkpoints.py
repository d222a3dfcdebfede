"""Weights and checkpoints that are not here: whatever the module that loads them has itself.

Which keys a file holds is not known. So what is loaded stands for "the weights that fit", and a
module that gets it keeps its own; its keys are shown where somebody looks through them.
"""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import importlib.util
import os
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

import torch
from torch import nn

from executor.inside.resources.paths import Paths
from executor.inside.resources.supplied import Supplied

_COUNT = re.compile(r"epoch|step|iter|^n_|num|size", re.IGNORECASE)
_SCORE = re.compile(r"loss|acc|best|score|metric|lr", re.IGNORECASE)
_OF_HUB = ("source", "trust_repo", "force_reload", "verbose", "skip_validation")
_AS_MODEL = frozenset({"eval", "train", "to", "cuda", "cpu", "forward", "parameters", "modules",
                       "state_dict", "children", "named_parameters", "half"})  # fmt: skip


class Absent(OrderedDict[str, Any]):
    """A state dict, or a checkpoint of several, whose content nobody knows."""

    def __init__(self, modules: Callable[[], Iterator[nn.Module]], keys: frozenset[str]) -> None:
        super().__init__()
        self._modules = modules
        self._read = keys  # by which the text subscripts something
        self._filled = False

    def __missing__(self, key: str) -> Any:
        if _COUNT.search(str(key)):
            return 1
        if _SCORE.search(str(key)):
            return 0.5
        return Absent(self._modules, self._read)

    def __contains__(self, key: object) -> bool:
        return key in self._read or dict.__contains__(self._full(), key)

    def __iter__(self) -> Iterator[str]:
        return OrderedDict.__iter__(self._full())

    def __len__(self) -> int:
        return dict.__len__(self._full())

    def keys(self) -> Any:
        """The keys of the module that is there."""
        return OrderedDict.keys(self._full())

    def items(self) -> Any:
        """Keys and weights of the module that is there."""
        return OrderedDict.items(self._full())

    def values(self) -> Any:
        """The weights of the module that is there."""
        return OrderedDict.values(self._full())

    def get(self, key: str, default: Any = None) -> Any:
        """As a checkpoint with this key, if the text reads it."""
        return self[key] if key in self else default  # noqa: SIM401  (this is what `get` is)

    def pop(self, key: str, *default: Any) -> Any:
        """The same, without keeping it."""
        return super().pop(key, *default) if dict.__contains__(self, key) else self[key]

    def copy(self) -> Absent:
        """Itself: nothing in it is anybody's."""
        return self

    @property
    def is_known(self) -> bool:
        """Whether somebody looked at its keys, and they could be told."""
        return self._filled and dict.__len__(self) > 0

    def _full(self) -> Absent:
        if not self._filled:
            self._filled = True
            module = next(self._modules(), None)
            if module is not None:
                for key, value in module.state_dict().items():
                    OrderedDict.__setitem__(self, key, value.clone())
        return self


class Checkpoints:
    """`torch.load`, `torch.save` and `load_state_dict` of one run."""

    def __init__(self, tree: ast.Module, filename: str, supplied: Supplied, paths: Paths) -> None:
        self._tree = tree
        self._filename = filename
        self._supplied = supplied
        self._paths = paths
        self._keys = frozenset(
            node.slice.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        )

    def install(self) -> None:
        """Let them go through here."""
        self._wrap_load()
        self._wrap_save()
        for owner in _loading():
            _keep_own(owner)

    def absent(self) -> Absent:
        """Weights that fit whatever loads them."""
        return Absent(self._modules, self._keys)

    def _wrap_load(self) -> None:
        original = torch.load

        @functools.wraps(original)
        def load(*args: Any, **named: Any) -> Any:
            f = args[0] if args else None
            if not isinstance(f, (str, os.PathLike)):
                return original(*args, **named)
            at = self._paths.at(os.fspath(f))
            if not os.path.exists(at) and self.may_stand_in(os.fspath(f)):
                what = "a checkpoint that fits what loads it stands in, with random weights"
                self._supplied.add(os.fspath(f), "checkpoint", what, exact=False)
                return self.absent()
            return original(at, *args[1:], **named)

        torch.load = load

    def may_stand_in(self, path: str) -> bool:
        """Whether the text uses what is loaded as weights or as a dictionary of them."""
        return self._paths.asked_for(path) and self._as_dict(self._supplied.line())

    def _wrap_save(self) -> None:
        original = torch.save

        @functools.wraps(original)
        def save(*args: Any, **named: Any) -> None:
            given = list(args)
            if len(given) > 1 and isinstance(given[1], (str, os.PathLike)):
                given[1] = self._paths.at(os.fspath(given[1]), writes=True)
            original(*given, **named)

        torch.save = save

    def _as_dict(self, line: int | None) -> bool:
        call = next((n for n in ast.walk(self._tree) if _is_load(n) and _spans(n, line)), None)
        if call is None or line is None:
            return False
        name = ""
        for node in ast.walk(self._tree):
            loads = isinstance(node, ast.Call) and _last(node.func) == "load_state_dict"
            if loads and any(part is call for part in ast.walk(node)):
                return True
            if isinstance(node, ast.Subscript) and node.value is call:
                return True
            if isinstance(node, ast.Assign) and node.value is call:
                name = _last(node.targets[0])
        if not name:  # returned, or handed on
            return "load_state_dict" in self.words
        as_model = any(
            (isinstance(node, ast.Attribute) and _last(node.value) == name
             and node.attr in _AS_MODEL)
            or (isinstance(node, ast.Call) and _last(node.func) == name)
            for node in ast.walk(self._tree)
        )  # fmt: skip
        as_dict = any(
            (isinstance(node, ast.Subscript) and _last(node.value) == name)
            or (isinstance(node, ast.Call) and _last(node.func) == "load_state_dict"
                and any(_last(a) == name for a in node.args if isinstance(a, ast.expr)))
            or (isinstance(node, ast.Attribute) and _last(node.value) == name
                and node.attr in ("items", "keys", "get", "pop"))
            for node in ast.walk(self._tree)
        )  # fmt: skip
        return as_dict and not as_model

    @property
    def words(self) -> set[str]:
        """The attributes that the text names."""
        return {n.attr for n in ast.walk(self._tree) if isinstance(n, ast.Attribute)}

    def _modules(self) -> Iterator[nn.Module]:
        """The modules that the snippet's frames hold: first those that load weights by name."""
        loaders = {
            _last(node.func.value)
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "load_state_dict"
        }
        found: list[tuple[str, nn.Module]] = []
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self._filename:
                found += [(k, v) for k, v in frame.f_locals.items() if isinstance(v, nn.Module)]
                own = frame.f_locals.get("self")
                if own is not None and not isinstance(own, Absent):
                    found += [(k, v) for k, v in vars(own).items() if isinstance(v, nn.Module)]
            if frame.f_back is None:
                break
            frame = frame.f_back
        yield from (module for name, module in found if name in loaders)
        yield from (module for name, module in found if name not in loaders)


def hub_weights(supplied: Supplied, checkpoints: Checkpoints) -> None:
    """Let trained weights of a hub be whatever the network was initialised with."""
    original = torch.hub.load_state_dict_from_url

    @functools.wraps(original)
    def from_url(url: str, *args: Any, **named: Any) -> Absent:
        name = PurePosixPath(str(url)).name
        supplied.add(name, "weights", "random weights stand in for the trained ones", exact=True)
        return checkpoints.absent()

    replace_everywhere(original, from_url)
    original_load: Any = torch.hub.load

    @functools.wraps(original_load)
    def load(*args: Any, **named: Any) -> Any:
        of_torchvision = args and str(args[0]).startswith("pytorch/vision")
        if of_torchvision and len(args) > 1 and importlib.util.find_spec("torchvision"):
            from torchvision.models import get_model_builder

            own = {k: v for k, v in named.items() if k not in _OF_HUB}
            supplied.add(str(args[0]), "source", _installed("torchvision"), exact=True)
            return get_model_builder(args[1])(*args[2:], **own)
        return original_load(*args, **named)

    torch.hub.load = load


def _installed(library: str) -> str:
    version = importlib.metadata.version(library).partition("+")[0]
    return f"its models come from the installed {library} {version}, whatever version it names"


def timm_weights(supplied: Supplied) -> None:
    """Let timm's trained weights be whatever the network was initialised with."""
    builder = importlib.import_module("timm.models._builder")
    original = builder.load_pretrained

    @functools.wraps(original)
    def load_pretrained(model: Any, *args: Any, **named: Any) -> None:
        name = str((getattr(model, "pretrained_cfg", None) or {}).get("architecture", "timm"))
        supplied.add(name, "weights", "random weights stand in for the trained ones", exact=True)

    vars(builder)["load_pretrained"] = load_pretrained


def replace_everywhere(original: Any, new: Any) -> None:
    """Put a function in the place of another in every module that holds it."""
    name = original.__name__
    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get(name) is original:
            setattr(module, name, new)


def _loading() -> Iterator[Any]:
    yield nn.Module
    yield torch.optim.Optimizer
    yield torch.amp.GradScaler
    for cls in vars(torch.optim.lr_scheduler).values():
        if isinstance(cls, type) and "load_state_dict" in vars(cls):
            yield cls


def _keep_own(owner: Any) -> None:
    original = owner.load_state_dict

    @functools.wraps(original)
    def load_state_dict(self: Any, *args: Any, **named: Any) -> Any:
        given = args[0] if args else named.get("state_dict")
        if isinstance(given, Absent) and not given.is_known:
            return original(nn.Module(), {}) if isinstance(self, nn.Module) else None
        return original(self, *args, **named)

    owner.load_state_dict = load_state_dict


def _is_load(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _last(node.func) in ("load", "load_file")


def _spans(node: ast.AST, line: int | None) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return line is not None and first <= line <= last


def _last(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
