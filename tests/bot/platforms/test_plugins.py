"""bot/platforms/plugins.py: a platform is a folder, and nothing else names it."""

from __future__ import annotations

import ast
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.platforms.plugins import load_settings, plugins
from bot.service.plugin import PlatformPlugin
from tests.rows import some

# A platform that is made up: `torchmedic pigeon` sends what it was told to standard output.
PIGEON = '''
"""Pigeon post, as commands, settings and doctor know it."""

from bot.errors import SettingsError
from bot.service.plugin import PlatformPlugin
from bot.settings import FrontSettings, require_tokens

TOKENS = {"PIGEON_RING": "the left leg"}


class PigeonSettings(FrontSettings):
    loft: str = "roof"
    port: int = 0


async def serve(settings, host):
    ring = require_tokens(TOKENS, host.environment)["PIGEON_RING"]
    host.say(f"answering from the {settings.loft} with {ring}")


async def check_tokens(settings, environment, call):
    if require_tokens(TOKENS, environment)["PIGEON_RING"].reveal() != "7":
        raise SettingsError(f"the pigeons refuse PIGEON_RING; copy it from {TOKENS['PIGEON_RING']}")
    return "PIGEON_RING: set, and the pigeons know it"


PLUGIN = PlatformPlugin(
    name="pigeon",
    title="Pigeon post",
    help="Answer by pigeon post until stopped.",
    section=PigeonSettings,
    tokens=TOKENS,
    serve=serve,
    check_tokens=check_tokens,
    listens_at=lambda settings: ("127.0.0.1", settings.port) if settings.port else None,
)
'''

# `bot/platforms/` with one folder more: as if it lay there, but in a place of its own.
COMMAND = """
import bot.platforms
bot.platforms.__path__.append({folder!r})
from bot.commands.cli import main
main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds the made-up platform's, and nothing else."""
    (tmp_path / "pigeon").mkdir()
    (tmp_path / "pigeon" / "__init__.py").write_text("")
    (tmp_path / "pigeon" / "plugin.py").write_text(PIGEON)
    return tmp_path


def torchmedic(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command, where `bot/platforms/` also holds that folder's platforms."""
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("TORCHMEDIC_", "SLACK_"))}
    return subprocess.run(
        [sys.executable, "-c", COMMAND.format(folder=str(folder)), *words],
        env=keep | {"COLUMNS": "100", "TORCHMEDIC_STATE": str(folder / "state")} | variables,
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_a_new_folder_is_a_command(folder: Path):
    """Beside those of Slack and Discord, which come first; with its own settings and tokens."""
    help = torchmedic(folder, "--help").stdout
    commands = [line.split()[1] for line in help.splitlines() if line.startswith("│ ")]
    served = torchmedic(folder, "pigeon", PIGEON_RING="7", TORCHMEDIC_PIGEON__LOFT="barn")
    without = torchmedic(folder, "pigeon")

    assert [c for c in commands if c in ("slack", "discord", "pigeon", "doctor")] == [
        "slack",
        "discord",
        "pigeon",
        "doctor",
    ]
    assert "Answer by pigeon post until stopped." in help
    assert served.stderr == "torchmedic: answering from the barn with Secret(****)\n"
    assert without.stderr == (
        "torchmedic: missing in the environment: PIGEON_RING (the left leg)\n"
    )
    assert "slack, discord or pigeon; none: all." in torchmedic(folder, "forget", "--help").stdout


def test_a_new_folder_is_a_section_of_the_settings(folder: Path):
    """Its settings are checked like all others, and a wrong one is named."""
    unknown = torchmedic(folder, "pigeon", TORCHMEDIC_PIGEON__LOFFT="barn")
    channel = torchmedic(folder, "pigeon", TORCHMEDIC_PIGEON__SUPPORT="{C1: 3}")

    assert unknown.stderr == (
        "torchmedic: TORCHMEDIC_PIGEON__LOFFT: there is no setting `pigeon.lofft`; known here: "
        "channels, humans, loft, moderators, ping, port, support, token_patience_s, users\n"
    )
    assert "`pigeon.support.C1` should hold settings by name" in channel.stderr


@pytest.mark.parametrize(
    ("ring", "named", "says"),
    some(
        [
            ("8", False, "✘ problem the pigeons refuse"),
            ("7", False, "✔ ok PIGEON_RING: set"),  # what has a token
            ("", True, "✘ problem missing in the"),
        ],
        one_in=3,
    ),
)
def test_a_new_folder_is_a_row_of_the_doctor(folder: Path, ring: str, named: bool, says: str):
    """Its tokens are asked about, and its port is tried."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = torchmedic(
            folder,
            "doctor",
            *(["pigeon"] if named else []),
            PIGEON_RING=ring,
            TORCHMEDIC_PIGEON__PORT=port,
            TORCHMEDIC_KNOWLEDGE__MODEL=str(folder / "none"),
            TORCHMEDIC_EXECUTOR__URL=f"unix:{folder}/none.sock",
        )
    rows = [" ".join(line.replace("│", " ").split()) for line in done.stdout.splitlines()]

    assert [row for row in rows if row.startswith(f"pigeon tokens {says}")], rows
    assert [row for row in rows if row.startswith(f"port ✘ problem pigeon.port {port}")], rows


def test_the_doctor_knows_each_platform_by_name(folder: Path):
    """Another name is refused with all that there are."""
    assert "owl: there are slack, discord and pigeon" in torchmedic(folder, "doctor", "owl").stderr


def test_the_help_imports_no_platforms_library():
    """`torchmedic --help` reads every plugin, and waits for none of their libraries."""
    look = (
        "import sys, bot.commands.cli\n"
        "print({'slack_bolt', 'slack_sdk', 'discord', 'aiohttp', 'torch'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True)

    assert done.stdout == "set()\n", done.stderr


def test_nothing_outside_its_folder_names_a_platform():
    """Neither by a word (`platform == "slack"`) nor by an attribute (`settings.slack`)."""
    names = {p.name for p in plugins()}
    bot = Path(__file__).parents[3] / "bot"
    said = [
        f"{path.relative_to(bot)}:{node.lineno}"
        for path in bot.rglob("*.py")
        if not names & set(path.relative_to(bot).parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if names & {getattr(node, word, None) for word in ("value", "attr", "id", "arg", "name")}
    ]

    assert said == []


def test_each_platform_is_found_once():
    """Slack and Discord in their old order; the console has no command of a platform."""
    assert [p.name for p in plugins()] == ["slack", "discord"]
    assert all(isinstance(p, PlatformPlugin) for p in plugins())


@pytest.mark.parametrize("plugin", plugins(), ids=lambda p: p.name)
def test_what_every_platform_brings(plugin: PlatformPlugin):
    """Its folder's name is its own; its section has defaults; each token says where it is got."""
    settings = load_settings(None, {})

    assert plugin.section.__module__.startswith(f"bot.platforms.{plugin.name}.")
    assert plugin.section_of(settings) == plugin.section()
    assert plugin.tokens and all(name.startswith(plugin.name.upper()) for name in plugin.tokens)
    assert all(where for where in plugin.tokens.values())
    assert not plugin.has_token(dict.fromkeys(plugin.tokens, " "))
    assert all(plugin.has_token({name: "x"}) for name in plugin.tokens)
    with pytest.raises(SettingsError, match=f"TORCHMEDIC_{plugin.name.upper()}__MOOD"):
        load_settings(None, {f"TORCHMEDIC_{plugin.name.upper()}__MOOD": "good"})
