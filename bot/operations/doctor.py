"""Check everything a bot needs, and report what is wrong and what to do about it."""

from __future__ import annotations

import asyncio
import getpass
import os
import shutil
import socket
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from bot.diagnosis.assemble import open_executor, open_proposer
from bot.diagnosis.library import Library
from bot.errors import ProposerError, SettingsError, StateError
from bot.service import manners
from bot.service.plugin import PlatformPlugin
from bot.service.store import health
from bot.service.store.database import Database
from bot.settings import (
    MIB,
    Settings,
    process_environment,
    read_settings,
)
from bot.words import listed
from executor.exceptions import ExecutorError
from executor.service.client import SAME_VERSION, ExecutorClient
from executor.version import version
from knowledge.errors import KnowledgeError

if TYPE_CHECKING:
    from rich.table import Table

_ASK_S = 15.0  # to wait for one answer of a platform
_START_S = 120.0  # a starting executor imports torch from a cold disk
_FREE_BYTES = 200 * MIB  # for rewriting the index and a month of questions
_TRIAL_BYTES = MIB
_CLOCK_S = 30.0  # Slack refuses what was signed five minutes ago; a Date header counts in seconds


@dataclass(frozen=True)
class DoctorRow:
    """The result of one check."""

    what: str
    ok: bool
    finding: str
    next_step: str = ""  # what to do where it is not ok

    @classmethod
    def of(cls, what: str, error: Exception, otherwise: str = "see the message") -> DoctorRow:
        """A failed check from an error of ours, whose last part is the next step."""
        text = str(error)
        finding, _, step = text.rpartition("; " if "; " in text else ": ")
        return cls(what, False, finding or step, step if finding else otherwise)


class Clocks:
    """By how many seconds this machine's clock is ahead of others'."""

    def __init__(self) -> None:
        """Make it without a comparison."""
        self.ahead_s: dict[str, float] = {}

    def compare(self, who: str, date: str | None, began: float) -> None:
        """Compare the Date of an HTTP answer with the times of its request and its arrival."""
        try:
            there = parsedate_to_datetime(date or "").timestamp() + 0.5
        except (TypeError, ValueError):
            return  # no date, or none that can be read
        self.ahead_s[who] = (began + time.time()) / 2 - there


async def examine(
    plugins: Sequence[PlatformPlugin[Any]],
    path: Path | None,
    fronts: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> list[DoctorRow]:
    """Check everything once; nothing is changed, built or upgraded.

    Args:
        plugins: all chat platforms.
        path: the settings file, as for every command.
        fronts: the names of the platforms to run here; if empty, those that have a token.
        environment: the variables with tokens and settings; None: this process's.
    """
    if environment is None:
        environment = process_environment()
    try:
        settings = read_settings(path, environment, {p.name: p.section for p in plugins})
    except SettingsError as e:
        # The other checks would use default settings, and so describe another bot.
        return [DoctorRow.of("configuration", e, "compare it with config.yaml")]
    fronts = fronts or [p.name for p in plugins if p.has_token(environment)]
    chosen = [p for name in fronts for p in plugins if p.name == name]
    clocks = Clocks()
    checks: list[Awaitable[list[DoctorRow]]] = [_configuration(plugins, settings, path)]
    checks += [_platform(plugin, settings, environment, clocks) for plugin in chosen]
    checks += [
        _executor(settings, chat=bool(chosen)),
        _knowledge(settings),
        _proposer(settings),
        _database(settings, clocks),
        _disk(settings.state_folder),
        _ports(settings, chosen),
    ]
    rows = [row for found in await asyncio.gather(*checks) for row in found]
    if any(row.what == "disk" and not row.ok for row in rows):
        # SQLite cannot even be read then.
        rows = [
            replace(row, next_step="first mend the disk")
            if row.what == "database" and not row.ok
            else row
            for row in rows
        ]
    if not chosen:
        titles = listed([p.title for p in plugins])
        rows.insert(1, DoctorRow("tokens", True, f"none set; {titles} need some, the console not"))
    return [*rows, _clock(clocks)]


async def _configuration(
    plugins: Sequence[PlatformPlugin[Any]], settings: Settings, path: Path | None
) -> list[DoctorRow]:
    for plugin in plugins:
        try:
            manners.check(plugin.section_of(settings), plugin.name)
        except SettingsError as e:
            return [DoctorRow.of("configuration", e)]
    found = str(path or "config.yaml here, if there is one; variables; the defaults")
    return [DoctorRow("configuration", True, found)]


# -- platforms ---------------------------------------------------------------------------------


async def _platform(
    plugin: PlatformPlugin[Any],
    settings: Settings,
    environment: Mapping[str, str],
    clocks: Clocks,
) -> list[DoctorRow]:
    async def call(method: str, url: str, auth: str) -> dict[str, Any]:
        return await _http(plugin.title, method, url, auth, clocks)

    name = plugin.name
    try:
        known = await plugin.check_tokens(plugin.section_of(settings), environment, call)
        return [DoctorRow(f"{name} tokens", True, known)]
    except SettingsError as e:
        _, _, missing = str(e).partition("missing in the environment: ")
        if missing:
            return [
                DoctorRow(f"{name} tokens", False, "missing in the environment", f"set {missing}")
            ]
        return [DoctorRow.of(f"{name} tokens", e)]
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as e:
        return [
            DoctorRow(
                f"{name} tokens",
                False,
                f"{plugin.title} cannot be reached ({type(e).__name__})",
                f"check this machine's network, its proxy (HTTPS_PROXY) and {name}.api_url",
            )
        ]


async def _http(who: str, method: str, url: str, auth: str, clocks: Clocks) -> dict[str, Any]:
    timeout = aiohttp.ClientTimeout(total=_ASK_S)
    async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
        began = time.time()
        headers = {"Authorization": auth, "User-Agent": "DiscordBot (torchmedic, 1)"}
        async with session.request(method, url, headers=headers) as answer:
            clocks.compare(who, answer.headers.get("Date"), began)
            said = await answer.json(content_type=None)
    if not isinstance(said, dict):
        raise ValueError("no JSON object")
    return said


# -- executor ----------------------------------------------------------------------------------


async def _proposer(settings: Settings) -> list[DoctorRow]:
    """One request to the configured model; nothing where there is none."""
    if not settings.proposer.url:
        return []
    executor = open_executor(settings.executor)  # not started: nothing is run
    try:
        proposer = open_proposer(settings, executor, ())
        try:
            return [DoctorRow("proposer", True, await proposer.check())]
        finally:
            await proposer.close()
    except (SettingsError, ProposerError) as e:
        return [DoctorRow.of("proposer", e)]


async def _executor(settings: Settings, *, chat: bool) -> list[DoctorRow]:
    where = settings.executor.url
    if where.startswith("unix:") and (row := _socket(where.removeprefix("unix:"))):
        return [row]
    try:
        executor = open_executor(settings.executor)
    except SettingsError as e:
        return [DoctorRow.of("executor", e)]
    async with executor:
        try:
            async with asyncio.timeout(_START_S):
                here = await executor.capabilities()
                health = await executor.health()
        except ExecutorError as e:
            return [
                DoctorRow.of("executor", await _refusal(executor, e), "look at the executor's log")
            ]
        except TimeoutError:
            found = f"{where or 'the child process'} was not ready within {_START_S:.0f} s"
            return [DoctorRow("executor", False, found, "look at the executor's log")]
    theirs = here.get("version", "unknown (an older one)")
    if theirs != version():
        found = f"{where} is version {theirs}, and this bot is {version()}"
        return [DoctorRow("executor", False, found, SAME_VERSION)]
    found = (
        f"{where or 'a child of the bot'}: {health['status']}, torch {here['torch']}, "
        f"{here['slots']} slots, {health['waiting']} waiting, on {', '.join(here['devices'])}"
    )
    if bad := health["unhealthy_slots"]:
        why = "; ".join(map(str, bad.values()))
        return [
            DoctorRow(
                "executor",
                False,
                f"{found}; {len(bad)} slots take no jobs ({why})",
                "restart the executor",
            )
        ]
    return [
        DoctorRow("executor", True, found),
        _libraries(here),
        _jail(settings, here, chat=chat),
    ]


def _libraries(here: dict[str, Any]) -> DoctorRow:
    """What snippets may import; what is missing is no problem, and said all the same."""
    there, missing = here.get("libraries", {}), here.get("libraries_missing", ())
    found = "snippets may import " + ", ".join(f"{n} {v}" for n, v in there.items())
    if missing:
        found += f"; not installed: {', '.join(missing)} (`make snippets`, docs/libraries.md)"
    return DoctorRow("libraries", True, found)


async def _refusal(executor: ExecutorClient, error: ExecutorError) -> ExecutorError:
    """Why an executor that answers takes no jobs, from its health, which says more."""
    try:
        detail = (await executor.health()).get("detail")
    except ExecutorError:
        return error
    return (
        ExecutorError(f"it takes no jobs: {detail}; mend that, and restart it") if detail else error
    )


def _socket(name: str) -> DoctorRow | None:
    """The problem with a Unix socket, which HTTP reports only as a failed connection."""
    path = Path(name).expanduser()
    with socket.socket(socket.AF_UNIX) as trial:
        try:
            trial.connect(str(path))
        except PermissionError:
            return DoctorRow(
                "executor",
                False,
                f"{path}: the user {getpass.getuser()} may not connect to it",
                "let the bot's user into the socket's group (`ls -l` names it), and start the "
                "executor with --uds-mode 660",
            )
        except OSError as e:
            return DoctorRow(
                "executor",
                False,
                f"nothing listens on {path} ({e.strerror})",
                f"start it: `python -m executor --uds {path}`, or leave executor.url empty",
            )
    return None


def _jail(settings: Settings, here: Mapping[str, Any], *, chat: bool) -> DoctorRow:
    tier = here["tier"]
    if tier != "process":
        return DoctorRow("jail", True, f"tier {tier}")
    if not chat:
        return DoctorRow(
            "jail", True, "tier process, the weakest: for code that you would run yourself"
        )
    if settings.chat.trust_process_tier:
        return DoctorRow(
            "jail", True, "tier process, the weakest; chat.trust_process_tier allows it"
        )
    why = "; ".join(f"{tier}: {reason}" for tier, reason in here["refused_tiers"].items())
    return DoctorRow(
        "jail",
        False,
        f"tier process is too weak for a chat, where anybody can post code ({why})",
        "run the executor where a stronger tier works (docs/security.md); if you trust everybody "
        "there, set chat.trust_process_tier: true",
    )


# -- knowledge ---------------------------------------------------------------------------------


async def _knowledge(settings: Settings) -> list[DoctorRow]:
    return await asyncio.to_thread(_library, settings)


def _library(settings: Settings) -> list[DoctorRow]:
    left_out: list[str] = []
    try:
        library = Library(settings, left_out.append, keeps_model=False)  # a doctor changes nothing
    except KnowledgeError as e:
        what = "model" if "model" in type(e).__name__.lower() else "articles"
        return [
            DoctorRow.of(what, e),
            DoctorRow("index", False, "not looked at", f"first mend the {what}"),
        ]
    try:
        library.model.load()
    except KnowledgeError as e:
        return [
            DoctorRow.of("model", e),
            DoctorRow("index", False, "not looked at", "first mend the model"),
        ]
    rows = [DoctorRow("model", True, library.model.identity)]
    if left_out:
        rows.append(
            DoctorRow("documents", False, f"{len(left_out)} {left_out[0]}", "mend these files")
        )
    try:
        index = library.open_as_it_is()
    except KnowledgeError as e:
        return [*rows, DoctorRow.of("index", e)]
    found = f"{len(index.sources)} sources, {len(index.passages)} passages"
    return [*rows, DoctorRow("index", True, found)]


# -- database ----------------------------------------------------------------------------------


async def _database(settings: Settings, clocks: Clocks) -> list[DoctorRow]:
    try:
        database = Database.at(settings.store.url, settings.state_folder, make=False)
        try:
            finding = await health.look(database)
            began = time.time()
            if (there := await health.clock(database)) is not None:
                clocks.ahead_s["the database"] = (began + time.time()) / 2 - there
        finally:
            await database.close()
    except StateError as e:
        return [DoctorRow.of("database", e)]
    return [DoctorRow("database", True, finding)]


# -- the machine -------------------------------------------------------------------------------


async def _disk(folder: Path) -> list[DoctorRow]:
    there = folder
    while not there.exists():
        there = there.parent
    try:
        free = shutil.disk_usage(there).free
        # Only writing shows a quota or a read-only file system.
        trial = there / f".torchmedic-trial-{os.getpid()}"
        try:
            with trial.open("wb") as file:
                file.write(b"\1" * _TRIAL_BYTES)
                file.flush()
                os.fsync(file.fileno())
        finally:
            trial.unlink(missing_ok=True)
    except OSError as e:
        step = "make room there, or point `state` in config.yaml to another disk"
        if isinstance(e, PermissionError):
            step = "point `state` in config.yaml to a folder of the bot's user"
        return [DoctorRow("disk", False, f"{there} cannot be written ({e.strerror})", step)]
    found = f"{there}: {free / MIB:,.0f} MiB free"
    if free < _FREE_BYTES:
        return [
            DoctorRow("disk", False, found, "make room there, or point `state` to another disk")
        ]
    return [DoctorRow("disk", True, found)]


async def _ports(settings: Settings, chosen: Sequence[PlatformPlugin[Any]]) -> list[DoctorRow]:
    wanted: list[tuple[str, str, int]] = []
    for plugin in chosen:
        if (address := plugin.listens_at(plugin.section_of(settings))) is not None:
            wanted.append((f"{plugin.name}.port", *address))
    if settings.metrics.port and chosen:
        wanted.append(("metrics.port", settings.metrics.host, settings.metrics.port))
    rows = []
    for name, host, port in wanted:
        try:
            socket.create_server((host, port)).close()
        except OSError as e:
            step = "end what listens there (`ss -ltnp`; if it is this bot, all is well), or choose "
            rows.append(
                DoctorRow(
                    "port",
                    False,
                    f"{name} {port} on {host} cannot be used ({e.strerror})",
                    f"{step}another {name}",
                )
            )
        else:
            rows.append(DoctorRow("port", True, f"{name} {port} on {host} is free"))
    return rows


def _clock(clocks: Clocks) -> DoctorRow:
    if not clocks.ahead_s:
        return DoctorRow(
            "clock", True, "compared with none: neither a platform nor a server was asked"
        )
    who, ahead = max(clocks.ahead_s.items(), key=lambda item: abs(item[1]))
    if abs(ahead) <= _CLOCK_S:
        return DoctorRow(
            "clock", True, f"within {_CLOCK_S:.0f} s of {' and '.join(clocks.ahead_s)}"
        )
    word = "ahead of" if ahead > 0 else "behind"
    return DoctorRow(
        "clock",
        False,
        f"this machine's clock is {abs(ahead):,.0f} s {word} that of {who}",
        "switch on time synchronisation (`timedatectl set-ntp true`); Slack refuses requests that "
        "are five minutes off",
    )


def table(rows: Sequence[DoctorRow]) -> Table:
    """The rows as a table to print."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table(show_header=True, header_style="bold", expand=False)
    for title in ("what", "", "finding", "next step"):
        drawn.add_column(title, overflow="fold")
    for row in rows:
        # Symbol and word, as on a card; findings are plain text: brackets are no markup.
        state = "✔ ok" if row.ok else "✘ problem"
        drawn.add_row(*(Text(t) for t in (row.what, state, row.finding, row.next_step)))
    return drawn
