"""Discord, as commands, settings and doctor know it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from bot.errors import SettingsError
from bot.platforms.discord.settings import TOKENS, DiscordSettings, discord_token
from bot.service.plugin import CallApi, Host, PlatformPlugin

_API = "https://discord.com/api/v10"


async def _serve(settings: DiscordSettings, host: Host) -> None:
    from bot.platforms.discord.app import DiscordFront

    async with (
        DiscordFront(settings, discord_token(host.environment), host.say) as front,
        host.open_service(front.platform) as service,
    ):
        host.say("answering in Discord")
        stopping = asyncio.create_task(host.stop_signal().wait())
        serving = asyncio.create_task(front.serve(service))
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if serving.done():
            await serving  # main() prints what went wrong
        serving.cancel()


async def _check_tokens(
    settings: DiscordSettings, environment: Mapping[str, str], call: CallApi
) -> str:
    token = discord_token(environment)
    url = f"{(settings.api_url or _API).rstrip('/')}/users/@me"
    answer = await call("GET", url, f"Bot {token.reveal()}")
    if "id" not in answer:
        why = str(answer.get("message") or "no reason given")
        where = TOKENS["DISCORD_TOKEN"]
        raise SettingsError(f"Discord refuses DISCORD_TOKEN ({why}); copy it again from {where}")
    return f"DISCORD_TOKEN: set, and Discord knows this bot as {answer['id']}"


PLUGIN = PlatformPlugin(
    name="discord",
    title="Discord",
    help="Answer in Discord until stopped; docs/discord.md says how to set it up.",
    section=DiscordSettings,
    tokens=TOKENS,
    serve=_serve,
    check_tokens=_check_tokens,
    one_bot=True,
    rank=2,
)
