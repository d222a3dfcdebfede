"""Keywords of other libraries and of other years, and slips of the pen."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

WORDS = """\
import torch
from torch import nn
table = nn.Embedding(
    vocab_size=50,   # words
    embed_dim=8,
)
print(table(torch.tensor([1, 49])).shape)
"""

VERBOSE = """\
import torch
from torch.optim.lr_scheduler import StepLR
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=1, gamma=0.5, verbose=True)   # halve it
net(torch.randn(3, 2)).square().mean().backward()
optimizer.step()
scheduler.step()
print(scheduler.get_last_lr())
"""

RATE = """\
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(net.parameters(), learning_rate=0.01)
net(torch.randn(3, 2)).square().mean().backward()
optimizer.step()
print(optimizer.param_groups[0]['lr'])
"""

KERAS = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(rate=0.3), nn.LSTM(4, hidden_dim=3))
print(net(torch.randn(2, 4))[0].shape)
"""

OWN = """\
import torch

def spread(table, keepdims):
    return table.amax(1, keepdim=keepdims) - table.amin(1, keepdim=keepdims)

x = torch.rand(2, 3)
print(spread(x, keepdim=True).shape, spread(x + 1, keepdim=False).shape)
print(spread(x.t(), keepdim=True).shape)
"""

IN_C = """\
import torch
weights = torch.randn(3, required_grad=True)   # to be trained
weights.sum().backward()
print(weights.grad)
"""

DROPOUT = """\
import torch
x = torch.dropout(torch.ones(4), p=0.5, training=False)   # as in F.dropout
print(x)
"""

IN_PLACE = """\
import torch
x = torch.tensor([1.0, 2.0])
torch.sigmoid(x, inplace=True)   # no copy
print(x)
"""

NAMED = """\
from torch import nn
layers = [nn.Linear(4, 4), nn.ReLU()]
net = nn.Sequential(*layers, head=nn.Linear(4, 2))   # three
print(net)
"""

SKLEARN = """\
import torch
from sklearn.manifold import TSNE
points = torch.randn(20, 5).numpy()
print(TSNE(n_components=2, perplexity=5, n_iter=300).fit_transform(points).shape)
"""

MOMENTUM = """\
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(net.parameters(), momentum=0.9)
net(torch.randn(3, 2)).square().mean().backward()
optimizer.step()
"""

DEPTH = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 1)
print(Net(width=3, depth=2))
"""

NO_SWITCH = """\
import torch
x = torch.tensor([1.0, 2.0])
y = torch.mean(x, inplace=True)
print(y)
"""

NO_PADDING = """\
import torch
from torch import nn

layer = nn.Linear(3, 2, padding=None)
print(layer(torch.ones(1, 3)).shape)
"""

OF_TWO_LAYERS = """\
import torch
from torch import nn
net = nn.Sequential(first=nn.Linear(2, 3), then=nn.ReLU())
print(net(torch.ones(2)).shape)
"""

GRID = """\
import torch
from torchvision.utils import make_grid
grid = make_grid(torch.rand(4, 3, 5, 5), nrows=2, normalize=True, range=(0, 1))   # two and two
print(grid.shape)
"""

CASES = Cases(
    mended={
        "of another library": (WORDS, "num_embeddings=50,   # words\n    embedding_dim=8,"),
        "verbose": (VERBOSE, "StepLR(optimizer, step_size=1, gamma=0.5)   # halve it"),
        "learning_rate": (RATE, "torch.optim.Adam(net.parameters(), lr=0.01)"),
        "from Keras": (KERAS, "nn.Dropout(p=0.3), nn.LSTM(4, hidden_size=3)"),
        "everywhere": (OWN, "print(spread(x.t(), keepdims=True).shape)"),
        "a function of C": (IN_C, "torch.randn(3, requires_grad=True)   # to be trained"),
        "in place": (IN_PLACE, "torch.sigmoid_(x)   # no copy"),
        "dropout": (DROPOUT, "torch.dropout(torch.ones(4), p=0.5, train=False)   # as"),
        "a named layer": (NAMED, "nn.Sequential(*layers, nn.Linear(4, 2))   # three"),
        "one moved, one misspelt": (GRID, "normalize=True, value_range=(0, 1))   # two and two"),
        "another library's": (SKLEARN, "perplexity=5, max_iter=300)"),
    },
    paired={"a switch that is off, and there is none": (NO_PADDING, ("nn.Linear(3, 2)",))},
    refused={
        "nothing like it": MOMENTUM,
        "their own class": DEPTH,
        "no such switch": NO_SWITCH,
        "names of two layers": OF_TWO_LAYERS,
    },
    wrong={
        "the argument is lost": ("learning_rate", swap(", learning_rate=0.01", "")),
        "another number": ("of another library", swap("vocab_size=50", "num_embeddings=500")),
        "no scheduler": (
            "verbose",
            delete(
                "scheduler = StepLR(optimizer, step_size=1, gamma=0.5, verbose=True)   # halve it"
            ),
        ),
        "swallow": (
            "learning_rate",
            swallow("optimizer = torch.optim.Adam(net.parameters(), learning_rate=0.01)"),
        ),
        "not in place": ("in place", swap(", inplace=True", "")),
        "without the layer": ("a named layer", swap(", head=nn.Linear(4, 2)", "")),
        "never steps": ("learning_rate", delete("optimizer.step()")),
    },
)
