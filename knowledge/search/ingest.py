"""Update the index from a team's files: read the changed ones, take the rest from the old index.

`ledger.json` beside the index records each file's stamp and content hash. A file with the same
stamp is not read; one with another stamp and the same bytes is not cut into passages again; and
only new passages are embedded. The ledger only saves time: without it every file is read once
more, but nothing is embedded twice.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from knowledge import signature
from knowledge.documents import document, markdown, notebook
from knowledge.documents.document import parse_file
from knowledge.documents.files import OnError, Stamp, find, read, stamp
from knowledge.errors import DocumentError
from knowledge.search import passages
from knowledge.search.index import Entry, Index, Known, cut, replace_file

_NAME = "ledger.json"
# Whoever reads files differently finds other things in them.
_READERS = (document, markdown, notebook, passages, signature)


@dataclass(frozen=True)
class _Record:
    """One file as it was read."""

    stamp: Stamp
    seen_ns: int  # when; see Stamp.settled
    content: str = ""  # SHA-256 of its bytes; "" if they could not be read
    id: str = ""
    digest: str = ""
    error: str = ""  # why it was left out
    clash: bool = False  # left out because of another file, not for itself


class Shelf:
    """The files of some paths."""

    def __init__(self, paths: Sequence[Path], folder: Path, on_error: OnError) -> None:
        """
        Args:
            paths: files, or folders that are searched with everything below them.
            folder: that of the index; the ledger is kept there.
            on_error: told of every file that is left out, each time it is.
        """
        self._paths = paths
        self._file = folder / _NAME
        self._on_error = on_error
        self._records = _read_ledger(self._file)
        self._written = dict(self._records)

    def known(self) -> list[Known] | None:
        """What the index should hold of the files if none changed since `take_in`; else None."""
        errors: list[DocumentError] = []
        found: list[Known] = []
        left = set(self._records)
        for path in find(self._paths, errors.append):
            record = self._records.get(str(path))
            if record is None or str(path) not in left:
                return None
            left.remove(str(path))
            try:
                now = stamp(path)
                if not _is_as_seen(record, now):
                    seen_ns = time.time_ns()
                    if _hash(read(path)) != record.content:
                        return None
                    self._records[str(path)] = replace(record, stamp=now, seen_ns=seen_ns)
            except DocumentError as error:
                if str(error) != record.error:
                    return None
            if record.error:
                errors.append(DocumentError(record.error))
            else:
                found.append(Known(record.id, record.digest))
        if left:
            return None
        for left_out in errors:
            self._on_error(left_out)
        return found

    def take_in(
        self, old: Index | None, progress: Callable[[int, int], None] | None = None
    ) -> list[Entry]:
        """All sources in the files, sorted by path; `old` entries of unchanged files are reused.

        A file that is broken or cannot be read is left out and reported; nothing else is lost.
        """
        held = old.entries() if old is not None else {}
        files = list(dict.fromkeys(find(self._paths, self._on_error)))
        before, self._records = self._records, {}
        taken: dict[str, Entry] = {}
        for number, path in enumerate(files, 1):
            record, entry = _take(path, before.get(str(path)), held)
            if entry is not None and (other := taken.get(entry.source.id)) is not None:
                message = (
                    f"{path}: the id `{entry.source.id}` is already that of {other.source.path}; "
                    "give one of them another `id`"
                )
                record, entry = replace(record, error=message, clash=True), None
            if record.error:
                self._on_error(DocumentError(record.error))
            if entry is not None:
                taken[entry.source.id] = entry
            self._records[str(path)] = record
            if progress is not None:
                progress(number, len(files))
        return list(taken.values())

    def keep(self) -> None:
        """Write the ledger, once the index holds what was taken in. That it cannot be written
        costs only time."""
        if self._records == self._written:
            return
        files = {path: asdict(record) for path, record in self._records.items()}
        try:
            replace_file(self._file, json.dumps({"readers": _readers(), "files": files}))
        except OSError:
            return
        self._written = dict(self._records)


def _is_as_seen(record: _Record, now: Stamp) -> bool:
    return now == record.stamp and now.settled(record.seen_ns)


def _take(
    path: Path, record: _Record | None, held: dict[str, Entry]
) -> tuple[_Record, Entry | None]:
    """Get a file's entry with as little reading as possible."""
    now = Stamp(0, 0, 0, 0, 0)
    seen_ns = time.time_ns()
    content = ""
    try:
        now = stamp(path)
        entry = _held(path, record, held)
        if record is not None and _is_as_seen(record, now) and not record.clash:
            if record.error:
                return record, None
            if entry is not None:
                return record, entry
        data = read(path)
        content = _hash(data)
        if entry is None or record is None or record.content != content:
            entry = cut(parse_file(data, path))
    except DocumentError as error:
        return _Record(now, seen_ns, content, error=str(error)), None
    return _Record(now, seen_ns, content, entry.source.id, entry.source.digest), entry


def _held(path: Path, record: _Record | None, held: dict[str, Entry]) -> Entry | None:
    """The index's entry of this file, if it matches the record."""
    if record is None or record.error:
        return None
    entry = held.get(record.id)
    if entry is None or entry.source.kind != "document":
        return None
    same = entry.source.digest == record.digest and entry.source.path == str(path)
    return entry if same else None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _readers() -> str:
    """Names the code that reads and cuts files."""
    found = hashlib.sha256(markdown.LIBRARY.encode())
    for module in _READERS:
        found.update(Path(str(module.__file__)).read_bytes())
    return found.hexdigest()


def _read_ledger(path: Path) -> dict[str, _Record]:
    try:
        ledger: Any = json.loads(path.read_text(encoding="utf-8"))
        if ledger["readers"] != _readers():
            return {}
        return {
            name: _Record(**{**record, "stamp": Stamp(*record["stamp"])})
            for name, record in ledger["files"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
