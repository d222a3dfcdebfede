"""Methods and attributes that go by another name today."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

NEXT = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.arange(6.0)), batch_size=2)
batches = iter(loader)
(first,) = batches.next()   # one batch
print(first)
"""

WEIGHTS = """\
import torch
from torch import nn
net = nn.Linear(2, 3)
total = 0
for name, value in net.state_dict().iteritems():
    total += value.numel()   # all numbers
print(total)
"""

RATE = """\
import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
plateau = ReduceLROnPlateau(optimizer, patience=0)
for loss in (1.0, 1.0, 1.0):
    plateau.step(loss)
    print(plateau.get_lr()[0])
print("at last", plateau.get_lr())
"""

EVENTS = """\
import torch
from torch.autograd import profiler
with profiler.profile() as prof:
    torch.randn(8, 8) @ torch.randn(8, 8)
names = [event.name for event in prof.events()]   # what ran
print("aten::mm" in names)
"""

OWN = """\
class Counter:
    def __init__(self):
        self.n = 0

print(Counter().next())
"""

FOLDERS = """\
import torch
from torch.utils.data import DataLoader
loader = DataLoader(torch.arange(4.0), batch_size=2)
print(loader.sampler.indices)
"""

CASES = Cases(
    mended={
        "the next batch": (NEXT, "(first,) = next(batches)   # one batch"),
        "a state_dict": (WEIGHTS, "in net.state_dict().items():"),
        "the rate": (RATE, 'print("at last", plateau.get_last_lr())'),
        "the profiler": (EVENTS, "for event in prof.function_events]   # what ran"),
    },
    refused={"a class of one's own": OWN, "no such thing": FOLDERS},
    wrong={
        "another batch": ("the next batch", swap("batches.next()", "[torch.zeros(2)]")),
        "nothing to go over": ("a state_dict", swap("net.state_dict().iteritems()", "[]")),
        "no rate": (
            "the rate",
            lambda code: delete("print(plateau.get_lr()[0])")(
                swap('print("at last", plateau.get_lr())', 'print("at last")')(code)
            ),
        ),
        "swallow": ("the next batch", swallow("(first,) = batches.next()   # one batch")),
        "ask politely": ("the profiler", swap("prof.events()", "getattr(prof, 'events', [])")),
    },
)
