"""`torchmedic slack`, the real process: killed at random moments, it answers everything once.

Its executor does not die with it, as in compose.
TORCHMEDIC_KILLS says how often it is killed (2); there are four questions to a kill.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tests.bot.fakes.slack import APP_TOKEN, BOT_TOKEN, SECRET, FakeSlack, buttons
from tests.conftest import copy_state

KILLS = int(os.environ.get("TORCHMEDIC_KILLS", "2"))
QUESTIONS = 4 * KILLS


class Process:
    """`torchmedic slack` as an operator runs it."""

    def __init__(self, slack: FakeSlack, folder: Path, **variables: str) -> None:
        # Without this test's own variable, which would be no setting.
        clean = {k: v for k, v in os.environ.items() if not k.startswith("TORCHMEDIC_")}
        self._environment = (
            clean
            | {
                "SLACK_BOT_TOKEN": BOT_TOKEN,
                "SLACK_APP_TOKEN": APP_TOKEN,
                "SLACK_SIGNING_SECRET": SECRET,
                "TORCHMEDIC_SLACK__API_URL": slack.url,
                "TORCHMEDIC_STATE": str(folder / "state"),
            }
            | variables
        )
        self._folder = folder
        self.log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Process:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()

    @property
    def pid(self) -> int:
        """Which it is."""
        assert self._process is not None
        return self._process.pid

    def wait(self) -> int:
        """Until it ends by itself; its exit code."""
        assert self._process is not None
        return self._process.wait(60)

    async def up(self, slack: FakeSlack) -> None:
        """Wait until it listens; if it does not, say what it said."""
        try:
            await slack.connected(120)
        except TimeoutError:
            raise AssertionError(self.log.read_text()[-3000:]) from None

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bot.commands.cli", "slack"],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=self._environment,
                start_new_session=True,
            )

    def kill(self, number: int = signal.SIGKILL) -> int:
        """End it; its exit code."""
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(60)


@asynccontextmanager
async def long_lived_executor(folder: Path) -> AsyncIterator[str]:
    """An executor that can be killed; its URL.

    It ends by SIGKILL: closed in peace it would let a run end first, and nothing would be missing.
    """
    path = folder / "executor.sock"
    process = subprocess.Popen(  # noqa: ASYNC220  (returns at once)
        [sys.executable, "-P", "-m", "executor", "--uds", str(path), "--settings",
         '{"torch": false}', "--until-stdin-closes"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[3],
    )  # fmt: skip
    try:
        yield f"unix:{path}"
    finally:
        process.kill()
        process.wait(60)


@pytest.fixture(autouse=True)
def state(indexed: Path, tmp_path: Path) -> Path:
    """Each test's state folder: the index is there, nothing was asked."""
    return copy_state(indexed, tmp_path / "state")


@pytest.mark.timeout(120 + 60 * KILLS)
async def test_killed_at_random_moments_everything_is_answered_once(
    executor_url: str, tmp_path: Path
):
    """kill -9 between acknowledgement and answer: none lost, none twice."""
    chance = random.Random(KILLS)
    async with FakeSlack().listening() as slack, AsyncExitStack() as stack:
        bot = stack.enter_context(Process(slack, tmp_path, TORCHMEDIC_EXECUTOR__URL=executor_url))
        await bot.up(slack)
        asked: list[str] = []
        between: set[str] = set()  # acknowledged and not answered when it died

        async def ask(n: int) -> None:
            await asyncio.sleep(chance.random() * 0.5)
            asked.append(await slack.say(f"```print({n})```", mention=True, user=f"U{n}"))

        n = 0
        for _ in range(KILLS):
            batch = [asyncio.create_task(ask(n + i)) for i in range(4)]
            n += 4
            # Soon after it is up, or in the middle of working off what has gathered.
            await asyncio.sleep(chance.random() * chance.choice((1.5, 10)))
            bot.kill()
            done = {c.thread_ts for c in slack.cards() if buttons(c.blocks)}
            between |= set(asked) - done
            await slack.until(lambda: not slack.sockets)
            bot.start()
            await asyncio.gather(*batch)  # Slack delivers again what was not acknowledged
            await bot.up(slack)

        def answered() -> bool:
            done = {c.thread_ts for c in slack.cards() if buttons(c.blocks)}
            return len(done) == QUESTIONS

        await slack.until(answered, 60 + 5 * KILLS)
        code = bot.kill(signal.SIGTERM)
        cards = Counter(c.thread_ts for c in slack.cards())

        print(
            f"{KILLS} kills, {QUESTIONS} questions, {len(between)} of them caught between the two"
        )
        assert code == 0 and (between or KILLS < 5)
        assert len(asked) == QUESTIONS and set(cards) == set(asked)
        assert set(cards.values()) == {1}
        assert BOT_TOKEN not in bot.log.read_text() and "print(" not in bot.log.read_text()


async def test_killed_while_its_card_is_being_posted(executor_url: str, tmp_path: Path):
    """The worst moment: Slack has the message, the bot has not heard; it is found again."""
    async with FakeSlack().listening() as slack, AsyncExitStack() as stack:
        bot = stack.enter_context(Process(slack, tmp_path, TORCHMEDIC_EXECUTOR__URL=executor_url))
        await bot.up(slack)
        slack.hold("chat.postMessage")  # done, and never answered
        ts = await slack.say("```print('once')```", mention=True)
        await slack.until(lambda: slack.cards())
        bot.kill()
        slack.release("chat.postMessage")
        bot.start()
        card = await slack.answer(ts, within_s=120)
        bot.kill(signal.SIGTERM)

        assert len(slack.cards()) == 1 and "once" in card.shown


async def test_the_executor_is_gone_for_ten_seconds(tmp_path: Path):
    """Killed in the middle of a run: the card says so, and becomes the answer once it is back."""
    async with FakeSlack().listening() as slack, AsyncExitStack() as stack:
        async with long_lived_executor(tmp_path) as url:
            bot = stack.enter_context(Process(slack, tmp_path, TORCHMEDIC_EXECUTOR__URL=url))
            await bot.up(slack)
            slow = "```import time\ntime.sleep(3)\nprint('back')```"
            ts = await slack.say(slow, mention=True)
            await slack.until(lambda: slack.cards())
        await slack.until(lambda: "does not answer" in slack.cards()[0].text)
        during = await slack.say("```print('meanwhile')```", mention=True, user="U2")
        await asyncio.sleep(10)
        async with long_lived_executor(tmp_path):
            card = await slack.answer(ts, within_s=120)
            other = await slack.answer(during, within_s=120)
            bot.kill(signal.SIGTERM)

        assert len(slack.cards()) == 2
        assert "back" in card.shown and "meanwhile" in other.shown


@pytest.mark.parametrize("token", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_a_refused_token_is_one_line_with_where_to_get_it(tmp_path: Path, token: str):
    """Not a traceback, and not the token."""
    async with FakeSlack().listening() as slack:
        with Process(slack, tmp_path, **{token: "xoxb-w-r-o-n-g"}) as bot:
            code = await asyncio.to_thread(bot.wait)
        log = bot.log.read_text()

        assert code == 1 and f"Slack refuses {token}" in log
        assert "Traceback" not in log and "w-r-o-n-g" not in log


async def test_a_token_revoked_while_it_runs_ends_the_process(executor_url: str, tmp_path: Path):
    """For a supervisor to notice; with a good token the question that waited is answered."""
    patience = {"TORCHMEDIC_SLACK__TOKEN_PATIENCE_S": "1", "TORCHMEDIC_EXECUTOR__URL": executor_url}
    async with FakeSlack().listening() as slack:
        with Process(slack, tmp_path, **patience) as bot:
            await bot.up(slack)
            slack.bot_token = "xoxb-new"
            ts = await slack.say("```print('waited')```", mention=True)
            code = await asyncio.to_thread(bot.wait)
        assert code == 1 and "Slack refuses SLACK_BOT_TOKEN" in bot.log.read_text()
        assert not slack.cards()

        with Process(slack, tmp_path, **patience, SLACK_BOT_TOKEN="xoxb-new") as bot:
            card = await slack.answer(ts, within_s=120)
        assert "waited" in card.shown


async def test_signed_http(executor_url: str, tmp_path: Path):
    """`slack.mode: http`: the command listens where the settings say."""
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    async with FakeSlack().listening() as slack, AsyncExitStack() as stack:
        slack.http_target = f"http://127.0.0.1:{port}/slack/events"
        bot = stack.enter_context(
            Process(
                slack,
                tmp_path,
                TORCHMEDIC_EXECUTOR__URL=executor_url,
                TORCHMEDIC_SLACK__MODE="http",
                TORCHMEDIC_SLACK__PORT=str(port),
            )
        )
        await slack.until(lambda: "answering in Slack over signed HTTP" in bot.log.read_text(), 120)
        ts = await slack.say("```print('signed')```", mention=True)
        card = await slack.answer(ts, within_s=120)

        assert "signed" in card.shown and bot.kill(signal.SIGTERM) == 0


async def test_the_weakest_jail_serves_no_strangers(tmp_path: Path):
    """Unless a setting says so, the command ends with the reason and the next step."""
    async with FakeSlack().listening() as slack:
        with Process(slack, tmp_path, TORCHMEDIC_EXECUTOR__TIER="process") as bot:
            code = await asyncio.to_thread(bot.wait)
        log = bot.log.read_text()

        assert code == 1 and "weakest jail" in log and "trust_process_tier" in log
        assert "Traceback" not in log and slack.opened == 1  # looked at the token, never listened
