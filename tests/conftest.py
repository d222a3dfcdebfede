"""What the tests share: one real executor, one real index, one Medic over both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from bot.answer import Medic
from bot.assemble import open_executor, open_medic
from bot.models import Answer, Progress
from bot.question import read_message
from bot.settings import KnowledgeSettings, Settings
from executor.client import ExecutorClient

Ask = Callable[[str], Awaitable[Answer]]


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The defaults, with a state folder of the tests' own."""
    state = tmp_path_factory.mktemp("state")
    return Settings(state=str(state), knowledge=KnowledgeSettings())


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def medic(settings: Settings) -> AsyncIterator[Medic]:
    """A Medic with a warm executor, as `torchmedic chat` has it."""
    async with open_medic(settings) as medic:
        yield medic


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def executor(settings: Settings) -> AsyncIterator[ExecutorClient]:
    """An embedded executor."""
    async with open_executor(settings.executor) as client:
        yield client


@pytest.fixture(scope="session")
def ask(medic: Medic) -> Ask:
    """A message as posted → its Answer."""

    async def answer(message: str) -> Answer:
        return await last_of(medic.answer(read_message(message)))

    return answer


async def last_of(said: AsyncIterator[Progress | Answer]) -> Answer:
    """The Answer at the end of what is said."""
    things = [thing async for thing in said]
    assert isinstance(things[-1], Answer)
    return things[-1]
