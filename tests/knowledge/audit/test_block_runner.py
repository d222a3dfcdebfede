"""knowledge/audit/block_runner.py: what an audit keeps of a block's run."""

from __future__ import annotations

import pytest

from bot.commands.audit import AsAnAnswer
from executor.protocol import Job, JobResult
from executor.service.client import ExecutorClient
from knowledge.audit.block_runner import BlockRunner
from knowledge.audit.model import BlockRun
from tests.built import RecordedExecutor, found, noted, ran


async def _kept(_key, make):
    return await make()


async def test_of_the_findings_the_mistakes_are_kept():
    """A note says nothing against a document."""
    seen = ran(findings=(noted("graph_kept"), found("never_moved")))
    executor = RecordedExecutor({"net(x)": seen})

    async def as_it_is(job: Job) -> tuple[JobResult, str]:
        return await executor.run(job), ""

    runner = BlockRunner(as_it_is, 10, _kept)

    block = await runner.run("net(x)", [])

    assert block.findings == (("w", "never_moved: w"),)


async def test_a_block_that_needs_the_one_above_keeps_its_own_lines_and_output(
    executor: ExecutorClient,
):
    """What the joined program does above it is another block's."""
    runner = BlockRunner(AsAnAnswer(executor, has_gpu=False), 10, _kept)
    above = "print('above')\n\ndef double(x):\n    print('in it')\n    return 2 * x"
    code = "y = double(4)\nprint('own:', y)\ny['a']"

    seen = await runner.run(code, [(above, BlockRun(outcome="ok"))])

    assert (seen.how, seen.stdout) == ("joined", "in it\nown: 8\n")
    assert [(s.first, s.times) for s in seen.statements] == [(1, 1), (2, 1), (3, 1)]
    (a, b), = seen.statements[1].printed  # fmt: skip
    assert seen.stdout.encode()[a:b] == b"own: 8\n"
    assert seen.error is not None and (seen.error.line, seen.error.lines) == (3, (3,))


async def test_what_a_run_leans_on_is_kept(executor: ExecutorClient):
    """A module that does nothing here is no real one; an import that was forgotten is."""
    runner = BlockRunner(AsAnAnswer(executor, has_gpu=False), 10, _kept)

    silent = await runner.run("import wandb\nwandb.init()", [])
    supplied = await runner.run("x = torch.ones(1)", [])

    assert len(silent.assumed) == 1 and "wandb" in silent.assumed[0]
    assert (supplied.assumed, supplied.outcome) == ((), "ok")


@pytest.mark.parametrize(
    ("code", "cannot"),
    [
        ("def f():\n    # ... the rest\n    return x\nf(1)\n", True),
        ("# load it, train it …\n[1][2]\n", True),
        ("# first ... then that\n[1][2]\n", False),
        ("# ... the rest\nx = 1\n", False),
    ],
)
async def test_code_that_is_left_out_is_not_held_against_a_block(
    executor: ExecutorClient, code: str, cannot: bool
):
    """If it ends in an error."""
    runner = BlockRunner(AsAnAnswer(executor, has_gpu=False), 10, _kept)

    assert bool((await runner.run(code, [])).cannot) is cannot
