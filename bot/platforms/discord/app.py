"""Discord: turn its events into questions and clicks for the question service."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.errors import PlatformError, SettingsError
from bot.platforms.card import parse_button
from bot.platforms.discord.card import Json, note
from bot.platforms.discord.forms import (
    ASK_FORM,
    COMMANDS,
    DIAGNOSE,
    again_form,
    ask_form,
    run_with,
    values_of,
    wrong_form,
)
from bot.platforms.discord.messages import (
    EPHEMERAL,
    FORM,
    LATER,
    LATER_HERE,
    SAY,
    DiscordPlatform,
    RefusedError,
    via,
)
from bot.platforms.discord.settings import DiscordSettings
from bot.platforms.discord.text import cut_end, prose, tame
from bot.service import manners
from bot.service.questions import QuestionService
from bot.service.retry import read_retry_after
from bot.service.seam import Attached, Click, Door, Incoming, Person, Place, Upload, tell
from bot.service.store.stored import Stored
from bot.service.tasks import Tasks
from bot.settings import Secret

log = logging.getLogger(__name__)
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # we do not speak

_PORTAL = "https://discord.com/developers/applications"
_PATIENCE_S = 1.5  # how long an acknowledgement, due after 3 s, waits for the store
# View channels, send messages, send them in threads, create threads, attach files, read history.
_PERMISSIONS = 1 << 10 | 1 << 11 | 1 << 38 | 1 << 35 | 1 << 15 | 1 << 16
_MESSAGE = re.compile(r"<@[!&]?\d+>")
_LOOK_BACK_MIN = 10  # of messages read after a restart; older questions are out of date
_LOOK_BACK_MESSAGES = 100  # read per channel


class _Client(discord.Client):
    """The connection to Discord: receives events and makes REST calls."""

    def __init__(self, settings: DiscordSettings) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
        intents.message_content = settings.message_content
        super().__init__(
            intents=intents,
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            guild_ready_timeout=0.1,
        )
        self._front = settings
        self.platform = DiscordPlatform(self, settings.cards)
        self.service: QuestionService | None = None
        self._tasks = Tasks()

    # -- the interface ---------------------------------------------------------------------------

    @property
    def own_id(self) -> str:
        """Our own id, known after login."""
        return str(self.application_id)

    async def call(
        self,
        method: str,
        path: str,
        body: Json | list[Json] | None = None,
        uploads: Sequence[Upload] = (),
        **ids: str,
    ) -> Any:
        """Make a request; discord.py waits out rate limits and most errors of the server."""
        route = Route(method, path, **ids)
        said: dict[str, Any] = {}
        if uploads:
            said["form"] = [
                {
                    "name": "payload_json",
                    "value": json.dumps(body),
                    "content_type": "application/json",
                },
                *(
                    {
                        "name": f"files[{i}]",
                        "value": u.data,
                        "filename": u.name,
                        "content_type": u.mime,
                    }
                    for i, u in enumerate(uploads)
                ),
            ]
        elif body is not None:
            said["json"] = body
        try:
            return await self.http.request(route, **said)
        except discord.HTTPException as e:
            raise _error(e) from e
        except (aiohttp.ClientError, OSError, TimeoutError, RuntimeError) as e:
            raise PlatformError(f"Discord does not answer ({type(e).__name__})") from e

    async def fetch(self, url: str) -> bytes:
        """An attachment's content."""
        try:
            return await self.http.get_from_cdn(url)
        except discord.HTTPException as e:
            raise _error(e) from e
        except (aiohttp.ClientError, OSError, TimeoutError) as e:
            raise PlatformError(f"Discord does not hand out a file ({type(e).__name__})") from e

    # -- messages --------------------------------------------------------------------------------

    async def on_message(self, message: discord.Message) -> None:
        """Handle a new message."""
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
            asked = await self._take(_through("follow_up", incoming))
        if asked is None and incoming.door != "follow_up":
            asked = await self._take(incoming)
        if asked is None and incoming.door != "mention":
            await self._hear(message, channel)

    async def _take(self, incoming: Incoming) -> Stored | None:
        """Store a question; if that fails, tell its asker and log the cause."""
        assert self.service is not None
        try:
            return await self.service.take(incoming)
        except Exception:
            if not incoming.unasked:
                await tell(self.platform, incoming.place, incoming.asker, _NOT_KEPT)
            raise

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Handle an edited message; previews that Discord adds are no edit."""
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
            first = _with_event(incoming, f"discord:m:{message.id}")
            if await self._take(first) is not None:
                return
        await self.service.edit(incoming)

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
        text, files = message.content, list(message.attachments)
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
        if isinstance(replied, discord.Message) and not ours and door in ("mention", "direct"):
            text = f"{text}\n\n{replied.content}" if replied.content else text
            files += replied.attachments
        return Incoming(
            event,
            _person(message.author),
            place,
            text,
            door,
            tuple(_attached(f) for f in files),
            unasked,
        )

    def _called(self, message: discord.Message) -> bool:
        """Whether the text mentions us; the automatic ping of a reply does not count."""
        return self.user is not None and bool(re.search(rf"<@!?{self.user.id}>", message.content))

    def _sees_nothing(self, message: discord.Message, incoming: Incoming) -> bool:
        """Whether a message only mentions us below a message that Discord does not show us."""
        return (
            incoming.door == "mention"
            and message.reference is not None
            and not incoming.attachments
            and not _MESSAGE.sub("", incoming.text).strip()
        )

    def _entitle(self, incoming: Incoming) -> None:
        words = _MESSAGE.sub("", incoming.text).split("```")[0].split()
        self.platform.entitle(incoming.place.message, cut_end(tame(" ".join(words)), 80))

    async def _hear(self, message: discord.Message, channel: Any) -> None:
        assert self.service is not None
        place = _place(channel, message.guild, "")
        reference = message.reference
        if reference is not None and reference.message_id and not place.thread:
            place = place.model_copy(update={"thread": str(reference.message_id)})
        await self.service.hear(place, _person(message.author))

    # -- commands, buttons and forms -------------------------------------------------------------

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Handle a command, a press of a button or a submitted form."""
        if self.service is None:
            return
        data: Any = interaction.data or {}
        kind = interaction.type
        try:
            if kind is discord.InteractionType.application_command:
                await self._command(interaction, data)
            elif kind is discord.InteractionType.component:
                await self._press(interaction, str(data.get("custom_id", "")))
            elif kind is discord.InteractionType.modal_submit:
                await self._form(interaction, data)
        except PlatformError as e:
            log.warning("an interaction could not be answered: %s", e)

    async def _command(self, interaction: discord.Interaction, data: Any) -> None:
        assert self.service is not None
        resolved = data.get("resolved", {})
        if data["name"] == DIAGNOSE:
            target = resolved["messages"][data["target_id"]]
            files = tuple(_attached(a) for a in target.get("attachments", []))
            await self._ask(interaction, "shortcut", target.get("content", ""), files, private=True)
            return
        options = {o["name"]: o["value"] for o in data.get("options", [])}
        files = tuple(_attached(a) for a in resolved.get("attachments", {}).values())
        text = str(options.get("question", ""))
        if not text.strip() and not files:
            place = _clicked_place(interaction)
            if refusal := self.service.refusal(
                _person(interaction.user), place, direct=not place.workspace
            ):
                await self._refuse(interaction, refusal)
                return
            form = ask_form(public=bool(options.get("public")))
            await self.platform.acknowledge(str(interaction.id), interaction.token, FORM, form)
            return
        private = not options.get("public", False)
        await self._ask(interaction, "command", text, files, private=private)

    async def _form(self, interaction: discord.Interaction, data: Any) -> None:
        name, values = str(data.get("custom_id", "")), values_of(data)
        if name.startswith(ASK_FORM):
            code = values.get("code", "")
            fenced = code if "```" in code else f"```\n{code}\n```"
            text = f"{values.get('question', '')}\n{fenced}".strip()
            private = not name.endswith("public")
            await self._ask(interaction, "modal", text, (), private=private)
            return
        if (button := parse_button(name)) is None:
            return
        here = LATER_HERE if interaction.message is not None else LATER
        await self._clicked(interaction, self._click(interaction, *button, values), here)

    async def _press(self, interaction: discord.Interaction, name: str) -> None:
        assert self.service is not None
        if (button := parse_button(name)) is None:
            return
        click = self._click(interaction, *button, {})
        if click.verb not in ("wrong", "again"):
            await self._clicked(interaction, click, LATER_HERE)
            return
        if refusal := await self.service.buttons.may_click(click):
            said = {
                "content": prose(refusal),
                "flags": EPHEMERAL,
                "allowed_mentions": {"parse": []},
            }
            await self.platform.acknowledge(str(interaction.id), interaction.token, 4, said)
            return
        if click.verb == "wrong":
            form = wrong_form(click.question)
        else:
            form = again_form(
                click.question, await self.service.buttons.last_run_with(click.question)
            )
        await self.platform.acknowledge(str(interaction.id), interaction.token, FORM, form)

    async def _refuse(self, interaction: discord.Interaction, reason: str) -> None:
        data = note(reason) | {"flags": EPHEMERAL}
        await self.platform.acknowledge(str(interaction.id), interaction.token, SAY, data)

    async def _clicked(self, interaction: discord.Interaction, click: Click, kind: int) -> None:
        assert self.service is not None
        data = {"flags": EPHEMERAL} if kind == LATER else None
        await self.platform.acknowledge(str(interaction.id), interaction.token, kind, data)
        await self.service.buttons.click(click)

    def _click(
        self, interaction: discord.Interaction, verb: Any, question: str, values: dict[str, str]
    ) -> Click:
        return Click(
            event=f"discord:i:{interaction.id}",
            verb=verb,
            question=question,
            person=_person(interaction.user),
            place=_clicked_place(interaction),
            words=values.get("words", ""),
            run_with=run_with(values) if verb == "again" else None,
            moderator=interaction.permissions.manage_messages,
        )

    async def _ask(
        self,
        interaction: discord.Interaction,
        door: Door,
        text: str,
        files: tuple[Attached, ...],
        *,
        private: bool,
    ) -> None:
        """Store the question, and acknowledge before Discord's time limit."""
        assert self.service is not None
        # Where the bot is no member, it can only answer through the interaction.
        private = private or not _is_member(interaction)
        place = _clicked_place(interaction)
        door = door if place.workspace else "direct"
        # After a private answer the thread is not ours: others go on talking there.
        place = place.model_copy(
            update={"private": private, "thread": "" if private else place.thread}
        )
        incoming = Incoming(
            f"discord:i:{interaction.id}", _person(interaction.user), place, text, door, files
        )
        token = interaction.token
        self.platform.expect(token)
        taking = asyncio.ensure_future(self._take(incoming))
        done, _ = await asyncio.wait({taking}, timeout=_PATIENCE_S)
        refused = bool(done) and not taking.exception() and taking.result() is None
        data = {"flags": EPHEMERAL} if private or refused else None
        await self.platform.acknowledge(str(interaction.id), token, LATER, data)
        await taking

    # -- after a new connection ------------------------------------------------------------------

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

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log an event whose handling failed, without its content."""
        log.error("an event (%s) failed: %s", event_method, type(sys.exception()).__name__)
        log.debug("an event (%s) failed", event_method, exc_info=True)


_NOT_KEPT = "I could not take your question in: my memory does not answer. Please ask again soon."
_BLANK_REPLY = (
    "I cannot see the message that you replied to: Discord shows me only messages that mention me. "
    f"Right-click it, then Apps → {DIAGNOSE}; or paste the code after mentioning me."
)


class DiscordFront:
    """The bot on Discord: its connection and its platform.

    async with DiscordFront(settings.discord, token, print) as front:   # logged in
        async with open_question_service(settings, front.platform, …) as service:
            await front.serve(service)   # until cancelled
    """

    def __init__(
        self, settings: DiscordSettings, token: Secret, say: Callable[[str], None]
    ) -> None:
        """Make a front that is not logged in yet; `say` is called with hints for the operator."""
        if settings.api_url:
            Route.BASE = settings.api_url.rstrip("/")
        if settings.gateway_url:
            DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url)
        self._settings = settings
        self._token = token
        self._say = say
        self._client = _Client(settings)

    @property
    def platform(self) -> DiscordPlatform:
        """The platform on which a question service draws."""
        return self._client.platform

    @property
    def is_ready(self) -> bool:
        """Whether the gateway has sent all its initial events."""
        return self._client.is_ready()

    async def __aenter__(self) -> DiscordFront:
        """Log in and register our commands.

        Raises:
            SettingsError: the token is refused.
            PlatformError: Discord cannot be reached.
        """
        try:
            await self._client.login(self._token.reveal())
        except discord.LoginFailure as e:
            raise SettingsError(
                f"Discord refuses DISCORD_TOKEN; copy it anew from {_PORTAL} → your application → "
                "Bot → Reset Token"
            ) from e
        except (discord.HTTPException, aiohttp.ClientError, OSError) as e:
            raise PlatformError(f"Discord cannot be reached ({type(e).__name__})") from e
        application = self._client.own_id
        await self._client.call("PUT", "/applications/{id}/commands", COMMANDS, id=application)
        for line in _start_up(self._settings, application):
            self._say(line)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._client.service = None
        await self._client.close()

    async def serve(self, service: QuestionService) -> None:
        """Pass every event to the question service, through every disconnect, until cancelled.

        Raises:
            SettingsError: an intent is refused; the text says which switch to turn on.
        """
        self._client.service = service
        try:
            await self._client.connect()
        except discord.PrivilegedIntentsRequired as e:
            raise SettingsError(
                "Discord does not allow the message content that discord.message_content asks for: "
                f"turn on “Message Content Intent” at {_PORTAL}/{self._client.own_id}/bot "
                "(Privileged Gateway Intents), or set discord.message_content to false"
            ) from e
        finally:
            self._client.service = None


def _start_up(settings: DiscordSettings, application: str) -> list[str]:
    """Hints for the operator who starts the bot."""
    lines = [
        "add it to a server, or to your own account: https://discord.com/oauth2/authorize?"
        f"client_id={application}&scope=bot+applications.commands&permissions={_PERMISSIONS}"
    ]
    if not settings.message_content:
        what = "follow-ups in a thread need a mention"
        if settings.support:
            what += ", and the support channels stay silent"
        lines.append(
            f"message content is off, so {what}; to change that turn on “Message Content Intent” "
            f"at {_PORTAL}/{application}/bot and set discord.message_content to true"
        )
    return lines


def _error(e: discord.HTTPException) -> PlatformError:
    """Discord's error as a PlatformRefusedError, or a PlatformError if a retry may help."""
    first = (e.text or "").splitlines()
    text = f"Discord answered {e.status} ({e.code}: {first[0] if first else e.response.reason})"
    if e.status == 429 or e.status >= 500:
        # Where discord.py has waited five times, the last answer says how long it still takes.
        return PlatformError(text, read_retry_after(e.response.headers.get("Retry-After")))
    return RefusedError(text, e.code)


def _person(user: discord.abc.User) -> Person:
    roles = tuple(str(r.id) for r in getattr(user, "roles", ())[1:])  # the first is everyone's
    return Person(id=str(user.id), name=user.display_name, groups=roles)


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


def _clicked_place(interaction: discord.Interaction) -> Place:
    channel: Any = interaction.channel
    if channel is None:
        room, thread = str(interaction.channel_id), ""
    elif getattr(channel, "parent_id", None) and isinstance(channel, discord.Thread):
        room, thread = str(channel.parent_id), str(channel.id)
    else:
        room, thread = str(channel.id), ""
    return Place(
        platform="discord",
        workspace=str(interaction.guild_id or ""),
        channel=room,
        thread=thread,
        via=via(interaction.token, str(interaction.user.id)),
    )


def _is_member(interaction: discord.Interaction) -> bool:
    """Whether the bot is a member where the interaction was made."""
    if interaction.guild_id is not None:
        return interaction.is_guild_integration()
    return interaction.context.dm_channel


def _attached(file: Any) -> Attached:
    if isinstance(file, discord.Attachment):
        return Attached(name=file.filename, size=file.size, url=file.url)
    return Attached(name=file["filename"], size=file["size"], url=file["url"])


def _thanks(incoming: Incoming) -> bool:
    """Whether a message is only a thanks, which gets no card."""
    text = _MESSAGE.sub("", incoming.text).strip()
    return bool(text) and not incoming.attachments and not manners.is_a_question(text)


def _through(door: Door, incoming: Incoming) -> Incoming:
    return Incoming(
        incoming.event,
        incoming.asker,
        incoming.place,
        incoming.text,
        door,
        incoming.attachments,
        incoming.unasked,
    )


def _with_event(incoming: Incoming, event: str) -> Incoming:
    return Incoming(
        event,
        incoming.asker,
        incoming.place,
        incoming.text,
        incoming.door,
        incoming.attachments,
        incoming.unasked,
    )
