"""What the tests share: one real executor, one real index, one Pipeline over both."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import shutil
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from hypothesis import settings as hypothesis_settings

from bot.diagnosis.assemble import open_documentation, open_executor, open_pipeline
from bot.diagnosis.library import Library
from bot.diagnosis.pipeline import Pipeline
from bot.messages.question import read_message
from bot.models import Answer, Progress
from bot.settings import KnowledgeSettings, Settings
from executor.service.client import ExecutorClient
from knowledge.search.embedding import EmbeddingModel
from tests.served import serve_executor

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

    from tests.together import Together

Ask = Callable[[str], Awaitable[Answer]]

# `make test` judges a change, so it tries the same examples every time; `make test-all` looks for
# new ones (`--hypothesis-profile explore`).
hypothesis_settings.register_profile("repeatable", derandomize=True)
hypothesis_settings.register_profile("explore", print_blob=True)
hypothesis_settings.load_profile("repeatable")

# Leases of half a second, kills in the middle of a short step, a cluster that has to come up soon:
# these files have the machine to themselves (`-m alone`).
_ALONE = {"test_cluster.py", "test_gpu.py", "test_ingest.py", "test_store.py", "test_turns.py"}

# Processes are started and killed, walls are tried, a platform has three seconds of patience: these
# mostly wait (`-m waiting`). Four of them run beside each other, and nothing that needs a core for
# long. All other files may run side by side.
_WAITING = {
    "test_at_home.py",
    "test_bots.py",
    "test_discord.py",
    "test_discord_command.py",
    "test_discord_faults.py",
    "test_doctor.py",
    "test_first_day.py",
    "test_hostile.py",
    "test_http.py",
    "test_kill.py",
    "test_nothing_lost.py",
    "test_report.py",
    "test_slack.py",
    "test_survival.py",
    "test_tiers.py",
    "test_walls.py",
}

# Long, and in no hurry: these tests of a file that waits may run side by side.
_BESIDE = {
    "test_http.py": {
        "test_an_idle_connection_is_kept_longer_than_clients_keep_it",
        "test_thousands_of_random_bodies_break_nothing",
    }
}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not read the files of which no test will run: each process would, for seconds."""
    chosen = config.option.markexpr
    name = collection_path.name
    if not collection_path.match("test_*.py"):
        return None
    if chosen in ("alone", "waiting"):
        return True if name not in (_ALONE if chosen == "alone" else _WAITING) else None
    if chosen.startswith("not alone and not waiting"):
        return True if name in (_ALONE | _WAITING) - _BESIDE.keys() else None
    return None


# Those that a process takes first: the longest file, whose first test waits for the index to be
# made, and meanwhile what needs no index, so that no other process waits for it as well. Of those
# that wait, the longest tests.
_EARLY = (
    "tests/bot/commands/test_cli.py",
    "tests/bot/service/test_bots.py",
    "tests/bot/service/test_kill.py",
    "tests/executor/",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests need the machine for themselves, or nearly so; no other place may say it."""
    early = {file: n for n, file in enumerate(_EARLY)}
    items.sort(
        key=lambda item: next(
            (n for file, n in early.items() if item.nodeid.startswith(file)), len(early)
        )
    )
    for item in items:
        name = item.path.name
        if name in _ALONE:
            item.add_marker(pytest.mark.alone)
        if name in _WAITING and getattr(item, "originalname", "") not in _BESIDE.get(name, ()):
            item.add_marker(pytest.mark.waiting)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Together:
    """Who tests what, where several processes do."""
    from tests.together import Together  # in the container there is no pytest-xdist

    return Together(config, log)


_SERVING = pytest.StashKey[ExitStack]()
_URL = pytest.StashKey[str]()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """Start the executor that the processes which test side by side share; tell each its URL."""
    stash = node.config.stash
    if _SERVING not in stash:
        stash[_SERVING] = ExitStack()
        stash[_URL] = stash[_SERVING].enter_context(serve_executor())
    node.workerinput["executor"] = stash[_URL]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop it."""
    if _SERVING in config.stash:
        config.stash[_SERVING].close()


@pytest.fixture(scope="session")
def indexed(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory, executor_url: str
) -> Path:
    """A state folder that holds the index of our articles; copy it, and write into the copy.

    It is made once, by whichever of the processes that test side by side comes first, and kept in
    pytest's cache for the next parts of `make test`.
    """
    if hasattr(pytestconfig, "cache"):
        folder = pytestconfig.cache.mkdir("indexed")
    else:  # -p no:cacheprovider, where the tests cannot write
        folder = tmp_path_factory.mktemp("cache")
    how, what = _what_an_index_is_made_of()
    made = folder / f"{how}-{what}"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            new = folder / "new"
            shutil.rmtree(new, ignore_errors=True)
            for old in folder.glob(f"{how}-*"):
                old.rename(new)  # what is as it was is not embedded again
            for old in folder.iterdir():
                if old.is_dir() and old != new:
                    shutil.rmtree(old)
            Library(Settings(state=str(new))).build()
            # In a thread of its own: pytest's has a loop already.
            reading = threading.Thread(
                target=asyncio.run, args=[_read_documentation(new, executor_url)]
            )
            reading.start()
            reading.join()
            new.rename(made)
        return copy_state(made, tmp_path_factory.mktemp("indexed") / "state")


def copy_state(state: Path, to: Path) -> Path:
    """A copy to write into; the converted model, nearly all of it, is the same file."""

    def copy(source: str, target: str) -> None:
        if source.endswith(".onnx"):
            with suppress(OSError):  # another file system
                Path(target).hardlink_to(source)
                return
        shutil.copy2(source, target)

    return Path(shutil.copytree(state, to, copy_function=copy))


async def _read_documentation(state: Path, executor_url: str) -> None:
    settings = Settings(state=str(state))
    async with ExecutorClient.on_socket(Path(executor_url.removeprefix("unix:"))) as executor:
        await open_documentation(settings, Library(settings), executor, lambda _: None).build()


def _what_an_index_is_made_of() -> tuple[str, str]:
    """Two names: of how it is made, and of everything, articles and the rest of our code too."""
    root = Path(__file__).parents[1]
    how = [root / "constraints.txt", *(root / "knowledge/search").rglob("*.py")]
    ours = [*(root / "bot").rglob("*.py")]
    ours += [p for p in (root / "knowledge").rglob("*") if p.suffix in (".py", ".md")]
    return _name(how), _name(ours)


def _name(paths: list[Path]) -> str:
    content = hashlib.sha256(sys.prefix.encode())
    for path in sorted(paths):
        content.update(hashlib.sha256(path.read_bytes()).digest() + str(path).encode())
    return content.hexdigest()[:16]


@pytest.fixture(scope="session")
def model(indexed: Path) -> EmbeddingModel:
    """The real model, loaded once, as the index was made with it."""
    return EmbeddingModel(cache=indexed / "model")


@pytest.fixture(scope="session")
def settings(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The defaults, with a state folder of the tests' own."""
    state = copy_state(indexed, tmp_path_factory.mktemp("tests") / "state")
    return Settings(state=str(state), knowledge=KnowledgeSettings())


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def medic(served: Settings) -> AsyncIterator[Pipeline]:
    """A Pipeline with a warm executor, as `torchmedic chat` has it."""
    async with open_pipeline(served) as medic:
        yield medic


@pytest.fixture(scope="session")
def executor_url(pytestconfig: pytest.Config) -> Iterator[str]:
    """Where the executor is that serves all tests which need none of their own."""
    if hasattr(pytestconfig, "workerinput"):
        yield pytestconfig.workerinput["executor"]
        return
    with serve_executor() as url:
        yield url


@pytest.fixture(scope="session")
def served(settings: Settings, executor_url: str) -> Settings:
    """The settings, with that executor."""
    there = settings.executor.model_copy(update={"url": executor_url})
    return settings.model_copy(update={"executor": there})


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def executor(served: Settings) -> AsyncIterator[ExecutorClient]:
    """A client of that executor."""
    async with open_executor(served.executor) as client:
        yield client


@pytest.fixture(scope="session")
def ask(medic: Pipeline) -> Ask:
    """A message as posted → its Answer."""

    async def answer(message: str) -> Answer:
        return await last_of(medic.answer(read_message(message)))

    return answer


async def last_of(said: AsyncIterator[Progress | Answer]) -> Answer:
    """The Answer at the end of what is said."""
    things = [thing async for thing in said]
    assert isinstance(things[-1], Answer)
    return things[-1]
