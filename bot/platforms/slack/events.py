"""Slack's events: messages, edits and deletions, new channels, the app's home."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.errors import NotKeptError
from bot.platforms.slack import card as draw
from bot.platforms.slack.home import home
from bot.platforms.slack.incoming import files_of, text_of, without_mentions
from bot.platforms.slack.receiver import Receiver
from bot.service.seam import Door, Incoming, Person, tell

log = logging.getLogger(__name__)

_MESSAGES = frozenset({None, "file_share", "thread_broadcast", "me_message"})


class Events(Receiver):
    """Reads events and passes what they ask to the question service."""

    async def _say_not_kept(self, event: Mapping[str, Any], why: NotKeptError) -> None:
        place = self._place("", event)
        asker = Person(id=str(event.get("user") or ""))
        if why.first and place.channel.casefold() not in self._support:
            self._tasks.spawn(tell(self._platform, place, asker, str(why)))

    async def _event(self, body: dict[str, Any]) -> None:
        assert self._service is not None
        event = body.get("event") or {}
        if event.get("type") == "app_home_opened":
            self._tasks.spawn(self._opened(event))
        if event.get("type") == "assistant_thread_started":
            began = event.get("assistant_thread") or {}
            channel, thread = str(began.get("channel_id")), str(began.get("thread_ts"))
            self._tasks.spawn(self._platform.agent.suggest(channel, thread))
        joined = event.get("type") == "member_joined_channel"
        if joined and event.get("user") == self._client.bot_user:
            self._tasks.spawn(self._joined(body, event))
        if event.get("type") not in ("message", "app_mention"):
            return
        if event.get("subtype") == "message_changed":
            await self._changed(body, event)
            return
        if event.get("subtype") == "message_deleted":
            await self._service.withdraw(self._place("", _deleted(event)))
            return
        if event.get("subtype") not in _MESSAGES or event.get("bot_id") or not event.get("user"):
            return
        await self._message(str(body.get("team_id") or ""), event)

    async def _message(self, team: str, event: dict[str, Any], *, edited: bool = False) -> None:
        """Handle a mention, direct message or follow-up, or a new message in a support channel."""
        assert self._service is not None
        text = text_of(event)
        mine = event.get("type") == "app_mention" or f"<@{self._client.bot_user}" in text
        direct = event.get("channel_type") == "im" or str(event.get("channel", "")).startswith("D")
        in_thread = bool(event.get("thread_ts")) and event["thread_ts"] != event["ts"]
        door: Door = "mention" if mine else "direct" if direct else "follow_up"
        place = self._place(team, event)
        files = files_of(event)
        asker = await self._groups.person(str(event["user"]))
        if not (without_mentions(text) or files) and (edited or not mine):
            return
        if not mine and not direct and not in_thread:
            if str(event.get("channel", "")).casefold() not in self._support:
                return
            door = "channel"
        if in_thread and not mine:
            await self._service.hear(place, asker)
            door = "follow_up"
        incoming = Incoming(
            # Not the event's id: a mention is delivered as `app_mention` and as `message`.
            event=f"slack:{team}:{place.channel}:{place.message}",
            asker=asker,
            place=place,
            text=text,
            door=door,
            attachments=files,
            unasked=door == "channel",
        )
        asked = await self._service.take(incoming)
        if asked is None and in_thread and direct and not mine:
            # A thread of ours, or one that the person has opened themselves.
            if not await self._service.knows(place):
                await self._service.take(replace(incoming, door="direct"))
        elif asked is None and files:
            # `app_mention` came first, and without its files.
            await self._service.edit(replace(incoming, event=f"{incoming.event}:files"))

    async def _opened(self, event: Mapping[str, Any]) -> None:
        """Somebody looks at the app: its home, or the empty conversation with it."""
        assert self._service is not None
        person = await self._groups.person(str(event.get("user") or ""))
        web = self._client.web
        if event.get("tab") == "home":
            view = home(await self._service.questions_of(person), await self._service.in_words())
            await self._client.call(lambda: web.views_publish(user_id=person.id, view=view))
            return
        channel = str(event.get("channel") or person.id)
        if self._client.is_agent:
            await self._platform.agent.suggest(channel)  # again whenever it is opened
        if await self._service.first_time(f"slack:welcome:{person.id}"):
            await self._client.call(lambda: web.chat_postMessage(channel=channel, **draw.welcome()))

    async def _joined(self, body: Mapping[str, Any], event: Mapping[str, Any]) -> None:
        """We were added to a channel: say what we do, once."""
        assert self._service is not None
        channel = str(event.get("channel") or "")
        if await self._service.first_time(f"slack:joined:{channel}:{body.get('event_id')}"):
            await self._client.call(
                lambda: self._client.web.chat_postMessage(channel=channel, **draw.welcome())
            )

    async def _changed(self, body: dict[str, Any], event: dict[str, Any]) -> None:
        """Run an edited question again; an edit that adds a mention asks a new one."""
        assert self._service is not None
        new = event.get("message") or {}
        old = event.get("previous_message") or {}
        if new.get("subtype") == "tombstone":  # deleted, and it has a thread that stays
            await self._service.withdraw(self._place("", _deleted(event)))
            return
        if not new.get("user") or new.get("bot_id") or new.get("text") == old.get("text"):
            return
        team = str(body.get("team_id") or "")
        now = {**new, "channel": event.get("channel"), "channel_type": event.get("channel_type")}
        place = self._place(team, now)
        call = f"<@{self._client.bot_user}"
        if call in str(new.get("text")) and not await self._service.knows(place, message=True):
            await self._message(team, {**now, "type": "app_mention"}, edited=True)
            return
        await self._service.edit(
            Incoming(
                event=str(body.get("event_id") or f"edit:{place.message_key}:{event.get('ts')}"),
                asker=await self._groups.person(str(new["user"])),
                place=place,
                text=str(new.get("text") or ""),
                door="edit",
                attachments=files_of(new),
            )
        )


def _deleted(event: Mapping[str, Any]) -> dict[str, Any]:
    """The message that an event says is gone."""
    old = event.get("previous_message") or {}
    new = event.get("message") or {}
    return {"channel": event.get("channel"), "ts": event.get("deleted_ts") or new.get("ts")} | {
        name: old[name] for name in ("thread_ts",) if old.get(name)
    }
