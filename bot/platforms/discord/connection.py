"""Our connection to Discord: its library, our REST calls, and a token that may die."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from typing import Any

import aiohttp
import discord
from discord.http import Route

from bot.errors import PlatformError, TokenRefusedError
from bot.platforms.discord.card import Json
from bot.platforms.discord.messages import (
    DiscordPlatform,
    RefusedError,
)
from bot.platforms.discord.settings import DiscordSettings
from bot.service.questions import QuestionService
from bot.service.retry import read_retry_after
from bot.service.seam import Upload
from bot.service.tasks import Tasks
from bot.service.token_watch import TokenWatch

log = logging.getLogger(__name__)
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # we do not speak

PORTAL = "https://discord.com/developers/applications"
REFUSED = (
    f"Discord refuses DISCORD_TOKEN; copy it anew from {PORTAL} → your application → Bot → Reset "
    "Token"
)
_LOOK_S = 60.0  # how often an idle bot asks whether its token is still good


class Connection(discord.Client):
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
        self.tokens = TokenWatch(settings.token_patience_s)
        self.service: QuestionService | None = None
        self._tasks = Tasks()

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
            answer = await self.http.request(route, **said)
        except discord.HTTPException as e:
            if e.status == 401 and not path.startswith(("/webhooks", "/interactions")):
                refused = TokenRefusedError(REFUSED)
                self.tokens.refused("DISCORD_TOKEN", refused)
                raise refused from e
            raise _error(e) from e
        except (aiohttp.ClientError, OSError, TimeoutError, RuntimeError) as e:
            raise PlatformError(f"Discord does not answer ({type(e).__name__})") from e
        if not path.startswith(("/webhooks", "/interactions")):
            self.tokens.accepted("DISCORD_TOKEN")
        return answer

    async def watch(self) -> None:
        """Loop: find out that the token was reset, also while nobody asks anything."""
        while True:
            await asyncio.sleep(_LOOK_S)
            try:
                await self.call("GET", "/users/@me")
            except PlatformError as e:
                log.info("Discord does not answer: %s", e)

    async def fetch(self, url: str) -> bytes:
        """An attachment's content."""
        try:
            return await self.http.get_from_cdn(url)
        except discord.HTTPException as e:
            raise _error(e) from e
        except (aiohttp.ClientError, OSError, TimeoutError) as e:
            raise PlatformError(f"Discord does not hand out a file ({type(e).__name__})") from e

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log an event whose handling failed, without its content."""
        log.error("an event (%s) failed: %s", event_method, type(sys.exception()).__name__)
        log.debug("an event (%s) failed", event_method, exc_info=True)


def _error(e: discord.HTTPException) -> PlatformError:
    """Discord's error as a PlatformRefusedError, or a PlatformError if a retry may help."""
    first = (e.text or "").splitlines()
    text = f"Discord answered {e.status} ({e.code}: {first[0] if first else e.response.reason})"
    if e.status == 429 or e.status >= 500:
        # Where discord.py has waited five times, the last answer says how long it still takes.
        return PlatformError(text, read_retry_after(e.response.headers.get("Retry-After")))
    return RefusedError(text, e.code)
