"""A training, a function, a loss in one line; and outputs that are taken for probabilities."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

TRAINING = """\
import torch
from torch import nn
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
criterion = nn.BCELoss()   # spam or not
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(20, 4), torch.randint(0, 2, (20, 1)).float()
labels = torch.randint(0, 2, (20, 1)).float()
for _ in range(2):
    optimizer.zero_grad()
    loss = criterion(net(x), labels)
    loss.backward()
    optimizer.step()
"""

FUNCTION = """\
import torch
import torch.nn.functional as F
def step(weights):
    scores = 3 * weights
    truth = torch.tensor([1.0, 0.0])
    return F.binary_cross_entropy(scores, truth)   # mean
w = torch.tensor([1.0, -1.0], requires_grad=True)
step(w).backward()
"""

ONE_LINE = """\
import torch
scores = torch.tensor([[2.5], [-0.5]], requires_grad=True)
torch.nn.BCELoss(reduction="sum")(scores, torch.ones_like(scores)).backward()
print(scores.grad)
"""

CHOSEN = """\
import torch
net = torch.nn.Linear(2, 1)
out = net(torch.full((3, 2), 9.0)) + 50
labels = torch.ones(3, 1)
loss = torch.nn.BCELoss()(out, labels)
print((out > 0.5).sum())
"""

STARS = """\
import torch
net = torch.nn.Linear(2, 1)
out = net(torch.full((3, 2), 9.0)) + 50
stars = torch.tensor([[1.0], [5.0], [3.0]])
print(torch.nn.BCELoss()(out, stars))
"""

CASES = Cases(
    mended={
        "a training": (TRAINING, "criterion = nn.BCEWithLogitsLoss()   # spam or not"),
        "a function": (FUNCTION, "F.binary_cross_entropy_with_logits(scores, truth)   # mean"),
        "one line": (ONE_LINE, 'torch.nn.BCEWithLogitsLoss(reduction="sum")(scores, '),
    },
    refused={"a probability": CHOSEN, "stars": STARS},
    wrong={
        "scores of nothing": ("a training", swap("criterion(net(x)", "criterion(net(x) * 0")),
        "detached": ("a training", swap("criterion(net(x)", "criterion(net(x).detach().sigmoid()")),
        "leave it out": ("a training", delete("loss.backward()")),
        "swallow": ("a function", swallow("step(w).backward()")),
        "invented": ("one line", swap("(scores, torch", "(torch.rand_like(scores), torch")),
    },
)
