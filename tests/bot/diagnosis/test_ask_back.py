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
        ("GPU memory goes up, 2.1 GB at first and 9.8 GiB later", "What do you see when it runs"),
        ("GPU memory goes up, 2.1 GB at first", "At which line does the memory grow"),
        ("It needs a lot of memory for a large image", "What do you see when it runs"),
        ("Training is stuck after the first epoch on two GPUs", "when it stands still"),
        ("Training is stuck in `all_reduce` with two GPUs", "What do you see when it runs"),
        ("Training is stuck in `all_reduce`", "How many processes, workers and GPUs take part?"),
        ("the DataLoader hangs", "when it stands still"),
        ("my loss stays at 0.69", "What does the loss do"),
        ("the model does not learn", "What does the loss do"),
        ("It isn't training", "What does the loss do"),
        # … and a pretrained model that is only evaluated has none.
        ("The pretrained model has an accuracy of 0.1 % on my test set", "What do you see"),
        ("The pretrained model has an accuracy of 0.1 % after training", "What does the loss do"),
        ("The pre-trained model has an accuracy of 0.1 %, fine-tuned", "What does the loss do"),
        ("The model has an accuracy of 0.1 % on my test set", "What does the loss do"),
        # That something is trained says nothing of its loss.
        ("How do I add tokens to a tokenizer before training?", "Which lines of your code"),
        (
            "my training loop is slow",
            "How long does one step take, on which device does it run and",
        ),
        ("my loop is slow on the CPU", "How long does one step take and what does the loop"),
        ("my loop is slow, 310 ms a step", "On which device does it run and what does the loop"),
        ("my loop is slow, 310 ms a step on an A6000", "What does the loop around it look like?"),
        ("which runtime has more speed?", "Which lines of your code"),
        ("How do I freeze the first layers?", "Which lines of your code"),
        ("Why is the output of the wrong shape?", "What goes in"),
        ("Why is the output of the wrong shape? [2, 3] goes in", "What goes in"),
        ("Why is the output of shape (N, 3), as [2, 3] goes in?", "Which lines of your code"),
        ("The batch size is 128", "What do you see when it runs"),
        # An error that is measured is none that was raised.
        ("The training error is great, and the test error is horrible", "What do you see when"),
        ("score = reconstruction error; the results are odd", "What do you see when it runs"),
        ("It runs without any errors and gives odd results", "What do you see when it runs"),
        ("It says nothing, no error at all", "What do you see when it runs"),
        ("With ddp it gives some errors", "whole traceback"),
        ("It ends with ValueError", "whole traceback"),
        ("There is an error:\n```\nNot within tolerance\n```", "What do you see when it runs"),
        ('An error:\n  File "a.py", line 3, in f', "What do you see when it runs"),
        ("The output of shape [2, 3] is made of 4x3", "What do you see when it runs"),
        ("my loss is 0.69, then 0.70", "What does the loss do"),
        ("my loss is 0.69, then 0.70, then 0.71", "How are the loss, its target and the optimizer"),
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
    ("message", "text", "asks"),
    [
        ("the socket is odd", "CUDA_VISIBLE_DEVICES=0 torchrun --nproc_per_node=2 a.py", False),
        ("the socket is odd", "I start it:\n    $ python -m mine --all", False),
        ("the socket is odd", "I start it in python", True),
        ("the tensor is odd", "torchrun --nproc_per_node=2 a.py", True),
    ],
)
def test_of_what_is_started_the_command_is_enough(message: str, text: str, asks: bool) -> None:
    """Where the error is of a network, a driver or an installation, no line of code matters."""
    pasted = PastedTraceback(type="RuntimeError", message=message, frames=())

    assert bool(ask_back(Question(text=text, traceback=pasted))) is asks


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


@pytest.mark.parametrize(
    ("text", "code", "asked"),
    [
        (f"Why does it {'so ' * 30}?", "", "What is the shortest code that shows it?"),
        (f"Why does it {'so ' * 30}?", "f(x)", ""),
        (f"Why does it in the pod {'so ' * 30}?", "", ""),
        (f"Why does pip install it {'so ' * 30}?", "", ""),
        ("Why does it so?", "f(x)", "What do you see when it runs"),
        ("Why does it so?", "", "Which lines of your code"),
        ("my loss is odd", "f(x)", "What does the loss do over the first steps?"),
        ("the loss is 0.1, 0.2, 0.3", "f(x)", "What do you see when it runs"),
        ("the loop is slow", "f(x)", "How long does one step take and on which device"),
    ],
)
def test_the_code_is_asked_for_last_and_where_it_stands_nothing(text, code, asked) -> None:
    """Nor is code asked for where an installation or the machine is the matter."""
    snippets = (Snippet(code=code),) if code else ()
    told = ask_back(Question(text=text, snippets=snippets))

    assert told.startswith(asked) and bool(told) == bool(asked)


@pytest.mark.parametrize(
    ("type_", "message", "asked"),
    [
        ("RuntimeError", "the sizes are odd", True),
        ("ImportError", "no such thing", False),
        ("RuntimeError", "the socket is closed", False),
        ("RuntimeError", "NCCL failed", False),
        ("RuntimeError", "odd rows of a socketed table", True),
    ],
)
def test_values_are_asked_for_where_values_are_the_matter(type_, message, asked) -> None:
    """And not for a network, a file or an installation."""
    pasted = PastedTraceback(type=type_, message=message, frames=(FRAME,))

    assert bool(ask_back(Question(text="", traceback=pasted))) is asked


def test_a_traceback_that_stands_in_the_words_is_not_asked_for() -> None:
    """Its frames may not have been read."""
    pasted = PastedTraceback(type="OddError", message="x")

    assert ask_back(Question(text="so", traceback=pasted)).endswith("whole traceback say?")
    assert "traceback" not in ask_back(
        Question(text="Traceback (most recent call last)", traceback=pasted)
    )
