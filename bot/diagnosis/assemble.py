"""Put a Pipeline together from the settings: executor, index, articles, codemods."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import knowledge
from bot.diagnosis.documentation import Documentation
from bot.diagnosis.library import Library, Say
from bot.diagnosis.pipeline import Pipeline
from bot.diagnosis.proposer.interface import Nobody, Proposer
from bot.errors import SettingsError
from bot.models import FunctionShown
from bot.settings import MIB, ExecutorSettings, Settings, executor_token, proposer_key
from executor.exceptions import ExecutorError
from executor.service.client import ExecutorClient
from knowledge.repair.codemod import Codemod
from knowledge.repair.operator import load_operators
from knowledge.search.search import Search, SearchResult


def open_executor(settings: ExecutorSettings) -> ExecutorClient:
    """The executor that the settings name; an embedded one starts at its first job.

    Raises:
        SettingsError: the address is none.
    """
    url = settings.url
    if not url:
        return ExecutorClient.embedded(embedded_settings(settings))
    if url.startswith("unix:"):
        return ExecutorClient.on_socket(Path(url.removeprefix("unix:")).expanduser())
    if url.startswith(("http://", "https://")):
        token = executor_token().reveal()
        if not token:
            raise SettingsError(
                f"executor.url is {url}: set TORCHMEDIC_EXECUTOR_TOKEN to that executor's token"
            )
        return ExecutorClient.on_tcp(url, token)
    raise SettingsError(
        f"executor.url is {url!r}: write unix:/path/to/socket or http://host:port, or leave it "
        "empty to have one started"
    )


def embedded_settings(settings: ExecutorSettings) -> dict[str, object]:
    """What an embedded executor is started with, as `python -m executor --settings` takes it."""
    words: dict[str, object] = {
        "tier": settings.tier,
        "limits": {
            "memory_bytes": settings.memory_mib * MIB,
            "gpu_memory_bytes": settings.gpu_memory_mib * MIB,
            "processes": settings.processes,
        },
        # Codemods read strangers' code, so they run there: see knowledge/repair/codemod.py.
        "preload": ["knowledge.repair.preload"],
        "readable": list(knowledge.__path__),
    }
    if settings.slots:
        words["slots"] = settings.slots
    if settings.snippets:
        words["snippets"] = str(Path(settings.snippets).expanduser())
    return words


@asynccontextmanager
async def open_pipeline(
    settings: Settings,
    say: Say = lambda _: None,
    *,
    ahead: bool = False,
    show_prompt: Say | None = None,
) -> AsyncIterator[Pipeline]:
    """A Pipeline ready to answer. Executor and embedding model start at the same time.

    Args:
        settings: what is configured.
        say: told what takes long, and what is left out.
        ahead: read the libraries' documentation now, and not at the first how-to question.
        show_prompt: given what a configured model would be sent; then nothing is sent.

    Raises:
        BotError, KnowledgeError, ExecutorError: as the parts' own docstrings say.
    """
    executor = open_executor(settings.executor)
    threads = ThreadPoolExecutor(1, thread_name_prefix="library")
    try:
        library = Library(settings, say)
        warming = asyncio.create_task(_warm(executor, say))
        index: Future[Search] = threads.submit(library.search)

        documentation = open_documentation(settings, library, executor, say)
        reading = asyncio.create_task(documentation.open()) if ahead else None

        async def consult(text: str, least: float) -> tuple[FunctionShown, ...]:
            found = await documentation.find(text)
            if found.abstained or found.confidence < least:
                return ()
            return await documentation.show(found)

        def look(text: str, error: tuple[str, str] | None, k: int) -> SearchResult:
            return index.result().search(text, error, k)

        async def has_gpu() -> bool:
            return "cuda" in (await executor.capabilities())["devices"]

        proposer = open_proposer(settings, executor, library.codemods, show_prompt)

        def ready() -> bool:
            return index.done() and (reading is None or reading.done())

        async def prepared() -> None:
            await asyncio.wrap_future(index)
            if reading is not None:
                await asyncio.shield(reading)

        yield Pipeline(
            executor=executor,
            look=look,
            articles={a.slug: a for a in library.articles},
            has_gpu=has_gpu,
            prove=lambda article: library.proofs.prove(executor, article, library.codemods),
            codemods=library.codemods,
            wall_s=settings.executor.wall_s,
            consult=consult,
            ready=ready,
            proposer=proposer,
            operators=load_operators(),
            prepared=prepared,
        )
        warming.cancel()
        if reading is not None:
            reading.cancel()
        documentation.close()
        await proposer.close()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        await executor.close()


def open_documentation(
    settings: Settings, library: Library, executor: ExecutorClient, say: Say
) -> Documentation:
    """The documentation of the executor's libraries, kept in the state folder."""
    return Documentation(
        settings.state_folder / "reference",
        library.model,
        executor,
        say,
        may_build=settings.knowledge.auto_index,
    )


def open_proposer(
    settings: Settings,
    executor: ExecutorClient,
    codemods: Sequence[Codemod],
    show_prompt: Say | None = None,
) -> Proposer:
    """The model that the settings name; nobody, and nothing imported for it, where they name none.

    Raises:
        SettingsError: a server without a model.
    """
    if show_prompt is not None:
        from bot.diagnosis.proposer.shown import ShownPrompt

        return ShownPrompt(show_prompt)
    if not settings.proposer.url:
        return Nobody()
    from bot.diagnosis.proposer.allowance import Allowance
    from bot.diagnosis.proposer.proposer import ModelProposer
    from bot.diagnosis.proposer.server import ChatServer

    if not settings.proposer.model:
        raise SettingsError(
            "proposer.url is set and proposer.model is not: name the model as its server calls it"
        )
    if not settings.proposer.url.startswith(("http://", "https://")):
        raise SettingsError(
            f"proposer.url is {settings.proposer.url!r}: write http://host:port/v1, or leave it "
            "empty to ask no model"
        )
    return ModelProposer(
        settings.proposer,
        ChatServer(settings.proposer, proposer_key()),
        Allowance(settings.state_folder / "proposer.json", settings.proposer.per_day),
        executor,
        codemods,
    )


async def _warm(executor: ExecutorClient, say: Say) -> None:
    """Start an embedded executor now, and say so if its jail is the weakest one.

    That it cannot start is said to whoever asks it something.
    """
    try:
        here = await executor.capabilities()
    except ExecutorError:
        return
    if here["tier"] == "process":
        why = "; ".join(f"{tier}: {reason}" for tier, reason in here["refused_tiers"].items())
        say(
            "this machine allows only the weakest jail (process: limits and a system-call filter), "
            f"so ask only about code that you would run yourself ({why})"
        )
