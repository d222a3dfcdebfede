"""bot/settings.py: where a setting comes from, and what is said of a wrong one."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.errors import SettingsError
from bot.platforms.plugins import load_settings
from bot.platforms.slack.settings import SlackTokens, slack_tokens
from bot.settings import ExecutorSettings, Secret, Settings, executor_token

FILE = """
executor: {wall_s: 20, slots: 3}
slack:
  users: [U1, 123]
  support:
    C1: {threshold: 1, team: U7}
    99:
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A settings file."""
    path = tmp_path / "settings.yaml"
    path.write_text(FILE)
    return path


def test_variables_go_before_the_file_and_the_file_before_the_defaults(file: Path):
    """Key by key: a section's other settings stay as they are."""
    settings = load_settings(file, {"TORCHMEDIC_EXECUTOR__SLOTS": "2"})

    assert settings.executor == ExecutorSettings(slots=2, wall_s=20)
    assert settings.executor.memory_mib == 4096


def test_channels_of_file_and_variables_are_put_together(file: Path):
    """By id; one variable holds a channel's settings, or one of them."""
    support = load_settings(
        file,
        {
            "TORCHMEDIC_SLACK__SUPPORT": "{C2: {threshold: 0.25}}",
            "TORCHMEDIC_DISCORD__SUPPORT__7__QUIET_HOURS": "'22:00-07:00'",
        },
    )

    assert {id: c.threshold for id, c in support.slack.support.items()} == {
        "C1": 1.0,
        "C2": 0.25,
        "99": 0.6,
    }
    assert support.slack.support["C1"].team == ("U7",)
    assert support.slack.users == ("U1", "123")
    assert support.discord.support["7"].quiet_hours == "22:00-07:00"


# fmt: off
WRONG = [
    # the variable, its text, what is said of it
    ("EXECUTOR__SLOT", "1", "there is no setting `executor.slot`; known here: gpu_memory_mib, "
     "memory_mib, processes, slots, snippets, tier, url, wall_s"),
    ("EXECUTER__SLOTS", "1", "there is no setting `executer`; known here: chat, discord, executor, "
     "knowledge, log, metrics, proposer, slack, state, store"),
    ("SLACK__SUPPORT__C9__TRESHOLD", "1", "there is no setting `slack.support.c9.treshold`; known "
     "here: draft, quiet_hours, team, threshold, timezone"),
    ("EXECUTOR__WALL_S", "soon", "`executor.wall_s` should be a number, not 'soon' (str)"),
    ("EXECUTOR__WALL_S", "'10'", "`executor.wall_s` should be a number, not '10' (str)"),
    ("EXECUTOR__SLOTS", "1.5", "`executor.slots` should be a whole number, not 1.5 (float)"),
    ("EXECUTOR__SLOTS", "true", "`executor.slots` should be a whole number, not True (bool)"),
    ("EXECUTOR__SLOTS", "-1", "`executor.slots` should not be negative (-1)"),
    ("STORE__LEASE_S", "-0.5", "`store.lease_s` should not be negative (-0.5)"),
    ("STATE", "5", "`state` should be a text, not 5 (int)"),
    ("STATE__HERE", "x", "`state` should be a text, not {'here': 'x'} (dict)"),
    ("KNOWLEDGE__OFFLINE", "1", "`knowledge.offline` should be true or false, not 1 (int)"),
    ("LOG__FORMAT", "xml", "`log.format` should be 'text' or 'json'; not 'xml'"),
    ("EXECUTOR", "[]", "`executor` should hold settings by name"),
    ("SLACK__SUPPORT", "[C1]", "`slack.support` should hold settings by id"),
    ("SLACK__SUPPORT", "{C1: 3}", "`slack.support.C1` should hold settings by name"),
    ("SLACK__USERS", "[U1, true]", "`slack.users` should be a list of texts"),
    ("SLACK__USERS", "null", "`slack.users` should be a list of texts"),
    ("STATE", "[", "is not YAML (while parsing a flow node)"),
]
# fmt: on


@pytest.mark.parametrize(("name", "text", "says"), WRONG)
def test_a_wrong_setting_is_named_with_its_variable(file: Path, name: str, text: str, says: str):
    """The place, the setting, and what it should be; nothing else is blamed."""
    variables = {f"TORCHMEDIC_{name}": text, "TORCHMEDIC_CHAT__AT_ONCE": "2", "HOME": "/root"}
    with pytest.raises(SettingsError) as refused:
        load_settings(file, variables)

    assert str(refused.value) == f"TORCHMEDIC_{name}: {says}"


def test_a_wrong_setting_is_named_with_its_file(file: Path):
    """Each of them, also where a variable is wrong beside it."""
    file.write_text("log: {format: xml, 7: 8}\nmood: good\nslack:\n")
    with pytest.raises(SettingsError) as refused:
        load_settings(file, {"TORCHMEDIC_METRICS__PORT": "none"})

    assert set(str(refused.value).split("; ")) >= {
        f"{file}: there is no setting `mood`",
        f"{file}: `slack` should hold settings by name",
        "TORCHMEDIC_METRICS__PORT: `metrics.port` should be a whole number, not 'none' (str)",
    }
    assert f"{file}: `log.7`" in str(refused.value)


def test_a_section_and_its_setting_cannot_both_be_given_where_one_is_no_section():
    """`TORCHMEDIC_EXECUTOR=3` has nothing inside."""
    variables = {"TORCHMEDIC_EXECUTOR": "3", "TORCHMEDIC_EXECUTOR__SLOTS": "2"}
    with pytest.raises(SettingsError, match=r"EXECUTOR__SLOTS: `executor` has no settings inside"):
        load_settings(None, variables)


def test_settings_are_frozen_and_read_nothing_by_themselves(monkeypatch: pytest.MonkeyPatch):
    """`Settings()` is the defaults wherever it is written."""
    for name in ("TORCHMEDIC_STATE", "STATE", "state"):
        monkeypatch.setenv(name, "/elsewhere")
    settings = Settings()

    assert settings.state == "~/.local/state/torchmedic"
    for change in (
        lambda: setattr(settings, "state", "x"),
        lambda: setattr(settings.executor, "slots", 1),
    ):
        with pytest.raises(ValidationError, match="frozen"):
            change()
    with pytest.raises(ValidationError, match="not permitted"):
        ExecutorSettings(slot=1)  # type: ignore[call-arg]


def test_secrets_are_not_printed():
    """In no repr, no str, no format, and of no token beside another."""
    text = "xoxb-s3cret"
    tokens = slack_tokens("http", {"SLACK_BOT_TOKEN": text, "SLACK_SIGNING_SECRET": text})
    printed = f"{tokens} {tokens!r} {tokens.bot} {[tokens.signing]} {dataclasses.asdict(tokens)}"

    assert text not in printed and "Secret(****)" in printed and "app=Secret()" in printed
    assert tokens.bot.reveal() == text and isinstance(tokens, SlackTokens)


def test_the_token_of_an_executor_elsewhere_is_a_secret():
    """It comes from its own variable, and is empty where there is none."""
    token = executor_token({"TORCHMEDIC_EXECUTOR_TOKEN": "t0ken"})

    assert token.reveal() == "t0ken" and isinstance(token, Secret) and "t0ken" not in f"{token!r}"
    assert executor_token({}).reveal() == ""
