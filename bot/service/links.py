"""Read code behind a link to a gist or a paste, where the operator allows it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import aiohttp

from bot.messages.attachments import MIB, Attachment

# Host of a page → how its plain text is addressed; `{path}` is that of the page.
RAW: Mapping[str, str] = {
    "gist.github.com": "https://gist.githubusercontent.com/{path}/raw",
    "pastebin.com": "https://pastebin.com/raw/{path}",
}
_LINK = re.compile(r"https?://([\w.-]+)/([\w/-]+)")
_MOST = 3  # links of one message
_PATIENCE_S = 10.0


class Links:
    """Pages that may be fetched for a question.

    files, notes = await Links(settings.chat.links).read(text)
    """

    def __init__(self, allowed: Collection[str] = (), raw: Mapping[str, str] = RAW) -> None:
        """Allow some of the hosts that `raw` knows."""
        self._allowed = {host.strip().lower() for host in allowed}
        self._raw = raw

    async def read(self, text: str) -> tuple[list[Attachment], list[str]]:
        """The programs behind the links of a text, and a sentence on each that was not read."""
        files: list[Attachment] = []
        notes: list[str] = []
        found = [m for m in _LINK.finditer(text) if m[1].lower() in self._raw]
        for match in found[:_MOST]:
            host, path = match[1].lower(), match[2].strip("/")
            if host not in self._allowed:
                notes.append(f"I do not open links to {host} here; paste the code")
                continue
            content = await _fetch(self._raw[host].format(path=path))
            if content is None:
                notes.append(f"I could not fetch {host}/{path}; paste the code")
            else:
                files.append(Attachment(f"{path.rsplit('/', 1)[-1]}.txt", content))
        return files, notes


async def read_body(answer: aiohttp.ClientResponse, most: int) -> bytes:
    """The first `most` bytes of an answer; `content.read(most)` gives only what has come so far."""
    body = bytearray()
    while len(body) < most and (chunk := await answer.content.read(most - len(body))):
        body += chunk
    return bytes(body)


async def _fetch(url: str) -> bytes | None:
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_PATIENCE_S)) as session,
            session.get(url, allow_redirects=False) as answer,
        ):
            content = await read_body(answer, MIB + 1)
            return content if answer.status == 200 and len(content) <= MIB else None
    except (TimeoutError, aiohttp.ClientError, OSError):
        return None
