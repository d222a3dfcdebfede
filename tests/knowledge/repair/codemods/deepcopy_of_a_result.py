"""A model's output, a value on the way, a best result; and what is no tensor itself."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

OUTPUT = """\
import copy
import torch
out = torch.nn.Linear(2, 1)(torch.ones(3, 2))
kept = copy.deepcopy(out)   # for later
print(kept.shape, kept is out)
"""

ON_THE_WAY = """\
from copy import deepcopy
import torch
def twice(w):
    middle = w * 3
    other = deepcopy(middle)
    return middle + other
print(twice(torch.ones(2, requires_grad=True)).sum() == 12)
"""

BEST = """\
import copy
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
best = None
for scale in (1.0, 0.5):
    score = (w * scale).square().sum()
    best = copy.deepcopy(score)   # the last one
score.backward()
print(float(best), w.grad)
"""

MODULE = """\
import copy
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 1)
    def forward(self, x):
        self.last = self.fc(x)
        return self.last
net = Net()
net(torch.ones(1, 2))
copy.deepcopy(net)
"""

LIST = """\
import copy
import torch
outputs = [torch.ones(2, requires_grad=True) * 2]
print(copy.deepcopy(outputs))
"""

CASES = Cases(
    mended={},
    paired={
        "an output": (
            OUTPUT,
            ("kept = out.detach().clone()   # for later", "kept = out.clone()   # for later"),
        ),
        "on the way": (ON_THE_WAY, ("other = middle.detach().clone()", "other = middle.clone()")),
        "the best": (BEST, ("best = score.detach().clone()   #", "best = score.clone()   #")),
    },
    refused={"a module": MODULE, "a list": LIST},
    wrong={
        "no copy": ("an output", swap("copy.deepcopy(out)", "out")),
        "another tensor": ("an output", swap("copy.deepcopy(out)", "torch.zeros(3, 1).clone()")),
        "leave it out": ("an output", delete("kept = copy.deepcopy(out)   # for later")),
        "swallow": ("an output", swallow("kept = copy.deepcopy(out)   # for later")),
    },
)
