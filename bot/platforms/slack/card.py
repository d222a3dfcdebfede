"""Draw a card in Slack's Block Kit: plain JSON, within all limits, no stranger's text as markup.

Strangers' text goes into `rich_text` blocks, which Slack shows without markup: no fences, no
pings. The limits are those of docs.slack.dev/reference/block-kit and `slack_sdk`'s models;
the sum over a message is documented nowhere (about 13,200: slackapi/bolt-js#2509).
"""

from __future__ import annotations

import re
from typing import Any

from bot.models import Answer, RunWith
from bot.platforms.card import (
    BUTTONS,
    CardPart,
    Sheet,
    button_id,
    cut,
    fit,
    neutral,
    one_line,
    sheet,
)
from bot.service.seam import Answered, Verb, View, Waiting

Block = dict[str, Any]

MAX_BLOCKS = 50
MAX_SECTION = 3000
MAX_BUTTON = 75
MAX_ALL = 12_000
MAX_CONTEXT_ELEMENTS = 10
_MAX_TEXT = 2500  # of the notification: Slack advises 4,000, people read one line
_HEADLINE = 900
_FOOT = 600
_PARTS = 14
_MAX_WORDS = 300  # why it is wrong, in one line

_STYLE: dict[Verb, str] = {"solved": "primary", "delete": "danger"}


def units(text: str) -> int:
    """A text's length as a browser counts it: an emoji is two."""
    return len(text.encode("utf-16-le", "replace")) // 2


def escaped(text: str) -> str:
    """Text with Slack's markup escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def message(question: str, view: View) -> dict[str, Any]:
    """Draw a view as `text` and `blocks`.

    Args:
        question: its id, which buttons and the first block carry.
        view: what to show.
    """
    if isinstance(view, Answered):
        return _answered(question, sheet(view))
    if isinstance(view, Waiting):
        text = waiting(view)
    else:
        text = f"On it: {one_line(neutral(view.text))} …"
    return {"text": escaped(text), "blocks": [_rich(_card_id(question), _section(text))]}


def waiting(view: Waiting) -> str:
    """The text that a question was received."""
    if not view.ahead:
        return "On it: reading your question …"
    before = "1 question is" if view.ahead == 1 else f"{view.ahead} questions are"
    return f"Got it; {before} before yours. This message becomes the answer."


def _answered(question: str, said: Sheet) -> dict[str, Any]:
    headline = cut(said.headline, _HEADLINE, "start", units)
    parts = fit(
        said.parts[:_PARTS],
        MAX_ALL - _HEADLINE - 2 * _FOOT - 300,
        text_limit=MAX_SECTION - 200,
        code_limit=MAX_SECTION - 200,
        overhead=8,
        measure=units,
    )
    blocks = [_rich(_card_id(question), _section(headline, bold=True))]
    blocks += [_part(part) for part in parts]
    if said.evidence:
        blocks.append(_context(plain(cut(said.evidence, _FOOT, "start", units))))
    if said.sources:
        elements = [_source(text, url) for text, url in said.sources[:MAX_CONTEXT_ELEMENTS]]
        blocks.append(_context(*elements))
    blocks.append(_buttons(question, said.verbs))
    return {"text": cut(escaped(said.headline), _MAX_TEXT, "start"), "blocks": blocks}


def bare(question: str, view: View) -> dict[str, Any]:
    """The same without blocks, in case Slack refuses them."""
    drawn = message(question, view)
    if not isinstance(view, Answered):
        return {"text": drawn["text"], "blocks": []}
    said = sheet(view)
    lines = [said.headline, *(f"{p.title}: {p.text}".strip() for p in said.parts), said.evidence]
    return {"text": cut(escaped("\n".join(lines)), _MAX_TEXT, "start"), "blocks": []}


def case(asker: str, text: str, answer: Answer | None, link: str) -> dict[str, Any]:
    """A question referred to people, with the answer and without its asker's buttons."""
    head = f"<@{asker}> asks for a human" + (f": <{link}|the thread>" if link else "")
    blocks: list[Block] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": head, "verbatim": True}},
        _part(CardPart("printed", "The question", code=cut(neutral(text), 2500, "middle", units))),
    ]
    if answer is not None:
        told = _answered("0", sheet(Answered(answer)))
        spent = 2500 + len(head)
        for block in told["blocks"][:-1]:
            block.pop("block_id", None)
            spent += weight(block)
            if spent > MAX_ALL:
                break
            blocks.append(block)
    conclusion = neutral(answer.headline) if answer is not None else "no answer yet"
    said = escaped(cut(one_line(conclusion), 1000, "start"))
    return {"text": f"<@{asker}> asks for a human: {said}", "blocks": blocks}


def weight(thing: Any) -> int:
    """The number of characters that a block shows."""
    if isinstance(thing, dict):
        own = units(thing["text"]) if isinstance(thing.get("text"), str) else 0
        return own + sum(weight(v) for k, v in thing.items() if not isinstance(v, str))
    return sum(map(weight, thing)) if isinstance(thing, list) else 0


# -- forms -----------------------------------------------------------------------------------


def ask_form(metadata: str) -> dict[str, Any]:
    """The form of an empty `/torchmedic`: a question, and room for code."""
    return _form(
        "tm:ask",
        "Ask Torchmedic",
        "Run it",
        metadata,
        _input("code", "Code, and the traceback if there is one", multiline=True, max_length=3000),
        _input(
            "words",
            "What should it do, what does it do?",
            multiline=True,
            optional=True,
            max_length=2000,
        ),
    )


def wrong_form(metadata: str) -> dict[str, Any]:
    """The form for "wrong": the reason, in one line."""
    return _form(
        "tm:wrong",
        "What is wrong?",
        "Send",
        metadata,
        _input("words", "What is wrong with this answer?", max_length=_MAX_WORDS),
    )


def again_form(metadata: str, last: RunWith) -> dict[str, Any]:
    """The form for "run again": device, seed, fresh interpreter."""
    devices = [_option("As the code asks", "any"), _option("CPU", "cpu"), _option("GPU", "cuda")]
    chosen = next((d for d in devices if d["value"] == last.device), devices[0])
    cold = _option("In a fresh interpreter (slower)", "cold")
    box: Block = {"type": "checkboxes", "action_id": "cold", "options": [cold]}
    if last.cold:
        box["initial_options"] = [cold]
    device = {
        "type": "static_select",
        "action_id": "device",
        "options": devices,
        "initial_option": chosen,
    }
    seed = _input(
        "seed", "Seed (a whole number; empty: another one each time)", optional=True, max_length=10
    )
    if last.seed is not None:
        seed["element"]["initial_value"] = str(last.seed)
    return _form(
        "tm:again",
        "Run again",
        "Run",
        metadata,
        {"type": "input", "block_id": "device", "label": plain("Device"), "element": device},
        seed,
        {
            "type": "input",
            "block_id": "cold",
            "label": plain("Interpreter"),
            "element": box,
            "optional": True,
        },
    )


def _form(callback: str, title: str, submit: str, metadata: str, *blocks: Block) -> dict[str, Any]:
    return {
        "type": "modal",
        "callback_id": callback,
        "title": plain(title),
        "submit": plain(submit),
        "close": plain("Cancel"),
        "private_metadata": metadata,
        "blocks": list(blocks),
    }


def _input(
    name: str, label: str, *, max_length: int, multiline: bool = False, optional: bool = False
) -> Block:
    element = {
        "type": "plain_text_input",
        "action_id": name,
        "multiline": multiline,
        "max_length": max_length,
    }
    return {
        "type": "input",
        "block_id": name,
        "label": plain(label),
        "element": element,
        "optional": optional,
    }


def _option(label: str, value: str) -> dict[str, Any]:
    return {"text": plain(label), "value": value}


# -- blocks ----------------------------------------------------------------------------------


def plain(text: str) -> dict[str, Any]:
    """Text in which `:tada:` stays `:tada:`."""
    return {"type": "plain_text", "text": text, "emoji": False}


def _card_id(question: str) -> str:
    return f"tm:card:{question}"


def _rich(block_id: str | None, *elements: Block) -> Block:
    block: Block = {"type": "rich_text", "elements": list(elements)}
    return {**block, "block_id": block_id} if block_id else block


def _part(part: CardPart) -> Block:
    elements: list[Block] = []
    head = [_text(part.title, bold=True)] if part.title else []
    if part.text:
        gap = [_text("\n" if part.kind in ("seen", "use") else "  ")] if head else []
        elements.append(_section_of(*head, *gap, *_inline(part.text)))
    elif head:
        elements.append(_section_of(*head))
    if part.code:
        elements.append({"type": "rich_text_preformatted", "elements": [_text(part.code)]})
    return _rich(None, *elements)


def _section(text: str, *, bold: bool = False) -> Block:
    return _section_of(_text(text, bold=bold))


def _section_of(*elements: Block) -> Block:
    return {"type": "rich_text_section", "elements": list(elements)}


def _inline(text: str) -> list[Block]:
    """`code` between backticks as code, everything else as plain text."""
    return [
        _text(piece, code=bool(i % 2))
        for i, piece in enumerate(re.split(r"`([^`\n]+)`", text))
        if piece
    ]


def _text(text: str, *, bold: bool = False, code: bool = False) -> Block:
    style = {name: True for name, wanted in (("bold", bold), ("code", code)) if wanted}
    return {"type": "text", "text": text} | ({"style": style} if style else {})


def _context(*elements: Block) -> Block:
    return {"type": "context", "elements": list(elements)}


def _source(text: str, url: str) -> Block:
    short = cut(text, 300, "start", units)
    if not url or len(url) > 1500:
        return plain(short)
    return {"type": "mrkdwn", "text": f"{escaped(short)}  <{escaped(url)}|open>", "verbatim": True}


def _buttons(question: str, verbs: tuple[Verb, ...]) -> Block:
    return {"type": "actions", "elements": [_button(verb, question) for verb in verbs]}


def _button(verb: Verb, question: str) -> Block:
    id = button_id(verb, question)
    button: Block = {"type": "button", "text": plain(BUTTONS[verb]), "action_id": id, "value": id}
    if verb in _STYLE:
        button["style"] = _STYLE[verb]
    if verb == "delete":
        button["confirm"] = {
            "title": plain("Delete this answer?"),
            "text": plain("Your question is forgotten too."),
            "confirm": plain("Delete"),
            "deny": plain("Keep"),
        }
    return button
