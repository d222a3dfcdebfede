"""Measure how many questions the whole bot answers: real processes, a fake Slack, N askers.

    python -m benchmarks.load [--slots 1 2 4] [--nodes 1 3] [--askers 8] [--seconds 60]
    python -m benchmarks.load --slots 2 --sustained 600

Closed loop: each of N people asks, waits for the answer, and asks again; what is answered then is
the capacity. Open loop: questions come at a rate, whether or not the ones before are answered, each
from a person of their own. Sustained: so many seconds in closed loop, then a quarter of it in open
loop at nine tenths of the capacity, then a sixth of it at twice the capacity.

The bot, its executor and Ray (`--nodes`) are the processes an operator runs; they are asked about
programs of the articles, by turns. What one person with one interpreter would do is run beside it:
a fresh `python` for each of the same programs, one after the other.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

import knowledge
from knowledge.articles.slugs import folder_of
from tests.bot.fakes.slack import FakeSlack, Limit, Message, buttons
from tests.bot.service.test_kill import Process

_PROGRAMS = (
    "in-place-overwrites-saved",
    "matmul-inner-sizes",
    "non-leaf-tensor-in-optimizer",
    "linear-input-size",
    "plain-tensor-attribute-not-a-parameter",
)
# Slack's rate limits for one app in one workspace; all questions go to one channel here.
# https://docs.slack.dev/apis/web-api/rate-limits
_LIMITS = {"chat.update": (50, 60.0), "chat.postMessage": (60, 60.0)}  # calls, in seconds
# What the bot asks of an executor that it starts itself.
_CODEMODS = {
    "preload": ["knowledge.repair.preload"],
    "readable": list(knowledge.__path__),
}
_LOOK_S = 0.1
_PATIENCE_S = 600  # after that a question counts as lost
_TOKEN = "of-this-benchmark"
_COLD = 3  # programs that a fresh interpreter is timed on


@dataclass
class Asked:
    """One question, from the moment it is posted."""

    began: float
    card_s: float | None = None  # seconds until there is a card
    answer_s: float | None = None  # seconds until the card shows an answer
    waited: bool = False  # the card said that others come first
    refused: bool = False  # the answer says that it could not be run


@dataclass(frozen=True)
class Place:
    """An executor's address, and its processes."""

    name: str
    url: str
    pids: tuple[int, ...]
    at_once: int


def programs() -> list[str]:
    """The programs to ask about."""
    return [(folder_of(slug) / "broken.py").read_text(encoding="utf-8") for slug in _PROGRAMS]


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


# -- askers ----------------------------------------------------------------------------------------


class Watch:
    """Polls all cards in one loop: a loop for each asker would add to the load."""

    def __init__(self, slack: FakeSlack) -> None:
        """`looking` has to run beside those who ask."""
        self._slack = slack
        self._open: dict[str, tuple[Asked, asyncio.Event]] = {}  # by the question's message

    async def ask(self, number: int, code: str) -> Asked:
        """Post a question, and wait until its card has buttons."""
        asked, seen = Asked(time.monotonic()), asyncio.Event()
        ts = await self._slack.say(f"why?\n```\n{code}```", mention=True, user=f"U{number}")
        self._open[ts] = asked, seen
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(seen.wait(), _PATIENCE_S)
        del self._open[ts]
        return asked

    async def looking(self) -> None:
        """Poll until cancelled."""
        while True:
            for card in self._slack.cards():
                if found := self._open.get(card.thread_ts or ""):
                    self._look(card, *found)
            await asyncio.sleep(_LOOK_S)

    def _look(self, card: Message, asked: Asked, seen: asyncio.Event) -> None:
        since = time.monotonic() - asked.began
        asked.card_s = asked.card_s or since
        if not buttons(card.blocks):
            asked.waited = asked.waited or "before" in card.text
        elif asked.answer_s is None:
            asked.answer_s = since
            asked.refused = "Could not run it" in card.text
            seen.set()


async def closed(watch: Watch, askers: int, seconds: float, numbers: Iterator[int]) -> list[Asked]:
    """N people, each with one question at a time."""
    end = time.monotonic() + seconds
    codes = itertools.cycle(programs())

    async def person(number: int) -> list[Asked]:
        mine = []
        while time.monotonic() < end:
            mine.append(await watch.ask(number, next(codes)))
        return mine

    people = await asyncio.gather(*(person(next(numbers)) for _ in range(askers)))
    return [asked for mine in people for asked in mine]


async def opened(watch: Watch, rate: float, seconds: float, numbers: Iterator[int]) -> list[Asked]:
    """So many questions a second, at random moments, each from another person."""
    chance = random.Random(8)
    codes = itertools.cycle(programs())
    tasks = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        tasks.append(asyncio.create_task(watch.ask(next(numbers), next(codes))))
        await asyncio.sleep(chance.expovariate(rate))
    return list(await asyncio.gather(*tasks))


# -- bot and executors -----------------------------------------------------------------------------


@asynccontextmanager
async def one_machine(folder: Path, slots: int) -> AsyncIterator[Place]:
    """`python -m executor` with so many slots."""
    path = folder / "executor.sock"
    words = json.dumps({"slots": slots, **_CODEMODS})
    process = subprocess.Popen(  # noqa: ASYNC220  (returns at once)
        [sys.executable, "-P", "-m", "executor", "--uds", str(path), "--settings", words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Place(
            f"{slots} {'slot' if slots == 1 else 'slots'}", f"unix:{path}", (process.pid,), slots
        )
    finally:
        process.terminate()
        process.wait(60)


@asynccontextmanager
async def several(nodes: int) -> AsyncIterator[Place]:
    """Ray with so many nodes on this machine, one slot each."""
    from ray.cluster_utils import Cluster

    from executor.service import cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(nodes - 1):
        made.add_node(num_cpus=1)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = cluster.settings_from(
        {
            "cpu_slots": (nodes, nodes),
            "queue": 64,
            "executor": _CODEMODS,
        }
    )
    try:
        url = await asyncio.to_thread(cluster.up, settings, _TOKEN, "127.0.0.1", port, made.address)
        yield Place(f"Ray, {_many(nodes, 'node')}", url, (), nodes)
    finally:
        with contextlib.suppress(Exception):
            await asyncio.to_thread(cluster.down)
        cluster.leave()
        made.shutdown()


@asynccontextmanager
async def bot(slack: FakeSlack, folder: Path, place: Place) -> AsyncIterator[int]:
    """Run `torchmedic slack` with this executor; yields its process id."""
    with Process(
        slack,
        folder,
        TORCHMEDIC_EXECUTOR__URL=place.url,
        TORCHMEDIC_EXECUTOR_TOKEN=_TOKEN,
        TORCHMEDIC_CHAT__AT_ONCE=str(place.at_once),
    ) as process:
        await process.up(slack)
        yield process.pid


@asynccontextmanager
async def watching(slack: FakeSlack) -> AsyncIterator[Watch]:
    """A watch that is polling."""
    watch = Watch(slack)
    task = asyncio.create_task(watch.looking())
    try:
        yield watch
    finally:
        task.cancel()


# -- figures ---------------------------------------------------------------------------------------


def quantiles(asked: list[Asked]) -> tuple[float, float, float]:
    """Median, p95 and largest of the seconds to an answer."""
    done = sorted(a.answer_s for a in asked if a.answer_s is not None)
    if not done:
        return 0.0, 0.0, 0.0
    return statistics.median(done), done[min(len(done) - 1, round(0.95 * len(done)))], done[-1]


def row(table: Table, name: str, load: str, asked: list[Asked], seconds: float) -> float:
    """One line of figures; the questions answered a second.

    Args:
        table: gets the line.
        name: who answers.
        load: how it was asked.
        asked: everything.
        seconds: from the first question to the last answer.
    """
    answered = [a for a in asked if a.answer_s is not None]
    rate = len(answered) / seconds
    median, p95, most = quantiles(asked)
    card_s = statistics.median([a.card_s for a in asked if a.card_s is not None] or [0.0])
    table.add_row(
        name,
        load,
        str(len(asked)),
        f"{rate:.2f}",
        f"{card_s:.2f}",
        f"{median:.1f}",
        f"{p95:.1f}",
        f"{most:.1f}",
        str(sum(a.waited for a in asked)),
        str(sum(a.refused for a in asked)),
        str(len(asked) - len(answered)),
    )
    return rate


def held(pids: tuple[int, ...]) -> tuple[float, int, int]:
    """MiB, descriptors and processes: these and all that they have started.

    Memory that a process shares with the one it was forked from counts for each by its share.
    """
    mib, descriptors = 0.0, 0
    known, ended = [*pids], 0
    for pid in known:  # grows while it is gone through
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                known += map(int, (task / "children").read_text().split())
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    mib += int(line.split()[1]) / 1024
            descriptors += len(list(Path(f"/proc/{pid}/fd").iterdir()))
        except (FileNotFoundError, ProcessLookupError):
            ended += 1  # a run, in this moment
    return mib, descriptors, len(known) - ended


def cpu_s(pid: int) -> float:
    """Processor seconds that a process has taken, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
        async with (
            FakeSlack().listening() as slack,
            bot(slack, Path(name), place) as pid,
            watching(slack) as watch,
        ):
            if given.limits:
                slack.limits = {name: Limit(*often) for name, often in _LIMITS.items()}
            for code in programs() * 2:  # index, proofs and a first run of each
                await watch.ask(next(numbers), code)
            slack.calls.clear()
            spent = cpu_s(pid)
            pids = (pid, *place.pids)
            before = held(pids)
            began = time.monotonic()
            seconds = given.sustained or given.seconds
            asked = await closed(watch, given.askers, seconds, numbers)
            count = len(asked)
            rate = row(table, place.name, f"{given.askers} people", asked, time.monotonic() - began)
            loads = [(0.7, given.seconds)]
            if given.sustained:
                tell(console, f"{given.askers} people for {seconds:.0f} s", asked, before, pids)
                loads = [(0.9, seconds / 4), (2.0, seconds / 6)]
            for times, seconds in loads:
                before, began = held(pids), time.monotonic()
                asked = await opened(watch, times * rate, seconds, numbers)
                count += len(asked)
                load = f"{times:g} × that, {times * rate:.2f} a second"
                row(table, place.name, load, asked, time.monotonic() - began)
                if given.sustained:
                    tell(console, load, asked, before, pids)
            called = Counter(method for method, _ in slack.calls).most_common(4)
            counts = ", ".join(f"{method} {n / count:.1f}" for method, n in called)
            refused = ", ".join(f"{method} {n}" for method, n in slack.refused.items())
            own_ms = (cpu_s(pid) - spent) / count * 1000
            console.print(
                f"{place.name}: a question takes {own_ms:.0f} ms of the bot's own time; "
                f"calls of Slack: {counts}; refused by it: {refused or 'none'}"
            )


def tell(
    console: Console,
    load: str,
    asked: list[Asked],
    before: tuple[float, int, int],
    pids: tuple[int, ...],
) -> None:
    """Print how the processes' memory changed under the load, and the spread of the waits."""
    after = held(pids)
    median, p95, _ = quantiles(asked)
    console.print(
        f"{load}: {before[0]:.0f} → {after[0]:.0f} MiB, {before[1]} → {after[1]} descriptors, "
        f"{before[2]} → {after[2]} processes, p95 / median {p95 / max(median, 1e-9):.2f}"
    )


async def main(given: argparse.Namespace) -> None:
    """Measure each executor in turn, print one table."""
    console = Console(width=130)
    table = Table(title="questions through Slack's door to an answer")
    for column in ("executor", "load", "asked", "answered a second", "s to a card", "median s",
                   "p95", "most", "told to wait", "refused", "lost"):  # fmt: skip
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
    parser.add_argument("--limits", action="store_true", help="a Slack with rate limits")
    parser.add_argument("--sustained", type=float, default=0, help="seconds at the capacity")
    asyncio.run(main(parser.parse_args()))
