import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 5)
        self.gamma = torch.ones(5, requires_grad=True)

    def forward(self, x):
        return self.gamma * self.linear(x)


torch.manual_seed(0)
model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).pow(2).mean().backward()
    optimizer.step()

assert not torch.equal(model.gamma, torch.ones(5)), "gamma did not move"
