"""Call Slack's Web API: with retries where they are safe, and our own identity."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import PlatformError, PlatformRefusedError, SettingsError
from bot.messages.attachments import MAX_ATTACHMENT_BYTES
from bot.service.seam import Attached, Person, Upload
from bot.settings import TOKENS, SlackSettings, SlackTokens

TRIES = 6
GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed"})
TOO_MUCH = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long",
                      "msg_too_long", "invalid_attachments", "block_mismatch"})  # fmt: skip

_LONGEST_WAIT_S = 60.0  # what a rate limit may make us wait at a time
_LATER = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout",
                    "ratelimited", "team_added_to_org"})  # fmt: skip
_LOST = (aiohttp.ClientError, asyncio.TimeoutError, OSError)


class CallError(PlatformError):
    """A failed call; `maybe_done` if Slack may have carried it out nevertheless."""

    def __init__(self, text: str, code: str = "", *, maybe_done: bool = False) -> None:
        super().__init__(text)
        self.code = code
        self.maybe_done = maybe_done


class SlackClient:
    """Calls to Slack with our token; `web` is slack_sdk's own client, to be called through `call`.

    await client.call(lambda: client.web.chat_delete(channel=channel, ts=ts))
    """

    def __init__(self, settings: SlackSettings, tokens: SlackTokens) -> None:
        """Make a client that has made no call yet."""
        self._mode = settings.mode
        self._tokens = tokens
        base = settings.api_url.rstrip("/") + "/"
        # No retries of its own: its handler for lost connections would post a message twice, and
        # its handler for rate limits reads the first digit of Retry-After only (slack_sdk 3.47).
        self.web = AsyncWebClient(
            token=tokens.bot.reveal(), base_url=base, retry_handlers=[], logger=quiet("slack_sdk")
        )
        if proxy_bypass(urlsplit(base).hostname or ""):
            self.web.proxy = None  # slack_sdk knows HTTPS_PROXY and not NO_PROXY
        self._host = urlsplit(base).hostname or ""
        self.bot_user = ""
        self.bot_id = ""
        self.workspace = ""
        self._slow_until = 0.0

    @property
    def is_slowed(self) -> bool:
        """Whether Slack has asked us to wait, so that only answers should be sent."""
        return time.monotonic() < self._slow_until

    async def meet(self) -> None:
        """Ask Slack for our own ids.

        Raises:
            SettingsError: the token is refused.
            PlatformError: Slack cannot be reached.
        """
        me = await self._let_in("SLACK_BOT_TOKEN", lambda: self.web.auth_test())
        if self._mode == "socket":
            # Asked here: slack_sdk would try a refused token again and again.
            app = self._tokens.app.reveal()
            await self._let_in(
                "SLACK_APP_TOKEN", lambda: self.web.apps_connections_open(app_token=app)
            )
        self.bot_user, self.bot_id = str(me["user_id"]), str(me.get("bot_id") or "")
        self.workspace = str(me.get("team_id") or "")

    async def _let_in(self, token: str, call: Callable[[], Awaitable[Any]]) -> Mapping[str, Any]:
        try:
            return await self.call(call)
        except PlatformRefusedError as e:
            raise SettingsError(
                f"Slack refuses {token} ({e}); copy it again from {TOKENS[token]}"
            ) from e

    async def call(
        self, call: Callable[[], Awaitable[Any]], *, tries: int = TRIES, once: bool = False
    ) -> Mapping[str, Any]:
        """Make a call of the Web API, with retries after temporary errors.

        Args:
            call: makes the call.
            tries: how often, at most.
            once: no retry if Slack may have carried it out already; only after rate limits.

        Raises:
            PlatformRefusedError: Slack refuses for good.
            PlatformError: all tries failed.
        """
        for attempt in range(tries):
            wait: str | None = None
            try:
                answer: Mapping[str, Any] = await call()
                return answer
            except SlackApiError as e:
                status, code = _status_and_code(e)
                error = CallError(f"{code or status}", code, maybe_done=status >= 500)
                wait = _header(e, "Retry-After")
                if status == 429:
                    self._slow_until = time.monotonic() + _seconds(attempt, wait)
                if status != 429 and status < 500 and code not in _LATER:
                    if code in GONE or code in TOO_MUCH:
                        raise error from e
                    raise PlatformRefusedError(code or str(status)) from e
            except (*_LOST, SlackClientError) as e:
                error = CallError(type(e).__name__, maybe_done=True)
            if attempt == tries - 1 or (once and error.maybe_done):
                raise error
            await pause(attempt, wait)
        raise AssertionError("unreachable")

    async def respond(self, url: str, body: dict[str, Any]) -> bool:
        """Answer through a response URL; False if it is used up or expired."""
        payload = {"response_type": "ephemeral", **body}
        for attempt in range(TRIES):
            try:
                async with (
                    aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=15)) as session,
                    session.post(url, json=payload, proxy=self.web.proxy) as answer,
                ):
                    if answer.status == 200:
                        return True
                    if answer.status < 500 and answer.status != 429:
                        return False
                    wait = answer.headers.get("Retry-After")
            except _LOST:
                wait = None
            await pause(attempt, wait)
        return False

    async def fetch(self, attached: Attached) -> bytes:
        """Download a file with our token, which is sent to Slack's servers only."""
        host = urlsplit(attached.url).hostname or ""
        ours = host == self._host or host == "slack.com" or host.endswith(".slack.com")
        if not ours:
            raise PlatformRefusedError(f"{host or 'no host'} is not Slack's")
        headers = {"Authorization": f"Bearer {self._tokens.bot.reveal()}"}
        last = ""
        for attempt in range(TRIES):
            try:
                async with (
                    aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session,
                    session.get(attached.url, headers=headers, allow_redirects=False,
                                proxy=self.web.proxy) as answer,
                ):  # fmt: skip
                    if answer.status == 200:
                        if answer.content_type == "text/html" and "htm" not in attached.name[-5:]:
                            raise PlatformRefusedError("Slack asks to sign in: no files:read")
                        return await answer.content.read(MAX_ATTACHMENT_BYTES + 1)
                    last = str(answer.status)
                    if answer.status < 500 and answer.status != 429:
                        raise PlatformRefusedError(f"Slack answered {answer.status}")
            except _LOST as e:
                last = type(e).__name__
            await pause(attempt)
        raise PlatformError(f"a file could not be fetched ({last})")

    async def direct(self, person: Person) -> str:
        """The channel of our direct messages with somebody."""
        opened = await self.call(lambda: self.web.conversations_open(users=[person.id]))
        return str(opened["channel"]["id"])

    async def upload(self, uploads: list[Upload], channel: str, thread: str) -> None:
        """Upload files to a channel or a thread."""
        if not uploads:
            return
        await self.call(
            lambda: self.web.files_upload_v2(
                channel=channel, thread_ts=thread or None,
                file_uploads=[
                    {"filename": u.name, "content": u.data, "title": u.alt or u.name,
                     "alt_txt": u.alt or None}
                    for u in uploads if u.data
                ],
            )
        )  # fmt: skip


def _status_and_code(error: SlackApiError) -> tuple[int, str]:
    """Status and error code of a refusal."""
    response: Any = error.response
    status = int(getattr(response, "status_code", None) or getattr(response, "status", 0) or 0)
    data = getattr(response, "data", None)
    code = str(data.get("error") or "") if isinstance(data, dict) else ""
    return status or 500, code


def _header(error: SlackApiError, name: str) -> str | None:
    headers = getattr(error.response, "headers", None) or {}
    return next((str(v) for k, v in headers.items() if k.lower() == name.lower()), None)


async def pause(attempt: int, wait: str | None = None) -> None:
    """Wait as long as Slack asks, else longer each time."""
    await asyncio.sleep(_seconds(attempt, wait) + random.random() * 0.2)


def _seconds(attempt: int, wait: str | None) -> float:
    try:
        seconds = float(wait) if wait is not None else 0.5 * 2**attempt
    except ValueError:
        seconds = 1.0
    return min(seconds, _LONGEST_WAIT_S)


def quiet(name: str) -> logging.Logger:
    """A library's logger limited to warnings: its debug lines hold whole messages."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.WARNING)
    return logger
