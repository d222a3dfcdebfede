"""Maps, and weights of positions, that differ a little in size."""

from tests.knowledge.repair.codemods.cases import Cases, swallow, swap

UP = """\
import torch
from torch import nn
import torch.nn.functional as F

class Up(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 6, 3, padding=1)
        self.up = nn.ConvTranspose2d(6, 3, 2, stride=2)

    def forward(self, image):
        small = F.max_pool2d(self.down(image), 2)
        large = self.up(small)
        return torch.cat([large, image], dim=1)   # both

print(Up()(torch.rand(2, 3, 9, 9)).shape)
"""

RESIDUAL = """\
import torch
from torch import nn

class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool1d(2)
        self.up = nn.Upsample(scale_factor=2)

    def forward(self, signal):
        smooth = self.up(self.pool(signal))
        return signal + smooth   # a sum

print(Residual()(torch.rand(4, 2, 15)).shape)
"""

POSITIONS = """\
import torch
from torch import nn

class Encoder(nn.Module):
    def __init__(self, longest=12):
        super().__init__()
        self.table = nn.Embedding(30, 8)
        self.places = nn.Parameter(torch.zeros(1, longest, 8))

    def forward(self, ids):
        words = self.table(ids)
        return words + self.places   # where they stand

model = Encoder()
loss = model(torch.randint(0, 30, (3, 7))).square().mean()
loss.backward()
"""

KERNELS = """\
import torch
from torch import nn

class Scales(nn.Module):
    def __init__(self, kernels):
        super().__init__()
        self.each = nn.ModuleList(nn.Conv1d(2, 3, k) for k in kernels)

    def forward(self, signal):
        return torch.cat([one(signal) for one in self.each], dim=1)

print(Scales([3, 5])(torch.rand(4, 2, 16)).shape)
"""

SEEN = """\
import torch
from torch import nn

class Frames(nn.Module):
    def __init__(self):
        super().__init__()
        self.filter = nn.Conv2d(3, 6, 3)

    def forward(self, films):
        n, times, c, high, wide = films.shape
        seen = self.filter(films.reshape(n * times, c, high, wide))
        return seen.reshape(n, times, -1, high, wide)

print(Frames()(torch.rand(2, 5, 3, 8, 8)).shape)
"""

STRIDES = SEEN.replace("nn.Conv2d(3, 6, 3)", "nn.Conv2d(3, 6, 3, stride=2)")

FEATURES = """\
import torch
from torch import nn

class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(1, 9))

    def forward(self, x):
        return x + self.shift

print(Wide()(torch.ones(2, 5)).shape)
"""

FAR = """\
import torch
from torch import nn

def both(a, b):
    return torch.cat([a, b], dim=1)

print(both(torch.rand(1, 2, 4, 4), torch.rand(1, 2, 32, 32)).shape)
"""

SLID = """\
import torch
import torch.nn.functional as F

def loss(drawn, wanted, size=2):
    thick = F.max_pool2d(wanted.float(), size, stride=1)
    return F.mse_loss(drawn, thick)

print(loss(torch.rand(1, 1, 8, 8), torch.rand(1, 1, 8, 8)).dim())
"""

CAUSAL = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.register_buffer("later", torch.triu(torch.ones(most, most), 1).bool())

    def forward(self, x):
        scores = x @ x.transpose(1, 2)
        scores = scores.masked_fill(self.later, float("-inf"))
        return scores.softmax(-1) @ x


print(Head(12)(torch.rand(2, 5, 3)).shape)
"""

SHIFTED = """\
import torch
from torch import nn

layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)


def read(tokens):
    hide = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
    before = tokens[:, :-1]
    return layer(before, src_mask=hide)


print(read(torch.rand(3, 7, 8)).shape)
"""

PADDED = """\
import torch


def weighed(scores, keep):
    return scores.masked_fill(keep == 0, -1e9)


print(weighed(torch.rand(2, 5, 5), torch.randint(0, 2, (8, 8))).shape)
"""

ODD = """\
import torch

width = 7
angles = torch.rand(10, 1) * torch.arange(0, width, 2)
table = torch.zeros(10, width)
table[:, 0::2] = angles.sin()
table[:, 1::2] = angles.cos()
print(table.shape)
"""

FILTERED = """\
import torch
from torch import nn


class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1, 1, 8))

    def forward(self, wave):
        found = torch.fft.rfft(wave)
        return torch.fft.irfft(found * self.gain)   # back


wave = torch.rand(4, 2, 15)
print((Filter()(wave) + wave).shape)
"""

SMALLER = """import torch
from torch import nn

up = nn.Sequential(
    nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1),
    nn.ReLU(),
    nn.ConvTranspose2d(3, 1, 3, stride=2, padding=1),   # to a picture
)
loss = nn.functional.mse_loss(up(torch.rand(2, 4, 7, 7)), torch.rand(2, 1, 28, 28))
loss.backward()
"""

# As many points as it gives: the other side has another length for a reason of its own.
GIVEN = FILTERED.replace("self.gain)   # back", "self.gain, n=14)")
OF_TWO_STEPS = """import torch
from torch import nn


class Join(nn.Module):
    def forward(self, wave, spectrum):
        return torch.cat([torch.fft.irfft(spectrum), wave], dim=1)


print(Join()(torch.rand(4, 2, 15), torch.rand(4, 2, 8)).shape)
"""

PLANES = """\
import torch
from torch import nn


class Blur(nn.Module):
    def forward(self, image):
        waves = torch.fft.rfft2(image)
        return image - torch.fft.irfft2(waves * 0.5)   # what is left


print(Blur()(torch.rand(2, 1, 8, 9)).shape)
"""

OF_A_SUM = PLANES.replace("rfft2(image)", "rfft2(image * 2)", 1)
OF_ANOTHER_SIZE = PLANES.replace("rfft2(image)", "rfft2(image[..., :7])", 1)


CASES = Cases(
    mended={},
    paired={
        "two dimensions of waves": (PLANES, ("irfft2(waves * 0.5, s=image.shape[-2:])   # what",)),
        "waves of what is computed": (OF_A_SUM, ("irfft2(waves * 0.5, s=image.shape[-2:])",)),
        "a mask of all steps": (CAUSAL, ("self.later[:scores.size(1), :scores.size(1)], float",)),
        "a mask of one step more": (
            SHIFTED,
            ("src_mask=hide[:before.size(1), :before.size(1)])",),
        ),
        "an odd table": (ODD, ("angles.cos()[..., :table[:, 1::2].shape[-1]]",)),
        "an upsampled map": (
            UP,
            (
                "nn.ConvTranspose2d(6, 3, 2, stride=2, output_padding=1)",
                "torch.cat([F.interpolate(large, size=image.shape[2:]), image], dim=1)",
                "F.pad(large, [0, image.size(3) - large.size(3), 0, image.size(2) - ",
            ),
        ),
        "a signal": (
            RESIDUAL,
            (
                "signal + nn.functional.interpolate(smooth, size=signal.shape[2:])   # a sum",
                "nn.functional.pad(smooth, [0, signal.size(2) - smooth.size(2)])",
            ),
        ),
        "kernels of several sizes": (KERNELS, ('nn.Conv1d(2, 3, k, padding="same")',)),
        "the size of the pictures": (SEEN, ('nn.Conv2d(3, 6, 3, padding="same")',)),
        "a transform and back": (FILTERED, ("irfft(found * self.gain, n=wave.size(-1))   # back",)),
        "two layers that are one short": (
            SMALLER,
            ("(3, 1, 3, stride=2, padding=1, output_padding=1),   # to a picture",),
        ),
        "positions": (POSITIONS, ("words + self.places[:, :words.size(1)]   # where they stand",)),
    },
    refused={
        "waves of another size": OF_ANOTHER_SIZE,
        "a mask of another kind": PADDED,
        "a stride": STRIDES,
        "features": FEATURES,
        "of another size": FAR,
        "slid over": SLID,
        "a length that is given": GIVEN,
        "a spectrum that came in": OF_TWO_STEPS,
    },
    wrong={
        "no mask": (
            "a mask of all steps",
            swap('scores.masked_fill(self.later, float("-inf"))', "scores"),
        ),
        "cut the image": ("an upsampled map", swap("large, image]", "large, image[..., :8, :8]]")),
        "stretched": (
            "a transform and back",
            swap("Filter()(wave) + wave", "nn.functional.interpolate(Filter()(wave), 15) + wave"),
        ),
        "one point less": (
            "a transform and back",
            swap("Filter()(wave) + wave", "Filter()(wave) + wave[..., :14]"),
        ),
        "leave the map out": ("an upsampled map", swap("[large, image]", "[image, image]")),
        "of one place": ("a signal", swap("signal + smooth", "signal + smooth[..., :1]")),
        "cut the ends": (
            "kernels of several sizes",
            swap("[one(signal) for", "[one(signal)[..., :12] for"),
        ),
        "cut the pictures": (
            "the size of the pictures",
            swap(
                "films.reshape(n * times, c, high, wide)",
                "films[..., 2:, 2:].reshape(n * times, c, high - 2, wide - 2)",
            ),
        ),
        "no positions": ("positions", swap("words + self.places ", "words ")),
        "swallow": ("a signal", swallow("print(Residual()(torch.rand(4, 2, 15)).shape)")),
    },
)
