"""User groups of Slack that settings name: who is in them."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping

from bot.errors import PlatformError, PlatformRefusedError, SettingsError
from bot.platforms.slack.client import SlackClient
from bot.service.seam import Person
from bot.settings import FrontSettings

log = logging.getLogger(__name__)

_FRESH_S = 300.0  # how long a list of members is used


class UserGroups:
    """The members of the groups (`S…`) among the settings' people.

    groups = UserGroups(client, settings)
    await groups.read()
    person = await groups.person("U1")   # with the groups that they belong to
    """

    def __init__(self, client: SlackClient, settings: FrontSettings) -> None:
        """Nobody is known to be in a group yet."""
        self._client = client
        self._named = _named(settings)
        self._members: Mapping[str, frozenset[str]] = {}
        self._read_at = 0.0

    async def read(self) -> None:
        """Ask Slack who is in the groups.

        Raises:
            SettingsError: it does not say so; the text names the scope that is missing.
        """
        try:
            await self._read()
        except PlatformRefusedError as e:
            raise SettingsError(
                f"the settings name user groups ({', '.join(self._named)}), and Slack does not "
                f"tell who is in them ({e}); add the scope usergroups:read to the app, install it "
                "again, and check the ids"
            ) from e

    async def person(self, id: str, name: str = "") -> Person:
        """A person with their groups."""
        if self._named and time.monotonic() - self._read_at > _FRESH_S:
            try:
                await self._read(tries=1)
            except PlatformError as e:
                log.warning("the members of user groups cannot be read: %s", e)
        groups = tuple(group for group, members in self._members.items() if id in members)
        return Person(id=id, name=name, groups=groups)

    async def _read(self, tries: int = 3) -> None:
        self._read_at = time.monotonic()
        members = {}
        for group in self._named:
            told = await self._client.call(
                lambda group=group: self._client.web.usergroups_users_list(usergroup=group),  # type: ignore[misc]
                tries=tries,
            )
            members[group] = frozenset(map(str, told.get("users") or []))
        self._members = members


def _named(settings: FrontSettings) -> Collection[str]:
    people = [*settings.users, *settings.moderators]
    people += [one for channel in settings.support.values() for one in channel.team]
    return sorted({one.strip().upper() for one in people if one.strip()[:1] in ("S", "s")})
