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

CASES = Cases(
    mended={},
    paired={
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
        "positions": (POSITIONS, ("words + self.places[:, :words.size(1)]   # where they stand",)),
    },
    refused={"a stride": STRIDES, "features": FEATURES, "of another size": FAR, "slid over": SLID},
    wrong={
        "cut the image": ("an upsampled map", swap("large, image]", "large, image[..., :8, :8]]")),
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
