"""Discord as a Platform: cards, private notes and files, through its REST interface."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from bot.errors import PlatformError, PlatformRefusedError
from bot.platforms.buttons import parse_button
from bot.platforms.discord.card import (
    UPLOAD_BYTES,
    Drawn,
    Json,
    Style,
    capped,
    draw,
    draw_case,
    note,
    text_message,
    welcome,
)
from bot.platforms.discord.incoming import Role, is_hidden, said_in
from bot.platforms.discord.markup import MARKUP
from bot.platforms.discord.text import cut_end
from bot.service.seam import Above, Answered, Attached, CardRef, Case, Person, Place, Upload, View

# https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION = 10003, 10008, 10015, 10062
BAD_TOKEN, TOO_MANY_FOLLOW_UPS, ACKNOWLEDGED, THREAD_EXISTS = 50027, 40094, 40060, 160004
_GONE = (UNKNOWN_CHANNEL, UNKNOWN_MESSAGE)
_EXPIRED = (BAD_TOKEN, UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION, UNKNOWN_MESSAGE, TOO_MANY_FOLLOW_UPS)

EPHEMERAL = 1 << 6
SAY, LATER, LATER_HERE, FORM = 4, 5, 6, 9  # ways to acknowledge an interaction
_ACK_S = 3.0  # Discord waits no longer
_LOOK_BACK = 50  # messages in which a card from before a crash is looked for
_TITLES = 500
_CASE_FILES = 10
_ABOVE = 10  # messages above a question that are read
_HIDDEN = (
    "I could not read every message above: Discord shows me only messages that mention me; use "
    "Apps → “Diagnose this message” on the one with the code, or paste it"
)


class RefusedError(PlatformRefusedError):
    """Discord says no for good, with one of its codes."""

    def __init__(self, text: str, code: int) -> None:
        """Take Discord's message and its code."""
        super().__init__(text)
        self.code = code


class Api(Protocol):
    """Discord's REST interface."""

    async def call(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        uploads: Sequence[Upload] = (),
        **ids: str,
    ) -> Any:
        """Make a request and return its JSON.

        Args:
            method: GET, POST, …
            path: with fields like `{channel_id}` for `ids`.
            body: the JSON to send.
            uploads: files to attach.
            ids: the values of the path's fields.

        Raises:
            RefusedError: Discord refuses.
            PlatformError: it did not answer, or answered with a server error.
        """

    async def fetch(self, url: str) -> bytes:
        """An attachment's content.

        Raises:
            RefusedError, PlatformError: as for `call`.
        """

    @property
    def own_id(self) -> str:
        """Our own id."""


def via(token: str, person: str) -> str:
    """An interaction's address: its token, and the person to write to once it has expired."""
    return f"{token}/{person}"


class DiscordPlatform:
    """Draws views at a Place.

    A message has one of two addresses: channel and id, which stay valid, or the token of an
    interaction (`Place.via`), which is valid for 15 minutes and the only one of a private card.
    """

    name = "discord"
    markup = MARKUP

    def __init__(self, api: Api, style: Style = "components") -> None:
        """Take the interface, which need not be connected yet."""
        self._api = api
        self._style = style
        self._coming: dict[str, asyncio.Event] = {}  # tokens that are about to be acknowledged
        self._blank: set[str] = set()  # tokens whose answer shows nothing yet
        self._titles: dict[str, str] = {}  # a thread's name, by the message it starts from
        self.threads: set[str] = set()  # threads that are known to be there

    # -- interactions ----------------------------------------------------------------------------

    def expect(self, token: str) -> None:
        """Let calls with this token wait until it is acknowledged."""
        self._coming.setdefault(token, asyncio.Event())

    async def acknowledge(self, id: str, token: str, kind: int, data: Json | None = None) -> bool:
        """Acknowledge an interaction; False if it was too late, or is a second delivery."""
        body: Json = {"type": kind}
        if data is not None:
            body["data"] = data
        try:
            await self._api.call(
                "POST", "/interactions/{id}/{token}/callback", body, id=id, token=token
            )
        except RefusedError as e:
            if e.code not in (UNKNOWN_INTERACTION, ACKNOWLEDGED):
                raise
            return False
        else:
            if kind == LATER:
                self._blank.add(token)
            return True
        finally:
            if (coming := self._coming.pop(token, None)) is not None:
                coming.set()

    async def _acknowledged(self, token: str) -> None:
        if (coming := self._coming.get(token)) is not None:
            try:
                await asyncio.wait_for(coming.wait(), _ACK_S)
            except TimeoutError:
                pass  # then the call says what is wrong

    async def _hook(
        self,
        method: str,
        address: str,
        rest: str = "",
        body: Json | None = None,
        uploads: Sequence[Upload] = (),
    ) -> Any:
        token = address.partition("/")[0]
        await self._acknowledged(token)
        answer = await self._api.call(
            method,
            "/webhooks/{webhook_id}/{webhook_token}" + rest,
            body,
            uploads,
            webhook_id=self._api.own_id,
            webhook_token=token,
        )
        if rest:
            self._blank.discard(token)
        return answer

    # -- the card --------------------------------------------------------------------------------

    def entitle(self, message: str, title: str) -> None:
        """Set the title of the thread that will start from this message."""
        self._titles[message] = title
        while len(self._titles) > _TITLES:
            del self._titles[next(iter(self._titles))]

    async def show(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        """Show a view as the card of this question."""
        drawn = draw(view, question, self._style)
        try:
            return await self._shown(question, place, drawn, card)
        except RefusedError as e:
            if e.code != 50035 or not isinstance(view, Answered):
                raise
            # Discord finds the message invalid: show at least the conclusion.
            plain = view.answer.model_copy(
                update={"why": None, "fix": None, "alternatives": (), "run": None, "findings": ()}
            )
            small = draw(Answered(plain, view.solved), question, self._style)
            return await self._shown(question, place, small, card)

    async def _shown(
        self, question: str, place: Place, drawn: Drawn, card: CardRef | None
    ) -> CardRef | None:
        address = place.via or (card.via if card is not None else "")
        if address and (card is None or card.via or not card.message):
            try:
                made = await self._hook(
                    "PATCH", address, "/messages/@original", *_with_files(drawn)
                )
                return CardRef(channel=made["channel_id"], message=made["id"], via=address)
            except RefusedError as e:
                if e.code not in _EXPIRED:
                    raise
        hidden = place.private and card is not None and bool(card.via)
        if card is not None and card.message and not hidden:
            try:
                await self._patch(card.channel, card.message, drawn)
                return card.model_copy(update={"via": ""})
            except RefusedError as e:
                if e.code not in _GONE:
                    raise
        return await self._create(question, place, drawn, again=card is not None)

    async def _patch(self, channel: str, message: str, drawn: Drawn) -> None:
        await self._api.call(
            "PATCH",
            "/channels/{channel_id}/messages/{message_id}",
            *_with_files(drawn),
            channel_id=channel,
            message_id=message,
        )

    async def _create(
        self, question: str, place: Place, drawn: Drawn, *, again: bool = False
    ) -> CardRef:
        if place.private:
            # Only this person may see it, and the token has expired: send a direct message.
            person = place.via.partition("/")[2]
            channel = await self._direct(person)
            return await self._post(channel, drawn, question)
        # The same nonce makes one message, even if the answer to the first call was lost.
        nonce = f"{question}r" if again else question
        if place.thread:
            try:
                await self._start_thread(place)
                reply = place.message if place.message != place.thread else ""
                return await self._post(place.thread, drawn, nonce, reply)
            except RefusedError:
                pass  # threads are not allowed here: the card becomes a reply
        return await self._post(place.channel, drawn, nonce, place.message)

    async def _start_thread(self, place: Place) -> None:
        if place.thread != place.message or place.thread in self.threads:
            return
        title = cut_end(self._titles.pop(place.message, "") or "Torchmedic", 90)
        try:
            await self._api.call(
                "POST",
                "/channels/{channel_id}/messages/{message_id}/threads",
                {"name": title, "auto_archive_duration": 1440},
                channel_id=place.channel,
                message_id=place.message,
            )
        except RefusedError as e:
            # It may exist already (a forum's post, or from before a restart): posting shows that.
            if e.code not in (THREAD_EXISTS, 50024, *_GONE):
                raise
        self.threads.add(place.thread)

    async def _post(self, channel: str, drawn: Drawn, nonce: str = "", reply: str = "") -> CardRef:
        body, uploads = _with_files(drawn)
        body = {k: v for k, v in body.items() if v is not None}
        if nonce:
            body |= {"nonce": nonce[:25], "enforce_nonce": True}
        if reply:
            body["message_reference"] = {"message_id": reply, "fail_if_not_exists": False}
            body["allowed_mentions"] = {"parse": [], "replied_user": True}
        made = await self._api.call(
            "POST", "/channels/{channel_id}/messages", body, uploads, channel_id=channel
        )
        return CardRef(channel=channel, message=made["id"])

    async def find(self, question: str, place: Place) -> CardRef | None:
        """The card of this question if one was made just before a crash."""
        if place.via:
            try:
                made = await self._hook("GET", place.via, "/messages/@original")
            except RefusedError:
                made = None  # too old by now; but a direct or public message may be there
            if made is not None and _is_card(made, question):
                return CardRef(channel=made["channel_id"], message=made["id"], via=place.via)
        if place.private:
            rooms = [await self._direct(place.via.partition("/")[2])]
        else:
            rooms = [r for r in (place.thread, place.channel) if r]
        for room in rooms:
            try:
                messages = await self._api.call(
                    "GET", f"/channels/{{channel_id}}/messages?limit={_LOOK_BACK}", channel_id=room
                )
            except RefusedError:
                continue
            for message in messages:
                if _is_card(message, question):
                    return CardRef(channel=room, message=message["id"])
        return None

    async def above(self, place: Place) -> Above:
        """The messages above one: whom it replies to, its thread's first, and up to ten more."""
        in_thread = bool(place.thread) and place.thread != place.message
        room = place.thread if in_thread else place.channel
        found: list[tuple[Role, Json]] = []
        try:
            recent = await self._api.call(
                "GET",
                f"/channels/{{channel_id}}/messages?before={place.message}&limit={_ABOVE}",
                channel_id=room,
            )
            found += [("above", message) for message in reversed(recent)]
            if in_thread and (first := await self._first_of(place)) is not None:
                found.append(("root", first))
            if place.replies_to:
                replied = await self._message(room, place.replies_to)
                found += [("replied_to", replied)] if replied is not None else []
        except RefusedError as e:
            if not found:
                return Above(unread=f"I could not read the messages above: {e}")
        said = [said_in(message, role) for role, message in found]
        hidden = any(is_hidden(message) for _, message in found)
        return Above(tuple(s for s in said if s is not None), _HIDDEN if hidden else "")

    async def _first_of(self, place: Place) -> Json | None:
        """A thread's first message: in its channel, or in the thread where it is a forum's."""
        for room in (place.channel, place.thread):
            if (found := await self._message(room, place.thread)) is not None:
                return found
        return None

    async def _message(self, room: str, message: str) -> Json | None:
        try:
            found: Json = await self._api.call(
                "GET",
                "/channels/{channel_id}/messages/{message_id}",
                channel_id=room,
                message_id=message,
            )
        except RefusedError:
            return None
        return found

    async def delete(self, card: CardRef) -> None:
        """Delete a card."""
        try:
            if card.via:
                try:
                    await self._hook("DELETE", card.via, "/messages/@original")
                    return
                except RefusedError as e:
                    if e.code not in _EXPIRED or not card.message:
                        raise
            await self._api.call(
                "DELETE",
                "/channels/{channel_id}/messages/{message_id}",
                channel_id=card.channel,
                message_id=card.message,
            )
        except RefusedError as e:
            if e.code not in _GONE:
                raise

    # -- words and files -------------------------------------------------------------------------

    async def tell(self, place: Place, person: Person, text: str) -> None:
        """Send a text that only this person sees."""
        body = note(text)
        if place.via:
            token = place.via.partition("/")[0]
            await self._acknowledged(token)
            try:
                if token in self._blank:
                    shown = text_message(text, style=self._style)
                    await self._hook("PATCH", place.via, "/messages/@original", shown.payload)
                else:
                    await self._hook("POST", place.via, "", body | {"flags": EPHEMERAL})
                return
            except RefusedError as e:
                if e.code not in _EXPIRED:
                    raise
        try:
            await self._post(await self._direct(person.id), Drawn(body))
        except RefusedError:
            if place.private or not place.message:
                raise
            # A person who takes no direct messages is told in place: silence would be worse.
            inside = place.thread if place.thread in self.threads else place.channel
            await self._post(inside, Drawn(body), "", place.message)

    async def hand(self, place: Place, person: Person, upload: Upload, *, private: bool) -> None:
        """Send a file: next to the card, or to this person alone."""
        drawn = Drawn(note(f"`{upload.name}`"), (capped(upload),))
        if place.via:
            body, uploads = _with_files(drawn)
            body["flags"] = EPHEMERAL if private else 0
            try:
                await self._hook("POST", place.via, "", body, uploads)
                return
            except RefusedError as e:
                if e.code not in _EXPIRED:
                    raise
        if private:
            await self._post(await self._direct(person.id), drawn)
        else:
            await self._post(place.thread or place.channel, drawn)

    async def refer(self, where: str, case: Case) -> None:
        """Post a question for people to look at, with its files."""
        drawn = draw_case(case, await self.link(case.place))
        try:
            made = await self._post(where, drawn)
        except RefusedError as e:
            if e.code != UNKNOWN_CHANNEL:
                raise
            made = await self._post(await self._direct(where), drawn)
        if case.files:
            each = UPLOAD_BYTES // len(case.files[:_CASE_FILES])
            uploads = tuple(capped(f, each) for f in case.files[:_CASE_FILES])
            await self._post(made.channel, Drawn(note("The files:"), uploads), "", made.message)

    async def link(self, place: Place) -> str:
        """The address of a thread or channel that others can go to; empty if there is none."""
        if place.private or not place.workspace:
            return ""
        return f"https://discord.com/channels/{place.workspace}/{place.thread or place.channel}"

    async def remark(self, place: Place, text: str) -> None:
        """Say something as a reply to a message."""
        await self._post(place.thread or place.channel, Drawn(note(text)), "", place.message)

    async def write(self, person: Person, text: str) -> None:
        """Send somebody a direct message."""
        await self._post(await self._direct(person.id), Drawn(note(text)))

    async def _direct(self, person: str) -> str:
        """The id of the direct channel with a person."""
        if not person:
            raise RefusedError("nobody to write to", 0)
        made = await self._api.call("POST", "/users/@me/channels", {"recipient_id": person})
        return str(made["id"])

    async def read(self, attached: Attached) -> bytes:
        """An attachment's content."""
        return await self._api.fetch(attached.url)

    async def welcome(self, channel: str) -> None:
        """Say in a channel what we do."""
        await self._post(channel, welcome(self._style))

    async def typing(self, channel: str) -> None:
        """Show the typing indicator; failures are ignored."""
        try:
            await self._api.call("POST", "/channels/{channel_id}/typing", channel_id=channel)
        except PlatformError:
            pass


def _with_files(drawn: Drawn) -> tuple[Json, tuple[Upload, ...]]:
    """The payload with the list of its files; files of an earlier version are removed."""
    attachments = []
    for i, upload in enumerate(drawn.uploads):
        named: Json = {"id": i, "filename": upload.name}
        if upload.alt:
            named["description"] = cut_end(upload.alt, 1_024)
        attachments.append(named)
    return drawn.payload | {"attachments": attachments}, drawn.uploads


def _is_card(message: Json, question: str) -> bool:
    """Whether a message carries a button of this question."""

    def ids(items: list[Json]) -> bool:
        for item in items:
            found = parse_button(str(item.get("custom_id", "")))
            if (found is not None and found[1] == question) or ids(item.get("components", [])):
                return True
        return False

    return ids(message.get("components") or [])
