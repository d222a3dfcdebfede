"""Call Slack's Web API: with retries where they are safe, and our own identity."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import PlatformError, PlatformRefusedError, SettingsError, TokenRefusedError
from bot.messages.attachments import MAX_ATTACHMENT_BYTES
from bot.platforms.slack.settings import TOKENS, SlackSettings, SlackTokens
from bot.service.links import read_body
from bot.service.retry import LONGEST_WAIT_S, read_retry_after, retrying
from bot.service.seam import Attached, Person, Upload
from bot.service.token_watch import TokenWatch

log = logging.getLogger(__name__)
T = TypeVar("T")

TRIES = 6
GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed"})
TOO_MUCH = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "msg_too_long",
        "invalid_attachments",
        "block_mismatch",
    }
)

_TOKEN_REFUSED = frozenset(
    {"invalid_auth", "not_authed", "account_inactive", "token_expired", "token_revoked"}
)
_LOOK_S = 60.0  # how often an idle bot asks whether its tokens are still good
_LATER = frozenset(
    {
        "internal_error",
        "fatal_error",
        "service_unavailable",
        "request_timeout",
        "ratelimited",
        "team_added_to_org",
    }
)
_LOST = (aiohttp.ClientError, asyncio.TimeoutError, OSError)


class CallError(PlatformError):
    """A failed call; `maybe_done` if Slack may have carried it out nevertheless."""

    def __init__(
        self,
        text: str,
        code: str = "",
        *,
        maybe_done: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(text, retry_after_s)
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
        self.is_agent = False  # whether the app has Slack's agent surface
        self._slow_until = 0.0
        self.tokens = TokenWatch(settings.token_patience_s)

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
        me = await self._let_in(lambda: self.call(lambda: self.web.auth_test()))
        if self._mode == "socket":
            # Asked here: slack_sdk would try a refused token again and again.
            await self._let_in(self._ask_for_socket)
        scopes = str((getattr(me, "headers", None) or {}).get("x-oauth-scopes") or "")
        self.is_agent = "assistant:write" in scopes.split(",")
        self.bot_user, self.bot_id = str(me["user_id"]), str(me.get("bot_id") or "")
        self.workspace = str(me.get("team_id") or "")

    async def _let_in(self, call: Callable[[], Awaitable[Mapping[str, Any]]]) -> Mapping[str, Any]:
        try:
            return await call()
        except TokenRefusedError as e:
            raise SettingsError(str(e)) from e
        except PlatformRefusedError as e:
            raise SettingsError(f"Slack does not let this bot in ({e}); see docs/slack.md") from e
        except PlatformError as e:
            raise PlatformError(
                f"Slack cannot be reached at {self.web.base_url} ({e}); check the network of this "
                "machine and, where it needs one, HTTPS_PROXY"
            ) from e

    async def _ask_for_socket(self) -> Mapping[str, Any]:
        app = self._tokens.app.reveal()
        return await self.call(
            lambda: self.web.apps_connections_open(app_token=app), token="SLACK_APP_TOKEN"
        )

    async def watch(self, connected: Callable[[], Awaitable[bool]]) -> None:
        """Loop: find out that a token was revoked, also while nobody asks anything.

        Args:
            connected: whether events can reach us; an app's token is asked about where not.
        """
        while True:
            await asyncio.sleep(_LOOK_S)
            try:
                await self.call(lambda: self.web.auth_test(), tries=1)
                if self._mode == "socket" and not await connected():
                    await self._ask_for_socket()
            except PlatformError as e:
                log.info("Slack does not answer: %s", e)

    async def call(
        self,
        call: Callable[[], Awaitable[Any]],
        *,
        tries: int = TRIES,
        once: bool = False,
        token: str = "SLACK_BOT_TOKEN",
    ) -> Mapping[str, Any]:
        """Make a call of the Web API, with retries after temporary errors.

        Args:
            call: makes the call.
            tries: how often, at most.
            once: no retry if Slack may have carried it out already; only after rate limits.
            token: the token that it carries.

        Raises:
            TokenRefusedError: Slack refuses the token.
            PlatformRefusedError: Slack refuses for good.
            PlatformError: all tries failed.
        """

        async def attempt() -> Mapping[str, Any]:
            try:
                answer: Mapping[str, Any] = await call()
            except SlackApiError as e:
                raise self._refusal(e, token) from e
            except (*_LOST, SlackClientError) as e:
                raise CallError(type(e).__name__, maybe_done=True) from e
            self.tokens.accepted(token)
            return answer

        def may_pass(error: Exception) -> bool:
            if not isinstance(error, CallError) or error.code in GONE | TOO_MUCH:
                return False
            return not (once and error.maybe_done)

        return await retrying(attempt, may_pass=may_pass, tries=tries)

    def _refusal(self, error: SlackApiError, token: str) -> PlatformError:
        status, code = _status_and_code(error)
        if code in _TOKEN_REFUSED:
            refused = TokenRefusedError(
                f"Slack refuses {token} ({code}); copy it again from {TOKENS[token]}"
            )
            self.tokens.refused(token, refused)
            return refused
        wait_s = read_retry_after(_header(error, "Retry-After"))
        if status == 429:
            longest = 1.0 if wait_s is None else min(wait_s, LONGEST_WAIT_S)
            self._slow_until = time.monotonic() + longest
        if status == 429 or status >= 500 or code in _LATER | GONE | TOO_MUCH:
            return CallError(
                code or str(status), code, maybe_done=status >= 500, retry_after_s=wait_s
            )
        return PlatformRefusedError(code or str(status))

    async def respond(self, url: str, body: dict[str, Any]) -> bool:
        """Answer through a response URL; False if it is used up or expired."""
        payload = {"response_type": "ephemeral", **body}

        async def attempt() -> bool:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=15)) as session,
                session.post(url, json=payload, proxy=self.web.proxy) as answer,
            ):
                _raise_if_it_may_pass(answer)
                return answer.status == 200

        try:
            return await _retry_http(attempt)
        except CallError:
            return False

    async def fetch(self, attached: Attached) -> bytes:
        """Download a file with our token, which is sent to Slack's servers only."""
        if not attached.url and attached.id:
            told = await self.call(lambda: self.web.files_info(file=attached.id))
            file = told.get("file") or {}
            url = str(file.get("url_private_download") or file.get("url_private") or "")
            attached = attached.model_copy(update={"url": url})
        host = urlsplit(attached.url).hostname or ""
        ours = host == self._host or host == "slack.com" or host.endswith(".slack.com")
        if not ours:
            raise PlatformRefusedError(f"{host or 'no host'} is not Slack's")
        headers = {"Authorization": f"Bearer {self._tokens.bot.reveal()}"}

        async def attempt() -> bytes:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session,
                session.get(
                    attached.url, headers=headers, allow_redirects=False, proxy=self.web.proxy
                ) as answer,
            ):
                _raise_if_it_may_pass(answer)
                if answer.status != 200:
                    raise PlatformRefusedError(f"Slack answered {answer.status}")
                if answer.content_type == "text/html" and "htm" not in attached.name[-5:]:
                    raise PlatformRefusedError("Slack asks to sign in: no files:read")
                return await read_body(answer, MAX_ATTACHMENT_BYTES + 1)

        try:
            return await _retry_http(attempt)
        except CallError as e:
            raise PlatformError(f"a file could not be fetched ({e})") from e
        except PlatformRefusedError:
            await self.call(lambda: self.web.auth_test())  # is it the file, or our token?
            raise

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
                channel=channel,
                thread_ts=thread or None,
                file_uploads=[
                    {
                        "filename": u.name,
                        "content": u.data,
                        "title": u.alt or u.name,
                        "alt_txt": u.alt or None,
                    }
                    for u in uploads
                    if u.data
                ],
            )
        )


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


async def _retry_http(attempt: Callable[[], Awaitable[T]]) -> T:
    """Make a plain HTTP call; what failed on the way, or may pass, is tried again."""

    async def one() -> T:
        try:
            return await attempt()
        except _LOST as e:
            raise CallError(type(e).__name__, maybe_done=True) from e

    return await retrying(one, may_pass=lambda e: isinstance(e, CallError), tries=TRIES)


def _raise_if_it_may_pass(answer: aiohttp.ClientResponse) -> None:
    if answer.status == 429 or answer.status >= 500:
        wait_s = read_retry_after(answer.headers.get("Retry-After"))
        raise CallError(str(answer.status), retry_after_s=wait_s)


def quiet(name: str) -> logging.Logger:
    """A library's logger limited to warnings: its debug lines hold whole messages."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.WARNING)
    return logger
