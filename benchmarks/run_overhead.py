"""Measure the cost of the jail: a small training step, warm in the jail and in a fresh interpreter.

python benchmarks/run_overhead.py
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from executor.protocol import Job, Outcome
from executor.service.client import ExecutorClient

ADAM = """\
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(2, 4)).pow(2).mean().backward()
optimizer.step()
"""
VISION = ADAM.replace("import torch\n", "import torch\nimport torchvision\n")
COLD_RUNS, WARM_RUNS, BUSY_RUNS = 5, 40, 200


def bubblewrap() -> list[str] | None:
    """A command that jails what follows it, or None where there is no bubblewrap."""
    if not shutil.which("bwrap"):
        return None
    system = [
        x
        for p in ("/usr", "/bin", "/lib", "/lib64", "/etc", "/sys/devices/system")
        if Path(p).exists()
        for x in ("--ro-bind", p, p)
    ]
    python = [x for p in {sys.base_prefix, sys.prefix} for x in ("--ro-bind", p, p)]
    return ["bwrap", "--unshare-all", "--die-with-parent", *system, *python, "--proc", "/proc",
            "--dev", "/dev", "--tmpfs", "/tmp"]  # fmt: skip


def cold_ms(before: list[str]) -> float:
    """The median milliseconds of a fresh interpreter."""
    times = []
    for _ in range(COLD_RUNS):
        began = time.perf_counter()
        subprocess.run([*before, sys.executable, "-c", ADAM], check=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def held_mib(pids: Iterable[int]) -> float:
    """Memory of processes, what they share with others divided among them."""
    kib = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue  # it ended
        kib += sum(int(line.split()[1]) for line in lines if line.startswith("Pss_Anon:"))
    return kib / 1024


def waiting_runs() -> list[int]:
    """The processes of the runs that wait in their slots: those below a child of the server's."""
    found = []
    for server in below(os.getpid()):
        line = Path(f"/proc/{server}/cmdline").read_bytes().split(b"\0")
        if b"executor.inside.server" not in line:
            continue
        parents = [p for p in _children(server) if _children(p)]
        found += [pid for p in parents for pid in (p, *below(p))]
        break  # the first server; the others are its forks
    return found


def below(pid: int) -> list[int]:
    """The processes below a process."""
    children = _children(pid)
    return [*children, *(p for child in children for p in below(child))]


def _children(pid: int) -> list[int]:
    """Those that any of its threads has started."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(n) for task in tasks for n in (task / "children").read_text().split()]
    except OSError:
        return []


async def spread_ms(run: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Milliseconds of a run, one after the other: median and 90th percentile."""
    times = []
    for _ in range(WARM_RUNS):
        await asyncio.sleep(0.1)  # as questions come: the next run is ready by then
        began = time.perf_counter()
        await run()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000, statistics.quantiles(times, n=10)[-1] * 1000


async def main() -> None:
    """Measure and print."""
    bare = cold_ms([])
    jail = bubblewrap()
    jailed = cold_ms(jail) if jail else None

    async with ExecutorClient.embedded() as executor:
        here = await executor.capabilities()

        async def warm() -> None:
            result = await executor.run(Job(code=ADAM))
            assert result.outcome is Outcome.OK, result

        async def vision() -> None:
            result = await executor.run(Job(code=VISION))
            assert result.outcome is Outcome.OK, result

        async def cold() -> None:
            result = await executor.run(Job(code=ADAM, cold=True, wall_s=60))
            assert result.outcome is Outcome.OK, result

        await warm()
        median, slow = await spread_ms(warm)
        slot = held_mib(waiting_runs()) / here["slots"]
        plain = held_mib(below(os.getpid()))
        began = time.perf_counter()
        await vision()
        first_vision = (time.perf_counter() - began) * 1000
        vision_median, _ = await spread_ms(vision)
        branch = held_mib(below(os.getpid())) - plain
        own_cold = []
        for _ in range(COLD_RUNS):
            began = time.perf_counter()
            await cold()
            own_cold.append((time.perf_counter() - began) * 1000)
        own = statistics.median(own_cold)
        tasks = asyncio.Semaphore(2 * here["slots"])

        async def one() -> None:
            async with tasks:
                await warm()

        began = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(BUSY_RUNS)))
        per_second = BUSY_RUNS / (time.perf_counter() - began)

    print(f"tier {here['tier']}, torch {here['torch']}, {here['slots']} slots; a 5-line Adam step")
    print(f"  cold, python -c                 {bare:8.0f} ms   {bare / median:6.1f} x warm")
    if jailed is None:
        print("  cold, python -c in bubblewrap    not measured: bubblewrap is not installed")
    else:
        print(f"  cold, python -c in bubblewrap   {jailed:8.0f} ms   {jailed / median:6.1f} x warm")
    print(f"  cold, in this jail              {own:8.0f} ms   {own / median:6.1f} x warm")
    print(f"  warm, in this jail              {median:8.1f} ms   (90 %: {slow:.1f} ms)")
    print(f"  all slots busy                  {per_second:8.1f} runs a second")
    over = vision_median - median
    print(
        f"  warm, with torchvision          {vision_median:8.1f} ms   {over:+.1f} ms over without"
    )
    print(f"  the first with torchvision      {first_vision:8.0f} ms   it is imported, once")
    print(
        f"  memory: a slot that waits {slot:.0f} MiB, a branch with torchvision {branch:.0f} MiB, "
    )
    print(f"          all processes of the executor {plain + branch:.0f} MiB")


if __name__ == "__main__":
    asyncio.run(main())
