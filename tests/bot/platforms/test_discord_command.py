"""`torchmedic discord`, the real process, as an operator runs it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings import Settings
from tests.bot.fakes.discord import FakeDiscord, Json, buttons, text_of

SLOW = "```python\nimport time\ntime.sleep(3)\nprint(6 * 7)\n```"


class Process:
    """The command, against a Discord of ours."""

    def __init__(self, fake: FakeDiscord, state: str, folder: Path, **variables: str) -> None:
        self._environment = (
            os.environ
            | {
                "DISCORD_TOKEN": fake.token,
                "TORCHMEDIC_DISCORD__API_URL": fake.api_url,
                "TORCHMEDIC_DISCORD__GATEWAY_URL": fake.gateway_url,
                "TORCHMEDIC_STATE": state,
                "TORCHMEDIC_STORE__URL": f"sqlite:///{folder / 'questions.db'}",
            }
            | variables
        )
        self._folder = folder
        self.log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bot.commands.cli", "discord"],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=self._environment,
                start_new_session=True,
            )

    def end(self, number: int | None = None) -> int:
        """End it, or wait until it has ended itself; its exit code."""
        assert self._process is not None
        if number is not None:
            self._process.send_signal(number)
        return self._process.wait(60)


def cards(fake: FakeDiscord) -> list[Json]:
    """The bot's messages with buttons."""
    return [m for m in fake.by_bot() if buttons(m)]


@pytest.mark.timeout(600)
async def test_killed_in_the_middle_of_a_question_it_finishes_it(
    settings: Settings, executor_url: str, tmp_path: Path
):
    """kill -9 after the card is there: the next start shows the answer in that same card.

    And then it stops at SIGTERM; its log holds neither token nor snippet.
    """
    async with FakeDiscord() as fake:
        maya = fake.person("maya")
        process = Process(fake, settings.state, tmp_path, TORCHMEDIC_EXECUTOR__URL=executor_url)
        process.start()
        await fake.until(lambda: fake.identified, 300)
        await fake.post(maya, fake.help, f"<@{fake.bot.id}> {SLOW}")
        await fake.slash(maya, fake.help, question="why is `secret_thing` nan?")
        await fake.until(lambda: len(cards(fake)) == 2, 120)
        process.end(signal.SIGKILL)
        before = {m["id"] for m in cards(fake)}
        process.start()
        await fake.until(lambda: fake.identified == 2, 300)
        await fake.until(lambda: all("⏳" not in text_of(m) for m in cards(fake)), 120)
        code = process.end(signal.SIGTERM)

    assert {m["id"] for m in cards(fake)} == before
    assert any("42" in text_of(m) for m in cards(fake))
    log = process.log.read_text()
    assert code == 0, log
    for secret in (fake.token, "time.sleep", "secret_thing", *(fake.interactions)):
        assert secret not in log


async def test_what_is_missing_is_named_in_one_line(tmp_path: Path):
    """No token, a wrong one, a switch that is off: one line, and what to do."""
    async with FakeDiscord() as fake:
        for variables, says in (
            ({"DISCORD_TOKEN": ""}, "DISCORD_TOKEN (discord.com/developers/applications"),
            ({"DISCORD_TOKEN": "wrong"}, "Discord refuses DISCORD_TOKEN"),
        ):
            folder = tmp_path / str(len(says))
            folder.mkdir()
            process = Process(fake, str(folder), folder, **variables)
            process.start()
            ended = await _ended(process)
            log = process.log.read_text()
            assert ended == 1 and says in log and "Traceback" not in log, log
            assert len([x for x in log.splitlines() if x.startswith("torchmedic:")]) == 1


async def _ended(process: Process) -> int:
    return await asyncio.to_thread(process.end)
