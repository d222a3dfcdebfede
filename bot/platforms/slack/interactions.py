"""Slack's commands, shortcuts, buttons and forms."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from slack_bolt.response import BoltResponse

from bot.errors import NotKeptError, PlatformError
from bot.models import RunWith
from bot.platforms.buttons import parse_button, said_wrong
from bot.platforms.slack import card as draw
from bot.platforms.slack.incoming import files_of, text_of
from bot.platforms.slack.receiver import Receiver
from bot.service.seam import Click, Incoming, Person, Place, Waiting, tell
from bot.service.support import is_about_support
from bot.service.welcome import PROMPTS, is_greeting

log = logging.getLogger(__name__)


class Interactions(Receiver):
    """Reads what people press and type into forms, and passes it to the question service."""

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
        asker = await self._groups.person(place.person, str(body.get("user_name") or ""))
        refusal = self._service.refusal(asker, place)
        if refusal:
            return _ephemeral(refusal)
        if is_about_support(text):
            admin = await self._is_admin(asker)
            said = await self._service.support.command(text, place, asker, is_admin=admin)
            return _ephemeral(said)
        if is_greeting(text):
            body = {"response_type": "ephemeral", **draw.welcome()}
            return BoltResponse(status=200, body=body)
        incoming = Incoming(
            event=f"command:{body.get('trigger_id') or place.via}",
            asker=asker,
            place=place,
            text=text,
            door="command",
        )
        try:
            asked = await self._service.take(incoming)
        except NotKeptError as e:
            return _ephemeral(str(e))
        if asked is not None:
            self._platform.acknowledged(asked.id)
        return _ephemeral(draw.waiting(Waiting()))

    async def _is_admin(self, person: Person) -> bool:
        """Whether somebody runs this workspace, as far as the app may know (users:read)."""
        try:
            told = await self._client.call(
                lambda: self._client.web.users_info(user=person.id), tries=1
            )
        except PlatformError as e:
            log.info("whether somebody is an admin is not told: %s", e)
            return False
        user = told.get("user") or {}
        return bool(user.get("is_admin") or user.get("is_owner"))

    async def _shortcut(self, body: dict[str, Any]) -> None:
        """“Diagnose this message”: take that message as a question of the person who chose it."""
        assert self._service is not None
        message = body.get("message") or {}
        asker = await self._person(body)
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
        incoming = Incoming(
            event=f"shortcut:{body.get('trigger_id') or body.get('action_ts') or place.via}",
            asker=asker,
            place=place,
            text=text_of(message),
            door="shortcut",
            attachments=files_of(message),
        )
        try:
            await self._service.take(incoming)
        except NotKeptError as e:
            self._tasks.spawn(tell(self._platform, place, asker, str(e)))

    async def _press(self, body: dict[str, Any]) -> None:
        for action in body.get("actions") or []:
            chosen = (action.get("selected_option") or {}).get("value") or action.get("value")
            pressed = str(chosen or action.get("action_id") or "")
            if pressed == "tm:form":
                self._open(body, draw.ask_form(_metadata(place=self._aside(body))))
                continue
            if pressed.startswith("tm:prompt:"):
                await self._prompted(pressed.rpartition(":")[2], action, body)
                continue
            if (parsed := parse_button(pressed)) is None:
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
                person=await self._person(body),
                place=place,
            )
            self._tasks.spawn(self._clicked(click, body))

    async def _prompted(self, number: str, action: Mapping[str, Any], body: dict[str, Any]) -> None:
        """A question of the welcome was pressed: it is asked by who pressed it."""
        assert self._service is not None
        if not (number.isdecimal() and int(number) < len(PROMPTS)):
            return
        person, place = await self._person(body), self._aside(body)
        if refusal := self._service.refusal(person, place, direct=place.channel.startswith("D")):
            await tell(self._platform, place, person, refusal)
            return
        incoming = Incoming(
            event=f"prompt:{body.get('trigger_id')}:{action.get('action_ts')}",
            asker=person,
            place=place,
            text=draw.escaped(PROMPTS[int(number)].text),
            door="command",
        )
        try:
            await self._service.take(incoming)
        except NotKeptError as e:
            self._tasks.spawn(tell(self._platform, place, person, str(e)))

    def _aside(self, body: Mapping[str, Any]) -> Place:
        """Where a question is answered that was asked with a button: privately beside it."""
        user = str((body.get("user") or {}).get("id") or "")
        via = str(body.get("response_url") or "")
        channel = str((body.get("channel") or {}).get("id") or "")
        return Place(
            platform="slack",
            workspace=str((body.get("team") or {}).get("id") or ""),
            channel=channel or user,  # in the app's home there is no channel: a direct message
            via=via,
            private=bool(via),
            person=user,
            beside=True,
        )

    async def _clicked(self, click: Click, body: dict[str, Any]) -> None:
        """Open a form for buttons that need one, if the person may press; else act at once."""
        assert self._service is not None
        if click.verb not in ("wrong", "again", "edit") or await self._service.buttons.may_click(
            click
        ):
            await self._service.buttons.click(click)
            return
        metadata = _metadata(place=click.place, question=click.question)
        if click.verb == "wrong":
            form = draw.wrong_form(metadata)
        elif click.verb == "edit":
            form = draw.edit_form(metadata, await self._service.buttons.headline(click.question))
        else:
            form = draw.again_form(
                metadata, await self._service.buttons.rerun_options(click.question)
            )
        await self._open_form(body, form)

    async def _form(self, body: dict[str, Any]) -> BoltResponse:
        assert self._service is not None
        view = body.get("view") or {}
        values = _values(view)
        person = await self._person(body)
        try:
            kept = json.loads(view.get("private_metadata") or "{}")
            place = Place.model_validate(kept.get("place"))
        except ValueError:
            return BoltResponse(status=200)
        if view.get("callback_id") == "tm:ask":
            return await self._asked(str(view.get("id")), person, place, values)
        verb = str(view.get("callback_id") or "").removeprefix("tm:")
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
            words=said_wrong(str(values.get("kind") or ""), str(values.get("words") or "")),
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
        files = files_of({"files": values.get("files") or []})
        if not (code.strip() or words.strip() or files):
            return _refused("code", "Paste the code that fails, or attach it.")
        # Text from a form comes without Slack's escapes.
        text = draw.escaped(f"{words}\n\n{_fenced(code)}".strip())
        place = place.model_copy(update={"person": person.id})
        incoming = Incoming(
            event=f"form:{view}",
            asker=person,
            place=place,
            text=text,
            door="modal",
            attachments=files,
        )
        try:
            await self._service.take(incoming)
        except NotKeptError as e:
            return _refused("code", str(e))  # the form stays open, with what was typed
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


def _metadata(*, place: Place, question: str = "") -> str:
    return json.dumps({"place": place.model_dump(exclude_defaults=True), "question": question})


def _values(view: Mapping[str, Any]) -> dict[str, Any]:
    """The submitted values by field name."""
    values: dict[str, Any] = {}
    for fields in ((view.get("state") or {}).get("values") or {}).values():
        for name, field in fields.items():
            if (chosen := field.get("selected_option")) is not None:
                values[name] = chosen.get("value")
            elif "files" in field:
                values[name] = field["files"]
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
