"""Read a stored question: its files, and the code that a follow-up or a mention is about."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import PlatformError, PlatformRefusedError, QuestionError, TokenRefusedError
from bot.messages.attachments import Attachment, Unreadable, accept, too_large
from bot.messages.chat_markup import as_seen
from bot.messages.question import read_message
from bot.models import Answer, Question, Reply, RunWith, Snippet
from bot.service.context import may_be_of_others, points_above, with_context
from bot.service.follow_up import UNKNOWN, Earlier, goes_on, understand
from bot.service.links import Links
from bot.service.seam import Attached, Platform, Said
from bot.service.store import Store
from bot.service.store.stored import Stored
from bot.service.welcome import asks_for_help, is_greeting, welcome
from bot.words import listed
from executor.protocol import File

_FILES = 10
_IN_CONTEXT = ("mention", "direct", "follow_up")  # doors of messages that others stand above


@dataclass(frozen=True)
class Understood:
    """What a stored question asks for: a diagnosis, or only a reply."""

    question: Question
    run_with: RunWith
    reply: Reply | None = None
    otherwise: Reply | None = None  # said where nothing is known of the question
    before: Answer | None = None  # of the question that this one follows
    changed: str = ""  # what a follow-up changed in the code


async def read(
    asked: Stored,
    store: Store,
    platform: Platform,
    *,
    has_gpu: bool = False,
    links: Links = Links(),  # noqa: B008 (it allows none)
) -> Understood:
    """Understand a message, with the code that it is about.

    Raises:
        QuestionError: the message cannot be read.
        PlatformError: an attachment cannot be fetched.
    """
    words = plain_words(asked.text, platform)
    if is_greeting(words) and not asked.attachments:
        return await _bare(words, asked, platform)
    question = await _read(asked.text, asked.attachments, platform)
    if not question.snippets:
        behind, notes = await links.read(words)
        if behind:
            text = asked.text
            question = await asyncio.to_thread(read_message, text, behind, platform.markup)
        question = question.model_copy(update={"notes": (*question.notes, *notes)})
    plain = Understood(question, asked.run_with)
    if asked.door not in _IN_CONTEXT or question.snippets:
        return plain
    earlier = await _earlier(asked, store, platform)
    if earlier is None:
        if not points_above(words):
            return plain
        others = may_be_of_others(words)
        return Understood(await _above(question, asked, platform, others=others), asked.run_with)
    direct = asked.door == "direct"  # without threads: this may be about something else
    if question.traceback is not None:
        if direct and not goes_on(question.text):
            return plain
        about = _about(question, earlier, earlier.code, _whose(earlier))
        return Understood(about, asked.run_with, before=earlier.answer)
    follow_up = understand(words, earlier, has_gpu=has_gpu)
    if follow_up.alone:
        otherwise = None if direct and follow_up.otherwise is UNKNOWN else follow_up.otherwise
        return Understood(question, asked.run_with, otherwise=otherwise)
    if follow_up.reply is not None:
        return Understood(question, asked.run_with, follow_up.reply)
    note = _whose(earlier)
    if follow_up.said:
        note += f", {follow_up.said}"
    return Understood(
        _about(
            question.model_copy(update={"text": ""}),
            earlier,
            follow_up.code or earlier.code,
            note,
        ),
        follow_up.run_with or asked.run_with,
        before=earlier.answer,
        changed=follow_up.said,
    )


def plain_words(text: str, platform: Platform) -> str:
    """A message's words, without the platform's escapes and mentions."""
    seen = as_seen(text, platform.markup)
    return "\n".join(platform.markup.prose(line) for line in seen.split("\n")).strip(" \n,:")


# -- what stands above -----------------------------------------------------------------------


async def _bare(words: str, asked: Stored, platform: Platform) -> Understood:
    """A mention without words: about what stands above it; else, and for a greeting, a welcome.

    Who greets or calls for help may mean their own code, and nobody else's.
    """
    nothing = Question(text="")
    if asked.door == "mention" and (not words or asks_for_help(words)):
        found = await _above(nothing, asked, platform, others=not words)
        if found.snippets or found.traceback or found.text:
            return Understood(found, asked.run_with)
        if found.notes:  # something may be there, and it cannot be read
            return Understood(nothing, asked.run_with, Reply(text=" ".join(found.notes)))
    return Understood(nothing, asked.run_with, welcome())


async def _above(
    question: Question, asked: Stored, platform: Platform, *, others: bool
) -> Question:
    above = await platform.above(asked.place)

    async def understood(said: Said) -> Question:
        return await _read(said.text, said.attachments, platform)

    return await with_context(question, asked.asker, above, understood, others=others)


async def _earlier(asked: Stored, store: Store, platform: Platform) -> Earlier | None:
    """The code at hand: that of the thread's last question with code, with our fix in it.

    Another's code is looked for above instead, where it is said whose it is.
    """
    own = [b for b in await store.before(asked) if b.asker.id == asked.asker.id]
    for before in reversed(own):
        if before.answer is not None and before.answer.code:
            fix = before.answer.fix
            code = fix.code if fix is not None and fix.verified else before.answer.code
            files = await _files_of(own, platform)
            return Earlier(code, before.answer, fixed=code != before.answer.code, files=files)
        try:
            found = await _read(before.text, before.attachments, platform)
        except TokenRefusedError:
            raise
        except (QuestionError, PlatformError):
            continue
        if found.snippets:
            return Earlier(found.code, before.answer, files=found.files)
    return None


async def _files_of(own: Sequence[Stored], platform: Platform) -> tuple[File, ...]:
    """What lies beside the code: the files of the last question that came with any."""
    attached = next((b.attachments for b in reversed(own) if b.attachments), ())
    if not attached:
        return ()
    try:
        return (await _read("files", attached, platform)).files
    except TokenRefusedError:
        raise
    except (QuestionError, PlatformError):
        return ()  # the run says which file is missing


def _whose(earlier: Earlier) -> str:
    return "your code with the fix above" if earlier.fixed else "your code is the one from before"


def _about(question: Question, earlier: Earlier, code: str, note: str) -> Question:
    """The question about this code, with what lay beside it."""
    return question.model_copy(
        update={
            "snippets": (Snippet(code=code, language="python"),),
            "files": earlier.files + question.files,
            "notes": (note, *question.notes),
        }
    )


# -- the message itself ----------------------------------------------------------------------


async def _read(text: str, attachments: Sequence[Attached], platform: Platform) -> Question:
    """One message and its files; each file is read, or named with the reason why not."""
    files: list[Attachment] = []
    notes: list[str] = []
    failed: list[PlatformError] = []
    for attached in attachments[:_FILES]:
        name = Attachment(attached.name, b"").plain_name
        try:
            if reason := too_large(name, attached.size):  # not even fetched
                raise Unreadable(reason)
            accepted = await asyncio.to_thread(
                accept, Attachment(attached.name, await platform.read(attached))
            )
            files += accepted.files
            notes += accepted.notes
        except TokenRefusedError:
            raise
        except Unreadable as e:
            notes.append(str(e))
        except PlatformError as e:
            failed.append(e)
            why = f" ({e})" if isinstance(e, PlatformRefusedError) else ""
            notes.append(f"I could not fetch {name}{why}")
    if len(attachments) > _FILES:
        notes.append(f"only the first {_FILES} files were read")
    if failed and not files and not text.strip():
        raise failed[0]
    if not files and notes and not re.search(r"\w", text):
        raise QuestionError(listed(notes))
    # In a thread: a long log takes seconds, and other questions must be acknowledged meanwhile.
    question = await asyncio.to_thread(read_message, text, files, platform.markup)
    if notes and not (question.text.strip() or question.snippets or question.traceback):
        raise QuestionError(listed(notes))  # nothing was asked but what they say
    return question.model_copy(update={"notes": (*question.notes, *notes)}) if notes else question
