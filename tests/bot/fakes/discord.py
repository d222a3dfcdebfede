"""A Discord of our own on real sockets: gateway, REST, interactions, files, and their refusals.

The unmodified discord.py talks to it once its two addresses point here. What a person would do is
a method (`post`, `edit`, `slash`, `menu`, `click`, `submit`); what can go wrong is one as well
(`fail`, `drop`, `reconnect`, `redeliver`, `expire`).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.bot.fakes.discord_limits import (
    EPHEMERAL,
    V2,
    Refused,
    check_command,
    check_message,
    check_modal,
    invalid,
)

Json = dict[str, Any]
TEXT, DM, THREAD, FORUM = 0, 1, 11, 15
GUILDS, GUILD_MESSAGES, DM_MESSAGES, CONTENT = 1 << 0, 1 << 9, 1 << 12, 1 << 15
PRIVILEGED = {1 << 1: "members", 1 << 8: "presences", CONTENT: "message content"}
MANAGE_CHANNELS = 1 << 4
MANAGE_MESSAGES = 1 << 13
EVERYDAY = 0x6546771529A00  # what @everyone usually may, send and threads included
ACK_S = 3.0
_EPOCH = 1_420_070_400_000
_BLANK: Json = {"content": "", "attachments": [], "embeds": [], "components": []}


@dataclass
class Person:
    """Somebody with an account."""

    id: str
    name: str
    permissions: int = EVERYDAY
    roles: tuple[str, ...] = ()
    bot: bool = False

    @property
    def json(self) -> Json:
        """A user object."""
        return {
            "id": self.id,
            "username": self.name,
            "global_name": self.name,
            "avatar": None,
            "discriminator": "0",
            "bot": self.bot,
            "public_flags": 0,
        }


@dataclass
class Channel:
    """A text channel, a direct one, a thread or a forum."""

    id: str
    kind: int
    name: str
    parent: str = ""
    owner: str = ""
    people: tuple[Person, ...] = ()  # of a direct one
    closed: bool = False  # the bot may not write here
    no_threads: bool = False  # nor start a thread
    foreign: bool = False  # of a guild that the bot is not in
    messages: dict[str, Json] = field(default_factory=dict)


@dataclass
class Interaction:
    """A click, a command or a form, and what the bot made of it."""

    id: str
    token: str
    kind: int
    person: Person
    channel: Channel
    born: float
    message: Json | None = None  # the one with the button
    answered: int = 0  # the type of the first response
    ack_s: float = 0.0
    original: str = ""  # id of the message that is the response
    ephemeral: bool = False
    modal: Json | None = None
    expired: bool = False
    followups: int = 0


@dataclass
class Session:
    """One IDENTIFY and its events."""

    id: str
    intents: int
    events: list[Json] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None
    acknowledged: int = 0


@dataclass
class Fault:
    """A refusal to come."""

    method: str
    path: re.Pattern[str]
    status: int
    times: int
    done: bool  # the request is carried out, only its answer is lost
    headers: dict[str, str]
    body: Json


class FakeDiscord:
    """One guild with a channel, a forum, and as many people as there are."""

    def __init__(self, token: str = "MTIzNDU2.fake.token") -> None:
        self.token = token
        self.ack_s = ACK_S
        self.allowed_intents = 0  # privileged ones switched on in the portal
        self._count = itertools.count(1)
        self.people: dict[str, Person] = {}
        self.channels: dict[str, Channel] = {}
        self.sessions: dict[str, Session] = {}
        self.interactions: dict[str, Interaction] = {}
        self.commands: list[Json] = []
        self.requests: list[tuple[str, str, int]] = []
        self.refused: list[str] = []  # refusals that were not asked for by a Fault
        self.faults: list[Fault] = []
        self.files: dict[str, bytes] = {}
        self.deleted: list[str] = []
        self.typing: list[str] = []
        self.reactions: list[tuple[str, str]] = []
        self.reacted: list[tuple[str, str]] = []  # ever, also those taken back
        self.histories: dict[str, list[Json]] = {}  # every state of every message
        self.identified = 0
        self.resumed = 0
        self.closed_with: list[int] = []
        self.nonces: dict[tuple[str, str], str] = {}
        self._sockets: set[web.WebSocketResponse] = set()
        self.bot = Person(self._id(), "torchmedic", bot=True)
        self.people[self.bot.id] = self.bot
        self.guild_id = self._id()
        self.help = self.channel("help")
        self._runner: web.AppRunner | None = None
        self.port = 0

    # -- addresses -------------------------------------------------------------------------------

    @property
    def api_url(self) -> str:
        """For `discord.api_url`."""
        return f"http://127.0.0.1:{self.port}/api/v10"

    @property
    def gateway_url(self) -> str:
        """For `discord.gateway_url`."""
        return f"ws://127.0.0.1:{self.port}/gateway"

    async def __aenter__(self) -> FakeDiscord:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/gateway", self._gateway)
        app.router.add_get("/files/{id}/{name}", self._file)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        server = site._server
        assert server is not None
        self.port = server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for socket in list(self._sockets):
            await socket.close()
        assert self._runner is not None
        await self._runner.cleanup()

    def _id(self) -> str:
        return str(((int(time.time() * 1000) - _EPOCH) << 22) + next(self._count))

    # -- the world -------------------------------------------------------------------------------

    def person(self, name: str, permissions: int = EVERYDAY, *roles: str) -> Person:
        """Somebody new."""
        made = Person(self._id(), name, permissions, roles)
        self.people[made.id] = made
        return made

    def channel(self, name: str, kind: int = TEXT) -> Channel:
        """A channel of the guild, known from the next GUILD_CREATE on."""
        made = Channel(self._id(), kind, name)
        self.channels[made.id] = made
        return made

    def direct(self, person: Person) -> Channel:
        """The direct channel between a person and the bot."""
        for channel in self.channels.values():
            if channel.kind == DM and person in channel.people:
                return channel
        made = Channel(self._id(), DM, person.name, people=(person,))
        self.channels[made.id] = made
        return made

    def elsewhere(self, name: str) -> Channel:
        """A channel of a guild without the bot, where only a person brought it along."""
        made = Channel(self._id(), TEXT, name, foreign=True)
        self.channels[made.id] = made
        return made

    # -- what people do --------------------------------------------------------------------------

    async def post(
        self,
        person: Person,
        channel: Channel,
        text: str,
        files: tuple[tuple[str, bytes], ...] = (),
        reply_to: Json | None = None,
        ago_s: float = 0,
        forwarded: Json | None = None,
    ) -> Json:
        """Write a message, now or so many seconds ago."""
        message = self._message(person, channel, {"content": text}, files)
        if forwarded is not None:
            message["message_reference"] = {
                "type": 1,
                "message_id": forwarded["id"],
                "channel_id": forwarded["channel_id"],
                "guild_id": self.guild_id,
            }
            kept = ("content", "timestamp", "edited_timestamp", "mentions", "mention_roles",
                    "attachments", "type", "flags", "embeds", "components")  # fmt: skip
            snapshot = {name: forwarded[name] for name in kept}
            message["message_snapshots"] = [{"message": snapshot}]
        message["id"] = str(int(message["id"]) - (int(ago_s * 1000) << 22))
        if reply_to is not None:
            message["type"] = 19
            message["message_reference"] = {
                "message_id": reply_to["id"],
                "channel_id": channel.id,
                "guild_id": self.guild_id,
            }
            message["referenced_message"] = reply_to
            if reply_to["author"] not in message["mentions"]:
                message["mentions"].append(reply_to["author"])
        channel.messages[message["id"]] = message
        await self._tell("MESSAGE_CREATE", message, channel, person)
        return message

    async def edit(self, message: Json, text: str) -> None:
        """Change what one wrote."""
        channel = self.channels[message["channel_id"]]
        message["content"] = text
        message["mentions"] = self._mentions(text)
        message["edited_timestamp"] = _stamp()
        await self._tell("MESSAGE_UPDATE", message, channel, self.people[message["author"]["id"]])

    async def unfurl(self, message: Json) -> None:
        """Discord adds a preview: an update in which nobody wrote anything."""
        channel = self.channels[message["channel_id"]]
        message["embeds"] = [{"type": "link", "url": "https://example.org"}]
        await self._tell("MESSAGE_UPDATE", message, channel, self.people[message["author"]["id"]])

    async def remove(self, message: Json) -> None:
        """Take one's own message back."""
        channel = self.channels[message["channel_id"]]
        channel.messages.pop(message["id"], None)
        self.deleted.append(message["id"])
        gone = {"id": message["id"], "channel_id": channel.id}
        await self._tell("MESSAGE_DELETE", gone, channel, None)

    async def join_again(self) -> None:
        """The bot is added to the server, as one that it did not know."""
        await self._send_all("GUILD_DELETE", {"id": self.guild_id}, lambda _: {"id": self.guild_id})
        whole = {k: v for k, v in self._guild_json().items() if k != "unavailable"}
        await self._send_all("GUILD_CREATE", {}, lambda _: whole)

    async def forum_post(
        self,
        person: Person,
        forum: Channel,
        title: str,
        text: str,
        files: tuple[tuple[str, bytes], ...] = (),
    ) -> Channel:
        """Start a post: a thread whose first message has its id."""
        thread = Channel(self._id(), THREAD, title, forum.id, person.id)
        self.channels[thread.id] = thread
        await self._tell(
            "THREAD_CREATE", self._channel_json(thread) | {"newly_created": True}, thread, None
        )
        message = self._message(person, thread, {"content": text}, files)
        message["id"] = thread.id
        thread.messages[thread.id] = message
        await self._tell("MESSAGE_CREATE", message, thread, person)
        return thread

    async def thread(self, person: Person, channel: Channel, name: str) -> Channel:
        """Start a thread of one's own."""
        made = Channel(self._id(), THREAD, name, channel.id, person.id)
        self.channels[made.id] = made
        await self._tell("THREAD_CREATE", self._channel_json(made), made, None)
        return made

    async def slash(
        self,
        person: Person,
        channel: Channel,
        files: tuple[tuple[str, bytes], ...] = (),
        /,
        **options: Any,
    ) -> Interaction:
        """`/torchmedic`, with its options."""
        command = self._command("torchmedic", 1)
        known = {o["name"]: o for o in command.get("options", [])}
        data: Json = {"id": command["id"], "name": "torchmedic", "type": 1, "options": []}
        for name, value in options.items():
            assert name in known, f"the command has no option {name}"
            assert known[name]["type"] != 3 or 0 < len(value) <= known[name].get(
                "max_length", 6_000
            ), "people cannot send this"
            data["options"].append({"name": name, "type": known[name]["type"], "value": value})
        if files:
            (option,) = [o for o in known.values() if o["type"] == 11][:1]
            attached = self._attach(channel.id, files[0])
            data["options"].append({"name": option["name"], "type": 11, "value": attached["id"]})
            data["resolved"] = {"attachments": {attached["id"]: attached}}
        return await self._interact(person, channel, 2, data)

    async def menu(self, person: Person, message: Json, name: str) -> Interaction:
        """Right-click, Apps, and the name of the command."""
        command = self._command(name, 3)
        channel = self.channels[message["channel_id"]]
        data = {
            "id": command["id"],
            "name": name,
            "type": 3,
            "target_id": message["id"],
            "resolved": {"messages": {message["id"]: message}},
        }
        return await self._interact(person, channel, 2, data)

    async def click(self, person: Person, message: Json, label: str) -> Interaction:
        """Press the button that says so."""
        (found,) = [b for b in buttons(message) if b["label"].startswith(label)] or [None]
        assert found is not None, f"no button {label}: {[b['label'] for b in buttons(message)]}"
        if menu := found.get("menu"):
            channel = self.channels[message["channel_id"]]
            data = {"custom_id": menu, "component_type": 3, "id": 1, "values": [found["custom_id"]]}
            return await self._interact(person, channel, 3, data, message)
        return await self.press(person, message, found["custom_id"])

    async def press(self, person: Person, message: Json, custom_id: str) -> Interaction:
        """A click on any id, also one that is not there."""
        channel = self.channels[message["channel_id"]]
        data = {"custom_id": custom_id, "component_type": 2, "id": 1}
        return await self._interact(person, channel, 3, data, message)

    async def submit(
        self,
        shown: Interaction,
        files: tuple[tuple[str, bytes], ...] = (),
        /,
        **values: str | list[str],
    ) -> Interaction:
        """Fill in the form that an interaction opened, and send it."""
        resolved: Json = {}
        modal = shown.modal
        assert modal is not None, "no form was shown"
        rows = []
        for row in modal["components"]:
            if row["type"] == 10:
                continue
            item = row["component"] if row["type"] == 18 else row["components"][0]
            name = item["custom_id"]
            if item["type"] == 19:
                ids = [self._attach(shown.channel.id, f) for f in files]
                resolved = {a["id"]: a for a in ids}
                filled = {"type": 19, "custom_id": name, "values": [*resolved], "id": 1}
                rows.append({"type": 18, "id": 2, "component": filled})
                continue
            given = values.get(name, item.get("value", ""))
            if item["type"] == 3:
                chosen = (
                    given
                    if isinstance(given, list)
                    else [given]
                    if given
                    else [o["value"] for o in item["options"] if o.get("default")]
                )
                known = {o["value"] for o in item["options"]}
                assert set(chosen) <= known, f"people can choose from {known}"
                filled = {"type": 3, "custom_id": name, "values": chosen, "id": 1}
            else:
                assert not item.get("required", True) or given, f"{name} has to be filled in"
                assert len(given) <= item.get("max_length", 4_000)
                filled = {"type": 4, "custom_id": name, "value": given, "id": 1}
            rows.append(
                {"type": 18, "id": 2, "component": filled}
                if row["type"] == 18
                else {"type": 1, "id": 2, "components": [filled]}
            )
        data = {"custom_id": modal["custom_id"], "components": rows}
        if resolved:
            data["resolved"] = {"attachments": resolved}
        return await self._interact(shown.person, shown.channel, 5, data, shown.message)

    def _command(self, name: str, kind: int) -> Json:
        found = [c for c in self.commands if c["name"] == name and c.get("type", 1) == kind]
        assert found, f"no command {name}: {[c['name'] for c in self.commands]}"
        return found[0]

    async def _interact(
        self, person: Person, channel: Channel, kind: int, data: Json, message: Json | None = None
    ) -> Interaction:
        made = Interaction(
            self._id(),
            f"tok{next(self._count):09d}{'x' * 40}",
            kind,
            person,
            channel,
            time.monotonic(),
            message,
        )
        self.interactions[made.token] = made
        told: Json = {
            "id": made.id, "application_id": self.bot.id, "type": kind, "token": made.token,
            "version": 1, "data": data, "channel_id": channel.id, "locale": "en-US",
            "channel": self._channel_json(channel), "entitlements": [],
            "app_permissions": str(EVERYDAY), "attachment_size_limit": 10 * 1024 * 1024,
        }  # fmt: skip
        if channel.kind == DM:
            told |= {
                "user": person.json,
                "context": 1,
                "authorizing_integration_owners": {"1": person.id},
            }
        else:
            guild = "1" if channel.foreign else self.guild_id
            owners = {"1": person.id} if channel.foreign else {"0": self.guild_id}
            told |= {
                "guild_id": guild,
                "context": 0,
                "guild_locale": "en-US",
                "guild": {"id": guild, "locale": "en-US", "features": []},
                "member": self._member(person) | {"permissions": str(person.permissions)},
                "authorizing_integration_owners": owners,
            }
        if message is not None:
            told["message"] = message
        await self._send_all("INTERACTION_CREATE", told, lambda _: told)
        return made

    # -- what is there to see --------------------------------------------------------------------

    async def until(self, true: Callable[[], Any], seconds: float = 60) -> Any:
        """Wait until something is so, and return it."""
        ends = time.monotonic() + seconds
        while not (found := true()):
            assert time.monotonic() < ends, f"waited {seconds} s; {self._story()}"
            await asyncio.sleep(0.02)
        return found

    def _story(self) -> str:
        last = [f"{m} {p} {s}" for m, p, s in self.requests[-12:]]
        said = [text_of(m)[:200] for m in self.by_bot()]
        return "\n".join(["last requests:", *last, "refused:", *self.refused, "messages:", *said])

    def by_bot(self, channel: Channel | None = None) -> list[Json]:
        """All of the bot's messages, or those in one channel."""
        channels = [channel] if channel is not None else list(self.channels.values())
        return [
            m for c in channels for m in c.messages.values() if m["author"]["id"] == self.bot.id
        ]

    def threads(self, channel: Channel) -> list[Channel]:
        """The threads of a channel."""
        return [c for c in self.channels.values() if c.parent == channel.id]

    def response(self, interaction: Interaction) -> Json | None:
        """The message that an interaction was answered with."""
        return interaction.channel.messages.get(interaction.original)

    # -- what goes wrong -------------------------------------------------------------------------

    def fail(
        self,
        method: str,
        path: str,
        status: int,
        times: int = 1,
        *,
        done: bool = False,
        retry_after: float = 0.2,
    ) -> None:
        """Answer the next `times` such requests with a refusal.

        Args:
            method: GET, POST, …
            path: a pattern for what follows /api/v10.
            status: 429, 500, 502, 503.
            times: how many.
            done: whether the request is carried out all the same, and only its answer is lost.
            retry_after: of a 429, seconds.
        """
        headers = {"Via": "1.1 google"}
        body: Json = {"message": "Internal Server Error", "code": 0}
        if status == 429:
            headers |= {"Retry-After": str(retry_after), "X-RateLimit-Scope": "user"}
            body = {
                "message": "You are being rate limited.",
                "retry_after": retry_after,
                "global": False,
            }
        self.faults.append(Fault(method, re.compile(path), status, times, done, headers, body))

    async def drop(self) -> None:
        """The gateway's connections are gone, without a word."""
        for socket in list(self._sockets):
            transport = socket._req.transport if socket._req is not None else None
            if transport is not None:
                transport.abort()
        for session in self.sessions.values():
            session.socket = None

    async def reconnect(self) -> None:
        """The gateway asks everyone to connect anew (op 7)."""
        for session in self.sessions.values():
            if session.socket is not None:
                await session.socket.send_json({"op": 7, "d": None})
                session.socket = None  # what comes now waits for the RESUME

    async def redeliver(self, last: int = 1) -> None:
        """The last events once more, under new numbers."""
        for session in self.sessions.values():
            told = [e for e in session.events if e["t"] != "READY"][-last:]
            for event in told:
                await self._send(session, event["t"], event["d"])

    def expire(self) -> None:
        """Fifteen minutes go by: no token of an interaction is worth anything."""
        for interaction in self.interactions.values():
            interaction.expired = True

    # -- the gateway -----------------------------------------------------------------------------

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        self._sockets.add(socket)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41_250}})
        session: Session | None = None
        try:
            async for frame in socket:
                if frame.type is not WSMsgType.TEXT:
                    continue
                said = json.loads(frame.data)
                if said["op"] == 1:
                    await socket.send_json({"op": 11})
                elif said["op"] == 2:
                    session = await self._identify(socket, said["d"])
                elif said["op"] == 6:
                    session = await self._resume(socket, said["d"])
        finally:
            self._sockets.discard(socket)
            if session is not None and session.socket is socket:
                session.socket = None
                if socket.close_code in (1000, 1001):  # such a session cannot be resumed
                    self.sessions.pop(session.id, None)
        return socket

    async def _identify(self, socket: web.WebSocketResponse, d: Json) -> Session | None:
        self.identified += 1
        wrong = [p for p in PRIVILEGED if d["intents"] & p and not self.allowed_intents & p]
        if d["token"] != self.token or wrong:
            code = 4014 if wrong else 4004
            self.closed_with.append(code)
            await socket.close(code=code, message=b"Disallowed intent(s)." if wrong else b"Auth")
            return None
        session = Session(self._id(), d["intents"], socket=socket)
        self.sessions[session.id] = session
        await self._send(
            session,
            "READY",
            {
                "v": 10,
                "user": self.bot.json,
                "guilds": [{"id": self.guild_id, "unavailable": True}],
                "session_id": session.id,
                "resume_gateway_url": self.gateway_url,
                "shard": [0, 1],
                "application": {"id": self.bot.id, "flags": 0},
                "private_channels": [],
            },
        )
        if session.intents & GUILDS:
            await self._send(session, "GUILD_CREATE", self._guild_json())
        return session

    async def _resume(self, socket: web.WebSocketResponse, d: Json) -> Session | None:
        session = self.sessions.get(d["session_id"])
        if session is None or d["token"] != self.token:
            await socket.send_json({"op": 9, "d": False})
            return None
        self.resumed += 1
        missed = [e for e in session.events if e["s"] > d["seq"]]
        for event in missed:
            await socket.send_json(event)
        session.socket = socket
        await self._send(session, "RESUMED", {})
        return session

    async def _send(self, session: Session, name: str, data: Json) -> None:
        event = {
            "op": 0,
            "t": name,
            "s": len(session.events) + 1,
            "d": json.loads(json.dumps(data)),
        }
        session.events.append(event)
        if session.socket is not None and not session.socket.closed:
            with suppress(ConnectionError, RuntimeError):
                await session.socket.send_json(event)

    async def _send_all(
        self, name: str, data: Json, seen: Callable[[Session], Json | None]
    ) -> None:
        for session in list(self.sessions.values()):
            if (shown := seen(session)) is not None:
                await self._send(session, name, shown)

    async def _tell(self, name: str, data: Json, channel: Channel, author: Person | None) -> None:
        """An event, as far as each session's intents let it through."""
        if channel.foreign:
            return
        private = channel.kind == DM
        if name.startswith("MESSAGE"):
            if data.get("flags", 0) & EPHEMERAL:
                return
            needed = DM_MESSAGES if private else GUILD_MESSAGES
            told = data if private else data | {"guild_id": self.guild_id}
            if author is not None and not private:
                told = told | {"member": self._member(author)}
        else:
            needed, told = GUILDS, data

        def seen(session: Session) -> Json | None:
            if not session.intents & needed:
                return None
            open_to_bot = (
                private
                or session.intents & CONTENT
                or author is None
                or author is self.bot
                or any(u["id"] == self.bot.id for u in data.get("mentions", []))
            )
            shown = told
            if not open_to_bot and "content" in told:
                shown = told | _BLANK
            replied = shown.get("referenced_message")
            if replied is not None and not private and not session.intents & CONTENT:
                hidden = replied["author"]["id"] != self.bot.id and not any(
                    u["id"] == self.bot.id for u in replied["mentions"]
                )
                shown = shown | {"referenced_message": replied | (_BLANK if hidden else {})}
            return shown

        await self._send_all(name, told, seen)

    # -- REST ------------------------------------------------------------------------------------

    async def _file(self, request: web.Request) -> web.Response:
        data = self.files.get(request.match_info["id"])
        return web.Response(status=404) if data is None else web.Response(body=data)

    async def _rest(self, request: web.Request) -> web.Response:
        path = "/" + request.match_info["path"]
        fault = self._fault(request.method, path)
        if fault is not None and not fault.done:
            self.requests.append((request.method, path, fault.status))
            return _json(fault.body, fault.status, fault.headers)
        try:
            status, body = await self._route(request, path)
        except Refused as e:
            status, body = e.status, e.body
            self.refused.append(f"{request.method} {path}: {e}")
        self.requests.append((request.method, path, fault.status if fault else status))
        if fault is not None:
            return _json(fault.body, fault.status, fault.headers)
        return _json(body, status)

    def _fault(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times and fault.method == method and fault.path.search(path):
                fault.times -= 1
                return fault
        return None

    async def _route(self, request: web.Request, path: str) -> tuple[int, Any]:
        payload, files = await self._body(request)
        if found := re.fullmatch(r"/interactions/(\d+)/(\w+)/callback", path):
            return await self._callback(found[1], found[2], payload, files, request)
        if found := re.fullmatch(r"/webhooks/(\d+)/(\w+)(?:/messages/(@original|\d+))?", path):
            return await self._webhook(request.method, found[2], found[3], payload, files)
        if request.headers.get("Authorization") != f"Bot {self.token}":
            raise Refused(401, 0, "401: Unauthorized")
        for method, pattern, handle in self._routes:
            if request.method == method and (found := re.fullmatch(pattern, path)):
                return await handle(self, *found.groups(), payload=payload, files=files)
        raise Refused(404, 0, f"404: Not Found ({request.method} {path})")

    async def _body(self, request: web.Request) -> tuple[Json, list[tuple[str, bytes]]]:
        if request.method == "GET":
            return dict(request.query), []
        kind = request.content_type
        if kind == "application/json":
            text = await request.text()
            return (json.loads(text) if text else {}), []
        payload, files = {}, []
        if kind.startswith("multipart/"):
            async for part in await request.multipart():
                if part.name == "payload_json":
                    payload = json.loads(await part.text())
                elif part.name and part.name.startswith("files["):
                    files.append((part.filename or "unknown", bytes(await part.read())))
        return payload, files

    async def _me(self, **_: Any) -> tuple[int, Any]:
        return 200, self.bot.json | {"verified": True, "mfa_enabled": False, "locale": "en-US"}

    async def _application(self, **_: Any) -> tuple[int, Any]:
        return 200, {"id": self.bot.id, "name": "torchmedic", "icon": None, "description": "",
                     "bot_public": True, "bot_require_code_grant": False, "verify_key": "0",
                     "flags": 0, "owner": self.bot.json}  # fmt: skip

    async def _put_commands(self, app: str, payload: Any, **_: Any) -> tuple[int, Any]:
        names = [(c["name"], c.get("type", 1)) for c in payload]
        if len(set(names)) != len(names):
            raise invalid("0.name", "APPLICATION_COMMANDS_DUPLICATE_NAME")
        for command in payload:
            check_command(command)
        for kind, most in ((1, 100), (2, 15), (3, 15)):
            if sum(c.get("type", 1) == kind for c in payload) > most:
                raise Refused(400, 30032, "Maximum number of application commands reached")
        self.commands = [
            c
            | {
                "id": self._id(),
                "application_id": app,
                "version": "1",
                "default_member_permissions": None,
            }
            for c in payload
        ]
        return 200, self.commands

    def _open(self, channel_id: str) -> Channel:
        channel = self.channels.get(channel_id)
        if channel is None:
            raise Refused(404, 10003, "Unknown Channel")
        if channel.foreign:
            raise Refused(403, 50001, "Missing Access")
        return channel

    def _found(self, channel: Channel, message_id: str) -> Json:
        message = channel.messages.get(message_id)
        if message is None or message["flags"] & EPHEMERAL:
            raise Refused(404, 10008, "Unknown Message")
        return message

    def _own(self, channel: Channel, message_id: str) -> Json:
        message = self._found(channel, message_id)
        if message["author"]["id"] != self.bot.id:
            raise Refused(403, 50005, "Cannot edit a message authored by another user")
        return message

    async def _get_channel(self, channel: str, **_: Any) -> tuple[int, Any]:
        return 200, self._channel_json(self._open(channel))

    async def _get_message(self, channel: str, message: str, **_: Any) -> tuple[int, Any]:
        return 200, self._found(self._open(channel), message)

    async def _get_messages(self, channel: str, payload: Json, **_: Any) -> tuple[int, Any]:
        """Newest first; after an id the ones that follow it. Content as the portal allows it."""
        room = self._open(channel)
        found = sorted(room.messages.values(), key=lambda m: int(m["id"]), reverse=True)
        limit = int(payload.get("limit", 50))
        if "before" in payload:
            found = [m for m in found if int(m["id"]) < int(payload["before"])]
        if "after" in payload:
            found = [m for m in found if int(m["id"]) > int(payload["after"])][-limit:]
        shown = [
            m
            if room.kind == DM
            or self.allowed_intents & CONTENT
            or m["author"] == self.bot.json
            or any(u["id"] == self.bot.id for u in m["mentions"])
            else m | _BLANK
            for m in found
            if not m["flags"] & EPHEMERAL
        ]
        return 200, shown[:limit]

    async def _create(self, channel_id: str, payload: Json, files: Any) -> tuple[int, Any]:
        channel = self._open(channel_id)
        if channel.kind == DM and channel.closed:
            raise Refused(403, 50007, "Cannot send messages to this user")
        if channel.closed or channel.kind == FORUM:
            raise Refused(403, 50013, "Missing Permissions")
        nonce = (channel_id, str(payload.get("nonce", "")))
        if len(nonce[1]) > 25:
            raise invalid("nonce", "NONCE_TYPE_TOO_LONG")
        if payload.get("enforce_nonce") and nonce[1] and nonce in self.nonces:
            known = channel.messages.get(self.nonces[nonce])
            if known is not None:
                return 200, known
        reference = payload.get("message_reference")
        if reference and reference["message_id"] not in channel.messages:
            if reference.get("fail_if_not_exists", True):
                raise invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE")
            reference = None
        message = self._drawn(channel, payload, files)
        if reference:
            replied = channel.messages[reference["message_id"]]
            whole = {"channel_id": channel_id, "guild_id": self.guild_id} | reference
            message |= {"type": 19, "message_reference": whole, "referenced_message": replied}
        if payload.get("nonce"):
            message["nonce"] = payload["nonce"]
            self.nonces[nonce] = message["id"]
        await self._keep(channel, message)
        await self._tell("MESSAGE_CREATE", message, channel, self.bot)
        return 200, message

    async def _patch(
        self, channel: str, message: str, payload: Json, files: Any
    ) -> tuple[int, Any]:
        place = self._open(channel)
        return 200, await self._change(place, self._own(place, message), payload, files)

    async def _delete(self, channel: str, message: str, **_: Any) -> tuple[int, Any]:
        place = self._open(channel)
        found = self._own(place, message)
        del place.messages[message]
        self.deleted.append(message)
        gone = {"id": found["id"], "channel_id": channel}
        await self._tell("MESSAGE_DELETE", gone, place, None)
        return 204, None

    async def _type(self, channel: str, **_: Any) -> tuple[int, Any]:
        self.typing.append(self._open(channel).id)
        return 204, None

    async def _react(self, channel: str, message: str, emoji: str, **_: Any) -> tuple[int, Any]:
        self._found(self._open(channel), message)
        self.reactions.append((message, emoji))
        self.reacted.append((message, emoji))
        return 204, None

    async def _unreact(self, channel: str, message: str, emoji: str, **_: Any) -> tuple[int, Any]:
        self._found(self._open(channel), message)
        if (message, emoji) not in self.reactions:
            raise Refused(404, 10014, "Unknown Emoji")
        self.reactions.remove((message, emoji))
        return 204, None

    async def _start_thread(self, channel: str, message: str, payload: Json, files: Any) -> Any:
        place = self._open(channel)
        self._found(place, message)
        if not 1 <= len(payload.get("name", "")) <= 100:
            raise invalid("name", "BASE_TYPE_BAD_LENGTH")
        if place.kind != TEXT:
            raise Refused(400, 50024, "Cannot execute action on this channel type")
        if place.no_threads:
            raise Refused(403, 50013, "Missing Permissions")
        if message in self.channels:
            raise Refused(400, 160004, "A thread has already been created for this message")
        thread = Channel(message, THREAD, payload["name"], channel, self.bot.id)
        self.channels[thread.id] = thread
        await self._tell("THREAD_CREATE", self._channel_json(thread), thread, None)
        return 201, self._channel_json(thread)

    async def _open_direct(self, payload: Json, **_: Any) -> tuple[int, Any]:
        person = self.people.get(str(payload["recipient_id"]))
        if person is None:
            raise Refused(400, 50033, "Invalid Recipient(s)")
        return 200, self._channel_json(self.direct(person))

    _routes: tuple[tuple[str, str, Any], ...] = (
        ("GET", r"/users/@me", _me),
        ("GET", r"/oauth2/applications/@me", _application),
        ("GET", r"/applications/@me", _application),
        ("PUT", r"/applications/(\d+)/commands", _put_commands),
        ("POST", r"/users/@me/channels", _open_direct),
        ("GET", r"/channels/(\d+)", _get_channel),
        ("GET", r"/channels/(\d+)/messages", _get_messages),
        ("GET", r"/channels/(\d+)/messages/(\d+)", _get_message),
        ("POST", r"/channels/(\d+)/messages", _create),
        ("PATCH", r"/channels/(\d+)/messages/(\d+)", _patch),
        ("DELETE", r"/channels/(\d+)/messages/(\d+)", _delete),
        ("POST", r"/channels/(\d+)/typing", _type),
        ("PUT", r"/channels/(\d+)/messages/(\d+)/reactions/([^/]+)/@me", _react),
        ("DELETE", r"/channels/(\d+)/messages/(\d+)/reactions/([^/]+)/@me", _unreact),
        ("POST", r"/channels/(\d+)/messages/(\d+)/threads", _start_thread),
    )

    # -- interactions ----------------------------------------------------------------------------

    async def _callback(
        self, interaction_id: str, token: str, payload: Json, files: Any, request: web.Request
    ) -> tuple[int, Any]:
        it = self.interactions.get(token)
        if it is None or it.id != interaction_id or time.monotonic() - it.born > self.ack_s:
            raise Refused(404, 10062, "Unknown interaction")
        if it.answered:
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        kind, data = payload["type"], payload.get("data") or {}
        if kind == 4:
            message = self._drawn(it.channel, data, files, it)
            it.original, it.ephemeral = message["id"], bool(message["flags"] & EPHEMERAL)
            await self._keep(it.channel, message)
            await self._tell("MESSAGE_CREATE", message, it.channel, self.bot)
        elif kind == 5:
            if data.get("flags", 0) & ~EPHEMERAL or set(data) - {"flags"}:
                raise invalid("data.flags", "MESSAGE_FLAGS_INVALID")
            it.ephemeral = bool(data.get("flags", 0) & EPHEMERAL)
            message = self._message(self.bot, it.channel, {"content": ""}, ())
            message["flags"] = 1 << 7 | (EPHEMERAL if it.ephemeral else 0)
            it.original = message["id"]
            it.channel.messages[message["id"]] = message
        elif kind in (6, 7):
            if it.message is None:
                raise invalid("type", "INTERACTION_RESPONSE_TYPE_INVALID")
            it.original = it.message["id"]
            if kind == 7:
                await self._change(it.channel, it.message, data, files)
        elif kind == 9:
            if it.kind == 5:
                raise invalid("type", "INTERACTION_RESPONSE_TYPE_INVALID")
            check_modal(data)
            it.modal = data
        else:
            raise invalid("type", "INTERACTION_RESPONSE_TYPE_INVALID")
        it.answered, it.ack_s = kind, time.monotonic() - it.born
        if request.query.get("with_response") in ("true", "1"):
            body: Json = {
                "interaction": {
                    "id": it.id,
                    "type": it.kind,
                    "response_message_id": it.original or None,
                }
            }
            if it.original:
                body["resource"] = {"type": kind, "message": it.channel.messages[it.original]}
            return 200, body
        return 204, None

    async def _webhook(
        self, method: str, token: str, message_id: str | None, payload: Json, files: Any
    ) -> tuple[int, Any]:
        it = self.interactions.get(token)
        if it is None or it.expired:
            raise Refused(401, 50027, "Invalid Webhook Token")
        if not it.answered:
            raise Refused(404, 10015, "Unknown Webhook")
        if message_id is None:
            it.followups += 1
            if it.channel.foreign and it.followups > 5:
                raise Refused(400, 40094, "Maximum number of follow-up messages reached")
            message = self._drawn(it.channel, payload, files, it)
            await self._keep(it.channel, message)
            return 200, message
        found = it.channel.messages.get(it.original if message_id == "@original" else message_id)
        if found is None:
            raise Refused(404, 10008, "Unknown Message")
        if method == "GET":
            return 200, found
        if method == "DELETE":
            del it.channel.messages[found["id"]]
            self.deleted.append(found["id"])
            return 204, None
        found["flags"] &= ~(1 << 7)
        return 200, await self._change(it.channel, found, payload, files)

    # -- messages --------------------------------------------------------------------------------

    def _drawn(
        self,
        channel: Channel,
        payload: Json,
        files: list[tuple[str, bytes]],
        it: Interaction | None = None,
    ) -> Json:
        """A message of the bot's, if it is a valid one."""
        flags = payload.get("flags", 0)
        if flags & EPHEMERAL and it is None:
            raise invalid("flags", "MESSAGE_FLAGS_INVALID")
        check_message(payload, {name: len(data) for name, data in files})
        message = self._message(self.bot, channel, payload, tuple(files))
        message["flags"] = flags
        self._pinged(message, payload)
        return message

    async def _change(self, channel: Channel, message: Json, payload: Json, files: Any) -> Json:
        flags = message["flags"] | (payload.get("flags", 0) & V2)  # it never goes away again
        changed = {k: payload.get(k, message[k]) for k in ("content", "embeds", "components")}
        kept = message["attachments"]
        if "attachments" in payload:
            ids = {str(a["id"]) for a in payload["attachments"] or []}
            kept = [a for a in kept if a["id"] in ids]
        uploads = {a["filename"]: a["size"] for a in kept} | {n: len(d) for n, d in files}
        check_message(changed | {"flags": flags}, uploads)
        message |= {
            k: v if v is not None else ("" if k == "content" else []) for k, v in changed.items()
        }
        message["flags"] = flags
        message["attachments"] = kept + [self._attach(channel.id, f) for f in files]
        message["edited_timestamp"] = _stamp()
        self._pinged(message, payload)
        await self._keep(channel, message)
        await self._tell("MESSAGE_UPDATE", message, channel, self.bot)
        return message

    async def _keep(self, channel: Channel, message: Json) -> None:
        channel.messages[message["id"]] = message
        self.histories.setdefault(message["id"], []).append(json.loads(json.dumps(message)))

    def _pinged(self, message: Json, payload: Json) -> None:
        """Whom a message of the bot's wakes up: what it says, as far as it is allowed to."""
        allowed = payload.get("allowed_mentions") or {"parse": ["users", "roles", "everyone"]}
        text = text_of(message)
        users = re.findall(r"<@!?(\d+)>", text)
        message["mention_everyone"] = "everyone" in allowed.get("parse", []) and bool(
            re.search(r"@(?:everyone|here)", text)
        )
        message["mentions"] = [
            self.people[u].json
            for u in dict.fromkeys(users)
            if u in self.people
            and (
                "users" in allowed.get("parse", [])
                or u in [str(x) for x in allowed.get("users", [])]
            )
        ]

    def _message(
        self, person: Person, channel: Channel, payload: Json, files: tuple[tuple[str, bytes], ...]
    ) -> Json:
        text = payload.get("content") or ""
        return {
            "id": self._id(), "channel_id": channel.id, "author": person.json, "content": text,
            "timestamp": _stamp(), "edited_timestamp": None, "tts": False, "pinned": False,
            "mention_everyone": False, "mentions": self._mentions(text), "mention_roles": [],
            "attachments": [self._attach(channel.id, f) for f in files], "type": 0, "flags": 0,
            "embeds": payload.get("embeds") or [], "components": payload.get("components") or [],
        }  # fmt: skip

    def _mentions(self, text: str) -> list[Json]:
        return [
            self.people[u].json
            for u in dict.fromkeys(re.findall(r"<@!?(\d+)>", text))
            if u in self.people
        ]

    def _attach(self, channel_id: str, file: tuple[str, bytes]) -> Json:
        name, data = file
        made = self._id()
        self.files[made] = data
        url = f"http://127.0.0.1:{self.port}/files/{made}/{name}"
        return {
            "id": made,
            "filename": name,
            "size": len(data),
            "url": url,
            "proxy_url": url,
            "content_type": "text/plain; charset=utf-8",
        }

    def _member(self, person: Person) -> Json:
        return {
            "roles": list(person.roles),
            "joined_at": _stamp(),
            "deaf": False,
            "mute": False,
            "flags": 0,
            "nick": None,
            "user": person.json,
        }

    def _channel_json(self, channel: Channel) -> Json:
        made: Json = {"id": channel.id, "type": channel.kind, "name": channel.name}
        if channel.kind == DM:
            return {
                "id": channel.id,
                "type": DM,
                "last_message_id": None,
                "recipients": [p.json for p in channel.people],
            }
        made |= {
            "guild_id": self.guild_id,
            "position": 0,
            "permission_overwrites": [],
            "parent_id": channel.parent or None,
            "nsfw": False,
            "topic": None,
            "permissions": str(EVERYDAY),
        }
        made["last_message_id"] = max(channel.messages, key=int, default=None)
        if channel.kind == THREAD:
            made |= {
                "owner_id": channel.owner,
                "message_count": 0,
                "member_count": 2,
                "rate_limit_per_user": 0,
                "thread_metadata": {
                    "archived": False,
                    "locked": False,
                    "auto_archive_duration": 1440,
                    "archive_timestamp": _stamp(),
                },
            }
        if channel.kind == FORUM:
            made |= {
                "available_tags": [],
                "flags": 0,
                "default_sort_order": None,
                "default_forum_layout": 0,
                "default_reaction_emoji": None,
            }
        return made

    def _guild_json(self) -> Json:
        mine = [c for c in self.channels.values() if not c.foreign and c.kind != DM]
        return {
            "id": self.guild_id, "name": "guild", "owner_id": "1", "roles": [
                {"id": self.guild_id, "name": "@everyone", "permissions": str(EVERYDAY),
                 "position": 0, "color": 0, "colors": {"primary_color": 0}, "hoist": False,
                 "managed": False, "mentionable": False, "flags": 0}],
            "emojis": [], "stickers": [], "features": [], "preferred_locale": "en-US",
            "channels": [self._channel_json(c) for c in mine if c.kind != THREAD],
            "threads": [self._channel_json(c) for c in mine if c.kind == THREAD],
            "members": [self._member(self.bot)], "member_count": 3, "voice_states": [],
            "presences": [], "unavailable": False, "large": False, "premium_tier": 0,
            "afk_timeout": 300, "mfa_level": 0, "verification_level": 0, "nsfw_level": 0,
            "explicit_content_filter": 0, "default_message_notifications": 1,
            "system_channel_flags": 0, "stage_instances": [], "guild_scheduled_events": [],
            "soundboard_sounds": [], "premium_progress_bar_enabled": False,
        }  # fmt: skip


def walk(components: list[Json]) -> Iterator[Json]:
    """All components of a message, nested ones too."""
    for item in components:
        yield item
        yield from walk(item.get("components", []))


def buttons(message: Json) -> list[Json]:
    """The buttons of a message, and what is in its menus."""
    found = []
    for c in walk(message["components"]):
        if c["type"] == 2:
            found.append(c)
        for option in c.get("options", []):
            found.append(
                {"label": option["label"], "custom_id": option["value"], "menu": c["custom_id"]}
            )
    return found


def text_of(message: Json) -> str:
    """Everything that a person reads in a message."""
    said = [message.get("content") or ""]
    for embed in message.get("embeds") or []:
        said += [embed.get("title") or "", embed.get("description") or ""]
        said += [f"{f['name']}\n{f['value']}" for f in embed.get("fields", [])]
        said.append((embed.get("footer") or {}).get("text", ""))
    said += [c["content"] for c in walk(message.get("components") or []) if c["type"] == 10]
    return "\n".join(s for s in said if s)


def shown_files(message: Json) -> list[Json]:
    """The attachments that a person sees: with components, only those that a component names."""
    if not message["flags"] & V2:
        return list(message["attachments"])
    named = set()
    for item in walk(message["components"]):
        if item["type"] == 13:
            named.add(item["file"]["url"])
        elif item["type"] == 12:
            named |= {i["media"]["url"] for i in item["items"]}
    return [a for a in message["attachments"] if f"attachment://{a['filename']}" in named]


def _stamp() -> str:
    return (
        time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime())
        + f"{time.time_ns() // 1000 % 10**6:06d}+00:00"
    )


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    # discord.py reads JSON only where the header says exactly this, without a charset.
    made = web.Response(body=b"" if body is None else json.dumps(body).encode(), status=status)
    made.headers["Content-Type"] = "application/json" if body is not None else "text/html"
    for key, value in (headers or {}).items():
        made.headers[key] = value
    return made
