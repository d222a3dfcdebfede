"""Slack as a Platform: cards as messages that are updated, private notes and files."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from bot.errors import PlatformError, PlatformRefusedError, TokenRefusedError
from bot.platforms.card import sheet
from bot.platforms.slack import card as draw
from bot.platforms.slack.agent import STREAM, AgentSurface
from bot.platforms.slack.client import GONE, TOO_MUCH, TRIES, CallError, SlackClient
from bot.platforms.slack.incoming import said_in
from bot.platforms.slack.markup import MARKUP
from bot.service.retry import retrying
from bot.service.seam import (
    Above,
    Answered,
    Attached,
    CardRef,
    Case,
    Person,
    Place,
    Said,
    Upload,
    View,
    Waiting,
)

log = logging.getLogger(__name__)

_ABOVE = 10  # messages above a question that are read
_PAGES = 3  # of 200 messages, of a thread
_METADATA = "torchmedic_card"


class SlackPlatform:
    """Draws views and sends notes and files in Slack."""

    name = "slack"
    markup = MARKUP

    def __init__(self, client: SlackClient) -> None:
        """Take the client to call Slack through."""
        self.client = client
        self.agent = AgentSurface(client)
        self._greeted: set[str] = set()  # private questions whose receipt was shown
        self._told: set[str] = set()  # those whose acknowledgement says that they are read

    def acknowledged(self, question: str) -> None:
        """A private question was acknowledged with words: those are its receipt."""
        self._told.add(question)

    # -- the Platform interface --------------------------------------------------------------

    async def show(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        """Show a view as the card: a message in a thread, or a private one."""
        if place.private:
            return await self._show_privately(question, place, view, card)
        final = isinstance(view, Answered)
        if card is not None and not final and self.client.is_slowed:
            return card
        streamed = card is not None and card.via == STREAM
        if streamed or (card is None and not final and self.agent.has(place)):
            try:
                return await self._stream(question, place, view, card)
            except TokenRefusedError:
                raise
            except PlatformError as e:
                log.info("question %s: not streamed: %s", question, e)
                if not final:
                    return card
                # What was streamed is a message, which the answer replaces.
                card = card.model_copy(update={"via": ""}) if card is not None else None
        for drawing in (draw.message, draw.simple, draw.bare):
            drawn = drawing(question, view)
            try:
                card = await self._put(question, place, drawn, card, tries=TRIES if final else 1)
                break
            except CallError as e:
                if e.code not in TOO_MUCH or drawing is draw.bare:
                    raise
                log.error("question %s: Slack refused its card (%s)", question, e.code)
        if isinstance(view, Answered) and not view.redrawn:
            await self._try_upload(_uploads(view), place.channel, place.thread)
        return card

    async def _stream(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        """Show a view in Slack's agent surface: steps as a task, then the answer below it."""
        if card is None or not isinstance(view, Answered):
            text = draw.waiting(view) if isinstance(view, Waiting) else _step(view)
            return await self.agent.step(question, place, text, card)
        drawn = draw.message(question, view, agent=True)
        metadata = {"event_type": _METADATA, "event_payload": {"question": question}}
        card = await self.agent.finish(question, card, drawn, metadata)
        if not view.redrawn:
            await self._try_upload(_uploads(view), place.channel, place.thread)
        return card

    async def find(self, question: str, place: Place) -> CardRef | None:
        """Look through the thread for a message of ours that carries the question's id."""
        if place.private or not place.thread:
            return None
        cursor = ""
        while True:
            try:
                page = await self.client.call(
                    lambda cursor=cursor: self.client.web.conversations_replies(  # type: ignore[misc]
                        channel=place.channel,
                        ts=place.thread,
                        limit=200,
                        include_all_metadata=True,
                        **({"cursor": cursor} if cursor else {}),
                    )
                )
            except PlatformRefusedError as e:
                log.warning("question %s: its thread cannot be read (%s)", question, e)
                return None
            for message in page.get("messages") or []:
                ours = message.get("user") == self.client.bot_user or (
                    self.client.bot_id and message.get("bot_id") == self.client.bot_id
                )
                if ours and question in json.dumps(message):
                    return CardRef(channel=place.channel, message=str(message["ts"]))
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return None

    async def above(self, place: Place) -> Above:
        """The messages above one: its thread's first, and up to ten more."""
        in_thread = bool(place.thread) and place.thread != place.message
        try:
            if in_thread:
                found = await self._thread(place)
            else:
                page = await self.client.call(
                    lambda: self.client.web.conversations_history(
                        channel=place.channel, latest=place.message, inclusive=False, limit=_ABOVE
                    )
                )
                found = [*reversed(page.get("messages") or [])]
        except PlatformRefusedError as e:
            log.warning("the messages above a question cannot be read: %s", e)
            return Above(
                unread=f"I could not read the messages above: Slack says {e} (docs/slack.md names "
                "the scopes); put the code into the same message"
            )
        said: list[Said] = []
        for message in found:
            root = in_thread and message.get("ts") == place.thread
            if message.get("ts") == place.message or not message.get("user"):
                continue
            if message.get("bot_id") or message.get("user") == self.client.bot_user:
                continue
            said += said_in(message, "root" if root else "above")
        return Above(tuple(said))

    async def _thread(self, place: Place) -> list[Mapping[str, Any]]:
        """A thread's first message and its last ones up to a message."""
        found: list[Mapping[str, Any]] = []
        cursor = ""
        for _ in range(_PAGES):
            page = await self.client.call(
                lambda cursor=cursor: self.client.web.conversations_replies(  # type: ignore[misc]
                    channel=place.channel,
                    ts=place.thread,
                    latest=place.message,
                    limit=200,
                    **({"cursor": cursor} if cursor else {}),
                )
            )
            found += page.get("messages") or []
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                break
        before = [m for m in found if str(m.get("ts")) < place.message]
        return [*before[:1], *before[1:][-_ABOVE:]]

    async def tell(self, place: Place, person: Person, text: str) -> None:
        """Send a text to one person, through a click's own address or as an ephemeral message."""
        words = draw.escaped(text)
        if place.via and await self.client.respond(
            place.via, {"text": words, "replace_original": False}
        ):
            return
        # In a thread that the person has not opened, an ephemeral message would not be seen.
        thread = place.thread if place.thread != place.message else ""
        try:
            await self.client.call(
                lambda: self.client.web.chat_postEphemeral(
                    channel=place.channel,
                    user=person.id,
                    text=words,
                    thread_ts=thread or None,
                )
            )
        except PlatformRefusedError:  # not in that channel
            await self.client.call(
                lambda: self.client.web.chat_postMessage(channel=person.id, text=words)
            )

    async def hand(self, place: Place, person: Person, upload: Upload, *, private: bool) -> None:
        """Send a file: into the thread, or as a direct message if nobody else may see it."""
        if not private:
            await self.client.upload([upload], place.channel, place.thread)
            return
        await self.client.upload([upload], await self.client.direct(person), "")
        await self.tell(place, person, f"I sent you {upload.name} as a direct message.")

    async def refer(self, where: str, case: Case) -> None:
        """Post a question to a channel or a person, its files in the thread below."""
        drawn = draw.case(case, await self.link(case.place))
        posted = await self.client.call(
            lambda: self.client.web.chat_postMessage(
                channel=where, unfurl_links=False, unfurl_media=False, **drawn
            )
        )
        await self._try_upload([*case.files], str(posted["channel"]), str(posted["ts"]))

    async def link(self, place: Place) -> str:
        """The address of a message that others can go to; empty if there is none."""
        if place.private or not place.message:
            return ""
        try:
            found = await self.client.call(
                lambda: self.client.web.chat_getPermalink(
                    channel=place.channel, message_ts=place.message
                )
            )
        except PlatformError:
            return ""  # a case can be read without it
        return str(found.get("permalink") or "")

    async def remark(self, place: Place, text: str) -> None:
        """Say something in the thread below a message."""
        await self.client.call(
            lambda: self.client.web.chat_postMessage(
                channel=place.channel, thread_ts=place.message, text=draw.escaped(text)
            )
        )

    async def write(self, person: Person, text: str) -> None:
        """Send somebody a direct message."""
        await self.client.call(
            lambda: self.client.web.chat_postMessage(channel=person.id, text=draw.escaped(text))
        )

    async def delete(self, card: CardRef) -> None:
        """Delete a card."""
        if not card.message:
            if card.via:
                await self.client.respond(card.via, {"delete_original": True})
            return
        try:
            await self.client.call(
                lambda: self.client.web.chat_delete(channel=card.channel, ts=card.message)
            )
        except CallError as e:
            if e.code not in GONE:
                raise

    async def read(self, attached: Attached) -> bytes:
        """Download a file with our token, which is sent to Slack's servers only."""
        return await self.client.fetch(attached)

    # -- messages ----------------------------------------------------------------------------

    async def _put(
        self, question: str, place: Place, drawn: dict[str, Any], card: CardRef | None, tries: int
    ) -> CardRef:
        """Update the card; if there is none (any more), post it, once."""
        metadata = {"event_type": _METADATA, "event_payload": {"question": question}}
        if card is not None:
            ref = card
            try:
                await self.client.call(
                    lambda: self.client.web.chat_update(
                        channel=ref.channel, ts=ref.message, metadata=metadata, **drawn
                    ),
                    tries=tries,
                )
                return card
            except CallError as e:
                if e.code not in GONE:
                    raise
        there: CardRef | None = None
        lost = False  # an answer got lost, perhaps not the message

        async def post() -> CardRef:
            nonlocal there, lost
            if lost and (there := await self.find(question, place)) is not None:
                return there
            lost = True
            posted = await self.client.call(
                lambda: self.client.web.chat_postMessage(
                    channel=place.channel,
                    unfurl_links=False,
                    unfurl_media=False,
                    metadata=metadata,
                    thread_ts=place.thread or None,
                    **drawn,
                ),
                once=True,
            )
            return CardRef(channel=str(posted["channel"]), message=str(posted["ts"]))

        made = await retrying(
            post, may_pass=lambda e: isinstance(e, CallError) and e.maybe_done, tries=TRIES
        )
        return made if there is None else await self._put(question, place, drawn, there, tries)

    async def _show_privately(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        """Show a private card through the response URL of the command or click.

        It may be used five times within half an hour, so of the steps only the first is shown; when
        it is used up, the card is sent as a direct message.
        """
        drawn = draw.message(question, view)
        if card is not None and card.message:  # it went to the direct messages before
            return await self._put(question, place, drawn, card, TRIES)
        # A message shortcut's address belongs to a stranger's message, and that of "run again" to
        # the first card: neither is replaced.
        body = {"replace_original": not (place.message or place.beside), **drawn}
        via = card.via if card is not None and card.via else place.via
        if not isinstance(view, Answered):
            # Of the steps only the first; a command's acknowledgement was its receipt.
            first = question not in self._greeted
            self._greeted.add(question)
            told = question in self._told and isinstance(view, Waiting) and not view.ahead
            if first and not told:
                await self.client.respond(via, body)
            return None
        self._greeted.discard(question)
        self._told.discard(question)
        if not (via and await self.client.respond(via, body)):
            direct = Place(platform=self.name, channel=place.person)
            card = await self._put(question, direct, drawn, None, TRIES)
        if not view.redrawn and (files := _uploads(view)):
            await self._try_upload(files, await self.client.direct(Person(id=place.person)), "")
        return card

    async def _try_upload(self, uploads: list[Upload], channel: str, thread: str) -> None:
        """Upload a card's files; a failure is only logged, since the card is there."""
        try:
            await self.client.upload(uploads, channel, thread)
        except PlatformError as e:
            log.warning("%d files could not be uploaded: %s", len(uploads), e)


def _step(view: View) -> str:
    return getattr(view, "text", "") or "On it"


def _uploads(view: Answered) -> list[Upload]:
    said = sheet(view)
    return [*said.pictures, *said.files]
