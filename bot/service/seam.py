"""The seam between the question service and every platform: what comes in, what is shown, where.

A platform turns its events into `Incoming` and `Click`, and draws a `View` where a `Place` says.
Everything that must outlive a restart is a Model, so that the store can keep it as JSON.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.errors import PlatformError
from bot.models import Answer, RunWith
from executor.protocol import Model

log = logging.getLogger(__name__)

Door = Literal[
    "command", "modal", "mention", "direct", "shortcut", "follow_up", "channel", "edit", "console"
]
Verb = Literal["solved", "wrong", "again", "human", "output", "fixed", "delete"]


# -- what comes in ---------------------------------------------------------------------------


class Person(Model):
    """Somebody on a platform. `groups` are the roles or user groups that are known of them."""

    id: str
    name: str = ""
    groups: tuple[str, ...] = ()


class Place(Model):
    """Where a question was asked and where its card lives, in the platform's own ids."""

    platform: str  # "slack", "discord", "console"
    workspace: str = ""  # Slack team, Discord guild
    channel: str = ""
    thread: str = ""  # the thread the card goes into; Slack: the root's ts
    message: str = ""  # the asker's own message; empty for a command
    via: str = ""  # the address only this door gives: a response URL, an interaction's token
    private: bool = False  # only the asker sees the card
    person: str = ""  # private: whose eyes it is for

    @property
    def message_key(self) -> str:
        """Finds the question again when its message is edited; empty if it cannot be."""
        public = self.message and not self.private
        return f"{self.platform}:{self.channel}:{self.message}" if public else ""

    @property
    def thread_key(self) -> str:
        """Finds the questions of one thread; a private card makes no thread ours."""
        public = self.thread and not self.private
        return f"{self.platform}:{self.channel}:{self.thread}" if public else ""


class Attached(Model):
    """A file that came with a message; `Platform.read` fetches it."""

    name: str
    size: int = 0  # bytes, as the platform says
    url: str = ""


@dataclass(frozen=True)
class Incoming:
    """One message that may be a question, whatever door it came through."""

    event: str  # the same for every delivery of the same thing, different for all else
    asker: Person
    place: Place
    text: str  # as the platform's API gives it
    door: Door
    attachments: tuple[Attached, ...] = ()
    unasked: bool = False  # nobody called the bot: a support channel


@dataclass(frozen=True)
class Click:
    """One press of a button under a card, with what was typed or chosen afterwards."""

    event: str
    verb: Verb
    question: str  # the question's id
    person: Person
    place: Place  # where it was pressed; `via` is the click's own address
    words: str = ""  # why it is wrong
    run_with: RunWith | None = None
    moderator: bool = False  # the platform itself says that this person may moderate there


# -- what is shown ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Waiting:
    """Taken in; `ahead` questions are before it."""

    ahead: int = 0


@dataclass(frozen=True)
class Working:
    """Being worked on: the step, in words."""

    text: str


@dataclass(frozen=True)
class Answered:
    """The answer, which stays. A redrawn one has handed out its pictures and files before."""

    answer: Answer
    solved: bool = False
    redrawn: bool = False


View = Waiting | Working | Answered


class CardRef(Model):
    """A message of ours, to update or delete it."""

    channel: str
    message: str
    via: str = ""  # where it can only be changed through its own address


@dataclass(frozen=True)
class Upload:
    """A file to hand out. `alt` describes a picture to who cannot see it."""

    name: str
    data: bytes
    mime: str = "text/plain"
    alt: str = ""


class Platform(Protocol):
    """What the desk needs of a platform.

    Every method waits out what passes (rate limits, a server's own errors, a lost connection) and
    raises PlatformError when it gives up, PlatformRefusedError where trying again is no use.
    """

    @property
    def name(self) -> str:
        """`Place.platform` of everything that is its."""

    async def show(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        """Show a view as the card of this question, in place of the old card where there is one.

        Args:
            question: its id, for the buttons and for `find`.
            place: where it was asked.
            view: what to show.
            card: the card so far; None: make it. If it is gone, a new one is made.

        Returns:
            The card; None where this door's messages cannot be changed later.
        """

    async def find(self, question: str, place: Place) -> CardRef | None:
        """The card of this question if one was made just before a crash; None if there is none."""

    async def tell(self, place: Place, person: Person, text: str) -> None:
        """Say something that only this person sees."""

    async def hand(self, place: Place, person: Person, upload: Upload, *, private: bool) -> None:
        """Give a file: beside the card, or to this person alone."""

    async def refer(
        self, where: str, asker: Person, place: Place, text: str, answer: Answer | None
    ) -> None:
        """Post a case for people to look at.

        Args:
            where: a channel's or a person's id.
            asker: whose question it is.
            place: where it was asked; linked to where others can go there.
            text: the question as it was posted.
            answer: what was said to it, if anything.
        """

    async def delete(self, card: CardRef) -> None:
        """Take a card away; one that is gone already is fine."""

    async def read(self, attached: Attached) -> bytes:
        """An attachment's content."""


async def tell(platform: Platform, place: Place, person: Person, text: str) -> None:
    """Say something that only this person sees; where it cannot be said, only the log hears it."""
    try:
        await platform.tell(place, person, text)
    except PlatformError as e:
        log.warning("a private word could not be said: %s", e)
