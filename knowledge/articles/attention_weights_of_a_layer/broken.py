import torch
from torch import nn

kept = []
layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)
layer.self_attn.register_forward_hook(lambda module, args, out: kept.append(out[1]))
layer(torch.randn(1, 5, 8))
assert kept[0] is not None and kept[0].shape == (1, 2, 5, 5), "no weights were asked for"
