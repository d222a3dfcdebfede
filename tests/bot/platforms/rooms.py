"""A chat room on either platform, for stories that are the same on both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, Protocol

from bot.diagnosis.pipeline import Pipeline
from bot.platforms.discord.app import DiscordFront
from bot.platforms.discord.settings import DiscordSettings
from bot.platforms.slack.app import SlackFront
from bot.platforms.slack.client import SlackClient
from bot.platforms.slack.messages import SlackPlatform
from bot.platforms.slack.settings import SlackSettings, SlackTokens
from bot.service.questions import QuestionService
from bot.service.store import Store
from bot.settings import ChatSettings, Secret
from tests.bot.fakes import discord as fake_discord
from tests.bot.fakes import slack as fake_slack
from tests.bot.fakes.discord import CONTENT, EPHEMERAL, FakeDiscord
from tests.bot.fakes.slack import APP_TOKEN, SECRET, FakeSlack
from tests.bot.service.test_store import still_open

Json = dict[str, Any]
Where = Literal["channel", "thread", "direct"]
Files = Sequence[tuple[str, bytes]]


@dataclass
class Shown:
    """A message of the bot's, as a person sees it at present."""

    key: str
    where: str  # "in the thread", "only maya sees it"
    text: str  # Markdown
    states: list[str] = field(default_factory=list)  # every text that it ever had


class Room(Protocol):
    """What people do and see."""

    title: str

    async def open(self, medic: Pipeline | None = None, **settings: Any) -> None:
        """Start the bot, or another one after it."""

    async def close(self) -> None:
        """Stop the bot."""

    async def say(
        self, who: str, text: str, where: Where = "channel", files: Files = (), *, call: bool = True
    ) -> None:
        """Write a message; in a channel it mentions the bot, unless `call` is false."""

    async def command(self, who: str, text: str) -> None:
        """Type /torchmedic."""

    async def press(self, who: str, label: str) -> None:
        """Press the last button or option with this label."""

    async def remove_last(self) -> None:
        """Delete the last message that somebody wrote."""

    def shown(self) -> list[Shown]:
        """All messages of the bot's that are there."""

    async def settle(self) -> None:
        """Wait until nothing is being worked on."""

    def revoke(self) -> str:
        """Make the platform refuse our token; return the good one."""


async def _settled(service: QuestionService, store: Store) -> None:
    """Wait until nothing is being worked on, and what was said has arrived."""
    for _ in range(2):
        await asyncio.sleep(0.4)
        await service.idle()
        for _ in range(1_200):
            if not await still_open(store):
                break
            await asyncio.sleep(0.05)


class SlackRoom:
    """A channel of a Slack of our own."""

    title = "Slack"

    def __init__(self, slack: FakeSlack, medic: Pipeline, folder: Path) -> None:
        self.slack, self._medic, self._folder = slack, medic, folder
        self._stack = AsyncExitStack()
        self._names: dict[str, str] = {}
        self._root = self._last = ""
        self._channel = "C1"

    @classmethod
    @asynccontextmanager
    async def at(cls, medic: Pipeline, folder: Path) -> AsyncIterator[SlackRoom]:
        """A room with a Slack of its own."""
        async with FakeSlack().listening() as slack:
            room = cls(slack, medic, folder)
            try:
                yield room
            finally:
                await room.close()

    async def open(self, medic: Pipeline | None = None, **settings: Any) -> None:
        front_settings = SlackSettings(api_url=self.slack.url, **settings)
        tokens = SlackTokens(Secret(self.slack.bot_token), Secret(APP_TOKEN), Secret(SECRET))
        platform = SlackPlatform(SlackClient(front_settings, tokens))
        await platform.client.meet()
        front = SlackFront(platform, front_settings, tokens)
        enter = self._stack.enter_async_context
        self._store = await enter(Store.at("", self._folder))
        self._service = await enter(
            QuestionService(
                medic or self._medic, self._store, platform, ChatSettings(patience_s=60),
                front_settings,
            )
        )  # fmt: skip
        await enter(front.serve(self._service))
        await self.slack.connected()

    async def close(self) -> None:
        await self._stack.aclose()
        self._stack = AsyncExitStack()

    def _id(self, who: str) -> str:
        return self._names.setdefault(who, f"U{len(self._names) + 1}")

    async def say(
        self, who: str, text: str, where: Where = "channel", files: Files = (), *, call: bool = True
    ) -> None:
        typed = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        thread = self._root if where == "thread" else ""
        channel = f"D{self._id(who)}" if where == "direct" else "C1"
        sent = [
            self.slack.file(name, data) | {"filetype": "python"} if name == "Untitled"
            else self.slack.file(name, data)
            for name, data in files
        ]  # fmt: skip
        ts = await self.slack.say(
            typed,
            user=self._id(who),
            channel=channel,
            thread=thread,
            files=sent,
            mention=call and where != "direct",
        )
        self._last, self._channel = ts, channel
        self._root = thread or ts

    async def command(self, who: str, text: str) -> None:
        await self.slack.command(text, user=self._id(who))

    async def press(self, who: str, label: str) -> None:
        for blocks, channel, ts in reversed(self._cards()):
            if value := fake_slack.buttons(blocks).get(label):
                await self.slack.press(value, user=self._id(who), channel=channel, ts=ts)
                return
        raise AssertionError(f"no button {label}")

    def _cards(self) -> list[tuple[list[Json], str, str]]:
        found = [(m.blocks, m.channel, m.ts) for m in self.slack.messages.values()]
        for id, body in self.slack.ack_bodies.items():
            found.append(((body or {}).get("blocks") or [], "C1", id))
        for id, sent in self.slack.responses.items():
            found += [(w.get("blocks") or [], "C1", id) for w in sent]
        return found

    async def remove_last(self) -> None:
        await self.slack.remove(self._channel, self._last)

    async def settle(self) -> None:
        await _settled(self._service, self._store)

    def revoke(self) -> str:
        good, self.slack.bot_token = self.slack.bot_token, "xoxb-new"
        return good

    def _named(self, text: str) -> str:
        for name, id in self._names.items():
            text = text.replace(f"<@{id}>", f"@{name}")
        return text

    def shown(self) -> list[Shown]:
        found = []
        for m in self.slack.messages.values():
            if m.user != fake_slack.BOT:
                continue
            states = [self._named(_slack_text(v["blocks"], v["text"])) for v in m.versions]
            people = {f"D{id}": f"direct message to {name}" for name, id in self._names.items()}
            default = "in the thread" if m.thread_ts else "in the channel"
            found.append(Shown(m.ts, people.get(m.channel, default), states[-1], states))
        names = {id: name for name, id in self._names.items()}
        for n, told in enumerate(self.slack.ephemeral):
            who = names.get(str(told.get("user")), "one person")
            blocks = fake_slack._json(told.get("blocks")) or []
            text = self._named(_slack_text(blocks, str(told["text"])))
            found.append(Shown(f"e{n}", f"only {who} sees it", text, [text]))
        for id, body in self.slack.ack_bodies.items():
            if body and not self.slack.responses.get(id):
                text = self._named(_slack_text(body.get("blocks") or [], str(body.get("text"))))
                found.append(Shown(f"a{id}", "only the asker sees it", text, [text]))
        for id, sent in self.slack.responses.items():
            texts = [self._named(_slack_text(w.get("blocks") or [], str(w.get("text") or "")))
                     for w in sent if not w.get("delete_original")]  # fmt: skip
            if texts:
                found.append(Shown(id, "only the asker sees it", texts[-1], texts))
        return found


def _slack_text(blocks: list[Json], text: str) -> str:
    lines: list[str] = []
    for block in blocks:
        if block["type"] == "rich_text":
            for element in block["elements"]:
                if element["type"] == "rich_text_preformatted":
                    code = "".join(p["text"] for p in element["elements"])
                    lines.append(f"```{element.get('language', '')}\n{code}\n```")
                else:
                    lines.append(_slack_section(element["elements"]))
        elif block["type"] == "context":
            lines.append(" ".join(f"*{e['text']}*" for e in block["elements"]))
        elif block["type"] in ("section", "header"):
            lines.append(block["text"]["text"])
        elif block["type"] == "actions":
            lines.append(
                "  ".join(
                    f"`[{e['text']['text']}]`" if "text" in e
                    else f"`[⋯ {' · '.join(o['text']['text'] for o in e['options'])}]`"
                    for e in block["elements"]
                )
            )  # fmt: skip
    return "\n".join(lines) or text


def _slack_section(pieces: list[Json]) -> str:
    told = ""
    for bold, group in groupby(pieces, lambda p: bool(p.get("style", {}).get("bold"))):
        text = "".join(_slack_piece(p) for p in group)
        told += f"**{text.strip()}**" if bold and text.strip() else text
    return told


def _slack_piece(piece: Json) -> str:
    text = piece.get("text", "")
    if piece["type"] == "link":
        return f"[{text}]({piece['url']})"
    return f"`{text}`" if piece.get("style", {}).get("code") else text


class DiscordRoom:
    """A channel of a Discord of our own."""

    title = "Discord"

    def __init__(self, fake: FakeDiscord, medic: Pipeline, folder: Path) -> None:
        self.fake, self._medic, self._folder = fake, medic, folder
        self._stack = AsyncExitStack()
        self._people: dict[str, fake_discord.Person] = {}
        self._thread: fake_discord.Channel | None = None
        self._last: Json = {}
        self.fake.allowed_intents |= CONTENT

    @classmethod
    @asynccontextmanager
    async def at(cls, medic: Pipeline, folder: Path) -> AsyncIterator[DiscordRoom]:
        """A room with a Discord of its own."""
        async with FakeDiscord() as fake:
            room = cls(fake, medic, folder)
            try:
                yield room
            finally:
                await room.close()

    async def open(self, medic: Pipeline | None = None, **settings: Any) -> None:
        if settings.get("humans") == ("CHELP",):
            self._humans = self.fake.channel("maintainers")
            settings["humans"] = (self._humans.id,)
        front = DiscordSettings(
            api_url=self.fake.api_url,
            gateway_url=self.fake.gateway_url,
            message_content=True,
            **settings,
        )
        enter = self._stack.enter_async_context
        self._store = await enter(Store.at("", self._folder))
        door = await enter(DiscordFront(front, Secret(self.fake.token), lambda _: None))
        self._service = await enter(
            QuestionService(medic or self._medic, self._store, door.platform, ChatSettings(), front)
        )
        serving = asyncio.ensure_future(door.serve(self._service))

        async def stop() -> None:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

        self._stack.push_async_callback(stop)
        await self.fake.until(lambda: door.is_ready)

    async def close(self) -> None:
        await self._stack.aclose()
        self._stack = AsyncExitStack()

    def _person(self, who: str) -> fake_discord.Person:
        if who not in self._people:
            self._people[who] = self.fake.person(who)
        return self._people[who]

    async def say(
        self, who: str, text: str, where: Where = "channel", files: Files = (), *, call: bool = True
    ) -> None:
        person = self._person(who)
        channel = self.fake.direct(person) if where == "direct" else self.fake.help
        if where == "thread":
            threads = self.fake.threads(self.fake.help)
            if not threads:
                threads = [await self._open_thread()]
            channel = threads[-1]
        called = (call and where == "channel") or (call and where == "thread" and not self._ours())
        words = f"<@{self.fake.bot.id}> {text}" if called else text
        named = [("untitled.py" if n == "Untitled" else n, data) for n, data in files]
        self._last = await self.fake.post(person, channel, words, tuple(named))

    def _ours(self) -> bool:
        threads = self.fake.threads(self.fake.help)
        return bool(threads) and threads[-1].owner == self.fake.bot.id

    async def _open_thread(self) -> fake_discord.Channel:
        """Somebody opens a thread at the last message."""
        last = self._last
        made = fake_discord.Channel(
            last["id"], fake_discord.THREAD, "thread", self.fake.help.id, last["author"]["id"]
        )
        self.fake.channels[made.id] = made
        await self.fake._tell("THREAD_CREATE", self.fake._channel_json(made), made, None)
        return made

    async def command(self, who: str, text: str) -> None:
        options = {"question": text} if text else {}
        await self.fake.slash(self._person(who), self.fake.help, **options)

    async def press(self, who: str, label: str) -> None:
        for message in reversed(self._messages()):
            if any(b["label"] == label for b in fake_discord.buttons(message)):
                await self.fake.click(self._person(who), message, label)
                return
        raise AssertionError(f"no button {label}")

    def _messages(self) -> list[Json]:
        return sorted(self.fake.by_bot(), key=lambda m: int(m["id"]))

    async def remove_last(self) -> None:
        await self.fake.remove(self._last)

    async def settle(self) -> None:
        await _settled(self._service, self._store)

    def revoke(self) -> str:
        good, self.fake.token = self.fake.token, "another"
        return good

    def shown(self) -> list[Shown]:
        found = []
        for message in self._messages():
            channel = self.fake.channels[message["channel_id"]]
            if message["flags"] & EPHEMERAL:
                where = "only the asker sees it"
            elif channel.kind == fake_discord.DM:
                where = f"direct message to {channel.people[0].name}"
            else:
                where = "in the thread" if channel.kind == fake_discord.THREAD else "in the channel"
            states = self.fake.histories.get(message["id"], [message])
            texts = [self._text(state) for state in states if self._text(state)]
            if texts:
                found.append(Shown(message["id"], where, texts[-1], texts))
        return found

    def _text(self, message: Json) -> str:
        lines = [fake_discord.text_of(message)]
        for item in fake_discord.walk(message.get("components") or []):
            if item["type"] != 1:
                continue
            shown = [
                f"`[{c['label']}]`" if c["type"] == 2
                else f"`[⋯ {' · '.join(o['label'] for o in c['options'])}]`"
                for c in item["components"]
            ]  # fmt: skip
            lines.append("  ".join(shown))
        lines += [f"📎 {a['filename']}" for a in fake_discord.shown_files(message)]
        text = "\n".join(line for line in lines if line.strip())
        for name, person in self._people.items():
            text = text.replace(f"<@{person.id}>", f"@{name}")
        return text.replace("](<", "](").replace(">)", ")").replace("\\", "")
