"""How many questions the whole bot answers: real processes, our own Slack, N people who ask.

    python -m benchmarks.load [--slots 1 2 4] [--nodes 1 3] [--askers 8] [--seconds 60]
    python -m benchmarks.load --slots 2 --sustained 600      # at the capacity, then at twice of it

Closed loop: each of N people asks, waits for the answer, and asks again. Open loop: questions come
at a rate, whether or not the ones before are answered, each from a person of their own. The bot,
its executor and Ray (`--nodes`) are the processes an operator runs; they ask about programs of the
articles, by turns. What one person with one interpreter would do is run beside it: a fresh `python`
for each of the same programs, one after the other.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from knowledge.article import ARTICLES
from tests.bot.fakes.slack import FakeSlack, buttons
from tests.bot.test_kill import Process

_PROGRAMS = ("in-place-overwrites-saved", "matmul-inner-sizes", "non-leaf-tensor-in-optimizer",
             "linear-input-size", "plain-tensor-attribute-not-a-parameter")  # fmt: skip
_LOOK_S = 0.1
_PATIENCE_S = 600  # after that a question counts as lost
_TOKEN = "of-this-benchmark"
_COLD = 3  # programs that a fresh interpreter is timed on


@dataclass
class Asked:
    """One question, from the moment it is posted."""

    began: float
    told: float | None = None  # seconds until there is a card
    done: float | None = None  # seconds until it is an answer
    waited: bool = False  # the card said that others come first


@dataclass(frozen=True)
class Place:
    """Where an executor answers, and the processes it is made of."""

    name: str
    url: str
    pids: tuple[int, ...]
    at_once: int


def programs() -> list[str]:
    """What is asked."""
    return [(ARTICLES / slug / "broken.py").read_text(encoding="utf-8") for slug in _PROGRAMS]


# -- who asks --------------------------------------------------------------------------------------


async def ask(slack: FakeSlack, number: int, code: str) -> Asked:
    """Post it, and look at its card until it has buttons."""
    asked = Asked(time.monotonic())
    posted = asyncio.create_task(
        slack.say(f"why?\n```\n{code}```", mention=True, user=f"U{number}")
    )
    ts = await posted
    card = None
    while time.monotonic() - asked.began < _PATIENCE_S:
        card = card or next(iter(slack.cards(thread=ts)), None)
        if card is not None:
            asked.told = asked.told or time.monotonic() - asked.began
            asked.waited = asked.waited or "before" in card.text
            if buttons(card.blocks):
                asked.done = time.monotonic() - asked.began
                break
        await asyncio.sleep(_LOOK_S)
    return asked


async def closed(
    slack: FakeSlack, askers: int, seconds: float, numbers: Iterator[int]
) -> list[Asked]:
    """N people, each with one question at a time."""
    end = time.monotonic() + seconds
    codes = itertools.cycle(programs())

    async def person(number: int) -> list[Asked]:
        mine = []
        while time.monotonic() < end:
            mine.append(await ask(slack, number, next(codes)))
        return mine

    people = await asyncio.gather(*(person(next(numbers)) for _ in range(askers)))
    return [asked for mine in people for asked in mine]


async def opened(
    slack: FakeSlack, rate: float, seconds: float, numbers: Iterator[int]
) -> list[Asked]:
    """So many questions a second, at random moments, each from another person."""
    chance = random.Random(8)
    codes = itertools.cycle(programs())
    tasks = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        tasks.append(asyncio.create_task(ask(slack, next(numbers), next(codes))))
        await asyncio.sleep(chance.expovariate(rate))
    return list(await asyncio.gather(*tasks))


# -- who answers -----------------------------------------------------------------------------------


@asynccontextmanager
async def one_machine(folder: Path, slots: int) -> AsyncIterator[Place]:
    """`python -m executor` with so many slots."""
    path = folder / "executor.sock"
    words = f'{{"slots": {slots}, "preload": ["libcst.metadata", "knowledge.codemod"]}}'
    process = subprocess.Popen(  # noqa: ASYNC220  (returns at once)
        [sys.executable, "-P", "-m", "executor", "--uds", str(path), "--settings", words],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield Place(f"{slots} slots", f"unix:{path}", (process.pid,), slots)
    finally:
        process.terminate()
        process.wait(60)


@asynccontextmanager
async def several(nodes: int) -> AsyncIterator[Place]:
    """Ray with so many nodes on this machine, one slot each."""
    from ray.cluster_utils import Cluster

    from executor import cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(nodes - 1):
        made.add_node(num_cpus=1)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = cluster.settings_from({
        "cpu_slots": (nodes, nodes), "queue": 64,
        "executor": {"preload": ["libcst.metadata", "knowledge.codemod"]},
    })  # fmt: skip
    try:
        url = await asyncio.to_thread(cluster.up, settings, _TOKEN, "127.0.0.1", port, made.address)
        yield Place(f"Ray, {nodes} nodes", url, (), nodes)
    finally:
        with contextlib.suppress(Exception):
            await asyncio.to_thread(cluster.down)
        cluster.leave()
        made.shutdown()


@asynccontextmanager
async def bot(slack: FakeSlack, folder: Path, place: Place) -> AsyncIterator[int]:
    """`torchmedic slack` in front of it, warm; its process."""
    with Process(
        slack, folder, TORCHMEDIC_EXECUTOR__URL=place.url, TORCHMEDIC_EXECUTOR_TOKEN=_TOKEN,
        TORCHMEDIC_CHAT__AT_ONCE=str(place.at_once),
    ) as process:  # fmt: skip
        await process.up(slack)
        for number, code in enumerate(programs()):  # index, proofs and a first run of each
            await ask(slack, 900_000 + number, code)
        yield process.pid


# -- what is seen ----------------------------------------------------------------------------------


def quantiles(asked: list[Asked]) -> tuple[float, float, float]:
    """Median, p95 and largest of the seconds to an answer."""
    done = sorted(a.done for a in asked if a.done is not None)
    if not done:
        return 0.0, 0.0, 0.0
    return statistics.median(done), done[min(len(done) - 1, round(0.95 * len(done)))], done[-1]


def row(table: Table, name: str, load: str, asked: list[Asked], seconds: float) -> float:
    """One line of figures; the questions answered a second."""
    answered = [a for a in asked if a.done is not None]
    rate = len(answered) / seconds
    median, p95, most = quantiles(asked)
    told = statistics.median(a.told for a in asked if a.told is not None) if answered else 0.0
    table.add_row(name, load, str(len(asked)), f"{rate:.2f}", f"{told:.2f}", f"{median:.1f}",
                  f"{p95:.1f}", f"{most:.1f}", str(sum(a.waited for a in asked)),
                  str(len(asked) - len(answered)))  # fmt: skip
    return rate


def held(pids: tuple[int, ...]) -> tuple[float, int]:
    """MiB and descriptors of these processes together."""
    mib, descriptors = 0.0, 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                mib += int(line.split()[1]) / 1024
        descriptors += len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return mib, descriptors


def cold_s() -> float:
    """Seconds that a fresh interpreter takes for one of the programs, the mean."""
    began = time.perf_counter()
    for code in programs()[:_COLD]:
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    return (time.perf_counter() - began) / _COLD


async def measure(place: Place, given: argparse.Namespace, table: Table, console: Console) -> None:
    """Closed loop, then open loop at seven tenths of what that gave; or sustained."""
    numbers = itertools.count(1)
    with tempfile.TemporaryDirectory() as name:
        async with FakeSlack().listening() as slack, bot(slack, Path(name), place) as pid:
            began = time.monotonic()
            asked = await closed(slack, given.askers, given.seconds, numbers)
            taken = time.monotonic() - began
            rate = row(table, place.name, f"{given.askers} people", asked, taken)
            if not given.sustained:
                asked = await opened(slack, 0.7 * rate, given.seconds, numbers)
                row(table, place.name, f"{0.7 * rate:.2f} a second", asked, given.seconds)
                return
            for times, seconds in ((0.9, given.sustained), (2.0, given.sustained / 5)):
                before = held((pid, *place.pids))
                asked = await opened(slack, times * rate, seconds, numbers)
                row(table, place.name, f"{times:g} × capacity", asked, seconds)
                after = held((pid, *place.pids))
                median, p95, _ = quantiles(asked)
                console.print(
                    f"{times:g} × capacity for {seconds:.0f} s: memory {before[0]:.0f} → "
                    f"{after[0]:.0f} MiB, descriptors {before[1]} → {after[1]}, p95 / median "
                    f"{p95 / max(median, 1e-9):.1f}"
                )


async def main(given: argparse.Namespace) -> None:
    """Measure each executor in turn, print one table."""
    console = Console(width=130)
    table = Table(title="questions through Slack's door to an answer")
    for column in ("executor", "load", "asked", "answered a second", "s to a card", "median s",
                   "p95", "most", "told to wait", "lost"):  # fmt: skip
        table.add_column(column, justify="left" if column in ("executor", "load") else "right")
    for slots in given.slots:
        with tempfile.TemporaryDirectory() as folder:
            async with one_machine(Path(folder), slots) as place:
                await measure(place, given, table, console)
    for nodes in given.nodes:
        async with several(nodes) as place:
            await measure(place, given, table, console)
    console.print(table)
    cold = cold_s()
    console.print(
        f"{os.cpu_count()} cores; a fresh interpreter runs one of these programs in {cold:.1f} s, "
        f"{1 / cold:.2f} a second, and neither explains nor mends it"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--slots", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--nodes", type=int, nargs="*", default=[], help="Ray nodes, e.g. 1 3")
    parser.add_argument("--askers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--sustained", type=float, default=0, help="seconds at the capacity")
    asyncio.run(main(parser.parse_args()))
