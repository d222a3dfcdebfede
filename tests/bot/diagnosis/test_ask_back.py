"""bot/diagnosis/ask_back.py: what is asked fits what they ask about."""

import pytest

from bot.diagnosis.ask_back import ask_back
from bot.models import PastedTraceback, Question, Snippet, TracebackFrame


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I get an error with my loss", "whole traceback"),
        ("It crashes after an hour", "whole traceback"),
        ("why does memory grow?", "At which line does the memory grow"),
        ("GPU memory goes up", "At which line does the memory grow"),
        ("#include <memory>", "What do you see when it runs"),
        ("Training is stuck after the first epoch on two GPUs", "when it stands still"),
        ("the DataLoader hangs", "when it stands still"),
        ("my loss stays at 0.69", "What does the loss do"),
        ("the model does not learn", "What does the loss do"),
        ("It isn't training", "What does the loss do"),
        # That something is trained says nothing of its loss.
        ("How do I add tokens to a tokenizer before training?", "Which lines of your code"),
        ("my training loop is slow", "How long does one step take"),
        ("How do I freeze the first layers?", "Which lines of your code"),
        ("Why is the output of the wrong shape?", "What goes in"),
        ("Why is the output of the wrong shape? [2, 3] goes in", "What goes in"),
        ("Why is the output of shape (N, 3), as [2, 3] goes in?", "Which lines of your code"),
        ("The output of shape [2, 3] is made of 4x3", "What do you see when it runs"),
        ("my loss is 0.69, then 0.70", "What does the loss do"),
        ("my loss is 0.69, then 0.70, then 0.71", "What do you see when it runs"),
        (f"my loss is {'o' * 6000} 0.69, 0.70, 0.71", "What does the loss do"),  # too far away
        (f"the shape is {'(' * 6000}[2, 3] and [3, 2]", "What goes in"),
        ("It does odd things", "What do you see when it runs"),
        ("训练时占用的内存越来越多，直到报错", "ask it in English"),
        ("как заморозить первые слои?", "ask it in English"),
    ],
)
def test_what_is_asked_fits_the_words(text: str, asked: str) -> None:
    assert asked in ask_back(Question(text=text))


FRAME = TracebackFrame(file="a.py", line=1, function="f", code="g(x)")


@pytest.mark.parametrize(
    ("frames", "code", "asked"),
    [
        ((), "", "Which lines lead to it, and what does the whole traceback say?"),
        ((), "g(x)", "What does the whole traceback say?"),
        ((FRAME,), "", "What makes the values of that line"),
        ((FRAME,), "g(x)", "What makes the values of that line"),
    ],
)
def test_nothing_is_asked_for_that_was_posted(
    frames: tuple[TracebackFrame, ...], code: str, asked: str
) -> None:
    """Of a posted error the lines, its traceback and then the values say more."""
    error = PastedTraceback(type="OddError", message="no", frames=frames)
    snippets = (Snippet(code=code),) if code else ()

    assert ask_back(Question(text="", traceback=error, snippets=snippets)).startswith(asked)


@pytest.mark.parametrize(
    ("line", "code", "asked"),
    [
        (4, "y = net(x)", "printed right before it"),
        (0, "", "whole traceback"),  # cut off
        (4, "", "whole traceback"),
    ],
)
def test_a_traceback_that_was_posted_is_not_asked_for(line: int, code: str, asked: str) -> None:
    """But what its line takes."""
    frames = (TracebackFrame(file="a.py", line=line, function="f", code=code),)
    pasted = PastedTraceback(type="OddError", message="x", frames=frames)

    assert asked in ask_back(Question(text="an error", traceback=pasted))
