import torch


@torch.jit.script
def add(x, times: int):
    return x * times


add(torch.ones(2), 3)
