"""bot/service/store/: what is kept is kept, once, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio
from sqlalchemy import create_engine, inspect

from bot.errors import StateError
from bot.models import Answer, RunWith
from bot.service.seam import Attached, CardRef, Incoming, Person, Place
from bot.service.store import Store, migrations
from bot.service.store.alone import alone
from bot.service.store.database import Database
from bot.service.store.health import look
from bot.service.store.past import Past, asked_since
from bot.service.store.retention import forget


@pytest_asyncio.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An open store, on either."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("postgres")
    async with Store.at(url, tmp_path) as store:
        yield store
        await forget(store.database, -1)  # the server is shared: leave nothing


def incoming(event: str, text: str = "why?", message: str = "1.1") -> Incoming:
    """A message in a thread."""
    place = Place(platform="slack", workspace="T", channel="C", thread="1.0", message=message)
    return Incoming(
        event,
        Person(id="U1", name="maya"),
        place,
        text,
        "mention",
        (Attached(name="x.py", size=3, url="http://f/x.py"),),
    )


async def still_open(store: Store) -> list[Past]:
    """What was taken in and is not answered."""
    return [past async for past in asked_since(store.database, 0) if past.state == "open"]


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
    assert len(await still_open(store)) == 1


async def test_an_answer_to_an_older_wording_is_not_kept(store: Store):
    """The question was edited while it ran."""
    asked = await store.take(incoming("e1"))
    assert asked is not None
    edited = await store.again(asked.id, "e2", text="and now?", run_with=RunWith(seed=7))
    assert edited is not None
    old = await store.answered(asked.id, asked.revision, Answer(status="unsure", headline="old"))
    new = await store.answered(asked.id, edited.revision, Answer(status="unsure", headline="new"))
    await store.done(asked.id, asked.revision)
    unanswered = await still_open(store)
    await store.done(asked.id, edited.revision)
    kept = await store.get(asked.id)

    assert (old, new) == (False, True) and len(unanswered) == 1
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
    """Text, files and answer go at once, its card can be found; it is not opened again."""
    asked = await store.take(incoming("e1", "secret"))
    assert asked is not None
    await store.shown(asked.id, CardRef(channel="C", message="2.0"))
    await store.deleted(asked.id)
    kept = await store.again(asked.id, "e2", text="edited")

    assert kept is not None and kept.state == "deleted" and kept.card is not None
    assert kept.text == "" and kept.attachments == ()


async def test_retention(store: Store):
    """What is older than the setting says goes, with what people said about it."""
    asked = await store.take(incoming("e1"))
    assert asked is not None
    await store.say(asked.id, asked.asker, "wrong", "p1", "it is not")
    kept, gone = [await forget(store.database, days) for days in (1, 0)]

    assert (kept, gone) == (0, 1)
    assert await store.get(asked.id) is None and await store.feedback(asked.id) == []
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
    from bot.service.store import Store
    from tests.bot.service.test_store import incoming
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
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert writer.stdout is not None
    for _ in range(40):
        last = int(await asyncio.to_thread(writer.stdout.readline))
    writer.kill()
    rest = writer.communicate()[0].split()
    last = int(rest[-1]) if rest else last
    async with Store.at(url, tmp_path) as store:
        kept = await still_open(store)
        again = [await store.take(incoming(f"e{n}")) for n in range(last + 1)]
        await forget(store.database, -1)

    assert len(kept) in (last + 1, last + 2)  # one may have been kept and not yet said
    assert again == [None] * (last + 1)


def test_a_wrong_url_is_refused_in_words(tmp_path: Path):
    """Without repeating it: it may hold a password."""
    with pytest.raises(StateError, match="postgresql://") as refused:
        Database.at("mysql://root:hunter2@db/x", tmp_path)
    assert "hunter2" not in str(refused.value)


async def test_a_server_that_is_not_there_is_one_line(tmp_path: Path):
    """The next step, and no password."""
    database = Database.at("postgresql://medic:hunter2@127.0.0.1:1/x", tmp_path)
    with pytest.raises(StateError, match=r"check store\.url") as refused:
        await database.open()
    assert "hunter2" not in str(refused.value)


# -- schema --------------------------------------------------------------------------------------


async def _first_schema(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A database as it was before there were migrations, with two questions; its URL."""
    script = (Path(__file__).parents[1] / "data" / f"first_schema.{kind}.sql").read_text()
    if kind == "sqlite":
        with sqlite3.connect(tmp_path / "torchmedic.db") as db:
            db.executescript(script)
        db.close()
        return ""
    url: str = request.getfixturevalue("database")
    server = await asyncpg.connect(url)
    await server.execute(script)
    await server.close()
    return url


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_an_older_database_is_upgraded_in_place(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
):
    """Made by the version before: nothing of it is lost, and what was open is taken up."""
    url = await _first_schema(kind, tmp_path, request)
    before = Database.at(url, tmp_path)
    looked = await look(before)
    await before.close()
    async with Store.at(url, tmp_path) as store:
        (unfinished,) = await store.leases.claim("slack")
        done = await store.by_message(Place(platform="slack", channel="C", message="1.1"))
        known = [await store.take(incoming(e, message="9")) for e in ("e1", "e2")]
        assert done is not None
        said = await store.feedback(done.id)
        theirs = await store.is_theirs(done.place)
        after = await look(store.database)

    assert "from before it had numbers" in looked and "2 questions" in after
    assert unfinished.text == "still open" and known == [None, None]
    assert done.solved and done.text == "why is 'x' nan? 🧪" and done.answer is not None
    assert said == [("U1", "solved", "")] and theirs


async def test_the_migrations_make_what_the_store_uses(tmp_path: Path):
    """The two are written by hand, so they are held against each other: columns and indexes."""
    from bot.service.store.tables import SCHEMA

    async with Database.at("", tmp_path):
        pass
    engine = create_engine(f"sqlite:///{tmp_path / 'torchmedic.db'}")
    made = inspect(engine)
    for name, table in SCHEMA.tables.items():
        there = {c["name"]: (str(c["type"]), c["nullable"]) for c in made.get_columns(name)}
        meant = {c.name: (str(c.type), c.nullable) for c in table.columns}
        indexes = {(i["name"], tuple(i["column_names"])) for i in made.get_indexes(name)}
        assert there == meant
        assert indexes == {(i.name, tuple(c.name for c in i.columns)) for i in table.indexes}
    engine.dispose()


async def test_a_newer_database_is_left_alone(tmp_path: Path):
    """An old version must not write to what it does not understand."""
    async with Database.at("", tmp_path):
        pass
    with sqlite3.connect(tmp_path / "torchmedic.db") as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    db.close()
    database = Database.at("", tmp_path)
    for use in (database.open(), look(database)):
        with pytest.raises(StateError, match="newer Torchmedic; install"):
            await use
    await database.close()


async def test_two_that_start_at_once_both_upgrade(database: str, tmp_path: Path):
    """One makes the tables, the other waits for it."""
    bots = [Database.at(database, tmp_path) for _ in range(4)]
    await asyncio.gather(*(b.open() for b in bots))
    looked = {await look(b) for b in bots}
    for b in bots:
        await b.close()

    assert len(looked) == 1 and f"schema {migrations.head()}, 0 questions" in looked.pop()


# -- several bots --------------------------------------------------------------------------------


async def test_who_lost_its_lease_writes_nothing(database: str, tmp_path: Path):
    """A bot that was silent for too long: the other one answers, and it alone."""
    answer = Answer(status="unsure", headline="late")
    async with Store.at(database, tmp_path, 0.5) as slow, Store.at(database, tmp_path) as other:
        asked = await slow.take(incoming("e1"))
        assert asked is not None
        early = await other.leases.claim("slack")
        await asyncio.sleep(0.7)
        (taken,) = await other.leases.claim("slack")
        held = await slow.leases.hold(asked.id, asked.revision, showing=True)
        still = await slow.leases.renew([asked.id])
        kept = await slow.answered(asked.id, asked.revision, answer)
        shown = await slow.shown(asked.id, CardRef(channel="C", message="2"))
        await slow.done(asked.id, asked.revision)
        theirs = await other.leases.hold(taken.id, taken.revision, showing=True)
        now = await other.get(asked.id)

    assert early == [] and taken.id == asked.id and theirs
    assert (held, still, kept, shown) == (False, set(), False, False)
    assert now is not None and now.state == "open" and now.answer is None and now.card is None


async def test_a_lease_is_renewed_and_given_back(database: str, tmp_path: Path):
    """Who says so in time keeps its questions; who ends in peace leaves them at once."""
    async with Store.at(database, tmp_path, 0.6) as one, Store.at(database, tmp_path) as other:
        asked = await one.take(incoming("e1"))
        assert asked is not None
        for _ in range(4):
            await asyncio.sleep(0.25)
            assert await one.leases.renew([asked.id]) == {
                asked.id
            } and not await other.leases.claim("slack")
        await one.leases.release()
        (taken,) = await other.leases.claim("slack")

    assert taken.id == asked.id


async def test_two_that_claim_at_once_get_different_questions(database: str, tmp_path: Path):
    """Eight bots find a dead one's sixty questions: each question goes to one of them."""
    async with Store.at(database, tmp_path, 0.1) as dead:
        ids = {(await dead.take(incoming(f"e{n}"))).id for n in range(60)}  # type: ignore[union-attr]
        await asyncio.sleep(0.2)
        bots = [Store.at(database, tmp_path) for _ in range(8)]
        taken = await asyncio.gather(*(b.leases.claim("slack", 9) for b in bots for _ in range(2)))
        for b in bots:
            await b.database.close()
    got = [asked.id for some in taken for asked in some]

    assert len(got) == len(set(got)) and set(got) == ids


HOLDER = """
    import asyncio, sys
    from pathlib import Path
    from bot.service.store.alone import alone
    from bot.service.store.database import Database
    async def main():
        database = Database.at(sys.argv[1], Path(sys.argv[2]))
        async with alone(database, "discord", print):
            print("alone", flush=True)
            await asyncio.sleep(60)
    asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_second_process_is_refused_or_waits(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
):
    """SQLite: one clear line. PostgreSQL: it waits. And kill -9 leaves no lock behind."""
    url = "" if kind == "sqlite" else request.getfixturevalue("postgres")
    with subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", textwrap.dedent(HOLDER), url, str(tmp_path)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    ) as first:
        assert first.stdout is not None
        assert await asyncio.to_thread(first.stdout.readline) == b"alone\n"
        database = Database.at(url, tmp_path)
        told: list[str] = []
        if kind == "sqlite":
            with pytest.raises(StateError, match=r"another process.*set store\.url to a Postgre"):
                async with alone(database, "discord", told.append):
                    pass
            async with alone(database, "slack", told.append):
                pass  # another front end's questions are others
        else:
            loop = asyncio.get_running_loop()
            loop.call_later(1.5, first.kill)
        began = time.monotonic()
        if kind == "sqlite":
            first.kill()
            await asyncio.to_thread(first.wait)
        async with alone(database, "discord", told.append):
            waited = time.monotonic() - began
        first.kill()
        await database.close()

    if kind == "postgresql":
        assert told == ["another bot answers in Discord; waiting to take its place"]
        assert waited > 1
