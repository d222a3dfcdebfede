import torch


def flip(x):
    if x.sum() > 0:
        return x
    return -x


traced = torch.jit.trace(flip, torch.ones(3))
negative = -torch.ones(3)
assert torch.equal(traced(negative), flip(negative))
