"""knowledge/audit/block_runner.py: what an audit keeps of a block's run."""

from __future__ import annotations

from executor.protocol import Job, JobResult
from knowledge.audit.block_runner import BlockRunner
from tests.built import RecordedExecutor, found, noted, ran


class _AsIs:
    """Runs a block as it is written."""

    def __init__(self, executor: RecordedExecutor) -> None:
        self._executor = executor

    def clean(self, code: str) -> str:
        return code

    async def run(self, code: str, job: Job) -> tuple[JobResult, Job]:
        return await self._executor.run(job), job

    def missing(self, run: JobResult) -> str:
        return ""


async def _kept(_key, make):
    return await make()


async def test_of_the_findings_the_mistakes_are_kept():
    """A note says nothing against a document."""
    seen = ran(findings=(noted("graph_kept"), found("never_moved")))
    executor = RecordedExecutor({"net(x)": seen})
    runner = BlockRunner(executor, _AsIs(executor), 10, _kept)

    block = await runner.run("net(x)", [])

    assert block.findings == (("w", "never_moved: w"),)
