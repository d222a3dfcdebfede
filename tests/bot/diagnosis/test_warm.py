"""Pipeline.warm: what the first question would wait for is done before it is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.diagnosis.pipeline import Pipeline
from bot.messages.question import read_message
from executor.exceptions import ExecutorGoneError
from executor.service.client import ExecutorClient

QUESTION = read_message("```python\nprint(1)\n```")


class Noted:
    """An executor that notes each run."""

    def __init__(self, executor: ExecutorClient, done: list[str], *, gone: bool = False) -> None:
        self._executor, self._done, self._gone = executor, done, gone

    async def run(self, job: Any, ahead: Any = None) -> Any:
        """Run a job, unless gone."""
        self._done.append("run")
        if self._gone:
            raise ExecutorGoneError("the executor is not there; start it")
        return await self._executor.run(job, ahead)


async def test_a_bot_is_warm_when_a_question_was_answered(medic: Pipeline):
    """After the indexes are there; an executor that is not there yet keeps nobody from starting."""
    done: list[str] = []

    async def prepared() -> None:
        done.append("indexes")

    warm = replace(medic, prepared=prepared, executor=Noted(medic.executor, done))  # type: ignore[arg-type]
    await warm.warm(QUESTION)
    assert done[:2] == ["indexes", "run"]

    away: list[str] = []
    gone = replace(medic, executor=Noted(medic.executor, away, gone=True))  # type: ignore[arg-type]
    await gone.warm(QUESTION)
    assert away == ["run"]
