"""Complete torchvision's data sets where their files are not here: the real class, synthetic data.

The class's own `__init__` runs first, so that its arguments are checked and its transforms kept by
torchvision itself. Where it finds no files, the attributes that its other methods read are filled.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import torch

from executor.inside.resources.forms import EMNIST, FORMS, Form
from executor.inside.resources.paths import Paths
from executor.inside.resources.pictures import pictures
from executor.inside.resources.supplied import Supplied

_BASE = 256  # different samples; a longer data set repeats them
_BYTES = 400_000_000  # of one data set's images at most
_CELEBA = 40  # attributes of a face
_DOWNLOADS = ("download_url", "download_and_extract_archive", "download_file_from_google_drive",
              "_download_file_from_remote_location")  # fmt: skip


class AbsentError(OSError):
    """A download was asked for; no data set catches this error to try its next mirror."""


def install(supplied: Supplied, paths: Paths) -> None:
    """Let every data set of the table complete itself where its files are not here."""
    import torchvision.datasets as module

    _stop_downloads(module)
    wrapped: set[type] = set()
    for name in FORMS:
        for cls in getattr(module, name).__mro__:
            own = "__init__" in vars(cls) and cls.__module__.startswith(module.__name__)
            if own and cls is not module.VisionDataset and cls not in wrapped:
                wrapped.add(cls)
                _wrap(cls, supplied, paths)


def _stop_downloads(package: Any) -> None:
    def absent(*args: Any, **named: Any) -> None:
        raise AbsentError("there is no network here")

    for module in vars(package).values():
        if inspect.ismodule(module):
            for name in _DOWNLOADS:
                if hasattr(module, name):
                    setattr(module, name, absent)


def _wrap(cls: Any, supplied: Supplied, paths: Paths) -> None:
    original: Callable[..., None] = cls.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def initialise(self: Any, *args: Any, **named: Any) -> None:
        form = form_of(self)
        if form is None:
            return original(self, *args, **named)
        try:
            with paths.without_supply():
                original(self, *args, **named)
        except (AbsentError, FileNotFoundError, URLError, RuntimeError) as error:
            if type(error) is RuntimeError and not _is_absence(error):
                raise
            bound = signature.bind(self, *args, **named)
            bound.apply_defaults()
            given = {**bound.arguments, **bound.arguments.get("kwargs", {})}
            complete(self, form, given, paths)
            name, n = _name(self), len(self)
            what = f"{n:,} synthetic samples of its form stand in"
            supplied.add(name, "data", what, exact=True)

    cls.__init__ = initialise


def _is_absence(error: Exception) -> bool:
    said = str(error)
    return any(word in said for word in ("not found", "not present", "download"))


def _name(data: Any) -> str:
    return next(cls.__name__ for cls in type(data).__mro__ if cls.__name__ in FORMS)


def form_of(data: Any) -> Form | None:
    """The row of the data set's class, or of the nearest of its bases that has one."""
    name = next((cls.__name__ for cls in type(data).__mro__ if cls.__name__ in FORMS), None)
    return FORMS[name] if name is not None else None


def complete(data: Any, form: Form, given: dict[str, Any], paths: Paths) -> None:
    """Fill the attributes that the data set's own methods read.

    Args:
        data: an instance whose `__init__` stopped where it found no files.
        form: its row in the table.
        given: the arguments of `__init__`.
        paths: where images of files are promised.
    """
    from torchvision.datasets import VisionDataset
    from torchvision.datasets.folder import default_loader

    if not hasattr(data, "transforms"):
        transforms = {k: given.get(k) for k in ("transform", "target_transform")}
        VisionDataset.__init__(data, given["root"], **transforms)
    for name in ("loader", "_loader"):
        if not hasattr(data, name):
            setattr(data, name, given.get("loader") or default_loader)
    if _name(data) == "EMNIST":
        classes, train, test = EMNIST[data.split]
        form = replace(form, classes=classes, lengths={True: train, False: test})
    if _name(data) == "QMNIST":
        given = {**given, "what": data.what}
    _Filler(data, form, form.length(given), paths).fill()


class _Filler:
    """Makes one data set's labels, images and paths."""

    def __init__(self, data: Any, form: Form, length: int, paths: Paths) -> None:
        self.data, self.form, self.paths = data, form, paths
        if "data" in form.holds and form.holds["data"] != "paths":
            length = min(length, _BYTES // (form.size[0] * form.size[1] * form.channels))
        self.length = length
        own = getattr(type(data), "classes", None)
        own = own if isinstance(own, list) else getattr(data, "classes", None)
        width = len(str(form.classes))
        made = [f"class_{n:0{width}d}" for n in range(form.classes)]
        self.names: Sequence[Any] = own or form.names or made
        base = np.arange(max(_BASE, form.classes)) % form.classes
        if _name(data) == "EMNIST" and data.split == "letters":
            base = np.where(base == 0, 1, base)
        self.base = np.random.default_rng(0).permutation(base)
        self.labels = self.base[np.arange(length) % len(self.base)]
        if _name(data) == "STL10" and data.split.endswith("unlabeled"):
            self.labels[5_000 if data.split.startswith("train") else 0 :] = -1
        self.folder = Path(data.root) / f"{_name(data)}-{length}"
        paths.promise(self.folder, form.size, form.channels, form.classes)

    def fill(self) -> None:
        """Set each attribute of the row."""
        for attribute, kind in self.form.holds.items():
            setattr(self.data, attribute, self._made(kind))

    def _made(self, kind: str) -> Any:
        labels = self.labels
        word, _, number = kind.partition(" ")
        match word:
            case "array" | "tensor":
                return self._images(as_tensor=kind == "tensor")
            case "long":
                return self._long()
            case "list":
                return labels.tolist()
            case "two":
                return (labels % 2).tolist()
            case "numbers":
                return labels.astype(np.int64)
            case "names":
                return self._bit_names() if number else list(self.names)
            case "index" if number:
                self._promise_root("")
                return (np.arange(self.length) // self.form.classes + 1).tolist()
            case "index":
                return {name: n for n, name in enumerate(self.names)}
            case "paths":
                return [str(path) for path in self._paths("jpg")]
            case "path":
                return self._paths("jpg")
            case "mask":
                return [str(path) for path in self._paths("png", "masks/")]
            case "trimap":
                return self._paths("png", "trimaps/")
            case "box":
                return [str(path) for path in self._paths("xml", "boxes/")]
            case "samples":
                return list(zip(map(str, self._paths("jpg")), labels.tolist(), strict=True))
            case "file":
                self._promise_root("celeba")
                return [f"{n:06d}.jpg" for n in range(1, self.length + 1)]
            case "bits":
                return torch.randint(0, 2, (self.length, int(number)), generator=_generator())
            case "column":
                return torch.from_numpy(labels.astype(np.int64) + 1).unsqueeze(1)
            case "boxes":
                return torch.randint(0, 150, (self.length, int(number)), generator=_generator())
        raise ValueError(f"forms.py names {kind!r}, which datasets.py does not know")

    def _promise_root(self, below: str) -> None:
        """The class makes the paths itself, below its root."""
        folder = Path(self.data.root) / below
        self.paths.promise(folder, self.form.size, self.form.channels, self.form.classes)

    def _bit_names(self) -> list[str]:
        return [f"Attribute_{n}" for n in range(_CELEBA)] + [""]

    def _images(self, *, as_tensor: bool) -> Any:
        made = pictures(self.base, self.form.size, self.form.channels)
        if self.form.channels_first:
            made = made.transpose(0, 3, 1, 2)
        elif self.form.channels == 1:
            made = made[..., 0]
        whole = made[np.arange(self.length) % len(made)]
        return torch.from_numpy(whole) if as_tensor else whole

    def _long(self) -> torch.Tensor:
        targets = torch.from_numpy(self.labels.astype(np.int64))
        if _name(self.data) == "QMNIST":  # the class, and seven facts about the writer
            return torch.stack([targets, *[torch.zeros_like(targets)] * 7], dim=1)
        return targets

    def _paths(self, suffix: str, below: str = "") -> list[Path]:
        return [
            self.folder / f"{below}class_{label}" / f"{n:07d}.{suffix}"
            for n, label in enumerate(self.labels.tolist())
        ]


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)
