"""The question service: takes questions from a platform; each gets exactly one card."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from datetime import UTC, datetime

from bot.diagnosis.pipeline import Pipeline
from bot.errors import NotKeptError, PlatformError
from bot.logs import facts, where
from bot.models import RunWith
from bot.service import manners
from bot.service.buttons import Buttons
from bot.service.counters import Counters
from bot.service.handover import Handover
from bot.service.reading import plain_words
from bot.service.seam import Incoming, Person, Place, Platform, tell
from bot.service.store import Store
from bot.service.store.database import DATABASE_ERRORS
from bot.service.store.retention import forget_old
from bot.service.store.stored import Stored
from bot.service.support import SupportChannels
from bot.service.tasks import Tasks
from bot.service.work import OpenWork
from bot.settings import ChatSettings, FrontSettings

log = logging.getLogger(__name__)

NOT_KEPT = (
    "I could not write your question down just now: my database does not answer. If no answer "
    "comes within five minutes, please ask again."
)
_IN_TIME_S = 2.0  # of the 3 s that platforms wait for an acknowledgement
_TOLD = 1000  # deliveries whose askers were told that they could not be stored


class QuestionService:
    """One platform's questions, from the incoming message to the card.

    async with QuestionService(pipeline, store, platform, settings.chat, settings.slack) as service:
        await service.take(incoming)   # returns when it is kept: now it may be acknowledged
    """

    def __init__(
        self,
        pipeline: Pipeline,
        store: Store,
        platform: Platform,
        chat: ChatSettings,
        front: FrontSettings,
        retention_days: float = 0,
        metrics: Counters | None = None,
    ) -> None:
        """Make the service; `open` starts it."""
        self._store = store
        self._platform = platform
        self._front = front
        self._retention_days = retention_days
        self._metrics = metrics = metrics or Counters()
        self._tasks = Tasks()
        self._work = OpenWork(pipeline, store, platform, chat, front, metrics, self._tasks)
        self._relay = Handover(store.leases, self._work, platform.name, metrics)
        self.support = SupportChannels(front, store, platform.name)
        self._not_kept: deque[str] = deque(maxlen=_TOLD)
        self.buttons = Buttons(store, platform, front, metrics, self._work, pipeline.has_gpu)

    async def __aenter__(self) -> QuestionService:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Continue unfinished questions; with several bots, keep doing so."""
        await self.support.open()
        if self._store.database.shared:
            self._tasks.spawn(self._relay.keep())
            self._tasks.spawn(self._relay.take_over())
        else:
            await self._relay.take_up()
        self._tasks.spawn(forget_old(self._store.database, self._retention_days))

    async def close(self) -> None:
        """Stop; unfinished questions stay open in the store, for the next start or another bot."""
        await self._tasks.close()
        await self._store.leases.release()

    async def idle(self) -> None:
        """Wait until no question is being worked on."""
        await self._work.idle()

    # -- what a platform calls -------------------------------------------------------------------

    async def take(self, incoming: Incoming) -> Stored | None:
        """Store a question, then start working on it; returns as soon as it is stored.

        Returns:
            The stored question; None where there is nothing to do: this delivery is known, the
            asker may not ask here (they are told why), or `manners` says to keep quiet.

        Raises:
            NotKeptError: the store does not take it in time; it is not to be acknowledged, so that
                it is delivered again. A store that is only slow may still take it.
        """
        taking = asyncio.ensure_future(self._take(incoming))
        self._tasks.hold(taking)
        await asyncio.wait({taking}, timeout=_IN_TIME_S)
        if taking.done():
            try:
                return taking.result()
            except DATABASE_ERRORS as e:
                log.error("a question could not be stored: %s", where(e))
        else:
            log.error("the store does not answer within %s s", _IN_TIME_S)
        first = incoming.event not in self._not_kept
        self._not_kept.append(incoming.event)
        raise NotKeptError(NOT_KEPT, first=first)

    async def _take(self, incoming: Incoming) -> Stored | None:
        refusal = manners.may_ask(
            self._front, incoming.asker, incoming.place, direct=incoming.door == "direct"
        )
        if refusal:
            if not incoming.unasked and await self._store.first_time(incoming.event):
                told = tell(self._platform, incoming.place, incoming.asker, refusal)
                self._tasks.spawn(told)
            return None
        if self._is_thanks(incoming):
            return None
        if incoming.door == "follow_up" and not await self._is_follow_up(incoming):
            return None
        if incoming.unasked and not await self._may_listen(incoming):
            return None
        asked = await self._store.take(incoming)
        if asked is not None:
            self._metrics.asked(self._platform.name, asked.door)
            log.info(
                "question %s through %s",
                asked.id,
                asked.door,
                extra=facts(question=asked.id, door=asked.door, platform=self._platform.name),
            )
            self._work.begin(asked)
        return asked

    async def edit(self, incoming: Incoming) -> None:
        """The message of a question was edited: run the new one, in the same card."""
        asked = await self._store.by_message(incoming.place)
        if asked is None or asked.state in ("deleted", "silent"):
            return
        if asked.asker.id != incoming.asker.id:
            return
        files = incoming.attachments or asked.attachments
        if asked.text == incoming.text and files == asked.attachments:
            return  # Slack also sends "changed" when it has unfurled a link
        again = await self._store.again(
            asked.id,
            incoming.event,
            text=incoming.text,
            attachments=files,
            run_with=RunWith(),  # what "run again" chose holds for that run only
        )
        if again is not None:
            self._work.begin(again)

    async def withdraw(self, place: Place) -> None:
        """The message of a question was deleted: forget it, and take away its cards."""
        for asked in await self._store.of_message(place):
            working = self._work.stop(asked.id)
            await self._store.deleted(asked.id)
            if working is not None:
                await asyncio.wait([working])  # it may be in the middle of making the card
            gone = await self._store.get(asked.id)
            if gone is not None and gone.card is not None:
                try:
                    await self._platform.delete(gone.card)
                except PlatformError as e:
                    log.warning("question %s: its card could not be deleted: %s", asked.id, e)

    def refusal(self, asker: Person, place: Place, *, direct: bool = False) -> str:
        """Why this person may not ask here, for platforms that can answer at once."""
        return manners.may_ask(self._front, asker, place, direct=direct)

    async def knows(self, place: Place, *, message: bool = False) -> bool:
        """Whether this thread (or this message) holds a question of ours."""
        if message:
            return await self._store.by_message(place) is not None
        return bool(await self._store.in_thread(place))

    async def direct_places(self) -> list[Place]:
        """The places of direct messages to us, the latest first; one place a channel."""
        return await self._store.direct_places(self._platform.name)

    async def first_time(self, delivery: str) -> bool:
        """Whether this delivery, which asks nothing, was not seen before."""
        return await self._store.first_time(delivery)

    async def questions_of(self, person: Person) -> list[Stored]:
        """Somebody's last questions, the latest first."""
        return await self._store.of_person(self._platform.name, person.id)

    async def in_words(self) -> list[str]:
        """The settings that matter to who asks, as sentences."""
        kept = f"for {self._retention_days:g} days" if self._retention_days else "for good"
        told = [f"Questions and answers are kept {kept}."]
        told.append(
            "Code runs on a GPU where it asks for one."
            if await self.buttons.may_use_gpu()
            else "Code runs on a CPU; what needs a GPU is simulated where that is possible."
        )
        if self._front.channels:
            told.append("Only some channels may ask; direct messages always may.")
        told.append(
            "“Ask a human” brings a question to people."
            if self._front.humans
            else "Nobody is named for “Ask a human”."
        )
        return told

    async def hear(self, place: Place, person: Person) -> None:
        """Note a message in a thread that is not for us: once the team answers, we stay silent."""
        channel = manners.support_channel(self._front, place)
        if channel is not None and manners.among(person, channel.team):
            await self._store.team_spoke(place)

    def _is_thanks(self, incoming: Incoming) -> bool:
        if incoming.door not in ("mention", "direct") or incoming.attachments:
            return False
        return manners.is_thanks(plain_words(incoming.text, self._platform))

    async def _is_follow_up(self, incoming: Incoming) -> bool:
        """Whether a message is a follow-up: by the asker of a thread that has a card.

        Once the team has spoken there, the asker must mention us.
        """
        earlier = await self._store.in_thread(incoming.place)
        return bool(
            earlier
            and earlier[0].asker.id == incoming.asker.id
            and any(e.state in ("open", "done") for e in earlier)
            and (incoming.attachments or manners.is_a_question(incoming.text))
            and not await self._store.is_theirs(incoming.place)
        )

    async def _may_listen(self, incoming: Incoming) -> bool:
        channel = manners.support_channel(self._front, incoming.place)
        if channel is None:
            return False
        earlier = await self._store.in_thread(incoming.place)
        reason = manners.may_listen(
            channel,
            incoming,
            datetime.now(UTC),
            team_spoke=await self._store.is_theirs(incoming.place),
            answered=any(e.unasked and e.state != "silent" for e in earlier),
        )
        return not reason
