"""The buttons under a card: check who may press which, and carry out each."""

from __future__ import annotations

import logging

from bot.errors import PlatformError
from bot.logs import facts
from bot.models import RunWith
from bot.service import manners
from bot.service.counters import Counters
from bot.service.seam import Answered, CardRef, Click, Platform, Upload, View, tell
from bot.service.store import Store
from bot.service.store.stored import Stored
from bot.service.uploads import fixed_file, full_output
from bot.service.work import OpenWork
from bot.settings import FrontSettings

log = logging.getLogger(__name__)


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
    ) -> None:
        """Make them; no button has been pressed yet."""
        self._store = store
        self._platform = platform
        self._front = front
        self._metrics = metrics
        self._work = work
        self._under_way: set[str] = set()  # presses that are not stored yet

    async def may_click(self, click: Click) -> str:
        """Why a press is refused; empty if it is allowed. Called before a form opens."""
        asked = await self._store.get(click.question)
        # If deleting the card failed when its question was deleted, it can be tried again.
        if asked is None or (asked.state == "deleted" and click.verb != "delete"):
            return "I do not keep this question any more. Ask it again and I will run it."
        if asked.place.platform != click.place.platform or (
            click.place.channel
            and asked.place.channel != click.place.channel
            and (asked.card is None or asked.card.channel != click.place.channel)
        ):
            return "This button belongs to another message."
        return manners.may_click(self._front, click, asked.asker, private=asked.place.private)

    async def last_run_with(self, question: str) -> RunWith:
        """The options of a question's last run: the defaults of the form for "run again"."""
        asked = await self._store.get(question)
        return asked.run_with if asked is not None else RunWith()

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
        if asked.answer is not None:
            await self._redraw(asked, Answered(asked.answer, solved=True, redrawn=True), click)
        await self._tell(click, "Glad it helped. Noted as solved.")

    async def _wrong(self, asked: Stored, click: Click) -> None:
        words = click.words[:2000]
        if not await self._store.say(asked.id, click.person, "wrong", click.event, words):
            return
        noted = "Thank you, I noted that. “Ask a human” brings the case to people."
        await self._tell(click, noted)

    async def _again(self, asked: Stored, click: Click) -> None:
        # A private card can only be changed through the newest click on it.
        place = asked.place
        if place.private and click.place.via:
            place = place.model_copy(update={"via": click.place.via, "message": ""})
        again = await self._store.again(asked.id, click.event, run_with=click.run_with, place=place)
        if again is not None:
            self._work.begin(again)

    async def _human(self, asked: Stored, click: Click) -> None:
        if not self._front.humans:
            hint = "Whoever runs this bot can set `humans` in its settings."
            await self._tell(click, f"Nobody is named here for me to ask. {hint}")
            return
        reached = 0
        for where in self._front.humans:
            try:
                await self._platform.refer(
                    where, asked.asker, asked.place, asked.text, asked.answer
                )
                reached += 1
            except PlatformError as e:
                log.warning("question %s could not be brought to %s: %s", asked.id, where, e)
        await self._store.say(asked.id, click.person, "human", click.event)
        told = "I brought your case to people; they see your question and my answer."
        if not reached:
            told = "I could not reach the people named in my settings. Please ask them yourself."
        await self._tell(click, told)

    async def _output(self, asked: Stored, click: Click) -> None:
        await self._hand(
            asked,
            click,
            full_output(asked.answer) if asked.answer else None,
            "The snippet printed nothing.",
        )

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
        card = _card(asked, click)
        if card is not None:
            try:
                await self._platform.show(asked.id, asked.place, view, card)
            except PlatformError as e:
                log.warning("question %s: its card could not be changed: %s", asked.id, e)

    async def _tell(self, click: Click, text: str) -> None:
        await tell(self._platform, click.place, click.person, text)


def _card(asked: Stored, click: Click) -> CardRef | None:
    """The card to change; a private one can only be changed through the newest click on it."""
    if asked.place.private and click.place.via:
        return CardRef(channel=asked.place.channel, message="", via=click.place.via)
    return asked.card
