"""Discord's events: messages, edits and deletions, new servers, what was missed."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import aiohttp
import discord

from bot.errors import NotKeptError, PlatformError
from bot.logs import where
from bot.platforms.discord.connection import Connection
from bot.platforms.discord.forms import (
    DIAGNOSE,
)
from bot.platforms.discord.incoming import files_of, person, text_of
from bot.platforms.discord.text import cut_end, tame
from bot.service import manners
from bot.service.retry import retrying
from bot.service.seam import Door, Incoming, Place, tell
from bot.service.store.database import DATABASE_ERRORS
from bot.service.store.stored import Stored

T = TypeVar("T")
log = logging.getLogger(__name__)

MENTION = re.compile(r"<@[!&]?\d+>")
_WELCOME_TRIES = 5  # channels of a new server
_LOOK_BACK_MIN = 10  # of messages read after a restart; older questions are out of date
_LOOK_BACK_MESSAGES = 100  # read per channel
_STORE_AWAY = (NotKeptError, *DATABASE_ERRORS)
_PUT_OFF_S = 300.0  # for how long an event is handled again: what `NOT_KEPT` promises
_TRY_AGAIN_S = 10.0  # the longest wait between two tries
_PUT_OFF_AT_MOST = 1000  # events that wait for the store at a time
_BLANK_REPLY = (
    "I cannot see the message that you replied to: Discord shows me only messages that mention me. "
    f"Right-click it, then Apps → {DIAGNOSE}; or paste the code after mentioning me."
)


class Events(Connection):
    """Reads messages and passes what they ask to the question service."""

    _put_off = 0  # events that wait until the store takes them

    async def on_message(self, message: discord.Message) -> None:
        """Handle a new message."""
        await self._until_stored(partial(self._read, message))

    async def _read(self, message: discord.Message) -> None:
        if self.service is None or not self._is_a_persons(message):
            return
        channel = await self._channel(message)
        incoming = self._incoming(message, channel, f"discord:m:{message.id}")
        if incoming is None:
            await self._hear(message, channel)
            return
        if _thanks(incoming):
            await self._hear(message, channel)
            return
        if self._sees_nothing(message, incoming):
            await tell(self.platform, incoming.place, incoming.asker, _BLANK_REPLY)
            return
        if incoming.door in ("mention", "direct"):
            self._tasks.spawn(self.platform.typing(str(message.channel.id)))
        self._entitle(incoming)
        asked = None
        within = isinstance(channel, discord.Thread) and incoming.door == "mention"
        if within or incoming.door == "follow_up":
            asked = await self._take(replace(incoming, door="follow_up"))
        if asked is None and incoming.door != "follow_up":
            asked = await self._take(incoming)
        if asked is None and incoming.door != "mention":
            await self._hear(message, channel)

    async def _take(self, incoming: Incoming) -> Stored | None:
        """Store a question; if that fails, tell its asker once.

        Raises:
            NotKeptError: the store does not take it now.
        """
        assert self.service is not None
        try:
            return await self.service.take(incoming)
        except NotKeptError as e:
            if e.first and not incoming.unasked:
                await tell(self.platform, incoming.place, incoming.asker, str(e))
            raise

    async def _until_stored(self, handle: Callable[[], Awaitable[T]]) -> T | None:
        """Handle an event; while the store takes nothing, again later: Discord delivers it once.

        Each event is stored under its own id, so that handling it twice does no harm.

        Returns:
            What it returned; None if it was put off.
        """
        try:
            return await handle()
        except _STORE_AWAY as e:
            if self._put_off >= _PUT_OFF_AT_MOST:
                log.error("an event is lost, %d wait for the store already", self._put_off)
                return None
            log.error("an event waits for the store: %s", where(e))
            self._tasks.spawn(self._later(handle))
            return None

    async def _later(self, handle: Callable[[], Awaitable[object]]) -> None:
        self._put_off += 1
        try:
            await retrying(
                handle,
                may_pass=lambda e: isinstance(e, _STORE_AWAY),
                patience_s=lambda _: _PUT_OFF_S,
                longest_s=_TRY_AGAIN_S,
            )
        finally:
            self._put_off -= 1

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Handle an edited message; previews that Discord adds are no edit."""
        await self._until_stored(partial(self._reread, payload))

    async def _reread(self, payload: discord.RawMessageUpdateEvent) -> None:
        message = payload.message
        if self.service is None or not self._is_a_persons(message) or message.edited_at is None:
            return
        channel = await self._channel(message)
        event = f"discord:e:{message.id}:{payload.data.get('edited_timestamp')}"
        incoming = self._incoming(message, channel, event)
        if incoming is None or not (message.content or message.attachments):
            return
        if incoming.door == "mention":
            # The edit adds a mention: only now the message is a question.
            self._entitle(incoming)
            first = replace(incoming, event=f"discord:m:{message.id}")
            if await self._take(first) is not None:
                return
        await self.service.edit(incoming)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Handle a deleted message: its card goes too."""
        await self._until_stored(partial(self._withdraw, payload.channel_id, payload.message_id))

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Handle messages that a moderator deleted together."""
        for message in payload.message_ids:
            await self._until_stored(partial(self._withdraw, payload.channel_id, message))

    async def _withdraw(self, channel: int, message: int) -> None:
        if self.service is None:
            return
        room = self.get_channel(channel)
        parent = room.parent_id if isinstance(room, discord.Thread) else channel
        for place in {str(channel), str(parent)}:
            await self.service.withdraw(
                Place(platform="discord", channel=place, message=str(message))
            )

    def _is_a_persons(self, message: discord.Message) -> bool:
        kinds = (discord.MessageType.default, discord.MessageType.reply)
        return not message.author.bot and not message.webhook_id and message.type in kinds

    async def _channel(self, message: discord.Message) -> Any:
        """The message's channel; a new thread that is not in the cache is fetched."""
        channel = message.channel
        if isinstance(channel, discord.PartialMessageable):
            try:
                return await self.fetch_channel(channel.id)
            except (discord.HTTPException, discord.InvalidData):
                return channel
        return channel

    def _incoming(self, message: discord.Message, channel: Any, event: str) -> Incoming | None:
        """The message as a possible question; None if it is not for us."""
        place = _place(channel, message.guild, str(message.id))
        if isinstance(channel, discord.Thread):
            self.platform.threads.add(str(channel.id))
        text, files = text_of(message), files_of(message)
        replied = message.reference.resolved if message.reference is not None else None
        ours = isinstance(replied, discord.Message) and replied.author == self.user
        door: Door
        unasked = False
        if message.guild is None:
            door = "direct"
        elif isinstance(replied, discord.Message) and ours and place.thread != str(channel.id):
            # A reply to a card in the channel itself: its thread is the question's message.
            root = replied.reference.message_id if replied.reference is not None else None
            place = place.model_copy(update={"thread": str(root or replied.id)})
            door = "follow_up"
        elif self._called(message):
            door = "mention"
        elif isinstance(channel, discord.Thread) and channel.id != message.id:
            # In a thread of other people only replies and mentions are for us. A post
            # in a forum belongs to its asker, and so does our answer's thread.
            mine = channel.owner_id == (self.user and self.user.id)
            theirs = (
                isinstance(channel.parent, discord.ForumChannel)
                and channel.owner_id == message.author.id
            )
            if not (ours or mine or theirs):
                return None
            door = "follow_up"
        elif place.channel in self._front.support and replied is None:
            door, unasked = "channel", True
        else:
            return None
        if message.reference is not None and message.reference.message_id and not ours:
            place = place.model_copy(update={"replies_to": str(message.reference.message_id)})
        return Incoming(
            event,
            person(message.author),
            place,
            text,
            door,
            files,
            unasked,
        )

    def _called(self, message: discord.Message) -> bool:
        """Whether the text mentions us; the automatic ping of a reply does not count."""
        return self.user is not None and bool(re.search(rf"<@!?{self.user.id}>", message.content))

    def _sees_nothing(self, message: discord.Message, incoming: Incoming) -> bool:
        """Whether a message only mentions us below a message that Discord does not show us."""
        reference = message.reference
        if incoming.door != "mention" or reference is None or incoming.attachments:
            return False
        replied = reference.resolved
        seen = isinstance(replied, discord.Message) and (text_of(replied) or files_of(replied))
        return not seen and not MENTION.sub("", incoming.text).strip()

    def _entitle(self, incoming: Incoming) -> None:
        words = MENTION.sub("", incoming.text).split("```")[0].split()
        self.platform.entitle(incoming.place.message, cut_end(tame(" ".join(words)), 80))

    async def _hear(self, message: discord.Message, channel: Any) -> None:
        assert self.service is not None
        place = _place(channel, message.guild, "")
        reference = message.reference
        if reference is not None and reference.message_id and not place.thread:
            place = place.model_copy(update={"thread": str(reference.message_id)})
        await self.service.hear(place, person(message.author))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """We were added to a server: say what we do, once, where we may write."""
        if self.service is None:
            return
        joined = guild.me.joined_at if guild.me is not None else None
        if not await self.service.first_time(f"discord:joined:{guild.id}:{joined}"):
            return
        first = [guild.system_channel] if guild.system_channel is not None else []
        for channel in [*first, *guild.text_channels][:_WELCOME_TRIES]:
            try:
                await self.platform.welcome(str(channel.id))
                return
            except PlatformError as e:
                log.info("no welcome in channel %s: %s", channel.id, e)

    async def on_ready(self) -> None:
        """After a new connection, read what Discord does not deliver again."""
        log.info("connected to Discord as %s, in %d servers", self.user, len(self.guilds))
        try:
            await self._catch_up()
        except (discord.HTTPException, aiohttp.ClientError, OSError) as e:
            log.warning("what was said meanwhile cannot be read: %s", type(e).__name__)

    async def _catch_up(self) -> None:
        """Read the messages of the last minutes; the store recognises those it has."""
        if self.service is None:
            return
        since = discord.Object(
            discord.utils.time_snowflake(discord.utils.utcnow() - timedelta(minutes=_LOOK_BACK_MIN))
        )
        seen: list[Any] = [
            r for guild in self.guilds for r in (*guild.text_channels, *guild.threads)
        ]
        rooms = [r for r in seen if (r.last_message_id or 0) > since.id]
        # Discord lists no direct messages: read those of people who have written before.
        for place in await self.service.direct_places():
            if place.channel.isdecimal():
                rooms.append(self.get_partial_messageable(int(place.channel)))
        for room in rooms:
            try:
                async for message in room.history(after=since, limit=_LOOK_BACK_MESSAGES):
                    await self.on_message(message)
            except (discord.Forbidden, discord.NotFound):
                continue  # a channel that we may see but not read


def _place(channel: Any, guild: discord.abc.Snowflake | None, message: str) -> Place:
    """The place of a message.

    The thread that starts from a message has that message's id, also before it exists; so has a
    forum's post and its first message.
    """
    if isinstance(channel, discord.Thread):
        room, thread = str(channel.parent_id), str(channel.id)
    else:
        room, thread = str(channel.id), message if guild is not None else ""
    return Place(
        platform="discord",
        workspace=str(guild.id) if guild is not None else "",
        channel=room,
        thread=thread,
        message=message,
    )


def _thanks(incoming: Incoming) -> bool:
    """Whether a message is only a thanks, which gets no card."""
    text = MENTION.sub("", incoming.text).strip()
    return bool(text) and not incoming.attachments and not manners.is_a_question(text)
