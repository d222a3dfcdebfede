"""What an answer's headline, its reason and its card say, of messages that are really run."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from rich.console import Console

from bot.diagnosis.pipeline import Pipeline
from bot.messages.question import read_message
from bot.models import Proof
from bot.platforms.card import sheet
from bot.platforms.console.card import card
from bot.service.seam import Answered
from knowledge.articles.article import Article
from tests.conftest import Ask, last_of

COLUMN = """\
import torch
from torch import nn
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.randn(64, 3)
y = x.sum(1)
for step in range(5):
    loss = nn.MSELoss()(net(x), y)
    loss.backward()
    opt.step()
"""


def posted(text: str, code: str, said: str = "") -> str:
    """A message with a snippet, and what the person saw."""
    seen = f"\n```\nTraceback (most recent call last):\n{said}\n```\n" if said else ""
    return f"{text}\n\n```python\n{code}```\n{seen}"


async def test_two_mistakes_are_mended_in_one_chain(ask: Ask):
    """Both are named, in the headline and as steps; one diff has both changes."""
    answer = await ask(posted("the loss stays high", COLUMN))

    assert answer.status == "fixed" and answer.fix is not None
    assert "compares a prediction [64, 1] with a target [64]" in answer.headline
    assert "still held those of the step before" in answer.headline
    assert "left" not in answer.headline and len(answer.fix.steps) == 2
    assert "opt.zero_grad()" in answer.fix.code and "net(x).squeeze(1), y" in answer.fix.code
    assert answer.why is not None and answer.why.article == answer.fix.codemod


async def test_another_error_than_the_posted_one_is_not_reproduced(ask: Ask):
    """Both are named, and nothing is called reproduced."""
    code = "import torch\nx = torch.arange(6)\nprint(x[9])\n"
    message = "a Tensor with 6 elements cannot be converted to Scalar"
    said = f'  File "a.py", line 3, in <module>\nRuntimeError: {message}'
    answer = await ask(posted("?", code, said))

    assert answer.status == "unsure" and answer.error is not None
    assert answer.error.type == "IndexError" and "Reproduced" not in answer.headline
    assert answer.posted is not None and answer.posted.message == message
    assert answer.headline.startswith(
        "One number is asked of a tensor that has 6. What the posted code raises here is another "
        "error: IndexError at line 3"
    )
    assert sheet(Answered(answer)).headline.startswith("? Another error here: One number is")


async def test_the_posted_error_is_reproduced_in_whatever_words(ask: Ask):
    """An old version's message is of the same family."""
    code = "import torch\nprint(torch.ones(2, 3) @ torch.ones(4, 5))\n"
    message = "size mismatch, m1: [2 x 3], m2: [4 x 5] at TH.cpp:41"
    said = f'  File "a.py", line 2, in <module>\nRuntimeError: {message}'
    answer = await ask(posted("?", code, said))

    assert answer.headline.startswith(("Reproduced: RuntimeError", "Fixed: "))
    assert "Posted" not in answer.headline


async def test_a_paste_that_does_not_parse_is_no_error_of_theirs(ask: Ask):
    """Unless they ask about it."""
    code = "import torch\nx = torch.ones(2\ny = x + 1)))\n"
    answer = await ask(posted("this is my code", code))

    assert answer.status == "not_run" and answer.error is None
    assert answer.headline.startswith("Could not run what was pasted: line ")
    assert "is no Python" in answer.headline
    assert sheet(Answered(answer)).headline.startswith("! Could not run what was pasted")

    code = "import torch\nx = torch.ones(2)\n    y = x + 1\n"
    theirs = await ask(posted("what does this IndentationError want?", code))
    assert theirs.status == "reproduced" and "IndentationError at line 3" in theirs.headline


async def test_a_name_from_further_down_is_a_matter_of_the_paste(ask: Ask):
    """Nobody runs it in that order."""
    code = "import torch\nnet = Net()\n\nclass Net(torch.nn.Module):\n    pass\n"
    answer = await ask(posted("it is big", code))

    assert answer.status == "not_run" and "`Net` (line 2) is used before line 4" in answer.headline


async def test_an_exit_without_a_report_is_not_nothing(ask: Ask):
    """`os._exit` ends the probes too."""
    answer = await ask(posted("?", "import os\nimport torch\nos._exit(3)\n"))

    assert answer.status == "runs" and "nothing is raised" not in answer.headline
    assert "ended itself with exit code 3" in answer.headline
    assert sheet(Answered(answer)).headline.startswith("○ Ran here and ended itself")


async def test_a_swallowed_exception_is_told(ask: Ask):
    """It was raised, whatever came of it."""
    code = "import torch\ntry:\n    {}['x']\nexcept KeyError:\n    pass\nprint(torch.ones(1))\n"
    answer = await ask(posted("?", code))

    assert answer.status == "runs" and "nothing is raised" not in answer.headline
    assert "KeyError is raised at line 3, and its own handler at line 4 takes it" in answer.headline


NO_CUDA = (
    "import torch\nnet = torch.nn.Linear(4, 2).cuda()\nprint(net(torch.ones(1, 4).cuda()).shape)\n"
)


async def test_no_cuda_is_the_answer_for_who_asks_about_it(ask: Ask):
    """The guard is run on the CPU and on the simulated device, and the reason is the build's."""
    answer = await ask(posted("AssertionError: Torch not compiled with CUDA enabled", NO_CUDA))

    assert answer.status == "fixed", answer.headline
    assert "this torch has no CUDA" in answer.headline and "say which torch" not in answer.headline
    assert answer.fix is not None
    assert 'device = "cuda" if torch.cuda.is_available() else "cpu"' in answer.fix.code
    (check,) = (c for c in answer.fix.checks if c.name == "with a GPU")
    assert check.passed and "simulated device" in check.detail
    assert answer.why is not None and answer.why.article == "torch-without-cuda"


async def test_an_error_on_purpose_is_explained_and_no_fix_is_called_the_one(ask: Ask):
    """A comment says so; or a handler that only tells, where nobody asks about an error."""
    fails = "import torch\na = torch.ones(2, 3)\n# this will raise an error\nb = a @ a\n"
    answer = await ask(posted("Matrix products.", fails))
    assert answer.headline.startswith("Shown on purpose (a comment of the code says so)")
    assert answer.fix is None and answer.status == "reproduced"
    shown, *works = answer.alternatives
    assert shown.intent == "the code is there to show this error"
    assert all(fix.intent.startswith("line 4 should work") for fix in works)
    assert answer.why is not None and answer.why.remedy == ""
    assert answer.explanation

    told = "import torch\na = torch.ones(2, 3)\ntry:\n    a @ a\nexcept RuntimeError as e:\n"
    told += "    print(e)\n"
    answer = await ask(posted("Matrix products.", told))
    assert answer.headline.startswith("Shown on purpose (its except only tells of it)")
    assert answer.fix is None and answer.alternatives == ()  # it tells of it already
    assert sheet(Answered(answer)).headline.startswith("✘ Shown on purpose")

    other = fails + "print(a.sum())\n"
    answer = await ask(posted("Matrix products.", other))
    first = answer.alternatives[0]
    assert first.intent == "the code is there to show this error" and first.verified
    assert "try:\n    b = a @ a\nexcept RuntimeError as error:\n" in first.code
    assert first.result is not None and first.result.stdout.endswith("tensor(6.)\n")

    wrong_class = told.replace("RuntimeError", "TypeError")
    answer = await ask(posted("Matrix products.", wrong_class))
    assert [fix.code.rstrip() for fix in answer.alternatives] == [told.rstrip()]
    assert (
        "One way was run, and holds if the code is there to show this error: line 5: `except` "
        in (answer.headline)
    )

    asked = await ask(posted("why does this crash?", told))
    assert "on purpose" not in asked.headline and (asked.fix is not None or asked.refused)


async def test_an_article_that_does_not_hold_here_is_withheld_and_logged(
    medic: Pipeline, caplog: pytest.LogCaptureFixture
):
    """A card never leans on an article beside which it would have to say so."""

    async def refuted(article: Article) -> Proof:
        return Proof(torch="2.13.0", device="cpu", date="2026-11-22", holds=False)

    message = "```python\nimport torch\ntorch.ones(2, 3).view(7)\n```"
    with caplog.at_level(logging.WARNING, logger="bot.diagnosis.pipeline"):
        answer = await last_of(replace(medic, prove=refuted).answer(read_message(message)))

    assert answer.error is not None and answer.why is None
    assert "view-invalid-for-size" not in {s.id for s in answer.sources}
    assert "view-invalid-for-size does not hold on torch 2.13.0 and is withheld" in caplog.text
    console = Console(width=100, record=True)
    console.print(card(answer))
    assert "does not hold" not in console.export_text()


async def test_a_function_that_takes_nothing_is_called_where_code_only_defines_some(ask: Ask):
    """Its own call is one of the assumptions, and what it shows is found like any other mistake."""
    code = (
        "import torch\n\n\ndef trial(steps=3):\n    head = torch.nn.Linear(2, 1)\n"
        "    plain = torch.optim.SGD(head.parameters(), 0.1)\n    for _ in range(steps):\n"
        "        rows = torch.rand(6, 2)\n"
        "        cost = torch.nn.functional.mse_loss(head(rows), rows[:, 0])\n"
        "        plain.zero_grad()\n        cost.backward()\n        plain.step()\n"
    )
    answer = await ask(posted("the loss stays high", code))

    assert any("trial()" in said for said in answer.assumptions)
    assert "[6, 1]" in answer.headline and "[6, 6]" in answer.headline


async def test_a_look_comes_before_what_was_missing(ask: Ask):
    """What tells a symptom's causes apart is worth more than a slip of the paste."""
    code = "import torch\nx = torch.ones(2\ny = x + 1)))\n"
    answer = await ask(posted("my loss does not fall", code))

    assert answer.headline.startswith("The cause is not known here.")
    assert "line 3 is no Python" in answer.needed or "is no Python" in answer.needed


async def test_a_result_that_is_thrown_away_is_named_before_the_error_it_leads_to(ask: Ask):
    """The line above is what has to be changed."""
    code = (
        "import torch\n\n\nclass Small(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.out = torch.nn.Linear(27, 2)\n\n"
        "    def forward(self, x):\n        x.view(-1, 27)\n        return self.out(x)\n\n\n"
        "Small()(torch.rand(4, 3, 3, 3))\n"
    )
    answer = await ask(posted("it raises an error in the last layer", code))

    told = answer.headline if answer.fix is None else answer.fix.diff
    assert "x.view" in told


async def test_a_result_that_nothing_reads_is_named_before_the_error_it_leads_to(ask: Ask):
    """Under a name of its own, or a misspelt one: what follows takes the value as it was."""
    code = (
        "import torch\n\nnet = torch.nn.Sequential(torch.nn.Linear(27, 2))\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for pixels in [torch.rand(4, 3, 3, 3)]:\n"
        "    pixles = pixels.view(len(pixels), -1)\n"
        "    loss = net(pixels).mean()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
    )
    answer = await ask(posted("it raises an error in the first layer", code))

    told = answer.headline if answer.fix is None else answer.fix.diff
    assert "pixles" in told
