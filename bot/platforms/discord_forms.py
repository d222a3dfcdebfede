"""The forms that Discord shows: asking, saying what is wrong, running again another way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from bot.models import RunWith
from bot.platforms.card import button_id

Json = dict[str, Any]

ASK_FORM = "tm:ask"
_SELECT, _INPUT, _LABELLED = 3, 4, 18


def ask_form() -> Json:
    """What `/torchmedic` opens when nothing was given with it."""
    return {
        "custom_id": ASK_FORM, "title": "Ask Torchmedic",
        "components": [
            _field("code", "Your code, the traceback, or both", long=True,
                   hint="Paste it as it is. It is run, so the shortest that fails is best."),
            _field("question", "What goes wrong?", long=True, needed=False, most=1_000),
        ],
    }  # fmt: skip


def wrong_form(question: str) -> Json:
    """Why an answer is wrong, in one line."""
    words_ = _field("words", "What is wrong with it?", most=300, hint="One line is enough.")
    return {"custom_id": button_id("wrong", question), "title": "Wrong answer",
            "components": [words_]}  # fmt: skip


def again_form(question: str, now: RunWith = RunWith()) -> Json:  # noqa: B008 (frozen)
    """On which device, from which seed, in which interpreter to run again."""
    devices = [("as the code needs it", ""), ("CPU", "cpu"), ("GPU", "cuda")]
    return {
        "custom_id": button_id("again", question), "title": "Run again",
        "components": [
            _choice("device", "Device", [(label, value or "any") for label, value in devices],
                    now.device or "any"),
            _choice("start", "Interpreter", [("warm: torch is imported", "warm"),
                                             ("cold: nothing is imported", "cold")],
                    "cold" if now.cold else "warm"),
            _field("seed", "Seed (a number, or none)", needed=False, most=10,
                   value="none" if now.seed is None else str(now.seed)),
        ],
    }  # fmt: skip


def run_with(values: dict[str, str]) -> RunWith:
    """What was chosen in `again_form`; what is no number seeds nothing."""
    device = values.get("device", "any")
    seed = values.get("seed", "0").strip()
    number = int(seed) if re.fullmatch(r"\d{1,9}", seed) else None
    chosen: Literal["cpu", "cuda"] | None = "cpu" if device == "cpu" else None
    return RunWith(
        device="cuda" if device == "cuda" else chosen, seed=number,
        cold=values.get("start") == "cold",
    )  # fmt: skip


def _field(
    name: str, label: str, *, long: bool = False, needed: bool = True, most: int = 4_000,
    hint: str = "", value: str = "",
) -> Json:  # fmt: skip
    item: Json = {"type": _INPUT, "custom_id": name, "style": 2 if long else 1,
                  "required": needed, "max_length": most}  # fmt: skip
    if hint:
        item["placeholder"] = hint
    if value:
        item["value"] = value
    return {"type": _LABELLED, "label": label, "component": item}


def _choice(name: str, label: str, options: Sequence[tuple[str, str]], now: str) -> Json:
    made = [{"label": said, "value": value, "default": value == now} for said, value in options]
    item = {"type": _SELECT, "custom_id": name, "options": made, "required": True,
            "min_values": 1, "max_values": 1}  # fmt: skip
    return {"type": _LABELLED, "label": label, "component": item}
