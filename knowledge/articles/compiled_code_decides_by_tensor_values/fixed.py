import torch


@torch.compile(fullgraph=True, backend="eager")
def flip(x):
    return torch.where(x.sum() > 0, x, -x)


assert flip(-torch.ones(3)).sum() == 3
