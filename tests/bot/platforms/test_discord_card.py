"""bot/platforms/discord/card.py: every Answer is a message that Discord takes."""

from __future__ import annotations

import base64
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import Answer, AnswerCulprit, AnswerError, Evidence, Proof, RunWith, Why
from bot.platforms.buttons import BUTTONS
from bot.platforms.discord.card import (
    UPLOAD_BYTES,
    Drawn,
    Style,
    capped,
    count_components,
    draw,
    draw_case,
    note,
    text_message,
)
from bot.platforms.discord.forms import again_form, ask_form, run_with, wrong_form
from bot.platforms.discord.text import cut_end, fence, prose, units, words
from bot.service.buttons import RerunOptions
from bot.service.seam import Answered, Case, Person, Place, Upload, Waiting, Working
from bot.words import STATUS
from executor.protocol import ErrorSeen, File, Finding, JobResult, Outcome
from knowledge.repair.codemod import Check
from knowledge.repair.fix import Fix
from tests.bot.fakes.discord import buttons, text_of, walk
from tests.bot.fakes.discord_limits import Refused, check_message, check_modal, size
from tests.conftest import Ask

ID = "abcdef0123456789"
STYLES: tuple[Style, ...] = ("components", "embeds")
HOSTILE = (
    "\x1b[2J\u202eevil @everyone @here <@1234> <@&99> <#5> <!channel> ``` `x` ```py\n*bold* # head"
    "\n- item\n[click](https://evil.example) https://evil.example ||spoiler|| \\"
)
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 60).decode()


def full(text: str, **more: Any) -> Answer:
    """An Answer with a stranger's text in every place that can hold one."""
    fix = Fix(
        codemod="c",
        title=text,
        intent=text,
        diff=f"-{text}\n+{text}",
        code=text,
        verified=True,
        checks=(Check(name="n", passed=True, detail=text),),
        result=None,
    )
    answer = Answer(
        status="reproduced",
        headline=text,
        error=AnswerError(type="E", message=text, line=1, code=text, caught=False, traceback=text),
        culprit=AnswerCulprit(
            saved_line=1, saved_code=text, modified_line=2, modified_code=text, tensor=text
        ),
        findings=tuple(Finding(kind="k", line=1, name=text, message=text) for _ in range(9)),
        assumptions=(text, text),
        why=Why(
            text=text,
            remedy=text,
            article="a",
            title=text,
            url="https://pytorch.org/docs",
            score=1,
            proof=Proof(torch="2.13.0", device="cpu", date="2026-01-01", holds=True),
        ),
        alternatives=(fix, fix),
        run=JobResult(outcome=Outcome.OK, stdout=text),
        evidence=Evidence(
            torch=text,
            python="3",
            device="CPU",
            isolation=text,
            seconds_before=1,
            seconds_after=None,
            peak_memory_bytes=1,
        ),
    )
    return answer.model_copy(update=more)


def printed(stdout: str, **more: Any) -> Answer:
    """A snippet that ran and printed."""
    run = JobResult(outcome=Outcome.OK, stdout=stdout)
    return Answer(status="runs", headline="Runs here.", run=run).model_copy(update=more)


def card(answer: Answer, style: Style = "components") -> Drawn:
    """The answer as a message."""
    return draw(Answered(answer), ID, style)


def checked(drawn: Drawn) -> str:
    """What a person reads, after Discord's own limits were held against the message."""
    check_message(drawn.payload, {u.name: len(u.data) for u in drawn.uploads})
    return text_of(drawn.payload)


@pytest.mark.parametrize("style", STYLES)
def test_a_strangers_text_pings_nobody_and_closes_no_fence(style: Style):
    """Mentions are letters, fences come in pairs, control characters and turned text are gone."""
    drawn = card(full(HOSTILE), style)
    text = checked(drawn)

    assert drawn.payload["allowed_mentions"] == {"parse": []}
    for ping in ("@everyone", "@here", "<@1", "<@&", "\x1b", "\u202e"):
        assert ping not in text
    for part in parts_of(drawn.payload):
        assert part.count("```") % 2 == 0, part


def parts_of(payload: dict[str, Any]) -> list[str]:
    """The texts that Discord reads markup in, each on its own."""
    said = [c["content"] for c in walk(payload.get("components") or []) if c["type"] == 10]
    for embed in payload.get("embeds") or []:
        said += [embed["description"], *(f["value"] for f in embed["fields"])]
    return said


@settings(max_examples=120, deadline=None)
@given(st.text(max_size=6000), st.sampled_from(STYLES))
def test_any_text_makes_a_valid_card(text: str, style: Style):
    """Whatever a stranger posts, prints or raises, in every place at once."""
    checked(card(full(text), style))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "text",
    [
        "🔥" * 40 + "\n",
        "a" * 900 + "\n",
        "\n",
        "```\n",
        "`" * 7,
        "\u200b \n",
        "x `y` z\n",
        "é́" * 50,
    ],
)
@pytest.mark.parametrize("times", [1, 3, 11, 200, 3000])
def test_long_and_odd_texts_make_valid_cards(style: Style, text: str, times: int):
    """Emoji count twice, lines never end, fences are everywhere."""
    checked(card(full(text * times), style))


def test_the_card_uses_its_room_and_never_one_unit_more():
    """Whatever the length of the output, around every limit: 4,000 units, 40 components."""
    longest = 0
    for n in [*range(3_500, 4_100), 9_999]:
        drawn = card(printed("x" * n))
        checked(drawn)
        shown = sum(
            size(c.get("content") or c.get("label") or "")
            for c in walk(drawn.payload["components"])
        )
        longest = max(longest, shown)
        assert count_components(drawn.payload) <= 40
    assert 3_900 < longest <= 4_000


def test_what_fits_is_not_cut_and_one_more_is():
    """Exactly at the limit a text stays whole; one unit more and it is cut to the limit."""
    room = 4_000
    assert cut_end("x" * room, room) == "x" * room
    assert units(cut_end("x" * (room + 1), room)) <= room
    block = fence("y" * 100, "py", 110)
    assert block == f"```py\n{'y' * 100}\n```" and units(block) == 110
    assert units(fence("y" * 101, "py", 110)) <= 110 and "…" in fence("y" * 101, "py", 110)


@pytest.mark.parametrize("over", [0, 1])
def test_discords_limits_are_held_to_the_unit(over: int):
    """The judge of these tests takes what is allowed and refuses one more."""
    messages = [
        {"flags": 1 << 15, "components": [{"type": 10, "content": "x" * (4_000 + over)}]},
        {"flags": 1 << 15, "components": [{"type": 14}] * (40 + over)},
        {"content": "x" * (2_000 + over)},
        {"embeds": [{"title": "x" * (256 + over)}]},
        {"embeds": [{"description": "x" * (4_096 + over)}]},
        {"embeds": [{"fields": [{"name": "n", "value": "x" * (1_024 + over)}]}]},
        {"embeds": [{"description": "x" * 4_000, "footer": {"text": "x" * (2_000 + over)}}]},
        {
            "content": "x",
            "components": [
                {
                    "type": 1,
                    "components": [
                        {"type": 2, "style": 1, "label": "b", "custom_id": "x" * (100 + over)}
                    ],
                }
            ],
        },
    ]
    for message in messages:
        if over:
            with pytest.raises(Refused):
                check_message(message, {})
        else:
            check_message(message, {})


@pytest.mark.parametrize("style", STYLES)
def test_ten_megabytes_of_output_are_a_card_and_a_file(style: Style):
    """The card keeps the last lines, a file the rest; drawing it takes no noticeable time."""
    lines = [f"step {i} loss 0.{i}" for i in range(600_000)]
    began = time.perf_counter()
    drawn = card(printed("\n".join(lines)), style)
    took = time.perf_counter() - began
    text = checked(drawn)
    (file,) = drawn.uploads

    assert lines[-1] in text and lines[0] not in text and "lines above" in text
    assert lines[-1].encode() in file.data and len(file.data) < 10 * 1024 * 1024
    assert file.data.startswith("… ".encode())  # what is missing is said
    assert took < 20  # not for ever: the whole 10 MB is looked at only to make the file
    if style == "components":
        named = [c["file"]["url"] for c in walk(drawn.payload["components"]) if c["type"] == 13]
        assert named == ["attachment://output.txt"]


@pytest.mark.parametrize("style", STYLES)
def test_output_that_fits_needs_no_file(style: Style):
    """No useless attachment."""
    drawn = card(printed("tensor(1.)\n"), style)

    assert "tensor(1.)" in checked(drawn) and not drawn.uploads


def test_two_hundred_lines_of_emoji_keep_the_last():
    """An emoji counts as two, and none is cut in half."""
    drawn = card(printed("\n".join(f"🔥🚀 {i}" for i in range(200))))
    text = checked(drawn)

    assert "🔥🚀 199" in text and "\ufffd" not in text


def test_the_changed_lines_of_a_long_program_show_both_ends():
    """They begin and end as they do, say how much is left out, and can be copied."""
    diff = "\n".join(
        ["@@ -1,250 +1,250 @@", *(f"-old {i}\n+new {i} in a longer line" for i in range(250))]
    )
    fix = Fix(
        codemod="c",
        title="t",
        diff=diff,
        code="x = 1\n" * 250,
        verified=True,
        checks=(Check(name="no error", passed=True),),
        result=None,
    )
    drawn = card(Answer(status="fixed", headline="Fixed: t.", fix=fix))
    text = checked(drawn)

    assert "```py\n# line 1\nnew 0 in a longer line\n" in text and "new 249" in text
    assert "lines left out" in text and "-old" not in text


def test_the_parts_come_in_one_order():
    """Status, real error, fix, why, evidence, buttons; the conclusion first."""
    run = JobResult(outcome=Outcome.ERROR, stdout="x", error=ErrorSeen(type="E", message="m"))
    answer = full("some words", status="fixed", headline="Fixed: it.", run=run)
    fix = answer.alternatives[0].model_copy(update={"intent": ""})
    answer = answer.model_copy(update={"fix": fix, "alternatives": ()})
    drawn = card(answer)
    text = checked(drawn)
    order = [
        "### ✔ Fixed: it.",
        "**E at line 1**",
        "**Both ends**",
        "**Seen while it ran**",
        "**Fix** — ran, and it passes",
        "**Why: ",
        "-# torch",
    ]
    places = [text.index(part) for part in order]

    assert places == sorted(places)
    labels = {b["label"] for b in buttons(drawn.payload)}
    others = {"share", "claim", "resolve", "post", "edit", "drop"}
    assert labels == {label for verb, label in BUTTONS.items() if verb not in others}


@pytest.mark.parametrize("status", list(STATUS))
@pytest.mark.parametrize("style", STYLES)
def test_every_status_is_said_in_words(status: Any, style: Style):
    """Never by colour or symbol alone."""
    text = checked(card(Answer(status=status, headline="It is so."), style))
    symbol, words_ = STATUS[status]

    assert symbol in text and words_ in text


def test_only_a_run_says_that_a_fix_passes():
    """The verdict is the fix's own; advice is marked as not tried."""
    why = Why(
        text="w",
        remedy="Do:\n```py\nx = 1\n```\nthen go.",
        article="a",
        title="t",
        url=None,
        score=1,
        proof=None,
    )
    text = checked(card(Answer(status="advice", headline="t", why=why)))

    assert "not tried on your code" in text and "passes" not in text
    assert "```py\nx = 1\n```" in text


def test_figures_are_shown_with_words():
    """Pictures are in a gallery, each with alt text; other files are not."""
    files = (
        File(name="loss.png", mime="image/png", base64=PIXEL),
        File(name="evil.svg", mime="image/svg+xml", base64=PIXEL),
        File(name="model.pt", base64=PIXEL),
    )
    run = JobResult(outcome=Outcome.OK, files=files)
    drawn = card(Answer(status="runs", headline="Runs here.", run=run))
    checked(drawn)
    (gallery,) = [c for c in walk(drawn.payload["components"]) if c["type"] == 12]

    assert [u.name for u in drawn.uploads] == ["figure-1.png"]
    assert "loss.png" in gallery["items"][0]["description"]


def test_our_own_sentences_keep_their_code():
    """Names in backticks stay code; underscores and stars around them are letters."""
    assert words("`my_gamma` is a *plain* tensor") == "`my_gamma` is a \\*plain\\* tensor"
    assert prose("__init__ https://x.y") == "\\_\\_init\\_\\_ https\\://x.y"
    assert prose("@everyone <@1>").count("\u200b") == 2
    assert cut_end("say `a very long name` here", 12).count("`") % 2 == 0


def test_all_other_messages_are_valid_too():
    """Steps, the queue, private words, cases for people, forms: whatever the text."""
    views = [Waiting(), Waiting(1), Waiting(7), Working("running your snippet")]
    for text in ("", "x" * 9_999, HOSTILE * 40, "🔥" * 5_000):
        views.append(Working(text))
        place = Place(platform="discord")
        handed = Case(ID, Person(id="1234"), place, text, full(text), ping="4242")
        checked(draw_case(handed, "https://discord.com/channels/1/2/3"))
        checked(Drawn(note(text)))
        for style in STYLES:
            checked(text_message(text, style=style))
    for view in views:
        for style in STYLES:
            checked(draw(view, ID, style))
    offered = (
        RerunOptions(RunWith(), has_gpu=True),
        RerunOptions(RunWith(device="cuda", seed=None), has_gpu=False),
    )
    for form in (ask_form(), wrong_form(ID), *(again_form(ID, o) for o in offered)):
        check_modal(form)


def test_what_is_chosen_in_the_form_is_what_runs():
    """Device, seed and interpreter; a seed that is no number seeds nothing."""
    chosen = {"device": "cuda", "start": "cold", "seed": "7"}

    assert run_with(chosen) == RunWith(device="cuda", seed=7, cold=True)
    assert run_with({"device": "any", "start": "warm", "seed": "none"}) == RunWith(seed=None)
    assert run_with({"device": "cpu", "start": "warm", "seed": ""}).device == "cpu"


def test_a_file_too_large_keeps_its_end():
    """Discord refuses what is over its limit; the error stands at the end."""
    kept = capped(Upload("output.txt", b"a" * UPLOAD_BYTES + b"RuntimeError: the end"))

    assert len(kept.data) <= UPLOAD_BYTES and kept.data.endswith(b"RuntimeError: the end")
    assert kept.data.decode().startswith("… 101 bytes above …")


async def test_a_real_answer_reads_as_the_console_has_it(ask: Ask):
    """The same facts, with the fixed program in a fence."""
    answer = await ask(
        "```python\nimport torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1\n"
        "y.sum().backward()\n```"
    )
    for style in STYLES:
        text = checked(card(answer, style))
        order = [
            "RuntimeError at line 5**",
            "saved    line 3",
            "changed  line 4",
            "ran, and it passes",
            "y = x.exp()\ny = y + 1\ny.sum()",
            "Why: ",
        ]
        places = [text.index(part) for part in order]

        assert "line 4 overwrites" in text and places == sorted(places)
