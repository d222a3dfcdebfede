"""Read Slack's messages: their text and files, what was forwarded with them, who wrote them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

from bot.messages.attachments import READABLE
from bot.service.seam import Attached, Person, Said

# Slack's name for a snippet's language → the suffix that says the same.
_SUFFIXES = {"python": ".py", "ipynb": ".ipynb", "text": ".txt", "markdown": ".md", "log": ".log"}


def attached(message: Mapping[str, Any]) -> tuple[Attached, ...]:
    """A message's files that are stored at Slack: any other server would get our token."""
    return tuple(_file(f) for f in message.get("files") or [] if _is_at_slack(f))


def _is_at_slack(file: Mapping[str, Any]) -> bool:
    if file.get("is_external") or file.get("mode") == "external":
        return False
    # A file of another organisation (Slack Connect) comes as its id alone.
    return bool(file.get("url_private") or file.get("file_access") == "check_file_info")


def _file(file: Mapping[str, Any]) -> Attached:
    return Attached(
        name=_name(file),
        size=int(file.get("size") or 0),
        url=str(file.get("url_private_download") or file.get("url_private") or ""),
        id=str(file.get("id") or ""),
    )


def _name(file: Mapping[str, Any]) -> str:
    """A file's name; of a snippet, which may be “Untitled”, with the suffix of its language."""
    name = str(file.get("name") or file.get("title") or "file")
    suffix = _SUFFIXES.get(str(file.get("filetype") or ""), "")
    if suffix and PurePosixPath(name).suffix.lower() not in READABLE:
        return f"{name}{suffix}"
    return name


def text_of(message: Mapping[str, Any]) -> str:
    """A message's text and that of the messages forwarded with it."""
    told = [str(message.get("text") or "")]
    told += [str(f.get("text") or "") for f in _forwarded(message)]
    return "\n\n".join(t for t in told if t.strip())


def files_of(message: Mapping[str, Any]) -> tuple[Attached, ...]:
    """A message's files and those of the messages forwarded with it."""
    return tuple(f for m in (message, *_forwarded(message)) for f in attached(m))


def said_in(message: Mapping[str, Any], role: Literal["root", "above"]) -> list[Said]:
    """What was said in a message, and in what it forwards, each by whoever said it."""
    said = [
        Said(_author(f), str(f.get("text") or ""), attached(f), role) for f in _forwarded(message)
    ]
    own = Said(
        Person(id=str(message["user"])), str(message.get("text") or ""), attached(message), role
    )
    return [*said, own] if own.text.strip() or own.attachments else said


def _forwarded(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [
        a
        for a in message.get("attachments") or []
        if isinstance(a, dict) and (a.get("is_share") or a.get("is_msg_unfurl"))
    ]


def _author(forwarded: Mapping[str, Any]) -> Person:
    name = str(forwarded.get("author_name") or forwarded.get("author_subname") or "")
    return Person(id=str(forwarded.get("author_id") or name), name=name)


def without_mentions(text: str) -> str:
    """A text without the people and channels that it names."""
    return re.sub(r"<@[^>]*>", "", text).strip()
