"""bot/service/manners.py: who may ask, when to keep quiet, whose button it is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.errors import SettingsError
from bot.models import Answer, Why
from bot.service import manners
from bot.service.seam import Click, Incoming, Person, Place, Verb
from bot.settings import FrontSettings, SupportChannel, load_settings

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
ASKER, OTHER = Person(id="U1"), Person(id="U2")
PLACE = Place(platform="slack", channel="C1")


def message(text: str, asker: Person = ASKER) -> Incoming:
    """A root message in a support channel."""
    return Incoming("e", asker, PLACE, text, "channel", unasked=True)


@pytest.mark.parametrize(
    ("settings", "direct", "allowed"),
    [
        ({}, False, True),
        ({"users": ("u1",)}, False, True),  # from a variable: in lower case
        ({"users": ("U9",)}, False, False),
        ({"users": ("S7",)}, False, True),  # a group
        ({"channels": ("C1",)}, False, True),
        ({"channels": ("C9",)}, False, False),
        ({"channels": ("C9",)}, True, True),  # a direct message is no channel
        ({"users": ("U9",), "channels": ("C9",)}, True, False),
    ],
)
def test_who_may_ask(settings: dict[str, Any], direct: bool, allowed: bool):
    """Empty lists allow everyone; a refusal has a reason and a next step."""
    asker = Person(id="U1", groups=("S7",))
    reason = manners.may_ask(FrontSettings(**settings), asker, PLACE, direct=direct)

    assert (reason == "") is allowed
    assert allowed or reason.endswith(".")


@pytest.mark.parametrize(
    ("text", "looked_at"),
    [
        ("who is coming to lunch?", False),
        ("my loss is nan, any idea?", False),
        ("```\nx\n```", True),
        ("I get RuntimeError: mat1 and mat2", True),
        ("Traceback (most recent call last):", True),
        ("import torch\nx = 1", True),
    ],
)
def test_only_problems_are_looked_at_unasked(text: str, looked_at: bool):
    """Code or an error; talk is left alone."""
    reason = manners.may_listen(
        SupportChannel(), message(text), NOON, team_spoke=False, answered=False
    )
    assert (reason == "") is looked_at


@pytest.mark.parametrize(
    ("facts", "asker"),
    [
        ({"team_spoke": True}, ASKER),
        ({"answered": True}, ASKER),
        ({}, Person(id="UTEAM")),
        ({}, Person(id="U3", groups=("STEAM",))),
    ],
)
def test_silence(facts: dict[str, bool], asker: Person):
    """After the team's word, after one answer, and to the team itself."""
    channel = SupportChannel(team=("UTEAM", "STEAM"))
    known = {"team_spoke": False, "answered": False} | facts

    assert manners.may_listen(channel, message("```x```", asker), NOON, **known)


@pytest.mark.parametrize(
    ("hours", "zone", "quiet"),
    [
        ("", "UTC", False),
        ("11:00-13:00", "UTC", True),
        ("12:00-13:00", "UTC", True),
        ("11:00-12:00", "UTC", False),
        ("22:00-07:00", "UTC", False),
        ("13:30-14:30", "Europe/Berlin", True),  # 14:00 there in summer
        ("22:00-07:00", "Australia/Sydney", True),  # 22:00 there
    ],
)
def test_quiet_hours(hours: str, zone: str, quiet: bool):
    """In the channel's own timezone, over midnight too."""
    assert manners.is_quiet(SupportChannel(quiet_hours=hours, timezone=zone), NOON) is quiet


@pytest.mark.parametrize("wrong", [{"quiet_hours": "late"}, {"quiet_hours": "25:00-26:00"},
                                   {"timezone": "Mars/Olympus"}])  # fmt: skip
def test_nonsense_is_refused_at_start(wrong: dict[str, str]):
    """With the channel's name."""
    settings = FrontSettings(support={"C9": SupportChannel(**wrong)})
    with pytest.raises(SettingsError, match=r"slack\.support\.C9"):
        manners.check(settings, "slack")


def test_the_threshold():
    """A mistake seen in a run is always worth saying, not knowing never is."""
    why = Why(text="t", article="a", title="t", url=None, score=0.7, proof=None)
    advice = Answer(status="advice", headline="h", why=why)

    assert manners.worth_saying(SupportChannel(threshold=0.7), advice)
    assert not manners.worth_saying(SupportChannel(threshold=0.71), advice)
    assert manners.worth_saying(SupportChannel(threshold=1), Answer(status="fixed", headline="h"))
    for status in ("runs", "unsure", "not_run"):
        answer = Answer(status=status, headline="h")
        assert not manners.worth_saying(SupportChannel(threshold=0), answer)


@pytest.mark.parametrize(
    "text", ["thanks!", "ok, will try", "That works :tada:", "Danke", "solved", ""]
)
def test_thanks_are_no_question(text: str):
    """No card for a kind word."""
    assert not manners.is_a_question(text)


@pytest.mark.parametrize(
    "text", ["thanks, but why?", "ok `x = 1`", "it still fails", "works with 2.1?"]
)
def test_questions_are(text: str):
    """A kind word with a question in it is one."""
    assert manners.is_a_question(text)


@pytest.mark.parametrize("verb", ["solved", "wrong", "again", "human", "output", "fixed", "delete"])
def test_whose_button_it_is(verb: Verb):
    """The asker's; files are for everyone who sees the card; moderators may delete."""
    settings = FrontSettings(moderators=("U2",))

    def may(person: Person, **more: Any) -> bool:
        private = more.pop("private", False)
        click = Click("e", verb, "q", person, PLACE, **more)
        return not manners.may_click(settings, click, ASKER, private=private)

    assert may(ASKER) and may(ASKER, private=True)
    assert may(OTHER) is (verb in ("output", "fixed", "delete"))
    assert may(Person(id="U3")) is (verb in ("output", "fixed"))
    assert may(Person(id="U3"), moderator=True) is (verb in ("output", "fixed", "delete"))
    assert not may(OTHER, private=True)


def test_settings_from_variables():
    """A channel's settings can come from the environment; numbers are ids too."""
    settings = load_settings(None, {
        "TORCHMEDIC_SLACK__SUPPORT__C9__THRESHOLD": "0.9",
        "TORCHMEDIC_DISCORD__USERS": "[123456789012345678]",
        "TORCHMEDIC_SLACK__API_URL": "http://127.0.0.1:9/api/",
    })  # fmt: skip
    channel = manners.support_channel(settings.slack, Place(platform="slack", channel="C9"))

    assert channel is not None and channel.threshold == 0.9
    assert settings.discord.users == ("123456789012345678",)
    assert settings.slack.api_url == "http://127.0.0.1:9/api/"


def test_an_empty_variable_is_none():
    """A compose file hands on what the operator has not set as an empty text."""
    assert load_settings(None, {"TORCHMEDIC_STORE__URL": ""}) == load_settings(None, {})
