"""bot/service/follow_up.py: small edits and questions by plain rules, the change always shown."""

from __future__ import annotations

import pytest

from bot.models import Answer, AnswerError, RunWith, Why
from bot.service.follow_up import UNKNOWN, Earlier, FollowUp, is_same, same_as_before, understand
from executor.protocol import JobResult, Outcome
from knowledge.repair.fix import Fix

CODE = """\
import torch
from torch import nn, optim
batch_size = 32
lr = 0.1
model = nn.Linear(4, 2)
x = torch.randn(batch_size, 4)
opt = optim.SGD(model.parameters(), lr=lr)
attention = nn.MultiheadAttention(16, num_heads=3)
model(x)
"""


def understood(words: str, *, answer: Answer | None = None, code: str = CODE) -> FollowUp:
    """What the words want of the code."""
    return understand(words, Earlier(code, answer), has_gpu=False)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("what about batch size 1?", "batch_size = 1"),
        ("does it also fail with batch_size=1?", "batch_size = 1"),
        ("thanks! I'd like to try batch size 2", "batch_size = 2"),
        ("change the learning rate from 0.1 to 0.01", "lr = 0.01"),
        ("what happens if I use a batch size of 8", "batch_size = 8"),
        ("set lr = 1e-3", "lr = 1e-3"),
        ("and with learning rate 0.5", "lr = 0.5"),
        ("with 4 heads", "attention = nn.MultiheadAttention(16, num_heads=4)"),
        ("use Adam instead of SGD", "opt = optim.Adam(model.parameters(), lr=lr)"),
        ("replace 0.1 by 0.2", "lr = 0.2"),
        ("use 8 instead of 4 in line 6", "x = torch.randn(batch_size, 8)"),
        ("change 16 to 12 please", "attention = nn.MultiheadAttention(12, num_heads=3)"),
        ("try again with torch.float64", "import torch; torch.set_default_dtype(torch.float64)"),
        ("in bfloat16", "import torch; torch.set_default_dtype(torch.bfloat16)"),
        ("replace line 4 with `lr = 1.0`", "lr = 1.0"),
    ],
)
def test_a_small_edit_changes_one_line_and_says_so(words: str, line: str):
    """Nothing else of the code changes, and no line moves."""
    found = understood(words)
    before, after = CODE.split("\n"), found.code.split("\n")
    (changed,) = [new for old, new in zip(before, after, strict=True) if old != new]

    assert changed == line and f"`{line}` instead of" in found.said


def test_a_line_can_be_left_out():
    """No other line moves, and no block is left without one."""
    found = understood("try it without line 2", code="if True:\n    x = 1\nprint(2)\n")

    assert (
        found.code == "if True:\n    pass\nprint(2)\n" and "without line 2, `x = 1`" in found.said
    )


def test_of_a_long_line_the_change_is_said():
    """With the name that the value belongs to."""
    long = "loss = torch.nn.functional.cross_entropy(model(x), target, reduction='mean')\n"
    found = understood("with reduction='sum'", code=long)

    assert found.code == long.replace("mean", "sum")
    assert found.said == "line 1: `reduction='sum'` instead of `reduction='mean'`"


def test_a_name_that_means_the_same_is_found():
    """The hidden size is `hidden_dim`; of two that could be meant neither is taken."""
    assert "hidden_dim = 8" in understood("hidden size 8", code="hidden_dim = 4\n").code
    two = understood("use hidden size 8", code="hidden_dim = 4\nhidden_units = 4\n")
    assert not two.code and two.reply is not None


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("use 5 instead of 7", "no `7` in the code"),
        ("use 5 instead of 4", "stands in lines 5 and 6"),
        ("what about hidden size 12?", "no hidden size in the code. It names `batch_size`, `lr`"),
        ("use 5 instead", "do not know what is to be 5"),
        ("with batch size 32", "like that already"),
        ("on GPU", "no GPU where I run code"),
        ("fix the other one", "no other fix"),
        ("use int64", "do not know which tensors"),
        ("use 5 instead of LR", "no `LR` in the code, only `lr`"),
        ("remove line 99", "no line 99"),
        ("it still fails", "Post the code as it is now"),
        ("what changed?", "I changed nothing"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(words: str, says: str):
    """And nothing is run."""
    found = understood(words)

    assert found.reply is not None and says in found.reply.text
    assert not found.code and found.run_with is None


@pytest.mark.parametrize(
    ("words", "run_with"),
    [
        ("on the cpu please", RunWith(device="cpu")),
        ("with seed 7", RunWith(seed=7)),
        ("try it on the cpu", RunWith(device="cpu")),
    ],
)
def test_another_device_or_seed(words: str, run_with: RunWith):
    """They are options of the run, not edits."""
    assert understood(words).run_with == run_with


def test_on_a_gpu_where_there_is_one():
    """Then it is run there."""
    found = understand("on GPU", Earlier(CODE, None), has_gpu=True)
    assert found.run_with == RunWith(device="cuda")


@pytest.mark.parametrize(
    "words",
    [
        "I have torch 2.1",
        "the loss is 0.5 after the first epoch",
        "what about a data frame?",
        "x " * 100,
    ],
)
def test_other_words_are_no_edit(words: str):
    """They are asked alone, and where nothing is known of them, one line says what can be done."""
    found = understood(words)
    assert found.alone and not found.code and found.otherwise is UNKNOWN


@pytest.mark.parametrize(
    "words",
    [
        "now it says RuntimeError: foo",
        "does that also happen with y.add_(1)?",
        "it fails at line 3",
    ],
)
def test_other_words_about_the_code_are_not_asked_alone(words: str):
    """They would be another question; one line says what a follow-up can do."""
    found = understood(words)
    assert found.reply is UNKNOWN and not found.code and not found.alone


def test_a_question_about_the_reason_that_nothing_else_answers():
    """Gets what the run showed; first its own words are looked up."""
    found = understood("why does a second layer matter?", answer=answered())
    assert found.alone and found.otherwise is not None and "4 columns" in found.otherwise.text


def test_it_still_fails_after_a_fix():
    """Here it does not, so the code or the error is asked for."""
    found = understand("but it still fails", Earlier(CODE, answered(), fixed=True), has_gpu=False)
    assert found.reply is not None and "runs to its end here" in found.reply.text


def test_the_change_is_shown():
    """As a diff."""
    reply = understood("what did you change?", answer=answered(with_diff("@@ @@\n-a\n+b"))).reply
    assert reply is not None and reply.text == "I changed:\n```diff\n@@ @@\n-a\n+b\n```"


def test_a_how_to_is_a_question_of_its_own():
    """It is not about the code."""
    assert understood("and how do I save the model?").alone


def with_diff(diff: str) -> Fix:
    """A verified fix."""
    return Fix(codemod="c", title="t", diff=diff, code="", verified=True, checks=(), result=None)


def answered(fix: Fix | None = None, line: int | None = 5) -> Answer:
    """An answer about an error."""
    error = AnswerError(
        type="RuntimeError", message="m", line=line, code="", caught=False, traceback=""
    )
    why = Why(text="Shapes must agree.", article="a", title="t", url="https://a.b/c", score=1,
              proof=None)  # fmt: skip
    run = JobResult(outcome=Outcome.OK, stdout="one\ntwo\n")
    return Answer(
        status="fixed" if fix else "reproduced",
        headline="Fixed: it.",
        error=error,
        explanation="x has 4 columns.",
        fix=fix,
        why=why,
        run=run,
    )


def test_why_is_answered_with_what_the_run_showed():
    """From its values and from the article, without another run."""
    reply = understood("but why is that?", answer=answered()).reply

    assert reply is not None
    assert reply.text.split("\n\n") == ["x has 4 columns.", "Shapes must agree.", "https://a.b/c"]


def test_what_was_printed():
    """In a box."""
    reply = understood("and what does it print?", answer=answered()).reply
    assert reply is not None and "```\none\ntwo\n```" in reply.text


def test_a_bare_value_goes_where_the_fix_put_one():
    """ "Use 6 instead" after a fix that put a 5 there."""
    code = "import torch\nlayer = torch.nn.Linear(5, 4)\n"
    fix = with_diff("@@ -2 +2 @@\n-layer = torch.nn.Linear(3, 4)\n+layer = torch.nn.Linear(5, 4)")
    found = understood("use 6 instead", answer=answered(fix, line=9), code=code)

    assert found.code == code.replace("5", "6")


def test_a_bare_value_goes_into_the_failing_line():
    """Where that has one number."""
    code = "import torch\nx = torch.ones(3)\nx.view(2)\n"
    found = understood("use 3 instead", answer=answered(line=3), code=code)

    assert found.code.split("\n")[2] == "x.view(3)"


def test_which_of_several_equal_numbers_is_that_of_the_failing_line():
    """ "4 to 5" is not every 4."""
    found = understood("change 4 to 5", answer=answered(line=5))
    assert "nn.Linear(5, 2)" in found.code and "torch.randn(batch_size, 4)" in found.code


def test_every_equal_number_is_changed_where_that_is_said():
    """ "Everywhere" is every 4."""
    found = understood("use 5 instead of 4 everywhere")
    assert "nn.Linear(5, 2)" in found.code and "torch.randn(batch_size, 5)" in found.code


def test_the_same_answer_is_not_shown_twice():
    """It is the same if the card would be."""
    one = answered()
    other = one.model_copy(update={"headline": "Fixed: another."})

    assert is_same(one, one) and not is_same(one, other)
    assert "same as above: Fixed: it." in same_as_before(one).text
