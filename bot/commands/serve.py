"""Serve a chat platform: its question service, behind a jail that is strong enough."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from bot.diagnosis.assemble import open_pipeline
from bot.diagnosis.library import Say
from bot.errors import SettingsError
from bot.logs import log_to_stderr
from bot.messages.question import read_message
from bot.operations.metrics import Metrics
from bot.service import manners
from bot.service.plugin import Host, PlatformPlugin
from bot.service.questions import QuestionService
from bot.service.retry import retrying
from bot.service.seam import Platform
from bot.service.store import Store
from bot.service.store.alone import alone
from bot.service.welcome import PROMPTS
from bot.settings import Settings, process_environment
from executor.exceptions import ExecutorError
from executor.service.client import ExecutorClient

_LOOK_S = 1.0


async def serve(plugin: PlatformPlugin[Any], settings: Settings, say: Say) -> None:
    """Answer on a platform until stopped.

    Raises:
        BotError, KnowledgeError, ExecutorError: as the parts' own docstrings say.
    """
    log_to_stderr(settings.log.format)
    host = Host(
        environment=process_environment(),
        open_service=lambda platform: open_question_service(settings, platform, plugin, say),
        stop_signal=stop_signal,
        say=say,
    )
    await plugin.serve(plugin.section_of(settings), host)


@asynccontextmanager
async def open_question_service(
    settings: Settings, platform: Platform, plugin: PlatformPlugin[Any], say: Say
) -> AsyncIterator[QuestionService]:
    """Open a platform's question service with all that it needs; continue unfinished questions.

    Raises:
        SettingsError: the executor's jail is too weak for strangers, or a channel's settings wrong.
        BotError, KnowledgeError, ExecutorError: as the parts' own docstrings say.
    """
    front = plugin.section_of(settings)
    manners.check(front, plugin.name)
    kept = settings.store
    async with AsyncExitStack() as stack:
        store = Store.at(kept.url, settings.state_folder, kept.lease_s)
        if plugin.one_bot or not store.database.shared:
            await stack.enter_async_context(alone(store.database, plugin.name, say))
        pipeline = await stack.enter_async_context(open_pipeline(settings, say, ahead=True))
        await stack.enter_async_context(store)
        metrics = Metrics()
        stack.enter_context(metrics.serving(settings.metrics))
        await _refuse_weak_jail(settings, pipeline.executor)
        if not pipeline.ready():
            say("getting ready: the search index and the documentation are being read")
        await pipeline.warm(read_message(PROMPTS[0].text))
        async with QuestionService(
            pipeline, store, platform, settings.chat, front, settings.store.retention_days, metrics
        ) as service:
            yield service


def stop_signal() -> asyncio.Event:
    """An event set at SIGTERM or Ctrl-C, which no longer end the process by themselves."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped


async def _refuse_weak_jail(settings: Settings, executor: ExecutorClient) -> None:
    if settings.chat.trust_process_tier:
        return
    able = await retrying(
        executor.capabilities,
        # It may be starting beside us, or restarting.
        may_pass=lambda e: isinstance(e, ExecutorError),
        patience_s=lambda _: settings.chat.patience_s,
        waits_s=(_LOOK_S,),
    )
    if able["tier"] == "process":
        raise SettingsError(
            "this executor has only the weakest jail (process: limits and a system-call filter), "
            "and in a chat anybody can post code. Run the executor where a stronger one works (see "
            "docs/security.md), or set chat.trust_process_tier: true if you trust everybody there"
        )
