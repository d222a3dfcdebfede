"""Discord: turn its events into questions and clicks for the question service."""

from __future__ import annotations

import logging
from collections.abc import Callable

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.errors import PlatformError, SettingsError, TokenRefusedError
from bot.platforms.discord.connection import PORTAL, REFUSED
from bot.platforms.discord.forms import (
    COMMANDS,
)
from bot.platforms.discord.interactions import Interactions
from bot.platforms.discord.messages import (
    DiscordPlatform,
)
from bot.platforms.discord.settings import DiscordSettings
from bot.service.questions import QuestionService
from bot.service.tasks import first_of
from bot.settings import Secret

log = logging.getLogger(__name__)

# View channels, send messages, send them in threads, create threads, attach files, read history.
_PERMISSIONS = 1 << 10 | 1 << 11 | 1 << 38 | 1 << 35 | 1 << 15 | 1 << 16
_EMBED_LINKS = 1 << 14
_TOKEN_CLOSES = 4004  # the gateway's code for a token that is not valid


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
        self._client = Interactions(settings)

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
            raise SettingsError(REFUSED) from e
        except (discord.HTTPException, aiohttp.ClientError, OSError) as e:
            raise PlatformError(
                f"Discord cannot be reached ({type(e).__name__}); check the network of this machine"
            ) from e
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
            SettingsError: an intent is refused, and the text says which switch to turn on; or the
                token has been refused for `token_patience_s`.
        """
        self._client.service = service
        try:
            await first_of(self._connect(), self._client.tokens.ended(), self._client.watch())
        except discord.PrivilegedIntentsRequired as e:
            raise SettingsError(
                "Discord does not allow the message content that discord.message_content asks for: "
                f"turn on “Message Content Intent” at {PORTAL}/{self._client.own_id}/bot "
                "(Privileged Gateway Intents), or set discord.message_content to false"
            ) from e
        finally:
            self._client.service = None

    async def _connect(self) -> None:
        try:
            await self._client.connect()
        except discord.ConnectionClosed as e:
            if e.code != _TOKEN_CLOSES:
                raise PlatformError(f"Discord has closed the connection ({e.code})") from e
            self._client.tokens.refused("DISCORD_TOKEN", TokenRefusedError(REFUSED))
            await self._client.tokens.ended()


def _start_up(settings: DiscordSettings, application: str) -> list[str]:
    """Hints for the operator who starts the bot."""
    rights = _PERMISSIONS | (_EMBED_LINKS if settings.cards == "embeds" else 0)
    address = f"https://discord.com/oauth2/authorize?client_id={application}"
    lines = [
        f"add it to a server: {address}&integration_type=0&scope=bot+applications.commands"
        f"&permissions={rights}",
        f"add it to your own account: {address}&integration_type=1&scope=applications.commands",
    ]
    if not settings.message_content:
        what = "follow-ups in a thread need a mention"
        if settings.support:
            what += ", and the support channels stay silent"
        lines.append(
            f"message content is off, so {what}; to change that turn on “Message Content Intent” "
            f"at {PORTAL}/{application}/bot and set discord.message_content to true"
        )
    return lines
