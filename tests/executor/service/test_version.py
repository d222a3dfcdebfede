"""Facts about executor/version.py: a bot and an executor that differ find out, over real HTTP."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from executor.exceptions import VersionMismatchError
from executor.protocol import Job, Outcome
from executor.service.client import ExecutorClient
from executor.version import HEADER, digest, version
from tests.executor.another_version import ROOT, another_version

HELLO = Job(code="print('hello')")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the sources."""
    for name in ("executor", "knowledge"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("executor/jail/walls.py", True),
        ("executor/inside/explain/words.py", True),
        ("knowledge/repair/codemod.py", True),
        ("knowledge/repair/toolkit/edits.py", True),
        ("knowledge/articles/view_not_contiguous/codemod.py", True),
        ("knowledge/articles/slugs.py", True),
        ("knowledge/articles/view_not_contiguous/explanation.md", False),
        ("knowledge/articles/view_not_contiguous/broken.py", False),
        ("knowledge/search/search.py", False),
    ],
)
def test_what_runs_behind_the_walls_is_the_version(tree: Path, file: str, counts: bool) -> None:
    """A word in an article needs no new executor; a line of a codemod does."""
    before = digest(tree)
    with (tree / file).open("a") as opened:
        opened.write("\n")

    assert (digest(tree) != before) is counts


def test_a_copy_is_the_same_version_wherever_it_lies(tree: Path) -> None:
    """A container's files lie elsewhere than a checkout's."""
    assert version().endswith(f"+{digest(tree)}")


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def other(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Path, str]]:
    """The socket and the version of an executor that has another codemod."""
    with another_version(tmp_path_factory.mktemp("other")) as served:
        yield served


async def test_another_version_is_refused_with_both_named(other: tuple[Path, str]) -> None:
    """Whoever runs the bot reads what differs and what to do."""
    path, theirs = other
    async with ExecutorClient.on_socket(path) as client:
        with pytest.raises(VersionMismatchError) as raised:
            await client.run(HELLO)
        here = await client.capabilities()

    assert here["version"] == theirs != version()
    assert str(raised.value).startswith(f"the executor at {path} is version {theirs}, ")
    assert f"this bot is {version()}; install the same version for both" in str(raised.value)


async def test_a_newer_job_is_no_riddle(other: tuple[Path, str]) -> None:
    """The version is looked at before the job, which may have words that this one does not know."""
    path, theirs = other
    transport = httpx.AsyncHTTPTransport(uds=str(path))
    async with httpx.AsyncClient(transport=transport, base_url="http://x", timeout=60) as raw:
        job = {"code": "1", "a_word_of_tomorrow": 1}
        tomorrow = await raw.post("/v1/run", json=job, headers={HEADER: "9.9"})
        malformed = await raw.post("/v1/run", json=job)
        unnamed = await raw.post("/v1/run", json={"code": "print(1)"})

    assert tomorrow.status_code == 409 and "9.9" in tomorrow.text and theirs in tomorrow.text
    assert malformed.status_code == 422 and malformed.headers[HEADER] == theirs
    # A script of somebody's own names none, and is served.
    assert unnamed.json()["outcome"] == Outcome.OK and unnamed.headers[HEADER] == theirs


@pytest.mark.parametrize("status", ["200 OK", "422 Unprocessable Entity"])
async def test_one_from_before_versions_were_told_is_refused_too(
    tmp_path: Path, status: str
) -> None:
    """It does not say its version, and whatever it answers cannot be relied on."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"outcome": "ok"}'
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    path = tmp_path / "old.sock"
    server = await asyncio.start_unix_server(serve, path)
    async with server, ExecutorClient.on_socket(path) as client:
        with pytest.raises(VersionMismatchError, match="is version unknown"):
            await client.run(HELLO)
