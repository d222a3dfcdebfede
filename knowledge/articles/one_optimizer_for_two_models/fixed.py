import torch
from torch import nn

encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
before = decoder.weight.detach().clone()
decoder(encoder(torch.ones(3, 4))).pow(2).mean().backward()
optimizer.step()
assert not torch.equal(before, decoder.weight), "the decoder is in no optimizer"
