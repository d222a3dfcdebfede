"""The console as a conversation: typed text becomes questions or presses of buttons."""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console

from bot.diagnosis.pipeline import Pipeline
from bot.models import RunWith
from bot.platforms.console.card import ConsolePlatform
from bot.service.questions import QuestionService
from bot.service.seam import Click, Incoming, Person, Place, Verb
from bot.service.store import Store
from bot.service.store.stored import Stored
from bot.settings import ChatSettings, FrontSettings

_ME = Person(id="me")
_HINT = (
    "Paste your question, traceback or code and press Enter (Alt+Enter: a new line). A message "
    "without code is about the code before it. /help lists what else there is; /quit or Ctrl-D "
    "leaves."
)
_HELP = """\
/new            the next message is not about the code before it
/again [cpu|cuda] [seed N] [cold]
                run the last question again: on that device, from that seed, in a fresh interpreter
/output         everything the snippet printed
/fixed          your program with the verified fix in it
/quit           leave"""


class ConsoleChat:
    """One person's conversation with a question service, in threads as a channel has them.

    async with ConsoleChat.at(pipeline, console) as chat:
        await chat.say("```python\\n1 / 0\\n```")
        await chat.say("/again cold")
    """

    def __init__(self, service: QuestionService, store: Store, platform: ConsolePlatform) -> None:
        """Make an empty conversation."""
        self._service = service
        self._store = store
        self._platform = platform
        self._ids = itertools.count(1)
        self._thread = "1"
        self._last = ""  # the last question's id

    @classmethod
    @asynccontextmanager
    async def at(
        cls, pipeline: Pipeline, console: Console, *, explain: bool = False
    ) -> AsyncIterator[ConsoleChat]:
        """A conversation with a question service and a store of its own; both end with it."""
        platform = ConsolePlatform(console, explain=explain)
        with tempfile.TemporaryDirectory(prefix="torchmedic-chat-") as folder:
            async with (
                Store.at(f"sqlite:///{folder}/chat.db", Path(folder)) as store,
                QuestionService(
                    pipeline, store, platform, ChatSettings(), FrontSettings()
                ) as service,
            ):
                try:
                    yield cls(service, store, platform)
                finally:
                    platform.clear()

    async def say(self, text: str) -> Stored | None:
        """Answer a message or carry out a command, and wait until the result is shown.

        Returns:
            The question with its answer; None for what is no question.
        """
        words = text.strip()
        if words.startswith("/") and "\n" not in words:
            name, *given = words.split()
            await self._command(name, given)
            return None
        n = str(next(self._ids))
        place = Place(platform="console", channel="console", thread=self._thread, message=n)
        known = await self._service.knows(place)
        incoming = Incoming(n, _ME, place, text, "follow_up" if known else "console")
        asked = await self._service.take(incoming)
        if asked is None:
            self._platform.say("You're welcome.")
            return None
        await self._service.idle()
        answered = await self._store.get(asked.id)
        if answered is None or answered.answer is None or answered.answer.reply is None:
            self._last = asked.id  # only words have nothing to be run again or handed out
        return answered

    async def _command(self, name: str, given: list[str]) -> None:
        if name == "/help":
            self._platform.say(_HELP)
        elif name == "/new":
            self._thread = str(next(self._ids))
            self._platform.say("A new subject. Go ahead.")
        elif name in ("/again", "/output", "/fixed"):
            await self._press(name, given)
        else:
            self._platform.say(f"There is no {name}; /help lists what there is.")

    async def _press(self, name: str, given: list[str]) -> None:
        if not self._last:
            self._platform.say(f"{name} is about a question, and none was asked yet.")
            return
        run_with = None
        if name == "/again":
            run_with = _run_with(given)
            if run_with is None:
                self._platform.say(
                    "/again takes cpu or cuda, seed and a number, and cold; "
                    "for instance: /again cuda seed 3"
                )
                return
        verb: Verb = {"/again": "again", "/output": "output"}.get(name, "fixed")  # type: ignore[assignment]
        place = Place(platform="console", channel="console", thread=self._thread)
        n = str(next(self._ids))
        await self._service.buttons.click(Click(n, verb, self._last, _ME, place, run_with=run_with))
        await self._service.idle()


def _run_with(words: list[str]) -> RunWith | None:
    """ "cuda seed 3 cold" as settings; None if it says something else."""
    settings = RunWith()
    left = iter(words)
    for word in left:
        if word in ("cpu", "cuda"):
            settings = settings.model_copy(update={"device": word})
        elif word == "cold":
            settings = settings.model_copy(update={"cold": True})
        elif word == "seed" and (number := next(left, "")).isdecimal() and int(number) < 2**31:
            settings = settings.model_copy(update={"seed": int(number)})
        else:
            return None
    return settings


def messages(console: Console) -> AsyncIterator[str]:
    """The messages typed at a terminal or read from a pipe."""
    return _typed(console) if sys.stdin.isatty() else _piped()


async def _typed(console: Console) -> AsyncIterator[str]:
    """Messages typed or pasted at a terminal; a paste of many lines is one message."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    console.print(_HINT, style="dim")
    session: PromptSession[str] = PromptSession("› ", key_bindings=keys)
    while True:
        try:
            text = await session.prompt_async()
        except EOFError:
            return
        except KeyboardInterrupt:
            continue
        if text.strip() == "/quit":
            return
        if text.strip():
            yield text


async def _piped() -> AsyncIterator[str]:
    """Messages from standard input, each ended by a line `/send` or by the end of input."""
    lines: list[str] = []
    while True:
        line = await asyncio.to_thread(sys.stdin.readline)
        if line and line.strip() not in ("/send", "/quit"):
            lines.append(line)
            continue
        if text := "".join(lines).strip():
            yield text
        lines.clear()
        if not line or line.strip() == "/quit":
            return
