"""bot/service/manners.py: who may ask, when to keep quiet, whose button it is."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.errors import SettingsError
from bot.models import Answer, FunctionShown, Why
from bot.platforms.plugins import load_settings
from bot.service import manners
from bot.service.seam import Attached, Click, Incoming, Person, Place, Verb
from bot.settings import FrontSettings, SupportChannel

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
ASKER, OTHER = Person(id="U1"), Person(id="U2")
PLACE = Place(platform="slack", channel="C1")


def message(text: str, asker: Person = ASKER) -> Incoming:
    """A root message in a support channel."""
    return Incoming("e", asker, PLACE, text, "channel", unasked=True)


NOT_LISTED = (
    "I answer only people on my list, and you are not on it. "
    "Ask whoever runs this bot here to add you."
)
NOT_HERE = (
    "I may not answer in this channel. Send me a direct message instead, "
    "or ask whoever runs this bot to allow the channel."
)


@pytest.mark.parametrize(
    ("settings", "direct", "reason"),
    [
        ({}, False, ""),
        ({"users": ("u1",)}, False, ""),  # from a variable: in lower case
        ({"users": (" U1 ",)}, False, ""),  # or with blanks
        ({"users": ("U9", "U1")}, False, ""),
        ({"users": ("U9",)}, False, NOT_LISTED),
        ({"users": ("S7",)}, False, ""),  # a group
        ({"channels": ("C1",)}, False, ""),
        ({"channels": ("C9",)}, False, NOT_HERE),
        ({"channels": ("C9",)}, True, ""),  # a direct message is no channel
        ({"users": ("U9",), "channels": ("C9",)}, True, NOT_LISTED),
        ({"users": ("U1",), "channels": ("C9",)}, False, NOT_HERE),
    ],
)
def test_who_may_ask(settings: dict[str, Any], direct: bool, reason: str):
    """Empty lists allow everyone; a refusal has a reason and a next step."""
    asker = Person(id="U1", groups=("S7",))

    assert manners.may_ask(FrontSettings(**settings), asker, PLACE, direct=direct) == reason


@pytest.mark.parametrize(
    ("text", "looked_at"),
    [
        ("who is coming to lunch?", False),
        ("my loss is nan, any idea?", False),
        ("```\nx\n```", True),
        ("I get RuntimeError: mat1 and mat2", True),
        ("Traceback (most recent call last):", True),
        ("import torch\nx = 1", True),
        ("so:\nimport torch", True),
        ("from torch.nn import Linear", True),
        (">>> x = 1", True),
        ("so:\n  >>> x = 1", True),
        ("what to import from it?", False),
        ("five >>> three", False),
        ("a UserWarning from Adam", True),
        ("some RuntimeException there", True),
        ("an error, an exception, a warning", False),
        ("``x``", False),
        ("", False),
    ],
)
def test_only_problems_are_looked_at_unasked(text: str, looked_at: bool):
    """Code or an error; talk is left alone."""
    reason = manners.may_listen(
        SupportChannel(), message(text), NOON, team_spoke=False, answered=False
    )
    assert reason == ("" if looked_at else "neither code nor an error in it")


def test_a_file_is_looked_at_unasked():
    """What is in it is read only then."""
    with_file = dataclasses.replace(message("look"), attachments=(Attached(name="a.py"),))

    assert manners.looks_like_a_problem(with_file)
    assert not manners.looks_like_a_problem(message("look"))


@pytest.mark.parametrize(
    ("facts", "asker", "hours", "reason"),
    [
        ({}, ASKER, "", ""),
        ({"team_spoke": True}, ASKER, "", "the team has spoken"),
        ({"answered": True}, ASKER, "", "one unasked answer a thread"),
        ({}, Person(id="UTEAM"), "", "the team asks no one but itself"),
        ({}, Person(id="U3", groups=("STEAM",)), "", "the team asks no one but itself"),
        ({}, ASKER, "11:00-13:00", "quiet hours"),
        ({}, ASKER, "13:00-14:00", ""),
    ],
)
def test_silence(facts: dict[str, bool], asker: Person, hours: str, reason: str):
    """After the team's word, after one answer, to the team itself, and at night."""
    channel = SupportChannel(team=("UTEAM", "STEAM"), quiet_hours=hours)
    known = {"team_spoke": False, "answered": False} | facts

    assert manners.may_listen(channel, message("```x```", asker), NOON, **known) == reason


def test_which_channel_is_a_support_channel():
    """Its settings, whatever the case of its id; none for any other."""
    one, other = SupportChannel(threshold=0.1), SupportChannel(threshold=0.2)
    settings = FrontSettings(support={"c1": one, "C2": other})

    assert manners.support_channel(settings, PLACE) is one
    assert manners.support_channel(settings, Place(platform="slack", channel="c2")) is other
    assert manners.support_channel(settings, Place(platform="slack", channel="C3")) is None


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
        ("07:00-22:00", "Australia/Sydney", False),
        ("20:00-12:01", "UTC", True),
        ("20:00-12:00", "UTC", False),
        ("12:00-00:00", "UTC", True),
        ("11:00-24:00", "UTC", True),  # to the end of the day
        ("12:00-12:00", "UTC", False),
        (" 9:30 - 12:30 ", "UTC", True),
        ("12:01-12:30", "UTC", False),
        (" ", "UTC", False),
    ],
)
def test_quiet_hours(hours: str, zone: str, quiet: bool):
    """In the channel's own timezone, over midnight too."""
    assert manners.is_quiet(SupportChannel(quiet_hours=hours, timezone=zone), NOON) is quiet


LATE = "quiet_hours is {!r}; write it like 22:00-07:00"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"quiet_hours": "late"}, LATE.format("late")),
        ({"quiet_hours": "25:00-26:00"}, LATE.format("25:00-26:00")),
        ({"quiet_hours": "22:00-24:01"}, LATE.format("22:00-24:01")),
        ({"quiet_hours": "24:00-07:00"}, LATE.format("24:00-07:00")),
        ({"quiet_hours": "22:60-07:00"}, LATE.format("22:60-07:00")),
        ({"quiet_hours": "22-7"}, LATE.format("22-7")),
        ({"quiet_hours": "22:00-07:00 and noon"}, LATE.format("22:00-07:00 and noon")),
        (
            {"timezone": "Mars/Olympus"},
            "there is no timezone 'Mars/Olympus'; write it like Europe/Berlin",
        ),
        (
            {"timezone": "/etc/passwd"},
            "there is no timezone '/etc/passwd'; write it like Europe/Berlin",
        ),
    ],
)
def test_nonsense_is_refused_at_start(wrong: dict[str, str], reason: str):
    """With the channel's name."""
    fine = SupportChannel(quiet_hours="22:00-24:00", timezone="Europe/Berlin")
    settings = FrontSettings(support={"C1": fine, "C9": SupportChannel(**wrong)})
    with pytest.raises(SettingsError) as refused:
        manners.check(settings, "slack")
    assert str(refused.value) == f"slack.support.C9: {reason}"


@pytest.mark.parametrize(
    "fine", [{}, {"quiet_hours": "  "}, {"quiet_hours": "22:00-24:00"}, {"timezone": "Asia/Tokyo"}]
)
def test_what_makes_sense_is_let_through(fine: dict[str, str]):
    """No hours are quiet, or those that a clock has."""
    manners.check(FrontSettings(support={"C9": SupportChannel(**fine)}), "slack")


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


def advice(score: float) -> Answer:
    """An explanation that was found with this score."""
    why = Why(text="t", article="a", title="t", url=None, score=score, proof=None)
    return Answer(status="advice", headline="h", why=why)


def shows_functions(*scores: float) -> Answer:
    """Advice that shows functions, the best first, beside an explanation of another score."""
    shown = tuple(FunctionShown(name="f", signature="()", summary="", score=s) for s in scores)
    return advice(0.5).model_copy(update={"functions": shown})


@pytest.mark.parametrize(
    ("answer", "sure"),
    [
        (Answer(status="fixed", headline="h"), 1.0),
        (Answer(status="reproduced", headline="h"), 1.0),
        (advice(0.25), 0.25),
        (advice(1.5), 1.0),
        (advice(-0.5), 0.0),
        (Answer(status="advice", headline="h"), 0.0),
        (advice(0.5).model_copy(update={"status": "unsure"}), 0.0),
        (advice(0.5).model_copy(update={"status": "runs"}), 0.0),
        # The first function that is shown, before any explanation.
        (shows_functions(0.25), 0.25),
        (shows_functions(0.25, 0.75), 0.25),
        (shows_functions(1.5), 1.0),
        (shows_functions(-0.5), 0.0),
        (shows_functions(0.25).model_copy(update={"status": "unsure"}), 0.0),
    ],
)
def test_how_sure_an_answer_is(answer: Answer, sure: float):
    """What a run has shown is sure; an explanation is as sure as its score."""
    assert manners.sureness(answer) == sure


def test_a_little_is_said_where_nothing_is_asked_for():
    """A threshold of 0 lets through whatever was found, but never nothing."""
    assert manners.worth_saying(SupportChannel(threshold=0), advice(1e-9))
    assert not manners.worth_saying(SupportChannel(threshold=0), advice(0))


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "ok, will try",
        "That works :tada:",
        "Danke",
        "solved",
        "",
        " ",
        "thank",
        "ty",
        "cheers",
        "great",
        "perfect",
        "nice",
        "cool",
        "awesome",
        "okay",
        "it works",
        "that worked",
        "works",
        "will do",
        "will try it",
        "merci",
        "gracias",
        "thank you " + "x" * 59,
        " thank you \n",
        "THX",
        "it worked",
        "...got it",
        "ok " + "x" * 59,
    ],
)
def test_thanks_are_no_question(text: str):
    """No card for a kind word."""
    assert not manners.is_a_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "thanks, but why?",
        "ok `x = 1`",
        "it still fails",
        "works with 2.1?",
        "okra",
        "thanks\nand x",
        "ok " + "x" * 60,
        "not solved",
    ],
)
def test_questions_are(text: str):
    """A kind word with a question in it is one."""
    assert manners.is_a_question(text)


PRIVATE = "This answer is private to the person who asked. Ask me yourself, I am happy to run it."
MAY_NOT_DELETE = "Only the person who asked, or a moderator, can delete this answer."
NOT_YOURS = (
    "This button is for the person who asked. "
    "If you have the same problem, ask me yourself and you get buttons of your own."
)


@pytest.mark.parametrize(
    ("verb", "private", "reason"),
    [
        ("delete", True, PRIVATE),
        ("output", True, PRIVATE),
        ("delete", False, MAY_NOT_DELETE),
        ("again", False, NOT_YOURS),
        ("output", False, NOT_HERE),  # a file is for everyone who may ask in the channel
        ("fixed", False, NOT_HERE),
    ],
)
def test_why_a_button_is_not_yours(verb: Verb, private: bool, reason: str):
    """In words, with what to do instead; the asker may press every one, wherever."""
    settings = FrontSettings(channels=("C9",))
    click = Click("e", verb, "q", OTHER, PLACE)

    assert manners.may_click(settings, click, ASKER, private=private) == reason
    assert manners.may_click(settings, click, OTHER, private=private) == ""


def test_a_file_is_for_those_who_may_ask():
    """Whoever presses is asked after, not whose question it is."""
    settings = FrontSettings(users=("U1", "U3"))

    for person, reason in ((OTHER, NOT_LISTED), (Person(id="U3"), "")):
        click = Click("e", "output", "q", person, PLACE)
        assert manners.may_click(settings, click, ASKER, private=False) == reason


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


NOT_BROUGHT = "This case was brought to others."


@pytest.mark.parametrize(
    ("person", "channel", "reason"),
    [
        (OTHER, "C7", ""),  # in the channel that is asked
        (OTHER, "c7", ""),
        (Person(id="U8"), "C1", ""),  # one of those who are asked, wherever
        (Person(id="U3", groups=("U8",)), "C1", ""),
        (OTHER, "D1", ""),  # a direct message: it was brought to them
        (OTHER, "C1", NOT_BROUGHT),
        (OTHER, "d1", NOT_BROUGHT),  # Slack writes its ids in capitals
        (OTHER, "", NOT_BROUGHT),
    ],
)
def test_who_may_take_a_case(person: Person, channel: str, reason: str):
    """Those to whom it was brought: the channels and people of `humans`."""
    settings = FrontSettings(humans=("C7", "U8"))
    click = Click("e", "claim", "q", person, Place(platform="slack", channel=channel))

    assert manners.may_help(settings, click) == reason


NOT_SHOWN = "This draft is for the team of its channel."


@pytest.mark.parametrize(
    ("asked", "channel", "reason"),
    [
        ("C1", "C7", ""),
        ("c1", "c7", ""),
        ("C1", "C1", NOT_SHOWN),  # where it would be posted it is shown to nobody
        ("C1", "C8", NOT_SHOWN),  # the drafts of another channel
        ("C2", "C8", ""),
        ("C3", "C7", NOT_SHOWN),  # no channel with drafts
        ("C4", "C7", NOT_SHOWN),
        ("C4", "", NOT_SHOWN),  # nor is a press without a channel one in it
    ],
)
def test_who_may_post_a_draft(asked: str, channel: str, reason: str):
    """Whoever is in the channel that its question's channel keeps its drafts in."""
    one, other = SupportChannel(draft="C7"), SupportChannel(draft="C8")
    settings = FrontSettings(support={"C1": one, "C2": other, "C4": SupportChannel()})
    click = Click("e", "post", "q", OTHER, Place(platform="slack", channel=channel))

    place = Place(platform="slack", channel=asked)
    assert manners.may_publish(settings, click, place) == reason


def test_settings_from_variables():
    """A channel's settings can come from the environment; numbers are ids too."""
    settings = load_settings(
        None,
        {
            "TORCHMEDIC_SLACK__SUPPORT__C9__THRESHOLD": "0.9",
            "TORCHMEDIC_DISCORD__USERS": "[123456789012345678]",
            "TORCHMEDIC_SLACK__API_URL": "http://127.0.0.1:9/api/",
        },
    )
    channel = manners.support_channel(settings.slack, Place(platform="slack", channel="C9"))

    assert channel is not None and channel.threshold == 0.9
    assert settings.discord.users == ("123456789012345678",)
    assert settings.slack.api_url == "http://127.0.0.1:9/api/"


def test_an_empty_variable_is_none():
    """A compose file hands on what the operator has not set as an empty text."""
    assert load_settings(None, {"TORCHMEDIC_STORE__URL": ""}) == load_settings(None, {})


@pytest.mark.parametrize(
    ("text", "thanks"),
    [
        ("thanks!", True),
        ("thank you so much, that helped", True),
        ("many thanks", True),
        ("thanks, but now it says KeyError", False),
        ("thanks, what does line 3 do", False),
        ("thanks, can you run it?", False),
        ("how do I say thanks", False),
        ("", False),
    ],
)
def test_thanks_alone_get_no_card(text: str, thanks: bool):
    """What asks for more does."""
    assert manners.is_thanks(text) is thanks
