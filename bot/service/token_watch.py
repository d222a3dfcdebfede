"""Notice that a platform refuses a token of ours while we run, and end if that lasts."""

from __future__ import annotations

import asyncio
import logging
import time

from bot.errors import SettingsError, TokenRefusedError

log = logging.getLogger(__name__)


class TokenWatch:
    """Which of a platform's tokens are refused at present.

    watch.refused("SLACK_BOT_TOKEN", error)
    await watch.ended()   # raises once a token has been refused for `patience_s`
    """

    def __init__(self, patience_s: float = 60) -> None:
        """Nothing is refused yet."""
        self._patience_s = patience_s
        self._since: dict[str, tuple[float, TokenRefusedError]] = {}
        self._changed = asyncio.Event()

    def refused(self, token: str, error: TokenRefusedError) -> None:
        """A call was refused because of this token; the operator is told once."""
        if token not in self._since:
            log.error("%s; until then every question waits", error)
            self._since[token] = (time.monotonic(), error)
            self._changed.set()

    def accepted(self, token: str) -> None:
        """A call with this token was carried out."""
        if self._since.pop(token, None) is not None:
            log.info("%s is accepted again", token)

    async def ended(self) -> None:
        """Wait until a token has been refused for as long as we are patient.

        Raises:
            SettingsError: then, so that the process ends and whoever supervises it notices.
        """
        while True:
            if not self._since:
                self._changed.clear()
                await self._changed.wait()
            began, error = min(self._since.values(), key=lambda refused: refused[0])
            if (left := began + self._patience_s - time.monotonic()) <= 0:
                raise SettingsError(str(error)) from error
            await asyncio.sleep(min(left, 1.0))
