"""What the tests of the platforms share."""

from tests.bot.platforms.on_discord import warm, world
from tests.bot.platforms.on_slack import open_bot

__all__ = ["open_bot", "warm", "world"]
