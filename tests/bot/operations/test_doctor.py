"""bot/operations/doctor.py: each fault that can be planted is found, with what to do about it."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from bot.operations import doctor
from bot.operations.doctor import Clocks, DoctorRow
from bot.platforms.plugins import load_settings, plugins
from bot.service.store import Store
from bot.settings import Settings
from executor.version import version
from tests.bot.fakes.discord import FakeDiscord
from tests.bot.fakes.slack import APP_TOKEN, BOT_TOKEN, SECRET, FakeSlack
from tests.executor.another_version import another_version


@dataclass
class Bot:
    """A set-up in which nothing is wrong, until a test plants something."""

    slack: FakeSlack
    variables: dict[str, str]
    state: Path

    async def rows(self, **variables: str) -> list[DoctorRow]:
        """Everything that the doctor sees."""
        return await doctor.examine(plugins(), None, (), self.variables | variables)

    def settings(self, **variables: str) -> Settings:
        """What is set."""
        return load_settings(None, self.variables | variables)

    async def row_of(
        self, platform: str, tokens: dict[str, str], **variables: str
    ) -> list[DoctorRow]:
        """What it sees of one platform with these tokens."""
        (plugin,) = [p for p in plugins() if p.name == platform]
        return await doctor._platform(plugin, self.settings(**variables), tokens, Clocks())

    async def problem(self, what: str, **variables: str) -> str:
        """The only thing that is wrong: finding and next step. It has to be this one."""
        wrong = [row for row in await self.rows(**variables) if not row.ok]
        assert [row.what for row in wrong] == [what], wrong
        assert wrong[0].next_step
        return f"{wrong[0].finding} → {wrong[0].next_step}"


@pytest_asyncio.fixture
async def bot(settings: Settings, executor_url: str, tmp_path: Path) -> AsyncIterator[Bot]:
    """A sound set-up: executor, index, database, a Slack that knows the tokens."""
    state = tmp_path / "state"
    shutil.copytree(settings.state_folder / "index", state / "index")
    async with Store.at("", state):
        pass
    async with FakeSlack().listening() as slack:
        variables = {
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
            "SLACK_SIGNING_SECRET": SECRET,
            "TORCHMEDIC_SLACK__API_URL": slack.url,
            "TORCHMEDIC_STATE": str(state),
            "TORCHMEDIC_EXECUTOR__URL": executor_url,
        }
        yield Bot(slack, variables, state)


async def test_a_sound_set_up_is_all_ok_and_nothing_is_changed(bot: Bot):
    """Every part is looked at, no token is shown, and the state is as it was."""
    before = sorted(
        (p, p.stat().st_mtime_ns) for p in bot.state.rglob("*") if p.suffix != ".db-shm"
    )
    rows = await bot.rows()
    after = sorted((p, p.stat().st_mtime_ns) for p in bot.state.rglob("*") if p.suffix != ".db-shm")

    assert " ".join(row.what for row in rows) == (
        "configuration slack tokens executor libraries jail model index database disk clock"
    )
    assert all(row.ok for row in rows), rows
    assert before == after
    said = str(rows)
    assert not any(secret in said for secret in (BOT_TOKEN, APP_TOKEN, SECRET))


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_wrong_token(bot: Bot, name: str):
    """Slack itself is asked; the answer says which token, and where to copy it from."""
    said = await bot.problem("slack tokens", **{name: "xoxb-n0t-this"})

    assert f"Slack refuses {name} (invalid_auth)" in said and "api.slack.com/apps" in said
    assert "n0t-this" not in said


async def test_wrong_token_of_discord(bot: Bot):
    """The same of Discord, also beside a Slack that is well; and a right one is fine."""
    async with FakeDiscord() as fake:
        there = {"TORCHMEDIC_DISCORD__API_URL": fake.api_url, "DISCORD_TOKEN": "n0t-this"}
        said = await bot.problem("discord tokens", **there)
        (right,) = await bot.row_of("discord", {"DISCORD_TOKEN": fake.token}, **there)

    assert "Discord refuses DISCORD_TOKEN" in said and "Reset Token" in said
    assert "n0t-this" not in said
    assert right.ok and "Discord knows this bot as" in right.finding


async def test_a_missing_token(bot: Bot):
    """One is there and the other is not: it is named, with where to get it."""
    (row,) = await bot.row_of("slack", {"SLACK_BOT_TOKEN": "x"})

    assert not row.ok and row.finding == "missing in the environment"
    assert row.next_step.startswith("set SLACK_APP_TOKEN (api.slack.com/apps")


async def test_a_token_without_its_scope(bot: Bot):
    """Socket Mode's token must have connections:write."""
    bot.slack.fail("apps.connections.open", "error:missing_scope")
    said = await bot.problem("slack tokens")

    assert "SLACK_APP_TOKEN (missing_scope)" in said and "connections:write" in said


async def test_dead_executor(bot: Bot, tmp_path: Path):
    """Its socket is a file that nobody listens on, or not even that; over TCP, a closed port."""
    dead = tmp_path / "dead.sock"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(dead))
    left = await bot.problem("executor", TORCHMEDIC_EXECUTOR__URL=f"unix:{dead}")
    dead.unlink()
    others = [
        await doctor._executor(bot.settings(TORCHMEDIC_EXECUTOR__URL=url), chat=True)
        for url in (f"unix:{dead}", "http://127.0.0.1:1")
    ]
    gone, closed = others[0][0], others[1][0]

    assert f"nothing listens on {dead} (Connection refused)" in left
    assert f"python -m executor --uds {dead}" in left and "No such file" in gone.finding
    assert not (gone.ok or closed.ok) and "TORCHMEDIC_EXECUTOR_TOKEN" in closed.next_step


async def test_stale_index(bot: Bot, tmp_path: Path):
    """A document came after the index was built."""
    document = tmp_path / "new.md"
    document.write_text("---\ntitle: New\n---\nWhy is it nan? The learning rate is too high.\n")
    said = await bot.problem("index", TORCHMEDIC_KNOWLEDGE__DOCUMENTS=f"[{document}]")
    shutil.rmtree(bot.state / "index")
    missing = doctor._library(bot.settings())[-1]

    assert "since this index was built" in said and "run `torchmedic index`" in said
    assert "no search index here yet" in missing.finding
    assert "run `torchmedic index`" in missing.next_step


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a disk that is full")
async def test_full_disk(bot: Bot, tmp_path: Path):
    """A real file system with no room left: the kernel says ENOSPC."""
    disk = tmp_path / "disk"
    disk.mkdir()
    size = sum(p.stat().st_size for p in bot.state.rglob("*") if p.is_file())
    subprocess.run(  # noqa: ASYNC221
        ["mount", "-t", "tmpfs", "-o", f"size={2 * size + 2**20}", "tmpfs", disk], check=True
    )
    try:
        shutil.copytree(bot.state, disk / "state")
        with (disk / "filler").open("wb", buffering=0) as filler:
            while True:
                try:
                    filler.write(b"\1" * 65536)
                except OSError:
                    break
        rows = await bot.rows(TORCHMEDIC_STATE=str(disk / "state"))
    finally:
        subprocess.run(["umount", disk], check=True)  # noqa: ASYNC221

    wrong = {row.what: row for row in rows if not row.ok}
    assert set(wrong) <= {"disk", "database"}  # nor can SQLite be read without a page to spare
    assert "cannot be written (No space left on device)" in wrong["disk"].finding
    assert "make room" in wrong["disk"].next_step


async def test_wrong_model_path(bot: Bot, tmp_path: Path):
    """Without its model nothing is searched, and the index cannot be looked at."""
    rows = await bot.rows(TORCHMEDIC_KNOWLEDGE__MODEL=str(tmp_path / "gone"))
    wrong = [row for row in rows if not row.ok]

    assert [row.what for row in wrong] == ["model", "index"]
    assert "gone` is not there" in wrong[0].finding and "knowledge.model" in wrong[0].next_step
    assert wrong[1].next_step == "first mend the model"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_missing_table(bot: Bot, kind: str, request: pytest.FixtureRequest):
    """It is named; what was in it can only come from a back-up."""
    url = ""
    if kind == "sqlite":
        with sqlite3.connect(bot.state / "torchmedic.db") as db:
            db.execute("DROP TABLE feedback")
        db.close()
    else:
        url = request.getfixturevalue("database")
        async with Store.at(url, bot.state):
            pass
        server = await asyncpg.connect(url)
        await server.execute("DROP TABLE feedback")
        await server.close()
    (row,) = await doctor._database(bot.settings(TORCHMEDIC_STORE__URL=url), Clocks())

    assert not row.ok and "lacks feedback" in row.finding
    assert "restore the last back-up" in row.next_step


async def test_clock_off(bot: Bot):
    """The platform's answers carry its time; ours is ten minutes behind."""
    bot.slack.clock_off_s = 600
    said = await bot.problem("clock")

    assert "s behind that of Slack" in said and "timedatectl set-ntp true" in said


async def test_socket_without_permission(bot: Bot, tmp_path: Path):
    """Somebody listens, and this user may not talk to it. (Root may, so it steps down.)"""
    path = tmp_path / "executor.sock"
    settings = bot.settings(TORCHMEDIC_EXECUTOR__URL=f"unix:{path}")
    with ExitStack() as undo:
        listener = undo.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(path))
        listener.listen()
        path.chmod(0)
        if os.geteuid() == 0:
            os.seteuid(65534)
            undo.callback(os.seteuid, 0)
        (row,) = await doctor._executor(settings, chat=True)

    assert not row.ok and f"{path}: the user" in row.finding
    assert "may not connect" in row.finding and "--uds-mode 660" in row.next_step


async def test_tier_too_weak(bot: Bot):
    """A real executor in tier process: refused for a chat, enough for one's own code."""
    weak = {"TORCHMEDIC_EXECUTOR__URL": "", "TORCHMEDIC_EXECUTOR__TIER": "process"}
    said = await bot.problem("jail", **weak)
    here = {"tier": "process", "refused_tiers": {}}
    alone = doctor._jail(bot.settings(**weak), here, chat=False)

    assert "tier process is too weak" in said and "chat.trust_process_tier" in said
    assert alone.ok


async def test_executor_of_another_version(bot: Bot, tmp_path: Path):
    """It is there and well, and would apply other codemods than this bot knows."""
    with another_version(tmp_path) as (other, theirs):
        said = await bot.problem("executor", TORCHMEDIC_EXECUTOR__URL=f"unix:{other}")

    assert theirs in said and version() in said
    assert "install the same version for both and restart them" in said


async def test_port_taken(bot: Bot):
    """Slack's mode http: somebody else listens there."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = await bot.problem(
            "port", TORCHMEDIC_SLACK__MODE="http", TORCHMEDIC_SLACK__PORT=str(port)
        )

    assert f"slack.port {port} on 127.0.0.1 cannot be used (Address already in use" in said
    assert "choose another slack.port" in said


async def test_a_wrong_setting_and_a_channel_that_makes_no_sense(bot: Bot):
    """Nothing else is asked where the settings cannot be read."""
    (row,) = [r for r in await bot.rows(TORCHMEDIC_EXECUTOR__SLOT="1") if not r.ok]
    quiet = '{"C1": {"quiet_hours": "late"}}'
    said = await bot.problem("configuration", TORCHMEDIC_SLACK__SUPPORT=quiet)

    assert "there is no setting `executor.slot`" in row.finding and row.what == "configuration"
    assert "quiet" in said


def test_the_command_shows_a_table_and_ends_with_1(tmp_path: Path):
    """`torchmedic doctor` as an operator runs it, on a machine where nothing is there yet."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("TORCHMEDIC_", "SLACK_"))}
    done = subprocess.run(
        [sys.executable, "-m", "bot.commands.cli", "doctor"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=clean
        | {
            "TORCHMEDIC_STATE": str(tmp_path / "state"),
            "TORCHMEDIC_EXECUTOR__URL": f"unix:{tmp_path}/none.sock",
        },
    )
    said = " ".join(done.stdout.replace("│", " ").split())

    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert "✘ problem" in said and "✔ ok" in said and "torchmedic index" in said
    assert not (tmp_path / "state").exists()
