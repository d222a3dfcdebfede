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
