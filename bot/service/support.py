"""Support channels enabled from the chat by their admins, beside those of the settings."""

from __future__ import annotations

import re

from bot.service import manners
from bot.service.seam import Person, Place
from bot.service.store import Store
from bot.settings import FrontSettings, SupportChannel

_COMMAND = re.compile(
    r"\s*support(?:\s+(?P<what>on|off|draft))?(?:\s+(?:in\s+)?(?:<#)?(?P<where>\w+)(?:\|[^>]*)?>?)?\s*",
    re.IGNORECASE,
)


def is_about_support(text: str) -> bool:
    """Whether a command is one of those that `SupportChannels.command` carries out."""
    return _COMMAND.fullmatch(text) is not None


class SupportChannels:
    """The channels of one platform where we answer without being called.

    await channels.open()   # from then on `front.support` holds those of the store as well
    said = await channels.command("support on", place, person, is_admin=True)
    """

    def __init__(self, front: FrontSettings, store: Store, platform: str) -> None:
        """Take the settings, whose channels stay as they are."""
        self._front = front
        self._fixed = set(front.support)
        self._store = store
        self._platform = platform

    async def open(self) -> None:
        """Read what was enabled before."""
        for id, channel in (await self._store.support(self._platform)).items():
            self._front.support.setdefault(id, channel)

    async def command(self, text: str, place: Place, person: Person, *, is_admin: bool) -> str:
        """Enable or disable the channel where this is said, and say what holds there now."""
        found = _COMMAND.fullmatch(text)
        what = (found["what"] or "").lower() if found is not None else ""
        here = next(
            (c for c in self._front.support if c.casefold() == place.channel.casefold()), ""
        )
        if not what:
            return _state(self._front.support.get(here))
        if not (is_admin or manners.among(person, self._front.moderators)):
            return "Only an admin of this channel can change where I answer unasked."
        if here in self._fixed:
            return "This channel is in my settings; whoever runs this bot can change it there."
        where = found["where"] if found is not None else None
        if what == "draft" and not where:
            return "Name the team's channel by its id: “support draft C0123456789”."
        channel = SupportChannel(draft=where or "") if what == "draft" else SupportChannel()
        kept = None if what == "off" else channel
        await self._store.set_support(self._platform, place.channel, kept)
        if kept is None:
            self._front.support.pop(here, None)
        else:
            self._front.support[place.channel] = kept
        return _state(kept)


def _state(channel: SupportChannel | None) -> str:
    if channel is None:
        return "I answer here only when I am called. “support on” lets me answer unasked."
    if channel.draft:
        return "I answer here unasked, as drafts that the team posts. “support off” ends that."
    return "I answer here unasked where I am sure. “support off” ends that."
