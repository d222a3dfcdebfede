"""Slack's agent surface: suggested prompts, and an answer whose steps are streamed as a task.

An app has it with the scope `assistant:write`; one without never gets here.
https://docs.slack.dev/ai/developing-agents
"""

from __future__ import annotations

import logging
from typing import Any

from slack_bolt.context.set_status.async_set_status import AsyncSetStatus
from slack_bolt.context.set_suggested_prompts.async_set_suggested_prompts import (
    AsyncSetSuggestedPrompts,
)
from slack_sdk.models.messages.chunk import TaskUpdateChunk

from bot.errors import PlatformError, PlatformRefusedError, TokenRefusedError
from bot.platforms.slack.client import SlackClient
from bot.service.seam import CardRef, Place
from bot.service.welcome import PROMPTS

log = logging.getLogger(__name__)

STREAM = "stream"  # `CardRef.via` of a message that is still streamed
_TITLE = 250  # characters of a task's title


class AgentSurface:
    """Conversations with the app as an agent: direct messages, each in a thread."""

    def __init__(self, client: SlackClient) -> None:
        """Take the client; whether the app has the surface is known once it has met Slack."""
        self._client = client
        self._streams = True  # until Slack refuses it

    def has(self, place: Place) -> bool:
        """Whether answers at this place are streamed."""
        return (
            self._client.is_agent
            and self._streams
            and not place.private
            and place.channel.startswith("D")
            and bool(place.thread)
        )

    async def suggest(self, channel: str, thread: str | None = None) -> None:
        """Offer the welcome's questions in a new conversation.

        Args:
            channel: the direct messages with somebody.
            thread: the conversation, of an app with `assistant_view`. One with `agent_view` has
                none: there Slack ignores a call that names a thread.
                https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts
        """
        suggest = AsyncSetSuggestedPrompts(self._client.web, channel, thread)
        prompts: list[str | dict[str, str]] = [
            {"title": p.label, "message": p.text} for p in PROMPTS
        ]
        try:
            await self._client.call(lambda: suggest(prompts=prompts, title="Try one"))
        except PlatformError as e:
            log.warning("no prompts could be suggested: %s", e)

    async def step(self, question: str, place: Place, text: str, card: CardRef | None) -> CardRef:
        """Show a step: the first starts the stream.

        Raises:
            PlatformRefusedError: the app may not stream; it is not tried again.
        """
        chunk = _task(question, text, "in_progress")
        web = self._client.web
        if card is not None:
            ref = card
            await self._client.call(
                lambda: web.chat_appendStream(channel=ref.channel, ts=ref.message, chunks=[chunk]),
                tries=1,
            )
            return card
        status = AsyncSetStatus(web, place.channel, place.thread)
        try:
            started = await self._client.call(
                lambda: web.chat_startStream(
                    channel=place.channel,
                    thread_ts=place.thread,
                    task_display_mode="timeline",
                    chunks=[chunk],
                ),
                once=True,
            )
            await self._client.call(lambda: status("is on it …"), tries=1)
        except TokenRefusedError:
            raise
        except PlatformRefusedError:
            self._streams = False
            raise
        return CardRef(channel=str(started["channel"]), message=str(started["ts"]), via=STREAM)

    async def finish(
        self, question: str, card: CardRef, drawn: dict[str, Any], metadata: dict[str, Any]
    ) -> CardRef:
        """End the stream with the answer; from then on it is a message like any other."""
        done = _task(question, "Done", "complete")
        await self._client.call(
            lambda: self._client.web.chat_stopStream(
                channel=card.channel,
                ts=card.message,
                chunks=[done],
                blocks=drawn["blocks"],
                metadata=metadata,
            )
        )
        return card.model_copy(update={"via": ""})


def _task(question: str, title: str, status: str) -> dict[str, Any]:
    chunk: dict[str, Any] = TaskUpdateChunk(
        id=question, title=title[:_TITLE], status=status
    ).to_dict()
    return chunk
