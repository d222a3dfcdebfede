"""Slack as a Platform: cards as messages that are updated, private notes and files."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from bot.errors import PlatformError, PlatformRefusedError
from bot.models import Answer
from bot.platforms.card import sheet
from bot.platforms.slack import card as draw
from bot.platforms.slack.client import GONE, TOO_MUCH, TRIES, CallError, SlackClient
from bot.platforms.slack.markup import MARKUP
from bot.service.retry import retrying
from bot.service.seam import Answered, Attached, CardRef, Person, Place, Upload, View, Waiting

log = logging.getLogger(__name__)

_IN_GOOD_TIME_S = 2.0  # of the 3 s that Slack waits for an acknowledgement
_METADATA = "torchmedic_card"


class SlackPlatform:
    """Draws views and sends notes and files in Slack."""

    name = "slack"
    markup = MARKUP

    def __init__(self, client: SlackClient) -> None:
        """Take the client to call Slack through."""
        self.client = client
        self._greeted: set[str] = set()  # private questions whose receipt was shown

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
        drawn = draw.message(question, view)
        for small in (False, True):
            if small:
                drawn = draw.bare(question, view)
            try:
                card = await self._put(question, place, drawn, card, tries=TRIES if final else 1)
                break
            except CallError as e:
                if e.code not in TOO_MUCH or small:
                    raise
                log.error(
                    "question %s: Slack refused its card (%s); sent as text", question, e.code
                )
        if isinstance(view, Answered) and not view.redrawn:
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

    async def root_of(self, place: Place) -> Mapping[str, Any]:
        """The first message of a thread; empty if it cannot be read in time."""
        try:
            async with asyncio.timeout(_IN_GOOD_TIME_S):
                page = await self.client.call(
                    lambda: self.client.web.conversations_replies(
                        channel=place.channel, ts=place.thread, limit=1
                    )
                )
        except (PlatformError, TimeoutError) as e:
            log.warning("the message above a mention cannot be read: %s", e)
            return {}
        messages = page.get("messages") or [{}]
        return messages[0] if isinstance(messages[0], dict) else {}

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

    async def refer(
        self, where: str, asker: Person, place: Place, text: str, answer: Answer | None
    ) -> None:
        """Post a question to a channel or a person."""
        link = ""
        if not place.private and place.message:
            try:
                found = await self.client.call(
                    lambda: self.client.web.chat_getPermalink(
                        channel=place.channel, message_ts=place.message
                    )
                )
                link = str(found.get("permalink") or "")
            except PlatformError:
                pass  # the case can be read without it
        drawn = draw.case(asker.id, text, answer, link)
        await self.client.call(
            lambda: self.client.web.chat_postMessage(
                channel=where, unfurl_links=False, unfurl_media=False, **drawn
            )
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
        # A message shortcut's address belongs to a stranger's message: nothing to replace.
        body = {"replace_original": not place.message, **drawn}
        via = card.via if card is not None and card.via else place.via
        if not isinstance(view, Answered):
            # A command's acknowledgement was its receipt, unless there is a queue to report.
            first = question not in self._greeted
            self._greeted.add(question)
            if first and (place.message or not isinstance(view, Waiting) or view.ahead):
                await self.client.respond(via, body)
            return None
        self._greeted.discard(question)
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


def _uploads(view: Answered) -> list[Upload]:
    said = sheet(view)
    return [*said.pictures, *said.files]
