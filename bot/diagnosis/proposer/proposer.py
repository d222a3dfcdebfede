"""Ask a model for a fix or an example where the bot's own ways end, and let runs decide."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.proposer.allowance import Allowance
from bot.diagnosis.proposer.candidates import try_candidates
from bot.diagnosis.proposer.interface import wants
from bot.diagnosis.proposer.reply import read_candidates, read_example
from bot.diagnosis.proposer.request import Request, request_for, sent_passages
from bot.diagnosis.proposer.server import Completion
from bot.errors import ProposerError
from bot.logs import facts
from bot.models import ModelExample, Origin
from bot.settings import ProposerSettings
from executor.protocol import Job, Outcome
from executor.service.client import ExecutorClient
from knowledge.repair.codemod import Codemod
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix

log = logging.getLogger(__name__)
_LEAST_TOKENS = 200  # an answer of less is none
_EXAMPLE_S = 3.0  # that a short example may run
_MOST_OUTPUT = 1_500  # characters of an example's output that are shown


class Completes(Protocol):
    """What a server can do."""

    async def complete(
        self, messages: Sequence[dict[str, str]], seconds: float, tokens: int
    ) -> Completion:
        """Answer; ProposerError where it cannot."""

    async def close(self) -> None:
        """Close the connections."""


@dataclass(frozen=True)
class ModelProposer:
    """Proposals of one configured model, within what the operator allows."""

    settings: ProposerSettings
    server: Completes
    allowance: Allowance
    executor: ExecutorClient
    codemods: Sequence[Codemod]

    @property
    def name(self) -> str:
        """The model, as answers call it."""
        return self.settings.model

    def serves(self, origin: Origin) -> bool:
        """Whether questions from there may go out."""
        allowed = self.settings
        if origin.private and not allowed.private:
            return False
        if allowed.platforms and origin.platform not in allowed.platforms:
            return False
        return not allowed.channels or origin.channel in allowed.channels

    async def propose(self, known: Diagnosis) -> Diagnosis:
        """The diagnosis with what came of it: a fix that a run verified, or an example that ran.

        A server that fails changes nothing: the reason goes into the log.

        Raises:
            ExecutorError: the executor is gone or full.
        """
        request = request_for(known)
        if request is None:
            return known
        if not self.allowance.take():
            log.info(
                "the model is not asked: today's %d requests are used up", self.settings.per_day
            )
            return known
        budget = _Budget(self.settings.seconds, self.settings.tokens)
        try:
            if wants(known) == "fix":
                return await self._fix(known, request, budget)
            return await self._example(known, request, budget)
        except ProposerError as e:
            log.warning("%s", e)
            return known

    async def _fix(self, known: Diagnosis, request: Request, budget: _Budget) -> Diagnosis:
        seen = known.reproduced
        assert seen is not None
        refused: list[Fix] = []
        for round_ in range(2):
            reply = await budget.ask(self.server, request)
            programs = read_candidates(reply, seen.job.code, request.redaction)
            found = await try_candidates(
                self.executor,
                programs.programs,
                seen.job,
                seen.run,
                self.name,
                self.codemods,
                known.question.text,
            )
            refused += found.refused
            log.info(
                "a model proposed fixes",
                extra=facts(
                    model=self.name,
                    round=round_ + 1,
                    proposed=len(programs.programs),
                    dropped=programs.dropped,
                    verified=len(_offered(found)),
                    refused=len(found.refused),
                    tokens=budget.spent,
                ),
            )
            if _offered(found):
                return replace(known, repairs=_added(known.repairs, found, refused))
            if not found.refused or not budget.is_left:
                break
            request = request.again(reply, found.refused)
        return replace(known, repairs=_added(known.repairs, Repair(), refused))

    async def _example(self, known: Diagnosis, request: Request, budget: _Budget) -> Diagnosis:
        hits = sent_passages(known)
        reply = await budget.ask(self.server, request)
        example = read_example(reply, request.redaction, len(hits))
        if example is None:
            return known
        output = await self._run(example.code) if example.code.strip() else None
        ran = output is not None
        log.info(
            "a model answered a question",
            extra=facts(model=self.name, ran=ran, tokens=budget.spent),
        )
        shown = ModelExample(
            model=self.name,
            text=example.text,
            code=example.code.strip() if ran else "",
            output=output or "",
            sources=tuple(hits[n - 1].title for n in example.sources),
        )
        return replace(known, model_example=shown)

    async def _run(self, code: str) -> str | None:
        """What a program prints; None where it does not run to its end."""
        result = await self.executor.run(Job(code=code, wall_s=_EXAMPLE_S))
        if result.outcome is not Outcome.OK or any(f.mistake for f in result.findings):
            return None
        return result.stdout[:_MOST_OUTPUT]

    async def close(self) -> None:
        """Close the server's connections."""
        await self.server.close()

    async def check(self) -> str:
        """Ask for one word; what came back, for `doctor`.

        Raises:
            ProposerError: nothing came back.
        """
        asked = [{"role": "user", "content": 'Answer with this JSON object: {"ready": true}'}]
        answer = await self.server.complete(asked, self.settings.seconds, _LEAST_TOKENS)
        return f"{self.name} answers ({answer.tokens} tokens)"


class _Budget:
    """Seconds and tokens that one question may cost."""

    def __init__(self, seconds: float, tokens: int) -> None:
        self._until = asyncio.get_running_loop().time() + seconds
        self._tokens = tokens
        self.spent = 0

    @property
    def is_left(self) -> bool:
        """Whether another answer can be asked for."""
        return self._seconds > 1 and self._tokens - self.spent >= _LEAST_TOKENS

    async def ask(self, server: Completes, request: Request) -> str:
        """One answer, within what is left."""
        left = max(_LEAST_TOKENS, self._tokens - self.spent)
        answer = await server.complete(request.messages, max(0.1, self._seconds), left)
        self.spent += answer.tokens
        return answer.text

    @property
    def _seconds(self) -> float:
        return self._until - asyncio.get_running_loop().time()


def _offered(found: Repair) -> tuple[Fix, ...]:
    return (found.fix,) if found.fix is not None else found.alternatives


def _added(engines: Repair, found: Repair, refused: Sequence[Fix]) -> Repair:
    """What the engine found out, with what came of the model's proposals."""
    return replace(
        engines,
        fix=found.fix,
        alternatives=found.alternatives,
        refused=(*engines.refused, *refused),
    )
