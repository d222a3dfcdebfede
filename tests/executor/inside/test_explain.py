"""executor/inside/explain: said about an error, from live values, on programs of our own."""

from __future__ import annotations

import textwrap

import pytest

from executor.inside.explain.families import attributes
from executor.protocol import Explanation, JobResult, Outcome
from tests.executor.conftest import House

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"  # lines 1 to 3


def program(code: str) -> str:
    """The program's own first line is line 4."""
    return HEAD + textwrap.dedent(code).strip("\n") + "\n"


def ran(house: House, code: str, **more: object) -> JobResult:
    """Run it; nothing of ours may have failed on the way."""
    result = house.run(program(code), **more)
    assert result.detail == "", result.detail
    return result


def told(house: House, code: str) -> Explanation:
    """What is said about the error that ends the program."""
    result = ran(house, code)
    assert result.outcome is Outcome.ERROR and result.error is not None, result
    assert result.explanation is not None, result.error
    return result.explanation


NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.head = nn.Sequential(
            nn.ReLU(),
            nn.Linear(512, 10),
        )

    def forward(self, x):
        x = self.conv(x)
        x = x.flatten(1)
        return self.head(x)

"""

# family → programs; each with what the text must contain. The error is the last line's or inside.
SAID: list[tuple[str, str, str, list[str]]] = [
    ("matmul", "layer", NET + "Net()(torch.randn(2, 3, 8, 8))",
     ["`self.head.1` is Linear(in_features=512, out_features=10", "made at line 10", "[2, 288]",
      "the output of self.head.0 (ReLU)", "in_features would have to be 288"]),
    ("matmul", "not flattened", "fc = nn.Linear(48, 2)\nx = torch.randn(5, 3, 4, 4)\nfc(x)",
     ["`fc` is Linear(in_features=48", "made at line 4", "float32 [5, 3, 4, 4], from line 5",
      "3·4·4 = 48"]),
    ("matmul", "other dimension", "fc = nn.Linear(7, 2)\nx = torch.randn(2, 7, 5)\nfc(x)",
     ["its dimension 1 is 7"]),
    ("matmul", "renamed size", "fc = nn.Linear(4, 2)\nx = torch.ones(3, 6)\n"
     "fc.in_features = 6\nfc(x)",
     ["The weight of `fc`, made at line 4, is [2, 4] and takes rows of 4",
      "float32 [3, 6], from line 5", "`in_features` says 6"]),
    ("matmul", "two matrices", "a = torch.randn(3, 4)\nb = torch.randn(5, 4)\na @ b",
     ["`a` [3, 4] (line 4) gives rows of 4", "`b` [5, 4] (line 5) has 5 "
                                             "rows", "`a @ b.T` would fit"]),
    ("matmul", "unnamed operand", "a = torch.randn(3, 4)\nb = torch.randn(2, 4)\n"
     "torch.mm(torch.cat((a, a), dim=1), b.T)",
     ["`torch.cat((a, a), dim=1)` [3, 8]", "`b.T` [4, 2] (line 5)"]),
    ("matmul", "vector", "a = torch.randn(3, 4)\nv = torch.randn(5)\na @ v",
     ["`a` [3, 4] (line 4) gives 4", "`v` [5] (line 5) has 5"]),
    ("broadcast", "add", "a = torch.ones(4, 3)\nb = torch.ones(4, 5)\na + b",
     ["`a` [4, 3] (line 4)", "`b` [4, 5] (line 5)", "3 stands against 5"]),
    ("broadcast", "rows", "a = torch.ones(4, 3)\nscale = torch.ones(4)\na * scale",
     ["one value for each of the 4 rows", "[4, 1]"]),
    ("broadcast", "in place", "a = torch.ones(3)\nb = torch.ones(2, 3)\na += b",
     ["`b` [2, 3] (line 5)", "would be [2, 3]", "into `a` [3] (line 4)"]),
    ("api", "removed", "torch.rfft(torch.ones(4), 1)", ["`torch.fft.rfft`"]),
    ("api", "case", "nn.Conv2D(1, 1, 3)", ["`torch.nn.Conv2d`"]),
    ("api", "method", "torch.scatter_add_(1)", ["`Tensor.scatter_add_`"]),
    ("api", "elsewhere", "nn.relu(torch.ones(1))",
     ["there is `ReLU`, and the function is `torch.relu`"]),
    ("api", "closest", "F.binary_cross_entropy_logits(1, 2)",
     ["closest name", "binary_cross_entropy_with_logits"]),
    ("no_grad_fn", "detach", "w = torch.ones(3, requires_grad=True)\ny = (w * 2).detach()\n"
     "loss = y.sum()\nloss.backward()",
     ["`loss` (one value) (line 6)", "`detach()` at line 5", "`w` [3] (line 4)"]),
    ("no_grad_fn", "no_grad", "m = nn.Linear(2, 1)\nwith torch.no_grad():\n"
     "    out = m(torch.ones(1, 2))\nloss = out.sum()\nloss.backward()",
     ["`out` [1, 1] (line 6)", "`torch.no_grad()` (line 5)", "`m` (line 4)"]),
    ("no_grad_fn", "leaf", "x = torch.ones(3)\nloss = (x * 2).sum()\nloss.backward()",
     ["line 5 computes it from `x` [3] (line 4), which does not require grad"]),
    ("no_grad_fn", "new tensor", "w = torch.ones(3, requires_grad=True)\n"
     "loss = torch.tensor(w.sum().item())\nloss.backward()", ["line 5", "`w` [3] (line 4)"]),
    ("leaf_in_place", "update", "w = torch.ones(3, requires_grad=True)\nw.sum().backward()\n"
     "w -= 0.1 * w.grad", ["`w` [3] (line 4) is a leaf "
                           "tensor", "`w -= 0.1 * w.grad`", "update step"]),
    ("leaf_in_place", "view", "p = nn.Parameter(torch.ones(3))\np[0] = 5",
     ["`p` [3] (line 4) is a Parameter", "`p[0] = 5`", "through a view"]),
    ("view", "all given", "x = torch.ones(4, 6)\nx.view(5, 5)",
     ["`x` [4, 6] (line 4) holds 4·6 = 24", "5·5 = 25"]),
    ("view", "minus one", "x = torch.ones(2, 3, 5, 5)\nx.view(-1, 48)",
     ["150", "150/48", "One entry of dimension 0 has 75 values"]),
    ("view", "strides", "x = torch.ones(4, 6)\ny = x.transpose(0, 1)\ny.view(24)",
     ["`y` [6, 4] (line 5)", "[1, 6]", "`transpose` at line 5"]),
    ("grad_of_many", "loss", "m = nn.Linear(2, 3)\nloss_fn = nn.MSELoss(reduction='none')\n"
     "loss = loss_fn(m(torch.ones(4, 2)), torch.ones(4, 3))\nloss.backward()",
     ["`loss` [4, 3] (line 6) has 12 values", "`loss_fn` (line 5) has reduction='none'"]),
    ("grad_of_many", "gradient", "x = torch.ones(3, requires_grad=True)\ny = x * 2\n"
     "y.backward(torch.ones(2))", ["`y` [3] (line 5)", "[2]"]),
    ("distribution", "greys", "x = torch.tensor([0.0, 0.4, 1.0])\n"
     "torch.distributions.Bernoulli(torch.tensor(0.5)).log_prob(x)",
     ["`x` [3] (line 4) as `value`", "from 0 to 1, and those between 0 and 1 are none"]),
    ("forward_is_nan", "power", "x = torch.tensor([-1.0, 2.0, -3.0], requires_grad=True)\n"
     "loss = (x.abs() - 2).pow(1 / 3).norm()\n"
     "with torch.autograd.detect_anomaly():\n    loss.backward()",
     ["`loss` is nan before backward() begins", "a power was taken of a negative value."]),
    ("forward_is_nan", "logarithm", "x = torch.tensor([-1.0, -2.0], requires_grad=True)\n"
     "loss = x.log().norm()\nwith torch.autograd.detect_anomaly():\n    loss.backward()",
     ["a logarithm was taken of 2 negative values."]),
    ("forward_is_nan", "root", "x = torch.tensor([-1.0, 2.0], requires_grad=True)\n"
     "loss = x.sqrt().norm()\nwith torch.autograd.detect_anomaly():\n    loss.backward()",
     ["a root was taken of a negative value."]),
    ("forward_is_nan", "of a whole power", "x = torch.tensor([-1.0, 0.0], requires_grad=True)\n"
     "loss = (x.pow(3.0) / x).norm()\nwith torch.autograd.detect_anomaly():\n    loss.backward()",
     ["the forward made it."]),
    ("recurrent", "input_size", "rnn = nn.LSTM(8, 16, batch_first=True)\nx = torch.ones(2, 5, "
                                "6)\nrnn(x)",
     ["`rnn` is LSTM(8, 16", "made at line 4", "[2, 5, 6], from line 5",
      "input_size would have to be 6"]),
    ("recurrent", "transposed", "rnn = nn.GRU(8, 16)\nx = torch.ones(2, 8, 6)\nrnn(x)",
     ["dimension 1 is 8"]),
    ("recurrent", "hidden", "rnn = nn.GRU(4, 16)\nx = torch.ones(2, 5, 4)\nh = torch.zeros(1, 2, "
                            "16)\n"
     "rnn(x, h)", ["`h` (line 6) is [1, 2, 16]", "it would be [1, 5, 16]", "not batch_first"]),
    ("recurrent", "unbatched", "rnn = nn.LSTM(4, 3)\nx = torch.ones(2, 4)\n"
     "h = torch.zeros(1, 1, 3)\nrnn(x, (h, h))",
     ["[2, 4], from line 5", "state would be [1, 3]"]),
    ("conv_dimensions", "of a norm",
     "norm = nn.BatchNorm1d(3)\nx = torch.ones(2, 3, 4, 4)\nnorm(x)",
     ["4 dimensions", "It takes 2 dimensions or 3, the batch first."]),
    ("recurrent", "dimensions", "rnn = nn.RNN(4, 3)\nx = torch.ones(1, 2, 3, 4)\nrnn(x)",
     ["4 dimensions", "2 dimensions, or 3 with a batch"]),
    ("cat", "sizes", "a = torch.ones(2, 3)\nb = torch.ones(4, 3)\ntorch.cat([a, b], dim=1)",
     ["`a` [2, 3] (line 4) and `b` [4, 3] (line 5)", "dimension 0 (2 against 4)",
      "the only dimension in which they differ"]),
    ("cat", "ranks", "a = torch.ones(2, 3)\nb = torch.ones(2)\ntorch.cat([a, b])",
     ["`a` [2, 3] (line 4) has 2", "`b` [2] (line 5) has 1"]),
    ("cat", "zero", "a = torch.ones(2)\nb = torch.tensor(1.0)\ntorch.cat([a, b])",
     ["`b` (one value) (line 5)"]),
    ("conv_channels", "last", "conv = nn.Conv2d(3, 8, 3)\nx = torch.ones(1, 20, 20, 3)\nconv(x)",
     ["`conv` is Conv2d(3, 8", "made at line 4", "channels-last", "the last dimension is 3"]),
    ("conv_channels", "count", "conv = nn.Conv2d(3, 8, 3)\nx = torch.ones(1, 4, 20, 20)\nconv(x)",
     ["in_channels would have to be 4"]),
    ("conv_channels", "one sample", "conv = nn.Conv2d(3, 8, 3)\nx = torch.ones(20, 20, 3)\nconv(x)",
     ["taken as one sample", "dimension 0 (20)", "its last dimension 3"]),
    ("conv_channels", "open", "conv = nn.Conv2d(8, 4, 3)\nx = torch.ones(1, 3, 8, 8)\nconv(x)",
     ["in_channels would have to be 3"]),
    ("matmul", "projection", "a = nn.MultiheadAttention(8, 2, batch_first=True)\n"
     "q = torch.ones(3, 1, 8)\nk = torch.ones(3, 1, 6)\na(q, k, k)",
     ["embed_dim 8 and 2 heads, batch_first", "`q` [3, 1, 8] (line 5)", "`k` [3, 1, 6] (line 6)"]),
    ("conv_dimensions", "flat", "conv = nn.Conv2d(3, 8, 3)\nx = torch.ones(20, 20)\nconv(x)",
     ["[20, 20], from line 5", "3 dimensions, or 4 with a batch"]),
    ("pad", "dimensions", "x = torch.ones(2, 5)\nF.pad(x, (1, 1, 0, 0, 2, 2))",
     ["`x` [2, 5] (line 4) has 2 dimensions", "up to 4, and gets 6"]),
    ("conv_size", "reflection", "x = torch.ones(1, 1, 2)\nF.pad(x, (3, 3), mode='reflect')",
     ["`x` [1, 1, 2] (line 4) is too small"]),
    ("conv_size", "kernel", "m = nn.Sequential(nn.MaxPool2d(4), nn.Conv2d(1, 1, 5))\n"
     "m(torch.ones(1, 1, 12, 12))", ["`m.1` is Conv2d(1, 1", "3×3", "5×5"]),
    ("dtype", "layer", "fc = nn.Linear(2, 1)\nids = torch.tensor([[1, 2]])\nfc(ids)",
     ["`fc`", "float32 weights", "int64 [1, 2], from line 5", "without a decimal point"]),
    ("dtype", "two", "a = torch.ones(2, 2)\nb = torch.ones(2, 2).double()\na @ b",
     ["`a` (line 4) is float32", "`b` (line 5) is float64"]),
    ("dtype", "in place", "n = torch.tensor([1, 2])\nn *= "
                          "0.5", ["`n` is int64, from line 4", "float32"]),
    ("construction", "ragged", "rows = [[1, 2], [3]]\ntorch.tensor(rows)",
     ["2 rows of `rows` (line 4)", "lengths 2 and 1"]),
    ("construction", "text", "labels = [1, 'cat']\ntorch.tensor(labels)",
     ["`labels[1]` (line 4) is 'cat'"]),
    ("construction", "strided", "nn.Conv1d(2, 2, 3, stride=2, padding='same')",
     ["with `same` the stride would have to be 1, and it is (2,)"]),
    ("construction", "groups", "nn.Conv2d(6, 5, 3, groups=2)",
     ["out_channels 5 is not a multiple of groups 2"]),
    ("construction", "heads", "nn.MultiheadAttention(10, 3)",
     ["embed_dim=10", "num_heads=3", "10 is not a multiple of 3"]),
    ("object_attribute", "own class", "class Box:\n    def __init__(self):\n        self.widht = "
                                      "1\n"
     "b = Box()\nb.width", ["`Box` (line 4)", "`widht` (line 6)"]),
    ("object_attribute", "layer", "fc = nn.Linear(2, "
                                  "1)\nfc.weights", ["`fc` (line 4) is Linear", "`weight`"]),
    ("stack", "entries", "a = torch.ones(2)\nb = torch.ones(3)\ntorch.stack([a, b])",
     ["`a` [2] (line 4)", "`b` [3] (line 5)"]),
    ("stack", "collate", "data = [torch.ones(2), torch.ones(3)]\n"
     "loader = torch.utils.data.DataLoader(data, batch_size=2)\nfor batch in loader: pass",
     ["`loader` (line 5)", "2 samples", "[2] and [3]"]),
    ("stack", "none", "class D(torch.utils.data.Dataset):\n    def __len__(self): return 2\n"
     "    def __getitem__(self, i): pass\nnext(iter(torch.utils.data.DataLoader(D())))",
     ["`D.__getitem__` (line 6)", "None"]),
    ("index", "bounds", "x = torch.ones(2, 3)\nfor i in range(4):\n    x[:, i]",
     ["`x` [2, 3] (line 4)", "0 to 2 in dimension 1", "`i` is 3, from `range(4)` at line 5"]),
    ("index", "too many", "x = torch.ones(2, 3)\nx[0, 1, 2]", ["`x` [2, 3] (line 4) has 2 "
                                                               "dimensions",
     "`[0, 1, 2]` names 3"]),
    ("state_dict", "prefix", "a = nn.Sequential(nn.Linear(2, 1))\n"
     "sd = {'module.' + k: v for k, v in a.state_dict().items()}\na.load_state_dict(sd)",
     ["`sd` (line 5)", "prefix 'module.'"]),
    ("state_dict", "shape", "a, b = nn.Linear(2, 1), nn.Linear(3, "
                            "1)\na.load_state_dict(b.state_dict())",
     ["`weight` is [1, 2] in `a` (line 4)", "[1, 3]"]),
    ("state_dict", "not a module", "sd = nn.Linear(2, 1).state_dict()\nsd.eval()",
     ["`sd` (line 4) is a dict of 2 tensors"]),
    ("not_a_tensor", "lstm", "rnn = nn.LSTM(2, 3)\nout = rnn(torch.ones(4, 1, 2))\nout.shape",
     ["`out` (line 5) is a tuple of 2", "[0] a tensor [4, 1, 3]", "`rnn` is LSTM"]),
    ("needs_float", "mean", "n = torch.tensor([1, 2])\nn.mean()",
     ["`n` is int64 [2], from line 4", "without a decimal point"]),
    ("loss_batch", "rows", "scores = torch.randn(4, 3)\nlabels = torch.tensor([0, 1])\n"
     "F.cross_entropy(scores, labels)", ["`scores` float32 [4, 3] (line 4)",
     "`labels` int64 [2] (line 5)", "4 rows of scores for 2 labels"]),
    ("loss_target_shape", "column", "scores = torch.randn(4, 3)\n"
     "labels = torch.zeros(4, 1, dtype=torch.long)\nF.cross_entropy(scores, labels)",
     ["`labels` int64 [4, 1] (line 5)", "extra dimension of 1"]),
    ("loss_batch", "unnamed", "scores = torch.randn(2, 3, 5)\nlabels = torch.zeros(4, "
                              "dtype=torch.long)\n"
     "F.cross_entropy(scores.reshape(6, 5), labels)", ["`scores.reshape(6, 5)` float32 [6, 5]"]),
    ("loss_target_size", "bce", "p = torch.rand(4, 1)\ny = torch.ones(4)\n"
     "F.binary_cross_entropy(p, y)", ["`p` float32 [4, 1] (line 4)", "`y` float32 [4] (line 5)",
     "both hold 4 values"]),
    ("loss_class_probabilities", "one-hot", "scores = torch.randn(2, 3)\n"
     "y = torch.tensor([[1, 0, 0], [0, 0, 1]])\nF.cross_entropy(scores, y)",
     ["`y` int64 [2, 3] (line 5)", "one-hot"]),
    ("target_out_of_bounds", "from one", "scores = torch.randn(3, 3)\n"
     "y = torch.tensor([1, 2, 3])\nF.cross_entropy(scores, y)",
     ["3 classes, 0 to 2", "from 1 to 3", "count from 1"]),
    ("loss_range", "scores", "fc = nn.Linear(2, 1)\nwith torch.no_grad():\n    fc.bias.fill_(5.0)\n"
     "    fc.weight.zero_()\np = fc(torch.ones(3, 2))\nF.binary_cross_entropy(p, torch.ones(3, 1))",
     ["`p` float32 [3, 1] (line 8)", "from 5 to 5", "matrix product"]),
    ("class_weights", "count", "loss = nn.CrossEntropyLoss(weight=torch.ones(2))\n"
     "loss(torch.randn(4, 3), torch.zeros(4, "
     "dtype=torch.long))", ["`loss` (line 4)", "3 classes", "[2]"]),
    ("dataset", "no self", "class D(torch.utils.data.Dataset):\n    def __len__(self): return 2\n"
     "    def __getitem__(index): return 1\nD()[0]", ["`D.__getitem__` at line 6", "(index)"]),
    ("dataset", "lengths", "a = torch.ones(3)\nb = torch.ones(4)\n"
     "torch.utils.data.TensorDataset(a, b)",
     ["`a` [3] (line 4)", "`b` [4] (line 5)", "3 and 4 long"]),
    ("dataset", "generator", "g = (i for i in range(3))\nlen(g)", ["`g` (line 4) is a generator"]),
    ("worker", "inner", "class D(torch.utils.data.Dataset):\n    def __len__(self): return 2\n"
     "    def __getitem__(self, i):\n        return 1 / 0\n"
     "next(iter(torch.utils.data.DataLoader(D(), num_workers=1)))",
     ["worker process 0", "at line 7", "ZeroDivisionError"]),
    ("argument_type", "list", "x = [1.0, 2.0]\ntorch.exp(x)", ["`x` (line 4) is a list "
                                                               "of 2", "`input`"]),
    ("argument_type", "one tensor", "a = torch.ones(2)\nb = torch.ones(2)\ntorch.cat(a, b)",
     ["`a` [2] (line 4) is one tensor"]),
    ("dimension", "range", "x = torch.ones(2, 3)\nx.sum(dim=2)",
     ["`x` [2, 3] (line 4) has 2 dimensions, 0 to 1", "dimension 2"]),
    ("dimension", "unnamed", "x = torch.ones(2, 3)\ntorch.sum(x ** 2, dim=2)", ["`x ** 2` [2, 3]"]),
    ("dimension", "open", "x = torch.ones(2, 3)\nv = torch.ones(2)\n"
     "x.scatter_(1, torch.zeros(2, "
     "dtype=torch.long).unsqueeze(1), v)", ["`x` [2, 3] (line 4) has 2", "`v` [2] (line 5) has 1"]),
    ("none", "unpacked", "def f(x):\n    x + 1\na, b = f(1)", ["`f` (line 4) has no return"]),
    ("dimension", "permute", "x = torch.ones(2, 3)\nx.permute(2, 0, 1)",
     ["`x` [2, 3] (line 4) has 2 dimensions and the new order lists 3"]),
    ("scatter_gather", "dtype", "x = torch.ones(2, 3)\ni = torch.zeros(2, 1)\ntorch.gather(x, "
                                "1, i)",
     ["`x` (line 4) is float32 [2, 3]", "`i` (line 5) is float32 [2, 1]", "An index is int64"]),
    ("unexpected_keyword", "renamed", "nn.Embedding(num_embedding=10, embedding_dim=2)",
     ["num_embeddings", "closest to `num_embedding`"]),
    ("unexpected_keyword", "own", "def f(alpha):\n    return alpha\nf(alhpa=1)",
     ["`f` (line 4) takes alpha", "closest to `alhpa` is `alpha`"]),
    ("arguments", "missing", "nn.Linear(3)", ["in_features", "`out_features`", "gives it `3`"]),
    ("arguments", "own", "class A:\n    def __int__(self, n): self.n = n\nA(3)",
     ["`A` (line 4) defines no `__init__`", "`__int__` (line 5)"]),
    ("arguments", "any keyword", "def f(a, rate, scale=1, **options):\n    return a\nf(3, speed=2)",
     ["`f` (line 4) takes (a, rate, scale, **options)", "`a` and `rate`", "`3` and `speed=`"]),
    ("bmm", "batch", "a = torch.ones(2, 3, 4)\nb = torch.ones(5, 4, 6)\ntorch.bmm(a, b)",
     ["`a` [2, 3, 4] (line 4)", "`b` [5, 4, 6] (line 5)", "batch sizes are 2 and 5"]),
    ("bmm", "rank", "a = torch.ones(3, 4)\nb = torch.ones(5, 4, 6)\ntorch.bmm(a, b)",
     ["`a` [3, 4] (line 4) has 2", "3 dimensions"]),
    ("einsum", "letters", "a = torch.ones(2, 3)\nb = torch.ones(4, 5)\ntorch.einsum('ij,jk->ik', "
                          "a, b)",
     ["`ij` is `a` [2, 3] (line 4)", "`j` is 3 and 4"]),
    ("empty_parameters", "list", "class M(nn.Module):\n    def __init__(self):\n"
     "        super().__init__()\n        self.layers = [nn.Linear(1, 1)]\nm = M()\n"
     "torch.optim.SGD(m.parameters(), lr=0.1)", ["`m` is M, made at line 8",
     "`layers` (line 7) is a plain list of 1 modules"]),
    ("empty_parameters", "generator", "m = nn.Linear(1, 1)\nps = m.parameters()\nlist(ps)\n"
     "torch.optim.SGD(ps, lr=0.1)", ["`ps` (line 5) is a generator", "only once"]),
    ("none", "grad", "w = torch.ones(2, requires_grad=True)\nw.grad.zero_()",
     ["`w` [2] (line 4) is a leaf that requires grad", "nothing in this program calls backward()"]),
    ("none", "not a leaf", "w = torch.ones(2, requires_grad=True)\ny = w * 2\ny.sum().backward()\n"
     "y.grad.norm()", ["`y` [2] (line 5)", "not a leaf"]),
    ("none", "no return", "def f(x):\n    x + 1\ny = f(1)\ny.shape",
     ["`f` (line 4) has no return"]),
    ("second_backward", "twice", "w = torch.ones(2, requires_grad=True)\nloss = (w * w).sum()\n"
     "loss.backward()\nloss.backward()", ["`loss` (one value) (line 5)", "at line 6"]),
    ("second_backward", "loop", "w = torch.ones(2, requires_grad=True)\nloss = (w * w).sum()\n"
     "for _ in range(2):\n    loss.backward()", ["before the loop at line 6"]),
    ("embedding_range", "ids", "e = nn.Embedding(10, 3)\nids = torch.tensor([1, 12])\ne(ids)",
     ["`e` is Embedding(10, 3), made at line 4", "0 to 9", "`ids` [2] (line 5) go up to 12",
      "at least 13"]),
    ("batchnorm_one_value", "one", "bn = nn.BatchNorm1d(4)\nbn(torch.ones(1, 4))",
     ["`bn` is BatchNorm1d(4", "training mode", "4 channels"]),
    ("norm", "features", "bn = nn.BatchNorm1d(4)\nbn(torch.ones(3, "
                         "5))", ["which is 5, not num_features 4"]),
    ("norm", "layer norm", "ln = nn.LayerNorm(4)\nln(torch.ones(3, 5))", ["ends in [5]", "[4]"]),
    ("list_range", "list", "xs = [1, 2, 3]\nfor i in range(5):\n    xs[i]",
     ["`xs` (line 4) has 3 entries, 0 to 2", "`i` is 3, from `range(5)` at line 5"]),
    ("sparse", "uncoalesced", "s = torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], "
                              "(3,))\ns.indices()",
     ["`s` [3] (line 4)", "2 entries"]),
    ("sparse", "transposed", "i = torch.tensor([[0, 1], [1, 2], [2, 0]])\nv = torch.ones(3)\n"
     "torch.sparse_coo_tensor(i, v, (3, 3))", ["`i` [3, 2] (line 4)", "3 rows are 3 dimensions"]),
    ("tensor_attribute", "numpy", "x = torch.ones(2)\nx.astype(float)",
     ["`x` [2] (line 4)", "`to(dtype)`"]),
    ("tensor_attribute", "closest", "x = torch.ones(2)\nx.mask_fill_(x > "
                                    "0, 1)", ["`masked_fill_`"]),
    ("not_callable", "attribute", "x = torch.ones(2, 3)\nx.shape()",
     ["`x.shape`", "attribute"]),
    ("not_callable", "shadowed", "def loss(a):\n    return a\nfor _ in range(2):\n    loss = "
                                 "loss(1)",
     ["`loss`", "line 7", "line 4"]),
    ("expand", "method", "x = torch.ones(2, 3)\nx.expand(2, 5)", ["`x` [2, 3] (line 4)", "[2, 5]"]),
    ("expand", "assignment", "x = torch.zeros(4, 5)\ny = torch.ones(3)\nx[0] = y",
     ["`y` [3] (line 5)", "`x` [4, 5] (line 4)", "3 stands against 5"]),
    ("numpy", "requires grad", "w = torch.ones(2, requires_grad=True)\ny = w * 2\ny.numpy()",
     ["`y` [2] (line 5) requires grad", "MulBackward0"]),
    ("numpy", "array", "import numpy as np\nx = np.ones(3)\ntorch.cat([torch.ones(1), x])",
     ["`x` (line 5) is a NumPy array float64 [3]"]),
    ("numpy", "dtype", "import numpy as np\nnp.zeros(3, "
                       "dtype=torch.float32)", ["`zeros`", "PyTorch's"]),
    ("dtype", "optimizer", "p = nn.Parameter(torch.ones(2, 2).double())\nx = torch.ones(3, 2)\nx "
                           "@ p",
     ["`x` (line 5) is float32 [3, 2]", "`p` (line 4) is float64 [2, 2]"]),
    ("grid", "channels", "img = torch.ones(1, 1, 4, 4)\ng = torch.ones(1, 2, 4, 4)\n"
     "F.grid_sample(img, g)", ["`g` [1, 2, 4, 4] (line 5) ends in 4", "dimension 1 is 2"]),
    ("live", "anything", "x = torch.ones(2, 3)\nx.unflatten(1, (2, 2))",
     ["`x` float32 [2, 3] (line 4)"]),
    ("index_dtype", "float", "x = torch.arange(4)\ni = torch.tensor([0.0, 1.0])\nx[i]",
     ["`i` is float32 [2], from line 5", "only 0 and 1"]),
    ("index_type", "str", "batch = [torch.ones(2)]\nbatch['x']", ["`batch` (line 4) is a list of 1",
     "a tensor [2]"]),
    ("float_needs_grad", "ints", "torch.tensor([1, 2], requires_grad=True)",
     ["without a decimal point", "int64"]),
    ("float_needs_grad", "named", "x = torch.arange(3)\nx.requires_grad_()",
     ["`x` is int64 [3], from line 4"]),
    ("masked", "values", "x = torch.zeros(4)\nm = torch.tensor([True, True, False, False])\n"
     "v = torch.ones(3)\nx[m] = v", ["`v` [3] (line 6)", "are [2]"]),
    ("masked", "mask", "x = torch.zeros(4)\nm = torch.tensor([True, False])\nx[m]",
     ["`m` [2] (line 5)", "`x` [4] (line 4)", "dimension 0"]),
    ("no_forward", "misspelt", "class M(nn.Module):\n    def foward(self, x): return x\nM()(1)",
     ["`M` (line 4)", "`foward` is at line 5"]),
    ("arguments", "forward", "m = nn.Sequential(nn.ReLU())\nm(torch.ones(1), torch.ones(1))",
     ["`m`", "gets 2"]),
    ("key", "near", "ckpt = {'model_state': 1, 'epoch': 3}\nckpt['model_stat']",
     ["`ckpt` (line 4)", "'epoch'", "closest is 'model_state'"]),
    ("import", "moved", "from torch.nn.utils import "
                        "pad_sequences", ["`torch.nn.utils`", "`pad_sequences`"]),
    ("masked", "bytes beside numbers", "x = torch.zeros(6, 4)\nrows = torch.arange(6)\n"
     "acts = torch.ones(6, dtype=torch.uint8)\nx[rows, acts]",
     ["`acts` [6] (line 6) chooses from `x` [6, 4]"]),
    ("masked", "mask after an index", "x = torch.zeros(3, 4, 2)\n"
     "m = torch.ones(2, 4, dtype=torch.bool)\nx[torch.tensor([0, 2]), m]",
     ["`m` [2, 4] (line 5) chooses from `x` [3, 4, 2] (line 4)",
      "its dimension 0 stands against dimension 1 there"]),
    ("recurrent", "a cell and one sample", "cell = nn.LSTMCell(2, 3)\n"
     "s = torch.ones(4, 3)\ncell(torch.ones(2), (s, s))",
     ["is one sample without a batch", "its state would be [3]"]),
    ("unpack", "nested", "cell = nn.LSTMCell(2, 3)\nout = [0]\n"
     "out[0], (h, c) = cell(torch.ones(4, 2))",
     ["`cell(torch.ones(4, 2))` gives has more values at the place of `(h, c)`, where 2 names"]),
    ("unpack", "nested in a loop", "pairs = [(1, 2), (3, 4)]\n"
     "for i, (a, b, c) in enumerate(pairs):\n    pass",
     ["`enumerate(pairs)` gives has fewer values at the place of `(a, b, c)`, where 3 names"]),
    ("unpack", "tensor", "x = torch.ones(3, 2)\na, b = x",
     ["`x` [3, 2] (line 4)", "3 along dimension 0",
     "2 names"]),
    ("embedding", "float ids", "e = nn.Embedding(3, 2)\nids = torch.tensor([0.0])\ne(ids)",
     ["`e` is Embedding(3, 2), made at line 4", "`ids` (line 5)", "float32 [1]"]),
    ("modified_in_place", "exp", "w = torch.ones(2, requires_grad=True)\ny = w.exp()\ny += 1\n"
     "y.sum().backward()", ["[2]", "changed in place once", "`y`"]),
    ("truth", "if", "x = torch.ones(3)\nif x > 0:\n    pass", ["`x > 0`", "`x` [3] (line 4)"]),
    ("scalar", "item", "x = torch.ones(3)\nx.item()", ["`x` [3] (line 4) has 3 values"]),
    ("parameter_slot", "weight", "fc = nn.Linear(2, 1)\nw = torch.ones(1, 2)\nfc.weight = w",
     ["`fc.weight` is a registered parameter [1, 2]", "`w` [1, 2] (line 5) is a plain tensor"]),
    ("parameter_slot", "registered", "w = torch.ones(2)\n"
     "nn.Linear(2, 1).register_parameter('scale', w)",
     ["`register_parameter` takes an `nn.Parameter`, and `w` [2] (line 4) is a plain tensor"]),
    ("object_attribute", "two branches", "class Net(nn.Module):\n    def __init__(self, kind):\n"
     "        super().__init__()\n        if kind == 1:\n            self.size = 3\n"
     "        elif kind == 2:\n            self.size = 4\n        print(self.size)\nNet(3)",
     ["sets `size` at lines 8 and 10, and none of them has run for this object"]),
    ("object_attribute", "a branch", "class Net(nn.Module):\n    def __init__(self, kind):\n"
     "        super().__init__()\n        if kind == 1:\n            self.size = 3\n"
     "net = Net(3)\nnet.size",
     ["sets `size` at line 8, in `__init__`; that line has not run for this object"]),
    ("custom_function", "saved", "class F2(torch.autograd.Function):\n    @staticmethod\n"
     "    def forward(ctx, x, n):\n        ctx.save_for_backward(x, n)\n        return x * n\n"
     "F2.apply(torch.ones(2, requires_grad=True), 3)",
     ["Line 7 gives `n` to save_for_backward", "no tensor (argument 1, counted", "`ctx.n = …`"]),
    ("custom_function", "no return", "class F2(torch.autograd.Function):\n    @staticmethod\n"
     "    def forward(ctx, x, y):\n        return x * y\n    @staticmethod\n"
     "    def backward(ctx, g):\n        a, b = g, g\n"
     "x = torch.ones(2, requires_grad=True)\nF2.apply(x, x).sum().backward()",
     ["takes 2 arguments besides ctx (x, y), and backward (line 9) returns nothing"]),
    ("custom_function", "one of two", "class F2(torch.autograd.Function):\n    @staticmethod\n"
     "    def forward(ctx, x, y):\n        return x * y\n    @staticmethod\n"
     "    def backward(ctx, g):\n        return g\n"
     "x = torch.ones(2, requires_grad=True)\nF2.apply(x, x).sum().backward()",
     ["(x, y), and backward (line 9) returns 1 values"]),
    ("none", "bias", "fc = nn.Linear(2, 2, bias=False)\nfc.bias.data.zero_()",
     ["`fc.bias` is None: `fc` (line 4) is a Linear without bias."]),
    ("not_callable", "hessian", "x = torch.ones(2)\nloss = x.sum()\n"
     "torch.autograd.functional.hessian(loss, x)",
     ["`hessian` takes a function as its first argument", "it; `loss` (one value) (line 5)"]),
    ("einsum", "another order", "a = torch.ones(2, 4)\nb = torch.ones(3, 4)\n"
     "torch.einsum('ij,jk->ik', a, b)",
     ["`j` is 4 and 3; with the letters of one of them in another order it would fit"]),
    ("distribution", "one of a batch", "c = torch.eye(2).repeat(3, 4, 1, 1)\nc[1, 2, 0, 1] = 1.0\n"
     "c[1, 2, 1, 0] = 1.0\ntorch.distributions.MultivariateNormal(torch.zeros(3, 4, 2), c)",
     ["holds 12 matrices, of which 1 are not positive definite: that at [1, 2] has"]),
    ("distribution", "uneven", "c = torch.tensor([[1.0, 0.5], [0.0, 1.0]])\n"
     "torch.distributions.MultivariateNormal(torch.zeros(2), c)", ["is not symmetric"]),
    ("attention", "size", "a = nn.MultiheadAttention(8, 2)\nq = torch.ones(3, 1, 6)\na(q, q, q)",
     ["embed_dim 8 and 2 heads", "made at line 4", "`q` [3, 1, 6] (line 5)"]),
    ("weights_only", "class", "class C: pass\ntorch.save(C(), 'c.pt')\ntorch.load('c.pt')",
     ["'c.pt'", "`__main__.C`"]),
    ("unbound", "branch", "def f(n):\n    if n > 5:\n        size = n\n    return size\nf(1)",
     ["In `f`", "line 6", "line 7"]),
    ("super_init", "late", "class M(nn.Module):\n    def __init__(self):\n        self.fc = "
                           "nn.Linear(1, 1)\n"
     "        super().__init__()\nM()", ["Line 6", "line 7"]),
    ("division", "len", "xs = []\nsum(xs) / len(xs)", ["`xs` (line 4) is empty"]),
    ("division", "name", "n = 0\n1 / n", ["`n` is 0 here, from line 4"]),
    ("operand_types", "str", "a = 'x'\nb = torch.ones(2)\na "
                             "- b", ["`a` (line 4) is a str", "`b` (line 5) is a tensor [2]"]),
    ("overload", "where", "a = torch.ones(2)\ntorch.where(1 > 0, a, "
                          "'x')", ["`a` (line 4) is a tensor [2]"]),
    ("custom_function", "count", "class Sq(torch.autograd.Function):\n    @staticmethod\n"
     "    def forward(ctx, a, b):\n        return a * b\n    @staticmethod\n"
     "    def backward(ctx, g):\n        return g\nw = torch.ones(2, requires_grad=True)\n"
     "Sq.apply(w, w).sum().backward()", ["`Sq.forward` (line 6) takes 2 "
                                         "arguments", "(a, b)", "returns 1"]),
    ("unused_in_graph", "other", "x = torch.ones(2, requires_grad=True)\n"
     "z = torch.ones(2, requires_grad=True)\ny = (x * 2).sum()\ntorch.autograd.grad(y, z)",
     ["`y` (one value) (line 6)", "`z` [2] (line 5)"]),
    ("distribution", "scale", "s = torch.tensor([-1.0, 2.0])\n"
     "torch.distributions.Normal(torch.zeros(2), s)", ["`s` [2] (line 4) as "
                                                       "`scale`", "from -1 to 2"]),
    ("script", "class", "class M(nn.Module):\n    def forward(self, x): return "
                        "x\ntorch.jit.script(M)",
     ["`M` (line 4) is the class"]),
    ("scatter_gather", "mask", "m = torch.tensor([True, True])\nx = torch.zeros(2)\n"
     "y = torch.ones(2, dtype=torch.long)\nx[m] = y[m]",
     ["`x` (line 5) is float32, and `y[m]`"]),
    ("no_grad_fn", "inside", "def energy(p):\n    q = torch.tensor([p[0], 1.0])\n"
     "    return q.sum()\nw = torch.ones(2, requires_grad=True)\nloss = energy(w)\n"
     "loss.backward()",
     ["`w` [2] (line 7)", "`torch.tensor(…)` in line 5, inside `energy` (line 4)"]),
    ("no_grad_fn", "inside, twice", "def energy(p):\n    q = torch.tensor([p[0], 1.0])\n"
     "    return q.sum().detach()\nw = torch.ones(2, requires_grad=True)\nloss = energy(w)\n"
     "loss.backward()", ["the graph ends inside `energy` (line 4)."]),
    ("no_grad_fn", "inside a Sequential", "class Cut(nn.Module):\n    def forward(self, x):\n"
     "        return x.detach()\nm = nn.Sequential(nn.Linear(2, 1), Cut())\n"
     "loss = m(torch.ones(1, 2)).sum()\nloss.backward()",
     ["`detach()` in line 6, inside `forward` (line 5)"]),
    ("no_grad_fn", "list", "parts = [torch.ones(1), torch.ones(1)]\n"
     "loss = sum([2 * p for p in parts])\nloss.backward()",
     ["`parts` (list of 2) (line 4)", "nothing in it requires grad"]),
    ("loss_target_shape", "both ends", "s = torch.randn(4, 3, 5, 5)\n"
     "y = torch.zeros(4, dtype=torch.long)\nF.cross_entropy(s, y)",
     ["the target would be [4, 5, 5]", "for this target, the input would be [4, classes]"]),
    ("loss_dtype", "one-hot", "p = torch.randn(2, 3)\ny = F.one_hot(torch.tensor([0, 2]), 3)\n"
     "F.binary_cross_entropy_with_logits(p, y)",
     ["`y` int64 [2, 3] (line 5) as target", "floating point"]),
    ("overload", "one odd", "c = True\na = torch.ones(2)\ntorch.where(c, a, a)",
     ["`c` (line 4) is a bool, True; as its `condition`, `where` takes a Tensor."]),
    ("no_grad_fn", "argument", "def step(loss):\n    loss.backward()\n"
     "w = torch.ones(2, requires_grad=True)\ntotal = (w * 2).sum().detach()\nstep(total)",
     ["passed in at line 8", "`detach()` at line 7 ends the graph of `w` [2] (line 6)"]),
    ("no_grad_fn", "optimizer", "w = torch.zeros(1)\nb = torch.zeros(1)\n"
     "opt = torch.optim.SGD([w, b], lr=0.1)\nx = torch.rand(4)\ny = w * x + b\n"
     "loss = (y - x).pow(2).mean()\nloss.backward()",
     ["`opt` (line 6) is to change `w` [1] (line 4) and `b` [1] (line 5)",
      "do not require grad"]),
    ("object_attribute", "child", "class Twice(nn.Module):\n"
     "    def forward(self, x): return 2 * x\n    def undo(self, x): return x / 2\n"
     "m = nn.Sequential(Twice(), nn.ReLU())\nm.undo(1)",
     ["`[0]` Twice, `[1]` ReLU", "`undo` is what `m[0]` has (line 6)"]),
    ("api", "never there", "nn.Dense(1, 1)", ["never had this name; it is `torch.nn.Linear`"]),
    ("api", "in place", "F.sigmoid_(torch.ones(1))", ["there is `torch.sigmoid_`"]),
    ("unexpected_keyword", "in place", "torch.sigmoid(torch.ones(1), inplace=True)",
     ["`torch.sigmoid_`"]),
    ("stack", "written out", "a = torch.ones(2)\nf = nn.Linear(2, 3)\n"
     "torch.stack([a, a.exp(), f(a)])", ["`a` [2] (line 4) and `f(a)` [3] are not one shape"]),
    ("stack", "comprehension", "xs = [torch.ones(2), torch.ones(2), torch.ones(5)]\n"
     "torch.stack([x * 2 for x in xs])",
     ["`x * 2` for each of `xs`", "number 2 (counted from 0) gives [5]", "`xs[2]` is [5]"]),
    ("scatter_gather", "repeated", "x = torch.zeros(2, 2)\ni = torch.zeros(2, dtype=torch.long)\n"
     "x.scatter_(1, i, x.repeat_interleave(2))", ["`x` (line 4)", "`i` (line 5)"]),
    ("conv_channels", "both ends", "conv = nn.Conv2d(8, 4, 3)\nx = torch.ones(1, 1, 9, 9)\nconv(x)",
     ["either in_channels would have to be 1, or the input to have 8 channels"]),
    ("matmul", "both ends", "fc = nn.Linear(7, 2)\nx = torch.ones(3, 5)\nfc(x)",
     ["either in_features would have to be 5, or that dimension 7"]),
    ("recurrent", "both ends", "rnn = nn.GRU(4, 3, batch_first=True)\nx = torch.ones(6, 5, 4)\n"
     "h = torch.zeros(1, 2, 3)\nrnn(x, h)",
     ["it would be [1, 6, 3]", "for this state, the input's batch of 6 would be 2"]),
    ("argument_type", "numbers", "k = 3\na = 4\ntorch.exp(k * a)",
     ["`k * a` (`k` is 3, from line 4 and `a` is 4, from line 5) gives an int"]),
    ("class_weights", "named", "w = torch.ones(5)\nloss = nn.CrossEntropyLoss(weight=w)\n"
     "loss(torch.randn(4, 3), torch.zeros(4, dtype=torch.long))",
     ["the weight `w` [5] (line 4)", "would be [3]"]),
    ("dimension", "unfold", "x = torch.ones(4, 4)\nF.unfold(x, 2)",
     ["`x` [4, 4] (line 4) has 2 dimensions", "takes 4, or 3 without a batch"]),
    ("empty_parameters", "written", "m = nn.Linear(2, 1)\ntorch.optim.SGD([], lr=0.1)",
     ["with nothing in it", "the 2 parameters of `m` (line 4)"]),
    ("unused_in_graph", "of a model", "class Two(nn.Module):\n    def __init__(self):\n"
     "        super().__init__()\n        self.a = nn.Linear(2, 1)\n"
     "        self.b = nn.Linear(2, 1)\n"
     "    def forward(self, x): return self.a(x)\nm = Two()\nout = m(torch.ones(1, 2)).sum()\n"
     "torch.autograd.grad(out, m.parameters())",
     ["`m.b.weight` [1, 2] of Linear (line 8), input 2", "`m.b.bias`",
      "no part in the graph of `out`"]),
    ("dataset", "generated", "def rows():\n    yield torch.ones(1)\n"
     "for row in torch.utils.data.DataLoader(rows()): pass",
     ["The dataset is a generator, which has no length (`rows()` in line 6)"]),
    ("assertion", "own", "x = torch.ones(2, 3)\nassert x.shape[0] "
                         "== 3", ["`x.shape[0] == 3` does not hold"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("family", "code", "facts"),
    [pytest.param(f, c, facts, id=f"{f}-{n}") for f, n, c, facts in SAID],
)
def test_what_is_said(any_house: House, family: str, code: str, facts: list[str]) -> None:
    """Each family names the values that clash, their sizes and their lines."""
    said = told(any_house, code)

    assert said.family == family, said
    for fact in facts:
        assert fact in said.text, (fact, said.text)


def test_of_a_loop_only_the_header_is_read(any_house: House) -> None:
    """Its body has not failed, so that its tensors are not told."""
    code = "body = torch.ones(3)\nfor n in map(int, ['a']):\n    y = (\n        body * n\n    )"
    said = ran(any_house, code).explanation
    assert said is None or "body" not in said.text


def test_a_special_method_is_no_slip_for_init(any_house: House) -> None:
    """A dataset without `__init__` is not told that it has `__getitem__` or `__len__`."""
    text = told(
        any_house,
        """
        class Squares(torch.utils.data.Dataset):
            def __len__(self):
                return 3

            def __getitem__(self, i):
                return i * i

        Squares(3)
        """,
    ).text

    assert "`Squares` (line 4) defines no `__init__`, and its base takes none" in text


def test_the_first_error_is_explained(any_house: House) -> None:
    """What came up while it was handled is a consequence, and is said as one."""
    said = told(
        any_house,
        """
        a = torch.ones(2, 3)
        try:
            a @ a
        except RuntimeError:
            raise ValueError("bad shapes")
        """,
    )

    assert said.family == "matmul"
    assert said.text.startswith("First, at line 6: ") and "`a` [2, 3] (line 4)" in said.text
    assert said.text.endswith("Your handler then raises ValueError at line 8.")


def test_a_swallowed_error_is_explained(any_house: House) -> None:
    """The snippet goes on; what it caught is told with its operands' lines."""
    result = ran(
        any_house,
        """
        def f(a, b):
            try:
                return a @ b
            except RuntimeError:
                return None
        for _ in range(3):
            f(torch.ones(2, 3), torch.ones(2, 3))
        """,
    )

    assert result.outcome is Outcome.OK
    (caught,) = result.caught
    assert caught.explanation is not None and caught.explanation.family == "matmul"
    assert "(passed in at line 10)" in caught.explanation.text


def test_a_swallowed_error_keeps_nothing_alive(any_house: House) -> None:
    """Looking at a function's frame makes a copy of its variables; it is let go of."""
    result = ran(
        any_house,
        """
        import weakref, gc
        def f():
            x = torch.ones(2, 3)
            seen = weakref.ref(x)
            try:
                x @ x
            except RuntimeError:
                pass
            del x
            print(seen())
        f()
        """,
    )

    assert result.stdout == "None\n"
    assert result.caught[0].explanation is not None


def test_locals_stay_what_they_were(any_house: House) -> None:
    """The dictionary that `locals()` returned is neither refreshed nor emptied."""
    result = ran(
        any_house,
        """
        def f():
            x = 1
            held = locals()
            x = 2
            try:
                torch.ones(2, 3) @ torch.ones(2, 3)
            except RuntimeError:
                pass
            print(held["x"])
        f()
        """,
    )

    assert result.stdout == "1\n"


LOUD = """
class Loud:
    def __getattr__(self, name): print("getattr", name); raise KeyError(name)
    def __repr__(self): print("repr"); raise ValueError
    def __len__(self): print("len"); raise ValueError
    def __eq__(self, other): print("eq"); raise ValueError
    def __bool__(self): print("bool"); raise ValueError
    def __getitem__(self, i): print("getitem"); raise KeyError(i)
    __hash__ = None
    @property
    def weight(self): print("property"); return torch.ones(2)
    @property
    def __class__(self): print("class"); return int

class Sub(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if loud: print("torch_function", func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})

loud = False
thing = Loud()
sub = torch.ones(2, 3).as_subclass(Sub)
gen = (print("generated") for _ in range(3))
x = torch.ones(2, 3)
"""


@pytest.mark.parametrize(
    "line",
    [
        "x + thing.inner",
        "torch.cat([x, thing])",
        "thing - 1",
        "thing.__dict__['a'] = 1; x @ torch.zeros(2, 3 + thing.__dict__['a'])",
        "torch.stack(gen)" if False else "torch.exp(gen)",
        "x @ sub",
        "sub @ x",
        "F.linear(sub, x.T)",
        "nn.Linear(2, 2)(sub)",
        "x[thing]",
        "torch.mm(x, x.view(3, 2).view(2, 3)[:, :2]) if not loud else torch.mm(x, sub[0:2])",
    ],
)
def test_looking_runs_nothing_of_the_snippets(any_house: House, line: str) -> None:
    """With and without our looking, exactly the same hooks of the snippet's own are called."""
    code = program(LOUD + f"loud = True\nprint('-')\n{line}\n")
    result = any_house.run(code)
    assert result.outcome is Outcome.ERROR and result.detail == "", result

    quiet = any_house.run(  # the error ends the run before any frame can be looked at
        code.replace(
            f"\n{line}\n",
            f"\ntry:\n    {line}\nfinally:\n    import os, sys\n"
            "    sys.stdout.flush()\n    os._exit(1)\n",
        )
    )
    assert result.stdout == quiet.stdout


def test_random_numbers_stay_what_they_were(any_house: House) -> None:
    """The shape of an unnamed operand is found out without drawing a number."""
    body = (
        "torch.manual_seed(3)\ntry:\n    {}\nexcept RuntimeError:\n    pass\nprint(torch.rand(1))"
    )
    looked = ran(any_house, body.format("torch.ones(2, 3) @ torch.randn(2, 3)"))
    plain = ran(any_house, body.format("torch.randn(2, 3); raise RuntimeError"))

    assert looked.stdout == plain.stdout
    assert looked.caught[0].explanation is not None
    assert "`torch.randn(2, 3)` [2, 3]" in looked.caught[0].explanation.text


def test_a_line_is_only_named_where_the_text_leaves_no_doubt(any_house: House) -> None:
    """Two branches may have made it: then no line is said."""
    said = told(
        any_house,
        """
        import random
        if random.random() < 2:
            a = torch.ones(2, 3)
        else:
            a = torch.ones(3, 3)
        b = torch.ones(2, 3)
        a @ b
        """,
    )

    assert "`a` [2, 3] gives" in said.text and "`b` [2, 3] (line 9)" in said.text


def test_operands_are_told_with_their_lines(any_house: House) -> None:
    """As data too: name as written, line, facts; below them torch's own operands."""
    result = ran(any_house, "fc = nn.Linear(3, 1)\nx = torch.ones(2, 4)\nfc(x)")

    assert [(o.name, o.made, o.value.shape) for o in result.operands][:1] == [("x", 5, (2, 4))]
    assert ("self.weight", (1, 3)) in [(o.name, o.value.shape) for o in result.operands]


def test_without_an_error_there_is_nothing(any_house: House) -> None:
    """A run without an exception carries neither explanation nor operands."""
    result = ran(any_house, "print(torch.ones(2).sum())")

    assert result.explanation is None and result.operands == () and result.caught == ()


def test_an_odd_entry_that_is_not_known_is_not_guessed(any_house: House) -> None:
    """The operands that are known are innocent: nothing is said of them."""
    result = ran(
        any_house,
        "a = torch.ones(2, 3)\ndef grown():\n    return torch.ones(2, 3, 1)\n"
        "torch.cat([a, a, grown()])",
    )

    assert result.error is not None and "number of dimensions" in result.error.message
    assert result.explanation is None or "`a`" not in result.explanation.text


@pytest.mark.parametrize("code", ["nn.Linear(2, 2)", "Net()"])
def test_no_name_is_close_to_the_wrapper_s(any_house: House, code: str) -> None:
    """`.module` is asked of a model that is in no wrapper: `modules` is not meant."""
    of_ones_own = "class Net(nn.Module):\n    def modula(self):\n        pass\n"
    result = any_house.run(f"from torch import nn\n{of_ones_own}net = {code}\nnet.module.f()\n")

    assert result.error is not None and "'module'" in result.error.message
    assert result.explanation is None


def test_a_message_does_not_say_where_a_library_lies(any_house: House) -> None:
    """Where torch is installed here is nothing to its author."""
    result = ran(any_house, "from torch.nn import Dense")

    assert result.error is not None
    assert "torch/nn/__init__.py" in result.error.message
    assert "-packages" not in result.error.message + result.error.traceback


@pytest.mark.parametrize(("gone", "today"), {**attributes._GONE, **attributes._NEVER}.items())
def test_what_is_named_in_place_of_a_lost_name_exists(gone: str, today: str) -> None:
    """The old name is really gone from this torch, and the one that is named is there."""
    import torch

    def there(path: str) -> bool:
        thing: object = torch
        for part in path.replace("Tensor.", "torch.Tensor.").removeprefix("torch.").split("."):
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True

    assert not there(gone)
    assert there(today)


def test_a_shared_last_word_makes_no_two_names_close() -> None:
    """`UmbraTokenizer` is no other name of `AmberTokenizer`; a slip in the stem still is one."""
    assert attributes._nearest("UmbraTokenizer", ["AmberTokenizer"]) == ""
    assert attributes._nearest("AmbreTokenizer", ["AmberTokenizer"]) == "AmberTokenizer"
    assert attributes._nearest("AmberTokeniser", ["AmberTokenizer"]) == "AmberTokenizer"


def test_every_part_of_a_failing_line_has_its_shape(house: House):
    """Also what has no name, as long as no code of the snippet's has to run for it."""
    result = ran(
        house,
        """
        rows, weights = torch.zeros(3, 4), torch.ones(5)
        total = (rows[:, 0] * 2) + weights.unsqueeze(0)
        """,
    )

    assert result.shapes["rows[:, 0]"] == (3,)
    assert result.shapes["weights.unsqueeze(0)"] == (1, 5)
    assert result.shapes["weights"] == (5,)
    assert "total" not in result.shapes
