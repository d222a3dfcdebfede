"""Discord's commands and forms: ask, "wrong", "run again"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from bot.models import RunWith
from bot.platforms.buttons import WRONG, button_id
from bot.service.buttons import RerunOptions

Json = dict[str, Any]

ASK_FORM = "tm:ask"
DIAGNOSE = "Diagnose this message"
_CHAT, _MESSAGE = 1, 3  # kinds of commands
_STRING, _BOOLEAN, _ATTACHMENT = 3, 5, 11  # kinds of options
# Usable everywhere: in servers, in direct messages, and installed by a single user.
_EVERYWHERE = {"integration_types": [0, 1], "contexts": [0, 1, 2]}
COMMANDS: list[Json] = [
    {
        "name": "torchmedic",
        "type": _CHAT,
        **_EVERYWHERE,
        "description": "Run a PyTorch problem and find out what is wrong; alone: what I can do",
        "options": [
            {
                "name": "question",
                "type": _STRING,
                "max_length": 6_000,
                "description": "What goes wrong? For code of several lines leave this empty",
            },
            {
                "name": "file",
                "type": _ATTACHMENT,
                "description": "A .py, .ipynb, .log, .txt, .md or .zip file",
            },
            {
                "name": "public",
                "type": _BOOLEAN,
                "description": "Show the answer to everybody here (otherwise only to you)",
            },
        ],
    },
    {"name": DIAGNOSE, "type": _MESSAGE, **_EVERYWHERE},
]
_SELECT, _INPUT, _LABELLED, _UPLOAD = 3, 4, 18, 19


def ask_form(*, public: bool = False) -> Json:
    """The form that `/torchmedic` opens without arguments."""
    return {
        "custom_id": f"{ASK_FORM}:public" if public else ASK_FORM,
        "title": "Ask Torchmedic",
        "components": [
            _field("question", "What goes wrong?", long=True, needed=False, most=1_000),
            _field(
                "code",
                "Your code, the traceback, or both",
                long=True,
                needed=False,
                hint="Paste it as it is. It is run, so the shortest that fails is best.",
            ),
            {
                "type": _LABELLED,
                "label": "Files",
                "description": "A script, a notebook, a log, or what the code reads",
                "component": {
                    "type": _UPLOAD,
                    "custom_id": "files",
                    "required": False,
                    "min_values": 0,
                    "max_values": 5,
                },
            },
        ],
    }


def wrong_form(question: str) -> Json:
    """The form for "not right": what is wrong, and a line about it."""
    kinds = [(label, name) for name, label in WRONG.items()]
    return {
        "custom_id": button_id("wrong", question),
        "title": "What is not right?",
        "components": [
            _choice("kind", "What is wrong", kinds, kinds[0][1]),
            _field("words", "In a line", needed=False, most=300),
        ],
    }


def edit_form(question: str, headline: str) -> Json:
    """The form for editing a draft: its conclusion."""
    words = _field("words", "What the card says first", long=True, most=900, value=headline[:900])
    return {
        "custom_id": button_id("edit", question),
        "title": "Edit and post",
        "components": [words],
    }


def again_form(question: str, offered: RerunOptions) -> Json:
    """The form for "run again": device, seed, fresh interpreter."""
    now = offered.now
    devices = [("as the code needs it", ""), ("CPU", "cpu")]
    devices += [("GPU", "cuda")] if offered.has_gpu else []
    return {
        "custom_id": button_id("again", question),
        "title": "Run again",
        "components": [
            _choice(
                "device",
                "Device",
                [(label, value or "any") for label, value in devices],
                now.device if now.device and (now.device == "cpu" or offered.has_gpu) else "any",
            ),
            _choice(
                "start",
                "Interpreter",
                [("warm: torch is imported", "warm"), ("cold: nothing is imported", "cold")],
                "cold" if now.cold else "warm",
            ),
            _field(
                "seed",
                "Seed (a number, or none)",
                needed=False,
                most=10,
                value="none" if now.seed is None else str(now.seed),
            ),
        ],
    }


def run_with(values: dict[str, str]) -> RunWith:
    """The options chosen in `again_form`; a seed that is no number is ignored."""
    device = values.get("device", "any")
    seed = values.get("seed", "0").strip()
    number = int(seed) if re.fullmatch(r"\d{1,9}", seed) else None
    chosen: Literal["cpu", "cuda"] | None = "cpu" if device == "cpu" else None
    return RunWith(
        device="cuda" if device == "cuda" else chosen,
        seed=number,
        cold=values.get("start") == "cold",
    )


def _field(
    name: str,
    label: str,
    *,
    long: bool = False,
    needed: bool = True,
    most: int = 4_000,
    hint: str = "",
    value: str = "",
) -> Json:
    item: Json = {
        "type": _INPUT,
        "custom_id": name,
        "style": 2 if long else 1,
        "required": needed,
        "max_length": most,
    }
    if hint:
        item["placeholder"] = hint
    if value:
        item["value"] = value
    return {"type": _LABELLED, "label": label, "component": item}


def _choice(name: str, label: str, options: Sequence[tuple[str, str]], now: str) -> Json:
    made = [{"label": said, "value": value, "default": value == now} for said, value in options]
    item = {
        "type": _SELECT,
        "custom_id": name,
        "options": made,
        "required": True,
        "min_values": 1,
        "max_values": 1,
    }
    return {"type": _LABELLED, "label": label, "component": item}


def values_of(data: Json) -> dict[str, str]:
    """The submitted values by field name."""
    found: dict[str, str] = {}
    for row in data.get("components", []):
        for item in [row.get("component"), *row.get("components", [])]:
            if item is not None and "custom_id" in item:
                chosen = item.get("values") or [item.get("value") or ""]
                found[str(item["custom_id"])] = str(chosen[0])
    return found
