"""A server with the OpenAI-compatible chat protocol whose answers a test writes down beforehand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Reply = str | web.Response | Callable[[], Any]


class ScriptedModel:
    """Gives its replies in order, the last one again and again, and keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.url = ""

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json())
        self.keys.append(request.headers.get("Authorization", ""))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if callable(reply):
            reply = await reply()
        return said(reply) if isinstance(reply, str) else reply

    @asynccontextmanager
    async def running(self) -> AsyncIterator[ScriptedModel]:
        """Listen on loopback."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        try:
            yield self
        finally:
            await runner.cleanup()

    def words(self) -> dict[str, Any]:
        """What the newest request said about the question."""
        content = json.loads(self.asked[-1]["messages"][1]["content"])
        assert isinstance(content, dict)
        return content


def said(text: str, tokens: int = 300) -> web.Response:
    """An answer as the protocol has it."""
    return web.json_response(
        {
            "id": "chat-1",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text},
                }
            ],
            "usage": {"prompt_tokens": 0, "completion_tokens": tokens, "total_tokens": tokens},
        }
    )


def edits(*candidates: Sequence[tuple[str, str]]) -> str:
    """A reply with candidates, each some (search, replace)."""
    return json.dumps(
        {
            "candidates": [
                {"edits": [{"search": old, "replace": new} for old, new in one]}
                for one in candidates
            ]
        }
    )


async def forever() -> str:
    """A reply that does not come."""
    await asyncio.sleep(3600)
    return ""
