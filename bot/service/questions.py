"""The question service: takes questions from a platform; each gets exactly one card."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from bot.diagnosis.pipeline import Pipeline
from bot.logs import facts
from bot.service import manners
from bot.service.buttons import Buttons
from bot.service.counters import Counters
from bot.service.handover import Handover
from bot.service.seam import Incoming, Person, Place, Platform, tell
from bot.service.store import Store
from bot.service.store.retention import forget_old
from bot.service.store.stored import Stored
from bot.service.tasks import Tasks
from bot.service.work import OpenWork
from bot.settings import ChatSettings, FrontSettings

log = logging.getLogger(__name__)


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
        self.buttons = Buttons(store, platform, front, metrics, self._work)

    async def __aenter__(self) -> QuestionService:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Continue unfinished questions; with several bots, keep doing so."""
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
        """
        refusal = manners.may_ask(
            self._front, incoming.asker, incoming.place, direct=incoming.door == "direct"
        )
        if refusal:
            if not incoming.unasked and await self._store.first_time(incoming.event):
                told = tell(self._platform, incoming.place, incoming.asker, refusal)
                self._tasks.spawn(told)
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
            asked.id, incoming.event, text=incoming.text, attachments=files
        )
        if again is not None:
            self._work.begin(again)

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

    async def hear(self, place: Place, person: Person) -> None:
        """Note a message in a thread that is not for us: once the team answers, we stay silent."""
        channel = manners.support_channel(self._front, place)
        if channel is not None and manners.among(person, channel.team):
            await self._store.team_spoke(place)

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
