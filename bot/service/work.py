"""Work on this bot's questions, each in its turn: run, store the answer, show it."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time

from bot.diagnosis.pipeline import Pipeline
from bot.errors import BotError, PlatformError, QuestionError, TokenRefusedError
from bot.logs import facts, where
from bot.messages.chat_markup import as_seen
from bot.models import Answer, Origin, Reply
from bot.service import manners
from bot.service.asked_before import asked_before
from bot.service.counters import Counters
from bot.service.follow_up import is_same, same_as_before
from bot.service.links import Links
from bot.service.question_card import OvertakenError, QuestionCard
from bot.service.reading import read
from bot.service.retry import retrying
from bot.service.seam import Case, Place, Platform, Waiting, Working
from bot.service.store import Store
from bot.service.store.database import DATABASE_ERRORS
from bot.service.store.stored import Stored
from bot.service.tasks import Tasks
from bot.service.turns import Turn, Turns
from bot.settings import ChatSettings, FrontSettings
from executor.exceptions import (
    ExecutorBusyError,
    ExecutorError,
    ExecutorGoneError,
    VersionMismatchError,
)
from knowledge.errors import KnowledgeError

log = logging.getLogger(__name__)

_PLACE_EVERY_S = 1.5
_TRY_AGAIN_S = 1.0  # while the executor is gone
_TRY_AGAIN_FULL_S = 5.0  # at most, while its queue is full
_FULL = 10  # times `patience_s`, how long a question waits for a place in that queue


class OpenWork:
    """The questions being worked on."""

    def __init__(
        self,
        pipeline: Pipeline,
        store: Store,
        platform: Platform,
        chat: ChatSettings,
        front: FrontSettings,
        metrics: Counters,
        tasks: Tasks,
    ) -> None:
        """No work yet."""
        self._pipeline = pipeline
        self._store = store
        self._platform = platform
        self._patience_s = chat.patience_s
        self._links = Links(chat.links)
        self._front = front
        self._metrics = metrics
        self._tasks = tasks
        self._at_once = chat.at_once or os.cpu_count() or 1
        self._turns = Turns(self._at_once)
        self._working: dict[str, asyncio.Task[None]] = {}
        self.went = asyncio.Event()  # a question is no longer worked on
        self._position_shown_at = 0.0  # when a position was last shown
        metrics.watch(
            platform.name,
            lambda: self._turns.waiting,
            lambda: len(self._working) - self._turns.waiting,
        )

    @property
    def ids(self) -> set[str]:
        """The questions that are being worked on, or wait for it."""
        return set(self._working)

    @property
    def room(self) -> int:
        """How many more questions could begin at once."""
        return self._at_once - len(self._working)

    def begin(self, asked: Stored) -> None:
        """Start working on a question, and stop working on an older wording of it."""
        before = self.stop(asked.id)
        turn = self._turns.join(asked.asker.id)
        case = QuestionCard(asked, self._store, self._platform, self._metrics, self._tasks)
        task = self._tasks.spawn(self._serve(case, turn, before))
        self._working[asked.id] = task
        task.add_done_callback(lambda done: self._finished(asked.id, turn, done))

    def stop(self, id: str) -> asyncio.Task[None] | None:
        """Stop working on a question; return its task, which may take a moment to end."""
        task = self._working.pop(id, None)
        if task is not None:
            task.cancel()
        return task

    async def idle(self) -> None:
        """Wait until nothing is being worked on."""
        while self._working:
            await asyncio.wait([*self._working.values()])

    def _finished(self, id: str, turn: Turn, task: asyncio.Task[None]) -> None:
        self._turns.leave(turn)  # also where it was cancelled before it began
        self.went.set()
        if self._working.get(id) is task:
            del self._working[id]

    # -- one question ----------------------------------------------------------------------------

    async def _serve(
        self, case: QuestionCard, turn: Turn, before: asyncio.Task[None] | None
    ) -> None:
        try:
            if before is not None:
                await asyncio.wait([before])  # it may be in the middle of making the card
                if (fresh := await self._store.get(case.asked.id)) is not None:
                    case.know(fresh)
            await self._work(case, turn)
        except OvertakenError:
            log.info("question %s is another bot's or another wording's now", case.asked.id)

    async def _work(self, case: QuestionCard, turn: Turn) -> None:
        asked = case.asked
        answer = asked.answer  # kept before a crash, perhaps not shown
        if answer is None:
            if not asked.unasked:
                await case.step(Waiting(self._turns.ahead(turn)), now=True)
            async with self._turns.wait(turn, lambda n: self._show_position(case, n)):
                answer = await self._answer(case)
            answer = await self._with_earlier(asked, answer)
            if not await self._store.answered(asked.id, asked.revision, answer):
                return  # edited or deleted meanwhile: the other run shows its own
            self._metrics.answered(self._platform.name, answer, unasked=asked.unasked)
        else:
            self._turns.leave(turn)
        if asked.unasked and not await self._is_wanted(asked, answer):
            await self._store.done(asked.id, asked.revision, "silent")
            return
        if asked.unasked and (draft := self._draft_channel(asked)):
            await self._draft(asked, answer, draft)
            return
        await case.finish(answer)
        took_s = time.time() - asked.asked_at
        log.info(
            "question %s: %s",
            asked.id,
            answer.status,
            extra=facts(question=asked.id, status=answer.status, seconds=round(took_s, 3)),
        )

    async def _with_earlier(self, asked: Stored, answer: Answer) -> Answer:
        """The answer with the address of a solved question like it, where there is one."""
        try:
            if (before := await asked_before(asked, answer, self._store)) is None:
                return answer
            link = await self._platform.link(before.place)
        except (PlatformError, *DATABASE_ERRORS) as e:
            log.info("question %s: no earlier question was looked for: %s", asked.id, where(e))
            return answer
        return answer.model_copy(update={"asked_before": link})

    def _draft_channel(self, asked: Stored) -> str:
        channel = manners.support_channel(self._front, asked.place)
        return channel.draft if channel is not None else ""

    async def _draft(self, asked: Stored, answer: Answer, where: str) -> None:
        """Show an unasked answer to the team alone, who may post, edit or drop it."""
        text = as_seen(asked.text, self._platform.markup)
        case = Case(asked.id, asked.asker, asked.place, text, answer, is_draft=True)
        try:
            await self._platform.refer(where, case)
        except PlatformError as e:
            log.error("question %s: its draft could not be shown: %s", asked.id, e)
        await self._store.done(asked.id, asked.revision, "silent")

    async def _show_position(self, case: QuestionCard, ahead: int) -> None:
        """Show the position in the queue, one card at a time: platforms limit our calls."""
        if time.monotonic() - self._position_shown_at > _PLACE_EVERY_S:
            self._position_shown_at = time.monotonic()
            await case.step(Waiting(ahead))

    async def _is_wanted(self, asked: Stored, answer: Answer) -> bool:
        """Whether to show the answer, decided last: the team may have answered meanwhile."""
        channel = manners.support_channel(self._front, asked.place)
        return (
            channel is not None
            and manners.worth_saying(channel, answer)
            and not await self._store.is_theirs(asked.place)
        )

    async def _answer(self, case: QuestionCard) -> Answer:
        """The Answer, or one that says why there is none."""
        away = False  # the executor is gone, and the card says so

        def patience_s(error: Exception) -> float:
            if isinstance(error, TokenRefusedError):
                return math.inf  # until there is a good one, perhaps after a restart
            # Of a full queue: it is there, and others come first. That is worth more patience.
            full = isinstance(error, ExecutorBusyError)
            return self._patience_s * (_FULL if full else 1)

        def tell_operator(error: Exception) -> None:
            if isinstance(error, ExecutorGoneError):
                log.warning("question %s: %s", case.asked.id, error)

        async def say_why(error: Exception) -> None:
            nonlocal away
            if isinstance(error, ExecutorBusyError):
                await case.step(Working(_full(error)), now=True)
            elif isinstance(error, ExecutorGoneError) and not away:
                away = True
                gone = "the place where I run code does not answer yet; trying again"
                await case.step(Working(gone), now=True)

        try:
            return await retrying(
                lambda: self._try(case, silently=away),
                may_pass=lambda e: isinstance(
                    e, ExecutorBusyError | ExecutorGoneError | TokenRefusedError
                ),
                patience_s=patience_s,
                waits_s=(_TRY_AGAIN_S,),
                longest_s=_TRY_AGAIN_FULL_S,
                failed=tell_operator,
                before_wait=say_why,
            )
        except OvertakenError:
            raise
        except QuestionError as e:
            return _replied(Reply(text=f"{e}."))
        except ExecutorBusyError:
            return _failed("too many people ask at once")
        except ExecutorGoneError:
            return _failed("the place where I run code does not answer")
        except PlatformError as e:
            log.warning("question %s: an attachment cannot be read: %s", case.asked.id, e)
            return _failed("an attached file could not be fetched")
        except VersionMismatchError as e:
            log.error("question %s: %s", case.asked.id, e)
            return _failed(str(e))
        except (ExecutorError, KnowledgeError, BotError) as e:
            log.error("question %s: %s", case.asked.id, where(e))
            log.debug("question %s", case.asked.id, exc_info=e)
            return _failed("something is wrong with my own set-up")
        except Exception as e:
            # Its text may hold the snippet, so only its place is told.
            log.error("question %s: %s", case.asked.id, where(e))
            log.debug("question %s", case.asked.id, exc_info=e)
            return _failed("I made a mistake of my own")

    async def _has_gpu(self, asked: Stored) -> bool:
        """Whether a follow-up may ask for a GPU; asked only where it may."""
        if "gpu" not in asked.text.lower() and "cuda" not in asked.text.lower():
            return False
        try:
            return await self._pipeline.has_gpu()
        except ExecutorError:
            return False

    async def _try(self, case: QuestionCard, *, silently: bool) -> Answer:
        asked = case.asked
        began = time.perf_counter()
        found = await read(
            asked,
            self._store,
            self._platform,
            has_gpu=await self._has_gpu(asked),
            links=self._links,
        )
        parse_ms = (time.perf_counter() - began) * 1000
        if found.reply is not None:
            return _replied(found.reply)
        async for said in self._pipeline.answer(
            found.question, parse_ms, found.run_with, _origin(asked.place)
        ):
            if isinstance(said, Answer):
                if found.before is not None and is_same(said, found.before):
                    return _replied(same_as_before(said, found.changed))
                if found.otherwise is not None and said.status == "unsure":
                    return _replied(found.otherwise)
                return said.model_copy(update={"code": found.question.code})
            if not silently:
                await case.step(Working(said.text))
        raise AssertionError("the last thing said is always the answer")


def _origin(place: Place) -> Origin:
    return Origin(platform=place.platform, channel=place.channel, private=place.private)


def _replied(reply: Reply) -> Answer:
    return Answer(status="advice", headline=reply.text.partition("\n")[0], reply=reply)


def _full(e: ExecutorBusyError) -> str:
    jobs = "1 job is" if e.waiting == 1 else f"{e.waiting or 'other'} jobs are"
    return f"{jobs} before yours where I run code; trying again"


def _failed(reason: str) -> Answer:
    later = "Your question is kept; press “Run again” in a while, or ask a human."
    return Answer(status="not_run", headline=f"Could not run it: {reason}. {later}")
