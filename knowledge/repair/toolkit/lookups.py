"""What an object has in place of a name that was asked of it in vain, read where it was asked.

Names are read from the live object and from its classes; no property of the program's own is
evaluated for that.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import inspect
import re
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from executor.errors import read
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.spelling import misspelt, plain, slips, undoubled

if TYPE_CHECKING:
    from knowledge.repair.operator import Failure

_NOT_THERE = object()
# Libraries that have what is looked for in another one.
_SISTERS = {
    "torch": ("torchvision", "torchaudio", "torchmetrics"),
    "torchvision": ("torch", "torch.nn"),
    "transformers": ("torch.optim", "torch.nn"),
}
_WHOLE = 5  # letters of a name that longer ones may begin with
# What the last words of many classes' names became.
_ENDS = (("FeatureExtractor", "ImageProcessor"), ("TokenizerFast", "Tokenizer"))
# What a library says of a name that it no longer has; each was read in a message of one.
_SAID = tuple(
    re.compile(pattern)
    for pattern in (
        r"[Uu]se (?:the )?[`'\"]?(?P<name>[A-Za-z_][\w.]*)[`'\"]?(?:\(\))? (?:function )?instead",
        r"use [`'\"](?P<name>[A-Za-z_][\w.]*)[`'\"] by itself",
        r"(?:renamed to|replaced by|in favou?r of|is now called|moved to) "
        r"[`'\"]?(?P<name>[A-Za-z_][\w.]*\w)",
        r"Did you mean:? [`'\"](?P<name>[A-Za-z_][\w.]*)[`'\"]\?",
    )
)


@dataclass(frozen=True)
class Lookup:
    """A name that was asked of something that does not have it."""

    owner: Any
    name: str
    message: str

    @property
    def module(self) -> str:
        """The dotted name of the module that was asked; empty where it was no module."""
        return self.owner.__name__ if isinstance(self.owner, types.ModuleType) else ""

    @cached_property
    def names(self) -> list[str]:
        """Every public name of the owner."""
        return [n for n in dict.fromkeys(_names_of(self.owner)) if not n.startswith("_")]

    def alike(self, *, is_called: bool) -> list[str]:
        """Names that it has and that this one is a slip for; what is called has to be callable."""
        near = [n for n in self.names if misspelt(self.name, n)]
        near = [n for n in near if not isinstance(self.value(n), types.ModuleType)]
        near = [n for n in near if callable(self.value(n)) == is_called]
        if self._is_of_another_kind():  # `items` of a tensor: a dictionary was expected
            one = isinstance(self.owner, torch.Tensor) and self.owner.dim() == 0
            near = [n for n in near if n == f"{self.name}_" or (one and n == "item")]
        least = min((slips(self.name, n) for n in near), default=0)
        near = [n for n in near if slips(self.name, n) == least]
        same = [n for n in near if undoubled(n) == undoubled(self.name)]
        return same if len(same) == 1 else near

    def longer(self, *, is_called: bool) -> list[str]:
        """Names that begin with the whole of this one: `kl_divergence` for `kl_div`."""
        start = plain(self.name)
        found = [n for n in self.names if plain(n).startswith(start) and len(n) > len(self.name)]
        found = [n for n in found if f"{n}_" not in self.names]  # an older name of the same
        return [n for n in found if len(start) >= _WHOLE and callable(self.value(n)) == is_called]

    def with_another_end(self) -> list[str]:
        """`ViTImageProcessor` for `ViTFeatureExtractor`: kinds that a library calls otherwise."""
        told = [self.name.removesuffix(old) + new for old, new in _ENDS if self.name.endswith(old)]
        return [name for name in told if name in self.names]

    def _is_of_another_kind(self) -> bool:
        """Whether a tensor was asked for what dictionaries, lists or modules have."""
        kinds = (dict, list, str, torch.nn.Module)
        return isinstance(self.owner, torch.Tensor) and any(hasattr(k, self.name) for k in kinds)

    def value(self, name: str) -> Any:
        """One of its names' value, without running code of the program's own."""
        return _value(self.owner, name)

    def inside(self) -> list[str]:
        """Its public attributes that have the name themselves: the model inside a wrapper."""
        return list(dict.fromkeys(_inside(self.owner, self.name)))

    def homes(self) -> list[str]:
        """The public places of the same package, as far as it is loaded, that have the name."""
        return list(_homes(self.module, self.name)) if self.module else []

    def is_submodule(self) -> bool:
        """Whether the name is a module of that package, which nobody has imported."""
        try:
            return (
                bool(self.module)
                and importlib.util.find_spec(f"{self.module}.{self.name}") is not None
            )
        except (ImportError, ValueError):
            return False

    def said(self) -> str:
        """The name that the error's own words give in place of it; empty if they give none."""
        for pattern in _SAID:
            for found in pattern.finditer(self.message):
                name = found["name"].rstrip(".")
                if name != self.name or ("." not in name and self.is_builtin(name)):
                    return name
        return ""

    def is_builtin(self, name: str) -> bool:
        """Whether a name is one of Python's own."""
        return hasattr(builtins, name)


def lookup(failure: Failure) -> Lookup | None:
    """What was asked of what, if the error is about a name of an object, class or module."""
    error = failure.live.error
    message = str(error)
    if isinstance(error, ImportError):
        said = read(failure.error, "import_name")
        module = sys.modules.get(said["module"]) if said is not None else None
        return Lookup(module, said["name"], message) if said is not None and module else None
    if not isinstance(error, AttributeError):
        return None
    if isinstance(error.name, str) and error.obj is not None:
        return Lookup(error.obj, error.name, message)
    return _of_module(failure, message)


def _of_module(failure: Failure, message: str) -> Lookup | None:
    """A module that says itself what it lacks."""
    import libcst as cst

    node = failure.node
    node = node.func if isinstance(node, cst.Call) else node
    if not isinstance(node, cst.Attribute):
        return None
    owner = failure.value(node.value)
    if not isinstance(owner, types.ModuleType):
        return None
    said = read(failure.error, "module_attribute")
    if said is not None and said["name"] != node.attr.value:
        return None
    return Lookup(owner, node.attr.value, message)


def _names_of(held: Any) -> Iterator[str]:
    if isinstance(held, types.ModuleType):
        yield from (n for n in dir(held) if isinstance(n, str))
        return
    yield from (n for n in getattr(held, "__dict__", {}) if isinstance(n, str))
    if isinstance(held, torch.nn.Module):
        yield from registered(held)
    for cls in held.__mro__ if inspect.isclass(held) else type(held).__mro__:
        yield from vars(cls)


def registered(module: torch.nn.Module) -> dict[str, Any]:
    """The layers, parameters and buffers of a module, by their names in it."""
    from torch.nn import Module

    try:
        return {
            **dict(Module.named_children(module)),
            **dict(Module.named_parameters(module, recurse=False)),
            **dict(Module.named_buffers(module, recurse=False)),
        }
    except AttributeError:  # its __init__ has not run
        return {}


def _value(held: Any, name: str) -> Any:
    if isinstance(held, types.ModuleType):
        return getattr(held, name, None)
    if isinstance(held, torch.nn.Module) and name in (parts := registered(held)):
        return parts[name]
    found = inspect.getattr_static(held, name, None)
    return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found


def _inside(held: Any, name: str) -> Iterator[str]:
    parts = dict(getattr(held, "__dict__", {}))
    if isinstance(held, torch.nn.Module):
        parts |= registered(held)
    for part, value in parts.items():
        if part.startswith("_") or not part.isidentifier() or value is held:
            continue
        plain = isinstance(value, torch.Tensor) or (
            type(value).__module__ == "builtins" and not inspect.isclass(value)
        )
        if plain or isinstance(value, types.ModuleType) or name not in _names_of(value):
            continue
        # A class of the program's own may have meant to make what a layer of it has: `weight`.
        is_setting = isinstance(_value(value, name), (bool, int, float, str, tuple))
        own = type(held).__module__ == "__main__"
        if not _of_every_sample(held, value, name) and (is_setting or not own):
            yield part


def _of_every_sample(held: Any, inner: Any, name: str) -> bool:
    """Whether the name holds an entry for each sample, and the owner stands for some of them."""
    indices = getattr(held, "indices", None)
    there = getattr(inner, "__dict__", {}).get(name)
    if indices is None or there is None or not hasattr(there, "__len__"):
        return False
    return len(there) > len(indices) or callable(there)


def _homes(where: str, name: str) -> Iterator[str]:
    top = where.partition(".")[0]
    found: dict[int, str] = {}
    paths = [p for p in list(sys.modules) if p.partition(".")[0] == top and p != where]
    for path in sorted(paths, key=lambda p: (p.count("."), len(p))):
        if any(part.startswith("_") for part in path.split(".")):
            continue
        space = getattr(sys.modules[path], "__dict__", {})
        value = space.get(name, _NOT_THERE)
        if value is _NOT_THERE or isinstance(value, types.ModuleType) or not callable(value):
            continue
        listed = space.get("__all__")
        home = getattr(value, "__module__", top) or top
        if (listed is None or name in listed) and home.partition(".")[0] in (top, "builtins"):
            found.setdefault(id(value), f"{path}.{name}")
    yield from found.values()


def sister_of(module: str, name: str) -> str:
    """The library beside a module's own that has the name; empty if none has."""
    for sister in _SISTERS.get(module.partition(".")[0], ()):
        try:
            there = importlib.import_module(sister)
            if hasattr(there, name) or importlib.util.find_spec(f"{sister}.{name}") is not None:
                return sister
        except Exception:  # whatever a library raises that does not fit to this torch
            continue
    return ""
