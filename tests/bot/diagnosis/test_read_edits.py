"""bot/diagnosis/read_edits.py, quoted_edits.py: edits of what no run shows, run where it stands."""

from __future__ import annotations

import pytest

from tests.conftest import Ask

NET = """\
```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.parts = {}
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return {}
```
Why do so few weights of it learn?
"""
PLAIN = "[nn.Linear(8, 8) for _ in sizes]"
TRACEBACK = """\
Traceback (most recent call last):
  File "count.py", line 40, in forward
    return self.out(counts)
  File "/usr/lib/python3/site-packages/torch/nn/modules/linear.py", line 67, in forward
    return F.linear(input, self.weight, self.bias)
RuntimeError: {}
"""
DTYPES = "mat1 and mat2 must have the same dtype, but got Long and Float"
INTO_LONG = "result type Float can't be cast to the desired output type Long"
INDEX = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
ONLY_MADE = """\
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 4)
        self.last = nn.Linear(4, 3)

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = self.last
        return nn.LogSoftmax(x)

net = Net()
for x, y in loader:
    loss = nn.NLLLoss()(net(x), y)
    loss.backward()
    report(loss, {})
```
TypeError: forward() missing 1 required positional argument: 'input'
"""
SIZES = "mat1 and mat2 shapes cannot be multiplied (8x5 and 4x2)"

# What was posted, what its edit says (none: nothing is offered), and how it is shown.
POSTED = {
    "a class that nothing calls": (NET.format(PLAIN, "self.last(x)"), "ModuleList([", "verified"),
    "stopped behind the line by a placeholder": (
        NET.format(PLAIN, "self.last(x) + MEANS[x]"),
        "nn.ModuleList([",
        "partly",
    ),
    "what is right": (NET.format(f"nn.ModuleList({PLAIN})", "self.last(x)"), None, ""),
    "a line that nothing comes to": (
        "```python\nraise SystemExit\nw = torch.nn.Parameter(torch.rand(3))\nw = w.cuda()\n"
        "print(w.is_leaf)\n```\nIt is no leaf?",
        None,
        "",
    ),
    "a quoted line, two dtypes": (TRACEBACK.format(DTYPES), "counts.float()", "partly"),
    "a quoted line that changes its tensor in place": (
        TRACEBACK.format(INTO_LONG).replace("self.out(counts)", "rows.clamp_(0, most[2] - 1)"),
        None,
        "",
    ),
    "a quoted line, one row into a layer": (
        TRACEBACK.format(INDEX).replace("RuntimeError", "IndexError")
        .replace("self.out(counts)", "self.out(counts).argmax(dim=1)"),
        "self.out(counts.unsqueeze(0))", "partly",
    ),
    "a quoted line, one dimension and no layer": (
        TRACEBACK.format(INDEX).replace("RuntimeError", "IndexError")
        .replace("self.out(counts)", "counts.argmax(dim=1)"), None, "",
    ),
    "layers that are not called, one of them only made": (
        ONLY_MADE.format("y"), "self.last(x)", "partly"),
    "a quoted line, two sizes": (TRACEBACK.format(SIZES), None, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", POSTED)
async def test_what_no_run_shows_is_mended_where_its_line_is_run(ask: Ask, name: str):
    """Never as the fix; in part where the run stops, and not at all where it does not get there."""
    text, wanted, shown = POSTED[name]

    answer = await ask(text)

    assert answer.fix is None
    assert [fix.shown for fix in answer.alternatives] == ([shown] if wanted else [])
    assert all(wanted in fix.code for fix in answer.alternatives if wanted)
    if wanted and "Net" in text:
        assert answer.headline.startswith("Seen in the code")
        assert answer.assumptions
