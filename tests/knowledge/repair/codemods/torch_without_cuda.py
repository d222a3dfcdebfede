"""Code for a GPU where this PyTorch has none."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

MOVES = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)

net = Net().cuda()
images = torch.randn(3, 4).cuda(non_blocking=True)
labels = torch.tensor([0, 1, 1], device="cuda")
loss = nn.functional.cross_entropy(net(images), labels)
loss.backward()
print(tuple(net.fc.weight.grad.shape))
"""

FIXED_DEVICE = """\
import torch
device = torch.device("cuda")
net = torch.nn.Linear(4, 2).to(device)
print(tuple(net(torch.ones(3, 4, device=device)).shape))
"""

BY_NAME = """\
import torch
net = torch.nn.Linear(4, 2)
net.to("cuda:0")
x = torch.ones(1, 4).to("cuda:0")
print(tuple(net(x).shape))
"""

SECOND = """\
import torch
x = torch.ones(2).to("cuda:1")
"""

LEFT_BEHIND = """\
import torch
net = torch.nn.Linear(4, 2).cuda()
print(net(torch.ones(3, 4)).shape)
"""

CASES = Cases(
    asked="I get AssertionError: Torch not compiled with CUDA enabled",
    mended={
        "a model and its batch": (
            MOVES,
            "images = torch.randn(3, 4).to(device, non_blocking=True)",
        ),
        "a device that is fixed": (
            FIXED_DEVICE,
            'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")',
        ),
        "by its name": (BY_NAME, 'device = "cuda" if torch.cuda.is_available() else "cpu"'),
    },
    refused={"a second GPU": SECOND, "a batch that is left behind": LEFT_BEHIND},
    wrong={
        "leave the GPU out": ("by its name", lambda code: code.replace('"cuda:0"', '"cpu"')),
        "move only the model": (
            "by its name",
            lambda code: swap(
                'net.to("cuda:0")', 'net.to("cuda" if torch.cuda.is_available() else "cpu")'
            )(swap('.to("cuda:0")\nprint', "\nprint")(code)),
        ),
        "leave it out": ("by its name", delete('net.to("cuda:0")')),
        "swallow": ("by its name", swallow('net.to("cuda:0")')),
    },
)
