"""What code states, shows or calls wrong decides what is offered for its error; each really run."""

from __future__ import annotations

import pytest

from bot.models import Answer
from knowledge.repair.fix import Fix
from tests.conftest import Ask

OUT_OF_RANGE = """\
import torch
from torch import nn

table = nn.Embedding(5, 2)
words = torch.tensor([0, 5, 2])  # 5 is out of the vocabulary
print(table(words).shape)
"""

SHOWS_A_SOFTMAX = """\
import torch
from torch import nn

class NetWithSoftmax(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 3)

    def forward(self, x):
        return torch.softmax(self.out(x), dim=1)

net = NetWithSoftmax()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = nn.CrossEntropyLoss()(net(torch.randn(4, 7)), torch.tensor([0, 1, 2, 1]))
optimizer.zero_grad()
loss.backward()
optimizer.step()
"""

STATES_ANOTHER_SHAPE = """\
import torch
from torch import nn
from torch.nn import functional as F

height = 4
pictures = F.pad(torch.randn(2, 3, 3, 5), (0, 1, 0, 0))
print(f"padded: {pictures.shape}")  # Shape of the padded pictures: torch.Size([2, 4, 3, 5])

class Head(nn.Module):
    def __init__(self, height):
        super().__init__()
        self.out = nn.Linear(height * 3 * 5, 2)

    def forward(self, x):
        return self.out(x.flatten(1))

print(Head(height)(pictures).shape)
"""

COMPUTES_GRADIENTS = """\
import torch

values = torch.randn(3)
with torch.enable_grad():
    doubled = values * 2

# Gradients are computed for doubled
doubled.sum().backward()
print(values.grad)  # None, as values is no leaf of interest
"""

REPORTS_ON_GRADIENTS = """\
import torch

weight = torch.randn(4, 4, requires_grad=True)
# Incorrect: a part of the weight is used
part = weight[:2, :2]
out = torch.ones(1, 4) @ part
out.sum().backward()

if weight.grad is None:
    print("no gradient")
"""

VIEW = """\
import torch

prices = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
some = prices[1:3]
some[:] = torch.tensor([7.0, 8.0])
print(some, prices)
prices.sum().backward()
print(prices.grad)
"""

LACKS_AN_IMPORT = """\
import torch
from torch import nn

net = nn.Linear(3, 2)
print(F.relu(net(torch.ones(1, 4))).shape)
"""

OTHER_CLASS = """\
import torch

try:
    torch.ones(2, 3) @ torch.ones(2, 3)  # this will raise an error
except ValueError as e:
    print(f"ValueError: {e}")
print("done")
"""


async def asked(ask: Ask, code: str) -> Answer:
    return await ask(f"what about this?\n```python\n{code}```")


def offered(answer: Answer) -> list[Fix]:
    return [answer.fix] if answer.fix is not None else list(answer.alternatives)


@pytest.mark.parametrize(
    "code",
    [
        OUT_OF_RANGE,
        pytest.param(STATES_ANOTHER_SHAPE, marks=pytest.mark.daily),
        pytest.param(REPORTS_ON_GRADIENTS, marks=pytest.mark.daily),
    ],
)
async def test_nothing_is_offered_against_what_the_code_says(ask: Ask, code: str) -> None:
    """A value that it calls out of range, a shape that it states, gradients that it reports on.

    An edit that only tells of the error changes nothing of that.
    """
    answer = await asked(ask, code)

    assert answer.status == "reproduced", answer.headline
    assert {fix.codemod for fix in offered(answer)} <= {"tell-the-error"}, answer.headline


async def test_what_a_class_is_named_after_stays(ask: Ask) -> None:
    """The size is mended; that the softmax is one too many is said."""
    answer = await asked(ask, SHOWS_A_SOFTMAX)

    assert (
        answer.fix is not None
        and answer.fix.code == SHOWS_A_SOFTMAX.replace("(6, 3)", "(7, 3)").rstrip()
    )
    assert "1 more mistake left" in answer.headline and "softmax" in answer.headline


@pytest.mark.daily
async def test_a_backward_that_should_work_is_not_shown_on_purpose(ask: Ask) -> None:
    answer = await asked(ask, COMPUTES_GRADIENTS)

    assert "Shown on purpose" not in answer.headline
    assert not [fix for fix in offered(answer) if "try:" in fix.code]


@pytest.mark.daily
async def test_a_view_is_not_called_a_leaf(ask: Ask) -> None:
    answer = await asked(ask, VIEW)

    (fix,) = offered(answer)
    assert "no_grad" in fix.code
    assert "stays a leaf" not in fix.title and "a view of" in fix.title


async def test_a_fix_has_the_import_that_the_code_lacks(ask: Ask) -> None:
    """It is a listing that runs."""
    answer = await asked(ask, LACKS_AN_IMPORT)

    assert answer.fix is not None, answer.headline
    assert "\nimport torch.nn.functional as F\n" in answer.fix.code
    assert "`import torch.nn.functional as F`, which the code lacks" in answer.headline
    again = await asked(ask, answer.fix.code)
    assert again.status == "runs" and not again.assumptions


@pytest.mark.daily
async def test_an_except_prints_the_class_that_it_takes(ask: Ask) -> None:
    answer = await asked(ask, OTHER_CLASS)

    (fix,) = offered(answer)
    assert fix.code == OTHER_CLASS.replace("ValueError", "RuntimeError").rstrip()
