"""The desk: takes a question in from any door and gives it exactly one card."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bot import manners
from bot.answer import Medic
from bot.attachments import MAX_ATTACHMENT_BYTES, MIB, TEXT_SUFFIXES, Attachment
from bot.errors import BotError, PlatformError, PlatformRefusedError, QuestionError
from bot.logs import facts
from bot.metrics import Metrics
from bot.models import Answer, Question, RunWith
from bot.platforms.base import (
    Answered,
    CardRef,
    Click,
    Incoming,
    Person,
    Place,
    Platform,
    Upload,
    View,
    Waiting,
    Working,
)
from bot.platforms.card import fixed_file, full_output
from bot.question import read_message
from bot.settings import ChatSettings, FrontSettings
from bot.store import Store
from bot.store.database import DATABASE_ERRORS
from bot.store.retention import forget
from bot.store.stored import Stored
from bot.turns import Turn, Turns
from executor.errors import ExecutorBusyError, ExecutorError, ExecutorGoneError
from knowledge.errors import KnowledgeError

log = logging.getLogger(__name__)

_STEP_EVERY_S = 1.0  # platforms limit how often a message may change
_PLACE_EVERY_S = 1.5
_TRY_AGAIN_S = 1.0  # while the executor is gone
_TRY_AGAIN_FULL_S = 5.0  # at most, while its queue is full
_FULL = 10  # as often as `patience_s`, a question waits for a place in that queue
_SHOW_AGAIN_S = (2.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0)  # while a platform is gone
_WHOLE_S = 10.0  # what a cancelled question may take to finish drawing
_FORGET_EVERY_S = 3600.0
_GIVE_WAY_TRIES = 60  # seconds for the one who overtook us to have a card
_TEXT_BYTES = MIB  # of an attached log: reading more takes longer than anybody waits
_FILES = 10


@dataclass
class _Case:
    """A question that is being worked on."""

    asked: Stored
    card: CardRef | None
    turn: Turn | None = None
    told_at: float = 0.0  # when the card was last changed
    away: bool = False  # the executor is gone, and the card says so


class _OvertakenError(Exception):
    """The question is another bot's, or another wording's: nothing more may be said to this one."""


class Desk:
    """One platform's questions, from the door to the card.

    async with Desk(medic, store, platform, settings.chat, settings.slack) as desk:
        await desk.take(incoming)   # returns when it is kept: now it may be acknowledged
    """

    def __init__(
        self,
        medic: Medic,
        store: Store,
        platform: Platform,
        chat: ChatSettings,
        front: FrontSettings,
        retention_days: float = 0,
        metrics: Metrics | None = None,
    ) -> None:
        """A desk that is not open yet."""
        self._medic = medic
        self._store = store
        self._platform = platform
        self._chat = chat
        self._front = front
        self._retention_days = retention_days
        self._at_once = chat.at_once or os.cpu_count() or 1
        self._turns = Turns(self._at_once)
        self._went = asyncio.Event()  # a question of ours is no longer worked on
        self._tasks: set[asyncio.Task[None]] = set()
        self._working: dict[str, asyncio.Task[None]] = {}  # by question
        self._metrics = metrics or Metrics()
        self._metrics.watch(
            platform.name, lambda: self._turns.waiting,
            lambda: len(self._working) - self._turns.waiting,
        )  # fmt: skip
        self._placed_at = 0.0  # when somebody in the line was last told their place

    async def __aenter__(self) -> Desk:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Take up what was left unfinished, in the order it was asked."""
        if self._store.database.shared:
            self._spawn(self._keep())
            self._spawn(self._take_over())
        else:
            self._take_up(await self._store.leases.claim(self._platform.name))
        self._spawn(self._forget())

    async def close(self) -> None:
        """Stop; what is unfinished stays open in the store, for the next start or another bot."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._store.leases.release()

    async def idle(self) -> None:
        """Wait until no question is being worked on."""
        while self._working:
            await asyncio.wait([*self._working.values()])

    # -- doors -----------------------------------------------------------------------------------

    async def take(self, incoming: Incoming) -> Stored | None:
        """Keep a question, then begin with it; returns as soon as it is kept.

        Returns:
            The question as kept; None where there is nothing to do: this delivery is known, the
            asker may not ask here (they are told why), or manners say to keep quiet.
        """
        refusal = manners.may_ask(
            self._front, incoming.asker, incoming.place, direct=incoming.door == "direct"
        )
        if refusal:
            if not incoming.unasked and await self._store.first_time(incoming.event):
                self._spawn(self._tell(incoming.place, incoming.asker, refusal))
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
            self._begin(asked)
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
            return  # Slack also says "changed" when it has unfurled a link
        if not await self._store.first_time(incoming.event):
            return
        again = await self._store.again(asked.id, text=incoming.text, attachments=files)
        if again is not None:
            self._begin(again)

    def refusal(self, asker: Person, place: Place, *, direct: bool = False) -> str:
        """Why this person may not ask here; for doors that can say so at once."""
        return manners.may_ask(self._front, asker, place, direct=direct)

    async def knows(self, place: Place, *, message: bool = False) -> bool:
        """Whether this thread (or this message) holds a question of ours."""
        if message:
            return await self._store.by_message(place) is not None
        return bool(await self._store.in_thread(place))

    async def direct_places(self) -> list[Place]:
        """Where people have written to us directly, the latest first; one place a channel."""
        return await self._store.direct_places(self._platform.name)

    async def last_run_with(self, question: str) -> RunWith:
        """How a question ran last: what a form for "run again" begins with."""
        asked = await self._store.get(question)
        return asked.run_with if asked is not None else RunWith()

    async def hear(self, place: Place, person: Person) -> None:
        """Somebody said something in a thread that is not for us: the team's word silences us."""
        channel = manners.support_channel(self._front, place)
        if channel is not None and manners.among(person, channel.team):
            await self._store.team_spoke(place)

    async def _is_follow_up(self, incoming: Incoming) -> bool:
        """Ours are the threads that hold a card; they are for the asker of the first question.

        Once the team has spoken there, the asker talks to them, and calls us by a mention.
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
            channel, incoming, datetime.now(UTC),
            team_spoke=await self._store.is_theirs(incoming.place),
            answered=any(e.unasked and e.state != "silent" for e in earlier),
        )  # fmt: skip
        return not reason

    # -- buttons ---------------------------------------------------------------------------------

    async def may_click(self, click: Click) -> str:
        """Why a press is refused; empty if it is not. Asked before a form opens."""
        asked = await self._store.get(click.question)
        if asked is None or asked.state == "deleted":
            return "I do not keep this question any more. Ask it again and I will run it."
        if asked.place.platform != click.place.platform or (
            click.place.channel and asked.place.channel != click.place.channel
            and (asked.card is None or asked.card.channel != click.place.channel)
        ):  # fmt: skip
            return "This button belongs to another message."
        return manners.may_click(self._front, click, asked.asker, private=asked.place.private)

    async def click(self, click: Click) -> None:
        """Do what a button says; who may not is told why, kindly and privately."""
        if refusal := await self.may_click(click):
            await self._tell(click.place, click.person, refusal)
            return
        if not await self._store.first_time(click.event):
            return
        asked = await self._store.get(click.question)
        assert asked is not None
        self._metrics.clicked(self._platform.name, click.verb)
        log.info(
            "question %s: %s", asked.id, click.verb, extra=facts(question=asked.id, verb=click.verb)
        )
        await getattr(self, f"_{click.verb}")(asked, click)

    async def _solved(self, asked: Stored, click: Click) -> None:
        await self._store.solved(asked.id)
        await self._store.say(asked.id, click.person, "solved")
        if asked.answer is not None:
            await self._redraw(asked, Answered(asked.answer, solved=True, redrawn=True), click)
        await self._tell(click.place, click.person, "Glad it helped. Noted as solved.")

    async def _wrong(self, asked: Stored, click: Click) -> None:
        await self._store.say(asked.id, click.person, "wrong", click.words[:2000])
        await self._tell(
            click.place, click.person,
            "Thank you, I noted that. “Ask a human” brings the case to people.",
        )  # fmt: skip

    async def _again(self, asked: Stored, click: Click) -> None:
        # A private card can only be changed through the newest click on it.
        place = asked.place
        if place.private and click.place.via:
            place = place.model_copy(update={"via": click.place.via, "message": ""})
        again = await self._store.again(asked.id, run_with=click.run_with, place=place)
        if again is not None:
            self._begin(again)

    async def _human(self, asked: Stored, click: Click) -> None:
        if not self._front.humans:
            await self._tell(click.place, click.person,
                             "Nobody is named here for me to ask. Whoever runs this bot can set "
                             "`humans` in its settings.")  # fmt: skip
            return
        await self._store.say(asked.id, click.person, "human")
        reached = 0
        for where in self._front.humans:
            try:
                await self._platform.refer(
                    where, asked.asker, asked.place, asked.text, asked.answer
                )
                reached += 1
            except PlatformError as e:
                log.warning("question %s could not be brought to %s: %s", asked.id, where, e)
        told = "I brought your case to people; they see your question and my answer."
        if not reached:
            told = "I could not reach the people named in my settings. Please ask them yourself."
        await self._tell(click.place, click.person, told)

    async def _output(self, asked: Stored, click: Click) -> None:
        await self._hand(asked, click, full_output(asked.answer) if asked.answer else None,
                         "The snippet printed nothing.")  # fmt: skip

    async def _fixed(self, asked: Stored, click: Click) -> None:
        await self._hand(asked, click, fixed_file(asked.answer) if asked.answer else None,
                         "There is no verified fix for this one.")  # fmt: skip

    async def _delete(self, asked: Stored, click: Click) -> None:
        self._stop(asked.id)
        card = asked.card
        if click.place.via and asked.place.private:
            card = CardRef(channel=asked.place.channel, message="", via=click.place.via)
        await self._store.deleted(asked.id)
        if card is not None:
            await self._platform.delete(card)

    async def _hand(
        self, asked: Stored, click: Click, upload: Upload | None, otherwise: str
    ) -> None:
        if upload is None:
            await self._tell(click.place, click.person, otherwise)
            return
        private = asked.place.private or click.person.id != asked.asker.id
        place = asked.place.model_copy(update={"via": click.place.via or asked.place.via})
        try:
            await self._platform.hand(place, click.person, upload, private=private)
        except PlatformError as e:
            log.warning("question %s: a file could not be handed out: %s", asked.id, e)
            await self._tell(click.place, click.person, f"I could not hand out {upload.name}.")

    async def _redraw(self, asked: Stored, view: View, click: Click) -> None:
        card = asked.card
        if asked.place.private and click.place.via:
            card = CardRef(channel=asked.place.channel, message="", via=click.place.via)
        if card is not None:
            try:
                await self._platform.show(asked.id, asked.place, view, card)
            except PlatformError as e:
                log.warning("question %s: its card could not be changed: %s", asked.id, e)

    # -- several bots ----------------------------------------------------------------------------

    def _take_up(self, left: list[Stored]) -> None:
        if left:
            self._metrics.taken_up(self._platform.name, len(left))
            log.info(
                "%d questions were left unfinished; taking them up",
                len(left),
                extra=facts(questions=len(left)),
            )
        for asked in left:
            self._begin(asked)

    async def _take_over(self) -> None:
        """Work on what a bot that is gone has left, no more at a time than can begin at once."""
        while True:
            self._went.clear()
            if (room := self._at_once - len(self._working)) > 0:
                try:
                    self._take_up(await self._store.leases.claim(self._platform.name, room))
                except DATABASE_ERRORS as e:
                    log.warning("the store does not answer: %s", type(e).__name__)
            try:
                await asyncio.wait_for(self._went.wait(), self._store.leases.lease_s / 3)
            except TimeoutError:
                pass  # time to look again

    async def _keep(self) -> None:
        """Say again that our questions are ours; drop those that went to another bot."""
        while True:
            await asyncio.sleep(self._store.leases.lease_s / 3)
            before = set(self._working)
            if not before:
                continue
            try:
                ours = await self._store.leases.renew(before)
            except DATABASE_ERRORS as e:
                log.warning("the store does not answer: %s", type(e).__name__)
                continue
            for id in before - ours:
                log.warning("question %s went to another bot", id)
                self._stop(id)

    async def _give_way(self, asked: Stored, card: CardRef | None) -> None:
        """We were overtaken while we drew: what we drew must not stay beside or over the answer."""
        for _ in range(_GIVE_WAY_TRIES):
            now = await self._store.get(asked.id)
            if now is None or now.state != "open" or now.card is not None:
                break
            await asyncio.sleep(1)
        if card is None or (now is not None and now.card == card and now.answer is None):
            return  # private, or the other bot found our card and goes on with it
        try:
            if now is None or now.card != card:
                await self._platform.delete(card)
            elif now.answer is not None:
                view = Answered(now.answer, solved=now.solved, redrawn=True)
                await self._platform.show(asked.id, asked.place, view, card)
        except PlatformError as e:
            log.warning("question %s: a card too many could not be mended: %s", asked.id, e)

    # -- one question ----------------------------------------------------------------------------

    def _begin(self, asked: Stored) -> None:
        """Work on a question from now on, and on no older wording of it."""
        before = self._stop(asked.id)
        turn = self._turns.join(asked.asker.id)
        case = _Case(asked, asked.card, turn)
        task = self._spawn(self._serve(case, before))
        self._working[asked.id] = task
        task.add_done_callback(lambda done: self._finished(asked.id, turn, done))

    def _stop(self, id: str) -> asyncio.Task[None] | None:
        task = self._working.pop(id, None)
        if task is not None:
            task.cancel()
        return task

    def _finished(self, id: str, turn: Turn, task: asyncio.Task[None]) -> None:
        self._turns.leave(turn)  # also where it was cancelled before it began
        self._went.set()
        if self._working.get(id) is task:
            del self._working[id]

    async def _serve(self, case: _Case, before: asyncio.Task[None] | None) -> None:
        try:
            await self._work(case, before)
        except _OvertakenError:
            log.info("question %s is another bot's or another wording's now", case.asked.id)

    async def _work(self, case: _Case, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])  # it may be in the middle of making the card
            fresh = await self._store.get(case.asked.id)
            if fresh is not None:
                case.asked, case.card = fresh, fresh.card
        asked, turn = case.asked, case.turn
        assert turn is not None
        answer = asked.answer  # kept before a crash, perhaps not shown
        if answer is None:
            if not asked.unasked:
                await self._step(case, Waiting(self._turns.ahead(turn)), now=True)
            async with self._turns.wait(turn, lambda n: self._place_in_line(case, n)):
                answer = await self._answer(case)
            if not await self._store.answered(asked.id, asked.revision, answer):
                return  # edited or deleted meanwhile: the other run shows its own
            self._metrics.answered(self._platform.name, answer, unasked=asked.unasked)
        else:
            self._turns.leave(turn)
        if asked.unasked and not await self._is_wanted(asked, answer):
            await self._store.done(asked.id, asked.revision, "silent")
            return
        await self._finish(case, answer)
        took_s = time.time() - asked.asked_at
        log.info(
            "question %s: %s",
            asked.id,
            answer.status,
            extra=facts(question=asked.id, status=answer.status, seconds=round(took_s, 3)),
        )

    async def _is_wanted(self, asked: Stored, answer: Answer) -> bool:
        """Asked again right before speaking: the team may have answered while it ran."""
        channel = manners.support_channel(self._front, asked.place)
        return (
            channel is not None
            and manners.worth_saying(channel, answer)
            and not await self._store.is_theirs(asked.place)
        )

    async def _answer(self, case: _Case) -> Answer:
        """The Answer, or one that says why there is none."""
        began = time.monotonic()
        while True:
            try:
                return await self._try(case)
            except _OvertakenError:
                raise
            except QuestionError as e:
                return Answer(status="unsure", headline=f"Not sure: {e}.")
            except ExecutorBusyError as e:
                # It is there, and others come first: that is worth more patience.
                if time.monotonic() - began > _FULL * self._chat.patience_s:
                    return _failed("too many people ask at once")
                await self._step(case, Working(_full(e)), now=True)
                await asyncio.sleep(min(e.retry_after_s, _TRY_AGAIN_FULL_S))
                continue
            except ExecutorGoneError as e:
                log.warning("question %s: %s", case.asked.id, e)
                if time.monotonic() - began > self._chat.patience_s:
                    return _failed("the place where I run code does not answer")
            except PlatformError as e:
                log.warning("question %s: an attachment cannot be read: %s", case.asked.id, e)
                return _failed("an attached file could not be fetched")
            except (ExecutorError, KnowledgeError, BotError) as e:
                log.error("question %s: %s", case.asked.id, _where(e))
                log.debug("question %s", case.asked.id, exc_info=e)
                return _failed("something is wrong with my own set-up")
            except Exception as e:
                # Its text may hold the snippet, so only its place is told.
                log.error("question %s: %s", case.asked.id, _where(e))
                log.debug("question %s", case.asked.id, exc_info=e)
                return _failed("I made a mistake of my own")
            if not case.away:
                away = "the place where I run code does not answer yet; trying again"
                await self._step(case, Working(away), now=True)
                case.away = True
            await asyncio.sleep(_TRY_AGAIN_S)

    async def _try(self, case: _Case) -> Answer:
        asked = case.asked
        began = time.perf_counter()
        question = await self._read(asked)
        parse_ms = (time.perf_counter() - began) * 1000
        async for said in self._medic.answer(question, parse_ms, asked.run_with):
            if isinstance(said, Answer):
                return said
            if not case.away:
                await self._step(case, Working(said.text))
        raise AssertionError("the last thing said is always the answer")

    async def _read(self, asked: Stored) -> Question:
        """The message understood; a follow-up without code is about the code before it."""
        question = await self._understood(asked)
        if asked.door != "follow_up" or question.snippets:
            return question
        for earlier in reversed(await self._store.in_thread(asked.place)):
            if earlier.id == asked.id or earlier.asked_at > asked.asked_at or not earlier.text:
                continue
            try:
                before = await self._understood(earlier)
            except (QuestionError, PlatformError):
                continue
            if before.snippets:
                return question.model_copy(
                    update={
                        "snippets": before.snippets,
                        "files": before.files + question.files,
                        "versions": before.versions | question.versions,
                        "notes": (
                            *before.notes,
                            "your code is the one from before",
                            *question.notes,
                        ),
                    }
                )
        return question

    async def _understood(self, asked: Stored) -> Question:
        files: list[Attachment] = []
        notes: list[str] = []
        for attached in asked.attachments[:_FILES]:
            if attached.size > MAX_ATTACHMENT_BYTES:  # not even fetched
                name = Attachment(attached.name, b"").plain_name
                raise QuestionError(
                    f"{name}: {attached.size / MIB:.1f} MiB is more than the "
                    f"{MAX_ATTACHMENT_BYTES // MIB} MiB that I read; cut it down to the smallest "
                    "part that fails"
                )
            file = Attachment(attached.name, await self._platform.read(attached))
            if file.suffix in TEXT_SUFFIXES and len(file.data) > _TEXT_BYTES:
                # The error stands at the end of a log.
                file = replace(file, data=file.data[-_TEXT_BYTES:])
                notes.append(f"of {file.plain_name} only the last MiB was read")
            files.append(file)
        if len(asked.attachments) > _FILES:
            notes.append(f"only the first {_FILES} files were read")
        # In a thread: a long log takes seconds, and somebody else wants their acknowledgement.
        question = await asyncio.to_thread(read_message, asked.text, files, _markup(asked))
        return (
            question.model_copy(update={"notes": (*question.notes, *notes)}) if notes else question
        )

    # -- the card --------------------------------------------------------------------------------

    async def _step(self, case: _Case, view: View, *, now: bool = False) -> None:
        """Show what is being done; what cannot be shown is no reason to stop."""
        if case.asked.unasked or (not now and time.monotonic() - case.told_at < _STEP_EVERY_S):
            return
        try:
            await self._show(case, view)
        except PlatformError as e:
            self._metrics.failed(self._platform.name)
            log.warning("question %s: a step could not be shown: %s", case.asked.id, e)
        except DATABASE_ERRORS as e:
            log.warning("question %s: the store does not answer: %s", case.asked.id, _where(e))

    async def _place_in_line(self, case: _Case, ahead: int) -> None:
        """Of a long line only one a moment hears of its place: platforms count our calls."""
        if time.monotonic() - self._placed_at > _PLACE_EVERY_S:
            self._placed_at = time.monotonic()
            await self._step(case, Waiting(ahead))

    async def _finish(self, case: _Case, answer: Answer) -> None:
        """Show the answer, however long the platform is away."""
        asked = case.asked
        for wait_s in (*_SHOW_AGAIN_S, None):
            try:
                await self._show(case, Answered(answer, solved=asked.solved))
                break
            except PlatformRefusedError as e:
                log.error("question %s: its answer was refused for good: %s", asked.id, e)
                told = f"I have an answer for you, but I may not post it there ({e})."
                if not asked.unasked:
                    await self._tell(asked.place, asked.asker, told)
                break
            except PlatformError as e:
                self._metrics.failed(self._platform.name)
                log.warning("question %s: its answer cannot be shown yet: %s", asked.id, e)
                if wait_s is None:
                    return  # it stays open: the next start tries again
                await asyncio.sleep(wait_s)
            except DATABASE_ERRORS as e:
                log.warning("question %s: the store does not answer: %s", asked.id, _where(e))
                if wait_s is None:
                    raise
                await asyncio.sleep(wait_s)
        await self._store.done(asked.id, asked.revision)
        if not asked.revision:  # "run again" comes when it likes
            self._metrics.shown(self._platform.name, time.time() - asked.asked_at)

    async def _show(self, case: _Case, view: View) -> None:
        asked = case.asked
        case.told_at = time.monotonic()
        if not await self._store.leases.hold(asked.id, asked.revision, showing=not asked.showing):
            raise _OvertakenError
        if case.card is None and asked.showing:
            case.card = await self._platform.find(asked.id, asked.place)
            if case.card is not None:
                await self._store.shown(asked.id, case.card)
        case.asked = asked = replace(asked, showing=True)
        await _whole(self._draw(case, asked, view))

    async def _draw(self, case: _Case, asked: Stored, view: View) -> None:
        card = await self._platform.show(asked.id, asked.place, view, case.card)
        ours = True
        if card != case.card:
            case.card = card
            ours = await self._store.shown(asked.id, card)
        elif self._store.database.shared:
            ours = await self._store.leases.hold(asked.id, asked.revision)
        if not ours:
            self._spawn(self._give_way(asked, card))
            raise _OvertakenError

    # -- small things ----------------------------------------------------------------------------

    async def _tell(self, place: Place, person: Person, text: str) -> None:
        try:
            await self._platform.tell(place, person, text)
        except PlatformError as e:
            log.warning("a private word could not be said: %s", e)

    async def _forget(self) -> None:
        while self._retention_days:
            gone = await forget(self._store.database, self._retention_days)
            if gone:
                log.info("%d questions older than %g days deleted", gone, self._retention_days)
            await asyncio.sleep(_FORGET_EVERY_S)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def logged(work: Coroutine[Any, Any, None]) -> None:
    """Nothing may vanish in a task that nobody awaits."""
    try:
        await work
    except Exception as e:
        log.error("%s", _where(e))
        log.debug("a task failed", exc_info=e)


async def _whole(work: Coroutine[Any, Any, None]) -> None:
    """Do all of it even if cancelled on the way: a card that nobody knows would be a second one."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=_WHOLE_S)
        raise


def _where(e: Exception) -> str:
    """An exception's type and place, without its text."""
    trace = e.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "nowhere"
    return f"{type(e).__name__} at {place}"


def _markup(asked: Stored) -> Any:
    name = asked.place.platform
    return name if name in ("slack", "discord") else "plain"


def _full(e: ExecutorBusyError) -> str:
    jobs = "1 job is" if e.waiting == 1 else f"{e.waiting or 'other'} jobs are"
    return f"{jobs} before yours where I run code; trying again"


def _failed(reason: str) -> Answer:
    later = "Your question is kept; press “Run again” in a while, or ask a human."
    return Answer(status="not_run", headline=f"Could not run it: {reason}. {later}")
