"""Values that leave PyTorch, and values that come back."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

PLOT = """\
import torch
net = torch.nn.Linear(2, 1)
out = net(torch.ones(3, 2))
points = out.numpy()   # to draw
print(points.shape)
"""

METRIC = """\
import numpy as np
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.ones(3, 2), torch.zeros(3, 1)
for _ in range(2):
    optimizer.zero_grad()
    out = net(x)
    (out - y).square().mean().backward()
    optimizer.step()
    print(np.abs(out.numpy()).shape)
"""

ARRAY = """\
import numpy as np
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
print(np.array(w))
"""

COMES_BACK = """\
import numpy as np
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.from_numpy(np.sin(w.numpy()))
y.sum().backward()
"""

ROUND_TRIP = """\
import numpy as np
import torch
net = torch.nn.Linear(2, 1)
out = net(torch.ones(3, 2))
clipped = np.clip(out.numpy(), 0, 1)
loss = (out - torch.tensor(clipped)).square().mean()
loss.backward()
"""

THROUGH = """\
import numpy as np
import torch
net = torch.nn.Linear(2, 1)
def root(x):
    return torch.from_numpy(np.sqrt(np.abs(x.numpy())))
print(root(net(torch.ones(3, 2))).shape)
"""

THROUGH_A_CALLER = """\
import numpy as np
import torch
net = torch.nn.Linear(2, 1)
def root(x):
    return np.sqrt(np.abs(x.numpy()))
print(torch.from_numpy(root(net(torch.ones(3, 2)))).shape)
"""

CASES = Cases(
    mended={
        "a plot": (PLOT, "points = out.detach().numpy()   # to draw"),
        "a metric": (METRIC, "np.abs(out.detach().numpy())"),
        "an array": (ARRAY, "print(np.array(w.detach()))"),
    },
    paired={
        "through a function": (THROUGH, ("np.abs(x.detach().numpy())",)),
        "through a function's caller": (THROUGH_A_CALLER, ("np.abs(x.detach().numpy())",)),
    },
    refused={"comes back": COMES_BACK, "round trip": ROUND_TRIP},
    wrong={
        "detached for good": (
            "a metric",
            swap("out = net(x)", "out = net(x).detach().requires_grad_()"),
        ),
        "no gradient": ("a plot", swap("points = out", "points = out.data")),
        "leave it out": ("an array", delete("print(np.array(w))")),
        "swallow": ("an array", swallow("print(np.array(w))")),
    },
)
