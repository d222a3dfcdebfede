"""What a program printed is told from the program, where both stand in one fence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.messages.printed import part_printed
from bot.messages.question import read_message
from bot.messages.raised_in_source import message_raised

CODE = ["import torch", "x = torch.rand(2, 3)", "print(x.shape)"]

PRINTED = {
    "below the code": ["torch.Size([2, 3])"],
    "a tensor over several lines": ["tensor([[False, False],", "        [ True,  True]])"],
    "a tensor with an empty line in it": ["tensor([[[1., 2.]],", "", "        [[3., 4.]]])"],
    "marked by people": [">> torch.Size([2, 3])", "tensor(1.)"],
    "words and a number": ["Random Seed:  9999", "torch_seed: 9999"],
    "a training log": ["Epoch 1/10 loss 0.693", "Epoch 2/10 loss 0.691"],
    "the tutorial's log": ["[1,  2000] loss: 2.173", "[1,  4000] loss: 1.859"],
    "a progress bar": [" 40%|████      | 4/10 [00:01<00:02,  2.5it/s]"],
    "a shell and what it said": ["~/sandbox$ python train.py", "Using cache found in /home/me"],
    "a prompt with an environment": [
        "(base) me@box:~/x$ CUDA_VISIBLE_DEVICES=0 python a.py",
        "done in 3 s",
    ],
    "a printed model": ["Net(", "  (fc1): Linear(in_features=4, out_features=2, bias=True)", ")"],
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_was_printed_is_no_program(name: str) -> None:
    """Its lines become blank, so that those of the program keep their numbers."""
    printed = PRINTED[name]
    found = part_printed([*CODE, "", *printed, "y = x.view(7)"])

    assert found.program == [*CODE, "", *("" for _ in printed), "y = x.view(7)"]
    assert found.printed == printed


CODE_WITH_SLIPS = [
    "for i in range(10) print(i)",
    "if x = 3:",
    "print 'loss', loss",
    "self.fc1 = nn.Linear(3 4)",
    "loss = criterion(out target)",
    "return x y",
    "model = Net(",
    "x = 5 y = 6",
    "class Net nn.Module:",
    "weights: 3x",
]


@pytest.mark.parametrize("line", CODE_WITH_SLIPS[:-1])
def test_a_statement_with_a_slip_stays(line: str) -> None:
    """Its error is what they have to be told."""
    assert part_printed([*CODE, line, "x.view(7)"]) == ([*CODE, line, "x.view(7)"], [])


def test_a_session_is_left_to_its_prompts() -> None:
    session = [">>> x = torch.ones(2)", ">>> x", "tensor([1., 1.])"]

    assert part_printed(session) == (session, [])


def test_the_words_of_a_log_stay_in_the_question() -> None:
    """What was printed may be all that tells of a symptom."""
    question = read_message(
        "Why is it so?\n\n```\nimport torch\nprint(torch.rand(2))\n\nEpoch 1 loss 0.693\n```"
    )

    assert question.code == "import torch\nprint(torch.rand(2))"
    assert "Epoch 1 loss 0.693" in question.text
    assert any("printed" in note for note in question.notes)


LINES = st.lists(
    st.one_of(
        st.sampled_from([*CODE, *CODE_WITH_SLIPS, *(line for p in PRINTED.values() for line in p)]),
        st.text(max_size=40).map(lambda text: text.replace("\n", " ")),
    ),
    max_size=12,
)


@given(LINES)
@settings(max_examples=150, deadline=None)
def test_no_line_is_lost(lines: list[str]) -> None:
    """Each is in the program at its place, or among what was printed."""
    found = part_printed(lines)

    assert len(found.program) == len(lines)
    gone = [line for line, kept in zip(lines, found.program, strict=True) if line != kept]
    assert [line for line in found.printed if line.strip()] == [g for g in gone if g.strip()]


CUT_OFF = {
    "one string": (['    raise ValueError("bad size")'], "bad size"),
    "over two numbered lines": (
        ['---> 39    raise ValueError("in more "', '     40        "than one group")'],
        "in more than one group",
    ),
    "single quotes": (["    raise ValueError('bad size')"], "bad size"),
    "made of values": (['    raise ValueError(f"bad size {size}")'], ""),
    "formatted": (['    raise ValueError("bad size %d" % size)'], ""),
    "a name": (["    raise ValueError(text)"], ""),
    "another type": (['    raise TypeError("bad size")'], ""),
    "cut within the string": (['    raise ValueError("bad '], ""),
    "an earlier one of its type": (
        ['    raise ValueError("first")', "    x = 1", '    raise ValueError("last")'],
        "last",
    ),
}


@pytest.mark.parametrize("name", CUT_OFF)
def test_a_message_that_was_cut_off_is_read_from_the_raise(name: str) -> None:
    lines, message = CUT_OFF[name]

    assert message_raised(lines, "ValueError") == message


def test_a_notebook_traceback_without_its_last_line_has_its_message() -> None:
    question = read_message(
        """```
ValueError                                Traceback (most recent call last)
<ipython-input-3-553a> in <module>()
----> 1 optimizer = get(model)

/usr/lib/python3.6/site-packages/torch/optim/optimizer.py in __init__(self, params, defaults)
     38             if not param_set.isdisjoint(group_set):
---> 39                 raise ValueError("some parameters appear in more than one "
     40                                  "parameter group")
```"""
    )

    assert question.traceback is not None
    assert question.traceback.message == "some parameters appear in more than one parameter group"
