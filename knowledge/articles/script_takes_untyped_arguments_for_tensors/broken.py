import torch


@torch.jit.script
def add(x, times):
    return x * times


add(torch.ones(2), 3)  # error: RuntimeError: add() Expected a value of type 'Tensor (inferred)' for argument 'times' but instead found type 'int'.
