import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Linear(4, 2)
nn.init.zeros_(embed.weight)
out = embed(torch.rand(9, 4))
loss = nn.TripletMarginLoss(margin=1.0)(*out.chunk(3))
assert (loss - 1.0).abs() > 1e-3, "all embeddings are one point"
