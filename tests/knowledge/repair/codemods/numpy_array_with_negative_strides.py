"""A picture, a Dataset's sample, colours in another order; and a list of arrays."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

PICTURE = """\
import numpy as np
import torch
picture = np.arange(6.0).reshape(2, 3)
x = torch.from_numpy(picture[::-1])   # upside
print(x)
"""

DATASET = """\
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
class Mirrored(Dataset):
    def __len__(self):
        return 3
    def __getitem__(self, i):
        sample = np.full((2, 2), float(i))
        if i % 2 == 0:
            sample = np.flip(sample, axis=0)   # every other one
        return torch.tensor(sample, dtype=torch.float32)
print(len(list(DataLoader(Mirrored()))))
"""

COLOURS = """\
import numpy as np
import torch
def load():
    return np.zeros((4, 4, 3), dtype=np.uint8)[..., ::-1]
print(torch.as_tensor(load()).shape)
"""

SEVERAL = """\
import numpy as np
import torch
a, b = np.zeros(3), np.ones(3)
print(torch.tensor([a, b[::-1]]).shape)
rows = torch.stack([torch.from_numpy(r) for r in (a, b[::-1])])
"""

LOADED = """\
import numpy as np
import torch
def tensors(*arrays):
    return [torch.from_numpy(a) for a in arrays]
make = tensors
print(list(map(torch.from_numpy, [np.ones(3)[::-1]])))
"""

EITHER_WAY = """\
import numpy as np
import torch


def turned(picture, high, wide):
    if high:
        picture = picture[::-1]
    if wide:
        picture = picture[:, ::-1]
    return torch.from_numpy(picture)   # from either


print(turned(np.ones((4, 4)), True, False).shape, turned(np.ones((4, 4)), True, True).shape)
"""

CASES = Cases(
    mended={
        "a picture": (PICTURE, "torch.from_numpy(picture[::-1].copy())   # upside"),
        "a sample": (DATASET, "sample = np.flip(sample, axis=0).copy()   # every other one"),
        "two flips": (EITHER_WAY, "torch.from_numpy(picture.copy())   # from either"),
        "colours": (COLOURS, "torch.as_tensor(load().copy())"),
    },
    refused={"inside map": LOADED, "inside map, too": LOADED.replace("ones", "zeros")},
    wrong={
        "not flipped": ("a picture", swap("picture[::-1]", "picture")),
        "flipped back": ("a picture", swap("picture[::-1]", "picture[::-1][::-1]")),
        "leave it out": ("a picture", delete("x = torch.from_numpy(picture[::-1])   # upside")),
        "swallow": ("colours", swallow("print(torch.as_tensor(load()).shape)")),
    },
)
