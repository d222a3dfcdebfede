"""Settings: `config.yaml`, then `TORCHMEDIC_SECTION__KEY` variables, checked and frozen."""

from __future__ import annotations

import dataclasses
import os
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from bot.errors import SettingsError

_PREFIX = "TORCHMEDIC_"
_SECRETS = frozenset({"TORCHMEDIC_EXECUTOR_TOKEN", "TORCHMEDIC_CONFIG"})  # read elsewhere
MIB = 1024 * 1024

# Where to get what a chat front end needs to be let in.
TOKENS = {
    "SLACK_BOT_TOKEN": "api.slack.com/apps → your app → OAuth & Permissions → Bot User OAuth Token "
    "(xoxb-…)",
    "SLACK_APP_TOKEN": "api.slack.com/apps → your app → Basic Information → App-Level Tokens, with "
    "the scope connections:write (xapp-…)",
    "SLACK_SIGNING_SECRET": "api.slack.com/apps → your app → Basic Information → App Credentials → "
    "Signing Secret",
    "DISCORD_TOKEN": "discord.com/developers/applications → your application → Bot → Reset Token",
}


class Secret:
    """Text that no print, log or traceback shows."""

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the one call that needs it."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(****)" if self._text else "Secret()"


@dataclass(frozen=True)
class SlackTokens:
    """What lets us into Slack; which of the last two is needed depends on the mode."""

    bot: Secret
    app: Secret
    signing: Secret


def slack_tokens(mode: str, environment: Mapping[str, str] = os.environ) -> SlackTokens:
    """Slack's tokens from the environment.

    Raises:
        SettingsError: names every one that is missing, and where to get it.
    """
    needed = "SLACK_APP_TOKEN" if mode == "socket" else "SLACK_SIGNING_SECRET"
    _require(("SLACK_BOT_TOKEN", needed), environment)
    return SlackTokens(
        bot=Secret(environment["SLACK_BOT_TOKEN"].strip()),
        app=Secret(environment.get("SLACK_APP_TOKEN", "").strip()),
        signing=Secret(environment.get("SLACK_SIGNING_SECRET", "").strip()),
    )


def discord_token(environment: Mapping[str, str] = os.environ) -> Secret:
    """Discord's token from the environment.

    Raises:
        SettingsError: it is missing; says where to get it.
    """
    _require(("DISCORD_TOKEN",), environment)
    return Secret(environment["DISCORD_TOKEN"].strip())


def take_executor_token() -> str:
    """The executor's token, out of the environment: nothing that is started from now on has it.

    Raises:
        SettingsError: it is missing.
    """
    token = os.environ.pop("TORCHMEDIC_EXECUTOR_TOKEN", "").strip()
    if not token:
        raise SettingsError(
            "missing in the environment: TORCHMEDIC_EXECUTOR_TOKEN (a long random string; the bot "
            "needs the same)"
        )
    return token


def process_environment() -> Mapping[str, str]:
    """The variables of this process, for who hands them on."""
    return os.environ


def tokens_given(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The chat front ends that any token is set for."""
    given = {name.partition("_")[0].lower() for name in TOKENS if environment.get(name, "").strip()}
    return tuple(front for front in ("slack", "discord") if front in given)


def _require(names: tuple[str, ...], environment: Mapping[str, str]) -> None:
    missing = [name for name in names if not environment.get(name, "").strip()]
    if missing:
        where = "; ".join(f"{name} ({TOKENS[name]})" for name in missing)
        raise SettingsError(f"missing in the environment: {where}")


@dataclass(frozen=True)
class ExecutorSettings:
    """Where and how snippets run."""

    url: str = ""  # empty: a child of this process; unix:/path/to/socket; http://host:port
    tier: Literal["auto", "namespaces", "uid", "process"] = "auto"  # the jail of the child
    slots: int = 0  # runs side by side; 0: one per core
    wall_s: float = 10  # a snippet's time
    memory_mib: int = 4096  # a snippet's memory
    gpu_memory_mib: int = 16384  # PyTorch's on a GPU, where there is one
    processes: int = 256  # a snippet's processes and threads


@dataclass(frozen=True)
class KnowledgeSettings:
    """What is searched, and with which model."""

    model: str = "all-MiniLM-L6-v2"  # a sentence-transformers name or folder
    offline: bool = True  # never ask a hub for the model
    articles: tuple[str, ...] = ()  # further folders of articles
    documents: tuple[str, ...] = ()  # Markdown files and folders of them
    auto_index: bool = True  # bring the index up to date when a question comes


@dataclass(frozen=True)
class StoreSettings:
    """Where questions are kept, and how long."""

    url: str = ""  # empty: torchmedic.db in the state folder; postgresql://user:password@host/name
    retention_days: float = 90  # 0: for ever
    lease_s: float = 30  # PostgreSQL: another bot takes over what its own has been silent about


@dataclass(frozen=True)
class MetricsSettings:
    """Where Prometheus may look."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: nowhere


@dataclass(frozen=True)
class LogSettings:
    """What goes to standard error."""

    format: Literal["text", "json"] = "text"  # json: one object a line


@dataclass(frozen=True)
class ChatSettings:
    """How questions from Slack and Discord are worked on."""

    at_once: int = 0  # questions side by side; 0: one per core
    patience_s: float = 60  # how long a question waits for an executor that is gone
    trust_process_tier: bool = False  # serve strangers from the weakest jail all the same


@dataclass(frozen=True)
class SupportChannel:
    """A channel where the bot answers without being called."""

    threshold: float = 0.6  # how sure it must be, 0 to 1; a mistake seen in a run is 1
    team: tuple[str, ...] = ()  # people, or groups, whose word silences it in a thread
    quiet_hours: str = ""  # "22:00-07:00": says nothing unasked then
    timezone: str = "UTC"  # of the quiet hours, e.g. Europe/Berlin


@dataclass(frozen=True)
class FrontSettings:
    """Who may ask where, and who is asked when the bot knows nothing; ids of the platform."""

    users: tuple[str, ...] = ()  # who may ask, people or groups; empty: everyone
    channels: tuple[str, ...] = ()  # where; empty: everywhere, direct messages always
    moderators: tuple[str, ...] = ()  # who may delete any card, people or groups
    humans: tuple[str, ...] = ()  # "Ask a human" posts there: channels or people
    support: dict[str, SupportChannel] = field(default_factory=dict)  # by channel id


@dataclass(frozen=True)
class SlackSettings(FrontSettings):
    """Slack; its tokens come from the environment only."""

    api_url: str = "https://slack.com/api/"
    mode: Literal["socket", "http"] = "socket"
    host: str = "127.0.0.1"  # mode http: where to listen
    port: int = 3000


@dataclass(frozen=True)
class DiscordSettings(FrontSettings):
    """Discord; its token comes from the environment only."""

    api_url: str = ""  # empty: Discord's own
    gateway_url: str = ""
    message_content: bool = False  # the privileged intent: follow-ups and support channels need it
    cards: Literal["components", "embeds"] = "components"  # embeds: for old clients


@dataclass(frozen=True)
class Settings:
    """All settings.

    Settings()                                  # the defaults
    load_settings(Path("config.yaml"), os.environ)
    """

    state: str = "~/.local/state/torchmedic"  # index, proofs, questions
    executor: ExecutorSettings = field(default_factory=ExecutorSettings)
    knowledge: KnowledgeSettings = field(default_factory=KnowledgeSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    metrics: MetricsSettings = field(default_factory=MetricsSettings)
    log: LogSettings = field(default_factory=LogSettings)
    chat: ChatSettings = field(default_factory=ChatSettings)
    slack: SlackSettings = field(default_factory=SlackSettings)
    discord: DiscordSettings = field(default_factory=DiscordSettings)

    @property
    def state_folder(self) -> Path:
        """Where this bot keeps what it knows."""
        return Path(self.state).expanduser()


def load_settings(
    path: Path | None = None, environment: Mapping[str, str] = os.environ
) -> Settings:
    """Read the settings.

    Args:
        path: a YAML file; None: `config.yaml` in the working folder if there is one.
        environment: where `TORCHMEDIC_EXECUTOR__WALL_S=30` would be.

    Raises:
        SettingsError: names the file or variable, the key, and what it should be.
    """
    words: dict[str, Any] = {}
    if path is None and Path("config.yaml").is_file():
        path = Path("config.yaml")
    if path is not None:
        words = read_yaml(path)
    place = str(path) if path is not None else "the defaults"
    for name, text in environment.items():
        # An empty variable is none: compose files pass on what is not set as empty.
        if name.startswith(_PREFIX) and name not in _SECRETS and text.strip():
            keys = name.removeprefix(_PREFIX).lower().split("__")
            _put(words, keys, yaml.safe_load(text), name)
            place = f"{place} or {name}"
    settings = _build(Settings, words, place, "")
    assert isinstance(settings, Settings)
    return settings


def read_yaml(path: Path) -> dict[str, Any]:
    """Settings by name from a YAML file.

    Raises:
        SettingsError: it cannot be read, or holds something else.
    """
    try:
        words = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as e:
        raise SettingsError(f"{path}: cannot be read ({e.strerror}); check the path") from e
    except (yaml.YAMLError, UnicodeDecodeError) as e:
        first = str(e).splitlines()[0]
        raise SettingsError(f"{path}: is not YAML ({first}); compare it with config.yaml") from e
    if not isinstance(words, dict):
        raise SettingsError(f"{path}: should hold settings by name; compare it with config.yaml")
    return words


def _put(words: dict[str, Any], keys: list[str], value: Any, name: str) -> None:
    for key in keys[:-1]:
        inner = words.setdefault(key, {})
        if not isinstance(inner, dict):
            raise SettingsError(f"{name}: `{key}` has no settings inside")
        words = inner
    words[keys[-1]] = value


def _build(kind: type, words: Mapping[str, Any], place: str, path: str) -> Any:
    hints = typing.get_type_hints(kind)
    known = {f.name for f in dataclasses.fields(kind)}
    values: dict[str, Any] = {}
    for key, value in words.items():
        where = f"{path}{key}"
        if key not in known:
            raise SettingsError(
                f"{place}: there is no setting `{where}`; known here: {', '.join(sorted(known))}"
            )
        values[key] = _convert(hints[key], value, place, where)
    return kind(**values)


def _convert(kind: Any, value: Any, place: str, where: str) -> Any:
    if dataclasses.is_dataclass(kind):
        assert isinstance(kind, type)
        if not isinstance(value, dict):
            raise SettingsError(f"{place}: `{where}` should hold settings by name")
        return _build(kind, value, place, f"{where}.")
    if typing.get_origin(kind) is dict:
        inner = typing.get_args(kind)[1]
        if not isinstance(value, dict):
            raise SettingsError(f"{place}: `{where}` should hold settings by id")
        return {
            str(key): _convert(inner, {} if x is None else x, place, f"{where}.{key}")
            for key, x in value.items()
        }
    if isinstance(kind, types.GenericAlias) or typing.get_origin(kind) is tuple:
        items = value if isinstance(value, list) else [value]
        # A Discord id is a number to YAML, and a name to us.
        items = [str(x) if type(x) is int else x for x in items]
        if value is None or not all(isinstance(x, str) for x in items):
            raise SettingsError(f"{place}: `{where}` should be a list of texts")
        return tuple(items)
    if typing.get_origin(kind) is Literal:
        if value not in (choices := typing.get_args(kind)):
            known = ", ".join(map(str, choices))
            raise SettingsError(f"{place}: `{where}` should be one of {known}; not {value!r}")
        return value
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise SettingsError(
            f"{place}: `{where}` should be a {_NAMES[kind]}, not {value!r} ({type(value).__name__})"
        )
    if kind in (int, float) and value < 0:
        raise SettingsError(f"{place}: `{where}` should not be negative ({value})")
    return value


_NAMES = {int: "whole number", float: "number", str: "text", bool: "true or false"}
