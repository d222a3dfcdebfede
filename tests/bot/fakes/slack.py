"""A Slack of our own: real sockets, real signatures, the documented limits, and faults on demand.

It refuses what Slack refuses, by Slack's names for it, delivers again what is not acknowledged
within three seconds, and remembers everything that a person would see.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import math
import random
import time
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
import yaml
from aiohttp import web

BOT_TOKEN, APP_TOKEN, SECRET = "xoxb-fake-b0t", "xapp-fake-4pp", "s1gn1ng-s3cret"
BOT, BOT_ID, TEAM = "UBOT", "BBOT", "T1"
ACK_S = 3.0

Json = dict[str, Any]

MANIFESTS = Path(__file__).parents[3] / "ops" / "slack"
_FILES, _PROMPTS = {"files:write"}, {"assistant:write"}
# One of these scopes is needed for a method: https://docs.slack.dev/reference/methods
_NEEDED = {
    "assistant.threads.setStatus": _PROMPTS | {"chat:write"},
    "assistant.threads.setSuggestedPrompts": _PROMPTS,
    "chat.getPermalink": set[str](),
    "conversations.history": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "conversations.open": {"im:write", "mpim:write"},
    "conversations.replies": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "files.completeUploadExternal": _FILES,
    "files.getUploadURLExternal": _FILES,
    "files.info": {"files:read"},
    "usergroups.users.list": {"usergroups:read"},
    "users.info": {"users:read"},
}


def manifest(name: str = "manifest.yaml") -> Json:
    """One of the manifests that an operator makes the app from."""
    read: Json = yaml.safe_load((MANIFESTS / name).read_text(encoding="utf-8"))
    return read


def scopes_of(manifest: Json) -> set[str]:
    """The scopes that it asks for."""
    return set(manifest["oauth_config"]["scopes"]["bot"])


@dataclass
class Fault:
    """How the next calls of a method go wrong."""

    # "429", "500", "500 after" (done all the same), "drop after" (connection closed), "error:NAME"
    kind: str
    times: int
    retry_after: str = "1"


@dataclass
class Limit:
    """So many calls in any so many seconds, and no more."""

    calls: int
    seconds: float
    made: deque[float] = field(default_factory=deque)

    def wait(self) -> float:
        """Seconds until the next may come; 0 if this one may, which then counts."""
        now = time.monotonic()
        while self.made and now - self.made[0] >= self.seconds:
            self.made.popleft()
        if len(self.made) >= self.calls:
            return self.made[0] + self.seconds - now
        self.made.append(now)
        return 0.0


@dataclass
class Message:
    """A message as a person sees it."""

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[Json] = field(default_factory=list)
    thread_ts: str | None = None
    metadata: Json | None = None
    bot_id: str | None = None
    streaming: bool = False
    files: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)  # messages forwarded with it
    versions: list[Json] = field(default_factory=list)  # every text and blocks it ever had

    @property
    def json(self) -> Json:
        """As the API gives it."""
        words: Json = {
            "type": "message",
            "ts": self.ts,
            "user": self.user,
            "text": self.text,
            "blocks": self.blocks,
        }
        for name in ("thread_ts", "metadata", "bot_id", "files", "attachments"):
            if getattr(self, name):
                words[name] = getattr(self, name)
        return words

    @property
    def shown(self) -> str:
        """All text in it, in order."""
        return "\n".join([self.text, *texts(self.blocks)])


def texts(thing: Any) -> list[str]:
    """Every text of blocks, in order."""
    if isinstance(thing, list):
        return [t for x in thing for t in texts(x)]
    if isinstance(thing, dict):
        own = [thing["text"]] if isinstance(thing.get("text"), str) else []
        return own + [t for k, v in thing.items() if not isinstance(v, str) for t in texts(v)]
    return []


class RefusedError(Exception):
    """Slack says no, by this name."""


class FakeSlack:
    """The service; `url` is what `slack.api_url` is set to."""

    def __init__(self) -> None:
        self.messages: dict[tuple[str, str], Message] = {}
        self.ephemeral: list[Json] = []  # channel, user, text, blocks
        self.responses: dict[str, list[Json]] = defaultdict(list)  # by response URL
        self.replaced: dict[str, Json | None] = {}  # what stands there now
        self.views: list[Json] = []
        self.scopes = scopes_of(manifest())  # that the app has
        self.agent_view = False  # whether its conversations are those of the agent surface
        self.suggested: dict[str, list[Json]] = {}  # prompts, by conversation
        self.statuses: list[str] = []
        self.admins: set[str] = set()
        self.homes: dict[str, Json] = {}  # the app's home, by who looks at it
        self.files: dict[str, Json] = {}
        self.stored: dict[str, tuple[bytes, str]] = {}  # url_private → content
        self.calls: list[tuple[str, Json]] = []
        self.limits: dict[str, Limit] = {}  # by method
        self.refused: Counter[str] = Counter()  # calls beyond them
        self.faults: dict[str, list[Fault]] = defaultdict(list)
        self.bot_token = BOT_TOKEN  # another one: ours was revoked
        self.groups: dict[str, list[str]] = {}  # members of user groups
        self.connected_files: dict[str, Json] = {}  # of another organisation, by id
        self.scopes_missing: set[str] = set()  # methods that the app has no scope for
        self.held: dict[str, asyncio.Event] = {}
        self.late: dict[str, asyncio.Event] = {}
        self.acks: list[float] = []  # seconds each took
        self.ack_bodies: dict[str, Any] = {}
        self.deliveries = 0
        self.sockets: list[web.WebSocketResponse] = []
        self.opened = 0
        self.http_target = ""  # set: signed HTTP instead of Socket Mode
        self.spread: random.Random | None = None  # set: each delivery to any of the connections
        self.clock_off_s = 0.0  # how far its clock is ahead of ours
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)
        self._connected = asyncio.Event()
        self.url = ""

    # -- life --------------------------------------------------------------------------------

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[FakeSlack]:
        """Serve on a free port while the block runs."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.add_routes(
            [
                web.route("*", "/api/{method}", self._api),
                web.get("/link", self._link),
                web.post("/upload/{id}", self._upload),
                web.post("/response/{id}", self._response),
                web.get("/files/{name}", self._file),
            ]
        )
        app.on_response_prepare.append(self._date)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/api/"
        self._base = f"http://127.0.0.1:{port}"
        try:
            yield self
        finally:
            for socket in [*self.sockets]:
                await socket.close()
            await runner.cleanup()

    async def connected(self, within_s: float = 150) -> None:
        """Wait until the bot listens to us."""
        await asyncio.wait_for(self._connected.wait(), within_s)

    def hold(self, method: str) -> None:
        """Do what is asked of this method, and never answer."""
        self.held[method] = asyncio.Event()

    def delay(self, method: str) -> asyncio.Event:
        """The next call of this method is lost on its way until the event is set, then done."""
        self.late[method] = asyncio.Event()
        return self.late[method]

    def release(self, method: str) -> None:
        """Answer again."""
        self.held.pop(method).set()

    def fail(self, method: str, kind: str, times: int = 1, retry_after: str = "1") -> None:
        """Make the next calls of a method go wrong."""
        self.faults[method].append(Fault(kind, times, retry_after))

    # -- what people do -----------------------------------------------------------------------

    def ts(self) -> str:
        """A new timestamp, later than all before."""
        return f"{int(time.time())}.{next(self._numbers):06d}"

    async def say(
        self,
        text: str,
        *,
        user: str = "U1",
        channel: str = "C1",
        thread: str = "",
        files: list[Json] | None = None,
        mention: bool = False,
        copies: int = 1,
        forwarded: list[Json] | None = None,
    ) -> str:
        """Somebody posts a message; the bot gets it as Slack would deliver it. Returns its ts."""
        ts = self.ts()
        text = f"<@{BOT}> {text}" if mention else text
        message = Message(channel, ts, user, text, thread_ts=thread or None)
        message.files, message.attachments = files or [], forwarded or []
        self.messages[channel, ts] = message
        event = {
            **message.json,
            "channel": channel,
            "type": "message",
            "channel_type": "im" if channel.startswith("D") else "channel",
        }
        event.pop("blocks")
        if files:
            event["subtype"] = "file_share"
        if mention and not channel.startswith("D"):
            # Both are subscribed to: the mention comes twice, the first one without its files.
            first = {k: v for k, v in event.items() if k not in ("files", "subtype")}
            await self._event(first | {"type": "app_mention"}, copies)
        await self._event(event, copies)
        return ts

    async def edit(self, channel: str, ts: str, text: str, *, unfurl: bool = False) -> None:
        """Somebody edits their message, or (unfurl) Slack adds a preview to it."""
        message = self.messages[channel, ts]
        old = {**message.json}
        message.text = message.text if unfurl else text
        await self._event(
            {
                "type": "message",
                "subtype": "message_changed",
                "channel": channel,
                "ts": self.ts(),
                "channel_type": "im" if channel.startswith("D") else "channel",
                "message": message.json,
                "previous_message": old,
            }
        )

    async def remove(self, channel: str, ts: str) -> None:
        """Somebody deletes their message; where it has a thread, a tombstone stays."""
        gone = self.messages.pop((channel, ts))
        event = {"type": "message", "channel": channel, "ts": self.ts(), "event_ts": self.ts(),
                 "previous_message": gone.json, "channel_type": "channel"}  # fmt: skip
        if any(m.thread_ts == ts for m in self.messages.values()):
            stone = {"type": "message", "subtype": "tombstone", "ts": ts, "user": "USLACKBOT",
                     "text": "This message was deleted.", "hidden": True}  # fmt: skip
            await self._event(event | {"subtype": "message_changed", "message": stone})
        else:
            await self._event(event | {"subtype": "message_deleted", "deleted_ts": ts})

    async def _event(self, event: Json, copies: int = 1) -> None:
        body = {
            "type": "event_callback",
            "team_id": TEAM,
            "event": event,
            "api_app_id": "A1",
            "event_id": f"Ev{next(self._numbers)}",
        }
        for _ in range(copies):
            await self.deliver("events_api", body)

    def file(self, name: str, data: bytes, mime: str = "text/plain") -> Json:
        """A file as it hangs on a message."""
        self.stored[name] = (data, mime)
        return {
            "id": f"F{next(self._numbers)}",
            "name": name,
            "size": len(data),
            "mimetype": mime,
            "url_private": f"{self._base}/files/{name}",
        }

    def response_url(self) -> str:
        """An address for five answers."""
        id = f"r{next(self._numbers)}"
        self.responses[id] = []
        return f"{self._base}/response/{id}"

    async def command(self, text: str, *, user: str = "U1", channel: str = "C1") -> str:
        """Somebody types /torchmedic; the id of its response URL."""
        url = self.response_url()
        body = {"command": "/torchmedic", "text": text, "user_id": user, "user_name": "maya",
                "channel_id": channel, "team_id": TEAM, "response_url": url, "api_app_id": "A1",
                "trigger_id": f"t{next(self._numbers)}"}  # fmt: skip
        id = url.rsplit("/", 1)[-1]
        self.ack_bodies[id] = await self.deliver("slash_commands", body)
        return id

    async def shortcut(self, message: Message, *, user: str = "U1") -> str:
        """Somebody chooses "Diagnose this message"; the id of its response URL."""
        url = self.response_url()
        await self.deliver("interactive", {
            "type": "message_action", "callback_id": "diagnose", "user": {"id": user, "name": "m"},
            "team": {"id": TEAM}, "channel": {"id": message.channel}, "message": message.json,
            "response_url": url, "trigger_id": f"t{next(self._numbers)}", "action_ts": self.ts(),
        })  # fmt: skip
        return url.rsplit("/", 1)[-1]

    async def press(
        self, button: str, *, user: str = "U1", channel: str = "C1", ts: str = "", copies: int = 1
    ) -> str:
        """Somebody presses a button, by its value; the id of the press's response URL."""
        url = self.response_url()
        action: Json = {"type": "button", "action_id": button, "value": button}
        shown = [m.blocks for m in self.messages.values()]
        shown += [w.get("blocks") or [] for sent in self.responses.values() for w in sent]
        if any(in_menu(blocks, button) for blocks in shown):
            action = {"type": "overflow", "action_id": f"tm:more:{button.rpartition(':')[2]}",
                      "selected_option": {"text": {}, "value": button}}  # fmt: skip
        body = {
            "type": "block_actions", "user": {"id": user, "name": "m"}, "team": {"id": TEAM},
            "channel": {"id": channel}, "message": {"ts": ts}, "response_url": url,
            "trigger_id": f"t{next(self._numbers)}", "container": {"message_ts": ts},
            "actions": [action | {"block_id": "b", "action_ts": self.ts()}],
        }  # fmt: skip
        for _ in range(copies):
            await self.deliver("interactive", body)
        return url.rsplit("/", 1)[-1]

    async def submit(self, view: Json, values: Json, *, user: str = "U1") -> Any:
        """Somebody sends a form."""
        fields = {
            name: {name: value if isinstance(value, dict) else {"value": value}}
            for name, value in values.items()
        }
        return await self.deliver(
            "interactive",
            {
                "type": "view_submission",
                "user": {"id": user, "name": "m"},
                "team": {"id": TEAM},
                "view": {**view, "state": {"values": fields}},
            },
        )

    # -- what people see ----------------------------------------------------------------------

    def cards(self, channel: str = "C1", thread: str | None = None) -> list[Message]:
        """Our messages, oldest first."""
        return [
            m
            for m in self.messages.values()
            if m.user == BOT and m.channel == channel and (thread is None or m.thread_ts == thread)
        ]

    async def until(self, what: Callable[[], Any], within_s: float = 150) -> Any:
        """Wait until something is so."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            if got := what():
                return got
            await asyncio.sleep(0.02)
        raise AssertionError(f"never happened; calls: {[c[0] for c in self.calls][-20:]}")

    async def answer(self, ts: str, channel: str = "C1", within_s: float = 150) -> Message:
        """The card in this thread, once it is an answer (it has buttons)."""

        def done() -> Message | None:
            return next((c for c in self.cards(channel, ts) if buttons(c.blocks)), None)

        found: Message = await self.until(done, within_s)
        return found

    # -- delivery -----------------------------------------------------------------------------

    async def deliver(self, kind: str, body: Json) -> Any:
        """Bring a request to the bot; again while it is not acknowledged. Its answer's payload."""
        for retry in range(4):
            self.deliveries += 1
            began = time.monotonic()
            try:
                if self.http_target:
                    answer = await asyncio.wait_for(self._by_http(kind, body, retry), ACK_S)
                else:
                    answer = await asyncio.wait_for(self._by_socket(kind, body, retry), ACK_S)
                self.acks.append(time.monotonic() - began)
                return answer
            except (TimeoutError, aiohttp.ClientError, ConnectionError):
                await asyncio.sleep(0.1 * 4**retry)
        return None

    async def _by_socket(self, kind: str, body: Json, retry: int) -> Any:
        await self._connected.wait()
        envelope = f"e{next(self._numbers)}"
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[envelope] = future
        socket = self.spread.choice(self.sockets) if self.spread else self.sockets[-1]
        await socket.send_json(
            {
                "envelope_id": envelope,
                "type": kind,
                "payload": body,
                "retry_attempt": retry,
                "accepts_response_payload": kind != "events_api",
            }
        )
        return await future

    async def _by_http(self, kind: str, body: Json, retry: int) -> Any:
        if kind == "events_api":
            raw, mime = json.dumps(body).encode(), "application/json"
        else:
            form = body if kind == "slash_commands" else {"payload": json.dumps(body)}
            raw, mime = urlencode(form).encode(), "application/x-www-form-urlencoded"
        headers = {"Content-Type": mime} | signed(raw)
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
        async with aiohttp.ClientSession() as session:
            async with session.post(self.http_target, data=raw, headers=headers) as answer:
                if answer.status != 200:
                    raise ConnectionError(str(answer.status))
                text = await answer.text()
                return json.loads(text) if text.startswith("{") else None

    async def _link(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": 1})
        self.sockets.append(socket)
        self._connected.set()
        try:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    words = json.loads(message.data)
                    future = self._waiting.pop(words.get("envelope_id"), None)
                    if future is not None and not future.done():
                        future.set_result(words.get("payload"))
        finally:
            if socket in self.sockets:
                self.sockets.remove(socket)
            if not self.sockets:
                self._connected.clear()
        return socket

    async def disconnect(self, *, politely: bool) -> None:
        """Slack refreshes the connection, or it just breaks."""
        socket = self.sockets[-1]
        if politely:
            await socket.send_json({"type": "disconnect", "reason": "refresh_requested"})
        else:
            await socket.close()

    async def _date(self, _: web.Request, answer: web.StreamResponse) -> None:
        answer.headers["Date"] = formatdate(time.time() + self.clock_off_s, usegmt=True)

    # -- the Web API --------------------------------------------------------------------------

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        words: Json = dict(request.query)
        if request.content_type == "application/json":
            words |= await request.json()
        elif request.method == "POST":
            words |= dict(await request.post())
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        token = token or str(words.pop("token", ""))
        self.calls.append((method, words))
        fault = next((f for f in self.faults[method] if f.times > 0), None)
        if fault is not None:
            fault.times -= 1
            if fault.kind == "429":
                return web.json_response(
                    {"ok": False, "error": "ratelimited"},
                    status=429,
                    headers={"Retry-After": fault.retry_after},
                )
            if fault.kind.startswith("error:"):
                return web.json_response({"ok": False, "error": fault.kind.partition(":")[2]})
            if fault.kind == "500":
                return web.Response(status=500, text="upstream")
        if (allowed := self.limits.get(method)) is not None and (wait := allowed.wait()) > 0:
            self.refused[method] += 1
            return web.json_response(
                {"ok": False, "error": "ratelimited"},
                status=429,
                headers={"Retry-After": f"{math.ceil(wait)}"},
            )
        expected = APP_TOKEN if method == "apps.connections.open" else self.bot_token
        if token != expected:
            return web.json_response({"ok": False, "error": "invalid_auth"})
        handler = getattr(self, "_" + method.replace(".", "_"), None)
        if handler is None:
            return web.json_response({"ok": False, "error": "unknown_method"})
        if method in self.scopes_missing or not self._may(method):
            return web.json_response({"ok": False, "error": "missing_scope"})
        if (late := self.late.pop(method, None)) is not None:
            await late.wait()
        try:
            answer = {"ok": True, **handler(words)}
        except RefusedError as e:
            answer = {"ok": False, "error": str(e)}
        if (held := self.held.get(method)) is not None:
            await held.wait()
        if fault is not None and fault.kind == "500 after":
            return web.Response(status=500, text="upstream")
        if fault is not None and fault.kind == "drop after":
            assert request.transport is not None
            request.transport.close()
        scopes = {"x-oauth-scopes": ",".join(sorted(self.scopes))}
        return web.json_response(answer, headers=scopes)

    def _may(self, method: str) -> bool:
        needed = _NEEDED.get(method, {"chat:write"} if method.startswith("chat.") else set())
        return not needed or bool(needed & self.scopes)

    def _assistant_threads_setSuggestedPrompts(self, words: Json) -> Json:  # noqa: N802
        if self.agent_view and words.get("thread_ts"):
            return {}  # ignored without a word, as Slack does
        prompts = _json(words.get("prompts")) or []
        if not 1 <= len(prompts) <= 4 or not all(p["title"] and p["message"] for p in prompts):
            raise RefusedError("invalid_arguments")
        self.suggested[str(words["channel_id"])] = prompts
        return {}

    def _assistant_threads_setStatus(self, words: Json) -> Json:  # noqa: N802
        self.statuses.append(str(words["status"]))
        return {}

    def _chat_startStream(self, words: Json) -> Json:  # noqa: N802
        channel = str(words.get("channel") or "")
        if not channel.startswith("D"):
            raise RefusedError("missing_recipient_user_id")
        message = Message(channel, self.ts(), BOT, "", [], words["thread_ts"], None, BOT_ID)
        message.streaming = True
        self.messages[channel, message.ts] = message
        self._streamed(message, words)
        return {"channel": channel, "ts": message.ts}

    def _chat_appendStream(self, words: Json) -> Json:  # noqa: N802
        message = self._stream(words)
        self._streamed(message, words)
        return {"channel": message.channel, "ts": message.ts}

    def _chat_stopStream(self, words: Json) -> Json:  # noqa: N802
        message = self._stream(words)
        self._streamed(message, words)
        blocks = check_message({"blocks": words.get("blocks"), "text": "x"})
        message.streaming, message.blocks = False, blocks
        message.metadata = _json(words.get("metadata"))
        message.text = texts(blocks)[0]
        message.versions.append({"text": message.text, "blocks": blocks})
        return {"channel": message.channel, "ts": message.ts}

    def _stream(self, words: Json) -> Message:
        message = self.messages.get((str(words.get("channel")), str(words.get("ts"))))
        if message is None:
            raise RefusedError("message_not_found")
        if not message.streaming:
            raise RefusedError("message_not_in_streaming_state")
        return message

    def _streamed(self, message: Message, words: Json) -> None:
        """https://docs.slack.dev/reference/methods/chat.appendStream"""
        for chunk in _json(words.get("chunks")) or []:
            if chunk["type"] != "task_update" or set(chunk) - {"type", "id", "title", "status"}:
                raise RefusedError("invalid_chunks")
            if chunk["status"] not in ("pending", "in_progress", "complete", "error"):
                raise RefusedError("invalid_chunks")
            if not 0 < len(chunk["title"]) <= 256:
                raise RefusedError("invalid_chunks")
            message.text = chunk["title"]
            message.versions.append({"text": chunk["title"], "blocks": [], "task": chunk["id"]})

    def _auth_test(self, _: Json) -> Json:
        return {"user_id": BOT, "bot_id": BOT_ID, "team_id": TEAM, "team": "t", "user": "medic"}

    def _apps_connections_open(self, _: Json) -> Json:
        self.opened += 1
        return {"url": self._base.replace("http", "ws") + "/link"}

    def _chat_postMessage(self, words: Json) -> Json:  # noqa: N802
        blocks = check_message(words)
        channel = str(words.get("channel") or "")
        if not channel or channel == "CGONE":
            raise RefusedError("channel_not_found")
        if channel.startswith("U"):
            channel = f"D{channel}"
        thread = words.get("thread_ts")
        message = Message(
            channel,
            self.ts(),
            BOT,
            str(words.get("text") or ""),
            blocks,
            thread,
            _json(words.get("metadata")),
            BOT_ID,
        )
        message.versions.append({"text": message.text, "blocks": blocks})
        self.messages[channel, message.ts] = message
        return {"channel": channel, "ts": message.ts, "message": message.json}

    def _chat_update(self, words: Json) -> Json:
        blocks = check_message(words)
        message = self.messages.get((str(words.get("channel")), str(words.get("ts"))))
        if message is None:
            raise RefusedError("message_not_found")
        if message.user != BOT:
            raise RefusedError("cant_update_message")
        message.text, message.blocks = str(words.get("text") or ""), blocks
        message.versions.append({"text": message.text, "blocks": blocks})
        return {"channel": message.channel, "ts": message.ts, "text": message.text}

    def _chat_delete(self, words: Json) -> Json:
        if self.messages.pop((str(words.get("channel")), str(words.get("ts"))), None) is None:
            raise RefusedError("message_not_found")
        return {}

    def _chat_postEphemeral(self, words: Json) -> Json:  # noqa: N802
        check_message(words)
        if not words.get("user"):
            raise RefusedError("user_not_in_channel")
        self.ephemeral.append(words)
        return {"message_ts": self.ts()}

    def _chat_getPermalink(self, words: Json) -> Json:  # noqa: N802
        return {
            "permalink": f"https://t.slack.com/archives/{words['channel']}/p{words['message_ts']}"
        }

    def _conversations_replies(self, words: Json) -> Json:
        channel, root = words.get("channel"), words.get("ts")
        found = [
            m.json
            for m in self.messages.values()
            if m.channel == channel
            and root in (m.ts, m.thread_ts)
            and m.ts <= str(words.get("latest") or "9")
        ]
        if not found:
            raise RefusedError("thread_not_found")
        start = int(words.get("cursor") or 0)
        some, rest = found[start : start + 5], found[start + 5 :]
        return {
            "messages": some,
            "has_more": bool(rest),
            "response_metadata": {"next_cursor": str(start + 5) if rest else ""},
        }

    def _conversations_history(self, words: Json) -> Json:
        if "latest" in words and str(words.get("inclusive")) not in ("0", "False"):
            raise RefusedError("invalid_arguments")
        latest = str(words.get("latest") or "9")
        found = [
            m.json
            for m in self.messages.values()
            if m.channel == words.get("channel") and m.ts < latest and m.thread_ts in (None, m.ts)
        ]
        limit = int(words.get("limit") or 100)
        return {"messages": found[::-1][:limit], "has_more": len(found) > limit}

    def _views_publish(self, words: Json) -> Json:
        view = _json(words.get("view")) or {}
        if view.get("type") != "home" or not 1 <= len(view.get("blocks") or []) <= 100:
            raise RefusedError("invalid_arguments")
        for block in view["blocks"]:
            _check_block(block, set())
        self.homes[str(words["user_id"])] = view
        return {"view": view}

    def _users_info(self, words: Json) -> Json:
        return {"user": {"id": words["user"], "is_admin": words["user"] in self.admins}}

    def _files_info(self, words: Json) -> Json:
        found = self.connected_files.get(str(words.get("file")))
        if found is None:
            raise RefusedError("file_not_found")
        return {"file": found}

    def _usergroups_users_list(self, words: Json) -> Json:
        if words.get("usergroup") not in self.groups:
            raise RefusedError("no_such_subteam")
        return {"users": self.groups[str(words["usergroup"])]}

    def _conversations_open(self, words: Json) -> Json:
        return {"channel": {"id": f"D{words['users']}"}}

    def _views_open(self, words: Json) -> Json:
        view = _json(words.get("view")) or {}
        if not words.get("trigger_id"):
            raise RefusedError("invalid_trigger_id")
        check_view(view)
        opened = {**view, "id": f"V{next(self._numbers)}"}
        self.views.append(opened)
        return {"view": opened}

    def _files_getUploadURLExternal(self, words: Json) -> Json:  # noqa: N802
        if not words.get("filename") or int(words.get("length") or 0) <= 0:
            raise RefusedError("invalid_arguments")
        if len(str(words.get("alt_txt") or "")) > 1000:
            raise RefusedError("alt_txt_too_large")
        id = f"F{next(self._numbers)}"
        self.files[id] = {
            "id": id,
            "name": words["filename"],
            "channel": None,
            "thread": None,  # both are given when the upload is completed
            "length": int(words["length"]),
            "alt_txt": words.get("alt_txt"),
            "data": None,
        }
        return {"upload_url": f"{self._base}/upload/{id}", "file_id": id}

    def _files_completeUploadExternal(self, words: Json) -> Json:  # noqa: N802
        done = _json(words.get("files")) or []
        for f in done:
            kept = self.files.get(f["id"])
            if kept is None or kept["data"] is None:
                raise RefusedError("file_not_found")
            kept |= {"channel": words.get("channel_id"), "thread": words.get("thread_ts")}
        return {"files": [{"id": f["id"]} for f in done]}

    async def _upload(self, request: web.Request) -> web.Response:
        kept = self.files[request.match_info["id"]]
        data = await request.read()
        if request.content_type.startswith("multipart/"):
            form = await request.post()
            data = next(iter(form.values())).file.read()  # type: ignore[union-attr]
        if len(data) != kept["length"]:
            return web.Response(status=400, text="length")
        kept["data"] = data
        return web.Response(text=f"OK - {len(data)}")

    async def _file(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {self.bot_token}":
            return web.Response(text="<html>sign in</html>", content_type="text/html")
        data, mime = self.stored[request.match_info["name"]]
        return web.Response(body=data, content_type=mime)

    async def _response(self, request: web.Request) -> web.Response:
        id = request.match_info["id"]
        words = await request.json()
        self.calls.append(("response_url", words))
        for fault in self.faults["response_url"]:
            if fault.times > 0:
                fault.times -= 1
                return web.Response(status=int(fault.kind), headers={"Retry-After": "1"})
        if id not in self.responses or len(self.responses[id]) >= 5:
            return web.json_response({"ok": False, "error": "used_url"}, status=404)
        if not words.get("delete_original"):
            check_message(words)
        self.responses[id].append(words)
        return web.Response(text="ok")


# -- the documented limits -------------------------------------------------------------------


def signed(raw: bytes, *, at: int | None = None, secret: str = SECRET) -> dict[str, str]:
    """The headers of a signed request."""
    now = int(time.time()) if at is None else at
    mac = hmac.new(secret.encode(), b"v0:%d:" % now + raw, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": str(now), "X-Slack-Signature": f"v0={mac}"}


def units(text: str) -> int:
    """A text's length as a browser counts it."""
    return len(text.encode("utf-16-le")) // 2


def check_message(words: Json) -> list[Json]:
    """The blocks of a message, refused as Slack would refuse them."""
    blocks = _json(words.get("blocks")) or []
    text = str(words.get("text") or "")
    if not text and not blocks:
        raise RefusedError("no_text")
    if units(text) > 40_000:
        raise RefusedError("msg_too_long")
    if len(blocks) > 50:
        raise RefusedError("invalid_blocks")
    ids: set[str] = set()
    for block in blocks:
        _check_block(block, ids)
    if sum(units(t) for t in texts(blocks)) > 13_200:
        raise RefusedError("msg_blocks_too_long")
    return blocks


def check_view(view: Json) -> None:
    """A form."""
    if units(view["title"]["text"]) > 24 or units(view["submit"]["text"]) > 24:
        raise RefusedError("invalid_arguments")
    if len(view.get("private_metadata") or "") > 3000 or len(view["blocks"]) > 100:
        raise RefusedError("invalid_arguments")
    for block in view["blocks"]:
        _check_block(block, set())


def _need(so: bool, error: str = "invalid_blocks") -> None:
    if not so:
        raise RefusedError(error)


def _check_block(block: Json, ids: set[str]) -> None:
    id = block.get("block_id")
    _need(id is None or (0 < len(id) <= 255 and id not in ids))
    ids.add(id) if id else None
    kind = block["type"]
    if kind == "section":
        _check_text(block["text"], 3000)
    elif kind == "header":
        _need(block["text"]["type"] == "plain_text")
        _check_text(block["text"], 150)
    elif kind == "context":
        _need(1 <= len(block["elements"]) <= 10)
        for element in block["elements"]:
            _check_text(element, 2000)
    elif kind == "context_actions":
        _need(1 <= len(block["elements"]) <= 5)
        for element in block["elements"]:
            _need(element["type"] == "feedback_buttons" and len(element["action_id"]) <= 255)
            for name in ("positive_button", "negative_button"):
                _check_text(element[name]["text"], 75)
                _need(0 < len(element[name]["value"]) <= 2000)
    elif kind == "actions":
        _need(1 <= len(block["elements"]) <= 25)
        actions = [e["action_id"] for e in block["elements"]]
        _need(len(actions) == len(set(actions)))
        for element in block["elements"]:
            if element["type"] == "overflow":
                _check_overflow(element)
            else:
                _check_button(element)
    elif kind == "rich_text":
        _need(bool(block["elements"]))
        for element in block["elements"]:
            _need(element["type"] in ("rich_text_section", "rich_text_preformatted"))
            _need(bool(element["elements"]))
            for piece in element["elements"]:
                _need(piece["type"] in ("text", "link", "user") and len(piece.get("text", "x")) > 0)
                _need(units(piece.get("text", "")) <= 3000)
                _need(piece["type"] != "link" or piece["url"].startswith(("http://", "https://")))
            known = {"type", "elements"}
            known |= (
                {"language", "border"} if element["type"] == "rich_text_preformatted" else set()
            )
            _need(set(element) <= known)
    elif kind == "input":
        _check_text(block["label"], 2000)
        element = block["element"]
        if element["type"] == "plain_text_input":
            _need(1 <= element.get("max_length", 1) <= 3000, "invalid_arguments")
        elif element["type"] in ("static_select", "checkboxes"):
            _need(1 <= len(element["options"]) <= 100, "invalid_arguments")
            for option in element["options"]:
                _check_text(option["text"], 75)
        elif element["type"] == "file_input":
            _need(1 <= element.get("max_files", 10) <= 10, "invalid_arguments")
        else:
            raise RefusedError("invalid_arguments")
    else:
        raise RefusedError("invalid_blocks")


def _check_overflow(menu: Json) -> None:
    """https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element"""
    _need(len(menu["action_id"]) <= 255 and 1 <= len(menu["options"]) <= 5)
    for option in menu["options"]:
        _need(option["text"]["type"] == "plain_text" and 0 < len(option["value"]) <= 150)
        _check_text(option["text"], 75)


def _check_button(button: Json) -> None:
    _need(button["type"] == "button" and button["text"]["type"] == "plain_text")
    _check_text(button["text"], 75)
    _need(len(button["action_id"]) <= 255 and len(button.get("value", "")) <= 2000)
    _need(button.get("style", "primary") in ("primary", "danger"))
    if confirm := button.get("confirm"):
        _check_text(confirm["title"], 100)
        _check_text(confirm["text"], 300)
        _check_text(confirm["confirm"], 30)
        _check_text(confirm["deny"], 30)


def _check_text(text: Json, limit: int) -> None:
    _need(text["type"] in ("plain_text", "mrkdwn"))
    _need(0 < units(text["text"]) <= limit)


def buttons(blocks: list[Json]) -> dict[str, str]:
    """Label → value of every button, and of what is in a menu."""
    return {
        e["text"]["text"]: e["value"]
        for b in blocks
        if b["type"] == "actions"
        for element in b["elements"]
        for e in element.get("options", [element])
    }


def in_menu(blocks: list[Json], value: str) -> bool:
    """Whether a value is that of an option, and not of a button."""
    return any(
        option["value"] == value
        for b in blocks
        if b["type"] == "actions"
        for element in b["elements"]
        for option in element.get("options", [])
    )


def _json(words: Any) -> Any:
    return json.loads(words) if isinstance(words, str) and words else words
