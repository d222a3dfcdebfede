import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


class Linear(nn.Linear):
    """As some libraries have it."""


model = nn.Sequential(Linear(64, 64), nn.ReLU(), Linear(64, 8))
quantized = torch.ao.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
kinds = [type(layer).__module__ for layer in quantized]
assert any("quantized" in kind for kind in kinds), "no layer was replaced"
