"""Undo the markup of Slack and Discord: the text as its author typed it."""

from __future__ import annotations

import re
from typing import Literal

Platform = Literal["plain", "slack", "discord"]

_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")
_ANSI = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")  # a terminal's colours
_QUOTED = re.compile(r"(?:>(?!>) ?)+")

# Slack escapes every < > & a person types, so a raw <…> is always its own.
# https://docs.slack.dev/messaging/formatting-message-text
_SLACK_LINK = re.compile(r"<((?:https?|ftp|mailto|tel|slack):[^<>|\s]*)(?:\|([^<>\n]*))?>")
_SLACK_NAMED = re.compile(r"<([@#!])([^<>|\s]*)(?:\|([^<>\n]*))?>")
_ENTITY = re.compile(r"&(lt|gt|amp);")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&"}

_DISCORD_LINK = re.compile(r"<(https?://[^<>\s]*)>")
_DISCORD_MENTION = re.compile(r"<(?:@[!&]?|#|t:)[\d:A-Za-z-]*>")
_DISCORD_EMOJI = re.compile(r"<a?(:\w+:)\d+>")


def as_seen(text: str, platform: Platform) -> str:
    """The message with plain newlines, without terminal colours and the platform's escapes."""
    # Lone surrogates (a message cut in the middle of an emoji) cannot be stored.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _ANSI.sub("", _LINE_ENDS.sub("\n", text))
    if platform == "slack":
        text = _SLACK_LINK.sub(_link, text)
        text = _SLACK_NAMED.sub(_named, text)
        text = _ENTITY.sub(lambda entity: _CHARACTERS[entity[1]], text)
    return _unquote_fences(text)


def _link(match: re.Match[str]) -> str:
    """The text of a link: `<http://torch.nn|torch.nn>` was typed as `torch.nn`."""
    return match[2] or match[1].removeprefix("mailto:").removeprefix("tel:")


def _named(match: re.Match[str]) -> str:
    """`@maya`, `#help`, `@here`; an id without a name is left out."""
    kind, what, label = match[1], match[2], match[3]
    if label:
        return label if label[0] in "@#" or "^" in what[:6] else {"#": "#"}.get(kind, "@") + label
    return f"@{what}" if kind == "!" and "^" not in what else ""


def prose_as_seen(text: str, platform: Platform) -> str:
    """Prose without Discord's mentions; code may contain `<@1>`, so it is not touched."""
    if platform == "discord":
        text = _DISCORD_EMOJI.sub(r"\1", _DISCORD_LINK.sub(r"\1", text))
        text = _DISCORD_MENTION.sub("", text)
    return text


def _unquote_fences(text: str) -> str:
    """Remove `> ` from quoted lines that hold a fence, so that a quoted question can be read."""
    if not re.search(r"^>(?!>).*(?:```|~~~)", text, re.MULTILINE):
        return text
    out: list[str] = []
    quoted: list[str] = []
    for line in [*text.split("\n"), None]:
        if line is not None and _QUOTED.match(line):
            quoted.append(line)
            continue
        holds_fence = any("```" in q or "~~~" in q for q in quoted)
        out += [_QUOTED.sub("", q, count=1) for q in quoted] if holds_fence else quoted
        quoted = []
        if line is not None:
            out.append(line)
    return "\n".join(out)
