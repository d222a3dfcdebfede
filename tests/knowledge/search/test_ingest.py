"""Facts about knowledge/search/ingest.py, with real files and a model that counts."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from knowledge.errors import IndexDamagedError, IndexMissingError
from knowledge.search import ingest
from knowledge.search.index import BuildReport, Index, build_index, open_index
from knowledge.search.ingest import Shelf


class HashModel:
    """Vectors that depend on the text alone and cost nothing; remembers what it embedded."""

    identity = "hash@1"

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.embedded += texts
        rows = [np.frombuffer(hashlib.sha256(t.encode()).digest(), np.uint8) for t in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), 32) - 127.5
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


@dataclass
class Desk:
    """A folder of documents, its index, and what was said about them."""

    folder: Path
    state: Path
    model: HashModel = field(default_factory=HashModel)
    said: list[str] = field(default_factory=list)

    def shelf(self) -> Shelf:
        self.said.clear()
        return Shelf([self.folder], self.state, lambda error: self.said.append(str(error)))

    def take_in(self) -> BuildReport:
        self.model.embedded.clear()
        shelf = self.shelf()
        try:
            old: Index | None = open_index(self.state)
        except (IndexMissingError, IndexDamagedError):
            old = None
        report = build_index(self.state, shelf.take_in(old), self.model)
        shelf.keep()
        return report


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Forty notes in two folders, read and indexed, none of them of just now."""
    folder = tmp_path / "notes"
    for number in range(40):
        path = folder / f"part{number % 2}" / f"note{number:02}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\nIts text says {number}.\n")
        age(path)
    made = Desk(folder, tmp_path / "index")
    made.take_in()
    return made


def age(path: Path) -> None:
    """Let it be of yesterday; its time of change cannot be set and stays that of now."""
    yesterday = time.time() - 86_400
    os.utime(path, (yesterday, yesterday))


def test_one_changed_file_is_read_and_embedded_alone(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    """What did not change is taken over: not read, not cut, not embedded."""
    monkeypatch.setattr("knowledge.documents.files._RACY_NS", 0)  # as if the notes were minutes old
    desk.take_in()
    read: list[Path] = []
    monkeypatch.setattr(ingest, "read", lambda path: (read.append(path), path.read_bytes())[1])
    changed = desk.folder / "part1" / "note07.md"
    changed.write_text("# Note 7\n\nIt says something else.\n")
    assert desk.shelf().known() is None
    read.clear()

    report = desk.take_in()

    assert desk.model.embedded == ["Note 7\nIt says something else."]
    assert read == [changed]
    assert (report.sources, report.embedded) == (40, 1)
    assert desk.shelf().known() is not None


def test_a_touched_file_is_no_change(desk: Desk):
    """Another time and the same bytes: the index stays as it is."""
    (desk.folder / "part0" / "note00.md").touch()

    known = desk.shelf().known()

    assert known is not None and len(known) == 40
    open_index(desk.state, known, desk.model)


def test_a_rewrite_within_one_tick_of_the_clock_is_seen(desk: Desk):
    """Same size, same time of writing, same inode: only the bytes tell."""
    path = desk.folder / "part0" / "note00.md"
    before = path.stat()
    with path.open("r+b") as file:
        file.write(b"# NOTE")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert desk.shelf().known() is None


def test_new_moved_and_removed_files_are_seen(desk: Desk):
    """The index follows the folder; only the new text is embedded."""
    (desk.folder / "part0" / "note00.md").unlink()
    (desk.folder / "part0" / "note02.md").rename(desk.folder / "part1" / "note02.md")
    (desk.folder / "new.txt").write_text("No heading, one line.")
    assert desk.shelf().known() is None

    assert desk.take_in().sources == 40
    assert desk.model.embedded == ["new", "No heading, one line."]


def test_without_ledger_everything_is_read_and_nothing_embedded(desk: Desk):
    """Lost, damaged, or of other code: it is a help, not a truth."""
    for content in (None, "{", '{"readers": "other", "files": {}}', '{"readers": 1}'):
        ledger = desk.state / "ledger.json"
        ledger.unlink() if content is None else ledger.write_text(content)
        assert desk.take_in().embedded == 0
        assert desk.shelf().known() is not None


def test_broken_files_are_named_and_nothing_else_is_lost(desk: Desk):
    """Each with its reason, also when nothing changed since."""
    bad = desk.folder / "bad"
    bad.mkdir()
    (bad / "latin.md").write_bytes(b"one\ncaf\xe9\n")
    (bad / "torn.ipynb").write_text('{"cells": [')
    (bad / "empty.md").write_text(" \n")
    (bad / "twin.md").write_text("---\nid: note03\n---\nSame id.")
    (bad / "loop.md").symlink_to(bad / "loop.md")
    (bad / "gone.md").symlink_to(bad / "nowhere")
    (bad / "again").symlink_to(desk.folder)
    os.mkfifo(bad / "pipe.txt")
    with (bad / "huge.txt").open("wb") as file:
        file.truncate(1 << 30)  # a gigabyte that takes no room
    reasons = {
        "latin.md:2": "not UTF-8", "torn.ipynb": "not the JSON", "empty.md": "it is empty",
        "note03.md": "already that of", "loop.md": "symbolic links", "gone.md": "No such file",
        "again": "read already", "pipe.txt": "no regular file", "huge.txt": "1,073,741,824 bytes",
    }  # fmt: skip

    assert desk.take_in().sources == 40
    for again in (False, True):
        if again:
            assert desk.shelf().known() is not None
        assert len(desk.said) == len(reasons), desk.said
        for name, reason in reasons.items():
            assert any(name in said and reason in said for said in desk.said), (name, desk.said)

    (desk.folder / "part1" / "note03.md").unlink()
    desk.take_in()
    assert len(desk.said) == len(reasons) - 1  # the twin has its id now


def no_override() -> None:
    """Let permissions hold for root, too: without CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
    if os.geteuid() == 0:
        for capability in (1, 2):
            assert ctypes.CDLL(None).prctl(24, capability, 0, 0, 0) == 0  # PR_CAPBSET_DROP


def test_a_file_nobody_may_read_is_named(desk: Desk):
    """No permission: for a file and for a folder."""
    asked = """
import sys
from pathlib import Path
from knowledge.search.ingest import Shelf
said = []
print(len(Shelf([Path(sys.argv[1])], Path(sys.argv[2]), said.append).take_in(None)))
print(*said, sep="\\n")
"""
    secret = desk.folder / "part0" / "note00.md"
    secret.chmod(0)
    (desk.folder / "part1").chmod(0)

    done = subprocess.run(
        [sys.executable, "-c", asked, desk.folder, desk.state],
        capture_output=True,
        text=True,
        preexec_fn=no_override,
    )

    (desk.folder / "part1").chmod(0o755)
    count, *said = done.stdout.splitlines()
    assert count == "19", done.stderr
    assert all("Permission denied" in line for line in said)
    assert sorted(line.partition(":")[0] for line in said) == [
        str(secret),
        str(desk.folder / "part1"),
    ]


# Run as a process of its own, so that it can be killed: embeds slowly, by the hash of the text.
TAKE_IN = """
import sys, time
from pathlib import Path
import numpy as np
from tests.knowledge.search.test_ingest import Desk, HashModel

class Slow(HashModel):
    def encode(self, texts):
        time.sleep(0.004 * len(texts))
        return super().encode(texts)

desk = Desk(Path(sys.argv[1]), Path(sys.argv[2]), Slow())
print("ready", flush=True)
desk.take_in()
print(len(desk.model.embedded), flush=True)
"""


def test_killed_at_any_moment_it_goes_on_where_it_stopped(tmp_path: Path):
    """kill -9, again and again: the index equals that of an undisturbed run, byte by byte.

    TORCHMEDIC_KILLS=20 kills more often.
    """
    kills = int(os.environ.get("TORCHMEDIC_KILLS", "3"))
    draw = random.Random(7)
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(400):
        (folder / f"n{number}.md").write_text(f"# Note {number}\n\n{draw.random()}")
    calm = Desk(folder, tmp_path / "calm")
    calm.take_in()
    expected = content(calm.state)

    state = tmp_path / "killed"
    while_embedding = 0
    for _ in range(kills):
        process = subprocess.Popen(
            [sys.executable, "-c", TAKE_IN, str(folder), str(state)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(draw.uniform(0, 1.5))
        process.kill()
        process.communicate()
        while_embedding += any(state.glob("kept-*"))
        if (state / "ledger.json").exists():  # it came to its end: begin with nothing again
            shutil.rmtree(state)
    end = Desk(folder, state)
    end.take_in()

    assert while_embedding
    assert content(state) == expected
    assert not list(state.glob("kept-*"))
    assert end.shelf().known() is not None


def content(state: Path) -> dict[str, bytes]:
    """Vectors, passages and code, and what the manifest says of the sources."""
    manifest = json.loads((state / "manifest.json").read_text())
    generation = state / manifest["generation"]
    found = {path.name: path.read_bytes() for path in generation.iterdir()}
    return {**found, "sources": json.dumps(manifest["sources"]).encode()}


def test_a_torn_write_spoils_nothing(desk: Desk):
    """What a kill left of the last vectors is cut off; the whole ones before it are used."""
    (desk.state / "manifest.json").unlink()
    shelf = desk.shelf()
    entries = shelf.take_in(None)

    class Stops(HashModel):
        left = 64

        def encode(self, texts: Sequence[str]) -> np.ndarray:
            if len(texts) > self.left:
                raise KeyboardInterrupt
            self.left -= len(texts)
            return super().encode(texts)

    stops = Stops()
    with pytest.raises(KeyboardInterrupt):
        build_index(desk.state, entries, stops)
    (kept,) = desk.state.glob("kept-*")
    content_before = kept.read_bytes()
    for torn in (content_before[:-7], content_before + b"\0" * 5, content_before[:-40] + b"x" * 40):
        kept.write_bytes(torn)
        stops.left = 1  # less than is missing: it stops again, or appends one where it may
        with pytest.raises(KeyboardInterrupt):
            build_index(desk.state, entries, stops)
    model = HashModel()
    build_index(desk.state, entries, model)

    assert len(model.embedded) <= 80 - 62
    index = open_index(desk.state)
    assert np.array_equal(
        index.vectors(range(80)), HashModel().encode([p.text for p in index.passages])
    )
