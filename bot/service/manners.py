"""Decide who may ask where, when to keep quiet, and who may press a button."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.errors import SettingsError
from bot.models import Answer
from bot.service.seam import Click, Incoming, Person, Place
from bot.settings import FrontSettings, SupportChannel

# Messages in our thread that hold no question: they get no card.
_THANKS = re.compile(
    r"\W*(thanks?|thank you|thx|ty|cheers|great|perfect|nice|cool|awesome|ok(ay)?|got it|solved|"
    r"(it |that )?work(s|ed)|will (do|try)|danke|merci|gracias)\b[^?`\n]{0,60}",
    re.IGNORECASE,
)

_ONLY_THANKS = re.compile(
    r"\W*(?:many )?(?:thanks?|thank you|thx|ty|cheers|danke|merci|gracias)\b"
    r"(?!.*\b(?:but|now|why|how|what|still)\b)[^?`\n]{0,60}",
    re.IGNORECASE,
)


def may_ask(settings: FrontSettings, asker: Person, place: Place, *, direct: bool) -> str:
    """Why this person may not ask here; empty if they may."""
    if settings.users and not among(asker, settings.users):
        return (
            "I answer only people on my list, and you are not on it. "
            "Ask whoever runs this bot here to add you."
        )
    if settings.channels and not direct and not _is(place.channel, settings.channels):
        return (
            "I may not answer in this channel. Send me a direct message instead, "
            "or ask whoever runs this bot to allow the channel."
        )
    return ""


def support_channel(settings: FrontSettings, place: Place) -> SupportChannel | None:
    """The settings of a channel where we answer without being mentioned; None for any other."""
    for id, channel in settings.support.items():
        if id.casefold() == place.channel.casefold():
            return channel
    return None


def may_listen(
    channel: SupportChannel, incoming: Incoming, now: datetime, *, team_spoke: bool, answered: bool
) -> str:
    """Why a message that was not sent to us is ignored; empty if it may be answered.

    Args:
        channel: the channel's settings.
        incoming: a root message of it.
        now: with its timezone.
        team_spoke: somebody of the team has spoken in its thread.
        answered: we have given an unasked answer in its thread.
    """
    if among(incoming.asker, channel.team):
        return "the team asks no one but itself"
    if team_spoke:
        return "the team has spoken"
    if answered:
        return "one unasked answer a thread"
    if is_quiet(channel, now):
        return "quiet hours"
    if not looks_like_a_problem(incoming):
        return "neither code nor an error in it"
    return ""


def looks_like_a_problem(incoming: Incoming) -> bool:
    """Whether a message holds code, an error or a file; a cheap check without parsing."""
    text = incoming.text
    return bool(
        incoming.attachments
        or "```" in text
        or "Traceback (most recent call last)" in text
        or re.search(r"\b[A-Z]\w*(?:Error|Exception|Warning)\b", text)
        or re.search(r"^(?:\s*>>> |import \w|from [\w.]+ import )", text, re.MULTILINE)
    )


def is_a_question(text: str) -> bool:
    """Whether a message in our thread wants an answer: thanks and "ok, will try" do not."""
    return bool(text.strip()) and not _THANKS.fullmatch(text.strip())


def is_thanks(text: str) -> bool:
    """Whether a message to us, its mentions taken out, only thanks: it gets no card."""
    return _ONLY_THANKS.fullmatch(text.strip()) is not None


def worth_saying(channel: SupportChannel, answer: Answer) -> bool:
    """Whether an unasked answer is certain enough to be shown."""
    return sureness(answer) >= max(channel.threshold, 1e-9)


def sureness(answer: Answer) -> float:
    """How certain an answer is, 0 to 1: 1 for a mistake that a run has shown, 0 for no answer."""
    if answer.status in ("fixed", "reproduced"):
        return 1.0
    if answer.status == "advice" and answer.functions:
        return min(1.0, max(0.0, answer.functions[0].score))
    if answer.status == "advice" and answer.why is not None:
        return min(1.0, max(0.0, answer.why.score))
    return 0.0


def is_quiet(channel: SupportChannel, now: datetime) -> bool:
    """Whether `now` lies in the channel's quiet hours, which may reach over midnight."""
    if not channel.quiet_hours.strip():
        return False
    start, end = _hours(channel.quiet_hours)
    here = now.astimezone(_zone(channel.timezone)).time()
    return start <= here < end if start <= end else here >= start or here < end


def check(settings: FrontSettings, name: str) -> None:
    """Check the quiet hours at the start, long before they begin.

    Raises:
        SettingsError: quiet hours or a timezone make no sense; names the channel.
    """
    for id, channel in settings.support.items():
        try:
            if channel.quiet_hours.strip():
                _hours(channel.quiet_hours)
            _zone(channel.timezone)
        except SettingsError as e:
            raise SettingsError(f"{name}.support.{id}: {e}") from e


def may_click(settings: FrontSettings, click: Click, asker: Person, *, private: bool) -> str:
    """Why this press of a button is refused; empty if it is allowed.

    Args:
        settings: the platform's.
        click: who pressed what.
        asker: the person whose question the card answers.
        private: only the asker sees the card.
    """
    is_asker = click.person.id == asker.id
    if is_asker:
        return ""
    if private:
        return (
            "This answer is private to the person who asked. Ask me yourself, I am happy to run it."
        )
    if click.verb == "delete":
        if click.moderator or among(click.person, settings.moderators):
            return ""
        return "Only the person who asked, or a moderator, can delete this answer."
    if click.verb in ("output", "fixed"):
        return may_ask(settings, click.person, click.place, direct=False)
    return (
        "This button is for the person who asked. "
        "If you have the same problem, ask me yourself and you get buttons of your own."
    )


def may_help(settings: FrontSettings, click: Click) -> str:
    """Why somebody may not take or resolve a case; empty if it was brought to them."""
    if _is(click.place.channel, settings.humans) or among(click.person, settings.humans):
        return ""
    if click.place.channel.startswith("D"):  # Slack's direct messages: it was brought to them
        return ""
    return "This case was brought to others."


def may_publish(settings: FrontSettings, click: Click, asked: Place) -> str:
    """Why somebody may not post or drop a draft; empty if it was shown to them."""
    channel = support_channel(settings, asked)
    if channel is not None and channel.draft and _is(click.place.channel, (channel.draft,)):
        return ""
    return "This draft is for the team of its channel."


def among(person: Person, ids: Iterable[str]) -> bool:
    """Whether the ids name a person, or a group that they belong to."""
    return any(_is(id, ids) for id in (person.id, *person.groups))


def _is(id: str, ids: Iterable[str]) -> bool:
    # Case does not count: a variable's name is read in lower case.
    return id.casefold() in {other.strip().casefold() for other in ids}


def _hours(text: str) -> tuple[time, time]:
    match = re.fullmatch(r"\s*(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)\s*", text)
    try:
        if match is None:
            raise ValueError
        a, b, c, d = map(int, match.groups())
        return time(a, b), time(c % 24 if d == 0 else c, d)
    except ValueError:
        raise SettingsError(f"quiet_hours is {text!r}; write it like 22:00-07:00") from None


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise SettingsError(f"there is no timezone {name!r}; write it like Europe/Berlin") from None
