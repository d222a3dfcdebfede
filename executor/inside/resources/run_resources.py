"""One run's resources: what stands for the data, files and weights that are not here."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from executor.inside.resources import checkpoints, folders, loaders
from executor.inside.resources.checkpoints import Checkpoints
from executor.inside.resources.downloads import Downloads
from executor.inside.resources.files import IMAGES, TEXTS, Files
from executor.inside.resources.paths import Paths, Promise
from executor.inside.resources.supplied import Supplied
from executor.inside.resources.uses import Uses

# Imported before the snippet, where its text names them.
_AT_ONCE = ("torchvision", "pandas", "transformers", "requests", "cv2", "timm", "torchaudio",
            "lightning", "pytorch_lightning")  # fmt: skip
_BY_CALL = (
    (r"\bfetch_\w+\(", "sklearn.datasets"),
    (r"\bload_dataset\(", "datasets"),
    (r"\btorch_geometric\.datasets\b", "torch_geometric"),
)


class RunResources:
    """Supplies one run with what it asks for and what is not here."""

    def __init__(
        self, tree: ast.Module, code: str, filename: str, folders: tuple[Path, ...], *, other: bool
    ) -> None:
        """Prepare for one snippet.

        Args:
            tree: its syntax tree.
            code: its text.
            filename: its file.
            folders: where the run may write.
            other: choose other sizes, where the text leaves them open.
        """
        self.supplied = Supplied(filename, tree)
        self._uses = Uses(tree, code)
        self._files = Files(self._uses, other=other)
        self._paths = Paths(folders, self._supply, self._asked_for, self._note_moved)
        self._checkpoints = Checkpoints(tree, filename, self.supplied, self._paths)
        self._code = code
        self._has_moved = False

    def install(self) -> None:
        """Let what is asked for go through here, from now on."""
        for name in _AT_ONCE:
            if re.search(rf"\b{name}\b", self._code) and importlib.util.find_spec(name):
                importlib.import_module(name)
        for pattern, name in _BY_CALL:
            top = name.partition(".")[0]
            if re.search(pattern, self._code) and importlib.util.find_spec(top):
                importlib.import_module(name)
        self._checkpoints.install()
        checkpoints.hub_weights(self.supplied, self._checkpoints)
        loaders.install(self.supplied)
        for name, install in self._of_libraries().items():
            if name in sys.modules:
                install()
        Downloads(self._files, self._paths, self.supplied).install()
        self._paths.install()

    def _of_libraries(self) -> dict[str, Callable[[], None]]:
        def torchvision() -> None:
            from executor.inside.resources import datasets

            datasets.install(self.supplied, self._paths)

        def cv2() -> None:
            self._paths.wrap(sys.modules["cv2"], "imread", reads=True)
            self._paths.wrap(sys.modules["cv2"], "imwrite", reads=False)

        def sklearn() -> None:
            from executor.inside.resources import fetchers

            fetchers.install(self.supplied)

        def transformers() -> None:
            from executor.inside.resources.hub import Hub

            Hub(self._uses, self.supplied).install()

        def timm() -> None:
            checkpoints.timm_weights(self.supplied)

        def datasets() -> None:
            from executor.inside.resources import records

            records.install(self._uses, self.supplied)

        def torch_geometric() -> None:
            from executor.inside.resources import graphs

            graphs.install(self.supplied)

        def torchaudio() -> None:
            from executor.inside.resources import sounds

            sounds.install(self.supplied)

        def lightning() -> None:
            loaders.limit_trainer(importlib.import_module("lightning.pytorch"))

        def pytorch_lightning() -> None:
            loaders.limit_trainer(sys.modules["pytorch_lightning"])

        return {
            "lightning": lightning,
            "pytorch_lightning": pytorch_lightning,
            "torch_geometric": torch_geometric,
            "torchaudio": torchaudio,
            "timm": timm,
            "datasets": datasets,
            "torchvision": torchvision,
            "sklearn": sklearn,
            "transformers": transformers,
            "cv2": cv2,
        }

    def stop(self) -> None:
        """Let the functions that take a path be what they were."""
        self._paths.stop()

    def moved(self, path: str) -> str:
        """Where a path lies here: itself, or below the folder for all that is elsewhere."""
        return str(self._paths.at(path))

    def _note_moved(self, path: str) -> None:
        if not self._has_moved and self.supplied.line() is not None:
            self._has_moved = True  # the first is told for all of them
            path = _made_by_makedirs() or path
            self.supplied.add(
                path,
                "folder",
                "what is written there goes into a folder of the run's own",
                exact=True,
            )

    def _asked_for(self, path: str) -> bool:
        return self._uses.names(path) and not self._uses.handles(self.supplied.line())

    def _supply(self, path: str, at: str, how: str, promise: Promise | None) -> bool:
        if promise is not None:
            return bool(self._files.write(path, at, promise))
        self._files.uses_line = self.supplied.line()
        if how == "list":
            what = folders.fill(path, at, self._files)
            kind = "folder"
        else:
            what = self._files.write(path, at, None)
            kind = "file"
        if not what:
            return False
        name = path
        if os.path.splitext(path)[1][1:].lower() in IMAGES:
            named = os.path.basename(path) in self._code
            name = path if named else os.path.dirname(path) or path
        shaped = not path.endswith((".npy", ".npz", ".json"))
        typed = not path.endswith(".json")
        self.supplied.add(name, kind, what, exact=False, rank_known=shaped, types_known=typed)
        if kind == "file" and path.endswith(TEXTS):
            self.supplied.free_text(name)
        return True


def _made_by_makedirs() -> str:
    """The whole path, where `os.makedirs` makes one folder of it after the other."""
    whole = ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code is os.makedirs.__code__:
            whole = str(frame.f_locals.get("name", ""))
        frame = frame.f_back
    return whole
