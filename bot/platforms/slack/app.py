"""Slack: turn its requests into questions and clicks for the question service.

One middleware reads every request, over Socket Mode and signed HTTP alike, and acknowledges it only
once it is stored. (bolt's own listeners acknowledge an event before they run.)
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from bot.errors import PlatformError, SettingsError
from bot.models import RunWith
from bot.platforms.card import parse_button
from bot.platforms.slack import card as draw
from bot.platforms.slack.client import quiet
from bot.platforms.slack.messages import SlackPlatform
from bot.platforms.slack.settings import SlackSettings, SlackTokens
from bot.service.questions import QuestionService
from bot.service.seam import Attached, Click, Door, Incoming, Person, Place, Waiting, tell
from bot.service.tasks import Tasks

log = logging.getLogger(__name__)

_PATH = "/slack/events"
_MESSAGES = frozenset({None, "file_share", "thread_broadcast", "me_message"})


class SlackFront:
    """Reads Slack's requests and passes them to the question service."""

    def __init__(self, platform: SlackPlatform, settings: SlackSettings, tokens: SlackTokens):
        """Make the app; it listens once `serve` is entered."""
        self._platform = platform
        self._client = own = platform.client
        self._settings = settings
        self._tokens = tokens
        self._tasks = Tasks()
        self._service: QuestionService | None = None
        # Functions, not methods: bolt reads their arguments' names, and rejects `self`.

        async def authorize() -> AuthorizeResult:
            return AuthorizeResult(
                enterprise_id=None,
                team_id=own.workspace,
                bot_user_id=own.bot_user,
                bot_id=own.bot_id,
                bot_token=tokens.bot.reveal(),
            )

        async def receive(body: dict[str, Any]) -> BoltResponse:
            return await self._receive(body)

        logger = quiet("slack_bolt")
        logger.setLevel(logging.ERROR)  # it would warn of SLACK_BOT_TOKEN, which it need not read
        self.app = AsyncApp(
            client=own.web,
            signing_secret=tokens.signing.reveal(),
            authorize=authorize,
            logger=logger,
        )
        logger.setLevel(logging.WARNING)
        self.app.use(receive)

    @asynccontextmanager
    async def serve(self, service: QuestionService) -> AsyncIterator[str]:
        """Listen while the block runs; yields a text that says where."""
        self._service = service
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
            self.app, self._tokens.app.reveal(), logger=quiet("slack_sdk.socket_mode")
        )
        handler.client.proxy = self._client.web.proxy
        await self._client.call(handler.connect_async)
        try:
            yield "Socket Mode"
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]

    async def _receive(self, body: dict[str, Any]) -> BoltResponse:
        """Read one request and acknowledge it once it is stored."""
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

    # -- questions ---------------------------------------------------------------------------

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
        """Handle a mention, direct message or follow-up, or a new message in a support channel."""
        assert self._service is not None
        text = str(event.get("text") or "")
        mine = event.get("type") == "app_mention" or f"<@{self._client.bot_user}" in text
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
                self._tasks.spawn(tell(self._platform, place, asker, _EMPTY))
                return
            # A bare mention below somebody's message: that message is the question.
            text, files = str(above.get("text") or ""), _attached(above)
        if not mine and not direct and not in_thread:
            if str(event.get("channel", "")).casefold() not in self._support:
                return
            door = "channel"
        asker = Person(id=str(event["user"]))
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

    async def _changed(self, body: dict[str, Any], event: dict[str, Any]) -> None:
        """Run an edited question again; an edit that adds a mention asks a new one."""
        assert self._service is not None
        new = event.get("message") or {}
        old = event.get("previous_message") or {}
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
                asker=Person(id=str(new["user"])),
                place=place,
                text=str(new.get("text") or ""),
                door="edit",
                attachments=_attached(new),
            )
        )

    async def _command(self, body: dict[str, Any]) -> BoltResponse:
        assert self._service is not None
        text = str(body.get("text") or "")
        place = Place(
            platform="slack",
            workspace=str(body.get("team_id") or ""),
            channel=str(body.get("channel_id") or ""),
            via=str(body.get("response_url") or ""),
            private=True,
            person=str(body.get("user_id") or ""),
        )
        asker = Person(id=place.person, name=str(body.get("user_name") or ""))
        refusal = self._service.refusal(asker, place)
        if refusal:
            return _ephemeral(refusal)
        if not text.strip():
            self._open(body, draw.ask_form(_metadata(place=place)))
            return BoltResponse(status=200)
        await self._service.take(
            Incoming(
                event=f"command:{body.get('trigger_id') or place.via}",
                asker=asker,
                place=place,
                text=text,
                door="command",
            )
        )
        return _ephemeral(draw.waiting(Waiting()))

    async def _shortcut(self, body: dict[str, Any]) -> None:
        """“Diagnose this message”: take that message as a question of the person who chose it."""
        assert self._service is not None
        message = body.get("message") or {}
        asker = _person(body)
        place = Place(
            platform="slack",
            workspace=str((body.get("team") or {}).get("id") or ""),
            channel=str((body.get("channel") or {}).get("id") or ""),
            thread=str(message.get("thread_ts") or message.get("ts") or ""),
            message=str(message.get("ts") or ""),
            via=str(body.get("response_url") or ""),
            private=True,
            person=asker.id,
        )
        await self._service.take(
            Incoming(
                event=f"shortcut:{body.get('trigger_id') or body.get('action_ts') or place.via}",
                asker=asker,
                place=place,
                text=str(message.get("text") or ""),
                door="shortcut",
                attachments=_attached(message),
            )
        )

    # -- buttons and forms -------------------------------------------------------------------

    async def _press(self, body: dict[str, Any]) -> None:
        for action in body.get("actions") or []:
            parsed = parse_button(str(action.get("value") or action.get("action_id") or ""))
            if parsed is None:
                continue
            verb, question = parsed
            place = Place(
                platform="slack",
                workspace=str((body.get("team") or {}).get("id") or ""),
                channel=str((body.get("channel") or {}).get("id") or ""),
                message=str((body.get("message") or {}).get("ts") or ""),
                via=str(body.get("response_url") or ""),
            )
            click = Click(
                event=f"click:{body.get('trigger_id')}:{action.get('action_ts')}:{verb}:{question}",
                verb=verb,
                question=question,
                person=_person(body),
                place=place,
            )
            self._tasks.spawn(self._clicked(click, body))

    async def _clicked(self, click: Click, body: dict[str, Any]) -> None:
        """Open a form for buttons that need one, if the person may press; else act at once."""
        assert self._service is not None
        if click.verb not in ("wrong", "again") or await self._service.buttons.may_click(click):
            await self._service.buttons.click(click)
            return
        metadata = _metadata(place=click.place, question=click.question)
        if click.verb == "wrong":
            form = draw.wrong_form(metadata)
        else:
            form = draw.again_form(
                metadata, await self._service.buttons.last_run_with(click.question)
            )
        await self._open_form(body, form)

    async def _form(self, body: dict[str, Any]) -> BoltResponse:
        assert self._service is not None
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
                seed=int(seed) if seed else None,
                cold=bool(values.get("cold")),
            )
        click = Click(
            event=f"form:{view.get('id')}",
            verb=parsed[0],
            question=parsed[1],
            person=person,
            place=place,
            words=str(values.get("words") or ""),
            run_with=run_with,
        )
        await self._service.buttons.click(click)
        return BoltResponse(status=200)

    async def _asked(
        self, view: str, person: Person, place: Place, values: Mapping[str, Any]
    ) -> BoltResponse:
        """Take a question from the form of an empty command, whose code field is all code."""
        assert self._service is not None
        code, words = str(values.get("code") or ""), str(values.get("words") or "")
        if not code.strip() and not words.strip():
            return _refused("code", "Paste the code that fails, or the traceback.")
        # Text from a form comes without Slack's escapes.
        text = draw.escaped(f"{words}\n\n{_fenced(code)}".strip())
        place = place.model_copy(update={"person": person.id})
        await self._service.take(
            Incoming(event=f"form:{view}", asker=person, place=place, text=text, door="modal")
        )
        return BoltResponse(status=200)

    def _open(self, body: dict[str, Any], form: dict[str, Any]) -> None:
        self._tasks.spawn(self._open_form(body, form))

    async def _open_form(self, body: dict[str, Any], form: dict[str, Any]) -> None:
        trigger = str(body.get("trigger_id") or "")
        try:
            await self._client.call(
                lambda: self._client.web.views_open(trigger_id=trigger, view=form), tries=2
            )
        except PlatformError as e:
            log.warning("a form could not be opened: %s", e)
            via = str(body.get("response_url") or "")
            words = "I could not open a form just now; please try again."
            await self._client.respond(via, {"text": words, "replace_original": False})

    # -- small things ------------------------------------------------------------------------

    @property
    def _support(self) -> set[str]:
        return {id.casefold() for id in self._settings.support}

    def _place(self, team: str, event: Mapping[str, Any]) -> Place:
        return Place(
            platform="slack",
            workspace=team,
            channel=str(event.get("channel") or ""),
            thread=str(event.get("thread_ts") or event.get("ts") or ""),
            message=str(event.get("ts") or ""),
        )


_EMPTY = (
    "Here I am. Put your question, the code that fails or the traceback into the same message, "
    "or use /torchmedic for a form."
)


def _attached(message: Mapping[str, Any]) -> tuple[Attached, ...]:
    """A message's files that are stored at Slack: any other server would get our token."""
    return tuple(
        Attached(
            name=str(f.get("name") or f.get("title") or "file"),
            size=int(f.get("size") or 0),
            url=str(f.get("url_private_download") or f.get("url_private")),
        )
        for f in message.get("files") or []
        if f.get("url_private") and not f.get("is_external") and f.get("mode") != "external"
    )


def _without_mentions(text: str) -> str:
    return re.sub(r"<@[^>]*>", "", text).strip()


def _person(body: Mapping[str, Any]) -> Person:
    user = body.get("user") or {}
    return Person(id=str(user.get("id") or ""), name=str(user.get("name") or ""))


def _metadata(*, place: Place, question: str = "") -> str:
    return json.dumps({"place": place.model_dump(exclude_defaults=True), "question": question})


def _values(view: Mapping[str, Any]) -> dict[str, Any]:
    """The submitted values by field name."""
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
