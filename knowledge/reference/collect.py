"""Collect the public functions of the installed libraries with their docstrings; runs in the jail.

The docstrings are those of the torch that runs snippets, which may be on another machine than the
bot and of another version than any torch there. And the bot imports no torch.
"""

from __future__ import annotations

import base64
import importlib
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from executor.protocol import Job, JobResult, Probe
from knowledge.reference.docstring import Docstring, read_docstring
from knowledge.reference.model import Documented, Kind, Reference

# Where people find a function: of two names for one object the earlier module's is its name, and
# `torch.conv2d` is documented as `torch.nn.functional.conv2d`.
MODULES = (
    "torch.nn.functional",
    "torch",
    "torch.nn.init",
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.prune",
    "torch.nn.utils",
    "torch.nn.parallel",
    "torch.nn",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.optim",
    "torch.utils.data",
    "torch.utils.checkpoint",
    "torch.utils.benchmark",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.sparse",
    "torch.autograd.functional",
    "torch.autograd.forward_ad",
    "torch.autograd.graph",
    "torch.autograd",
    "torch.func",
    "torch.distributions",
    "torch.amp",
    "torch.jit",
    "torch.export",
    "torch.onnx",
    "torch.cuda",
    "torch.profiler",
    "torch.hub",
)
_NO_CLASSES = ("torch.cuda", "torch.jit", "torch.export", "torch.onnx")
_OLD_CLASS = re.compile(r"\w+(?:Storage|Tensor)")  # FloatStorage, cuda.FloatTensor
COLLECT = "from knowledge.reference.collect import write\nwrite()\n"
_WRITTEN = "reference.json"
_WALL_S = 60.0
_MOST_PARAGRAPHS, _MOST_CHARS = 6, 1_500  # of a function; the rest is about rare cases
_MOST_EXAMPLES, _EXAMPLE_CHARS = 3, 1_200
_ANNOTATION = re.compile(r" at 0x[0-9a-f]+")
_LONG_SIGNATURE = 160


# -- in the bot ------------------------------------------------------------------------------


def collecting_job() -> Job:
    """The job that reads the docstrings of the executor's own libraries."""
    return Job(code=COLLECT, wall_s=_WALL_S, probes=(Probe.NONE,))


def read_collected(result: JobResult) -> Reference | None:
    """What that job wrote; None if it could not."""
    for file in result.files:
        if file.name == _WRITTEN:
            with suppress(ValidationError):
                return Reference.model_validate_json(base64.b64decode(file.base64))
    return None


# -- in the jail -----------------------------------------------------------------------------


def write(folder: Path = Path()) -> None:
    """Collect, and write `reference.json`."""
    (folder / _WRITTEN).write_text(collect().model_dump_json())


def collect() -> Reference:
    """The public functions, classes and methods of the libraries, each once."""
    import torch

    found: dict[str, tuple[Any, Kind]] = dict(_of_class(torch.Tensor, "torch.Tensor"))
    for name in MODULES:
        with suppress(ImportError):
            found |= {
                full: thing
                for full, thing in _of_module(importlib.import_module(name))
                if full not in found
            }
    read = {name: read_docstring(_doc(thing), _leaf(name)) for name, (thing, _) in found.items()}
    same = _twins(found, read)
    aliases: dict[str, list[str]] = {}
    for name, other in same.items():
        aliases.setdefault(other, []).append(name)
    functions = tuple(
        _documented(name, thing, kind, read[name], aliases.get(name, []))
        for name, (thing, kind) in found.items()
        if name not in same and read[name].paragraphs and not read[name].deprecated
    )
    version = torch.__version__.partition("+")[0]
    return Reference(libraries={"torch": version}, functions=functions)


def _of_module(module: ModuleType) -> Iterator[tuple[str, tuple[Any, Kind]]]:
    # torch lists most of its functions, and not all.
    names = dir(module) if module.__name__ == "torch" else getattr(module, "__all__", dir(module))
    for name in names:
        thing = getattr(module, name, None)
        full = f"{module.__name__}.{name}"
        if name.startswith("_") or not callable(thing) or not _is_of(thing, module):
            continue
        if not inspect.isclass(thing):
            yield full, (thing, "function")
        elif _is_for_people(thing, module):
            yield full, (thing, "class")
            yield from _of_class(thing, full)


def _is_of(thing: Any, module: ModuleType) -> bool:
    """Whether a library's module holds it as its own, and not because it imported it."""
    home = getattr(thing, "__module__", None) or "torch"
    bound = "(self: torch." in _doc(thing)  # of C++, with no more than the types
    ours = isinstance(home, str) and home.split(".")[0] == module.__name__.split(".")[0]
    return ours and not bound and not (module.__name__ == "torch" and home.startswith("torch._C."))


def _is_for_people(cls: type, module: ModuleType) -> bool:
    """Whether a class is one that people make: no error, no enum, no storage, nothing that is only
    there because the module imported it."""
    if issubclass(cls, BaseException | Enum) or _OLD_CLASS.fullmatch(cls.__name__):
        return False
    imported = not hasattr(module, "__all__") and not cls.__module__.startswith(module.__name__)
    internal = cls.__module__ in ("torch", "torch._C") and "(" not in _doc(cls)[:80]
    return not imported and not internal and module.__name__ not in _NO_CLASSES


def _of_class(cls: type, full: str) -> Iterator[tuple[str, tuple[Any, Kind]]]:
    """The methods that a class itself documents, and no class above it."""
    for name, defined in vars(cls).items():
        above = any(_doc(getattr(base, name, None)) for base in cls.__mro__[1:-1])
        if name.startswith("_") or name == "forward" or (above and cls.__module__ != "torch"):
            continue
        thing = getattr(cls, name, None)
        if callable(thing) and not inspect.isclass(thing) and not isinstance(defined, property):
            yield f"{full}.{name}", (thing, "method")
    if full == "torch.Tensor":  # most of them are those of the class above it, in C
        for name in dir(cls):
            if not name.startswith("_") and name not in vars(cls) and callable(getattr(cls, name)):
                yield f"{full}.{name}", (getattr(cls, name), "method")


def _doc(thing: Any) -> str:
    doc = getattr(thing, "__doc__", None)
    return doc if isinstance(doc, str) else ""


def _leaf(name: str) -> str:
    return name.rpartition(".")[2]


def _twins(found: dict[str, tuple[Any, Kind]], read: dict[str, Docstring]) -> dict[str, str]:
    """Names of what is known under another name too, with that name.

    A twin is the same object, or the method of a function that it refers to, or the same in place.
    """
    first: dict[int, str] = {}
    same: dict[str, str] = {}
    for name, (thing, _) in found.items():
        if first.setdefault(id(thing), name) != name:
            same[name] = first[id(thing)]
    for name in found:
        said = read[name].alias_of
        leaf = _leaf(said) if said else ""
        owner = name.rpartition(".")[0]
        candidates = [said, f"torch.{said}", f"{owner}.{leaf}", f"torch.{leaf}"] if said else []
        if owner == "torch.Tensor":  # a method of which nothing more is said than its function says
            bare = _leaf(name).removesuffix("_")
            own = [f"torch.{bare}", f"torch.Tensor.{bare}"]
            alone = not read[name].paragraphs or len(" ".join(read[name].paragraphs)) < 60
            candidates += own if alone else []
        other = next((c for c in candidates if c in found and c != name), None)
        if other is not None:
            same.setdefault(name, other)
    return {name: end for name in same if (end := _end(name, same)) != name}


def _end(name: str, same: dict[str, str]) -> str:
    """The last of a chain of twins; a circle ends where it began."""
    seen = [name]
    while (after := same.get(seen[-1])) is not None and after not in seen:
        seen.append(after)
    return seen[-1] if same.get(seen[-1]) is None else name


def _documented(
    name: str, thing: Any, kind: Kind, doc: Docstring, aliases: list[str]
) -> Documented:
    kept: list[str] = []
    for paragraph in doc.paragraphs[:_MOST_PARAGRAPHS]:
        if sum(map(len, kept)) < _MOST_CHARS:
            kept.append(paragraph[:_MOST_CHARS])
    return Documented(
        name=name,
        kind=kind,
        signature=_signature(thing, doc, _leaf(name)),
        paragraphs=tuple(kept),
        summary=doc.summary,
        examples=tuple(e for e in doc.examples if len(e) <= _EXAMPLE_CHARS)[:_MOST_EXAMPLES],
        aliases=tuple(sorted(aliases)),
    )


def _signature(thing: Any, doc: Docstring, leaf: str) -> str:
    """The parameters with their defaults; as the docstring writes them where it does."""
    if doc.signature:
        return doc.signature[doc.signature.index("(") :]
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    bare = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.name != "self"
    ]
    try:
        text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    except ValueError:
        return "(...)"
    text = _ANNOTATION.sub("", text)
    return (
        text
        if len(text) <= _LONG_SIGNATURE
        else f"{text[:_LONG_SIGNATURE].rpartition(',')[0]}, ...)"
    )
