import torch


def flip(x):
    return torch.where(x.sum() > 0, x, -x)


traced = torch.jit.trace(flip, torch.ones(3))
negative = -torch.ones(3)
assert torch.equal(traced(negative), flip(negative))
