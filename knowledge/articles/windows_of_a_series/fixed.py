import torch
from torch.utils.data import Dataset

series = torch.arange(600.0).reshape(100, 6)


class Windows(Dataset):
    def __init__(self, series, length, ahead=1):
        self.series, self.length, self.ahead = series, length, ahead

    def __len__(self):
        return len(self.series) - self.length - self.ahead + 1

    def __getitem__(self, i):
        end = i + self.length
        return self.series[i:end], self.series[end : end + self.ahead]


data = Windows(series, 50)
x, y = data[49]
assert len(data) == 50 and torch.equal(x, series[49:99]) and torch.equal(y, series[99:])
inputs = series.unfold(0, 50, 1)[:50]
assert torch.equal(inputs[49].T, x)
held = inputs.untyped_storage().nbytes()
assert inputs.shape[0] == 50 and held <= series.untyped_storage().nbytes()
