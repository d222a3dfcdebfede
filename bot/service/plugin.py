"""What a chat platform brings, so that commands, settings and doctor need no list of platforms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bot.settings import FrontSettings, Settings

if TYPE_CHECKING:  # `torchmedic --help` reads every plugin, and must stay quick
    from asyncio import Event

    from bot.service.questions import QuestionService
    from bot.service.seam import Platform

Section = TypeVar("Section", bound=FrontSettings)

# Method, URL and `Authorization` of a request → the JSON object that answers it.
CallApi = Callable[[str, str, str], Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class Host:
    """What a platform is given to serve with."""

    environment: Mapping[str, str]  # where its tokens are
    open_service: Callable[[Platform], AbstractAsyncContextManager[QuestionService]]
    stop_signal: Callable[[], Event]  # from its call on: set by SIGTERM or Ctrl-C
    say: Callable[[str], None]  # hints for the operator


@dataclass(frozen=True)
class PlatformPlugin(Generic[Section]):
    """A chat platform, as the `PLUGIN` of its folder's `plugin.py`.

    That module imports no library of the platform before `serve` is called.
    """

    name: str  # of the command, the section in config.yaml, and in `Place.platform`
    title: str  # as people write it
    help: str  # of the command
    section: type[Section]  # its settings
    tokens: Mapping[str, str]  # each variable with a token, and where to get that
    serve: Callable[[Section, Host], Awaitable[None]]  # answers until stopped
    # Asks the platform who the tokens belong to, for the doctor; returns what to print. A
    # SettingsError says which token is missing or refused, and where to get it.
    check_tokens: Callable[[Section, Mapping[str, str], CallApi], Awaitable[str]]
    listens_at: Callable[[Section], tuple[str, int] | None] = lambda _: None  # host and port
    one_bot: bool = False  # each event goes to every bot, so only one may answer
    rank: int = 100  # in lists: the lowest first, then by name

    def section_of(self, settings: Settings) -> Section:
        """This platform's settings among all."""
        found = getattr(settings, self.name)
        assert isinstance(found, self.section)
        return found

    def has_token(self, environment: Mapping[str, str]) -> bool:
        """Whether any of its tokens is set."""
        return any(environment.get(name, "").strip() for name in self.tokens)
