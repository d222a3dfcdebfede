"""What both readers of Slack's requests need: the service, the client, who and where."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from bot.platforms.slack.groups import UserGroups
from bot.platforms.slack.messages import SlackPlatform
from bot.platforms.slack.settings import SlackSettings
from bot.service.questions import QuestionService
from bot.service.seam import Person, Place
from bot.service.tasks import Tasks

log = logging.getLogger(__name__)


class Receiver:
    """Slack's front end without its requests."""

    def __init__(self, platform: SlackPlatform, settings: SlackSettings) -> None:
        """Take the platform; the service comes when we listen."""
        self._platform = platform
        self._client = platform.client
        self._settings = settings
        self._groups = UserGroups(platform.client, settings)
        self._tasks = Tasks()
        self._service: QuestionService | None = None

    @property
    def _support(self) -> set[str]:
        return {id.casefold() for id in self._settings.support}

    async def _person(self, body: Mapping[str, Any]) -> Person:
        user = body.get("user") or {}
        return await self._groups.person(str(user.get("id") or ""), str(user.get("name") or ""))

    def _place(self, team: str, event: Mapping[str, Any]) -> Place:
        return Place(
            platform="slack",
            workspace=team,
            channel=str(event.get("channel") or ""),
            thread=str(event.get("thread_ts") or event.get("ts") or ""),
            message=str(event.get("ts") or ""),
        )
