"""Read Discord's messages: their text and files, what they forward, who wrote them."""

from __future__ import annotations

from typing import Any, Literal

import discord

from bot.service.seam import Attached, Person, Said

Json = dict[str, Any]

STARTER = 21  # a thread's message that stands for the one it was started from
Role = Literal["replied_to", "root", "above"]


def person(user: discord.abc.User) -> Person:
    """A person with their roles."""
    roles = tuple(str(r.id) for r in getattr(user, "roles", ())[1:])  # the first is everyone's
    return Person(id=str(user.id), name=user.display_name, groups=roles)


def attached(file: Any) -> Attached:
    """A file, as the library or as JSON gives it."""
    if isinstance(file, discord.Attachment):
        return Attached(name=file.filename, size=file.size, url=file.url)
    return Attached(name=file["filename"], size=file["size"], url=file["url"])


def text_of(message: discord.Message) -> str:
    """A message's text and that of the messages that it forwards."""
    told = [message.content, *(s.content for s in message.message_snapshots)]
    return "\n\n".join(t for t in told if t.strip())


def files_of(message: discord.Message) -> tuple[Attached, ...]:
    """A message's files and those of the messages that it forwards."""
    files = [*message.attachments, *(a for s in message.message_snapshots for a in s.attachments)]
    return tuple(attached(f) for f in files)


def said_in(message: Json, role: Role) -> Said | None:
    """What was said in a message or is forwarded by it; None if that is nothing, or a bot's."""
    if message.get("type") == STARTER and message.get("referenced_message"):
        return said_in(message["referenced_message"], "root")
    author = message.get("author") or {}
    if author.get("bot"):
        return None
    snapshots = [s.get("message") or {} for s in message.get("message_snapshots") or []]
    told = [str(m.get("content") or "") for m in (message, *snapshots)]
    files = tuple(attached(f) for m in (message, *snapshots) for f in m.get("attachments") or [])
    text = "\n\n".join(t for t in told if t.strip())
    if not text and not files:
        return None
    name = str(author.get("global_name") or author.get("username") or "")
    said_by = Person(id=str(author.get("id") or ""), name=name)
    # Discord does not say who wrote what is forwarded.
    return Said(said_by, text, files, role, forwarded=bool(snapshots))


def is_hidden(message: Json) -> bool:
    """Whether a person's message came without its content, which Discord may not show us."""
    shown = ("content", "attachments", "embeds", "components", "message_snapshots", "sticker_items")
    author = message.get("author") or {}
    return not author.get("bot") and not any(message.get(name) for name in shown)
