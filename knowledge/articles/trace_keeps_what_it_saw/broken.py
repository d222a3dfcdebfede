import warnings

import torch

warnings.simplefilter("error", torch.jit.TracerWarning)  # to stop where it is told


def mean(x):
    return x.sum() / len(x)  # error: TracerWarning: Using len to get tensor shape might cause the trace to be incorrect.


torch.jit.trace(mean, torch.ones(3))
