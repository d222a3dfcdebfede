import torch


@torch.compile(fullgraph=True, backend="eager")
def flip(x):
    if x.sum() > 0:
        return x
    return -x


flip(torch.ones(3))  # error: Unsupported: Data-dependent branching Explanation: Detected data-dependent branching
