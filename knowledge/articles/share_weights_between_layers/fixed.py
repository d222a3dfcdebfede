import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(10, 4)
decoder = nn.Linear(4, 10, bias=False)
decoder.weight = embedding.weight
parameters = {*embedding.parameters(), *decoder.parameters()}
optimizer = torch.optim.SGD(parameters, lr=0.1)
decoder(embedding(torch.tensor([1, 2]))).pow(2).mean().backward()
optimizer.step()
assert torch.equal(decoder.weight, embedding.weight)
