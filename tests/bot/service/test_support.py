"""bot/service/support.py: a channel's admins let the bot answer unasked, from the chat."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.service.seam import Person, Place
from bot.service.store import Store
from bot.service.support import SupportChannels, is_about_support
from bot.settings import FrontSettings, SupportChannel

HERE = Place(platform="slack", channel="C1")
MAYA = Person(id="U1")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("support", True),
        ("support on", True),
        ("Support off ", True),
        ("support draft <#C9|team>", True),
        ("support draft C9", True),
        ("does torch support float8?", False),
        ("support for sparse tensors is what I need", False),
        ("", False),
    ],
)
def test_what_is_a_command(text: str, is_one: bool):
    """A question that has the word in it is none."""
    assert is_about_support(text) is is_one


async def test_an_admin_enables_a_channel_and_a_restart_keeps_it(tmp_path: Path):
    """Nobody else does; `off` ends it, for good as well."""
    front = FrontSettings()
    async with Store.at("", tmp_path) as store:
        channels = SupportChannels(front, store, "slack")
        await channels.open()
        refused = await channels.command("support on", HERE, MAYA, is_admin=False)
        assert "Only an admin" in refused and not front.support
        told = await channels.command("support draft <#C9|team>", HERE, MAYA, is_admin=True)
        assert "as drafts" in told and front.support["C1"].draft == "C9"
    again = FrontSettings()
    async with Store.at("", tmp_path) as store:
        channels = SupportChannels(again, store, "slack")
        await channels.open()
        assert again.support["C1"].draft == "C9"
        told = await channels.command("support", HERE, MAYA, is_admin=False)
        assert "as drafts" in told
        await channels.command("support off", HERE, MAYA, is_admin=True)
        assert not again.support
        await channels.open()
        assert not again.support


async def test_what_the_settings_say_is_not_changed_from_the_chat(tmp_path: Path):
    """Whoever runs the bot decides; and another platform's channels are not ours."""
    front = FrontSettings(support={"C1": SupportChannel()}, moderators=("U1",))
    async with Store.at("", tmp_path) as store:
        channels = SupportChannels(front, store, "slack")
        await channels.open()
        said = await channels.command("support off", HERE, MAYA, is_admin=False)
        assert "in my settings" in said and "C1" in front.support
        there = HERE.model_copy(update={"channel": "C2"})
        assert "unasked where I am sure" in await channels.command(
            "support on", there, MAYA, is_admin=False
        )
        other = FrontSettings()
        await SupportChannels(other, store, "discord").open()
        assert not other.support
