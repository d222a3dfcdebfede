"""bot/platforms/slack/card.py: within every limit, and a stranger's text is never markup."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import Answer, AnswerError, Evidence, RunWith, Why
from bot.platforms.card import sheet
from bot.platforms.parts import CardPart, cut, fit, neutral
from bot.platforms.slack import card as draw
from bot.service.buttons import RerunOptions
from bot.service.seam import Answered, Case, Person, Place, Waiting, Working
from bot.service.uploads import full_output
from bot.words import STATUS
from executor.protocol import File, Finding, JobResult, Outcome
from knowledge.repair.codemod import Check
from knowledge.repair.fix import Fix
from tests.bot.fakes.slack import RefusedError, check_message, check_view, texts, units
from tests.bot.platforms.test_console import full

QUESTION = "0123456789abcdef"


def drawn(answer: Answer) -> dict[str, Any]:
    """The card, held to the limits."""
    made = draw.message(QUESTION, Answered(answer))
    check_message(made)
    return made


def printed(text: str, **more: Any) -> Answer:
    """A run that printed something."""
    return Answer(
        status="runs", headline="Runs here.", run=JobResult(outcome=Outcome.OK, stdout=text), **more
    )


def with_diff(diff: str, code: str = "x = 1\n") -> Answer:
    """A verified fix."""
    fix = Fix(
        codemod="c",
        title="t",
        diff=diff,
        code=code,
        verified=True,
        checks=(Check(name="no error", passed=True, detail=""),),
        result=None,
    )
    return Answer(status="fixed", headline="Fixed: it.", fix=fix)


HOSTILE = {
    "ten megabytes": "x" * 10_000_000,
    "ten megabytes of lines": "a line\n" * 1_500_000,
    "200 emoji lines": "🧪🔥👩‍🔬🇩🇪\n" * 200,
    "everyone": "@everyone @here @channel <!channel> <!here> <@U1> <#C1|x> <!subteam^S1>",
    "backticks": "```\n```\n`````` ```py\nrm```",
    "right to left": "\u202ecod.exe \u2066\u200f abc \x1b[31m \x07",
    "markup": "*bold* _it_ ~no~ > quote\n&lt;!channel&gt; &amp; <http://evil|torch.org> :tada:",
    "nothing": "",
    "blank": " \n\t\n ",
    "halves": "\ud83d",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_makes_a_valid_card(text: str):
    """In every place that can hold a stranger's text: valid, whole, and calling nobody."""
    for answer in (full(text), printed(text), with_diff(text), with_diff("", text)):
        made = drawn(answer)
        shown = "\n".join(texts(made["blocks"]))
        assert not any(w in shown for w in ("<!channel>", "@everyone", "@here", "```"))
        assert not any(w in made["text"] for w in ("<!", "<@", "<#", "<http", "@everyone"))
        assert not any(c in shown for c in "\u202e\u2066\x1b\x07")
        assert made["blocks"][-1]["type"] == "actions"  # never cut away
        json.dumps(made).encode()


@pytest.mark.parametrize("status", STATUS)
def test_every_status_is_a_word_in_the_first_line(status: Any):
    """In the notification as well: that is all a screen reader gets."""
    made = drawn(Answer(status=status, headline="It is so."))
    symbol, words = STATUS[status]

    assert made["text"] == texts(made["blocks"][0])[0] == f"{symbol} {words}: It is so."


def test_the_changed_lines_of_a_long_program_are_cut_in_the_middle():
    """Both ends are in the card; all of it is behind the button for the file."""
    diff = "\n".join(["@@ -1,250 +1,250 @@", *(f"-old {n}\n+new line {n}" for n in range(250))])
    made = drawn(with_diff(diff, "x = 1\n" * 250))
    shown = "\n".join(texts(made["blocks"]))

    assert "# line 1\nnew line 0" in shown and "new line 249" in shown and "\n…\n" in shown
    assert "-old" not in shown and "+new" not in shown


def test_a_short_fixed_program_is_shown_whole_and_clean():
    """To be copied in one go, highlighted; beyond forty lines only what changes."""
    forty, more = ("".join(f"x = {n}\n" for n in range(lines)) for lines in (40, 41))
    diff = "@@ -40 +40 @@\n-x = 0\n+x = 39"

    def boxes(code: str) -> list[Any]:
        blocks = drawn(with_diff(diff, code))["blocks"]
        elements = [e for b in blocks if b["type"] == "rich_text" for e in b["elements"]]
        return [e["elements"][0]["text"] for e in elements if e.get("language") == "python"]

    assert boxes(forty) == [forty.rstrip()]
    assert boxes(more) == ["# line 40\nx = 39"]


def test_the_last_lines_of_the_output_are_kept():
    """What went wrong stands at the end; the rest goes along as a file."""
    text = "".join(f"step {n}\n" for n in range(1000))
    answer = printed(text)
    shown = "\n".join(texts(drawn(answer)["blocks"]))
    output = full_output(answer)

    assert "step 999" in shown and "step 500" not in shown and "988 lines above" in shown
    assert output is not None and output.data.decode() == text
    assert [f.name for f in sheet(Answered(answer)).files] == ["output.txt"]
    assert not sheet(Answered(printed("short\n"))).files


@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("letter", ["x", "🧪", "&"])
def test_at_the_limit_and_one_beside(more: int, letter: str):
    """A box of code one character under, at, and over its limit: whole, whole, cut."""
    limit = draw.MAX_SECTION - 200
    count = (limit + more * units(letter)) // units(letter)
    made = drawn(with_diff("", letter * count))
    box = next(t for t in texts(made["blocks"]) if letter * 9 in t)

    assert units(box) <= limit
    assert (box == letter * count) is (count * units(letter) <= limit)


@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("keep", ["start", "middle", "end"])
def test_a_cut_keeps_what_it_promises(more: int, keep: Any):
    """Exactly at the limit nothing is cut; one over, and the mark says so."""
    text = "a" * 50 + "b" * 50
    made = cut(text, 100 - more, keep)

    assert len(made) <= 100 - more and (made == text) is (more <= 0)
    if more > 0:
        assert made.startswith("a" * 40) is (keep != "end")
        assert made.endswith("b" * 40) is (keep != "start")


@given(
    st.lists(st.tuples(st.text(max_size=400), st.text(max_size=3000)), max_size=20),
    st.integers(600, 12_000),
)
@settings(max_examples=60, deadline=None)
def test_parts_fit_their_room(pairs: list[tuple[str, str]], total: int):
    """Whatever the parts are, together they keep to the budget, and none is dropped."""
    parts = [CardPart("why", "t", neutral(a), neutral(b)) for a, b in pairs]
    made = fit(parts, total, text_limit=2800, code_limit=2800, overhead=8, measure=units)

    assert len(made) == len(parts)
    assert sum(units(p.text) + units(p.code) for p in made) <= max(0, total - 9 * len(parts))


@given(st.text(max_size=4000), st.text(max_size=4000))
@settings(max_examples=40, deadline=None)
def test_any_text_makes_a_valid_card(one: str, two: str):
    """No text makes Slack refuse a card, a case or a form."""
    drawn(full(one))
    drawn(full(two).model_copy(update={"headline": one, "status": "fixed"}))
    place = Place(platform="slack")
    case = Case(QUESTION, Person(id="U1"), place, one, full(two), ping="S1")
    check_message(draw.case(case, "https://t.slack.com/archives/C/p1"))
    check_message(draw.simple(QUESTION, Answered(full(one))))
    check_message(draw.bare(QUESTION, Answered(full(one))))
    check_message(draw.message(QUESTION, Working(one)))


def test_a_full_house_is_still_a_card():
    """Everything at once, all of it too long."""
    long = "word " * 3000
    fixes = tuple(
        Fix(
            codemod="c",
            title=long,
            intent=long,
            diff=long,
            code=long,
            verified=True,
            checks=(),
            result=None,
        )
        for _ in range(9)
    )
    answer = Answer(
        status="not_run",
        headline=long,
        error=AnswerError(type=long, message=long, line=1, code=long, caught=True, traceback=long),
        findings=tuple(Finding(kind="k", line=n, name="n", message=long) for n in range(60)),
        assumptions=(long,) * 60,
        alternatives=fixes,
        why=Why(
            text=long,
            remedy=f"{long}```py\n{long}```{long}",
            article="a",
            title=long,
            url="https://x/" + "y" * 5000,
            score=1,
            proof=None,
        ),
        run=JobResult(outcome=Outcome.OK, stdout=long, stderr=long),
        evidence=Evidence(
            torch=long,
            python="3",
            device=long,
            isolation=long,
            seconds_before=1,
            seconds_after=1,
            peak_memory_bytes=1,
        ),
    )

    assert len(drawn(answer)["blocks"]) <= draw.MAX_BLOCKS


def test_forms_and_signs_of_life_are_valid():
    """Every form and every step, at their longest."""
    for form in (
        draw.ask_form("m" * 3000),
        draw.wrong_form(""),
        draw.again_form("", RerunOptions(RunWith(), has_gpu=True)),
    ):
        check_view(form)
    check_view(draw.again_form("", RerunOptions(RunWith(device="cuda", cold=True), has_gpu=False)))
    for view in (Waiting(0), Waiting(1), Waiting(10_000), Working("x" * 200)):
        check_message(draw.message(QUESTION, view))


def test_pictures_have_alternative_text():
    """Numbered, with their name."""
    picture = File(name="../../a b.png", base64="aGk=", mime="image/png")
    answer = Answer(
        status="runs", headline="h", run=JobResult(outcome=Outcome.OK, files=(picture, picture))
    )
    pictures = sheet(Answered(answer)).pictures

    assert [p.alt for p in pictures] == [
        f"Figure {n} of 2 that the snippet drew (a_b.png)" for n in (1, 2)
    ]
    assert pictures[0].data == b"hi" and pictures[0].name == "a_b.png"


def test_the_fake_refuses_what_slack_refuses():
    """Otherwise the tests above would say nothing."""
    text = {
        "type": "rich_text",
        "elements": [
            {"type": "rich_text_section", "elements": [{"type": "text", "text": "x" * 2900}]}
        ],
    }
    too_much: dict[str, Any] = {
        "invalid_blocks": {"blocks": [text] * 51},
        "msg_blocks_too_long": {"blocks": [text] * 5},
        "msg_too_long": {"text": "x" * 40_001},
        "no_text": {},
    }
    for error, words in too_much.items():
        with pytest.raises(RefusedError, match=error):
            check_message(words)


def test_checks_that_could_not_be_tried_are_counted_apart():
    """They are not passed."""
    answer = with_diff("-a\n+b")
    assert answer.fix is not None
    checks = (*answer.fix.checks, Check(name="samples", passed=True, tried=False))
    answer = answer.model_copy(update={"fix": answer.fix.model_copy(update={"checks": checks})})

    assert "1 check, 1 could not be tried here" in str(drawn(answer))
