"""executor/inside/edits: many programs in one job, behind the walls of any job."""

from __future__ import annotations

import json
from typing import Any

import pytest

from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient

_TRY = """\
import json
from executor.inside.edits.trials import try_programs
from executor.protocol import Job
found = try_programs([Job(code=code) for code in {codes!r}], {each_s}, {budget_s})
print(json.dumps([t and t.model_dump() for t in found]))
"""


async def tried(
    executor: ExecutorClient, *codes: str, each_s: float = 0.5, budget_s: float = 8.0
) -> tuple[list[Any], JobResult]:
    """What each program did in one job, and that job's result."""
    code = _TRY.format(codes=list(codes), each_s=each_s, budget_s=budget_s)
    run = await executor.run(Job(code=code, wall_s=12))
    assert run.outcome is Outcome.OK, run.stderr
    return json.loads(run.stdout), run


async def test_each_program_is_told_of_in_its_order(executor: ExecutorClient):
    """One ends, one raises in a function, one does not parse."""
    ended, raised, unparsed = (
        await tried(executor, "print(1)", "def f():\n    return 1 / 0\n\nf()", "x = (")
    )[0]

    assert ended["ok"] and ended["stdout"] == "1\n"
    assert (raised["type"], raised["lines"]) == ("ZeroDivisionError", [4, 2])
    assert not unparsed["ok"] and unparsed["type"] == "SyntaxError"


async def test_every_program_draws_the_same_numbers(executor: ExecutorClient):
    """Seeded anew, and with torch's modes as a run of its own has them."""
    draw = "import torch, random\nprint(torch.rand(1).item(), random.random())\n"
    leave = "torch.set_grad_enabled(False); torch.set_default_dtype(torch.float64)\n"
    first, second = (await tried(executor, draw + leave, draw))[0]

    assert first["stdout"] == second["stdout"]


@pytest.mark.parametrize(
    "hang",
    ["while True: pass", "import signal\nsignal.alarm(0)\nsignal.setitimer(0, 0)\nwhile True: pass",
     "import os\nos._exit(3)", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"],
)  # fmt: skip
async def test_a_program_that_hangs_or_dies_ends_alone(executor: ExecutorClient, hang: str):
    """The one before it and the one after it are told of."""
    before, itself, after = (await tried(executor, "print(1)", hang, "print(2)"))[0]

    assert before["ok"] and after["ok"] and after["stdout"] == "2\n"
    assert not itself["ok"] and itself["type"] == "Timeout"


async def test_no_program_is_tried_after_the_time(executor: ExecutorClient):
    """What was not reached is None: nothing is said of it."""
    found, _ = await tried(executor, "while True: pass", "print(2)", each_s=0.5, budget_s=0.3)

    assert found[1] is None


HOSTILE = {
    "the network": "import socket\nsocket.create_connection(('10.255.255.1', 80), 0.2)",
    "the system": "open('/etc/written', 'w')",
    "secrets": "open('/etc/shadow').read()",
    "tracing": "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
               "assert libc.ptrace(16, os.getppid(), 0, 0) == 0",
    "memory": "x = [bytearray(256 << 20) for _ in range(64)]",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
async def test_attacks_meet_the_same_walls(executor: ExecutorClient, name: str):
    """A trial is a part of a job of the jail, and may do no more than a run."""
    found, run = await tried(executor, HOSTILE[name], "print('still here')")

    assert not found[0]["ok"]
    assert found[1]["ok"] and found[1]["stdout"] == "still here\n"
    alone = await executor.run(Job(code=HOSTILE[name]))
    assert alone.outcome is not Outcome.OK
    assert run.isolation == alone.isolation.model_copy(update={"user": run.isolation.user})


async def test_a_daemon_of_a_trial_dies_with_the_job(executor: ExecutorClient):
    """A process that a program leaves behind holds up neither the trials nor the job."""
    daemon = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"
    found, run = await tried(executor, daemon, "print(2)")

    assert found[-1]["stdout"] == "2\n"
    assert run.seconds < 9
