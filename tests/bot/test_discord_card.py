"""bot/platforms/discord_card.py: every Answer is a message that Discord takes."""

from __future__ import annotations

import base64
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import Answer, AnswerCulprit, AnswerError, Evidence, Fix, Proof, Why
from bot.platforms.base import STATUS
from bot.platforms.discord_card import (
    Drawn,
    Style,
    answer_card,
    button,
    count_components,
    output_file,
    text_message,
)
from bot.platforms.discord_text import cut_end, fence, prose, units, words
from executor.job import ErrorSeen, File, Finding, JobResult, Outcome
from knowledge.codemod import Check
from tests.bot.fakes.discord import text_of, walk
from tests.bot.fakes.discord_limits import Refused, check_message, size
from tests.conftest import Ask

ID = "q" * 32
STYLES: tuple[Style, ...] = ("components", "embeds")
HOSTILE = (
    "\x1b[2J\u202eevil @everyone @here <@1234> <@&99> <#5> <!channel> ``` `x` ```py\n*bold* # head"
    "\n- item\n[click](https://evil.example) https://evil.example ||spoiler|| \\"
)
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 60).decode()


def full(text: str, **more: Any) -> Answer:
    """An Answer with a stranger's text in every place that can hold one."""
    fix = Fix(
        codemod="c", title=text, intent=text, diff=f"-{text}\n+{text}", code=text, verified=True,
        checks=(Check(name="n", passed=True, detail=text),), result=None,
    )  # fmt: skip
    answer = Answer(
        status="reproduced", headline=text,
        error=AnswerError(type="E", message=text, line=1, code=text, caught=False, traceback=text),
        culprit=AnswerCulprit(saved_line=1, saved_code=text, modified_line=2, modified_code=text,
                              tensor=text),
        findings=tuple(Finding(kind="k", line=1, name=text, message=text) for _ in range(9)),
        assumptions=(text, text),
        why=Why(text=text, remedy=text, article="a", title=text, url="https://pytorch.org/docs",
                score=1, proof=Proof(torch="2.13.0", device="cpu", date="2026-01-01", holds=True)),
        alternatives=(fix, fix), run=JobResult(outcome=Outcome.OK, stdout=text),
        evidence=Evidence(torch=text, python="3", device="CPU", isolation=text, seconds_before=1,
                          seconds_after=None, peak_memory_bytes=1),
    )  # fmt: skip
    return answer.model_copy(update=more)


def printed(stdout: str, **more: Any) -> Answer:
    """A snippet that ran and printed."""
    run = JobResult(outcome=Outcome.OK, stdout=stdout)
    return Answer(status="runs", headline="Runs here.", run=run).model_copy(update=more)


def checked(drawn: Drawn) -> str:
    """What a person reads, after Discord's own limits were held against the message."""
    check_message(drawn.payload, {u.name: len(u.data) for u in drawn.uploads})
    return text_of(drawn.payload)


@pytest.mark.parametrize("style", STYLES)
def test_a_strangers_text_pings_nobody_and_closes_no_fence(style: Style):
    """Mentions are letters, fences come in pairs, control characters and turned text are gone."""
    drawn = answer_card(full(HOSTILE), ID, style=style)
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
    checked(answer_card(full(text), ID, style=style))


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
    checked(answer_card(full(text * times), ID, style=style, note="The asker says: solved."))


def test_the_card_uses_its_room_and_never_one_unit_more():
    """Whatever the length of the output, around every limit: 4,000 units, 40 components."""
    longest = 0
    for n in [*range(3_500, 4_100), 9_999]:
        drawn = answer_card(printed("x" * n), ID)
        checked(drawn)
        shown = sum(size(c.get("content") or c.get("label") or "")
                    for c in walk(drawn.payload["components"]))  # fmt: skip
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
        {"content": "x", "components": [{"type": 1, "components": [
            button("b", "x" * (100 + over))]}]},
    ]  # fmt: skip
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
    drawn = answer_card(printed("\n".join(lines)), ID, style=style)
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
    drawn = answer_card(printed("tensor(1.)\n"), ID, style=style)

    assert "tensor(1.)" in checked(drawn) and not drawn.uploads


def test_two_hundred_lines_of_emoji_keep_the_last():
    """An emoji counts as two, and none is cut in half."""
    drawn = answer_card(printed("\n".join(f"🔥🚀 {i}" for i in range(200))), ID)
    text = checked(drawn)

    assert "🔥🚀 199" in text and "\ufffd" not in text


def test_a_diff_of_500_lines_shows_both_ends():
    """It begins and ends as the diff does, says how much is left out, and stays a diff."""
    diff = "\n".join(f"-old {i}\n+new {i}" for i in range(250))
    fix = Fix(codemod="c", title="t", diff=diff, code="x = 1\n", verified=True,
              checks=(Check(name="no error", passed=True),), result=None)  # fmt: skip
    drawn = answer_card(Answer(status="fixed", headline="Fixed: t.", fix=fix), ID)
    text = checked(drawn)

    assert "-old 0\n+new 0" in text and "+new 249" in text and "lines left out" in text
    assert "```diff" in text


def test_the_parts_come_in_one_order():
    """Status, real error, why, fix, evidence, sources, buttons; the conclusion first."""
    run = JobResult(outcome=Outcome.ERROR, error=ErrorSeen(type="E", message="m"))
    answer = full("some words", status="fixed", headline="Fixed: it.", run=run)
    fix = answer.alternatives[0].model_copy(update={"intent": ""})
    answer = answer.model_copy(update={"fix": fix, "alternatives": ()})
    drawn = answer_card(answer, ID)
    text = checked(drawn)
    order = ["### ✔ Fixed: it.", "**E** at line 1", "**Both ends**", "**Seen while it ran**",
             "**Why**", "**Fix** — run, and it passes", "-# torch", "-# \\[1\\]"]  # fmt: skip
    places = [text.index(part) for part in order]

    assert places == sorted(places)
    labels = [c["label"] for c in walk(drawn.payload["components"]) if c["type"] == 2]
    assert labels == ["Solved", "Wrong", "Run again…", "Ask a human", "Full output",
                      "Fixed file (.py)", "Delete"]  # fmt: skip


@pytest.mark.parametrize("status", list(STATUS))
@pytest.mark.parametrize("style", STYLES)
def test_every_status_is_said_in_words(status: Any, style: Style):
    """Never by colour or symbol alone."""
    text = checked(answer_card(Answer(status=status, headline="It is so."), ID, style=style))
    symbol, words_ = STATUS[status]

    assert symbol in text and words_ in text


def test_only_a_run_says_that_a_fix_passes():
    """The verdict is the fix's own; advice is marked as not tried."""
    why = Why(text="w", remedy="Do:\n```py\nx = 1\n```\nthen go.", article="a", title="t", url=None,
              score=1, proof=None)  # fmt: skip
    text = checked(answer_card(Answer(status="advice", headline="t", why=why), ID))

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
    drawn = answer_card(Answer(status="runs", headline="Runs here.", run=run), ID)
    checked(drawn)
    (gallery,) = [c for c in walk(drawn.payload["components"]) if c["type"] == 12]

    assert [u.name for u in drawn.uploads] == ["figure-1.png"]
    assert "loss.png" in gallery["items"][0]["description"]


def test_the_output_file_holds_all_that_was_said():
    """Output, standard error and the traceback, once each."""
    error = ErrorSeen(type="E", message="m", traceback="Traceback: E: m")
    run = JobResult(outcome=Outcome.ERROR, stdout="out", stderr="warn", error=error)
    data = output_file(Answer(status="reproduced", headline="h", run=run)).data.decode()

    assert data.index("out") < data.index("warn") < data.index("Traceback: E: m")


def test_our_own_sentences_keep_their_code():
    """Names in backticks stay code; underscores and stars around them are letters."""
    assert words("`my_gamma` is a *plain* tensor") == "`my_gamma` is a \\*plain\\* tensor"
    assert prose("__init__ https://x.y") == "\\_\\_init\\_\\_ https\\://x.y"
    assert prose("@everyone <@1>").count("\u200b") == 2
    assert cut_end("say `a very long name` here", 12).count("`") % 2 == 0


def test_waiting_is_a_valid_message_in_both_styles():
    """A step, however long its words."""
    for style in STYLES:
        checked(text_message("running your snippet " * 400, style=style))
        checked(text_message("", style=style, buttons=[button("x" * 99, "tm:again:1")]))


async def test_a_real_answer_reads_as_the_console_has_it(ask: Ask):
    """The same facts in the same order, with the diff in a fence."""
    answer = await ask(
        "```python\nimport torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1\n"
        "y.sum().backward()\n```"
    )
    for style in STYLES:
        text = checked(answer_card(answer, ID, style=style))
        order = ["RuntimeError** at line 5", "saved at line 3", "changed at line 4", "**Why**",
                 "run, and it passes", "+y = y + 1"]  # fmt: skip
        places = [text.index(part) for part in order]

        assert "line 4 overwrites" in text and places == sorted(places)
