import torch


def shifted(x):
    x += 1
    return x


data = torch.zeros(2)
shifted(data)
assert data.tolist() == [0, 0], "the caller's tensor was changed"
