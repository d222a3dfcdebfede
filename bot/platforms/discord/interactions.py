"""Discord's commands, buttons and forms."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any

import discord

from bot.errors import PlatformError
from bot.platforms.buttons import parse_button, said_wrong
from bot.platforms.discord.card import note, welcome
from bot.platforms.discord.events import Events
from bot.platforms.discord.forms import (
    ASK_FORM,
    DIAGNOSE,
    again_form,
    ask_form,
    edit_form,
    run_with,
    values_of,
    wrong_form,
)
from bot.platforms.discord.incoming import attached, person
from bot.platforms.discord.messages import (
    EPHEMERAL,
    FORM,
    LATER,
    LATER_HERE,
    SAY,
    via,
)
from bot.platforms.discord.text import prose
from bot.service.seam import Attached, Click, Door, Incoming, Place
from bot.service.support import is_about_support
from bot.service.welcome import PROMPTS, is_greeting

log = logging.getLogger(__name__)

_PATIENCE_S = 1.5  # how long an acknowledgement, due after 3 s, waits for the store


class Interactions(Events):
    """Reads what people press and type into forms, and passes it to the question service."""

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Handle a command, a press of a button or a submitted form."""
        if self.service is None:
            return
        data: Any = interaction.data or {}
        kind = interaction.type
        try:
            if kind is discord.InteractionType.application_command:
                await self._command(interaction, data)
            elif kind is discord.InteractionType.component:
                chosen = (data.get("values") or [data.get("custom_id", "")])[0]
                await self._press(interaction, str(chosen))
            elif kind is discord.InteractionType.modal_submit:
                await self._form(interaction, data)
        except PlatformError as e:
            log.warning("an interaction could not be answered: %s", e)

    async def _command(self, interaction: discord.Interaction, data: Any) -> None:
        assert self.service is not None
        resolved = data.get("resolved", {})
        if data["name"] == DIAGNOSE:
            target = resolved["messages"][data["target_id"]]
            files = tuple(attached(a) for a in target.get("attachments", []))
            await self._ask(interaction, "shortcut", target.get("content", ""), files, private=True)
            return
        options = {o["name"]: o["value"] for o in data.get("options", [])}
        files = tuple(attached(a) for a in resolved.get("attachments", {}).values())
        text = str(options.get("question", ""))
        if not text.strip() and not files:
            place = _clicked_place(interaction)
            if refusal := self.service.refusal(
                person(interaction.user), place, direct=not place.workspace
            ):
                await self._refuse(interaction, refusal)
                return
            await self._welcome(interaction)
            return
        if is_about_support(text) and not files:
            rights = interaction.permissions
            said = await self.service.support.command(
                text,
                _clicked_place(interaction),
                person(interaction.user),
                is_admin=rights.manage_channels or rights.manage_guild,
            )
            await self._refuse(interaction, said)
            return
        if is_greeting(text) and not files:
            await self._welcome(interaction)
            return
        private = not options.get("public", False)
        await self._ask(interaction, "command", text, files, private=private)

    async def _form(self, interaction: discord.Interaction, data: Any) -> None:
        name, values = str(data.get("custom_id", "")), values_of(data)
        if name.startswith(ASK_FORM):
            code = values.get("code", "")
            fenced = code if "```" in code or not code.strip() else f"```\n{code}\n```"
            text = f"{values.get('question', '')}\n{fenced}".strip()
            given = (data.get("resolved") or {}).get("attachments", {}).values()
            files = tuple(attached(a) for a in given)
            if not text and not files:
                await self._refuse(interaction, "Paste the code that fails, or attach it.")
                return
            private = not name.endswith("public")
            await self._ask(interaction, "modal", text, files, private=private)
            return
        if (button := parse_button(name)) is None:
            return
        click = self._click(interaction, *button, values)
        here = LATER_HERE if interaction.message is not None else LATER
        hidden = interaction.message is not None and interaction.message.flags.ephemeral
        if click.verb == "again" and hidden:
            here = LATER  # a private card of its own
        await self._clicked(interaction, click, here)

    async def _press(self, interaction: discord.Interaction, name: str) -> None:
        assert self.service is not None
        if name == "tm:form":
            await self.platform.acknowledge(
                str(interaction.id), interaction.token, FORM, ask_form()
            )
            return
        if name.startswith("tm:prompt:"):
            await self._prompted(interaction, name.rpartition(":")[2])
            return
        if (button := parse_button(name)) is None:
            return
        click = self._click(interaction, *button, {})
        if click.verb not in ("wrong", "again", "edit"):
            await self._clicked(interaction, click, LATER_HERE)
            return
        if refusal := await self.service.buttons.may_click(click):
            said = {
                "content": prose(refusal),
                "flags": EPHEMERAL,
                "allowed_mentions": {"parse": []},
            }
            await self.platform.acknowledge(str(interaction.id), interaction.token, 4, said)
            return
        if click.verb == "wrong":
            form = wrong_form(click.question)
        elif click.verb == "edit":
            headline = await self.service.buttons.headline(click.question)
            form = edit_form(click.question, headline)
        else:
            form = again_form(
                click.question, await self.service.buttons.rerun_options(click.question)
            )
        await self.platform.acknowledge(str(interaction.id), interaction.token, FORM, form)

    async def _welcome(self, interaction: discord.Interaction) -> None:
        """Say what we do, with questions that one click asks; nothing is run or stored."""
        drawn = welcome(self._front.cards).payload
        flags = drawn.get("flags", 0) | EPHEMERAL
        data = {k: v for k, v in drawn.items() if v is not None} | {"flags": flags}
        await self.platform.acknowledge(str(interaction.id), interaction.token, SAY, data)

    async def _prompted(self, interaction: discord.Interaction, number: str) -> None:
        """A question of the welcome was pressed: it is asked by who pressed it."""
        if number.isdecimal() and int(number) < len(PROMPTS):
            text = PROMPTS[int(number)].text
            await self._ask(interaction, "command", text, (), private=bool(interaction.guild_id))

    async def _refuse(self, interaction: discord.Interaction, reason: str) -> None:
        data = note(reason) | {"flags": EPHEMERAL}
        await self.platform.acknowledge(str(interaction.id), interaction.token, SAY, data)

    async def _clicked(self, interaction: discord.Interaction, click: Click, kind: int) -> None:
        assert self.service is not None
        data = {"flags": EPHEMERAL} if kind == LATER else None
        await self.platform.acknowledge(str(interaction.id), interaction.token, kind, data)
        await self.service.buttons.click(click)

    def _click(
        self, interaction: discord.Interaction, verb: Any, question: str, values: dict[str, str]
    ) -> Click:
        return Click(
            event=f"discord:i:{interaction.id}",
            verb=verb,
            question=question,
            person=person(interaction.user),
            place=_clicked_place(interaction),
            words=said_wrong(values.get("kind", ""), values.get("words", "")),
            run_with=run_with(values) if verb == "again" else None,
            moderator=interaction.permissions.manage_messages,
        )

    async def _ask(
        self,
        interaction: discord.Interaction,
        door: Door,
        text: str,
        files: tuple[Attached, ...],
        *,
        private: bool,
    ) -> None:
        """Store the question, and acknowledge before Discord's time limit."""
        assert self.service is not None
        # Where the bot is no member, it can only answer through the interaction.
        private = private or not _is_member(interaction)
        place = _clicked_place(interaction)
        door = door if place.workspace else "direct"
        # After a private answer the thread is not ours: others go on talking there.
        place = place.model_copy(
            update={"private": private, "thread": "" if private else place.thread}
        )
        incoming = Incoming(
            f"discord:i:{interaction.id}", person(interaction.user), place, text, door, files
        )
        token = interaction.token
        self.platform.expect(token)
        taking = asyncio.ensure_future(self._until_stored(partial(self._take, incoming)))
        done, _ = await asyncio.wait({taking}, timeout=_PATIENCE_S)
        refused = bool(done) and not taking.exception() and taking.result() is None
        data = {"flags": EPHEMERAL} if private or refused else None
        await self.platform.acknowledge(str(interaction.id), token, LATER, data)
        await taking


def _clicked_place(interaction: discord.Interaction) -> Place:
    channel: Any = interaction.channel
    if channel is None:
        room, thread = str(interaction.channel_id), ""
    elif getattr(channel, "parent_id", None) and isinstance(channel, discord.Thread):
        room, thread = str(channel.parent_id), str(channel.id)
    else:
        room, thread = str(channel.id), ""
    return Place(
        platform="discord",
        workspace=str(interaction.guild_id or ""),
        channel=room,
        thread=thread,
        message=str(interaction.message.id) if interaction.message is not None else "",
        via=via(interaction.token, str(interaction.user.id)),
    )


def _is_member(interaction: discord.Interaction) -> bool:
    """Whether the bot is a member where the interaction was made."""
    if interaction.guild_id is not None:
        return interaction.is_guild_integration()
    return interaction.context.dm_channel
