"""wanted-form: one operand in the form that the error asks for."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

HALF = """\
import torch

scores = torch.randn(2, 4, 4).half()
later = torch.ones(4, 4).triu(1).bool()
scores = scores.masked_fill(later, -1e9)   # hidden
print(scores.softmax(-1).shape)
"""

SPECTRUM = """\
import torch

wave = torch.randn(1, 4000)
window = torch.hann_window(400)
parts = torch.stft(wave, 400, window=window)   # both
louder = torch.stack([parts[..., 0] * 2, parts[..., 1] * 2], -1)
print(torch.istft(louder, 400, window=window).shape)
"""

SPOKEN = """\
import torch
from torch import nn

scores = torch.randn(30, 3, 6, requires_grad=True)
steps = torch.tensor([scores.size(0)])
words = torch.tensor([1, 2, 3, 4, 5])
lengths = torch.tensor([2, 1, 2])
loss = nn.CTCLoss()(scores.log_softmax(-1), words, steps, lengths)   # spoken
loss.backward()
"""

GREYS = """\
import torch
from torch.distributions import Bernoulli

scores = torch.zeros(5, 4, requires_grad=True)
pixels = torch.linspace(0, 1, 20).view(5, 4)
loss = -Bernoulli(logits=scores).log_prob(pixels).mean()   # of greys
loss.backward()
print(scores.grad.shape)
"""

QUERIES = """\
import torch
from torch import nn


class Detect(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Transformer(8, 2, 1, 1, 16)
        self.asked = nn.Parameter(torch.rand(5, 8))

    def forward(self, rows):
        return self.body(rows.transpose(0, 1), self.asked.unsqueeze(1))[-1]   # the same for all


print(Detect()(torch.rand(3, 7, 8)).shape)
"""

WRITTEN = """\
import torch


def differences(x):
    steps = torch.zeros(len(x) - 1)   # one less
    for i in range(len(steps)):
        steps[i] = x[i + 1] - x[i]
    return steps


print(torch.vmap(differences)(torch.rand(4, 6)).shape)
"""

GPU = """\
import torch

device = "gpu:0"   # fast
print(torch.ones(2).to(device).sum().item())
"""

BYTES = GREYS.replace("torch.linspace(0, 1, 20)", "torch.arange(20.0)")
TWO_BATCHES = QUERIES.replace("torch.rand(5, 8))", "torch.rand(5, 8), False)").replace(
    "self.asked.unsqueeze(1)", "self.asked.unsqueeze(1).repeat(1, 2, 1)"
)
OF_ONE_SAMPLE = QUERIES.replace("self.asked.unsqueeze(1)", "rows[:1, :5].transpose(0, 1)")
TWO_LENGTHS = SPOKEN.replace("torch.tensor([scores.size(0)])", "torch.tensor([30, 30])")

TURNED = """\
import torch


def hat(w):
    k = torch.zeros(3, 3)   # of a cross product
    k[0, 1], k[0, 2] = -w[2], w[1]
    k[1, 0], k[1, 2] = w[2], -w[0]
    return k


print(torch.vmap(hat)(torch.randn(5, 3)).shape)
"""

LENGTHS = """\
import torch
from torch import nn

widths = torch.tensor([80, 60, 48])
pictures = torch.rand(3, 1, 32, 80)
net = nn.Conv2d(1, 11, (32, 4), stride=4)
steps = net(pictures).squeeze(2).permute(2, 0, 1).log_softmax(-1)
texts = torch.randint(1, 11, (3, 2))
print(nn.CTCLoss()(steps, texts, widths, torch.tensor([2, 2, 2])).item() > 0)
"""

UNEVEN = LENGTHS.replace("stride=4", "stride=3")

KERNEL = """\
import torch

at = torch.linspace(0, 1, 40)
k = torch.exp(-((at[:, None] - at) ** 2))   # smooth
print(torch.linalg.cholesky(k).shape)
"""

FEW = """\
import torch
from torch.distributions import MultivariateNormal

torch.manual_seed(7)
rows = torch.randn(6, 20)
spread = torch.cov(rows.T)
print(MultivariateNormal(rows.mean(0), covariance_matrix=spread).sample().shape)
"""

NEGATIVE = """\
import torch

k = torch.tensor([[1.0, 2.0], [2.0, 1.0]])
print(torch.linalg.cholesky(k))
"""


SPECTRA = """\
import torch
from torch.nn.utils.rnn import pad_sequence

calls = [torch.rand(8, n) for n in (5, 9, 7)]   # bands, steps
batch = pad_sequence(calls, batch_first=True)
print(torch.nn.GRU(8, 4, batch_first=True)(batch)[0].shape)
"""

COUNTED = SPECTRA.replace("batch = ", "bands = [len(c) for c in calls]\nbatch = ")

PACKED = """\
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

calls = [torch.rand(4, n) for n in (5, 9, 7)]   # bands, steps
batch = pad_sequence(calls, batch_first=True)
steps = torch.tensor([c.size(1) for c in calls])
packed = pack_padded_sequence(batch, steps, batch_first=True, enforce_sorted=False)
print(torch.nn.GRU(4, 4, batch_first=True)(packed)[1].shape)
"""

PACKED_BY_BANDS = PACKED.replace("c.size(1)", "len(c)")
PACKED_BY_ANOTHER = PACKED.replace("[c.size(1) for c in calls]", "[4] * len(calls)")

BOTH_DIFFER = SPECTRA.replace("torch.rand(8, n)", "torch.rand(n, n)")

CHANNELS = """\
import torch
from torch import nn


class Denoise(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Conv2d(2, 2, 3, padding=1)
        self.register_buffer("window", torch.hann_window(128))

    def forward(self, sound):
        whole = torch.stft(sound, 128, 32, window=self.window, return_complex=True)
        clean = self.net(torch.stack([whole.real, whole.imag], 1))
        return torch.istft(clean, 128, 32, window=self.window)


print(Denoise()(torch.rand(3, 1600)).shape)
"""

BESIDE = CHANNELS.replace("torch.istft(clean,", "torch.istft(clean.permute(0, 2, 3, 1),")
ONE_CHANNEL = CHANNELS.replace("nn.Conv2d(2, 2,", "nn.Conv2d(2, 1,")

PHASES = """\
import torch
from torch import nn

net = nn.Linear(4, 4, dtype=torch.cfloat)
sent, heard = torch.randn(2, 6, 4, dtype=torch.cfloat)
loss = nn.functional.mse_loss(net(heard), sent)   # of both parts
loss.backward()
print(net.weight.grad.shape)
"""

HUBER = PHASES.replace(
    "nn.functional.mse_loss(net(heard), sent)", "nn.HuberLoss()(net(heard), sent)"
)
CROSS = PHASES.replace("nn.functional.mse_loss(net(heard), sent)", "nn.BCELoss()(net(heard), sent)")

RAGGED = """\
import torch

words = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
marks = torch.nested.nested_tensor([torch.ones(2, 1), torch.ones(4, 1)], layout=torch.jagged)
print((words + marks).sum(dim=1))   # the same words
"""

OTHER_ROWS = RAGGED.replace(
    "torch.ones(2, 1), torch.ones(4, 1)", "torch.ones(3, 1), torch.ones(3, 1)"
)

EXCHANGED = """\
import torch
from torch import nn

steps = torch.randn(12, 4, 6).log_softmax(2)   # time, batch, letters
lengths = torch.IntTensor([steps.shape[1]] * steps.shape[0])
texts, sizes = torch.randint(1, 6, (4, 3)), torch.full((4,), 3)
print(nn.CTCLoss()(steps, texts, lengths, sizes).item() > 0)
"""

FILLED = EXCHANGED.replace(
    "torch.IntTensor([steps.shape[1]] * steps.shape[0])",
    "torch.full((steps.size(0),), steps.size(1))",
)
OF_NEITHER = EXCHANGED.replace("[steps.shape[1]] * steps.shape[0]", "[steps.shape[1]] * 5")


WARP = """\
import torch
import torch.nn.functional as F

shift = torch.tensor([[[1.0, 0.0, 0.2], [0.0, 1.0, 0.0]]])
frames = torch.rand(5, 3, 16, 16)
field = F.affine_grid(shift, [1, 3, 16, 16], align_corners=False)
moved = F.grid_sample(frames, field, align_corners=False)
print(moved.shape)
"""

ONE_TURN = """\
import torch

turn = torch.eye(3).unsqueeze(0)
points = torch.rand(10, 3, 7)
print(torch.bmm(turn, points).shape)
"""

ONE_TOPIC = """\
import torch
from torch import nn


class Fit(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.topics = nn.Embedding(3, width)
        self.both = nn.Bilinear(width, width, 2)

    def forward(self, x):
        topic = self.topics(torch.tensor([2]))
        return self.both(topic, x)


loss = Fit(6)(torch.randn(4, 6)).square().mean()
loss.backward()
"""

TWO_OF_EIGHT = """\
import torch

a, b = torch.rand(2, 3, 4), torch.rand(8, 4, 5)
print(torch.bmm(a, b).shape)
"""

INNER = """\
import torch

a, b = torch.rand(1, 3, 4), torch.rand(8, 5, 4)
print(torch.bmm(a, b).shape)
"""

WEIGHTED = """\
import torch
from torch import nn
import torch.nn.functional as F


class Focal(nn.Module):
    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, scores, kinds):
        each = F.cross_entropy(scores, kinds, reduction="none")
        return (self.share * (1 - torch.exp(-each)) ** 2 * each).mean()   # the hard ones


torch.manual_seed(1)
scores = torch.randn(12, 3, requires_grad=True)
loss = Focal(torch.tensor([0.5, 0.3, 0.2]))(scores, torch.randint(3, (12,)))
loss.backward()
print(loss.item() > 0)
"""

WEIGHTS_OF_A_FUNCTION = """\
import torch

price = torch.tensor([2.0, 5.0])
kind = torch.tensor([0, 1, 1, 0, 1])
amount = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
print((amount * price).sum())   # in all
"""

NO_KINDS = WEIGHTS_OF_A_FUNCTION.replace("kind = torch.tensor([0, 1, 1, 0, 1])\n", "")

OTHER_KINDS = WEIGHTS_OF_A_FUNCTION.replace("[0, 1, 1, 0, 1]", "[0, 1, 2, 0, 1]")

GAPS = """\
import torch

table = torch.tensor([[1.0, float("nan")], [3.0, 4.0], [float("nan"), 6.0]])
middle = torch.nanmean(table, dim=0)
filled = table.masked_fill(torch.isnan(table), middle)   # by column
print(filled)
"""

GAPS_BY_NAME = GAPS.replace("table.masked_fill(torch.isnan(table), middle)",
                            "torch.nan_to_num(table, nan=middle)")  # fmt: skip

OTHER_WIDTH = GAPS.replace("nanmean(table, dim=0)", "nanmean(table, dim=1)")

EDGES = """\
import torch
import torch.nn.functional as F

picture = torch.rand(9, 11)
edge = torch.tensor([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]])
print(F.conv2d(picture, edge, padding=1).shape)   # of the same size
"""

LARGER = """\
import torch
from torch.nn.functional import interpolate

heat = torch.rand(4, 4)
print(interpolate(heat, size=(8, 8), mode="bilinear").shape)   # as the picture
"""

SERIES = LARGER.replace("torch.rand(4, 4)", "torch.rand(2, 3, 4)")

CASES = Cases(
    mended={},
    paired={
        "two channels": (
            CHANNELS,
            ("istft(torch.view_as_complex(clean.movedim(-3, -1).contiguous()), 128",),
        ),
        "two parts that lie apart": (
            BESIDE,
            ("view_as_complex(clean.permute(0, 2, 3, 1).contiguous())",),
        ),
        "a loss of complex numbers": (
            PHASES,
            ("torch.view_as_real(net(heard)), torch.view_as_real(sent))   # of both",),
        ),
        "another loss of them": (HUBER, ("(torch.view_as_real(net(heard)), torch.view",)),
        "rows as long": (
            RAGGED,
            ("nested_tensor_from_jagged(marks.values(), words.offsets())).sum(dim=1))   # the",),
        ),
        "two sizes exchanged": (EXCHANGED, ("[steps.shape[0]] * steps.shape[1])",)),
        "filled with the other size": (FILLED, ("full((steps.size(1),), steps.size(0))",)),
        "series that lie": (
            SPECTRA,
            ("pad_sequence(tuple(one.t() for one in calls), batch_first=True)",),
        ),
        "series that are packed": (
            PACKED,
            ("pad_sequence(tuple(one.t() for one in calls), batch",),
        ),
        "several entries at once": (TURNED, ("k = w.new_zeros(3, 3)   # of a cross product",)),
        "lengths of what came in": (LENGTHS, ("(steps, texts, widths // 4, torch",)),
        "a kernel": (KERNEL, ("cholesky(k + 0.001 * torch.eye(len(k)))",)),
        "few samples": (FEW, ("covariance_matrix=spread + 0.0001 * torch.eye(len(spread)))",)),
        "half": (HALF, ("masked_fill(later, torch.finfo(scores.dtype).min)   # hidden",)),
        "a spectrum": (
            SPECTRUM,
            (
                "torch.view_as_real(torch.stft(wave, 400, window=window, return_complex=True))"
                "   # both\nlouder = torch.stack([parts[..., 0] * 2, parts[..., 1] * 2], -1)\n"
                "print(torch.istft(torch.view_as_complex(louder), 400,",
            ),
        ),
        "one length": (SPOKEN, ("words, steps.expand_as(lengths), lengths)   # spoken",)),
        "greys": (GREYS, ("log_prob((pixels > 0.5).float())", "log_prob(pixels.bernoulli())")),
        "one grid": (WARP, ("F.grid_sample(frames, field.expand(frames.size(0), -1, -1, -1), ",)),
        "one matrix": (ONE_TURN, ("torch.bmm(turn.expand(points.size(0), -1, -1), points)",)),
        "one topic": (ONE_TOPIC, ("self.both(topic.expand(x.size(0), -1), x)",)),
        "queries": (
            QUERIES,
            ("self.asked.unsqueeze(1).expand(-1, rows.size(0), -1))[-1]   # the",),
        ),
        "weights of classes": (WEIGHTED, ("(self.share[kinds] * (1 - torch",)),
        "prices of kinds": (WEIGHTS_OF_A_FUNCTION, ("amount * price[kind]).sum())   # in",)),
        "values for gaps": (GAPS, ("torch.where(torch.isnan(table), middle, table)   # by",)),
        "gaps by their name": (
            GAPS_BY_NAME,
            ("torch.where(torch.isnan(table), middle, table)   # by",),
        ),
        "a picture and a kernel": (
            EDGES,
            ("F.conv2d(picture[None, None], edge[None, None], padding=1)[0, 0].shape",),
        ),
        "a picture": (LARGER, ("interpolate(heat[None, None], size=(8, 8), mode",)),
        "a gpu": (GPU, ('device = "cuda" if torch.cuda.is_available() else "cpu"   # fast',)),
        "written under vmap": (WRITTEN, ("x.new_zeros(len(x) - 1)   # one less",)),
    },
    refused={
        "one channel": ONE_CHANNEL,
        "no kinds": NO_KINDS,
        "more kinds than prices": OTHER_KINDS,
        "values of rows": OTHER_WIDTH,
        "a series": SERIES,
        "probabilities that are complex": CROSS,
        "rows of other lengths": OTHER_ROWS,
        "a size that is none of it": OF_NEITHER,
        "both sizes differ": BOTH_DIFFER,
        "bands that are counted": COUNTED,
        "packed by their bands": PACKED_BY_BANDS,
        "packed by a count that is not known": PACKED_BY_ANOTHER,
        "no whole number of pixels for a step": UNEVEN,
        "a matrix with an eigenvalue below zero": NEGATIVE,
        "numbers": BYTES,
        "two batches": TWO_BATCHES,
        "two of eight": TWO_OF_EIGHT,
        "other inner sizes": INNER,
        "two lengths": TWO_LENGTHS,
        "of one sample": OF_ONE_SAMPLE,
    },
    wrong={
        "the first sample alone": ("one grid", swap("(frames, field", "(frames[:1], field")),
        "one part of both": (
            "a loss of complex numbers",
            swap("(net(heard), sent)", "(net(heard).real, sent.real)"),
        ),
        "first steps": (
            "series that lie",
            swap("(calls, batch", "([c[:, :5].t() for c in calls], batch"),
        ),
        "the first kind for all": ("prices of kinds", swap("amount * price", "amount * price[0]")),
        "one value for all": ("values for gaps", swap("middle)   #", "middle.mean())   #")),
        "all steps": ("lengths of what came in", swap("widths,", "widths.clamp(max=20),")),
        "a corner": ("a kernel", swap("cholesky(k)", "cholesky(k[:5, :5])")),
        "not hidden": ("half", swap("scores.masked_fill(later, -1e9)", "scores")),
        "swallowed": ("half", swallow("scores = scores.masked_fill(later, -1e9)   # hidden")),
        "one alone": ("queries", swap("torch.rand(3, 7, 8)", "torch.rand(1, 7, 8)")),
        "cut": ("one length", swap("scores.log_softmax(-1)", "scores.log_softmax(-1).detach()")),
        "deleted": ("greys", delete("loss.backward()")),
        "one row": ("written under vmap", swap("torch.vmap(differences)", "differences")),
    },
)
