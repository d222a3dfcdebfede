"""executor/inside/remarks/whole.py: what is said of a whole program, and not of a part."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks.whole import SAID_OF_THE_WHOLE, is_whole
from executor.left_out import LEFT_OUT
from tests.executor.inside.test_remarks import kinds, module

NEVER_ZEROED = """\
opt = torch.optim.SGD(net.parameters(), 0.1)
for x, y in loader:
    loss = loss_fn(net(x), y)
    loss.backward()
    opt.step()
"""
NET = module("self.fc = nn.Linear(9, 3)", "return self.fc(x)") + "\n"
SOFTMAX = "loss = F.cross_entropy(torch.softmax(net(x), 1), y)\n"


@pytest.mark.parametrize(
    "beside",
    [
        "# ... the rest of the loop\n",
        "# load the data ...\n",
        "# your training code here\n",
        "# other layers\n",
        "# the rest of the model is omitted\n",
        "def prepare():\n    ...\n",
        "# Example 1\nx = 1\n# Example 2\n",
        "opt = torch.optim.Adam(net.parameters())\n",  # the same name again: another example
        NET + NET,
        NET + "net = Net()\nnet = Net()\n",
        "net = nn.Sequential(nn.ReLU())\nnet = nn.Sequential(nn.GELU())\n",
    ],
)
def test_of_a_part_nothing_is_said_to_be_missing(beside: str) -> None:
    assert "never_zeroed" in kinds(NEVER_ZEROED)
    assert "never_zeroed" not in kinds(beside + NEVER_ZEROED)
    assert "softmax_twice" in kinds(beside + NEVER_ZEROED + SOFTMAX)  # one line decides it


@pytest.mark.parametrize(
    "beside",
    [
        "# an example of a loop\n",
        "x = x[..., 0]\n",
        'print("...")\n',
        "opt_d = torch.optim.Adam(net.parameters())\n",
        NET + "net = Net()\nother = Net()\n",
        "net = Net()\nnet = net.to(device)\n" + NET,
        "def train():\n    net = Net()\ndef test():\n    net = Net()\n" + NET,
        "# trains for 5 epochs. Then it ends\n",
    ],
)
def test_of_a_whole_program_it_is_said(beside: str) -> None:
    assert "never_zeroed" in kinds(beside + NEVER_ZEROED)


@pytest.mark.parametrize("code", ["x = 1  # ...", "# and so on …", "# etc", "# add more layers"])
def test_words_for_what_is_left_out(code: str) -> None:
    assert LEFT_OUT.search(code)
    assert not is_whole(ast.parse(code), code)


def test_kinds_that_one_line_decides_are_said_of_any_text() -> None:
    decided = {"softmax_twice", "last_of_batch", "backward_half", "unflattened", "misspelled"}
    assert not decided & SAID_OF_THE_WHOLE


RESET = """\
for i, x in enumerate(loader):
    loss = loss_fn(net(x))
    loss.backward()
    total += loss
    {then}
"""


def test_a_sum_that_starts_anew_in_its_loop_keeps_no_graph() -> None:
    assert "graph_kept" in kinds(RESET.format(then="print(i)"))
    assert "graph_kept" not in kinds(RESET.format(then="if i % 4 == 3:\n        total = 0"))


CUT = module("self.fc = nn.Linear(9, 1)", "return F.relu(self.fc(x))") + "\nnet = Net()\n"


@pytest.mark.parametrize(
    ("loss", "cut"),
    [
        ("loss = F.mse_loss(net(x), y)", True),
        ("loss = net(x)", False),
        ("loss = net(x).mean()", False),
        ("loss = other(x).mean()", True),
    ],
)
def test_a_model_that_gives_the_loss_gives_no_scores(loss: str, cut: bool) -> None:
    assert ("scores_cut" in kinds(f"{CUT}{loss}\nloss.backward()")) is cut


INNER = """\
{head}
for epoch in range(9):
    inner = Net()
    opt = torch.optim.SGD(inner.parameters(), 0.1)
    for x in loader:
        loss = loss_fn(inner(x))
        loss.backward()
        opt.step()
        {more}
"""


def test_a_model_is_made_anew_on_purpose_where_another_one_learns_over_the_epochs() -> None:
    outer = "outer = Net()\nopt_o = torch.optim.SGD(outer.parameters(), 0.1)"
    assert "made_each_epoch" in kinds(NET + INNER.format(head="", more=""))
    assert "made_each_epoch" in kinds(NET + INNER.format(head=outer, more=""))
    assert "made_each_epoch" not in kinds(NET + INNER.format(head=outer, more="opt_o.step()"))
