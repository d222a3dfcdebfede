"""The seam between the question service and every platform: what comes in, what is shown, where.

A platform turns its events into `Incoming` and `Click`, and draws a `View` where a `Place` says.
Everything that must outlive a restart is a Model, so that the store can keep it as JSON.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Literal, Protocol

from bot.errors import PlatformError
from bot.messages.chat_markup import ChatMarkup
from bot.models import Answer, RunWith
from executor.protocol import Model

log = logging.getLogger(__name__)

Door = Literal[
    "command", "modal", "mention", "direct", "shortcut", "follow_up", "channel", "edit", "console"
]
Verb = Literal[
    "solved", "wrong", "again", "human", "output", "fixed", "details", "share", "delete",
    "claim", "resolve", "post", "edit", "drop",
]  # fmt: skip


# -- what comes in ---------------------------------------------------------------------------


class Person(Model):
    """Somebody on a platform; `groups` are their known roles or user groups."""

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
    replies_to: str = ""  # the message that it replies to
    via: str = ""  # a response URL, or an interaction's token
    private: bool = False  # only the asker sees the card
    person: str = ""  # private: the id of the person who sees it
    beside: bool = False  # private: `via` belongs to another message, which stays

    @property
    def message_key(self) -> str:
        """The key to find a question by its message when that is edited; empty if it has none."""
        public = self.message and not self.private
        return f"{self.platform}:{self.channel}:{self.message}" if public else ""

    @property
    def thread_key(self) -> str:
        """The key to find the questions of one thread; empty for a private card."""
        public = self.thread and not self.private
        return f"{self.platform}:{self.channel}:{self.thread}" if public else ""


class Attached(Model):
    """A file that came with a message; `Platform.read` fetches it."""

    name: str
    size: int = 0  # bytes, as the platform says
    url: str = ""
    id: str = ""  # the platform's, where it tells the address only when asked


@dataclass(frozen=True)
class Incoming:
    """One message that may be a question, however it was sent."""

    event: str  # the same for every delivery of the same thing, different for all else
    asker: Person
    place: Place
    text: str  # as the platform's API gives it
    door: Door
    attachments: tuple[Attached, ...] = ()
    unasked: bool = False  # a message in a support channel that does not mention the bot


@dataclass(frozen=True)
class Click:
    """One press of a button under a card, with what was typed or chosen afterwards."""

    event: str
    verb: Verb
    question: str  # the question's id
    person: Person
    place: Place  # where it was pressed; `via` is the click's own address
    words: str = ""  # the reason given with "wrong"
    run_with: RunWith | None = None
    moderator: bool = False  # may moderate there by the platform's own permissions


@dataclass(frozen=True)
class Said:
    """A message that stands above a question."""

    person: Person
    text: str  # as the platform's API gives it
    attachments: tuple[Attached, ...] = ()
    role: Literal["replied_to", "root", "above"] = "above"
    forwarded: bool = False  # by `person`, and it is not known who wrote it


@dataclass(frozen=True)
class Above:
    """The messages above a question, oldest first."""

    messages: tuple[Said, ...] = ()
    unread: str = ""  # why some could not be read, and what helps; empty: all could be


# -- what is shown ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Waiting:
    """The question waits; `ahead` questions are before it."""

    ahead: int = 0


@dataclass(frozen=True)
class Working:
    """The question is worked on; `step` is the text to show."""

    text: str


@dataclass(frozen=True)
class Answered:
    """The answer. When redrawn, its pictures and files were sent before."""

    answer: Answer
    solved: bool = False
    redrawn: bool = False
    run_with: RunWith = field(default_factory=RunWith)  # how it was run
    private: bool = False  # one person sees it, and may share it


View = Waiting | Working | Answered


class CardRef(Model):
    """A message of ours, to update or delete it."""

    channel: str
    message: str
    via: str = ""  # the address, if it can only be changed through that


@dataclass(frozen=True)
class Upload:
    """A file to send; `alt` is a picture's description for people who cannot see it."""

    name: str
    data: bytes
    mime: str = "text/plain"
    alt: str = ""


@dataclass(frozen=True)
class Case:
    """A question that is handed to people, with all that they need."""

    question: str  # its id, for the buttons
    asker: Person
    place: Place  # where it was asked; linked if others can go there
    text: str  # as it was posted, without the platform's escapes
    answer: Answer | None
    files: tuple[Upload, ...] = ()  # what was attached, the fixed program, the whole output
    ping: str = ""  # the role or user group to wake
    is_draft: bool = False  # an unasked answer that the team may post


class Platform(Protocol):
    """What the question service needs of a platform.

    Every method retries after rate limits, server errors and lost connections. It raises
    PlatformError when it gives up, PlatformRefusedError where trying again is no use.
    """

    @property
    def name(self) -> str:
        """The platform's name, as in `Place.platform`."""

    @property
    def markup(self) -> ChatMarkup:
        """What its API adds to the text that a person typed."""

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
            The card; None if this kind of message cannot be changed later.
        """

    async def find(self, question: str, place: Place) -> CardRef | None:
        """The card of this question if one was made just before a crash; None if there is none."""

    async def tell(self, place: Place, person: Person, text: str) -> None:
        """Send a text that only this person sees."""

    async def hand(self, place: Place, person: Person, upload: Upload, *, private: bool) -> None:
        """Send a file: next to the card, or to this person alone."""

    async def refer(self, where: str, case: Case) -> None:
        """Post a question for people to look at, in a channel or to a person, by its id."""

    async def link(self, place: Place) -> str:
        """The address of a message that others can go to; empty if there is none."""

    async def remark(self, place: Place, text: str) -> None:
        """Say something below a message, for everybody there."""

    async def write(self, person: Person, text: str) -> None:
        """Send somebody a direct message."""

    async def above(self, place: Place) -> Above:
        """The messages above one: whom it replies to, its thread's first, and up to ten more."""

    async def delete(self, card: CardRef) -> None:
        """Delete a card; one that is gone already is no error."""

    async def read(self, attached: Attached) -> bytes:
        """An attachment's content."""


async def tell(platform: Platform, place: Place, person: Person, text: str) -> None:
    """Send a text that only this person sees; a failure is only logged."""
    try:
        await platform.tell(place, person, text)
    except PlatformError as e:
        log.warning("a private word could not be said: %s", e)
