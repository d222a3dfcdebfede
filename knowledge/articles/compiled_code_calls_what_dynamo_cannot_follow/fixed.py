import torch


@torch.compile(fullgraph=True, backend="eager")
def double(x):
    return 2 * x


print("output", double(torch.ones(3)))
