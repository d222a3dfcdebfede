"""Edits of what a run noted or a probe found, from the question to the answer: run and checked."""

from __future__ import annotations

import pytest

from tests.conftest import Ask

HEAD = """\
```python
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(64, 4)
y = x[:, :1] * 2
"""
FIT = "opt.zero_grad(); loss.backward(); opt.step()"
LOOP = (
    HEAD + "{before}\nfor step in range(40):\n    loss = (net(x) - y).pow(2).mean()\n    " + FIT
    + "\n    {then}\n{after}\nprint(loss.item())\n```\nMy memory fills up.\n"
)  # fmt: skip
HOOK = (
    HEAD + "seen = []\nnet{}.register_backward_hook(lambda m, i, o: seen.append(o))\n"
    "w = x.clone().requires_grad_()\n"
    "for step in range(4):\n    loss = net(w).mean()\n    " + FIT + "\n```\nOdd gradients?\n"
)  # fmt: skip
GRAD = (
    HEAD + "for step in range(4):\n    h = net(x)\n    loss = ({} - y).pow(2).mean()\n    " + FIT
    + "\nprint(h.grad)\n```\nIt is None?\n"
)  # fmt: skip
EPOCHS = (
    HEAD + "epochs = 8\nplan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max={})\n"
    "for epoch in range(epochs):\n    for i in range(0, 64, 4):\n"
    "        loss = (net(x[i:i + 4]) - y[i:i + 4]).pow(2).mean()\n        " + FIT
    + "\n        plan.step()\n    print(epoch, loss.item())\n```\nThe rate swings.\n"
)  # fmt: skip
OTHER = (
    HEAD + "old = torch.optim.Adam(net.parameters(), lr=0.1)\n"
    "plan = torch.optim.lr_scheduler.StepLR({}, 30)\nfor step in range(40):\n"
    "    loss = (net(x) - y).pow(2).mean()\n    " + FIT + "; plan.step()\n```\nNo effect.\n"
)  # fmt: skip
YES = (
    HEAD + "z = torch.sign(y)\nfor step in range(20):\n    {}\n    " + FIT
    + "\nprint(loss.item())\n```\nIt learns nothing.\n"
)  # fmt: skip
AVERAGE = (
    HEAD + "avg = nn.Linear(4, 1)\n@torch.no_grad()\ndef update():\n"
    "    for a, b in zip(avg.parameters(), net.parameters()):\n        a = 0.9 * a + 0.1 * b\n"
    "for step in range(20):\n    loss = (net(x) - y).pow(2).mean()\n    " + FIT
    + "\n    update()\n```\nIt stays.\n"
)  # fmt: skip
BCE = "nn.functional.binary_cross_entropy"

# The program, and a line of the fix; nothing where the edit would be wrong, or is no fix.
ASKED = {
    "losses in a list": (LOOP.format(before="kept = []", then="kept.append(loss)", after=""),
                         "    kept.append(loss.item())"),
    "losses that are stacked": (LOOP.format(
        before="kept = []", then="kept.append(loss)", after="print(torch.stack(kept).mean())"),
        "    kept.append(loss.detach())"),
    "a list that another name fills": (LOOP.format(
        before="kept = []\nkeep = kept.append", then="keep(loss)", after=""), None),
    "losses that one backward goes through": (LOOP.format(
        before="kept = []", then="kept.append(net(x).mean())",
        after="torch.stack(kept).sum().backward()"), None),
    "a hook": (HOOK.format(""),
               "net.register_full_backward_hook(lambda m, i, o: seen.append(o))"),
    "a hook beside what is noted too": (
        HOOK.format("").replace("w = x", "torch.ones(1).std()\nw = x"),
        "net.register_full_backward_hook(lambda m, i, o: seen.append(o))",
    ),
    "a gradient of no leaf": (GRAD.format("h"), "    h.retain_grad()"),
    "a gradient that nothing comes to": (GRAD.format("h.detach() + net(x)"), None),
    "a schedule of epochs": (EPOCHS.format("epochs"), "    plan.step()"),
    "a schedule of batches": (EPOCHS.format("epochs * 16"), None),
    "a schedule of another": (OTHER.format("old"),
                              "plan = torch.optim.lr_scheduler.StepLR(opt, 30)"),
    "a softmax of one value": (YES.format(f"loss = {BCE}(net(x).softmax(1), (z + 1) / 2)"),
                               f"    loss = {BCE}(net(x).sigmoid(), (z + 1) / 2)"),
    "an average that follows nothing": (AVERAGE, "        a.copy_(0.9 * a + 0.1 * b)"),
    "targets of -1 and 1": (YES.format(f"loss = {BCE}_with_logits(net(x), z)"),
                            f"    loss = {BCE}_with_logits(net(x), (z + 1) / 2)"),
    "targets of -1, 0 and 1": (YES.format(f"loss = {BCE}_with_logits(net(x), z * (x[:, 1:2] > 0))"),
                               None),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
async def test_what_the_run_showed_is_mended(ask: Ask, name: str):
    question, wanted = ASKED[name]

    answer = await ask(question)

    fix = answer.fix
    if wanted is None:
        assert fix is None and not answer.alternatives
        assert answer.status in ("runs", "reproduced")
    else:
        assert answer.status == "fixed" and fix is not None and fix.verified
        come = [n for n in fix.diff.split("\n") if n[:1] == "+" and n[:3] != "+++"]
        assert come == [f"+{wanted}"]
