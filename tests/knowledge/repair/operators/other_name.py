"""Names that are spelled otherwise, were renamed, or are somewhere else."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

LOSS = """\
import torch
from torch import nn
net = nn.Linear(4, 3)
criterion = nn.CrossEntropyLos()   # three classes
criterion(net(torch.randn(3, 4)), torch.tensor([0, 2, 1])).backward()
"""

KERAS = """\
import torch.nn as nn
import torch
net = nn.Sequential(nn.Conv2D(1, 4, 3), nn.ReLU(), nn.MaxPool2D(2))
print(net(torch.randn(2, 1, 8, 8)).shape)
"""

OF_NUMPY = """\
import numpy as np
import torch
best = np.Inf   # until now
values = np.array([1, 2]).astype(np.float)
print(torch.from_numpy(values), best)
"""

OWN = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return self.fc(self.droput(x))   # some are left out

print(Net()(torch.randn(1, 4)).shape)
"""

WRAPPED = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)

net = nn.DataParallel(Net())
print(net.fc.weight.shape)   # two rows
"""

SUBSET = """\
import torch
from torch.utils.data import Dataset, random_split

class Pictures(Dataset):
    def __init__(self):
        self.classes = ["cat", "dog"]
        self.images = torch.rand(10, 2)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i]

train, test = random_split(Pictures(), [8, 2])
print(len(train.classes))   # two
"""

IMPORT = """\
import torch
from torch.nn.functional import pad_sequence, relu   # lengths differ
print(relu(pad_sequence([torch.ones(2), torch.ones(3)], batch_first=True)))
"""

MISTYPED = """\
import torch
from torch.utils.data import DataLaoder, TensorDataset
loader = DataLaoder(TensorDataset(torch.arange(4.0)), batch_size=2)
print(len(loader))
"""

KEY = """\
import torch
batch = {"image": torch.rand(2), "label": torch.tensor(1)}
print(batch.image.shape, batch.label)
"""

SAME_NAME = """\
import datetime
import torch
started = datetime.now()   # for the log
print(torch.ones(2), started.year > 2000)
"""

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

NUMBERED = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return self.fc3(self.fc1(x))

print(Net()(torch.randn(1, 4)).shape)
"""

NO_LAYER = """\
import torch
from torch import nn
layer = nn.ConvLSTM2d(1, 2, 3)
print(layer(torch.randn(1, 1, 4, 4)))
"""

OF_ALL = """\
import torch
from torch.utils.data import Dataset, random_split

class Pictures(Dataset):
    def __init__(self):
        self.images = torch.rand(10, 2)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i]

train, test = random_split(Pictures(), [8, 2])
print(test.images.mean())   # of the test set
"""

LISTED = OF_ALL.replace(
    "self.images = ", "self.labels = [0, 1] * 5\n        self.images = "
).replace("test.images.mean()", "sum(train.labels)")
OF_MORE = OF_ALL.replace("len(self.images)\n", "len(self.images) - 1\n")

COUNTER = """\
class Counter:
    def __init__(self):
        self.n = 0

print(Counter().next())
"""

BESIDE = """\
import torch
from torch import transforms

print(transforms.CenterCrop(2)(torch.rand(3, 4, 4)).shape)
"""

SLIPS = """\
import torch
from torch import nn

net = nn.Linear(2, 2)
optimizer = torch.optim.Adamm(net.parameters())
rows = torch.rand(3, 2)
net(rows).sum().backward()
print(rows.shap)
nn.utils.clip_gradient_norm_(net.parameters(), 1.0)
optimizer.step()
"""

A_FUNCTION = """\
import torch
from torch.tensor import tensor
print(tensor([1.0, 2.0]).sum())
"""

AN_ALIAS = """\
import torch
import torch.tensor as tensor   # a function
print(tensor([1.0, 2.0]).sum())
"""

GLUED = """\
import torch
from torchvision.utils import save_imageof_digits
save_image(torch.rand(1, 4, 4), "a.png")
print("saved")
"""

ANOTHER = """\
import torch
from torchvision.utils import write_image
save_image(torch.rand(1, 4, 4), "a.png")
"""

UNUSED = """\
import torch
from torch.nn import BatchNorm, ReLU6, Seqential   # the layers
print(Seqential(ReLU6())(torch.ones(2)))
"""

USED = """\
import torch
from torchvision.utils import make_image, save_image
make_image(torch.rand(3, 4, 4))
"""

SPELLED_MODULE = """\
import torch
import torch.nn.functionals as F   # the usual name

print(F.relu(torch.tensor([-1.0, 2.0])))
"""

WITHOUT_SELF = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return drop(self.fc(x))   # half of them

print(Net()(torch.ones(2, 3)).shape)
"""

SLIPPED = """\
import torch

def norm(values):
    centred = values - values.mean()
    return centerd / centred.std()   # of one

print(norm(torch.randn(5)).shape)
"""

GRAPH_OF_NUMPY = """\
import numpy as np
import torch

w = torch.ones(3, requires_grad=True)
loss = np.log1p(w * 2).sum()   # smooth
loss.backward()
print(w.grad is not None)
"""

NETWORK = """\
import torch
from torch import nn

net = nn.ResNet18(num_classes=4)   # four kinds
print(sum(p.numel() for p in net.parameters()) > 0)
"""

TAKEN_BACK = """\
import torch

try:
    weights = torch.load("weights.pt")
except FileNotFoundError as problem:
    weights = torch.ones(3)
print(weights.sum(), problem)
"""

ARRAY = """\
import torch
scores = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
table = scores.to_numpy()
print(table.mean())   # for the report
"""
OF_VISION = """\
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 4, 1), nn.FrozenBatchNorm2d(4))   # statistics as they are
print(net(torch.rand(1, 3, 2, 2)).shape)
"""

HEAD = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3))
net.requires_grad_(False)
net.fc.requires_grad_(True)
loss = net(torch.rand(5, 6)).pow(2).mean()
loss.backward()
print(net.fc.weight.grad.shape)
"""

BRANCH = """\
import torch
from torch import nn

class Reader(nn.Module):
    def __init__(self, kind, size=6):
        super().__init__()
        if kind == "gru":
            self.gru_size = size
            self.out_size = self.gru_size
            self.cell = nn.GRU(3, self.gru_size)
        elif kind == "lstm":
            self.lstm_size = size
            self.out_size = self.lstm_size
            self.cell = nn.LSTM(3, self.gru_size)
        else:
            self.lstm_size = size
            self.out_size = self.lstm_size * 2
            self.cell = nn.LSTM(3, self.gru_size, bidirectional=True)
        self.out = nn.Linear(self.out_size, 2)

    def forward(self, x):
        return self.out(self.cell(x)[0])

for kind in ("gru", "lstm", "both"):
    print(Reader(kind)(torch.randn(5, 2, 3)).shape)
"""

TWO_OF_A_BRANCH = BRANCH.replace(
    "self.lstm_size = size\n", "self.lstm_size = size\n            self.own_size = size\n"
)

GONE_TOKENIZER = """\
from pathlib import Path

from transformers import BertTokenizer, MT5Tokenizer

Path("vocab.txt").write_text("[UNK]\\n[PAD]\\n[CLS]\\n[SEP]\\n[MASK]\\nsun\\nmoon\\n")
BertTokenizer("vocab.txt").save_pretrained("words")
tokenizer = MT5Tokenizer.from_pretrained("words")   # what was saved
print(tokenizer.tokenize("sun moon"))
"""

MADE_TOKENIZER = """\
from transformers import MT5Tokenizer

tokenizer = MT5Tokenizer(vocab_file="words.model")
print(tokenizer.tokenize("sun"))
"""

CASES = Cases(
    mended={
        "the last layer": (HEAD, "net[2].requires_grad_(True)"),
        "a layer for pictures": (OF_VISION, "torchvision.ops.FrozenBatchNorm2d(4))   # stat"),
        "a name without self": (WITHOUT_SELF, "self.drop(self.fc(x))   # half of them"),
        "a slip in a variable": (SLIPPED, "return centred / centred.std()   # of one"),
        "a module": (SPELLED_MODULE, "import torch.nn.functional as F   # the usual name"),
        "a function of NumPy": (GRAPH_OF_NUMPY, "loss = torch.log1p(w * 2).sum()   # smooth"),
        "a network": (NETWORK, "torchvision.models.resnet18(num_classes=4)   # four kinds"),
        "a letter too few": (LOSS, "nn.CrossEntropyLoss()   # three classes"),
        "from Keras": (KERAS, "nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2)"),
        "the error's own words": (OF_NUMPY, "values = np.array([1, 2]).astype(float)"),
        "a layer of their own": (OWN, "self.fc(self.dropout(x))   # some"),
        "inside a wrapper": (WRAPPED, "net.module.fc.weight.shape)   # two rows"),
        "of the whole data set": (SUBSET, "len(train.dataset.classes))   # two"),
        "of the samples of a part": (
            OF_ALL,
            "test.dataset.images[test.indices].mean())   # of the",
        ),
        "listed for a part": (LISTED, "sum([train.dataset.labels[i] for i in train.indices]"),
        "of this branch": (
            BRANCH,
            "nn.LSTM(3, self.lstm_size)\n        else:",
        ),
        "an import": (IMPORT, "from torch.nn.utils.rnn import pad_sequence\n"),
        "an import mistyped": (MISTYPED, "loader = DataLoader(TensorDataset("),
        "of a library beside it": (BESIDE, "from torchvision import transforms\n"),
        "one slip after another": (SLIPS, "nn.utils.clip_grad_norm_(net.parameters(), 1.0)"),
        "a function in a module": (A_FUNCTION, "from torch import tensor\n"),
        "a function under a name": (AN_ALIAS, "from torch import tensor   # a function\n"),
        "two words in one": (GLUED, "from torchvision.utils import save_image\n"),
        "a tokenizer that is gone": (GONE_TOKENIZER, 'AutoTokenizer.from_pretrained("words")   #'),
        "one that nothing uses": (UNUSED, "from torch.nn import ReLU6, Sequential   # the layers"),
        "a key": (KEY, "print(batch['image'].shape, batch['label'])"),
        "a class in a module": (SAME_NAME, "datetime.datetime.now()   # for the log"),
        "the next batch": (NEXT, "(first,) = next(batches)   # one batch"),
        "what a table has": (ARRAY, "table = scores.numpy()\nprint("),
        "a state_dict": (WEIGHTS, "in net.state_dict().items():"),
        "the rate": (RATE, 'print("at last", plateau.get_last_lr())'),
        "the profiler": (EVENTS, "for event in prof.function_events]   # what ran"),
    },
    paired={},
    refused={
        "two of a branch": TWO_OF_A_BRANCH,
        "a name that its handler takes back": TAKEN_BACK,
        "a tokenizer that is made": MADE_TOKENIZER,
        "it is used": USED,
        "another name is used": ANOTHER,
        "another number": NUMBERED,
        "no such layer": NO_LAYER,
        "of more than there are": OF_MORE,
        "a class of one's own": COUNTER,
    },
    wrong={
        "a size for all": (
            "of this branch",
            swap(
                "            self.lstm_size = size\n",
                "            self.lstm_size = self.gru_size = 3\n",
            ),
        ),
        "another batch": ("the next batch", swap("batches.next()", "[torch.zeros(2)]")),
        "nothing to go over": ("a state_dict", swap("net.state_dict().iteritems()", "[]")),
        "swallow": ("the next batch", swallow("(first,) = batches.next()   # one batch")),
        "ask politely": ("the profiler", swap("prof.events()", "getattr(prof, 'events', [])")),
        "leave it out": (
            "the rate",
            lambda code: delete("print(plateau.get_lr()[0])")(
                swap('print("at last", plateau.get_lr())', 'print("at last")')(code)
            ),
        ),
        "another loss": ("a letter too few", swap("nn.CrossEntropyLos()", "nn.MSELoss()")),
    },
)
