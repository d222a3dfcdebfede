"""Read a stored question: fetch its files, and take the thread's code if it has none."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.errors import PlatformError, QuestionError
from bot.messages.attachments import MAX_ATTACHMENT_BYTES, MIB, TEXT_SUFFIXES, Attachment
from bot.messages.question import read_message
from bot.models import Question
from bot.service.seam import Platform
from bot.service.store import Store
from bot.service.store.stored import Stored

_TEXT_BYTES = MIB  # read of an attached log; more would take too long
_FILES = 10


async def read(asked: Stored, store: Store, platform: Platform) -> Question:
    """Read the message into a Question; a follow-up without code gets the thread's last code.

    Raises:
        QuestionError: the message cannot be read.
        PlatformError: an attachment cannot be fetched.
    """
    question = await _understood(asked, platform)
    if asked.door != "follow_up" or question.snippets:
        return question
    for earlier in reversed(await store.in_thread(asked.place)):
        if earlier.id == asked.id or earlier.asked_at > asked.asked_at or not earlier.text:
            continue
        try:
            before = await _understood(earlier, platform)
        except (QuestionError, PlatformError):
            continue
        if before.snippets:
            return question.model_copy(
                update={
                    "snippets": before.snippets,
                    "files": before.files + question.files,
                    "versions": before.versions | question.versions,
                    "notes": (*before.notes, "your code is the one from before", *question.notes),
                }
            )
    return question


async def _understood(asked: Stored, platform: Platform) -> Question:
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
        file = Attachment(attached.name, await platform.read(attached))
        if file.suffix in TEXT_SUFFIXES and len(file.data) > _TEXT_BYTES:
            # The error is at the end of a log.
            file = replace(file, data=file.data[-_TEXT_BYTES:])
            notes.append(f"of {file.plain_name} only the last MiB was read")
        files.append(file)
    if len(asked.attachments) > _FILES:
        notes.append(f"only the first {_FILES} files were read")
    # In a thread: a long log takes seconds, and other questions must be acknowledged meanwhile.
    question = await asyncio.to_thread(read_message, asked.text, files, platform.markup)
    return question.model_copy(update={"notes": (*question.notes, *notes)}) if notes else question
