"""Delete what is kept of a person, at their word."""

from __future__ import annotations

from bot.service.store import retention
from bot.service.store.database import Database
from bot.settings import Settings


async def forget_person(settings: Settings, person: str, platform: str = "") -> str:
    """Delete a person's questions and feedback; return what was done and what remains to do.

    Raises:
        StateError: the store cannot be opened.
    """
    async with Database.at(settings.store.url, settings.state_folder) as database:
        questions, said = await retention.forget_person(database, person, platform)
    if not questions and not said:
        return f"nothing was kept of {person}; a person's id is in their profile's menu"
    return (
        f"deleted: {questions} questions with their answers, {said} pieces of feedback. "
        "The cards stay where they were posted (their asker can delete them there), and back-ups "
        "hold it until they are replaced."
    )
