"""bot/diagnosis/reproduction.py: which runs an answer asks for; nothing is run here."""

from __future__ import annotations

import pytest

from bot.diagnosis.reproduction import reproduce
from bot.models import PastedTraceback, Question, Snippet
from executor.protocol import Job, JobResult
from tests.built import failed, ran

NO_SUBMODULE = PastedTraceback(
    type="AttributeError", message="module 'torch.distributed' has no attribute 'fsdp'"
)


class Everything:
    """An executor in which every program does the same."""

    def __init__(self, result: JobResult) -> None:
        self.asked: list[Job] = []
        self._result = result

    async def run(self, job: Job) -> JobResult:
        """Do it."""
        self.asked.append(job)
        return self._result


@pytest.mark.parametrize(
    ("traceback", "result", "cold"),
    [
        (NO_SUBMODULE, ran(), True),
        (PastedTraceback(type="AttributeError", message=""), ran(), True),
        (PastedTraceback(type="", message="", text="Traceback …"), ran(), True),  # any error
        (NO_SUBMODULE, failed("another one"), False),  # it fails in a warm one too
        (PastedTraceback(type="RuntimeError", message="CUDA out of memory."), ran(), False),
        (None, ran(), False),
        (None, ran(warm_only=("torch.distributed.fsdp",)), True),
    ],
)
async def test_a_fresh_interpreter_is_tried_where_it_could_show_the_error(
    traceback: PastedTraceback | None, result: JobResult, cold: bool
) -> None:
    """An attribute that only an import brings, and nothing else."""
    question = Question(text="why?", snippets=(Snippet(code="f()"),), traceback=traceback)
    executor = Everything(result)
    await reproduce(executor, question, Job(code="f()"))  # type: ignore[arg-type]

    assert any(job.cold for job in executor.asked) is cold
