"""Say which version this is, so that a bot and an executor that differ find out before they work.

The package's version alone would not do: it changes at a release, and between two releases teams
run checkouts and rebuild one of two containers. So a digest of the source goes along, of all that
runs behind the executor's walls: its own modules, and those with which it applies our codemods.
An article's text may differ.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

HEADER = "X-Torchmedic-Version"  # in requests that run something, and in their answers


@cache
def version() -> str:
    """The version of these files, as they were when it was first asked for: `0.1.0+0f3a…`."""
    try:
        released = metadata.version("torchmedic")
    except metadata.PackageNotFoundError:  # files that were copied, not installed
        released = "0"
    return f"{released}+{digest(Path(__file__).parents[1])}"


def digest(root: Path) -> str:
    """A short digest of the sources below a folder that holds `executor` and `knowledge`."""
    # Read as files: the executor imports nothing of knowledge/.
    known = root / "knowledge"
    paths = [
        *(root / "executor").rglob("*.py"),
        *(known / "repair").rglob("*.py"),
        *known.glob("articles/*/codemod.py"),
        known / "articles" / "slugs.py",
        known / "errors.py",
    ]
    found = hashlib.sha256()
    for path in sorted(p for p in paths if p.is_file()):
        found.update(str(path.relative_to(root)).encode() + b"\0")
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:12]
