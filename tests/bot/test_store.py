"""bot/store.py: what is kept is kept, once, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.errors import StateError
from bot.models import Answer, RunWith
from bot.platforms.base import Attached, CardRef, Incoming, Person, Place
from bot.store import Store


def _postgres() -> Path | None:
    """Where PostgreSQL's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of our own, on a socket in a folder of its own; its URL."""
    programs = _postgres()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql): not tested on it")
    folder = tmp_path_factory.mktemp("postgres")
    # It refuses to run as root.
    as_user = []
    if os.getuid() == 0:
        for path in (folder, *folder.parents):
            if path.stat().st_uid == 0 and path.is_relative_to(folder.parents[1]):
                path.chmod(0o755)
        shutil.chown(folder, "nobody")
        as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    data = folder / "data"
    subprocess.run(
        [*as_user, programs / "initdb", "-D", data, "-U", "medic", "--auth=trust", "-N"],
        check=True, capture_output=True, cwd=folder,
    )  # fmt: skip
    server = subprocess.Popen(
        [*as_user, programs / "postgres", "-D", data, "-k", folder, "-h", ""],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(300):
            ready = subprocess.run([programs / "pg_isready", "-h", folder], capture_output=True)
            if ready.returncode == 0:
                break
            time.sleep(0.1)
        yield f"postgresql://medic@/postgres?host={folder}"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


@pytest_asyncio.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An open store, on either."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("postgres")
    async with Store.at(url, tmp_path) as store:
        yield store
        await store.forget(-1)  # the server is shared: leave nothing


def incoming(event: str, text: str = "why?", message: str = "1.1") -> Incoming:
    """A message in a thread."""
    place = Place(platform="slack", workspace="T", channel="C", thread="1.0", message=message)
    return Incoming(event, Person(id="U1", name="maya"), place, text, "mention",
                    (Attached(name="x.py", size=3, url="http://f/x.py"),))  # fmt: skip


async def test_a_question_is_kept_as_it_came(store: Store):
    """Every word of it, whatever characters it is made of."""
    text = "why?\n\x00 NUL, half an emoji \ud83d, \u202e, 🧪 and 'quotes' \\ %s"
    asked = await store.take(incoming("e1", text))
    assert asked is not None
    again = await store.get(asked.id)

    assert again == asked and asked.state == "open" and asked.revision == 0
    assert "🧪 and 'quotes' \\ %s" in asked.text and "\x00" not in asked.text
    assert asked.attachments[0].url == "http://f/x.py" and asked.asker.name == "maya"


async def test_a_delivery_is_kept_once(store: Store):
    """However often it comes, and however many come at the same moment."""
    taken = await asyncio.gather(*(store.take(incoming("same")) for _ in range(8)))
    clicks = await asyncio.gather(*(store.first_time("click") for _ in range(8)))

    assert sum(t is not None for t in taken) == 1
    assert sorted(clicks) == [False] * 7 + [True]
    assert len(await store.unfinished("slack")) == 1


async def test_an_answer_to_an_older_wording_is_not_kept(store: Store):
    """The question was edited while it ran."""
    asked = await store.take(incoming("e1"))
    assert asked is not None
    edited = await store.again(asked.id, text="and now?", run_with=RunWith(seed=7))
    assert edited is not None
    old = await store.answered(asked.id, asked.revision, Answer(status="unsure", headline="old"))
    new = await store.answered(asked.id, edited.revision, Answer(status="unsure", headline="new"))
    await store.done(asked.id, asked.revision)
    still_open = await store.unfinished("slack")
    await store.done(asked.id, edited.revision)
    kept = await store.get(asked.id)

    assert (old, new) == (False, True) and len(still_open) == 1
    assert kept is not None and kept.state == "done" and kept.run_with.seed == 7
    assert kept.answer is not None and kept.answer.headline == "new"


async def test_questions_are_found_by_message_and_thread(store: Store):
    """The newest of a message, all of a thread in order; a private one makes no thread ours."""
    first = await store.take(incoming("e1", message="1.1"))
    second = await store.take(incoming("e2", message="1.2"))
    private = incoming("e3")
    place = private.place.model_copy(update={"private": True, "person": "U1"})
    await store.take(Incoming("e3", private.asker, place, "?", "shortcut"))
    assert first is not None and second is not None

    assert [a.id for a in await store.in_thread(first.place)] == [first.id, second.id]
    assert await store.by_message(second.place) == second
    assert await store.in_thread(place) == []


async def test_what_is_deleted_is_gone(store: Store):
    """Text, files and answer go at once; it is not opened again."""
    asked = await store.take(incoming("e1", "secret"))
    assert asked is not None
    await store.shown(asked.id, CardRef(channel="C", message="2.0"))
    await store.deleted(asked.id)
    kept = await store.again(asked.id, text="edited")

    assert kept is not None and kept.state == "deleted" and kept.card is None
    assert kept.text == "" and kept.attachments == ()


async def test_retention(store: Store):
    """What is older than the setting says goes, with what people said about it."""
    asked = await store.take(incoming("e1"))
    assert asked is not None
    await store.say(asked.id, asked.asker, "wrong", "it is not")
    kept, gone = await store.forget(1), await store.forget(0)

    assert (kept, gone) == (0, 1)
    assert await store.get(asked.id) is None and await store.said(asked.id) == []
    assert await store.first_time("e1")


async def test_the_teams_word_is_remembered(store: Store):
    """Said twice is said."""
    place = incoming("e").place
    before = await store.is_theirs(place)
    await asyncio.gather(store.team_spoke(place), store.team_spoke(place))

    assert (before, await store.is_theirs(place)) == (False, True)


WRITER = """
    import asyncio, sys
    from pathlib import Path
    from bot.store import Store
    from tests.bot.test_store import incoming
    async def main():
        async with Store.at(sys.argv[1], Path(sys.argv[2])) as store:
            for n in range(10_000):
                await store.take(incoming(f"e{n}"))
                print(n, flush=True)
    asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_what_was_acknowledged_survives_a_kill(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
):
    """kill -9 in the middle of writing: everything that was said to be kept is there, whole."""
    url = "" if kind == "sqlite" else request.getfixturevalue("postgres")
    writer = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", textwrap.dedent(WRITER), url, str(tmp_path)],
        stdout=subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert writer.stdout is not None
    for _ in range(40):
        last = int(await asyncio.to_thread(writer.stdout.readline))
    writer.kill()
    rest = writer.communicate()[0].split()
    last = int(rest[-1]) if rest else last
    async with Store.at(url, tmp_path) as store:
        kept = await store.unfinished("slack")
        again = [await store.take(incoming(f"e{n}")) for n in range(last + 1)]
        await store.forget(-1)

    assert len(kept) in (last + 1, last + 2)  # one may have been kept and not yet said
    assert again == [None] * (last + 1)


def test_a_wrong_url_is_refused_in_words(tmp_path: Path):
    """Without repeating it: it may hold a password."""
    with pytest.raises(StateError, match="postgresql://") as refused:
        Store.at("mysql://root:hunter2@db/x", tmp_path)
    assert "hunter2" not in str(refused.value)


async def test_a_server_that_is_not_there_is_one_line(tmp_path: Path):
    """The next step, and no password."""
    store = Store.at("postgresql://medic:hunter2@127.0.0.1:1/x", tmp_path)
    with pytest.raises(StateError, match=r"check store\.url") as refused:
        await store.open()
    assert "hunter2" not in str(refused.value)
