"""bot/diagnosis/own_error.py: whether a run's error is the one that the person asks about."""

from __future__ import annotations

import pytest

from bot.diagnosis.own_error import (
    also_posted,
    asks_about,
    asks_about_an_error,
    asks_about_no_gpu,
    is_another,
    is_unparsed,
    names_no_error,
    posted,
    quotes,
    reports_no_error,
    same_kind,
    speaks_of_an_error,
    tells_of_a_symptom,
)
from bot.models import PastedTraceback, Question
from executor.protocol import Frame, JobResult
from tests.built import caught, error, failed, ran

MATMUL = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
OLD_MATMUL = "size mismatch, m1: [96 x 6], m2: [576 x 120] at /pytorch/aten/src/TH/generic.cpp:41"
NO_CUDA = "Torch not compiled with CUDA enabled"
WORKER = (
    "Caught {}Error in DataLoader worker process 0.\nOriginal Traceback (most recent call "
    "last):\n{}"
)
UNKNOWN = "the frobnicator of layer 3 is not attached to anything"


def pasted(message: str, type: str = "RuntimeError") -> PastedTraceback:
    """What a person pasted."""
    return PastedTraceback(type=type, message=message)


def asked(text: str = "", traceback: PastedTraceback | None = None) -> Question:
    """A question with these words."""
    return Question(text=text, traceback=traceback)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (pasted(MATMUL), error(MATMUL.replace("2x3", "7x9")), True),
        (pasted(OLD_MATMUL), error(MATMUL), True),  # an older version's words
        (pasted(MATMUL), error("shape '[3]' is invalid for input of size 4"), False),
        (pasted(MATMUL), error(UNKNOWN), False),
        # What no family knows is compared by its words, numbers aside.
        (pasted(UNKNOWN), error(UNKNOWN.replace("3", "4")), True),
        (pasted(UNKNOWN), error(UNKNOWN, "ValueError"), False),
        (pasted(UNKNOWN[:40]), error(UNKNOWN), True),  # it was cut off
        (pasted("the"), error(UNKNOWN), False),  # too short to tell
        (pasted(UNKNOWN, "my.module.RuntimeError"), error(UNKNOWN), True),
        # Of a loader's worker what it raised is compared: a shuffle brings another sample first.
        (pasted("7", "KeyError"), error(WORKER.format("Key", "KeyError: 3"), "KeyError"), True),
        (pasted(WORKER.format("Key", "KeyError: 7"), "KeyError"),
         error(WORKER.format("Key", "KeyError: 3"), "KeyError"), True),
        (pasted(MATMUL), error(WORKER.format("Key", "KeyError: 3"), "KeyError"), False),
        # Of one family, and the opposite.
        (pasted("too many values to unpack (expected 2)", "ValueError"),
         error("not enough values to unpack (expected 2, got 1)", "ValueError"), False),
        # A broader family holds both.
        (pasted("'list' object has no attribute 'to'", "AttributeError"),
         error("'Net' object has no attribute 'to'", "AttributeError"), True),
    ],
)  # fmt: skip
def test_errors_of_one_kind(one: PastedTraceback, other: object, same: bool):
    """By their family, not by their words."""
    assert same_kind(one, other) is same  # type: ignore[arg-type]
    assert same_kind(other, one) is same  # type: ignore[arg-type]


def test_only_an_error_that_says_something_was_posted():
    """Frames alone say neither type nor message."""
    assert posted(asked()) is None
    assert posted(asked(traceback=pasted("", ""))) is None
    assert posted(asked(traceback=pasted("", "ValueError"))) is not None
    assert posted(asked(traceback=pasted(MATMUL, ""))) is not None

    assert is_another(asked(traceback=pasted(MATMUL)), error(UNKNOWN))
    assert not is_another(asked(traceback=pasted(MATMUL)), error(MATMUL))
    assert not is_another(asked(traceback=pasted(MATMUL)), None)
    assert not is_another(asked(), error(UNKNOWN))


NAME = error("name 'net' is not defined", "NameError")
BAD = error("unexpected indent", "IndentationError")


@pytest.mark.parametrize(
    ("question", "seen", "about"),
    [
        (None, error(NO_CUDA, "AssertionError"), False),
        # No GPU: pasted, or quoted in the words around the code.
        (asked("help"), error(NO_CUDA, "AssertionError"), False),
        (asked(f"it says {NO_CUDA}"), error(NO_CUDA, "AssertionError"), True),
        (asked("", pasted(NO_CUDA, "AssertionError")), error(NO_CUDA, "AssertionError"), True),
        (asked("", pasted("No CUDA GPUs are available")), error(NO_CUDA, "AssertionError"), True),
        (asked("", pasted(MATMUL)), error(NO_CUDA, "AssertionError"), False),
        # Code that does not parse.
        (asked("my model does not learn"), BAD, False),
        (asked("why this IndentationError?"), BAD, True),
        (asked("invalid syntax??"), BAD, True),
        (asked("", pasted("invalid syntax", "SyntaxError")), BAD, True),
        (asked("", pasted(MATMUL)), BAD, False),
        # A name.
        (asked("", pasted("name 'net' is not defined", "NameError")), NAME, True),
        (asked("", pasted("name 'x' is not defined", "NameError")), NAME, False),
        (asked("why NameError?"), NAME, False),
        # A variable that a launcher sets.
        (asked("", pasted("'RANK'", "KeyError")), error("'RANK'", "KeyError"), True),
        (asked("", pasted("'LOCAL_RANK'", "KeyError")), error("'RANK'", "KeyError"), False),
        (asked("how do I start it?"), error("'RANK'", "KeyError"), False),
        # A module or a file that is missing here too says nothing of theirs.
        (
            asked("", pasted("No module named 'cv2'", "ModuleNotFoundError")),
            error("No module named 'cv2'", "ModuleNotFoundError"),
            False,
        ),
        (asked("", pasted(MATMUL)), error(MATMUL), False),  # comes from no place at all
    ],
)
def test_an_error_that_else_comes_from_the_place(question: Question, seen: object, about: bool):
    """It is theirs if they say so."""
    assert asks_about(question, seen) is about  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("run", "about"),
    [
        (failed(NO_CUDA, "AssertionError"), True),
        (ran(caught=(caught(NO_CUDA, "AssertionError"),)), True),
        (failed(MATMUL, caught=(caught(NO_CUDA, "AssertionError"),)), False),
        (failed(MATMUL), False),
        (ran(), False),
    ],
)
def test_who_asks_about_a_missing_gpu(run: JobResult, about: bool):
    """The run failed for want of one, and that is what they asked."""
    assert asks_about_no_gpu(asked(NO_CUDA), run) is about
    assert not asks_about_no_gpu(asked("odd"), run)


@pytest.mark.parametrize("text", ["Errors in my loop", "it crashes", "why?", "it doesn't work"])
def test_words_about_an_error(text: str):
    """Something goes wrong, they say."""
    assert asks_about_an_error(asked(text))


@pytest.mark.parametrize("text", ["", "Broadcasting rules", "terrors of the deep", "a prefix sum"])
def test_words_about_something_else(text: str):
    """A heading asks nothing."""
    assert not asks_about_an_error(asked(text))


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("on the new card it gives wrong predictions", True),
        ("the loss stays at 0.69", True),
        ("My accuracy on the test set never improves", True),
        ("why does my net not learn?", True),
        ("it doesn't converge", True),
        # Something was raised, or nothing is wrong.
        ("the loss stays at 0.69, then a RuntimeError", False),
        ("wrong results, and a warning", False),
        ("wrong predictions after it crashed", False),
        ("why is the wrong one used", False),
        ("which loss is right. It stays short", False),
        ("how do I stack tensors", False),
        ("", False),
    ],
)
def test_symptom_is_no_error(text: str, symptom: bool):
    """Results that are wrong, where nothing is said to be raised."""
    assert tells_of_a_symptom(asked(text)) is symptom


@pytest.mark.parametrize(
    ("run", "unparsed"),
    [
        (failed("invalid syntax", "SyntaxError"), True),
        (failed("unexpected indent", "IndentationError"), True),
        (failed("inconsistent use of tabs", "TabError"), True),
        (failed(MATMUL), False),
        (ran(), False),
        # Raised by a line that ran: eval() of a text.
        (failed("x", "SyntaxError", frames=(Frame(function="<module>", line=1),)), False),
    ],
)
def test_code_that_does_not_parse(run: JobResult, unparsed: bool):
    """None of it ran."""
    assert is_unparsed(run) is unparsed


@pytest.mark.parametrize(
    ("text", "is_told_of"),
    [
        ("How do I run this on the second GPU?", True),
        ("Is there a way to use a device inside a with statement?", True),
        ("the network gives wrong predictions on the other card", True),
        ("Why is my loss constant?", True),
        ("The tokenizer should not add a prefix to the labels", True),
        ("It gives 3 instead of 4", True),
        ("## Expected behavior\n\nno prefix", True),
        ("It should not crash", False),
        ("", False),  # code alone is posted for its error
        ("How do I fix this?", False),
        ("Why does this fail?", False),
        ("What is wrong here?", False),
        ("This doesn't work, what do I do?", False),
        ("I get an error, what does it mean?", False),
        ("Why does it raise?", False),
    ],
)
def test_an_error_is_theirs_only_where_they_speak_of_one(text: str, is_told_of: bool):
    """Who asks how something is done may have typed the example."""
    assert reports_no_error(Question(text=text)) is is_told_of
    pasted = PastedTraceback(type="RuntimeError", message="no")
    assert not reports_no_error(Question(text=text, traceback=pasted))


@pytest.mark.parametrize(
    ("question", "names_none", "speaks"),
    [
        (asked("can you help me fix the colours of this picture"), True, False),
        (asked("my accuracy stays at one half, please help me"), True, False),
        (asked("it raises an error in the second epoch of it"), False, True),
        (asked("this code does not work with two inputs at once"), False, False),
        (asked("please help"), False, False),  # too few words to tell of anything else
        (asked(""), False, False),
        (asked("can you help me fix the colours of this", pasted("no")), False, True),
    ],
)
def test_what_names_no_error(question: Question, names_none: bool, speaks: bool):
    """A run's own error is called reproduced only where the words leave room for one."""
    assert names_no_error(question) is names_none
    assert speaks_of_an_error(question) is speaks


@pytest.mark.parametrize(
    ("text", "type_", "message", "is_quoted"),
    [
        (
            "it says unexpected keyword, and I gave it",
            "TypeError",
            "f() got an unexpected keyword",
            True,
        ),
        (
            "a size mismatch, since when?",
            "RuntimeError",
            "size mismatch for fc.weight: copying",
            True,
        ),
        (
            'with labels of the herd I get "invalid for input of size 14"',
            "RuntimeError",
            "shape '[6, -1]' is invalid for input of size 14",
            True,
        ),
        ("is it valid for input of 14", "RuntimeError", "is invalid for input of size 14", False),
        ("I see a KeyError from time to time", "KeyError", "'a'", True),
        ("the size of the mismatch is large", "RuntimeError", "size mismatch for fc.weight", False),
        ("what is to be done here", "RuntimeError", "what is it", False),  # short words say nothing
        ("my accuracy stays at one half", "RuntimeError", "size mismatch", False),
    ],
)
def test_a_piece_of_the_message_names_the_error(
    text: str, type_: str, message: str, is_quoted: bool
):
    """Two long words of it side by side, four of any length, or its type."""
    assert quotes(Question(text=text), PastedTraceback(type=type_, message=message)) is is_quoted


UNUSED = "One of the differentiated Tensors appears to not have been used in the graph."
FALLEN = "unsupported operand type(s) for *: 'float' and 'NoneType'"


@pytest.mark.parametrize(
    ("text", "taken", "raised", "told"),
    [
        (f"error: {UNUSED} With allow_unused=True -> TypeError: x", FALLEN, UNUSED, True),
        ("it appears to be unused", FALLEN, UNUSED, False),
        (f"error: {UNUSED}", UNUSED, UNUSED, False),  # it is the posted one
        (f"error: {UNUSED}", FALLEN, UNKNOWN, False),
        (f"before it was {OLD_MATMUL}", FALLEN, MATMUL, True),
    ],
)
def test_of_two_posted_errors_the_one_that_comes_up(text: str, taken: str, raised: str, told: bool):
    """An error of the run that the words tell too is asked about; the other came of an attempt."""
    found = also_posted(asked(text, pasted(taken, "TypeError")), pasted(raised))

    assert (found is not None) is told


def test_no_error_is_quoted_where_there_is_none():
    """A silent mistake has no message."""
    assert not quotes(Question(text="an error"), None)
