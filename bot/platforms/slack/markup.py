"""Undo Slack's markup: the text as its author typed it."""

from __future__ import annotations

import re

from bot.messages.chat_markup import ChatMarkup

# Slack escapes every < > & a person types, so a raw <…> is always its own.
# https://docs.slack.dev/messaging/formatting-message-text
_LINK = re.compile(r"<((?:https?|ftp|mailto|tel|slack):[^<>|\s]*)(?:\|([^<>\n]*))?>")
_NAMED = re.compile(r"<([@#!])([^<>|\s]*)(?:\|([^<>\n]*))?>")
_ENTITY = re.compile(r"&(lt|gt|amp);")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&"}


def _everywhere(text: str) -> str:
    text = _NAMED.sub(_named, _LINK.sub(_link, text))
    return _ENTITY.sub(lambda entity: _CHARACTERS[entity[1]], text)


def _link(match: re.Match[str]) -> str:
    """The text of a link: `<http://torch.nn|torch.nn>` was typed as `torch.nn`."""
    return match[2] or match[1].removeprefix("mailto:").removeprefix("tel:")


def _named(match: re.Match[str]) -> str:
    """`@maya`, `#help`, `@here`; an id without a name is left out."""
    kind, what, label = match[1], match[2], match[3]
    if label:
        return label if label[0] in "@#" or "^" in what[:6] else {"#": "#"}.get(kind, "@") + label
    return f"@{what}" if kind == "!" and "^" not in what else ""


MARKUP = ChatMarkup(everywhere=_everywhere)
