"""Which tests one process takes, where several test side by side."""

from __future__ import annotations

from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

_FOLDER = Path(__file__).parent / "knowledge/repair/codemods"
_CODEMODS = [p.stem.replace("_", "-") for p in _FOLDER.glob("*.py")]

# Each test starts what it needs, and takes long: a file of them would keep one process to the end.
_EACH_FOR_ITSELF = ("/test_kill.py", "/test_survival.py")


class Together(LoadScopeScheduling):
    """What shares a fixture, or asks the same programs, is tested by the same process.

    `--dist loadgroup` would do, but it groups nothing with pytest 9.2, and says so nowhere:
    https://github.com/pytest-dev/pytest-xdist/issues/1386
    """

    def _split_scope(self, nodeid: str) -> str:
        """The group of a test: its file, or a part of a file that is long."""
        file, _, test = nodeid.partition("::")
        if file.endswith("/test_every_codemod.py"):
            return max((c for c in _CODEMODS if f"[{c}" in test), key=len, default=file)
        if file.endswith(_EACH_FOR_ITSELF):
            return nodeid
        return file
