import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
first = model.weight.detach().clone()
for fold in range(2):
    start = model.weight.detach().clone()
    nn.functional.mse_loss(model(torch.ones(4, 2)), torch.zeros(4, 1)).backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
assert torch.equal(start, first), "the second fold begins where the first has ended"
