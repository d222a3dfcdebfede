"""executor/: parts are killed at bad moments; no job is lost, none answered twice, nothing left."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from executor.service.run import Run
from executor.service.scratch import Scratch, sweep_stale
from tests.executor.conftest import House, open_house

SLOW = "import time; time.sleep(1); print('done')"


def in_background(
    house: House, code: str, **more: float
) -> tuple[threading.Thread, list[JobResult]]:
    """A run on its way, and where its result will be."""
    results: list[JobResult] = []
    thread = threading.Thread(target=lambda: results.append(house.run(code, **more)))
    thread.start()
    until = time.monotonic() + 20
    while not house.supervisor.running and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.3)  # it is past its start
    return thread, results


def processes_with(mark: Path) -> list[int]:
    """Processes whose command line names this path: the server and what it forked, or nobody."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(mark).encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


async def gone(mark: Path, seconds: float = 20) -> bool:
    """Whether no such process is left, after a moment."""
    until = time.monotonic() + seconds
    while processes_with(mark) and time.monotonic() < until:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    return not processes_with(mark)


def folders_of(pid: int) -> set[Path]:
    """The folders that a process has locked as its own; other executors here have theirs."""
    held = [fd.readlink() for fd in Path(f"/proc/{pid}/fd").iterdir() if fd.is_symlink()]
    return {p.parent for p in held if p.name == "lock" and p.parent.name.startswith("torchmedic-")}


def test_killed_server_disturbs_no_run(any_house: House) -> None:
    thread, results = in_background(any_house, SLOW)
    assert any_house.supervisor._server is not None
    os.kill(any_house.supervisor._server.ready.pid, signal.SIGKILL)
    thread.join()

    assert results[0].stdout == "done\n"
    assert any_house.run("print(2)").stdout == "2\n"
    any_house.run("print(3)")
    any_house.assert_clean()


def test_killed_monitor_loses_no_job() -> None:
    """The run dies with it, and the job is run once more."""
    house = open_house("auto", slots=1, torch=False)
    house.wait_until_idle()
    runs: list[Run] = []
    follow = Run.follow

    def watched(run: Run, cancel: threading.Event | None) -> None:
        if cancel is not None:  # a branch that is made ready meanwhile tries its own walls
            runs.append(run)
        follow(run, cancel)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "follow", watched)
        thread, results = in_background(house, SLOW)
        assert runs[0].monitor is not None
        os.kill(runs[0].monitor, signal.SIGKILL)
        thread.join()

    assert (len(runs), results[0].stdout) == (2, "done\n")
    house.assert_clean()
    house.supervisor.close()


@pytest.mark.parametrize("tier", ["namespaces", "uid"])
def test_stopped_monitor_is_ended(tier: str) -> None:
    """A monitor that hangs costs its slot a few seconds, not the executor."""
    house = open_house(tier, slots=1, torch=False)
    house.wait_until_idle()
    runs: list[Run] = []
    follow = Run.follow

    def watched(run: Run, cancel: threading.Event | None) -> None:
        runs.append(run)
        follow(run, cancel)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "follow", watched)
        thread, results = in_background(house, "while True: pass", wall_s=1)
        assert runs[0].monitor is not None
        os.kill(runs[0].monitor, signal.SIGSTOP)
        thread.join()

    assert results[0].outcome is Outcome.TIMEOUT
    house.assert_clean()
    house.supervisor.close()


def test_fresh_server_disturbs_no_run() -> None:
    house = open_house("auto", runs_per_server=4, torch=False)
    with ThreadPoolExecutor(6) as many:
        slow = [many.submit(house.run, SLOW) for _ in range(2)]
        quick = [many.submit(house.run, "print('done')") for _ in range(16)]
        outputs = {f.result().stdout for f in (*slow, *quick)}

    assert outputs == {"done\n"}
    until = time.monotonic() + 150  # it imports torch, and a busy machine takes its time
    while house.supervisor.server_starts < 2 and time.monotonic() < until:
        time.sleep(0.1)
    assert house.supervisor.server_starts >= 2
    house.assert_clean()
    house.supervisor.close()


def test_slot_that_cannot_be_cleaned_takes_no_more_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    house = open_house("auto", slots=1, torch=False)
    house.wait_until_idle()
    close = Run.close

    def dirty(run: Run) -> str:
        return close(run) or "3 processes of a run could not be ended"

    monkeypatch.setattr(Run, "close", dirty)
    assert house.run("print(1)").stdout == "1\n"
    until = time.monotonic() + 10
    while not house.supervisor.refuses and time.monotonic() < until:
        time.sleep(0.01)
    refused = house.run("print(2)")

    assert (refused.outcome, refused.stdout) == (Outcome.SETUP_ERROR, "")
    assert "slot is healthy any more" in refused.detail
    assert "3 processes" in refused.detail
    house.supervisor.close()


def test_twenty_runs_beside_a_memory_bomb() -> None:
    house = open_house("auto", slots=4, queue=40)
    bomb = "hoard = []\nwhile True: hoard.append(bytearray(50_000_000))"
    with ThreadPoolExecutor(20) as many:
        exploding = many.submit(house.run, bomb, wall_s=60)
        others = [many.submit(house.run, f"print({n} ** 2)", wall_s=60) for n in range(19)]

    assert exploding.result().outcome is Outcome.OUT_OF_MEMORY
    assert [f.result().stdout for f in others] == [f"{n**2}\n" for n in range(19)]
    house.assert_clean()
    house.supervisor.close()


async def test_killed_executor_is_restarted_and_the_job_done(tmp_path: Path) -> None:
    """The embedded client answers every job once, whatever dies under it."""
    settings = {"slots": 1, "readable": [str(tmp_path)], "torch": False}
    async with ExecutorClient.embedded(settings) as executor:
        await executor.run(Job(code="print(0)"))
        assert executor._child is not None
        of_the_first = folders_of(executor._child.pid)
        assert of_the_first
        running = asyncio.create_task(executor.run(Job(code=SLOW)))
        await asyncio.sleep(0.4)
        executor._child.kill()

        assert (await running).stdout == "done\n"
        assert processes_with(tmp_path)
    assert await gone(tmp_path)
    assert not [f for f in of_the_first if f.exists()]


async def test_killed_client_takes_its_executor_along(tmp_path: Path) -> None:
    program = (
        "import asyncio\nfrom executor.service.client import ExecutorClient\n"
        "from executor.protocol import Job\n"
        "async def main():\n"
        f"    settings = {{'slots': 1, 'readable': [{str(tmp_path)!r}], 'torch': False}}\n"
        "    async with ExecutorClient.embedded(settings) as executor:\n"
        "        print((await executor.run(Job(code='print(1)'))).outcome, flush=True)\n"
        "        await executor.run(Job(code='import time; time.sleep(500)', wall_s=600))\n"
        "asyncio.run(main())\n"
    )
    script = tmp_path / "client.py"
    script.write_text(program)
    client = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE)  # noqa: ASYNC220
    assert client.stdout is not None
    assert client.stdout.readline() == b"ok\n"
    client.kill()
    client.wait()

    assert await gone(tmp_path)


async def test_jobs_survive_kills_at_random_moments(tmp_path: Path) -> None:
    """The server, its monitors and runs are killed while 30 jobs go through: each is answered."""
    dice = random.Random(7)
    settings = {"slots": 2, "readable": [str(tmp_path)], "torch": False}
    async with ExecutorClient.embedded(settings) as executor:
        await executor.run(Job(code="print('warm')"))
        jobs = [
            asyncio.create_task(executor.run(Job(code=f"import time; time.sleep(0.1); print({n})")))
            for n in range(30)
        ]
        for _ in range(8):
            await asyncio.sleep(dice.uniform(0.05, 0.4))
            if victims := processes_with(tmp_path):
                try:
                    os.kill(dice.choice(victims), signal.SIGKILL)
                except ProcessLookupError:
                    continue
        results = await asyncio.gather(*jobs)

    answered = [r for r in results if r.outcome is not Outcome.SETUP_ERROR]
    killed = [r for r in answered if r.outcome is Outcome.KILLED]  # the run itself was the victim
    assert len(killed) <= 8
    assert all(r.stdout == f"{n}\n" for n, r in enumerate(results) if r.outcome is Outcome.OK)
    assert len(results) - len(answered) <= 2, [r.detail for r in results]
    assert await gone(tmp_path)


def test_a_server_without_torch_leaves_its_import_to_the_runs() -> None:
    """As most tests of this file need none, and a start with it takes seconds of a core."""
    house = open_house("auto", slots=1, torch=False)
    without = house.run("import sys; print('torch' in sys.modules)")
    with_it = house.run("import torch; print(torch.ones(2).sum())", wall_s=60)
    assert house.supervisor.ready is not None
    named = house.supervisor.ready.torch
    house.supervisor.close()

    assert without.stdout == "False\n"
    assert with_it.stdout == "tensor(2.)\n", with_it.stderr
    assert named == with_it.env.torch


def test_folders_of_the_dead_are_swept() -> None:
    mine = Scratch("test")
    dead = Scratch("test")
    os.close(dead._lock)  # what the kernel does for a killed owner
    swept = sweep_stale()

    assert dead.path in swept
    assert not dead.path.exists()
    assert mine.path.exists()
    mine.close()


@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("setpriv"), reason="it takes root")
def test_folders_of_a_killed_monitors_run_are_removed_without_rights_over_others_files() -> None:
    """A container's root has no DAC_OVERRIDE: only the run's user can empty the run's folders."""
    code = (
        "from executor.service.scratch import Scratch\n"
        "from executor.service.users import acting_as\n"
        "scratch = Scratch('test')\n"
        "scratch.path.chmod(0o711)\n"
        "slot = scratch.path / 'slot0'\n"
        "slot.mkdir()\n"
        "slot.chmod(0o733)\n"
        "with acting_as(40_000):\n"
        "    (slot / 'work' / 'deep' / 'er').mkdir(parents=True)\n"
        "    (slot / 'work' / 'deep' / 'file').touch()\n"
        "    (slot / 'work').chmod(0)\n"
        "scratch.close()\n"
        "assert not scratch.path.exists()\n"
    )
    lost = "-dac_override,-dac_read_search,-fowner,-chown"
    subprocess.run(
        ["setpriv", f"--bounding-set={lost}", sys.executable, "-c", code],
        check=True,
        cwd=Path(__file__).parents[3],
    )


def test_soak() -> None:
    """Many runs of all kinds leave memory, descriptors, processes and files where they were."""
    rounds = int(os.environ.get("TORCHMEDIC_SOAK", "96"))
    mix = (
        "print(1)",
        "1 / 0",
        "import torch; torch.nn.Linear(4, 4)(torch.ones(2, 4)).sum().backward()",
        "import os; os.abort()",
        "open('f', 'w').write('x' * 1000)",
        "import os, time\nif os.fork() == 0: time.sleep(60)",
        "print('x' * 100_000)",
        "import sys; sys.exit(3)",
    )
    house = open_house("auto", runs_per_server=500)
    for code in mix * 3:
        house.run(code)
    house.assert_clean()
    house.wait_until_idle()  # it also asked for a run, and the slot's next one was on its way
    before = _footprint()
    with ThreadPoolExecutor(3) as many:
        outcomes = list(many.map(lambda n: house.run(mix[n % len(mix)]).outcome, range(rounds)))
    house.assert_clean()
    house.wait_until_idle()
    after = _footprint()
    house.supervisor.close()

    assert len(outcomes) == rounds
    assert Outcome.SETUP_ERROR not in outcomes
    assert len(after.descriptors) <= len(before.descriptors) + 2, (before, after)
    assert after.threads <= before.threads + 1, (before, after)
    assert after.memory < before.memory + 40_000_000, (before, after)


class Footprint(NamedTuple):
    """What this process holds."""

    descriptors: list[str]  # what each open one leads to
    threads: int
    memory: int  # bytes


def _footprint() -> Footprint:
    status = Path("/proc/self/status").read_text()
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    links = [fd for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink()]
    return Footprint(
        sorted(str(fd.readlink()) for fd in links),
        threading.active_count(),
        int(resident.split()[1]) * 1024,
    )
