"""Runs that were made are not made again, whatever a kill left of the file."""

from __future__ import annotations

from pathlib import Path

from knowledge.audit.journal import Journal
from knowledge.audit.model import BlockRun


async def keep(path: Path, *names: str, torch: str = "2.13") -> tuple[list[str], int]:
    """Ask a fresh journal for runs; what they printed, and how many were made now."""
    journal = Journal(path, {"torch": torch})

    def run(name: str):
        async def made() -> BlockRun:
            return BlockRun(outcome="ok", stdout=f"{name}\n\u2028")

        return made

    said = [(await journal.keep(name, run(name))).stdout for name in names]
    journal.close()
    return [text.split("\n")[0] for text in said], journal.made


async def test_a_run_is_made_once(tmp_path: Path):
    """On another torch it is another run."""
    path = tmp_path / "audit" / "runs.jsonl"

    assert await keep(path, "a", "b", "a") == (["a", "b", "a"], 2)
    assert await keep(path, "b", "c") == (["b", "c"], 1)
    assert await keep(path, "a", torch="2.14") == (["a"], 1)


async def test_a_torn_last_line_costs_one_run(tmp_path: Path):
    """At whatever byte the kill came, every other run is still known."""
    path = tmp_path / "runs.jsonl"
    await keep(path, "a", "b")
    whole = path.read_bytes()
    for cut in range(whole.rindex(b"\n"), len(whole), 7):
        path.write_bytes(whole[:cut])

        assert await keep(path, "a", "b") == (["a", "b"], 1)
        assert await keep(path, "a", "b") == (["a", "b"], 0)
