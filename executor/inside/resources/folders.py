"""Fill a folder that is missing by how its content is used: one folder a class, or files."""

from __future__ import annotations

import os
import re
import sys

from executor.inside.resources.files import IMAGES, Files

CLASSES = 2  # every classifier has as many
_EACH = 16  # images of one class
_FLAT = 16  # files of a folder without classes
_NESTED = re.compile(r"glob\([^)]*\*/\*")


def fill(path: str, at: str, files: Files) -> str:
    """Make a folder with files.

    Args:
        path: as the snippet gives it.
        at: where to make it.
        files: makes its files.

    Returns:
        what: its content in words; empty if nobody can say what it holds.
    """
    suffix = files.uses.listed_suffix()
    nested = _NESTED.search(files.uses.code) or files.uses.lists_within_a_list()
    if _by_class() or (nested and suffix in IMAGES):
        image = suffix if suffix in IMAGES else "jpg"
        for label in range(CLASSES):
            folder = os.path.join(at, f"class_{label}")
            os.makedirs(folder, exist_ok=True)
            for n in range(_EACH):
                name = f"class_{label}/image_{n:03d}.{image}"
                files.image(name, os.path.join(at, name), image, None)
        height, width = files.image_size
        return f"{CLASSES} classes of {_EACH} synthetic images of {width}x{height} pixels stand in"
    os.makedirs(at, exist_ok=True)
    for n in range(_FLAT):
        name = f"{n:04d}.{suffix}"
        if not files.write(os.path.join(path, name), os.path.join(at, name), None):
            os.rmdir(at)
            return ""
    return f"a folder with {_FLAT} made-up files (.{suffix}) stands in"


def _by_class() -> bool:
    """Whether the folder is looked through for one folder a class."""
    frame = sys._getframe(2)
    for _ in range(12):
        if frame.f_code.co_name == "find_classes":
            return True
        if frame.f_back is None:
            return False
        frame = frame.f_back
    return False
