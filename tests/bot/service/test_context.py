"""bot/service/context.py: whose code a mention is about, and never two people's at once."""

from __future__ import annotations

from typing import Literal

import pytest

from bot.errors import QuestionError
from bot.messages.question import read_message
from bot.models import Question
from bot.service.context import may_be_of_others, points_above, with_context
from bot.service.seam import Above, Person, Said

ME, OTTO = Person(id="me"), Person(id="otto", name="Otto")
NOTHING = Question(text="")


def said(
    text: str, who: Person = OTTO, role: Literal["replied_to", "root", "above"] = "above"
) -> Said:
    """A message."""
    return Said(who, text, (), role)


def code(text: str) -> str:
    """A message that is a program."""
    return f"```python\nprint('{text}')\n```"


async def read(message: Said) -> Question:
    """Understand a message."""
    return read_message(message.text)


@pytest.mark.parametrize(
    ("words", "points"),
    [
        ("", True),
        ("why?", True),
        ("what is wrong here?", True),
        ("can you look at this", True),
        ("why does my loss not fall", True),
        ("how do I fix this?", True),
        ("how do I stack two tensors?", False),
        ("what is the difference between view and reshape?", False),
        ("is softmax differentiable?", False),
    ],
)
def test_words_that_point_at_something_above(words: str, points: bool):
    """A how-to of its own does not."""
    assert points_above(words) is points


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ("", True),
        ("why?", True),
        ("what is wrong here?", True),
        ("can you help me with this", True),
        ("I think the error above is mine", True),
        ("my training is slow", False),
        ("why does my loss not fall", False),
        ("help me", False),
    ],
)
def test_who_speaks_of_their_own_speaks_of_nobody_elses(words: str, others: bool):
    """Unless they point at it."""
    assert may_be_of_others(words) is others


async def test_others_above_are_left_out_where_they_are_not_meant():
    """Not in a thread, and not where one replies."""
    mine, theirs = said(code("me"), ME), said(code("otto"))
    reply = said(code("reply"), OTTO, "replied_to")

    async def chosen(*above: Said) -> list[str]:
        found = await with_context(NOTHING, ME, Above(above), read, others=False)
        return [s.code for s in found.snippets]

    assert await chosen(theirs) == []
    assert "'me'" in (await chosen(mine, theirs))[0]
    assert "'reply'" in (await chosen(theirs, reply))[0]


@pytest.mark.parametrize(
    ("above", "chosen", "whose"),
    [
        ((said(code("root"), OTTO, "root"), said(code("me"), ME)), "root", "Otto's code"),
        ((said(code("otto")), said(code("me"), ME), said("talk")), "me", "your code"),
        ((said(code("old")), said(code("new"))), "new", "Otto's code"),
        ((said(code("reply"), OTTO, "replied_to"), said(code("me"), ME)), "reply", "Otto's code"),
        ((said("hello", OTTO, "root"), said(code("below"))), "below", "Otto's code"),
    ],
)
async def test_one_persons_code_and_whose(above: tuple[Said, ...], chosen: str, whose: str):
    """Whom it replies to, the thread's first, one's own, another's; the latest first."""
    found = await with_context(Question(text="why?"), ME, Above(above), read)

    assert found.code == f"print('{chosen}')"
    assert any(whose in note for note in found.notes)


async def test_an_error_is_taken_from_the_same_person_only():
    """Otto's traceback is not that of my code."""
    mine = said("ValueError: of mine", ME)
    above = Above((said(code("me"), ME), mine, said("KeyError: 'of otto'")))
    found = await with_context(Question(text="why?"), ME, above, read)
    only = await with_context(Question(text="why?"), ME, Above(above.messages[::2]), read)

    assert found.traceback is not None and found.traceback.message == "of mine"
    assert only.traceback is None


async def test_words_alone_are_taken_only_for_a_bare_mention():
    """Below somebody's question it is that question; with words of its own it is not."""
    above = Above((said("how do I sort a tensor?", OTTO, "root"),))
    bare = await with_context(NOTHING, ME, above, read)
    words = await with_context(Question(text="what about this?"), ME, above, read)

    assert bare.text == "how do I sort a tensor?"
    assert words.text == "what about this?" and not words.notes


async def test_what_could_not_be_read_is_said():
    """Where nothing was found; where something was, it does not matter."""
    unread = await with_context(NOTHING, ME, Above(unread="no scope"), read)
    found = await with_context(NOTHING, ME, Above((said(code("a"), ME),), "no scope"), read)

    assert unread.notes == ("no scope",) and "no scope" not in found.notes


async def test_a_message_that_cannot_be_read_is_passed_over():
    """The next one is taken."""

    async def picky(message: Said) -> Question:
        if "bad" in message.text:
            raise QuestionError("no")
        return await read(message)

    above = Above((said(code("good")), said(code("bad"))))
    assert (await with_context(NOTHING, ME, above, picky)).code == "print('good')"
