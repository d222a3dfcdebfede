"""Measure the cost of the jail: a small training step, warm in the jail and in a fresh interpreter.

python benchmarks/run_overhead.py
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
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

        async def cold() -> None:
            result = await executor.run(Job(code=ADAM, cold=True, wall_s=60))
            assert result.outcome is Outcome.OK, result

        await warm()
        median, slow = await spread_ms(warm)
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


if __name__ == "__main__":
    asyncio.run(main())
