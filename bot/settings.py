"""Settings: `config.yaml`, then `TORCHMEDIC_SECTION__KEY` variables, checked and frozen."""

from __future__ import annotations

import os
import typing
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot.errors import SettingsError

_PREFIX = "TORCHMEDIC_"
_TOKEN = "TORCHMEDIC_EXECUTOR_TOKEN"
_PROPOSER_KEY = "TORCHMEDIC_PROPOSER_KEY"
_NO_SETTINGS = frozenset({_TOKEN, _PROPOSER_KEY, "TORCHMEDIC_CONFIG"})
MIB = 1024 * 1024


class Secret:
    """Text that no print, log or traceback shows."""

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the one call that needs it."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(****)" if self._text else "Secret()"


def take_executor_token() -> str:
    """The executor's token, out of the environment: nothing that is started from now on has it.

    Raises:
        SettingsError: it is missing.
    """
    token = os.environ.pop(_TOKEN, "").strip()
    if not token:
        raise SettingsError(
            "missing in the environment: TORCHMEDIC_EXECUTOR_TOKEN (a long random string; the bot "
            "needs the same)"
        )
    return token


def executor_token(environment: Mapping[str, str] = os.environ) -> Secret:
    """The token for an executor elsewhere; empty where none is set."""
    return Secret(environment.get(_TOKEN, ""))


def proposer_key(environment: Mapping[str, str] = os.environ) -> Secret:
    """The key for the configured model's server; empty where none is set."""
    return Secret(environment.get(_PROPOSER_KEY, "").strip())


def process_environment() -> Mapping[str, str]:
    """The variables of this process, for who hands them on."""
    return os.environ


def require_tokens(where: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, Secret]:
    """The tokens with these names, from the environment.

    Args:
        where: each variable that is needed, and where to get what belongs there.
        environment: where the variables are.

    Raises:
        SettingsError: names every one that is missing, and where to get it.
    """
    found = {name: environment.get(name, "").strip() for name in where}
    if missing := [f"{name} ({where[name]})" for name, token in found.items() if not token]:
        raise SettingsError(f"missing in the environment: {'; '.join(missing)}")
    return {name: Secret(token) for name, token in found.items()}


def _texts(value: Any) -> Any:
    items = value if isinstance(value, list | tuple) else [value]
    # A Discord id is a number to YAML, and a name to us.
    items = [str(x) if type(x) is int else x for x in items]
    if not all(isinstance(x, str) for x in items):
        raise ValueError("should be a list of texts")
    return tuple(items)


Whole = Annotated[int, Field(ge=0)]
Number = Annotated[float, Field(ge=0)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]


class _Section(BaseModel):
    """Strict: a text is no number, and a name nobody knows is an error."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class ExecutorSettings(_Section):
    """Where and how snippets run."""

    url: str = ""  # empty: a child of this process; unix:/path/to/socket; http://host:port
    tier: Literal["auto", "namespaces", "uid", "process"] = "auto"  # the jail of the child
    slots: Whole = 0  # runs side by side; 0: one per core
    wall_s: Number = 10  # for which a snippet may compute, and for as long wait
    memory_mib: Whole = 4096  # a snippet's memory
    gpu_memory_mib: Whole = 16384  # PyTorch's on a GPU, where there is one
    processes: Whole = 256  # a snippet's processes and threads
    snippets: str = (
        ""  # the virtual environment of the child's snippets; empty: the one beside ours
    )


class KnowledgeSettings(_Section):
    """What is searched, and with which model."""

    model: str = "all-MiniLM-L6-v2"  # a sentence-transformers name or folder
    offline: bool = True  # never ask a hub for the model
    articles: Texts = ()  # further folders of articles
    documents: Texts = ()  # Markdown files and folders of them
    auto_index: bool = True  # bring the index up to date when a question comes


class ProposerSettings(_Section):
    """A language model that may propose fixes; a run decides what becomes of them."""

    url: str = ""  # of a server with the OpenAI-compatible chat protocol; empty: none is asked
    model: str = ""  # as that server calls it
    seconds: Number = 30  # for all answers to one question
    tokens: Whole = 6000  # likewise
    per_day: Whole = 200  # questions
    platforms: Texts = ()  # console, slack, discord; empty: all
    channels: Texts = ()  # ids; empty: all
    private: bool = False  # whether private questions may go out too


class StoreSettings(_Section):
    """Where questions are kept, and how long."""

    url: str = ""  # empty: torchmedic.db in the state folder; postgresql://user:password@host/name
    retention_days: Number = 90  # 0: for ever
    lease_s: Number = 30  # PostgreSQL: another bot takes over what its own has been silent about


class MetricsSettings(_Section):
    """Where Prometheus may look."""

    host: str = "127.0.0.1"
    port: Whole = 0  # 0: nowhere


class LogSettings(_Section):
    """What goes to standard error."""

    format: Literal["text", "json"] = "text"  # json: one object a line


class ChatSettings(_Section):
    """How questions from Slack and Discord are worked on."""

    at_once: Whole = 0  # questions side by side; 0: one per core
    patience_s: Number = 60  # how long a question waits for an executor that is gone
    trust_process_tier: bool = False  # serve strangers from the weakest jail all the same
    links: Texts = ()  # hosts whose code is fetched: gist.github.com, pastebin.com


class SupportChannel(_Section):
    """A channel where the bot answers without being called."""

    threshold: Number = 0.6  # how sure it must be, 0 to 1; a mistake seen in a run is 1
    team: Texts = ()  # people, or groups, whose word silences it in a thread
    draft: str = ""  # a channel of the team: there each answer is a draft until somebody posts it
    quiet_hours: str = ""  # "22:00-07:00": says nothing unasked then
    timezone: str = "UTC"  # of the quiet hours, e.g. Europe/Berlin


def _by_id(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError("should hold settings by id")
    return {str(key): {} if x is None else x for key, x in value.items()}


Channels = Annotated[dict[str, SupportChannel], BeforeValidator(_by_id)]


class FrontSettings(_Section):
    """Who may ask where, and who is asked when the bot knows nothing; ids of the platform."""

    users: Texts = ()  # who may ask, people or groups; empty: everyone
    channels: Texts = ()  # where; empty: everywhere, direct messages always
    moderators: Texts = ()  # who may delete any card, people or groups
    humans: Texts = ()  # "Ask a human" posts there: channels or people
    ping: str = ""  # a role or a user group that is pinged then
    support: Channels = {}  # by channel id
    token_patience_s: Number = 60  # a token that is refused for so long ends the process


class Settings(BaseSettings):
    """All settings but those of the chat platforms, which `settings_type` adds.

    Settings()                                  # the defaults
    """

    model_config = SettingsConfigDict(frozen=True, strict=True)

    state: str = "~/.local/state/torchmedic"  # index, proofs, questions
    executor: ExecutorSettings = ExecutorSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    proposer: ProposerSettings = ProposerSettings()
    store: StoreSettings = StoreSettings()
    metrics: MetricsSettings = MetricsSettings()
    log: LogSettings = LogSettings()
    chat: ChatSettings = ChatSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_: PydanticBaseSettingsSource,
        **__: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is not given has its default; only `load_settings` looks elsewhere."""
        return (init_settings,)

    @property
    def state_folder(self) -> Path:
        """Where this bot keeps what it knows."""
        return Path(self.state).expanduser()


Sections = Mapping[str, type[FrontSettings]]  # of the chat platforms, by name


def settings_type(sections: Sections) -> type[Settings]:
    """The settings with the platforms' sections; the same class for the same sections."""
    return _settings_type(tuple(sections.items()))


@cache  # two results are equal only if they are of one class
def _settings_type(sections: tuple[tuple[str, type[FrontSettings]], ...]) -> type[Settings]:
    fields: dict[str, Any] = {name: (section, section()) for name, section in sections}
    return create_model("Settings", __base__=Settings, **fields)


def read_settings(
    path: Path | None, environment: Mapping[str, str], sections: Sections
) -> Settings:
    """Read the settings; `load_settings` (`bot/platforms/plugins.py`) knows all platforms.

    Args:
        path: a YAML file; None: `config.yaml` in the working folder if there is one.
        environment: where `TORCHMEDIC_EXECUTOR__WALL_S=30` would be; it goes before the file, and
            sections and channels of both are put together.
        sections: of the chat platforms.

    Raises:
        SettingsError: names the file or variable, the key, and what it should be.
    """
    if path is None and Path("config.yaml").is_file():
        path = Path("config.yaml")
    in_file = read_yaml(path) if path is not None else {}
    variables = _Variables(environment)

    class Read(Settings):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_: Any, **__: Any
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return variables, InitSettingsSource(settings_cls, in_file)

    model = settings_type(sections)
    try:
        read = create_model("Read", __base__=(Read, model))()
    except ValidationError as e:
        file = str(path) if path is not None else "the defaults"
        found = (f"{variables.name_of(x['loc']) or file}: {_finding(x, model)}" for x in e.errors())
        raise SettingsError("; ".join(found)) from e
    return model(**dict(read))


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
    return {str(key): value for key, value in words.items()}


class _Variables(PydanticBaseSettingsSource):
    """Settings from variables, each read as YAML, as in the file.

    The library's own source for variables reads JSON, passes over names that it does not know, and
    cannot say which variable a wrong value came from.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read all that have our prefix."""
        super().__init__(Settings)
        self._words: dict[str, Any] = {}
        self._names: dict[tuple[str, ...], str] = {}
        for name, text in environment.items():
            # An empty variable is none: compose files pass on what is not set as empty.
            if name.startswith(_PREFIX) and name not in _NO_SETTINGS and text.strip():
                keys = tuple(name.removeprefix(_PREFIX).lower().split("__"))
                self._names[keys] = name
                self._put(keys, _yaml(text, name), name)

    def _put(self, keys: tuple[str, ...], value: Any, name: str) -> None:
        words = self._words
        for key in keys[:-1]:
            words = words.setdefault(key, {})
            if not isinstance(words, dict):
                raise SettingsError(f"{name}: `{key}` has no settings inside")
        words[keys[-1]] = value

    def __call__(self) -> dict[str, Any]:
        """What the variables say."""
        return self._words

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """One setting; the interface wants it."""
        return self._words.get(field_name), field_name, False

    def name_of(self, loc: tuple[int | str, ...]) -> str:
        """The variables that say something of this setting, of what is in it or around it."""
        path = tuple(map(str, loc))
        names = (
            name
            for keys, name in self._names.items()
            if keys[: len(path)] == path or path[: len(keys)] == keys
        )
        return " or ".join(names)


def _yaml(text: str, name: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as e:
        raise SettingsError(f"{name}: is not YAML ({str(e).splitlines()[0]})") from e


_SHOULD_BE = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a text",
    "bool_type": "true or false",
}


def _finding(error: Any, model: type[Settings]) -> str:
    """What is wrong with one setting of these, in our words."""
    kind, loc, value = error["type"], error["loc"], error["input"]
    where = ".".join(map(str, loc))
    if kind == "extra_forbidden":
        known = ", ".join(sorted(_known(model, loc[:-1])))
        return f"there is no setting `{where}`; known here: {known}"
    if kind in _SHOULD_BE:
        found = f"{value!r} ({type(value).__name__})"
        return f"`{where}` should be {_SHOULD_BE[kind]}, not {found}"
    if kind == "literal_error":
        return f"`{where}` should be {error['ctx']['expected']}; not {value!r}"
    if kind == "greater_than_equal":
        return f"`{where}` should not be negative ({value})"
    if kind == "model_type":
        return f"`{where}` should hold settings by name"
    return f"`{where}` {error['msg'].removeprefix('Value error, ')}"


def _known(model: type[Settings], loc: tuple[int | str, ...]) -> typing.Iterable[str]:
    """The settings that there are in a section."""
    kind: Any = model
    for key in loc:
        kind = kind.model_fields[key].annotation if key in kind.model_fields else kind
        if typing.get_origin(kind) is dict:
            kind = typing.get_args(kind)[1]
    return list(kind.model_fields)
