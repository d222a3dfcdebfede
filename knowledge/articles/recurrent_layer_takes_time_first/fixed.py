import torch
from torch import nn


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.out(h[-1])


prediction = Forecast()(torch.rand(7, 12, 3))
target = torch.rand(7, 1)
assert prediction.shape == target.shape
