import torch


def root(x):
    try:
        return x.sqrt()
    except RuntimeError:
        return x


torch.jit.script(root)  # error: UnsupportedNodeError: try blocks aren't supported
