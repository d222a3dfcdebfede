"""The buttons under a card: check who may press which, and carry out each."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.errors import PlatformError
from bot.logs import facts, where
from bot.messages.attachments import Attachment
from bot.messages.chat_markup import as_seen
from bot.models import Answer, RunWith
from bot.service import manners
from bot.service.counters import Counters
from bot.service.details import details
from bot.service.seam import Answered, CardRef, Case, Click, Platform, Upload, View, tell
from bot.service.store import Store
from bot.service.store.database import DATABASE_ERRORS
from bot.service.store.stored import Stored
from bot.service.uploads import fixed_file, full_output
from bot.service.work import OpenWork
from bot.settings import FrontSettings
from executor.exceptions import ExecutorError

log = logging.getLogger(__name__)

_PRESS_LATER = "My database does not answer; please press that again later."


@dataclass(frozen=True)
class RerunOptions:
    """What may be chosen for "run again"."""

    now: RunWith  # chosen at first
    has_gpu: bool  # no device is offered that is not there


class Buttons:
    """One platform's buttons.

    await buttons.click(click)   # done, or its person is told why not
    """

    def __init__(
        self,
        store: Store,
        platform: Platform,
        front: FrontSettings,
        metrics: Counters,
        work: OpenWork,
        has_gpu: Callable[[], Awaitable[bool]],
    ) -> None:
        """Make them; no button has been pressed yet."""
        self._has_gpu = has_gpu
        self._store = store
        self._platform = platform
        self._front = front
        self._metrics = metrics
        self._work = work
        self._under_way: set[str] = set()  # presses that are not stored yet

    async def may_click(self, click: Click) -> str:
        """Why a press is refused; empty if it is allowed. Called before a form opens."""
        try:
            asked = await self._store.get(click.question)
        except DATABASE_ERRORS as e:
            log.error("a press could not be looked up: %s", where(e))
            return _PRESS_LATER
        # If deleting the card failed when its question was deleted, it can be tried again.
        if asked is None or (asked.state == "deleted" and click.verb != "delete"):
            return "I do not keep this question any more. Ask it again and I will run it."
        if click.verb in ("claim", "resolve"):
            return manners.may_help(self._front, click)
        if click.verb in ("post", "edit", "drop"):
            return manners.may_publish(self._front, click, asked.place)
        if asked.place.platform != click.place.platform or (
            click.place.channel
            and asked.place.channel != click.place.channel
            and (asked.card is None or asked.card.channel != click.place.channel)
        ):
            return "This button belongs to another message."
        return manners.may_click(self._front, click, asked.asker, private=asked.place.private)

    async def rerun_options(self, question: str) -> RerunOptions:
        """What the form for "run again" offers, and what is chosen in it at first."""
        asked = await self._store.get(question)
        now = asked.run_with if asked is not None else RunWith()
        return RerunOptions(now, has_gpu=await self.may_use_gpu())

    async def may_use_gpu(self) -> bool:
        """Whether there is a GPU where code runs."""
        try:
            return await self._has_gpu()
        except ExecutorError:
            return False

    async def click(self, click: Click) -> None:
        """Carry out a press; a person who may not press is told why in a private message.

        A press is stored in one step with what it changes, or after its action if repeating that is
        harmless: one that a crash left undone is carried out when it is delivered again.
        """
        if refusal := await self.may_click(click):
            await self._tell(click, refusal)
            return
        if click.event in self._under_way:
            return
        self._under_way.add(click.event)
        try:
            if not await self._store.is_known(click.event):
                await self._press(click)
        except DATABASE_ERRORS:
            await self._tell(click, _PRESS_LATER)
            raise
        finally:
            self._under_way.discard(click.event)

    async def _press(self, click: Click) -> None:
        asked = await self._store.get(click.question)
        assert asked is not None
        self._metrics.clicked(self._platform.name, click.verb)
        log.info(
            "question %s: %s", asked.id, click.verb, extra=facts(question=asked.id, verb=click.verb)
        )
        await getattr(self, f"_{click.verb}")(asked, click)

    async def _solved(self, asked: Stored, click: Click) -> None:
        if not await self._store.solved(asked.id, click.person, click.event):
            return
        asked = await self._store.get(asked.id) or asked  # it may have been shared meanwhile
        if asked.answer is not None:
            await self._redraw(
                asked,
                Answered(
                    asked.answer,
                    solved=True,
                    redrawn=True,
                    run_with=asked.run_with,
                    private=asked.place.private,
                ),
                click,
            )
        await self._tell(click, "Glad it helped. Noted as solved.")

    async def _wrong(self, asked: Stored, click: Click) -> None:
        words = click.words[:2000]
        if not await self._store.say(asked.id, click.person, "wrong", click.event, words):
            return
        noted = "Thank you, I noted that. “Ask a human” brings the case to people."
        await self._tell(click, noted)

    async def _again(self, asked: Stored, click: Click) -> None:
        run_with = click.run_with or RunWith()
        if run_with.device == "cuda" and not await self.may_use_gpu():
            await self._tell(click, "There is no GPU where I run code.")
            return
        place = asked.place
        if place.private and click.place.via:
            # A private card can only be reached through the newest click on it.
            place = place.model_copy(update={"via": click.place.via, "beside": True})
        if asked.answer is None or asked.answer.run is not None:
            # A second card, so that no rerun replaces a good answer by a worse one.
            again = await self._store.rerun(asked, click.event, run_with, place)
        else:
            place = place.model_copy(update={"beside": False})
            again = await self._store.again(asked.id, click.event, run_with=run_with, place=place)
        if again is not None:
            self._work.begin(again)

    async def _human(self, asked: Stored, click: Click) -> None:
        if not self._front.humans:
            hint = "Whoever runs this bot can set `humans` in its settings."
            await self._tell(click, f"Nobody is named here for me to ask. {hint}")
            return
        reached = 0
        case = await self._case(asked)
        for whom in self._front.humans:
            try:
                await self._platform.refer(whom, case)
                reached += 1
            except PlatformError as e:
                log.warning("question %s could not be brought to %s: %s", asked.id, whom, e)
        await self._store.say(asked.id, click.person, "human", click.event)
        told = (
            "I brought your case to people: your question, your files and my answer. I write to "
            "you when somebody takes it, and when it is resolved."
        )
        if not reached:
            told = "I could not reach the people named in my settings. Please ask them yourself."
        await self._tell(click, told)

    async def _case(self, asked: Stored) -> Case:
        """The question with its files intact, for people who were not there."""
        files = []
        for attached in asked.attachments:
            try:
                data = await self._platform.read(attached)
            except PlatformError as e:
                log.warning("question %s: a file is missing in its case: %s", asked.id, e)
                continue
            files.append(Upload(Attachment(attached.name, b"").plain_name, data))
        if asked.answer is not None:
            made = (fixed_file(asked.answer), full_output(asked.answer))
            files += [upload for upload in made if upload is not None]
        text = as_seen(asked.text, self._platform.markup)
        place = asked.place
        return Case(
            asked.id, asked.asker, place, text, asked.answer, tuple(files), self._front.ping
        )

    async def _claim(self, asked: Stored, click: Click) -> None:
        said = await self._store.feedback(asked.id)
        if any(verdict == "claimed" for _, verdict, _ in said):
            await self._tell(click, "Somebody has taken it already.")
            return
        if await self._store.say(asked.id, click.person, "claimed", click.event):
            name = click.person.name or "somebody"
            await self._platform.remark(click.place, f"{name} takes this one.")
            await self._write(asked, f"{name} has taken your question.")

    async def _resolve(self, asked: Stored, click: Click) -> None:
        said = await self._store.feedback(asked.id)
        if any(verdict == "resolved" for _, verdict, _ in said):
            await self._tell(click, "It is marked as resolved already.")
            return
        if await self._store.say(asked.id, click.person, "resolved", click.event):
            name = click.person.name or "somebody"
            await self._platform.remark(click.place, f"Resolved by {name}; the asker was told.")
            await self._write(asked, f"{name} marked your question as resolved.")

    async def headline(self, question: str) -> str:
        """What a draft says first, for the form that edits it."""
        asked = await self._store.get(question)
        return asked.answer.headline if asked is not None and asked.answer is not None else ""

    async def _post(self, asked: Stored, click: Click) -> None:
        await self._publish(asked, click, asked.answer)

    async def _edit(self, asked: Stored, click: Click) -> None:
        answer = asked.answer
        if answer is not None and click.words.strip():
            answer = answer.model_copy(update={"headline": click.words.strip()})
        await self._publish(asked, click, answer)

    async def _publish(self, asked: Stored, click: Click, answer: Answer | None) -> None:
        """Post a draft where it was asked, once."""
        if answer is None or asked.state != "silent":
            await self._tell(click, "This draft was posted or dropped already.")
            return
        if not await self._store.published(asked.id, answer, click.event):
            return
        card = await self._platform.show(asked.id, asked.place, Answered(answer), None)
        await self._store.placed(asked.id, card)
        await self._platform.remark(click.place, f"Posted by {click.person.name or 'somebody'}.")

    async def _drop(self, asked: Stored, click: Click) -> None:
        if asked.state == "silent" and await self._store.first_time(click.event):
            await self._store.deleted(asked.id)
            name = click.person.name or "somebody"
            await self._platform.remark(click.place, f"Dropped by {name}.")

    async def _write(self, asked: Stored, text: str) -> None:
        try:
            await self._platform.write(asked.asker, text)
        except PlatformError as e:
            log.warning("question %s: its asker could not be told: %s", asked.id, e)

    async def _output(self, asked: Stored, click: Click) -> None:
        await self._hand(
            asked,
            click,
            full_output(asked.answer) if asked.answer else None,
            "The snippet printed nothing.",
        )

    async def _details(self, asked: Stored, click: Click) -> None:
        if asked.answer is not None:
            await self._tell(click, details(asked.answer, asked.run_with))
        await self._store.first_time(click.event)

    async def _share(self, asked: Stored, click: Click) -> None:
        if asked.answer is None or not asked.place.private:
            return
        place = asked.place.model_copy(update={"private": False, "via": "", "person": ""})
        view = Answered(asked.answer, asked.solved, run_with=asked.run_with)
        try:
            card = await self._platform.show(asked.id, place, view, None)
        except PlatformError as e:
            log.warning("question %s could not be shared: %s", asked.id, e)
            await self._tell(click, f"I may not write there ({e}); invite me first.")
            return
        if not await self._store.shared(asked.id, place, card, click.event):
            if card is not None:
                await self._platform.delete(card)  # this press was delivered before
            return
        now = await self._store.get(asked.id)
        if now is not None and now.solved != asked.solved:  # pressed before the card was stored
            view = Answered(asked.answer, now.solved, run_with=asked.run_with)
            await self._platform.show(asked.id, place, view, card)

    async def _fixed(self, asked: Stored, click: Click) -> None:
        await self._hand(
            asked,
            click,
            fixed_file(asked.answer) if asked.answer else None,
            "There is no verified fix for this one.",
        )

    async def _delete(self, asked: Stored, click: Click) -> None:
        self._work.stop(asked.id)
        await self._store.deleted(asked.id)
        if (card := _card(asked, click)) is not None:
            await self._platform.delete(card)
        await self._store.first_time(click.event)

    async def _hand(
        self, asked: Stored, click: Click, upload: Upload | None, otherwise: str
    ) -> None:
        if upload is None:
            await self._tell(click, otherwise)
            return
        private = asked.place.private or click.person.id != asked.asker.id
        place = asked.place.model_copy(update={"via": click.place.via or asked.place.via})
        try:
            await self._platform.hand(place, click.person, upload, private=private)
        except PlatformError as e:
            log.warning("question %s: a file could not be handed out: %s", asked.id, e)
            await self._tell(click, f"I could not hand out {upload.name}.")
        await self._store.first_time(click.event)

    async def _redraw(self, asked: Stored, view: View, click: Click) -> None:
        card, place = _card(asked, click), asked.place
        if place.private and click.place.via:
            place = place.model_copy(update={"via": click.place.via, "beside": False})
        if card is not None:
            try:
                await self._platform.show(asked.id, place, view, card)
            except PlatformError as e:
                log.warning("question %s: its card could not be changed: %s", asked.id, e)

    async def _tell(self, click: Click, text: str) -> None:
        await tell(self._platform, click.place, click.person, text)


def _card(asked: Stored, click: Click) -> CardRef | None:
    """The card to change; a private one can only be changed through the newest click on it."""
    if asked.place.private and click.place.via:
        return CardRef(channel=asked.place.channel, message="", via=click.place.via)
    return asked.card
