"""Loops that lack a call: backward, step, zero_grad, train, a scaler's step."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import CLASS, CLASSIFIER, changed

NO_STEP = changed(CLASSIFIER, ("    optimizer.step()   # the weights move\n", ""))
NO_STEP_CLASS = changed(CLASS, ("        self.optimizer.step()\n", ""))
CLIPPED = changed(
    NO_STEP, ("    loss.backward()\n", "    loss.backward()\n"
              "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"),
)  # fmt: skip
NO_BACKWARD = changed(CLASS, ("        loss.backward()\n", ""))
RESET_BETWEEN = changed(
    CLASSIFIER,
    ("    optimizer.zero_grad()\n    loss.backward()\n",
     "    loss.backward()\n    optimizer.zero_grad()\n"),
)  # fmt: skip
STAYS = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.3), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def evaluate():
    net.eval()
    with torch.no_grad():
        return net(torch.randn(8, 6)).argmax(1)
for epoch in range(4):
    for _ in range(4):
        loss = F.cross_entropy(net(torch.randn(16, 6)), torch.randint(3, (16,)))
        opt.zero_grad()
        loss.backward()
        opt.step()
    evaluate()
"""
SCALED = """\
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
net = nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for _ in range(8):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(net(torch.randn(16, 6)), torch.randint(3, (16,)))
    opt.zero_grad()
    scaler.scale(loss).backward()
    opt.step()
"""
TWO_BACKWARDS = changed(
    NO_STEP, ("    loss.backward()\n", "    loss.backward()\n    model(x).sum().backward()\n")
)  # fmt: skip
NOTHING_TO_CALL = changed(
    NO_BACKWARD,
    ("        loss = self.criterion(self.net(x), y)\n",
     "        value = self.net(x).argmax(1)\n"),
    ("        return loss.item()\n", "        return value\n"),
)  # fmt: skip

CASES = Cases(
    mended={
        "no step": (NO_STEP, "    loss.backward()\n    optimizer.step()\n"),
        "no backward": (NO_BACKWARD, "        loss.backward()\n        self.optimizer.step()"),
        "no step in a class": (NO_STEP_CLASS, "        self.optimizer.step()\n"),
        "behind the clipping": (CLIPPED, "(model.parameters(), 1.0)\n    optimizer.step()\n"),
        "reset in between": (RESET_BETWEEN, "    optimizer.zero_grad()\n    loss.backward()\n"),
        "back to training": (STAYS, "    net.train()\n    for _ in range(4):"),
        "a scaler's step": (SCALED, "    scaler.step(opt)\n    scaler.update()"),
    },
    refused={"two backwards": TWO_BACKWARDS, "no loss": NOTHING_TO_CALL},
    wrong={
        "step before backward": (
            "no step", swap("    loss.backward()", "    optimizer.step()\n    loss.backward()")
        ),
        "by hand": ("no step", swap("    loss.backward()",
                                    "    loss.backward()\n    model[0].weight.data.add_(1)")),
        "backward of a copy": ("no backward", swap(
            "        self.optimizer.step()",
            "        loss.detach().requires_grad_().backward()\n        self.optimizer.step()")),
        "without backward": ("no step", delete("loss.backward()")),
        "swallowed": ("no step", swallow("loss.backward()")),
        "step alone": ("a scaler's step", swap("scaler.scale(loss).backward()",
                                               "loss.detach().requires_grad_().backward()")),
    },
)  # fmt: skip
