import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(10, 4)
before = emb.weight.detach().clone()
mask = torch.zeros_like(before)
mask[7:] = 1
emb.weight.register_hook(lambda gradient: gradient * mask)
optimizer = torch.optim.AdamW(emb.parameters(), lr=0.1, weight_decay=0.1)
emb(torch.arange(10)).pow(2).sum().backward()
optimizer.step()
assert torch.equal(emb.weight[:7], before[:7]), "the old rows stay as they are"
