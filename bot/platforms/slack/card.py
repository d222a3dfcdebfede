"""Draw a card in Slack's Block Kit: plain JSON, within all limits, no stranger's text as markup.

Strangers' text goes into `rich_text` blocks, which Slack shows without markup: no fences, no
pings. The limits are those of docs.slack.dev/reference/block-kit and `slack_sdk`'s models;
the sum over a message is documented nowhere (about 13,200: slackapi/bolt-js#2509).
"""

from __future__ import annotations

import re
from typing import Any

from bot.platforms.buttons import BUTTONS, WRONG, button_id, case_buttons, case_head
from bot.platforms.card import NOT_TRIED, Sheet, sheet
from bot.platforms.parts import CardPart, cut, fit, neutral, one_line
from bot.service.buttons import RerunOptions
from bot.service.seam import Answered, Case, Verb, View, Waiting
from bot.service.welcome import PROMPTS, WELCOME
from bot.words import ADVICE, UNSURE_ADVICE

Block = dict[str, Any]

MAX_BLOCKS = 50
MAX_SECTION = 3000
MAX_BUTTON = 75
MAX_ALL = 12_000
_MAX_TEXT = 2500  # of the notification: Slack advises 4,000, people read one line
_MAX_BARE = 12_000  # of a card without blocks; Slack cuts at 40,000
_HEADLINE = 900
_FOOT = 600
_PARTS = 14
_MAX_WORDS = 300  # why it is wrong, in one line

_STYLE: dict[Verb, str] = {"solved": "primary"}
_SAID: tuple[Verb, ...] = ("solved", "wrong")
_LANGUAGES = {"py": "python", "diff": "diff"}


def units(text: str) -> int:
    """A text's length as a browser counts it: an emoji is two."""
    return len(text.encode("utf-16-le", "replace")) // 2


def escaped(text: str) -> str:
    """Text with Slack's markup escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def message(question: str, view: View, *, agent: bool = False) -> dict[str, Any]:
    """Draw a view as `text` and `blocks`.

    Args:
        question: its id, which buttons and the first block carry.
        view: what to show.
        agent: for Slack's agent surface, which has buttons of its own for feedback.
    """
    if isinstance(view, Answered):
        return _answered(question, sheet(view), agent=agent)
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


def _answered(question: str, said: Sheet, *, agent: bool = False) -> dict[str, Any]:
    headline = cut(said.headline, _HEADLINE, "start", units)
    parts = fit(
        said.parts[:_PARTS],
        MAX_ALL - _HEADLINE - 2 * _FOOT - 300,
        text_limit=MAX_SECTION - 200,
        code_limit=MAX_SECTION - 200,
        overhead=8,
        measure=units,
    )
    blocks = [_rich(_card_id(question), _section_of(*_inline(headline, bold=not said.is_reply)))]
    blocks += [_part(part) for part in parts]
    if said.evidence:
        blocks.append(_context(plain(cut(said.evidence, _FOOT, "start", units))))
    blocks += _actions(question, said, agent=agent)
    return {"text": cut(escaped(said.headline), _MAX_TEXT, "start"), "blocks": blocks}


def simple(question: str, view: View) -> dict[str, Any]:
    """The same in the plainest blocks, with its code and buttons, in case Slack refuses others."""
    drawn = message(question, view)
    if not isinstance(view, Answered):
        return {"text": drawn["text"], "blocks": []}
    said = sheet(view)
    parts = fit(
        said.parts[:_PARTS],
        MAX_ALL - _HEADLINE - 2 * _FOOT - 300,
        text_limit=MAX_SECTION // 2 - 100,
        code_limit=MAX_SECTION // 2 - 100,
        overhead=8,
        measure=lambda text: units(escaped(text)),
    )
    texts = [escaped(cut(said.headline, _HEADLINE, "start", units))]
    for part in parts:
        told = f"*{escaped(part.title)}*" if part.title else ""
        told = f"<{escaped(part.url)}|{told}>" if part.url else told
        told += f"\n{escaped(part.text)}" if part.text else ""
        told += f"\n```\n{escaped(part.code)}\n```" if part.code else ""
        texts.append(told.strip())
    texts.append(escaped(cut(said.evidence, _FOOT, "start", units)))
    blocks: list[Block] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}
        for text in texts
        if text
    ]
    return {"text": drawn["text"], "blocks": [*blocks, *_actions(question, said)]}


def bare(question: str, view: View) -> dict[str, Any]:
    """The same without any blocks, in case Slack refuses them all."""
    drawn = simple(question, view)
    told = [b["text"]["text"] for b in drawn["blocks"] if b["type"] == "section"]
    text = "\n\n".join(told) or drawn["text"]
    return {"text": cut(text, _MAX_BARE, "start"), "blocks": []}


def case(case: Case, link: str) -> dict[str, Any]:
    """A question that is handed to people, with the answer and buttons of their own."""
    asker, answer = case.asker.id, case.answer
    head = f"<@{asker}> {case_head(case)}" + (f": <{link}|the thread>" if link else "")
    if case.ping:
        head = f"<!subteam^{case.ping}> {head}"
    text = cut(neutral(case.text), 2500, "middle", units)
    blocks: list[Block] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": head, "verbatim": True}},
        _part(CardPart("printed", "The question", code=text)),
    ]
    if answer is not None:
        told = _answered("0", sheet(Answered(answer)))
        spent = 2500 + len(head)
        for block in [b for b in told["blocks"] if b["type"] != "actions"]:
            block.pop("block_id", None)
            spent += weight(block)
            if spent > MAX_ALL:
                break
            blocks.append(block)
    elements = [_button(verb, case.question) for verb in case_buttons(case)]
    blocks.append({"type": "actions", "elements": elements})
    conclusion = neutral(answer.headline) if answer is not None else "no answer yet"
    said = escaped(cut(one_line(conclusion), 1000, "start"))
    return {"text": f"<@{asker}> {case_head(case)}: {said}", "blocks": blocks}


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
        _input(
            "words",
            "What should it do, what does it do?",
            multiline=True,
            optional=True,
            max_length=2000,
        ),
        _input(
            "code",
            "Code, and the traceback if there is one",
            multiline=True,
            optional=True,
            max_length=3000,
        ),
        {
            "type": "input",
            "block_id": "files",
            "label": plain("Files: a script, a notebook, a log, what the code reads"),
            "element": {"type": "file_input", "action_id": "files", "max_files": 5},
            "optional": True,
        },
    )


def wrong_form(metadata: str) -> dict[str, Any]:
    """The form for "not right": what is wrong, and a line about it."""
    kinds = [_option(label, name) for name, label in WRONG.items()]
    choice = {
        "type": "static_select",
        "action_id": "kind",
        "options": kinds,
        "initial_option": kinds[0],
    }
    return _form(
        "tm:wrong",
        "What is not right?",
        "Send",
        metadata,
        {"type": "input", "block_id": "kind", "label": plain("What is wrong"), "element": choice},
        _input("words", "In a line (optional)", optional=True, max_length=_MAX_WORDS),
    )


def edit_form(metadata: str, headline: str) -> dict[str, Any]:
    """The form for editing a draft: its conclusion."""
    words = _input("words", "What the card says first", multiline=True, max_length=900)
    words["element"]["initial_value"] = cut(headline, 900, "start", units)
    return _form("tm:edit", "Edit and post", "Post", metadata, words)


def again_form(metadata: str, offered: RerunOptions) -> dict[str, Any]:
    """The form for "run again": device, seed, fresh interpreter."""
    last = offered.now
    devices = [_option("As the code asks", "any"), _option("CPU", "cpu")]
    devices += [_option("GPU", "cuda")] if offered.has_gpu else []
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
    head = [_title(part)] if part.title else []
    if part.text:
        gap = [_text("\n" if part.kind in ("seen", "use") else "  ")] if head else []
        elements.append(_section_of(*head, *gap, *_inline(part.text)))
    elif head:
        elements.append(_section_of(*head))
    if part.code:
        box: Block = {"type": "rich_text_preformatted", "elements": [_text(part.code)]}
        if part.language:
            box["language"] = _LANGUAGES[part.language]
        elements.append(box)
    return _rich(None, *elements)


def _title(part: CardPart) -> Block:
    if not part.url:
        untried = part.kind == "try" and part.title in (ADVICE, UNSURE_ADVICE)
        return _text(f"{part.title}{NOT_TRIED if untried else ''}", bold=True)
    return {"type": "link", "url": part.url, "text": part.title, "style": {"bold": True}}


def _section(text: str, *, bold: bool = False) -> Block:
    return _section_of(_text(text, bold=bold))


def _section_of(*elements: Block) -> Block:
    return {"type": "rich_text_section", "elements": list(elements)}


def _inline(text: str, *, bold: bool = False) -> list[Block]:
    """`code` between backticks as code, everything else as plain text."""
    return [
        _text(piece, bold=bold, code=bool(i % 2))
        for i, piece in enumerate(re.split(r"`([^`\n]+)`", text))
        if piece
    ]


def _text(text: str, *, bold: bool = False, code: bool = False) -> Block:
    style = {name: True for name, wanted in (("bold", bold), ("code", code)) if wanted}
    return {"type": "text", "text": text} | ({"style": style} if style else {})


def _context(*elements: Block) -> Block:
    return {"type": "context", "elements": list(elements)}


def _actions(question: str, said: Sheet, *, agent: bool = False) -> list[Block]:
    """The buttons and the menu below a card; the prompts of a welcome."""
    if said.prompts:
        return [prompts()]
    feedback = [_feedback(question)] if agent and "solved" in said.buttons else []
    shown = [v for v in said.buttons if not (feedback and v in ("solved", "wrong"))]
    elements = [_button(verb, question) for verb in shown]
    if said.menu:
        options = [_option(BUTTONS[v], button_id(v, question)) for v in said.menu]
        elements.append(
            {"type": "overflow", "action_id": f"tm:more:{question}", "options": options}
        )
    return [*feedback, *([{"type": "actions", "elements": elements}] if elements else [])]


def _feedback(question: str) -> Block:
    """Slack's own buttons for what helped and what did not."""
    good, bad = (
        {"text": plain(BUTTONS[verb]), "value": button_id(verb, question)} for verb in _SAID
    )
    element = {
        "type": "feedback_buttons",
        "action_id": f"tm:said:{question}",
        "positive_button": good,
        "negative_button": bad,
    }
    return {"type": "context_actions", "elements": [element]}


def prompts() -> Block:
    """A button for each question that one click asks, and one for the form."""
    named = [(p.label, f"tm:prompt:{n}") for n, p in enumerate(PROMPTS)]
    elements = [
        {"type": "button", "text": plain(label), "action_id": id, "value": id}
        for label, id in [*named, ("Paste code…", "tm:form")]
    ]
    return {"type": "actions", "elements": elements}


def welcome() -> dict[str, Any]:
    """The welcome as a message of its own."""
    return {"text": WELCOME, "blocks": [_rich(None, _section(WELCOME)), prompts()]}


def _button(verb: Verb, question: str) -> Block:
    id = button_id(verb, question)
    button: Block = {"type": "button", "text": plain(BUTTONS[verb]), "action_id": id, "value": id}
    if verb in _STYLE:
        button["style"] = _STYLE[verb]
    return button
