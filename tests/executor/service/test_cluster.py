"""executor/service/cluster.py: a real Ray cluster of three nodes, and what dies in it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from executor.exceptions import ExecutorBusyError, ExecutorGoneError
from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient

ray = pytest.importorskip("ray", reason="NOT TESTED HERE: ray is not installed")
from executor.service import cluster  # noqa: E402  (needs ray)

TOKEN = "of-this-test"
JOBS = 120
QUEUE = 60
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Three nodes of one core each."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    made.add_node(num_cpus=1)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def url(nodes: Any) -> str:
    """An executor of three slots on them."""
    settings = cluster.settings_from({"cpu_slots": (3, 3), "queue": QUEUE})
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return cluster.up(settings, TOKEN, "127.0.0.1", port, nodes.address)


def slots() -> list[int]:
    """The processes of the slots' replicas."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                title = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if title.startswith(b"ray::ServeReplica:" + cluster.APP.encode() + b":cpu"):
                found.append(int(entry.name))
    return found


def named(name: str) -> list[int]:
    """The processes of this name."""
    found = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text() == f"{name}\n":
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


async def until(what: Any, within_s: float = 120) -> None:
    """Wait until something is so."""
    end = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < end, "it never came to be"
        await asyncio.sleep(0.1)


def test_an_executor_like_any_other(url: str):
    """The bot changes one URL: same edge, same walls, same results, same token."""

    async def ask() -> tuple[dict[str, Any], dict[str, Any], JobResult, JobResult]:
        executor = ExecutorClient.on_tcp(url, TOKEN)
        one = await executor.run(Job(code="import torch\nprint(torch.ones(2).sum())"))
        two = await executor.run(Job(code="x = 1\nx.y"))
        return await executor.capabilities(), await executor.health(), one, two

    capabilities, health, one, two = asyncio.run(ask())
    assert (capabilities["slots"], capabilities["devices"]) == (3, ["cpu"])
    assert health["status"] == "ok" and all(row["passed"] for row in health["selftest"])
    assert (one.outcome, one.stdout) == (Outcome.OK, "tensor(2.)\n")
    assert two.error is not None and two.error.line == 2
    with pytest.raises(ExecutorGoneError, match="401"):
        asyncio.run(ExecutorClient.on_tcp(url, "another").run(Job(code="print(1)")))


def test_no_slot_knows_the_token(url: str):
    """Neither the environment nor the memory of what runs strangers' code."""
    assert slots()
    for pid in slots():
        assert TOKEN.encode() not in Path(f"/proc/{pid}/environ").read_bytes()
        maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            for row in maps:
                if "rw-p" not in row:
                    continue
                low, high = (int(part, 16) for part in row.split()[0].split("-"))
                memory.seek(low)
                try:
                    held = memory.read(high - low)
                except OSError:
                    continue
                assert TOKEN.encode() not in held, row


def test_a_full_queue_says_when_to_come_back_and_a_waiting_job_its_place(url: str):
    """429 with Retry-After, as on one machine."""

    async def ask() -> tuple[list[JobResult | BaseException], list[int]]:
        executor = ExecutorClient.on_tcp(url, TOKEN)
        places: list[int] = []
        slow = Job(code="import time\ntime.sleep(0.2)\nprint('done')")
        jobs = [executor.run(slow) for _ in range(QUEUE - 10)]
        jobs += [executor.run(slow, places.append)]
        jobs += [executor.run(slow) for _ in range(40)]
        return list(await asyncio.gather(*jobs, return_exceptions=True)), places

    results, places = asyncio.run(ask())
    busy = [r for r in results if isinstance(r, ExecutorBusyError)]
    done = [r for r in results if isinstance(r, JobResult)]
    assert len(busy) + len(done) == len(results) and busy and len(done) >= QUEUE
    assert all(r.stdout == "done\n" for r in done)
    assert all(e.retry_after_s >= 1 for e in busy)
    assert places and places == sorted(places, reverse=True)


def test_hanging_up_ends_the_run(url: str):
    """A slot is not held by whoever has gone."""

    async def ask() -> float:
        executor = ExecutorClient.on_tcp(url, TOKEN)
        long = Job(code="import time\ntime.sleep(60)", wall_s=90)
        gone = [asyncio.create_task(executor.run(long)) for _ in range(3)]
        await asyncio.sleep(3)
        for task in gone:
            task.cancel()
        began = time.monotonic()
        await executor.run(Job(code="print(1)"))
        return time.monotonic() - began

    assert asyncio.run(ask()) < 50


def test_a_node_and_two_slots_die_and_every_job_has_its_result(nodes: Any, url: str):
    """Many jobs, each answered once, with what it printed and nothing else."""

    async def ask() -> list[JobResult]:
        executor = ExecutorClient.on_tcp(url, TOKEN)
        side_by_side = asyncio.Semaphore(QUEUE // 2)
        answered = 0

        async def run(n: int) -> JobResult:
            nonlocal answered
            async with side_by_side:
                result = await executor.run(
                    Job(code=f"import torch\nprint(torch.tensor({n}).item())")
                )
            answered += 1
            return result

        jobs = [asyncio.create_task(run(n)) for n in range(JOBS)]
        await until(lambda: answered > JOBS // 6)
        for pid in slots()[:2]:
            os.kill(pid, signal.SIGKILL)
        await until(lambda: answered > JOBS // 2)
        await asyncio.to_thread(nodes.remove_node, nodes.worker_nodes.copy().pop(), False)
        return list(await asyncio.gather(*jobs))

    results = asyncio.run(ask())
    assert [(r.outcome, r.stdout) for r in results] == [(Outcome.OK, f"{n}\n") for n in range(JOBS)]


def test_what_kills_executors_does_not_walk_through_the_cluster(url: str):
    """Run twice, then refused with the reason, at once when it comes again; others run."""
    # It tells the host when it runs by the name of its process.
    code = "import ctypes, time\nctypes.CDLL(None).prctl(15, b'poison', 0, 0, 0)\ntime.sleep(90)"
    poison = Job(code=code, wall_s=120)

    async def ask() -> tuple[JobResult, JobResult, JobResult]:
        executor = ExecutorClient.on_tcp(url, TOKEN)
        asked = asyncio.create_task(executor.run(poison))
        for _ in range(2):
            await until(lambda: named("poison"))
            for pid in slots():  # every one: which of them runs it does not matter
                os.kill(pid, signal.SIGKILL)
            await until(lambda: not named("poison"))
        first = await asked
        again = await executor.run(poison)
        return first, again, await executor.run(Job(code="print('well')"))

    first, again, other = asyncio.run(ask())
    assert first.outcome is again.outcome is Outcome.SETUP_ERROR
    assert "2 executors died" in first.detail and first.detail == again.detail
    assert other.stdout == "well\n"
