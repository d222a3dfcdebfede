import torch


def root(x):
    return x.clamp(min=0).sqrt()


torch.jit.script(root)
