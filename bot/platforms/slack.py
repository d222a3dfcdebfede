"""Slack: its requests become questions and clicks, and a card a message that is kept up to date.

One middleware reads every request, over Socket Mode and signed HTTP alike, and acknowledges it only
when the store has it. (bolt's own listeners acknowledge an event before they run.)
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import aiohttp
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.attachments import MAX_ATTACHMENT_BYTES
from bot.desk import Desk, logged
from bot.errors import PlatformError, PlatformRefusedError, SettingsError
from bot.models import Answer, RunWith
from bot.platforms import slack_card as draw
from bot.platforms.base import (
    Answered,
    Attached,
    CardRef,
    Click,
    Door,
    Incoming,
    Person,
    Place,
    Upload,
    View,
    Waiting,
)
from bot.platforms.card import parse_button, sheet
from bot.settings import TOKENS, SlackSettings, SlackTokens

log = logging.getLogger(__name__)

_TRIES = 6
_LONGEST_WAIT_S = 60.0  # what a rate limit may make us wait at a time
_IN_GOOD_TIME_S = 2.0  # of the three that Slack waits for an acknowledgement
_METADATA = "torchmedic_card"
_PATH = "/slack/events"
_MESSAGES = frozenset({None, "file_share", "thread_broadcast", "me_message"})
_LATER = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout",
                    "ratelimited", "team_added_to_org"})  # fmt: skip
_GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed"})
_TOO_MUCH = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long",
                       "msg_too_long", "invalid_attachments", "block_mismatch"})  # fmt: skip
_LOST = (aiohttp.ClientError, asyncio.TimeoutError, OSError)


class _CallError(PlatformError):
    """One call failed; `maybe_done` where Slack may have done it all the same."""

    def __init__(self, text: str, code: str = "", *, maybe_done: bool = False) -> None:
        super().__init__(text)
        self.code = code
        self.maybe_done = maybe_done


class SlackPlatform:
    """Slack as the desk sees it."""

    name = "slack"

    def __init__(self, settings: SlackSettings, tokens: SlackTokens) -> None:
        """A client that has called nobody yet."""
        self._settings = settings
        self._tokens = tokens
        base = settings.api_url.rstrip("/") + "/"
        # No retries of its own: its handler for lost connections would post a message twice, and
        # its handler for rate limits reads the first digit of Retry-After only (slack_sdk 3.47).
        self.client = AsyncWebClient(
            token=tokens.bot.reveal(), base_url=base, retry_handlers=[], logger=_quiet("slack_sdk")
        )
        if proxy_bypass(urlsplit(base).hostname or ""):
            self.client.proxy = None  # slack_sdk knows HTTPS_PROXY and not NO_PROXY
        self._host = urlsplit(base).hostname or ""
        self.bot_user = ""
        self.bot_id = ""
        self.workspace = ""
        self._greeted: set[str] = set()  # private questions that have had their sign of life

    async def meet(self) -> None:
        """Ask Slack who we are.

        Raises:
            SettingsError: the token is refused.
            PlatformError: Slack cannot be reached.
        """
        me = await self._let_in("SLACK_BOT_TOKEN", lambda: self.client.auth_test())
        if self._settings.mode == "socket":
            # Asked here: slack_sdk would try a refused token again and again.
            app = self._tokens.app.reveal()
            await self._let_in(
                "SLACK_APP_TOKEN", lambda: self.client.apps_connections_open(app_token=app)
            )
        self.bot_user, self.bot_id = str(me["user_id"]), str(me.get("bot_id") or "")
        self.workspace = str(me.get("team_id") or "")

    async def _let_in(self, token: str, call: Callable[[], Awaitable[Any]]) -> Mapping[str, Any]:
        try:
            return await self._call(call)
        except PlatformRefusedError as e:
            raise SettingsError(
                f"Slack refuses {token} ({e}); copy it again from {TOKENS[token]}"
            ) from e

    # -- what the desk asks for --------------------------------------------------------------

    async def show(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        """Show a view as the card: a message in a thread, or words for one pair of eyes."""
        if place.private:
            return await self._show_privately(question, place, view, card)
        final = isinstance(view, Answered)
        drawn = draw.message(question, view)
        for small in (False, True):
            if small:
                drawn = draw.bare(question, view)
            try:
                card = await self._put(question, place, drawn, card, tries=_TRIES if final else 1)
                break
            except _CallError as e:
                if e.code not in _TOO_MUCH or small:
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
                page = await self._call(
                    lambda cursor=cursor: self.client.conversations_replies(  # type: ignore[misc]
                        channel=place.channel, ts=place.thread, limit=200,
                        include_all_metadata=True, **({"cursor": cursor} if cursor else {}),
                    )
                )  # fmt: skip
            except PlatformRefusedError as e:
                log.warning("question %s: its thread cannot be read (%s)", question, e)
                return None
            for message in page.get("messages") or []:
                ours = message.get("user") == self.bot_user or (
                    self.bot_id and message.get("bot_id") == self.bot_id
                )
                if ours and question in json.dumps(message):
                    return CardRef(channel=place.channel, message=str(message["ts"]))
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return None

    async def root_of(self, place: Place) -> Mapping[str, Any]:
        """The message that a thread began with; empty if it cannot be read in good time."""
        try:
            async with asyncio.timeout(_IN_GOOD_TIME_S):
                page = await self._call(
                    lambda: self.client.conversations_replies(
                        channel=place.channel, ts=place.thread, limit=1
                    )
                )
        except (PlatformError, TimeoutError) as e:
            log.warning("the message above a mention cannot be read: %s", e)
            return {}
        messages = page.get("messages") or [{}]
        return messages[0] if isinstance(messages[0], dict) else {}

    async def tell(self, place: Place, person: Person, text: str) -> None:
        """Say something to one person, through a click's own address or as an ephemeral message."""
        words = draw.escaped(text)
        if place.via and await self._respond(place.via, {"text": words, "replace_original": False}):
            return
        # In a thread that the person has not opened, an ephemeral message would not be seen.
        thread = place.thread if place.thread != place.message else ""
        try:
            await self._call(
                lambda: self.client.chat_postEphemeral(
                    channel=place.channel, user=person.id, text=words, thread_ts=thread or None,
                )
            )  # fmt: skip
        except PlatformRefusedError:  # not in that channel
            await self._call(lambda: self.client.chat_postMessage(channel=person.id, text=words))

    async def hand(self, place: Place, person: Person, upload: Upload, *, private: bool) -> None:
        """Give a file: into the thread, or in a direct message where nobody else may see it."""
        if not private:
            await self._upload([upload], place.channel, place.thread)
            return
        await self._upload([upload], await self._direct(person), "")
        await self.tell(place, person, f"I sent you {upload.name} as a direct message.")

    async def refer(
        self, where: str, asker: Person, place: Place, text: str, answer: Answer | None
    ) -> None:
        """Post the case to a channel or a person."""
        link = ""
        if not place.private and place.message:
            try:
                found = await self._call(
                    lambda: self.client.chat_getPermalink(
                        channel=place.channel, message_ts=place.message
                    )
                )
                link = str(found.get("permalink") or "")
            except PlatformError:
                pass  # the case can be read without it
        drawn = draw.case(asker.id, text, answer, link)
        await self._call(
            lambda: self.client.chat_postMessage(
                channel=where, unfurl_links=False, unfurl_media=False, **drawn
            )
        )

    async def delete(self, card: CardRef) -> None:
        """Take a card away."""
        if not card.message:
            if card.via:
                await self._respond(card.via, {"delete_original": True})
            return
        try:
            await self._call(lambda: self.client.chat_delete(channel=card.channel, ts=card.message))
        except _CallError as e:
            if e.code not in _GONE:
                raise

    async def read(self, attached: Attached) -> bytes:
        """Fetch a file with our token, which goes to Slack and to nobody else."""
        host = urlsplit(attached.url).hostname or ""
        ours = host == self._host or host == "slack.com" or host.endswith(".slack.com")
        if not ours:
            raise PlatformRefusedError(f"{host or 'no host'} is not Slack's")
        headers = {"Authorization": f"Bearer {self._tokens.bot.reveal()}"}
        last = ""
        for attempt in range(_TRIES):
            try:
                async with (
                    aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session,
                    session.get(attached.url, headers=headers, allow_redirects=False,
                                proxy=self.client.proxy) as answer,
                ):  # fmt: skip
                    if answer.status == 200:
                        if answer.content_type == "text/html" and "htm" not in attached.name[-5:]:
                            raise PlatformRefusedError("Slack asks to sign in: no files:read")
                        return await answer.content.read(MAX_ATTACHMENT_BYTES + 1)
                    last = str(answer.status)
                    if answer.status < 500 and answer.status != 429:
                        raise PlatformRefusedError(f"Slack answered {answer.status}")
            except _LOST as e:
                last = type(e).__name__
            await _pause(attempt)
        raise PlatformError(f"a file could not be fetched ({last})")

    # -- messages ----------------------------------------------------------------------------

    async def _put(
        self, question: str, place: Place, drawn: dict[str, Any], card: CardRef | None, tries: int
    ) -> CardRef:
        """Update the card; where there is none (any more), post it, once."""
        metadata = {"event_type": _METADATA, "event_payload": {"question": question}}
        if card is not None:
            ref = card
            try:
                await self._call(
                    lambda: self.client.chat_update(
                        channel=ref.channel, ts=ref.message, metadata=metadata, **drawn
                    ),
                    tries=tries,
                )
                return card
            except _CallError as e:
                if e.code not in _GONE:
                    raise
        for attempt in range(_TRIES):
            try:
                posted = await self._call(
                    lambda: self.client.chat_postMessage(
                        channel=place.channel, unfurl_links=False, unfurl_media=False,
                        metadata=metadata, thread_ts=place.thread or None, **drawn,
                    ),
                    once=True,
                )  # fmt: skip
                return CardRef(channel=str(posted["channel"]), message=str(posted["ts"]))
            except _CallError as e:
                if not e.maybe_done or attempt == _TRIES - 1:
                    raise
            await _pause(attempt)
            # The answer got lost, perhaps not the message.
            if (there := await self.find(question, place)) is not None:
                return await self._put(question, place, drawn, there, tries)
        raise AssertionError("unreachable")

    async def _show_privately(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        """For one pair of eyes: through the address that the command or click brought with it.

        It may be used five times within half an hour, so of the steps only the first is shown; when
        it is used up, the card goes to the direct messages.
        """
        drawn = draw.message(question, view)
        if card is not None and card.message:  # it went to the direct messages before
            return await self._put(question, place, drawn, card, _TRIES)
        # A message shortcut's address belongs to a stranger's message: nothing there to replace.
        body = {"replace_original": not place.message, **drawn}
        via = card.via if card is not None and card.via else place.via
        if not isinstance(view, Answered):
            # A command's acknowledgement was its sign of life, unless there is a queue to tell of.
            first = question not in self._greeted
            self._greeted.add(question)
            if first and (place.message or not isinstance(view, Waiting) or view.ahead):
                await self._respond(via, body)
            return None
        self._greeted.discard(question)
        if not (via and await self._respond(via, body)):
            direct = Place(platform=self.name, channel=place.person)
            card = await self._put(question, direct, drawn, None, _TRIES)
        if not view.redrawn and (files := _uploads(view)):
            await self._try_upload(files, await self._direct(Person(id=place.person)), "")
        return card

    async def _respond(self, url: str, body: dict[str, Any]) -> bool:
        """Answer through a response URL; False where it is used up or gone."""
        payload = {"response_type": "ephemeral", **body}
        for attempt in range(_TRIES):
            try:
                async with (
                    aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=15)) as session,
                    session.post(url, json=payload, proxy=self.client.proxy) as answer,
                ):
                    if answer.status == 200:
                        return True
                    if answer.status < 500 and answer.status != 429:
                        return False
                    wait = answer.headers.get("Retry-After")
            except _LOST:
                wait = None
            await _pause(attempt, wait)
        return False

    async def _direct(self, person: Person) -> str:
        """The channel of our direct messages with somebody."""
        opened = await self._call(lambda: self.client.conversations_open(users=[person.id]))
        return str(opened["channel"]["id"])

    async def _try_upload(self, uploads: list[Upload], channel: str, thread: str) -> None:
        """Files go along with a card; a card without them is better than none."""
        try:
            await self._upload(uploads, channel, thread)
        except PlatformError as e:
            log.warning("%d files could not be uploaded: %s", len(uploads), e)

    async def _upload(self, uploads: list[Upload], channel: str, thread: str) -> None:
        if not uploads:
            return
        await self._call(
            lambda: self.client.files_upload_v2(
                channel=channel, thread_ts=thread or None,
                file_uploads=[
                    {"filename": u.name, "content": u.data, "title": u.alt or u.name,
                     "alt_txt": u.alt or None}
                    for u in uploads if u.data
                ],
            )
        )  # fmt: skip

    async def _call(
        self, call: Callable[[], Awaitable[Any]], *, tries: int = _TRIES, once: bool = False
    ) -> Mapping[str, Any]:
        """One call of the Web API, waiting out what passes.

        Args:
            call: makes the call.
            tries: how often, at most.
            once: never again where Slack may have done it already; only rate limits are waited for.

        Raises:
            PlatformRefusedError: Slack says no, and would again.
            PlatformError: still no answer.
        """
        for attempt in range(tries):
            wait: str | None = None
            try:
                answer: Mapping[str, Any] = await call()
                return answer
            except SlackApiError as e:
                status, code = _said(e)
                error = _CallError(f"{code or status}", code, maybe_done=status >= 500)
                wait = _header(e, "Retry-After")
                if status != 429 and status < 500 and code not in _LATER:
                    if code in _GONE or code in _TOO_MUCH:
                        raise error from e
                    raise PlatformRefusedError(code or str(status)) from e
            except (*_LOST, SlackClientError) as e:
                error = _CallError(type(e).__name__, maybe_done=True)
            if attempt == tries - 1 or (once and error.maybe_done):
                raise error
            await _pause(attempt, wait)
        raise AssertionError("unreachable")


class SlackFront:
    """Slack's requests, read and handed to the desk."""

    def __init__(self, platform: SlackPlatform, settings: SlackSettings, tokens: SlackTokens):
        """The app; it listens once `serve` is entered."""
        self._platform = platform
        self._settings = settings
        self._tokens = tokens
        self._tasks: set[asyncio.Task[None]] = set()
        self._desk: Desk | None = None
        # Functions, not methods: bolt reads their arguments' names, and stumbles over `self`.

        async def authorize() -> AuthorizeResult:
            return AuthorizeResult(
                enterprise_id=None, team_id=platform.workspace, bot_user_id=platform.bot_user,
                bot_id=platform.bot_id, bot_token=tokens.bot.reveal(),
            )  # fmt: skip

        async def receive(body: dict[str, Any]) -> BoltResponse:
            return await self._receive(body)

        logger = _quiet("slack_bolt")
        logger.setLevel(logging.ERROR)  # it would warn of SLACK_BOT_TOKEN, which it need not read
        self.app = AsyncApp(
            client=platform.client, signing_secret=tokens.signing.reveal(), authorize=authorize,
            logger=logger,
        )  # fmt: skip
        logger.setLevel(logging.WARNING)
        self.app.use(receive)

    @asynccontextmanager
    async def serve(self, desk: Desk) -> AsyncIterator[str]:
        """Listen while the block runs; gives the words for where."""
        self._desk = desk
        if self._settings.mode == "http":
            server = self.app.server(port=self._settings.port, path=_PATH)
            runner = web.AppRunner(server.web_app, access_log=None)
            await runner.setup()
            site = web.TCPSite(runner, self._settings.host, self._settings.port)
            try:
                await site.start()
            except OSError as e:
                await runner.cleanup()
                raise SettingsError(
                    f"slack.port {self._settings.port} on {self._settings.host} cannot be used "
                    f"({e.strerror}); choose another"
                ) from e
            try:
                yield f"signed HTTP at {self._settings.host}:{self._settings.port}{_PATH}"
            finally:
                await runner.cleanup()
            return
        handler = AsyncSocketModeHandler(
            self.app, self._tokens.app.reveal(), logger=_quiet("slack_sdk.socket_mode")
        )
        handler.client.proxy = self._platform.client.proxy
        await self._platform._call(handler.connect_async)
        try:
            yield "Socket Mode"
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]

    async def _receive(self, body: dict[str, Any]) -> BoltResponse:
        """Read one request and acknowledge it once it is kept."""
        kind = str(body.get("type") or "")
        if kind == "event_callback":
            await self._event(body)
        elif "command" in body:
            return await self._command(body)
        elif kind == "message_action":
            await self._shortcut(body)
        elif kind == "block_actions":
            await self._press(body)
        elif kind == "view_submission":
            return await self._form(body)
        return BoltResponse(status=200)

    # -- doors -------------------------------------------------------------------------------

    async def _event(self, body: dict[str, Any]) -> None:
        event = body.get("event") or {}
        if event.get("type") not in ("message", "app_mention"):
            return
        if event.get("subtype") == "message_changed":
            await self._changed(body, event)
            return
        if event.get("subtype") not in _MESSAGES or event.get("bot_id") or not event.get("user"):
            return
        await self._message(str(body.get("team_id") or ""), event)

    async def _message(self, team: str, event: dict[str, Any], *, edited: bool = False) -> None:
        """A mention, a direct message, a follow-up, or a root message of a support channel."""
        assert self._desk is not None
        text = str(event.get("text") or "")
        mine = event.get("type") == "app_mention" or f"<@{self._platform.bot_user}" in text
        direct = event.get("channel_type") == "im" or str(event.get("channel", "")).startswith("D")
        in_thread = bool(event.get("thread_ts")) and event["thread_ts"] != event["ts"]
        door: Door = "mention" if mine else "direct" if direct else "follow_up"
        place = self._place(team, event)
        files = _attached(event)
        if not (_without_mentions(text) or files):
            if not mine or edited:
                return
            above = await self._platform.root_of(place) if in_thread else {}
            if not (_without_mentions(str(above.get("text") or "")) or above.get("files")):
                asker = Person(id=str(event["user"]))
                self._spawn(self._desk_tell(place, asker, _EMPTY))
                return
            # A bare mention below somebody's message: that message is the question.
            text, files = str(above.get("text") or ""), _attached(above)
        if not mine and not direct and not in_thread:
            if str(event.get("channel", "")).casefold() not in self._support:
                return
            door = "channel"
        asker = Person(id=str(event["user"]))
        if in_thread and not mine:
            await self._desk.hear(place, asker)
            door = "follow_up"
        incoming = Incoming(
            # Not the event's id: a mention is delivered as `app_mention` and as `message`.
            event=f"slack:{team}:{place.channel}:{place.message}",
            asker=asker, place=place, text=text, door=door, attachments=files,
            unasked=door == "channel",
        )  # fmt: skip
        asked = await self._desk.take(incoming)
        if asked is None and in_thread and direct and not mine:
            # A thread of ours, or one that the person has opened themselves.
            if not await self._desk.knows(place):
                await self._desk.take(replace(incoming, door="direct"))
        elif asked is None and files:
            # `app_mention` came first, and without its files.
            await self._desk.edit(replace(incoming, event=f"{incoming.event}:files"))

    async def _changed(self, body: dict[str, Any], event: dict[str, Any]) -> None:
        """An edited question runs again; an edit that adds the mention asks."""
        assert self._desk is not None
        new = event.get("message") or {}
        old = event.get("previous_message") or {}
        if not new.get("user") or new.get("bot_id") or new.get("text") == old.get("text"):
            return
        team = str(body.get("team_id") or "")
        now = {**new, "channel": event.get("channel"), "channel_type": event.get("channel_type")}
        place = self._place(team, now)
        call = f"<@{self._platform.bot_user}"
        if call in str(new.get("text")) and not await self._desk.knows(place, message=True):
            await self._message(team, {**now, "type": "app_mention"}, edited=True)
            return
        await self._desk.edit(
            Incoming(
                event=str(body.get("event_id") or f"edit:{place.message_key}:{event.get('ts')}"),
                asker=Person(id=str(new["user"])), place=place, text=str(new.get("text") or ""),
                door="edit", attachments=_attached(new),
            )
        )  # fmt: skip

    async def _command(self, body: dict[str, Any]) -> BoltResponse:
        assert self._desk is not None
        text = str(body.get("text") or "")
        place = Place(
            platform="slack", workspace=str(body.get("team_id") or ""),
            channel=str(body.get("channel_id") or ""), via=str(body.get("response_url") or ""),
            private=True, person=str(body.get("user_id") or ""),
        )  # fmt: skip
        asker = Person(id=place.person, name=str(body.get("user_name") or ""))
        refusal = self._desk.refusal(asker, place)
        if refusal:
            return _ephemeral(refusal)
        if not text.strip():
            self._open(body, draw.ask_form(_metadata(place=place)))
            return BoltResponse(status=200)
        await self._desk.take(
            Incoming(event=f"command:{body.get('trigger_id') or place.via}", asker=asker,
                     place=place, text=text, door="command")
        )  # fmt: skip
        return _ephemeral(draw.waiting(Waiting()))

    async def _shortcut(self, body: dict[str, Any]) -> None:
        """“Diagnose this message”: that message is the question, who chose it is the asker."""
        assert self._desk is not None
        message = body.get("message") or {}
        asker = _person(body)
        place = Place(
            platform="slack", workspace=str((body.get("team") or {}).get("id") or ""),
            channel=str((body.get("channel") or {}).get("id") or ""),
            thread=str(message.get("thread_ts") or message.get("ts") or ""),
            message=str(message.get("ts") or ""), via=str(body.get("response_url") or ""),
            private=True, person=asker.id,
        )  # fmt: skip
        await self._desk.take(
            Incoming(
                event=f"shortcut:{body.get('trigger_id') or body.get('action_ts') or place.via}",
                asker=asker, place=place, text=str(message.get("text") or ""), door="shortcut",
                attachments=_attached(message),
            )
        )  # fmt: skip

    # -- buttons and forms -------------------------------------------------------------------

    async def _press(self, body: dict[str, Any]) -> None:
        for action in body.get("actions") or []:
            parsed = parse_button(str(action.get("value") or action.get("action_id") or ""))
            if parsed is None:
                continue
            verb, question = parsed
            place = Place(
                platform="slack", workspace=str((body.get("team") or {}).get("id") or ""),
                channel=str((body.get("channel") or {}).get("id") or ""),
                message=str((body.get("message") or {}).get("ts") or ""),
                via=str(body.get("response_url") or ""),
            )  # fmt: skip
            click = Click(
                event=f"click:{body.get('trigger_id')}:{action.get('action_ts')}:{verb}:{question}",
                verb=verb, question=question, person=_person(body), place=place,
            )  # fmt: skip
            self._spawn(self._clicked(click, body))

    async def _clicked(self, click: Click, body: dict[str, Any]) -> None:
        """A form where words are needed, else at once; a form opens only for who may send it."""
        assert self._desk is not None
        if click.verb not in ("wrong", "again") or await self._desk.may_click(click):
            await self._desk.click(click)
            return
        metadata = _metadata(place=click.place, question=click.question)
        if click.verb == "wrong":
            form = draw.wrong_form(metadata)
        else:
            form = draw.again_form(metadata, await self._desk.last_run_with(click.question))
        await self._open_form(body, form)

    async def _form(self, body: dict[str, Any]) -> BoltResponse:
        assert self._desk is not None
        view = body.get("view") or {}
        values = _values(view)
        person = _person(body)
        try:
            kept = json.loads(view.get("private_metadata") or "{}")
            place = Place.model_validate(kept.get("place"))
        except ValueError:
            return BoltResponse(status=200)
        if view.get("callback_id") == "tm:ask":
            return await self._asked(str(view.get("id")), person, place, values)
        verb = {"tm:wrong": "wrong", "tm:again": "again"}.get(str(view.get("callback_id")))
        parsed = parse_button(f"tm:{verb}:{kept.get('question')}")
        if parsed is None:
            return BoltResponse(status=200)
        run_with = None
        if parsed[0] == "again":
            seed = str(values.get("seed") or "").strip()
            if seed and not (seed.isdecimal() and int(seed) < 2**31):
                return _refused("seed", "A whole number, 0 to 2147483647, or nothing.")
            device = values.get("device")
            run_with = RunWith(
                device=device if device in ("cpu", "cuda") else None,
                seed=int(seed) if seed else None, cold=bool(values.get("cold")),
            )  # fmt: skip
        click = Click(
            event=f"form:{view.get('id')}", verb=parsed[0], question=parsed[1], person=person,
            place=place, words=str(values.get("words") or ""), run_with=run_with,
        )  # fmt: skip
        await self._desk.click(click)
        return BoltResponse(status=200)

    async def _asked(
        self, view: str, person: Person, place: Place, values: Mapping[str, Any]
    ) -> BoltResponse:
        """The form of an empty command: its code is code, whatever stands around it."""
        assert self._desk is not None
        code, words = str(values.get("code") or ""), str(values.get("words") or "")
        if not code.strip() and not words.strip():
            return _refused("code", "Paste the code that fails, or the traceback.")
        # What is typed into a form comes without Slack's escapes.
        text = draw.escaped(f"{words}\n\n{_fenced(code)}".strip())
        place = place.model_copy(update={"person": person.id})
        await self._desk.take(
            Incoming(event=f"form:{view}", asker=person, place=place, text=text, door="modal")
        )
        return BoltResponse(status=200)

    def _open(self, body: dict[str, Any], form: dict[str, Any]) -> None:
        self._spawn(self._open_form(body, form))

    async def _open_form(self, body: dict[str, Any], form: dict[str, Any]) -> None:
        trigger = str(body.get("trigger_id") or "")
        try:
            await self._platform._call(
                lambda: self._platform.client.views_open(trigger_id=trigger, view=form), tries=2
            )
        except PlatformError as e:
            log.warning("a form could not be opened: %s", e)
            via = str(body.get("response_url") or "")
            words = "I could not open a form just now; please try again."
            await self._platform._respond(via, {"text": words, "replace_original": False})

    # -- small things ------------------------------------------------------------------------

    @property
    def _support(self) -> set[str]:
        return {id.casefold() for id in self._settings.support}

    def _place(self, team: str, event: Mapping[str, Any]) -> Place:
        return Place(
            platform="slack", workspace=team, channel=str(event.get("channel") or ""),
            thread=str(event.get("thread_ts") or event.get("ts") or ""),
            message=str(event.get("ts") or ""),
        )  # fmt: skip

    async def _desk_tell(self, place: Place, person: Person, text: str) -> None:
        try:
            await self._platform.tell(place, person, text)
        except PlatformError as e:
            log.warning("a private word could not be said: %s", e)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_EMPTY = (
    "Here I am. Put your question, the code that fails or the traceback into the same message, "
    "or use /torchmedic for a form."
)


def _uploads(view: Answered) -> list[Upload]:
    said = sheet(view)
    return [*said.pictures, *said.files]


def _attached(message: Mapping[str, Any]) -> tuple[Attached, ...]:
    """The files of a message that lie with Slack: others would get our token."""
    return tuple(
        Attached(
            name=str(f.get("name") or f.get("title") or "file"), size=int(f.get("size") or 0),
            url=str(f.get("url_private_download") or f.get("url_private")),
        )
        for f in message.get("files") or []
        if f.get("url_private") and not f.get("is_external") and f.get("mode") != "external"
    )  # fmt: skip


def _without_mentions(text: str) -> str:
    return re.sub(r"<@[^>]*>", "", text).strip()


def _person(body: Mapping[str, Any]) -> Person:
    user = body.get("user") or {}
    return Person(id=str(user.get("id") or ""), name=str(user.get("name") or ""))


def _metadata(*, place: Place, question: str = "") -> str:
    return json.dumps({"place": place.model_dump(exclude_defaults=True), "question": question})


def _values(view: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed and chosen, by the name of its field."""
    values: dict[str, Any] = {}
    for fields in ((view.get("state") or {}).get("values") or {}).values():
        for name, field in fields.items():
            if (chosen := field.get("selected_option")) is not None:
                values[name] = chosen.get("value")
            elif "selected_options" in field:
                values[name] = bool(field["selected_options"])
            else:
                values[name] = field.get("value")
    return values


def _fenced(code: str) -> str:
    """Code in a fence of its own, unless the person has made one."""
    return code if not code.strip() or "```" in code else f"```\n{code}\n```"


def _ephemeral(text: str) -> BoltResponse:
    return BoltResponse(status=200, body={"response_type": "ephemeral", "text": draw.escaped(text)})


def _refused(field: str, why: str) -> BoltResponse:
    return BoltResponse(status=200, body={"response_action": "errors", "errors": {field: why}})


def _said(error: SlackApiError) -> tuple[int, str]:
    """Status and error code of a refusal."""
    response: Any = error.response
    status = int(getattr(response, "status_code", None) or getattr(response, "status", 0) or 0)
    data = getattr(response, "data", None)
    code = str(data.get("error") or "") if isinstance(data, dict) else ""
    return status or 500, code


def _header(error: SlackApiError, name: str) -> str | None:
    headers = getattr(error.response, "headers", None) or {}
    return next((str(v) for k, v in headers.items() if k.lower() == name.lower()), None)


async def _pause(attempt: int, wait: str | None = None) -> None:
    """As long as Slack asks for, else longer each time."""
    try:
        seconds = float(wait) if wait is not None else 0.5 * 2**attempt
    except ValueError:
        seconds = 1.0
    await asyncio.sleep(min(seconds, _LONGEST_WAIT_S) + random.random() * 0.2)


def _quiet(name: str) -> logging.Logger:
    """A library's logger that says no more than warnings: its debug lines hold whole messages."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.WARNING)
    return logger
