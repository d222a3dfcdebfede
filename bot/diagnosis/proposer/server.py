"""A server with the OpenAI-compatible chat protocol: vLLM, Ollama, llama.cpp, hosted ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI

from bot.errors import ProposerError
from bot.settings import ProposerSettings, Secret

_RETRIES = 1  # by the library, where the server asks for it or is not reached
_NO_KEY = "none"  # local servers want none, and the library wants something


@dataclass(frozen=True)
class Completion:
    """A server's answer and what it cost, in tokens as the server counts them."""

    text: str
    tokens: int


class ChatServer:
    """One server, asked for one answer at a time."""

    def __init__(self, settings: ProposerSettings, key: Secret) -> None:
        """Connect at the first request."""
        self._settings = settings
        self._client = AsyncOpenAI(
            base_url=settings.url,
            api_key=key.reveal() or _NO_KEY,
            timeout=settings.seconds,
            max_retries=_RETRIES,
        )
        self._plain = False  # the server knows no `response_format`

    async def complete(
        self, messages: Sequence[dict[str, str]], seconds: float, tokens: int
    ) -> Completion:
        """Ask for one answer.

        Args:
            messages: roles and contents.
            seconds: for all tries together.
            tokens: that the answer may have.

        Raises:
            ProposerError: the server cannot be reached, refuses, or says what is no answer.
        """
        try:
            async with asyncio.timeout(seconds):
                try:
                    return await self._ask(messages, tokens)
                except APIStatusError as e:
                    if self._plain or e.status_code not in (400, 422):
                        raise
                    self._plain = True
                return await self._ask(messages, tokens)
        except (TimeoutError, APITimeoutError) as e:
            raise ProposerError(
                f"the model at {self._settings.url} did not answer in {seconds:.0f} s; raise "
                "proposer.seconds or take a smaller model"
            ) from e
        except APIConnectionError as e:
            raise ProposerError(
                f"the model at {self._settings.url} cannot be reached; check proposer.url"
            ) from e
        except APIStatusError as e:
            raise ProposerError(
                f"the model at {self._settings.url} refuses (status {e.status_code}); check "
                "proposer.model and TORCHMEDIC_PROPOSER_KEY"
            ) from e
        except (APIError, ValueError, TypeError, AttributeError, LookupError) as e:
            raise ProposerError(
                f"what answers at {self._settings.url} does not speak the chat protocol; check "
                "proposer.url (it often ends in /v1)"
            ) from e

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _ask(self, messages: Sequence[dict[str, str]], tokens: int) -> Completion:
        more: dict[str, Any] = {} if self._plain else {"response_format": {"type": "json_object"}}
        answer = await self._client.chat.completions.create(
            model=self._settings.model,
            messages=list(messages),  # type: ignore[arg-type]
            max_tokens=tokens,
            temperature=0.2,
            **more,
        )
        text = answer.choices[0].message.content or ""
        spent = (
            answer.usage.total_tokens if answer.usage is not None else _estimated(messages, text)
        )
        return Completion(str(text), int(spent))


def _estimated(messages: Sequence[dict[str, str]], text: str) -> int:
    """Tokens, about, where a server does not count them: four characters each."""
    return (sum(len(m["content"]) for m in messages) + len(text)) // 4
