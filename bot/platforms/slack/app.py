"""Slack: turn its requests into questions and clicks for the question service.

One middleware reads every request, over Socket Mode and signed HTTP alike, and acknowledges it only
once it is stored. (bolt's own listeners acknowledge an event before they run.)
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from bot.errors import NotKeptError, SettingsError
from bot.logs import where
from bot.platforms.slack.client import quiet
from bot.platforms.slack.events import Events
from bot.platforms.slack.interactions import Interactions
from bot.platforms.slack.messages import SlackPlatform
from bot.platforms.slack.settings import SlackSettings, SlackTokens
from bot.service.questions import QuestionService
from bot.service.store.database import DATABASE_ERRORS

log = logging.getLogger(__name__)

_PATH = "/slack/events"


class SlackFront(Events, Interactions):
    """Reads Slack's requests and passes them to the question service."""

    def __init__(self, platform: SlackPlatform, settings: SlackSettings, tokens: SlackTokens):
        """Make the app; it listens once `serve` is entered."""
        super().__init__(platform, settings)
        self._tokens = tokens
        own = platform.client
        self.connected: Callable[[], Awaitable[bool]] = _always  # whether Slack's events reach us
        # Functions, not methods: bolt reads their arguments' names, and rejects `self`.

        async def authorize() -> AuthorizeResult:
            return AuthorizeResult(
                enterprise_id=None,
                team_id=own.workspace,
                bot_user_id=own.bot_user,
                bot_id=own.bot_id,
                bot_token=tokens.bot.reveal(),
            )

        async def receive(body: dict[str, Any]) -> BoltResponse:
            return await self._receive(body)

        logger = quiet("slack_bolt")
        logger.setLevel(logging.ERROR)  # it would warn of SLACK_BOT_TOKEN, which it need not read
        self.app = AsyncApp(
            client=own.web,
            signing_secret=tokens.signing.reveal(),
            authorize=authorize,
            logger=logger,
        )
        logger.setLevel(logging.WARNING)
        self.app.use(receive)

    @asynccontextmanager
    async def serve(self, service: QuestionService) -> AsyncIterator[str]:
        """Listen while the block runs; yields a text that says where.

        Raises:
            SettingsError: the port is taken, or Slack does not tell who is in a user group.
        """
        await self._groups.read()
        self._service = service
        if self._settings.mode == "http":
            server = self.app.server(port=self._settings.port, path=_PATH)
            runner = web.AppRunner(server.web_app, access_log=None)
            await runner.setup()
            site = web.TCPSite(runner, self._settings.host, self._settings.port)
            try:
                await site.start()
            except OSError as e:
                await runner.cleanup()
                raise SettingsError(
                    f"slack.port {self._settings.port} on {self._settings.host} cannot be used "
                    f"({e.strerror}); choose another"
                ) from e
            try:
                yield f"signed HTTP at {self._settings.host}:{self._settings.port}{_PATH}"
            finally:
                await runner.cleanup()
            return
        handler = AsyncSocketModeHandler(
            self.app, self._tokens.app.reveal(), logger=quiet("slack_sdk.socket_mode")
        )
        handler.client.proxy = self._client.web.proxy
        self.connected = handler.client.is_connected
        await self._client.call(handler.connect_async)
        try:
            yield "Socket Mode"
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]

    async def _receive(self, body: dict[str, Any]) -> BoltResponse:
        """Read one request and acknowledge it once it is stored."""
        kind = str(body.get("type") or "")
        if kind == "event_callback":
            try:
                await self._event(body)
            except DATABASE_ERRORS as e:
                log.error("an event could not be handled: %s", where(e))
                return BoltResponse(status=503)  # not acknowledged: Slack delivers it again
            except NotKeptError as e:
                await self._say_not_kept(body.get("event") or {}, e)
                return BoltResponse(status=503)
        elif "command" in body:
            return await self._command(body)
        elif kind == "message_action":
            await self._shortcut(body)
        elif kind == "block_actions":
            await self._press(body)
        elif kind == "view_submission":
            return await self._form(body)
        return BoltResponse(status=200)


async def _always() -> bool:
    """Over signed HTTP it is Slack who connects."""
    return True
