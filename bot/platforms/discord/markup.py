"""Undo Discord's markup: prose without mentions; code may contain `<@1>`, so it is not touched."""

from __future__ import annotations

import re

from bot.messages.chat_markup import ChatMarkup

_LINK = re.compile(r"<(https?://[^<>\s]*)>")
_MENTION = re.compile(r"<(?:@[!&]?|#|t:)[\d:A-Za-z-]*>")
_EMOJI = re.compile(r"<a?(:\w+:)\d+>")


def _prose(text: str) -> str:
    return _MENTION.sub("", _EMOJI.sub(r"\1", _LINK.sub(r"\1", text)))


MARKUP = ChatMarkup(prose=_prose)
